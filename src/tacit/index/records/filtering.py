"""Which records pass filters: all of them, as truth values of the records of the build and numbers of the added ones.

A large store keeps lists of the records of each value (see `value_lists`), from which the truth values of a million
records are made in a millisecond or two; SQLite gathers their numbers in half a second. What was removed since the
build is taken out, and what was added is looked at one by one. Stores without lists leave everything to SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.index.records.changes import StoreChanges
from tacit.index.records.filters import Filters, Part
from tacit.index.records.value_lists import ValueLists
from tacit.types import BoolArray, IntArray

__all__ = ["Filtering", "Passing", "column"]


_RARE = 3_000  # numbers that are counted to see which of several conditions is the rarest


@dataclass(frozen=True, eq=False)
class Passing:
    """The live records that pass filters.

    Parameters
    ----------
    base : (n_base,) truth values
        Whether each record of the build passes.
    added : numbers of the records that were added since and pass, ascending
    """

    base: BoolArray
    added: IntArray

    def __len__(self) -> int:
        return self._n_base_passing + len(self.added)

    def numbers(self) -> IntArray:
        """Give the numbers of all, ascending."""
        return np.concatenate([np.flatnonzero(self.base), self.added])

    def of(self, numbers: IntArray) -> BoolArray:
        """Tell whether each of some records passes."""
        old = numbers < len(self.base)
        found = np.isin(numbers, self.added)
        found[old] = self.base[numbers[old]]
        return np.asarray(found, bool)

    @cached_property
    def _n_base_passing(self) -> int:
        return int(np.count_nonzero(self.base))


class Filtering:
    """Answers which records pass, on an open connection; the caller has opened a transaction.

    The last answer is kept until the store changes: a search by meaning and by words asks twice, and people ask
    several questions of one part of a collection.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._state = StoreChanges(connection).state
        self._last: tuple[int, list[Part], Passing] | None = None
        self._gone: tuple[int, IntArray] | None = None

    def passing(self, filters: Filters | None) -> Passing | None:
        """Give the live records that pass; None if nothing is asked for, so that all do."""
        parts = filters.parts() if filters is not None else []
        if filters is None or not parts:
            return None
        changes = self._state("changes")
        if self._last is None or self._last[:2] != (changes, parts):
            found = self._by_sql(parts) if self._lists is None else self._by_lists(self._lists, parts, filters)
            found.base.flags.writeable = False
            self._last = changes, parts, found
        return self._last[2]

    def removed(self) -> IntArray:
        """Give the numbers of the records of the build that were removed or updated since, ascending."""
        changes = self._state("changes")
        if self._gone is None or self._gone[0] != changes:
            sql = "SELECT number FROM records WHERE removed = 1 ORDER BY number"
            self._gone = changes, column(self._connection.execute(sql))
            self._gone[1].flags.writeable = False
        return self._gone[1]

    @cached_property
    def _lists(self) -> ValueLists | None:
        return ValueLists.of(self._connection, self._state("base"))

    def _by_lists(self, lists: ValueLists, parts: list[Part], filters: Filters) -> Passing:
        base = lists.having(parts[0])
        for part in parts[1:]:
            base &= lists.having(part)
        base[self.removed()] = False
        condition, values = filters.condition("records.number")
        sql = f"SELECT number FROM records WHERE number >= ? AND {condition} ORDER BY number"
        return Passing(base, column(self._connection.execute(sql, (len(base), *values))))

    def _by_sql(self, parts: list[Part]) -> Passing:
        """Let the rarest thing that is asked for lead, and look up the others of its records.

        Removed records have no labels, links and values any more, so none of them passes.
        """
        queries = [part.query() for part in parts]
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
        return Passing(base, numbers[n_old:])


def column(rows: Iterable[tuple[int]]) -> IntArray:
    """Give the numbers of a query with one column."""
    return np.fromiter((row[0] for row in rows), np.int64)
