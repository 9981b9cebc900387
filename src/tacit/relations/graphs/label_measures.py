"""The formulas that compare two sets of labels, and what each must learn from all records first.

A similarity that counts what is shared is 0 for most pairs, and is computed and kept as a sparse matrix; one that is a
Gaussian of a distance is 0 for none. The equations are those of [Mu2010]; `label_similarity` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_choice, check_count, check_finite, check_number, is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.label_directions import (
    hamming_sum,
    label_directions,
    mean_over_different_sets,
    projected_sum,
)
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["KINDS", "Given", "Measure", "Similarity", "check_some_known", "check_symmetric", "fit_measure"]

Floats = npt.NDArray[np.float64]
Similarity = Callable[[sp.csr_array, sp.csr_array], Any]

KINDS = ("hamming", "and", "scaled and", "sorensen", "jaccard", "projected", "hierarchical")


@dataclass(frozen=True)
class Overlap:
    """A similarity that counts what two sets share, 0 where that is nothing."""

    ratio: Callable[[Floats, Floats, Floats], Floats]
    label_weights: Floats
    width: ClassVar[None] = None
    n_dimensions: ClassVar[None] = None

    def between(self, one: sp.csr_array, other: sp.csr_array) -> sp.csr_array:
        """Compare all rows of one matrix of label sets with all of another; only pairs that share a label are kept."""
        shared = sp.csr_array((one @ sp.diags_array(self.label_weights)) @ other.T)
        row = np.repeat(np.arange(one.shape[0]), np.diff(shared.indptr))
        sizes, other_sizes = (np.diff(sets.indptr).astype(np.float64) for sets in (one, other))
        shared.data = self.ratio(shared.data, sizes[row], other_sizes[shared.indices])
        return shared

    def most_entries(self, sets: sp.csr_array) -> int:
        """Bound the pairs of sets that share a label, from above."""
        counts = np.bincount(sets.indices).astype(np.int64)
        return min(sets.shape[0] ** 2, int(counts @ counts))


def _count(shared: Floats, size: Floats, other: Floats) -> Floats:
    return shared  # eqs. (11), (12)


def _sorensen(shared: Floats, size: Floats, other: Floats) -> Floats:
    return 2.0 * shared / (size + other)  # eq. (13)


def _jaccard(shared: Floats, size: Floats, other: Floats) -> Floats:
    return shared / (size + other - shared)  # eq. (14)


_RATIOS = {
    "and": _count,
    "scaled and": _count,
    "sorensen": _sorensen,
    "jaccard": _jaccard,
    "hierarchical": _sorensen,
}


@dataclass(frozen=True)
class Gaussian:
    """exp(−d²/τ) of a distance between two sets: Hamming's, or between projections where there are `directions`."""

    width: float
    directions: Floats | None = None

    @property
    def n_dimensions(self) -> int | None:
        """How many directions there are; None if labels are not projected."""
        return None if self.directions is None else int(self.directions.shape[1])

    def between(self, one: sp.csr_array, other: sp.csr_array) -> Floats:
        """Compare all rows of one matrix of label sets with all of another."""
        P = self.directions
        squares = _squared_hamming(one, other) if P is None else _squared_distances(one @ P, other @ P)
        squares /= -self.width
        return np.exp(squares, out=squares)  # eqs. (10), (16)

    def most_entries(self, sets: sp.csr_array) -> int:
        """Count all pairs, as none is 0."""
        return int(sets.shape[0]) ** 2


def _squared_hamming(one: sp.csr_array, other: sp.csr_array) -> Floats:
    differing: Floats = np.asarray((one @ other.T).toarray(), dtype=np.float64)
    differing *= -2.0
    differing += np.diff(one.indptr)[:, None]
    differing += np.diff(other.indptr)
    return np.square(differing, out=differing)


def _squared_distances(places: Floats, others: Floats) -> Floats:
    squares = places @ others.T
    squares *= -2.0
    squares += (places**2).sum(axis=1)[:, None]
    squares += (others**2).sum(axis=1)
    # rounding leaves equal places a little below zero, which would make their weight exceed 1
    return np.maximum(squares, 0.0, out=squares)


@dataclass(frozen=True)
class Given:
    """A similarity that the caller gave as a function."""

    similarity: Similarity
    width: ClassVar[None] = None
    n_dimensions: ClassVar[None] = None

    def between(self, one: sp.csr_array, other: sp.csr_array) -> Floats:
        """Compare all rows of one matrix of label sets with all of another, and check what comes back."""
        found = self.similarity(one, other)
        values = np.asarray(found.toarray() if is_sparse(found) else found, dtype=np.float64)
        expected = (one.shape[0], other.shape[0])
        if values.shape != expected:
            raise InputError(f"kind gives the wrong shape: got {values.shape}, expected {expected} for as many sets.")
        check_finite("kind", values)
        if values.min(initial=0.0) < 0:
            raise InputError(
                f"kind gives negative similarities: got {values.min():g}, expected at least 0, the larger the closer."
            )
        return values

    def most_entries(self, sets: sp.csr_array) -> int:
        """Count all pairs, as nothing is known of the function."""
        return int(sets.shape[0]) ** 2


def check_symmetric(similarities: Floats) -> None:
    """Raise if a given function, called with the same sets twice, says something else from one direction."""
    gap = float(np.abs(similarities - similarities.T).max(initial=0.0))
    if gap > _ROUNDING * similarities.max(initial=0.0):
        raise InputError(
            f"kind is not symmetric: got similarities that differ by up to {gap:g} from one direction to the other, "
            "expected the same."
        )


_ROUNDING = 1e-9


Measure = Overlap | Gaussian | Given


def fit_measure(
    kind: str | Similarity, labels: LabelMatrix, *, width: float | str = "auto", n_dimensions: int | None = None
) -> Measure:
    """Learn from the labels of all known records what a similarity needs: class sizes, directions, width."""
    check_some_known(labels)
    given_width = _checked_width(width)
    _check_dimensions(n_dimensions, labels.n_labels)
    if not isinstance(kind, str):
        return Given(kind)
    if kind in _RATIOS:
        weights = np.ones(labels.n_labels)
        if kind == "scaled and":
            weights = np.divide(1.0, labels.counts, out=np.zeros(labels.n_labels), where=labels.counts > 0)
        return Overlap(_RATIOS[kind], weights)
    membership, sets = labels.distinct()
    sizes = np.asarray(membership.sum(axis=0), dtype=np.float64)
    if kind == "hamming":
        return Gaussian(given_width or mean_over_different_sets(hamming_sum(sets, sizes), sizes))
    directions = label_directions(sets, sizes, n_dimensions)
    return Gaussian(given_width or mean_over_different_sets(projected_sum(sets, sizes, directions), sizes), directions)


def check_some_known(labels: LabelMatrix) -> None:
    """Raise if nothing is known of any record."""
    if not labels.known.any():
        raise InputError(
            f"y has no known labels: got {labels.n_records} records, all unknown, expected labels for some of them."
        )


def _checked_width(width: float | str) -> float | None:
    """Give the width, None if it is to be found."""
    if isinstance(width, str):
        check_choice("width", width, ("auto",))
        return None
    return check_number("width", width, open_low=True)


def _check_dimensions(n_dimensions: int | None, n_labels: int) -> None:
    if n_dimensions is not None and check_count("n_dimensions", n_dimensions) > n_labels:
        raise InputError(f"n_dimensions is too large: got {n_dimensions}, expected at most the {n_labels} labels.")
