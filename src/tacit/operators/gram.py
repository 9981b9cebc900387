"""The Gram matrix AᵀA of an operator, by two products."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.columns import COLUMNS, column_blocks, share

__all__ = ["Gram"]

# Bytes of the N x columns product in between, for as many columns as go through a sparse matrix together: more would
# leave the cache, and with many records it would be the largest array of all.
_BETWEEN = 1_000_000


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
        width = max(COLUMNS, _BETWEEN // (max(1, self.operator.shape[0]) * self.dtype.itemsize))
        blocks = column_blocks(V.shape[1], width)
        if self.operator.is_dense or len(blocks) == 1:
            return self._block(V)
        order: Literal["C", "F"] = "F" if V.flags.f_contiguous else "C"  # as the solver likes it
        product = np.empty((self.shape[0], V.shape[1]), np.result_type(self.dtype, V.dtype), order=order)

        def fill(columns: slice) -> None:
            # through both products in one thread: what is in between stays narrow, and in the cache of this core
            product[:, columns] = self._block(V[:, columns])

        share(fill, blocks)
        return product

    def _block(self, V: Array) -> Array:
        product = np.asarray(self.operator.T @ (self.operator @ V))
        if self.shift:
            product += self.shift * V
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)
