"""Frequent words of a collection: packed lists of the records that have them, so that searches need not use FTS5.

FTS5 computes BM25 for every record that has any of the words, about a microsecond each, and counts the records of each
word again for every query: a word in a tenth of a million records takes a tenth of a second. So the record numbers and
frequencies of such words are stored as two packed lists, which NumPy adds up in a few milliseconds. Rare words,
phrases and records that were added later are left to FTS5.

    BM25 = Σ_w log((N − n_w + ½) / (n_w + ½)) · 2.2 f_w / (f_w + norm),  norm = 1.2 (¼ + ¾ length / mean length)

as in FTS5: f_w is the frequency of w in the record, n_w the number of the N records with w; a logarithm below 0
becomes 10⁻⁶.
"""

from __future__ import annotations

import copy
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacit.index.nearest.exact import top
from tacit.index.records.schema import FREQUENT_WORDS, TOKENIZER
from tacit.types import Array, BoolArray, Float32Array, Float64Array, IntArray

__all__ = ["FrequentWords", "WordStatistics", "total_of", "varints", "word_splitter", "write_frequent_words"]

MANY_RECORDS = 2_000  # below, FTS5 answers a query of a title's length in a few milliseconds
FREQUENT = 100  # records of a word that has lists: FTS5 finds those of a rarer word in a tenth of a millisecond
LONG = 20_000  # records of a word from which it pays to check whether all of them are needed
MANY_TIMES = 8  # if a list is so many times longer than the records of interest, looking these up is faster
_ROUNDING = 1e-4  # of sums in 32 bits, with a margin
_SATURATION, _BY_LENGTH, _LEAST = 1.2, 0.75, 1e-6  # as in FTS5
_MEASURED = 100  # records from which the mean length is found again


def write_frequent_words(connection: sqlite3.Connection, n_records: int) -> None:
    """Write the lists of a new store that has its records, if it is large enough to need them."""
    if n_records < MANY_RECORDS:
        return
    for statement in FREQUENT_WORDS.strip().split("\n"):
        connection.execute(statement)
    connection.execute("CREATE VIRTUAL TABLE temp.word_counts USING fts5vocab('main', 'words', 'row')")
    frequent = connection.execute("SELECT term, doc FROM temp.word_counts WHERE doc >= ?", (FREQUENT,)).fetchall()
    connection.execute("DROP TABLE temp.word_counts")
    for word, n_with in frequent:
        numbers, times = _places(connection, word)
        cells = (word, n_with, numbers.astype("<i4").tobytes(), np.minimum(times, 65_535).astype("<u2").tobytes())
        connection.execute("INSERT INTO frequent_words VALUES (?, ?, ?, ?)", cells)
    connection.execute("INSERT INTO record_norms VALUES (?, ?)", (n_records, _norms(connection, n_records).tobytes()))


@dataclass(frozen=True)
class WordStatistics:
    """What BM25 needs to know about a collection, beside the record.

    Attributes
    ----------
    n_records : number of records
    n_words : number of words in all of them
    n_with : number of records with each word or phrase, by its words after the tokenizer, joined by spaces
    """

    n_records: int
    n_words: int
    n_with: Mapping[str, int]

    @classmethod
    def together(cls, parts: Sequence[WordStatistics]) -> WordStatistics:
        """Return the statistics of several collections as one."""
        keys = dict.fromkeys(key for part in parts for key in part.n_with)
        counts = {key: sum(part.n_with.get(key, 0) for part in parts) for key in keys}
        return cls(sum(part.n_records for part in parts), sum(part.n_words for part in parts), counts)

    @property
    def mean_length(self) -> float:
        """Words per record."""
        return self.n_words / self.n_records if self.n_words else 1.0

    def weight(self, key: str) -> float:
        """Return the weight of a word or phrase."""
        return _weight(self.n_with.get(key, 0), self.n_records)

    def rescored(self, key: str, scores: Float64Array, lengths: Float64Array, own: WordStatistics) -> Float64Array:
        """Return what a word or phrase adds to BM25 here, from its `scores` by the statistics that FTS5 had."""
        shares = scores / own.weight(key)  # 2.2 f / (f + norm), so that the frequency is found again
        times = np.rint(shares * own.norms(lengths) / (_SATURATION + 1 - shares))
        return np.asarray(self.weight(key) * (_SATURATION + 1) * times / (times + self.norms(lengths)))

    def norms(self, lengths: Float64Array) -> Float64Array:
        """Return the length normalisation of records with so many words."""
        return _norms_of(lengths, self.mean_length)


class _Word(NamedTuple):
    """Records of the build that have a word, its frequency in each, and its weight."""

    numbers: Array
    times: Array
    weight: float


class FrequentWords:
    """Scores the records of the build by their words, on the connection of an open store."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        found = connection.execute("SELECT base, norms FROM record_norms").fetchone()
        self.n_base = int(found[0])
        self._norms = np.frombuffer(found[1], "<f4")
        if len(self._norms) != self.n_base:
            raise sqlite3.DatabaseError(f"it has the lengths of {len(self._norms)} records, expected {self.n_base}")
        self._split = word_splitter()
        self._statistics: WordStatistics | None = None
        self._rescaled: tuple[float, Float32Array] = 0.0, self._norms

    def under(self, statistics: WordStatistics) -> FrequentWords:
        """Return lists that score with statistics of more records than these."""
        if self._rescaled[0] != statistics.mean_length:
            relative = (self._norms.astype(np.float64) / _SATURATION - (1 - _BY_LENGTH)) / _BY_LENGTH
            lengths = np.rint(relative * self._mean_length)  # so that equal lengths have equal norms in all shards
            self._rescaled = statistics.mean_length, statistics.norms(lengths).astype(np.float32)
        found = copy.copy(self)
        found._norms, found._statistics = self._rescaled[1], statistics
        return found

    @property
    def _mean_length(self) -> float:
        """Mean number of words of the records of the build, found again from the norms of some of them."""
        sql = "SELECT id, sz FROM words_docsize WHERE id < ? LIMIT ?"
        rows = self._connection.execute(sql, (self.n_base, _MEASURED)).fetchall()
        lengths = sum(total_of(row[1]) for row in rows)
        relative = self._norms[[row[0] for row in rows]].astype(np.float64) / _SATURATION - (1 - _BY_LENGTH)
        return float(lengths * _BY_LENGTH / relative.sum()) if lengths else 1.0

    def n_with(self, word: str, removed: IntArray) -> int | None:
        """Return how many records of the build have a word, without those that were removed; None for a rare word."""
        sql = "SELECT n_records FROM frequent_words WHERE word = ?"
        if (found := self._connection.execute(sql, (word,)).fetchone()) is None:
            return None
        if not len(removed):
            return int(found[0])
        listed = self._listed(word)[0]
        return len(listed) - int(np.isin(removed, listed).sum())

    def words_and_phrases(self, parts: Sequence[str]) -> tuple[list[str], list[str]]:
        """Separate the parts of a query that are one word from phrases, which only the full text can find."""
        split = self._split(parts)
        phrases = [part for part, words in zip(parts, split, strict=True) if len(words) > 1]
        return [words[0] for words in split if len(words) == 1], phrases

    def scores(
        self,
        words: Sequence[str],
        phrases: Sequence[tuple[IntArray, Float32Array]] = (),
        *,
        informative: bool,
        n_best: int | None = None,
        among: BoolArray | None = None,
    ) -> Float32Array:
        """Return BM25 of each record of the build for these words, 0 for a record without any.

        Parameters
        ----------
        words : words of the query
        phrases : numbers and scores of the records of each phrase
        informative : whether to leave out words that most records have: they add 10⁻⁶ and take the longest
        n_best : so many of the best scores must be right, and all others below them; once the remaining words cannot
            lift a record among the best, they are looked up only for records that are near enough (MaxScore)
        among : only the scores of the records where it is true must be right
        """
        scores = np.zeros(self.n_base, np.float32)
        for numbers, of_phrase in phrases:
            scores[numbers] += of_phrase
        known = (self._word(word, informative=informative) for word in words)
        found = sorted((word for word in known if word is not None), key=lambda word: -word.weight)
        few = None
        if among is not None and MANY_TIMES * np.count_nonzero(among) < len(among):
            few = np.flatnonzero(among)
        for place, word in enumerate(found):
            if few is not None and MANY_TIMES * len(few) < len(word.numbers):
                self._add(scores, word, *_common(word, few))
                continue
            if n_best is not None and len(word.numbers) > LONG:
                most = (_SATURATION + 1) * sum(rest.weight for rest in found[place:])
                near = _near(scores, n_best, most, among)
                if near is not None:
                    for rest in found[place:]:
                        self._add(scores, rest, *_common(rest, near))
                    break
            self._add(scores, word, word.numbers, word.times)
        return scores

    def _add(self, scores: Float32Array, word: _Word, numbers: Array, times: Array) -> None:
        frequency = times.astype(np.float32)
        weight = np.float32(word.weight * (_SATURATION + 1))
        scores[numbers] += weight * frequency / (frequency + self._norms[numbers])

    def _word(self, word: str, *, informative: bool) -> _Word | None:
        """Look up a word; with `informative`, None for one that most records have, whose long lists are not read."""
        sql = "SELECT n_records FROM frequent_words WHERE word = ?"
        found = self._connection.execute(sql, (word,)).fetchone()
        places = _places(self._connection, word) if found is None else None
        if self._statistics is not None:
            weight = self._statistics.weight(word)
        else:
            weight = _weight(len(places[0]) if places is not None else found[0], self.n_base)
        if informative and weight <= _LEAST:
            return None
        if places is not None:
            old = places[0] < self.n_base
            return _Word(places[0][old], places[1][old], weight)
        return _Word(*self._listed(word), weight)

    def _listed(self, word: str) -> tuple[Array, Array]:
        """Return the records of the build with a frequent word, and its frequency in each."""
        sql = "SELECT numbers, times FROM frequent_words WHERE word = ?"
        packed = self._connection.execute(sql, (word,)).fetchone()
        numbers, times = np.frombuffer(packed[0], "<u4"), np.frombuffer(packed[1], "<u2")
        if len(numbers) != len(times) or (len(numbers) and numbers.max() >= self.n_base):  # or negative
            raise sqlite3.DatabaseError(f"the lists of {word!r} are incomplete")
        return numbers, times


def _near(scores: Float32Array, n_best: int, most: float, among: BoolArray | None) -> IntArray | None:
    """Return the records that `most` more could lift among the best, or None if any record could be."""
    # NumPy finds the non-zero entries of a bool array five times as fast as those of floats
    matching = np.flatnonzero(scores > 0 if among is None else (scores > 0) & among)
    if len(matching) < n_best:
        return None
    found = scores[matching]
    least = float(found[top(found, n_best)[-1]])
    return matching[found >= least - most - _ROUNDING] if least > most + _ROUNDING else None


def _common(word: _Word, numbers: IntArray) -> tuple[IntArray, Array]:
    """Return which of these records have a word, and its frequency in them."""
    # of the same type, since NumPy would otherwise copy the longer array
    places = np.minimum(np.searchsorted(word.numbers, numbers.astype(word.numbers.dtype)), len(word.numbers) - 1)
    having = word.numbers[places] == numbers
    return numbers[having], word.times[places[having]]


def word_splitter() -> Callable[[Sequence[str]], list[list[str]]]:
    """Return a function that splits texts into words with the tokenizer of the full text (FTS5)."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.execute(f"CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='{TOKENIZER}')")
    connection.execute("CREATE VIRTUAL TABLE places USING fts5vocab('texts', 'instance')")

    def split(texts: Sequence[str]) -> list[list[str]]:
        words: list[list[str]] = [[] for _ in texts]
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(texts))
        for number, word in connection.execute("SELECT doc, term FROM places ORDER BY doc, offset"):
            words[number].append(word)
        connection.execute("ROLLBACK")
        return words

    return split


def _weight(n_with: int, n_records: int) -> float:
    value = math.log((n_records - n_with + 0.5) / (n_with + 0.5)) if n_with < n_records else 0.0
    return value if value > 0 else _LEAST


def _places(connection: sqlite3.Connection, word: str) -> tuple[IntArray, Float32Array]:
    """Return the ascending numbers of the records with a word, and its frequency in title and text together."""
    rows = connection.execute("SELECT doc FROM word_places WHERE term = ?", (word,))
    numbers, times = np.unique(np.fromiter((row[0] for row in rows), np.int64), return_counts=True)
    return numbers, times.astype(np.float32)


def _norms(connection: sqlite3.Connection, n_records: int) -> Float32Array:
    """1.2 (¼ + ¾ length / mean length) of each record; FTS5 stores one length per column."""
    lengths = np.zeros(n_records, np.float64)
    for number, sizes in connection.execute("SELECT id, sz FROM words_docsize"):
        lengths[number] = total_of(sizes)
    mean = lengths.mean() or 1.0
    return _norms_of(lengths, mean).astype("<f4")


def _norms_of(lengths: Float64Array, mean: float) -> Float64Array:
    """Return the length normalisation of records with so many words."""
    return np.asarray(_SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / mean))


def total_of(sizes: bytes) -> int:
    """Sum the numbers of words in the columns of a record, as FTS5 keeps them."""
    return sum(varints(sizes))


def varints(packed: bytes) -> Iterator[int]:
    """Yield numbers in SQLite's varint format: seven bits per byte, highest first, the eighth marks continuation."""
    value = 0
    for byte in packed:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            yield value
            value = 0
