"""Exact nearest neighbours by cosine, for dense and sparse vectors."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import normalize

from tacit.checks import check_count, check_finite
from tacit.errors import InputError

__all__ = ["Neighbours", "nearest"]


class Neighbours(NamedTuple):
    """Rows of the collection and their cosines, both n_queries x n_found, the nearest first."""

    rows: np.ndarray
    scores: np.ndarray


def nearest(query_vectors: Any, collection_vectors: Any, limit: int) -> Neighbours:
    """Find the `limit` rows of a collection that are nearest to each query by cosine.

    Every pair is compared, so the answer is exact. Equal cosines are ordered by row, and a vector of zeros has the
    cosine 0 with everything.

    Parameters
    ----------
    query_vectors : array or sparse matrix, n_queries x n_dimensions
    collection_vectors : array or sparse matrix, n_records x n_dimensions
    limit : int
        How many to find; a smaller collection gives all it has.

    Returns
    -------
    Neighbours
        `rows` and `scores`, n_queries x min(limit, n_records).

    Notes
    -----
    Time is proportional to n_queries x n_records; the cosines are held for as many queries at once as fit in 64 MiB.
    """
    limit = check_count("limit", limit)
    queries, collection = (
        _directions("query_vectors", query_vectors),
        _directions("collection_vectors", collection_vectors),
    )
    if queries.shape[1] != collection.shape[1]:
        raise InputError(
            "query_vectors does not match collection_vectors: "
            f"got {queries.shape[1]} dimensions for {collection.shape[1]}, expected the same number. "
            "Make both with the same model."
        )
    n_queries, n_records = queries.shape[0], collection.shape[0]
    limit = min(limit, n_records)
    rows = np.empty((n_queries, limit), dtype=np.intp)
    scores = np.empty((n_queries, limit), dtype=np.result_type(queries.dtype, collection.dtype))
    batch = max(1, _BATCH_BYTES // max(1, n_records * scores.itemsize))
    for start in range(0, n_queries, batch):
        cosines = _dense(queries[start : start + batch] @ collection.T)
        for row, values in enumerate(np.clip(cosines, -1, 1), start=start):
            rows[row] = _largest(values, limit)
            scores[row] = values[rows[row]]
    return Neighbours(rows, scores)


_BATCH_BYTES = 64 * 2**20


def _directions(name: str, vectors: Any) -> Any:
    """Rows of unit length, float32 kept; rows of zeros stay as they are."""
    vectors = vectors.tocsr() if hasattr(vectors, "tocsr") else np.asarray(vectors)
    if vectors.ndim != 2:
        raise InputError(
            f"{name} is not a matrix: got {vectors.ndim} dimensions, expected 2. Write [vector] for one vector."
        )
    if vectors.dtype not in (np.float32, np.float64):
        vectors = vectors.astype(np.float64)
    check_finite(name, vectors)
    return normalize(vectors) if vectors.shape[0] else vectors


def _dense(product: Any) -> np.ndarray:
    """The product as an array, whichever of its factors was sparse."""
    return product.toarray() if hasattr(product, "toarray") else np.asarray(product)


def _largest(values: np.ndarray, limit: int) -> np.ndarray:
    """Where the `limit` largest values are, the largest first, ties in order; without sorting all of them."""
    if limit == 0:
        return np.empty(0, dtype=np.intp)
    threshold = np.partition(values, len(values) - limit)[len(values) - limit]
    candidates = np.flatnonzero(values >= threshold)
    return candidates[np.argsort(-values[candidates], kind="stable")][:limit]
