"""The relation measures of [Mu2010] table 1: how a record is related to a prototype, as a number.

A measure is prepared once for the prototypes and then called with blocks of records. All of them count in double
precision, a block at a time, so that only the relations themselves are ever dense.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.machine import share
from tacit.types import Array

__all__ = [
    "MEASURES",
    "MinkowskiDistances",
    "Products",
    "SquaredDistances",
    "as_double",
    "automatic_width",
    "check_overflow",
    "relations",
    "squared_lengths",
]

Relation = Callable[[Any], Array]

MEASURES = ("euclidean", "minkowski", "dot", "cosine", "polynomial", "gaussian", "pearson")
_BLOCK = 2**20  # numbers of a block of relations, or of dense records
_WIDTH_SAMPLE = 500  # records that the automatic width looks at


def relations(X: Any, P: Any, measure: str, *, power: float, degree: int, width: float | None) -> Array:
    """Give the relations of the rows of X to the rows of P, (n_records, n_prototypes), in the precision of X.

    Parameters
    ----------
    X, P : CSR or dense with the same columns; records are brought to the form of the prototypes block by block
    measure : one of `MEASURES`
    power, degree, width : P of the Minkowski distance, degree of the polynomial, σ² of the Gaussian

    Raises
    ------
    InputError
        If a relation is too large for the type of X.
    """
    R = np.empty((X.shape[0], P.shape[0]), dtype=X.dtype)
    sparse = is_sparse(P)
    step = max(1, _BLOCK // max(P.shape[0], 1 if sparse else P.shape[1]))
    starts = range(0, X.shape[0], step)
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told in a sentence
        relation = _prepare(as_double(P, sparse=sparse), measure, power=power, degree=degree, width=width)

        def work(start: int) -> None:
            block = X[start : start + step]
            R[start : start + step] = relation(as_double(block, sparse=sparse))
            check_overflow(R[start : start + step], block, f"measure={measure!r}")

        if sparse:
            share(work, starts)
        else:  # BLAS has threads of its own
            for start in starts:
                work(start)
    return R


def automatic_width(X: Any, P: Any, rng: np.random.Generator) -> float:
    """Give σ² for the Gaussian: the median squared distance between records and prototypes, as far as they differ.

    Of at most 500 records, chosen at random. If all coincide the width does not matter, and is 1.
    """
    n = X.shape[0]
    rows = np.sort(rng.choice(n, min(n, _WIDTH_SAMPLE), replace=False))
    distances = relations(X[rows], P, "euclidean", power=2.0, degree=1, width=None).astype(np.float64)
    squares = distances[distances > 0] ** 2
    median = float(np.median(squares)) if squares.size else 0.0
    return median if median > 0 else 1.0


def _prepare(P: Any, measure: str, *, power: float, degree: int, width: float | None) -> Relation:
    if measure == "dot":
        return Products(P)
    if measure == "cosine":
        return _cosine(P)
    if measure == "polynomial":
        products = Products(P)
        return lambda block: (products(block) + 1) ** degree
    if measure == "pearson":
        return _sparse_pearson(P) if is_sparse(P) else _dense_pearson(P)
    if measure == "minkowski" and power != 2:
        return MinkowskiDistances(P, power)
    squares = SquaredDistances(P)
    if measure == "gaussian":
        return lambda block: np.exp(-squares(block) / width)
    return lambda block: np.sqrt(squares(block))


def _cosine(P: Any) -> Relation:
    """x·p / (‖x‖ ‖p‖), and 0 for a vector of zeros, which has no direction."""
    products = Products(_unit_rows(P))
    return lambda block: np.clip(products(_unit_rows(block)), -1, 1)


def _dense_pearson(P: Array) -> Relation:
    """The cosine of rows that were centred first."""
    products = Products(_unit_rows(_centred_rows(P)))
    return lambda block: np.clip(products(_unit_rows(_centred_rows(block))), -1, 1)


def _sparse_pearson(P: Any) -> Relation:
    """(x·p − d μ_x μ_p) / (s_x s_p), s the length of the centred row: centred rows would not be sparse."""
    products, n_columns = Products(P), P.shape[1]
    means, spreads = _means_and_spreads(P)

    def relation(block: Any) -> Array:
        block_means, block_spreads = _means_and_spreads(block)
        R = products(block) - n_columns * np.outer(block_means, means)
        # a factor at a time: the product of two small spreads may be too small a number
        R *= _inverse(block_spreads)[:, None]
        R *= _inverse(spreads)
        return np.clip(R, -1, 1)

    return relation


def _means_and_spreads(X: Any) -> tuple[Array, Array]:
    """Mean of each sparse row and length of the row after centring, which is 0 for a constant row."""
    n_columns = X.shape[1]
    means = np.asarray(X.sum(axis=1)) / n_columns
    n_filled = np.diff(X.indptr)
    centred = sp.csr_array((X.data - np.repeat(means, n_filled), X.indices, X.indptr), shape=X.shape)
    spreads = np.sqrt(squared_lengths(centred) + (n_columns - n_filled) * means**2)
    constant = X.max(axis=1).toarray().ravel() == X.min(axis=1).toarray().ravel()
    return means, np.where(constant, 0, spreads)


def _centred_rows(X: Array) -> Array:
    """Take its mean off each row; a constant row becomes exactly 0, not what rounding leaves of it."""
    constant = X.max(axis=1) == X.min(axis=1)
    return np.asarray(np.where(constant[:, None], 0, X - X.mean(axis=1, keepdims=True)))


def _unit_rows(X: Any) -> Any:
    """Scale each row to length 1; a row of zeros stays."""
    factors = _inverse(np.sqrt(squared_lengths(X)))
    if not is_sparse(X):
        return X * factors[:, None]
    return sp.csr_array((X.data * np.repeat(factors, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)


def _inverse(lengths: Array) -> Array:
    """1/length, 0 where it is 0; a length that overflowed gives NaN, for 0 would pass as a result."""
    inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.where(np.isfinite(lengths), inverse, np.nan)


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
