"""A sparse matrix split into blocks of rows that are outside memory: on disk, or in the memory of other machines.

Models take a `RowBlocks` wherever they take a sparse matrix, and use only its products. A subclass implements how a
function is run on every block. The functions that are run are below; they are plain functions of a module, so that they
can be sent to other processes. Every product reads each block once, even XᵀXV.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.operators.base import Gram, Operator, as_operator
from tacit.types import Array

__all__ = [
    "BlockTask",
    "RowBlocks",
    "RowFacts",
    "RowView",
    "adjoint_blocks",
    "as_view",
    "facts_of",
    "in_double",
    "take_rows",
]

BlockTask = Callable[[sp.csr_array, Any, Any], Array]
"""A function of a block, of an argument that all blocks share, and of the rows of an array that belong to the block."""


@dataclass(frozen=True)
class RowFacts:
    """What is known about the rows without reading them again."""

    edges: tuple[int, ...]  # the first row of each block, and the number of all rows
    n_columns: int
    dtype: np.dtype
    n_entries: int
    squared_norm: float
    n_filled: int  # rows with an entry


class RowBlocks(Operator):
    """The products of a matrix of which only a few blocks of rows are in memory at a time."""

    is_outside_memory = True
    is_dense = True  # further columns are cheap compared with reading the matrix again

    def __init__(self, facts: RowFacts) -> None:
        super().__init__((facts.edges[-1], facts.n_columns), facts.dtype)
        self.facts = facts

    @abstractmethod
    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        """Run `task` on every block; yield the results in the order of the blocks."""

    @abstractmethod
    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        """Run `task` on every block and add up the results, in an order that depends on the blocks only."""

    @property
    def nnz(self) -> int:
        """Number of stored entries."""
        return self.facts.n_entries

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix would take as one CSR matrix."""
        return self.nnz * (self.dtype.itemsize + 4) + 4 * (self.shape[0] + 1)

    def blocks(self) -> Iterator[sp.csr_array]:
        """Yield the blocks of rows themselves, one after the other."""
        yield from self._each(_itself)  # type: ignore[misc] # a block is not an array, but is passed on like one

    def gram(self, V: Array) -> Array:
        """Return XᵀX V in one pass."""
        return self._sum(_gram, np.ascontiguousarray(V))

    def row_squares(self) -> Array:
        """Return the squared length of each row, in double precision."""
        return np.concatenate(list(self._each(_row_squares)))

    def column_squares(self) -> Array:
        """Return the squared length of each column, in double precision, in one pass."""
        return self._sum(_column_squares)

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm."""
        return self.facts.squared_norm

    def _matmat(self, V: Array) -> Array:
        product = np.empty((self.shape[0], V.shape[1]), np.result_type(self.dtype, V.dtype))
        edges = self.facts.edges
        for start, stop, part in zip(edges[:-1], edges[1:], self._each(_forward, np.ascontiguousarray(V)), strict=True):
            product[start:stop] = part
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._sum(_backward, rows=np.ascontiguousarray(U))


def facts_of(blocks: list[RowFacts]) -> RowFacts:
    """Join the facts of consecutive ranges of rows."""
    edges = [0]
    for block in blocks:
        edges += [edges[-1] + edge for edge in block.edges[1:]]
    return RowFacts(
        edges=tuple(edges),
        n_columns=blocks[0].n_columns,
        dtype=np.result_type(*(block.dtype for block in blocks)),
        n_entries=sum(block.n_entries for block in blocks),
        squared_norm=sum(block.squared_norm for block in blocks),
        n_filled=sum(block.n_filled for block in blocks),
    )


def _itself(block: sp.csr_array, shared: Any, rows: Any) -> Any:
    return block


def _forward(block: sp.csr_array, V: Array, rows: Any) -> Array:
    return np.asarray(as_operator(block) @ V)  # not with SciPy, which uses one thread


def _backward(block: sp.csr_array, shared: Any, U: Array) -> Array:
    return np.asarray(as_operator(block).T @ U)


def _gram(block: sp.csr_array, V: Array, rows: Any) -> Array:
    return np.asarray(Gram(block) @ V)


def _row_squares(block: sp.csr_array, shared: Any, rows: Any) -> Array:
    squares = sp.csr_array((np.square(block.data, dtype=np.float64), block.indices, block.indptr), shape=block.shape)
    return np.asarray(squares.sum(axis=1)).ravel()


def _column_squares(block: sp.csr_array, shared: Any, weights: Array | None) -> Array:
    squares = np.square(block.data, dtype=np.float64)
    if weights is not None:
        squares *= np.repeat(weights.ravel(), np.diff(block.indptr))
    return np.bincount(block.indices, squares, minlength=block.shape[1])


_COLUMNS = 32
_BYTES = 2**27  # of the dense columns that are multiplied in one pass over the rows


class RowView(Operator):
    """diag(scales) X in these rows, by the products of X.

    Parameters
    ----------
    source : RowBlocks
    rows : array of int, optional
        Which rows, each once, in any order; all rows if not given.
    scales : array, optional
        One factor per row of the source.
    dtype : dtype of the products, default that of the source
    """

    is_outside_memory = is_dense = True  # as for the source

    def __init__(
        self, source: RowBlocks, *, rows: Array | None = None, scales: Array | None = None, dtype: Any = None
    ) -> None:
        self.source, self.rows, self.scales = source, rows, scales
        n_rows = source.shape[0] if rows is None else len(rows)
        super().__init__((n_rows, source.shape[1]), dtype or source.dtype)

    @property
    def n_bytes(self) -> int:
        """Memory that these rows would take if all had the same number of entries."""
        return self.source.n_bytes * self.shape[0] // max(1, self.source.shape[0])

    def take(self, rows: Array) -> RowView:
        """Return some of the rows."""
        chosen = np.asarray(rows) if self.rows is None else self.rows[rows]
        return RowView(self.source, rows=chosen, scales=self.scales, dtype=self.dtype)

    def with_more(self, more: RowView) -> RowView:
        """Return these rows followed by those of another view of the same matrix."""
        rows = [np.arange(self.source.shape[0]) if view.rows is None else view.rows for view in (self, more)]
        return RowView(self.source, rows=np.concatenate(rows), scales=self.scales, dtype=self.dtype)

    def as_double(self) -> RowView:
        """Return the same rows, with products in double precision."""
        return RowView(self.source, rows=self.rows, scales=self.scales, dtype=np.float64)

    def of_unit_length(self) -> RowView:
        """Return the rows scaled to length one; rows without an entry stay as they are."""
        lengths = np.sqrt(self.source.row_squares())
        scales = 1 / np.where(lengths > 0, lengths, 1)
        return RowView(self.source, rows=self.rows, scales=scales, dtype=self.dtype)

    def row_squares(self) -> Array:
        """Return the squared length of each row, in double precision."""
        squares = self.source.row_squares()
        squares = squares if self.scales is None else squares * self.scales**2
        return squares if self.rows is None else squares[self.rows]

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm."""
        return float(self.row_squares().sum())

    def gram(self, V: Array) -> Array:
        """Return the product with the Gram matrix in one pass, in which other rows of the source have weight zero."""
        V = np.ascontiguousarray(V, np.result_type(V.dtype, self.dtype))
        if self.rows is None and self.scales is None:
            return self.source.gram(V)
        return self.source._sum(_weighted_gram, V, rows=self._weights(V.dtype))

    def column_squares(self) -> Array:
        """Return the squared length of each column, in double precision, in one pass."""
        return self.source._sum(_column_squares, rows=self._weights(np.float64))

    def _weights(self, dtype: Any) -> Array:
        """Return the weight of each row of the source in the Gram matrix, as a column."""
        weights = np.ones(self.source.shape[0], dtype) if self.scales is None else (self.scales**2).astype(dtype)
        if self.rows is not None:
            chosen = np.zeros_like(weights)
            chosen[self.rows] = weights[self.rows]
            weights = chosen
        return np.asarray(weights.reshape(-1, 1))

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


def as_view(X: RowBlocks | RowView) -> RowView:
    """Return rows outside memory as a view of all of them."""
    return X if isinstance(X, RowView) else RowView(X)


def take_rows(X: Any, rows: Array) -> Any:
    """Return some rows of any matrix."""
    return as_view(X).take(rows) if is_outside_memory(X) else X[rows]


def in_double(X: Any) -> Any:
    """Return any matrix in double precision, itself if it is already."""
    if not is_outside_memory(X):
        return X.astype(np.float64, copy=False)
    return X if X.dtype == np.float64 else as_view(X).as_double()


def adjoint_blocks(X: Operator, columns: Any, *, outside_memory: bool = True) -> Iterator[tuple[slice, Array]]:
    """Yield Xᵀ times sparse columns, with their positions, a few at a time: all dense would be far larger than X.

    If X is outside memory, it is read again for every product, so more columns go together.
    """
    columns = columns.tocsc()
    column_bytes = max(1, X.shape[0] * np.result_type(X.dtype, columns.dtype).itemsize)
    step = max(_COLUMNS, _BYTES // column_bytes) if outside_memory else _COLUMNS
    for first in range(0, columns.shape[1], step):
        part = slice(first, min(columns.shape[1], first + step))
        yield part, np.asarray(X.T @ columns[:, part].toarray())


def _weighted_gram(block: sp.csr_array, V: Array, weights: Array) -> Array:
    matrix = as_operator(block)
    between = matrix @ V
    between *= weights
    return np.asarray(matrix.T @ between)
