"""Graphs between records: symmetric weights that say which records should be close together.

W is stored as a sum of parts, each either a sparse matrix of edges, or E S Eᵀ where every record belongs to one of u
groups: E (N x u) has the group of each record, S (u x u) the weights between groups. So a graph that joins every record
with every other needs no N x N matrix. Records whose weights are unknown may borrow those of others.
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

__all__ = ["BorrowedWeights", "EdgeWeights", "Graph", "GroupWeights", "as_graph", "combined_graph"]


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


@dataclass(frozen=True, eq=False)
class BorrowedWeights:
    """(I + R) W (I + R)ᵀ: the weights W of a part, and for records that have none, means of those of other records.

    Row i of R, sparse N x N, has the shares of record i in the weights of others; it is zero for records with weights
    of their own.
    """

    part: GraphPart
    shares: sp.csr_array

    @property
    def n_records(self) -> int:
        """Number of records."""
        return self.part.n_records

    def times(self, V: Array) -> Array:
        """Return W V, by products with the part and with R."""
        lent = self.part.times(V + self.shares.T @ V)
        return np.asarray(lent + self.shares @ lent)

    def total(self, of: Callable[[Any], Any]) -> float:
        """Sum a function of the weights that records have of their own."""
        return self.part.total(of)

    def scaled(self, factor: float) -> BorrowedWeights:
        """Return the same with all weights multiplied."""
        return BorrowedWeights(self.part.scaled(factor), self.shares)

    def links(self) -> sp.csr_array:
        """Return enough pairs of records to connect all joined ones; those of R may connect some more."""
        return sp.csr_array(self.part.links() + EdgeWeights(self.shares).links())


GraphPart = EdgeWeights | GroupWeights | BorrowedWeights


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

    def among(self, chosen: BoolArray) -> Graph:
        """Return the graph of some of the records."""
        parts: list[GraphPart] = []
        for part in self.parts:
            assert not isinstance(part, BorrowedWeights)
            if isinstance(part, EdgeWeights):
                parts.append(EdgeWeights(sp.csr_array(part.weights[chosen][:, chosen])))
            else:
                parts.append(GroupWeights(part.group[chosen], part.closeness))
        return Graph(tuple(parts))

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


def combined_graph(
    feature_graph: Any, label_graph: Any, theta: float = 0.5, *, known: Any = None, unknown: float = 0.1
) -> Graph:
    """Mix a graph of features with one of labels, each in units of its mean weight.

        W = (1 − θ) W_X / α_X + θ W_Y / α_Y                                                         [Mu2010] eq. (17)

    with α the mean of the absolute weights that are not 0.

    Parameters
    ----------
    feature_graph, label_graph : Graph or symmetric matrix — W_X and W_Y, of the same records
    theta : float in [0, 1], default 0.5 — θ. 0 is W_X / α_X, without labels; 1 is W_Y / α_Y, without features, which
        trusts every wrong label
    known : boolean of each record, optional — whether its labels are known; default all
    unknown : float in [0, 1], default 0.1 — how much a record of unknown labels counts beside the others (see Notes).
        0 leaves them out; 0.1 is from benchmarks/studies/graph_unknown_labels.py (2026-11-18)

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        If `theta` is out of range, the graphs have different sizes, or one with a share above 0 has no weights.

    Notes
    -----
    *Records whose labels are unknown*: their similarity to others by labels is missing, not 0. It is taken as the mean
    over those neighbours in W_X whose labels are known, by their weights. All weights of such a record are multiplied
    by `unknown`, and two of them are not joined: so they smooth the graph, but hardly take dimensions from the labels.
    The weights between known records are the same as without them.
    """
    theta = check_number("theta", theta, high=1.0)
    features, labels = as_graph(feature_graph, "feature_graph"), as_graph(label_graph, "label_graph")
    check_rows("label_graph", labels.n_records, features.n_records, of="feature_graph")
    if known is None or np.all(known) or theta in (0, 1):
        return Graph((*_in_units("feature_graph", features, 1.0 - theta), *_in_units("label_graph", labels, theta)))
    known = np.asarray(known, dtype=bool)
    check_rows("known", len(known), features.n_records, of="feature_graph")
    own, beside = _among_known(features, known)
    by_features = _in_units("feature_graph", own, 1.0 - theta)
    by_labels = _in_units("label_graph", labels, theta)
    weight = check_number("unknown", unknown, high=1.0)
    if weight == 0:
        return Graph((*by_features, *by_labels))
    near = EdgeWeights(sp.csr_array(beside + beside.T)).scaled(weight * (1.0 - theta) / own.mean_weight)
    shares = _shares(beside) * weight
    return Graph((*by_features, near, *(BorrowedWeights(part, shares) for part in by_labels)))


def _in_units(name: str, graph: Graph, share: float) -> tuple[GraphPart, ...]:
    """Return the weights in units of their mean, times their share; nothing if that is 0."""
    if share == 0:
        return ()
    alpha = graph.mean_weight
    if alpha == 0:
        raise InputError(
            f"{name} has no weights: got {graph.n_records} records, none joined, expected some joined ones. "
            "Leave it out by setting theta to 0 or 1, or join more records."
        )
    return graph.scaled(share / alpha).parts


def _among_known(graph: Graph, known: BoolArray) -> tuple[Graph, sp.csr_array]:
    """Return the graph among records of known labels, and the weights of the others (rows) with these."""
    inside = sp.diags_array(known.astype(np.float64))
    beside = sp.csr_array(graph.shape)
    parts: list[GraphPart] = []
    for part in graph.parts:
        if isinstance(part, EdgeWeights):
            near = sp.csr_array(part.weights @ inside)
            own = sp.csr_array(inside @ near)
            beside = sp.csr_array(beside + (near - own).maximum(0))  # some weights of LLE are negative
            own.eliminate_zeros()
            parts.append(EdgeWeights(own))
        else:
            assert isinstance(part, GroupWeights)
            parts.append(GroupWeights(np.where(known, part.group, -1), part.closeness))
    beside.eliminate_zeros()
    return Graph(tuple(parts)), beside


def _shares(weights: sp.csr_array) -> sp.csr_array:
    """Divide rows by their sums, where these are not 0."""
    sums = np.asarray(weights.sum(axis=1), np.float64)
    return sp.csr_array(sp.diags_array(np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)) @ weights)
