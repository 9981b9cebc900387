"""Least squares with many right-hand sides: min ‖A w − t‖² + ridge ‖w‖² for every column t of the targets.

LAPACK solves small problems, conjugate gradients on the normal equations large ones with a ridge, and LSMR [Fong2011],
which does not square the condition number of A, those without a ridge.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsmr

from tacit.checks import check_choice, check_count, check_finite, check_number, check_rows, is_sparse
from tacit.errors import InputError, warn
from tacit.machine import release_memory
from tacit.operators.base import Gram, Operator, as_operator
from tacit.solve.dense import dense_least_squares
from tacit.solve.linear.conjugate_gradients import block_cg, preconditioned_cg, reachable
from tacit.solve.result import LeastSquares
from tacit.types import Array

__all__ = ["adjoint_times", "least_squares"]

_SOLVERS = ("auto", "dense", "block-cg", "cg", "lsmr")
_DENSE_LIMIT = 400  # smaller side up to which LAPACK is faster
_DENSE_ENTRIES = 2**23  # entries up to which it is: the other side may be long
_COLUMNS = 32  # of sparse targets, which are made dense at a time


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
    crossed: Array | None = None,
    even: bool = False,
) -> LeastSquares:
    """Solve min ‖A w − t‖² + ridge ‖w‖² for all columns t of `targets` at once.

    Parameters
    ----------
    operator : matrix or Operator A, N x M
    targets : N x p, dense or sparse
    ridge : weight of ‖w‖²; 0 gives the shortest least-squares solution
    tol : maximum relative residual of the normal equations, ‖Aᵀ(t − A w) − ridge w‖ / ‖Aᵀ t‖
    max_iter : maximum number of iterations, default 500 (LSMR: twice the smaller side of A)
    solver : "auto", "dense", "block-cg", "cg" (takes a preconditioner), "lsmr"
    preconditioner : applies an approximate (AᵀA + ridge I)⁻¹; with it "auto" chooses "cg"
    start : M x p, where conjugate gradients start; without a ridge, its part outside the row space of A stays in the
        solution
    crossed : Aᵀ times the targets, if it is known
    even : whether "block-cg" may first divide the columns of A so that AᵀA + ridge I has an even diagonal: this takes
        fewer steps if their lengths differ; the residual is measured after the division

    Returns
    -------
    LeastSquares

    Warns
    -----
    TacitWarning : if `tol` was not reached
    """
    A = as_operator(operator)
    check_choice("solver", solver, _SOLVERS)
    ridge, tol = check_number("ridge", ridge), check_number("tol", tol)
    max_iter = None if max_iter is None else check_count("max_iter", max_iter)
    targets = _check_targets(targets, A)
    if start is not None:
        start, shape = np.asarray(start), (A.shape[1], targets.shape[1])
        if start.shape != shape:
            raise InputError(f"start does not match the operator and targets: got {start.shape}, expected {shape}.")
        check_finite("start", start)
    solver, reason = _choose(A.shape, ridge, solver, preconditioned=preconditioner is not None)
    if solver == "dense":
        found = dense_least_squares(A, targets, ridge=ridge)
    elif solver == "lsmr":
        found = _lsmr(A, targets, ridge, tol, max_iter or 2 * min(A.shape))
    else:
        system, rhs = Gram(A, shift=ridge), adjoint_times(A, targets) if crossed is None else crossed
        release_memory(rhs.nbytes)  # that the products for the right-hand sides took
        if solver == "block-cg":
            diagonal = system.diagonal() if even and ridge > 0 else None
            found = block_cg(system, rhs, tol=tol, max_iter=max_iter or 500, start=start, diagonal=diagonal)
        else:
            found = preconditioned_cg(
                system, rhs, tol=tol, max_iter=max_iter or 500, start=start, preconditioner=preconditioner
            )
    if not found.converged:
        warn(
            f"the {found.solver} solver of least squares stopped after {found.iterations} iterations with a relative "
            f"residual of {float(found.residuals.max()):.1e}, above tol={tol:g}. "
            "The solution is approximate: increase max_iter, tol or ridge.",
        )
    return replace(found, reason=reason)


def _check_targets(targets: Any, A: Operator) -> Any:
    """Return the targets as a float matrix; sparse ones stay sparse."""
    if not is_sparse(targets):
        targets = np.asarray(targets)
    if targets.ndim != 2:
        raise InputError(
            f"targets is not a matrix: got {targets.ndim} dimensions, expected one column per target. "
            "Use targets.reshape(-1, 1) for a single target."
        )
    check_rows("targets", targets.shape[0], A.shape[0], of="the operator")
    check_finite("targets", targets)
    return (targets.tocsc() if is_sparse(targets) else targets).astype(A.dtype, copy=False)


def adjoint_times(A: Operator, targets: Any) -> Array:
    """Return Aᵀ T, dense; a sparse T is never made dense as a whole, since N x p may be far larger than A."""
    if not is_sparse(targets):
        return np.ascontiguousarray(A.T @ np.asarray(targets, A.dtype))
    targets = targets.tocsc().astype(A.dtype, copy=False)
    product = np.empty((A.shape[1], targets.shape[1]), A.dtype)
    for first in range(0, targets.shape[1], _COLUMNS):
        part = slice(first, first + _COLUMNS)
        product[:, part] = A.T @ targets[:, part].toarray()
    return product


def _lsmr(A: Operator, targets: Any, ridge: float, tol: float, max_iter: int) -> LeastSquares:
    """LSMR for one column after another."""
    n_targets = targets.shape[1]
    solution, residuals = np.zeros((A.shape[1], n_targets), A.dtype), np.zeros(n_targets)
    iterations, goal = 0, reachable(tol, A.dtype)
    for j in range(n_targets):
        t = targets[:, [j]].toarray().ravel() if is_sparse(targets) else targets[:, j]
        solution[:, j], residuals[j], steps = _lsmr_column(A, t, ridge, goal, max_iter)
        iterations = max(iterations, steps)
    return LeastSquares(solution, residuals, iterations, "lsmr", converged=bool((residuals <= goal).all()))


def _lsmr_column(A: Operator, t: Array, ridge: float, goal: float, max_iter: int) -> tuple[Array, float, int]:
    """Run LSMR with smaller tolerances until our residual, which differs from its own, is small enough."""
    eps, asked = float(np.finfo(A.dtype).eps), goal / 10
    rhs_size = float(np.linalg.norm(A.T @ t))
    while True:
        with np.errstate(over="ignore"):  # its first estimate of the condition is infinite in single precision
            x, _, steps, _, _, size, *_ = lsmr(
                A, t, damp=ridge**0.5, atol=asked, btol=asked, conlim=0, maxiter=max_iter
            )
        gradient = A.T @ (t - A @ x.astype(A.dtype)) - A.dtype.type(ridge) * x
        # if Aᵀt is of the size of rounding errors of ‖A‖ ‖t‖, so may the gradient be
        rounding = 10 * eps * float(size) * float(np.linalg.norm(t))
        scale = max(rhs_size, rounding / goal, float(np.finfo(A.dtype).tiny))
        residual = float(np.linalg.norm(gradient)) / scale
        if residual <= goal or steps >= max_iter or asked <= eps:
            return x, residual, int(steps)
        asked = max(eps, min(0.1, goal / residual / 2) * asked)


def _choose(shape: tuple[int, ...], ridge: float, solver: str, *, preconditioned: bool) -> tuple[str, str]:
    """Return the solver and the reason."""
    if solver != "auto":
        return solver, "asked for"
    if preconditioned:
        return "cg", "a preconditioner was given"
    if min(shape) <= _DENSE_LIMIT and shape[0] * shape[1] <= _DENSE_ENTRIES:
        return "dense", f"the smaller side of {shape} is at most {_DENSE_LIMIT}: LAPACK is exact and faster"
    if ridge == 0:
        return "lsmr", "no ridge: LSMR is stable where the normal equations are not"
    return "block-cg", f"{shape} is large and the ridge makes the normal equations well conditioned"
