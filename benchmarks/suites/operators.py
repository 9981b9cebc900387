"""Products with blocks of vectors: what every iteration spends its time on."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

import numpy as np

from tacit.operators import Centred, Gram, Stacked, as_operator

from .profiles import collection, profile

__all__ = ["BlockProduct"]


class BlockProduct:
    """One product of an operator with a block, and one of its transpose."""

    params = (("matrix", "gram", "centred", "stacked"),)
    param_names = ("operator",)

    def setup(self, kind: str) -> None:
        X, Y = collection(profile())
        rng = np.random.default_rng(0)
        makers = {"matrix": as_operator, "gram": Gram, "centred": Centred, "stacked": lambda X: Stacked([X, Y])}
        self.operator = makers[kind](X)
        n_rows, n_columns = self.operator.shape
        self.right = rng.standard_normal((n_columns, profile().n_components)).astype(X.dtype)
        self.left = rng.standard_normal((n_rows, profile().n_components)).astype(X.dtype)

    def time_product(self, kind: str) -> None:
        self.operator @ self.right

    def time_transposed(self, kind: str) -> None:
        self.operator.T @ self.left

    def peakmem_product(self, kind: str) -> None:
        self.operator @ self.right

    def track_disagreement_with_transpose(self, kind: str) -> float:
        """Give |⟨A v, u⟩ − ⟨v, Aᵀ u⟩| / ‖A v‖ ‖u‖: only rounding, if both products are those of one matrix."""
        forward = (self.operator @ self.right).astype(np.float64)
        backward = (self.operator.T @ self.left).astype(np.float64)
        gap = abs(np.vdot(forward, self.left) - np.vdot(self.right, backward))
        return float(gap / (np.linalg.norm(forward) * np.linalg.norm(self.left)))
