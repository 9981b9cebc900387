"""The records of an index, with their labels, links, fields and full text, in one SQLite file.

The records of the build have the numbers 0 to base - 1, in the order of `arrays/positions.npy`. Records that are added
later get the following numbers and are stored with their positions.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.corpus.record import Record
from tacit.errors import InputError, UnknownNameError
from tacit.index.records.changes import StoreChanges
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import WordStatistics, write_frequent_words
from tacit.index.records.lookups import StoreLookups
from tacit.index.records.matching import MatchingRecords, RecordMatcher, column
from tacit.index.records.rows import Row, as_row, insert_rows, read_records
from tacit.index.records.schema import INDEXES, connect, digest_of_lists, guarded, new_database
from tacit.index.records.value_lists import write_value_lists
from tacit.index.records.word_search import WordSearch

__all__ = ["RecordStore", "StoreCounts"]

_SMALL_CACHE = -16_384  # KiB, of each thread but the first: the system keeps the pages that several threads read


@dataclass(frozen=True)
class StoreCounts:
    """Number of records in the build, and how many were added and removed since."""

    base: int
    added: int
    removed: int

    @property
    def live(self) -> int:
        """Number of records that a search can find."""
        return self.base - self.removed + self.added


class _Session:
    """One connection to the file, and what reads and writes over it; closed when its thread ends."""

    def __init__(self, path: Path, *, writable: bool, cache: int | None = None) -> None:
        self.turn = threading.RLock()
        self.state: int | None = None  # number of changes, while one state is being read
        self.is_grouping = False  # whether several changes are made as one
        self.connection = connect(path, writable=writable)
        if cache is not None:
            self.connection.execute(f"PRAGMA cache_size = {cache}")
        self.changes = StoreChanges(self.connection)
        self.matcher = RecordMatcher(self.connection)
        self.words = WordSearch(self.connection, self.matcher)

    def close(self) -> None:
        """Close the connection once nothing uses it."""
        with self.turn:
            self.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "connection"):
            self.connection.close()


class RecordStore(StoreLookups):
    """The records in one SQLite file, open for reading or for changes.

    Threads may share a store: each reads over a connection of its own, and writers wait for each other. Each process
    opens its own. Changes are atomic for readers.

    Parameters
    ----------
    path : Path
        File that `RecordStore.create` made.
    writable : bool, default False
        Whether to allow changes. The caller must hold the lock of the index, as `change_generation` does.
    on_change : function, optional
        Called after each change with the number of changes since the build.

    Raises
    ------
    InputError
        If the file is missing, damaged, not a store, or of a newer format.
    """

    def __init__(
        self, path: str | Path, *, writable: bool = False, on_change: Callable[[int], None] | None = None
    ) -> None:
        self.path = Path(path)
        self._writable, self._on_change = writable, on_change
        self._first = _Session(self.path, writable=writable)
        self._own, self._sessions = threading.local(), weakref.WeakSet([self._first])
        self._own.session = self._first
        self._opening, self._is_closed = threading.Lock(), False

    @classmethod
    def create(
        cls,
        path: str | Path,
        records: Iterable[Record],
        *,
        progress: Callable[[int], None] | None = None,
        batch: int = 1000,
        searchable: bool = True,
    ) -> int:
        """Write a new file with these records, numbered from 0, and return their number.

        `progress` is called after each batch with the number of records so far. The file is closed afterwards, without
        a write-ahead log beside it; the caller flushes it to the disk. One that is not `searchable` lacks the full text
        and what makes filters fast: a build reads it to write others.

        Raises
        ------
        InputError
            If two records have the same id, or one cannot be stored; the file is then removed.
        """
        path = Path(path)
        if path.exists():
            raise InputError(f"path exists: got {str(path)!r}, expected a new file. Records are added with add.")
        with guarded(path):
            connection = new_database(path)
        try:
            with guarded(path):
                count = _fill(connection, records, progress, check_count("batch", batch))
                if searchable:
                    _make_searchable(connection, count)
                connection.execute("PRAGMA journal_mode = WAL")
                return count
        except BaseException:
            connection.close()
            path.unlink(missing_ok=True)
            raise
        finally:
            connection.close()

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        with self._opening:
            self._is_closed = True
            sessions = list(self._sessions)
        for session in sessions:
            session.close()

    def __enter__(self) -> RecordStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def copy_to(self, path: Path) -> None:
        """Copy all records with their changes into a new file, which is closed afterwards.

        A link would not do: SQLite finds its log by the name of a file, and would lose changes of one with two names.
        """
        session = self._session
        with session.turn, guarded(path), contextlib.closing(sqlite3.connect(path)) as copy:
            session.connection.backup(copy)

    def settle(self) -> bool:
        """Move all changes from the log into the file; return whether that was possible, as no reader needs the log."""
        session = self._session
        with session.turn, guarded(self.path):
            (patience,) = session.connection.execute("PRAGMA busy_timeout").fetchone()
            session.connection.execute("PRAGMA busy_timeout = 0")  # a reader may take long, and nothing depends on this
            try:
                busy, _, _ = session.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                session.connection.execute(f"PRAGMA busy_timeout = {patience}")
        return not busy

    def counts(self) -> StoreCounts:
        """Count the records, without reading them."""
        with self._reading() as connection:
            base = self._session.changes.state("base")
            (added,) = connection.execute("SELECT count(*) FROM records WHERE number >= ?", (base,)).fetchone()
            (removed,) = connection.execute("SELECT count(*) FROM records WHERE removed = 1").fetchone()
        return StoreCounts(base, added, removed)

    @property
    def changes(self) -> int:
        """Number of changes since the build; readers compare it to see whether what they keep is out of date."""
        state = self._session.state
        if state is not None:
            return state
        with self._reading():
            return self._session.changes.state("changes")

    @contextlib.contextmanager
    def at_one_state(self) -> Iterator[None]:
        """Let this thread read from one state of the file in the block; many reads are faster so.

        Changes that are made meanwhile are seen after the block. In a store that is open for changes it does nothing.
        """
        session = self._session
        if self._writable or session.state is not None:
            yield
            return
        with session.turn, contextlib.ExitStack() as reading:
            with guarded(self.path):  # not around the block, whose errors are its own
                reading.enter_context(_transaction(session.connection, "BEGIN"))
                session.state = session.changes.state("changes")
            try:
                yield
            finally:
                session.state = None

    def get(self, numbers: Sequence[int] | np.ndarray) -> list[Record]:
        """Return records by their numbers, in the given order; an unknown number is an `InputError`."""
        wanted = [int(number) for number in numbers]
        with self._reading() as connection:
            found = read_records(connection, wanted)
        missing = [number for number in wanted if number not in found]
        if missing:
            raise InputError(f"numbers has an unknown number: got {missing[0]}, expected numbers of stored records.")
        return [found[number] for number in wanted]

    def number_of(self, key: str) -> int:
        """Return the number of the record with this id, or raise an `InputError`."""
        number = self._find(key)
        if number is None:
            raise UnknownNameError(
                f"id is unknown: got {key!r}, expected the id of a stored record. Check its spelling."
            )
        return number

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._find(key) is not None

    def words(
        self, query: str, limit: int = 10, filters: Filters | None = None, *, match: str = "any"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find records by their words, best first.

        Parameters
        ----------
        query : str
            Any text; words in quotation marks are a phrase. Case and accents make no difference.
        limit : int, default 10
            Most records to return.
        filters : Filters, default None
            Only matching records.
        match : {"any", "all"}, default "any"
            Whether a record needs any of the words or all of them. More words, and rarer ones, score higher.

        Returns
        -------
        numbers : ndarray of int64
        scores : ndarray of float64
            BM25 of title and text together; higher is better, ties are in the order of the numbers.
        """
        check_count("limit", limit)
        every = check_choice("match", match, ("any", "all")) == "all"
        with self._reading():
            return self._session.words.find(query, limit, filters, every=every)

    def word_statistics(self, parts: Sequence[str]) -> WordStatistics:
        """Return what BM25 needs to know of the parts of a query, to be added up with that of other stores."""
        with self._reading():
            return self._session.words.statistics(parts)

    def words_by(
        self,
        statistics: WordStatistics,
        parts: Sequence[str],
        limit: int,
        filters: Filters | None,
        *,
        every: bool = False,
        informative: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find records by the parts of a query as `words` does, with statistics of more records than these.

        With `informative`, words that most records have may be left out.
        """
        with self._reading():
            find = self._session.words.find_by
            return find(statistics, parts, limit, filters, every=every, informative=informative)

    def numbers(self, filters: Filters | None = None) -> np.ndarray:
        """Return the numbers of all records, or of those that match the filters, ascending."""
        with self._reading() as connection:
            found = self._session.matcher.matching(filters)
            if found is not None:
                return found.numbers()
            # without reading the table of records, which is as large as the texts
            base = self._session.changes.state("base")
            added = column(connection.execute("SELECT number FROM records WHERE number >= ? ORDER BY number", (base,)))
            return np.concatenate([np.delete(np.arange(base, dtype=np.int64), self.removed()), added])

    def matching(self, filters: Filters | None) -> MatchingRecords | None:
        """Return the records that match the filters; None if there are no conditions, so that all match."""
        with self._reading():
            return self._session.matcher.matching(filters)

    def records(self, *, batch: int = 1000) -> Iterator[tuple[int, Record]]:
        """Yield all records with their numbers, ascending; one batch at a time is in memory.

        Changes made meanwhile may or may not be seen; during a refit the lock prevents them.
        """
        numbers = self.numbers()
        for start in range(0, len(numbers), check_count("batch", batch)):
            with self._reading() as connection:
                found = read_records(connection, numbers[start : start + batch].tolist())
            yield from sorted(found.items())

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers and positions of the records that were added after the build."""
        with self._reading():
            return self._session.changes.added()

    def removed(self) -> np.ndarray:
        """Return the ascending numbers of the records of the build that were removed or updated since."""
        with self._reading():
            return self._session.matcher.removed()

    def add(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records with their positions, all of them or none, and return their numbers.

        When this returns, they are on the disk. An id that is in use is an error.
        """
        with self._changing():
            return self._session.changes.add(records, positions)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove records by their ids, all of them or none; an unknown id is an error."""
        with self._changing():
            self._session.changes.remove(keys)

    def update(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Replace records that have the same ids, all of them or none, and return their new numbers.

        The positions of the build cannot change, so the old number of a record is then in `removed()` and the new one
        in `added()`.
        """
        with self._changing():
            return self._session.changes.replace(records, positions, allow_new=False)

    def upsert(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records, replacing those that have the same ids, all of them or none, and return their numbers."""
        with self._changing():
            return self._session.changes.replace(records, positions, allow_new=True)

    @contextlib.contextmanager
    def as_one_change(self) -> Iterator[None]:
        """Make all changes of the block or none; they are on the disk when the block has ended."""
        with self._changing():
            self._session.is_grouping = True
            try:
                yield
            finally:
                self._session.is_grouping = False

    @property
    def modified(self) -> float:
        """When the records were last written, in seconds since 1970."""
        paths = (self.path, self.path.with_name(f"{self.path.name}-wal"))  # SQLite writes changes to its log first
        return max(path.stat().st_mtime for path in paths if path.exists())

    def expect_positions(self, dimensions: int, dtype: np.dtype) -> None:
        """Set the dimensions and type of positions; otherwise the first records that are added set them."""
        with self._changing(count=False):
            self._session.changes.expect_positions(dimensions, dtype)

    @property
    def _session(self) -> _Session:
        """The connection of this thread; a store that is open for changes has one for all threads."""
        if self._writable:
            return self._first
        found: _Session | None = getattr(self._own, "session", None)
        if found is None:
            with self._opening:
                if self._is_closed:
                    return self._first  # whose use says so
                found = _Session(self.path, writable=False, cache=_SMALL_CACHE)
                self._sessions.add(found)
            self._own.session = found
        return found

    def _find(self, key: str) -> int | None:
        with self._reading():
            row = self._session.changes.row(key)
        return None if row is None else row[0]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Read from one state of the file in the block."""
        session = self._session
        with session.turn, guarded(self.path), _transaction(session.connection, "BEGIN"):
            yield session.connection

    @contextlib.contextmanager
    def _changing(self, *, count: bool = True) -> Iterator[sqlite3.Connection]:
        """Change everything in the block or nothing; it is on the disk when the block has ended."""
        if not self._writable:
            raise InputError(
                f"{self.path} is open for reading only: got a change, expected writable=True. Use change_generation."
            )
        session = self._session
        if session.is_grouping:
            yield session.connection
            return
        with session.turn, guarded(self.path), _transaction(session.connection, "BEGIN IMMEDIATE"):
            yield session.connection
            changes = session.changes.state("changes") + count
            if count:
                session.changes.set_state("changes", changes)
        if count and self._on_change is not None:
            self._on_change(changes)


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Run the block in a transaction; inside another transaction it becomes part of that one."""
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
    state = {"base": count, "next_number": count, "changes": 0, "dimensions": 0, "position_type": ""}
    connection.executemany("INSERT INTO state VALUES (?, ?)", state.items())
    connection.execute("COMMIT")
    return count


def _make_searchable(connection: sqlite3.Connection, count: int) -> None:
    """Write the full text, and what makes searches and filters fast."""
    connection.execute("BEGIN")
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
    write_frequent_words(connection, count)
    connection.execute("COMMIT")
    connection.executescript(INDEXES)
    connection.execute("BEGIN")
    write_value_lists(connection, count)
    connection.execute("INSERT INTO state VALUES ('lists', ?)", (digest_of_lists(connection),))
    connection.execute("COMMIT")


def _repeated(connection: sqlite3.Connection, rows: list[Row]) -> InputError:
    """Return the error for an id that a batch has twice or shares with an earlier record."""
    seen: dict[str, int] = {}
    sql = "SELECT number FROM records WHERE key = ? AND number < ?"
    for row in rows:
        found = connection.execute(sql, (row.record.id, rows[0].number)).fetchone()
        earlier = found[0] if found else seen.get(row.record.id)
        if earlier is not None:
            return InputError(
                f"records has an id twice: got {row.record.id!r} as number {earlier} and {row.number}, "
                "expected a different id for each record."
            )
        seen[row.record.id] = row.number
    return InputError("records cannot be stored: got a value that the tables refuse, expected Record.")
