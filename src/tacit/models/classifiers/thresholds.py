"""One threshold a label, chosen for the best F1 on scores that the records' own labels did not shape.

A linear classifier's zero is the right cut for the number of errors, not for F1: with five positives among a
thousand records it hardly ever says yes. The rule everywhere is `score > threshold`, so that a threshold of zero
means what it means in scikit-learn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, check_number
from tacit.errors import InputError

__all__ = ["best_f1_thresholds"]


def best_f1_thresholds(y_true: Any, scores: Any, *, min_f1: float = 0.0) -> np.ndarray:
    """Find for every label the threshold with the best F1, where `score > threshold` means yes.

    Parameters
    ----------
    y_true : array or sparse matrix of shape (n_records, n_labels)
        Binary indicator of the true labels.
    scores : array of shape (n_records, n_labels)
        One score a record and label, the higher the more likely. Out-of-fold scores are meant: on the scores of the
        records that trained the classifier the thresholds come out too high.
    min_f1 : float in [0, 1], default 0
        A label whose best F1 stays below this has scores that tell nothing, typically for want of positives, and
        its best cut may lie in the middle of the negatives. Its threshold is then the highest score seen, so that
        only a record more certain than all of these gets the label. This is the rule SCutFBR.1 of [Yang2001]; 0
        switches it off, 1 uses it for every label that the scores do not separate perfectly.

    Returns
    -------
    ndarray of shape (n_labels,)
        Midpoints between adjacent scores. A label without a positive record gets +inf: never. Where yes for every
        record is best, the threshold is the next number below the lowest score. Of cuts with the same F1 the
        highest is taken.

    Notes
    -----
    One sort a label: O(n_labels · n_records log n_records) in time, O(n_records) in memory beyond the arguments.

    References
    ----------
    Yang2001

    Examples
    --------
    >>> best_f1_thresholds([[1], [1], [0], [0]], [[3.0], [1.0], [2.0], [0.0]])
    array([0.5])
    """
    check_number("min_f1", min_f1, high=1.0)
    scores = np.asarray(scores)
    positive = sp.csc_array(y_true)
    if scores.shape != positive.shape:
        raise InputError(
            f"scores does not match y_true: got shape {scores.shape}, expected {positive.shape}. "
            "Give one column of scores a label."
        )
    check_finite("scores", scores)
    n_labels = scores.shape[1]
    return np.array(
        [_best_cut(_column(positive, label), scores[:, label], min_f1) for label in range(n_labels)], dtype=float
    )


def _column(positive: sp.csc_array, label: int) -> np.ndarray:
    """One label's column as 0/1; stored zeros are no positives."""
    column = np.zeros(positive.shape[0], dtype=np.int64)
    stored = slice(positive.indptr[label], positive.indptr[label + 1])
    column[positive.indices[stored]] = positive.data[stored] != 0
    return column


def _best_cut(positive: np.ndarray, scores: np.ndarray, min_f1: float) -> float:
    """The best threshold of one label."""
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    ranked = scores[order].astype(np.float64)
    hits = np.cumsum(positive[order])
    if hits.size == 0 or hits[-1] == 0:
        return np.inf
    # records with the same score are on the same side of any threshold, so a cut is possible only after the last of
    # them
    lasts = np.append(np.flatnonzero(ranked[1:] < ranked[:-1]), ranked.size - 1)
    # one division of whole numbers: equal ratios are equal floats, so ties are real ties and the first is the
    # highest cut
    f1 = 2 * hits[lasts] / (lasts + 1 + hits[-1])
    best = int(np.argmax(f1))
    if f1[best] < min_f1:
        return float(ranked[0])
    last = lasts[best]
    if last == ranked.size - 1:
        return float(np.nextafter(ranked[-1], -np.inf))
    above, below = ranked[last], ranked[last + 1]
    middle = below + (above - below) / 2
    # the midpoint of two neighbouring floats may be rounded up to the upper one, which would then be cut off
    return float(middle if middle < above else below)
