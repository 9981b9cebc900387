"""Search by words: BM25 by the full text, and but for small collections by the lists of their frequent words."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
import warnings
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tacit.errors import TacitWarning
from tacit.index.nearest.exact import top
from tacit.index.records.filtering import Filtering, Passing
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import FrequentWords

__all__ = ["MOST_PARTS", "WordSearch", "query_parts", "word_query"]

Found = tuple[np.ndarray, np.ndarray]


class WordSearch:
    """Finds records by their words, on an open connection; the caller has opened a transaction."""

    def __init__(self, connection: sqlite3.Connection, filtering: Filtering) -> None:
        self._connection = connection
        self._filtering = filtering

    def find(self, query: str, limit: int, filters: Filters, *, every: bool) -> Found:
        """Give numbers and scores, the best first; see `RecordStore.words`."""
        parts = query_parts(query)
        passing = self._filtering.passing(filters)  # what is wrong with them is said, whatever the words are
        if not parts:
            return np.empty(0, np.int64), np.empty(0)
        expression = word_query(parts, every=every)
        if self._frequent is None or every:
            return self._in_full_text(expression, limit, passing)
        words, phrases = self._frequent.words_and_phrases(parts)
        if not words:
            return self._in_full_text(expression, limit, passing)
        of_phrases = [self._of_phrase(phrase, self._frequent.n_base) for phrase in phrases]
        base = self._by_lists(self._frequent, words, of_phrases, limit, passing, telling=True)
        if len(base[0]) < limit:
            base = self._by_lists(self._frequent, words, of_phrases, limit, passing, telling=False)
        added = self._in_full_text(expression, limit, passing, first=self._frequent.n_base)
        numbers, found = (np.concatenate(pair) for pair in zip(base, added, strict=True))
        best = np.argsort(-found, kind="stable")[:limit]
        return numbers[best], found[best]

    @cached_property
    def _frequent(self) -> FrequentWords | None:
        return FrequentWords.of(self._connection)

    def _in_full_text(self, expression: str, limit: int, passing: Passing | None, first: int = 0) -> Found:
        """Ask FTS5, from a record on; who passes is known better outside of SQLite."""
        if first and not self._connection.execute("SELECT 1 FROM records WHERE number >= ?", (first,)).fetchone():
            return np.empty(0, np.int64), np.empty(0)
        sql = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rowid >= ?"
        given: tuple[str | int, ...] = (expression, first)
        if passing is None:
            sql, given = f"{sql} ORDER BY rank, rowid LIMIT ?", (*given, limit)
        rows = self._connection.execute(sql, given).fetchall()
        numbers, scores = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        if passing is None:
            return numbers, scores
        numbers, scores = numbers[passed := passing.of(numbers)], scores[passed]
        best = np.lexsort((numbers, -scores))[:limit]
        return numbers[best], scores[best]

    def _of_phrase(self, phrase: str, n_base: int) -> Found:
        """What a phrase adds to the records of the build: BM25 is a sum over words and phrases."""
        sql = "SELECT rowid, -rank FROM words WHERE words MATCH ? AND rowid < ?"
        rows = self._connection.execute(sql, (word_query([phrase], every=False), n_base)).fetchall()
        return np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float32)

    def _by_lists(
        self,
        frequent: FrequentWords,
        words: list[str],
        phrases: list[Found],
        limit: int,
        passing: Passing | None,
        *,
        telling: bool,
    ) -> Found:
        """Take the best of the records of the build that are still there and pass."""
        removed = self._filtering.removed()
        among = None if passing is None else passing.base
        n_best = limit + (len(removed) if among is None else 0)  # who passes is still there
        scores = frequent.scores(words, phrases, telling=telling, n_best=n_best if telling else None, among=among)
        scores[removed] = 0
        # of truth values NumPy finds the places five times as fast as of numbers
        matching = np.flatnonzero(scores > 0 if among is None else (scores > 0) & among)
        best = matching[top(scores[matching], limit)]
        return best, scores[best].astype(np.float64)


MOST_PARTS = 1000  # distinct words; more is a document and no question, and FTS5 slows down with each

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')


def word_query(parts: Sequence[str], *, every: bool) -> str:
    """Write a query for the parts of a text: for records that have all of them, or any."""
    return (" AND " if every else " OR ").join(f'"{part}"' for part in parts)


def query_parts(text: str) -> list[str]:
    """Give the different words and phrases in a text, whatever it is.

    Words between two quotation marks have to stand side by side, as have the parts of `state-of-the-art`.
    """
    # the query ends at a zero character for SQLite, and half a surrogate pair cannot be sent to it
    clean = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    parts = [phrase or word for phrase, word in _PART.findall(clean)]
    wanted = {part.lower(): part for part in parts if any(map(_is_word_character, part))}
    if len(wanted) > MOST_PARTS:
        warnings.warn(
            f"query is long: got {len(wanted)} different words, only the first {MOST_PARTS} are looked for.",
            TacitWarning,
            stacklevel=4,
        )
    return list(wanted.values())[:MOST_PARTS]


def _is_word_character(character: str) -> bool:
    """Whether FTS5 makes words of it: letters, numbers and private use. A part without any would match nothing."""
    category = unicodedata.category(character)
    return category[0] in "LN" or category == "Co"
