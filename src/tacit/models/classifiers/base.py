"""What the classifiers of labels share: reading records, naming the classes, cutting scores, giving names back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.models.classifiers.linear import Linear
from tacit.models.classifiers.thresholds import best_f1_thresholds
from tacit.models.common.labels import name_array
from tacit.models.common.row_source import read_row_blocks
from tacit.operators.rows.blocks import RowBlocks
from tacit.relations.labels.matrix import LabelMatrix

__all__ = ["LabelClassifier", "LinearLabelClassifier"]


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
