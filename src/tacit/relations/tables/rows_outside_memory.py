"""Relations outside memory: what is computed from each block of rows on disk or on a cluster.

Each task is a function of a block, of an argument that all blocks share, and of the rows of an array that belong to the
block, so that it can be sent to the machine that holds it; see `tacit.operators.rows.blocks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory
from tacit.errors import InputError
from tacit.types import Float64Array

__all__ = [
    "absolute_product",
    "any_outside_memory",
    "check_normalise",
    "column_counts",
    "reached_columns",
    "reached_rows",
    "refuse",
    "row_squares",
]


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


def _pattern(block: sp.csr_array) -> sp.csr_array:
    return sp.csr_array(((block.data != 0).astype(np.float64), block.indices, block.indptr), shape=block.shape)


def reached_rows(block: sp.csr_array, reached: Float64Array, rows: Any) -> Float64Array:
    """Return a number above 0 for each row that has an entry in one of the reached columns."""
    return np.asarray(_pattern(block) @ reached)


def reached_columns(block: sp.csr_array, shared: Any, reached: Float64Array) -> Float64Array:
    """Return a number above 0 for each column that has an entry in one of the reached rows."""
    return np.asarray(_pattern(block).T @ reached)


def absolute_product(block: sp.csr_array, vector: Float64Array, rows: Any) -> Float64Array:
    """Return |M| times a vector."""
    return np.asarray(abs(block) @ vector)


def column_counts(block: sp.csr_array, rest: tuple[sp.csr_array, ...], rows: Any) -> Float64Array:
    """Return the number of entries in each column of the product of the block with the other factors."""
    product = _multiplied(block, rest)
    return np.bincount(product.indices, weights=product.data != 0, minlength=product.shape[1]).astype(np.float64)


def row_squares(block: sp.csr_array, rest: tuple[sp.csr_array, ...], rows: Any) -> Float64Array:
    """Return the squared length of each row of the product of the block with the other factors."""
    product = _multiplied(block, rest)
    squares = np.square(product.data, dtype=np.float64)
    row_of = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
    return np.bincount(row_of, weights=squares, minlength=product.shape[0]).astype(np.float64)


def _multiplied(block: sp.csr_array, rest: tuple[sp.csr_array, ...]) -> sp.csr_array:
    for factor in rest:
        block = sp.csr_array(block @ factor)
    return block
