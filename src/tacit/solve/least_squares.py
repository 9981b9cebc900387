"""Least squares with many right-hand sides: min ‖A w − t‖² + ridge ‖w‖² for every column t of the targets.

Block conjugate gradients [OLeary1980] let all the right-hand sides search together: the columns help each other to the
directions in which A is large, so that a hundred targets need a fifth of the iterations that each would need alone. The QR
form [Dubrulle2001] keeps this stable when targets are nearly dependent. LSMR [Fong2011] is there for systems without a ridge.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator, lsmr

from tacit.checks import check_choice, check_number, check_rows
from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.gram import Gram
from tacit.solve.dense import dense_least_squares
from tacit.solve.result import LeastSquares

__all__ = ["SOLVERS", "block_cg", "least_squares", "preconditioned_cg"]

SOLVERS = ("auto", "dense", "block-cg", "cg", "lsmr")
_DENSE_LIMIT = 400  # smaller side up to which LAPACK is the faster one


def least_squares(
    operator: Any,
    targets: Any,
    *,
    ridge: float = 0.0,
    tol: float = 1e-6,
    max_iter: int | None = None,
    solver: str = "auto",
    preconditioner: LinearOperator | None = None,
    start: Array | None = None,
) -> LeastSquares:
    """Solve min ‖A w − t‖² + ridge ‖w‖² for all columns t of `targets` at once.

    Parameters
    ----------
    operator : matrix or Operator A, N x M
    targets : N x p, dense or sparse
    ridge : weight of ‖w‖²; 0 gives the shortest least-squares solution
    tol : largest relative residual of the normal equations, ‖Aᵀ(t − A w) − ridge w‖ / ‖Aᵀ t‖
    max_iter : most iterations, default 500 (LSMR: the smaller side of A)
    solver : "auto", "dense", "block-cg", "cg" (takes a preconditioner), "lsmr"
    preconditioner : applies something like (AᵀA + ridge I)⁻¹; turns "auto" into "cg"
    start : M x p, where to start

    Returns
    -------
    LeastSquares
    """
    A = as_operator(operator)
    check_choice("solver", solver, SOLVERS)
    ridge, tol = check_number("ridge", ridge), check_number("tol", tol)
    check_rows("targets", targets.shape[0], A.shape[0], of="the operator")
    solver, reason = _choose(A, ridge, solver, preconditioner)
    if solver == "dense":
        T = targets.toarray() if hasattr(targets, "toarray") else np.asarray(targets)
        found = dense_least_squares(A, T.astype(A.dtype, copy=False), ridge=ridge)
    elif solver == "lsmr":
        found = _lsmr(A, targets, ridge, tol, max_iter)
    else:
        rhs = np.ascontiguousarray(_adjoint_times(A, targets), dtype=A.dtype)
        normal = Gram(A, shift=ridge)
        method = block_cg if solver == "block-cg" else preconditioned_cg
        extra = {} if solver == "block-cg" else {"preconditioner": preconditioner}
        found = method(normal, rhs, tol=tol, max_iter=max_iter or 500, start=start, **extra)
    return LeastSquares(found.solution, found.residuals, found.iterations, solver, reason, found.converged)


def block_cg(
    system: Operator, rhs: Array, *, tol: float = 1e-6, max_iter: int = 500, start: Array | None = None, width: int = 128
) -> LeastSquares:
    """Solve a symmetric positive definite system for many right-hand sides, `width` of them searching together.

    Memory: five blocks of n x `width` beside the right-hand sides and the solution.
    """
    solution = np.zeros_like(rhs) if start is None else start.astype(rhs.dtype)
    sizes = np.linalg.norm(rhs, axis=0)
    residuals = np.zeros(rhs.shape[1])
    iterations = 0
    for first in range(0, rhs.shape[1], width):
        part = slice(first, min(rhs.shape[1], first + width))
        R = rhs[:, part] if start is None else rhs[:, part] - system @ solution[:, part]
        residuals[part], n = _search_together(system, R, solution[:, part], sizes[part], tol, max_iter)
        iterations = max(iterations, n)
    return LeastSquares(solution, residuals, iterations, "block-cg", converged=bool((residuals <= _reachable(tol, rhs.dtype)).all()))


def preconditioned_cg(
    system: Operator,
    rhs: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    start: Array | None = None,
    preconditioner: LinearOperator | None = None,
) -> LeastSquares:
    """Solve a symmetric positive definite system, each right-hand side on its own but all in one product."""
    solution = np.zeros_like(rhs) if start is None else start.astype(rhs.dtype)
    R = rhs.copy() if start is None else rhs - system @ solution
    sizes = np.maximum(np.linalg.norm(rhs, axis=0), np.finfo(rhs.dtype).tiny)
    reachable = _reachable(tol, rhs.dtype)
    Z = R if preconditioner is None else preconditioner @ R
    P, energy = Z.copy(), np.einsum("ij,ij->j", R, Z)
    iterations = 0
    while (np.linalg.norm(R, axis=0) / sizes > reachable).any() and iterations < max_iter:
        iterations += 1
        product = system @ P
        curvature = np.einsum("ij,ij->j", P, product)
        step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        solution += step * P
        R -= step * product
        Z = R if preconditioner is None else preconditioner @ R
        previous, energy = energy, np.einsum("ij,ij->j", R, Z)
        P = Z + np.divide(energy, previous, out=np.zeros_like(energy), where=previous > 0) * P
    residuals = np.linalg.norm(R, axis=0) / sizes
    return LeastSquares(solution, residuals, iterations, "cg", converged=bool((residuals <= reachable).all()))


def _search_together(
    system: Operator, R: Array, solution: Array, sizes: Array, tol: float, max_iter: int
) -> tuple[Array, int]:
    """Block CG in the QR form: R = Q C throughout; adds to `solution` in place, gives residuals and iterations."""
    sizes = np.maximum(sizes, np.finfo(R.dtype).tiny)
    Q, C = la.qr(R, mode="economic", check_finite=False)
    P = Q.copy()
    relative = np.linalg.norm(C, axis=0) / sizes
    reachable = _reachable(tol, R.dtype)
    iterations = 0
    while (relative > reachable).any() and iterations < max_iter:
        iterations += 1
        product = system @ P
        curvature = (P.T @ product).astype(np.float64)
        steps = la.cho_factor((curvature + curvature.T) / 2, check_finite=False)
        solution += P @ la.cho_solve(steps, C.astype(np.float64)).astype(R.dtype)
        Q -= product @ la.cho_solve(steps, np.eye(len(C))).astype(R.dtype)
        Q, S = la.qr(Q, mode="economic", overwrite_a=True, check_finite=False)
        P = Q + P @ S.T
        C = S @ C
        relative = np.linalg.norm(C, axis=0) / sizes
    return relative, iterations


def _reachable(tol: float, dtype: np.dtype) -> float:
    """Rounding sets a floor to what a recurrence can reach."""
    return max(tol, 20 * float(np.finfo(dtype).eps))


def _adjoint_times(A: Operator, targets: Any) -> Array:
    """Aᵀ T, dense; a sparse T goes in as it is where A is a matrix in memory, so that it is never made dense N x p."""
    matrix = getattr(A, "matrix", None)
    if hasattr(targets, "toarray"):
        product = matrix.T @ targets if matrix is not None else A.T @ targets.toarray()
        return product.toarray() if hasattr(product, "toarray") else np.asarray(product)
    return np.asarray(A.T @ np.asarray(targets, dtype=A.dtype))


def _lsmr(A: Operator, targets: Any, ridge: float, tol: float, max_iter: int | None) -> LeastSquares:
    T = targets.toarray() if hasattr(targets, "toarray") else np.asarray(targets)
    columns, iterations = [], 0
    for t in T.T:
        found = lsmr(A, t, damp=np.sqrt(ridge), atol=tol / 10, btol=tol / 10, conlim=0, maxiter=max_iter)
        columns.append(found[0])
        iterations = max(iterations, found[2])
    W = np.stack(columns, axis=1).astype(A.dtype)
    gradient = A.T @ (T.astype(A.dtype) - A @ W) - A.dtype.type(ridge) * W
    sizes = np.maximum(np.linalg.norm(A.T @ T.astype(A.dtype), axis=0), np.finfo(A.dtype).tiny)
    residuals = np.linalg.norm(gradient, axis=0) / sizes
    return LeastSquares(W, residuals, iterations, "lsmr", converged=bool((residuals <= _reachable(tol, A.dtype)).all()))


def _choose(A: Operator, ridge: float, solver: str, preconditioner: LinearOperator | None) -> tuple[str, str]:
    if solver != "auto":
        return solver, "asked for"
    if preconditioner is not None:
        return "cg", "a preconditioner was given"
    if min(A.shape) <= _DENSE_LIMIT:
        return "dense", f"the smaller side of {A.shape} is at most {_DENSE_LIMIT}"
    if ridge == 0:
        return "lsmr", "no ridge: LSMR is stable where the normal equations are not"
    return "block-cg", f"{A.shape} is large and the ridge makes the normal equations well conditioned"
