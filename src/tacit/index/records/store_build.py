"""Writes the first records of a store, a batch at a time."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.records.frequent_words import write_frequent_words
from tacit.index.records.rows import Row, as_row, insert_rows
from tacit.index.records.schema import INDEXES, guarded, new_database
from tacit.index.records.value_lists import write_value_lists

__all__ = ["build_store"]


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
