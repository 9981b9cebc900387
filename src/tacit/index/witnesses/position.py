"""The position witness: subjects whose records lie near the text in the space, and linear scores of frequent ones.

A subject lies at the mean position of its records. If there are few enough labels, each also has a linear score, by the
classifier that `LabelHead` trains.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.index.suggester import Suggester
from tacit.index.witnesses.asked import AskedTexts, Testimony, Witness, best_columns, unit_rows
from tacit.types import Array, Float32Array, IntArray

__all__ = ["PositionTestimony", "PositionWitness"]

_CANDIDATES, _BY_SCORE = 10, 30
_UNSCORED = -100.0  # below every score
_COMPARED_NUMBERS = 4_000_000  # subjects x dimensions that are compared with every text; beyond, only candidates are


class PositionWitness(Witness):
    """Compares positions.

    Parameters
    ----------
    places : (n_subjects, k), mean position of the records of each subject
    counts : (n_subjects,), their number
    records : (n_records, k), positions of the records, to leave one out; None if no records are asked about
    first : number of the first of these records
    head : linear scores of frequent subjects, optional
    scored : numbers of the subjects that it scores
    left_out : (n_records, n_scored) scores of the records by classifiers that did not see them, for training
    """

    name = "position"
    feature_names = ("place_cosine", "place_cosine_to_best", "score", "score_to_best", "score_probability")

    def __init__(
        self,
        places: Array,
        counts: Array,
        *,
        records: Array | None = None,
        first: int = 0,
        head: Suggester | None = None,
        scored: Array | None = None,
        left_out: Array | None = None,
    ) -> None:
        self.places, self.counts, self.records, self.first = places, counts, records, first
        self.head, self.left_out = head, left_out
        self.scored = np.empty(0, np.int64) if scored is None else np.asarray(scored, np.int64)
        self.units = unit_rows(places)

    def remembering(self, records: Array, first: int) -> PositionWitness:
        """Return a witness that can leave out each of some records, the number of the first of which is given."""
        return PositionWitness(
            self.places, self.counts, records=records, first=first, head=self.head, scored=self.scored
        )

    def changed(self, labels: Any, places: Array, signs: Array) -> PositionWitness:
        """Return the places with some records more and others less; `signs` is 1 or −1 for each of them."""
        n_known, k = self.places.shape
        width = max(n_known, int(labels.indices.max(initial=-1)) + 1)
        counts, sums = np.zeros(width, np.float32), np.zeros((width, k), np.float32)
        counts[:n_known] = self.counts[:n_known]
        sums[:n_known] = self.places * counts[:n_known, None]
        record = np.repeat(np.arange(len(signs)), np.diff(labels.indptr))
        np.add.at(sums, labels.indices, (np.asarray(places) * np.asarray(signs, np.float32)[:, None])[record])
        counts += np.bincount(labels.indices, np.asarray(signs)[record], minlength=width)
        sums[counts < 0.5] = 0  # without the rounding error, which would be a direction
        means = sums / np.maximum(counts, 1)[:, None]
        return PositionWitness(means, counts, head=self.head, scored=self.scored)

    def hear(self, asked: AskedTexts) -> PositionTestimony:
        """Consider a block of texts."""
        return PositionTestimony(self, asked)

    def without_own(self, asked: AskedTexts, units: Float32Array, text: IntArray, subject: IntArray) -> Float32Array:
        """Return the cosines of records that are asked about with the places of their own labels without them."""
        assert self.records is not None
        assert asked.records is not None
        counts = self.counts[subject].astype(np.float32)[:, None]
        rest = counts * self.places[subject] - self.records[asked.records[text] - self.first]
        found = np.einsum("ij,ij->i", units[text], unit_rows(rest)) * (counts.ravel() > 1)
        return np.asarray(found, np.float32)


class PositionTestimony(Testimony):
    """Cosines and scores of a block of texts."""

    def __init__(self, witness: PositionWitness, asked: AskedTexts) -> None:
        self.witness, self.asked = witness, asked
        self.units = unit_rows(asked.positions)
        self.compared: Float32Array | None = None
        if witness.places.size <= _COMPARED_NUMBERS:
            self.compared = np.asarray(self.units @ witness.units.T)
            if asked.own is not None and witness.records is not None:
                text, subject = (each.astype(np.int64) for each in asked.own.nonzero())
                self.compared[text, subject] = witness.without_own(asked, self.units, text, subject)
        self.scores: Any = None
        if witness.head is not None:
            if witness.left_out is not None and asked.records is not None:
                self.scores = np.asarray(witness.left_out[asked.records], np.float32)
            else:
                self.scores = np.asarray(witness.head.scores(asked.positions, asked.rows), np.float32)

    def candidates(self) -> list[IntArray]:
        """Return the nearest subjects, and those with the highest scores."""
        found = [np.empty(0, np.int64)] * len(self.asked)
        if self.compared is not None:
            found = best_columns(self.compared, _CANDIDATES)
        if self.scores is not None:
            above_lowest = self.scores - self.scores.min(axis=1, keepdims=True)
            above_lowest[self.asked.n_words == 0] = 0  # nothing is known about such a text
            above = best_columns(above_lowest, _BY_SCORE)
            scored = self.witness.scored
            found = [np.union1d(one, scored[other]) for one, other in zip(found, above, strict=True)]
        return found

    def features(self, text: IntArray, subject: IntArray) -> Float32Array:
        """Return cosines and scores for pairs, also relative to the best of the text."""
        cosines = self._cosines(text, subject)
        best = np.full(len(self.asked), 1e-9, np.float32)
        np.maximum.at(best, text, cosines)
        columns = [cosines, cosines / best[text]]
        if self.scores is None or self.witness.head is None:
            columns += [np.zeros(len(text), np.float32)] * 3
            return np.column_stack(columns).astype(np.float32)
        place = np.full(self.asked.n_subjects, -1)
        place[self.witness.scored] = np.arange(len(self.witness.scored))
        column = place[subject]
        known = column >= 0
        values = np.full(len(text), _UNSCORED, np.float32)
        values[known] = self.scores[text[known], column[known]]
        probabilities = self.witness.head.probabilities(self.scores)
        chances = np.full(len(text), -1, np.float32)
        chances[known] = probabilities[text[known], column[known]]
        columns += [values, values - self.scores.max(axis=1)[text], chances]
        return np.column_stack(columns).astype(np.float32)

    def _cosines(self, text: IntArray, subject: IntArray) -> Float32Array:
        witness = self.witness
        found = np.zeros(len(text), np.float32)
        known = np.flatnonzero(subject < len(witness.places))
        if self.compared is not None:
            found[known] = self.compared[text[known], subject[known]]
            return found
        found[known] = np.einsum("ij,ij->i", self.units[text[known]], witness.units[subject[known]])
        if self.asked.is_own is not None and witness.records is not None:
            own = np.flatnonzero(self.asked.is_own[text, subject])
            found[own] = witness.without_own(self.asked, self.units, text[own], subject[own])
        return found
