"""Pairs of dense symmetric matrices, by what a search asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.operators.base import Array

__all__ = ["DensePencil", "symmetric"]


class DensePencil:
    """Two matrices; the dear product is the one with A, and it is counted by columns."""

    def __init__(self, A: Array, B: Array, dtype: Any = np.float64) -> None:
        self.A, self.B = A.astype(dtype), B.astype(dtype)
        self.shape, self.dtype = A.shape, np.dtype(dtype)
        self.widths: list[int] = []

    def products(self, S: Array) -> Sequence[Array]:
        self.widths.append(S.shape[1])
        return [self.A @ S]

    def sides(self, S: Array, products: Sequence[Array]) -> tuple[Array, Array]:
        return np.array(products[0]), self.B @ S


def symmetric(values: Array, seed: int) -> Array:
    Q = la.qr(np.random.default_rng(seed).standard_normal((len(values), len(values))))[0]
    S = (Q * values) @ Q.T
    return np.asarray((S + S.T) / 2)
