"""Distances between rows: from products where that is exact enough, from differences where it is not.

    ‖x − p‖² = ‖x‖² + ‖p‖² − 2 x·p

needs only products, so sparse rows stay sparse. It loses all its digits where x and p nearly coincide, as a prototype
does with itself; such pairs, few in most collections, are computed again from the difference of the two rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.operators.base import Array

__all__ = ["MinkowskiDistances", "Products", "SquaredDistances", "as_double", "check_overflow", "squared_lengths"]

_CLOSE = 1e-6  # of ‖x‖² + ‖p‖²: what is nearer is computed from the difference; the rest keeps ten digits of sixteen
_PAIRS = 4_096  # sparse pairs that are subtracted at a time
_NUMBERS = 2**20  # dense numbers that are


class Products:
    """The products x·p of the rows of a block with every row of P, dense.

    Sparse P is held by its columns, as an inverted file: the cost of a row of the block is the number of entries that P
    has in the row's own columns.
    """

    def __init__(self, P: Any) -> None:
        self._transposed = sp.csr_array(P.T) if is_sparse(P) else P.T

    def __call__(self, block: Any) -> Array:
        """Give rows of the block x rows of P."""
        product = block @ self._transposed
        return np.asarray(product.toarray() if is_sparse(product) else product)


class SquaredDistances:
    """‖x − p‖² of the rows of a block with every row of P, both in double precision and both sparse or both dense.

    Dense rows are first shifted by the mean of P, which changes no distance: with a large offset that all records have
    in common, every pair would nearly coincide and take the long way.
    """

    def __init__(self, P: Any) -> None:
        self._shift = None if is_sparse(P) else P.mean(axis=0)
        self._P = P if self._shift is None else P - self._shift
        self._sizes = squared_lengths(self._P)
        self._products = Products(self._P)

    def __call__(self, block: Any) -> Array:
        """Give rows of the block x rows of P."""
        X = block if self._shift is None else block - self._shift
        sizes = squared_lengths(X)
        squares = self._products(X)
        squares *= -2
        squares += sizes[:, None]
        squares += self._sizes
        _repair(squares, X, self._P, sizes, self._sizes, power=2.0)
        return squares


class MinkowskiDistances:
    """(Σ_t |x_t − p_t|^P)^(1/P) of the rows of a block with every row of P.

    Dense rows go to SciPy. For sparse ones the sum runs over the entries of x, with what p has elsewhere added as a
    whole; so one prototype costs one pass over the entries of the block, whatever the number of columns.
    """

    def __init__(self, P: Any, power: float) -> None:
        self._P, self._power = P, power
        self._sizes = _power_sums(P, power) if is_sparse(P) else None

    def __call__(self, block: Any) -> Array:
        """Give rows of the block x rows of P."""
        if self._sizes is None:
            return np.asarray(cdist(block, self._P, "minkowski", p=self._power))
        sums = self._sums(block)
        _repair(sums, block, self._P, _power_sums(block, self._power), self._sizes, power=self._power)
        return np.asarray(sums ** (1 / self._power))

    def _sums(self, block: Any) -> Array:
        n_rows = block.shape[0]
        row_of = np.repeat(np.arange(n_rows), np.diff(block.indptr))
        sums = np.empty((n_rows, self._P.shape[0]))
        prototype = np.zeros(block.shape[1])
        for column, (start, stop) in enumerate(zip(self._P.indptr[:-1], self._P.indptr[1:], strict=True)):
            filled = self._P.indices[start:stop]
            prototype[filled] = self._P.data[start:stop]
            there = prototype[block.indices]
            terms = np.abs(block.data - there) ** self._power - np.abs(there) ** self._power
            sums[:, column] = np.bincount(row_of, terms, minlength=n_rows) + self._sizes[column]  # type: ignore[index]
            prototype[filled] = 0
        return sums


def as_double(X: Any, *, sparse: bool) -> Any:
    """Bring rows to double precision and to the form that they are compared in, without duplicate entries."""
    if not sparse:
        return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    rows = sp.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()  # never change what the caller gave
        rows.sum_duplicates()
    return rows


def squared_lengths(X: Any) -> Array:
    """‖x‖² of each row."""
    return _power_sums(X, 2.0) if is_sparse(X) else np.asarray(np.einsum("ij,ij->i", X, X))


def check_overflow(values: Array, X: Any, purpose: str) -> None:
    """Raise if what was computed from X is too large for its type."""
    if np.isfinite(values).all():
        return
    entries = X.data if is_sparse(X) else X
    raise InputError(
        f"X is too large for {purpose}: got entries up to {np.abs(entries).max(initial=0):.3g}, expected results that "
        f"{values.dtype} can hold. Scale the records."
    )


def _repair(sums: Array, X: Any, P: Any, sizes: Array, other_sizes: Array, *, power: float) -> None:
    """Compute the sums of pairs that nearly coincide from their differences, in place."""
    rows, columns = np.nonzero(sums < _CLOSE * np.add.outer(sizes, other_sizes))
    step = _PAIRS if is_sparse(X) else max(1, _NUMBERS // X.shape[1])
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        sums[i, j] = _power_sums(X[i] - P[j], power)


def _power_sums(X: Any, power: float) -> Array:
    """Σ_t |x_t|^P of each row."""
    return np.asarray((abs(X) ** power).sum(axis=1))
