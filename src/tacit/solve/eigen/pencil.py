"""A x = μ B x where both sides share dear products: the locally optimal block method, with every product made once.

LOBPCG [Knyazev2001] searches in the span of the present vectors, their preconditioned residuals and the last step.
SciPy's needs nine blocks of vectors and multiplies with both matrices apart. Here both sides are made of the same *dear
products* (of the data with a block), which are kept beside the basis and carried along with it, so that each iteration
multiplies the data with the new directions only. Vectors that have converged get no new directions, but stay in the
basis and go on improving. The basis is orthonormal throughout, and grows for some iterations before only the present
vectors and their last step are kept, chosen orthogonal to them [Hetmaniuk2006]: that keeps the method stable in single
precision, and turning the basis costs as much as a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import scipy.linalg as la

from tacit.machine import one_thread
from tacit.solve.checkpoint import Checkpoint, fingerprint, next_checkpoint
from tacit.solve.result import Eigenpairs, relative_residuals, signs_of
from tacit.solve.tall_arrays import factored, in_rows, lengths, subtract, times
from tacit.solve.tall_arrays import inner as inner_products
from tacit.types import Array

__all__ = ["Pencil", "columns_for", "pencil_eigenpairs"]

_COLUMNS = 32  # columns that are multiplied at the same time, at most
_LOOKED_AT = 32  # vectors whose residuals are held at the same time, at most
# Vectors that get new directions in an iteration, or a fifth of all if that is more: some at a time take hardly more
# products than all together, and far less memory. A product of 20 columns takes as long as one of 32 (200,000 records,
# 100 classes: 11 iterations and 4.4 s with 32, 16 and 6.7 s with 20).
_FEWEST = 32
_BLOCKS = 4  # of new directions that the basis has room for
_LITTLE = 2**26  # bytes that a search may take in any case


class Pencil(Protocol):
    """Symmetric A and B = shift·I + C − G Gᵀ, B positive definite, by what a product with the data gives."""

    shape: tuple[int, int]
    dtype: np.dtype
    shift: float
    low_rank: Array | None  # G
    n_bytes: int  # size of the data, beside which the memory of the search is small or not

    def products(self, S: Array) -> Sequence[Array]:
        """Give the dear products of a block: A S, and C S unless C is A."""


def pencil_eigenpairs(
    pencil: Pencil,
    n_components: int,
    *,
    start: Array | Iterable[Array],
    precondition: Callable[[Array], Array],
    tol: float = 1e-3,
    max_iter: int = 200,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of A x = μ B x.

    Parameters
    ----------
    pencil : the two sides
    n_components : how many eigenpairs, at most the columns of `start`
    start : n x p vectors whose span the search begins with, p at least n_components, or blocks of them one by one
    precondition : applies something like B⁻¹ to a block, which it may change
    tol : largest relative residual ‖A x − μ B x‖ / (μ ‖B x‖)
    max_iter : most iterations

    Returns
    -------
    Eigenpairs : the vectors have xᵀ B x = 1
    """
    room, most = columns_for(n_components, pencil.shape[0] * pencil.dtype.itemsize, pencil.n_bytes)
    basis = _Basis(pencil, start, room=room, at_once=_COLUMNS if most >= _COLUMNS else _COLUMNS // 2)
    del start
    basis.begin()
    goal = max(tol, float(np.finfo(pencil.dtype).eps))
    kept = _Kept(next_checkpoint(), basis, n_components=n_components, tol=tol)
    relative, iterations = kept.resume() or (np.empty(0), 0)
    while True:
        values, inner = basis.ritz(n_components)
        last = iterations >= max_iter
        if last or len(relative) != len(values):
            relative = np.full(len(values), np.inf)
        going, directions = basis.residuals(values, inner, tol, relative, len(values) if last else most)
        if not going.size or last:
            break
        iterations += 1
        directions = precondition(directions)
        if not basis.advance(inner, going, directions):  # nothing new to search in: rounding has the last word
            max_iter = iterations
        del directions
        kept.keep(relative, iterations)
    vectors = basis.combined(inner)
    vectors *= signs_of(vectors)
    converged = bool((relative <= goal).all())
    return Eigenpairs(values.astype(pencil.dtype), vectors, relative, iterations, "lobpcg", converged=converged)


def columns_for(n_components: int, column_bytes: int, n_bytes: int) -> tuple[int, int]:
    """How many columns the basis has room for, and how many vectors get new directions in an iteration.

    Fewer of both where the search would take more memory than the data, and enough to speak of.

    Parameters
    ----------
    n_components : how many eigenpairs
    column_bytes : memory of a vector
    n_bytes : size of the data
    """
    most = max(_FEWEST, n_components // 5)
    room = n_components + _BLOCKS * most
    if (2 * room + 4 * most) * column_bytes > max(n_bytes, _LITTLE):
        most = max(_FEWEST // 2, n_components // 80 * 16)  # a fifth, in whole lines, which products take as they are
        room = n_components + 2 * most  # the last step and the new directions, and turned every time
    return room, most


class _Basis:
    """An orthonormal basis Q, its dear products, and what the sides are in it: QᵀAQ, QᵀCQ, GᵀQ.

    Q and the products are the largest arrays there are, so they are written in place, and the rest is done a few
    columns at a time.
    """

    def __init__(self, pencil: Pencil, start: Array | Iterable[Array], *, room: int, at_once: int = _COLUMNS) -> None:
        self.pencil, self.n_old, self.width, self.room, self.at_once = pencil, 0, 0, room, at_once
        # the basis and its dear products; memory of columns that are never written is never taken
        self.store = [np.empty((pencil.shape[0], room), pencil.dtype, order="F")]
        self.A = self.C = np.empty((0, 0))
        self.bridges = np.empty((0 if pencil.low_rank is None else pencil.low_rank.shape[1], 0))
        for block in [start] if isinstance(start, np.ndarray) else start:
            columns = slice(self.width, self.width + block.shape[1])
            self.width = columns.stop
            self._put(0, columns, block)

    def begin(self) -> None:
        """Make the start orthonormal, where it is, and multiply it."""
        fresh = _orthonormal(self.Q)
        self.width = 0
        self.add(fresh)

    @property
    def Q(self) -> Array:
        """The basis."""
        return self.store[0][:, : self.width]

    @property
    def B(self) -> Array:
        """QᵀBQ."""
        return np.asarray(self.pencil.shift * np.eye(self.width) + self.C - self.bridges.T @ self.bridges)

    def ritz(self, n_components: int) -> tuple[Array, Array]:
        """Give the leading Ritz values and the vectors' coefficients in the basis."""
        with one_thread():
            values, inner = la.eigh(self.A, self.B)
        return values[::-1][:n_components], inner[:, ::-1][:, :n_components]

    def residuals(self, values: Array, inner: Array, tol: float, relative: Array, most: int) -> tuple[Array, Array]:
        """Look for `most` Ritz vectors that have not converged; give which they are, and their A x − μ B x.

        `relative` holds the residuals as they were seen last, infinite at first, and is written. Those that were above
        the tolerance are looked at first, leading ones before others, and no more than needed: a look at one costs as
        much as its share in the product.
        """
        goal = max(tol, float(np.finfo(self.pencil.dtype).eps))
        kept = np.empty((len(self.Q), min(most, len(values))), self.pencil.dtype, order="F")
        going: list[int] = []
        order = np.argsort(relative <= goal, kind="stable")
        for part in _chunks(0, len(values), min(_LOOKED_AT, self.at_once)):
            if len(going) == kept.shape[1] or (going and relative[order[part]].max() <= goal):
                break
            columns = order[part]
            errors = self._errors(values, inner, columns, tol, relative)
            chosen = np.flatnonzero(relative[columns] > goal)[: kept.shape[1] - len(going)]
            kept[:, len(going) : len(going) + chosen.size] = errors[:, chosen]
            going.extend(columns[chosen].tolist())
        return np.array(going, dtype=int), kept[:, : len(going)]

    def _errors(self, values: Array, inner: Array, columns: Array, tol: float, relative: Array) -> Array:
        """Give A x − μ B x of some Ritz vectors, and write their relative sizes down."""
        eps, size = float(np.finfo(self.pencil.dtype).eps), float(np.abs(values).max(initial=0))
        other, *dear = (self._combine(each, inner[:, columns]) for each in self.store)
        one, G = dear[0], self.pencil.low_rank
        other *= other.dtype.type(self.pencil.shift)
        other += dear[-1]
        if G is not None:
            subtract(other, G, (self.bridges @ inner[:, columns]).astype(G.dtype))
        weights = lengths(other)
        other *= values[columns].astype(other.dtype)
        one -= other
        relative[columns] = relative_residuals(
            lengths(one), values[columns], tol=tol, size=size, eps=eps, weights=weights
        )
        return one

    def advance(self, inner: Array, going: Array, directions: Array) -> bool:
        """Add new directions, which are used up; False if none is new.

        Where they have no room, the basis is turned into [Ritz vectors, their last step] first.
        """
        if self.width + directions.shape[1] > self.room:
            present, last = _steps(inner, going, self.n_old)
            self._turn(np.hstack([present, last]))
            self.n_old = present.shape[1]
        fresh = _outside(directions, self.Q)
        if fresh.shape[1]:
            self.add(fresh)
        return bool(fresh.shape[1])

    def _turn(self, turned: Array) -> None:
        for each in self.store:
            _turn(each[:, : self.width], turned.astype(each.dtype))
        self.width, self.bridges = turned.shape[1], self.bridges @ turned
        self.A, self.C = turned.T @ self.A @ turned, turned.T @ self.C @ turned

    def combined(self, inner: Array) -> Array:
        """Give the vectors with these coefficients; the basis is used up."""
        del self.store[1:]
        return self._combine(self.store.pop(), inner)

    def _combine(self, stored: Array, inner: Array) -> Array:
        return times(stored[:, : self.width], inner.astype(stored.dtype))

    def add(self, fresh: Array) -> None:
        """Multiply new directions, put them at the end, and see what the sides are in them."""
        old, self.width = self.width, self.width + fresh.shape[1]
        for part in _chunks(old, self.width, self.at_once):
            block = fresh[:, part.start - old : part.stop - old]
            for number, each in enumerate((block, *self.pencil.products(block))):
                self._put(number, part, each)
        new = slice(old, self.width)
        self.A = _with_more(self.A, inner_products(self.Q, self.store[1][:, new]))
        self.C = self.A if len(self.store) == 2 else _with_more(self.C, inner_products(self.Q, self.store[2][:, new]))
        G = self.pencil.low_rank
        more = np.empty((0, fresh.shape[1])) if G is None else inner_products(G, self.Q[:, new])
        self.bridges = np.hstack([self.bridges, more])

    def _put(self, number: int, columns: slice, block: Array) -> None:
        """Write a block of the basis (0) or of its dear products, behind the columns that are filled."""
        if number == len(self.store):
            self.store.append(np.empty(self.store[0].shape, block.dtype, order="F"))
        if self.store[number].shape[1] < self.width:
            wider = np.empty((len(block), 2 * self.width), block.dtype, order="F")
            wider[:, : columns.start] = self.store[number][:, : columns.start]
            self.store[number] = wider
        self.store[number][:, columns] = block


class _Kept:
    """Keeps a basis on disk now and then, if that is wanted, and takes it up again."""

    def __init__(self, place: Checkpoint | None, basis: _Basis, **facts: Any) -> None:
        self.place, self.basis = place, basis
        if place is not None:
            self.problem = fingerprint(basis.pencil, basis.Q, traces=[np.trace(basis.A), np.trace(basis.B)], **facts)

    def keep(self, relative: Array, iterations: int) -> None:
        """Write down the basis as it is before the next look at it, if it is time."""
        if self.place is None or not self.place.is_due():
            return
        basis = self.basis
        arrays = {f"store {i}": each[:, : basis.width] for i, each in enumerate(basis.store)}
        sides = {"A": basis.A, "C": basis.C, "bridges": basis.bridges, "relative": relative}
        self.place.keep(self.problem, {**arrays, **sides, "n_old": basis.n_old, "iterations": iterations})

    def resume(self) -> tuple[Array, int] | None:
        """Put the basis where it was; give the residuals and iterations of then, None if nothing was kept."""
        state = None if self.place is None else self.place.resume(self.problem)
        if state is None:
            return None
        basis = self.basis
        basis.A, basis.C, basis.bridges = state["A"], state["C"], state["bridges"]
        basis.n_old, basis.width = state["n_old"], len(basis.A)
        for number in range(len(basis.store)):
            basis._put(number, slice(0, basis.width), state[f"store {number}"])
        return state["relative"], state["iterations"]


def _chunks(start: int, stop: int, width: int) -> Iterator[slice]:
    for first in range(start, stop, width):
        yield slice(first, min(stop, first + width))


def _with_more(projected: Array, columns: Array) -> Array:
    """Add columns to a symmetric matrix, and the rows that go with them, in double precision."""
    old, width = len(projected), len(columns)
    wider = np.zeros((width, width))
    wider[:old, :old], wider[:, old:], wider[old:, :old] = projected, columns, columns[:old].T
    return np.asarray((wider + wider.T) / 2)


def _steps(inner: Array, going: Array, n_old: int) -> tuple[Array, Array]:
    """Coefficients of an orthonormal basis of the Ritz vectors, and of the last step orthogonal to them.

    The last step is what the Ritz vectors have beyond the span that the present ones of before had, the first `n_old`
    columns of the basis; at the start there is none.
    """
    present = la.qr(inner, mode="economic")[0]
    if n_old == 0:
        return present, np.empty((len(inner), 0))
    last = inner[:, going].copy()
    last[:n_old] = 0
    return present, _outside(last, present)


def _outside(block: Array, Q: Array) -> Array:
    """Give an orthonormal basis of what the block has outside the span of Q, noise left out; the block is used up."""
    eps = float(np.finfo(block.dtype).eps)
    sizes = lengths(block)
    block /= np.where(sizes > 0, sizes, 1).astype(block.dtype)
    subtract(block, Q, inner_products(Q, block))
    new = lengths(block) > 100 * eps
    fresh = _orthonormal(block if new.all() else block[:, new])
    if fresh.shape[1]:
        subtract(fresh, Q, inner_products(Q, fresh))  # columns that were short have brought some of Q back
    return _orthonormal(fresh)


def _orthonormal(block: Array) -> Array:
    """Give an orthonormal basis of the columns, without directions that are rounding beside the others."""
    if not block.shape[1]:
        return block
    Q, R = factored(block)
    sizes = np.abs(np.diag(R))
    noise = 100 * float(np.finfo(block.dtype).eps) * max(float(sizes.max()), float(np.finfo(block.dtype).tiny))
    if (sizes > noise).all():
        return Q
    left, sizes, _ = la.svd(R, full_matrices=False)
    return np.asarray(Q @ left[:, sizes > noise].astype(Q.dtype))


def _turn(block: Array, coefficients: Array) -> None:
    """block[:, :m] = block @ coefficients, in place, a few rows at a time: a second basis would double the memory."""
    width = coefficients.shape[1]

    def turn(rows: slice) -> None:
        block[rows, :width] = block[rows] @ coefficients

    in_rows(turn, len(block), 2.0 * block.size * width)
