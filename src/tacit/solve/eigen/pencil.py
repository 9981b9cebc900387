"""A x = μ B x if both sides share expensive products: the locally optimal block method, with every product made once.

LOBPCG [Knyazev2001] searches in the span of the present vectors, their preconditioned residuals and the last step.
SciPy's needs nine blocks of vectors and multiplies with both matrices separately. Here both sides are made of the same
products of the data with a block, which are stored with the basis and updated with it, so that each iteration
multiplies the data with the new directions only. Vectors that have converged get no new directions, but stay in the
basis and continue to improve. Of the others, those with the largest residuals get them first, so that a search with a
smaller tolerance goes the same way further. The basis is orthonormal throughout, and grows for some iterations before
only the present vectors and their last step, chosen orthogonal to them [Hetmaniuk2006], are kept: this keeps the method
stable in single precision, and reducing the basis takes as long as a product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
import scipy.linalg as la

from tacit.machine import one_thread
from tacit.operators.base import Operator
from tacit.solve.checkpoint import Checkpoint, fingerprint, next_checkpoint
from tacit.solve.eigen.starting_block import N_RANDOM, starting_block
from tacit.solve.result import Eigenpairs, relative_residuals, signs_of
from tacit.solve.tall_arrays import factored, in_rows, lengths, orthogonalise, subtract, times
from tacit.solve.tall_arrays import inner as inner_products
from tacit.types import Array

__all__ = ["Pencil", "columns_for", "pencil_eigenpairs", "searched_eigenpairs"]

_COLUMNS = 32  # maximum number of columns in one product
_LOOKED_AT = 32  # maximum number of vectors whose residuals are in memory at the same time
# Vectors that get new directions in an iteration, or a fifth of all if that is more: a few at a time need hardly more
# products than all together, and far less memory. A product with 20 columns takes as long as one with 32 (200,000
# records, 100 classes: 11 iterations and 4.4 s with 32, 16 and 6.7 s with 20).
_FEWEST = 32
_SPARE = 32  # further vectors that stay in the basis when it is reduced: without them one of the last may be missed
_BLOCKS = 4  # of new directions, for which the basis has room
_LITTLE = 2**26  # bytes that a search may always take
_NEAR_ROUNDING = 100.0  # units in the last place of the terms of a residual, below which rounding may hold it
_PATIENCE = 8  # times that such a vector gets new directions without getting better by a tenth


class Pencil(Protocol):
    """Symmetric A and B = shift·I + C − G Gᵀ, B positive definite, given by products with the data."""

    shape: tuple[int, int]
    dtype: np.dtype
    shift: float
    low_rank: Array | None  # G
    n_bytes: int  # size of the data, which limits the memory of the search

    def products(self, S: Array) -> Sequence[Array]:
        """Return the products with a block: A S, and C S unless C is A."""


def pencil_eigenpairs(
    pencil: Pencil,
    n_components: int,
    *,
    start: Array | Iterable[Array],
    precondition: Callable[[Array], Array],
    tol: float = 1e-3,
    max_iter: int = 200,
) -> Eigenpairs:
    """Return the algebraically largest eigenpairs of A x = μ B x.

    Parameters
    ----------
    pencil : the two sides
    n_components : number of eigenpairs, at most the columns of `start`
    start : n x p vectors in whose span the search begins, p at least n_components, or an iterable of blocks of them
    precondition : applies an approximate B⁻¹ to a block, which it may overwrite
    tol : maximum relative residual ‖A x − μ B x‖ / (μ ‖B x‖)
    max_iter : maximum number of iterations

    Returns
    -------
    Eigenpairs : the vectors have xᵀ B x = 1

    Notes
    -----
    The search ends, not converged, when rounding holds all residuals that are above `tol`.
    """
    room, most = columns_for(n_components, pencil.shape[0] * pencil.dtype.itemsize, pencil.n_bytes)
    is_roomy = room > n_components + 2 * most
    basis = _Basis(pencil, start, room=room, at_once=_COLUMNS if is_roomy else _COLUMNS // 2)
    del start
    basis.begin()
    state = _Progress.begin(min(n_components, basis.width), max(tol, float(np.finfo(pencil.dtype).eps)))
    kept = _SavedBasis(next_checkpoint(), basis, n_components=n_components, tol=tol)
    state, iterations = kept.resume(state)
    while True:
        with one_thread():
            values, inner = la.eigh(basis.A, basis.B)
        present = inner[:, ::-1][:, : max(n_components, min(n_components + _SPARE, room - 2 * most))]
        values, inner = values[::-1][:n_components], present[:, :n_components]
        last = iterations >= max_iter
        if last or len(values) != len(state.relative):
            state = _Progress.begin(len(values), state.goal)
        going, directions = basis.residuals(values, inner, tol, state, len(values) if last else most)
        if not going.size or last:
            break
        iterations += 1
        directions = precondition(directions)
        if not basis.advance(present, going, directions):  # no new directions: rounding prevents further progress
            max_iter = iterations
        del directions
        kept.keep(state, iterations)
    vectors = basis.combined(inner)
    vectors *= signs_of(vectors)
    converged = bool((state.relative <= state.goal).all())
    return Eigenpairs(values.astype(pencil.dtype), vectors, state.relative, iterations, "lobpcg", converged=converged)


def searched_eigenpairs(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    precondition: Callable[[Array], Array],
    tol: float = 1e-3,
    max_iter: int = 200,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Return the largest eigenpairs of one positive semi-definite operator A, with a preconditioner.

    For leading eigenvalues that are close together and far from the smallest, where Krylov methods are slow.

    Parameters
    ----------
    operator : symmetric positive semi-definite Operator A
    n_components : number of eigenpairs
    rng : generator of the random start
    precondition : applies an approximate (c I − A)⁻¹ to a block, c near the largest eigenvalues
    tol : maximum relative residual ‖A x − λ x‖ / λ
    max_iter : maximum number of iterations
    start : n x p vectors to start from

    Notes
    -----
    A x = μ (s I + A) x has the same eigenvectors, with μ = λ / (s + λ), and needs one product.
    """
    n, spare = operator.shape[0], max(N_RANDOM, n_components // 10)  # the last ones of a block converge last
    block = starting_block(n, min(n, n_components + spare), operator.dtype, rng, start)
    pencil = _Shifted(operator, 2 * _size(operator, block[:, :1]))
    found = pencil_eigenpairs(
        pencil, min(n, n_components), start=block, precondition=precondition, tol=tol / 2, max_iter=max_iter
    )
    shift = pencil.shift
    values = shift * found.values / (1 - found.values)
    vectors = found.vectors * np.sqrt(shift + values)
    residuals = found.residuals * (shift + values) / shift
    return replace(found, values=values, vectors=vectors, residuals=residuals)


def _size(operator: Operator, vector: Array) -> float:
    """Return a lower bound of the largest eigenvalue, by a few powers."""
    for _ in range(5):
        vector = np.asarray(operator @ vector)
        size = float(np.linalg.norm(vector))
        vector = vector / (size or 1.0)
    return size


class _Shifted:
    """The pencil of A and s I + A; s is not below the largest eigenvalue of A, so that half of `tol` is enough."""

    low_rank: Array | None = None

    def __init__(self, operator: Operator, size: float) -> None:
        self.operator, self.shape, self.dtype = operator, operator.shape, operator.dtype
        self.shift, self.n_bytes = size or 1.0, operator.n_bytes

    def products(self, S: Array) -> list[Array]:
        """Return A S."""
        return [np.asarray(self.operator @ S)]


def columns_for(n_components: int, column_bytes: int, n_bytes: int) -> tuple[int, int]:
    """Return the maximum columns of the basis, and the number of vectors that get new directions in an iteration.

    Both are smaller if the search would take more memory than the data (`n_bytes`), or half as much again with room for
    two blocks only, and more than a small amount.
    `column_bytes` is the memory of a vector.
    """
    most = max(_FEWEST, n_components // 5)
    for room, share in ((n_components + _SPARE + _BLOCKS * most, n_bytes), (n_components + 2 * most, 1.5 * n_bytes)):
        if (2 * room + 4 * most) * column_bytes <= max(share, _LITTLE):
            return room, most
    most = max(_FEWEST // 2, n_components // 80 * 16)  # a fifth, in whole cache lines, which products need not pad
    return n_components + 2 * most, most  # the last step and the new directions; reduced in every iteration


class _Basis:
    """An orthonormal basis Q, its products with the data, and the projections QᵀAQ, QᵀCQ, GᵀQ.

    Q and the products are the largest arrays, so they are updated in place, and everything else is done a few columns
    at a time.
    """

    def __init__(self, pencil: Pencil, start: Array | Iterable[Array], *, room: int, at_once: int = _COLUMNS) -> None:
        self.pencil, self.n_old, self.width, self.room, self.at_once = pencil, 0, 0, room, at_once
        # the basis and its products; columns that are never written take no memory
        self.store = [np.empty((pencil.shape[0], room), pencil.dtype, order="F")]
        self.A = self.C = np.empty((0, 0))
        self.bridges = np.empty((0 if pencil.low_rank is None else pencil.low_rank.shape[1], 0))
        for block in [start] if isinstance(start, np.ndarray) else start:
            columns = slice(self.width, self.width + block.shape[1])
            self.width = columns.stop
            self._put(0, columns, block)

    def begin(self) -> None:
        """Make the start orthonormal, in place, and multiply it."""
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

    def residuals(self, values: Array, inner: Array, tol: float, state: _Progress, most: int) -> tuple[Array, Array]:
        """Find at most `most` Ritz vectors that have not converged; return their positions, and their A x − μ B x.

        The residuals in `state` are updated. Those that were largest are computed first, and only as many as needed:
        each takes as long as its share in the product.
        """
        kept = np.empty((len(self.Q), min(most, len(values))), self.pencil.dtype, order="F")
        going: list[int] = []
        order = np.argsort(-np.where(state.is_held, 0.0, state.relative), kind="stable")
        for part in _chunks(0, len(values), min(_LOOKED_AT, self.at_once)):
            if len(going) == kept.shape[1] or (going and not state.is_open(order[part]).any()):
                break
            columns = order[part]
            errors = self._errors(values, inner, columns, tol, state)
            chosen = np.flatnonzero(state.is_open(columns))[: kept.shape[1] - len(going)]
            kept[:, len(going) : len(going) + chosen.size] = errors[:, chosen]
            going.extend(columns[chosen].tolist())
        state.helped[:] = False
        state.helped[going] = True
        return np.array(going, dtype=int), kept[:, : len(going)]

    def _errors(self, values: Array, inner: Array, columns: Array, tol: float, state: _Progress) -> Array:
        """Return A x − μ B x of some Ritz vectors, and note their relative sizes, and those of rounding."""
        eps, size = float(np.finfo(self.pencil.dtype).eps), float(np.abs(values).max(initial=0))
        other, *products = (self._combine(each, inner[:, columns]) for each in self.store)
        one, G = products[0], self.pencil.low_rank
        other *= other.dtype.type(self.pencil.shift)
        other += products[-1]
        terms = lengths(other)
        if G is not None:
            subtract(other, G, (self.bridges @ inner[:, columns]).astype(G.dtype))
        weights = lengths(other)
        rounding = eps * terms / np.maximum(weights, np.finfo(np.float32).tiny)
        other *= values[columns].astype(other.dtype)
        one -= other
        relative = relative_residuals(lengths(one), values[columns], tol=tol, size=size, eps=eps, weights=weights)
        state.saw(columns, relative, _NEAR_ROUNDING * rounding)
        return one

    def advance(self, inner: Array, going: Array, directions: Array) -> bool:
        """Add new directions, which are overwritten; return False if none is new.

        If there is no room for them, the basis is first reduced to [Ritz vectors, their last step].
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
        """Return the vectors with these coefficients; the basis cannot be used afterwards."""
        del self.store[1:]
        return self._combine(self.store.pop(), inner)

    def _combine(self, stored: Array, inner: Array) -> Array:
        return times(stored[:, : self.width], inner.astype(stored.dtype))

    def add(self, fresh: Array) -> None:
        """Multiply new directions, append them, and extend the projections."""
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
        """Write a block of the basis (0) or of its products (1, 2), after the columns that are filled."""
        if number == len(self.store):
            self.store.append(np.empty(self.store[0].shape, block.dtype, order="F"))
        if self.store[number].shape[1] < self.width:
            wider = np.empty((len(block), 2 * self.width), block.dtype, order="F")
            wider[:, : columns.start] = self.store[number][:, : columns.start]
            self.store[number] = wider
        self.store[number][:, columns] = block


@dataclass
class _Progress:
    """The residuals of the Ritz vectors as last computed, and which of them rounding keeps from getting smaller.

    Attributes
    ----------
    relative : residuals, infinite at first
    best : the smallest of each so far
    tries : times that a vector got new directions since then
    helped : whether it got some in the last iteration
    is_held : whether it gets no more, since they did not help
    goal : largest residual of a vector that has converged
    """

    relative: Array
    best: Array
    tries: Array
    helped: Array
    is_held: Array
    goal: float

    @classmethod
    def begin(cls, n_vectors: int, goal: float) -> _Progress:
        infinite, none = np.full(n_vectors, np.inf), np.zeros(n_vectors, dtype=bool)
        return cls(infinite, infinite.copy(), np.zeros(n_vectors, dtype=int), none, none.copy(), goal)

    def is_open(self, columns: Array) -> Array:
        """Whether these vectors need new directions."""
        return np.asarray((self.relative[columns] > self.goal) & ~self.is_held[columns])

    def saw(self, columns: Array, relative: Array, near_rounding: Array) -> None:
        """Note the residuals of some vectors, and the sizes below which rounding may be what is left of them."""
        better = relative < 0.9 * self.best[columns]
        self.relative[columns] = relative
        self.best[columns] = np.minimum(relative, self.best[columns])
        self.tries[columns] = np.where(better, 0, self.tries[columns] + self.helped[columns])
        self.is_held[columns] = (self.tries[columns] >= _PATIENCE) & (relative <= near_rounding)


class _SavedBasis:
    """Writes the basis to disk at intervals, if requested, and resumes from there."""

    def __init__(self, place: Checkpoint | None, basis: _Basis, **facts: Any) -> None:
        self.place, self.basis = place, basis
        if place is not None:
            self.problem = fingerprint(basis.pencil, basis.Q, traces=[np.trace(basis.A), np.trace(basis.B)], **facts)

    def keep(self, progress: _Progress, iterations: int) -> None:
        """Write the basis, if it is time."""
        if self.place is None or not self.place.is_due():
            return
        basis = self.basis
        arrays = {f"store {i}": each[:, : basis.width] for i, each in enumerate(basis.store)}
        sides = {"A": basis.A, "C": basis.C, "bridges": basis.bridges, **asdict(progress)}
        self.place.keep(self.problem, {**arrays, **sides, "n_old": basis.n_old, "iterations": iterations})

    def resume(self, progress: _Progress) -> tuple[_Progress, int]:
        """Restore the basis; return the progress and iterations of that time, or those given if nothing was written."""
        state = None if self.place is None else self.place.resume(self.problem)
        if state is None:
            return progress, 0
        basis = self.basis
        basis.A, basis.C, basis.bridges = state["A"], state["C"], state["bridges"]
        basis.n_old, basis.width = state["n_old"], len(basis.A)
        for number in range(len(basis.store)):
            basis._put(number, slice(0, basis.width), state[f"store {number}"])
        return _Progress(**{each.name: state[each.name] for each in fields(_Progress)}), state["iterations"]


def _chunks(start: int, stop: int, width: int) -> Iterator[slice]:
    for first in range(start, stop, width):
        yield slice(first, min(stop, first + width))


def _with_more(projected: Array, columns: Array) -> Array:
    """Add columns and the corresponding rows to a symmetric matrix, in double precision."""
    old, width = len(projected), len(columns)
    wider = np.zeros((width, width))
    wider[:old, :old], wider[:, old:], wider[old:, :old] = projected, columns, columns[:old].T
    return np.asarray((wider + wider.T) / 2)


def _steps(inner: Array, going: Array, n_old: int) -> tuple[Array, Array]:
    """Return coefficients of an orthonormal basis of the Ritz vectors, and of their last step, orthogonal to them.

    The last step is the part of the Ritz vectors outside the span of the previous ones, which are the first `n_old`
    columns of the basis; there is none at the start.
    """
    present = la.qr(inner, mode="economic")[0]
    if n_old == 0:
        return present, np.empty((len(inner), 0))
    last = inner[:, going].copy()
    last[:n_old] = 0
    return present, _outside(last, present)


def _outside(block: Array, Q: Array) -> Array:
    """Return an orthonormal basis of the block outside the span of Q, without noise; the block is overwritten."""
    eps = float(np.finfo(block.dtype).eps)
    sizes = lengths(block)
    block /= np.where(sizes > 0, sizes, 1).astype(block.dtype)
    orthogonalise(block, Q)
    new = lengths(block) > 100 * eps
    fresh, shortest = _factor(block if new.all() else block[:, new])
    if shortest < _SHORT and fresh.shape[1]:
        subtract(fresh, Q, inner_products(Q, fresh))
        fresh = _orthonormal(fresh)
    return fresh


_SHORT = 0.1  # length of a column outside of Q and of the columns before it, beside which rounding errors are large


def _orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of the columns, without directions of the size of rounding errors, in their place."""
    return _factor(block)[0]


def _factor(block: Array) -> tuple[Array, float]:
    """Return an orthonormal basis of the columns as `_orthonormal`, and the length of the shortest new direction."""
    if not block.shape[1]:
        return block, 1.0
    Q, R = factored(block)
    sizes = np.abs(np.diag(R))
    noise = 100 * float(np.finfo(block.dtype).eps) * max(float(sizes.max()), float(np.finfo(block.dtype).tiny))
    if (sizes > noise).all():
        return Q, float(sizes.min())
    left, sizes, _ = la.svd(R, full_matrices=False)
    kept = left[:, sizes > noise].astype(Q.dtype)
    _turn(Q, kept)
    return Q[:, : kept.shape[1]], 0.0


def _turn(block: Array, coefficients: Array) -> None:
    """block[:, :m] = block @ coefficients, in place, a few rows at a time: a second basis would double the memory."""
    width = coefficients.shape[1]

    def turn(rows: slice) -> None:
        block[rows, :width] = block[rows] @ coefficients

    in_rows(turn, len(block), 2.0 * block.size * width)
