"""Products with tall dense arrays, some rows at a time, shared among the cores.

The threads of a matrix library wait for each other at the end of every product, and do so by spinning: on a busy
machine one such product can take a hundred times as long. Here each row block is a product of its own in one thread,
and whoever is free takes the next. The blocks, and the order in which their results are added, depend on the number of
rows alone, so the answer is the same on any machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import numpy as np
import scipy.linalg as la

from tacit.machine import one_thread, share
from tacit.types import Array

__all__ = [
    "WELL_CONDITIONED",
    "divide",
    "factored",
    "in_rows",
    "inner",
    "lengths",
    "orthogonalise",
    "subtract",
    "times",
    "triangle",
]

Item = TypeVar("Item")

_ROWS = 1024  # as many rows of a basis of a few hundred vectors as stay in the cache of a core between two products
_BLOCKS = 128  # most blocks: each has a sum of its own until all are there
_ROUNDING = 4.0  # units in the last place of what was taken out: less than that of Q cannot be taken out of W any more
_WORTH_SHARING = 5e6  # floating-point operations, about a tenth of a millisecond


def in_rows(task: Callable[[slice], None], n_rows: int, work: float) -> None:
    """Call the task with each block of rows; `work` is how many floating-point operations it does in all."""
    _run(task, _blocks(n_rows), work)


def times(A: Array, B: Array) -> Array:
    """A B, for a tall A; it lies as A does."""
    order: Literal["C", "F"] = "F" if _by_columns(A) else "C"
    product = np.empty((len(A), B.shape[1]), np.result_type(A, B), order=order)

    def fill(rows: slice) -> None:
        if order == "F":
            product[rows].T[:] = B.T @ A[rows].T
        else:
            np.matmul(A[rows], B, out=product[rows])

    in_rows(fill, len(A), 2.0 * A.size * B.shape[1])
    return product


def inner(A: Array, B: Array) -> Array:
    """Aᵀ B, for tall A and B."""
    blocks = _blocks(len(A))
    parts: list[Array | None] = [None] * len(blocks)

    def fill(i: int) -> None:
        parts[i] = A[blocks[i]].T @ B[blocks[i]]

    _run(fill, range(len(blocks)), 2.0 * A.size * B.shape[1])
    return _total(parts)


def lengths(A: Array) -> Array:
    """‖a‖ of each column of a tall A, summed in double precision."""
    blocks = _blocks(len(A))
    parts: list[Array | None] = [None] * len(blocks)

    def fill(i: int) -> None:
        rows = A[blocks[i]]
        parts[i] = np.einsum("ij,ij->j", rows, rows).astype(np.float64)

    _run(fill, range(len(blocks)), 2.0 * A.size)
    return np.asarray(np.sqrt(_total(parts)))


def subtract(W: Array, Q: Array, C: Array) -> None:
    """W −= Q C, in place."""

    def take(rows: slice) -> None:
        _take(W[rows], Q[rows], C)

    in_rows(take, len(W), 2.0 * Q.size * C.shape[1])


def _take(W: Array, Q: Array, C: Array) -> None:
    if _by_columns(W):  # what is taken off is made as W lies: another order takes a quarter longer
        W.T[:] -= C.T @ Q.T
    else:
        W -= Q @ C


def orthogonalise(W: Array, Q: Array, *, near: int | None = None) -> Array:
    """Take the span of Q out of W, in place, twice, as once leaves rounding behind; give QᵀW as it was.

    With `near`, so many columns at the end of Q hold nearly all that W has in common with Q, as in a Krylov space the
    last two blocks do: the first time is for those alone, and the second leaves no more behind than it does otherwise.
    """
    blocks, n_far = _blocks(len(W)), 0 if near is None else max(0, Q.shape[1] - near)
    close = Q[:, n_far:]
    first = inner(close, W)
    parts: list[Array | None] = [None] * len(blocks)

    def again(i: int) -> None:
        rows = blocks[i]
        _take(W[rows], close[rows], first)
        parts[i] = Q[rows].T @ W[rows]  # while these rows of Q are in the cache

    _run(again, range(len(blocks)), 2.0 * (Q.size + close.size) * W.shape[1])
    second = _total(parts)
    if np.abs(second).max(initial=0) > _ROUNDING * np.finfo(W.dtype).eps * np.abs(first).max(initial=0):
        subtract(W, Q, second)
    second[n_far:] += first
    return np.asarray(second)


def factored(R: Array) -> tuple[Array, Array]:
    """Write R = Q S, Q orthonormal and S upper triangular in double precision; R itself is lost.

    By Cholesky of RᵀR, twice where R is not well conditioned: this is shared among the cores and a fraction of
    Householder's QR, which does it where R is nearly dependent.
    """
    S = np.eye(R.shape[1])
    for _ in range(2):
        part, spread = triangle(R)
        if spread < _DEPENDENT:
            with one_thread():
                Q, part = la.qr(R, mode="economic", overwrite_a=True, check_finite=False)
            return Q, np.asarray(part, np.float64) @ S
        divide(R, part, R)
        S = part @ S
        if spread > WELL_CONDITIONED:
            break
    return R, S


_DEPENDENT = 1e-5  # one over the condition below which Householder has to do it; Cholesky squares what double can hold
WELL_CONDITIONED = 0.05  # above which one division leaves Q orthonormal to a few units in the last place


def triangle(R: Array) -> tuple[Array, float]:
    """Give S, upper triangular, with SᵀS = RᵀR, in double precision, and one over its condition, 0 if there is none."""
    with one_thread():
        S, fault = la.lapack.dpotrf(_double_gram(R), lower=0, clean=1)
        return S, 0.0 if fault else float(la.lapack.dtrcon(S)[0])


def divide(R: Array, S: Array, into: Array) -> None:
    """Write the first columns of R S⁻¹, for an upper triangular S, into an array that may be R itself.

    By the inverse, as a product is three times as fast as solving.
    """
    with one_thread():
        inverse = la.lapack.dtrtri(S, lower=0)[0].astype(R.dtype)[:, : into.shape[1]]
    by_columns = _by_columns(into)

    def fill(rows: slice) -> None:
        if by_columns:
            into[rows].T[:] = inverse.T @ R[rows].T
        else:
            into[rows] = R[rows] @ inverse

    in_rows(fill, len(R), 2.0 * R.size * into.shape[1])


def _double_gram(R: Array) -> Array:
    blocks = _blocks(len(R))
    parts: list[Array | None] = [None] * len(blocks)

    def fill(i: int) -> None:
        rows = R[blocks[i]].astype(np.float64)
        parts[i] = rows.T @ rows

    _run(fill, range(len(blocks)), 2.0 * R.size * R.shape[1])
    return _total(parts)


def _by_columns(A: Array) -> bool:
    """Whether the numbers of a column follow each other, rather than those of a row."""
    return abs(A.strides[0]) < abs(A.strides[1])


def _blocks(n_rows: int) -> list[slice]:
    step = max(_ROWS, -(-n_rows // _BLOCKS))
    return [slice(start, start + step) for start in range(0, n_rows, step)] or [slice(0, 0)]


def _run(task: Callable[[Item], None], items: Sequence[Item], work: float) -> None:
    """Call the task with each item, one BLAS thread each; in this thread alone if there is little to do."""
    with one_thread():
        if work < _WORTH_SHARING:
            for item in items:
                task(item)
        else:
            share(task, items)


def _total(parts: list[Array | None]) -> Array:
    total = parts[0]
    assert total is not None
    for part in parts[1:]:
        total += part
    return total
