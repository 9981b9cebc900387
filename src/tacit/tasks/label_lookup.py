"""Looks labels up by anything they are called: the whole name, the beginning of one, or a name that is spelt alike.

`find_label` of `label_names` wants one label and is strict. This is for lists of candidates: for people who type, and
for tables whose names are matched with a vocabulary.
"""

from __future__ import annotations

import bisect
import re
import threading
from array import array
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tacit.relations.taxonomy.languages import is_in_language
from tacit.relations.taxonomy.matching import folded, folded_loosely
from tacit.relations.taxonomy.names import is_iri, names_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import IntArray

__all__ = ["LabelLookup", "LabelMatch", "label_lookup"]

_ALIKE = 0.5  # least share of common letter pairs of names that are spelt alike
_ALIKE_SCORE = 90.0  # of a name with the same letter pairs; only the name itself has more
_LESS = {"other": 1.0, "hidden": 2.0}  # less than 100 for names of these kinds
_LESS_FOREIGN, _LESS_ACCENTS = 0.5, 2.0


@dataclass(frozen=True)
class LabelMatch:
    """A label that a text may mean.

    Attributes
    ----------
    label, title : str
    name : str
        The name that was found.
    kind : str
        What kind of name: "id", "notation", "preferred", "other" or "hidden".
    score : float
        From 0 to 100; 97 to 100 if the text is a name of the label.
    exact : bool
        Whether the text is a name of the label, apart from case, accents and white space.
    records : int
        Number of records with the label when the index was fitted.
    """

    label: str
    title: str
    name: str
    kind: str
    score: float
    exact: bool
    records: int


class _Name(NamedTuple):
    label: str
    text: str
    kind: str
    is_foreign: bool


class LabelLookup:
    """All names of the labels of an index, made ready for look-ups; `label_lookup` makes it once for an open index.

    Notes
    -----
    The names are read on first use: a second for 100,000 names. A look-up then takes less than a millisecond for 30,000
    names: names that are spelt alike share pairs of letters, which are counted.
    """

    def __init__(self, index: OpenedIndex) -> None:
        self._finder = index.node_finder  # not the index itself, which would then be kept for ever
        self._titles = dict(index.label_titles)
        self._records = dict(zip(index.label_names, index.label_counts.tolist(), strict=True))
        self._names = list(_all_names(index))
        self._folded = [folded_loosely(name.text) for name in self._names]

    def find(self, text: str, *, limit: int = 10, among: Collection[str] | None = None) -> list[LabelMatch]:
        """Return the labels that a text may mean, the best first: those called so, then those spelt alike.

        Parameters
        ----------
        text : str
            An id, a notation, or a name in any language.
        limit : int, default 10
            Most labels.
        among : collection of str, optional
            Only these labels.
        """
        found: dict[str, LabelMatch] = {}
        for name in self._called(text):
            self._keep(found, self._match(name, self._exact_score(name, text), exact=True), among)
        rows, shares = self._alike(_pairs(folded_loosely(text)))
        for place in np.argsort(-shares, kind="stable").tolist():
            if len(found) >= 2 * limit:  # more than asked for, since equal ones are sorted by their records
                break
            score = round(_ALIKE_SCORE * float(shares[place]), 2)
            self._keep(found, self._match(self._names[rows[place]], score, exact=False), among)
        return sorted(found.values(), key=lambda one: (-one.score, -one.records, one.title, one.label))[:limit]

    def complete(self, prefix: str, *, limit: int = 10, skip: int = 0) -> list[LabelMatch]:
        """Return the labels that someone means who has typed the beginning of a name, or its id.

        Labels that are called so come first, then those with a name, and then those with a word, that begins so, each
        with the most frequent first; then names that are spelt alike.
        """
        wanted = folded_loosely(prefix)
        found: dict[str, LabelMatch] = {}
        for name in self._called(prefix):
            self._keep(found, self._match(name, self._exact_score(name, prefix), exact=True), None)
        for row in self._beginning_with(wanted):
            self._keep(found, self._match(self._names[row], 80.0, exact=False), None)
        for row in self._with_words_that_begin(wanted):
            self._keep(found, self._match(self._names[row], 60.0, exact=False), None)
        rows, shares = self._alike(_pairs(wanted))
        for row, share in zip(rows.tolist(), shares.tolist(), strict=True):
            self._keep(found, self._match(self._names[row], round(50.0 * share, 2), exact=False), None)
        ranked = sorted(found.values(), key=lambda one: (-one.score, -one.records, one.title, one.label))
        return ranked[skip : skip + limit]

    def _match(self, name: _Name, score: float, *, exact: bool) -> LabelMatch:
        return LabelMatch(
            name.label, self._title(name.label), name.text, name.kind, score, exact, self._records.get(name.label, 0)
        )

    def _title(self, label: str) -> str:
        finder = self._finder
        return finder.shown[label] if finder and label in finder.taxonomy else self._titles.get(label, label)

    def _keep(self, found: dict[str, LabelMatch], match: LabelMatch, among: Collection[str] | None) -> None:
        known = found.get(match.label)
        if (among is None or match.label in among) and (known is None or known.score < match.score):
            found[match.label] = match

    def _called(self, text: str) -> Iterator[_Name]:
        """Yield the names that are equal to a text, or the label whose id it is."""
        bare = text.strip()
        bare = bare[1:-1] if bare.startswith("<") and bare.endswith(">") else bare
        finder = self._finder
        if finder is not None and (is_iri(bare) or bare in finder.taxonomy):
            yield from (_Name(str(node), bare, "id", False) for node in finder.find(bare).nodes)
        elif bare in self._labels:
            yield _Name(bare, bare, "id", False)
        wanted = folded_loosely(text)
        first = bisect.bisect_left(self._sorted, wanted, key=self._folded.__getitem__)
        for row in self._sorted[first:]:
            if self._folded[row] != wanted:
                break
            yield self._names[row]

    def _exact_score(self, name: _Name, text: str) -> float:
        if name.kind == "id":
            return 100.0
        less = _LESS.get(name.kind, 0.0) + _LESS_FOREIGN * name.is_foreign
        same = folded(name.text).rstrip(" .") == folded(text).rstrip(" .")
        return 100.0 - min(3.0, less + (0.0 if same else _LESS_ACCENTS))

    def _beginning_with(self, wanted: str) -> list[int]:
        if not wanted:
            return []
        first = bisect.bisect_left(self._sorted, wanted, key=self._folded.__getitem__)
        last = bisect.bisect_left(self._sorted, wanted + "\U0010ffff", key=self._folded.__getitem__)
        return self._sorted[first:last]

    def _with_words_that_begin(self, wanted: str) -> list[int]:
        ends = [pair for pair in _pairs(wanted) if not pair.endswith(" ")]
        # in paths such as works-with::image there is no space before a word
        pairs = [pair for pair in ends if not pair.startswith(" ")] or ends
        if not pairs:
            return []
        begins = re.compile(rf"(?<![^\W_]){re.escape(wanted)}")
        rows, counts = self._shared(pairs)
        return [row for row in rows[counts == len(pairs)].tolist() if begins.search(self._folded[row])]

    def _alike(self, pairs: Collection[str]) -> tuple[IntArray, np.ndarray]:
        """Return the names with similar pairs of letters, and which share they have: 1 if all are the same."""
        rows, counts = self._shared(pairs)
        shares = 2.0 * counts / (len(pairs) + self._sizes[rows])
        alike = shares >= _ALIKE
        return rows[alike], shares[alike]

    def _shared(self, pairs: Iterable[str]) -> tuple[IntArray, IntArray]:
        """Return the names that have some of these pairs, and how many of them."""
        lists = [self._postings[pair] for pair in pairs if pair in self._postings]
        if not lists:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        counts = np.bincount(np.concatenate(lists), minlength=len(self._names))
        rows = np.flatnonzero(counts)
        return rows, counts[rows]

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(name.label for name in self._names)

    @cached_property
    def _sorted(self) -> list[int]:
        return sorted(range(len(self._folded)), key=self._folded.__getitem__)

    @cached_property
    def _postings(self) -> dict[str, np.ndarray]:
        """For each pair of letters the rows of the names that have it."""
        lists: dict[str, array[int]] = {}
        for row, text in enumerate(self._folded):
            for pair in _pairs(text):
                lists.setdefault(pair, array("I")).append(row)
        return {pair: np.frombuffer(rows, np.uint32) for pair, rows in lists.items()}

    @cached_property
    def _sizes(self) -> IntArray:
        return np.array([len(_pairs(text)) for text in self._folded], np.int64)


def label_lookup(index: OpenedIndex) -> LabelLookup:
    """Return the names of an open index, as they are now."""
    state = (str(index.generation.folder), index.store.changes)
    with _LOCK:
        kept = _LOOKUPS.get(index)
        if kept is None or kept[0] != state:
            kept = _LOOKUPS[index] = state, LabelLookup(index)
        return kept[1]


_LOCK = threading.Lock()
_LOOKUPS: WeakKeyDictionary[OpenedIndex, tuple[tuple[str, int], LabelLookup]] = WeakKeyDictionary()


def _all_names(index: OpenedIndex) -> Iterator[_Name]:
    """Yield the names of the subjects of the vocabulary and of labels that it lacks."""
    vocabulary = index.vocabulary
    for node in () if vocabulary is None else vocabulary.names:
        assert vocabulary is not None
        if not is_iri(str(node)):
            yield _Name(str(node), str(node), "id", False)
        for name in names_of(vocabulary, node):
            foreign = bool(name.language) and not is_in_language(name.language, vocabulary.language)
            yield _Name(str(node), name.text, name.kind, foreign)
    for label in (*index.label_names, *sorted(index.new_labels())):
        if vocabulary is None or label not in vocabulary:
            title = index.label_titles.get(label, label)
            yield _Name(label, title, "preferred" if title != label else "id", False)
            if title != label and not is_iri(label):
                yield _Name(label, label, "id", False)


def _pairs(text: str) -> frozenset[str]:
    """Return the pairs of letters of a folded text, word by word, with a space before and after each word."""
    return frozenset(
        padded[start : start + 2]
        for padded in (f" {word} " for word in text.split())
        for start in range(len(padded) - 1)
    )
