"""How well labels are suggested to people: the first k suggestions, and the sets that are chosen.

These are the measures of subject indexing, averaged as Annif's `eval` does: over records, over labels and over all
decisions. A label that no training record had counts as missed wherever it is true, since the person who looks for it
misses it; nothing is left out quietly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import as_dense, as_judged, as_pair
from tacit.evaluate.measures.ranking import discounts, top_columns
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array, Float64Array, IntArray

__all__ = ["AtK", "SetScores", "annotation_at_k", "annotation_sets"]

_ROWS = 4096


@dataclass(frozen=True, eq=False)
class AtK:
    """What the first k suggestions are worth, averaged over the records.

    Attributes
    ----------
    k : int
    precision : float
        Right ones among those suggested. A record with fewer than k labels cannot reach 1.
    recall : float
        Labels of the record that are among them.
    f1 : float
        Mean of the records' own 2 hits / (suggested + true).
    ndcg : float
        Right ones count less at later places, 1 / log2(place + 1); 1 is the best that the record allows.
    per_record : (n_records,) array
        nDCG of each record that has labels, in their order, for a comparison in pairs.
    """

    k: int
    precision: float
    recall: float
    f1: float
    ndcg: float
    per_record: Float64Array


@dataclass(frozen=True)
class SetScores:
    """What chosen sets of labels are worth.

    Attributes
    ----------
    precision, recall, f1 : float
        Means over the records.
    micro_precision, micro_recall, micro_f1 : float
        Of all decisions together, so that frequent labels rule.
    macro_precision, macro_recall, macro_f1 : float
        Means over the labels that the records truly have: each label counts the same.
    n_records, n_labels : int
        How many records and labels that is.
    n_right, n_wrong, n_missed : int
        Decisions.
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
        Records with unknown labels, or without one, are left out.
    scores : array of shape (n_records, n_labels)
        Higher is suggested first; equal scores in column order. Minus infinity is never suggested.
    ks : sequence of int, default (1, 3, 5, 10)
        A k above the number of labels looks at all of them.

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
    truth = as_judged(y_true, "y_true")
    dense = _check(scores, truth)
    n_true = np.diff(truth.indicator.indptr).astype(np.int64)
    rows = np.flatnonzero(n_true)
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    widest = min(max(check_count("ks", k) for k in ks), truth.n_labels)
    hits, suggested = _hits(truth, dense, rows, widest)
    return tuple(_at(k, min(k, widest), hits, suggested, n_true[rows]) for k in ks)


def annotation_sets(y_true: Any, y_pred: Any) -> SetScores:
    """Measure chosen sets of labels, over records, labels and decisions.

    Parameters
    ----------
    y_true, y_pred : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Named labels are matched by name. Records with unknown true labels, or without one, are left out.

    Examples
    --------
    >>> found = annotation_sets([{"cats"}, {"cats", "dogs"}], [{"cats"}, {"cats", "birds"}])
    >>> found.n_right, found.n_wrong, found.n_missed, round(found.f1, 3)
    (2, 1, 1, 0.75)
    """
    truth, said = as_pair(y_true, y_pred, ("y_true", "y_pred"))
    check_rows("y_pred", said.n_records, truth.n_records, of="y_true")
    rows = np.flatnonzero(np.diff(truth.indicator.indptr))
    if not rows.size:
        raise InputError("y_true has no labels: got no record with a label, expected at least one.")
    one, other = truth.indicator[rows], said.indicator[rows]
    both = sp.csr_array(one.multiply(other))
    by_record = [np.asarray(part.sum(axis=1), np.float64).ravel() for part in (both, other, one)]
    by_label = [np.asarray(part.sum(axis=0), np.float64).ravel() for part in (both, other, one)]
    occurs = by_label[2] > 0
    n_right, n_said, n_true = (float(counts.sum()) for counts in by_record)
    return SetScores(
        *_means(*by_record),
        *_means(*(np.array([number]) for number in (n_right, n_said, n_true))),
        *_means(*(counts[occurs] for counts in by_label)),
        n_records=len(rows),
        n_labels=int(np.count_nonzero(occurs)),
        n_right=int(n_right),
        n_wrong=int(n_said - n_right),
        n_missed=int(n_true - n_right),
    )


def _check(scores: Any, truth: LabelMatrix) -> Array:
    dense = as_dense(scores)
    if dense.dtype.kind not in "biuf" or dense.shape != (truth.n_records, truth.n_labels):
        raise InputError(
            f"scores does not match y_true: got {dense.dtype} values of shape {dense.shape}, "
            f"expected numbers for {truth.n_records} records x {truth.n_labels} labels."
        )
    dense = dense if dense.dtype.kind == "f" else dense.astype(np.float64)
    if np.isnan(dense).any() or np.isposinf(dense).any():
        raise InputError("scores is not finite: got NaN or infinity, expected numbers, or minus infinity for never.")
    return dense


def _hits(truth: LabelMatrix, scores: Array, rows: Array, k: int) -> tuple[Float64Array, Float64Array]:
    """Whether the label at each place is right, and whether there is one at all; records x places."""
    hits, suggested = np.zeros((len(rows), k)), np.zeros((len(rows), k))
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        best = top_columns(scores[part], k)
        there = np.take_along_axis(scores[part], best, axis=1) > -np.inf
        right = np.take_along_axis(truth.indicator[part].toarray(), best, axis=1)
        hits[start : start + len(part)], suggested[start : start + len(part)] = right * there, there
    return hits, suggested


def _at(k: int, width: int, hits: Float64Array, suggested: Float64Array, n_true: IntArray) -> AtK:
    discount = discounts(width)
    ideal = np.cumsum(discount)[np.minimum(n_true, width) - 1]
    ndcg = (hits[:, :width] @ discount) / ideal
    counts = hits[:, :width].sum(axis=1), suggested[:, :width].sum(axis=1), n_true.astype(np.float64)
    return AtK(k, *_means(*counts), float(ndcg.mean()), ndcg)


def _means(right: Float64Array, said: Float64Array, true: Float64Array) -> tuple[float, float, float]:
    """Mean precision, recall and F1 of rows of counts; nothing said is a precision of 0."""
    precision, recall = right / np.maximum(said, 1), right / np.maximum(true, 1)
    return float(precision.mean()), float(recall.mean()), float((2 * right / np.maximum(said + true, 1)).mean())
