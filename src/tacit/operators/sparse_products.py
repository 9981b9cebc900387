"""Products of a CSR matrix with a block of vectors, in both directions, shared among the cores.

Each number of a product is the sum of the same terms in the same order however rows and columns are shared out, so one
thread and many give the same bits. Forward, rows do not know of each other; backward, columns do not.

Who has llvmlite gets kernels made for the processor (`compiled`), others SciPy's, which let other threads run too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tacit.operators.columns import column_blocks, n_threads, share
from tacit.operators.compiled import has_kernels, kernel

__all__ = ["backward", "compiles", "forward"]

Array = np.ndarray[Any, np.dtype[Any]]

# Multiplications of a product, about a millisecond of one core, below which threads take longer to start than they save
_WORTH_SHARING = 2_000_000
_WORTH_COMPILING = 20_000_000  # a product of which dozens will follow, for which a kernel is worth its making
_WIDEST = 32  # columns at a time: more would need more registers than there are, and leave the cache
_LANES = 8  # columns at a time are a multiple of this: fewer kernels, and no half-filled register
_ROW_CHUNKS = 16  # for each thread: a core that others use holds nobody up


def forward(matrix: Any, V: Array) -> Array:
    """X V, for a CSR matrix X."""
    if not compiles(matrix, V):
        return _by_columns(matrix, V)
    product = np.empty((matrix.shape[0], V.shape[1]), matrix.dtype)
    for columns in _cut(V.shape[1], _WIDEST):
        block = _padded(V[:, columns])
        width = block.shape[1]
        whole = width == V.shape[1]
        part = product if whole else np.empty((matrix.shape[0], width), matrix.dtype)
        run = kernel("forward", width, matrix)
        addresses = _addresses(matrix, block, part)

        def fill(rows: tuple[int, int], run: Any = run, addresses: Any = addresses) -> None:
            run(*rows, *addresses)

        share(fill, _row_chunks(matrix))
        if not whole:
            product[:, columns] = part[:, : columns.stop - columns.start]
    return product


def backward(matrix: Any, U: Array) -> Array:
    """Xᵀ U, for a CSR matrix X."""
    if not compiles(matrix, U):
        return _by_columns(matrix.T, U)
    product = np.empty((matrix.shape[1], U.shape[1]), matrix.dtype)
    run_width = min(_WIDEST, -(-U.shape[1] // n_threads()))

    def fill(columns: slice) -> None:
        block = _padded(U[:, columns])
        part = np.zeros((matrix.shape[1], block.shape[1]), matrix.dtype)
        kernel("backward", block.shape[1], matrix)(0, matrix.shape[0], *_addresses(matrix, block, part))
        product[:, columns] = part[:, : columns.stop - columns.start]

    share(fill, _cut(U.shape[1], run_width))
    return product


def compiles(matrix: Any, block: Array) -> bool:
    """Whether a kernel is there and worth it."""
    return (
        matrix.nnz * block.shape[1] >= _WORTH_COMPILING
        and block.dtype == matrix.dtype
        and matrix.dtype in (np.float32, np.float64)
        and has_kernels()
    )


def _by_columns(matrix: Any, V: Array) -> Array:
    """Multiply by SciPy, a few columns at a time, in several threads."""
    if V.shape[1] < 2 * _LANES or matrix.nnz * V.shape[1] < _WORTH_SHARING:
        return np.asarray(matrix @ V)
    product = np.empty((matrix.shape[0], V.shape[1]), np.result_type(matrix.dtype, V.dtype))

    def fill(columns: slice) -> None:
        product[:, columns] = matrix @ V[:, columns]

    share(fill, column_blocks(V.shape[1]))
    return product


def _cut(n_columns: int, width: int) -> list[slice]:
    """Cut columns into stretches of at most `width`, as a multiple of the lanes."""
    step = -(-width // _LANES) * _LANES
    return [slice(start, min(n_columns, start + step)) for start in range(0, n_columns, step)]


def _padded(block: Array) -> Array:
    """Give the columns row by row, with zeros up to a multiple of the lanes."""
    width = -(-block.shape[1] // _LANES) * _LANES
    if width == block.shape[1]:
        return np.ascontiguousarray(block)
    padded = np.zeros((len(block), width), block.dtype)
    padded[:, : block.shape[1]] = block
    return padded


def _row_chunks(matrix: Any) -> list[tuple[int, int]]:
    """Cut the rows into stretches of about as many entries each."""
    n_chunks = min(matrix.shape[0], _ROW_CHUNKS * n_threads())
    wanted = np.linspace(0, matrix.nnz, n_chunks + 1)[1:-1]
    cuts = np.searchsorted(matrix.indptr, wanted)
    return list(pairwise([0, *cuts.tolist(), matrix.shape[0]]))


def _addresses(matrix: Any, given: Array, out: Array) -> tuple[int, ...]:
    arrays = (matrix.data, matrix.indices, matrix.indptr, given, out)
    return tuple(array.ctypes.data for array in arrays)
