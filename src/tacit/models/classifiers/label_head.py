"""Labels for records in a space: one linear classifier per label, with tuned thresholds and calibrated probabilities.

The papers train one linear support vector machine per label on the coordinates, with a threshold of zero. That is an
option here. By default each label has its own threshold, tuned on out-of-fold scores, because with zero rare labels are
predicted far too seldom. The same scores calibrate the probabilities.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_choice, check_count, check_number
from tacit.errors import InputError
from tacit.models.classifiers.base import LinearLabelClassifier
from tacit.models.classifiers.calibration import apply_sigmoids, apply_temperature, fit_sigmoids, fit_temperature
from tacit.models.classifiers.linear import (
    Linear,
    cross_fitted_scores,
    fit_logistic,
    fit_ridge,
    fit_svm,
    is_direct,
    ridge_and_left_out_scores,
)
from tacit.models.common.labels import BEYOND, known_records, warn_untrained
from tacit.operators.rows.blocks import RowBlocks, as_view
from tacit.relations.labels.matrix import as_labels

__all__ = ["LabelHead"]


class LabelHead(LinearLabelClassifier):
    """Predict the labels of records with one linear classifier per label, in a space or on raw features.

    Parameters
    ----------
    method : {"logistic", "svm", "ridge"}, default "logistic"
        "logistic" fits logistic regressions, all labels together: the best ranking of the three. "svm" trains a linear
        support vector machine per label, as the papers do. "ridge" solves one regularised least-squares problem for all
        labels together: by far the fastest.
    C : float above 0, default 1.0
        For "logistic" and "svm": weight of the errors. Small values give flat classifiers, large values fit every
        record.
    ridge : float >= 0, default 1.0
        For "ridge": penalty on the squared coefficients; 0 is plain least squares, large values give flat classifiers.
    normalise : bool, default True
        Scale every row to unit length first, so that only directions count, as with cosine similarity.
    thresholds : {"tuned", "zero"} or float, default "tuned"
        A record gets a label if its score is above the label's threshold. "tuned" takes for each label the one with the
        best F1 on left-out scores; "zero" is the papers' rule; a number is used for all labels. One class per record
        needs no threshold: the highest score wins.
    min_f1 : float in [0, 1], default 0.1
        For "tuned": a label whose best F1 on left-out scores is lower than this gets its highest left-out score as
        threshold, since a poor threshold may predict the label for half the collection. 0 accepts all thresholds.
    cv : int >= 2, default 5
        Folds for left-out scores. Not used by "ridge" on dense features, where leaving out one record at a time is
        exact and costs nothing.
    calibrate : bool, default True
        Whether to learn probabilities; without them `predict_proba` and `suggest` are not available. False saves the
        folds if the thresholds do not need them either.
    n_jobs : int, optional
        For "svm": number of processes.
    random_state : None, int or generator
        Shuffles the folds and the support vector machine's coordinates; a number makes results repeatable.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        Label names in column order.
    multilabel_ : bool
        False if `y` was one class per record.
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        Only one row, that of the second class, for two classes, as in scikit-learn.
    thresholds_ : ndarray of shape (n_labels,), or None for one class per record
    calibration_ : ndarray of shape (2, n_labels), or None without `calibrate`
        Slopes and offsets of the sigmoids; for one class per record a common slope and offset 0.
    label_counts_ : ndarray of shape (n_labels,)
        Training records of each label.
    untrained_ : tuple
        Labels that no training record had, which are never predicted, or that all of them had, which always are.

    Notes
    -----
    All but "ridge" on dense features cost `cv` + 1 trainings. Coordinates that depend on a record's own labels make
    left-out scores too good: use the honest `fit_transform` of a label-informed space, not its `transform`.

    References
    ----------
    Yu2005, Platt1999, Yang2001, Lin2008

    Examples
    --------
    >>> import numpy as np
    >>> space = np.array([[1.0, 0.0], [0.9, 0.1], [0.8, 0.0], [0.0, 1.0], [0.1, 0.8], [0.0, 0.9]])
    >>> subjects = [["cats"], ["cats"], ["cats"], ["dogs"], ["dogs"], ["dogs"]]
    >>> head = LabelHead("ridge", ridge=0.1).fit(space, subjects)
    >>> head.predict_labels([[0.9, 0.0], [0.0, 0.8]])
    [('cats',), ('dogs',)]
    """

    _takes_row_blocks = True

    def __init__(
        self,
        method: str = "logistic",
        *,
        C: float = 1.0,
        ridge: float = 1.0,
        normalise: bool = True,
        thresholds: str | float = "tuned",
        min_f1: float = 0.1,
        cv: int = 5,
        calibrate: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.C = C
        self.ridge = ridge
        self.normalise = normalise
        self.thresholds = thresholds
        self.min_f1 = min_f1
        self.cv = cv
        self.calibrate = calibrate
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Train on the records with known labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_records, n_features), or `RowBlocks` with method="ridge"
        y : binary matrix, list of label sets, one class per record, or LabelMatrix
            Records with unknown labels (None, NaN) are left out.
        """
        self._fit(X, y)
        return self

    def fit_left_out(self, X: Any, y: Any) -> np.ndarray:
        """Train as `fit` does, and return the scores of the records by classifiers that did not see them.

        One row per record with known labels and one column per label; a label that none or all of the records have gets
        the constant score of its classifier.
        """
        scores, trained = self._fit(X, y)
        if scores is None:
            raise InputError("left-out scores need folds: got thresholds and calibrate off, expected one of them.")
        complete = np.tile(self.intercept_, (len(scores), 1))
        complete[:, trained] = scores
        return complete

    def _fit(self, X: Any, y: Any) -> tuple[np.ndarray | None, np.ndarray]:
        """Train, and return left-out scores of the labels that could be trained, and which these are."""
        self._check_parameters()
        X = self._read(X, reset=True)
        labels = as_labels(y, n_records=X.shape[0])
        X, labels = known_records(X, labels)
        self._keep_classes(labels, multilabel=labels.kind != "classes")
        self.untrained_ = warn_untrained(labels)
        Y = labels.indicator
        if self._is_binary:
            Y = Y[:, [1]]
        counts = np.asarray(Y.sum(axis=0)).ravel()
        trained = (counts > 0) & (counts < len(labels))
        truth = Y[:, np.flatnonzero(trained)]
        linear, left_out = self._train(X, truth)
        self.coef_ = np.zeros((Y.shape[1], X.shape[1]), dtype=X.dtype)
        self.coef_[trained] = linear.coef
        self.intercept_ = np.where(counts > 0, BEYOND, -BEYOND).astype(X.dtype)
        self.intercept_[trained] = linear.intercept
        self.thresholds_ = self._find_thresholds(truth, trained, left_out) if self.multilabel_ else None
        self.calibration_ = self._find_calibration(truth, trained, left_out) if self.calibrate else None
        return left_out, trained

    @available_if(lambda self: self.calibrate)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return calibrated probabilities, records x labels; rows sum to one only for one class per record."""
        scores = self._scores(X)
        if self.calibration_ is None:
            raise _uncalibrated()
        if self.multilabel_:
            return apply_sigmoids(scores, *self.calibration_)
        return apply_temperature(_both_sides(scores) if self._is_binary else scores, self.calibration_[0, 0])

    def suggest(self, X: Any, limit: int = 5) -> list[list[tuple[Any, float]]]:
        """Return the most probable labels of each record, best first, as pairs of name and probability.

        Labels without training records are left out. Equal probabilities are in column order.
        """
        limit = check_count("limit", limit)
        check_is_fitted(self)
        if self.calibration_ is None or not self.calibrate:
            raise _uncalibrated()
        candidates = np.flatnonzero(self.label_counts_)
        names = [self.classes_.tolist()[label] for label in candidates]
        probabilities = self.predict_proba(X)[:, candidates]
        best = np.argsort(-probabilities, axis=1, kind="stable")[:, :limit]
        return [[(names[j], float(row[j])) for j in order] for row, order in zip(probabilities, best, strict=True)]

    def _check_parameters(self) -> None:
        check_choice("method", self.method, ("logistic", "svm", "ridge"))
        check_number("C", self.C, open_low=True)
        check_number("ridge", self.ridge)
        self._check_thresholds()

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        X = super()._read(X, reset=reset)
        if not isinstance(X, RowBlocks):
            return normalize(X) if self.normalise else X
        if self.method != "ridge":
            raise InputError(
                f"method={self.method!r} needs the records in memory: got {type(X).__name__}, expected method='ridge'."
            )
        return as_view(X).of_unit_length() if self.normalise else X

    def _train(self, X: Any, Y: sp.csr_array) -> tuple[Linear, np.ndarray | None]:
        """Return the classifiers, and left-out scores if thresholds or calibration need them."""
        wanted = bool(self.calibrate) or self._is_tuned
        if Y.shape[1] == 0:
            return Linear(np.zeros((0, X.shape[1])), np.zeros(0)), np.zeros(Y.shape)
        if self.method == "ridge" and is_direct(X):
            return ridge_and_left_out_scores(X, Y, ridge=self.ridge, left_out=wanted)
        seed = int(as_rng(self.random_state).integers(2**31 - 1))
        fit = {
            "logistic": partial(fit_logistic, C=self.C),
            "svm": partial(fit_svm, C=self.C, n_jobs=self.n_jobs, seed=seed),
            "ridge": partial(fit_ridge, ridge=self.ridge),
        }[self.method]
        return fit(X, Y), cross_fitted_scores(fit, X, Y, n_folds=self.cv, seed=seed) if wanted else None

    def _find_calibration(self, truth: sp.csr_array, trained: np.ndarray, left_out: np.ndarray | None) -> np.ndarray:
        calibration = np.vstack([np.ones(trained.size), np.zeros(trained.size)])
        if self.multilabel_:
            calibration[:, trained] = fit_sigmoids(left_out, truth)
        elif trained.any():
            classes = truth.toarray().astype(int).ravel() if self._is_binary else truth.toarray().argmax(axis=1)
            calibration[0] = fit_temperature(_both_sides(left_out) if self._is_binary else left_out, classes)
        return calibration


def _both_sides(scores: np.ndarray | None) -> np.ndarray:
    """Return two classes' scores from that of the second, so that the softmax is its sigmoid."""
    column = np.asarray(scores).reshape(-1, 1)
    return np.hstack([np.zeros_like(column), column])


def _uncalibrated() -> InputError:
    return InputError("calibrate is off: got False, expected True for probabilities. Fit with calibrate=True.")
