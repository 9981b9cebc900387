"""The relation measures of [Mu2010] table 1 between a record and a prototype.

A measure is prepared once for the prototypes and then called with blocks of records. All of them compute in double
precision, one block at a time, so that only the relations themselves are dense.
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

__all__ = ["MEASURES", "SquaredDistances", "as_double", "automatic_width", "check_overflow", "relations"]

Relation = Callable[[Any], Array]

MEASURES = ("euclidean", "minkowski", "dot", "cosine", "polynomial", "gaussian", "pearson")
_BLOCK = 2**20  # numbers of a block of relations, or of dense records
_WIDTH_SAMPLE = 500  # records used for the automatic width


def relations(X: Any, P: Any, measure: str, *, power: float, degree: int, width: float | None) -> Array:
    """Return the relations of the rows of X to the rows of P, (n_records, n_prototypes), in the precision of X.

    Parameters
    ----------
    X, P : CSR or dense with the same columns; records are converted to the form of the prototypes block by block
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
    with np.errstate(over="ignore", invalid="ignore"):  # overflow raises an error below
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
    """Return σ² for the Gaussian: the median non-zero squared distance between records and prototypes.

    At most 500 records are used, chosen at random. If all are equal the width has no effect, and is 1.
    """
    n = X.shape[0]
    rows = np.sort(rng.choice(n, min(n, _WIDTH_SAMPLE), replace=False))
    distances = relations(X[rows], P, "euclidean", power=2.0, degree=1, width=None).astype(np.float64)
    squares = distances[distances > 0] ** 2
    median = float(np.median(squares)) if squares.size else 0.0
    return median if median > 0 else 1.0


def _prepare(P: Any, measure: str, *, power: float, degree: int, width: float | None) -> Relation:
    if measure == "dot":
        return _Products(P)
    if measure == "cosine":  # x·p / (‖x‖ ‖p‖), 0 for a vector of zeros
        products = _Products(_unit_rows(P))
        return lambda block: np.clip(products(_unit_rows(block)), -1, 1)
    if measure == "polynomial":
        products = _Products(P)
        return lambda block: (products(block) + 1) ** degree
    if measure == "pearson":
        if is_sparse(P):
            return _sparse_pearson(P)
        products = _Products(_unit_rows(_centred_rows(P)))
        return lambda block: np.clip(products(_unit_rows(_centred_rows(block))), -1, 1)
    if measure == "minkowski" and power != 2:
        return _MinkowskiDistances(P, power)
    squares = SquaredDistances(P)
    if measure == "gaussian":
        return lambda block: np.exp(-squares(block) / width)
    return lambda block: np.sqrt(squares(block))


def _sparse_pearson(P: Any) -> Relation:
    """Return the measure as (x·p − d μ_x μ_p) / (s_x s_p), s the length of a centred row, which is not sparse."""
    products, n_columns = _Products(P), P.shape[1]
    means, spreads = _means_and_spreads(P)

    def relation(block: Any) -> Array:
        block_means, block_spreads = _means_and_spreads(block)
        R = products(block) - n_columns * np.outer(block_means, means)
        # one factor at a time: the product of two small spreads may underflow
        R *= _inverse(block_spreads)[:, None]
        R *= _inverse(spreads)
        return np.clip(R, -1, 1)

    return relation


def _means_and_spreads(X: Any) -> tuple[Array, Array]:
    """Return the mean of each sparse row and its length after centring, which is 0 for a constant row."""
    n_columns = X.shape[1]
    means = np.asarray(X.sum(axis=1)) / n_columns
    n_filled = np.diff(X.indptr)
    centred = sp.csr_array((X.data - np.repeat(means, n_filled), X.indices, X.indptr), shape=X.shape)
    spreads = np.sqrt(_squared_lengths(centred) + (n_columns - n_filled) * means**2)
    constant = X.max(axis=1).toarray().ravel() == X.min(axis=1).toarray().ravel()
    return means, np.where(constant, 0, spreads)


def _centred_rows(X: Array) -> Array:
    """Subtract the mean from each row; a constant row becomes exactly 0, without rounding."""
    constant = X.max(axis=1) == X.min(axis=1)
    return np.asarray(np.where(constant[:, None], 0, X - X.mean(axis=1, keepdims=True)))


def _unit_rows(X: Any) -> Any:
    """Scale each row to length 1, except rows of zeros."""
    factors = _inverse(np.sqrt(_squared_lengths(X)))
    if not is_sparse(X):
        return X * factors[:, None]
    return sp.csr_array((X.data * np.repeat(factors, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)


def _inverse(lengths: Array) -> Array:
    """Return 1/length, 0 for length 0, and NaN for an overflow, since 0 would look like a result."""
    inverse = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return np.where(np.isfinite(lengths), inverse, np.nan)


_CLOSE = 1e-6  # of ‖x‖² + ‖p‖²: closer pairs are computed from the difference; the others keep ten digits of sixteen
_PAIRS = 4_096  # sparse pairs subtracted at a time
_NUMBERS = 2**20  # dense numbers subtracted at a time


class _Products:
    """The products x·p of the rows of a block with every row of P, dense.

    Sparse P is held by columns, as an inverted file: a row of the block costs as many operations as P has entries in
    the row's own columns.
    """

    def __init__(self, P: Any) -> None:
        self._transposed = sp.csr_array(P.T) if is_sparse(P) else P.T

    def __call__(self, block: Any) -> Array:
        """Return an array, rows of the block x rows of P."""
        product = block @ self._transposed
        return np.asarray(product.toarray() if is_sparse(product) else product)


class SquaredDistances:
    """‖x − p‖² of the rows of a block with every row of P, both in double precision and both sparse or both dense.

    Dense rows are first shifted by the mean of P, which changes no distance: with a large common offset, every pair
    would be nearly equal and need the slow computation.
    """

    def __init__(self, P: Any) -> None:
        self._shift = None if is_sparse(P) else P.mean(axis=0)
        self._P = P if self._shift is None else P - self._shift
        self._sizes = _squared_lengths(self._P)
        self._products = _Products(self._P)

    def __call__(self, block: Any) -> Array:
        """Return an array, rows of the block x rows of P."""
        X = block if self._shift is None else block - self._shift
        sizes = _squared_lengths(X)
        squares = self._products(X)
        squares *= -2
        squares += sizes[:, None]
        squares += self._sizes
        _repair(squares, X, self._P, sizes, self._sizes, power=2.0)
        return squares


class _MinkowskiDistances:
    """(Σ_t |x_t − p_t|^P)^(1/P) of the rows of a block with every row of P.

    Dense rows are passed to SciPy. For sparse rows the sum runs over the entries of x, and the other entries of p are
    added at once, so that a prototype costs one pass over the entries of the block.
    """

    def __init__(self, P: Any, power: float) -> None:
        self._P, self._power = P, power
        self._sizes = _power_sums(P, power) if is_sparse(P) else None

    def __call__(self, block: Any) -> Array:
        """Return an array, rows of the block x rows of P."""
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
    """Return rows in double precision, sparse or dense, without duplicate entries."""
    if not sparse:
        return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    rows = sp.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()  # do not change the caller's matrix
        rows.sum_duplicates()
    return rows


def _squared_lengths(X: Any) -> Array:
    """Return ‖x‖² of each row."""
    return _power_sums(X, 2.0) if is_sparse(X) else np.asarray(np.einsum("ij,ij->i", X, X))


def check_overflow(values: Array, X: Any, purpose: str) -> None:
    """Raise if values computed from X are too large for their type."""
    if np.isfinite(values).all():
        return
    entries = X.data if is_sparse(X) else X
    raise InputError(
        f"X is too large for {purpose}: got entries up to {np.abs(entries).max(initial=0):.3g}, expected results that "
        f"{values.dtype} can hold. Scale the records."
    )


def _repair(sums: Array, X: Any, P: Any, sizes: Array, other_sizes: Array, *, power: float) -> None:
    """Compute the sums of nearly equal pairs from their differences, in place."""
    rows, columns = np.nonzero(sums < _CLOSE * np.add.outer(sizes, other_sizes))
    step = _PAIRS if is_sparse(X) else max(1, _NUMBERS // X.shape[1])
    for start in range(0, len(rows), step):
        i, j = rows[start : start + step], columns[start : start + step]
        sums[i, j] = _power_sums(X[i] - P[j], power)


def _power_sums(X: Any, power: float) -> Array:
    """Return Σ_t |x_t|^P of each row."""
    return np.asarray((abs(X) ** power).sum(axis=1))
