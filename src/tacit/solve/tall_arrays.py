"""Products and factorisations of tall dense arrays (many rows, few columns), by blocks of rows on all cores.

The threads of a matrix library wait for each other at the end of every product by spinning: on a busy machine one such
product can take a hundred times as long. Here each block of rows is a product of its own in one thread, and a thread
that is done takes the next block. The blocks, and the order in which their results are added, depend on the number of
rows only, so the result is the same on any machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

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

_ROWS = 1024  # of a basis of a few hundred vectors, which stay in the cache of a core between two products
_BLOCKS = 128  # at most: each has a sum of its own until all are done
_ROUNDING = 4.0  # units in the last place of the projection that was removed; a smaller remainder is rounding
_WORTH_SHARING = 5e6  # floating-point operations, about a tenth of a millisecond


def in_rows(task: Callable[[slice], None], n_rows: int, work: float) -> None:
    """Call the task with each block of rows, with one BLAS thread each; in this thread only if there is little work.

    `work` is the total number of floating-point operations.
    """
    step = max(_ROWS, -(-n_rows // _BLOCKS))
    blocks = [slice(start, start + step) for start in range(0, n_rows, step)] or [slice(0, 0)]
    with one_thread():
        if work < _WORTH_SHARING:
            for rows in blocks:
                task(rows)
        else:
            share(task, blocks)


def times(A: Array, B: Array) -> Array:
    """Return A B, for a tall A, in the memory order of A."""
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
    """Return Aᵀ B, for tall A and B."""
    return _sum_over_rows(lambda rows: A[rows].T @ B[rows], len(A), 2.0 * A.size * B.shape[1])


def lengths(A: Array) -> Array:
    """Return ‖a‖ of each column of a tall A, summed in double precision."""

    def squares(rows: slice) -> Array:
        return np.einsum("ij,ij->j", A[rows], A[rows]).astype(np.float64)

    return np.asarray(np.sqrt(_sum_over_rows(squares, len(A), 2.0 * A.size)))


def subtract(W: Array, Q: Array, C: Array) -> None:
    """W −= Q C, in place."""
    in_rows(lambda rows: _subtract(W[rows], Q[rows], C), len(W), 2.0 * Q.size * C.shape[1])


def _subtract(W: Array, Q: Array, C: Array) -> None:
    if _by_columns(W):  # in the memory order of W: the other one takes a quarter longer
        W.T[:] -= C.T @ Q.T
    else:
        W -= Q @ C


def orthogonalise(W: Array, Q: Array, *, near: int | None = None) -> Array:
    """Make W orthogonal to Q, in place and in two steps, as one leaves rounding errors; return QᵀW of before.

    `near` says that nearly all that W has in common with Q is in so many columns at the end of Q, as it is in the last
    two blocks of a Krylov space: then the first step uses these only, and the second leaves no more than otherwise.
    """
    n_far = 0 if near is None else max(0, Q.shape[1] - near)
    close = Q[:, n_far:]
    first = inner(close, W)

    def again(rows: slice) -> Array:
        _subtract(W[rows], close[rows], first)
        return Q[rows].T @ W[rows]  # while these rows of Q are in the cache

    second = _sum_over_rows(again, len(W), 2.0 * (Q.size + close.size) * W.shape[1])
    if np.abs(second).max(initial=0) > _ROUNDING * np.finfo(W.dtype).eps * np.abs(first).max(initial=0):
        subtract(W, Q, second)
    second[n_far:] += first
    return np.asarray(second)


def factored(R: Array) -> tuple[Array, Array]:
    """Return Q and S with R = Q S, Q orthonormal and S upper triangular in double precision; R is overwritten.

    By Cholesky of RᵀR, twice if R is not well conditioned: this uses all cores and takes a fraction of the time of
    Householder's QR, which is used if the columns of R are nearly dependent.
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


_DEPENDENT = 1e-5  # reciprocal condition number below which Householder is needed, as Cholesky squares it
WELL_CONDITIONED = 0.05  # reciprocal condition number above which one division makes Q orthonormal up to rounding


def triangle(R: Array) -> tuple[Array, float]:
    """Return upper triangular S with SᵀS = RᵀR, in double precision, and its reciprocal condition number (0: none)."""

    def gram(rows: slice) -> Array:
        block = R[rows].astype(np.float64)
        return block.T @ block

    with one_thread():
        square = _sum_over_rows(gram, len(R), 2.0 * R.size * R.shape[1])
        S, fault = la.lapack.dpotrf(square, lower=0, clean=1)
        return S, 0.0 if fault else float(la.lapack.dtrcon(S)[0])


def divide(R: Array, S: Array, into: Array) -> None:
    """Write the first columns of R S⁻¹, for an upper triangular S, to `into`, which may be R itself.

    By the inverse, as a product is three times as fast as a triangular solve.
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


def _by_columns(A: Array) -> bool:
    """Whether columns, rather than rows, are contiguous."""
    return abs(A.strides[0]) < abs(A.strides[1])


def _sum_over_rows(task: Callable[[slice], Array], n_rows: int, work: float) -> Array:
    """Return the sum of the results of a task for each block of rows, added in the order of the blocks."""
    parts: dict[int, Array] = {}

    def fill(rows: slice) -> None:
        parts[rows.start] = task(rows)

    in_rows(fill, n_rows, work)
    total, *others = (parts[start] for start in sorted(parts))
    for part in others:
        total += part
    return np.asarray(total)
