"""Records as points for the search of nearest neighbours: dense or sparse, by cosine or by Euclidean distance.

With rows scaled to length 1, ‖u − v‖² = 2 − 2 cos(u, v), so the nearest by cosine are the nearest by distance, and one
search serves both.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, is_sparse
from tacit.errors import InputError
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["Vectors", "read_matrix", "read_vectors"]


@dataclass(frozen=True, eq=False)
class Vectors:
    """Points, with what is needed to compare many of them at once.

    Attributes
    ----------
    points : n_records x n_features, dense or CSR; rows of length 1 (or 0) if directions are compared
    factors : the same points with another origin, for products
    by_direction : whether points are compared by cosine
    squared_lengths : ‖factor‖² of each record
    """

    points: Any
    factors: Any
    by_direction: bool
    squared_lengths: Float64Array

    @property
    def n_records(self) -> int:
        """Number of points."""
        return int(self.points.shape[0])

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        return self.points.dtype

    @property
    def rounding(self) -> float:
        """Relative difference below which two distances are equal."""
        return 2.0**-40 if self.dtype == np.float64 else 2.0**-20

    @cached_property
    def empty(self) -> BoolArray:
        """Mark the records without a direction."""
        return np.asarray(self.squared_lengths == 0)

    @cached_property
    def product_error(self) -> float:
        """Bound of the error of a product of two factors, relative to the product of their lengths."""
        n_terms = int(np.diff(self.factors.indptr).max(initial=0)) if is_sparse(self.factors) else self.factors.shape[1]
        return float(np.finfo(self.dtype).eps) * (n_terms + 4)

    def double(self) -> Vectors:
        """Return the same in double precision."""
        return replace(self, points=self.points.astype(np.float64), factors=self.factors.astype(np.float64))

    def squared_distances(self, first: IntArray, second: IntArray) -> Float64Array:
        """Return ‖x_i − x_j‖² of pairs, from differences: exact for close points far from the origin.

        The value of a pair depends on its two points only, so copies of a record have exactly the same distances.
        """
        width = (
            self.points.shape[1] if not is_sparse(self.points) else 2 + 2 * self.points.nnz // max(1, self.n_records)
        )
        step = max(1, _PAIR_BYTES // (8 * width))
        squared = np.empty(len(first))
        for start in range(0, len(first), step):
            part = slice(start, start + step)
            ahead, behind = self.points[first[part]], self.points[second[part]]
            squared[part] = _squared_lengths(ahead.astype(np.float64) - behind.astype(np.float64))
        return squared

    def cosines(self, first: IntArray, second: IntArray, squared: Float64Array) -> Float64Array:
        """Return the cosines of pairs of directions with these squared distances."""
        lengths = self.squared_lengths
        return np.minimum((lengths[first] + lengths[second] - squared) / 2, 1.0)

    def copy_numbers(self, among: IntArray | None = None) -> IntArray:
        """Number the records with the same point, of some or all: 0 for the first, 1 for the second, and so on."""
        points = self.points if among is None else self.points[among]
        seen: dict[bytes, int] = {}
        numbers = np.empty(points.shape[0], dtype=np.intp)
        contents: Any = (row.tobytes() for row in points)
        if is_sparse(points):
            where, values, ends = points.indices, points.data, points.indptr
            contents = (where[start:end].tobytes() + values[start:end].tobytes() for start, end in pairwise(ends))
        for row, content in enumerate(contents):
            key = hashlib.blake2b(content, digest_size=16).digest()
            numbers[row] = seen[key] = seen.get(key, -1) + 1
        return numbers


_PAIR_BYTES = 2**25


def read_matrix(X: Any) -> Any:
    """Return records x features as CSR or as an array; float32 is kept."""
    X = X if is_sparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise InputError(f"X has the wrong shape: got {X.ndim} dimensions, expected records x features.")
    if X.dtype.kind not in "biuf":
        raise InputError(f"X has no numbers: got {X.dtype}, expected real numbers.")
    if X.shape[0] < 2:
        raise InputError(f"X has too few records: got {X.shape[0]}, expected at least 2.")
    check_finite("X", X)
    dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    if not is_sparse(X):
        return X.astype(dtype, copy=False)
    rows = sp.csr_array(X, dtype=dtype, copy=True)
    rows.sum_duplicates()  # also sorts, so that sums have the same order for every pair
    rows.eliminate_zeros()
    return rows


def read_vectors(X: Any, metric: str) -> Vectors:
    """Return the points of a matrix from `read_matrix`."""
    if metric == "cosine":
        points = _directions(X)
        return Vectors(points, points, by_direction=True, squared_lengths=_squared_lengths(points))
    values = X.data if is_sparse(X) else X
    largest = float(max(values.max(initial=0), -values.min(initial=0)))
    low, high = _SQUARABLE[X.dtype.name]
    if largest and not low < largest < high:
        raise InputError(
            f"X is out of range: got {largest:g} as the largest size of a value, expected {low:g} to {high:g}, so that "
            "distances can be squared. Multiply X by a number."
        )
    # ‖x‖² + ‖y‖² − 2 xy loses the digits that the lengths have in common; with the mean as origin these are fewer
    factors = X if is_sparse(X) else X - X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    return Vectors(X, factors, by_direction=False, squared_lengths=_squared_lengths(factors))


_SQUARABLE = {"float32": (1e-16, 1e16), "float64": (1e-140, 1e140)}


def _directions(X: Any) -> Any:
    """Return rows of length 1, divided by their largest value first, so that squares do not overflow or vanish."""
    if is_sparse(X):
        peaks = abs(X).max(axis=1).toarray().ravel()
        places = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        data = X.data / peaks[places]
        lengths = np.sqrt(np.bincount(places, weights=data.astype(np.float64) ** 2, minlength=X.shape[0]))
        data = (data / lengths[places]).astype(X.dtype)
        return sp.csr_array((data, X.indices, X.indptr), shape=X.shape)
    peaks = np.abs(X).max(axis=1, initial=0)
    rows = X / np.where(peaks > 0, peaks, 1)[:, None]
    lengths = np.sqrt(_squared_lengths(rows))
    return (rows / np.where(lengths > 0, lengths, 1)[:, None]).astype(X.dtype)


def _squared_lengths(X: Any) -> Float64Array:
    if is_sparse(X):
        squares = sp.csr_array((X.data.astype(np.float64) ** 2, X.indices, X.indptr), shape=X.shape)
        return np.asarray(squares @ np.ones(X.shape[1]))
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64))
