"""Calibration of suggested labels: are labels that are suggested with 0.8 right in four of five cases?"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.checks import check_count
from tacit.errors import InputError
from tacit.evaluate.measures.alignment import as_label_columns
from tacit.evaluate.measures.ranked_lists import check_suggestions, first_ranked

__all__ = ["calibration_error"]


def calibration_error(y_true: Any, probabilities: Any, *, k: int = 10, bins: int = 15) -> float:
    """Return the expected calibration error of the first k suggestions of each record that has labels.

    The suggestions are put into bins of equal width by their probabilities; the error is the mean difference between
    the mean probability of a bin and the share of its suggestions that are right, weighted by their number:
        ECE = Σ_b |b| / n · |mean probability of b − share of right ones in b|

    Parameters
    ----------
    y_true : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Records with unknown labels, or without any, are left out.
    probabilities : array or sparse matrix of shape (n_records, n_labels)
        Minus infinity, and what a sparse matrix does not store, is never suggested.
    k : int, default 10
    bins : int, default 15

    Returns
    -------
    float
        0 is perfect; 0 also if nothing is suggested.

    Raises
    ------
    InputError
        If the probabilities do not match, or are not between 0 and 1.

    Examples
    --------
    >>> calibration_error([{"cats"}, {"dogs"}], [[0.75, 0.25], [0.75, 0.25]], k=1)  # one of two is right
    0.25
    """
    truth = as_label_columns(y_true, "y_true")
    check_count("k", k)
    check_count("bins", bins)
    found = first_ranked(check_suggestions(probabilities, truth), k)
    if len(found.score) and not (found.score.min() >= 0 and found.score.max() <= 1):
        raise InputError(
            f"probabilities is out of range: got numbers from {found.score.min():g} to {found.score.max():g}, expected "
            "from 0 to 1."
        )
    kept = np.diff(truth.indicator.indptr)[found.record] > 0
    chance, is_right = found.score[kept], found.are_right(truth)[kept]
    if not len(chance):
        return 0.0
    place = np.minimum((chance * bins).astype(np.int64), bins - 1)
    differences = np.bincount(place, chance - is_right, minlength=bins)
    return float(np.abs(differences).sum() / len(chance))
