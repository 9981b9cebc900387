"""Checks the records of an index: all of them, and what SQLite keeps of them to search in."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.folder.arrays import REMEDY, map_array
from tacit.index.folder.checksums import check_records
from tacit.index.folder.generations import RECORDS
from tacit.index.folder.manifest import Manifest
from tacit.index.records.changes import StoreChanges
from tacit.index.records.rows import field_values, fingerprint, read_records
from tacit.index.records.schema import connect, digest_of_lists, guarded

__all__ = ["records_complaints"]

_BATCH = 1000


def records_complaints(folder: Path, manifest: Manifest, *, sealed: bool = True) -> list[str]:
    """Return a sentence for each fault of the records; stops at damage that makes the rest unreadable.

    `sealed` is whether to compare them with the checksum of the last writer as well.
    """
    path = folder / RECORDS
    with guarded(path), contextlib.closing(connect(path, writable=True)) as connection:
        try:
            connection.execute("BEGIN IMMEDIATE")  # keeps writers out until the connection is closed
        except sqlite3.OperationalError as error:
            if not _is_read_only(error):
                raise
            connection.execute("BEGIN")
        rows = connection.execute("PRAGMA integrity_check(1)").fetchall()
        if rows != [("ok",)]:
            raise sqlite3.DatabaseError(str(rows[0][0]))
        if sealed:
            check_records(folder, lambda: StoreChanges(connection).state("changes"), afresh=True)
        found = [*_counts(connection, folder, manifest), *_records(connection, path)]
        digest = connection.execute("SELECT value FROM state WHERE name = 'lists'").fetchone()
        if digest is not None and digest[0] != digest_of_lists(connection):
            found.append(
                f"{path} has damaged lists: got content of value_lists, frequent_words or record_norms that does not "
                f"match its digest, expected it unchanged. {REMEDY}"
            )
        try:  # FTS5 compares its index with the texts; the command is an INSERT that changes nothing
            connection.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
        except sqlite3.DatabaseError as error:
            if not _is_read_only(error):  # a read-only file cannot be checked in this way
                raise sqlite3.DatabaseError(f"full text that does not match the records ({error})") from error
        return found


def _is_read_only(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY


def _counts(connection: sqlite3.Connection, folder: Path, manifest: Manifest) -> list[str]:
    """Compare the numbers of records in the manifest, the tables and the positions."""
    changes = StoreChanges(connection)
    base, following = changes.state("base"), changes.state("next_number")
    (rows,) = connection.execute("SELECT count(*) FROM records WHERE number >= 0 AND number < ?", (base,)).fetchone()
    (last,) = connection.execute("SELECT coalesce(max(number), -1) FROM records").fetchone()
    found = []
    promised = manifest.counts.get("records")
    if not base == rows == promised:
        found.append(
            f"{folder / RECORDS} lacks records: got {rows} rows for a base of {base}, "
            f"expected {promised} as in the manifest. {REMEDY}"
        )
    if last >= following:
        found.append(
            f"{folder / RECORDS} has a wrong number: got a record with number {last}, "
            f"expected all below {following}. {REMEDY}"
        )
    path, expected = folder / "arrays" / "positions.npy", (base, changes.state("dimensions"))
    with contextlib.suppress(InputError):  # an array that cannot be read has been reported already
        if (shape := map_array(path).shape) != expected:
            found.append(f"{path} does not fit the records: got shape {shape}, expected {expected}. {REMEDY}")
    numbers, vectors = changes.added()
    if not np.isfinite(vectors).all():
        bad = numbers[~np.isfinite(vectors).all(axis=1)][0]
        found.append(f"{folder / RECORDS} has a damaged position: got NaN or infinity for record {bad}. {REMEDY}")
    return found


def _records(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    """Compare every record with its fingerprint; yield one sentence for all that differ."""
    damaged: list[int] = []
    other_values: list[int] = []
    last = -1
    sql = "SELECT number, key, fields, position, fingerprint, removed FROM records WHERE number > ? ORDER BY 1 LIMIT ?"
    while rows := connection.execute(sql, (last, _BATCH)).fetchall():
        last = rows[-1][0]
        records = _readable(connection, [row[0] for row in rows])
        stored = _stored_values(connection, rows[0][0], rows[-1][0])
        for number, *cells in rows:
            if not _is_whole(records.get(number), cells):
                damaged.append(number)
            elif stored.get(number, set()) != set(field_values(cells[1])):
                other_values.append(number)
    if damaged:
        yield (
            f"{path} has damaged records: got content that does not match its fingerprint in {len(damaged)} of them, "
            f"number {damaged[0]} first, expected none. {REMEDY}"
        )

    if other_values:
        yield (
            f"{path} has damaged values to filter by: got others than in the fields of {len(other_values)} records, "
            f"number {other_values[0]} first, expected the same. {REMEDY}"
        )


def _stored_values(connection: sqlite3.Connection, first: int, last: int) -> dict[int, set[tuple[str, object]]]:
    """Return name and value of the fields by which records can be filtered."""
    found: dict[int, set[tuple[str, object]]] = {}
    sql = "SELECT number, name, value FROM field_values WHERE number BETWEEN ? AND ?"
    for number, name, value in connection.execute(sql, (first, last)):
        found.setdefault(number, set()).add((name, value))
    return found


def _readable(connection: sqlite3.Connection, numbers: list[int]) -> dict[int, Record]:
    """Read records together, or one by one if one of them cannot be read."""
    try:
        return read_records(connection, numbers)
    except (ValueError, AttributeError, sqlite3.DatabaseError):  # invalid JSON, or bytes in the place of text
        if len(numbers) == 1:
            return {}
        return {key: record for number in numbers for key, record in _readable(connection, [number]).items()}


def _is_whole(record: Record | None, cells: list[Any]) -> bool:
    key, fields, position, expected, removed = cells
    if removed:
        return removed == 1 and key is None and position is None and expected == b""
    if record is None or not isinstance(fields, str):
        return False
    return fingerprint(record, fields, position) == expected
