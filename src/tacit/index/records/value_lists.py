"""For large collections: the records that have each label, link and field value, as packed lists.

SQLite needs a fifth of a second to collect the numbers of half a million records. So the records of the build are also
stored by value, in SQLite's order of values (numbers before texts), as packed lists, which NumPy turns into a mask in
a millisecond.

A value of many records has its own list. Other values share a list with their neighbours in that order, so that a
field with as many values as records needs a thousandth as many rows. A range is a run of lists. Where a range or value
covers only part of a list, the table of values is queried, for at most as many records as share a list. Lists are
never changed: the caller takes care of records that were removed or added since.
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

from tacit.index.records.filters import Condition, Span
from tacit.index.records.schema import VALUE_LISTS
from tacit.types import BoolArray

__all__ = ["ValueLists", "write_value_lists"]

MANY_RECORDS = 5_000  # below, SQLite collects the matching records in one or two milliseconds
SHARED = 1_000  # records that share a list: SQLite looks through these in half a millisecond
# Records of a value that has its own list. Labels and links are filtered by sets (a subject with everything below it),
# whose rare members should not need a query each; fields are filtered by ranges, which are faster with fewer lists.
OWN = {"labels": 16, "links": 16, "fields": SHARED}

_NAMES = {
    "labels": "SELECT ''",
    "links": "SELECT DISTINCT name FROM links",
    "fields": "SELECT DISTINCT name FROM field_values",
}

_List = tuple[Any, Any, bytes]  # first and last value, packed numbers


def write_value_lists(connection: sqlite3.Connection, n_records: int) -> None:
    """Write the lists of a new store that has its records and SQL indexes, if it is large enough to need them."""
    if n_records < MANY_RECORDS:
        return
    table, index = VALUE_LISTS.strip().rstrip(";").split(";")
    connection.execute(table)
    for kind, sql in _NAMES.items():
        for (name,) in connection.execute(sql).fetchall():
            rows = ((kind, name, *found) for found in _lists(connection, Condition(kind, name), n_records))
            connection.executemany("INSERT INTO value_lists VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute(index)


class ValueLists:
    """Finds the records of the build that match a condition, on the connection of an open store."""

    def __init__(self, connection: sqlite3.Connection, n_base: int) -> None:
        self._connection = connection
        self._n_base = n_base

    def matching(self, condition: Condition) -> BoolArray:
        """Return whether each record of the build matched; for a removed one the value is undefined."""
        packed, others = self._of_values(condition)
        for span in condition.spans:
            more_packed, more_others = self._of_span(condition, span)
            packed, others = packed + more_packed, others + more_others
        n_bytes = (self._n_base + 7) // 8
        bits = np.zeros(n_bytes, np.uint8)
        for dense in packed:
            if len(dense) == n_bytes:
                bits |= np.frombuffer(dense, np.uint8)
        joined = b"".join(sparse for sparse in packed if len(sparse) != n_bytes)
        numbers = np.frombuffer(joined[: len(joined) // 4 * 4], "<u4")  # a negative number looks too large
        if len(joined) % 4 or (len(numbers) and numbers.max() >= self._n_base):
            raise sqlite3.DatabaseError(f"the lists of {condition.name or condition.kind} are incomplete")
        found = np.unpackbits(bits, count=self._n_base).view(bool)
        found[numbers] = True
        found[[number for number in others if number < self._n_base]] = True
        return found

    def _of_values(self, condition: Condition) -> tuple[list[bytes], list[int]]:
        """Return the lists of the values that have their own, and the record numbers of the other values."""
        if not condition.values:
            return [], []
        test, values = condition.test("first")
        of_name = "FROM value_lists WHERE kind = ? AND name = ?"
        sql = f"SELECT first, CAST(numbers AS BLOB) {of_name} AND first = last AND {test}"
        rows = self._connection.execute(sql, (condition.kind, condition.name, *values)).fetchall()
        known = {value for value, _ in rows}
        rest = tuple(value for value in condition.values if value not in known)
        return [numbers for _, numbers in rows], self._queried(replace(condition, values=rest)) if rest else []

    def _of_span(self, condition: Condition, span: Span) -> tuple[list[bytes], list[int]]:
        """Return the lists inside a span, and the record numbers of the lists that only overlap it."""
        low, end, below = span.low, span.end, "<=" if span.closed else "<"
        of_name = "FROM value_lists WHERE kind = ? AND name = ? AND"
        inside = f"SELECT CAST(numbers AS BLOB) {of_name} first >= ? AND first {below} ? AND last {below} ?"
        packed = [row[0] for row in self._connection.execute(inside, (condition.kind, condition.name, low, end, end))]
        # lists do not overlap each other, so only one can cross each end of the span: the last that starts before it
        at_low = f"SELECT last, last {below} ? {of_name} first < ? ORDER BY first DESC LIMIT 1"
        rows = self._connection.execute(at_low, (end, condition.kind, condition.name, low)).fetchall()
        ends = [Span(low, last, True) if is_inside else span for last, is_inside in rows]
        at_end = f"SELECT first, last {below} ? {of_name} first >= ? AND first {below} ? ORDER BY first DESC LIMIT 1"
        rows = self._connection.execute(at_end, (end, condition.kind, condition.name, low, end)).fetchall()
        ends += [Span(first, end, span.closed) for first, is_inside in rows if not is_inside]
        overlapping = (replace(condition, values=(), spans=(found,)) for found in ends)
        return packed, [number for found in overlapping for number in self._queried(found)]

    def _queried(self, condition: Condition) -> list[int]:
        """Query the table of values."""
        return [row[0] for row in self._connection.execute(*condition.query())]


def _lists(connection: sqlite3.Connection, condition: Condition, n_records: int) -> Iterator[_List]:
    """Yield a list for each value of many records, and for each run of other values, in the order of the values."""
    run: list[tuple[Any, npt.NDArray[np.int32]]] = []
    n_sharing = 0
    for value, rows in groupby(connection.execute(*condition.every_value()), key=itemgetter(0)):
        numbers = np.unique(np.fromiter((number for _, number in rows), "<i4"))
        size = SHARED if len(numbers) >= OWN[condition.kind] else len(numbers)  # a value of many records fills a list
        if run and n_sharing + size > SHARED:
            yield _packed(run, n_records)
            run, n_sharing = [], 0
        run.append((value, numbers))
        n_sharing += size
    if run:
        yield _packed(run, n_records)


def _packed(run: list[tuple[Any, npt.NDArray[np.int32]]], n_records: int) -> _List:
    """Pack a list as 32-bit numbers, or as one bit per record if that is shorter; the length tells which."""
    numbers = np.concatenate([numbers for _, numbers in run])
    packed = numbers.astype("<u4").tobytes()
    if len(packed) >= (n_records + 7) // 8:
        having = np.zeros(n_records, bool)
        having[numbers] = True
        packed = np.packbits(having).tobytes()
    return run[0][0], run[-1][0], packed
