"""Similarities of two sets of labels: those of [Mu2010] sec. 3.1, and one that uses the taxonomy.

y, z      two sets of labels as 0/1 vectors          |y|    number of labels
y ∧ z     intersection, y ∨ z union                  n_l    number of records with label l
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

from tacit.checks import check_choice, check_count, check_finite, check_number, is_sparse
from tacit.errors import InputError
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Float64Array

__all__ = [
    "CustomSimilarity",
    "Measure",
    "Similarity",
    "check_some_known",
    "check_symmetric",
    "compared_labels",
    "fit_measure",
    "label_similarity",
]


def label_similarity(
    y: Any,
    z: Any = None,
    kind: str | Similarity = "sorensen",
    *,
    width: float | str = "auto",
    n_dimensions: int | None = None,
    taxonomy: Taxonomy | None = None,
) -> Float64Array:
    """Return the similarity of the labels of every pair of records, as a dense matrix.

        "hamming"       exp(−h²/τ), h = |y| + |z| − 2 |y ∧ z|, the number of labels in only one of them   eq. (10)
        "and"           |y ∧ z|                                                                            eq. (11)
        "scaled and"    sum of 1/n_l over the labels l in both                                             eq. (12)
        "sorensen"      2 |y ∧ z| / (|y| + |z|)                                                            eq. (13)
        "jaccard"       |y ∧ z| / |y ∨ z|                                                                  eq. (14)
        "projected"     exp(−‖Pᵀ(y − z)‖²/τ), P the directions in which labels vary most             eqs. (15), (16)
        "hierarchical"  "sorensen" including the ancestors of the labels; needs a taxonomy                     ours

    Parameters
    ----------
    y : any form that `as_labels` reads — rows of the result; class sizes, directions and the automatic width are
        computed from these records
    z : any form that `as_labels` reads, optional — columns of the result, default `y`
    kind : one of the names above, or callable, default "sorensen" — a callable takes two sparse 0/1 matrices of label
        sets, records x labels, and returns the similarities of all rows of the first with all of the second: at least
        0, and symmetric
    width : float or "auto", default "auto" — τ of eqs. (10) and (16); if small, only equal labels are close; if large,
        all are. "auto" is the mean of h² (of ‖Pᵀ(y − z)‖²) over the pairs of records whose label sets differ
    n_dimensions : int, optional — k_c of eq. (15), at most the number of labels. By default as many as have nine tenths
        of the variance, and the next ones if they have as much as the last, but at most 100
    taxonomy : Taxonomy, optional — for every kind, a record also has the ancestors of its labels, except for a single
        root, which all records would have

    Returns
    -------
    array of shape (n_records of y, n_records of z)
        0 for records whose labels are unknown.

    Notes
    -----
    A record that is known to have no labels has the similarity 0 to all records, itself included (0/0 in eqs. 13 and 14
    is 0), by similarities that count shared labels. For distances its set is like any other.

    Without a taxonomy "projected" with all dimensions is exp(−h/τ). With one, h between two single labels of a tree is
    the number of edges between them.

    References
    ----------
    [Mu2010] sec. 3.1. "hierarchical" is the hierarchical F1 of [Kiritchenko2006] between the two label sets.

    Examples
    --------
    >>> label_similarity([{"law"}, {"law", "cats"}, {"cats"}]).round(2).tolist()
    [[1.0, 0.67, 0.0], [0.67, 1.0, 0.67], [0.0, 0.67, 1.0]]
    """
    rows = compared_labels(y, kind, taxonomy, "y")
    columns = rows if z is None else _aligned(compared_labels(z, kind, taxonomy, "z"), rows)
    if columns.n_labels > rows.n_labels:
        rows = _aligned(rows, columns)
    measure = fit_measure(kind, rows, width=width, n_dimensions=n_dimensions)
    found = np.zeros((rows.n_records, columns.n_records))
    known = np.ix_(rows.known, columns.known)
    between: Any = measure.between(rows.indicator[rows.known], columns.indicator[columns.known])
    found[known] = between.toarray() if is_sparse(between) else between
    return found


def compared_labels(y: Any, kind: Any, taxonomy: Taxonomy | None, argument: str = "y") -> LabelMatrix:
    """Return the labels to compare, with their ancestors if there is a taxonomy; check `kind`."""
    if not callable(kind):
        check_choice("kind", kind, KINDS)
    if taxonomy is None:
        if kind == "hierarchical":
            raise InputError(
                "taxonomy is missing: got None, expected a Taxonomy for the kind 'hierarchical'. "
                "Pass taxonomy=Taxonomy.from_parents(...), or use 'sorensen'."
            )
        return as_labels(y)
    if not isinstance(taxonomy, Taxonomy):
        raise InputError(
            f"taxonomy is not a Taxonomy: got {type(taxonomy).__name__}, expected a Taxonomy or None. "
            "Read it with Taxonomy.from_parents or another from_ method."
        )
    labels = taxonomy.expand(as_labels(y))
    if len(taxonomy.roots) == 1:
        labels = labels.select([name for name in labels.names if name != taxonomy.roots[0]])
    if argument == "y" and not labels.n_labels:
        raise InputError(
            f"taxonomy has no nodes below its root: got the single node {taxonomy.names[0]!r}, expected labels there."
        )
    return labels


def _aligned(labels: LabelMatrix, with_: LabelMatrix) -> LabelMatrix:
    """Return labels in the columns of others, followed by the columns that these lack."""
    if labels.names == with_.names:
        return labels
    if "matrix" in (labels.kind, with_.kind):
        raise InputError(
            f"z does not match y: got {labels.n_labels} columns of labels, expected the {with_.n_labels} of y in the "
            "same order. Pass both as label sets, or as LabelMatrix with the same names."
        )
    known: set[Hashable] = set(with_.names)
    names = [*with_.names, *(name for name in labels.names if name not in known)]
    return LabelMatrix.from_sets(labels.to_sets(), names)


Similarity = Callable[[sp.csr_array, sp.csr_array], Any]

KINDS = ("hamming", "and", "scaled and", "sorensen", "jaccard", "projected", "hierarchical")


@dataclass(frozen=True)
class Overlap:
    """A similarity that counts shared labels, 0 if there are none."""

    ratio: Callable[[Float64Array, Float64Array, Float64Array], Float64Array]
    label_weights: Float64Array
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
        """Return an upper bound of the pairs of sets that share a label."""
        counts = np.bincount(sets.indices).astype(np.int64)
        return min(sets.shape[0] ** 2, int(counts @ counts))


def _count(shared: Float64Array, size: Float64Array, other: Float64Array) -> Float64Array:
    return shared  # eqs. (11), (12)


def _sorensen(shared: Float64Array, size: Float64Array, other: Float64Array) -> Float64Array:
    return 2.0 * shared / (size + other)  # eq. (13)


def _jaccard(shared: Float64Array, size: Float64Array, other: Float64Array) -> Float64Array:
    return shared / (size + other - shared)  # eq. (14)


_RATIOS = {"and": _count, "scaled and": _count, "sorensen": _sorensen, "jaccard": _jaccard, "hierarchical": _sorensen}


@dataclass(frozen=True)
class Gaussian:
    """exp(−d²/τ) of the Hamming distance between two sets, or of the distance of their projections on `directions`."""

    width: float
    directions: Float64Array | None = None

    @property
    def n_dimensions(self) -> int | None:
        """Number of directions; None if labels are not projected."""
        return None if self.directions is None else int(self.directions.shape[1])

    def between(self, one: sp.csr_array, other: sp.csr_array) -> Float64Array:
        """Compare all rows of one matrix of label sets with all of another."""
        P = self.directions
        squares = _squared_hamming(one, other) if P is None else _squared_distances(one @ P, other @ P)
        squares /= -self.width
        return np.exp(squares, out=squares)  # eqs. (10), (16)

    def most_entries(self, sets: sp.csr_array) -> int:
        """Return the number of pairs, as no similarity is 0."""
        return int(sets.shape[0]) ** 2


def _squared_hamming(one: sp.csr_array, other: sp.csr_array) -> Float64Array:
    differing: Float64Array = np.asarray((one @ other.T).toarray(), dtype=np.float64)
    differing *= -2.0
    differing += np.diff(one.indptr)[:, None]
    differing += np.diff(other.indptr)
    return np.square(differing, out=differing)


def _squared_distances(places: Float64Array, others: Float64Array) -> Float64Array:
    squares = places @ others.T
    squares *= -2.0
    squares += (places**2).sum(axis=1)[:, None]
    squares += (others**2).sum(axis=1)
    # rounding leaves equal positions a little below zero, and their weight would exceed 1
    return np.maximum(squares, 0.0, out=squares)


@dataclass(frozen=True)
class CustomSimilarity:
    """A similarity that the caller passed as a function."""

    similarity: Similarity
    width: ClassVar[None] = None
    n_dimensions: ClassVar[None] = None

    def between(self, one: sp.csr_array, other: sp.csr_array) -> Float64Array:
        """Compare all rows of one matrix of label sets with all of another, and check the result."""
        found = self.similarity(one, other)
        values = np.asarray(found.toarray() if is_sparse(found) else found, dtype=np.float64)
        expected = (one.shape[0], other.shape[0])
        if values.shape != expected:
            raise InputError(f"kind returns the wrong shape: got {values.shape}, expected {expected}.")
        check_finite("kind", values)
        if values.min(initial=0.0) < 0:
            raise InputError(f"kind returns negative similarities: got {values.min():g}, expected at least 0.")
        return values

    def most_entries(self, sets: sp.csr_array) -> int:
        """Return the number of pairs, as any of them may be similar."""
        return int(sets.shape[0]) ** 2


def check_symmetric(similarities: Float64Array) -> None:
    """Raise if the similarities of a custom function are not symmetric."""
    gap = float(np.abs(similarities - similarities.T).max(initial=0.0))
    if gap > _ROUNDING * similarities.max(initial=0.0):
        raise InputError(
            f"kind is not symmetric: got similarities that differ by up to {gap:g} between the two directions, "
            "expected the same."
        )


_ROUNDING = 1e-9


Measure = Overlap | Gaussian | CustomSimilarity


def fit_measure(
    kind: str | Similarity, labels: LabelMatrix, *, width: float | str = "auto", n_dimensions: int | None = None
) -> Measure:
    """Return the similarity with class sizes, directions and width learned from the known labels."""
    check_some_known(labels)
    if isinstance(width, str):
        check_choice("width", width, ("auto",))
    given_width = None if isinstance(width, str) else check_number("width", width, open_low=True)
    if n_dimensions is not None and check_count("n_dimensions", n_dimensions) > labels.n_labels:
        raise InputError(
            f"n_dimensions is too large: got {n_dimensions}, expected at most the {labels.n_labels} labels."
        )
    if not isinstance(kind, str):
        return CustomSimilarity(kind)
    if kind in _RATIOS:
        weights = np.ones(labels.n_labels)
        if kind == "scaled and":
            weights = np.divide(1.0, labels.counts, out=np.zeros(labels.n_labels), where=labels.counts > 0)
        return Overlap(_RATIOS[kind], weights)
    membership, sets = labels.distinct()
    sizes = np.asarray(membership.sum(axis=0), dtype=np.float64)
    if kind == "hamming":
        return Gaussian(given_width or _mean_over_different_sets(_hamming_sum(sets, sizes), sizes))
    directions = _label_directions(sets, sizes, n_dimensions)
    total = _projected_sum(sets, sizes, directions)
    return Gaussian(given_width or _mean_over_different_sets(total, sizes), directions)


def check_some_known(labels: LabelMatrix) -> None:
    """Raise if the labels of all records are unknown."""
    if not labels.known.any():
        raise InputError(
            f"y has no known labels: got {labels.n_records} records, all unknown, expected labels for some of them."
        )


_MOST_DENSE = 2_000  # labels; a dense eigenproblem of this size takes a second or two
_MOST_AUTOMATIC = 100
_SHARE = 0.9
_TIED = 1e-9  # relative difference below which eigenvalues are equal, as those of classes of equal size are


def _label_directions(sets: sp.csr_array, sizes: Float64Array, n_dimensions: int | None) -> Float64Array:
    """Return the k_c orthonormal directions P (L x k_c) in which the labels of the records vary most.

        max Σ_i ‖Pᵀ(y_i − ȳ)‖²,  PᵀP = I                                                         [Mu2010] eq. (15)

    Fewer if the labels vary in fewer. With `n_dimensions` None, as many as have nine tenths of the variance, and those
    that have as much as the last of them, as a choice among equals would be arbitrary; but at most 100.
    """
    n_sets, n_labels = sets.shape
    if n_sets == 1:
        return np.zeros((n_labels, 0))
    mean = (sizes @ sets) / sizes.sum()
    total = float(sizes @ sets.sum(axis=1) - sizes.sum() * mean @ mean)
    n_leading = min(n_labels, _MOST_AUTOMATIC + 1 if n_dimensions is None else n_dimensions)
    if n_labels <= _MOST_DENSE or n_leading > n_labels // 4:
        values, vectors = _dense_pairs(sets, sizes, mean)
    else:
        values, vectors = _leading_pairs(sets, sizes, mean, n_leading)
    varying = int(np.count_nonzero(values > _TIED * max(values[0], 0.0)))
    n_kept = _enough(values, total) if n_dimensions is None else n_dimensions
    return np.ascontiguousarray(vectors[:, : min(n_kept, varying)])


def _dense_pairs(sets: sp.csr_array, sizes: Float64Array, mean: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return all eigenpairs of the scatter of the labels, largest first."""
    scatter = (sets.T @ (sp.diags_array(sizes) @ sets)).toarray() - sizes.sum() * np.outer(mean, mean)
    values, vectors = np.linalg.eigh(scatter)
    return values[::-1], vectors[:, ::-1]


def _leading_pairs(
    sets: sp.csr_array, sizes: Float64Array, mean: Float64Array, n_leading: int
) -> tuple[Float64Array, Float64Array]:
    """Return the largest eigenpairs by products only: the scatter of many labels would not fit into memory."""
    n_records, n_labels = sizes.sum(), sets.shape[1]

    def scatter_times(v: Any) -> Float64Array:
        v = np.ravel(v)
        return np.asarray(sets.T @ (sizes * (sets @ v)) - n_records * mean * (mean @ v))

    scatter = LinearOperator((n_labels, n_labels), matvec=scatter_times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(n_labels)  # the same in every run
    values, vectors = eigsh(scatter, n_leading, which="LA", v0=start)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def _enough(values: Float64Array, total: float) -> int:
    """Return the number of leading directions that have enough of the variance."""
    held = np.cumsum(values) >= _SHARE * total
    n_kept = int(np.argmax(held)) + 1 if held.any() else len(values)
    while n_kept < len(values) and values[n_kept - 1] - values[n_kept] <= _TIED * values[0]:
        n_kept += 1
    return min(n_kept, _MOST_AUTOMATIC)


def _hamming_sum(sets: sp.csr_array, sizes: Float64Array) -> float:
    """Return the sum of h² over all pairs of records, h their Hamming distance, without computing any pair.

    h_ij = a_i + a_j − 2 s_ij, with a = Y 1 the numbers of labels and s = Y Yᵀ those shared, and Σ s² = ‖Yᵀ Y‖².
    """
    n, a = sizes.sum(), np.asarray(sets.sum(axis=1), dtype=np.float64)
    alone = 2 * n * (sizes @ a**2) + 2 * (sizes @ a) ** 2
    mixed = 2 * ((sizes * a) @ sets) @ (sizes @ sets)
    shared = (sets.T @ (sp.diags_array(sizes) @ sets)).data
    return float(alone - 4 * mixed + 4 * shared @ shared)


def _projected_sum(sets: sp.csr_array, sizes: Float64Array, directions: Float64Array) -> float:
    """Return the sum of ‖Pᵀ(y_i − y_j)‖² over all pairs of records: 2n times the sum of squares around the mean."""
    places = sets @ directions
    n = sizes.sum()
    centred = places - (sizes @ places) / n
    return float(2 * n * (sizes @ (centred**2).sum(axis=1)))


def _mean_over_different_sets(total: float, sizes: Float64Array) -> float:
    """Divide a sum over all pairs of records by the number of pairs with different labels; 1 if there are none."""
    n_pairs = float(sizes.sum() ** 2 - sizes @ sizes)
    return total / n_pairs if n_pairs > 0 and total > 0 else 1.0
