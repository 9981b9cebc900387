"""Partial least squares between terms and labels: PLS-SVD [Rosipal2006] and SIMPLS [DeJong1993].

XᵀCY = P S Qᵀ                                                      PLS-SVD
max wᵀXᵀCY q,  ‖w‖ = ‖q‖ = 1,  t = CX w orthogonal to all before   SIMPLS
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.machine import one_thread
from tacit.models.projections.base import LabelProjection
from tacit.operators import Centred, Operator
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["PLS"]


class PLS(LabelProjection):
    """Partial least squares: the directions of largest covariance of terms and labels.

        max cov(X w, Y q)

    Parameters
    ----------
    n_components : int, default 100 — dimensions; fewer are kept, with a warning, if there are fewer
    constraint : {"embeddings", "projections"}, default "embeddings" — what is orthonormal. "projections" is PLS-SVD,
        PᵀP = I, with at most as many dimensions as labels; "embeddings" is SIMPLS, whose positions are orthonormal and
        which has up to as many dimensions as the rank of the records
    tol : float, default 1e-3 — relative residual at which an iterative solver stops; SIMPLS needs none
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ or Pᵀ; `transform` is X @ components_.T − offset_
    eigenvalues_ : (n_components_,) squared covariances, as sums over the records, largest first
    mean_ : (n_terms,) the mean record
    offset_ : (n_components_,) the image of the mean record, subtracted from every position
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason; empty for SIMPLS
    n_iter_ : int, largest number of iterations of any of these solvers

    Notes
    -----
    Neither terms nor labels are scaled. "projections" equals scikit-learn's PLSSVD(scale=False). SIMPLS equals its
    PLSRegression(scale=False) for one label and is closely related for several: PLSRegression removes a dimension from
    X, SIMPLS from XᵀCY, which leaves X sparse. A dimension costs two products with X and a leading eigenvector of an
    L x L matrix; memory is M x L and 2 M x k numbers. Records with unknown labels are left out.

    References
    ----------
    [DeJong1993] for SIMPLS; [Rosipal2006] for the family

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> PLS(n_components=3).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]).transform(X).shape
    (5, 3)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        constraint: str = "embeddings",
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        if self.constraint == "projections":
            return self._projected(cross)
        return simpls(records, cross, min(self.n_components, *records.shape))

    def _limit(self) -> str:
        if self.constraint == "projections":
            return super()._limit()
        return "the dimensions common to the records and the labels"


def simpls(records: Operator, cross: Array, n_components: int) -> tuple[Array, Array]:
    """Return the squared covariances and W of SIMPLS, with orthonormal CX W, by products with the centred records.

    `cross` is S = XᵀCY. For later dimensions it is made orthogonal to the loadings p = XᵀCt so far, and so is every
    later w: its t is then orthogonal to the earlier ones without a change to X. All but the products with X is in
    double precision.
    """
    S = cross.astype(np.float64)
    gram = S.T @ S  # of the rest of S, which is not kept: no step decomposes an M x L matrix
    values, weights = np.zeros(n_components), np.zeros((len(S), n_components))
    loadings = np.zeros_like(weights)  # as an orthonormal basis
    floor, n_found = float(np.trace(gram)) * _rounding(S.shape[1], records.dtype), 0
    while n_found < n_components:
        value, q = _leading(gram)
        if value <= floor:
            break
        known = loadings[:, :n_found]
        w = _outside(S @ q, known)
        t = np.asarray(records @ w.astype(records.dtype), np.float64)
        length = float(np.linalg.norm(t))
        values[n_found], weights[:, n_found] = value, w / length
        p = _outside(np.asarray(records.T @ (t / length).astype(records.dtype), np.float64), known)
        p /= np.linalg.norm(p)
        loadings[:, n_found] = p
        row = p @ S
        gram -= np.outer(row, row)
        n_found += 1
    found = weights[:, :n_found]
    return values[:n_found], found * signs_of(found)


def _leading(gram: Array) -> tuple[float, Array]:
    """Return the largest eigenvalue of a symmetric matrix and its eigenvector."""
    last = len(gram) - 1
    with one_thread(2.0 * len(gram) ** 3):
        values, vectors = la.eigh(gram, subset_by_index=(last, last))
    return float(values[0]), vectors[:, 0]


def _outside(v: Array, basis: Array) -> Array:
    """Return a vector less its part in the span of an orthonormal basis; the second round removes rounding."""
    for _ in range(2):
        v = v - basis @ (basis.T @ v)
    return v


def _rounding(n_labels: int, dtype: np.dtype) -> float:
    """Return the share of all squared covariances below which one is rounding."""
    eps, product_eps = float(np.finfo(np.float64).eps), float(np.finfo(dtype).eps)
    return max(10 * n_labels * eps, (100 * product_eps) ** 2)
