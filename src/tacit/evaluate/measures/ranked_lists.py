"""The first suggestions of each record, from dense scores or from sparse ones that list only what is suggested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_rows, is_sparse
from tacit.errors import InputError
from tacit.evaluate.measures.alignment import check_scores
from tacit.evaluate.measures.ranking import top_columns
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["RankedLabels", "check_suggestions", "first_ranked"]

_ROWS = 256


@dataclass(frozen=True, eq=False)
class RankedLabels:
    """Suggestions as pairs of a record and a label, ordered by record, the best first.

    Attributes
    ----------
    record, label : int arrays
        Row and column of each suggestion.
    rank : int array
        0 for the first suggestion of a record.
    score : float array
    """

    record: IntArray
    label: IntArray
    rank: IntArray
    score: Float64Array

    def are_right(self, truth: LabelMatrix) -> BoolArray:
        """Return whether each suggested label is one of its record."""
        if not len(self.record):
            return np.empty(0, bool)
        return np.asarray(truth.indicator[self.record, self.label]).ravel() > 0


def check_suggestions(scores: Any, truth: LabelMatrix) -> Any:
    """Return scores as a dense array or a CSR matrix with a row per record and a column per label.

    Minus infinity, and what a sparse matrix does not store, is never suggested; a stored zero is a score.
    """
    if not is_sparse(scores):
        return check_scores(scores, truth, may_be_unlisted=True)
    listed: Any = sp.csr_array(scores)
    if listed.shape[1] != truth.n_labels or listed.dtype.kind not in "biuf":
        raise InputError(
            f"scores does not match y_true: got {listed.dtype} values of shape {listed.shape}, expected numbers for "
            f"{truth.n_records} records x {truth.n_labels} labels."
        )
    check_rows("scores", listed.shape[0], truth.n_records, of="y_true")
    if np.isnan(listed.data).any() or np.isposinf(listed.data).any():
        raise InputError(
            "scores is not finite: got NaN or infinity, expected numbers. Leave out labels that are not suggested."
        )
    return listed


def first_ranked(scores: Any, k: int) -> RankedLabels:
    """Return the first k suggestions of each record; equal scores are ranked in column order.

    Parameters
    ----------
    scores : array or CSR matrix of shape (n_records, n_labels)
        As `check_suggestions` returns them.
    k : int
    """
    return _first_listed(scores, k) if is_sparse(scores) else _first_of_dense(scores, k)


def _first_listed(scores: Any, k: int) -> RankedLabels:
    record = np.repeat(np.arange(scores.shape[0]), np.diff(scores.indptr))
    label, score = scores.indices.astype(np.int64), scores.data.astype(np.float64)
    listed = np.flatnonzero(score > -np.inf)
    order = listed[np.lexsort((label[listed], -score[listed], record[listed]))]
    record = record[order]
    rank = np.arange(len(order)) - np.searchsorted(record, record)
    first = np.flatnonzero(rank < k)
    return RankedLabels(record[first], label[order][first], rank[first], score[order][first])


def _first_of_dense(scores: Any, k: int) -> RankedLabels:
    n_rows, k = scores.shape[0], min(k, scores.shape[1])
    best = np.empty((n_rows, k), np.int64)
    values = np.empty((n_rows, k))
    for start in range(0, n_rows, _ROWS):
        part = slice(start, start + _ROWS)
        best[part] = top_columns(scores[part], k)
        values[part] = np.take_along_axis(scores[part], best[part], axis=1)
    record, rank = np.nonzero(values > -np.inf)
    return RankedLabels(record, best[record, rank], rank, values[record, rank])
