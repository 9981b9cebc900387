"""Measures of predicted labels: F1 of decisions and AUC of scores, averaged over labels.

A label that no training record has cannot be learned, and labels that no test record has, or every one, have no AUC.
Averages that count such labels as 0 or as 0.5 depend more on the split than on the method, so they are left out, and
their number is part of the result.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.checks import check_rows
from tacit.errors import InputError, TacitWarning
from tacit.evaluate.measures.alignment import aligned_labels, as_label_columns, check_scores, has_no_names
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import BoolArray, Float64Array

__all__ = ["AUCScores", "F1Scores", "auc", "f1", "label_report"]


@dataclass(frozen=True)
class F1Scores:
    """F1 over labels.

    Attributes
    ----------
    macro : float
        Mean of the F1 of each label: every label counts the same.
    micro : float
        F1 of all decisions together: every decision counts the same, so frequent labels dominate.
    per_label : array of shape (n_labels,)
        F1 of each label; NaN where it was left out.
    n_labels, n_left_out : int
        Numbers of labels that are in the averages, and that are not.
    """

    macro: float
    micro: float
    per_label: Float64Array
    n_labels: int
    n_left_out: int


@dataclass(frozen=True)
class AUCScores:
    """Area under the ROC curve: the probability that a record with the label scores higher than one without.

    Attributes
    ----------
    macro : float
        Mean over the labels that have an AUC.
    per_label : array of shape (n_labels,)
        AUC of each label; NaN where it is undefined or the label was left out.
    n_labels, n_left_out : int
        Numbers of labels that are in the average, and that are not.
    """

    macro: float
    per_label: Float64Array
    n_labels: int
    n_left_out: int


def f1(y_true: Any, y_pred: Any, trained: Any = None) -> F1Scores:
    """Measure predicted labels by F1 = 2 tp / (2 tp + fp + fn).

    Parameters
    ----------
    y_true, y_pred : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records whose true labels are unknown are left out; an unknown prediction counts as no label.
    trained : bool array or counts of shape (n_labels,), or the training LabelMatrix, optional
        Labels of the training records; the others are left out of both averages.

    Returns
    -------
    F1Scores
        A label that is in the averages, but neither occurs nor is predicted, counts as 0, as with scikit-learn's
        `zero_division=0`.
    """
    truth, predicted = aligned_labels(y_true, y_pred, ("y_true", "y_pred"))
    check_rows("y_pred", predicted.n_records, truth.n_records, of="y_true")
    kept = _trained_mask(trained, truth)
    judged = predicted.indicator[np.flatnonzero(truth.known)]
    hits = _column_sums(truth.indicator[np.flatnonzero(truth.known)].multiply(judged).tocsr())
    # 2 tp + fp + fn is the number of true plus the number of predicted labels, so no confusion matrix is needed
    total = truth.counts + _column_sums(judged)
    per_label = np.divide(2 * hits, total, out=np.zeros(truth.n_labels), where=total > 0)
    per_label[~kept] = np.nan
    n_labels = int(np.count_nonzero(kept))
    micro = 2 * float(hits[kept].sum()) / max(1.0, float(total[kept].sum())) if n_labels else float("nan")
    return F1Scores(_mean(per_label, kept, "F1"), micro, per_label, n_labels, truth.n_labels - n_labels)


def auc(y_true: Any, scores: Any, trained: Any = None) -> AUCScores:
    """Measure label scores by the area under the ROC curve of each label; ties count half.

    Parameters
    ----------
    y_true : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records whose labels are unknown are left out.
    scores : array of shape (n_records, n_labels)
        Higher means more likely. Only the order within a column matters.
    trained : bool array or counts of shape (n_labels,), or the training LabelMatrix, optional
        Labels of the training records; the others are left out.

    Returns
    -------
    AUCScores
        Labels that every test record, or none, has are left out as well.

    Notes
    -----
    One sort per label: scikit-learn's curve does the same work with ten times the overhead if there are many labels.
    """
    truth = as_label_columns(y_true, "y_true")
    dense = check_scores(scores, truth)
    rows = np.flatnonzero(truth.known)
    counts = truth.counts
    defined = _trained_mask(trained, truth) & (counts > 0) & (counts < len(rows))
    by_label = truth.indicator[rows].tocsc()
    per_label = np.full(truth.n_labels, np.nan)
    for label in np.flatnonzero(defined):
        positive = by_label.indices[by_label.indptr[label] : by_label.indptr[label + 1]]
        own = dense[rows, label] if truth.n_unknown else dense[:, label]
        in_order, mine = np.sort(own), own[positive]
        # the mean of the first and the last rank among equals makes a tie count half
        ranks = 0.5 * (np.searchsorted(in_order, mine, side="left") + np.searchsorted(in_order, mine, side="right") + 1)
        n_positive, n_negative = len(positive), len(own) - len(positive)
        # the Mann-Whitney statistic
        per_label[label] = (ranks.sum() - 0.5 * n_positive * (n_positive + 1)) / (n_positive * n_negative)
    n_labels = int(np.count_nonzero(defined))
    return AUCScores(_mean(per_label, defined, "AUC"), per_label, n_labels, truth.n_labels - n_labels)


def label_report(y_true: Any, y_pred: Any, scores: Any = None, trained: Any = None) -> dict[str, float | int]:
    """Return F1, and AUC if there are scores, in one flat dict, ready for a table or a JSON line."""
    truth = as_label_columns(y_true, "y_true")
    decided = f1(y_true, y_pred, trained)
    report: dict[str, float | int] = {
        "n_records": truth.n_records - truth.n_unknown,
        "f1_macro": decided.macro,
        "f1_micro": decided.micro,
        "f1_labels": decided.n_labels,
        "f1_left_out": decided.n_left_out,
    }
    if scores is not None:
        ranked = auc(y_true, scores, trained)
        report |= {"auc_macro": ranked.macro, "auc_labels": ranked.n_labels, "auc_left_out": ranked.n_left_out}
    return report


def _trained_mask(trained: Any, truth: LabelMatrix) -> BoolArray:
    if trained is None:
        return np.ones(truth.n_labels, dtype=bool)
    if isinstance(trained, LabelMatrix) and has_no_names(truth):
        trained = trained.counts
    if isinstance(trained, LabelMatrix):
        count = dict(zip(trained.names, trained.counts.tolist(), strict=True))
        return np.asarray([count.get(name, 0) > 0 for name in truth.names], dtype=bool)
    counts = np.asarray(trained)
    if counts.shape != (truth.n_labels,) or counts.dtype.kind not in "biuf":
        raise InputError(
            f"trained does not match y_true: got {counts.dtype} values of shape {counts.shape}, "
            f"expected a mask or the training counts of its {truth.n_labels} labels."
        )
    return counts > 0


def _column_sums(matrix: Any) -> Float64Array:
    return np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()


def _mean(per_label: Float64Array, kept: BoolArray, measure: str) -> float:
    if not kept.any():
        warnings.warn(
            f"No label can be averaged: all {len(kept)} were left out, so the macro {measure} is NaN.",
            TacitWarning,
            stacklevel=3,
        )
        return float("nan")
    return float(per_label[kept].mean())
