"""The store of records: what goes in comes out, changes are whole, and every question is answered without an error."""

from __future__ import annotations

import datetime
import sqlite3
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_builds import position, record

from tacit.corpus import Record
from tacit.errors import InputError
from tacit.index import RecordStore, StoreCounts
from tacit.index.records.schema import _check_full_text


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "records.sqlite"
    assert RecordStore.create(file, map(record, range(10)), batch=3) == 10
    return file


@pytest.fixture
def store(path):
    with RecordStore(path, writable=True) as opened:
        yield opened


def _positions(*numbers: int) -> np.ndarray:
    return np.array([position(number) for number in numbers])


def test_records_come_back_whole_in_the_order_asked_for(store):
    assert store.get([7, 0, 7, 3]) == [record(7), record(0), record(7), record(3)]
    assert store.get(np.array([2])) == [record(2)]
    assert store.get([]) == []
    assert list(store.records(batch=4)) == [(number, record(number)) for number in range(10)]


def test_progress_is_reported_after_each_batch(tmp_path):
    seen: list[int] = []
    RecordStore.create(tmp_path / "r.sqlite", map(record, range(7)), progress=seen.append, batch=3)
    assert seen == [3, 6, 7]


def test_a_new_store_has_no_companions_and_keeps_a_log_that_readers_can_pass(path):
    assert [entry.name for entry in path.parent.iterdir()] == ["records.sqlite"]
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_an_empty_store_is_a_store(tmp_path):
    RecordStore.create(tmp_path / "r.sqlite", [])
    with RecordStore(tmp_path / "r.sqlite", writable=True) as store:
        assert store.counts() == StoreCounts(0, 0, 0)
        assert store.added()[1].shape == (0, 0)
        assert store.words("anything")[0].tolist() == []
        assert store.add([record(0)], _positions(0)).tolist() == [0]
        assert store.get([0]) == [record(0)]


# any text that UTF-8 can hold, also zero characters, quotation marks and letters beyond 16 bits
_TEXT = st.text(max_size=20)
_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=5,
)
_RECORDS = st.lists(
    st.builds(
        Record,
        id=st.text(min_size=1, max_size=10),
        text=_TEXT,
        labels=st.lists(_TEXT, max_size=3),
        title=_TEXT,
        links=st.dictionaries(_TEXT, st.lists(_TEXT, max_size=3), max_size=2),
        fields=st.dictionaries(_TEXT, _PLAIN, max_size=3),
    ),
    max_size=5,
    unique_by=lambda found: found.id,
)


@settings(max_examples=20, deadline=None)
@given(records=_RECORDS, others=_RECORDS)
def test_any_record_comes_back_whole(records, others, tmp_path_factory):
    file = tmp_path_factory.mktemp("any") / "r.sqlite"
    RecordStore.create(file, records)
    others = [other for other in others if other.id not in {found.id for found in records}]
    with RecordStore(file, writable=True) as store:
        store.add(others, np.zeros((len(others), 2)))
        assert [found for _, found in store.records()] == [*records, *others]
        assert all(store.number_of(found.id) == place for place, found in enumerate([*records, *others]))
        store.remove([found.id for found in [*records, *others]])
        assert list(store.records()) == []
        assert store.counts().live == 0


def test_dates_become_text_and_numpy_becomes_plain(store):
    fields = {"day": datetime.date(2024, 3, 1), "n": np.int64(3), "at": datetime.datetime(2024, 3, 1, 12), "t": (1, 2)}
    (number,) = store.add([Record("d", "", fields=fields)], _positions(0))
    assert store.get([number])[0].fields == {"day": "2024-03-01", "n": 3, "at": "2024-03-01T12:00:00", "t": [1, 2]}


def test_added_records_go_on_from_the_base_with_their_positions(store):
    assert store.counts() == StoreCounts(base=10, added=0, removed=0)
    assert store.add([record(20), record(21)], _positions(20, 21)).tolist() == [10, 11]
    assert store.add([record(22)], _positions(22)).tolist() == [12]
    numbers, positions = store.added()
    assert numbers.tolist() == [10, 11, 12]
    np.testing.assert_array_equal(positions, _positions(20, 21, 22))
    assert positions.dtype == np.float32
    assert store.number_of("r21") == 11
    assert store.words("onlyr21")[0].tolist() == [11]
    assert store.counts() == StoreCounts(base=10, added=3, removed=0)
    assert store.counts().live == 13


def test_removed_records_are_gone_everywhere_and_their_numbers_stay_taken(store):
    store.add([record(20), record(21)], _positions(20, 21))
    store.remove(["r3", "r21"])
    assert store.removed().tolist() == [3]
    assert store.added()[0].tolist() == [10]
    assert "r3" not in store
    assert "r21" not in store
    assert store.numbers().tolist() == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10]
    assert 3 not in store.words("common", 100)[0]
    assert store.words("onlyr3")[0].tolist() == store.words("onlyr21")[0].tolist() == []
    with pytest.raises(InputError, match="numbers has an unknown number: got 3, expected numbers of stored records"):
        store.get([1, 3])
    assert store.add([record(3), record(21)], _positions(3, 21)).tolist() == [12, 13]
    assert store.get([12]) == [record(3)]


def test_an_update_changes_content_words_and_position_under_the_same_id(store):
    store.add([record(20)], _positions(20))
    fresh = [Record("r4", "entirely rewritten"), Record("r20", "rewritten too", labels=["x"])]
    numbers = store.update(fresh, _positions(40, 41))
    assert store.get(numbers) == fresh
    assert [store.number_of("r4"), store.number_of("r20")] == numbers.tolist()
    assert sorted(store.words("rewritten")[0]) == numbers.tolist()
    assert store.words("onlyr4")[0].size == store.words("onlyr20")[0].size == 0
    assert store.removed().tolist() == [4]
    np.testing.assert_array_equal(store.added()[1], _positions(40, 41))
    assert store.counts().live == 11


def test_changes_are_counted_for_readers_that_keep_the_store_open(store, path):
    with RecordStore(path) as reader:
        assert reader.changes == 0
        store.add([record(20)], _positions(20))
        store.remove(["r20", "r1"])
        assert reader.changes == 2
        assert reader.counts() == StoreCounts(10, 0, 1)


def test_a_change_that_fails_changes_nothing(store):
    before = list(store.records()), store.counts(), store.changes
    for change in (
        lambda: store.add([record(20), record(1)], _positions(20, 1)),
        lambda: store.add([record(20), Record("x", "y", fields={"f": object()})], _positions(20, 1)),
        lambda: store.update([record(1), record(20)], _positions(1, 20)),
        lambda: store.update([record(1), record(2)], _positions(1)),
        lambda: store.remove(["r1", "nobody"]),
    ):
        with pytest.raises(InputError):
            change()
        assert (list(store.records()), store.counts(), store.changes) == before
        assert len(store.words("common", 100)[0]) == 10


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s: s.add([record(1)], _positions(1)), r"records has an id that is in use: got 'r1', expected new ids"),
        (lambda s: s.add([record(20)] * 2, _positions(1, 2)), r"records has an id that is in use: got 'r20'"),
        (
            lambda s: s.add(["text"], _positions(1)),
            r"records has an entry that is not a Record: got str, expected Record",
        ),
        (lambda s: s.add([record(20)], _positions(1, 2)), r"positions does not match records: got 2 rows for 1"),
        (lambda s: s.add([record(20)], np.zeros(4)), r"positions is not a table of numbers: got shape \(4,\)"),
        (lambda s: s.add([record(20)], [["a"]]), r"positions is not a table of numbers: got shape \(1, 1\) of <U1"),
        (lambda s: s.add([record(20)], [[np.nan]]), r"positions contains NaN: the first one is in row 0"),
        (lambda s: s.add([Record("\ud800", "")], [[1.0]]), r"record '\\ud800' cannot be written in UTF-8"),
        (lambda s: s.add([Record("a", "", title=None)], [[1.0]]), r"title of record 'a' is not text: got None"),
        (
            lambda s: s.update([record(20)], _positions(1)),
            r"records has an unknown id: got 'r20'.*Use add for new ones",
        ),
        (lambda s: s.update([record(1)] * 2, _positions(1, 1)), r"records has an id twice: got 'r1'"),
        (lambda s: s.remove("r1"), r"keys is a single string: got 'r1', expected a sequence\. Write \['r1'\]"),
        (lambda s: s.remove(["x"]), r"keys has an unknown id: got 'x', expected ids of records in the index"),
        (lambda s: s.remove([7]), r"keys has an entry that is not a string: got 7, expected ids"),
        (lambda s: s.number_of("x"), r"id is unknown: got 'x', expected the id of a stored record"),
        (lambda s: s.number_of("\ud800"), r"id is unknown: got '\\ud800'"),
        (lambda s: s.words("x", 0), r"limit is out of range: got 0"),
        (lambda s: s.words("x", match="every"), r"match is unknown: got 'every', expected one of 'any', 'all'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(store, change, sentence):
    with pytest.raises(InputError, match=sentence):
        change(store)


def test_positions_keep_the_width_and_type_of_the_first(store):
    store.add([record(20)], _positions(20))
    with pytest.raises(InputError, match=r"positions has the wrong width: got 2 columns, expected 4 as in the index"):
        store.add([record(21)], np.zeros((1, 2)))
    store.add([record(21)], _positions(21).astype(np.float64))
    assert store.added()[1].dtype == np.float32


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        (
            [record(1), record(2), record(1)],
            r"records has an id twice: got 'r1' as number 0 and 2, expected a different id",
        ),
        ([record(1), record(2), record(2)], r"records has an id twice: got 'r2' as number 1 and 2"),
        ([record(1), "text"], r"records has an entry that is not a Record: got str"),
        (
            [Record("a", "", fields={"x": {1}})],
            r"record 'a': fields\['x'\] is not plain data: got set, expected text, numbers",
        ),
    ],
)
@pytest.mark.parametrize("batch", [2, 100])
def test_a_build_that_fails_leaves_no_file(tmp_path, records, sentence, batch):
    with pytest.raises(InputError, match=sentence):
        RecordStore.create(tmp_path / "r.sqlite", records, batch=batch)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_exists_is_not_overwritten(path):
    with pytest.raises(InputError, match=r"path exists: got .*, expected a new file"):
        RecordStore.create(path, [])
    with RecordStore(path) as store:
        assert store.counts().base == 10


def test_a_store_open_for_reading_cannot_be_changed(path):
    store = RecordStore(path)
    with pytest.raises(InputError, match=r"is open for reading only: got a change, expected writable=True"):
        store.add([record(20)], _positions(20))
    store.close()
    with pytest.raises(InputError, match=r"is closed: got .*, expected an open store\. Open it again"):
        store.counts()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, r"is missing: got no such file, expected the records"),
        (b"", r"is not a database of records: got application id 0"),
        (b"not a database at all" * 100, r"is damaged: got 'file is not a database'"),
    ],
)
def test_other_files_are_refused(tmp_path, content, sentence):
    file = tmp_path / "records.sqlite"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        RecordStore(file)


def test_other_and_newer_databases_are_refused(path):
    for pragma, sentence in (
        ("user_version = 2", r"is of a newer format: got version 2, expected at most 1\. Update Tacit"),
        ("application_id = 7", r"is not a database of records: got application id 7"),
    ):
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA {pragma}")
        connection.close()
        with pytest.raises(InputError, match=sentence):
            RecordStore(path)


def test_readers_see_a_change_as_a_whole_while_it_is_made(store, path):
    """One thread adds and removes pairs; whatever a reader sees has both of a pair or none."""
    stop, problems = threading.Event(), []

    def read():
        with RecordStore(path) as reader:
            while not stop.is_set():
                found = {number for number in reader.added()[0]}
                if len(found) % 2:
                    problems.append(found)

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(20):
        pair = [record(100 + 2 * turn), record(101 + 2 * turn)]
        store.add(pair, _positions(0, 1))
        if turn % 3 == 0:
            store.remove([found.id for found in pair])
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert store.counts().added == 26


def test_threads_can_share_a_store(store):
    failures = []

    def ask():
        try:
            for _ in range(20):
                assert len(store.words("common", 100)[0]) == 10
                assert store.get([5]) == [record(5)]
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_reader_can_stay_at_one_state(store, path):
    with RecordStore(path) as reader:
        before = reader.changes
        with reader.at_one_state(), reader.at_one_state():
            store.remove([record(3).id])
            assert (store.changes, reader.changes) == (before + 1, before)
            assert record(3).id in reader
        assert reader.changes == before + 1
        assert record(3).id not in reader


def test_a_full_disk_changes_nothing(store):
    connection = store._first.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")  # what SQLite then says is what it says of a disk
    with pytest.raises(InputError, match=r"cannot be used: got 'database or disk is full'.* Check the free space"):
        store.add([Record("long", "word " * 100_000)], _positions(0))
    assert store.counts() == StoreCounts(10, 0, 0)
    assert store.changes == 0


def test_a_writer_that_does_not_take_turns_is_waited_for_and_then_told_of(store, path):
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store._first.connection.execute("PRAGMA busy_timeout = 20")
    with pytest.raises(InputError, match=r"is busy: got 'database is locked', expected one writer at a time"):
        store.remove(["r1"])
    assert store.counts().live == 10
    other.close()
    store.remove(["r1"])


def test_an_integer_of_thousands_of_digits_is_refused(store):
    with pytest.raises(InputError, match=r"record 'a': fields cannot be written: got 'Exceeds the limit"):
        store.add([Record("a", "", fields={"n": 10**5000})], _positions(0))


def test_a_python_without_full_text_is_told_apart():
    connection = sqlite3.connect(":memory:")
    _check_full_text(connection)
    # SQLite itself then reads nothing about what it was built with, as if nothing were built in
    connection.set_authorizer(
        lambda *arguments: sqlite3.SQLITE_IGNORE if "compile" in str(arguments) else sqlite3.SQLITE_OK
    )
    _check_full_text(connection)
    connection.set_authorizer(
        lambda action, *rest: sqlite3.SQLITE_IGNORE if action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_PRAGMA) else 0
    )
    with pytest.raises(InputError, match=r"SQLite [\d.]+ of this Python lacks FTS5: got no full-text search"):
        _check_full_text(connection)
    connection.close()
