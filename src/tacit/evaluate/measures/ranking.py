"""Measures of rankings: the labels of a record, and the records of a collection for a query.

Ranks are made the same way everywhere: best score first, equal scores in column order. The discount of rank r
(from 1) is 1 / log2(r + 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import as_table, check_count, check_rows, is_sparse
from tacit.errors import InputError
from tacit.evaluate.measures.alignment import aligned_labels, as_dense, as_label_columns, check_scores
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array, BoolArray, Float64Array, IntArray

__all__ = [
    "among_best", "found_overlap_ndcg", "ndcg_at_k", "ndcg_of_hits", "overlap_ndcg", "precision_at_k", "ranked_hits",
    "reciprocal_ranks",
]  # fmt: skip

_ROWS = 4096  # records ranked at a time


def precision_at_k(y_true: Any, scores: Any, k: int) -> float:
    """Measure the share of right labels among the k best-scored ones, averaged over the records that have labels.

    Parameters
    ----------
    y_true : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records with unknown labels, or without any, are left out.
    scores : array of shape (n_records, n_labels)
        Higher means more likely; equal scores rank in column order.
    k : int
        Length of the ranking, at most the number of labels. A record with fewer than k labels cannot reach 1.
    """
    truth = as_label_columns(y_true, "y_true")
    if check_count("k", k) > truth.n_labels:
        raise InputError(f"k is out of range: got {k}, expected at most the number of labels, {truth.n_labels}.")
    hits, _, _ = ranked_hits(truth, check_scores(scores, truth), k)
    return float(hits.mean())


def ndcg_at_k(y_true: Any, scores: Any, k: int) -> float:
    """Measure the normalised discounted gain of the k best-scored labels, averaged over the records that have labels.

    A right label at rank r gains 1 / log2(r + 1); the ideal puts the record's own labels first, so that each record can
    reach 1. Parameters as for `precision_at_k`; a `k` above the number of labels ranks all of them.
    """
    truth = as_label_columns(y_true, "y_true")
    hits, _, n_true = ranked_hits(truth, check_scores(scores, truth), min(check_count("k", k), truth.n_labels))
    return float(ndcg_of_hits(hits, n_true).mean())


def overlap_ndcg(
    queries: Any, collection: Any, query_labels: Any, collection_labels: Any, *, k: int = 10, batch: int = 256
) -> float:
    """Measure search by meaning: do the nearest records share the query's labels?

    The collection is ranked for each query by the cosine of their vectors. A record gains the Jaccard overlap of its
    label set with the query's, |A ∩ B| / |A ∪ B|; the ideal is the best k overlaps in the whole collection.

    Parameters
    ----------
    queries, collection : array or sparse, shapes (n_queries, n_dims) and (n_records, n_dims)
        Vectors in one space. A query that is also in the collection finds itself: keep them apart.
    query_labels, collection_labels : LabelMatrix, 0/1 matrix, or label sets
        Queries without labels are left out, and so are those that share no label with any record. Records with unknown
        labels are not ranked.
    k : int, default 10
        Length of the ranking.
    batch : int, default 256
        Queries ranked at a time; memory is about 3 x batch x n_records numbers.

    Returns
    -------
    float
        Mean nDCG@k over the queries.
    """
    asked, known = aligned_labels(query_labels, collection_labels, ("query_labels", "collection_labels"))
    queries, collection = _unit_rows(queries, "queries"), _unit_rows(collection, "collection")
    if queries.shape[1] != collection.shape[1]:
        raise InputError(
            f"queries does not match collection: got {queries.shape[1]} dimensions for {collection.shape[1]}, "
            "expected vectors of one space."
        )
    check_rows("query_labels", asked.n_records, queries.shape[0], of="queries")
    check_rows("collection_labels", known.n_records, collection.shape[0], of="collection")
    check_count("batch", batch)
    kept = np.flatnonzero(known.known)
    collection, known = collection[kept], known[kept]
    k, ideal = _ideal(asked, known, check_count("k", k), batch)
    rows = np.flatnonzero(ideal > 0)
    if not rows.size:
        raise InputError("query_labels has nothing to find: got no label shared with the collection, expected some.")
    found = [top_columns(as_dense(queries[part] @ collection.T), k) for part in _parts(rows, batch)]
    gains = _gains(list(np.concatenate(found)), asked[rows], known, k)
    return float((gains @ _discounts(k) / ideal[rows]).mean())


def found_overlap_ndcg(found: Sequence[Any], query_labels: Any, collection_labels: Any, *, k: int = 10) -> Float64Array:
    """Measure lists of found records, from any search, by the labels they share with the query, as `overlap_ndcg` does.

    Parameters
    ----------
    found : sequence of int arrays
        For each query the numbers of the records found, the best first.
    query_labels, collection_labels : LabelMatrix, 0/1 matrix, or label sets
        Records with unknown labels cannot be measured: leave them out of the lists.
    k : int, default 10
        Number of records that count.

    Returns
    -------
    (n_queries,) array
        nDCG@k of each query; NaN for those that share no label with any record.
    """
    asked, known = aligned_labels(query_labels, collection_labels, ("query_labels", "collection_labels"))
    check_rows("query_labels", asked.n_records, len(found), of="found")
    k, ideal = _ideal(asked, known[np.flatnonzero(known.known)], check_count("k", k), 256)
    rows = np.flatnonzero(ideal > 0)
    values = np.full(len(found), np.nan)
    if rows.size:
        gains = _gains([found[row] for row in rows.tolist()], asked[rows], known, k)
        values[rows] = gains @ _discounts(k) / ideal[rows]
    return values


def reciprocal_ranks(found: Sequence[Any], wanted: Sequence[int]) -> Float64Array:
    """Return 1 / rank of the wanted record in each list, 0 if it is not in the list.

    Examples
    --------
    >>> reciprocal_ranks([[4, 7, 9], [1, 2]], [7, 3]).tolist()
    [0.5, 0.0]
    """
    check_rows("wanted", len(wanted), len(found), of="found")
    values = np.zeros(len(found))
    for query, (numbers, number) in enumerate(zip(found, wanted, strict=True)):
        places = np.flatnonzero(np.asarray(numbers) == number)
        if len(places):
            values[query] = 1 / (1 + places[0])
    return values


def ranked_hits(truth: LabelMatrix, scores: Array, k: int) -> tuple[Float64Array, Float64Array, IntArray]:
    """Rank the labels of each record that has any.

    Returns
    -------
    hits, listed : (n_records_with_labels, k) arrays of 0 and 1
        Whether the label at each rank is right, and whether there is one: minus infinity is never listed.
    n_true : (n_records_with_labels,) array
        Number of labels of each record.
    """
    n_true = np.diff(truth.indicator.indptr)
    rows = np.flatnonzero(n_true)
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    hits, listed = np.empty((len(rows), k)), np.empty((len(rows), k))
    for start in range(0, len(rows), _ROWS):
        part, here = rows[start : start + _ROWS], slice(start, start + _ROWS)
        best = top_columns(scores[part], k)
        listed[here] = np.take_along_axis(scores[part], best, axis=1) > -np.inf
        hits[here] = np.take_along_axis(truth.indicator[part].toarray(), best, axis=1) * listed[here]
    return hits, listed, n_true[rows].astype(np.int64)


def ndcg_of_hits(hits: Float64Array, n_true: IntArray) -> Float64Array:
    """Return the nDCG of each row of hits; the ideal has all true labels, as far as there are ranks, first."""
    discount = _discounts(hits.shape[1])
    return np.asarray((hits @ discount) / np.cumsum(discount)[np.minimum(n_true, len(discount)) - 1])


def top_columns(scores: Array, k: int) -> IntArray:
    """Return the columns of the k best scores of each row, best first, equal scores in column order."""
    columns = np.nonzero(among_best(scores, k))[1].reshape(-1, k)
    order = np.argsort(-np.take_along_axis(scores, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)


def among_best(scores: Array, k: int) -> BoolArray:
    """Return a mask of the k best scores of each row, of equal ones those in the first columns.

    A partition alone breaks ties at the k-th place arbitrarily; so only its threshold is used, and the columns that
    equal it are taken from the left.
    """
    n_columns = scores.shape[1]
    threshold = np.partition(scores, n_columns - k, axis=1)[:, n_columns - k, None]
    chosen: BoolArray = scores >= threshold
    crowded = np.flatnonzero(np.count_nonzero(chosen, axis=1) > k)
    if crowded.size:
        tied = scores[crowded] == threshold[crowded]
        room = k - np.count_nonzero(scores[crowded] > threshold[crowded], axis=1)
        chosen[crowded] &= ~tied | (np.cumsum(tied, axis=1) <= room[:, None])
    return chosen


def _discounts(k: int) -> Float64Array:
    return 1.0 / np.log2(np.arange(2, k + 2))


def _unit_rows(vectors: Any, argument: str) -> Any:
    """Scale rows to length one, so that products are cosines; a row of zeros stays, and its cosines are 0."""
    table = as_table(argument, vectors)
    return sp.csr_array(normalize(table)) if is_sparse(table) else normalize(table)


def _parts(rows: IntArray, batch: int) -> list[IntArray]:
    return [rows[start : start + batch] for start in range(0, len(rows), batch)]


def _ideal(asked: LabelMatrix, known: LabelMatrix, k: int, batch: int) -> tuple[int, Float64Array]:
    """Return the number of ranks, and the discounted gain of each query if the best overlaps came first.

    Equal label sets have equal overlaps, so only distinct sets are compared; a set that many records have then counts
    as often as they do.
    """
    k = min(k, max(1, len(known)))
    if not len(known):
        return k, np.zeros(asked.n_records)
    member, query_sets = asked.distinct()
    belongs, record_sets = known.distinct()
    n_records = np.asarray(belongs.sum(axis=0)).ravel().astype(np.int64)
    n_best = min(k, len(n_records))
    best = np.empty((query_sets.shape[0], k))
    for part in _parts(np.arange(query_sets.shape[0]), batch):
        sets = query_sets[part]
        shared = np.asarray((sets @ record_sets.T).toarray(), dtype=np.float64)
        union = np.diff(sets.indptr)[:, None] + np.diff(record_sets.indptr)[None, :] - shared
        overlap = np.divide(shared, union, out=shared, where=shared > 0)  # Jaccard
        top = top_columns(overlap, n_best)
        last = np.cumsum(n_records[top], axis=1)
        # the gain at rank r is that of the first set whose records reach beyond r
        which = (last[:, :, None] <= np.arange(k)).sum(axis=1)
        best[part] = np.take_along_axis(np.take_along_axis(overlap, top, axis=1), which, axis=1)
    return k, np.asarray(member @ best) @ _discounts(k)


def _gains(found: Sequence[Any], asked: LabelMatrix, known: LabelMatrix, k: int) -> Float64Array:
    """Jaccard overlap of each query with the records found for it; queries x ranks, 0 beyond the end of a list."""
    lists = [np.asarray(numbers, np.int64)[:k] for numbers in found]
    lengths = np.asarray([len(numbers) for numbers in lists])
    query, numbers = np.repeat(np.arange(len(lists)), lengths), np.concatenate(lists)
    if not known.known[numbers].all():
        raise InputError("found has a record with unknown labels: got one that cannot be measured, expected none.")
    one, other = asked.indicator[query], known.indicator[numbers]
    shared = np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64).ravel()
    union = np.diff(one.indptr) + np.diff(other.indptr) - shared
    gains = np.zeros((len(lists), k))
    rank = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    gains[query, rank] = shared / np.maximum(union, 1)
    return gains
