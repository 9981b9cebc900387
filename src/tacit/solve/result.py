"""The results of solvers, with residuals that show how exact they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from tacit.types import Array

__all__ = [
    "Eigenpairs",
    "LeastSquares",
    "SingularTriplets",
    "descending",
    "relative_residuals",
    "signs_of",
    "without_vectors",
]


@dataclass(frozen=True)
class Eigenpairs:
    """Leading eigenpairs A x = λ B x, λ descending (B = I except for a pencil).

    Attributes
    ----------
    values : (k,) eigenvalues, largest first
    vectors : (n, k) eigenvectors, orthonormal (in B); in each the entry largest in magnitude is positive
    residuals : (k,) ‖A x − λ B x‖ / (|λ| ‖B x‖), measured, or from the recurrence of the solver; if |λ| is so small
        that rounding alone exceeds the tolerance, relative to the smallest for which it does not; NaN from the solver
        "single_pass", which does not measure them
    iterations : number of products of the operator with a block of vectors
    solver, reason : the method, and why it was chosen
    converged : whether every residual is known to be within the tolerance; False from "single_pass"
    """

    values: Array
    vectors: Array
    residuals: Array
    iterations: int
    solver: str
    reason: str = ""
    converged: bool = True


@dataclass(frozen=True)
class SingularTriplets:
    """Leading singular triplets A v = σ u, Aᵀ u = σ v, σ descending.

    Attributes
    ----------
    left : (n_rows, k) u, or None if not requested
    values : (k,) singular values, largest first; those that are zero to working precision are left out
    right : (n_columns, k) v; in each the entry largest in magnitude is positive
    residuals : (k,) ‖AᵀA v − σ² v‖ / σ², or ‖A Aᵀ u − σ² u‖ / σ² if A has fewer rows than columns
    iterations, solver, reason, converged : as for `Eigenpairs`
    """

    left: Array | None
    values: Array
    right: Array
    residuals: Array
    iterations: int
    solver: str
    reason: str = ""
    converged: bool = True


@dataclass(frozen=True)
class LeastSquares:
    """Solutions of min ‖A w − t‖² + ridge ‖w‖², one column per target.

    Attributes
    ----------
    solution : (n_columns, n_targets)
    residuals : (n_targets,) ‖Aᵀ(t − A w) − ridge w‖ / ‖Aᵀ t‖, the relative residual of the normal equations
    iterations, solver, reason, converged : as for `Eigenpairs`
    """

    solution: Array
    residuals: Array
    iterations: int
    solver: str
    reason: str = ""
    converged: bool = True


Result = TypeVar("Result", Eigenpairs, SingularTriplets, LeastSquares)


def without_vectors(found: Result) -> Result:
    """Return the report of a solver without its large arrays, for a model that keeps them in its own scaling."""
    arrays = {name: getattr(found, name, None) for name in ("left", "right", "solution", "vectors")}
    empty: Any = {key: np.empty((0, old.shape[1]), old.dtype) for key, old in arrays.items() if old is not None}
    return replace(found, **empty)


_ROUNDING = 10.0  # units in the last place of the largest number, as an error of products and sums


def relative_residuals(
    errors: Array, values: Array, *, tol: float, size: float, eps: float, weights: Array | float = 1.0
) -> Array:
    """Return ‖A x − λ B x‖ / (|λ| ‖B x‖), at most `tol` if the error is as small as rounding allows.

    An eigenvalue that is tiny compared with the operator has no small relative error: rounding leaves some units in the
    last place of ‖A‖, whatever the method. So |λ| counts as at least the value for which these units equal `tol`.

    Parameters
    ----------
    errors : ‖A x − λ B x‖
    values : λ
    tol : the tolerance with which the residuals will be compared
    size : about ‖A‖ (‖B⁻¹A‖ for a pencil)
    eps : machine precision of the products
    weights : ‖B x‖, about 1 if B = I
    """
    tiny = float(np.finfo(np.float32).tiny)
    scales = np.maximum(np.abs(np.asarray(values, np.float64)), max(_ROUNDING * eps * size / max(tol, eps), tiny))
    return np.asarray(errors / (scales * np.maximum(weights, tiny)))


def signs_of(vectors: Array) -> Array:
    """Return +1 or −1 for each column, such that in `vectors * signs_of(vectors)` the largest entries are positive.

    Among entries of equal magnitude the first one decides; equal up to rounding, or else another processor could flip
    a direction.
    """
    if vectors.size == 0:
        return np.ones(vectors.shape[1], vectors.dtype)
    # by the extremes: absolute values or positions would need a second array
    high, low = vectors.max(axis=0), -vectors.min(axis=0)
    signs = np.where(low > high, -1, 1).astype(vectors.dtype)
    largest = np.maximum(low, high) * (1 - float(np.finfo(vectors.dtype).eps) ** 0.5)
    for column in np.flatnonzero(np.minimum(low, high) >= largest):
        first = np.flatnonzero(np.abs(vectors[:, column]) >= largest[column])[0]
        signs[column] = -1 if vectors[first, column] < 0 else 1
    return signs


def descending(values: Array, vectors: Array, n_components: int | None = None) -> tuple[Array, Array]:
    """Sort eigenpairs by value, largest first, keep `n_components` of them, and fix the signs."""
    order = np.argsort(values, kind="stable")[::-1][:n_components]
    kept = vectors[:, order]
    kept *= signs_of(kept)  # the selection made a copy
    return values[order], kept
