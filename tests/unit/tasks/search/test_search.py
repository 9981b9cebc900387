"""Searching and changing: exact neighbours, words, both; filters; what was added or removed a moment ago."""

from __future__ import annotations

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit import InputError, TacitWarning
from tacit.corpus.record import Record
from tacit.index import Filters
from tacit.index.fusion import USUAL, fused_by_score, weights_for
from tacit.tasks.search.ranking import rank_records


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return tacit.build(small_records(), tmp_path_factory.mktemp("s") / "i", small_settings(), taxonomy=small_taxonomy())


@pytest.fixture
def index(built):
    with tacit.open(built) as opened:
        yield opened


@pytest.fixture
def own(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as opened:
        yield opened


def test_by_meaning_is_the_order_of_the_cosines(index):
    positions = np.asarray(index.generation.array("positions"), np.float64)
    query = index.space.place(["whale harbour"])[0].astype(np.float64)
    cosines = positions @ query / np.linalg.norm(positions, axis=1) / np.linalg.norm(query)
    hits = index.search("whale harbour", by="meaning", limit=60)
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(cosines)[::-1], atol=1e-5)
    assert hits[0].id == f"r{int(np.argmax(cosines))}"
    assert hits[0].record.title == hits[0].title == f"Record {hits[0].id[1:]}"


def test_by_words_is_the_full_text(index):
    hits = index.search("anchor", by="words", limit=60)
    assert {hit.id for hit in hits} == {r.id for r in small_records() if "anchor" in r.text}


def test_both_are_fused_by_rank(index):
    query = "whale anchor"
    ranks: dict[str, float] = {}
    for way in ("meaning", "words"):
        for rank, hit in enumerate(index.search(query, by=way, limit=100), start=1):
            ranks[hit.id] = ranks.get(hit.id, 0) + 1 / (60 + rank)
    hits = index.search(query, limit=60, fusion="ranks")
    np.testing.assert_allclose([hit.score for hit in hits], sorted(ranks.values(), reverse=True)[: len(hits)])
    for hit in hits:
        assert hit.score == pytest.approx(ranks[hit.id])


def test_both_are_fused_by_score(index):
    query = "whale anchor"
    by_words = index.search(query, by="words", limit=100)
    sums = {hit.id: 3 * hit.score for hit in index.search(query, by="meaning", limit=100)}
    for hit in by_words:
        sums[hit.id] += hit.score / by_words[0].score
    sums[by_words[0].id] += 4 * (1 - by_words[1].score / by_words[0].score)
    hits = index.search(query, limit=60)
    assert len(by_words) < len(hits) == 60
    shown = {id: min(1, max(0, total / 4)) for id, total in sums.items()}
    np.testing.assert_allclose([hit.score for hit in hits], sorted(shown.values(), reverse=True), atol=1e-5)
    for hit in hits:
        assert hit.score == pytest.approx(shown[hit.id], abs=1e-5)


def test_a_record_that_only_words_find_has_its_cosine_too():
    near, words = (np.array([4]), np.array([0.5])), (np.array([7, 4]), np.array([8.0, 2.0]))
    numbers, scores = fused_by_score(near, words, np.array([0.3, 0.5]), 5, USUAL)
    assert numbers.tolist() == [7, 4]
    np.testing.assert_allclose(scores, [3 * 0.3 + 1 + 4 * 0.75, 3 * 0.5 + 0.25])


@pytest.mark.parametrize(
    ("words", "lead"), [(([7, 4], [8.0, 8.0]), 0.0), (([7], [8.0]), 1.0), (([7, 4], [8.0, 6.0]), 0.25)]
)
def test_the_first_by_words_is_as_far_ahead_as_it_leads(words, lead):
    near, found = (np.array([4]), np.array([0.9])), tuple(map(np.array, words))
    numbers, scores = fused_by_score(near, found, np.full(len(words[0]), 0.2), 5, USUAL)
    assert scores[numbers.tolist().index(7)] == pytest.approx(3 * 0.2 + 1 + 4 * lead)


def test_in_a_longer_query_the_cosine_counts_more(index):
    analyse = index.space.words
    assert weights_for("whale anchor", analyse) == weights_for("the whale and the anchor " * 20, analyse) == (3, 4)
    letters = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
    for words in (analyse, None):
        assert weights_for(" ".join(letters[:12]), words) == (3, 4)
        assert weights_for(" ".join(letters), words) == (15, 4)
    # one record has most of the words, another is where the query is
    near, found = (np.array([4]), np.array([0.9])), (np.array([7, 4]), np.array([8.0, 6.0]))
    cosines = np.array([0.6, 0.9])
    assert fused_by_score(near, found, cosines, 5, USUAL)[0].tolist() == [7, 4]
    assert fused_by_score(near, found, cosines, 5, weights_for(" ".join(letters), analyse))[0].tolist() == [4, 7]


def test_a_long_query_has_scores_from_0_to_1_and_both_searches_agree(index):
    records = [record for _, record in index.store.records()]
    query = " ".join(dict.fromkeys(" ".join(record.text for record in records).split()))
    hits, ranked = index.search(query, limit=30), rank_records(index, query, limit=30)
    assert [index.store.number_of(hit.id) for hit in hits] == ranked.numbers.tolist()
    assert all(0 <= hit.score <= 1 for hit in hits)
    np.testing.assert_allclose([hit.score for hit in hits], ranked.scores, atol=1e-6)


def test_words_that_find_nothing_leave_the_order_of_meaning():
    near, none = (np.array([4, 2]), np.array([0.5, 0.1])), (np.empty(0, np.int64), np.empty(0))
    numbers, scores = fused_by_score(near, none, np.empty(0), 5, USUAL)
    assert numbers.tolist() == [4, 2]
    np.testing.assert_allclose(scores, [1.5, 0.3])


def test_similar_leaves_the_record_itself_out(index):
    hits = index.similar("r1", limit=60)
    assert "r1" not in {hit.id for hit in hits}
    assert len(hits) == 59
    assert hits[0].score >= hits[-1].score


@pytest.mark.parametrize("way", ["meaning", "words", "hybrid"])
@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        (Filters(labels=["pets"]), lambda r: "pets" in r.labels),
        (Filters(fields={"year": 1992}), lambda r: r.fields["year"] == 1992),
        (Filters(ranges={"year": (1993, None)}), lambda r: r.fields["year"] >= 1993),
        (
            Filters(labels=["animals"], fields={"year": [1991, 1993]}),
            lambda r: "animals" in r.labels and r.fields["year"] in (1991, 1993),
        ),
    ],
)
def test_filters_hold_in_every_way(index, way, filters, passes):
    found = index.search("whale cat ship kettle", by=way, limit=60, filters=filters)
    assert found
    assert all(passes(hit.record) for hit in found)
    if way == "meaning":
        assert {hit.id for hit in found} == {record.id for record in small_records() if passes(record)}


def test_a_label_with_all_below_it(index):
    assert set(index.below("sea")) == {"sea", "animals", "vessels"}
    hits = index.search("whale", by="meaning", limit=60, filters=Filters(labels=[index.below("world")]))
    assert len(hits) == 54
    with pytest.raises(InputError, match="'ocean'"):
        index.below("ocean")


def test_unknown_words_are_told_by_meaning_and_looked_up_by_words(index):
    with pytest.raises(InputError, match="query has no known word: got 'zeppelin'"):
        index.search("zeppelin", by="meaning")
    assert index.search("zeppelin") == index.search("zeppelin", by="words") == []


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda i: i.search(""), "query is empty: got ''"),
        (lambda i: i.search("  "), "query is empty"),
        (lambda i: i.search(), "query is empty: got None"),
        (lambda i: i.search("x", by="magic"), "by .*'magic'"),
        (lambda i: i.search("x", limit=0), "limit .*0"),
        (lambda i: i.search("x", fusion="magic"), "fusion .*'magic'"),
        (lambda i: i.similar("nobody"), "id is unknown: got 'nobody'"),
        (lambda i: i["nobody"], "id is unknown: got 'nobody'"),
        (lambda i: i.search(vector=np.ones(20), by="words"), "query is missing"),
    ],
)
def test_bad_questions_get_one_sentence(index, call, sentence):
    with pytest.raises(InputError, match=sentence):
        call(index)


def test_added_records_are_found_at_once_by_who_has_it_open(own):
    with tacit.open(own.path) as reader:
        assert reader.search("whale reef tide", by="meaning", limit=1)[0].id != "new"
        assert own.add([Record("new", "whale reef tide")]) == 1
        for index in (own, reader):
            hit = index.search("whale reef tide", by="meaning", limit=1)[0]
            assert hit.id == "new"
            assert hit.score == pytest.approx(1, abs=1e-5)
            assert "new" in {found.id for found in index.search("reef", by="words", limit=60)}
            assert len(index) == 61


def test_updated_records_move_and_removed_ones_are_gone(own):
    assert own.update([Record("r1", "cat dog kitchen table", title="Moved")]) == 1
    assert own.search("cat dog kitchen table", by="meaning", limit=1)[0].title == "Moved"
    assert own.remove(["r1", "r2"]) == 2
    everything = {hit.id for hit in own.search("whale cat", by="meaning", limit=100)}
    assert everything == {f"r{n}" for n in range(60)} - {"r1", "r2"}
    assert own.similar("r3", limit=100)[0].id not in ("r1", "r2")


def test_changes_are_all_or_nothing(own):
    with pytest.raises(InputError, match="'r1'"):
        own.add([Record("fresh", "whale"), Record("r1", "whale")])
    with pytest.raises(InputError, match="'ghost'"):
        own.update([Record("r1", "whale"), Record("ghost", "whale")])
    with pytest.raises(InputError, match="'ghost'"):
        own.remove(["r1", "ghost"])
    assert len(own) == 60
    assert "fresh" not in own
    assert own.add([]) == own.remove([]) == 0


def test_a_record_of_unknown_words_is_found_by_words_and_said_to_be(own):
    with pytest.warns(TacitWarning, match="1 of 2 records have no word that the space knows"):
        own.add([Record("odd", "zeppelin"), Record("even", "whale")])
    assert [hit.id for hit in own.search("zeppelin")] == ["odd"]


def test_a_change_through_an_index_that_was_fitted_anew_is_refused(own):
    tacit.refit(own.path)
    with pytest.raises(InputError, match="has changed on disk"):
        own.add([Record("new", "whale")])
