"""Search by words: BM25 from SQLite's full text, and in larger collections from the lists of frequent words."""

from __future__ import annotations

import re
import sqlite3
import warnings
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tacit.errors import TacitWarning
from tacit.index.nearest.exact import top
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import FrequentWords
from tacit.index.records.matching import MatchingRecords, RecordMatcher
from tacit.index.records.schema import clean_text, has_letters, has_table

__all__ = ["MOST_PARTS", "WordSearch", "query_parts", "word_query"]

Found = tuple[np.ndarray, np.ndarray]


class WordSearch:
    """Finds records by their words, on an open connection; the caller has opened a transaction."""

    def __init__(self, connection: sqlite3.Connection, matcher: RecordMatcher) -> None:
        self._connection = connection
        self._matcher = matcher

    def find(self, query: str, limit: int, filters: Filters | None, *, every: bool) -> Found:
        """Return numbers and scores, best first; see `RecordStore.words`."""
        parts = query_parts(query)
        matching = self._matcher.matching(filters)  # first, so that wrong filters are reported for any query
        if not parts:
            return np.empty(0, np.int64), np.empty(0)
        expression = word_query(parts, every=every)
        frequent = None if every else self._frequent
        words, phrases = ([], []) if frequent is None else frequent.words_and_phrases(parts)
        if frequent is None or not words:
            return self._in_full_text(expression, limit, matching)
        base = self._by_lists(frequent, words, phrases, limit, matching)
        added = self._in_full_text(expression, limit, matching, first=frequent.n_base)
        numbers, found = (np.concatenate(pair) for pair in zip(base, added, strict=True))
        best = np.argsort(-found, kind="stable")[:limit]
        return numbers[best], found[best]

    @cached_property
    def _frequent(self) -> FrequentWords | None:
        return FrequentWords(self._connection) if has_table(self._connection, "record_norms") else None

    def _in_full_text(self, expression: str, limit: int, matching: MatchingRecords | None, first: int = 0) -> Found:
        """Search the full text of the records from number `first`; filters are applied afterwards, in NumPy."""
        if first and not self._connection.execute("SELECT 1 FROM records WHERE number >= ?", (first,)).fetchone():
            return np.empty(0, np.int64), np.empty(0)
        sql = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rowid >= ?"
        given: tuple[str | int, ...] = (expression, first)
        if matching is None:
            sql, given = f"{sql} ORDER BY rank, rowid LIMIT ?", (*given, limit)
        rows = self._connection.execute(sql, given).fetchall()
        numbers, scores = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        if matching is None:
            return numbers, scores
        numbers, scores = numbers[kept := matching.contains(numbers)], scores[kept]
        best = np.lexsort((numbers, -scores))[:limit]
        return numbers[best], scores[best]

    def _by_lists(
        self, frequent: FrequentWords, words: list[str], phrases: list[str], limit: int, found: MatchingRecords | None
    ) -> Found:
        """Return the best records of the build that match; words that most records have are used only if needed."""
        of_phrases = [self._of_phrase(phrase, frequent.n_base) for phrase in phrases]
        removed = self._matcher.removed()
        among = None if found is None else found.base
        n_best = limit + (len(removed) if among is None else 0)  # matching records exclude removed ones
        for informative in (True, False):
            most = n_best if informative else None
            scores = frequent.scores(words, of_phrases, informative=informative, n_best=most, among=among)
            scores[removed] = 0
            # NumPy finds the non-zero entries of a bool array five times as fast as those of floats
            scored = np.flatnonzero(scores > 0 if among is None else (scores > 0) & among)
            if len(scored) >= limit:
                break
        best = scored[top(scores[scored], limit)]
        return best, scores[best].astype(np.float64)

    def _of_phrase(self, phrase: str, n_base: int) -> Found:
        """Return what a phrase adds to the scores of records of the build: BM25 is a sum over words and phrases."""
        sql = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rowid < ?"
        rows = self._connection.execute(sql, (word_query([phrase], every=False), n_base)).fetchall()
        return np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float32)


MOST_PARTS = 1000  # distinct words; a longer query is a document, and each word slows FTS5 down

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def word_query(parts: Sequence[str], *, every: bool) -> str:
    """Write an FTS5 query for records that have all parts of a text, or any."""
    return (" AND " if every else " OR ").join(f'"{part}"' for part in parts)


def query_parts(text: str) -> list[str]:
    """Return the distinct words and phrases in any text.

    Words between two quotation marks are a phrase, as are the parts of `state-of-the-art`.
    """
    parts = [phrase or word for phrase, word in _PART.findall(clean_text(text))]
    wanted = {part.lower(): part for part in parts if has_letters(part)}  # a part without any matches nothing
    if len(wanted) > MOST_PARTS:
        warnings.warn(
            f"query is long: got {len(wanted)} different words, only the first {MOST_PARTS} are searched for.",
            TacitWarning,
            stacklevel=4,
        )
    return list(wanted.values())[:MOST_PARTS]
