"""Measures of suggested labels: the first k suggestions, and the sets that are chosen.

These are the measures of subject indexing, averaged as Annif's `eval` does: over records, over labels and over all
decisions. A label that no training record had counts as missed wherever it is true: nothing is left out silently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.alignment import aligned_labels, as_label_columns
from tacit.evaluate.measures.ranked_lists import check_suggestions, first_ranked
from tacit.evaluate.measures.ranking import ndcg_of_hits
from tacit.types import Float64Array

__all__ = ["AtK", "SetScores", "annotation_at_k", "annotation_sets"]


@dataclass(frozen=True, eq=False)
class AtK:
    """Quality of the first k suggestions, averaged over the records.

    Attributes
    ----------
    k : int
    precision : float
        Share of the suggestions that are right. A record with fewer than k labels cannot reach 1.
    recall : float
        Share of the record's labels that are suggested.
    f1 : float
        Mean over the records of 2 hits / (suggested + true).
    ndcg : float
        A right label at rank r gains 1 / log2(r + 1); 1 is the best that the record allows.
    per_record : (n_records,) array
        nDCG of each record that has labels, in their order, for paired comparisons.
    """

    k: int
    precision: float
    recall: float
    f1: float
    ndcg: float
    per_record: Float64Array


@dataclass(frozen=True)
class SetScores:
    """Quality of chosen sets of labels.

    Attributes
    ----------
    precision, recall, f1 : float
        Means over the records.
    micro_precision, micro_recall, micro_f1 : float
        Of all decisions together, so that frequent labels dominate.
    macro_precision, macro_recall, macro_f1 : float
        Means over the labels that at least one record has: each label counts the same.
    n_records, n_labels : int
        Numbers of these records and labels.
    n_right, n_wrong, n_missed : int
        Labels predicted rightly, predicted wrongly, and not predicted.
    """

    precision: float
    recall: float
    f1: float
    micro_precision: float
    micro_recall: float
    micro_f1: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    n_records: int
    n_labels: int
    n_right: int
    n_wrong: int
    n_missed: int


def annotation_at_k(y_true: Any, scores: Any, ks: Sequence[int] = (1, 3, 5, 10)) -> tuple[AtK, ...]:
    """Measure the first k suggestions of each record that has labels.

    Parameters
    ----------
    y_true : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records with unknown labels, or without any, are left out.
    scores : array or sparse matrix of shape (n_records, n_labels)
        Higher scores are suggested first, equal ones in column order. Minus infinity, and what a sparse matrix does not
        store, is never suggested.
    ks : sequence of int, default (1, 3, 5, 10)
        A k above the number of labels ranks all of them.

    Raises
    ------
    InputError
        If the scores do not match, or no record has a label.

    Examples
    --------
    >>> first, both = annotation_at_k([{"cats"}, {"cats", "dogs"}], [[0.9, 0.2], [0.1, 0.8]], ks=(1, 2))
    >>> first.precision, first.recall, both.recall
    (1.0, 0.75, 1.0)
    """
    truth = as_label_columns(y_true, "y_true")
    scores = check_suggestions(scores, truth)
    widest = min(max(check_count("ks", k) for k in ks), truth.n_labels)
    n_true = np.diff(truth.indicator.indptr).astype(np.int64)
    rows = np.flatnonzero(n_true)
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    suggested = first_ranked(scores, widest)
    hits, listed = (np.zeros((truth.n_records, widest)) for _ in range(2))
    hits[suggested.record, suggested.rank] = suggested.are_right(truth)
    listed[suggested.record, suggested.rank] = 1
    hits, listed, n_true = hits[rows], listed[rows], n_true[rows]
    found = []
    for k in ks:
        first = slice(min(k, widest))
        ndcg = ndcg_of_hits(hits[:, first], n_true)
        counts = hits[:, first].sum(axis=1), listed[:, first].sum(axis=1), n_true.astype(np.float64)
        found.append(AtK(k, *_means(*counts), float(ndcg.mean()), ndcg))
    return tuple(found)


def annotation_sets(y_true: Any, y_pred: Any) -> SetScores:
    """Measure chosen sets of labels, averaged over records, over labels and over decisions.

    Parameters
    ----------
    y_true, y_pred : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Named labels are matched by name. Records with unknown true labels, or without any, are left out.

    Examples
    --------
    >>> found = annotation_sets([{"cats"}, {"cats", "dogs"}], [{"cats"}, {"cats", "birds"}])
    >>> found.n_right, found.n_wrong, found.n_missed, round(found.f1, 3)
    (2, 1, 1, 0.75)
    """
    truth, predicted = aligned_labels(y_true, y_pred, ("y_true", "y_pred"))
    check_rows("y_pred", predicted.n_records, truth.n_records, of="y_true")
    rows = np.flatnonzero(np.diff(truth.indicator.indptr))
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    one, other = truth.indicator[rows], predicted.indicator[rows]
    both = sp.csr_array(one.multiply(other))
    by_record = [np.asarray(part.sum(axis=1), np.float64).ravel() for part in (both, other, one)]
    by_label = [np.asarray(part.sum(axis=0), np.float64).ravel() for part in (both, other, one)]
    occurs = by_label[2] > 0
    n_right, n_predicted, n_true = (float(counts.sum()) for counts in by_record)
    return SetScores(
        *_means(*by_record),
        *_means(*(np.array([number]) for number in (n_right, n_predicted, n_true))),
        *_means(*(counts[occurs] for counts in by_label)),
        n_records=len(rows),
        n_labels=int(np.count_nonzero(occurs)),
        n_right=int(n_right),
        n_wrong=int(n_predicted - n_right),
        n_missed=int(n_true - n_right),
    )


def _means(right: Float64Array, predicted: Float64Array, true: Float64Array) -> tuple[float, float, float]:
    """Mean precision, recall and F1 of rows of counts; without predictions precision is 0."""
    precision, recall = right / np.maximum(predicted, 1), right / np.maximum(true, 1)
    return float(precision.mean()), float(recall.mean()), float((2 * right / np.maximum(predicted + true, 1)).mean())
