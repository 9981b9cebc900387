"""LOBPCG: generalised eigenproblems A x = λ B x for which B⁻¹ is expensive but an approximation is cheap."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import scipy.linalg as la
from scipy.sparse.linalg import LinearOperator, lobpcg

from tacit.errors import InputError
from tacit.operators.base import Operator
from tacit.solve.eigen.starting_block import N_RANDOM, starting_block
from tacit.solve.linear.conjugate_gradients import block_cg
from tacit.solve.result import Eigenpairs, descending, relative_residuals
from tacit.types import Array

__all__ = ["ROOM", "preconditioned_eigenpairs"]

ROOM = 5  # LOBPCG searches in three blocks at a time, and breaks down if these are a large part of the space
_ROUND = 20  # iterations between two checks: SciPy's stopping rule is absolute, ours is relative


def preconditioned_eigenpairs(
    operator: Operator,
    n_components: int,
    *,
    metric: Operator,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_iter: int = 200,
    preconditioner: LinearOperator | None = None,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of A x = λ B x, B symmetric positive definite.

    Parameters
    ----------
    operator, metric : A and B
    n_components : number of eigenpairs; at most a fifth of n, as LOBPCG needs room
    rng : generator of the random start
    tol : maximum relative residual ‖A x − λ B x‖ / (|λ| ‖B x‖)
    max_iter : maximum number of iterations
    preconditioner : applies an approximate B⁻¹, default a few steps of conjugate gradients on B
    start : n x p vectors to start from
    """
    n, dtype = operator.shape[0], operator.dtype
    if ROOM * n_components > n:
        raise InputError(
            f"n_components is too large for LOBPCG: got {n_components} of {n}, expected at most {n // ROOM}. "
            "Use solver='dense'."
        )
    width = min(n // ROOM, n_components + max(N_RANDOM, n_components // 5))  # the last ones converge last
    X = starting_block(n, width, dtype, rng, start)
    preconditioner = _inexact_inverse(metric) if preconditioner is None else preconditioner
    eps = float(np.finfo(dtype).eps)
    iterations, converged, goal = 0, False, 0.0
    while not converged and iterations < max_iter:
        steps = min(_ROUND, max_iter - iterations)
        values, X = _round(operator, X, metric, preconditioner, steps, goal)
        iterations += steps
        top_values, top = descending(values, X, n_components)
        weighted = metric @ top
        weights = np.linalg.norm(weighted, axis=0)
        errors = np.linalg.norm(operator @ top - weighted * top_values, axis=0)
        size = float(np.abs(values).max())
        relative = relative_residuals(errors, top_values, tol=tol, size=size, eps=eps, weights=weights)
        converged = bool((relative <= max(tol, eps)).all())
        goal = tol / 2 * float((np.abs(top_values) * weights).min())
    return Eigenpairs(top_values.astype(dtype), top.astype(dtype), relative, iterations, "lobpcg", converged=converged)


def _inexact_inverse(metric: Operator) -> LinearOperator:
    """Return B⁻¹ to one digit, which is enough for a preconditioner."""

    def apply(R: Array) -> Array:
        return block_cg(metric, np.ascontiguousarray(R.reshape(len(R), -1)), tol=0.1, max_iter=200).solution

    return LinearOperator(metric.shape, matvec=apply, matmat=apply, dtype=metric.dtype)


def _round(
    operator: Operator, X: Array, metric: Operator, preconditioner: LinearOperator, steps: int, goal: float
) -> tuple[Array, Array]:
    """Run some iterations of LOBPCG from X; vectors with an error below the goal stay as they are, to avoid noise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns when it stops before its own tolerance
        warnings.simplefilter("ignore", la.LinAlgWarning)  # and about its own small systems, from which it recovers
        values, vectors = lobpcg(operator, X, B=metric, M=preconditioner, largest=True, tol=goal, maxiter=steps)
    return np.asarray(values), np.asarray(vectors)
