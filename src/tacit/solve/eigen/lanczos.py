"""ARPACK's implicitly restarted Lanczos method on an operator, one vector at a time."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

from tacit.errors import SolverError
from tacit.operators.base import Operator
from tacit.solve.eigen.starting_block import starting_block
from tacit.solve.result import Eigenpairs, descending, relative_residuals
from tacit.types import Array

__all__ = ["lanczos"]


def lanczos(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    tol: float = 0.0,
    max_iter: int | None = None,
    metric: Operator | None = None,
    metric_inverse: LinearOperator | None = None,
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of a symmetric operator; with a metric B, of A x = λ B x.

    Parameters
    ----------
    operator : symmetric Operator, n x n, with n > n_components
    n_components : number of eigenpairs
    rng : generator of the start vector
    tol : maximum relative residual; 0 is machine precision
    max_iter : maximum number of restarts, default that of ARPACK (10 n)
    metric, metric_inverse : symmetric positive definite B and the operator that applies its inverse

    Raises
    ------
    SolverError : if ARPACK fails, or if it missed copies of a repeated eigenvalue, which a method that follows one
        vector finds only thanks to rounding
    """
    counted = _Counted(operator)
    eps = float(np.finfo(operator.dtype).eps)
    v0 = rng.standard_normal(operator.shape[0]).astype(operator.dtype)
    if not (operator @ v0).any():  # ARPACK would report a zero operator as a zero start vector
        return _of_zero_operator(operator, n_components, rng, metric)
    for accuracy in (max(tol / 10, eps), eps):  # the residuals that ARPACK estimates are wrong at times
        values, vectors = _arpack(counted, n_components, v0, accuracy, max_iter, metric, metric_inverse)
        values, vectors = descending(values, vectors)
        weighted = vectors if metric is None else metric @ vectors
        errors = np.linalg.norm(operator @ vectors - weighted * values, axis=0)
        size = max(float(np.abs(values).max()), counted.size if metric is None else 0.0)
        weights = np.linalg.norm(weighted, axis=0)
        residuals = relative_residuals(errors, values, tol=tol, size=size, eps=eps, weights=weights)
        converged = bool((residuals <= max(tol, eps)).all())
        if converged:
            break
        v0 = vectors.sum(axis=1)  # from where it stopped
    # a rough search from another start finds a larger eigenvalue that the first one missed
    v0 = rng.standard_normal(operator.shape[0]).astype(operator.dtype)
    deflated, last = _Deflated(counted, weighted, values + size), float(values[-1])
    try:
        left = eigsh(deflated, 1, M=metric, Minv=metric_inverse, which="LA", v0=v0, tol=1e-2, return_eigenvectors=False)
    except ArpackError:  # no eigenvalue stands out
        left = values[-1:]
    if left[0] > last + 1e-4 * size:
        raise SolverError(
            f"the Lanczos solver missed an eigenvalue of about {left[0]:.4g}, larger than the last one it found, "
            f"{last:.4g}: it may miss copies of a repeated eigenvalue, or any with a large tol. Use solver='krylov'."
        )
    return Eigenpairs(values, vectors, residuals, counted.passes, "lanczos", converged=converged)


def _arpack(
    operator: Operator,
    n_components: int,
    v0: Array,
    accuracy: float,
    max_iter: int | None,
    metric: Operator | None,
    metric_inverse: LinearOperator | None,
) -> tuple[Array, Array]:
    """Call ARPACK, and raise a clear error if it fails."""
    try:
        return eigsh(
            operator, n_components, M=metric, Minv=metric_inverse, which="LA", v0=v0, tol=accuracy, maxiter=max_iter
        )
    except ArpackNoConvergence as failure:
        raise SolverError(
            f"the Lanczos solver did not converge: got {len(failure.eigenvalues)} of {n_components} eigenpairs. "
            "Increase max_iter or tol, or use solver='krylov'."
        ) from failure
    except ArpackError as failure:
        raise SolverError(f"the Lanczos solver failed: {failure}. Use solver='krylov' or solver='dense'.") from failure


class _Deflated(Operator):
    """A − (B V) diag(s) (B V)ᵀ: the same operator with the eigenvalues that were found shifted down."""

    def __init__(self, operator: Operator, weighted: Array, shifts: Array) -> None:
        super().__init__(operator.shape, operator.dtype)
        self.operator, self.weighted, self.shifts = operator, weighted, shifts[:, None]

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.operator @ V - self.weighted @ (self.shifts * (self.weighted.T @ V)))


class _Counted(Operator):
    """An operator that counts its products and records a lower bound of its norm."""

    def __init__(self, operator: Operator) -> None:
        super().__init__(operator.shape, operator.dtype)
        self.operator, self.passes, self.size = operator, 0, 0.0

    def _matmat(self, V: Array) -> Array:
        product = np.asarray(self.operator @ V)
        self.passes += 1
        length = float(np.linalg.norm(V))
        self.size = max(self.size, float(np.linalg.norm(product)) / length if length else 0.0)
        return product


def _of_zero_operator(
    operator: Operator, n_components: int, rng: np.random.Generator, metric: Operator | None
) -> Eigenpairs:
    """Return eigenpairs of the zero operator: any vectors that are orthonormal in the metric."""
    vectors = starting_block(operator.shape[0], n_components, operator.dtype, rng)
    if metric is not None:
        factor = np.linalg.cholesky(vectors.T @ (metric @ vectors))
        vectors = np.linalg.solve(factor, vectors.T).T
    values, vectors = descending(np.zeros(n_components, operator.dtype), vectors)
    return Eigenpairs(values, vectors, np.zeros(n_components), 1, "lanczos")
