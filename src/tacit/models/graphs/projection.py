"""Projections that embed a graph: out-of-sample extension 1, with Z = X P substituted into the problem.

    Xᵀ(D − W)X p = λ Xᵀ B X p                                                         [Mu2010] eq. (3)

B = D is LPP. OLPP asks for orthogonal projections instead, PᵀP = I: the smallest eigenvectors of Xᵀ(D − W)X. Rows are
records here; the paper writes X transposed in eq. (3).

Both are solved in the span of the right singular vectors V of X, P = V Q: outside it p maps every record to 0. If X has
too many directions for a dense matrix, the leading ones are used, as is usual for these methods ("PCA first").
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.checks import is_sparse
from tacit.models.graphs.spectrum import laplacian_times
from tacit.operators import as_operator
from tacit.relations.graphs.graph import Graph
from tacit.solve import leading_singular_triplets
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["graph_projection"]

_DENSE_SIDE = 4_000  # smaller side of X up to which all of its directions are found with LAPACK
_DIRECTIONS = 1_000  # leading directions above that, by default


def graph_projection(
    X: Any,
    graph: Graph,
    n_components: int,
    *,
    constraint: str,
    ridge: float = 0.0,
    n_directions: int | None = None,
    tol: float = 1e-3,
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Return projections P, M x k, and their costs λ, smallest first.

    Parameters
    ----------
    X : records x terms
    graph : graph of the records
    n_components : number of projections
    constraint : "degrees" (LPP), "identity" (orthogonal embeddings) or "projections" (OLPP)
    ridge : added to the penalty as ridge·pᵀp, in units of tr Xᵀ(D − W)X / N; LPP needs it if terms outnumber records
    n_directions : leading directions of X to search in; None is all, or 1,000 if X is large
    tol, rng : for the leading directions of a large X
    """
    V, F = _directions(X, n_directions, tol, rng)
    penalty = F.T @ laplacian_times(graph, F)
    if ridge:
        # divided by N, not by the directions, so that it does not depend on the number of terms
        penalty = penalty + ridge * float(np.trace(penalty)) / graph.n_records * np.eye(len(penalty))
    B = None
    if constraint != "projections":
        B = np.asarray(F.T @ ((graph.degrees[:, None] if constraint == "degrees" else 1.0) * F))
        B = B + np.finfo(np.float64).eps * np.trace(B) * np.eye(len(B))  # records without weights make it singular
    costs, Q = la.eigh((penalty + penalty.T) / 2, None if B is None else (B + B.T) / 2)
    size = float(np.abs(costs).max(initial=0)) if B is None else 2.0
    free = int(np.count_nonzero(costs <= _ZERO * len(costs) * size))
    contrasts = _without_constant(F, Q[:, :free])
    costs = np.concatenate([np.zeros(contrasts.shape[1]), costs[free:]])[:n_components]
    Q = np.hstack([contrasts, Q[:, free:]])[:, :n_components]
    P = V @ Q
    P *= signs_of(F @ Q)
    return P, costs


_ZERO = 1e-12  # relative cost below which a vector is constant on each component, up to rounding


def _without_constant(F: Array, Q: Array) -> Array:
    """Return a basis, as orthonormal as Q, of what it spans except for the vector that is constant on all records.

    The others that have no cost are contrasts between connected components of the graph. A record that nothing joins
    has no weight in the problem, so the constant need not be reached there.
    """
    if not Q.shape[1]:
        return Q
    images = F @ Q
    weights = la.lstsq(images, np.ones(len(F)))[0]
    reached = np.linalg.norm(images @ weights - 1) <= _CONSTANT * np.sqrt(len(F))
    return np.asarray(Q @ la.null_space(weights[None])) if reached else Q


_CONSTANT = 1e-4


def _directions(X: Any, n_directions: int | None, tol: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the right singular vectors V of X that are not rounding, and X V."""
    if n_directions is None and min(X.shape) <= _DENSE_SIDE:
        return _all_directions(X)
    n_wanted = min(n_directions or _DIRECTIONS, *X.shape)
    found = leading_singular_triplets(as_operator(X), n_wanted, tol=tol, rng=rng, left=False)
    real = found.values > found.values.max(initial=0) * max(X.shape) * np.finfo(found.values.dtype).eps
    V = np.asarray(found.right[:, real], np.float64)
    return V, np.asarray(X @ V)


def _all_directions(X: Any) -> tuple[Array, Array]:
    """Return all directions, from the smaller of XᵀX and X Xᵀ, in double precision."""
    X = X.astype(np.float64)
    wide = X.shape[0] < X.shape[1]
    gram = X @ X.T if wide else X.T @ X
    values, vectors = la.eigh(np.asarray(gram.toarray() if is_sparse(gram) else gram))
    real = values > values.max(initial=0) * max(X.shape) * np.finfo(np.float64).eps
    values, vectors = values[real], vectors[:, real]
    if wide:
        roots = np.sqrt(values)
        return np.asarray(X.T @ (vectors / roots)), np.asarray(vectors * roots)
    return vectors, np.asarray(X @ vectors)
