"""Snippets: the part of a text that tells most about a query, with the words to mark."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np

from tacit.tasks.opened_index import OpenedIndex
from tacit.text.words import without_accents
from tacit.types import Float32Array

__all__ = ["QueryWords", "Snippet", "snippet_of", "words_in"]

_WORD = re.compile(r"[^\W_]+")
_SPACE = re.compile(r"\s")
_LENGTH = 240  # characters of a snippet
_BEFORE = 50  # characters before the first marked word
_READ = 20_000  # characters of a text that are looked at
_MATCHES = 300  # marked words among which the best part is sought
_REPEATED = 0.1  # what a second occurrence of a word counts
_RARE = 8.0  # weight of a word that the index does not know
_TELLING = 3  # words that are marked if none of the query stands in the text
_TOLD = 4_000  # characters of a text whose words may be telling


class Snippet(NamedTuple):
    """A part of a text, and where to mark it.

    Attributes
    ----------
    text : str
    marks : first character of each marked word, and the one after its last
    words : the marked words, each once
    of_query : bool, whether they are words of the query; otherwise they are those that bring the text near to it
    """

    text: str
    marks: tuple[tuple[int, int], ...]
    words: tuple[str, ...] = ()
    of_query: bool = True


class QueryWords:
    """The words of a query as an index compares them: by their stems, if it uses stems, and without accents.

    Stop words are left out, unless the query has no others. `keys` are those of its words; `key` returns that of any.
    """

    def __init__(self, collection: OpenedIndex, query: str, position: Float32Array | None = None) -> None:
        words = collection.space.words
        self.key: Callable[[str], str] = without_accents if words is None else words.key
        self._columns: Mapping[str, int] = {} if words is None else words.columns
        self._weights = None if words is None else words.weights
        self._collection, self._position = collection, position
        tokens = [found[0] for found in _WORD.finditer(query[:_READ])]
        stop = frozenset() if words is None else words.analyse.stop_words
        tokens = [token for token in tokens if token.lower() not in stop] or tokens
        self.keys = frozenset(map(self.key, tokens))

    def weight(self, key: str) -> float:
        """Return how much a word tells: the rarer, the more."""
        column = self._columns.get(key)
        return _RARE if column is None or self._weights is None else float(self._weights[column])

    def telling(self, text: str) -> frozenset[str]:
        """Return the words of a text that move it most towards the query."""
        words = self._collection.space.words
        if self._position is None or words is None:
            return frozenset()
        columns, weights = words.row(text[:_TOLD])
        if not len(columns):
            return frozenset()
        pulls = weights * (self._collection.space.terms[columns] @ self._position)
        best = np.argsort(-pulls, kind="stable")[:_TELLING]
        return frozenset(without_accents(words.terms[columns[place]]) for place in best if pulls[place] > 0)


def snippet_of(text: str, words: QueryWords, *, title: str = "", length: int = _LENGTH) -> Snippet:
    """Return the best part of a text for a query; a title at its beginning, which is shown anyway, is left out."""
    shown = _SPACE.sub(" ", text[:_READ])
    while title and shown.startswith(title) and shown[len(title) :].strip(" .:;-"):  # a document may repeat it
        shown = shown[len(title) :].lstrip(" .:;-")
    found = _matches(shown, words.keys, words.key)
    of_query = bool(found)
    if not found:
        found = _matches(shown, words.telling(shown), words.key)
    begin = _best_start(found, words.weight, length) if len(shown) > length else 0
    return _cut(shown, begin, found, length, is_whole=len(text) <= _READ)._replace(of_query=of_query)


def words_in(text: str, words: QueryWords) -> tuple[str, ...]:
    """Return the words of a query that a text has, each once, in lower case."""
    found: dict[str, str] = {}
    for match in _matches(text[:_READ], words.keys, words.key):
        found.setdefault(match.key, text[match.start : match.end].lower())
    return tuple(found.values())


class _Match(NamedTuple):
    start: int
    end: int
    key: str


def _matches(text: str, keys: Collection[str], key: Callable[[str], str]) -> list[_Match]:
    if not keys:
        return []
    found = []
    for word in _WORD.finditer(text):
        if (its_key := key(word[0])) in keys:
            found.append(_Match(word.start(), word.end(), its_key))
            if len(found) == _MATCHES:
                break
    return found


def _best_start(found: list[_Match], weight: Callable[[str], float], length: int) -> int:
    """Return where the part begins that has the most, and the rarest, of the words."""
    best, begin, before = 0.0, 0, min(_BEFORE, length // 5)
    for place, first in enumerate(found):
        score, seen = 0.0, set[str]()
        for match in found[place:]:
            if match.end > first.start + length - before:
                break
            score += weight(match.key) * (_REPEATED if match.key in seen else 1.0)
            seen.add(match.key)
        if score > best:
            best, begin = score, max(0, first.start - before)
    return begin


def _cut(text: str, begin: int, found: list[_Match], length: int, *, is_whole: bool) -> Snippet:
    """Cut a text between words, with dots where something is left out, and move the marks with it."""
    end = min(len(text), begin + length)
    if begin:
        space = text.find(" ", begin, begin + min(_BEFORE, length // 5) // 2)
        space = text.rfind(" ", max(0, begin - _BEFORE // 2), begin) if space < 0 else space
        begin = space + 1 if space >= 0 else begin
    if end < len(text):
        space = text.rfind(" ", begin + length // 2, end)
        end = space if space > 0 else end
    part = text[begin:end]
    lead = len(part) - len(part.lstrip())
    begin, part = begin + lead, part.strip()
    before = "… " if begin else ""
    after = " …" if end < len(text) or not is_whole else ""
    moved = len(before) - begin
    inside = [match for match in found if match.start >= begin and match.end <= begin + len(part)]
    marks = tuple((match.start + moved, match.end + moved) for match in inside)
    written = {match.key: text[match.start : match.end] for match in reversed(inside)}
    ordered = tuple(written[key] for key in dict.fromkeys(match.key for match in inside))
    return Snippet(f"{before}{part}{after}", marks, ordered)
