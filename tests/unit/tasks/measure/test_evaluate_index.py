"""What `evaluate` measures, on small collections whose labels follow from their words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.evaluate.measures.ranked_lists import first_ranked
from tacit.evaluate.measures.ranking import overlap_ndcg
from tacit.relations.labels.matrix import as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.measure.evaluate import evaluate
from tacit.tasks.measure.search_quality import SearchTest, body_of
from tacit.tasks.measure.split import MOST_TEST, all_records, split_records
from tacit.tasks.measure.suggestion_quality import measure_suggestions
from tacit.tasks.measure.trial_index import Features, FittedIndex, RawWords
from tacit.tasks.stage_progress import StageReporter
from tacit.text.settings import TextSettings

TOPICS = {
    "sea": ["whale", "ship", "harbour", "wave", "tide", "sailor", "anchor", "reef"],
    "home": ["kitchen", "table", "garden", "chair", "lamp", "carpet", "window", "kettle"],
    "law": ["court", "judge", "verdict", "statute", "appeal", "lawyer", "trial", "clause"],
}
TAXONOMY = {"all": None, "nature": "all", "people": "all", "sea": "nature", "home": "people", "law": "people"}


def topic_records(n: int = 90, *, labels: bool = True, titles: bool = True) -> list[Record]:
    """Each record is of one topic; its title is a word pair that its own text and few others have."""
    rng = np.random.default_rng(5)
    names = list(TOPICS)
    records = []
    for number in range(n):
        topic = names[number % 3]
        own = f"rare{number}"
        words = [*rng.choice(TOPICS[topic], 7), *rng.choice(TOPICS[names[int(rng.integers(3))]], 1)]
        title = f"{own} {words[0]}"
        text = f"{title}\n{' '.join(words)} {own}" if titles else " ".join(words)
        known = (topic,) if labels and number % 10 != 9 else ()
        part = ("train", "test", "other")[0 if number < 60 else 1 if number < 80 else 2]
        records.append(Record(f"r{number}", text, known, title=title if titles else "", fields={"part": part}))
    return records


def topic_settings(**changed: object) -> BuildSettings:
    return BuildSettings(**{"n_components": 8, "text": TextSettings(min_records=1), **changed})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("evaluating") / "topics.tacit"
    build(topic_records(), path, topic_settings(), taxonomy=Taxonomy.from_parents(TAXONOMY))
    with open_index(path) as collection:
        yield collection


@pytest.fixture(scope="module")
def found(index):
    stages = []
    return evaluate(index, queries=10, report=stages.append), stages


def test_easy_topics_are_suggested_right(found):
    evaluation, _ = found
    suggest = evaluation.suggest
    assert suggest.at[0].precision > 0.8
    assert suggest.at[1].recall == 1.0  # three labels in all
    assert suggest.chosen.micro_f1 > 0.8
    assert suggest.n_records == evaluation.n_test == round(0.2 * 81)
    assert suggest.hierarchy.f1 >= suggest.chosen.micro_f1  # a mistake within "people" is half right


def test_search_is_measured_three_ways(found):
    search = found[0].search
    assert list(search.ways) == ["meaning", "words", "hybrid"]
    assert (search.n_overlap, search.n_titles) == (10, 10)
    assert search.ways["words"].found_first == 1.0  # each title has a word that only its own text has
    assert search.ways["words"].mrr == 1.0
    assert search.ways["meaning"].overlap_ndcg > 0.9


def test_stages_are_told_and_facts_are_plain(found):
    evaluation, stages = found
    assert [stage.name for stage in stages if stage.state == "end"] == [
        "reading",
        "words",
        "weights",
        "space",
        "suggester",
        "suggesting",
        "search by words",
    ]
    facts = evaluation.to_facts()
    assert facts["train_records"] + facts["test_records"] == 90
    assert facts["suggest"]["at"]["5"]["recall"] == 1.0
    assert set(facts["search"]["hybrid"]) == {"overlap_ndcg", "mrr", "found_first", "found_in_ten"}
    assert facts["notes"] == ["Only 16 records were tested: differences of a few hundredths are random."]


def test_the_same_seed_gives_the_same_numbers_and_another_a_different_split(index, found):
    again = evaluate(index, queries=10).to_facts()
    first = found[0].to_facts()
    assert (again["suggest"], again["search"]) == (first["suggest"], first["search"])
    one, other = (split_records(index, random_state=seed) for seed in (0, 1))
    assert {record.id for record in one.test.records} != {record.id for record in other.test.records}


def test_overlap_is_that_of_the_measure_of_vectors(index):
    split = split_records(index)
    fitted = fit(split, topic_settings())
    with SearchTest(split, 1000, 0) as queries:
        measured = queries.measure(fitted, StageReporter(None)).ways["meaning"].overlap_ndcg
        assert np.nanmean(queries.overlap_values(fitted)) == pytest.approx(measured)
    places = fitted.place(fitted.features.rows(split.test))
    known = as_labels([names or None for names in split.train.labels])
    assert measured == pytest.approx(overlap_ndcg(places, fitted.positions, as_labels(split.test.labels), known, k=10))


@pytest.mark.parametrize("suggester", ["auto", "both"])
def test_an_index_in_memory_answers_as_one_in_a_folder(index, tmp_path, suggester):
    split = split_records(index)
    settings = replace(topic_settings(), suggester=suggester)
    path = build(split.train.records, tmp_path / "part.tacit", settings)
    fitted = fit(split, settings)
    texts = [record.text for record in split.test.records]
    rows = fitted.features.rows(split.test)
    places = fitted.place(rows)
    scores, _ = fitted.suggest(rows)
    with open_index(path) as collection:
        np.testing.assert_allclose(collection.space.place(texts), places, atol=1e-5)
        ranked = first_ranked(scores, 3)
        for row, said in enumerate(collection.suggest(texts, limit=3)):
            labels = ranked.label[ranked.record == row]
            assert [fitted.label_names[label] for label in labels] == [one.label for one in said]
        hits = [hit.id for hit in collection.search(texts[0], by="meaning", limit=5)]
    assert [split.train.records[n].id for n in fitted.nearest(places[:1], 5)[0]] == hits


def fit(split, settings):
    features = Features.of(split.train, settings, StageReporter(None))
    return FittedIndex(split.train, settings, None, features, StageReporter(None))


def test_a_text_without_known_words_gets_no_suggestion_and_finds_nothing(index):
    split = split_records(index)
    fitted = fit(split, topic_settings())
    raw = RawWords(split.train, topic_settings(), fitted.features, StageReporter(None))
    for judged in (fitted, raw):
        rows = judged.features.words.transform(["xyzzy"])
        places = judged.place(rows)
        scores, chosen = judged.suggest(rows)
        assert len(first_ranked(scores, 5).record) == 0
        assert chosen.sum() == 0
        assert len(judged.nearest(places, 5)[0]) == 0


def test_split_by_field_leaves_out_the_rest(index):
    split = split_records(index, split_field="part")
    assert (len(split.train), len(split.test)) == (60, 20)
    assert split.how == "by the field 'part', 10 other records left out"
    found = evaluate(index, split_field="part", queries=3)
    assert found.suggest.n_records == 18
    assert "2 of 20 held-out records have no labels: they do not count." in found.notes


def test_brought_records_judge_and_are_not_learned_from(index):
    brought = [Record("r1", "whale ship tide", ("sea",)), Record("new", "court judge verdict", ("law",))]
    found = evaluate(index, test=brought, queries=5)
    assert (found.n_train, found.n_test) == (89, 2)
    assert found.how == "test records from another source, 1 of them also in the index"
    assert found.suggest.at[0].precision == 1.0
    assert "Search by title was not measured: no held-out record has title and text." in found.notes


def test_labels_nobody_could_learn_count_as_missed(index):
    brought = [Record("a", "whale ship tide", ("sea", "unheard")), Record("b", "court judge", ("law",))]
    found = evaluate(index, test=brought)
    assert found.suggest.n_unlearned == 1
    assert found.suggest.at[-1].recall == pytest.approx(0.75)
    assert any("are on no training record" in note for note in found.notes)


def test_records_without_labels_are_measured_by_their_titles(tmp_path):
    path = build(topic_records(labels=False), tmp_path / "plain.tacit", topic_settings())
    with open_index(path) as collection:
        found = evaluate(collection, queries=8)
    assert found.suggest is None
    assert found.search.n_overlap == 0
    assert found.search.ways["words"].overlap_ndcg is None
    assert found.search.ways["words"].mrr == 1.0
    assert found.how == "20% of the records held out at random"


def test_an_index_of_vectors_is_measured_without_titles(tmp_path):
    records = topic_records()
    rng = np.random.default_rng(0)
    vectors = np.eye(3)[np.arange(90) % 3] @ rng.normal(size=(3, 12)) + 0.1 * rng.normal(size=(90, 12))
    path = build(records, tmp_path / "vectors.tacit", topic_settings(model="lsi", vectors_only=True), vectors=vectors)
    with open_index(path) as collection:
        found = evaluate(collection, queries=5)
        assert found.suggest.at[0].precision == 1.0
        assert found.search.n_titles == 0
        assert found.search.ways["meaning"].overlap_ndcg == pytest.approx(1.0)
        assert "Search by title was not measured: titles have no vectors." in found.notes
        with pytest.raises(InputError, match="test cannot be placed: got records for an index of vectors"):
            evaluate(collection, test=records[:2])
        collection.remove(["r1"])
        with pytest.raises(InputError, match="vectors of added records are not kept"):
            all_records(collection)


def test_quick_uses_fewer_records(index):
    split = split_records(index, most=30)
    assert len(split.train) + len(split.test) == 30
    assert "only 30 of 90 records used" in split.how
    assert MOST_TEST == 10_000


def test_a_title_is_taken_off_as_often_as_it_was_put_there():
    assert body_of(Record("a", "Sea Sea and ships", title="Sea")) == "and ships"
    assert body_of(Record("a", "ships at sea", title="Sea")) == "ships at sea"
    assert body_of(Record("a", "Sea", title="Sea")) == ""


def test_the_index_is_not_changed(index):
    before = index.generation.folder, index.store.changes
    evaluate(index, queries=2)
    assert index.generation.is_current()
    assert (index.generation.folder, index.store.changes) == before


def test_nothing_to_compare_without_a_suggester(index):
    split = split_records(index)
    assert measure_suggestions(fit(split, topic_settings(suggester="none")), split.test) is None


def test_bad_input_is_one_sentence(index, tmp_path):
    with pytest.raises(InputError, match="test and split_field were both given"):
        evaluate(index, test=[], split_field="part")
    with pytest.raises(InputError, match="test is empty: got no record"):
        evaluate(index, test=[])
    with pytest.raises(InputError, match="test leaves nothing to learn from"):
        evaluate(index, test=topic_records())
    with pytest.raises(InputError, match=r"split_field does not split: got 'nowhere' with the values \[\]"):
        evaluate(index, split_field="nowhere")
    with pytest.raises(InputError, match=r"share is out of range: got 1\.5"):
        evaluate(index, share=1.5)
    with pytest.raises(InputError, match=r"share leaves too few records: got 0\.001 of 81 records"):
        evaluate(index, share=0.001)
    with pytest.raises(InputError, match="queries is out of range: got 0"):
        evaluate(index, queries=0)
    bare = build(topic_records(labels=False, titles=False), tmp_path / "bare.tacit", topic_settings())
    with (
        open_index(bare) as collection,
        pytest.raises(InputError, match="cannot be used for measuring: got neither labels nor titles"),
    ):
        evaluate(collection)
