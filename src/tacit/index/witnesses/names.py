"""The names witness: subjects whose names stand in the text, longest names first.

Every name of a subject (preferred, other and hidden names, or the label itself) is split into words as the texts are,
but stop words, single letters and numbers count: "vitamin K" is not every vitamin. A name counts where all its words
follow each other, or those of at least two that are no stop words, which is noted as inexact; a name inside a longer
one that was found is noted as such, and so is whether a name stands there as it is written or in another form: blinds
are not the blind. Names of which the text has a part, or words that begin as theirs do, are candidates too. How often a
name that stands in a record names one of its labels (the "keyphraseness" of Maui and of Annif's MLLM) is counted on
records of the collection. A subject needs no records to be found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import Any, NamedTuple, Self
from zlib import crc32

import numpy as np
import scipy.sparse as sp

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import check_numbers, check_starts
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns
from tacit.text.analysis import Analyser
from tacit.text.words import Words
from tacit.types import Array, Float32Array, IntArray

__all__ = ["KINDS", "NameMatch", "NamesTestimony", "NamesWitness", "own_name"]

KINDS = ("preferred", "other", "hidden")
_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")  # "bass (fish)" is called bass
_SIMILAR, _IN_PART = 5, 5  # candidates by words shared with the name, and by rare words of it
_PRIOR = 2.0  # records of a name are not believed before there are some
_MOST_WORDS = 3_000  # of a text that are searched for names
_HALVES = 2.0
_FEWEST_RECORDS = 2  # of a word: one of a single record is not known, and a record's own words must not tell
_LEAST_SHARE = 0.3  # of a name that stands in the text in part
_LEAST_START = 5  # letters with which two words begin that are taken for forms of one: "Euphorbia", "Euphorbiaceae"
_LEAST_ALIKE = 0.5  # of the longer word that are the same from the start
_OF_WORDS = 6  # numbers that need no name in the text
_EXACT = 7  # place of `NameMatch.exact` without the subject, and with the last place beside the first


def own_name(label: str) -> str:
    """Return the name of a label that has no other: the last part of a path; "" for an address."""
    return "" if "://" in label else label.rpartition("/")[2]


class NameMatch(NamedTuple):
    """A subject whose name stands in a text.

    How often, where first, which name, whether with all its words, how much of the text it is, and how many records
    have its rarest word: a rare word is rarely there by chance. Then, whether the name stands there as it is written.
    """

    subject: int
    n_times: int
    first: float
    spread: float
    n_words: int
    n_meanings: int
    inside: bool
    kind: int
    exact: bool = True
    cover: float = 0.0
    rarest: int = 0
    as_written: bool = True


class NamesWitness(Witness):
    """Finds names in texts.

    Parameters
    ----------
    words : how texts become words
    names : words of each name, as a tuple of terms
    subjects, kinds : what each name names, and the kind of the name, a place in `KINDS`
    exact : whether all words of a name are given, or those alone that are no stop words, single letters or numbers
    written : a number for the words of each name as they are written, before stemming; 0 if that is not known
    found, right : for each subject, records in which a name of it was found, and those of them that have it as a label
    vectors : (n_terms, n_subjects) sparse, the weights of the words of the preferred names at unit length
    n_records : number of records of the build, whose words were counted
    """

    name = "names"
    feature_names = (
        "name_count", "name_first", "name_spread", "name_words", "name_meanings", "name_inside", "name_kind",
        "name_exact", "name_cover", "name_as_written", "name_rarest", "name_right_share", "name_found_records",
        "name_cosine", "name_known_share", "name_part_share", "name_part_weight", "name_alike_share",
        "name_alike_weight",
    )  # fmt: skip

    def __init__(
        self,
        words: Words,
        names: Sequence[tuple[str, ...]],
        subjects: Array,
        kinds: Array,
        exact: Array,
        written: Array,
        found: Array,
        right: Array,
        vectors: Any,
        n_records: int = 0,
    ) -> None:
        self.words, self.names, self.n_records = words, names, n_records
        self.subjects, self.kinds, self.exact, self.written = subjects, kinds, exact, written
        self.found, self.right = found, right
        self.vectors = vectors
        self.squares = sp.csr_array(vectors).power(2)  # shares of the words of each name
        self.halves: tuple[Array, Array] | None = None  # `found` and `right` of even and odd records, for training
        self.learned = np.zeros((2, len(found)), np.int32)  # the part of `found` and `right` that is from corrections
        is_exact = np.asarray(exact, bool)
        self._exact, self._inexact = _Lookup(names, np.flatnonzero(is_exact)), _Lookup(names, np.flatnonzero(~is_exact))

    @classmethod
    def of_names(cls, words: Words, names: Iterable[tuple[int, str, int]], n_subjects: int, n_records: int = 0) -> Self:
        """Split names into words; each comes with its subject and its kind."""
        given = list(names)
        preferred: dict[int, str] = {}
        for subject, name, kind in given:
            if kind == 0:
                preferred.setdefault(subject, name)
        rows = words.transform(preferred.get(subject, "") for subject in range(n_subjects))
        zeros = np.zeros(n_subjects, np.int32)
        return cls(words, *_split(words.analyse, given), zeros, zeros.copy(), sp.csr_array(rows.T), n_records)

    def with_names(self, names: Sequence[tuple[int, str, int]]) -> NamesWitness:
        """Return a witness that knows further names; each comes with its subject and its kind."""
        if not names:
            return self
        split, *arrays = _split(self.words.analyse, names)
        known = (self.subjects, self.kinds, self.exact, self.written)
        subjects, kinds, exact, written = (np.concatenate(pair) for pair in zip(known, arrays, strict=True))
        counted = (self.found, self.right, self.vectors, self.n_records)
        return NamesWitness(self.words, [*self.names, *split], subjects, kinds, exact, written, *counted)

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
        words, written = (part[:_MOST_WORDS] for part in self.words.analyse.all_words(text))
        n_parts = max(1, len(words))
        counted = [place for place, word in enumerate(written) if self.words.analyse.is_counted(word)]
        spots = [(start, start + length, True, numbers) for start, length, numbers in self._exact.spots(words)]
        for start, length, numbers in self._inexact.spots([words[place] for place in counted]):
            spots.append((counted[start], counted[start + length - 1] + 1, False, numbers))
        spots.sort(key=lambda spot: (-len(self.names[spot[3][0]]), not spot[2]))
        covered = np.zeros(len(words), bool)
        seen: dict[int, list[Any]] = {}
        for start, end, exact, numbers in spots:
            inside = bool(covered[start:end].all())
            covered[start:end] = True
            n_meanings = len({int(self.subjects[number]) for number in numbers})
            as_written = _number_of(written[start:end])
            for number in numbers:
                subject, n_words = int(self.subjects[number]), len(self.names[number])
                known = seen.get(subject)
                if known is None:
                    what = n_words, n_meanings, inside, int(self.kinds[number]), exact
                    rest = (end - start) / n_parts, self._rarest(self.names[number])
                    seen[subject] = [1, start, start, *what, *rest, False]
                elif exact or not known[_EXACT]:  # where a name stands exactly, it stands inexactly as well
                    known[0] += 1
                    known[1], known[2] = min(known[1], start), max(known[2], start)
                seen[subject][-1] |= self.written[number] in (0, as_written)
        return [
            NameMatch(subject, count, first / n_parts, (last - first) / n_parts, *rest)
            for subject, (count, first, last, *rest) in seen.items()
        ]

    def _rarest(self, name: tuple[str, ...]) -> int:
        """Return the number of records with the rarest word of a name; stop words, letters and numbers do not count."""
        counted = [word for word in name if self.words.analyse.is_counted(word)] or name
        return min(self.words.record_count(word, self.n_records) for word in counted)

    def words_of(self, subject: int) -> frozenset[int]:
        """Return the words of the preferred name of a subject, as columns."""
        part = slice(*self._by_subject.indptr[subject : subject + 2].tolist())
        return frozenset(self._by_subject.indices[part][self._by_subject.data[part] > 0].tolist())

    def unknown_words(self, subject: int, texts: Sequence[str] | None) -> list[str]:
        """Return the words of the first text that stand in a name of a subject and are no words of the collection."""
        if not texts:
            return []
        analyse = self.words.analyse
        stems, written = analyse.all_words(texts[0])
        own = {word for number in np.flatnonzero(self.subjects == subject).tolist() for word in self.names[number]}
        both = zip(stems, written, strict=True)
        return list(
            {
                stem: word
                for stem, word in both
                if stem in own and stem not in self.words.columns and analyse.is_counted(word)
            }.values()
        )

    def alike_words(self, subject: int, texts: Sequence[str] | None) -> list[str]:
        """Return the words of the first text that begin as a word of a name of a subject does."""
        own = {word for number in np.flatnonzero(self.subjects == subject).tolist() for word in self.names[number]}
        both = zip(*self.words.analyse.all_words(texts[0]), strict=True) if texts else ()
        return list(dict.fromkeys(word for stem, word in both if not own.isdisjoint(self.parts.forms(stem))))

    @cached_property
    def parts(self) -> _NameParts:
        """The words of all names, to find names that stand in a text in part."""
        numbers = np.flatnonzero(np.asarray(self.exact, bool))
        names = [self.names[number] for number in numbers.tolist()]
        return _NameParts(self.words, names, np.asarray(self.subjects)[numbers], self.n_records)

    @cached_property
    def _by_subject(self) -> sp.csc_array:
        return sp.csc_array(self.vectors)

    def found_name(self, match: NameMatch, texts: Sequence[str] | None) -> str:
        """Return the words of the name as they stand in the first of the texts."""
        if not texts:
            return ""
        written = self.words.analyse.all_words(texts[0])[1][:_MOST_WORDS]
        start = round(match.first * max(1, len(written)))
        return " ".join(written[start : start + round(match.cover * len(written))])

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
        for part in ("subjects", "kinds", "exact", "written", "found", "right"):
            writer.save_array(f"name_{part}", getattr(self, part))
        if self.learned.any():
            writer.save_array("learned_found", self.learned[0])
            writer.save_array("learned_right", self.learned[1])
        vectors = sp.csr_array(self.vectors)
        parts = {"values": vectors.data, "columns": vectors.indices, "starts": vectors.indptr}
        for part, array in parts.items():
            writer.save_array(f"name_vector_{part}", array)
        writer.save_array("name_records", np.array([self.n_records]))

    @classmethod
    def of_generation(cls, generation: Generation, words: Words, vectors: Any) -> Self:
        """Open the names of an index."""
        terms = generation.facts("name_words")
        check_numbers(generation, "name_words", len(terms))
        check_numbers(generation, "name_subjects", vectors.shape[1])
        check_starts(
            generation, "name_starts", len(generation.array("name_subjects")), len(generation.array("name_words"))
        )
        starts, numbers = generation.array("name_starts").tolist(), generation.array("name_words").tolist()
        names = [tuple(terms[number] for number in numbers[start:end]) for start, end in pairwise(starts)]
        subjects, kinds, found, right = (
            np.asarray(generation.array(f"name_{part}")) for part in ("subjects", "kinds", "found", "right")
        )
        # before names were matched by all their words, none was exact
        exact = np.asarray(generation.arrays.get("name_exact", np.zeros(len(names), bool)), bool)
        written = np.asarray(generation.arrays.get("name_written", np.zeros(len(names), np.uint32)))
        n_records = int(np.ravel(generation.arrays.get("name_records", np.zeros(1)))[0])
        if n_records < 0:
            raise ValueError(f"names of {n_records} records")
        sizes = [len(subjects), len(kinds), len(exact), len(written)]
        if sizes != 4 * [len(names)] or not len(found) == len(right) == vectors.shape[1]:
            raise ValueError("names with facts of others")
        witness = cls(words, names, subjects, kinds, exact, written, found, right, vectors, n_records)
        if "learned_found" in generation.arrays:
            witness.learned = np.array([generation.array(f"learned_{part}") for part in ("found", "right")], np.int32)
        return witness


class _Lookup:
    """Finds names in a list of words."""

    def __init__(self, names: Sequence[tuple[str, ...]], numbers: IntArray) -> None:
        self._by_name: dict[tuple[str, ...], list[int]] = {}
        self._longest: dict[str, int] = {}
        for number in numbers.tolist():
            name = names[number]
            self._by_name.setdefault(name, []).append(number)
            self._longest[name[0]] = max(self._longest.get(name[0], 0), len(name))

    def spots(self, words: Sequence[str]) -> Iterator[tuple[int, int, list[int]]]:
        """Yield where names begin, how many words they have, and their numbers."""
        for start, word in enumerate(words):
            for length in range(min(self._longest.get(word, 0), len(words) - start), 0, -1):
                numbers = self._by_name.get(tuple(words[start : start + length]))
                if numbers:
                    yield start, length, numbers


class _PartTable:
    """Shares of names in texts, for pairs of a text and a subject.

    Parameters
    ----------
    keys : text · number of subjects + subject, ascending
    shares, weights : the share of a name, and Σ w² of its words in the text
    """

    def __init__(self, keys: IntArray, shares: Float32Array, weights: Float32Array) -> None:
        self.keys, self.shares, self.weights = keys, shares, weights

    def of(self, keys: IntArray) -> tuple[Float32Array, Float32Array]:
        """Return shares and weights of pairs; 0 for pairs that are not in the table."""
        found = np.zeros((2, len(keys)), np.float32)
        if len(self.keys):
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            known = self.keys[places] == keys
            found[0, known], found[1, known] = self.shares[places[known]], self.weights[places[known]]
        return found[0], found[1]

    def best(self, n_texts: int, width: int, limit: int) -> list[IntArray]:
        """Return the subjects of each text whose names have the most and rarest words in it."""
        starts = np.searchsorted(self.keys, np.arange(n_texts + 1) * width)
        found, score = [], self.shares * self.weights
        for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            named = self.keys[first:last] % width
            if len(named) > limit:
                named = named[np.argpartition(-score[first:last], limit - 1)[:limit]]
            found.append(named)
        return found


class _NameParts:
    """The words of all names, by word: "Tigrinya texts" speak for "Tigrinya language", "language" does not.

        share of a name = Σ over its words that stand in the text of w² / Σ over all its words of w²,
        w = 1 + log((1 + N) / (1 + N_w)),  N_w the records that contain the word, at least 2

    Words of which the collection knows nothing count as the rarest ones: names of subjects that no record has often
    consist of such words. Stop words, single letters and numbers have w = 1. The largest share of its names counts.

    Words that begin alike may be forms of one that no stemmer joins, "Euphorbia" and "Euphorbiaceae": asked for, they
    count as well, by the square of the share of the longer word that is the same.

    Parameters
    ----------
    words : how texts become words, and in how many records each stands
    names, subjects : words of each name, and the subject that it names
    n_records : number of records whose words were counted
    """

    def __init__(self, words: Words, names: Sequence[tuple[str, ...]], subjects: Array, n_records: int) -> None:
        self._columns: dict[str, int] = {}
        rows, columns = [], []
        for number, name in enumerate(names):
            for word in dict.fromkeys(name):
                rows.append(number)
                columns.append(self._columns.setdefault(word, len(self._columns)))
        weights = [_weight(words, word, n_records) for word in self._columns]
        squares = np.array(weights, np.float32) ** 2
        self._by_word = sp.csr_array((squares[columns], (columns, rows)), (len(squares), len(names)))
        self._totals: Float32Array = np.asarray(self._by_word.sum(axis=0)).ravel()
        self._subjects = np.asarray(subjects, np.int64)
        self._by_start: dict[str, list[str]] = {}
        for word in self._columns:
            if len(word) >= _LEAST_START:
                self._by_start.setdefault(word[:_LEAST_START], []).append(word)
        self._stop_words = words.analyse.stop_words
        self.forms = lru_cache(maxsize=100_000)(self._alike)

    def of_texts(self, texts: Iterable[Iterable[str]], width: int, *, alike: bool = False) -> _PartTable:
        """Return the shares of names in texts, which are given as their words; with `alike`, also by similar words."""
        known = [self._known(text, alike) for text in texts]
        starts = np.cumsum([0, *map(len, known)])
        columns = np.array([column for each in known for column in each], np.int64)
        counted = np.array([share for each in known for share in each.values()], np.float32)
        present = sp.csr_array((counted, columns, starts), (len(known), len(self._columns)))
        found = sp.csr_array(present @ self._by_word)
        text = np.repeat(np.arange(len(known)), np.diff(found.indptr))
        shares = found.data / self._totals[found.indices]
        kept = np.flatnonzero(shares >= _LEAST_SHARE)
        keys = text[kept] * width + self._subjects[found.indices[kept]]
        order = kept[np.lexsort((-found.data[kept], -shares[kept], keys))]
        keys = np.sort(keys)
        first = np.concatenate([[True], keys[1:] != keys[:-1]]) if len(keys) else np.empty(0, bool)
        return _PartTable(keys[first], shares[order[first]], found.data[order[first]])

    def _known(self, text: Iterable[str], alike: bool) -> dict[int, float]:
        """Return the words of names that stand in a text, as columns, and how far they count."""
        words = {word for word in text if word in self._columns}
        found = {self._columns[word]: 1.0 for word in words}
        if alike:
            for word in set(text) - self._stop_words:
                for other, share in self.forms(word).items():
                    found[self._columns[other]] = max(share, found.get(self._columns[other], 0.0))
        return dict(sorted(found.items()))

    def _alike(self, word: str) -> dict[str, float]:
        """Return the words of names that begin as a word does, and how far they count."""
        found = {}
        for other in self._by_start.get(word[:_LEAST_START], ()) if len(word) >= _LEAST_START else ():
            same = takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False))
            share = sum(1 for _ in same) / max(len(word), len(other))
            if share >= _LEAST_ALIKE:
                found[other] = share * share
        return found


def _weight(words: Words, word: str, n_records: int) -> float:
    if not words.analyse.is_counted(word):
        return 1.0
    return 1 + math.log((1 + n_records) / (1 + max(_FEWEST_RECORDS, words.record_count(word, n_records))))


def _split(
    analyse: Analyser, names: Iterable[tuple[int, str, int]]
) -> tuple[list[tuple[str, ...]], Array, Array, Array, Array]:
    """Split names into words, with their subjects and kinds, whether all their words are given, and as written."""
    seen: dict[tuple[tuple[str, ...], int, bool], tuple[int, int]] = {}
    for subject, name, kind in names:
        for form in dict.fromkeys((name, _QUALIFIER.sub("", name))):
            words, written = analyse.all_words(form)
            if words:
                seen.setdefault((tuple(words), subject, True), (kind, _number_of(written)))
            counted = [word for word, plain in zip(words, written, strict=True) if analyse.is_counted(plain)]
            only_stop_words = all(analyse.is_counted(word) or word in analyse.stop_words for word in written)
            if len(counted) > 1 and only_stop_words:
                seen.setdefault((tuple(counted), subject, False), (kind, _number_of(written)))
    subjects, exact = (np.array([key[place] for key in seen]) for place in (1, 2))
    kinds, numbers = (np.array([value[place] for value in seen.values()]) for place in (0, 1))
    arrays = subjects.astype(np.int32), kinds.astype(np.int8), exact.astype(bool), numbers.astype(np.uint32)
    return [key[0] for key in seen], *arrays


def _number_of(written: Sequence[str]) -> int:
    """Return a number for words as they are written, which is hardly ever that of others, and not 0."""
    return crc32(" ".join(written).encode()) or 1


class NamesTestimony(Testimony):
    """The names that stand in each text."""

    def __init__(self, witness: NamesWitness, asked: AskedTexts) -> None:
        self.width = asked.n_subjects
        self.n_features = len(NamesWitness.feature_names)
        keys, values = [], []
        self.matches = [witness.matches(text) for text in asked.texts or []]
        for text, matched in enumerate(self.matches):
            for match in matched:
                subject = match.subject
                is_counted = subject < len(witness.found)
                found = float(witness.found[subject]) if is_counted else 0.0
                right = float(witness.right[subject]) if is_counted else 0.0
                if witness.halves is not None and asked.records is not None and is_counted:
                    # only the other half of the records counts, for which this one is new: were the record alone left
                    # out, the ranker could tell its labels by the exact numbers; for new texts both halves count
                    other = 1 - int(asked.records[text]) % 2
                    found, right = (_HALVES * float(counts[other, subject]) for counts in witness.halves)
                of_build = asked.records is not None and asked.records[text] < witness.n_records
                rarest = match.rarest - of_build  # its own words do not count
                if rarest <= 1:
                    rarest = 0  # for new texts, a word that one record has is not known
                share = right / (found + _PRIOR)
                keys.append(text * self.width + subject)
                values.append((*match[1:-2], match.as_written, rarest, share, found))
        order = np.argsort(np.array(keys, np.int64), kind="stable")
        self.keys = np.array(keys, np.int64)[order]
        self.values = np.array(values, np.float32).reshape(len(keys), self.n_features - _OF_WORDS)[order]
        rows = sp.csr_array(asked.rows)
        self.cosines = sp.csr_array(rows @ witness.vectors)
        present = sp.csr_array((np.ones_like(rows.data), rows.indices, rows.indptr), rows.shape)
        self.known = sp.csr_array(present @ witness.squares).toarray()
        self.similar = best_columns(self.cosines, _SIMILAR)
        self.dense = self.cosines.toarray()
        written = [witness.words.analyse.all_words(text)[0][:_MOST_WORDS] for text in asked.texts or []]
        self.parts = witness.parts.of_texts(written, self.width)
        self.alike = witness.parts.of_texts(written, self.width, alike=True)
        self.in_part = self.parts.best(len(self.similar), self.width, _IN_PART)
        self.in_form = self.alike.best(len(self.similar), self.width, _IN_PART)

    def candidates(self) -> list[IntArray]:
        """Return the subjects whose names were found, and a few with similar names."""
        texts, subjects = self.keys // self.width, self.keys % self.width
        places = np.searchsorted(texts, np.arange(len(self.similar) + 1))
        return [
            np.unique(np.concatenate([subjects[first:last], *others]))
            for first, last, *others in zip(
                places[:-1], places[1:], self.similar, self.in_part, self.in_form, strict=True
            )
        ]

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return what is known of the names; −1 where none was found."""
        found = np.full((len(text), self.n_features), -1, np.float32)
        keys = text * self.width + subject
        if len(self.keys):
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            hits = self.keys[places] == keys
            found[hits, :-_OF_WORDS] = self.values[places[hits]]
        inside = subject < self.dense.shape[1]
        found[:, -_OF_WORDS:] = 0
        found[inside, -6] = self.dense[text[inside], subject[inside]]
        found[inside, -5] = self.known[text[inside], subject[inside]]
        found[:, -4], found[:, -3] = self.parts.of(keys)
        found[:, -2], found[:, -1] = self.alike.of(keys)
        return found
