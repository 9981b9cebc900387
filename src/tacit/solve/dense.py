"""LAPACK on the whole matrix: exact, and the reference with which every other solver is compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.errors import InputError
from tacit.machine import one_thread
from tacit.operators.base import Operator
from tacit.solve.result import Eigenpairs, LeastSquares, SingularTriplets, descending, relative_residuals, signs_of
from tacit.types import Array

__all__ = ["dense_eigenpairs", "dense_least_squares", "dense_singular_triplets"]


def dense_eigenpairs(operator: Operator, n_components: int, *, tol: float = 1.0) -> Eigenpairs:
    """Return the largest eigenpairs of a symmetric operator, by forming it.

    `tol` only affects how residuals are measured: see `relative_residuals`.
    """
    A = operator.to_dense()
    n = A.shape[0]
    try:
        with one_thread(4.0 * n**3):
            values, vectors = _largest((A + A.T) / 2, min(n_components, n))
    except la.LinAlgError as failure:
        raise InputError(
            f"the eigenproblem has no solution: LAPACK reports '{failure}', expected a symmetric operator."
        ) from failure
    values, vectors = descending(values, vectors)
    errors = np.linalg.norm(A @ vectors - vectors * values, axis=0)
    size, weights = float(np.abs(A).sum(axis=0).max()), np.linalg.norm(vectors, axis=0)
    eps = float(np.finfo(A.dtype).eps)
    residuals = relative_residuals(errors, values, tol=tol, size=size, eps=eps, weights=weights)
    return Eigenpairs(values, vectors, residuals, 1, "dense")


def dense_singular_triplets(operator: Operator, n_components: int, *, tol: float = 1.0) -> SingularTriplets:
    """Return the largest singular triplets of an operator, by forming it; `tol` as for `dense_eigenpairs`."""
    U, values, Vt, A = _svd(operator)
    U, values, V = U[:, :n_components], values[:n_components], Vt[:n_components].T
    signs = signs_of(V)
    errors = np.linalg.norm(A.T @ U - V * values, axis=0)
    eps = float(np.finfo(A.dtype).eps)
    residuals = relative_residuals(errors, values, tol=tol, size=float(values.max(initial=0)), eps=eps)
    return SingularTriplets(U * signs, values, V * signs, residuals, 1, "dense")


def dense_least_squares(operator: Operator, targets: Any, *, ridge: float = 0.0) -> LeastSquares:
    """Solve min ‖A w − t‖² + ridge ‖w‖² by the singular values of A; the shortest solution if there are many.

    Sparse targets are never made dense: N x p may be far larger than A.
    """
    U, values, Vt, A = _svd(operator)
    real = values > values.max(initial=0) * max(A.shape) * np.finfo(A.dtype).eps
    filters = np.where(real, values / np.where(real, values**2 + ridge, 1), 0).astype(A.dtype)
    solution = Vt.T @ (filters[:, None] * np.asarray(targets.T @ U).T)
    rhs = np.asarray(targets.T @ A).T
    fitted = (A.T @ A) @ solution if A.shape[0] > A.shape[1] else A.T @ (A @ solution)
    errors = np.linalg.norm(rhs - fitted - A.dtype.type(ridge) * solution, axis=0)
    # an Aᵀt of the size of rounding errors of ‖A‖ ‖t‖ counts as zero
    eps, lengths = np.finfo(A.dtype).eps, np.sqrt(np.asarray((targets * targets).sum(axis=0))).ravel()
    scale = np.linalg.norm(rhs, axis=0) + 10 * eps * values.max(initial=0) * lengths + np.finfo(A.dtype).tiny
    return LeastSquares(solution.astype(A.dtype, copy=False), errors / scale, 1, "dense")


def _largest(A: Array, n_wanted: int) -> tuple[Array, Array]:
    """Return the last `n_wanted` eigenpairs; from the whole spectrum if LAPACK fails on a part without an error.

    Its driver for a part of the spectrum ("evr") may return no vector at all, and no error, in a large cluster of
    nearly equal eigenvalues.
    """
    n = A.shape[0]
    values, vectors = la.eigh(A, subset_by_index=(n - n_wanted, n - 1))
    if values.size == n_wanted and np.isfinite(vectors).all():
        return values, vectors
    values, vectors = la.eigh(A, driver="evd")
    return values[n - n_wanted :], vectors[:, n - n_wanted :]


def _svd(operator: Operator) -> tuple[Array, Array, Array, Array]:
    """Return U, σ, Vᵀ and the matrix itself."""
    A = operator.to_dense()
    with one_thread(float(A.size) * min(A.shape)):
        try:
            return *la.svd(A, full_matrices=False), A
        except la.LinAlgError:  # gesvd is slower than gesdd but does not fail with many equal or tiny singular values
            return *la.svd(A, full_matrices=False, lapack_driver="gesvd"), A
