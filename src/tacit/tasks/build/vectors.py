"""Vectors of the records beside their words: balanced, joined to one matrix, and weighed in a trial.

    X = [words, c Z],  z = v/‖v‖ − mean,  c² mean‖z‖² = weight

so that with weight 1 a record has the same squared length in words and in vectors. The model is fitted to X. A text
without a vector, or a vector without a text, is placed by a ridge regression of the positions on that part alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite
from tacit.errors import InputError
from tacit.index.space import VectorMaps, centred
from tacit.models.mlsi.mlsi import MLSI
from tacit.relations.labels.matrix import LabelMatrix
from tacit.tasks.build.trial_measures import WORTH, Measures, Relevance, nearest_of, noise_of, own_ranks, rises, unit
from tacit.tasks.build.weighing import (
    LABEL_WEIGHT,
    POWER,
    default_emphasis,
    text_map,
    trial_sample,
    unwarned,
    usable_records,
)
from tacit.types import Array, Float32Array, IntArray

__all__ = ["RecordVectors", "WordsAndVectors", "read_vectors", "weigh_vectors"]

_TRIED = (0.0, 0.3, 1.0)
_UNTRIED = 1.0
_DIMENSIONS = 200
_GREATEST = 1e15  # of a value
_SAME = 1e-6  # mean squared distance from the mean below which vectors say nothing


def read_vectors(vectors: Any) -> Float32Array:
    """Check that vectors are a table of finite numbers."""
    X = np.asarray(vectors)
    if X.ndim != 2 or X.dtype.kind not in "fiu":
        raise InputError(f"vectors is not a table: got shape {X.shape} of {X.dtype}, expected one row per record.")
    check_finite("vectors", X)
    if (most := max(float(X.max(initial=0)), -float(X.min(initial=0)))) > _GREATEST:
        raise InputError(
            f"vectors has values that are too large: got {most:.3g}, expected at most {_GREATEST:g}, whose squares "
            "can be added. Divide them, for instance by their largest value."
        )
    return np.asarray(X, np.float32)


@dataclass(frozen=True, eq=False)
class RecordVectors:
    """Vectors of records, at length 1 and centred.

    Attributes
    ----------
    mean : (n_numbers,)
    rows : (n_records, n_numbers), Z
    spread : mean squared length of a row
    """

    mean: Float32Array
    rows: Float32Array
    spread: float

    @classmethod
    def of(cls, vectors: Any) -> RecordVectors:
        """Centre the vectors of a collection."""
        units = centred(vectors, np.zeros(np.shape(vectors)[1], np.float32))
        mean = units.mean(axis=0)
        rows = units - mean
        spread = float(np.mean(np.einsum("ij,ij->i", rows, rows)))
        if spread < _SAME:
            raise InputError(
                f"vectors are all the same: got {len(rows):,} rows of one direction, expected different ones. Leave "
                "them out, or check how they were made."
            )
        return cls(mean, rows, spread)

    def __getitem__(self, rows: IntArray) -> RecordVectors:
        """Choose records; the mean stays that of all."""
        return RecordVectors(self.mean, self.rows[rows], self.spread)

    def factor(self, weight: float) -> float:
        """Return c, for a weight beside words of weight 1."""
        return float(np.sqrt(weight / self.spread))


class WordsAndVectors:
    """Words and vectors of the records in one matrix.

    Attributes
    ----------
    X : (n_records, n_terms + n_numbers) sparse, what a model is fitted to
    n_terms : number of columns for words
    weight : of the vectors beside words of weight 1
    """

    def __init__(self, words: Any, vectors: RecordVectors, weight: float) -> None:
        self.words, self.vectors, self.weight = words, vectors, weight
        self.n_terms, self.factor = int(words.shape[1]), vectors.factor(weight)
        self.X = self.beside(words, vectors.rows)

    def beside(self, words: Any, rows: Array) -> sp.csr_array:
        """Return words and centred vectors of records in the columns of X."""
        return sp.hstack([words, sp.csr_array(self.factor * rows)], format="csr", dtype=np.float32)

    def maps(self, terms: Array, positions: Array) -> tuple[Float32Array, VectorMaps]:
        """Return the map of texts, and those of vectors.

        Parameters
        ----------
        terms : (n_terms + n_numbers, k), the map of the columns of X
        positions : (n_records, k), on which the maps of words alone and of vectors alone are regressed
        """
        rows, factors = self.vectors.rows, np.ones(len(terms), np.float32)
        factors[self.n_terms :] = self.factor
        alone, both = text_map(rows, positions), factors[:, None] * terms
        by_words = text_map(self.words, positions)
        maps = VectorMaps(self.vectors.mean, np.asarray(alone, np.float32), np.asarray(both, np.float32))
        return np.asarray(by_words, np.float32), maps


def weigh_vectors(
    X: Any, labels: LabelMatrix | None, vectors: RecordVectors, titles: Any = None, *, random_state: int = 0
) -> tuple[float, int]:
    """Find how much vectors count beside words of weight 1; also return the number of records of the trial.

    Held-out records look for records that share their labels, by words and vectors and by words alone, and titles look
    for their own records. The weight is the one with the largest sum of these measures in which none falls, so that a
    query in words finds no less for the vectors.

    Parameters
    ----------
    X : words of the records
    labels : their labels, or None
    vectors : their vectors
    titles : function from record numbers to the words of their titles, optional
    random_state : of the sample
    """
    sample = trial_sample(usable_records(X.shape[0], labels), random_state)
    if sample is None or (labels is None and titles is None):
        return _UNTRIED, 0
    asked, trained = sample
    relevance = None if labels is None else Relevance(labels.indicator, asked, trained)
    emphasis = default_emphasis([] if labels is None else ["labels"]).emphasis
    base: Measures = {}
    best, chosen = 0.0, 0.0
    for weight in _TRIED:
        joined = WordsAndVectors(X[trained], vectors[trained], weight)
        model = MLSI(
            min(_DIMENSIONS, len(trained) // 4),
            label_weight=0.0 if labels is None else LABEL_WEIGHT,
            scaling=POWER,
            emphasis=emphasis,
            random_state=random_state,
        )
        with unwarned():
            model.fit(joined.X, None if labels is None else labels[trained].without_empty())
        positions = model.training_coordinates(joined.X, "transductive")
        by_words, stored = text_map(joined.words, positions), unit(positions)
        found = {}
        if relevance is not None:
            both = model.transform(joined.beside(X[asked], vectors.rows[asked]))
            found["both"] = relevance.each(nearest_of(unit(both), stored))
            found["words"] = relevance.each(nearest_of(unit(X[asked] @ by_words), stored))
        if titles is not None:
            found["titles"] = own_ranks(unit(titles(trained[: len(asked)]) @ by_words), stored)
        base = base or found
        gain = rises(found, base)
        if gain > best + (WORTH if chosen > 0 else noise_of(len(asked))):
            best, chosen = gain, weight
    return chosen, len(trained)
