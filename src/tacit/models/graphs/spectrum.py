"""The embedding of a graph: Z with Zᵀ B Z = I in which joined records are close.

    (D − W) z = λ B z,  the smallest λ, without the constant vector                       [Mu2010] eq. (2)

B = D gives Laplacian eigenmaps, B = I unnormalised spectral clustering.

A vector that is constant on each connected component has no cost. There is one per component, known in advance and
removed from the search, so that graphs with many components need no special care. All together they hold the constant
vector, which says nothing, and the *contrasts* between components, which say which component a record is in: these come
first in the embedding, with the cost 0. The paper leaves them out; but if labels alone make the graph and each record
has one class, the components are the classes, and nothing else says anything.

A graph of groups only, W = E S Eᵀ, is searched for vectors that are constant on each group: others are arbitrary, since
W cannot tell the members of a group apart. That is the problem of a smaller graph, whose nodes count as often as they
have records: W → n S n, B → n B.

The rest is turned into a problem for leading eigenvectors: with z = M^−½ u, M the mass of each node (n D or n),

    (c I − M^−½ (D − W) M^−½) u = ν u,  λ = c − ν,

where c = 1 for B = D, and at least the largest λ for B = I. Then the smallest λ are close together near the smallest
degree, and the search needs a preconditioner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from tacit.checks import is_sparse
from tacit.operators import Operator, as_operator
from tacit.relations.graphs.graph import EdgeWeights, Graph, GroupWeights
from tacit.solve import leading_eigenpairs, without_vectors
from tacit.solve.result import Eigenpairs, signs_of
from tacit.types import Array, Float64Array, IntArray

__all__ = ["graph_spectrum", "laplacian_times"]


@dataclass(frozen=True, eq=False)
class GraphSpectrum:
    """The embedding of a graph.

    Attributes
    ----------
    embedding : Z, N x k; a record without neighbours is at the origin
    costs : λ, smallest first, 0 for contrasts between components
    report : report of the solver; its residuals are ‖(D − W) z − λ B z‖ in units of ‖B z‖ (degrees) or of the mean
        degree (identity)
    """

    embedding: Array
    costs: Array
    report: Eigenpairs


def graph_spectrum(
    graph: Graph,
    n_components: int,
    *,
    constraint: str = "degrees",
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int | None = None,
    rng: np.random.Generator,
    features: Any = None,
) -> GraphSpectrum:
    """Embed a graph.

    Parameters
    ----------
    graph : weights between the records
    n_components : number of dimensions; fewer are returned if there are not that many
    constraint : "degrees" (Laplacian eigenmaps) or "identity" (unnormalised spectral clustering)
    solver, tol, max_iter, rng : see `leading_eigenpairs`; `tol` is in units of the degrees
    features : records x terms, to choose between contrasts if there are more than `n_components`: those along which
        the features vary most
    """
    component = graph.components().astype(np.int64)
    mass = graph.degrees if constraint == "degrees" else np.ones(graph.n_records)
    contrasts = _contrasts(graph, component, mass, n_components, features)
    problem = _Problem(_nodes(graph, component, mass), normalised=constraint == "degrees")
    n_wanted = min(n_components - contrasts.shape[1], problem.n_informative)
    if n_wanted < 1:
        nothing = np.empty((graph.n_records, 0))
        report = Eigenpairs(np.empty(0), nothing, np.empty(0), 0, "none", "no search was needed")
        return GraphSpectrum(contrasts * signs_of(contrasts), np.zeros(contrasts.shape[1]), report)
    found = leading_eigenpairs(
        problem,
        n_wanted,
        solver=solver,
        tol=tol * problem.unit,
        max_iter=max_iter,
        rng=rng,
        preconditioner=problem.preconditioner(n_wanted),
    )
    costs = np.maximum(problem.top - np.asarray(found.values, np.float64), 0)
    Z = problem.embedded(found.vectors)
    if problem.nodes.of_groups and constraint == "degrees":
        real = costs < 1 - _ROUNDING  # W is zero along the others, which are arbitrary
        costs, Z = costs[real], Z[:, real]
    Z = np.hstack([contrasts, Z])
    return GraphSpectrum(Z * signs_of(Z), np.concatenate([np.zeros(contrasts.shape[1]), costs]), without_vectors(found))


_ROUNDING = 1e-9


def laplacian_times(graph: Graph, V: Array) -> Array:
    """Return (D − W) V."""
    return np.asarray(graph.degrees[:, None] * V - graph @ V)


def _contrasts(graph: Graph, component: IntArray, mass: Array, most: int, features: Any) -> Array:
    """Return vectors that are constant on components and B-orthogonal to the constant one, at most `most` of them.

    Components of one record are left out. So are those with less than half the share of the records that each
    dimension would have if it had one to itself, unless the graph has groups only: neighbour graphs may have many
    accidental components of a few records, and contrasts between these would take the place of all others.
    """
    sizes = np.bincount(component)
    of_groups = all(isinstance(part, GroupWeights) for part in graph.parts)
    least = 2 if of_groups else max(2.0, graph.n_records / (2 * most))
    kept = np.flatnonzero(sizes >= least)
    if len(kept) > _MOST_COMPONENTS:
        kept = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_COMPONENTS])
    if len(kept) < 2:
        return np.empty((graph.n_records, 0))
    place = np.full(len(sizes), -1)
    place[kept] = np.arange(len(kept))
    place = place[component]
    inside = np.flatnonzero(place >= 0)
    mass = mass[inside]
    lengths = np.sqrt(np.bincount(place[inside], weights=mass))  # ‖M^½ 1‖ on each component
    constant = lengths / np.linalg.norm(lengths)
    free = la.null_space(constant[None])  # an orthonormal basis, in coordinates of the unit vectors of components
    if features is not None:
        weights = sp.csr_array((mass / lengths[place[inside]], (place[inside], inside)), (len(kept), len(place)))
        sums = weights @ features.astype(np.float64)
        gram: Any = sums @ sums.T
        gram = free.T @ np.asarray(gram.toarray() if is_sparse(gram) else gram) @ free
        free = free @ la.eigh((gram + gram.T) / 2)[1][:, ::-1]
    Z = np.zeros((graph.n_records, min(most, free.shape[1])))
    Z[inside] = (free[:, :most] / lengths[:, None])[place[inside]]
    return Z


_MOST_COMPONENTS = 2_000  # of which contrasts are made: a dense matrix of their pairs is decomposed


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The nodes of the problem: records, or groups of records that the graph cannot tell apart."""

    weights: Operator  # S, or W if the nodes are records
    counts: Float64Array  # n, records of each node
    mass: Float64Array  # M, of all records of each node
    degrees: Float64Array  # n D / M
    edges: Float64Array | None  # the part of these that is not of groups
    bound: float  # of λ
    component: IntArray
    node: IntArray | None  # of each record, -1 for none; None if the nodes are the records

    @property
    def of_groups(self) -> bool:
        """Whether the nodes are groups."""
        return self.node is not None


def _nodes(graph: Graph, component: IntArray, mass: Array) -> _Nodes:
    groups = [part for part in graph.parts if isinstance(part, GroupWeights)]
    if len(groups) == len(graph.parts):
        keys = np.stack([part.group for part in groups])
        _, first, node, counts = np.unique(keys, axis=1, return_index=True, return_inverse=True, return_counts=True)
        has = (keys[:, first] >= 0).any(axis=0)
        node = np.where(has, np.cumsum(has) - 1, -1)[node.ravel()]
        first, n_records = first[has], counts[has].astype(np.float64)
        small = Graph(tuple(GroupWeights(part.group[first], part.closeness) for part in groups))
        degrees = _ratio(graph.degrees[first], mass[first])
        bound = 2 * float(degrees.max(initial=0))
        return _Nodes(_Weights(small), n_records, n_records * mass[first], degrees, None, bound, component[first], node)
    edges = [part.weights for part in graph.parts if isinstance(part, EdgeWeights)]
    zero = np.zeros(graph.n_records)
    absolute = np.asarray(sum((abs(each).sum(axis=1) for each in edges), zero), np.float64)
    # some weights of LLE are negative, and its degrees alone would not bound its eigenvalues
    excess = absolute - np.asarray(sum((each.sum(axis=1) for each in edges), zero), np.float64)
    bound = float(_ratio(2 * graph.degrees + excess, mass).max(initial=0))
    degrees, ones = _ratio(graph.degrees, mass), np.ones(graph.n_records)
    return _Nodes(_Weights(graph), ones, mass, degrees, _ratio(absolute, mass), bound, component, None)


def _ratio(values: Array, mass: Array) -> Array:
    return np.divide(values, mass, out=np.zeros(len(mass)), where=mass > 0)


class _Weights(Operator):
    """W as an operator, its sparse parts multiplied in several threads."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.shape, np.dtype(np.float64))
        self.parts: list[Any] = [
            as_operator(part.weights.astype(np.float64)) if isinstance(part, EdgeWeights) else part
            for part in graph.parts
        ]

    def _matmat(self, V: Array) -> Array:
        return np.asarray(sum(part @ V if isinstance(part, Operator) else part.times(V) for part in self.parts))

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)

    @property
    def n_bytes(self) -> int:
        return sum(part.n_bytes for part in self.parts if isinstance(part, Operator))


class _Problem(Operator):
    """c I − M^−½ (D − W) M^−½ with the vectors that are constant on components moved to the end of its spectrum.

    `top` is c. The solver's residuals are relative to ν, which is near c, while λ is of the size of the degrees: `unit`
    is the ratio of the two.
    """

    def __init__(self, nodes: _Nodes, *, normalised: bool) -> None:
        super().__init__((len(nodes.mass), len(nodes.mass)), np.dtype(np.float64))
        self.nodes, mass = nodes, np.maximum(nodes.mass, 0)
        self.root = _ratio(np.ones(len(mass)), np.sqrt(mass))[:, None]
        self.scale = self.root * nodes.counts[:, None]
        self.trivial = _trivial(np.sqrt(mass), nodes.component)
        self.top, self.unit = 1.0, 1.0
        self.diagonal: Array | None = None  # of M^−½ D M^−½, which is I if M is D
        if not normalised:
            self.top = max(nodes.bound, float(np.finfo(np.float64).tiny))
            self.unit = float(nodes.degrees.mean()) / self.top
            self.diagonal = nodes.degrees[:, None]

    @property
    def n_informative(self) -> int:
        """Number of vectors that are not constant on components."""
        return self.shape[0] - self.trivial.shape[1]

    @property
    def n_bytes(self) -> int:
        return self.nodes.weights.n_bytes

    def _matmat(self, V: Array) -> Array:
        product = self.scale * (self.nodes.weights @ (self.scale * V))
        lowered = 2.0  # below all others, which are at least −1
        if self.diagonal is not None:
            product += (self.top - self.diagonal) * V
            lowered = self.top  # to 0: the operator stays positive semi-definite
        return np.asarray(product - lowered * (self.trivial @ (self.trivial.T @ V)))

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)

    def embedded(self, vectors: Array) -> Array:
        """Return M^−½ u for each record, so that Zᵀ B Z = I."""
        Z = self.root * vectors
        node = self.nodes.node
        return Z if node is None else np.where((node >= 0)[:, None], Z[node], 0.0)

    def preconditioner(self, n_components: int) -> LinearOperator | None:
        """Return an approximate (D − W − λ I)⁻¹ for B = I, None for B = D, which needs none.

        The eigenvalues are close together near the smallest degrees, where the graph of the labels is smooth and only
        the edges between single records tell vectors apart; so what a degree exceeds these by counts in full, and the
        edges by their own degrees. Without the first part, 3,000 stories take 72 iterations instead of 18.
        """
        if self.diagonal is None:
            return None
        degrees, edges = self.nodes.degrees, self.nodes.edges
        joined = np.sort(degrees[degrees > 0])
        lowest = joined[min(n_components, len(joined) - 1)] if len(joined) else 0.0
        own = degrees if edges is None else edges
        strength = np.maximum(degrees - lowest, 0) + np.maximum(own, own.mean() / 4)
        inverse = (1 / np.maximum(strength, np.finfo(np.float64).tiny))[:, None]
        return LinearOperator(self.shape, matvec=lambda r: inverse[:, 0] * r, matmat=lambda R: inverse * R)


def _trivial(heights: Array, component: Array) -> sp.csr_array:
    """Return one unit column per component, with the nodes' `heights` as entries."""
    _, component = np.unique(component, return_inverse=True)
    lengths = np.sqrt(np.bincount(component, weights=heights**2))
    # a record without weights has height 0; it is a component of its own, and its coordinate must be 0 too
    heights = np.where(lengths[component] > 0, heights, 1)
    lengths = np.where(lengths > 0, lengths, 1)
    shape = (len(component), len(lengths))
    return sp.csr_array((heights / lengths[component], (np.arange(len(component)), component)), shape=shape)
