"""Labels, links and fields of a large collection: packed lists of the records that have them.

Gathering the numbers of half a million records takes SQLite a fifth of a second, and looking them up one by one no
less. So the records of the build are also kept by value, in SQLite's own order of values (numbers before texts), as
packed lists, which NumPy turns into truth values in a millisecond.

A value that many records have has a list of its own. Others share one with their neighbours in that order, so that a
field with as many values as records costs a thousandth as many rows. A range is a run of lists. Of a list that it, or
a single value, only shares in, the table of the values is asked as in a small store, for at most as many records as
share a list. Lists are never written again: who was removed or added since is for the reader to say.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.index.records.filters import Part, Span
from tacit.types import BoolArray

__all__ = ["ValueLists", "write_value_lists"]

MANY_RECORDS = 5_000  # below, SQLite gathers those that pass in a millisecond or two
SHARED = 1_000  # records that share a list: SQLite looks through so many in half a millisecond
# Records of a value that has its own list. Of labels and links sets are asked for, a subject with all below it, whose
# rare ones should not have to be gathered one by one; of fields ranges are, which are the faster the fewer the lists.
OWN = {"labels": 16, "links": 16, "fields": SHARED}

_TABLE = """CREATE TABLE value_lists (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    first NOT NULL,
    last NOT NULL,
    numbers BLOB NOT NULL
)"""
_INDEX = "CREATE UNIQUE INDEX value_lists_by_value ON value_lists (kind, name, first, last)"
_NAMES = {
    "labels": "SELECT ''",
    "links": "SELECT DISTINCT name FROM links",
    "fields": "SELECT DISTINCT name FROM field_values",
}

_List = tuple[Any, Any, bytes]  # the first and the last value, and the numbers


def write_value_lists(connection: sqlite3.Connection, n_records: int) -> None:
    """Write the lists of a store that was just filled and has its indexes, if it is large enough to need them."""
    if n_records < MANY_RECORDS:
        return
    connection.execute(_TABLE)
    for kind, sql in _NAMES.items():
        for (name,) in connection.execute(sql).fetchall():
            rows = ((kind, name, *found) for found in _lists(connection, Part(kind, name), n_records))
            connection.executemany("INSERT INTO value_lists VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute(_INDEX)


class ValueLists:
    """Tells which records of the build had a value; made for an open store, in whose turn it is used."""

    def __init__(self, connection: sqlite3.Connection, n_base: int) -> None:
        self._connection = connection
        self._n_base = n_base

    @classmethod
    def of(cls, connection: sqlite3.Connection, n_base: int) -> ValueLists | None:
        """Give those of a store, or None if it has none."""
        sql = "SELECT count(*) FROM sqlite_master WHERE name = 'value_lists_by_value'"
        return cls(connection, n_base) if connection.execute(sql).fetchone()[0] else None

    def having(self, part: Part) -> BoolArray:
        """Tell of each record of the build whether it had what is asked for; of a removed one it may say either."""
        packed, others = self._of_values(part)
        for span in part.spans:
            more_packed, more_others = self._of_span(part, span)
            packed, others = packed + more_packed, others + more_others
        found = self._truths(packed, part)
        found[[number for number in others if number < self._n_base]] = True
        return found

    def _truths(self, packed: list[bytes], part: Part) -> BoolArray:
        """Unpack lists; a number that is too large is damage, and a negative one looks like that."""
        n_bytes = _n_bytes(self._n_base)
        bits = np.zeros(n_bytes, np.uint8)
        for dense in packed:
            if len(dense) == n_bytes:
                bits |= np.frombuffer(dense, np.uint8)
        joined = b"".join(sparse for sparse in packed if len(sparse) != n_bytes)
        numbers = np.frombuffer(joined[: len(joined) // 4 * 4], "<u4")
        if len(joined) % 4 or (len(numbers) and numbers.max() >= self._n_base):
            raise sqlite3.DatabaseError(f"the lists of {part.name or part.kind} are not whole")
        found = np.unpackbits(bits, count=self._n_base).view(bool)
        found[numbers] = True
        return found

    def _of_values(self, part: Part) -> tuple[list[bytes], list[int]]:
        """Give the lists of values that have their own, and the numbers of the records of the others."""
        condition, values = part.condition("first")
        of_name = "FROM value_lists WHERE kind = ? AND name = ?"
        sql = f"SELECT first, CAST(numbers AS BLOB) {of_name} AND first = last AND {condition}"
        rows = self._connection.execute(sql, (part.kind, part.name, *values)).fetchall() if part.values else []
        known = {value for value, _ in rows}
        rest = tuple(value for value in part.values if value not in known)
        return [numbers for _, numbers in rows], self._asked(Part(part.kind, part.name, rest)) if rest else []

    def _of_span(self, part: Part, span: Span) -> tuple[list[bytes], list[int]]:
        """Give the lists that lie in a span, and the numbers of the records at its ends, whose lists go beyond."""
        low, end, below = span.low, span.end, "<=" if span.closed else "<"
        of_name = "FROM value_lists WHERE kind = ? AND name = ? AND"
        inside = f"SELECT CAST(numbers AS BLOB) {of_name} first >= ? AND first {below} ? AND last {below} ?"
        packed = [row[0] for row in self._connection.execute(inside, (part.kind, part.name, low, end, end))]
        # lists do not overlap, so at either end only one can go beyond: the last that begins before it
        at_low = f"SELECT last, last {below} ? {of_name} first < ? ORDER BY first DESC LIMIT 1"
        rows = self._connection.execute(at_low, (end, part.kind, part.name, low)).fetchall()
        ends = [Span(low, last, True) if is_inside else span for last, is_inside in rows]
        at_end = f"SELECT first, last {below} ? {of_name} first >= ? AND first {below} ? ORDER BY first DESC LIMIT 1"
        rows = self._connection.execute(at_end, (end, part.kind, part.name, low, end)).fetchall()
        ends += [Span(first, end, span.closed) for first, is_inside in rows if not is_inside]
        return packed, [number for found in ends for number in self._asked(replace(part, values=(), spans=(found,)))]

    def _asked(self, part: Part) -> list[int]:
        """Ask the table of the values."""
        return [row[0] for row in self._connection.execute(*part.query())]


def _lists(connection: sqlite3.Connection, part: Part, n_records: int) -> Iterator[_List]:
    """Go through the values of a name in their order: one list for each that many have, and for each run of others."""
    run: list[tuple[Any, npt.NDArray[np.int32]]] = []
    n_sharing = 0
    for value, rows in groupby(connection.execute(*part.every_value()), key=itemgetter(0)):
        numbers = np.unique(np.fromiter((number for _, number in rows), "<i4"))
        size = SHARED if len(numbers) >= OWN[part.kind] else len(numbers)  # a full list takes no other value
        if run and n_sharing + size > SHARED:
            yield _packed(run, n_records)
            run, n_sharing = [], 0
        run.append((value, numbers))
        n_sharing += size
    if run:
        yield _packed(run, n_records)


def _packed(run: list[tuple[Any, npt.NDArray[np.int32]]], n_records: int) -> _List:
    """Pack a list as numbers of 32 bits, or as one bit a record where that is shorter: the length tells which."""
    numbers = np.concatenate([numbers for _, numbers in run])
    packed = numbers.astype("<u4").tobytes()
    if len(packed) >= _n_bytes(n_records):
        having = np.zeros(n_records, bool)
        having[numbers] = True
        packed = np.packbits(having).tobytes()
    return run[0][0], run[-1][0], packed


def _n_bytes(n_records: int) -> int:
    return (n_records + 7) // 8
