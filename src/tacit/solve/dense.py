"""LAPACK on the whole matrix: exact, and the reference that every other solver answers to."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from tacit.operators.base import Array, Operator
from tacit.solve.result import Eigenpairs, LeastSquares, SingularTriplets
from tacit.solve.signs import descending, signs_of

__all__ = ["dense_eigenpairs", "dense_least_squares", "dense_singular_triplets"]


def dense_eigenpairs(operator: Operator, n_components: int, *, metric: Operator | None = None) -> Eigenpairs:
    """Give the largest eigenpairs of a symmetric operator, by forming it; A x = λ B x if a metric B is given."""
    A = operator.to_dense()
    B = None if metric is None else metric.to_dense()
    n = A.shape[0]
    values, vectors = la.eigh((A + A.T) / 2, B, subset_by_index=(max(0, n - n_components), n - 1))
    values, vectors = descending(values, vectors)
    weighted = vectors if B is None else B @ vectors
    errors = np.linalg.norm(A @ vectors - weighted * values, axis=0)
    scale = np.maximum(np.abs(values), np.finfo(A.dtype).tiny)
    return Eigenpairs(values, vectors, errors / scale, 1, "dense")


def dense_singular_triplets(operator: Operator, n_components: int) -> SingularTriplets:
    """Give the largest singular triplets of an operator, by forming it."""
    A = operator.to_dense()
    # gesvd is slower than gesdd but does not give up on matrices with many equal or tiny singular values
    try:
        U, values, Vt = la.svd(A, full_matrices=False)
    except la.LinAlgError:
        U, values, Vt = la.svd(A, full_matrices=False, lapack_driver="gesvd")
    U, values, V = U[:, :n_components], values[:n_components], Vt[:n_components].T
    signs = signs_of(V)
    errors = np.linalg.norm(A.T @ U - V * values, axis=0)
    scale = np.maximum(values, np.finfo(A.dtype).tiny)
    return SingularTriplets(U * signs, values, V * signs, errors / scale, 1, "dense")


def dense_least_squares(operator: Operator, targets: Array, *, ridge: float = 0.0) -> LeastSquares:
    """Solve min ‖A w − t‖² + ridge ‖w‖² by the singular values of A; the shortest solution if there are many."""
    A = operator.to_dense()
    U, values, Vt = la.svd(A, full_matrices=False)
    real = values > values.max(initial=0) * max(A.shape) * np.finfo(A.dtype).eps
    filters = np.where(real, values / np.where(real, values**2 + ridge, 1), 0)
    solution = Vt.T @ (filters[:, None] * (U.T @ targets))
    gradient = A.T @ (targets - A @ solution) - ridge * solution
    scale = np.maximum(np.linalg.norm(A.T @ targets, axis=0), np.finfo(A.dtype).tiny)
    return LeastSquares(solution.astype(A.dtype), np.linalg.norm(gradient, axis=0) / scale, 1, "dense")
