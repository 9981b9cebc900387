"""What the classifiers of labels share: reading records, naming the classes, cutting scores, giving names back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.checks import check_finite, check_number
from tacit.errors import InputError
from tacit.models.base import read_row_blocks
from tacit.models.classifiers.linear import Linear
from tacit.models.common.labels import name_array
from tacit.operators.rows.blocks import RowBlocks
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["LabelClassifier", "LinearLabelClassifier", "best_f1_thresholds"]


class LabelClassifier(ClassifierMixin, BaseEstimator, ABC):
    """Gives each record any number of labels, or one class if that is what `y` had.

    A subclass's `fit` reads X by `_read` and says by `_keep_classes` what the columns are.
    """

    classes_: np.ndarray
    multilabel_: bool
    label_counts_: np.ndarray
    _takes_row_blocks: ClassVar[bool] = False

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """Labels as a dense 0/1 matrix, records x labels; the classes themselves if `y` was one class a record."""

    def predict_labels(self, X: Any) -> list[tuple[Any, ...]]:
        """Label names of each record, in column order; possibly none."""
        predicted = self.predict(X)
        if not self.multilabel_:
            return [(name,) for name in predicted.tolist()]
        names = self.classes_.tolist()
        return [tuple(names[label] for label in np.flatnonzero(row)) for row in predicted]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        tags.input_tags.sparse = True
        return tags

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        if isinstance(X, RowBlocks):
            return read_row_blocks(self, X, reset=reset)
        return validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=reset)

    def _read_fitted(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._read(X)

    def _keep_classes(self, labels: LabelMatrix, *, multilabel: bool) -> None:
        """Keep what the columns are; `labels` itself no longer tells the kind once a taxonomy has widened it."""
        self.classes_ = name_array(labels.names)
        self.multilabel_ = multilabel
        self.label_counts_ = labels.counts


class LinearLabelClassifier(LabelClassifier):
    """One linear score a label, cut at the label's threshold; for one class a record the highest score wins.

    A subclass's `fit` learns `coef_` and `intercept_`, with one row for two classes, as in scikit-learn, and
    `thresholds_` by `_find_thresholds`.
    """

    thresholds: str | float
    min_f1: float
    coef_: np.ndarray
    intercept_: np.ndarray
    thresholds_: np.ndarray | None

    def decision_function(self, X: Any) -> np.ndarray:
        """Raw scores, records x labels; one number if `y` was one of two classes a record, positive for the second."""
        scores = self._scores(X)
        return scores.ravel() if self._is_binary else scores

    def predict(self, X: Any) -> np.ndarray:
        """Labels as a dense 0/1 matrix, records x labels; the classes themselves if `y` was one class a record."""
        scores = self._scores(X)
        if self.multilabel_:
            return (scores > self.thresholds_).astype(np.int64)
        return self.classes_[(scores[:, 0] > 0).astype(int) if self._is_binary else scores.argmax(axis=1)]

    @property
    def _is_binary(self) -> bool:
        return not self.multilabel_ and len(self.classes_) == 2

    @property
    def _is_tuned(self) -> bool:
        """Whether the thresholds need left-out scores."""
        return self.multilabel_ and self.thresholds == "tuned"

    def _scores(self, X: Any) -> np.ndarray:
        X = self._read_fitted(X)
        return Linear(self.coef_, self.intercept_).scores(X)

    def _find_thresholds(self, truth: sp.csr_array, trained: np.ndarray, left_out: np.ndarray | None) -> np.ndarray:
        """Give each label its cut; `truth` and `left_out` have a column for each label that is `trained`."""
        thresholds = np.where(self.label_counts_ > 0, -np.inf, np.inf)
        if self._is_tuned:
            thresholds[trained] = best_f1_thresholds(truth, left_out, min_f1=self.min_f1)
        else:
            thresholds[trained] = 0.0 if self.thresholds == "zero" else self.thresholds
        return thresholds


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
