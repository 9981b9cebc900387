"""Pairs of dense symmetric matrices, by what a search asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.types import Array

__all__ = ["DensePencil", "OneProduct", "symmetric"]


class DensePencil:
    """Two matrices; the dear products are those with both of them, and they are counted by columns.

    With G and a shift, B is put together of these and of what is left.
    """

    def __init__(
        self, A: Array, B: Array, dtype: Any = np.float64, *, shift: float = 0.0, G: Array | None = None
    ) -> None:
        self.A, self.B = A.astype(dtype), B.astype(dtype)
        self.shape, self.dtype, self.shift, self.n_bytes = A.shape, np.dtype(dtype), shift, 0
        self.low_rank = None if G is None else np.asfortranarray(G, dtype)
        rest = B - shift * np.eye(len(B)) + (0 if G is None else G @ G.T)
        self.rest = rest.astype(dtype)
        self.widths: list[int] = []

    def products(self, S: Array) -> Sequence[Array]:
        self.widths.append(S.shape[1])
        return [self.A @ S, self.rest @ S]


class OneProduct(DensePencil):
    """B = shift·I + A − G Gᵀ, so that one product is enough."""

    def __init__(self, A: Array, *, shift: float, G: Array, dtype: Any = np.float64) -> None:
        super().__init__(A, shift * np.eye(len(A)) + A - G @ G.T, dtype, shift=shift, G=G)

    def products(self, S: Array) -> Sequence[Array]:
        return super().products(S)[:1]


def symmetric(values: Array, seed: int) -> Array:
    Q = la.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    S = (Q * values) @ Q.T
    return np.asarray((S + S.T) / 2)
