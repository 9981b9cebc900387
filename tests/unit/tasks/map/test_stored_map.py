"""The map that an index keeps: it is there after a build, goes along with changes, and can be made again."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.folder.verify import verify
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build, refit
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.map.again import map_again
from tacit.tasks.map.map import map_of
from tacit.tasks.map.stored import StoredMap
from tacit.tasks.search.ranking import rank_records

TOPICS = {
    "whales": "whale sea ocean fin dive pod krill deep",
    "cats": "cat kitten fur purr whisker paw milk basket",
    "courts": "judge court trial law jury appeal verdict robe",
}
TREE = Taxonomy.from_parents(
    {"all": None, "animals": "all", "whales": "animals", "cats": "animals", "society": "all", "courts": "society"}
)
SETTINGS = BuildSettings(n_components=6, suggester="none")


def records(n_each: int = 20) -> list[Record]:
    rng = np.random.default_rng(1)
    return [
        Record(f"{topic}{number}", " ".join(rng.choice(words.split(), 6)), (topic,))
        for topic, words in TOPICS.items()
        for number in range(n_each)
    ]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return build(records(), tmp_path_factory.mktemp("stored") / "zoo.tacit", SETTINGS, taxonomy=TREE)


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "zoo.tacit")


def topic_near(points, row: int) -> str:
    """The topic of most of the ten nearest of the sixty records of the build."""
    near = np.linalg.norm(points[:60].astype(float) - points[row].astype(float), axis=1).argsort()[1:11]
    return list(TOPICS)[np.bincount(near // 20, minlength=3).argmax()]


def test_a_build_keeps_both_layouts_and_the_names(made):
    with open_index(made) as collection:
        stored = StoredMap.of(collection)
        assert stored.has_plain
        for plain in (False, True):
            points = stored.points(plain=plain)
            assert (points.shape, points.dtype) == ((60, 2), np.int16)
            assert np.abs(points.astype(int)).max() > 30_000
            assert np.mean([topic_near(points, row) == list(TOPICS)[row // 20] for row in range(60)]) > 0.9
        assert not np.array_equal(stored.points(), stored.points(plain=True))
        assert stored.levels == 2
        levels = {name["text"]: (name["level"], name["records"]) for name in stored.names}
    # the single root is left out, and parents come before their children
    assert levels == {"animals": (0, 40), "society": (0, 20), "whales": (1, 20), "cats": (1, 20), "courts": (1, 20)}
    assert list(levels)[:2] == ["animals", "society"]
    assert not verify(made)


def test_names_stand_on_a_record_of_theirs(made):
    with open_index(made) as collection:
        stored = StoredMap.of(collection)
        for name in stored.names:
            below = collection.below(name["label"])
            rows = [row for row in range(60) if list(TOPICS)[row // 20] in below]
            assert [name["x"], name["y"]] in stored.points()[rows].tolist()
            assert [name["px"], name["py"]] in stored.points(plain=True)[rows].tolist()


def test_the_same_seed_gives_the_same_map(made, tmp_path):
    again = build(records(), tmp_path / "again.tacit", SETTINGS, taxonomy=TREE)
    with open_index(made) as one, open_index(again) as other:
        for name in ("map_points", "map_plain"):
            assert np.array_equal(one.generation.array(name), other.generation.array(name))
        assert one.generation.facts("map") == other.generation.facts("map")


def test_a_position_of_a_record_is_placed_near_its_point(made):
    with open_index(made) as collection:
        stored = StoredMap.of(collection)
        placed = stored.place(collection.generation.array("positions"))
        assert (placed.shape, placed.dtype) == ((60, 2, 2), np.int16)
        for layer in (0, 1):
            away = np.linalg.norm(placed[:, layer].astype(float) - stored.points(plain=bool(layer)), axis=1)
            assert np.median(away) < 0.05 * 65534
        single = stored.place(collection.space.place(["whale in the deep sea"])[0])
        assert topic_near(np.vstack([stored.points(), single[:, 0]]), 60) == "whales"


def test_neighbours_that_a_search_has_found_place_its_pin(made):
    with open_index(made) as collection:
        stored = StoredMap.of(collection)
        found = rank_records(collection, "whale in the deep sea")
        assert np.array_equal(stored.place(found.position, [found.near]), stored.place(found.position))
        wrong = (collection.store.numbers(Filters(labels=["cats"])), np.ones(20, np.float32))
        assert topic_near(np.vstack([stored.points(), stored.place(found.position, [wrong])[:, 0]]), 60) == "cats"
        assert rank_records(collection, "whale", filters=Filters(labels=["cats"])).near is None


def test_added_records_lie_among_their_neighbours_and_removed_ones_are_not_live(folder):
    with open_index(folder) as collection:
        before = StoredMap.of(collection)
        known = before.points()
        collection.add(
            [Record("new", "kitten fur purr milk", ("cats",)), Record("other", "judge law jury", ("courts",))]
        )
        collection.remove(["whales3", "new"])
        for stored in (before, StoredMap.of(collection)):
            points = stored.points()
            assert len(points) == 62
            assert np.array_equal(points[:60], known)
            assert topic_near(points, 61) == "courts"
            assert topic_near(stored.points(plain=True), 61) == "courts"
        assert not np.isin([3, 60], collection.store.numbers()).any()
        drawn = map_of(collection)
        assert np.array_equal(drawn.points[drawn.ids.index("other")], points[61])


def test_a_space_of_words_alone_has_one_layout(tmp_path):
    plain = [Record(record.id, record.text) for record in records(40)]
    with open_index(build(plain, tmp_path / "words.tacit", SETTINGS)) as collection:
        stored = StoredMap.of(collection)
        assert not stored.has_plain
        assert np.array_equal(stored.points(), stored.points(plain=True))
        placed = stored.place(collection.generation.array("positions")[:3])
        assert np.array_equal(placed[:, 0], placed[:, 1])
        # regions are named by words of the topics
        assert stored.names
        assert {name["px"] for name in stored.names} == {name["label"] for name in stored.names} == {None}
        vocabulary = {word for words in TOPICS.values() for word in words.split()}
        assert all(set(name["text"].split(", ")) <= vocabulary for name in stored.names)


def test_without_a_taxonomy_regions_have_typical_labels_and_other_labels_follow(tmp_path):
    several = [Record(r.id, r.text, (*r.labels, "any", f"rare{number % 15}")) for number, r in enumerate(records(80))]
    with open_index(build(several, tmp_path / "flat.tacit", SETTINGS)) as collection:
        names = StoredMap.of(collection).names
    assert [name["level"] for name in names] == sorted(name["level"] for name in names)
    texts = [name["text"] for name in names]
    assert len(set(texts)) == len(texts)
    assert set(TOPICS) <= {name["text"] for name in names if name["level"] == 0}
    # what all records have is typical of no region
    assert next(name["level"] for name in names if name["text"] == "any") == names[-1]["level"] == 1


def test_an_index_without_a_map_gets_one_later(tmp_path):
    folder = build(records(), tmp_path / "bare.tacit", BuildSettings(n_components=6, suggester="none", map=False))
    with open_index(folder) as collection:
        assert StoredMap.of(collection) is None
        assert map_of(collection).points.shape == (60, 2)
        built = collection.info().created
    map_again(folder)
    with open_index(folder) as collection:
        first = StoredMap.of(collection).points()
        assert collection.info().created == built
        assert len(collection.search("whale sea")) > 0
    map_again(folder, random_state=1)
    with open_index(folder) as collection:
        assert not np.array_equal(StoredMap.of(collection).points(), first)
        assert collection.generation.facts("map")["seed"] == 1
    assert not verify(folder)


def test_a_map_that_is_made_again_with_the_same_seed_is_the_same(folder):
    with open_index(folder) as collection:
        before = [np.array(collection.generation.array(name)) for name in ("map_points", "map_plain")]
        names = StoredMap.of(collection).names
    map_again(folder)
    with open_index(folder) as collection:
        after = [collection.generation.array(name) for name in ("map_points", "map_plain")]
        assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
        assert StoredMap.of(collection).names == names


def test_a_map_of_changed_records_is_made_again(folder):
    with open_index(folder) as collection:
        collection.add([Record("new", "kitten fur purr", ("cats",))])
        collection.remove(["whales3"])
    map_again(folder)
    with open_index(folder) as collection:
        points = StoredMap.of(collection).points()
        assert len(points) == 61
        assert len(collection) == 60
        assert topic_near(points, 60) == "cats"


def test_a_refit_lays_out_the_records_that_there_are(folder):
    with open_index(folder) as collection:
        collection.add([Record("new", "kitten fur purr", ("cats",))])
        collection.remove(["whales3", "courts1"])
    refit(folder)
    with open_index(folder) as collection:
        assert len(collection.generation.array("map_points")) == 59
        assert StoredMap.of(collection).points().shape == (59, 2)
    refit(folder, BuildSettings(n_components=6, suggester="none", map=False))
    with open_index(folder) as collection:
        assert StoredMap.of(collection) is None


def test_what_was_learned_leaves_the_map_as_it_is(tmp_path):
    folder = build(records(40), tmp_path / "learns.tacit", BuildSettings(n_components=6, suggester="witnesses"))
    with open_index(folder) as collection:
        before = StoredMap.of(collection).points()
        assert collection.learn([Record("text", "a whale in the sea", ("whales",))]) == 1
        assert np.array_equal(StoredMap.of(collection).points(), before)


@pytest.mark.parametrize("array", [np.zeros((59, 2), np.int16), np.zeros((60, 2), np.float32)])
def test_a_map_that_does_not_fit_is_refused(tmp_path, array, monkeypatch):
    from tacit.tasks.layout.map_layout import MapLayout

    saved = MapLayout.save

    def save(layout, writer):
        saved(layout, writer)
        writer.save_array("map_points", array)

    monkeypatch.setattr(MapLayout, "save", save)
    folder = build(records(), tmp_path / "bad.tacit", SETTINGS)
    with pytest.raises(InputError, match=r"map_points.npy does not fit the index: .*expected \(60, 2\) of int16"):
        open_index(folder)
