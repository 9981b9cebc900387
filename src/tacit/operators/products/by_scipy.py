"""Products of a CSR matrix with a block of vectors by SciPy, shared among the cores.

SciPy multiplies on one core, but lets other threads run in the meantime. Forward, each thread takes some rows, with all
the columns of a stripe; backward, some columns, since threads with different rows would add to the same sums. Few
columns at a time are expensive, as much of the work is done once per entry, and too many do not fit into the cache.
Measured with 15 million entries x 47,236 terms on one core, ms per column of float32: forward 6.8, 4.0, 3.4, 3.5 with
8, 16, 32, 64 columns, backward 4.7, 3.5, 3.1, 3.2; of float64 7.5, 6.4, 7.0, 7.9 and 6.8, 6.2, 6.0, 8.7. On a core with
smaller caches 16 columns are best.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.machine import n_threads, share
from tacit.types import Array

__all__ = ["column_blocks", "row_blocks", "row_chunks", "scipy_backward", "scipy_forward"]

# Multiplications of a product, about a millisecond on one core, below which starting threads takes longer than it saves
_WORTH_SHARING = 2_000_000
_STRIPE = 32  # columns forward
_FEWEST, _MOST = 8, 16  # columns of one thread backward
_ROW_CHUNKS = 4  # per thread, so that the others need not wait for a busy core


def scipy_forward(matrix: Any, V: Array) -> Array:
    """X V, for a CSR matrix X."""
    if matrix.nnz * V.shape[1] < _WORTH_SHARING:
        return np.asarray(matrix @ V)
    product = np.empty((matrix.shape[0], V.shape[1]), np.result_type(matrix.dtype, V.dtype))
    chunks = row_chunks(matrix, _ROW_CHUNKS * n_threads())
    for columns in column_blocks(V.shape[1], _STRIPE):
        block = np.ascontiguousarray(V[:, columns])  # once, or SciPy would do this for every chunk
        share(partial(_fill_rows, matrix, block, product[:, columns]), chunks)
    return product


def _fill_rows(matrix: Any, block: Array, product: Array, rows: tuple[int, int]) -> None:
    first, last = rows
    start, stop = matrix.indptr[first], matrix.indptr[last]
    chunk = sp.csr_array((last - first, matrix.shape[1]), dtype=matrix.dtype)  # the constructor would copy the arrays
    chunk.data, chunk.indices = matrix.data[start:stop], matrix.indices[start:stop]
    chunk.indptr = matrix.indptr[first : last + 1] - start
    product[first:last] = chunk @ block


def scipy_backward(matrix: Any, U: Array) -> Array:
    """Xᵀ U, for a CSR matrix X."""
    turned = matrix.T
    if U.shape[1] <= _FEWEST or matrix.nnz * U.shape[1] < _WORTH_SHARING:
        return np.asarray(turned @ U)
    # in column order, as from the compiled kernels
    product = np.empty((matrix.shape[1], U.shape[1]), np.result_type(matrix.dtype, U.dtype), order="F")
    width = int(np.clip(-(-U.shape[1] // n_threads()), _FEWEST, _MOST))

    def fill(columns: slice) -> None:
        product[:, columns] = turned @ U[:, columns]

    share(fill, column_blocks(U.shape[1], width))
    return product


def row_chunks(matrix: Any, n_chunks: int) -> list[tuple[int, int]]:
    """Split the rows into ranges with about the same number of entries."""
    wanted = np.linspace(0, matrix.nnz, min(matrix.shape[0], n_chunks) + 1)[1:-1]
    cuts = np.searchsorted(matrix.indptr, wanted)
    return list(pairwise([0, *cuts.tolist(), matrix.shape[0]]))


_ROWS = 4096


def column_blocks(n_columns: int, width: int) -> list[slice]:
    """Split columns into blocks of about `width`, most of them a multiple of four, which suits vector registers."""
    n_blocks = max(1, round(n_columns / width))
    cuts = 4 * np.round(np.linspace(0, n_columns, n_blocks + 1) / 4).astype(int)
    cuts[-1] = n_columns
    return [slice(int(start), int(stop)) for start, stop in pairwise(cuts)]


def row_blocks(n_rows: int) -> list[slice]:
    """Split the rows of a tall array into blocks that keep a thread busy and fit into its cache."""
    return [slice(start, start + _ROWS) for start in range(0, n_rows, _ROWS)]
