"""Scale relations by tf-idf, Frobenius or spectral norm, including products that are never formed.

A relation is given by its factors, `M = F_1 F_2 ... F_p`; most have one. The numbers of entries per column and the
lengths of the rows of a product are computed exactly, from a few of its rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

from tacit.checks import is_outside_memory
from tacit.relations.tables import rows_outside_memory as outside
from tacit.relations.tables.rows_outside_memory import any_outside_memory, refuse
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = [
    "NORMALISATIONS",
    "BlockScaling",
    "Factors",
    "is_symmetric",
    "normalised",
    "reached_columns",
    "reached_rows",
    "row_blocks",
    "scaling_of",
]

Factors = tuple[Any, ...]  # of csr_array; one may be outside memory, see `rows_outside_memory`

NORMALISATIONS = ("none", "tfidf", "frobenius", "spectral")

_ENTRIES_AT_ONCE = 4_000_000  # about 50 MB of a product in double precision
_DENSE_ENTRIES = 10_000  # up to which LAPACK is faster than ARPACK


@dataclass(frozen=True, eq=False)
class BlockScaling:
    """The scaling of a relation, which also applies to new rows and columns.

    `factor` is that of all entries: 1 over the norm, or 1. For tf-idf, `rarity` has the factor of each column and
    `inverse_lengths` that of each row, applied after that of the columns; 0 for an empty row.
    """

    factor: float = 1.0
    rarity: Float64Array | None = None
    inverse_lengths: Float64Array | None = None

    def applied(self, factors: Factors) -> Factors:
        """Return the factors with the scales of rows and columns in the first and the last; without `factor`."""
        if self.rarity is None or self.inverse_lengths is None:
            return factors
        if any_outside_memory(factors):
            raise refuse("tfidf", "weighted entry by entry", "Weight the products with it instead.")
        weighted = (*factors[:-1], _scaled_columns(factors[-1], self.rarity))
        return (_scaled_rows(weighted[0], self.inverse_lengths), *weighted[1:])

    def of_new_rows(self, rows: sp.csr_array) -> sp.csr_array:
        """Scale rows of new objects of the row type: by the rarity of the relation and by their own length."""
        if self.rarity is None:
            return _times(rows, self.factor)
        weighted = _scaled_columns(rows, self.rarity)
        return _scaled_rows(weighted, _inverse(np.sqrt(_row_squares(weighted))))

    def of_new_columns(self, columns: sp.csr_array) -> sp.csr_array:
        """Scale new columns, given as rows: by their own rarity and by the lengths of the existing rows.

        These lengths do not include the new column, as folding in leaves the space unchanged.
        """
        if self.inverse_lengths is None:
            return _times(columns, self.factor)
        own = _rarity(len(self.inverse_lengths), _row_sums(columns, columns.data != 0))
        return _scaled_rows(_scaled_columns(columns, self.inverse_lengths), own)


def scaling_of(factors: Factors, normalise: str) -> BlockScaling:
    """Return the scaling of a relation by its name."""
    if normalise == "tfidf":
        return _tfidf(factors)
    if normalise == "none" or not reached_rows(factors).any():
        return BlockScaling()  # a relation without entries has no norm, and stays as it is
    frobenius = normalise == "frobenius"
    norm = float(np.sqrt((_row_lengths(factors) ** 2).sum())) if frobenius else _spectral(factors)
    return BlockScaling(1.0 / norm if norm > 0 else 1.0)


def normalised(factors: Factors, normalise: str) -> tuple[float, Factors]:
    """Return a scale and factors whose product, times the scale, is the normalised relation."""
    scaling = scaling_of(factors, normalise)
    return scaling.factor, scaling.applied(factors)


def row_blocks(factors: Factors) -> Iterator[tuple[int, int, sp.csr_array]]:
    """Yield first row, last row and rows of the product, in pieces that fit into memory."""
    edges = _row_edges(factors)
    for start, stop in pairwise(edges.tolist()):
        rows = sp.csr_array(factors[0][start:stop])
        for factor in factors[1:]:
            rows = sp.csr_array(rows @ factor)
        yield start, stop, rows


def reached_rows(factors: Factors) -> BoolArray:
    """Return which rows of the product can have an entry: those with a path through all factors."""
    reached = np.ones(factors[-1].shape[1], dtype=bool)
    for factor in reversed(factors):
        if is_outside_memory(factor):
            reached = np.concatenate(list(factor._each(outside.reached_rows, reached.astype(np.float64)))) > 0
        else:
            reached = _pattern(factor) @ reached.astype(np.float64) > 0
    return reached


def reached_columns(factors: Factors) -> BoolArray:
    """Return which columns of the product can have an entry."""
    reached = np.ones(factors[0].shape[0], dtype=bool)
    for factor in factors:
        if is_outside_memory(factor):
            column = reached.astype(np.float64).reshape(-1, 1)
            reached = np.asarray(factor._sum(outside.reached_columns, rows=column)).ravel() > 0
        else:
            reached = _pattern(factor).T @ reached.astype(np.float64) > 0
    return reached


def is_symmetric(factors: Factors) -> bool:
    """Whether the product is its own transpose, up to rounding.

    A product is not formed: M and Mᵀ are applied to a random vector, on which two different matrices agree with
    probability zero.
    """
    vector = np.random.default_rng(0).standard_normal(factors[0].shape[0])
    forward, backward, size = vector, vector, np.abs(vector)
    for factor in reversed(factors):
        forward = factor @ forward
        if is_outside_memory(factor):
            size = np.concatenate(list(factor._each(outside.absolute_product, size)))
        else:
            size = abs(factor) @ size
    for factor in factors:
        backward = factor.T @ backward
    tolerance = max(1e-9, *(32 * float(np.finfo(factor.dtype).eps) for factor in factors))
    return bool(np.abs(forward - backward).max(initial=0.0) <= tolerance * size.max(initial=0.0))


def _tfidf(factors: Factors) -> BlockScaling:
    """Weight columns by their rarity and scale rows to unit length, as scikit-learn's TfidfTransformer does."""
    n_rows, n_columns = factors[0].shape[0], factors[-1].shape[1]
    if is_outside_memory(factors[0]):
        rarity = _rarity(n_rows, np.asarray(factors[0]._sum(outside.column_counts, factors[1:])))
        weights = sp.csr_array(sp.diags_array(rarity))
        return BlockScaling(rarity=rarity, inverse_lengths=_inverse(_row_lengths((*factors, weights))))
    frequency = np.zeros(n_columns)
    for _, _, rows in row_blocks(factors):
        frequency += np.bincount(rows.indices, weights=rows.data != 0, minlength=n_columns)
    rarity = _rarity(n_rows, frequency)
    weighted = (*factors[:-1], _scaled_columns(factors[-1], rarity))
    return BlockScaling(rarity=rarity, inverse_lengths=_inverse(_row_lengths(weighted)))


def _row_lengths(factors: Factors) -> Float64Array:
    if is_outside_memory(factors[0]):
        return np.sqrt(np.concatenate(list(factors[0]._each(outside.row_squares, factors[1:]))))
    return np.concatenate([np.sqrt(_row_squares(rows)) for *_, rows in row_blocks(factors)])


def _rarity(n_rows: int, frequency: Float64Array) -> Float64Array:
    return np.asarray(np.log((1 + n_rows) / (1 + frequency)) + 1)


def _inverse(lengths: Float64Array) -> Float64Array:
    """Return 1 over each length, 0 for 0."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def _spectral(factors: Factors) -> float:
    """Return the largest singular value; with a fixed seed for the start, so that it is the same in every run."""
    n_rows, n_columns = factors[0].shape[0], factors[-1].shape[1]
    if min(n_rows, n_columns) == 1 or n_rows * n_columns <= _DENSE_ENTRIES:
        backwards = tuple(factor.T for factor in reversed(factors))
        narrow = _applied(factors, np.eye(n_columns)) if n_columns <= n_rows else _applied(backwards, np.eye(n_rows))
        return float(np.linalg.norm(narrow, 2))
    product = LinearOperator(
        (n_rows, n_columns),
        matvec=lambda vector: _applied(factors, vector),
        rmatvec=lambda vector: _applied(tuple(factor.T for factor in reversed(factors)), vector),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(min(n_rows, n_columns))
    return float(svds(product, k=1, v0=start, return_singular_vectors=False)[0])


def _row_edges(factors: Factors) -> IntArray:
    """Split the rows of the product so that no piece has many more than `_ENTRIES_AT_ONCE` entries at any step."""
    if len(factors) == 1:
        return np.asarray([0, factors[0].shape[0]])
    most = np.zeros(factors[0].shape[0])
    for place in range(1, len(factors)):
        # entries of a row after these factors: at most the number of columns, and the number of paths
        bound = np.diff(factors[place].indptr).astype(np.float64)
        for factor in reversed(factors[:place]):
            bound = np.minimum(_pattern(factor) @ bound, factors[place].shape[1])
        most = np.maximum(most, bound)
    piece = (np.cumsum(most) // _ENTRIES_AT_ONCE).astype(np.int64)
    return np.concatenate([[0], np.flatnonzero(np.diff(piece)) + 1, [len(most)]])


def _pattern(matrix: sp.csr_array) -> sp.csr_array:
    """Return ones at the entries of the matrix, sharing its indices."""
    return sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def _row_squares(rows: sp.csr_array) -> Float64Array:
    return _row_sums(rows, rows.data.astype(np.float64) ** 2)


def _row_sums(rows: sp.csr_array, values: npt.NDArray[np.generic]) -> Float64Array:
    """Return the sums of the values of the entries in each row."""
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(row_of, weights=values, minlength=rows.shape[0]).astype(np.float64)


def _times(matrix: sp.csr_array, number: float) -> sp.csr_array:
    return matrix if number == 1 else matrix * number


def _scaled_rows(matrix: sp.csr_array, scale: Float64Array) -> sp.csr_array:
    data = matrix.data * np.repeat(scale, np.diff(matrix.indptr)).astype(matrix.dtype)
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _scaled_columns(matrix: sp.csr_array, scale: Float64Array) -> sp.csr_array:
    data = matrix.data * scale.astype(matrix.dtype)[matrix.indices]
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _applied(factors: Factors, vector: Float64Array) -> Float64Array:
    for factor in reversed(factors):
        vector = factor @ vector
    return vector
