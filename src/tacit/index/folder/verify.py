"""Checks a whole index, and lists what is wrong with it.

Opening reads what has changed since it was compared. This reads every byte: the checksums of all files, SQLite's own
integrity check, the fingerprint of every record, and the full text against the texts.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import open_plain
from tacit.index.folder.arrays import REMEDY, map_array, unreadable
from tacit.index.folder.checksums import SEAL, check_records, complaint_about
from tacit.index.folder.generations import MANIFEST, RECORDS, current_generation
from tacit.index.folder.manifest import Manifest
from tacit.index.folder.opening import as_folder, read_manifest
from tacit.index.nearest.approximate import GRAPH
from tacit.index.nearest.graph_file import graph_complaint, vectors_complaint
from tacit.index.records.changes import StoreChanges
from tacit.index.records.rows import fingerprint, read_records
from tacit.index.records.schema import connect, guarded
from tacit.index.strict_json import from_json

__all__ = ["verify"]

_BATCH = 1000


def verify(path: str | Path) -> list[str]:
    """Check everything about the index in a folder.

    Nothing is changed, and readers can go on; writers wait while the records are checked.

    Parameters
    ----------
    path : str or Path
        Folder of the index.

    Returns
    -------
    list of str
        A sentence for each fault; empty for a sound index.
    """
    try:
        folder = current_generation(as_folder(path))
        manifest = read_manifest(folder)
    except InputError as error:
        return [str(error)]
    found = [complaint for name in manifest.files if (complaint := _file_complaint(folder, manifest, name))]
    known = {MANIFEST, RECORDS, f"{RECORDS}-wal", f"{RECORDS}-shm", SEAL, f"{SEAL}.new", *manifest.files}
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if not path.is_dir()]
    found += [
        f"{folder / name} does not belong to the index: got a file that the manifest does not name, expected none. "
        "Move it out of the folder."
        for name in names
        if name not in known
    ]
    try:
        found += _store_complaints(folder, manifest)
    except InputError as error:
        found.append(str(error))
    return found


def _file_complaint(folder: Path, manifest: Manifest, name: str) -> str | None:
    """Check size, checksum and format of one file."""
    path = folder / name
    try:
        if complaint := complaint_about(path, manifest.files[name], afresh=True):
            return complaint
        if name.startswith("arrays/"):
            map_array(path)
        if name.startswith("facts/"):
            with open_plain(path) as file:
                from_json(file.read(), str(path))
        if name == GRAPH:
            return _graph_complaint(folder, path)
    except InputError as error:
        return str(error)
    except OSError as error:
        return str(unreadable(path, error))
    return None


def _graph_complaint(folder: Path, path: Path) -> str | None:
    """Compare a graph of neighbours with the positions: its checksum says only that nobody changed it since."""
    positions = map_array(folder / "arrays" / "positions.npy")
    if positions.ndim != 2:
        return None  # which is said elsewhere
    got = graph_complaint(path, *positions.shape) or vectors_complaint(path, positions)
    return got and f"{path} does not fit the positions: got {got}, expected a graph of them. {REMEDY}"


def _store_complaints(folder: Path, manifest: Manifest) -> list[str]:
    """Check the records; stops at damage that makes the rest unreadable."""
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
        check_records(folder, lambda: StoreChanges(connection).state("changes"), afresh=True)
        found = [*_counts(connection, folder, manifest), *_records(connection, path)]
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
    last = -1
    sql = "SELECT number, key, fields, position, fingerprint, removed FROM records WHERE number > ? ORDER BY 1 LIMIT ?"
    while rows := connection.execute(sql, (last, _BATCH)).fetchall():
        last = rows[-1][0]
        records = _readable(connection, [row[0] for row in rows])
        damaged += [row[0] for row in rows if not _is_whole(records.get(row[0]), row[1:])]
    if damaged:
        yield (
            f"{path} has damaged records: got content that does not match its fingerprint in {len(damaged)} of them, "
            f"number {damaged[0]} first, expected none. {REMEDY}"
        )


def _readable(connection: sqlite3.Connection, numbers: list[int]) -> dict[int, Record]:
    """Read records together, or one by one if one of them cannot be read."""
    try:
        return read_records(connection, numbers)
    except (ValueError, AttributeError, sqlite3.DatabaseError):  # invalid JSON, or bytes in the place of text
        if len(numbers) == 1:
            return {}
        return {key: record for number in numbers for key, record in _readable(connection, [number]).items()}


def _is_whole(record: Record | None, row: tuple[str | None, str, bytes | None, bytes, int]) -> bool:
    key, fields, position, expected, removed = row
    if removed:
        return removed == 1 and key is None and position is None and expected == b""
    if record is None or not isinstance(fields, str):
        return False
    return fingerprint(record, fields, position) == expected
