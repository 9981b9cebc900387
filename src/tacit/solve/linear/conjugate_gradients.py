"""Conjugate gradients for symmetric positive definite systems with many right-hand sides.

Block conjugate gradients [OLeary1980] search for all right-hand sides together: the columns share the directions in
which the system is large, so that a hundred of them need a fifth of the iterations that each would need alone. The QR
form [Dubrulle2001] keeps this stable when they are nearly dependent; directions that are noise are left out. If a block
breaks down nevertheless, for instance because the system is not quite definite, its columns continue one by one.

If the diagonal D of a system S is known, D^-1/2 S D^-1/2 can be solved instead. Words differ so much in how often they
occur that this takes a quarter to a half of the steps for the same error (docs/decisions/0030).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator

from tacit.machine import one_thread
from tacit.operators.base import Operator
from tacit.operators.products.sparse import LINE
from tacit.solve.checkpoint import Checkpoint, fingerprint, next_checkpoint
from tacit.solve.result import LeastSquares
from tacit.solve.tall_arrays import factored, in_rows, inner
from tacit.types import Array

__all__ = ["block_cg", "preconditioned_cg", "reachable", "width_for"]

_ROUNDING = 20.0  # units in the last place that count as rounding
_BLOCK_BYTES = 20_000_000  # of the columns that are solved together; more columns take fewer steps and more memory
_ROUNDS = 4  # the recurrence drifts from the true residual, which is then computed, and the search continues from it
_TRUSTED = 0.1  # maximum relative drift with which the true residual is not worth computing


def block_cg(
    system: Operator,
    rhs: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    start: Array | None = None,
    width: int | None = None,
    diagonal: Array | None = None,
) -> LeastSquares:
    """Solve a symmetric positive definite system for many right-hand sides, `width` of them together.

    Parameters
    ----------
    system : symmetric positive definite Operator, n x n
    rhs : n x p
    tol : maximum relative residual ‖b − S x‖ / ‖b‖
    max_iter : maximum number of iterations for each `width` columns
    start : n x p, where to start, default zero
    width : columns that are solved together, default 32 to 128, by their length and the size of the matrix; takes the
        memory of six blocks of n x `width` in addition to `rhs` and the solution
    diagonal : of the system, all above 0; with it, residuals and right-hand sides are measured after their entries are
        divided by its roots, rounded to powers of two; `rhs` itself is divided meanwhile, which loses no digit
    """
    width = width or width_for(*rhs.shape, itemsize=rhs.dtype.itemsize, n_bytes=getattr(system, "n_bytes", 0))
    solution = _start(rhs, start)
    residuals = np.zeros(rhs.shape[1])
    facts = {"tol": tol, "width": width, "even": diagonal is not None}
    kept = _SolvedColumns(next_checkpoint(), system, rhs, solution, residuals, **facts)
    search = partial(_search_together, kept=kept)
    iterations, converged = kept.counters
    even = None if diagonal is None else _Even(system, diagonal)
    for first in range(kept.n_solved, rhs.shape[1], width):
        part = slice(first, first + width)
        if even is None:
            residuals[part], n, fine = _refine(search, system, rhs[:, part], solution[:, part], tol, max_iter)
        else:
            some = solution[:, part]  # a view, solved in place
            some *= even.roots
            with _divided(rhs[:, part], even.roots) as wanted:
                residuals[part], n, fine = _refine(search, even, wanted, some, tol, max_iter)
            some /= even.roots
        iterations, converged = max(iterations, n), converged and fine
        kept.solved(part.stop, iterations, converged)
    return LeastSquares(solution, residuals, iterations, "block-cg", converged=converged)


class _Even(Operator):
    """D^-1/2 S D^-1/2, with D the diagonal of S, its roots rounded to powers of two."""

    def __init__(self, system: Operator, diagonal: Array) -> None:
        super().__init__(system.shape, system.dtype)
        self.system, self.roots = system, np.exp2(np.rint(np.log2(diagonal) / 2)).astype(system.dtype)[:, None]

    def _matmat(self, V: Array) -> Array:
        with _divided(V, self.roots) as divided:
            product = self.system @ divided
            if np.may_share_memory(product, V):  # an operator may return its argument
                product = product.copy()
        product /= self.roots
        return np.asarray(product)

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)


@contextmanager
def _divided(array: Array, roots: Array) -> Iterator[Array]:
    """Divide an array by powers of two in its own memory, and multiply it again, exactly; another copy is large."""
    if not array.flags.writeable:
        yield array / roots
        return
    array /= roots
    try:
        yield array
    finally:
        array *= roots


def width_for(n_rows: int, n_columns: int, *, itemsize: int, n_bytes: int) -> int:
    """Return the number of columns to solve together: what fits into a sixth of the matrix or into the caches.

    All of them if possible, as a small last group would take nearly as long as a large one: a hundred labels of 200,000
    records take 0.9 s together, 1.35 s in two groups, 1.4 s in four. A hundred positions of 100,000 records take five
    steps together and eight in three groups. Groups fill whole cache lines. `n_rows` and `n_columns` are those of the
    right-hand sides, `n_bytes` is the memory of the matrix.
    """
    lanes = LINE // itemsize
    most = int(np.clip(max(_BLOCK_BYTES, n_bytes // 6) // max(1, n_rows * itemsize), 32, 128))
    if n_columns <= most:
        return max(1, n_columns)
    n_groups = -(-n_columns // (most // lanes * lanes))
    return min(n_columns, -(-n_columns // (n_groups * lanes)) * lanes)


def preconditioned_cg(
    system: Operator,
    rhs: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    start: Array | None = None,
    preconditioner: LinearOperator | None = None,
) -> LeastSquares:
    """Solve a symmetric positive definite system, each right-hand side on its own but all in one product.

    The preconditioner applies a symmetric positive definite approximate inverse; everything else is as for `block_cg`.
    """
    search = partial(_search_alone, preconditioner=preconditioner)
    solution = _start(rhs, start)
    residuals, iterations, converged = _refine(search, system, rhs, solution, tol, max_iter)
    return LeastSquares(solution, residuals, iterations, "cg", converged=converged)


def reachable(tol: float, dtype: np.dtype) -> float:
    """Return the tolerance, but at least the smallest relative residual that rounding allows."""
    return max(tol, _ROUNDING * float(np.finfo(dtype).eps))


class _Searched(NamedTuple):
    """The result of a search: `sizes` are the residuals by its recurrence, `stretch` is an estimate of ‖S‖."""

    iterations: int
    stretch: float
    sizes: Array
    broke_down: bool = False


# of system, R, change, goals and max_iter: solves S x = R into `change`, until each residual is below its goal
_Search = Callable[[Operator, Array, Array, Array, int], _Searched]


def _start(rhs: Array, start: Array | None) -> Array:
    return np.zeros(rhs.shape, rhs.dtype) if start is None else np.array(start, rhs.dtype, order="C")


def _refine(
    search: _Search, system: Operator, rhs: Array, solution: Array, tol: float, max_iter: int
) -> tuple[Array, int, bool]:
    """Search until the true residuals are below `tol` or rounding stops them; return these, iterations and success."""
    eps, floor = float(np.finfo(rhs.dtype).eps), reachable(tol, rhs.dtype)
    sizes = np.maximum(_lengths(rhs), np.finfo(rhs.dtype).tiny)
    solution[:, ~rhs.any(axis=0)] = 0  # a zero right-hand side has no relative residual; its solution is zero
    untouched = not solution.any()
    R = rhs if untouched else _rest(system, solution, rhs)
    relative, iterations, stretch, rounding = _lengths(R) / sizes, 0, 0.0, np.zeros(len(sizes))
    for _ in range(_ROUNDS):
        going = np.flatnonzero(relative > floor)
        if not going.size or iterations >= max_iter:
            break
        everything = going.size == rhs.shape[1]
        into_solution = untouched and everything  # the usual case, which needs no further array of that size
        change = solution if into_solution else np.zeros((len(rhs), going.size), rhs.dtype)
        searched = R if everything else R[:, going]
        found = search(system, searched, change, floor * sizes[going], max_iter - iterations)
        iterations, stretch, untouched = iterations + found.iterations, max(stretch, found.stretch), False
        if not into_solution:
            solution[:, going] += change
        # ‖S‖ ‖x‖ eps is the rounding error of b − S x, whatever the method
        rounding = _ROUNDING * eps * stretch * _lengths(solution) / sizes
        guess = found.sizes / sizes[going]
        if not found.broke_down and (guess <= floor).all() and (iterations * rounding[going] <= _TRUSTED * guess).all():
            relative[going] = guess
            break
        if everything:
            R = _rest(system, solution, rhs)
        else:
            R = R.copy() if R is rhs else R
            R[:, going] = _rest(system, solution[:, going], rhs[:, going])
        before, relative = relative, _lengths(R) / sizes
        if found.broke_down:
            search = _search_alone
        elif relative.max() > before.max() / 2:  # rounding prevents further progress
            break
    return relative, iterations, bool((relative <= np.maximum(floor, rounding)).all())


def _rest(system: Operator, solution: Array, rhs: Array) -> Array:
    """Return rhs − S x, in the memory of the product: with many columns a second array would be large."""
    product = system @ solution
    if np.may_share_memory(product, solution):  # an operator may return its argument
        return np.asarray(rhs - product)
    return np.asarray(np.subtract(rhs, product, out=product))


def _search_together(
    system: Operator, R: Array, change: Array, goals: Array, max_iter: int, kept: _SolvedColumns
) -> _Searched:
    """Block CG in the QR form: R = Q C throughout, Q orthonormal."""
    before = kept.begin()
    if before is None:
        lengths = _lengths(R)  # scaled to equal lengths, or a short column would look like a dependent one
        Q, C = _factored(np.divide(R, lengths, order="C"), look_closer=True)
        C, P, iterations, stretch = C * lengths, Q.copy(), 0, 0.0
    else:
        Q, C, P, iterations, stretch = (before[name] for name in ("Q", "C", "P", "iterations", "stretch"))
        change[:] = before["change"]
    while ((sizes := _lengths(C)) > goals).any() and iterations < max_iter:
        product = system @ P
        stretch = max(stretch, _stretch(product, P))
        curvature = inner(P, product).astype(np.float64)
        with one_thread():
            try:
                steps = la.cho_factor((curvature + curvature.T) / 2)
            except (la.LinAlgError, ValueError):  # not definite, or not finite
                return _Searched(iterations, stretch, sizes, broke_down=True)
            step, turn = (la.cho_solve(steps, each).astype(R.dtype) for each in (C, np.eye(len(C))))
        iterations += 1
        _step(change, Q, P, product, step, turn)
        del product  # so that the next one can use its memory
        Q, S = _factored(Q)
        P = _turned(P, S.T.astype(R.dtype), Q)
        C = S @ C
        kept.searching(Q=Q, C=C, P=P, change=change, iterations=iterations, stretch=stretch)
    return _Searched(iterations, stretch, sizes)


def _step(change: Array, Q: Array, P: Array, product: Array, step: Array, turn: Array) -> None:
    """Change += P step and Q −= product turn, a few rows at a time, without another large array."""

    def go(rows: slice) -> None:
        change[rows] += P[rows] @ step
        Q[rows] -= product[rows] @ turn

    in_rows(go, len(P), 2.0 * P.size * (step.shape[1] + turn.shape[1]))


def _turned(P: Array, turn: Array, Q: Array) -> Array:
    """Return P turn + Q, in P itself unless Q has lost noisy columns."""
    turned = P if turn.shape[1] == P.shape[1] else np.empty(Q.shape, P.dtype)

    def fill(rows: slice) -> None:
        turned[rows] = P[rows] @ turn + Q[rows]

    in_rows(fill, len(P), 2.0 * P.size * turn.shape[1])
    return turned


def _factored(R: Array, *, look_closer: bool = False) -> tuple[Array, Array]:
    """Return Q and S with R = Q S, Q orthonormal, without directions that are rounding errors; R is overwritten.

    The diagonal of S shows single dependent columns only; `look_closer` also finds combinations.
    """
    Q, S = factored(R)
    Q = np.ascontiguousarray(Q)
    noise = _ROUNDING * float(np.finfo(Q.dtype).eps)
    sizes = np.abs(np.diag(S))
    if not look_closer and (sizes > noise * sizes.max(initial=0)).all():
        return Q, S
    with one_thread():
        left, sizes, right = la.svd(S, full_matrices=False)
        real = sizes > noise * sizes.max(initial=0)
        if real.all():
            return Q, S
        return Q @ left[:, real].astype(Q.dtype), sizes[real, None] * right[real]


def _search_alone(
    system: Operator, R: Array, change: Array, goals: Array, max_iter: int, preconditioner: LinearOperator | None = None
) -> _Searched:
    """Plain CG; a column that has reached its goal stops, as further steps would only add rounding errors."""
    Z = _applied(preconditioner, R)
    P, energy, going = Z, np.einsum("ij,ij->j", R, Z), np.arange(R.shape[1])
    iterations, stretch, sizes = 0, 0.0, np.empty(len(goals))
    while True:
        sizes[going] = _lengths(R)
        still = sizes[going] > goals[going]
        if not still.all():
            R, P, energy, going = R[:, still], P[:, still], energy[still], going[still]
        if not going.size or iterations >= max_iter:
            return _Searched(iterations, stretch, sizes)
        iterations += 1
        product = system @ P
        stretch = max(stretch, _stretch(product, P))
        curvature = np.einsum("ij,ij->j", P, product)
        step = np.divide(energy, curvature, out=np.zeros_like(energy), where=curvature > 0)
        change[:, going] += step * P
        R = R - step * product
        Z = _applied(preconditioner, R)
        previous, energy = energy, np.einsum("ij,ij->j", R, Z)
        P = Z + np.divide(energy, previous, out=np.zeros_like(energy), where=previous > 0) * P


def _applied(preconditioner: LinearOperator | None, R: Array) -> Array:
    return R if preconditioner is None else np.asarray(preconditioner @ R, R.dtype)


def _stretch(product: Array, P: Array) -> float:
    """Return the largest ratio of the length of a product to that of its vector."""
    lengths = _lengths(P)
    return float((_lengths(product) / np.where(lengths > 0, lengths, 1)).max(initial=0))


def _lengths(A: Array) -> Array:
    """Return the lengths of the columns, without the array of squares that NumPy makes."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->j", A, A)))


class _SolvedColumns:
    """Writes the solved columns, and the state of the search for the next ones, to disk, and resumes from there.

    A search that continues from its own solution, to correct its drift, is short and is not written.
    """

    def __init__(
        self, place: Checkpoint | None, system: Operator, rhs: Array, solution: Array, residuals: Array, **facts: Any
    ) -> None:
        self.place, self.solution, self.residuals = place, solution, residuals
        self.n_solved, self.n_searches, self.counters = 0, 0, (0, True)
        self.search: dict[str, Any] | None = None
        if place is None:
            return
        facts |= {"shift": float(getattr(system, "shift", 0)), "begun": float(np.abs(solution).sum())}
        self.problem = fingerprint(system, rhs, **facts)
        state = place.resume(self.problem)
        if state is not None:
            self.n_solved, *counters = state["counters"]
            self.counters = (int(counters[0]), bool(counters[1]))
            solution[:, : self.n_solved], residuals[: self.n_solved] = state["solution"], state["residuals"]
            self.search = state if "Q" in state else None

    def begin(self) -> dict[str, Any] | None:
        """Return the state of the search for the next columns, if it had begun."""
        self.n_searches += 1
        before, self.search = self.search, None
        return before

    def searching(self, **state: Any) -> None:
        """Write the state of the first search for the next columns, if it is time."""
        if self.n_searches == 1:
            self._keep(state)

    def solved(self, n_columns: int, iterations: int, converged: bool) -> None:
        """Write that so many columns are solved, if it is time."""
        self.n_solved, self.n_searches, self.counters = n_columns, 0, (iterations, converged)
        self._keep({})

    def _keep(self, state: dict[str, Any]) -> None:
        if self.place is not None and self.place.is_due():
            n = self.n_solved
            solved = {"solution": self.solution[:, :n], "residuals": self.residuals[:n]}
            self.place.keep(self.problem, {**solved, "counters": [n, *self.counters], **state})
