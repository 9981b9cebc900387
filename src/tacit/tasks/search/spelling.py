"""Typing errors: words that no record has, or hardly any, and the known words that are spelt most alike.

Words are compared by the number of letters to insert, delete, replace or swap. All known words are compared at once,
one column of letters after the other, in NumPy: 100,000 words take ten milliseconds, and no index is needed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tacit.tasks.opened_index import OpenedIndex
from tacit.text.words import Words, without_accents
from tacit.types import Array

__all__ = ["KnownWords", "corrected"]

_WORD = re.compile(r"[^\W_]*[^\W\d_][^\W_]*")  # letters, and digits among them: covid19 is one word
_SHORTEST = 4  # letters of a word that is corrected: shorter ones are spelt like too many others
_LONG = 6  # letters from which two errors are forgiven
_MOST_ERRORS = 2
_LONGEST = 30  # letters; no word that people misspell is longer
_SMALL = 20_000  # records whose words are counted for this: a tenth of a second; the space knows those of more records
_MOST_FORMS = 500_000
_DOUBTFUL = 2  # records that may have the same error
_MUCH_OFTENER = (
    100  # times: a known word with one letter other than a doubtful one is offered if it is so much more frequent
)
_MOST = 8  # words of a query that are corrected
_SHORT = 12  # words of a query in which errors are sought: in a text the other words are enough


class KnownWords:
    """Words in the form in which they can be compared.

    Parameters
    ----------
    words : sequence of str
    weights : array
        A small one for a frequent word.
    """

    def __init__(self, words: Sequence[str], weights: Any) -> None:
        kept = [place for place, word in enumerate(words) if " " not in word and _SHORTEST <= len(word) <= _LONGEST]
        self._terms = np.array([words[place] for place in kept], f"<U{_LONGEST}")
        self._weights = np.asarray(weights)[kept]
        self._lengths = np.char.str_len(self._terms) if kept else np.zeros(0, np.int64)
        # a row per place, so that a letter of all words is one piece of memory
        self._letters = np.ascontiguousarray(self._terms.view(np.uint32).reshape(len(kept), -1).T)

    def nearest(self, word: str, *, other: bool = False) -> str | None:
        """Return the known word that is spelt most like a word, of several the most frequent; None if none is near.

        With `other`, one that is not the word itself, and has one error.
        """
        most = _MOST_ERRORS if len(word) >= _LONG and not other else 1
        if not _SHORTEST <= len(word) <= _LONGEST:
            return None
        near = np.flatnonzero(np.abs(self._lengths - len(word)) <= most)
        if not len(near):
            return None
        given = np.array([ord(letter) for letter in word], np.uint32)
        distances = _distances(given, self._letters[: len(word) + most, near], self._lengths[near], most)
        # people seldom err in the first letter, and a word with another one and a second error is another word
        first = self._letters[0, near] != given[0]
        best = np.flatnonzero((distances <= most) & (distances + first <= _MOST_ERRORS) & (distances >= other))
        if not len(best):
            return None
        rows = near[best]
        order = np.lexsort((self._weights[rows], (distances + first)[best]))  # a frequent word has a small weight
        return str(self._terms[rows[order[0]]])


def corrected(
    collection: OpenedIndex,
    query: str,
    text: str,
    *,
    forms: Mapping[str, str] | None = None,
    known: Collection[str] = (),
) -> tuple[str, bool] | None:
    """Return a query with known words in place of misspelt ones, and whether the text to search for has no known word.

    None if nothing is misspelt, or no known word is near. `forms` are other forms of words in lower case that records
    have, `known` are words that are not misspelt, though no record has them. A word that one or two records have may be
    an error of theirs, too.
    """
    words = collection.space.words
    typed = list(dict.fromkeys(found[0] for found in _WORD.finditer(query)))
    stop = frozenset() if words is None else words.analyse.stop_words
    telling = [word for word in typed if word.lower() not in stop]
    if len(telling) > _SHORT:
        return None
    forms, count = forms or {}, collection.store.n_records_with
    counts = {
        word: max(count(form, _DOUBTFUL + 1) for form in {word, forms.get(word.lower(), word)})
        for word in telling
        if word.lower() not in known
    }
    unknown = [word for word, count in counts.items() if not count]
    doubtful = [word for word, count in counts.items() if 0 < count <= _DOUBTFUL and word.isalpha()]
    if len(unknown) > _MOST:
        return None
    sought = {found[0] for found in _WORD.finditer(text)}.intersection(telling)
    spelt = [word for word in unknown if word.isalpha()]  # with another digit it would be another thing
    better = {word: near for word in spelt if (near := _nearest(collection, words, word)) is not None}
    for word in doubtful[:_MOST]:
        near = _nearest(collection, words, word, other=True)
        enough = _MUCH_OFTENER * counts[word]
        if near is not None and count(near, enough) == enough:
            better[word] = near
    if not better:
        return None
    return _WORD.sub(lambda found: better.get(found[0], found[0]), query), not sought.difference(unknown)


def _nearest(collection: OpenedIndex, words: Words | None, word: str, *, other: bool = False) -> str | None:
    """Return the known word nearest to an unknown one, as records have it; see `KnownWords.nearest` for `other`."""
    known = _known(collection)
    if known is not None:
        return known.nearest(without_accents(word), other=other)
    if words is None:
        return None
    near = _learned(words).nearest(words.key(word), other=other)
    if near is None or collection.store.has_word(near):
        return near
    # a stem: the most frequent of the words that have it
    forms = [form for form in collection.store.forms(near[:-1]) if words.key(form[0]) == near]
    return max(forms, key=lambda form: form[1])[0] if forms else None


def _known(collection: OpenedIndex) -> KnownWords | None:
    """Return all words of the records as they are now; None for large collections, where that takes seconds."""
    state = (str(collection.generation.folder), collection.store.changes)
    if collection.store.counts().live > _SMALL:
        return None
    with _LOCK:
        kept = _KNOWN.get(collection)
        if kept is None or kept[0] != state:
            forms = collection.store.forms("", _MOST_FORMS)
            weights = [-n_records for _, n_records in forms]
            kept = _KNOWN[collection] = state, KnownWords([form for form, _ in forms], weights)
        return kept[1]


def _learned(words: Words) -> KnownWords:
    """Return the words, or stems, that the space knows."""
    with _LOCK:
        if words not in _LEARNED:
            _LEARNED[words] = KnownWords(words.terms, words.weights)
        return _LEARNED[words]


_LOCK = threading.Lock()
_KNOWN: WeakKeyDictionary[OpenedIndex, tuple[tuple[str, int], KnownWords]] = WeakKeyDictionary()
_LEARNED: WeakKeyDictionary[Words, KnownWords] = WeakKeyDictionary()


def _distances(word: Array, letters: Array, lengths: Array, most: int) -> Array:
    """Return the edit distance of a word to others, with swaps of neighbours as one error; larger ones are not exact.

    `letters` has a column per other word. `rows[j]` is the distance of the first i letters of the word to the first j
    of each of the others; it is at least |i - j|, so that only the places near i are needed.
    """
    n_places, n_words = letters.shape
    far = np.full(n_words, 9, np.int8)
    before: list[Array] = []
    rows = [np.full(n_words, place, np.int8) if place <= most else far for place in range(n_places + 1)]
    for i, letter in enumerate(word):
        fresh = [far] * (n_places + 1)
        if i < most:
            fresh[0] = np.full(n_words, i + 1, np.int8)
        for j in range(max(0, i - most), min(n_places, i + most + 1)):
            cost = rows[j] + (letters[j] != letter)
            np.minimum(cost, rows[j + 1] + np.int8(1), out=cost)
            np.minimum(cost, fresh[j] + np.int8(1), out=cost)
            if i and j:
                swapped = (letters[j - 1] == letter) & (letters[j] == word[i - 1])
                np.copyto(cost, np.minimum(cost, before[j - 1] + np.int8(1)), where=swapped)
            fresh[j + 1] = cost
        before, rows = rows, fresh
    return np.stack(rows)[lengths, np.arange(n_words)]
