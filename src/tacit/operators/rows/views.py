"""Rows that are elsewhere, seen otherwise: some of them, scaled, in double precision, and still by products only.

What a model does to a matrix in memory before it multiplies (leave out records, scale them to unit length, widen the
numbers) is kept beside the products here. Products with a view read the blocks once, as those of the blocks do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.rows.blocks import RowBlocks

__all__ = ["RowView", "adjoint_blocks", "as_view", "in_double", "is_elsewhere", "take_rows"]

_COLUMNS = 32
_BYTES = 2**27  # of the dense part of a sparse block that goes through the rows together


class RowView(Operator):
    """diag(scales) X in these rows, by the products of X.

    Parameters
    ----------
    source : RowBlocks
    rows : array of int, optional
        Which rows, each once, in any order; all if not given.
    scales : array, optional
        What every row of the source is multiplied with.
    dtype : default that of the source
    """

    def __init__(
        self, source: RowBlocks, *, rows: Array | None = None, scales: Array | None = None, dtype: Any = None
    ) -> None:
        self.source, self.rows, self.scales = source, rows, scales
        n_rows = source.shape[0] if rows is None else len(rows)
        super().__init__((n_rows, source.shape[1]), dtype or source.dtype)

    @property
    def is_dense(self) -> bool:
        """As the rows themselves: further columns cost little beside another pass."""
        return True

    @property
    def n_bytes(self) -> int:
        """Memory that these rows would take here, were all of the same length."""
        return self.source.n_bytes * self.shape[0] // max(1, self.source.shape[0])

    def take(self, rows: Array) -> RowView:
        """Give some of the rows."""
        chosen = np.asarray(rows) if self.rows is None else self.rows[rows]
        return RowView(self.source, rows=chosen, scales=self.scales, dtype=self.dtype)

    def with_more(self, more: RowView) -> RowView:
        """Give these rows and then those of another view of the same matrix."""
        rows = [np.arange(self.source.shape[0]) if view.rows is None else view.rows for view in (self, more)]
        return RowView(self.source, rows=np.concatenate(rows), scales=self.scales, dtype=self.dtype)

    def as_double(self) -> RowView:
        """Give the same, with products in double precision."""
        return RowView(self.source, rows=self.rows, scales=self.scales, dtype=np.float64)

    def of_unit_length(self) -> RowView:
        """Give the rows scaled to length one; those without an entry stay as they are."""
        lengths = np.sqrt(self.source.row_squares())
        scales = 1 / np.where(lengths > 0, lengths, 1)
        return RowView(self.source, rows=self.rows, scales=scales, dtype=self.dtype)

    def row_squares(self) -> Array:
        """Give the squared length of each row, in double precision."""
        squares = self.source.row_squares()
        squares = squares if self.scales is None else squares * self.scales**2
        return squares if self.rows is None else squares[self.rows]

    def squared_norm(self) -> float:
        """Give the squared Frobenius norm."""
        return float(self.row_squares().sum())

    def gram(self, V: Array) -> Array:
        """Give the product with the Gram matrix in one pass: rows that are not among these have weight zero."""
        V = np.ascontiguousarray(V, np.result_type(V.dtype, self.dtype))
        if self.rows is None and self.scales is None:
            return self.source.gram(V)
        weights = np.ones(self.source.shape[0], V.dtype) if self.scales is None else (self.scales**2).astype(V.dtype)
        if self.rows is not None:
            chosen = np.zeros_like(weights)
            chosen[self.rows] = weights[self.rows]
            weights = chosen
        return self.source._sum(_weighted_gram, V, rows=weights.reshape(-1, 1))

    def _matmat(self, V: Array) -> Array:
        product = self.source @ V.astype(np.result_type(V.dtype, self.dtype), copy=False)
        if self.scales is not None:
            product *= self.scales.astype(product.dtype)[:, None]
        return np.asarray(product if self.rows is None else product[self.rows])

    def _rmatmat(self, U: Array) -> Array:
        dtype = np.result_type(U.dtype, self.dtype)
        if self.rows is None:
            whole = np.array(U, dtype)
        else:
            whole = np.zeros((self.source.shape[0], U.shape[1]), dtype)
            whole[self.rows] = U
        if self.scales is not None:
            whole *= self.scales.astype(dtype)[:, None]
        return np.asarray(self.source.T @ whole)


def is_elsewhere(X: Any) -> bool:
    """Whether records are known by their products only."""
    return isinstance(X, (RowBlocks, RowView))


def as_view(X: RowBlocks | RowView) -> RowView:
    """Give rows that are elsewhere as a view of all of them."""
    return X if isinstance(X, RowView) else RowView(X)


def take_rows(X: Any, rows: Array) -> Any:
    """Give some rows of any matrix."""
    return as_view(X).take(rows) if is_elsewhere(X) else X[rows]


def in_double(X: Any) -> Any:
    """Give any matrix in double precision, itself if it is already."""
    if not is_elsewhere(X):
        return X.astype(np.float64, copy=False)
    return X if X.dtype == np.float64 else as_view(X).as_double()


def adjoint_blocks(X: Operator, columns: Any, *, anew: bool = True) -> Iterator[tuple[slice, Array]]:
    """Give Xᵀ times sparse columns, some at a time, and which: all of them dense would be far larger than X.

    `anew` says that X is read for every product, so that more of them go together.
    """
    columns = columns.tocsc()
    column_bytes = max(1, X.shape[0] * np.result_type(X.dtype, columns.dtype).itemsize)
    step = max(_COLUMNS, _BYTES // column_bytes) if anew else _COLUMNS
    for first in range(0, columns.shape[1], step):
        part = slice(first, min(columns.shape[1], first + step))
        yield part, np.asarray(X.T @ columns[:, part].toarray())


def _weighted_gram(block: sp.csr_array, V: Array, weights: Array) -> Array:
    matrix = as_operator(block)
    between = matrix @ V
    between *= weights
    return np.asarray(matrix.T @ between)
