"""Added and updated records lie where a fit would have placed them, by their words and by what is known about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import RecordStore

# the taxonomy lacks one label, and two authors have a single record each
RARE = [
    Record("odd", "whale ship reef kettle", labels=("curiosities", "animals"), links={"author": ("Ann", "Once")}),
    Record("even", "cat dog lamp anchor", labels=("curiosities",), links={"author": ("Once more",)}),
]
RECORDS = [*small_records(80, links=True), *RARE]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    settings = small_settings(n_components=12, parameters={"tol": 1e-8}, weights={"author": 0.2, "taxonomy": 0.2})
    with pytest.warns(tacit.TacitWarning, match="taxonomy lacks 1 of 5 labels"):
        return tacit.build(RECORDS, tmp_path_factory.mktemp("change") / "i", settings, taxonomy=small_taxonomy())


def directions(index, ids):
    places = index.positions.of(np.array([index.store.number_of(id) for id in ids]))
    return places / np.linalg.norm(places, axis=1, keepdims=True)


def cosines(path, records):
    """Add records, and compare their positions with those of the records of which they are copies."""
    with tacit.open(path) as index:
        index.add([replace(record, id=f"copy of {record.id}") for record in records])
    with tacit.open(path) as index:
        old = directions(index, [record.id for record in records])
        new = directions(index, [f"copy of {record.id}" for record in records])
        index.remove([f"copy of {record.id}" for record in records])
    return (old * new).sum(axis=1)


def test_a_copy_of_a_record_of_the_fit_lies_where_the_record_does(path):
    labelled = [record for record in RECORDS[:30] if record.labels]
    unlabelled = [record for record in RECORDS[:30] if not record.labels]
    assert cosines(path, labelled).min() > 0.99999
    assert cosines(path, RARE).min() > 0.99999
    assert cosines(path, unlabelled).min() > 0.98  # what the words predict takes the place of the labels


def test_without_its_labels_a_copy_lies_elsewhere(path):
    labelled = [record for record in RECORDS[:20] if record.labels]
    assert cosines(path, [replace(record, labels=()) for record in labelled]).min() < 0.99


def test_an_updated_record_moves_with_its_labels(path):
    record = next(record for record in RECORDS if record.labels == ("animals",))
    with tacit.open(path) as index:
        before = directions(index, [record.id])[0]
        pets = directions(index, [other.id for other in RECORDS if other.labels == ("pets",)])
        index.update([replace(record, labels=("pets",))])
    with tacit.open(path) as index:
        after = directions(index, [record.id])[0]
        index.update([record])
    assert (pets @ after).mean() > (pets @ before).mean() + 0.2


def test_a_record_with_unknown_labels_only_is_where_its_words_place_it(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as index:
        text = "whale reef lamp"
        index.add([Record("new", text, labels=("never seen",)), Record("known", text, labels=("pets",))])
    with tacit.open(path) as index:
        place = index.space.place([text])[0]
        unknown, known = index.positions.of(np.array([index.store.number_of(id) for id in ("new", "known")]))
    np.testing.assert_allclose(unknown, place, atol=1e-6)
    assert np.abs(known - place).max() > 0.01


def test_known_labels_place_a_record_without_a_known_word(tmp_path):
    path = tacit.build(small_records(), tmp_path / "i", small_settings())
    with tacit.open(path) as index:
        index.add([Record("new", "zeppelin", labels=("pets",))])
    with tacit.open(path) as index:
        place = directions(index, ["new"])[0]
        means = index.label_positions / np.linalg.norm(index.label_positions, axis=1, keepdims=True)
        assert index.label_names[int(np.argmax(means @ place))] == "pets"


def test_records_added_with_vectors_are_placed_by_their_labels_too(tmp_path):
    records = small_records(links=True)
    vectors = np.random.default_rng(4).normal(size=(60, 12)).astype(np.float32)
    settings = small_settings(n_components=8, parameters={"tol": 1e-8}, weights={"author": 0.2})
    path = tacit.build(records, tmp_path / "i", settings, vectors=vectors)
    labelled = [number for number, record in enumerate(records) if record.labels]
    with tacit.open(path) as index:
        copies = [replace(records[number], id=f"copy of {records[number].id}") for number in labelled]
        index.add(copies, vectors=vectors[labelled])
    with tacit.open(path) as index:
        old = directions(index, [records[number].id for number in labelled])
        new = directions(index, [copy.id for copy in copies])
    assert (old * new).sum(axis=1).min() > 0.99999
    with tacit.open(path) as index, pytest.raises(tacit.InputError, match="got 1 rows for 2 texts"):
        index.add([Record("a", ""), Record("b", "")], vectors=vectors[:1])


def test_after_the_folder_was_moved(tmp_path):
    records = [Record(f"r{n}", "whale sea" if n % 2 else "cat home") for n in range(6)]
    tacit.build(records, tmp_path / "a.tacit", tacit.BuildSettings(n_components=1, model="lsi"))
    with tacit.open(tmp_path / "a.tacit") as index:
        (tmp_path / "a.tacit").rename(tmp_path / "b.tacit")
        with pytest.raises(InputError, match=r"a\.tacit does not exist any more: it was moved or deleted after it was"):
            index.add([Record("new", "whale")])
    with tacit.open(tmp_path / "b.tacit") as index:
        assert index.add([Record("new", "whale")]) == 1


def test_what_is_stored_is_not_called_unchanged_when_it_cannot_be_sealed(tmp_path, monkeypatch):
    records = [Record(f"r{n}", "whale sea" if n % 2 else "cat home") for n in range(6)]
    tacit.build(records, tmp_path / "a.tacit", tacit.BuildSettings(n_components=1, model="lsi"))

    def fail(store):
        raise InputError("records.sqlite cannot be used: got 'disk I/O error'")

    with tacit.open(tmp_path / "a.tacit") as index:
        monkeypatch.setattr(RecordStore, "settle", fail)
        assert index.add([Record("new", "whale")]) == 1
        monkeypatch.undo()
    with tacit.open(tmp_path / "a.tacit") as index:
        assert "new" in index
