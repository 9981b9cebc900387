"""Recommendations from an index: by liked records, by linked things, with reasons."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from tacit.corpus.record import Record
from tacit.datasets.movielens import film_records
from tacit.errors import InputError, TacitWarning
from tacit.index import Filters
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.recommend.recommend import ThingHit, link_kinds, near, recommend, recommend_for
from tacit.text import TextSettings

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide", "sailor", "anchor"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair", "lamp", "carpet"]


def records(n: int = 48) -> list[Record]:
    """Odd records are about the sea and read by Ann and Bo, even ones about home and read by Cy and Di."""
    rng = np.random.default_rng(3)
    made = []
    for number in range(n):
        words, label, readers = (SEA, "sea", ("Ann", "Bo")) if number % 2 else (HOME, "home", ("Cy", "Di"))
        text = " ".join(rng.choice(words, 6))
        links = {"reader": tuple(name for name in readers if rng.random() < 0.5), "shelf": (f"{label} shelf",)}
        fields = {"year": 1990 + number % 4}
        made.append(Record(f"r{number}", text, (label,), f"Record {number}", links, fields))
    return made


def settings(**changed: object) -> BuildSettings:
    return BuildSettings(**{"n_components": 6, "text": TextSettings(min_records=1), **changed})  # type: ignore[arg-type]


@pytest.fixture(scope="module", params=["auto", "mlsa"])
def library(request, tmp_path_factory):
    path = build(records(), tmp_path_factory.mktemp("library") / "l.tacit", settings(model=request.param))
    with open_index(path) as collection:
        yield collection


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The same records in a space without links."""
    path = build(records(), tmp_path_factory.mktemp("plain") / "p.tacit", settings(model="hlsi"))
    with open_index(path) as collection:
        yield collection


def directions(collection, ids):
    numbers = np.array([collection.store.number_of(id) for id in ids])
    positions = collection.positions.of(numbers)
    return positions / np.linalg.norm(positions, axis=1, keepdims=True)


def test_the_best_records_are_those_nearest_to_the_middle_of_the_liked(library):
    found = recommend(library, ["r1", "r4"], limit=46)
    middle = directions(library, ["r1", "r4"]).mean(axis=0)
    others = [f"r{number}" for number in range(48) if number not in (1, 4)]
    cosines = directions(library, others) @ (middle / np.linalg.norm(middle))
    assert {hit.id for hit in found} == set(others)
    assert [hit.score for hit in found] == pytest.approx(sorted(cosines, reverse=True), abs=1e-5)
    assert [hit.id for hit in found[:5]] == [others[place] for place in np.argsort(-cosines)[:5]]


def test_liked_records_of_the_sea_lead_to_the_sea(library):
    assert {hit.labels for hit in recommend(library, ["r1", "r3"], limit=8)} == {("sea",)}


def test_what_is_disliked_is_moved_away_from_and_left_out(library):
    before = recommend(library, ["r1", "r2"], limit=10)
    after = recommend(library, ["r1", "r2"], disliked=["r5"], limit=10)
    assert "r5" not in {hit.id for hit in after}
    away = directions(library, ["r5"])[0]
    mean = [(directions(library, [hit.id for hit in hits]) @ away).mean() for hits in (before, after)]
    assert mean[1] < mean[0]


def test_reasons_name_the_nearest_liked_record_and_what_is_shared(library):
    for hit in recommend(library, ["r1", "r2"], limit=6):
        near_to, *shared = hit.why
        closest = max(
            ["r1", "r2"], key=lambda id: float(directions(library, [id])[0] @ directions(library, [hit.id])[0])
        )
        assert near_to == f"near 'Record {closest[1:]}'"
        assert f"labels {hit.labels[0]}" in shared
        words = {word for word in library[hit.id].text.split() if word in library[closest].text.split()}
        said = [reason for reason in shared if reason.startswith("words ")]
        assert bool(said) == bool(words)
        assert all(word in words for word in said[0][6:].replace(" and ", ", ").split(", ")) if said else True


def test_filters_and_limits_hold(library):
    found = recommend(library, ["r1"], limit=3, filters=Filters(fields={"year": 1992}))
    assert len(found) == 3
    assert all(hit.record.fields["year"] == 1992 for hit in found)
    assert recommend(library, ["r1"], filters=Filters(fields={"year": 1800})) == []


def test_types_of_linked_things_are_listed(library, plain):
    assert link_kinds(library) == {"reader": 4, "shelf": 2}
    assert link_kinds(plain) == {}


def test_near_a_thing_are_its_records_its_like_and_its_labels(library):
    found = near(library, "shelf", "sea shelf", to="records", limit=24)
    assert {hit.labels for hit in found} == {("sea",)}
    readers = near(library, "reader", "Ann", to="reader")
    assert readers[0].id == "Bo"
    assert "Ann" not in {hit.id for hit in readers}
    assert len(readers) == 3
    assert near(library, "reader", "Ann", to="labels")[0] == near(library, "reader", "Ann", to="labels", limit=1)[0]
    assert near(library, "reader", "Ann", to="labels")[0].id == "sea"
    assert near(library, "reader", "Cy", to="shelf")[0].id == "home shelf"


def test_near_compares_by_cosine(library):
    place = library.generation.array("link_positions_0")[library.generation.facts("links")["reader"].index("Ann")]
    place = place * library.generation.arrays.get("strengths", 1)
    for hit in near(library, "reader", "Ann", limit=5):
        expected = float(directions(library, [hit.id])[0] @ place / np.linalg.norm(place))
        assert hit.score == pytest.approx(expected, abs=1e-5)


def test_a_thing_gets_what_it_is_not_linked_to_by_the_product_of_positions(library):
    own = {f"r{number}" for number, record in enumerate(records()) if "Ann" in record.links["reader"]}
    found = recommend_for(library, "reader", "Ann", limit=48)
    assert {hit.id for hit in found} == {record.id for record in records()} - own
    place = library.generation.array("link_positions_0")[library.generation.facts("links")["reader"].index("Ann")]
    products = [float(library.positions.of(np.array([library.store.number_of(hit.id)]))[0] @ place) for hit in found]
    numbers = np.array([library.store.number_of(id) for id in own])
    most = float((library.positions.of(numbers) @ place).max())
    assert [hit.score for hit in found] == pytest.approx([product / most for product in products], abs=1e-6)
    assert found[0].score > 0.5  # in a space whose positions are of any length
    assert products == sorted(products, reverse=True)
    assert {hit.labels for hit in found[:4]} == {("sea",)}
    assert all(hit.why[0].startswith("near 'Record ") for hit in found)


def test_other_things_can_be_recommended_too(library):
    readers = recommend_for(library, "reader", "Ann", what="reader")
    assert readers[0].id == "Bo"
    assert all(isinstance(hit, ThingHit) and hit.kind == "reader" for hit in readers)
    assert [hit.id for hit in recommend_for(library, "reader", "Ann", what="shelf")] == ["home shelf"]
    assert [hit.id for hit in recommend_for(library, "reader", "Ann", what="labels")] == ["home"]
    assert readers[0].to_facts() == {"name": "Bo", "kind": "reader", "score": round(readers[0].score, 6)}


def test_without_a_place_a_thing_stands_for_its_records(plain):
    own = [record.id for record in records() if "Ann" in record.links["reader"]]
    found = recommend_for(plain, "reader", "Ann", limit=5)
    assert [(hit.id, hit.score) for hit in found] == [
        (hit.id, pytest.approx(hit.score)) for hit in recommend(plain, own, limit=5)
    ]
    assert {hit.labels for hit in near(plain, "reader", "Ann", limit=3)} == {("sea",)}


def test_a_thing_that_came_later_stands_for_its_records(tmp_path):
    path = build(records(), tmp_path / "l.tacit", settings())
    with open_index(path) as collection:
        collection.add([Record("new", "whale ship wave", links={"reader": ("Eve",)})])
    with open_index(path) as collection:
        found = recommend_for(collection, "reader", "Eve", limit=5)
        assert {hit.labels for hit in found} == {("sea",)}
        assert near(collection, "reader", "Eve", limit=1)[0].id == "new"
        assert "new" in {hit.id for hit in recommend(collection, ["r1"], limit=48)}


def test_removed_records_are_not_recommended(tmp_path):
    path = build(records(), tmp_path / "l.tacit", settings())
    with open_index(path) as collection:
        best = recommend_for(collection, "reader", "Ann", limit=2)
        collection.remove([best[0].id])
    with open_index(path) as collection:
        assert recommend_for(collection, "reader", "Ann", limit=1)[0].id == best[1].id


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda c: recommend(c, []), "liked is empty: got none"),
        (lambda c: recommend(c, "r1"), r"liked is a single string: got 'r1', expected several ids. Write \['r1'\]"),
        (lambda c: recommend(c, ["r1000"]), "id is unknown: got 'r1000'"),
        (lambda c: recommend(c, ["r1"], disliked=["r1"]), "liked and disliked share a record: got 'r1' in both"),
        (lambda c: recommend(c, ["r1"], limit=0), "limit is out of range"),
        (
            lambda c: recommend_for(c, "reader", "An"),
            r"reader is unknown: got 'An', expected one of 4. Did you mean 'Ann'\?",
        ),
        (
            lambda c: recommend_for(c, "reader", "Xyz"),
            "reader is unknown: got 'Xyz', expected one of 4. Check its spelling",
        ),
        (lambda c: recommend_for(c, "raeder", "Ann"), r"link is unknown: got 'raeder', .* Did you mean 'reader'\?"),
        (lambda c: recommend_for(c, "reader", "Ann", what="shelves"), "what is unknown: got 'shelves', .* 'shelf'"),
        (lambda c: near(c, "reader", "Ann", to="label"), r"to is unknown: got 'label', .* Did you mean 'labels'\?"),
    ],
)
def test_bad_questions_are_answered_in_one_sentence(library, ask, message):
    with pytest.raises(InputError, match=message):
        ask(library)


def test_an_index_without_links_or_labels_says_so(plain, tmp_path):
    with pytest.raises(InputError, match=r"reader is unknown: got 'Eve', but this index was built without links"):
        recommend_for(plain, "reader", "Eve")
    bare = [Record(record.id, record.text, links=record.links) for record in records()]
    path = build(bare, tmp_path / "b.tacit", settings())
    with open_index(path) as collection, pytest.raises(InputError, match="has no labels: got 'labels'"):
        near(collection, "reader", "Ann", to="labels")


def test_a_liked_record_without_words_has_no_place(tmp_path):
    with pytest.warns(TacitWarning, match="1 of 49 records have no terms"):
        path = build([*records(), Record("empty", "")], tmp_path / "e.tacit", settings(model="lsi"))
    with open_index(path) as collection, pytest.raises(InputError, match=r"liked has no position: got 'empty'"):
        recommend(collection, ["empty"])


@pytest.mark.realdata
def test_recommended_films_are_liked_more_often_than_popular_ones(data_dir, tmp_path):
    """On a fold that neither the index nor the choice of its defaults has seen; the study found 1.6 times as many."""
    from tacit.datasets import load_movielens

    ratings = load_movielens(data_dir).ratings
    held_out: dict[str, set[str]] = {}
    for user, film, rating, fold in zip(ratings.user, ratings.item, ratings.rating, ratings.fold, strict=True):
        if fold == 2 and rating >= 4:
            held_out.setdefault(str(user), set()).add(str(film))
    films = film_records(data_dir, without_fold=2)
    popular = sorted(films, key=lambda film: -len(film.links["user"]))
    path = build(films, tmp_path / "films.tacit", BuildSettings(model="mlsa", n_components=50, suggester="none"))
    hits, common = [], []
    with tacit.open(path) as collection:
        known = set(collection.generation.facts("links")["user"])
        for user in sorted(set(held_out) & known, key=int)[::5]:
            found = {hit.id for hit in recommend_for(collection, "user", user, limit=10)}
            hits.append(len(found & held_out[user]))
            top = [film.id for film in popular if user not in film.links["user"]][:10]
            common.append(len(set(top) & held_out[user]))
    assert np.mean(hits) > 1.3 * np.mean(common)
