"""Graphs between records: symmetric weights that say which records should be close together.

W is stored as a sum of parts, each either a sparse matrix of edges, or E S Eᵀ where every record belongs to one of u
groups: E (N x u) has the group of each record, S (u x u) the weights between groups. So a graph that joins every record
with every other needs no N x N matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from tacit.checks import check_finite, check_number, check_rows, human_size, is_sparse
from tacit.errors import InputError
from tacit.types import Array, BoolArray, Float64Array, IntArray

__all__ = ["EdgeWeights", "Graph", "GroupWeights", "as_graph", "combined_graph"]


@dataclass(frozen=True, eq=False)
class EdgeWeights:
    """A sparse part: w_ij for each joined pair."""

    weights: sp.csr_array

    @property
    def n_records(self) -> int:
        """Number of records."""
        return int(self.weights.shape[0])

    def times(self, V: Array) -> Array:
        """Return W V."""
        return np.asarray(self.weights @ V)

    def total(self, of: Callable[[Any], Any]) -> float:
        """Sum a function of the weights that is 0 at 0."""
        return float(np.sum(of(self.weights.data), dtype=np.float64))

    def scaled(self, factor: float) -> EdgeWeights:
        """Return the same with all weights multiplied."""
        return EdgeWeights(self.weights * _like(self.weights, factor))

    def links(self) -> sp.csr_array:
        """Return ones for joined records, N x N."""
        joined: Any = self.weights != 0
        return sp.csr_array(joined)


@dataclass(frozen=True, eq=False)
class GroupWeights:
    """A part whose weights depend only on the groups of records: w_ij = S[group of i, group of j], also for i = j."""

    group: IntArray  # of each record, -1 for records without one
    closeness: Any  # S, u x u, symmetric, dense or sparse

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.group)

    @cached_property
    def members(self) -> sp.csr_array:
        """E, N x u: ones at the group of each record."""
        has = np.flatnonzero(self.group >= 0)
        shape = (self.n_records, self.closeness.shape[0])
        return sp.csr_array((np.ones(len(has), self.closeness.dtype), (has, self.group[has])), shape=shape)

    def times(self, V: Array) -> Array:
        """Return E (S (Eᵀ V))."""
        E = self.members
        return np.asarray(E @ np.asarray(self.closeness @ (E.T @ V)))

    def total(self, of: Callable[[Any], Any]) -> float:
        """Sum a function of the weights that is 0 at 0, over all pairs of records."""
        sizes = np.bincount(self.group[self.group >= 0], minlength=self.closeness.shape[0]).astype(np.float64)
        values = self.closeness.copy() if is_sparse(self.closeness) else self.closeness
        if is_sparse(values):
            values.data = np.asarray(of(values.data), dtype=np.float64)
            return float(sizes @ (values @ sizes))
        return float(sizes @ np.asarray(of(values), dtype=np.float64) @ sizes)

    def scaled(self, factor: float) -> GroupWeights:
        """Return the same with all weights multiplied."""
        return GroupWeights(self.group, self.closeness * _like(self.closeness, factor))

    def links(self) -> sp.csr_array:
        """Return enough pairs of records to connect all joined ones: one member of each of two joined groups."""
        used = np.unique(self.group[self.group >= 0])
        first = np.full(self.closeness.shape[0], -1)
        has = np.flatnonzero(self.group >= 0)
        first[self.group[has][::-1]] = has[::-1]
        joined = sp.coo_array(self.closeness != 0 if is_sparse(self.closeness) else sp.coo_array(self.closeness))
        both = np.isin(joined.row, used) & np.isin(joined.col, used)
        rows, columns = joined.row[both], joined.col[both]
        # members of one group are connected if the group is joined to itself or to another
        connected = np.zeros(len(first), dtype=bool)
        connected[rows] = True
        inside = has[connected[self.group[has]]]
        row = np.concatenate([first[rows], inside])
        column = np.concatenate([first[columns], first[self.group[inside]]])
        return sp.csr_array((np.ones(len(row), bool), (row, column)), shape=(self.n_records, self.n_records))


GraphPart = EdgeWeights | GroupWeights


@dataclass(frozen=True, eq=False)
class Graph:
    """Symmetric weights between records, as a sum of parts.

    Examples
    --------
    >>> graph = Graph((GroupWeights(np.array([0, 0, 1]), np.eye(2)),))
    >>> graph.degrees, graph.mean_weight, graph.components()
    (array([2., 2., 1.]), 1.0, array([0, 0, 1], dtype=int32))
    """

    parts: tuple[GraphPart, ...]

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.parts[0].n_records

    @property
    def shape(self) -> tuple[int, int]:
        """(n_records, n_records)."""
        return self.n_records, self.n_records

    def __matmul__(self, V: Any) -> Array:
        """Return W V, by products with the parts."""
        return np.asarray(sum(part.times(np.asarray(V)) for part in self.parts))

    @cached_property
    def degrees(self) -> Float64Array:
        """D(W) = W 1, the sum of the weights of each record."""
        return np.asarray(self @ np.ones(self.n_records), dtype=np.float64)

    @property
    def mean_weight(self) -> float:
        """Mean of the absolute weights that are not 0; overlapping parts count separately."""
        count = sum(part.total(lambda weights: weights != 0) for part in self.parts)
        return sum(part.total(np.abs) for part in self.parts) / count if count else 0.0

    def scaled(self, factor: float) -> Graph:
        """Return the same with all weights multiplied."""
        return Graph(tuple(part.scaled(factor) for part in self.parts))

    def __add__(self, other: Graph) -> Graph:
        """Return the graph of the sums of both weights."""
        if other.n_records != self.n_records:
            raise InputError(
                f"the graphs have different records: got {self.n_records} and {other.n_records}, "
                "expected the same number in both."
            )
        return Graph((*self.parts, *other.parts))

    def components(self) -> npt.NDArray[np.int32]:
        """Return the number of the connected component of each record."""
        links = sum((part.links() for part in self.parts[1:]), self.parts[0].links())
        return np.asarray(connected_components(links, directed=False)[1])

    def isolated(self) -> BoolArray:
        """Mark the records that are not joined to another."""
        component = self.components()
        return np.asarray(np.bincount(component)[component] == 1)

    def to_dense(self) -> Array:
        """Return W as an array."""
        if self.n_records**2 > _MOST_ENTRIES:
            raise InputError(
                f"the graph is too large for a dense array: {self.n_records} records would take "
                f"{human_size(8 * self.n_records**2)}. Multiply with it instead."
            )
        return self @ np.eye(self.n_records)


_MOST_ENTRIES = 2**28


def _like(weights: Any, factor: float) -> Any:
    """Return the factor in the precision of the weights, or as a float if these are not floats."""
    return weights.dtype.type(factor) if weights.dtype.kind == "f" else float(factor)


def as_graph(weights: Any, argument: str = "graph") -> Graph:
    """Return the graph of a symmetric matrix of weights, sparse or dense; a `Graph` is returned as it is."""
    if isinstance(weights, Graph):
        return weights
    given = weights if is_sparse(weights) else np.asarray(weights)
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise InputError(f"{argument} is not square: got shape {given.shape}, expected records x records.")
    if given.dtype.kind not in "biuf":
        raise InputError(f"{argument} has no numbers: got {given.dtype}, expected weights.")
    dtype = np.float32 if given.dtype == np.float32 else np.float64
    matrix = sp.csr_array(given, dtype=dtype, copy=True)  # the matrix of the caller stays as it is
    check_finite(argument, matrix)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.nnz and matrix.data.min() < 0:
        raise InputError(
            f"{argument} has negative weights: got {matrix.data.min():g}, expected weights of at least 0, larger ones "
            "for closer records."
        )
    gap = abs(matrix - matrix.T)
    if gap.nnz and gap.max() > _ROUNDING * matrix.data.max():
        raise InputError(
            f"{argument} is not symmetric: got weights that differ by up to {gap.max():g} between the two "
            "directions. Use (W + W.T) / 2."
        )
    return Graph((EdgeWeights(matrix),))


_ROUNDING = 1e-6


def combined_graph(feature_graph: Any, label_graph: Any, theta: float = 0.5) -> Graph:
    """Mix a graph of features with one of labels, each in units of its mean weight.

        W = (1 − θ) W_X / α_X + θ W_Y / α_Y                                                         [Mu2010] eq. (17)

    with α the mean of the absolute weights that are not 0.

    Parameters
    ----------
    feature_graph, label_graph : Graph or symmetric matrix — W_X and W_Y, of the same records
    theta : float in [0, 1], default 0.5 — θ. 0 is W_X / α_X, without labels; 1 is W_Y / α_Y, without features, which
        trusts every wrong label

    Raises
    ------
    InputError
        If `theta` is out of range, the graphs have different sizes, or one with a share above 0 has no weights.
    """
    theta = check_number("theta", theta, high=1.0)
    features, labels = as_graph(feature_graph, "feature_graph"), as_graph(label_graph, "label_graph")
    check_rows("label_graph", labels.n_records, features.n_records, of="feature_graph")
    parts: list[GraphPart] = []
    for name, graph, share in (("feature_graph", features, 1.0 - theta), ("label_graph", labels, theta)):
        alpha = graph.mean_weight if share > 0 else 1.0
        if alpha == 0:
            raise InputError(
                f"{name} has no weights: got {graph.n_records} records, none joined, expected some joined ones. "
                "Leave it out by setting theta to 0 or 1, or join more records."
            )
        if share > 0:
            parts += graph.scaled(share / alpha).parts
    return Graph(tuple(parts))
