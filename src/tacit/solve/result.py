"""What a solver gives back: the answer, and the proof of how good it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from tacit.operators.base import Array

__all__ = ["Eigenpairs", "LeastSquares", "SingularTriplets", "without_vectors"]


@dataclass(frozen=True)
class Eigenpairs:
    """Leading eigenpairs A x = λ B x, λ descending (B = I unless a metric was given).

    Attributes
    ----------
    values : (k,) eigenvalues, largest first
    vectors : (n, k) eigenvectors, orthonormal (in B); in each the entry largest in magnitude is positive
    residuals : (k,) ‖A x − λ B x‖ / (|λ| ‖B x‖), measured, or known from the solver's own recurrence; where |λ| is so
        small that rounding alone exceeds the tolerance, relative to the smallest for which it does not; NaN from the
        solver "single_pass", which has no second look
    iterations : passes of the operator over a block of vectors
    solver, reason : which method it was, and why that one
    converged : whether every residual is known to be within the tolerance; so False from "single_pass"
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
    left : (n_rows, k) u, or None if not asked for
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
    """Solutions of min ‖A w − t‖² + ridge ‖w‖², one column a target.

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
    """Give the report of a solver without its large arrays, for a model that keeps those in its own scaling."""
    large: dict[str, Any] = {}
    for name in ("left", "right", "solution", "vectors"):
        value = getattr(found, name, None)
        if value is not None:
            large[name] = np.empty((0, value.shape[1]), value.dtype)
    return replace(found, **large)
