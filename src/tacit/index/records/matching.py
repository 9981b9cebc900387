"""Finds the records that match filters.

A large store keeps a list of the records of each value (see `value_lists`), from which a mask of a million records is
made in one or two milliseconds; SQLite needs half a second to collect their numbers. Records that were removed since
the build are taken out of the mask, and added ones are looked up in SQLite. A store without lists uses SQLite alone.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.index.records.changes import StoreChanges
from tacit.index.records.filters import Condition, Filters
from tacit.index.records.schema import has_table
from tacit.index.records.value_lists import ValueLists
from tacit.types import BoolArray, IntArray

__all__ = ["MatchingRecords", "RecordMatcher", "column"]

_RARE = 3_000  # records counted per condition to see which condition is the rarest


@dataclass(frozen=True, eq=False)
class MatchingRecords:
    """The records that match filters, removed ones excluded.

    `base` is whether each record of the build matches, `added` the ascending numbers of matching records added since.
    """

    base: BoolArray
    added: IntArray

    def __len__(self) -> int:
        return int(np.count_nonzero(self.base)) + len(self.added)

    def numbers(self) -> IntArray:
        """Return the numbers of all of them, ascending."""
        return np.concatenate([np.flatnonzero(self.base), self.added])

    def contains(self, numbers: IntArray) -> BoolArray:
        """Return whether each of these records matches."""
        old = numbers < len(self.base)
        found = np.isin(numbers, self.added)
        found[old] = self.base[numbers[old]]
        return np.asarray(found, bool)


class RecordMatcher:
    """Finds matching records on an open connection; the caller has opened a transaction.

    The last result is kept until the store changes: a hybrid search needs it twice, and users often run several
    searches with the same filters.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._state = StoreChanges(connection).state
        self._last: tuple[int, list[Condition], MatchingRecords] | None = None
        self._last_removed: tuple[int, IntArray] | None = None

    def matching(self, filters: Filters | None) -> MatchingRecords | None:
        """Return the matching records; None if there are no conditions, so that all records match."""
        Filters.check(filters)
        conditions = filters.conditions() if filters is not None else []
        if filters is None or not conditions:
            return None
        changes = self._state("changes")
        if self._last is None or self._last[:2] != (changes, conditions):
            lists = self._lists
            found = self._by_sql(conditions) if lists is None else self._by_lists(lists, conditions, filters)
            found.base.flags.writeable = False
            self._last = changes, conditions, found
        return self._last[2]

    def removed(self) -> IntArray:
        """Return the ascending numbers of the records of the build that were removed or updated since."""
        changes = self._state("changes")
        if self._last_removed is None or self._last_removed[0] != changes:
            sql = "SELECT number FROM records WHERE removed = 1 ORDER BY number"
            self._last_removed = changes, column(self._connection.execute(sql))
            self._last_removed[1].flags.writeable = False
        return self._last_removed[1]

    @cached_property
    def _lists(self) -> ValueLists | None:
        has_lists = has_table(self._connection, "value_lists_by_value")
        return ValueLists(self._connection, self._state("base")) if has_lists else None

    def _by_lists(self, lists: ValueLists, conditions: list[Condition], filters: Filters) -> MatchingRecords:
        base = np.logical_and.reduce(
            [self._by_words(one) if one.of_words else lists.matching(one) for one in conditions]
        )
        base[self.removed()] = False
        test, values = filters.sql("records.number")
        sql = f"SELECT number FROM records WHERE number >= ? AND {test} ORDER BY number"
        return MatchingRecords(base, column(self._connection.execute(sql, (len(base), *values))))

    def _by_words(self, condition: Condition) -> BoolArray:
        """Return which records of the build have some words, or lack them."""
        base = np.zeros(self._state("base"), bool)
        numbers = column(self._connection.execute(*condition.query()))
        base[numbers[numbers < len(base)]] = True
        return base

    def _by_sql(self, conditions: list[Condition]) -> MatchingRecords:
        """Find the records of the rarest condition, and test the other conditions on these.

        Removed records have no labels, links and values any more, so none of them matches.
        """
        queries = [condition.query() for condition in conditions]
        count = f"SELECT count(*) FROM ({{}} LIMIT {_RARE})"
        sizes = [self._connection.execute(count.format(sql), values).fetchone()[0] for sql, values in queries]
        lead, values = queries.pop(sizes.index(min(sizes)))
        others = "".join(f" AND EXISTS ({sql} AND number = lead.number)" for sql, _ in queries)
        every = [*values, *(value for _, more in queries for value in more)]
        sql = f"SELECT number FROM ({lead}) AS lead WHERE 1{others}"
        numbers = np.unique(column(self._connection.execute(sql, every)))
        base = np.zeros(self._state("base"), bool)
        n_old = int(np.searchsorted(numbers, len(base)))
        base[numbers[:n_old]] = True
        return MatchingRecords(base, numbers[n_old:])


def column(rows: Iterable[tuple[int]]) -> IntArray:
    """Return the numbers of a query with one column."""
    return np.fromiter((row[0] for row in rows), np.int64)
