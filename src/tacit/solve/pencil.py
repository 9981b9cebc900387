"""A x = μ B x where both sides share dear products: the locally optimal block method, with every product made once.

LOBPCG [Knyazev2001] searches in the span of the present vectors, their preconditioned residuals and the last step.
SciPy's needs nine blocks of vectors and multiplies with both matrices apart. Here both sides are made of the same *dear
products* (of the data with a block), which are kept beside the basis and carried along with it, so that each iteration
multiplies the data with the new directions only. Vectors that have converged get no new directions, but stay in the
basis and go on improving. The basis is orthonormal throughout, with the last step chosen orthogonal to the present
vectors [Hetmaniuk2006], which keeps the method stable in single precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import scipy.linalg as la

from tacit.operators.base import Array
from tacit.solve.residuals import relative_residuals
from tacit.solve.result import Eigenpairs
from tacit.solve.signs import signs_of
from tacit.solve.threads import one_thread

__all__ = ["Pencil", "pencil_eigenpairs"]

_COLUMNS = 32  # columns whose sides are held at the same time
_ROWS = 2**21  # entries of the basis that are multiplied at the same time


class Pencil(Protocol):
    """A pair of symmetric matrices, B positive definite, by what a product with the data gives."""

    shape: tuple[int, int]
    dtype: np.dtype

    def products(self, S: Array) -> Sequence[Array]:
        """Give the dear products of a block: one or more blocks of the same shape."""

    def sides(self, S: Array, products: Sequence[Array]) -> tuple[Array, Array]:
        """Give A S and B S, as new arrays, from a block and its dear products; nothing dear any more."""


def pencil_eigenpairs(
    pencil: Pencil,
    n_components: int,
    *,
    start: Array,
    precondition: Callable[[Array], Array],
    tol: float = 1e-3,
    max_iter: int = 200,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of A x = μ B x.

    Parameters
    ----------
    pencil : the two sides
    n_components : how many eigenpairs, at most the columns of `start`
    start : n x p vectors whose span the search begins with, p at least n_components
    precondition : applies something like B⁻¹ to a block
    tol : largest relative residual ‖A x − μ B x‖ / (μ ‖B x‖)
    max_iter : most iterations

    Returns
    -------
    Eigenpairs : the vectors have xᵀ B x = 1
    """
    basis = _Basis(pencil, start)
    eps = float(np.finfo(pencil.dtype).eps)
    iterations = 0
    while True:
        values, inner = basis.ritz(n_components)
        residuals, relative = basis.residuals(values, inner, tol)
        going = np.flatnonzero(relative > max(tol, eps))
        if not going.size or iterations >= max_iter:
            break
        iterations += 1
        directions = precondition(residuals)
        del residuals
        if not basis.advance(inner, going, directions):  # nothing new to search in: rounding has the last word
            values, inner = basis.ritz(n_components)  # the same vectors, in the basis as it has been turned
            break
    vectors = basis.combined(inner)
    vectors *= signs_of(vectors)
    converged = bool((relative <= max(tol, eps)).all())
    return Eigenpairs(values.astype(pencil.dtype), vectors, relative, iterations, "lobpcg", converged=converged)


class _Basis:
    """An orthonormal basis, its dear products, and the two sides projected on it."""

    def __init__(self, pencil: Pencil, start: Array) -> None:
        self.pencil, self.n_old, self.width = pencil, 0, 0
        with one_thread(4.0 * start.size * start.shape[1]):
            first = _orthonormal(np.array(start, pencil.dtype, order="F"))
        self.store: list[Array] = []  # the basis and its dear products; room to the right, so that nothing is copied
        self.A = self.B = np.empty((0, 0))
        self._add(first)

    @property
    def Q(self) -> Array:
        """The basis."""
        return self.store[0][:, : self.width]

    def ritz(self, n_components: int) -> tuple[Array, Array]:
        """Give the leading Ritz values and the vectors' coefficients in the basis."""
        with one_thread():
            values, inner = la.eigh(self.A, self.B)
        return values[::-1][:n_components], inner[:, ::-1][:, :n_components]

    def residuals(self, values: Array, inner: Array, tol: float) -> tuple[Array, Array]:
        """Give A x − μ B x of the Ritz vectors that are not within `tol`, and the relative residuals of all."""
        kept, relative = [], np.empty(len(values))
        eps, size = float(np.finfo(self.pencil.dtype).eps), float(np.abs(values).max(initial=0))
        for first in range(0, len(values), _COLUMNS):
            part = slice(first, first + _COLUMNS)
            block, *dear = (self._combine(each, inner[:, part]) for each in self.store)
            one, other = self.pencil.sides(block, dear)
            weights = np.linalg.norm(other, axis=0)
            other *= values[part].astype(other.dtype)
            one -= other
            errors = np.linalg.norm(one, axis=0)
            relative[part] = relative_residuals(errors, values[part], tol=tol, size=size, eps=eps, weights=weights)
            kept.append(one[:, relative[part] > max(tol, eps)])
        return np.hstack(kept), relative

    def advance(self, inner: Array, going: Array, directions: Array) -> bool:
        """Turn the basis into [Ritz vectors, their last step, new directions]; False if no direction is new."""
        present, last = _steps(inner, going, self.n_old)
        turned = np.hstack([present, last])
        for each in self.store:
            _turn(each[:, : self.width], turned.astype(each.dtype))
        self.width, self.n_old = turned.shape[1], present.shape[1]
        self.A, self.B = turned.T @ self.A @ turned, turned.T @ self.B @ turned
        fresh = _outside(directions, self.Q)
        if not fresh.shape[1]:
            return False
        self._add(fresh)
        return True

    def combined(self, inner: Array) -> Array:
        """Give the vectors with these coefficients."""
        return self._combine(self.store[0], inner)

    def _combine(self, stored: Array, inner: Array) -> Array:
        return np.asarray(stored[:, : self.width] @ inner.astype(stored.dtype))

    def _add(self, fresh: Array) -> None:
        """Multiply new directions and put them at the end; project the sides on them, in double precision."""
        old, self.width = self.width, self.width + fresh.shape[1]
        for number, block in enumerate((fresh, *self.pencil.products(fresh))):
            if number == len(self.store):
                self.store.append(np.empty((len(block), 0), block.dtype))
            self.store[number] = _with_room(self.store[number], self.width, old)
            self.store[number][:, old : self.width] = block
        sides = np.zeros((self.width, self.width)), np.zeros((self.width, self.width))
        sides[0][:old, :old], sides[1][:old, :old] = self.A, self.B
        for first in range(old, self.width, _COLUMNS):
            part = slice(first, min(self.width, first + _COLUMNS))
            block, *dear = (each[:, part] for each in self.store)
            for total, side in zip(sides, self.pencil.sides(block, dear), strict=True):
                total[:, part] = self.Q.T @ side
                total[part, :old] = total[:old, part].T
        self.A, self.B = ((total + total.T) / 2 for total in sides)


def _with_room(stored: Array, width: int, filled: int) -> Array:
    """Give an array with at least `width` columns; the memory of columns never written is never taken."""
    if stored.shape[1] >= width:
        return stored
    wider = np.empty((len(stored), 2 * width), stored.dtype, order="F")
    wider[:, :filled] = stored[:, :filled]
    return wider


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
    """Give an orthonormal basis of what the block has outside the span of Q; noise is left out."""
    lengths = np.linalg.norm(block, axis=0)
    block = block[:, lengths > 0] / lengths[lengths > 0]
    with one_thread(8.0 * Q.size * block.shape[1]):
        for _ in range(2):
            block -= Q @ (Q.T @ block)
        new = np.linalg.norm(block, axis=0) > 100 * float(np.finfo(block.dtype).eps)
        fresh = _orthonormal(np.asfortranarray(block[:, new]))
        fresh -= Q @ (Q.T @ fresh)  # columns that were short have brought some of Q back
        return _orthonormal(fresh)


def _orthonormal(block: Array) -> Array:
    """Give an orthonormal basis of the columns, without directions that are rounding beside the others."""
    if not block.shape[1]:
        return block
    Q, R = la.qr(block, mode="economic", overwrite_a=True, check_finite=False)
    sizes = np.abs(np.diag(R))
    noise = 100 * float(np.finfo(block.dtype).eps) * max(float(sizes.max()), float(np.finfo(block.dtype).tiny))
    if (sizes > noise).all():
        return np.asarray(Q)
    left, sizes, _ = la.svd(R, full_matrices=False)
    return np.asarray(Q @ left[:, sizes > noise])


def _turn(block: Array, coefficients: Array) -> None:
    """block[:, :m] = block @ coefficients, in place, a few rows at a time: a second basis would double the memory."""
    step, width = max(1, _ROWS // max(1, block.shape[1])), coefficients.shape[1]
    for first in range(0, len(block), step):
        rows = slice(first, first + step)
        block[rows, :width] = block[rows] @ coefficients
