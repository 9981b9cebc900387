"""The names witness: subjects whose names stand in the text, longest names first.

Every name of a subject (preferred, other and hidden names, or the label itself) is split into words as the texts are.
A name counts where all its words follow each other; a name inside a longer one that was found is noted as such. How
often a name that stands in a record names one of its labels (the "keyphraseness" of Maui and of Annif's MLLM) is
counted on records of the collection. A subject needs no records to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns
from tacit.text.words import Words
from tacit.types import Array, Float32Array, IntArray

__all__ = ["KINDS", "NameMatch", "NamesWitness", "own_name"]

KINDS = ("preferred", "other", "hidden")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")  # "bass (fish)" is called bass
_SIMILAR = 5  # candidates by words shared with the name
_PRIOR = 2.0  # records of a name are not believed before there are some
_MOST_WORDS = 3_000  # of a text that are searched for names


def own_name(label: str) -> str:
    """Return the name of a label that has no other: the last part of a path; "" for an address."""
    return "" if "://" in label else label.rpartition("/")[2]


class NameMatch(NamedTuple):
    """A subject whose name stands in a text: how often, where first, and which name."""

    subject: int
    n_times: int
    first: float
    spread: float
    n_words: int
    n_meanings: int
    inside: bool
    kind: int


class NamesWitness(Witness):
    """Finds names in texts.

    Parameters
    ----------
    words : how texts become words
    names : words of each name, as a tuple of terms
    subjects, kinds : what each name names, and the kind of the name, a place in `KINDS`
    found, right : for each subject, records in which a name of it was found, and those of them that have it as a label
    vectors : (n_terms, n_subjects) sparse, the weights of the words of the preferred names at unit length
    """

    name = "names"
    feature_names = (
        "name_count", "name_first", "name_spread", "name_words", "name_meanings", "name_inside", "name_kind",
        "name_right_share", "name_found_records", "name_cosine",
    )  # fmt: skip

    def __init__(
        self,
        words: Words,
        names: Sequence[tuple[str, ...]],
        subjects: Array,
        kinds: Array,
        found: Array,
        right: Array,
        vectors: Any,
    ) -> None:
        self.words, self.names = words, names
        self.subjects, self.kinds, self.found, self.right = subjects, kinds, found, right
        self.vectors = vectors
        self.halves: tuple[Array, Array] | None = None  # `found` and `right` of even and odd records, for training
        self.learned = np.zeros((2, len(found)), np.int32)  # the part of `found` and `right` that is from corrections
        self._by_name: dict[tuple[str, ...], list[int]] = {}
        longest: dict[str, int] = {}
        for number, name in enumerate(names):
            self._by_name.setdefault(name, []).append(number)
            longest[name[0]] = max(longest.get(name[0], 0), len(name))
        self._longest = longest

    @classmethod
    def of_names(cls, words: Words, names: Iterable[tuple[int, str, int]], n_subjects: int) -> Self:
        """Split names into words; each comes with its subject and its kind."""
        split, subjects, kinds = [], [], []
        preferred: dict[int, str] = {}
        seen: set[tuple[tuple[str, ...], int]] = set()
        for subject, name, kind in names:
            if kind == 0:
                preferred.setdefault(subject, name)
            for form in dict.fromkeys((name, _QUALIFIER.sub("", name))):
                parts = tuple(words.analyse.single_words(form))
                if parts and (parts, subject) not in seen:
                    seen.add((parts, subject))
                    split.append(parts)
                    subjects.append(subject)
                    kinds.append(kind)
        rows = words.transform(preferred.get(subject, "") for subject in range(n_subjects))
        zeros = np.zeros(n_subjects, np.int32)
        whose, which = np.array(subjects, np.int32), np.array(kinds, np.int8)
        return cls(words, split, whose, which, zeros, zeros.copy(), sp.csr_array(rows.T))

    def with_names(self, names: Sequence[tuple[int, str, int]]) -> NamesWitness:
        """Return a witness that knows further names; each comes with its subject and its kind."""
        if not names:
            return self
        parts = [(tuple(self.words.analyse.single_words(name)), subject, kind) for subject, name, kind in names]
        parts = [part for part in parts if part[0]]
        return NamesWitness(
            self.words,
            [*self.names, *(part[0] for part in parts)],
            np.concatenate([self.subjects, np.array([part[1] for part in parts], np.int32)]),
            np.concatenate([self.kinds, np.array([part[2] for part in parts], np.int8)]),
            self.found,
            self.right,
            self.vectors,
        )

    def count_right(self, records: IntArray, texts: Sequence[str], labels: Any) -> None:
        """Count how often the names that stand in records name their labels, in even and odd numbers of `records`."""
        found, right = (np.zeros((2, len(self.found)), np.int32) for _ in range(2))
        starts, columns = labels.indptr, labels.indices
        for row, (number, text) in enumerate(zip(records.tolist(), texts, strict=True)):
            own = set(columns[starts[row] : starts[row + 1]].tolist())
            for match in self.matches(text):
                found[number % 2, match.subject] += 1
                right[number % 2, match.subject] += match.subject in own
        self.halves = found, right
        self.found, self.right = found.sum(axis=0).astype(np.int32), right.sum(axis=0).astype(np.int32)

    def without_learned(self) -> NamesWitness:
        """Return a witness that has counted no corrections."""
        before = copy(self)
        before.found, before.right = self.found - self.learned[0], self.right - self.learned[1]
        before.learned = np.zeros_like(self.learned)
        return before

    def with_corrections(
        self, texts: Sequence[str], accepted: Sequence[set[int]], rejected: Sequence[set[int]], n_subjects: int
    ) -> NamesWitness:
        """Return a witness that has counted corrections, in place of those that it had counted before.

        In a text without accepted subjects, only names of rejected ones count.
        """
        after, learned = self.without_learned(), np.zeros((2, n_subjects), np.int32)
        for text, own, refused in zip(texts, accepted, rejected, strict=True):
            for match in self.matches(text):
                if own or match.subject in refused:
                    learned[:, match.subject] += (1, match.subject in own)
        after.learned = learned
        after.found, after.right = learned.copy()
        after.found[: len(self.found)] += self.found - self.learned[0]
        after.right[: len(self.right)] += self.right - self.learned[1]
        return after

    def matches(self, text: str) -> list[NameMatch]:
        """Return the subjects whose names stand in a text."""
        parts = self.words.analyse.single_words(text)[:_MOST_WORDS]
        n_parts = max(1, len(parts))
        covered = np.zeros(len(parts), bool)
        spots = []
        for start, word in enumerate(parts):
            for length in range(min(self._longest.get(word, 0), len(parts) - start), 0, -1):
                numbers = self._by_name.get(tuple(parts[start : start + length]))
                if numbers:
                    spots.append((length, start, numbers))
        spots.sort(key=lambda spot: -spot[0])
        seen: dict[int, list[Any]] = {}
        for length, start, numbers in spots:
            inside = bool(covered[start : start + length].all())
            covered[start : start + length] = True
            n_meanings = len({int(self.subjects[number]) for number in numbers})
            for number in numbers:
                subject = int(self.subjects[number])
                known = seen.get(subject)
                if known is None:
                    seen[subject] = [1, start, start, length, n_meanings, inside, int(self.kinds[number])]
                else:
                    known[0] += 1
                    known[1], known[2] = min(known[1], start), max(known[2], start)
        return [
            NameMatch(subject, count, first / n_parts, (last - first) / n_parts, *rest)
            for subject, (count, first, last, *rest) in seen.items()
        ]

    def found_name(self, match: NameMatch, texts: Sequence[str] | None) -> str:
        """Return the words of the name as they stand in the first of the texts."""
        if not texts:
            return ""
        start = round(match.first * max(1, len(self.words.analyse.single_words(texts[0]))))
        return " ".join(self.words.analyse.plain_words(texts[0])[start : start + match.n_words])

    def hear(self, asked: AskedTexts) -> NamesTestimony:
        """Consider a block of texts."""
        return NamesTestimony(self, asked)

    def save(self, writer: GenerationWriter) -> None:
        """Write the names into a new generation."""
        terms = sorted({word for name in self.names for word in name})
        number = {word: place for place, word in enumerate(terms)}
        lengths = np.array([len(name) for name in self.names], np.int64)
        writer.save_facts("name_words", terms)
        writer.save_array("name_starts", np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
        writer.save_array("name_words", np.array([number[word] for name in self.names for word in name], np.int32))
        for part in ("subjects", "kinds", "found", "right"):
            writer.save_array(f"name_{part}", getattr(self, part))
        if self.learned.any():
            writer.save_array("learned_found", self.learned[0])
            writer.save_array("learned_right", self.learned[1])
        vectors = sp.csr_array(self.vectors)
        parts = {"values": vectors.data, "columns": vectors.indices, "starts": vectors.indptr}
        for part, array in parts.items():
            writer.save_array(f"name_vector_{part}", array)

    @classmethod
    def of_generation(cls, generation: Generation, words: Words, vectors: Any) -> Self:
        """Open the names of an index."""
        terms = generation.facts("name_words")
        starts, numbers = generation.array("name_starts").tolist(), generation.array("name_words").tolist()
        names = [tuple(terms[number] for number in numbers[start:end]) for start, end in pairwise(starts)]
        subjects, kinds, found, right = (
            np.asarray(generation.array(f"name_{part}")) for part in ("subjects", "kinds", "found", "right")
        )
        witness = cls(words, names, subjects, kinds, found, right, vectors)
        if "learned_found" in generation.arrays:
            witness.learned = np.array([generation.array(f"learned_{part}") for part in ("found", "right")], np.int32)
        return witness


class NamesTestimony(Testimony):
    """The names that stand in each text."""

    def __init__(self, witness: NamesWitness, asked: AskedTexts) -> None:
        self.width = asked.n_subjects
        self.n_features = len(NamesWitness.feature_names)
        keys, values = [], []
        for text, matched in enumerate(asked.texts or []):
            for match in witness.matches(matched):
                subject = match.subject
                is_counted = subject < len(witness.found)
                found = float(witness.found[subject]) if is_counted else 0.0
                right = float(witness.right[subject]) if is_counted else 0.0
                if witness.halves is not None and asked.records is not None and is_counted:
                    # only the other half of the records counts, for which this one is new: were the record alone left
                    # out, the ranker could tell its labels by the exact numbers
                    other = 1 - int(asked.records[text]) % 2
                    found, right = (float(counts[other, subject]) for counts in witness.halves)
                share = right / (found + _PRIOR)
                keys.append(text * self.width + subject)
                values.append((*match[1:], share, found))
        order = np.argsort(np.array(keys, np.int64), kind="stable")
        self.keys = np.array(keys, np.int64)[order]
        self.values = np.array(values, np.float32).reshape(len(keys), self.n_features - 1)[order]
        self.cosines = sp.csr_array(sp.csr_array(asked.rows) @ witness.vectors)
        self.similar = best_columns(self.cosines, _SIMILAR)
        self.dense = self.cosines.toarray()

    def candidates(self) -> list[IntArray]:
        """Return the subjects whose names were found, and a few with similar names."""
        texts, subjects = self.keys // self.width, self.keys % self.width
        places = np.searchsorted(texts, np.arange(len(self.similar) + 1))
        return [
            np.union1d(subjects[first:last], near)
            for first, last, near in zip(places[:-1], places[1:], self.similar, strict=True)
        ]

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return what is known of the names; −1 where none was found."""
        found = np.full((len(text), self.n_features), -1, np.float32)
        if len(self.keys):
            keys = text * self.width + subject
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            hits = self.keys[places] == keys
            found[hits, :-1] = self.values[places[hits]]
        inside = subject < self.dense.shape[1]
        found[:, -1] = 0
        found[inside, -1] = self.dense[text[inside], subject[inside]]
        return found
