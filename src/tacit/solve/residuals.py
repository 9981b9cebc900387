"""How good an eigenpair is, measured one way for every solver."""

from __future__ import annotations

import numpy as np

from tacit.operators.base import Array

__all__ = ["relative_residuals", "within"]

_ROUNDING = 10.0  # products and sums leave a few units in the last place of the largest number behind


def relative_residuals(errors: Array, values: Array, *, size: float, eps: float, weights: Array | float = 1.0) -> Array:
    """Give ‖A x − λ B x‖ / (|λ| ‖B x‖), with |λ| no less than what rounding leaves of the operator.

    Parameters
    ----------
    errors : ‖A x − λ B x‖
    values : λ
    size : about ‖A‖ (‖B⁻¹A‖ if there is a metric)
    eps : machine precision of the products
    weights : ‖B x‖, 1 if there is no metric
    """
    return np.asarray(errors / (_scales(values, size, eps) * np.maximum(weights, np.finfo(np.float64).tiny)))


def within(residuals: Array, values: Array, tol: float, *, size: float, eps: float) -> bool:
    """Whether every relative residual is at most `tol`, or as small as rounding lets it be for so small a value."""
    return bool((residuals <= np.maximum(tol, _ROUNDING * eps * size / _scales(values, size, eps))).all())


def _scales(values: Array, size: float, eps: float) -> Array:
    return np.maximum(np.abs(np.asarray(values, np.float64)), max(eps * size, float(np.finfo(np.float32).tiny)))
