"""Matrices made of other matrices and never formed: stacked, summed, multiplied, scaled, centred, and more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tacit.checks import check_rows
from tacit.errors import InputError
from tacit.machine import share
from tacit.operators.base import Operator, as_operator
from tacit.operators.products.by_scipy import row_blocks
from tacit.types import Array

__all__ = ["Centred", "DiagonalPlusLowRank", "Product", "Scaled", "Stacked", "Sum", "SymmetricBlocks"]

_COLUMNS = 8  # of the second array, where two tall arrays are in memory at the same time
_FEW = 512  # maximum columns of the second of two blocks for which their product is kept


class _Composite(Operator):
    """A matrix made of other matrices."""

    parts: Sequence[Operator]

    @property
    def is_outside_memory(self) -> bool:
        """Whether a part is outside memory."""
        return any(part.is_outside_memory for part in self.parts)

    @property
    def is_dense(self) -> bool:
        """Whether a part is read again for every product, so that further columns are cheap."""
        return self.is_outside_memory


class Stacked(_Composite):
    """Blocks side by side: [A, B, …].

    Parameters
    ----------
    blocks : matrices or Operators with the same number of rows
    across : function that computes AᵀB of two blocks, if the caller has a faster way
    """

    def __init__(self, blocks: Sequence[Any], across: Callable[[], Array] | None = None) -> None:
        self.parts = self.blocks = _operators("blocks", blocks)
        n_rows = self.blocks[0].shape[0]
        for i, block in enumerate(self.blocks):
            check_rows(f"blocks[{i}]", block.shape[0], n_rows, of="blocks[0]")
        widths = [block.shape[1] for block in self.blocks]
        self.edges = np.concatenate([[0], np.cumsum(widths)])
        super().__init__((n_rows, int(self.edges[-1])), np.result_type(*(block.dtype for block in self.blocks)))
        self._corner: tuple[Array, Array] | None = None
        self._across = across
        if not self._has_corner():
            self._across = None  # it may hold as much memory as a block

    def _matmat(self, V: Array) -> Array:
        first, *others = zip(self.blocks, self.edges[:-1], self.edges[1:], strict=True)
        total = (first[0] @ V[: first[2]]).astype(np.result_type(self.dtype, V.dtype), copy=False)
        for block, start, stop in others:
            part = np.asarray(V[start:stop])
            for left in range(0, V.shape[1], _COLUMNS):  # a few at a time: a second N x columns array would be large
                columns = slice(left, left + _COLUMNS)
                _add(total[:, columns], block @ part[:, columns])
        return np.asarray(total)

    def _rmatmat(self, U: Array) -> Array:
        return np.concatenate([block.T @ U for block in self.blocks])

    @property
    def n_bytes(self) -> int:
        """Memory that all blocks take."""
        return sum(block.n_bytes for block in self.blocks)

    def gram(self, V: Array) -> Array:
        """Return the Gram matrix times V; if B has few columns, by [[AᵀA, C], [Cᵀ, BᵀB]] with C = AᵀB.

        Then a large A uses its own Gram product, which reads it once, and B is not multiplied at all.
        """
        corner = self.corner()
        if corner is None:
            return super().gram(V)
        across, square = corner
        top, bottom = V[: self.edges[1]], V[self.edges[1] :]
        # in column order, like the products of sparse blocks and the bases of solvers
        product = np.empty((self.shape[1], V.shape[1]), np.result_type(self.dtype, V.dtype), order="F")
        product.T[:, : self.edges[1]] = bottom.T @ across.T
        product[: self.edges[1]] += self.blocks[0].gram(np.asarray(top))
        product[self.edges[1] :] = across.T @ top + square @ bottom
        return product

    def corner(self) -> tuple[Array, Array] | None:
        """Return C = AᵀB and BᵀB, computed once; None if C would not be small compared with the blocks."""
        if self._corner is None and self._has_corner():
            A, B = self.blocks
            if self._across is None:
                cross = np.empty((A.shape[1], B.shape[1]), A.dtype)
                for columns, part in B.some_columns():  # all of them would take too much memory
                    cross[:, columns] = A.T @ part
            else:
                cross, self._across = self._across(), None
            self._corner = cross, B.square().astype(A.dtype, copy=False)
        return self._corner

    def forget(self) -> None:
        """Release C and BᵀB."""
        self._corner = None

    def _has_corner(self) -> bool:
        if len(self.blocks) != 2 or self.blocks[1].shape[1] > _FEW:
            return False
        n_cross = self.blocks[0].shape[1] * self.blocks[1].shape[1]
        return self.blocks[0].is_outside_memory or self.n_bytes >= 4 * n_cross * self.dtype.itemsize

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm, the sum of those of the blocks."""
        return float(sum(block.squared_norm() for block in self.blocks))


def _add(total: Array, part: Array) -> None:
    """Add a part to a total, both tall, on all cores."""
    share(lambda rows: np.add(total[rows], part[rows], out=total[rows]), row_blocks(len(total)))


class Sum(_Composite):
    """A + B + …"""

    def __init__(self, terms: Sequence[Any]) -> None:
        self.parts = self.terms = _operators("terms", terms)
        shapes = {term.shape for term in self.terms}
        if len(shapes) != 1:
            raise InputError(f"terms of a sum differ in shape: got {sorted(shapes)}, expected one shape.")
        super().__init__(self.terms[0].shape, np.result_type(*(term.dtype for term in self.terms)))

    def _matmat(self, V: Array) -> Array:
        return np.asarray(sum((term @ V for term in self.terms[1:]), self.terms[0] @ V))

    def _rmatmat(self, U: Array) -> Array:
        return np.asarray(sum((term.T @ U for term in self.terms[1:]), self.terms[0].T @ U))


class Product(_Composite):
    """A B, multiplied from the right so that it is never formed."""

    def __init__(self, left: Any, right: Any) -> None:
        self.parts = self.left, self.right = as_operator(left), as_operator(right)
        check_rows("right", self.right.shape[0], self.left.shape[1], of="the columns of left")
        super().__init__((self.left.shape[0], self.right.shape[1]), np.result_type(self.left.dtype, self.right.dtype))

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.left @ (self.right @ V))

    def _rmatmat(self, U: Array) -> Array:
        return np.asarray(self.right.T @ (self.left.T @ U))

    def square(self) -> Array:
        """Return BᵀAᵀA B, from AᵀA if that is small."""
        if self.left.shape[1] > _FEW:
            return super().square()
        half = self.right.T @ self.left.square()
        return np.asarray(self.right.T @ half.T)


class Scaled(_Composite):
    """diag(rows) A diag(columns); each scale is a number, a vector or None."""

    def __init__(self, operator: Any, *, rows: Any = None, columns: Any = None) -> None:
        self.operator = as_operator(operator)
        self.parts = (self.operator,)
        super().__init__(self.operator.shape, self.operator.dtype)
        self.rows = self._scale("rows", rows, self.shape[0])
        self.columns = self._scale("columns", columns, self.shape[1])

    def _scale(self, name: str, scale: Any, size: int) -> Array:
        # in the precision of the operator, so that float32 stays float32
        scale = np.asarray(1.0 if scale is None else scale, dtype=self.dtype)
        if scale.ndim:
            _check_length(name, scale.size, size, name.removesuffix("s"))
        return np.asarray(scale.reshape(-1, 1))

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.rows * (self.operator @ (self.columns * V)))

    def _rmatmat(self, U: Array) -> Array:
        return np.asarray(self.columns * (self.operator.T @ (self.rows * U)))


class Centred(_Composite):
    """A − 1 mᵀ with m the mean row of A, or the row passed as `mean`; a sparse A stays sparse."""

    def __init__(self, operator: Any, mean: Any = None) -> None:
        self.operator = as_operator(operator)
        self.parts = (self.operator,)
        super().__init__(self.operator.shape, self.operator.dtype)
        self.mean = np.asarray(self._row_sum() / self.shape[0] if mean is None else mean, self.dtype).ravel()
        _check_length("mean", self.mean.size, self.shape[1], "column")
        self._total: Array | None = None

    def gram(self, V: Array) -> Array:
        """Return the product with the Gram matrix; in one pass if A is outside memory.

        (A − 1mᵀ)ᵀ(A − 1mᵀ) = AᵀA − s mᵀ − m (s − N m)ᵀ with s = Aᵀ1. In memory the mean is subtracted before the second
        product, which takes no more time and keeps more digits.
        """
        if not self.is_dense:
            return super().gram(V)
        if self._total is None:
            self._total = self._row_sum()
        product = self.operator.gram(V)
        product -= np.outer(self._total, self.mean @ V)
        product -= np.outer(self.mean, (self._total - self.shape[0] * self.mean) @ V)
        return np.asarray(product)

    def _row_sum(self) -> Array:
        return np.asarray(self.operator.T @ np.ones(self.shape[0], self.dtype))

    def _matmat(self, V: Array) -> Array:
        product = self.operator @ V
        product -= self.mean @ V  # in place: it has one row per record
        return np.asarray(product)

    def _rmatmat(self, U: Array) -> Array:
        product = self.operator.T @ U
        for column, total in enumerate(U.sum(axis=0)):
            product[:, column] -= total * self.mean
        return np.asarray(product)

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm: ‖A − 1mᵀ‖² = ‖A‖² − 2 mᵀ(Aᵀ1) + N‖m‖², for any row m."""
        mean, total = self.mean.astype(np.float64), self._row_sum().astype(np.float64)
        return max(0.0, self.operator.squared_norm() + float(mean @ (self.shape[0] * mean - 2 * total)))


class DiagonalPlusLowRank(Operator):
    """diag(d) + U S Uᵀ; S is a matrix, a vector (its diagonal) or a number."""

    def __init__(self, diagonal: Any, factor: Any, core: Any = 1.0) -> None:
        self.factor = as_operator(factor)
        n = self.factor.shape[0]
        super().__init__((n, n), self.factor.dtype)
        self.diagonal = np.asarray(diagonal, self.dtype).reshape(-1, 1)
        self.core = np.asarray(core, self.dtype)
        if self.diagonal.size != 1:
            _check_length("diagonal", self.diagonal.size, n, "row of factor")
        if self.core.ndim:
            _check_length("core", len(self.core), self.factor.shape[1], "column of factor")
        if self.core.ndim == 2 and self.core.shape[0] != self.core.shape[1]:
            raise InputError(f"core is not square: got {self.core.shape}, expected as many rows as columns.")

    def _through_core(self, C: Array, core: Array) -> Array:
        return np.asarray(core @ C if core.ndim == 2 else core.reshape(-1, 1) * C)

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.diagonal * V + self.factor @ self._through_core(self.factor.T @ V, self.core))

    def _rmatmat(self, U: Array) -> Array:
        return np.asarray(self.diagonal * U + self.factor @ self._through_core(self.factor.T @ U, self.core.T))


def _operators(name: str, parts: Sequence[Any]) -> list[Operator]:
    """Wrap each part; raise if there is none."""
    operators = [as_operator(part) for part in parts]
    if not operators:
        raise InputError(f"{name} is empty: got no matrix, expected at least one.")
    return operators


def _check_length(name: str, n_got: int, n_expected: int, per: str) -> None:
    if n_got != n_expected:
        raise InputError(f"{name} has the wrong length: got {n_got}, expected {n_expected}, one value per {per}.")


class SymmetricBlocks(Operator):
    """The symmetric R with blocks R_ij = R_jiᵀ; blocks that are not given are zero.

    Parameters
    ----------
    sizes : number of objects of each type, in the order of the types
    blocks : (i, j, matrix or Operator of sizes[i] x sizes[j]); several for one pair are added up, and i = j must be
        symmetric; with None for i, a block that has rows for the objects of all types, which fills the columns of type
        j and, transposed, its rows
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
        return slice(None) if i is None else slice(int(self.edges[i]), int(self.edges[i + 1]))
