"""Block Krylov with full orthogonalisation, thick restarts and convergence control.

Randomised range finders keep only the last power of the operator; keeping all of them (block Lanczos [Musco2015])
reaches the same accuracy with a fraction of the products. The thick restart [Wu2000] limits the memory: when the basis
is full, only the wanted Ritz vectors and the newest block are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.machine import one_thread, release_memory
from tacit.operators.base import Operator
from tacit.solve.checkpoint import Checkpoint, fingerprint, next_checkpoint, state_of, with_state
from tacit.solve.eigen.starting_block import starting_block
from tacit.solve.result import Eigenpairs, descending, relative_residuals, signs_of
from tacit.solve.tall_arrays import (
    WELL_CONDITIONED,
    divide,
    factored,
    in_rows,
    inner,
    orthogonalise,
    subtract,
    triangle,
)
from tacit.types import Array

__all__ = ["basis_shape", "block_krylov"]

_SMALL_BASIS = 96  # columns, which are cheap; with fewer, one component would restart after every other block


def block_krylov(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    tol: float = 1e-3,
    max_iter: int = 200,
    block_size: int | None = None,
    basis_size: int | None = None,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of a symmetric operator.

    Parameters
    ----------
    operator : symmetric Operator, n x n
    n_components : number of eigenpairs
    rng : generator of the random start; the same state gives the same result
    tol : maximum relative residual ‖A x − λ x‖ / |λ|
    max_iter : maximum number of products with a block; at least as many as fill the basis with `n_components` vectors
    block_size, basis_size : columns per block, and columns of the basis before a restart, default as in `basis_shape`
    start : n x p vectors to start from, e.g. those of an earlier fit

    Notes
    -----
    Memory: n x basis_size, and n x block_size for the product. Time per iteration: one product of the operator with
    `block_size` columns and 4 n x basis_size x block_size flops for orthogonality.

    A Krylov space contains no more copies of a repeated eigenvalue than its first block has columns. So if that many
    equal values are found above the last wanted one, random columns widen the block, and the search continues.
    """
    n = operator.shape[0]
    wanted = min(n, n_components)
    block, room = basis_shape(n, wanted, block_size)
    keep = wanted + max(block, wanted // 4)
    room = min(n, max(basis_size or room, keep + block))
    space = _Space(operator, starting_block(n, block, operator.dtype, rng, start), room, keep, tol)
    release_memory(n * room * operator.dtype.itemsize)  # that the start took, before the basis takes its own
    least = 1 if start is None else 3  # given vectors may be eigenvectors, but not the leading ones
    n_random, iteration, pace = block, 0, _Pace()
    kept = _SavedSpace(next_checkpoint(), space, rng, pace, n_components=wanted, tol=tol, room=room)
    n_random, least, iteration = kept.resume() or (n_random, least, iteration)
    while True:
        iteration += 1
        space.project()
        enough, whole = space.filled >= wanted, space.filled == n
        settled = False
        is_full = 2 * space.filled - space.done > space.room  # the next block needs a restart, and that Ritz vectors
        if enough and (iteration >= min(pace.due, max_iter) or whole or is_full):
            values, errors = (each[:wanted] for each in space.ritz_pairs())
            relative = relative_residuals(errors, values, tol=tol, size=space.size, eps=space.eps)
            settled = bool((relative <= max(tol, space.eps)).all())
            pace.saw(iteration, float(relative.max()) / max(tol, space.eps))
        hidden = settled and not whole and _may_hide_copies(values, errors + 100 * space.eps * space.size, n_random)
        stop = settled and not hidden and iteration >= least
        if whole or stop or (enough and iteration >= max_iter):
            break
        if hidden:
            n_random, least = n_random + block, iteration + iteration // 2 + 3
        space.grow(block if hidden else 0, rng)
        kept.keep(n_random, least, iteration)
    if whole:  # the basis is as large as the matrix, and LAPACK, which needs no more memory, is exact
        dense = operator.to_dense().astype(np.float64)
        with one_thread():
            values, vectors = descending(*la.eigh((dense + dense.T) / 2), wanted)
        errors = np.linalg.norm(dense @ vectors - vectors * values, axis=0)
        relative = relative_residuals(errors, values, tol=tol, size=space.size, eps=space.eps)
        vectors = vectors.astype(operator.dtype, copy=False)
    else:
        vectors = space.ritz_vectors(wanted)
        vectors *= signs_of(vectors)
    return Eigenpairs(values.astype(operator.dtype), vectors, relative, iteration, "krylov", converged=settled or whole)


def basis_shape(n: int, n_components: int, block_size: int | None = None) -> tuple[int, int]:
    """Return the columns per block, and the columns of the basis before a restart, for vectors of length n.

    Blocks fill whole cache lines in single precision, but are narrow enough for several powers. A hundred values of
    50,000 records to a residual of .01 took 480 columns in blocks of 16, 576 in 32, 768 in 64; a column of 32 takes
    four fifths of the time of one of 16 (docs/decisions/0015).
    """
    block = min(n, block_size or (32 if n_components >= 64 else 16 if n_components >= 24 else 8))
    return block, min(n, max(3 * n_components + 2 * block, _SMALL_BASIS))


class _Space:
    """An orthonormal basis Q of a Krylov space, T = QᵀAQ, and the Ritz pairs in it."""

    def __init__(self, operator: Operator, first: Array, room: int, keep: int, tol: float) -> None:
        n, block = first.shape
        self.operator, self.room, self.keep = operator, room, keep
        self.basis = np.empty((n, room + block), operator.dtype, order="F")
        self.basis[:, :block] = first
        self.projected = np.zeros((room + block, room + block))  # T, always in double precision: it is small
        self.eps = float(np.finfo(operator.dtype).eps)
        # relative to A: a smaller direction is no longer orthogonal enough to the basis for this tol
        self.skew = max(self.eps**0.5, min(0.1, 1e2 * self.eps / max(tol, self.eps)))
        self.done, self.filled, self.size = 0, block, 0.0
        self.near: int | None = None  # see `orthogonalise`

    def project(self) -> None:
        """Multiply the newest block, and separate the new directions of the product."""
        done, filled = self.done, self.filled
        product = self.operator @ self.basis[:, done:filled]
        if np.may_share_memory(product, self.basis):  # an operator may return its argument
            product = product.copy()
        T = orthogonalise(product, self.basis[:, :filled], near=self.near)
        self.projected[:filled, done:filled], self.projected[done:filled, :filled] = T, T.T
        coupling, spread = triangle(product)
        later = spread > WELL_CONDITIONED  # then it is divided while it is copied to the basis
        if not later:
            product, coupling = factored(product)
        sizes = np.square(T, dtype=np.float64).sum(axis=0) + np.square(coupling).sum(axis=0)  # of the product
        self.size = max(self.size, float(np.sqrt(sizes.max())))
        noise = 100 * self.eps * self.size
        if later and np.diag(coupling).min() <= noise:
            divide(product, coupling, product)
            later = False
        self.divisor = coupling if later else None
        self.fresh, self.coupling, self.weakest = _split(product, coupling, noise)

    def ritz_pairs(self) -> tuple[Array, Array]:
        """Return the leading Ritz values, and the errors ‖A x − λ x‖ of their vectors."""
        T = self.projected[: self.filled, : self.filled]
        with one_thread():
            # "evd" for all is faster than "evr" for a third of them
            values, S = la.eigh((T + T.T) / 2, driver="evd", overwrite_a=True, check_finite=False)
        self.values, self.S = values[::-1][: self.keep], S[:, ::-1][:, : self.keep]
        return self.values, np.linalg.norm(self.coupling @ self.S[self.done :], axis=0)

    def grow(self, extra: int, rng: np.random.Generator) -> None:
        """Add the newest directions, random ones in place of vanished ones, and `extra` random ones."""
        n = len(self.basis)
        width = min(self.filled - self.done + extra, n - self.filled)
        n_fresh = min(self.fresh.shape[1], width)
        whole = self.filled + width <= self.room or self.filled <= self.keep
        if not whole:  # keep only the leading Ritz vectors
            self._turn(self.keep)
            self.projected[:] = 0
            np.fill_diagonal(self.projected[: self.keep, : self.keep], self.values)
            self.filled = self.keep
        self.reserve(self.filled + width)
        Q, new = self.basis[:, : self.filled], self.basis[:, self.filled : self.filled + width]
        if self.divisor is None:
            _copy(self.fresh[:, :n_fresh], new)
        else:
            divide(self.fresh, self.divisor, new[:, :n_fresh])
        new[:, n_fresh:] = rng.standard_normal((n, width - n_fresh))
        complete = n_fresh == width == self.fresh.shape[1]
        del self.fresh  # as large as the next product
        if complete and self.weakest > self.eps**0.5 * self.size:
            if self.weakest < self.skew * self.size:
                subtract(new, Q, inner(Q, new))  # so small a change that the lengths stay
        else:
            orthogonalise(new, Q)
            with one_thread():
                new[:] = la.qr(new, mode="economic", check_finite=False)[0]
            orthogonalise(new, Q)
        self.near = self.filled + width - self.done if whole and complete else None
        self.done, self.filled = self.filled, self.filled + width

    def ritz_vectors(self, n_components: int) -> Array:
        """Return the leading Ritz vectors, largest value first; the space cannot be used afterwards."""
        del self.fresh
        self._turn(n_components)
        # the rest of the basis is released at once: with the vectors it would be the peak of memory
        self.basis.resize((len(self.basis), n_components), refcheck=False)
        vectors = np.empty(self.basis.shape, self.basis.dtype)
        _copy(self.basis, vectors)
        return vectors

    def _turn(self, n_components: int) -> None:
        """Replace the first columns of the basis by the leading Ritz vectors."""
        kept = self.S[:, :n_components].astype(self.basis.dtype)

        def turn(rows: slice) -> None:  # in place: a second basis would double the memory
            self.basis[rows, :n_components] = self.basis[rows, : self.filled] @ kept

        in_rows(turn, len(self.basis), 2.0 * len(self.basis) * kept.size)

    def reserve(self, columns: int) -> None:
        """Make room for a wider block."""
        missing = columns - self.basis.shape[1]
        if missing > 0:
            self.basis = np.pad(self.basis, ((0, 0), (0, missing)))
            self.projected = np.pad(self.projected, (0, missing))


class _Pace:
    """When to compute the Ritz pairs next: residuals shrink by about the same factor with each block.

    Computing them takes a fifth of the time of a product, and most of the time they have not converged.
    """

    def __init__(self) -> None:
        self.due, self.seen, self.above = 0, 0, np.inf

    def saw(self, iteration: int, above: float) -> None:
        """Record the largest residual relative to its goal."""
        shrunk = np.log(self.above / above) / (iteration - self.seen) if 0 < above < self.above else 0.0
        ahead = np.log(above) / shrunk if shrunk > 0 and above > 1 else 0.0
        # less than what is ahead: one block too many takes longer than one check too many
        self.due = iteration + int(np.clip(ahead / 2, 1, _UNSEEN))
        self.seen, self.above = iteration, above


_UNSEEN = 2  # maximum blocks between two checks: residuals may shrink slowly at first and much faster later


class _SavedSpace:
    """Writes the space to disk at intervals, if requested, and resumes from there."""

    def __init__(
        self, place: Checkpoint | None, space: _Space, rng: np.random.Generator, pace: _Pace, **facts: Any
    ) -> None:
        self.place, self.space, self.rng, self.pace = place, space, rng, pace
        if place is not None:
            self.problem = fingerprint(space.operator, space.basis[:, : space.filled], **facts)

    def keep(self, *counters: int) -> None:
        """Write the space as it is before the next product, if it is time."""
        if self.place is not None and self.place.is_due():
            space, n = self.space, self.space.filled
            state = {
                "basis": space.basis[:, :n],
                "projected": space.projected[:n, :n],
                "facts": [space.done, n, space.size, space.near],
                "counters": list(counters),
                "pace": [self.pace.due, self.pace.seen, self.pace.above],
                "rng": state_of(self.rng),
            }
            self.place.keep(self.problem, state)

    def resume(self) -> list[int] | None:
        """Restore the space; return the counters of that time, None if nothing was written."""
        state = None if self.place is None else self.place.resume(self.problem)
        if state is None:
            return None
        space = self.space
        space.done, n, space.size, space.near = state["facts"]
        space.reserve(n)
        space.basis[:, :n], space.projected[:n, :n], space.filled = state["basis"], state["projected"], n
        with_state(self.rng, state["rng"])
        self.pace.due, self.pace.seen, self.pace.above = state["pace"]
        return [int(counter) for counter in state["counters"]]


def _copy(columns: Array, into: Array) -> None:
    """Copy columns on all cores: most of the time the system is busy providing the memory."""

    def copy(rows: slice) -> None:
        into[rows, : columns.shape[1]] = columns[rows]

    in_rows(copy, len(into), 8.0 * columns.size)


def _split(U: Array, coupling: Array, noise: float) -> tuple[Array, Array, float]:
    """Leave out noisy directions of an orthonormal U and its coupling; return both and the smallest size left."""
    sizes = np.abs(np.diag(coupling))
    if (sizes <= noise).any():  # the space is nearly invariant in some directions, which are dropped
        left, sizes, right = la.svd(coupling, check_finite=False)
        strong = sizes > noise
        sizes = sizes[strong]
        U, coupling = U @ left[:, strong].astype(U.dtype), sizes[:, None] * right[strong]
    return U, coupling, float(sizes.min(initial=np.inf))


def _may_hide_copies(values: Array, errors: Array, n_random: int) -> bool:
    """Whether an eigenvalue above the last wanted one was found `n_random` times, the most that the space can hold."""
    n_rows = len(values) - n_random
    if n_rows <= 0:
        return False
    first, last = slice(0, n_rows), slice(n_random - 1, n_random - 1 + n_rows)
    together = values[first] - values[last] <= errors[first] + errors[last]
    above = values[last] - values[-1] > errors[last] + errors[-1]
    return bool((together & above).any())
