"""How well things are ranked: the labels of a record, and the records of a collection for a query.

Ranks are made the same way everywhere: best score first, equal scores in column order. The discount of rank r
(from 1) is 1 / log2(r + 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import check_count, check_finite, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import as_dense, as_judged, as_pair, check_scores
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array, Float64Array, IntArray

__all__ = ["discounts", "ideal_gains", "ndcg_at_k", "overlap_ndcg", "precision_at_k", "top_columns"]


def precision_at_k(y_true: Any, scores: Any, k: int) -> float:
    """Measure the share of right labels among the k best-scored ones, averaged over the records that have labels.

    Parameters
    ----------
    y_true : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records with unknown labels, or without one, are left out.
    scores : array of shape (n_records, n_labels)
        Higher means more likely; equal scores rank in column order.
    k : int
        How many labels are looked at, at most the number of labels. A record with fewer than k labels cannot reach 1.
    """
    truth = as_judged(y_true, "y_true")
    if check_count("k", k) > truth.n_labels:
        raise InputError(f"k is out of range: got {k}, expected at most the number of labels, {truth.n_labels}.")
    hits, _ = _ranked_hits(truth, scores, k)
    return float(hits.mean())


def ndcg_at_k(y_true: Any, scores: Any, k: int) -> float:
    """Measure the normalised discounted gain of the k best-scored labels, averaged over the records that have labels.

    A right label at rank r gains 1 / log2(r + 1); the ideal puts the record's own labels first, so that each record can
    reach 1. Parameters as for `precision_at_k`; a `k` above the number of labels looks at all of them.
    """
    truth = as_judged(y_true, "y_true")
    hits, n_true = _ranked_hits(truth, scores, min(check_count("k", k), truth.n_labels))
    discount = discounts(hits.shape[1])
    ideal = np.cumsum(discount)[np.minimum(n_true, len(discount)) - 1]
    return float(((hits @ discount) / ideal).mean())


def overlap_ndcg(
    queries: Any, collection: Any, query_labels: Any, collection_labels: Any, *, k: int = 10, batch: int = 256
) -> float:
    """Measure search by meaning: do the nearest records share the query's labels?

    The collection is ranked for each query by the cosine of their vectors. A record gains the Jaccard overlap of its
    label set with the query's, |A ∩ B| / |A ∪ B|; the ideal is the best k overlaps in the whole collection.

    Parameters
    ----------
    queries, collection : array or sparse, shapes (n_queries, n_dims) and (n_records, n_dims)
        Vectors in one space. A query that is itself in the collection finds itself: keep them apart.
    query_labels, collection_labels : LabelMatrix, 0/1 matrix, or label sets
        Queries without labels are left out, and so are those that share no label with any record, for which there is
        nothing to find. Records with unknown labels cannot be judged and are not ranked.
    k : int, default 10
        How many records are looked at.
    batch : int, default 256
        Queries ranked at a time; memory is about 3 x batch x n_records numbers.

    Returns
    -------
    float
        Mean nDCG@k over the queries.
    """
    asked, known = as_pair(query_labels, collection_labels, ("query_labels", "collection_labels"))
    queries, collection = _unit_rows(queries, "queries"), _unit_rows(collection, "collection")
    _check_space(queries, collection)
    check_rows("query_labels", asked.n_records, queries.shape[0], of="queries")
    check_rows("collection_labels", known.n_records, collection.shape[0], of="collection")
    check_count("batch", batch)
    kept = np.flatnonzero(known.known)
    collection, known = collection[kept], known[kept]
    k = min(check_count("k", k), max(1, len(kept)))
    discount = discounts(k)
    ideal = ideal_gains(asked, known, k, batch) @ discount if len(kept) else np.zeros(asked.n_records)
    rows = np.flatnonzero(ideal > 0)
    if not rows.size:
        raise InputError("query_labels has nothing to find: got no label shared with the collection, expected some.")
    gained = [_gains(queries, collection, asked, known, part, k) @ discount for part in _parts(rows, batch)]
    return float((np.concatenate(gained) / ideal[rows]).mean())


def _ranked_hits(truth: LabelMatrix, scores: Any, k: int) -> tuple[Float64Array, IntArray]:
    """Give for each record with labels whether its r-th best label is right, and how many labels it has."""
    dense = check_scores(scores, truth)
    n_true = np.diff(truth.indicator.indptr)
    rows = np.flatnonzero(n_true)
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    hits = np.empty((len(rows), k))
    for start in range(0, len(rows), 4096):
        part = rows[start : start + 4096]
        true_here = truth.indicator[part].toarray()
        hits[start : start + len(part)] = np.take_along_axis(true_here, top_columns(dense[part], k), axis=1)
    return hits, n_true[rows].astype(np.int64)


def top_columns(scores: Array, k: int) -> IntArray:
    """Give the columns of the k best scores of each row, best first, equal scores in column order.

    Partitioning alone breaks ties at the k-th place as it likes; so only its threshold is used, and the columns that
    equal it are taken from the left.
    """
    n_columns = scores.shape[1]
    threshold = np.partition(scores, n_columns - k, axis=1)[:, n_columns - k, None]
    chosen = scores >= threshold
    crowded = np.flatnonzero(np.count_nonzero(chosen, axis=1) > k)
    if crowded.size:
        tied = scores[crowded] == threshold[crowded]
        room = k - np.count_nonzero(scores[crowded] > threshold[crowded], axis=1)
        chosen[crowded] &= ~tied | (np.cumsum(tied, axis=1) <= room[:, None])
    columns = np.nonzero(chosen)[1].reshape(-1, k)
    order = np.argsort(-np.take_along_axis(scores, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def discounts(k: int) -> Float64Array:
    """Give what a hit counts at each of the first k ranks."""
    return 1.0 / np.log2(np.arange(2, k + 2))


def _unit_rows(vectors: Any, argument: str) -> Any:
    """Scale rows to length one, so that products are cosines; a row of zeros stays, and its cosines are 0."""
    if not sp.issparse(vectors):
        vectors = np.asarray(vectors)
        if vectors.ndim != 2 or vectors.dtype.kind not in "biuf":
            raise InputError(
                f"{argument} is not a matrix of numbers: got {vectors.dtype} values in {vectors.ndim} dimension(s), "
                "expected one row of numbers a record."
            )
    check_finite(argument, vectors)
    return sp.csr_array(normalize(vectors)) if sp.issparse(vectors) else normalize(vectors)


def _check_space(queries: Any, collection: Any) -> None:
    if queries.shape[1] != collection.shape[1]:
        raise InputError(
            f"queries does not match collection: got {queries.shape[1]} dimensions for {collection.shape[1]}, "
            "expected vectors of one space."
        )


def _parts(rows: IntArray, batch: int) -> list[IntArray]:
    return [rows[start : start + batch] for start in range(0, len(rows), batch)]


def ideal_gains(asked: LabelMatrix, known: LabelMatrix, k: int, batch: int) -> Float64Array:
    """Give each query's k best overlaps with the collection.

    Equal label sets have equal overlaps, so only distinct sets are compared; a set that many records have then counts
    as often as they do.
    """
    member, query_sets = asked.distinct()
    belongs, record_sets = known.distinct()
    n_records = np.asarray(belongs.sum(axis=0)).ravel().astype(np.int64)
    n_best = min(k, len(n_records))
    best = np.empty((query_sets.shape[0], k))
    for part in _parts(np.arange(query_sets.shape[0]), batch):
        overlap = _overlaps(query_sets[part], record_sets)
        top = top_columns(overlap, n_best)
        last = np.cumsum(n_records[top], axis=1)
        # the gain at place p is that of the first set whose records reach beyond p
        which = (last[:, :, None] <= np.arange(k)).sum(axis=1)
        best[part] = np.take_along_axis(np.take_along_axis(overlap, top, axis=1), which, axis=1)
    return np.asarray(member @ best)


def _overlaps(one: sp.csr_array, other: sp.csr_array) -> Float64Array:
    """Give the Jaccard overlap of every label set in `one` with every set in `other`."""
    shared = np.asarray((one @ other.T).toarray(), dtype=np.float64)
    union = np.diff(one.indptr)[:, None] + np.diff(other.indptr)[None, :] - shared
    return np.divide(shared, union, out=shared, where=shared > 0)


def _gains(
    queries: Any, collection: Any, asked: LabelMatrix, known: LabelMatrix, rows: IntArray, k: int
) -> Float64Array:
    """Rank the collection for some queries and give the overlap at each of the k first places."""
    found = top_columns(as_dense(queries[rows] @ collection.T), k).ravel()
    one, other = asked.indicator[np.repeat(rows, k)], known.indicator[found]
    shared = np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64).ravel()
    union = np.diff(one.indptr) + np.diff(other.indptr) - shared
    return (shared / np.maximum(union, 1.0)).reshape(len(rows), k)
