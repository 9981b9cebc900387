"""Adds, removes and replaces records of a store after the build.

The caller opens and ends the transaction; nothing here commits.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tacit.checks import check_finite, check_rows
from tacit.corpus.record import Record
from tacit.errors import InputError, UnknownNameError
from tacit.index.records.rows import as_row, insert_rows

__all__ = ["StoreChanges"]

# A removed record of the build leaves an empty row, since its number belongs to a row of the positions.
_EMPTY = """UPDATE records SET key = NULL, title = '', text = '', fields = '{}', position = NULL, fingerprint = x'',
    removed = 1 WHERE number = ?"""
_FORGET_WORDS = "INSERT INTO words (words, rowid, title, text) VALUES ('delete', ?, ?, ?)"


class StoreChanges:
    """The statements that change a store, on an open connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def state(self, name: str) -> int:
        """Return a number from the table `state`."""
        row = self._connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
        if row is None or not isinstance(row[0], int) or row[0] < 0:
            raise sqlite3.DatabaseError(f"its {name} is {row[0] if row else 'missing'}")
        return row[0]

    def set_state(self, name: str, value: int | str) -> None:
        """Set a value in the table `state`."""
        self._connection.execute("UPDATE state SET value = ? WHERE name = ?", (value, name))

    def row(self, key: object) -> tuple[int, str, str] | None:
        """Return number, title and text, which FTS5 needs to remove a record from the full text."""
        if not isinstance(key, str):
            raise InputError(f"keys has an entry that is not a string: got {key!r}, expected ids.")
        try:
            row: tuple[int, str, str] | None = self._connection.execute(
                "SELECT number, title, text FROM records WHERE key = ?", (key,)
            ).fetchone()
        except UnicodeEncodeError:  # half a surrogate pair, which no stored id has
            return None
        return row

    def add(self, records: Sequence[Record], positions: Any) -> np.ndarray:
        """Insert records with new ids, and return their numbers."""
        records = list(records)
        vectors = self._checked_positions(positions, len(records))
        first = self.state("next_number")
        rows = [as_row(first + place, record, vectors[place].tobytes()) for place, record in enumerate(records)]
        keys = [row.record.id for row in rows]
        if taken := next((key for key in keys if self.row(key) is not None), None) or _twice(keys):
            raise InputError(
                f"records has an id that is in use: got {taken!r}, expected new ids. Use update, or `replace_existing`."
            )
        insert_rows(self._connection, rows)
        self._connection.executemany(
            "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)",
            ((row.number, row.record.title, row.record.text) for row in rows),
        )
        self.set_state("next_number", first + len(rows))
        return np.arange(first, first + len(rows), dtype=np.int64)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove records from every table; those of the build leave an empty row."""
        if isinstance(keys, str):
            raise InputError(f"keys is a single string: got {keys!r}, expected a sequence. Write [{keys!r}].")
        base = self.state("base")
        for key in dict.fromkeys(keys):
            row = self.row(key)
            if row is None:
                raise UnknownNameError(
                    f"keys has an unknown id: got {key!r}, expected ids of records in the index. Check its spelling."
                )
            self._connection.execute(_FORGET_WORDS, row)
            if row[0] >= base:
                self._connection.execute("DELETE FROM records WHERE number = ?", row[:1])
                continue
            for table in ("labels", "links", "field_values"):
                self._connection.execute(f"DELETE FROM {table} WHERE number = ?", row[:1])
            self._connection.execute(_EMPTY, row[:1])

    def replace(self, records: Sequence[Record], positions: Any, *, allow_new: bool) -> np.ndarray:
        """Replace records that have the same ids, add the others if that is allowed, and return their new numbers."""
        records = list(records)
        keys = [as_row(0, record).record.id for record in records]
        if repeated := _twice(keys):
            raise InputError(f"records has an id twice: got {repeated!r}, expected each record once.")
        unknown = dict.fromkeys(key for key in keys if self.row(key) is None)
        if unknown and not allow_new:
            raise InputError(
                f"records has an unknown id: got {next(iter(unknown))!r}, expected ids of records in the index. "
                "Use add for new ones."
            )
        self.remove([key for key in keys if key not in unknown])
        return self.add(records, positions)

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers and positions of the added records."""
        dimensions, dtype = self._position_kind()
        rows = self._connection.execute(
            "SELECT number, position FROM records WHERE number >= ? ORDER BY number", (self.state("base"),)
        ).fetchall()
        width = dimensions * dtype.itemsize
        wrong = [number for number, position in rows if not isinstance(position, bytes) or len(position) != width]
        if wrong:
            raise sqlite3.DatabaseError(f"the position of record {wrong[0]} has the wrong length")
        vectors = np.frombuffer(b"".join(position for _, position in rows), dtype).reshape(len(rows), dimensions)
        return np.array([number for number, _ in rows], np.int64), vectors.astype(dtype.newbyteorder("="))

    def expect_positions(self, dimensions: int, dtype: np.dtype) -> None:
        """Set the dimensions and type of positions, which are stored in little-endian order."""
        self.set_state("dimensions", int(dimensions))
        self.set_state("position_type", dtype.newbyteorder("<").str)

    def _position_kind(self) -> tuple[int, np.dtype]:
        (name,) = self._connection.execute("SELECT value FROM state WHERE name = 'position_type'").fetchone() or (None,)
        if name not in ("", "<f4", "<f8"):
            raise sqlite3.DatabaseError(f"its position_type is {name}")
        return self.state("dimensions"), np.dtype(name or "<f8")

    def _checked_positions(self, positions: Any, n_records: int) -> np.ndarray:
        """Return positions in the type and byte order of the store."""
        vectors = np.asarray(positions)
        if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
            raise InputError(
                f"positions is not a table of numbers: got shape {vectors.shape} of {vectors.dtype}, "
                "expected one row per record and one column per dimension."
            )
        check_rows("positions", len(vectors), n_records, of="records")
        check_finite("positions", vectors)
        if not self.state("dimensions"):
            kind = vectors.dtype if vectors.dtype in (np.float32, np.float64) else np.dtype(np.float64)
            self.expect_positions(vectors.shape[1], kind)
        dimensions, dtype = self._position_kind()
        if vectors.shape[1] != dimensions:
            raise InputError(
                f"positions has the wrong width: got {vectors.shape[1]} columns, expected {dimensions} as in the index."
            )
        return np.ascontiguousarray(vectors, dtype)


def _twice(keys: list[str]) -> str | None:
    return next((key for key, count in Counter(keys).items() if count > 1), None)
