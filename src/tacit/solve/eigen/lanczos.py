"""ARPACK's implicitly restarted Lanczos method on an operator, one vector at a time."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, eigsh

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
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of a symmetric operator.

    Parameters
    ----------
    operator : symmetric Operator, n x n, with n > n_components
    n_components : number of eigenpairs
    rng : generator of the start vector
    tol : maximum relative residual; 0 is machine precision
    max_iter : maximum number of restarts, default that of ARPACK (10 n)

    Raises
    ------
    SolverError : if ARPACK fails, or if it missed copies of a repeated eigenvalue, which a method that follows one
        vector finds only thanks to rounding
    """
    counted = _Counted(operator)
    eps = float(np.finfo(operator.dtype).eps)
    v0 = rng.standard_normal(operator.shape[0]).astype(operator.dtype)
    if not (operator @ v0).any():  # ARPACK would report a zero operator as a zero start vector
        return _of_zero_operator(operator, n_components, rng)
    for accuracy in (max(tol / 10, eps), eps):  # the residuals that ARPACK estimates are wrong at times
        values, vectors = _arpack(counted, n_components, v0, accuracy, max_iter)
        values, vectors = descending(values, vectors)
        errors = np.linalg.norm(operator @ vectors - vectors * values, axis=0)
        size = max(float(np.abs(values).max()), counted.size)
        weights = np.linalg.norm(vectors, axis=0)
        residuals = relative_residuals(errors, values, tol=tol, size=size, eps=eps, weights=weights)
        converged = bool((residuals <= max(tol, eps)).all())
        if converged:
            break
        v0 = vectors.sum(axis=1)  # from where it stopped
    # a rough search from another start finds a larger eigenvalue that the first one missed
    v0 = rng.standard_normal(operator.shape[0]).astype(operator.dtype)
    deflated, last = _Deflated(counted, vectors, values + size), float(values[-1])
    try:
        left = eigsh(deflated, 1, which="LA", v0=v0, tol=1e-2, return_eigenvectors=False)
    except ArpackError:  # no eigenvalue stands out
        left = values[-1:]
    if left[0] > last + 1e-4 * size:
        raise SolverError(
            f"the Lanczos solver missed an eigenvalue of about {left[0]:.4g}, larger than the last one it found, "
            f"{last:.4g}: it may miss copies of a repeated eigenvalue, or any with a large tol. Use solver='krylov'."
        )
    return Eigenpairs(values, vectors, residuals, counted.passes, "lanczos", converged=converged)


def _arpack(
    operator: Operator, n_components: int, v0: Array, accuracy: float, max_iter: int | None
) -> tuple[Array, Array]:
    """Call ARPACK, and raise a clear error if it fails."""
    try:
        return eigsh(operator, n_components, which="LA", v0=v0, tol=accuracy, maxiter=max_iter)
    except ArpackNoConvergence as failure:
        raise SolverError(
            f"the Lanczos solver did not converge: got {len(failure.eigenvalues)} of {n_components} eigenpairs. "
            "Increase max_iter or tol, or use solver='krylov'."
        ) from failure
    except ArpackError as failure:
        raise SolverError(f"the Lanczos solver failed: {failure}. Use solver='krylov' or solver='dense'.") from failure


class _Deflated(Operator):
    """A − V diag(s) Vᵀ: the same operator with the eigenvalues that were found shifted down."""

    def __init__(self, operator: Operator, vectors: Array, shifts: Array) -> None:
        super().__init__(operator.shape, operator.dtype)
        self.operator, self.vectors, self.shifts = operator, vectors, shifts[:, None]

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.operator @ V - self.vectors @ (self.shifts * (self.vectors.T @ V)))


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


def _of_zero_operator(operator: Operator, n_components: int, rng: np.random.Generator) -> Eigenpairs:
    """Return eigenpairs of the zero operator: any orthonormal vectors."""
    vectors = starting_block(operator.shape[0], n_components, operator.dtype, rng)
    values, vectors = descending(np.zeros(n_components, operator.dtype), vectors)
    return Eigenpairs(values, vectors, np.zeros(n_components), 1, "lanczos")
