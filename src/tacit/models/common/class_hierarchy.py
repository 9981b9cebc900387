"""The graph of a class hierarchy: two records are joined by every class that holds both.

    w(i, j) = Σ 1/|c_k| over the classes k that hold both,  d(i) = Σ_j w(i, j),  Δ = diag(d) − w    [Huang2005] eqs. 1-8

A class of a thousand records has a million edges, so the graph is never stored. The edges from a record to itself
cancel in Δ, and with them each class adds exactly 1 to the degree of each of its records:

    Δ = diag(number of classes of each record) − H diag(1/|c_k|) Hᵀ

XᵀΔX is then the scatter of the records about the means of their classes, pooled over all classes of the hierarchy.

Records whose classes are unknown have no entries in H, and weight 0, until expected memberships between 0 and 1 take
their place. With weights ω of the records, a class has the size |c_k| = Σ ω_i h_ik, an edge weighs
ω_i h_ik ω_j h_jk / |c_k|, and

    Δ = diag(ω d) − diag(ω) H diag(1/|c_k|) Hᵀ diag(ω),  d = H 1

| word | symbol | shape |
|---|---|---|
| memberships | H, h(x_i) | n_records × n_classes |
| sizes | c_k in bars | n_classes |
| degrees | d, where w(i, i) counts too | n_records |
| weights | ω | n_records |
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_rows, is_outside_memory, is_sparse
from tacit.errors import InputError
from tacit.operators.algebra import DiagonalPlusLowRank
from tacit.operators.base import Operator, as_operator
from tacit.operators.rows.blocks import adjoint_blocks
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import Array, BoolArray, Float64Array

__all__ = [
    "MOST_BRIDGES",
    "ROOT",
    "HierarchyGraph",
    "class_bridges",
    "expanded_labels",
    "graph_of",
    "hierarchy_graph",
    "squared_lengths",
]


class _Root(Enum):
    """A name that no label can have, and that stays equal to itself when copied."""

    ROOT = "root"

    def __repr__(self) -> str:
        return "ROOT"


ROOT = _Root.ROOT


@dataclass(frozen=True, eq=False)
class HierarchyGraph:
    """The classes of each record, and the Laplacian Δ of their graph, by its products.

    Made by `hierarchy_graph`.

    Attributes
    ----------
    H : csr_array of float64, n_records x n_classes
        1 if the record is in the class or below it, its share, or what is expected of it. The last column is the root,
        which holds all records. Without entries for a record whose classes are unknown.
    sizes : number of records in each class, or weighted sum of their memberships
    degrees : number of classes of each record with the root, at least 1; all 1 if they are shared; 0 if unknown
    names : the classes in column order, `ROOT` at the end
    weights : how much each record counts: 1, less if its memberships are only expected, 0 if they are unknown
    known : whether the classes of each record are known
    """

    H: sp.csr_array
    sizes: Float64Array
    degrees: Float64Array
    names: tuple[Hashable, ...]
    weights: Float64Array
    known: BoolArray

    def laplacian(self, dtype: npt.DTypeLike = np.float64) -> DiagonalPlusLowRank:
        """Return Δ, symmetric and positive semi-definite, Δ 1 = 0, as an operator of this precision."""
        return DiagonalPlusLowRank(self.weights * self.degrees, self.weighted().astype(dtype), -1 / self.sizes)

    def weighted(self, weights: Float64Array | None = None) -> sp.csr_array:
        """Return the memberships times the weights of the records, or times others."""
        weights = self.weights if weights is None else weights
        if (weights == 1).all():
            return self.H
        return _narrow(sp.csr_array(sp.diags_array(weights) @ self.H))

    def shared(self) -> HierarchyGraph:
        """Return the graph in which a record is shared among its classes, so that every degree is 1.

        In the paper's graph a record in six classes counts six times as much as one in the root only. Shares of 1/d(i)
        avoid that: Δ = I − H diag(1/|c_k|) Hᵀ with rows of H that sum to 1 and |c_k| the sum of a class's shares. Still
        Δ 1 = 0, and Δ is positive semi-definite.
        """
        H = self.weighted(1 / np.where(self.degrees > 0, self.degrees, 1))
        return replace(self, H=H, sizes=self.weights @ H, degrees=(self.degrees > 0).astype(np.float64))

    def known_part(self) -> HierarchyGraph:
        """Return the graph of the records whose classes are known."""
        rows = np.flatnonzero(self.known)
        H = _narrow(sp.csr_array(self.H[rows]))
        return replace(self, H=H, degrees=self.degrees[rows], weights=self.weights[rows], known=self.known[rows])

    def with_expected(self, expected: sp.csr_array, weight: float) -> HierarchyGraph:
        """Return the graph in which records of unknown classes have expected ones, n_unknown x n_classes less the root.

        With classes of fixed sizes Δ is linear in the products of the memberships of two records, so this is the
        expected Δ if these are independent. Each of the records counts `weight`.
        """
        unknown = np.flatnonzero(~self.known)
        place = sp.csr_array(
            (np.ones(len(unknown)), (unknown, np.arange(len(unknown)))), (len(self.known), len(unknown))
        )
        H = _narrow(sp.csr_array(self.H + place @ _with_root(expected)))
        weights = np.where(self.known, 1.0, weight)
        degrees = np.asarray(H.sum(axis=1), dtype=np.float64).ravel()
        return replace(self, H=H, sizes=weights @ H, degrees=degrees, weights=weights)

    def targets(self, V: Any, costs: Any) -> Array:
        """Return D⁻¹(H diag(1/|c_k|) Hᵀ diag(ω) V + V diag(λ)): the regression targets of the records.

        At the solution of HLSI the map is the ridge regression of these targets on the records, weighted with ω D:
        γ w + XᵀωDX w = XᵀωD t. Honest positions follow from this.
        """
        means = (self.weighted().T @ V) / self.sizes[:, None]
        called = self.H @ means
        called += V * np.asarray(costs)
        return np.asarray(called / self.degrees[:, None], dtype=V.dtype)

    def scatter_trace(self, X: Any) -> float:
        """Return tr(XᵀΔX) = Σ ω_i d_i ‖x_i‖² − Σ_k ‖Xᵀ ω h_k‖²/|c_k|, by products of X with H.

        In double precision, and not below zero, as rounding could make it if each class is one point.
        """
        check_rows("X", X.shape[0], self.H.shape[0], of="the hierarchy graph")
        about_zero = (self.weights * self.degrees) @ squared_lengths(X)
        H = self.weighted()
        H = H if is_outside_memory(X) else H.astype(X.dtype)  # or X would be copied in double precision
        if is_outside_memory(X) or self.H.nnz * _CLASSES_PER_RECORD >= self.H.shape[0] * self.H.shape[1]:
            blocks = adjoint_blocks(as_operator(X), H, outside_memory=is_outside_memory(X))
            squares = [np.square(sums, dtype=np.float64).sum(axis=0) for _, sums in blocks]
        else:
            X, classes = X.tocsr() if is_sparse(X) else np.asarray(X), _narrow(H.T.tocsr())
            # some classes at a time: L x M may be larger than X
            chunks = (_narrow(classes[first : first + _CLASSES]) for first in range(0, len(self.sizes), _CLASSES))
            squares = [squared_lengths(chunk @ X) for chunk in chunks]
        about_means = np.concatenate(squares) @ (1 / self.sizes)
        return max(0.0, float(about_zero - about_means))


def hierarchy_graph(y: Any, taxonomy: Taxonomy | None, n_records: int) -> HierarchyGraph:
    """Make the graph of labels and the classes above them.

    Parameters
    ----------
    y : anything that `as_labels` reads
        Labels may be leaves or inner nodes, one or several per record. A record without labels is in the root only; one
        with unknown labels is in no class, and counts nothing until `with_expected`.
    taxonomy : Taxonomy, optional
        None makes the labels the children of one root.
    n_records : int
        Expected number of rows.

    Notes
    -----
    Classes without records are left out, and so are classes with all records of known labels: they equal the root,
    which would count twice if the taxonomy has a top node.

    Raises
    ------
    InputError
        If no record has a label, or a label is not in the taxonomy.
    """
    labels = expanded_labels(y, taxonomy, n_records)
    if labels.indicator.nnz == 0:
        raise InputError(
            f"y has no labels: got {n_records} records and none of them labelled, expected labels for at least some. "
            "Use LSI for a space without labels."
        )
    return graph_of(labels.indicator, labels.names, labels.known)


def graph_of(memberships: sp.csr_array, names: Sequence[Hashable], known: BoolArray | None = None) -> HierarchyGraph:
    """Make the graph of classes that already hold the records of the classes below them."""
    known = np.ones(memberships.shape[0], dtype=bool) if known is None else known
    n_known = int(np.count_nonzero(known))
    counts = np.bincount(memberships.indices, minlength=memberships.shape[1])
    kept = np.flatnonzero((counts > 0) & (counts < n_known))
    H = _with_root(memberships[:, kept] if len(kept) < len(counts) else memberships, known)
    sizes = np.append(counts[kept], n_known).astype(np.float64)
    kept_names = (*(names[column] for column in kept.tolist()), ROOT)
    return HierarchyGraph(H, sizes, np.diff(H.indptr).astype(np.float64), kept_names, known.astype(np.float64), known)


def _with_root(memberships: sp.csr_array, rows: BoolArray | None = None) -> sp.csr_array:
    """Add a last column, 1 in these rows, written at the end of each row: stacking would make several copies."""
    n_records, n_classes = memberships.shape
    rows = np.ones(n_records, dtype=bool) if rows is None else rows
    indptr = np.append(0, np.cumsum(np.diff(memberships.indptr) + rows)).astype(memberships.indptr.dtype)
    indices = np.full(indptr[-1], n_classes, memberships.indices.dtype)
    data = np.ones(len(indices))
    is_class = np.ones(len(indices), dtype=bool)
    is_class[indptr[1:][rows] - 1] = False
    indices[is_class], data[is_class] = memberships.indices, memberships.data
    H = _narrow(sp.csr_array((data, indices, indptr), shape=(n_records, n_classes + 1)))
    H.sort_indices()
    return H


def expanded_labels(y: Any, taxonomy: Taxonomy | None, n_records: int) -> LabelMatrix:
    """Read labels and add the classes above them, if there is a taxonomy."""
    if taxonomy is None:
        return as_labels(y, n_records=n_records)
    if not isinstance(taxonomy, Taxonomy):
        raise InputError(
            f"taxonomy is not a Taxonomy: got {type(taxonomy).__name__}, expected a Taxonomy or None. "
            "Make one with Taxonomy.from_parents, from_table, from_paths or from_skos."
        )
    return taxonomy.expand(y, n_records=n_records)


def class_bridges(X: Operator, F: sp.csr_array) -> Array:
    """Return G = Xᵀ F, dense, from a few classes at a time: a dense F would be N x L."""
    G = np.empty((X.shape[1], F.shape[1]), X.dtype, order="F")
    for part, product in adjoint_blocks(X, F.astype(X.dtype, copy=False), outside_memory=is_outside_memory(X)):
        G[:, part] = product
    return G


MOST_BRIDGES = 512  # classes up to which Xᵀ F is kept


def _narrow(matrix: Any) -> sp.csr_array:
    """Return the matrix with 32-bit indices: with 64-bit ones SciPy would convert those of X in every product."""
    if max(matrix.nnz, *matrix.shape) > np.iinfo(np.int32).max:
        return sp.csr_array(matrix)
    indices, indptr = matrix.indices.astype(np.int32, copy=False), matrix.indptr.astype(np.int32, copy=False)
    return sp.csr_array((matrix.data, indices, indptr), shape=matrix.shape)


def squared_lengths(X: Any) -> Float64Array:
    """Return the squared length of each row, in double precision."""
    if is_outside_memory(X):
        return np.asarray(X.row_squares())
    if not is_sparse(X):
        return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()  # squares of parts are not the square of their sum
    lengths = np.empty(X.shape[0])
    for start in range(0, X.shape[0], _ROWS):  # the squares of all entries in double precision would be larger than X
        rows = X[start : start + _ROWS]
        squares = sp.csr_array((np.square(rows.data, dtype=np.float64), rows.indices, rows.indptr), shape=rows.shape)
        lengths[start : start + _ROWS] = squares.sum(axis=1)
    return lengths


_ROWS = 2_000
_CLASSES = 16
# Number of classes, divided by the classes per record, up to which a product with dense columns is faster than one with
# sparse rows (15 million entries, 101 classes, 3 per record: .2 s against .8).
_CLASSES_PER_RECORD = 128
