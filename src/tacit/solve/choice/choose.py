"""Leading eigenpairs and singular triplets, by the solver that the caller names or the cost model chooses ("auto")."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator

from tacit.checks import check_choice, check_count, check_finite, check_number
from tacit.errors import InputError, SolverError, warn
from tacit.machine import release_memory
from tacit.operators.base import Gram, Operator, as_operator
from tacit.solve.checkpoint import checkpoints_are_on
from tacit.solve.choice.costs import MOST_BYTES, cheapest, costs_of, size_of
from tacit.solve.dense import dense_eigenpairs, dense_singular_triplets
from tacit.solve.eigen.krylov import block_krylov
from tacit.solve.eigen.lanczos import lanczos
from tacit.solve.eigen.pencil import searched_eigenpairs
from tacit.solve.eigen.single_pass import single_pass
from tacit.solve.result import Eigenpairs, SingularTriplets, signs_of
from tacit.types import Array

__all__ = ["ALL_SOLVERS", "SOLVERS", "leading_eigenpairs", "leading_singular_triplets"]

SOLVERS = ("auto", "dense", "lanczos", "krylov")
ALL_SOLVERS = (*SOLVERS, "single_pass")  # the last is for positive semi-definite problems only
Plan = tuple[str, str, list[str]]  # the solver, the reason, and the solvers that follow if it fails


def leading_eigenpairs(
    operator: Any,
    n_components: int,
    *,
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int | None = None,
    rng: np.random.Generator | None = None,
    preconditioner: LinearOperator | None = None,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of a symmetric operator.

    Parameters
    ----------
    operator : symmetric matrix or Operator A, n x n
    n_components : number of eigenpairs; at most n are returned
    solver : "auto" (the cheapest by `costs`), "dense" (LAPACK), "lanczos" (ARPACK), "krylov" (block Krylov; LOBPCG if
        there is a preconditioner) or "single_pass" (one product, for a positive semi-definite A; see `single_pass`)
    tol : maximum relative residual ‖A x − λ x‖ / |λ|
    max_iter : maximum number of iterations
    rng : generator of random starts, default seed 0
    preconditioner : applies an approximate (c I − A)⁻¹, c near the leading eigenvalues, for a positive semi-definite A
        with leading eigenvalues that are close together
    start : n x p vectors to start from, except for LAPACK and ARPACK; or a function that returns them, so that no
        caller has to hold so large an array

    Returns
    -------
    Eigenpairs : `solver` and `reason` say which method was used and why

    Notes
    -----
    If a solver fails, or stops too early although `max_iter` was not given, another one follows with a `TacitWarning`:
    block Krylov or LOBPCG after ARPACK, and after these LAPACK if it fits into memory.
    """
    A = as_operator(operator)
    if A.shape[0] != A.shape[1]:
        raise InputError(f"operator is not square: got {A.shape}, expected as many rows as columns.")
    k = min(check_count("n_components", n_components), A.shape[0])
    tol, max_iter = check_number("tol", tol), None if max_iter is None else check_count("max_iter", max_iter)
    begin = _checked_start(start, A.shape[0])
    del start
    rng = np.random.default_rng(0) if rng is None else rng
    solver = check_choice("solver", solver, ALL_SOLVERS)
    if solver == "single_pass":
        return single_pass(A, k, rng=rng, start=begin)
    searched = preconditioner is not None
    plan = _choose(A, k, tol, solver, triplets=False, iterated=begin is not None, searched=searched)

    def run(name: str) -> Eigenpairs:
        if name == "dense":
            return dense_eigenpairs(A, k, tol=tol)
        if name == "lanczos":
            return lanczos(A, k, rng=rng, tol=tol, max_iter=max_iter)
        steps = max_iter or 200
        if preconditioner is None:
            return block_krylov(A, k, rng=rng, tol=tol, max_iter=steps, start=begin)
        inverse = partial(LinearOperator.matmat, preconditioner)
        return searched_eigenpairs(A, k, rng=rng, precondition=inverse, tol=tol, max_iter=steps, start=begin)

    return _solve(run, solver, plan, tol=tol, bounded=max_iter is not None)


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
    """Return the largest singular triplets of an operator; those that are zero to working precision are left out.

    The iterative solvers work on AᵀA or A Aᵀ, whichever is smaller, so that only vectors of the shorter kind are kept;
    with them, singular values below the square root of the machine precision (relative to the largest) count as zero.

    Parameters
    ----------
    operator : matrix or Operator A, N x M
    n_components : number of triplets; at most the rank are returned
    solver : "auto" (the cheapest by `costs`), "dense" (LAPACK), "lanczos" (ARPACK), "krylov" (block Krylov) or
        "single_pass" (one product with AᵀA, and one with A for the left vectors; see `single_pass`)
    tol : maximum relative residual on the shorter side, ‖AᵀA v − σ² v‖ / σ² or ‖A Aᵀ u − σ² u‖ / σ²; the relative
        error of σ is about its square
    max_iter, rng : as for `leading_eigenpairs`
    left : whether to return the left vectors (N x k numbers)
    start : vectors to start from, M x p, except for LAPACK and ARPACK; or a function that returns them

    Returns
    -------
    SingularTriplets : `solver` and `reason` say which method was used and why

    Notes
    -----
    If a solver fails, another one follows, as in `leading_eigenpairs`.
    """
    A = as_operator(operator)
    k = min(check_count("n_components", n_components), *A.shape)
    tol, max_iter = check_number("tol", tol), None if max_iter is None else check_count("max_iter", max_iter)
    begin = _checked_start(start, A.shape[1])
    del start
    rng = np.random.default_rng(0) if rng is None else rng
    solver = check_choice("solver", solver, ALL_SOLVERS)
    if solver == "single_pass":
        return _of_rank(_through_gram(A, k, solver, tol, max_iter, rng, left, begin), A, left=left)
    plan = _choose(A, k, tol, solver, triplets=True, iterated=begin is not None)

    def run(name: str) -> SingularTriplets:
        if name == "dense":
            return dense_singular_triplets(A, k, tol=tol)
        return _through_gram(A, k, name, tol, max_iter, rng, left, begin)

    return _of_rank(_solve(run, solver, plan, tol=tol, bounded=max_iter is not None), A, left=left)


def _of_rank(found: SingularTriplets, A: Operator, *, left: bool) -> SingularTriplets:
    """Leave out triplets that are zero to working precision, and left vectors that were not requested."""
    eps = float(np.finfo(A.dtype).eps)
    if found.solver == "dense":
        precision = max(A.shape) * eps
    elif found.solver == "single_pass":
        precision = 4 * float(np.sqrt(A.shape[1])) ** 0.5 * eps**0.5  # by which it lowers the squares
    else:
        precision = 4 * eps**0.5
    rank = int((found.values > precision * found.values.max(initial=0)).sum())
    return replace(
        found,
        left=None if found.left is None or not left else found.left[:, :rank],
        values=found.values[:rank],
        right=found.right[:, :rank],
        residuals=found.residuals[:rank],
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
    """Compute singular triplets from the eigenpairs of the smaller Gram matrix, or of AᵀA for "single_pass"."""
    tall = A.shape[0] >= A.shape[1] or solver == "single_pass"
    short = A if tall else A.T  # its columns are the shorter kind of vectors
    begin = start if tall or start is None else partial(_through, A, start)
    if solver == "single_pass":
        pairs = single_pass(Gram(short), k, rng=rng, start=begin)
    elif solver == "krylov":
        pairs = block_krylov(Gram(short), k, rng=rng, tol=tol, max_iter=max_iter or 200, start=begin)
    else:
        pairs = lanczos(Gram(short), k, rng=rng, tol=tol, max_iter=max_iter)
    A.forget()  # before the left vectors, which are large
    values = np.sqrt(np.maximum(pairs.values, 0))  # rounding leaves a Gram matrix a little below zero
    U, V = None, pairs.vectors
    if left or not tall:
        release_memory(short.shape[0] * len(values) * short.dtype.itemsize)
        other = short @ pairs.vectors
        other /= np.where(values > 0, values, 1)  # in place, here and below: a second array of this size would be large
        U, V = (other, pairs.vectors) if tall else (pairs.vectors, other)
    signs = signs_of(V)
    V *= signs
    if U is not None:
        U *= signs
    return SingularTriplets(
        U, values, V, pairs.residuals, pairs.iterations, solver, pairs.reason, converged=pairs.converged
    )


def _choose(
    A: Operator, k: int, tol: float, solver: str, *, triplets: bool, iterated: bool, searched: bool = False
) -> Plan:
    """Choose for A x = λ x or for singular triplets; `iterated` as in `cheapest`, `searched` with a preconditioner."""
    n = min(A.shape)
    costs = costs_of(size_of(A, k, tol, triplets=triplets))
    if solver == "lanczos" and k >= n:
        return "dense", f"Lanczos cannot find all {n} components, LAPACK can", []
    reason = "asked for"
    if solver == "auto":
        iterated = iterated or searched or checkpoints_are_on()
        solver, reason = cheapest(costs, iterated=iterated, searched=searched)
    exact = ["dense"] if costs[0].n_bytes <= MOST_BYTES else []
    return solver, reason, {"lanczos": ["krylov", *exact], "krylov": exact}.get(solver, [])


def _checked_start(start: Any, n_rows: int) -> Callable[[], Array] | None:
    """Return a function that returns the start as a checked array, or None; arrays are checked at once."""

    def checked() -> Array:
        block = np.asarray(start() if callable(start) else start)
        if block.ndim != 2 or block.shape[0] != n_rows:
            raise InputError(
                f"start does not match the operator: got {block.shape}, expected {n_rows} rows, one vector per column."
            )
        check_finite("start", block)
        return block

    if start is None or (not callable(start) and not checked().shape[1]):
        return None
    return checked


def _through(A: Operator, start: Callable[[], Array]) -> Array:
    """Map a start from the columns of A to its rows."""
    return np.asarray(A @ start().astype(A.dtype))


Found = TypeVar("Found", Eigenpairs, SingularTriplets)


def _solve(run: Callable[[str], Found], asked: str, plan: Plan, *, tol: float, bounded: bool) -> Found:
    """Return the result of a solver, or of the first fallback that succeeds; raise the error of the last if all fail.

    `run` calls a solver by its name. `bounded` leaves out LAPACK, which may take long. If "auto" chose ARPACK, whose
    failures are expected and cost only time, these are recorded in the reason only, without a warning.
    """
    troubles: list[str] = []
    chosen, reason, names = plan[0], plan[1], [plan[0], *plan[2]]
    if bounded and "dense" in plan[2]:
        names.remove("dense")
    for place, name in enumerate(names, 1):
        is_last = place == len(names)
        try:
            found = run(name)
        except (SolverError, la.LinAlgError) as failure:
            if is_last:
                raise
            troubles.append(f"{failure}".split(". ", 1)[0].rstrip("."))
            continue
        if found.converged or is_last:
            break
        troubles.append(_stopped(found, tol))
    if troubles and (asked, chosen) != ("auto", "lanczos"):
        warn(f"{'; '.join(troubles)}. The {found.solver} solver was used instead.")
    if not found.converged:
        warn(f"{_stopped(found, tol)}. The last components are approximate: increase max_iter or tol.")
    return replace(found, reason="; ".join([reason, *troubles]))


def _stopped(found: Eigenpairs | SingularTriplets, tol: float) -> str:
    return (
        f"the {found.solver} solver stopped after {found.iterations} iterations with a relative residual of "
        f"{float(found.residuals.max()):.1e}, above tol={tol:g}"
    )
