"""Conjugate gradients for symmetric positive definite systems with many right-hand sides.

Block conjugate gradients [OLeary1980] let all the right-hand sides search together: the columns help each other to the
directions in which the system is large, so that a hundred of them need a fifth of the iterations that each would need
alone. The QR form [Dubrulle2001] keeps this stable when they are nearly dependent; directions that are noise are left
out. Where a block breaks down all the same, as if the system is not quite definite, its columns go on one by one.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator

from tacit.operators.base import Array, Operator
from tacit.solve.result import LeastSquares
from tacit.solve.threads import one_thread

__all__ = ["block_cg", "preconditioned_cg", "reachable"]

_ROUNDING = 20.0  # units in the last place that count as rounding
_BLOCK_BYTES = 9_000_000  # a block that searches together; the more columns the fewer steps, and the more memory
_ROUNDS = 4  # a recurrence drifts from the true residual; so it is computed anew, and the search goes on from there


def block_cg(
    system: Operator,
    rhs: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 500,
    start: Array | None = None,
    width: int | None = None,
) -> LeastSquares:
    """Solve a symmetric positive definite system for many right-hand sides, `width` of them searching together.

    Parameters
    ----------
    system : symmetric positive definite Operator, n x n
    rhs : n x p
    tol : largest relative residual ‖b − S x‖ / ‖b‖
    max_iter : most iterations for each `width` columns
    start : n x p, where to start, default zero
    width : columns that search together, default 48 to 128, by their length; memory is five blocks of n x `width`
        beside `rhs` and the solution
    """
    width = width or int(np.clip(_BLOCK_BYTES // (len(rhs) * rhs.dtype.itemsize), 48, 128))
    solution = _start(rhs, start)
    residuals = np.zeros(rhs.shape[1])
    iterations, converged = 0, True
    for first in range(0, rhs.shape[1], width):
        part = slice(first, first + width)
        residuals[part], n, fine = _refine(_search_together, system, rhs[:, part], solution[:, part], tol, max_iter)
        iterations, converged = max(iterations, n), converged and fine
    return LeastSquares(solution, residuals, iterations, "block-cg", converged=converged)


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

    Parameters
    ----------
    system, rhs, tol, max_iter, start : as for `block_cg`
    preconditioner : symmetric positive definite; applies something like the inverse of the system
    """

    def search(system: Operator, R: Array, change: Array, goals: Array, max_iter: int) -> tuple[int, float, bool]:
        return _search_alone(system, R, change, goals, max_iter, preconditioner)

    solution = _start(rhs, start)
    residuals, iterations, converged = _refine(search, system, rhs, solution, tol, max_iter)
    return LeastSquares(solution, residuals, iterations, "cg", converged=converged)


def reachable(tol: float, dtype: np.dtype) -> float:
    """Give the smallest relative residual worth asking for: rounding sets a floor."""
    return max(tol, _ROUNDING * float(np.finfo(dtype).eps))


class _Search(Protocol):
    """Solves S x = R into `change`, until each residual is below its goal.

    Gives the iterations, the most that S stretched a vector, and False if it broke down on the way.
    """

    def __call__(
        self, system: Operator, R: Array, change: Array, goals: Array, max_iter: int
    ) -> tuple[int, float, bool]: ...


def _start(rhs: Array, start: Array | None) -> Array:
    return np.zeros(rhs.shape, rhs.dtype) if start is None else np.array(start, rhs.dtype, order="C")


def _refine(
    search: _Search, system: Operator, rhs: Array, solution: Array, tol: float, max_iter: int
) -> tuple[Array, int, bool]:
    """Search until the true residuals are below `tol` or rounding stops them; give these, iterations and success."""
    eps, floor = float(np.finfo(rhs.dtype).eps), reachable(tol, rhs.dtype)
    sizes = np.maximum(np.linalg.norm(rhs, axis=0), np.finfo(rhs.dtype).tiny)
    solution[:, ~rhs.any(axis=0)] = 0  # no residual is small beside nothing, so nothing else would do
    untouched = not solution.any()
    R = rhs if untouched else rhs - system @ solution
    relative, iterations, stretch = np.linalg.norm(R, axis=0) / sizes, 0, 0.0
    for _ in range(_ROUNDS):
        going = np.flatnonzero(relative > floor)
        if not going.size or iterations >= max_iter:
            break
        everything = going.size == rhs.shape[1]
        into_solution = untouched and everything  # the usual case: no other array of that size is needed
        change = solution if into_solution else np.zeros((len(rhs), going.size), rhs.dtype)
        searched = R if everything else R[:, going]
        steps, most, fine = search(system, searched, change, floor * sizes[going], max_iter - iterations)
        iterations, stretch, untouched = iterations + steps, max(stretch, most), False
        if not into_solution:
            solution[:, going] += change
        R = R.copy() if R is rhs else R
        R[:, going] = rhs[:, going] - system @ solution[:, going]
        before, relative = relative, np.linalg.norm(R, axis=0) / sizes
        if not fine:
            search = _search_alone
        elif relative.max() > before.max() / 2:  # rounding has the last word
            break
    # ‖S‖ ‖x‖ eps is what rounding leaves of b − S x, whatever the method
    rounding = _ROUNDING * eps * stretch * np.linalg.norm(solution, axis=0) / sizes
    return relative, iterations, bool((relative <= np.maximum(floor, rounding)).all())


def _search_together(system: Operator, R: Array, change: Array, goals: Array, max_iter: int) -> tuple[int, float, bool]:
    """Block CG in the QR form: R = Q C throughout, Q orthonormal."""
    lengths = np.linalg.norm(R, axis=0)  # equal lengths first, or a short column would look like a dependent one
    with one_thread(4.0 * R.size * R.shape[1]):
        Q, C = la.qr(R / lengths, mode="economic", overwrite_a=True, check_finite=False)
        Q, C = _without_noise(Q, C.astype(np.float64), look_closer=True)
        C = C * lengths
    P, iterations, stretch = Q, 0, 0.0
    while (np.linalg.norm(C, axis=0) > goals).any() and iterations < max_iter:
        product = system @ P
        stretch = max(stretch, _stretch(product, P))
        with one_thread(10.0 * P.size * P.shape[1]):
            curvature = (P.T @ product).astype(np.float64)
            try:
                steps = la.cho_factor((curvature + curvature.T) / 2)
            except (la.LinAlgError, ValueError):  # not definite, or not finite
                return iterations, stretch, False
            iterations += 1
            change += P @ la.cho_solve(steps, C).astype(R.dtype)
            product @= la.cho_solve(steps, np.eye(len(C))).astype(R.dtype)
            Q = np.subtract(Q, product, out=product)
            Q, S = la.qr(Q, mode="economic", overwrite_a=True, check_finite=False)
            Q, S = _without_noise(Q, S.astype(np.float64))
            P = Q + P @ S.T.astype(R.dtype)
            C = S @ C
    return iterations, stretch, True


def _without_noise(Q: Array, S: Array, *, look_closer: bool = False) -> tuple[Array, Array]:
    """Leave those directions out of the product Q S that are rounding beside the others.

    The diagonal of S shows dependent columns only one by one; `look_closer` finds any that depend on several others.
    """
    noise = _ROUNDING * float(np.finfo(Q.dtype).eps)
    sizes = np.abs(np.diag(S))
    if not look_closer and (sizes > noise * sizes.max(initial=0)).all():
        return Q, S
    left, sizes, right = la.svd(S, full_matrices=False)
    real = sizes > noise * sizes.max(initial=0)
    if real.all():
        return Q, S
    return Q @ left[:, real].astype(Q.dtype), sizes[real, None] * right[real]


def _search_alone(
    system: Operator,
    R: Array,
    change: Array,
    goals: Array,
    max_iter: int,
    preconditioner: LinearOperator | None = None,
) -> tuple[int, float, bool]:
    """Plain CG; a column that has reached its goal stops, as going on would only pile up rounding."""
    Z = _applied(preconditioner, R)
    P, energy, going = Z, np.einsum("ij,ij->j", R, Z), np.arange(R.shape[1])
    iterations, stretch = 0, 0.0
    while True:
        still = np.linalg.norm(R, axis=0) > goals[going]
        if not still.all():
            R, P, energy, going = R[:, still], P[:, still], energy[still], going[still]
        if not going.size or iterations >= max_iter:
            return iterations, stretch, True
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
    """How much longer the longest product is than what it is the product of."""
    lengths = np.linalg.norm(P, axis=0)
    return float((np.linalg.norm(product, axis=0) / np.where(lengths > 0, lengths, 1)).max(initial=0))
