"""The Gram matrix AᵀA of an operator, by two products."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.operators.base import Array, Operator, as_operator

__all__ = ["Gram"]

# Bytes of the N x columns product in between, for as many columns as go through a sparse matrix together: more would
# leave the cache, and with many records it would be the largest array of all.
_BETWEEN = 4000000


class Gram(Operator):
    """AᵀA + shift·I, on the columns of A; `Gram(A.T)` is A Aᵀ, on its rows.

    Parameters
    ----------
    operator : matrix or Operator, N x M
    shift : float, default 0 — what is added to the diagonal (a ridge)
    """

    def __init__(self, operator: Any, *, shift: float = 0.0) -> None:
        self.operator = as_operator(operator)
        n = self.operator.shape[1]
        super().__init__((n, n), self.operator.dtype)
        self.shift = self.dtype.type(shift)

    def _matmat(self, V: Array) -> Array:
        width = max(24, _BETWEEN // (self.operator.shape[0] * self.dtype.itemsize))
        if self.operator.is_dense or V.shape[1] <= width:
            return self._block(V)
        product = np.empty((self.shape[0], V.shape[1]), np.result_type(self.dtype, V.dtype), order="F")  # for LAPACK
        for start in range(0, V.shape[1], width):
            product[:, start : start + width] = self._block(V[:, start : start + width])
        return product

    def _block(self, V: Array) -> Array:
        product = np.asarray(self.operator.T @ (self.operator @ V))
        if self.shift:
            product += self.shift * V
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)
