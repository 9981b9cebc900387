"""Relations outside memory: sums over matrices in blocks of rows on disk or on a cluster.

This package does not import operators, so `RowsOutsideMemory` is a protocol. Each task is a function of one block, and
can be sent to the machine that holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.errors import InputError
from tacit.types import BoolArray, Float64Array

__all__ = [
    "absolute_product",
    "any_outside_memory",
    "check_normalise",
    "column_counts",
    "reached_columns_of",
    "reached_rows_of",
    "refuse",
    "row_squares_of",
]


class RowsOutsideMemory(Protocol):
    """A matrix in blocks of rows outside memory, see `tacit.operators.rows.blocks`."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    nnz: int

    def _each(self, task: Callable[..., Any], shared: Any = None, rows: Any = None) -> Iterator[Any]:
        """Run a task on every block; yield the results in the order of the blocks."""

    def _sum(self, task: Callable[..., Any], shared: Any = None, rows: Any = None) -> Any:
        """Run a task on every block and return the sum of the results."""


def any_outside_memory(factors: Sequence[Any]) -> bool:
    """Whether one of the factors of a relation is outside memory."""
    return any(map(is_outside_memory, factors))


def refuse(name: str, what: str, instead: str) -> InputError:
    """Return the error for an operation that needs a matrix in memory."""
    return InputError(
        f"relation {name!r} is not in memory: got rows on disk or on a cluster, which cannot be {what}. {instead}"
    )


def check_normalise(factors: Sequence[Any], normalise: str) -> None:
    """Raise if a product would have to be formed across machines to be normalised."""
    if normalise in ("tfidf", "frobenius") and any_outside_memory(factors[1:]):
        raise InputError(
            f"normalise does not suit a product that ends in rows outside memory: got {normalise!r}, expected "
            "'none' or 'spectral'."
        )


def reached_rows_of(rows: RowsOutsideMemory, reached: BoolArray) -> BoolArray:
    """Return which rows have an entry in one of these columns."""
    return np.concatenate(list(rows._each(_reaching, reached.astype(np.float64)))) > 0


def reached_columns_of(rows: RowsOutsideMemory, reached: BoolArray) -> BoolArray:
    """Return which columns have an entry in one of these rows."""
    return np.asarray(rows._sum(_reached, rows=reached.astype(np.float64).reshape(-1, 1))).ravel() > 0


def absolute_product(rows: RowsOutsideMemory, vector: Float64Array) -> Float64Array:
    """Return |M| times a vector."""
    return np.concatenate(list(rows._each(_absolute, vector)))


def column_counts(rows: RowsOutsideMemory, rest: Sequence[sp.csr_array]) -> Float64Array:
    """Return the number of entries in each column of the product of the rows with the other factors."""
    return np.asarray(rows._sum(_counts, tuple(rest)))


def row_squares_of(rows: RowsOutsideMemory, rest: Sequence[sp.csr_array]) -> Float64Array:
    """Return the squared length of each row of the product of the rows with the other factors."""
    return np.concatenate(list(rows._each(_squares, tuple(rest))))


def _pattern(block: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(((block.data != 0).astype(np.float64), block.indices, block.indptr), shape=block.shape)


def _reaching(block: sp.csr_array, reached: Float64Array, rows: Any) -> Float64Array:
    return np.asarray(_pattern(block) @ reached)


def _reached(block: sp.csr_array, shared: Any, reached: Float64Array) -> Float64Array:
    return np.asarray(_pattern(block).T @ reached)


def _absolute(block: sp.csr_array, vector: Float64Array, rows: Any) -> Float64Array:
    return np.asarray(abs(block) @ vector)


def _counts(block: sp.csr_array, rest: tuple[sp.csr_array, ...], rows: Any) -> Float64Array:
    product = _multiplied(block, rest)
    return np.bincount(product.indices, weights=product.data != 0, minlength=product.shape[1]).astype(np.float64)


def _squares(block: sp.csr_array, rest: tuple[sp.csr_array, ...], rows: Any) -> Float64Array:
    product = _multiplied(block, rest)
    squares = np.square(product.data, dtype=np.float64)
    row_of = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
    return np.bincount(row_of, weights=squares, minlength=product.shape[0]).astype(np.float64)


def _multiplied(block: sp.csr_array, rest: tuple[sp.csr_array, ...]) -> sp.csr_array:
    for factor in rest:
        block = sp.csr_array(block @ factor)
    return block
