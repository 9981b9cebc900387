"""Which records pass filters: the first of some in their order, all of them, or all if they are few.

SQLite gathers half a million numbers in a fifth of a second, and looks one up in a few microseconds. So whoever has the
best records of a question in their order asks of those, and of all that pass only where they are few or nothing helps.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

import numpy as np

from tacit.index.filters import Filters

__all__ = ["all_passing", "column", "few_passing", "first_passing"]

_FEW = 3_000  # numbers that are gathered in a few milliseconds
_TIMES = 4  # each time so many more are asked: some are enough for most questions


def first_passing(connection: sqlite3.Connection, numbers: np.ndarray, filters: Filters, limit: int) -> np.ndarray:
    """Give the places of the first `limit` of some live records that pass, of all that do if they are fewer."""
    condition, values = filters.condition("asked.value", each=True)
    if not condition:
        return np.arange(min(limit, len(numbers)))
    sql = f"SELECT asked.value FROM json_each(?) AS asked WHERE {condition}"
    places: list[np.ndarray] = []
    start, n_found, size = 0, 0, _TIMES * limit
    while start < len(numbers) and n_found < limit:
        asked = numbers[start : start + size]
        passed = column(connection.execute(sql, (json.dumps(asked.tolist()), *values)))
        places.append(start + np.flatnonzero(np.isin(asked, passed)))
        n_found += len(places[-1])
        start, size = start + size, size * _TIMES
    return np.concatenate(places or [np.empty(0, np.int64)])[:limit]


def few_passing(connection: sqlite3.Connection, filters: Filters) -> np.ndarray | None:
    """Give the numbers of all live records that pass, ascending, or None if they may be many, without counting on."""
    return _passing(connection, filters, only_few=True)


def all_passing(connection: sqlite3.Connection, filters: Filters) -> np.ndarray:
    """Give the numbers of all live records that pass, ascending."""
    found = _passing(connection, filters, only_few=False)
    assert found is not None
    return found


def column(rows: Iterable[tuple[int]]) -> np.ndarray:
    """Give the numbers of a query with one column."""
    return np.fromiter((row[0] for row in rows), np.int64)


def _passing(connection: sqlite3.Connection, filters: Filters, *, only_few: bool) -> np.ndarray | None:
    """Let the rarest thing that is asked for lead, and look up the others of its records.

    Removed records have no labels, links and values any more, so none of them passes.
    """
    parts = filters.parts()
    sizes = [
        connection.execute(f"SELECT count(*) FROM ({sql} LIMIT {_FEW})", values).fetchone()[0] for sql, values in parts
    ]
    if only_few and min(sizes) == _FEW:
        return None
    lead, values = parts.pop(sizes.index(min(sizes)))
    others = "".join(f" AND EXISTS ({sql} AND number = lead.number)" for sql, _ in parts)
    every = [*values, *(value for _, more in parts for value in more)]
    return np.unique(column(connection.execute(f"SELECT number FROM ({lead}) AS lead WHERE 1{others}", every)))
