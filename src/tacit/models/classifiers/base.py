"""What the classifiers of labels share: reading records, class names, thresholds and label names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import check_choice, check_count, check_number, check_sparse
from tacit.errors import InputError
from tacit.models.base import read_row_blocks
from tacit.models.classifiers.calibration import check_scores
from tacit.models.classifiers.linear import Linear
from tacit.models.common.labels import is_number, name_array
from tacit.operators.rows.blocks import RowBlocks
from tacit.relations.labels.matrix import LabelMatrix, as_labels

__all__ = ["LabelClassifier", "LinearLabelClassifier", "best_f1_thresholds"]


class LabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Predicts any number of labels per record, or one class if `y` has one class per record.

    The `fit` of a subclass reads X with `_read` and sets the columns with `_keep_classes`.
    """

    classes_: np.ndarray
    multilabel_: bool
    label_counts_: np.ndarray
    _takes_row_blocks: ClassVar[bool] = False

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """Return labels as a dense 0/1 matrix, records x labels; the classes themselves for one class per record."""

    def predict_labels(self, X: Any) -> list[tuple[Any, ...]]:
        """Return the label names of each record, in column order; possibly none."""
        predicted = self.predict(X)
        if not self.multilabel_:
            return [(name,) for name in predicted.tolist()]
        names = self.classes_.tolist()
        return [tuple(names[label] for label in np.flatnonzero(row)) for row in predicted]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of records of which all labels are right; `y` in any form that `fit` takes.

        Label sets are compared by the names of labels, so they may hold labels that were not in the training data.
        Records with unknown labels do not count.
        """
        given = as_labels(y, n_records=X.shape[0] if hasattr(X, "shape") else None)
        if given.kind != "sets" or not self.multilabel_:
            return float(super().score(X, y, sample_weight))
        pairs = zip(self.predict_labels(X), given.to_sets(), strict=True)
        right = np.array([names is not None and set(names) == set(predicted) for predicted, names in pairs])
        weights = np.ones(len(right)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        return float(np.average(right, weights=weights * given.known))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        if isinstance(X, RowBlocks):
            return read_row_blocks(self, X, reset=reset)
        check_sparse("X", X)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)

    def _read_fitted(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._read(X)

    def _keep_classes(self, labels: LabelMatrix, *, multilabel: bool) -> None:
        """Keep the columns; `multilabel` is separate because a taxonomy changes the kind of `labels`."""
        self.classes_ = name_array(labels.names)
        self.multilabel_ = multilabel
        self.label_counts_ = labels.counts


class LinearLabelClassifier(LabelClassifier):
    """One linear score per label with a threshold; for one class per record the highest score wins.

    The `fit` of a subclass learns `coef_` and `intercept_`, with one row for two classes, as in scikit-learn, and
    `thresholds_` with `_find_thresholds`.
    """

    thresholds: str | float
    min_f1: float
    cv: int
    coef_: np.ndarray
    intercept_: np.ndarray
    thresholds_: np.ndarray | None

    def decision_function(self, X: Any) -> np.ndarray:
        """Return raw scores, records x labels; for one of two classes one number, positive for the second."""
        scores = self._scores(X)
        return scores.ravel() if self._is_binary else scores

    def predict(self, X: Any) -> np.ndarray:
        """Return labels as a dense 0/1 matrix, records x labels; the classes themselves for one class per record."""
        scores = self._scores(X)
        if self.multilabel_:
            return (scores > self.thresholds_).astype(np.int64)
        return self.classes_[(scores[:, 0] > 0).astype(int) if self._is_binary else scores.argmax(axis=1)]

    def _check_thresholds(self) -> None:
        check_number("min_f1", self.min_f1, high=1.0)
        check_count("cv", self.cv, low=2)
        if isinstance(self.thresholds, str):
            check_choice("thresholds", self.thresholds, ("tuned", "zero"))
        elif not is_number(self.thresholds):
            raise InputError(f"thresholds is unknown: got {self.thresholds!r}, expected 'tuned', 'zero' or a number.")

    @property
    def _is_binary(self) -> bool:
        return not self.multilabel_ and len(self.classes_) == 2

    @property
    def _is_tuned(self) -> bool:
        """Whether the thresholds need out-of-fold scores."""
        return self.multilabel_ and self.thresholds == "tuned"

    def _scores(self, X: Any) -> np.ndarray:
        X = self._read_fitted(X)
        return Linear(self.coef_, self.intercept_).scores(X)

    def _find_thresholds(self, truth: sp.csr_array, trained: np.ndarray, left_out: np.ndarray | None) -> np.ndarray:
        """Return the threshold of each label; `truth` and `left_out` have one column per `trained` label."""
        thresholds = np.where(self.label_counts_ > 0, -np.inf, np.inf)
        if self._is_tuned:
            thresholds[trained] = best_f1_thresholds(truth, left_out, min_f1=self.min_f1)
        else:
            thresholds[trained] = 0.0 if self.thresholds == "zero" else self.thresholds
        return thresholds


def best_f1_thresholds(y_true: Any, scores: Any, *, min_f1: float = 0.0) -> np.ndarray:
    """Find the threshold with the best F1 for each label; `score > threshold` predicts the label.

    Parameters
    ----------
    y_true : array or sparse matrix of shape (n_records, n_labels)
        Binary indicator of the true labels.
    scores : array of shape (n_records, n_labels)
        One score per record and label, the higher the more likely. Use out-of-fold scores: with scores of the
        training records the thresholds are too high.
    min_f1 : float in [0, 1], default 0
        If the best F1 of a label is below this, its scores carry no information, typically because it has few
        positives, and its best threshold may be among the negatives. The threshold is then the highest score, so that
        only a record with a higher score gets the label. This is the rule SCutFBR.1 of [Yang2001]; 0 switches it off,
        1 uses it for every label that the scores do not separate perfectly.

    Returns
    -------
    ndarray of shape (n_labels,)
        Midpoints between adjacent scores. A label without a positive record gets +inf. If predicting it for every
        record is best, the threshold is the next number below the lowest score. Of thresholds with the same F1 the
        highest is taken.

    Notes
    -----
    One sort per label: O(n_labels · n_records log n_records) in time, O(n_records) in memory beyond the arguments.

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
    check_scores(scores, positive)
    n_labels = scores.shape[1]
    return np.array(
        [_best_cut(_column(positive, label), scores[:, label], min_f1) for label in range(n_labels)], dtype=float
    )


def _column(positive: sp.csc_array, label: int) -> np.ndarray:
    """Return one label's column as 0/1; stored zeros are not positives."""
    column = np.zeros(positive.shape[0], dtype=np.int64)
    stored = slice(positive.indptr[label], positive.indptr[label + 1])
    column[positive.indices[stored]] = positive.data[stored] != 0
    return column


def _best_cut(positive: np.ndarray, scores: np.ndarray, min_f1: float) -> float:
    """Return the best threshold of one label."""
    order = np.argsort(-scores.astype(np.float64), kind="stable")
    ranked = scores[order].astype(np.float64)
    hits = np.cumsum(positive[order])
    if hits.size == 0 or hits[-1] == 0:
        return np.inf
    # records with the same score are on the same side of any threshold, so it can only be after the last of them
    lasts = np.append(np.flatnonzero(ranked[1:] < ranked[:-1]), ranked.size - 1)
    # one division of whole numbers: equal ratios are equal floats, so ties are exact and the first is the highest
    f1 = 2 * hits[lasts] / (lasts + 1 + hits[-1])
    best = int(np.argmax(f1))
    if f1[best] < min_f1:
        return float(ranked[0])
    last = lasts[best]
    if last == ranked.size - 1:
        return float(np.nextafter(ranked[-1], -np.inf))
    above, below = ranked[last], ranked[last + 1]
    middle = below + (above - below) / 2
    # the midpoint of two neighbouring floats may be rounded up to the upper one, which would then be excluded
    return float(middle if middle < above else below)
