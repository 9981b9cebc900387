"""The embedding of a graph: Z with Zᵀ B Z = I in which joined records are close.

    (D − W) z = λ B z,  the smallest non-trivial λ                                       [Mu2010] eq. (2)

B = D gives Laplacian eigenmaps, B = I unnormalised spectral clustering. A vector that is constant on each connected
component has no cost and no information. There is one per component, known in advance and removed from the problem, so
that graphs with many components need no special care.

Both are turned into problems for leading eigenvectors: λ = 1 − ν with D^−½ W D^−½ u = ν u
and z = D^−½ u for B = D; λ = c − ν with (c I − D + W) z = ν z, c at least the largest λ, for B = I.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.operators import Operator, as_operator
from tacit.relations.graphs.graph import EdgeWeights, Graph
from tacit.solve import leading_eigenpairs, without_vectors
from tacit.solve.result import Eigenpairs, signs_of
from tacit.types import Array

__all__ = ["graph_spectrum", "laplacian_times"]


@dataclass(frozen=True, eq=False)
class GraphSpectrum:
    """The embedding of a graph.

    Attributes
    ----------
    embedding : Z, N x k; a record without neighbours is at the origin
    costs : λ, smallest first
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
) -> GraphSpectrum:
    """Embed a graph, in at most as many dimensions as records less connected components."""
    component = graph.components()
    n_trivial = int(component.max()) + 1
    n_wanted = min(n_components, graph.n_records - n_trivial)
    operator: _Normalised | _Shifted
    operator = _Normalised(graph, component) if constraint == "degrees" else _Shifted(graph, component)
    if n_wanted < 1:
        nothing = np.empty((graph.n_records, 0))
        return GraphSpectrum(nothing, np.empty(0), Eigenpairs(np.empty(0), nothing, np.empty(0), 0, "none"))
    found = leading_eigenpairs(operator, n_wanted, solver=solver, tol=tol * operator.unit, max_iter=max_iter, rng=rng)
    costs = np.maximum(operator.top - np.asarray(found.values, np.float64), 0)
    Z = operator.embedded(found.vectors)
    return GraphSpectrum(Z * signs_of(Z), costs, without_vectors(found))


def laplacian_times(graph: Graph, V: Array) -> Array:
    """Return (D − W) V."""
    return np.asarray(graph.degrees[:, None] * V - graph @ V)


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


class _Normalised(Operator):
    """D^−½ W D^−½ with the trivial vectors moved from the top to the bottom of its spectrum."""

    top, unit = 1.0, 1.0

    def __init__(self, graph: Graph, component: Array) -> None:
        super().__init__(graph.shape, np.dtype(np.float64))
        self.weights, degrees = _Weights(graph), np.maximum(graph.degrees, 0)
        self.root = np.divide(1, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)[:, None]
        self.trivial = _trivial(np.sqrt(degrees), component)

    def _matmat(self, V: Array) -> Array:
        product = self.root * (self.weights @ (self.root * V))
        return np.asarray(product - 2 * (self.trivial @ (self.trivial.T @ V)))

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)

    def embedded(self, vectors: Array) -> Array:
        """Return D^−½ u, so that ZᵀDZ = I."""
        return np.asarray(self.root * vectors)


class _Shifted(Operator):
    """c I − D + W with the trivial vectors moved too; c is twice the largest degree, an upper bound of λ."""

    def __init__(self, graph: Graph, component: Array) -> None:
        super().__init__(graph.shape, np.dtype(np.float64))
        self.weights, self.degrees = _Weights(graph), graph.degrees[:, None]
        self.top = 2 * max(float(self.degrees.max(initial=0)), float(np.finfo(np.float64).tiny))
        # the solver's residuals are relative to ν, which is near c, while λ is of the size of the degrees
        self.unit = float(self.degrees.mean()) / self.top
        self.trivial = _trivial(np.ones(graph.n_records), component)

    def _matmat(self, V: Array) -> Array:
        product = self.weights @ V
        product += (self.top - self.degrees) * V
        return np.asarray(product - 2 * self.top * (self.trivial @ (self.trivial.T @ V)))

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)

    def embedded(self, vectors: Array) -> Array:
        """Return the vectors themselves: ZᵀZ = I."""
        return vectors


def _trivial(heights: Array, component: Array) -> sp.csr_array:
    """Return one unit column per component, with the records' `heights` as entries."""
    lengths = np.sqrt(np.bincount(component, weights=heights**2))
    # a record without weights has height 0; it is a component of its own, and its coordinate must be 0 too
    heights = np.where(lengths[component] > 0, heights, 1)
    lengths = np.where(lengths > 0, lengths, 1)
    shape = (len(component), len(lengths))
    return sp.csr_array((heights / lengths[component], (np.arange(len(component)), component)), shape=shape)
