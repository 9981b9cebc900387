"""The relation measures of [Mu2010] table 1: how a record is related to a prototype, as a number.

A measure is prepared once for the prototypes and then called with blocks of records. All of them count in double
precision, a block at a time, so that only the relations themselves are ever dense.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.machine import share
from tacit.models.graphs.prototype_distances import (
    MinkowskiDistances,
    Products,
    SquaredDistances,
    as_double,
    check_overflow,
    squared_lengths,
)
from tacit.operators.base import Array

__all__ = ["MEASURES", "automatic_width", "relations"]

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
