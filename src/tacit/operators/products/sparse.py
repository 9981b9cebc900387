"""Products of a CSR matrix with a block of vectors, in both directions, shared among the cores.

Each number of a product is the sum of the same terms in the same order however rows and columns are shared out, so one
thread and many give the same bits. Forward, rows do not know of each other; backward, columns do not.

Who has llvmlite gets kernels made for the processor (`compiled`), others SciPy's (`scipy_products`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tacit.machine import n_threads, share
from tacit.operators.products.by_scipy import row_chunks, scipy_backward, scipy_forward
from tacit.operators.products.compiled import has_kernels, kernel
from tacit.types import Array

__all__ = ["LINE", "backward", "forward"]


# Entries of a matrix for which a kernel is worth its making. What is multiplied with it does not count: products of a
# few columns are to have the same bits as products of many.
_WORTH_COMPILING = 500_000
LINE = 64  # bytes that a processor fetches together: a row of a block begins where one begins
# Bytes of a row, forward and backward: more would leave the cache. Backward every thread has sums of its own there, so
# it has room for half as many (15 million entries, two threads, ms a column of float32: 1.5, 1.1, 1.8 with rows of half
# a line, one, two; forward .75, .62, 1.1 with one, two, four).
_WIDEST, _WIDEST_BACKWARD = 2 * LINE, LINE
_ROW_CHUNKS = 16  # for each thread: a core that others use holds nobody up


def forward(matrix: Any, V: Array) -> Array:
    """X V, for a CSR matrix X."""
    if not _compiles(matrix, V):
        return scipy_forward(matrix, V)
    product = np.empty((matrix.shape[0], V.shape[1]), matrix.dtype)
    chunks = row_chunks(matrix, _ROW_CHUNKS * n_threads())
    lanes = LINE // V.itemsize
    for columns in _cut(V.shape[1], _WIDEST // V.itemsize, lanes):
        block = _padded(V[:, columns], _lanes(columns.stop - columns.start, V.itemsize))
        fits = block.shape[1] == columns.stop - columns.start  # what is padded must not run over into the next row
        part = product[:, columns] if fits else np.empty((matrix.shape[0], block.shape[1]), matrix.dtype)
        share(partial(_run, kernel("forward", block.shape[1], matrix), matrix, part, block, part), chunks)
        if not fits:
            product[:, columns] = part[:, : columns.stop - columns.start]
    return product


def backward(matrix: Any, U: Array) -> Array:
    """Xᵀ U, for a CSR matrix X."""
    if not _compiles(matrix, U):
        return scipy_backward(matrix, U)
    # column by column, as the bases of solvers are, and each thread writes its own
    product = np.empty((matrix.shape[1], U.shape[1]), matrix.dtype, order="F")
    width = min(_WIDEST_BACKWARD // U.itemsize, -(-U.shape[1] // n_threads()))
    lanes = _lanes(width, U.itemsize)

    def fill(columns: slice) -> None:
        block = U[:, columns]
        if block.strides[1] != block.itemsize or _whole(block.shape[1], lanes) != block.shape[1]:
            block = _padded(block, lanes)
        part = _aligned((matrix.shape[1], block.shape[1]), matrix.dtype)
        part[:] = 0
        _run(kernel("backward", block.shape[1], matrix), matrix, block, block, part, (0, matrix.shape[0]))
        product[:, columns] = part[:, : columns.stop - columns.start]

    share(fill, _cut(U.shape[1], width, lanes))
    return product


def _run(run: Any, matrix: Any, long: Array, given: Array, out: Array, rows: tuple[int, int]) -> None:
    arrays = (matrix.data, matrix.indices, matrix.indptr, given, out)
    run(*rows, long.strides[0] // long.itemsize, *(array.ctypes.data for array in arrays))


def _compiles(matrix: Any, block: Array) -> bool:
    """Whether a kernel is there and worth it."""
    return (
        matrix.nnz >= _WORTH_COMPILING
        and block.dtype == matrix.dtype
        and matrix.dtype in (np.float32, np.float64)
        and has_kernels()
    )


def _cut(n_columns: int, width: int, lanes: int) -> list[slice]:
    """Cut columns into stretches of about `width`, a multiple of `lanes`, so that their rows fill whole lines."""
    step = _whole(max(width, 2), lanes)
    return [slice(start, min(n_columns, start + step)) for start in range(0, n_columns, step)]


def _lanes(width: int, itemsize: int) -> int:
    """Give how many columns make up a line, or a half or a quarter of one if there are so few."""
    lanes = LINE // itemsize
    return next(part for part in (lanes // 4, lanes // 2, lanes) if part >= min(width, lanes))


def _whole(width: int, lanes: int) -> int:
    """Give how many columns to take for `width`: a multiple of `lanes`; a single one stays alone."""
    return width if width == 1 else -(-width // lanes) * lanes


def _padded(block: Array, lanes: int) -> Array:
    """Give the columns row by row, with zeros up to whole lines."""
    padded = _aligned((len(block), _whole(block.shape[1], lanes)), block.dtype)
    padded[:, : block.shape[1]] = block
    padded[:, block.shape[1] :] = 0
    return padded


def _aligned(shape: tuple[int, int], dtype: np.dtype) -> Array:
    """Give an array that begins at the beginning of a line; NumPy's own begin anywhere, and a row is in one line more.

    Measured on 3.8 million entries and 32 columns of float32: forward .082 against .113 ns an entry and column,
    backward .100 against .158.
    """
    n_bytes = shape[0] * shape[1] * dtype.itemsize
    raw = np.empty(n_bytes + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + n_bytes].view(dtype).reshape(shape)
