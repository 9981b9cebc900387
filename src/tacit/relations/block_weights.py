"""Brings relations to one scale: tf-idf, Frobenius or spectral norm, also of a product that is never multiplied out.

A relation is given by its factors, `M = F_1 F_2 ... F_p`; most have one. What a product needs to know about its entries
(how many there are in a column, how long a row is) is gathered from a few of its rows at a time, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, svds

__all__ = ["NORMALISATIONS", "Factors", "is_symmetric", "normalised", "reached_rows", "row_blocks"]

Factors = tuple[sp.csr_array, ...]

NORMALISATIONS = ("none", "tfidf", "frobenius", "spectral")

_ENTRIES_AT_ONCE = 4_000_000  # about 50 MB of a product in double precision
_DENSE_ENTRIES = 10_000  # below this LAPACK is faster than ARPACK, and needs no start


def normalised(factors: Factors, normalise: str) -> tuple[float, Factors]:
    """Give a scale and factors whose product, times the scale, is the normalised relation."""
    if normalise == "tfidf":
        return 1.0, _tfidf(factors)
    if normalise == "none" or not reached_rows(factors).any():
        return 1.0, factors  # a relation that lost all its entries has no norm, and stays as it is
    norm = _frobenius(factors) if normalise == "frobenius" else _spectral(factors)
    return (1.0 / norm if norm > 0 else 1.0), factors


def row_blocks(factors: Factors) -> Iterator[tuple[int, int, sp.csr_array]]:
    """Give first row, last row and rows of the product, so many at a time that they fit into memory."""
    edges = _row_edges(factors)
    for start, stop in pairwise(edges.tolist()):
        rows = sp.csr_array(factors[0][start:stop])
        for factor in factors[1:]:
            rows = sp.csr_array(rows @ factor)
        yield start, stop, rows


def reached_rows(factors: Factors) -> npt.NDArray[np.bool_]:
    """Tell which rows of the product can have an entry: from which a path leads through all the factors."""
    reached = np.ones(factors[-1].shape[1], dtype=bool)
    for factor in reversed(factors):
        reached = _pattern(factor) @ reached.astype(np.float64) > 0
    return reached


def is_symmetric(factors: Factors) -> bool:
    """Whether the product is its own transpose, up to rounding.

    A product is not formed: M and Mᵀ are applied to a random vector, on which two different matrices agree with
    probability zero.
    """
    vector = np.random.default_rng(0).standard_normal(factors[0].shape[0])
    forward, backward, size = vector, vector, np.abs(vector)
    for factor in reversed(factors):
        forward, size = factor @ forward, abs(factor) @ size
    for factor in factors:
        backward = factor.T @ backward
    tolerance = max(1e-9, *(32 * float(np.finfo(factor.dtype).eps) for factor in factors))
    return bool(np.abs(forward - backward).max(initial=0.0) <= tolerance * size.max(initial=0.0))


def _tfidf(factors: Factors) -> Factors:
    """Weight columns by their rarity and give rows unit length, as scikit-learn's TfidfTransformer does."""
    n_rows, n_columns = factors[0].shape[0], factors[-1].shape[1]
    frequency = np.zeros(n_columns)
    for _, _, rows in row_blocks(factors):
        rows.eliminate_zeros()
        frequency += np.bincount(rows.indices, minlength=n_columns)
    rarity = np.log((1 + n_rows) / (1 + frequency)) + 1
    weighted = (*factors[:-1], _scaled_columns(factors[-1], rarity))
    length = np.zeros(n_rows)
    for start, stop, rows in row_blocks(weighted):
        length[start:stop] = np.sqrt(_row_squares(rows))
    inverse = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return (_scaled_rows(weighted[0], inverse), *weighted[1:])


def _frobenius(factors: Factors) -> float:
    return float(np.sqrt(sum(_row_squares(rows).sum() for _, _, rows in row_blocks(factors))))


def _spectral(factors: Factors) -> float:
    """Find the largest singular value; the start is drawn with a fixed seed, so that it is the same in every run."""
    n_rows, n_columns = factors[0].shape[0], factors[-1].shape[1]
    if min(n_rows, n_columns) == 1:
        return _frobenius(factors)
    if n_rows * n_columns <= _DENSE_ENTRIES:
        return float(np.linalg.norm(np.vstack([rows.toarray() for *_, rows in row_blocks(factors)]), 2))
    product = LinearOperator(
        (n_rows, n_columns),
        matvec=lambda vector: _applied(factors, vector),
        rmatvec=lambda vector: _applied(tuple(factor.T for factor in reversed(factors)), vector),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(min(n_rows, n_columns))
    return float(svds(product, k=1, v0=start, return_singular_vectors=False)[0])


def _row_edges(factors: Factors) -> npt.NDArray[np.int64]:
    """Cut the rows of the product so that no piece has many more than `_ENTRIES_AT_ONCE` entries on the way."""
    if len(factors) == 1:
        return np.asarray([0, factors[0].shape[0]])
    most = np.zeros(factors[0].shape[0])
    for place in range(1, len(factors)):
        # entries of a row after this many factors: at most all columns there, at most the sum over the path
        bound = np.diff(factors[place].indptr).astype(np.float64)
        for factor in reversed(factors[:place]):
            bound = np.minimum(_pattern(factor) @ bound, factors[place].shape[1])
        most = np.maximum(most, bound)
    piece = (np.cumsum(most) // _ENTRIES_AT_ONCE).astype(np.int64)
    return np.concatenate([[0], np.flatnonzero(np.diff(piece)) + 1, [len(most)]])


def _pattern(matrix: sp.csr_array) -> sp.csr_array:
    """Ones where the matrix has an entry, sharing its indices."""
    return sp.csr_array((np.ones(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)


def _row_squares(rows: sp.csr_array) -> npt.NDArray[np.float64]:
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(row_of, weights=rows.data.astype(np.float64) ** 2, minlength=rows.shape[0]).astype(np.float64)


def _scaled_rows(matrix: sp.csr_array, scale: npt.NDArray[np.float64]) -> sp.csr_array:
    data = matrix.data * np.repeat(scale, np.diff(matrix.indptr)).astype(matrix.dtype)
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _scaled_columns(matrix: sp.csr_array, scale: npt.NDArray[np.float64]) -> sp.csr_array:
    data = matrix.data * scale.astype(matrix.dtype)[matrix.indices]
    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _applied(factors: tuple[sp.sparray, ...], vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    for factor in reversed(factors):
        vector = factor @ vector
    return vector
