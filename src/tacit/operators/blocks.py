"""A symmetric matrix made of blocks between types of objects: the unified matrix of several relations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.operators.base import Array, Operator, as_operator

__all__ = ["SymmetricBlocks"]


class SymmetricBlocks(Operator):
    """The symmetric R with blocks R_ij = R_jiᵀ, by the products of the blocks that there are.

    Parameters
    ----------
    sizes : how many objects each type has, in the order of the types
    blocks : (i, j, matrix or Operator of sizes[i] x sizes[j]); several for one pair add up, i = j is symmetric; None
        for i is a block with rows for the objects of all types, which stands in columns j and, turned, in rows j
    dtype : dtype of the products, default the widest of the blocks
    """

    def __init__(self, sizes: Sequence[int], blocks: Sequence[tuple[int | None, int, Any]], dtype: Any = None) -> None:
        self.edges = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.blocks = [(i, j, as_operator(block)) for i, j, block in blocks]
        if not self.blocks:
            raise InputError("blocks is empty: got no relation, expected at least one.")
        for i, j, block in self.blocks:
            expected = (int(self.edges[-1] if i is None else sizes[i]), int(sizes[j]))
            if block.shape != expected:
                raise InputError(f"block ({i}, {j}) does not match the sizes: got {block.shape}, expected {expected}.")
        n = int(self.edges[-1])
        widest = np.result_type(*(block.dtype for *_, block in self.blocks))
        super().__init__((n, n), widest if dtype is None else dtype)

    def _matmat(self, V: Array) -> Array:
        product = np.zeros((self.shape[0], V.shape[1]), np.result_type(self.dtype, V.dtype), order="F")
        for i, j, block in self.blocks:
            rows, columns = self._slice(i), self._slice(j)
            product[rows] += block @ V[columns]
            if i != j:
                product[columns] += block.T @ V[rows]
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)

    def _slice(self, i: int | None) -> slice:
        if i is None:
            return slice(None)
        return slice(int(self.edges[i]), int(self.edges[i + 1]))
