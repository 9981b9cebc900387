"""Explanations: parts that add up to the cosine and to the score, and what is near, against independent computation."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_index import HOME, SEA, small_records, small_settings, small_taxonomy

import tacit
from tacit import InputError
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.explain.explain import explain
from tacit.tasks.explain.words import importance, listed
from tacit.tasks.label_names import find_label, find_number


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explain")
    taxonomy = small_taxonomy()
    titles = {"animals": {"en": "Animals of the sea"}, "home": {"en": "The home"}}
    titled = Taxonomy(taxonomy.names, taxonomy.parent_matrix, titles)
    vectors = np.random.default_rng(3).normal(size=(60, 12))
    kinds = {
        "mlsi": tacit.build(small_records(), folder / "mlsi", small_settings(weights={"words": 2.0}), taxonomy=titled),
        "lsi": tacit.build(small_records(), folder / "lsi", small_settings(model="lsi", parameters={"center": True})),
        "mlsa": tacit.build(
            small_records(links=True), folder / "mlsa", small_settings(model="mlsa"), taxonomy=taxonomy
        ),
        "views": tacit.build(small_records(links=True), folder / "views", small_settings(), taxonomy=taxonomy),
        "vectors": tacit.build(small_records(), folder / "vectors", small_settings(vectors_only=True), vectors=vectors),
    }
    opened = {kind: tacit.open(path) for kind, path in kinds.items()}
    yield opened
    for index in opened.values():
        index.close()


@pytest.fixture(params=["mlsi", "lsi", "mlsa", "views"])
def index(request, built):
    return built[request.param]


@pytest.fixture
def informed(built):
    return built["mlsi"]


def unit(position):
    position = np.asarray(position, np.float64)
    return position / np.linalg.norm(position)


def position_of(index, id):
    return index.generation.array("positions")[int(id[1:])]


def test_parts_of_the_words_add_up_to_the_cosine_that_search_gives(index):
    hits = index.search("whale harbour garden", by="meaning", limit=60)
    for hit in (hits[0], hits[30], hits[-1]):
        why = explain(index, query="whale harbour garden", ids=hit.id)
        assert why.cosine == pytest.approx(hit.score, abs=1e-5)
        assert sum(word.part for word in why.words) + why.offset == pytest.approx(hit.score, abs=1e-5)
    assert (why.offset != 0) == (index.space.offset is not None)
    assert sorted(word.word for word in why.words) == ["garden", "harbour", "whale"]
    assert [word.part for word in why.words] == sorted((word.part for word in why.words), reverse=True)


def test_without_a_word_its_part_is_missing(informed):
    """The part of a word is what the product with the record loses without it, at the length of the whole query."""
    why = explain(informed, query="whale garden", ids="r1")
    columns, weights = informed.space.words.row("whale garden")
    at = [informed.space.words.terms[column] for column in columns].index("whale")
    whole = weights @ informed.space.terms[columns]
    without = np.delete(weights, at) @ informed.space.terms[np.delete(columns, at)]
    lost = (whole - without) @ unit(position_of(informed, "r1")) / np.linalg.norm(whole)
    assert {word.word: word.part for word in why.words}["whale"] == pytest.approx(lost, abs=1e-5)


def test_words_that_both_have_and_labels_by_nearness(informed):
    text = informed["r1"].text.split()
    why = explain(informed, query=f"{text[0]} {text[1]} kettle xyzzy", ids="r1")
    assert set(why.shared_words) == {word for word in (text[0], text[1], "kettle") if word in text}
    assert {word.word for word in why.words if word.shared} == set(why.shared_words)
    query = informed.space.place([why.query])[0]
    cosines = [unit(row) @ unit(query) for row in informed.label_positions]
    order = np.argsort(cosines)[::-1]
    assert [near.label for near in why.query_labels] == [informed.label_names[i] for i in order]
    assert [near.cosine for near in why.query_labels] == pytest.approx(np.array(cosines)[order], abs=1e-5)
    assert [near.label for near in why.labels] == list(informed["r1"].labels)


def test_words_that_only_the_search_by_words_knows_are_explained(tmp_path):
    rows = [("a", "whales sing near a gramophone", "sea"), ("b", "whales dive", "sea"), ("c", "cats sleep", "home"),
            ("d", "cats purr and whales dive", "home"), ("e", "a gramophone for the theremin", "home")]  # fmt: skip
    records = [Record(id, text, labels=[label]) for id, text, label in rows]
    with tacit.open(tacit.build(records, tmp_path / "i", BuildSettings(n_components=2, map=False))) as index:
        assert "sing" not in index.space.words.columns
        why = index.explain(query="sing theremin", ids="a")
        assert (why.words, why.shared_words, why.words_rank) == ((), ("sing",), 1)
        assert why.in_words().startswith("Record a has “sing”. By words it is number 1")
        both = index.explain(query="whales that sing of a theremin", ids="a")
        assert both.shared_words == ("whales", "sing")
        assert "They share “whales” and “sing”. By words it is number" in both.in_words()
        scores = [hit.score for hit in index.search("whales that sing of a theremin", by="words")]
        assert both.words_share == pytest.approx(scores[both.words_rank - 1] / scores[0])
        with pytest.raises(InputError, match="has no known word"):
            index.explain(query="theremin", ids="b")


def test_related_words_are_words_of_the_record_and_not_the_word_itself(informed):
    why = explain(informed, query="whale", ids="r1")
    (word,) = why.words
    assert word.through
    assert set(word.through) <= set(informed["r1"].text.split()) - {"whale"}
    assert set(word.through) <= set(SEA)  # at home nothing is related to a whale


def test_parts_of_the_dimensions_add_up_to_the_cosine(index):
    (hit,) = index.similar("r1", limit=1)
    why = explain(index, ids=["r1", hit.id], limit=6)
    assert why.cosine == pytest.approx(hit.score, abs=1e-5)
    assert len(why.dimensions) == index.space.n_dimensions
    assert sum(part.part for part in why.dimensions) == pytest.approx(hit.score, abs=1e-5)
    expected = unit(position_of(index, "r1")) * unit(position_of(index, hit.id))
    assert {part.number: part.part for part in why.dimensions} == pytest.approx(
        {number: part for number, part in enumerate(expected, 1)}, abs=1e-5
    )


@pytest.mark.parametrize("kind", ["mlsa", "views"])
def test_what_two_records_share(built, kind):
    index = built[kind]
    animals = [record.id for record in small_records() if record.labels == ("animals",)][:2]
    vessels = next(record.id for record in small_records() if record.labels == ("vessels",))
    alike = explain(index, ids=animals)
    assert [label.label for label in alike.shared_labels] == ["animals"]
    assert alike.common_ancestors == ()  # all that lies above is above the label they share
    assert alike.shared_links == {"author": ("Bo",)}
    assert set(alike.shared_words) == set(index[animals[0]].text.split()) & set(index[animals[1]].text.split())
    related = explain(index, ids=[animals[0], vessels])
    assert related.shared_labels == ()
    assert [label.label for label in related.common_ancestors] == ["sea"]
    assert "labels at or below sea" in related.in_words()


def test_a_dimension_that_carries_a_cosine_is_described_by_the_end_at_which_the_records_lie(informed):
    for part in explain(informed, ids=["r1", "r3"]).dimensions:
        whole = explain(informed, dimension=part.number, limit=6)
        end = whole.positive if position_of(informed, "r1")[part.number - 1] > 0 else whole.negative
        assert (part.words, part.labels) == (end.words, end.labels)


def test_many_shared_links_are_counted(tmp_path):
    people = tuple(f"p{i}" for i in range(1200))
    records = [Record(r.id, r.text, links={"person": people[: 3 if r.id == "r3" else 1200]}) for r in small_records(20)]
    with tacit.open(tacit.build(records, tmp_path / "i", small_settings())) as index:
        many, few = (explain(index, ids=["r1", other]).in_words() for other in ("r2", "r3"))
    assert "Both have the same 1,200 persons, p0, p1 and p2 among them." in many
    assert "Both have the persons p0, p1 and p2." in few


@pytest.mark.parametrize("label", ["animals", "home"])
def test_parts_of_the_words_add_up_to_the_score_of_the_label(index, label):
    text = "whale harbour garden reef"
    why = explain(index, text=text, label=label)
    position, head = index.space.place([text])[0], index.suggester
    column = index.label_names.index(label)
    score = unit(position) @ head.coef[column] + head.intercept[column]
    score += (index.space.words.transform([text]) @ head.words[:, column])[0]
    assert why.score == pytest.approx(score, abs=1e-5)
    assert sum(part for _, part in why.words) + why.offset == pytest.approx(score - why.intercept, abs=1e-5)
    (suggested,) = [one for one in index.suggest(text, limit=9) if one.label == label]
    assert why.probability == pytest.approx(suggested.probability, abs=1e-6)
    assert why.chosen == suggested.chosen == (why.probability > why.threshold)


def test_records_that_taught_a_label_have_it_and_are_the_nearest(informed):
    why = explain(informed, text="whale harbour", label="animals", limit=4)
    query = unit(informed.space.place(["whale harbour"])[0])
    with_label = [record.id for record in small_records() if "animals" in record.labels]
    cosines = {id: unit(position_of(informed, id)) @ query for id in with_label}
    assert [hit.id for hit in why.records] == sorted(cosines, key=lambda id: -cosines[id])[:4]
    assert [above.label for above in why.ancestors] == ["sea", "world"]
    assert "Animals of the sea" in why.in_words()


def test_a_label_of_a_record_is_explained_by_its_text(informed):
    assert explain(informed, ids="r1", label="animals") == explain(informed, text=informed["r1"].text, label="animals")


def test_words_of_the_sea_speak_for_a_label_of_the_sea(informed):
    why = explain(informed, text=" ".join([*SEA, *HOME]), label="animals")
    parts = dict(why.words)
    assert np.mean([parts[word] for word in SEA]) > 0 > np.mean([parts[word] for word in HOME])


def test_what_a_label_is_near_to(informed):
    place = explain(informed, label="animals", limit=3)
    row = informed.label_names.index("animals")
    cosines = {
        name: unit(position) @ unit(informed.label_positions[row])
        for name, position in zip(informed.label_names, informed.label_positions, strict=True)
        if name != "animals"
    }
    assert [near.label for near in place.neighbours] == sorted(cosines, key=lambda name: -cosines[name])[:3]
    assert place.n_records == sum("animals" in record.labels for record in small_records())
    assert set(place.words) <= set(SEA)
    assert [above.label for above in place.ancestors] == ["sea", "world"]
    assert all(set(hit.record.text.split()) & set(SEA) for hit in place.records)


def test_a_node_without_records_lies_where_those_below_it_are(informed):
    place = explain(informed, label="sea")
    assert place.n_records == 0
    assert place.in_words().startswith("No record had the label sea itself when the index was fitted; its position")
    assert [label.label for label in place.children] == ["animals", "vessels"]
    assert {near.label for near in place.neighbours[:2]} == {"animals", "vessels"}
    assert set(place.words) <= set(SEA)


def test_a_node_with_nothing_below_it_that_was_learned_lies_nowhere(tmp_path):
    taxonomy = Taxonomy.from_parents({"sky": None, "animals": None, "vessels": None, "pets": None, "home": None})
    path = tacit.build(small_records(), tmp_path / "i", small_settings(), taxonomy=taxonomy)
    with tacit.open(path) as index:
        place = explain(index, label="sky")
    assert place.words == place.neighbours == place.records == ()
    assert place.in_words().endswith("so it has no position.")


def test_words_at_the_ends_of_a_dimension_are_those_that_move_records(index):
    """A word moves records by its weight, as a root mean square over the records, times its row of the map."""
    words = index.space.words
    has = np.array([[term in record.text.split() for term in words.terms] for record in small_records()])
    moves = np.sqrt((has * words.weights**2).mean(axis=0))
    np.testing.assert_allclose(importance(index), moves, rtol=1e-4)
    for number in (1, 2):
        found = explain(index, dimension=number, limit=5)
        along = index.space.terms[:, number - 1] * moves
        for end, sign in ((found.positive, 1), (found.negative, -1)):
            order = [i for i in np.argsort(-sign * along) if sign * along[i] > 0.1 * np.abs(along).max()]
            assert list(end.words) == [words.terms[i] for i in order[:5]]
            best = max(small_records(), key=lambda record: sign * unit(position_of(index, record.id))[number - 1])
            assert end.records[0].id == best.id


def test_a_dimension_tells_the_two_groups_apart(informed):
    ends = [
        {word in SEA for word in end.words}
        for number in range(1, 4)
        for found in [explain(informed, dimension=number, limit=4)]
        for end in (found.positive, found.negative)
    ]
    assert {True} in ends
    assert {False} in ends


@pytest.mark.parametrize("kind", ["mlsa", "views"])
def test_linked_things_are_at_the_ends(built, kind):
    ends = [
        end.links
        for number in range(1, 5)
        for found in [explain(built[kind], dimension=number)]
        for end in (found.positive, found.negative)
    ]
    assert {name for links in ends for name in links.get("author", ())} == {"Ann", "Bo"}


def test_an_index_of_vectors_explains_all_but_words(built):
    index = built["vectors"]
    found = explain(index, dimension=1)
    assert found.positive.words == found.negative.words == ()
    assert found.positive.records
    pair = explain(index, ids=["r1", "r3"], limit=12)
    assert sum(part.part for part in pair.dimensions) == pytest.approx(pair.cosine, abs=1e-5)
    assert explain(index, label="animals").words == ()
    with pytest.raises(InputError, match="query cannot be placed by its words: got a text, expected a vector"):
        explain(index, query="whale", ids="r1")


def test_every_explanation_is_plain_data_and_sentences(index):
    for asked in (
        {"query": "whale", "ids": "r1"},
        {"ids": ["r1", "r2"]},
        {"text": "whale", "label": "animals"},
        {"label": "animals"},
        {"dimension": 1},
    ):
        found = explain(index, **asked)
        facts = json.loads(json.dumps(found.to_facts()))
        assert facts["in_words"] == found.in_words()
        assert found.in_words().endswith(".")
        assert "None" not in found.in_words()


def test_added_records_are_explained_too(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as index:
        index.add([Record("new", "whale whale reef")])
    with tacit.open(path) as index:
        assert explain(index, query="whale whale reef", ids="new").cosine == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "this combination is not supported: got nothing, expected `query` and one `id`"),
        ({"query": "whale"}, "this combination is not supported: got query, expected"),
        ({"query": "whale", "label": "animals"}, "this combination is not supported: got label and query, expected"),
        ({"ids": ["r1", "r2", "r3"]}, "this combination is not supported: got several ids, expected"),
        ({"text": "whale"}, "this combination is not supported: got text, expected"),
        ({"dimension": 1, "label": "animals"}, "this combination is not supported: got dimension and label, expected"),
        ({"ids": ["r1", "r1"]}, "ids are the same: got 'r1' twice, expected two records."),
        ({"query": "whale", "ids": "r99"}, "id is unknown: got 'r99', expected .* Did you mean 'r9'[?]"),
        ({"query": "whale", "ids": "QQQQQQ"}, "id is unknown: got 'QQQQQQ', expected .* Check its spelling."),
        ({"query": "xyzzy", "ids": "r1"}, "query has no known word: got 'xyzzy', expected at least one word"),
        ({"query": " ", "ids": "r1"}, "query is empty: got ' ', expected some words."),
        ({"text": "xyzzy " * 30, "label": "animals"}, "text has no known word: got 'xyzzy xyzzy .*[.]{3}', expected"),
        ({"label": "animal"}, "label is unknown: got 'animal', expected .* Did you mean 'animals'[?]"),
        (
            {"text": "whale", "label": "sea"},
            "label was not learned: got 'sea', which is in the taxonomy only, expected",
        ),
        ({"label": "QQQQ"}, "label is unknown: got 'QQQQ', expected a label of the index. Check its spelling."),
        ({"dimension": 7}, "dimension is out of range: got 7, expected one of 1 to 6."),
        ({"dimension": 0}, "dimension is out of range: got 0, expected a whole number of at least 1."),
        ({"dimension": 1, "limit": 0}, "limit is out of range: got 0, expected a whole number of at least 1."),
    ],
)
def test_what_cannot_be_explained_is_one_sentence(informed, asked, message):
    with pytest.raises(InputError, match=message):
        explain(informed, **asked)


def test_labels_are_found_by_title_and_whatever_their_case(informed):
    assert find_label(informed, "animals of the SEA") == "animals"
    assert find_label(informed, "The Home") == find_label(informed, "HOME") == "home"
    with pytest.raises(InputError, match=r"Did you mean 'Animals of the sea'\?"):
        find_label(informed, "Animal of the sea")


def test_a_title_of_several_labels_is_refused(tmp_path):
    taxonomy = small_taxonomy()
    titles = {"animals": {"": "Same"}, "vessels": {"": "Same"}}
    titled = Taxonomy(taxonomy.names, taxonomy.parent_matrix, titles)
    path = tacit.build(small_records(), tmp_path / "i", small_settings(), taxonomy=titled)
    with (
        tacit.open(path) as index,
        pytest.raises(
            InputError, match=r"label is ambiguous: got 'same', expected one of 'Same \(animals\)' <animals>, 'Same \(v"
        ),
    ):
        find_label(index, "same")


def test_labels_of_an_index_without_any(tmp_path):
    records = [Record(record.id, record.text) for record in small_records()]
    with tacit.open(tacit.build(records, tmp_path / "i", small_settings())) as index:
        with pytest.raises(InputError, match=r"label is unknown: got 'animals', expected a label, but .* has none\."):
            explain(index, label="animals")
        with pytest.raises(InputError, match="has no suggester: got the label 'animals', expected an index"):
            explain(index, text="whale", label="animals")
        assert find_number(index, "r3") == 3


def test_names_in_a_sentence():
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c", "d"]) == "a, b and c"


def test_what_counted_adds_up_to_the_cosine(tmp_path):
    records = small_records(links=True)
    settings = small_settings(weights={"author": 0.2}, parameters={"tol": 1e-10})
    with tacit.open(tacit.build(records, tmp_path / "i", settings)) as index:
        why = index.explain(query=records[3].text, ids="r1")
        assert set(why.counted) == {"words", "labels", "author"}
        assert sum(why.counted.values()) == pytest.approx(why.cosine, abs=1e-4)
        assert list(why.counted.values()) == sorted(why.counted.values(), reverse=True)
        assert f"{next(iter(why.counted))} {next(iter(why.counted.values())):.2f}" in why.in_words()
        pair = index.explain(ids=["r1", "r3"])
        assert sum(pair.counted.values()) == pytest.approx(pair.cosine, abs=1e-4)
        assert pair.to_facts()["counted"] == pair.counted


def test_a_label_that_came_after_the_fit_is_explained_and_looked_below(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings(), taxonomy=small_taxonomy())
    with tacit.open(path) as index:
        index.add(
            [Record("n1", "whale ship tide", labels=("cetaceans",)), Record("n2", "whale", labels=("cetaceans",))]
        )
    with tacit.open(path) as index:
        found = index.explain(label="cetaceans")
        assert found.n_records == 2
        assert {"n1", "n2"} & {hit.id for hit in found.records}
        assert "whale" in found.words
        assert index.below("cetaceans") == ("cetaceans",)
        with pytest.raises(
            InputError, match="label was not learned: got 'cetaceans', which only records have that were"
        ):
            index.explain(text="whale", label="cetaceans")
