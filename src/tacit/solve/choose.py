"""The two questions every spectral model asks, and which solver answers them: "auto" picks, and says why."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from tacit.checks import check_choice, check_count, check_finite, check_number
from tacit.errors import InputError, TacitWarning
from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.gram import Gram
from tacit.solve.dense import dense_eigenpairs, dense_singular_triplets
from tacit.solve.give_back import give_back
from tacit.solve.krylov import block_krylov
from tacit.solve.lanczos import lanczos
from tacit.solve.preconditioned import ROOM, preconditioned_eigenpairs
from tacit.solve.result import Eigenpairs, SingularTriplets
from tacit.solve.signs import signs_of

__all__ = ["SOLVERS", "leading_eigenpairs", "leading_singular_triplets"]

SOLVERS = ("auto", "dense", "lanczos", "krylov")
_DENSE_LIMIT = 500  # smaller side up to which LAPACK wins
_DENSE_ENTRIES = 2**21  # entries up to which it does: a short side says nothing about a long one
_MOST_ENTRIES = 2**26  # entries up to which a matrix may be made dense to find most of its components: 512 MiB


def leading_eigenpairs(
    operator: Any,
    n_components: int,
    *,
    metric: Any = None,
    metric_inverse: LinearOperator | None = None,
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int | None = None,
    rng: np.random.Generator | None = None,
    preconditioner: LinearOperator | None = None,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of a symmetric operator, or of A x = λ B x.

    Parameters
    ----------
    operator : symmetric matrix or Operator A, n x n
    n_components : how many; at most n are given
    metric : symmetric positive definite B of a generalised problem
    metric_inverse : applies B⁻¹ exactly; makes "lanczos" possible for a generalised problem, and the choice of "auto"
    solver : "auto", "dense" (LAPACK), "lanczos" (ARPACK) or "krylov" (block Krylov; LOBPCG if there is a metric)
    tol : largest relative residual ‖A x − λ B x‖ / (|λ| ‖B x‖)
    max_iter : most iterations
    rng : where random starts come from, default seed 0
    preconditioner : applies something like B⁻¹, for LOBPCG
    start : n x p vectors to start from, for block Krylov and LOBPCG; or a function that makes them, when nobody else
        is to hold so large an array

    Returns
    -------
    Eigenpairs : with `solver` and `reason` saying what was done
    """
    A, B = as_operator(operator), None if metric is None else as_operator(metric)
    if A.shape[0] != A.shape[1]:
        raise InputError(f"operator is not square: got {A.shape}, expected as many rows as columns.")
    if B is not None and B.shape != A.shape:
        raise InputError(f"metric does not match the operator: got {B.shape}, expected {A.shape}.")
    k = min(check_count("n_components", n_components), A.shape[0])
    tol, max_iter = check_number("tol", tol), None if max_iter is None else check_count("max_iter", max_iter)
    begin = _checked_start(start, A.shape[0])
    del start
    rng = np.random.default_rng(0) if rng is None else rng
    solver = check_choice("solver", solver, SOLVERS)
    if B is None:
        solver, reason = _choose(A.shape, k, solver)
    else:
        solver, reason = _choose_generalised(A.shape[0], k, solver, invertible=metric_inverse is not None)
    if solver == "dense":
        pairs = dense_eigenpairs(A, k, metric=B, tol=tol)
    elif solver == "lanczos":
        pairs = lanczos(A, k, rng=rng, tol=tol, max_iter=max_iter, metric=B, metric_inverse=metric_inverse)
    elif B is None:
        pairs = block_krylov(A, k, rng=rng, tol=tol, max_iter=max_iter or 200, start=begin)
    else:
        pairs = preconditioned_eigenpairs(
            A, k, metric=B, rng=rng, tol=tol, max_iter=max_iter or 400, preconditioner=preconditioner, start=begin
        )
    _report(pairs, tol)
    return replace(pairs, reason=reason)


def leading_singular_triplets(
    operator: Any,
    n_components: int,
    *,
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int | None = None,
    rng: np.random.Generator | None = None,
    left: bool = True,
    start: Array | Callable[[], Array] | None = None,
) -> SingularTriplets:
    """Give the largest singular triplets of an operator; those that are zero to working precision are left out.

    The iterative solvers work on AᵀA or A Aᵀ, whichever is smaller, so that only vectors of the shorter kind are kept;
    singular values below the square root of the machine precision (relative to the largest) count as zero there.

    Parameters
    ----------
    operator : matrix or Operator A, N x M
    n_components : how many; at most the rank are given
    solver : "auto", "dense" (LAPACK), "lanczos" (ARPACK) or "krylov" (block Krylov)
    tol : largest relative residual on the shorter side, ‖AᵀA v − σ² v‖ / σ² or ‖A Aᵀ u − σ² u‖ / σ²; the relative
        error of σ is about its square
    max_iter : most iterations
    rng : where random starts come from, default seed 0
    left : whether the left vectors are wanted (N x k numbers)
    start : vectors to start from, M x p, for block Krylov; or a function that makes them

    Returns
    -------
    SingularTriplets : with `solver` and `reason` saying what was done
    """
    A = as_operator(operator)
    k = min(check_count("n_components", n_components), *A.shape)
    tol, max_iter = check_number("tol", tol), None if max_iter is None else check_count("max_iter", max_iter)
    begin = _checked_start(start, A.shape[1])
    del start
    rng = np.random.default_rng(0) if rng is None else rng
    solver, reason = _choose(A.shape, k, check_choice("solver", solver, SOLVERS))
    if solver == "dense":
        found = dense_singular_triplets(A, k, tol=tol)
        precision = max(A.shape) * float(np.finfo(A.dtype).eps)
    else:
        found = _through_gram(A, k, solver, tol, max_iter, rng, left, begin)
        precision = 4 * float(np.sqrt(np.finfo(A.dtype).eps))
    _report(found, tol)
    rank = int((found.values > precision * found.values.max(initial=0)).sum())
    return replace(
        found,
        left=None if found.left is None or not left else found.left[:, :rank],
        values=found.values[:rank],
        right=found.right[:, :rank],
        residuals=found.residuals[:rank],
        reason=reason,
    )


def _through_gram(
    A: Operator,
    k: int,
    solver: str,
    tol: float,
    max_iter: int | None,
    rng: np.random.Generator,
    left: bool,
    start: Callable[[], Array] | None,
) -> SingularTriplets:
    """Singular triplets from the eigenpairs of the smaller Gram matrix."""
    tall = A.shape[0] >= A.shape[1]
    short = A if tall else A.T  # its columns are the shorter kind of vectors
    begin = start if tall or start is None else partial(_through, A, start)
    if solver == "krylov":
        pairs = block_krylov(Gram(short), k, rng=rng, tol=tol, max_iter=max_iter or 200, start=begin)
    else:
        pairs = lanczos(Gram(short), k, rng=rng, tol=tol, max_iter=max_iter)
    A.forget()  # the left vectors are large enough
    values = np.sqrt(np.maximum(pairs.values, 0))  # rounding leaves a Gram matrix a little below zero
    U, V = None, pairs.vectors
    if left or not tall:
        give_back(short.shape[0] * len(values) * short.dtype.itemsize)
        other = short @ pairs.vectors
        other /= np.where(values > 0, values, 1)  # in place, here and below: a second array of this size would be large
        U, V = (other, pairs.vectors) if tall else (pairs.vectors, other)
    signs = signs_of(V)
    V *= signs
    if U is not None:
        U *= signs
    return SingularTriplets(
        U,
        values,
        V,
        pairs.residuals,
        pairs.iterations,
        solver,
        converged=pairs.converged,
    )


def _choose(shape: tuple[int, ...], k: int, solver: str) -> tuple[str, str]:
    """Give the solver and the reason, as data."""
    n = min(shape)
    if solver == "lanczos" and k >= n:
        return "dense", f"Lanczos cannot give all {n} components, LAPACK can"
    if solver != "auto":
        return solver, "asked for"
    entries = shape[0] * shape[1]
    if n <= _DENSE_LIMIT and entries <= _DENSE_ENTRIES:
        return "dense", f"the smaller side is {n}, at most {_DENSE_LIMIT}: LAPACK is exact and faster there"
    if 3 * k > n and entries <= _MOST_ENTRIES:
        return "dense", f"{k} of {n} components are wanted: an iteration would build most of the space anyway"
    return "krylov", f"{k} of {n} components are wanted: block Krylov needs the fewest products"


def _choose_generalised(n: int, k: int, solver: str, *, invertible: bool) -> tuple[str, str]:
    """Give the solver of A x = λ B x and the reason, as data; `invertible` says that B⁻¹ is at hand."""
    reason = "asked for"
    if solver == "auto":
        if n <= _DENSE_LIMIT:
            return "dense", f"the problem has {n} rows, at most {_DENSE_LIMIT}: LAPACK is exact and faster there"
        solver = "lanczos" if invertible else "krylov"
        reason = (
            "the inverse of the metric is given" if invertible else "the metric can only be multiplied with: LOBPCG"
        )
    if solver == "lanczos" and k >= n:
        return "dense", f"Lanczos cannot give all {n} components, LAPACK can"
    if solver == "lanczos" and not invertible:
        solver, reason = "krylov", "Lanczos needs metric_inverse, LOBPCG does not"
    if solver == "krylov" and ROOM * k > n:
        return "dense", f"{k} of {n} components are wanted: LOBPCG has room for {n // ROOM}, LAPACK for all"
    return solver, reason


def _checked_start(start: Any, n_rows: int) -> Callable[[], Array] | None:
    """Give a function that gives the start as an array of the right height; None if there is none.

    What was given as an array is looked at right away.
    """

    def checked() -> Array:
        block = np.asarray(start() if callable(start) else start)
        if block.ndim != 2 or block.shape[0] != n_rows:
            raise InputError(
                f"start does not match the operator: got {block.shape}, expected {n_rows} rows, a vector a column."
            )
        check_finite("start", block)
        return block

    if start is None or (not callable(start) and not checked().shape[1]):
        return None
    return checked


def _through(A: Operator, start: Callable[[], Array]) -> Array:
    """Lead a start from the columns of A to its rows."""
    return np.asarray(A @ start().astype(A.dtype))


def _report(found: Eigenpairs | SingularTriplets, tol: float) -> None:
    if not found.converged:
        warnings.warn(
            f"the {found.solver} solver stopped after {found.iterations} iterations with a relative residual of "
            f"{float(found.residuals.max()):.1e}, above tol={tol:g}. "
            "The last components are approximate: raise max_iter or tol.",
            TacitWarning,
            stacklevel=3,
        )
