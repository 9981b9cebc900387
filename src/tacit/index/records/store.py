"""The records of an index: stored with their labels, links, fields and full text in one SQLite file.

Records that an index was built from have the numbers 0 .. base - 1, in the order of `arrays/positions.npy`. Records
that are added later go on from there and bring their positions with them.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import TracebackType

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.records.changes import StoreChanges
from tacit.index.records.filtering import Filtering, Passing, column
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import write_frequent_words
from tacit.index.records.rows import Row, as_row, insert_rows, read_records
from tacit.index.records.schema import INDEXES, connect, guarded, new_database
from tacit.index.records.value_lists import write_value_lists
from tacit.index.records.word_search import WordSearch

__all__ = ["RecordStore", "StoreCounts", "build_store"]


@dataclass(frozen=True)
class StoreCounts:
    """How many records a store was built with, was given since, has given up, and holds now."""

    base: int
    added: int
    removed: int

    @property
    def live(self) -> int:
        """Records that a search can find."""
        return self.base - self.removed + self.added


class RecordStore:
    """The records in one SQLite file, open for reading or for changes.

    Threads may share it; they take turns. Processes open their own. Readers see each change as a whole or not at all.

    Parameters
    ----------
    path : Path
        File that `RecordStore.create` made.
    writable : bool, default False
        Whether to allow changes. Whoever changes the store of an index holds the lock of the index, as
        `change_generation` does.

    Raises
    ------
    InputError
        If the file is missing, damaged, something else, or of a newer format.
    """

    def __init__(self, path: str | Path, *, writable: bool = False) -> None:
        self.path = Path(path)
        self._writable = writable
        self._turn = threading.RLock()
        self._connection = connect(self.path, writable=writable)
        self._changes = StoreChanges(self._connection)
        self._filtering = Filtering(self._connection)
        self._words = WordSearch(self._connection, self._filtering)

    @classmethod
    def create(
        cls,
        path: str | Path,
        records: Iterable[Record],
        *,
        progress: Callable[[int], None] | None = None,
        batch: int = 1000,
    ) -> int:
        """Write a new file with these records, numbered from 0, and give how many there were.

        `progress` is called after each batch with the number of records so far. The file is closed afterwards and has
        no companions; it is flushed to the disk by whoever makes it count.

        Raises
        ------
        InputError
            If two records have one id, or one cannot be stored; the file is gone then.
        """
        return build_store(Path(path), records, progress=progress, batch=check_count("batch", batch))

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        with self._turn:
            self._connection.close()

    def __enter__(self) -> RecordStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def counts(self) -> StoreCounts:
        """Count the records, without reading them."""
        with self._reading() as connection:
            base = self._changes.state("base")
            (added,) = connection.execute("SELECT count(*) FROM records WHERE number >= ?", (base,)).fetchone()
            (removed,) = connection.execute("SELECT count(*) FROM records WHERE removed = 1").fetchone()
        return StoreCounts(base, added, removed)

    @property
    def changes(self) -> int:
        """How many times the store was changed since it was built: a reader that keeps it knows when to look anew."""
        with self._reading():
            return self._changes.state("changes")

    def get(self, numbers: Sequence[int] | np.ndarray) -> list[Record]:
        """Read records by their numbers, in the order asked for; an `InputError` names one that is not there."""
        wanted = [int(number) for number in numbers]
        with self._reading() as connection:
            found = read_records(connection, wanted)
        missing = [number for number in wanted if number not in found]
        if missing:
            raise InputError(f"numbers has an unknown one: got {missing[0]}, expected those of records in the index.")
        return [found[number] for number in wanted]

    def has_label(self, label: str) -> bool:
        """Tell whether any record bears a label."""
        with self._reading() as connection:
            return connection.execute("SELECT 1 FROM labels WHERE label = ? LIMIT 1", (label,)).fetchone() is not None

    def names(self, kind: str) -> list[str]:
        """Give the names of the "links" or the "fields" that can be filtered by, in their order."""
        table = {"links": "links", "fields": "field_values"}[check_choice("kind", kind, ("links", "fields"))]
        # from one name to the next by the index: a plain DISTINCT reads all values
        following = f"SELECT (SELECT min(name) FROM {table} WHERE name > found.name) FROM found WHERE name NOT NULL"
        sql = f"WITH RECURSIVE found(name) AS (SELECT min(name) FROM {table} UNION ALL {following})"
        with self._reading() as connection:
            return [row[0] for row in connection.execute(f"{sql} SELECT name FROM found WHERE name NOT NULL")]

    def number_of(self, key: str) -> int:
        """Give the number of the record with this id, or raise an `InputError`."""
        number = self._find(key)
        if number is None:
            raise InputError(f"id is unknown: got {key!r}, expected that of a record in the index. Check its spelling.")
        return number

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def words(
        self, query: str, limit: int = 10, filters: Filters | None = None, *, match: str = "any"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find records by their words, the best first: numbers and scores.

        Parameters
        ----------
        query : str
            Anything a person may type; every word counts as a word, words in quotation marks as a phrase. Case and
            accents make no difference.
        limit : int, default 10
            Most records to give.
        filters : Filters, default None
            Look among these only.
        match : {"any", "all"}, default "any"
            Whether one of the words is enough. More of them, and rarer ones, always score higher.

        Returns
        -------
        numbers : ndarray of int64
        scores : ndarray of float64
            BM25 of title and text together; higher is better, ties are in the order of the numbers.
        """
        check_count("limit", limit)
        every = check_choice("match", match, ("any", "all")) == "all"
        with self._reading():
            return self._words.find(query, limit, filters or Filters(), every=every)

    def numbers(self, filters: Filters | None = None) -> np.ndarray:
        """Give the numbers of all records, or of those that pass the filters, ascending."""
        with self._reading() as connection:
            found = self._filtering.passing(filters)
            if found is not None:
                return found.numbers()
            # all but the removed ones, without reading the table, which is as large as the texts
            base = self._changes.state("base")
            added = column(connection.execute("SELECT number FROM records WHERE number >= ? ORDER BY number", (base,)))
            return np.concatenate([np.setdiff1d(np.arange(base, dtype=np.int64), self.removed()), added])

    def passing(self, filters: Filters | None) -> Passing | None:
        """Give the records that pass the filters; None if they ask for nothing, so that all do."""
        with self._reading():
            return self._filtering.passing(filters)

    def records(self, *, batch: int = 1000) -> Iterator[tuple[int, Record]]:
        """Go through all records with their numbers, ascending, a batch at a time in memory: what a refit reads.

        Changes made meanwhile may or may not be seen; a refit holds the lock, so that there are none.
        """
        numbers = self.numbers()
        for start in range(0, len(numbers), check_count("batch", batch)):
            with self._reading() as connection:
                found = read_records(connection, numbers[start : start + batch].tolist())
            yield from sorted(found.items())

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """Give numbers and positions of the records that came after the build."""
        with self._reading():
            return self._changes.added()

    def removed(self) -> np.ndarray:
        """Give the numbers of the records of the build that were removed or updated since, ascending."""
        with self._reading():
            return self._filtering.removed()

    def add(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records with their positions, all of them or none, and give their numbers.

        When this returns, they are on the disk. An id that is already in use is refused.
        """
        with self._changing():
            return self._changes.add(records, positions)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove records by their ids, all of them or none. An id that is not in use is refused."""
        with self._changing():
            self._changes.remove(keys)

    def update(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Give records new content and new positions under their old ids, all of them or none.

        They get new numbers, which are returned: the positions of the build cannot change, so the old number of a
        record is among `removed()` and the new one among `added()`.
        """
        with self._changing():
            return self._changes.update(records, positions)

    def upsert(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records, and give those whose ids are in use new content, all of them or none; gives their numbers."""
        with self._changing():
            return self._changes.upsert(records, positions)

    def expect_positions(self, dimensions: int, dtype: np.dtype) -> None:
        """Fix what positions have to look like; without it the first records added do."""
        with self._changing(count=False):
            self._changes.expect_positions(dimensions, dtype)

    def _find(self, key: str) -> int | None:
        with self._reading():
            row = self._changes.row(key)
        return None if row is None else row[0]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Read several things from one state of the file."""
        with self._turn, guarded(self.path), _transaction(self._connection, "BEGIN"):
            yield self._connection

    @contextlib.contextmanager
    def _changing(self, *, count: bool = True) -> Iterator[sqlite3.Connection]:
        """Change everything in the block or nothing; only when the block has been left is it on the disk."""
        if not self._writable:
            raise InputError(
                f"{self.path} is open for reading: got a change, expected writable=True. Use change_generation."
            )
        with self._turn, guarded(self.path), _transaction(self._connection, "BEGIN IMMEDIATE"):
            yield self._connection
            if count:
                self._changes.set_state("changes", self._changes.state("changes") + 1)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Open a transaction and end it; inside another one, that one's end is the end."""
    if connection.in_transaction:
        yield
        return
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.OperationalError):  # a full disk ends the transaction by itself
            connection.execute("ROLLBACK")
        raise


def build_store(path: Path, records: Iterable[Record], *, progress: Callable[[int], None] | None, batch: int) -> int:
    """Write a new store and give the number of its records; see `RecordStore.create`."""
    if path.exists():
        raise InputError(f"path exists: got {str(path)!r}, expected a new file. Records are added with add.")
    connection = new_database(path)
    try:
        with guarded(path):
            count = _fill(connection, records, progress, batch)
    except BaseException:
        connection.close()
        path.unlink(missing_ok=True)
        raise
    connection.close()
    return count


def _fill(
    connection: sqlite3.Connection, records: Iterable[Record], progress: Callable[[int], None] | None, batch: int
) -> int:
    source, count = iter(records), 0
    connection.execute("BEGIN")
    while chunk := list(islice(source, batch)):
        rows = [as_row(count + place, record) for place, record in enumerate(chunk)]
        try:
            insert_rows(connection, rows)
        except sqlite3.IntegrityError as error:
            raise _repeated(connection, rows) from error
        count += len(rows)
        if progress is not None:
            progress(count)
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
    write_frequent_words(connection, count)
    state = {"base": count, "next_number": count, "changes": 0, "dimensions": 0, "position_type": ""}
    connection.executemany("INSERT INTO state VALUES (?, ?)", state.items())
    connection.execute("COMMIT")
    connection.executescript(INDEXES)
    connection.execute("BEGIN")
    write_value_lists(connection, count)
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    return count


def _repeated(connection: sqlite3.Connection, rows: list[Row]) -> InputError:
    """Find the id that a batch shares with an earlier record or has twice itself."""
    seen: dict[str, int] = {}
    for row in rows:
        found = None
        with contextlib.suppress(sqlite3.Error):
            found = connection.execute(
                "SELECT number FROM records WHERE key = ? AND number < ?", (row.record.id, rows[0].number)
            ).fetchone()
        earlier = found[0] if found else seen.get(row.record.id)
        if earlier is not None:
            return InputError(
                f"records has an id twice: got {row.record.id!r} as number {earlier} and {row.number}, "
                "expected ids of their own."
            )
        seen[row.record.id] = row.number
    return InputError("records cannot be stored: got a value that the tables refuse, expected Record.")
