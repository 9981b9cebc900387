"""Block Krylov with full orthogonalisation, thick restarts and convergence control.

The range finder of randomised methods throws the powers of the operator away and keeps the last; keeping all of them (block
Lanczos [Musco2015]) reaches the same accuracy with a fraction of the products. The thick restart [Wu2000] bounds the memory:
when the basis is full, the wanted Ritz vectors and the newest block stay, the rest goes.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from tacit.operators.base import Array, Operator
from tacit.solve.result import Eigenpairs
from tacit.solve.signs import descending

__all__ = ["block_krylov"]


def block_krylov(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_iter: int = 200,
    block_size: int | None = None,
    basis_size: int | None = None,
    start: Array | None = None,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of a symmetric operator.

    Parameters
    ----------
    operator : symmetric Operator, n x n
    n_components : how many eigenpairs
    rng : where the random start comes from; the same generator state gives the same answer
    tol : largest relative residual ‖A x − λ x‖ / |λ| that counts as converged
    max_iter : most passes of the operator over a block
    block_size : columns a block, default between 8 and 48, by `n_components`
    basis_size : most columns in the basis before a restart, default 3 n_components + 2 blocks
    start : n x p vectors to start from, e.g. those of an earlier fit

    Notes
    -----
    Memory: n x basis_size, and n x block_size for the product. Time: one product of the operator with `block_size`
    columns and 4 n x basis_size x block_size flops for orthogonality, an iteration.
    """
    n = operator.shape[0]
    n_start = 0 if start is None else start.shape[1]
    block = min(n, block_size or max(int(np.clip(n_components // 2, 8, 48)), min(n_start, n_components)))
    room = min(n, basis_size or 3 * n_components + 2 * block)
    basis = np.empty((n, room + block), operator.dtype, order="F")
    basis[:, :block] = _start_block(operator, block, rng, start)
    projected = np.zeros((room + block, room + block))  # T = QᵀAQ, always in double precision: it is small
    done, filled = 0, block
    for iteration in range(1, max_iter + 1):
        W = operator @ basis[:, done:filled]
        T = _orthogonalise(W, basis[:, :filled])
        projected[:filled, done:filled], projected[done:filled, :filled] = T, T.T
        width = min(block, n - filled)
        values, S = la.eigh((projected[:filled, :filled] + projected[:filled, :filled].T) / 2)
        fresh, coupling = _orthonormal(W, basis[:, :filled], width, float(np.abs(values).max()), rng)
        keep = min(n_components, filled)
        residuals = np.linalg.norm(coupling @ S[done:filled, ::-1][:, :keep], axis=0)
        relative = residuals / _scales(values[::-1][:keep], operator.dtype)
        enough = filled >= min(n_components, n)
        if (enough and (relative <= tol).all()) or width == 0 or iteration == max_iter:
            break
        if filled + width > room:  # thick restart
            keep = min(filled, n_components + max(block, n_components // 4))
            kept = S[:, ::-1][:, :keep].astype(basis.dtype)
            for rows in _row_slices(n, keep):  # in place: a second basis would double the memory
                basis[rows, :keep] = basis[rows, :filled] @ kept
            projected[:] = 0
            projected[np.arange(keep), np.arange(keep)] = values[::-1][:keep]
            filled = keep
        basis[:, filled : filled + width] = fresh
        done, filled = filled, filled + width
    top_values, top = descending(values, S, n_components)
    vectors = basis[:, :filled] @ top.astype(basis.dtype)
    top_values, vectors = descending(top_values, vectors)
    converged = bool(enough and (relative <= tol).all()) or width == 0
    return Eigenpairs(top_values.astype(basis.dtype), vectors, relative, iteration, "krylov", converged=converged)


def _start_block(operator: Operator, block: int, rng: np.random.Generator, start: Array | None) -> Array:
    """Give an orthonormal block: random, with the directions of `start` mixed in if there are any."""
    V = rng.standard_normal((operator.shape[0], block)).astype(operator.dtype)
    if start is not None and 0 < start.shape[1] <= block:
        V[:, : start.shape[1]] = start
    elif start is not None and start.shape[1] > block:
        V = (start @ rng.standard_normal((start.shape[1], block))).astype(operator.dtype)
    return np.asarray(la.qr(V, mode="economic", overwrite_a=True, check_finite=False)[0])


def _orthogonalise(W: Array, Q: Array) -> Array:
    """Take the span of Q out of W, in place, twice (once leaves rounding behind); give QᵀW as it was."""
    first = Q.T @ W
    W -= Q @ first
    second = Q.T @ W
    W -= Q @ second
    return np.asarray(first + second)


def _orthonormal(W: Array, Q: Array, width: int, scale: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Split W = fresh · coupling with orthonormal `fresh`, at most `width` columns wide, orthogonal to Q; `scale` is the size of A."""
    if width == 0:
        return W[:, :0], np.zeros((1, W.shape[1]))
    U, coupling = la.qr(W, mode="economic", check_finite=False)
    sizes = np.abs(np.diag(coupling))
    weak = sizes <= 100 * np.finfo(W.dtype).eps * max(scale, np.finfo(W.dtype).tiny)
    coupling = coupling.astype(np.float64)
    if weak.any():  # the space is invariant in some directions: go on with new random ones
        U[:, weak] = rng.standard_normal((W.shape[0], int(weak.sum())))
        coupling[weak] = 0
        _orthogonalise(U, Q)
        U = la.qr(U, mode="economic", check_finite=False)[0]
    return U[:, :width], coupling[:width]


def _scales(values: Array, dtype: np.dtype) -> Array:
    """What a residual is measured against: its eigenvalue, but no less than what rounding leaves of the largest one."""
    floor = float(np.abs(values).max(initial=0)) * np.finfo(dtype).eps * 1e3
    return np.asarray(np.maximum(np.abs(values), max(floor, np.finfo(dtype).tiny)))


def _row_slices(n_rows: int, width: int) -> list[slice]:
    step = max(1, 2**22 // max(1, width))
    return [slice(start, min(n_rows, start + step)) for start in range(0, n_rows, step)]
