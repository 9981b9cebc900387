"""How well lists of found records answer: do they share the labels of the query, and where is the one that was meant?

`overlap_ndcg` ranks vectors itself; here the ranks come from elsewhere, a full-text search for instance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.checks import check_count, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import as_pair
from tacit.evaluate.measures.ranking import discounts, ideal_gains
from tacit.types import Float64Array

__all__ = ["found_overlap_ndcg", "reciprocal_ranks"]


def found_overlap_ndcg(found: Sequence[Any], query_labels: Any, collection_labels: Any, *, k: int = 10) -> Float64Array:
    """Measure lists of found records by the labels they share with the query, as `overlap_ndcg` does.

    Parameters
    ----------
    found : sequence of int arrays
        For each query the numbers of the records found, the best first. Shorter lists gain nothing at the end.
    query_labels, collection_labels : LabelMatrix, 0/1 matrix, or label sets
        Records with unknown labels cannot be judged: leave them out of the lists.
    k : int, default 10
        How many records are looked at.

    Returns
    -------
    (n_queries,) array
        nDCG@k of each query; NaN for those that share no label with any record, for which there is nothing to find.
    """
    asked, known = as_pair(query_labels, collection_labels, ("query_labels", "collection_labels"))
    check_rows("query_labels", asked.n_records, len(found), of="found")
    judged = known[np.flatnonzero(known.known)]
    k = min(check_count("k", k), max(1, len(judged)))
    discount = discounts(k)
    ideal = ideal_gains(asked, judged, k, 256) @ discount if len(judged) else np.zeros(len(found))
    values = np.full(len(found), np.nan)
    for query in np.flatnonzero(ideal > 0).tolist():
        numbers = np.asarray(found[query], np.int64)[:k]
        if len(numbers) and not known.known[numbers].all():
            raise InputError("found has a record with unknown labels: got one that cannot be judged, expected none.")
        values[query] = _gains(asked.indicator[[query]], known.indicator[numbers]) @ discount[: len(numbers)]
        values[query] /= ideal[query]
    return values


def reciprocal_ranks(found: Sequence[Any], wanted: Sequence[int]) -> Float64Array:
    """Give 1 / place of the wanted record in each list, 0 where it is not in it.

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


def _gains(one: Any, others: Any) -> Float64Array:
    """The Jaccard overlap of one label set with others."""
    shared = np.asarray((others @ one.T).toarray(), np.float64).ravel()
    union = one.nnz + np.diff(others.indptr) - shared
    return np.asarray(shared / np.maximum(union, 1))
