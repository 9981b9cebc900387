"""The Gram matrix AᵀA of an operator, as an operator."""

from __future__ import annotations

from typing import Any

from tacit.operators.base import Operator, as_operator
from tacit.types import Array

__all__ = ["Gram"]


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

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix takes whose Gram matrix it is."""
        return self.operator.n_bytes

    def _matmat(self, V: Array) -> Array:
        product = self.operator.gram(V)
        if self.shift:
            product += self.shift * V
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)
