"""Search by words: BM25 from SQLite's full text, and in larger collections from the lists of frequent words."""

from __future__ import annotations

import re
import sqlite3
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from tacit.errors import TacitWarning
from tacit.index.nearest.exact import top
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import FrequentWords, WordStatistics, total_of, varints, word_splitter
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

    def statistics(self, parts: Sequence[str]) -> WordStatistics:
        """Count the records and words that BM25 needs for the parts of a query, as they are now."""
        (averages,) = self._connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
        n_records, *n_words = [*varints(averages), 0]
        n_with: dict[str, int] = {}
        for part, words in zip(parts, self._split(parts), strict=True):
            if words and (key := " ".join(words)) not in n_with:
                n_with[key] = self._n_with(part, words)
        return WordStatistics(n_records, sum(n_words), n_with)

    def find_by(
        self,
        statistics: WordStatistics,
        parts: Sequence[str],
        limit: int,
        filters: Filters | None,
        *,
        every: bool,
        informative: bool = False,
    ) -> Found:
        """Return numbers and scores, best first, with statistics of words that are those of more than this store.

        With `informative`, words that most records have do not count where there are lists of them.
        """
        matching = self._matcher.matching(filters)
        if not parts or not statistics.n_records:
            return np.empty(0, np.int64), np.empty(0)
        frequent, first, base = self._frequent, 0, (np.empty(0, np.int64), np.empty(0))
        if frequent is not None and not every:
            frequent = frequent.under(statistics)
            words, phrases = frequent.words_and_phrases(parts)
            if words:
                weighed = [self._weighed(phrase, statistics, last=frequent.n_base) for phrase in phrases]
                of_phrases = [(numbers, scores.astype(np.float32)) for numbers, scores in weighed]
                base = self._of_lists(frequent, words, of_phrases, limit, matching, informative=informative)
                first = frequent.n_base
        added = self._by_parts(parts, statistics, limit, matching, every=every, first=first)
        numbers, scores = (np.concatenate(pair) for pair in zip(base, added, strict=True))
        best = np.lexsort((numbers, -scores))[:limit]
        return numbers[best], scores[best]

    def _by_parts(
        self,
        parts: Sequence[str],
        statistics: WordStatistics,
        limit: int,
        matching: MatchingRecords | None,
        *,
        every: bool,
        first: int,
    ) -> Found:
        """Score the records from number `first` by each part, and add up: BM25 is a sum over words and phrases."""
        if first and not self._has_records_from(first):
            return np.empty(0, np.int64), np.empty(0)
        found = [self._weighed(part, statistics, first=first) for part in parts]
        every_number = np.concatenate([numbers for numbers, _ in found])
        numbers, places, n_parts = np.unique(every_number, return_inverse=True, return_counts=True)
        scores = np.bincount(places, np.concatenate([scores for _, scores in found]), minlength=len(numbers))
        kept = n_parts == len(parts) if every else np.ones(len(numbers), bool)
        if matching is not None:
            kept &= matching.contains(numbers)
        numbers, scores = numbers[kept], scores[kept]
        best = np.lexsort((numbers, -scores))[:limit]
        return numbers[best], scores[best]

    def _weighed(self, part: str, statistics: WordStatistics, *, first: int = 0, last: int = 2**62) -> Found:
        """Return the records from `first` to before `last` that have a word or phrase, and what it adds to their BM25.

        FTS5 does not tell how often it found the part, but a score, of which that follows.
        """
        key = " ".join(self._split([part])[0])
        if not key:
            return np.empty(0, np.int64), np.empty(0)
        sql = """SELECT words.rowid, -rank, sz FROM words JOIN words_docsize ON id = words.rowid
            WHERE words MATCH ? AND words.rowid >= ? AND words.rowid < ?"""
        rows = self._connection.execute(sql, (word_query([part], every=False), first, last)).fetchall()
        numbers, ranks = np.array([row[0] for row in rows], np.int64), np.array([row[1] for row in rows], np.float64)
        lengths = np.array([total_of(row[2]) for row in rows], np.float64)
        own = self.statistics([part])
        return numbers, statistics.rescored(key, ranks, lengths, own)

    def _n_with(self, part: str, words: list[str]) -> int:
        """Return how many records have a word or phrase now."""
        expression, frequent = word_query([part], every=False), self._frequent
        n_built = None if frequent is None or len(words) > 1 else frequent.n_with(words[0], self._matcher.removed())
        sql = "SELECT count(*) FROM words WHERE words MATCH ? AND rowid >= ?"
        if n_built is None:
            return int(self._connection.execute(sql, (expression, 0)).fetchone()[0])
        assert frequent is not None
        if not self._has_records_from(frequent.n_base):
            return n_built
        return n_built + int(self._connection.execute(sql, (expression, frequent.n_base)).fetchone()[0])

    def _has_records_from(self, first: int) -> bool:
        sql = "SELECT 1 FROM records WHERE number >= ?"
        return self._connection.execute(sql, (first,)).fetchone() is not None

    @cached_property
    def _split(self) -> Callable[[Sequence[str]], list[list[str]]]:
        return word_splitter()

    @cached_property
    def _frequent(self) -> FrequentWords | None:
        return FrequentWords(self._connection) if has_table(self._connection, "record_norms") else None

    def _in_full_text(self, expression: str, limit: int, matching: MatchingRecords | None, first: int = 0) -> Found:
        """Search the full text of the records from number `first`; filters are applied afterwards, in NumPy."""
        if first and not self._has_records_from(first):
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
        best = self._of_lists(frequent, words, of_phrases, limit, found, informative=True)
        if len(best[0]) < limit:
            best = self._of_lists(frequent, words, of_phrases, limit, found, informative=False)
        return best

    def _of_lists(
        self,
        frequent: FrequentWords,
        words: list[str],
        of_phrases: Sequence[Found],
        limit: int,
        found: MatchingRecords | None,
        *,
        informative: bool,
    ) -> Found:
        """Return the best records of the build that match, with or without the words that most records have."""
        removed = self._matcher.removed()
        among = None if found is None else found.base
        n_best = limit + (len(removed) if among is None else 0)  # matching records exclude removed ones
        most = n_best if informative else None
        scores = frequent.scores(words, of_phrases, informative=informative, n_best=most, among=among)
        scores[removed] = 0
        # NumPy finds the non-zero entries of a bool array five times as fast as those of floats
        scored = np.flatnonzero(scores > 0 if among is None else (scores > 0) & among)
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
