"""Search by words: BM25 by the full text, and in large collections by the lists of their frequent words."""

from __future__ import annotations

import sqlite3
from functools import cached_property

import numpy as np

from tacit.index.filtering import all_passing, column, few_passing, first_passing
from tacit.index.filters import Filters
from tacit.index.frequent_words import FrequentWords
from tacit.index.nearest import top
from tacit.index.word_query import query_parts, word_query

__all__ = ["WordSearch"]

_MOST = 2_000  # best records that are asked whether they pass; beyond, gathering those that pass is faster

Found = tuple[np.ndarray, np.ndarray]


class WordSearch:
    """Finds records by their words, on an open connection; the caller has opened a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def find(self, query: str, limit: int, filters: Filters, *, every: bool) -> Found:
        """Give numbers and scores, the best first; see `RecordStore.words`."""
        parts = query_parts(query)
        filters.parts()  # what is wrong with them is said, whatever the words are
        if not parts:
            return np.empty(0, np.int64), np.empty(0)
        expression = word_query(parts, every=every)
        words = self._frequent.words_of(parts) if self._frequent is not None and not every else None
        if self._frequent is None or words is None:
            return self._in_full_text(expression, limit, filters)
        removed = column(self._connection.execute("SELECT number FROM records WHERE removed = 1"))
        n_best = None if filters.parts() else limit + len(removed)
        base = self._by_lists(self._frequent.scores(words, telling=True, n_best=n_best), removed, limit, filters)
        if len(base[0]) < limit:
            base = self._by_lists(self._frequent.scores(words, telling=False), removed, limit, filters)
        added = self._in_full_text(expression, limit, filters, first=self._frequent.n_base)
        numbers, found = (np.concatenate(pair) for pair in zip(base, added, strict=True))
        best = np.argsort(-found, kind="stable")[:limit]
        return numbers[best], found[best]

    @cached_property
    def _frequent(self) -> FrequentWords | None:
        return FrequentWords.of(self._connection)

    def _in_full_text(self, expression: str, limit: int, filters: Filters, first: int = 0) -> Found:
        """Ask FTS5, from a record on."""
        if first and not self._connection.execute("SELECT 1 FROM records WHERE number >= ?", (first,)).fetchone():
            return np.empty(0, np.int64), np.empty(0)
        # the plus keeps SQLite from asking the full text once for each number that passes the filters
        condition, values = filters.condition("+rowid")
        where = "words MATCH ?" + (" AND rowid >= ?" if first else "") + (f" AND {condition}" if condition else "")
        sql = f"SELECT rowid, -rank FROM words WHERE {where} ORDER BY rank, rowid LIMIT ?"
        given = (expression, *([first] if first else []), *values, limit)
        rows = self._connection.execute(sql, given).fetchall()
        return np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)

    def _by_lists(self, scores: np.ndarray, removed: np.ndarray, limit: int, filters: Filters) -> Found:
        """Take the best of the records of the build that are still there and pass."""
        scores[removed] = 0
        if not filters.parts():
            return _best(scores, limit)
        allowed = few_passing(self._connection, filters)
        if allowed is None:
            numbers, found = _best(scores, _MOST)
            passed = first_passing(self._connection, numbers, filters, limit)
            if len(passed) == limit or len(numbers) < _MOST:
                return numbers[passed], found[passed]
            allowed = all_passing(self._connection, filters)
        allowed = allowed[allowed < len(scores)]
        places, found = _best(scores[allowed], limit)
        return allowed[places], found


def _best(scores: np.ndarray, limit: int) -> Found:
    """Where the largest scores above 0 are, and the scores."""
    matching = np.flatnonzero(scores > 0)  # of truth values NumPy finds them five times as fast as of numbers
    best = matching[top(scores[matching], limit)]
    return best, scores[best].astype(np.float64)
