"""Ratings as a users x items table, in which an absent entry means "not rated".

Used by the recommending tasks and by their measures, so that both read a table in the same way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, is_sparse
from tacit.errors import InputError
from tacit.types import Array

__all__ = ["as_ratings", "user_means"]


def as_ratings(values: Any, argument: str = "ratings") -> sp.csr_array:
    """Return a users x items table of ratings as CSR with sorted columns, not copied if it is already; float32 is kept.

    A stored entry of a sparse table is a rating, including a stored 0; in a dense table every number except 0 is. A
    pair that is stored twice is an error: sparse matrices add such entries, and 3 + 4 stars are not 7.
    """
    table: Any = values if is_sparse(values) else np.asarray(values)
    if table.ndim != 2 or table.dtype.kind not in "biuf":
        raise InputError(
            f"{argument} is not a table of numbers: got {table.dtype} values in {table.ndim} dimension(s), "
            "expected users x items."
        )
    check_finite(argument, table)
    dtype = np.float32 if table.dtype == np.float32 else np.float64
    if isinstance(table, sp.csr_array) and table.dtype == dtype and table.has_canonical_format:
        return table
    # through COO, which keeps duplicates separate; a dense table has none
    pairs = table.tocoo() if is_sparse(table) else sp.coo_array(table)
    ratings = sp.csr_array((pairs.data.astype(dtype), pairs.coords), shape=table.shape)
    ratings.sum_duplicates()
    if ratings.nnz != pairs.nnz:
        raise InputError(
            f"{argument} rates a pair twice: got {pairs.nnz} ratings for {ratings.nnz} pairs of user and item, "
            "expected one rating per pair. Keep the last or the mean of them."
        )
    return ratings


def user_means(ratings: sp.csr_array) -> Array:
    """Return the mean rating of each user; without ratings, the mean of all ratings, or 0 if there are none."""
    counts = np.diff(ratings.indptr)
    overall = float(ratings.data.mean(dtype=np.float64)) if ratings.nnz else 0.0
    sums = np.asarray(ratings.sum(axis=1, dtype=np.float64)).ravel()
    means = np.divide(sums, counts, out=np.full(len(counts), overall), where=counts > 0)
    return means.astype(ratings.dtype)
