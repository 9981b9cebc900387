"""From scores to probabilities: Platt's sigmoid for each label, one temperature for classes.

    p = 1 / (1 + exp(−(slope · score + offset)))        labels, any number per record [Platt1999]
    p = softmax(slope · scores)                         classes, exactly one per record

Both minimise the log loss against smoothed targets, (n₊ + 1)/(n₊ + 2) for positives and 1/(n₋ + 2) for negatives,
so that slopes are finite even for two positives or perfectly separating scores. Slopes are never negative, so that
probabilities keep the order of the scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import brentq
from scipy.special import expit, logit, logsumexp, softmax

from tacit.checks import check_finite, check_rows
from tacit.errors import InputError

__all__ = ["apply_sigmoids", "apply_temperature", "check_scores", "fit_sigmoids", "fit_temperature"]

_BLOCK_ENTRIES = 2_000_000  # numbers in one block of labels: about 16 MB for each array of a Newton step
_MAX_STEPS = 100
_FLATTEST = 1e-6  # smallest slope of a temperature, for scores of spread one: 0 would lose the order of the classes


def check_scores(scores: np.ndarray, y_true: sp.csc_array) -> None:
    """Raise unless scores are finite, with one row per record and one column per label of `y_true`."""
    if scores.shape != y_true.shape:
        raise InputError(
            f"scores does not match y_true: got shape {scores.shape}, expected {y_true.shape}. "
            "Pass one column of scores per label."
        )
    check_finite("scores", scores)


def fit_sigmoids(scores: Any, y_true: Any) -> tuple[np.ndarray, np.ndarray]:
    """Fit one sigmoid per label, with slope >= 0, by Newton's method on all labels of a block together.

    Parameters
    ----------
    scores : array of shape (n_records, n_labels)
        Out-of-fold scores; scores of the training records make the slopes too steep.
    y_true : array or sparse matrix of shape (n_records, n_labels)
        Binary indicator of the true labels.

    Returns
    -------
    slope, offset : ndarray of shape (n_labels,)
        If the best slope would be negative or the scores are constant, the slope is 0 and the offset gives the
        (smoothed) share of the label: the optimum for slope >= 0, as the loss is convex.

    References
    ----------
    Platt1999, Lin2007

    Examples
    --------
    >>> slope, offset = fit_sigmoids([[-2.0], [-1.0], [1.0], [2.0]], [[0], [0], [1], [1]])
    >>> apply_sigmoids([[0.0], [1.0]], slope, offset).round(1)
    array([[0.5],
           [0.7]])
    """
    scores = np.asarray(scores)
    truth = sp.csc_array(y_true)
    check_scores(scores, truth)
    n_records, n_labels = scores.shape
    slope, offset = np.zeros(n_labels), np.zeros(n_labels)
    width = max(1, _BLOCK_ENTRIES // max(1, n_records))
    for start in range(0, n_labels, width):
        block = slice(start, min(start + width, n_labels))
        positive = truth[:, block].toarray() != 0
        slope[block], offset[block] = _fit_block(scores[:, block].astype(np.float64), positive)
    return slope, offset


def apply_sigmoids(scores: Any, slope: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Return probabilities of scores, in the precision of the scores."""
    scores = np.asarray(scores)
    return expit(scores * slope + offset).astype(scores.dtype, copy=False)


def fit_temperature(scores: Any, classes: Any) -> float:
    """Fit the one slope of `softmax(slope · scores)` for records that have exactly one class each.

    All classes share one slope: with separate slopes and offsets the most probable class could differ from the one with
    the highest score.

    Parameters
    ----------
    scores : array of shape (n_records, n_classes)
    classes : array of shape (n_records,)
        Column of each record's true class.

    Returns
    -------
    float above 0
    """
    scores = np.asarray(scores, dtype=np.float64)
    classes = np.asarray(classes)
    check_rows("scores", scores.shape[0], classes.shape[0], of="classes")
    check_finite("scores", scores)
    n_classes = scores.shape[1]
    # shifting a record's scores does not change the softmax, and centred scores keep the exponentials small
    scores = scores - scores.mean(axis=1, keepdims=True)
    spread = float(np.sqrt(np.mean(scores**2)))
    if n_classes < 2 or spread == 0.0:
        return 1.0
    scores /= spread
    counts = np.bincount(classes, minlength=n_classes)[classes][:, None]
    targets = np.repeat(1 / ((counts + 2) * (n_classes - 1)), n_classes, axis=1)
    np.put_along_axis(targets, classes[:, None], (counts + 1) / (counts + 2), axis=1)

    def gradient(slope: float) -> float:
        return float(np.sum((softmax(slope * scores, axis=1) - targets) * scores))

    if gradient(_FLATTEST) >= 0:  # it rises with the slope
        return _FLATTEST / spread
    high = 1.0
    while gradient(high) < 0:
        high *= 2
    return float(brentq(gradient, _FLATTEST, high, xtol=1e-12, rtol=1e-10)) / spread


def apply_temperature(scores: Any, slope: float) -> np.ndarray:
    """Return class probabilities, with rows that sum to one, in the precision of the scores."""
    scores = np.asarray(scores)
    logits = scores.astype(np.float64) * slope
    return np.exp(logits - logsumexp(logits, axis=1, keepdims=True)).astype(scores.dtype, copy=False)


def _fit_block(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return slope and offset of each column: Newton on standardised scores, then back to their scale."""
    n_positive = positive.sum(axis=0)
    n_negative = positive.shape[0] - n_positive
    targets = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    share = logit(targets.mean(axis=0))
    centre, spread = scores.mean(axis=0), scores.std(axis=0)
    # the deviation of equal numbers is rounding, not zero; dividing by it would amplify the rounding
    constant = spread <= 1e-12 * np.abs(centre)
    spread = np.where(constant, 1.0, spread)
    standard = np.where(constant, 0.0, (scores - centre) / spread)
    slope, offset = _newton(standard, targets, share)
    rising = (slope > 0) & ~constant
    slope = np.where(rising, slope / spread, 0.0)
    return slope, np.where(rising, offset - slope * centre, share)


def _newton(scores: np.ndarray, targets: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Minimise the log loss of every column with a damped Newton method, from slope 0 and the given offset."""
    slope = np.zeros_like(offset)
    damping = 1e-12 * scores.shape[0]  # keeps the 2 × 2 systems regular for a constant column; same minimum
    loss = _log_loss(scores, targets, slope, offset)
    for _ in range(_MAX_STEPS):
        probability = expit(slope * scores + offset)
        error, weight = probability - targets, probability * (1 - probability)
        g_slope, g_offset = np.einsum("ij,ij->j", error, scores), error.sum(axis=0)
        if max(np.abs(g_slope).max(), np.abs(g_offset).max()) <= 1e-10 * scores.shape[0]:
            break
        weighted = weight * scores
        h_ss = np.einsum("ij,ij->j", weighted, scores) + damping
        h_so, h_oo = weighted.sum(axis=0), weight.sum(axis=0) + damping
        determinant = h_ss * h_oo - h_so**2
        d_slope = (h_oo * g_slope - h_so * g_offset) / determinant
        d_offset = (h_ss * g_offset - h_so * g_slope) / determinant
        decrease = d_slope * g_slope + d_offset * g_offset
        step = np.ones_like(slope)
        for _ in range(30):  # far from the minimum a full step may overshoot: each label halves its own
            trial = _log_loss(scores, targets, slope - step * d_slope, offset - step * d_offset)
            # near the minimum the loss is flat up to rounding: rejecting a step for that would stop too early
            worse = trial > loss - 1e-4 * step * decrease + 1e-14 * np.abs(loss)
            if not worse.any():
                break
            step[worse] /= 2
        slope, offset, loss = slope - step * d_slope, offset - step * d_offset, trial
    return slope, offset


def _log_loss(scores: np.ndarray, targets: np.ndarray, slope: np.ndarray, offset: np.ndarray) -> np.ndarray:
    """Return the sum over the records of −t log p − (1 − t) log(1 − p), in a form that cannot overflow."""
    z = slope * scores + offset
    return np.sum(np.logaddexp(0.0, z) - targets * z, axis=0)
