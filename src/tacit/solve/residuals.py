"""How good an eigenpair is, measured one way for every solver."""

from __future__ import annotations

import numpy as np

from tacit.operators.base import Array

__all__ = ["relative_residuals"]

_ROUNDING = 10.0  # products and sums leave a few units in the last place of the largest number behind


def relative_residuals(
    errors: Array, values: Array, *, tol: float, size: float, eps: float, weights: Array | float = 1.0
) -> Array:
    """Give ‖A x − λ B x‖ / (|λ| ‖B x‖); at most `tol` also where the error is as small as rounding lets it be.

    An eigenvalue that is tiny beside the operator has no small relative error: rounding leaves some units in the last
    place of ‖A‖ whatever the method. So |λ| counts as no less than what makes these units equal `tol`.

    Parameters
    ----------
    errors : ‖A x − λ B x‖
    values : λ
    tol : what will be asked of the residuals
    size : about ‖A‖ (‖B⁻¹A‖ if there is a metric)
    eps : machine precision of the products
    weights : ‖B x‖, 1 if there is no metric
    """
    tiny = float(np.finfo(np.float32).tiny)
    scales = np.maximum(np.abs(np.asarray(values, np.float64)), max(_ROUNDING * eps * size / max(tol, eps), tiny))
    return np.asarray(errors / (scales * np.maximum(weights, tiny)))
