"""LOBPCG: generalised eigenproblems A x = λ B x where B cannot be inverted cheaply but something like its inverse can."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.sparse.linalg import LinearOperator, lobpcg

from tacit.operators.base import Array, Operator
from tacit.solve.least_squares import block_cg
from tacit.solve.result import Eigenpairs
from tacit.solve.signs import descending

__all__ = ["preconditioned_eigenpairs"]


def preconditioned_eigenpairs(
    operator: Operator,
    n_components: int,
    *,
    metric: Operator,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_iter: int = 200,
    preconditioner: LinearOperator | None = None,
    start: Array | None = None,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of A x = λ B x, B symmetric positive definite.

    Parameters
    ----------
    operator, metric : A and B
    n_components : how many eigenpairs; at most a fifth of n, as LOBPCG needs room
    rng : where the random start comes from
    tol : largest relative residual ‖A x − λ B x‖ / |λ|
    max_iter : most iterations
    preconditioner : applies something like B⁻¹, default a few steps of conjugate gradients on B
    start : n x p vectors to start from
    """
    n = operator.shape[0]
    width = min(n // 5, n_components + max(4, n_components // 5))  # a few more than wanted: the last ones converge last
    X = rng.standard_normal((n, width)).astype(operator.dtype)
    if start is not None:
        X[:, : min(width, start.shape[1])] = start[:, :width]
    preconditioner = _inexact_inverse(metric) if preconditioner is None else preconditioner
    for done in range(_ROUND, max_iter + _ROUND, _ROUND):
        values, X = _round(operator, X, metric, preconditioner)
        top_values, top = descending(values, X, n_components)
        errors = np.linalg.norm(operator @ top - (metric @ top) * top_values, axis=0)
        relative = errors / np.maximum(np.abs(top_values), np.finfo(operator.dtype).tiny)
        if (relative <= tol).all():
            break
    return Eigenpairs(top_values, top, relative, done, "lobpcg", converged=bool((relative <= tol).all()))


def _inexact_inverse(metric: Operator) -> LinearOperator:
    """B⁻¹ to one digit: all that a preconditioner needs."""

    def apply(R: Array) -> Array:
        return block_cg(metric, np.ascontiguousarray(R.reshape(len(R), -1)), tol=0.1, max_iter=200).solution

    return LinearOperator(metric.shape, matvec=apply, matmat=apply, dtype=metric.dtype)


_ROUND = 20  # SciPy's stopping rule is absolute; ours is relative, and looked at after every so many iterations


def _round(
    operator: Operator, X: Array, metric: Operator, preconditioner: LinearOperator | None
) -> tuple[Array, Array]:
    """Run LOBPCG for a while from X."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns whenever it is stopped before its own tolerance
        values, vectors = lobpcg(operator, X, B=metric, M=preconditioner, largest=True, tol=1e-14, maxiter=_ROUND)
    return np.asarray(values), np.asarray(vectors)
