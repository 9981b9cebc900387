"""A sparse matrix cut into blocks of rows that are somewhere else: on disk, or in the memory of other machines.

Models take a `RowBlocks` wherever they take a sparse matrix, and see nothing of it but products. A subclass says how a
function is run on every block; the functions below are all that ever is. Each is a plain function of a module, so that
it can be sent to another process, and each block passes by once a product: XᵀXV reads the matrix once, not twice.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.operators.base import Array, Operator, as_operator
from tacit.operators.gram import Gram

__all__ = ["BlockTask", "RowBlocks", "RowFacts", "facts_of"]

BlockTask = Callable[[sp.csr_array, Any, Any], Array]
"""Of a block, of what all blocks are given, and of the rows of an array that go with the block."""


@dataclass(frozen=True)
class RowFacts:
    """What is known of the rows without reading them again.

    Attributes
    ----------
    edges : where each block begins among all rows, and where the last ends
    n_columns : terms
    dtype : of the entries
    n_entries : stored entries
    squared_norm : sum of their squares
    n_filled : rows with a term
    """

    edges: tuple[int, ...]
    n_columns: int
    dtype: np.dtype
    n_entries: int
    squared_norm: float
    n_filled: int


class RowBlocks(Operator):
    """The products of a matrix of which no more than a few blocks of rows are at hand at a time.

    Parameters
    ----------
    facts : RowFacts
    """

    def __init__(self, facts: RowFacts) -> None:
        super().__init__((facts.edges[-1], facts.n_columns), facts.dtype)
        self.facts = facts

    @abstractmethod
    def _each(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Iterator[Array]:
        """Run `task` on every block; give the results in the order of the blocks."""

    @abstractmethod
    def _sum(self, task: BlockTask, shared: Any = None, rows: Array | None = None) -> Array:
        """Run `task` on every block and add the results up, in an order that depends on nothing but the blocks."""

    @property
    def nnz(self) -> int:
        """How many entries are stored."""
        return self.facts.n_entries

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix would take here, as one."""
        return self.nnz * (self.dtype.itemsize + 4) + 4 * (self.shape[0] + 1)

    def blocks(self) -> Iterator[sp.csr_array]:
        """Give the blocks of rows themselves, one after the other."""
        yield from self._each(_itself)  # type: ignore[misc] # a block is no array, but is handed through like one

    def gram(self, V: Array) -> Array:
        """Give XᵀX V in one pass."""
        return self._sum(_gram, np.ascontiguousarray(V))

    def row_squares(self) -> Array:
        """Give the squared length of each row, in double precision."""
        return np.concatenate(list(self._each(_row_squares)))

    def squared_norm(self) -> float:
        """Give the squared Frobenius norm."""
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
    """Join what is known of several stretches of rows, one after the other."""
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
    return np.asarray(as_operator(block) @ V)  # not by SciPy, which has one thread


def _backward(block: sp.csr_array, shared: Any, U: Array) -> Array:
    return np.asarray(as_operator(block).T @ U)


def _gram(block: sp.csr_array, V: Array, rows: Any) -> Array:
    return np.asarray(Gram(block) @ V)


def _row_squares(block: sp.csr_array, shared: Any, rows: Any) -> Array:
    squares = sp.csr_array((np.square(block.data, dtype=np.float64), block.indices, block.indptr), shape=block.shape)
    return np.asarray(squares.sum(axis=1)).ravel()
