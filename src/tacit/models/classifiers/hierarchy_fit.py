"""The hierarchy-regularised classifiers of all classes at once, [Huang2005] section 2.5.

    min  Σ_i ℓ(x_iᵀw + b, t_i) + ξ wᵀXᵀΔXw + β‖w‖²,  t_i = ±1, for every class            eq. (12)

With squared loss and the intercept minimised out this is one linear system for all classes,

    (XᵀMX + βI) w = Xᵀ C t,   M = C + ξΔ,   C = diag(k) − k kᵀ/n_k                          eq. (13)

where k marks the n_k records whose labels are known. C centres those records only: Δ sees no constant, so its own terms
need no centring. C and Δ are both diagonal plus low rank, and so is M. Without an intercept C = diag(k), and this is
the printed eq. (13), with the Xᵀ that it lost.

| word | symbol |
|---|---|
| hierarchy_weight | ξ |
| ridge | β, in units of the mean squared length of the rows of X |
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.errors import SolverError
from tacit.models.classifiers.linear import Linear
from tacit.models.classifiers.newton import LOSSES, Objective, smooth_regressions
from tacit.models.common.class_hierarchy import HierarchyGraph, graph_of, squared_lengths
from tacit.operators.algebra import DiagonalPlusLowRank
from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.rows.views import adjoint_blocks, as_view, in_double, is_elsewhere
from tacit.solve.linear.conjugate_gradients import block_cg

__all__ = ["HierarchyFit", "HierarchyProblem"]

_PRIMAL_SIDE = 2048  # features up to which XᵀMX is formed: 32 MiB
_DUAL_SIDE = 3072  # records up to which M XXᵀ is formed: 72 MiB, and a second or two to factorise


class HierarchyFit(NamedTuple):
    """The classifiers, how they were found, and whether they reached the tolerance."""

    linear: Linear
    solver: str
    steps: int
    converged: bool


@dataclass(frozen=True)
class HierarchyProblem:
    """Eq. (12) with its weights; `fit` solves it for records and classes.

    Attributes
    ----------
    loss : "squared", "logistic" or "squared_hinge"
    hierarchy_weight, ridge : see the table above
    fit_intercept : False is the paper's form
    tol : relative size of the residual or gradient at which it stops
    max_iter : most steps, default 500 of block conjugate gradients or 30 of Newton
    """

    loss: str
    hierarchy_weight: float
    ridge: float
    fit_intercept: bool
    tol: float
    max_iter: int | None

    def fit(self, X: Any, Y: sp.csr_array, memberships: sp.csr_array, unlabelled: Any = None) -> HierarchyFit:
        """Train all columns of Y; one that has only one side gets a constant score, +1 or −1.

        Parameters
        ----------
        X : records whose labels are known
        Y : records x classes, 1 where the answer is +1
        memberships : records x classes of the hierarchy, each record in the classes above its own too; often Y itself
        unlabelled : further rows that are in the root only, and not in the loss
        """
        counts = np.bincount(Y.indices, minlength=Y.shape[1])
        coef, intercept = np.zeros((len(counts), X.shape[1])), np.where(counts > 0, 1.0, -1.0)
        mixed = np.flatnonzero((counts > 0) & (counts < X.shape[0]))
        if not mixed.size:
            return HierarchyFit(Linear(coef, intercept), "none", 0, converged=True)
        Y, known = Y[:, mixed], np.ones(X.shape[0], bool)
        if unlabelled is not None:
            known = np.append(known, np.zeros(unlabelled.shape[0], bool))
            X = _stacked(X, unlabelled)
            Y, memberships = (_padded(matrix, len(known)) for matrix in (Y, memberships))
        X = in_double(X)  # sᵀΔs is a small difference of large sums
        graph = graph_of(memberships, range(memberships.shape[1]))
        found = (self._least_squares if self.loss == "squared" else self._newton)(X, Y, known, graph)
        coef[mixed], intercept[mixed] = found.linear
        return found._replace(linear=Linear(coef, intercept))

    def _absolute_ridge(self, X: Any) -> float:
        """β; 1 where X is zero, and any number gives the same nothing."""
        return self.ridge * float(squared_lengths(X).mean()) or 1.0

    def _newton(self, X: Any, Y: sp.csr_array, known: Array, graph: HierarchyGraph) -> HierarchyFit:
        # ½ sᵀAs is ξ sᵀΔs, and ‖w‖²/(2C) is β‖w‖²
        pull = 2 * self.hierarchy_weight
        coupling = DiagonalPlusLowRank(pull * graph.degrees, graph.H, -pull / graph.sizes)
        objective = Objective(
            LOSSES[self.loss],
            C=1 / (2 * self._absolute_ridge(X)),
            coupling=coupling if pull else None,
            counted=None if known.all() else known,
            fit_intercept=self.fit_intercept,
        )
        found = smooth_regressions(X, Y, objective, tol=self.tol, max_iter=self.max_iter)
        return HierarchyFit(Linear(found.coef, found.intercept), "newton-cg", found.steps, found.converged)

    def _least_squares(self, X: Any, Y: sp.csr_array, known: Array, graph: HierarchyGraph) -> HierarchyFit:
        k, beta = known.astype(np.float64), self._absolute_ridge(X)
        M = _record_metric(graph, k, self.hierarchy_weight, self.fit_intercept)
        shares = np.asarray(Y.sum(axis=0)).ravel() / k.sum()
        mean_target = 2 * shares - 1 if self.fit_intercept else np.zeros(Y.shape[1])
        mean = np.asarray(X.T @ k).ravel() / k.sum()
        if self.fit_intercept and isinstance(X, np.ndarray):
            X = X - mean  # changes nothing but rounding, where features are far from zero
        if X.shape[1] <= _PRIMAL_SIDE and not is_elsewhere(X):
            solver, steps, converged = "primal", 1, True
            W = _solve(_features_matrix(X, M, beta), _pulled_targets(X, Y, k, mean_target), "pos")
        elif X.shape[0] <= _DUAL_SIDE and not is_elsewhere(X):
            solver, steps, converged = "dual", 1, True
            W = np.asarray(X.T @ _solve(_records_matrix(X, M, beta), _targets(Y, k, mean_target), "gen"))
        else:
            found = block_cg(
                _System(X, M, beta),
                _pulled_targets(X, Y, k, mean_target),
                tol=self.tol,
                max_iter=self.max_iter or 500,
            )
            solver, steps, converged, W = found.solver, found.iterations, found.converged, found.solution
        intercept = mean_target - mean @ W if self.fit_intercept else np.zeros(Y.shape[1])
        return HierarchyFit(Linear(W.T, intercept), solver, steps, converged)


class _Metric(NamedTuple):
    """M as its parts, diag(d) + U diag(s) Uᵀ."""

    diagonal: Array
    factor: sp.csr_array
    core: Array

    def operator(self) -> Operator:
        return DiagonalPlusLowRank(self.diagonal, self.factor, self.core)


class _System(Operator):
    """XᵀMX + βI by its products."""

    def __init__(self, X: Any, M: _Metric, beta: float) -> None:
        self.X, self.M, self.beta = as_operator(X), M.operator(), beta
        super().__init__((X.shape[1], X.shape[1]), X.dtype)

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.X.T @ (self.M @ (self.X @ V)) + self.beta * V)

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)


def _stacked(X: Any, below: Any) -> Any:
    """Put rows below others of the same matrix."""
    if is_elsewhere(X):
        return as_view(X).with_more(below)
    return sp.vstack([X, below], format="csr") if is_sparse(X) else np.vstack([X, below])


def _padded(matrix: sp.csr_array, n_rows: int) -> sp.csr_array:
    """Add empty rows at the end."""
    ends = np.append(matrix.indptr, np.full(n_rows - matrix.shape[0], matrix.indptr[-1]))
    return sp.csr_array((matrix.data, matrix.indices, ends), shape=(n_rows, matrix.shape[1]))


def _record_metric(graph: HierarchyGraph, k: Array, weight: float, fit_intercept: bool) -> _Metric:
    """M = C + ξΔ, the centring as one more class that holds the known records."""
    factor, core = graph.H, -weight / graph.sizes
    if fit_intercept:
        factor = sp.csr_array(sp.hstack([factor, sp.csr_array(k[:, None])], format="csr"))
        core = np.append(core, -1 / k.sum())
    return _Metric(k + weight * graph.degrees, factor, core)


def _features_matrix(X: Any, M: _Metric, beta: float) -> Array:
    """XᵀMX + βI, dense."""
    sums, scales = _dense(M.factor.T @ X), M.diagonal[:, None]
    scaled = sp.csr_array(X.multiply(scales)) if is_sparse(X) else scales * X
    matrix = _dense(X.T @ scaled) + sums.T @ (M.core[:, None] * sums)
    matrix[np.diag_indices_from(matrix)] += beta
    return matrix


def _records_matrix(X: Any, M: _Metric, beta: float) -> Array:
    """M XXᵀ + βI, dense: w = Xᵀα solves the system if this times α is C t."""
    matrix = np.asarray(M.operator() @ _dense(X @ X.T))
    matrix[np.diag_indices_from(matrix)] += beta
    return matrix


def _solve(matrix: Array, targets: Array, kind: Literal["pos", "gen"]) -> Array:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", la.LinAlgWarning)
            return np.asarray(la.solve(matrix, targets, assume_a=kind, overwrite_a=True))
    except (la.LinAlgError, la.LinAlgWarning):
        raise SolverError("the classifiers are not determined to working precision. Raise ridge.") from None


def _targets(Y: sp.csr_array, k: Array, mean_target: Array) -> Array:
    """C t: ±1 less its mean in the records that are known, zero in the others."""
    return np.asarray(2 * Y.toarray() - k[:, None] * (1 + mean_target))


def _pulled_targets(X: Any, Y: sp.csr_array, k: Array, mean_target: Array) -> Array:
    """XᵀC t, without a dense records x classes array."""
    pulled = np.hstack([product for _, product in adjoint_blocks(X, Y)]) if is_elsewhere(X) else _dense(X.T @ Y)
    return np.asarray(2 * pulled - np.outer(X.T @ k, 1 + mean_target))


def _dense(matrix: Any) -> Array:
    return np.asarray(matrix.toarray() if is_sparse(matrix) else matrix)
