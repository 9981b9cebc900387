"""Linear classifiers for many labels at once, and out-of-fold scores of the training records.

The target is +1 for records with a label and −1 for others. Scores are `X coefᵀ + intercept`, one column per label.

| word | symbol | shape |
|---|---|---|
| coef | W | n_labels × n_features |
| leverage | h, diagonal of the hat matrix | n_records |
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

from tacit.checks import is_outside_memory, is_sparse
from tacit.errors import TacitWarning, warn
from tacit.models.classifiers.newton import LOSSES, NewtonObjective, smooth_regressions
from tacit.operators.algebra import Centred
from tacit.operators.rows.blocks import in_double, take_rows
from tacit.solve.linear.least_squares import least_squares

__all__ = [
    "Linear",
    "cross_fitted_scores",
    "fit_logistic",
    "fit_ridge",
    "fit_svm",
    "is_direct",
    "ridge_and_left_out_scores",
]

_DIRECT_SIDE = 4096  # shorter side up to which a dense Gram matrix and its eigenvectors (128 MiB each) are fast
_SVM_STEPS = 10_000  # liblinear's default of 1,000 is too few for its dual method on a few thousand texts
_EXACT = 1e-8  # tolerance of the iterative solver, too small to affect a score


class Linear(NamedTuple):
    """Coefficients of a linear classifier."""

    coef: np.ndarray
    intercept: np.ndarray

    def scores(self, X: Any) -> np.ndarray:
        """Return one score per record and label."""
        return np.asarray(X @ self.coef.T) + self.intercept


def fit_logistic(X: Any, Y: sp.csr_array, *, C: float) -> Linear:
    """Fit one logistic regression per label, all in the same products; a constant if all answers are equal."""
    counts = np.asarray(Y.sum(axis=0)).ravel()
    mixed = np.flatnonzero((counts > 0) & (counts < Y.shape[0]))
    coef, intercept = np.zeros((Y.shape[1], X.shape[1]), X.dtype), np.where(counts > 0, 1.0, -1.0).astype(X.dtype)
    if mixed.size:
        found = smooth_regressions(X, Y[:, mixed], NewtonObjective(LOSSES["logistic"], C))
        coef[mixed], intercept[mixed] = found.coef, found.intercept
        if not found.converged:
            warn(
                "The logistic regressions did not converge; scores are usable but not exact. Lower C.",
            )
    return Linear(coef, intercept)


def fit_svm(X: Any, Y: sp.csr_array, *, C: float, n_jobs: int | None, seed: int) -> Linear:
    """Fit one linear support vector machine per label, with squared hinge loss.

    Every label uses the same seed, so that its classifier does not depend on its position among the labels. Labels run
    in processes, not threads, because liblinear's random numbers are global.
    """
    X, columns = X.astype(np.float64, copy=False), Y.tocsc()
    if is_sparse(X) and X.indices.dtype != np.int32 and X.nnz < 2**31:  # or liblinear would convert it for every label
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_one_svm)(X, columns[:, [label]].toarray().ravel(), C, seed) for label in range(Y.shape[1])
    )
    n_short = sum(not converged for _, _, converged in fitted)
    if n_short:
        warn(
            f"The support vector machines of {n_short} of {Y.shape[1]} labels did not converge; "
            "scores are usable but not exact. Lower C, scale the features, or use method='ridge'.",
        )
    return Linear(np.array([coef for coef, _, _ in fitted]), np.array([intercept for _, intercept, _ in fitted]))


def _fit_one_svm(X: Any, positive: np.ndarray, C: float, seed: int) -> tuple[np.ndarray, float, bool]:
    """Return coefficients, intercept and whether the solver converged; a constant if all answers are equal."""
    if positive.min() == positive.max():
        return np.zeros(X.shape[1]), 1.0 if positive[0] else -1.0, True
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        svm = LinearSVC(C=C, dual="auto", max_iter=_SVM_STEPS, random_state=seed).fit(X, positive != 0)
    converged = not any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    return svm.coef_[0], float(svm.intercept_[0]), converged


def is_direct(X: Any) -> bool:
    """Whether one dense decomposition gives the ridge solution and all left-out scores."""
    return not (is_sparse(X) or is_outside_memory(X)) and min(X.shape) <= _DIRECT_SIDE


def fit_ridge(X: Any, Y: sp.csr_array, *, ridge: float) -> Linear:
    """Fit a ridge regression of all labels' ±1 on X, with a free intercept; iterative if X is sparse or large."""
    if is_direct(X):
        return ridge_and_left_out_scores(X, Y, ridge=ridge, left_out=False)[0]
    mean_target = 2 * _mean(Y) - 1
    centred = Centred(in_double(X))
    # ±1 less its mean is 2Y less a constant, which has no effect with centred records: the targets stay sparse
    found = least_squares(centred, 2.0 * Y, ridge=ridge, tol=_EXACT)
    coef = found.solution.T
    return Linear(coef, mean_target - coef @ centred.mean)


def ridge_and_left_out_scores(
    X: np.ndarray, Y: sp.csr_array, *, ridge: float, left_out: bool = True
) -> tuple[Linear, np.ndarray | None]:
    """Fit a ridge regression by one decomposition; return it and each record's scores by a fit without the record.

    With hat matrix H = 11ᵀ/n + X(XᵀX + ridge I)⁻¹Xᵀ for centred X, leaving record i out of the fit, with
    its mean, changes its score to
        t_i − (t_i − ŷ_i) / (1 − H_ii).
    """
    X = X.astype(np.float64, copy=False)
    n_records = X.shape[0]
    mean, mean_target = X.mean(axis=0), 2 * _mean(Y) - 1
    U, s, V = _thin_svd(X - mean)
    correlations = 2 * (Y.T @ U)  # UᵀT: centring T has no effect, as the columns of U sum to zero
    coef = (correlations * (s / (s**2 + ridge))) @ V.T
    linear = Linear(coef, mean_target - coef @ mean)
    if not left_out:
        return linear, None
    shrink = s**2 / (s**2 + ridge)
    leverage = 1 / n_records + np.einsum("ij,ij,j->i", U, U, shrink)
    # without a ridge a record may determine a direction alone, which is unknown without the record
    remaining = np.maximum(1 - leverage, 1e-10)[:, None]
    scores = U @ (correlations * shrink).T + mean_target
    rows, columns = Y.nonzero()
    # t + (ŷ − t)/(1 − h) in place, as n_records × n_labels may be the largest array; t is 2 at the entries of Y, less 1
    scores += 1
    scores[rows, columns] -= 2
    scores /= remaining
    scores[rows, columns] += 2
    scores -= 1
    return linear, scores


def _thin_svd(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the singular triplets of X (vectors as columns) from the smaller Gram matrix, without the null space."""
    tall = X.shape[0] >= X.shape[1]
    values, vectors = scipy.linalg.eigh(X.T @ X if tall else X @ X.T)
    # eigenvalues below this are rounding; with ridge 0 they would be divided by
    kept = values > values[-1] * max(X.shape) * np.finfo(np.float64).eps
    s, vectors = np.sqrt(values[kept]), vectors[:, kept]
    return ((X @ vectors) / s, s, vectors) if tall else (vectors, s, (X.T @ vectors) / s)


def _mean(Y: sp.csr_array) -> np.ndarray:
    """Return the share of records with each label."""
    return np.asarray(Y.sum(axis=0), dtype=np.float64).ravel() / Y.shape[0]


def cross_fitted_scores(
    fit: Callable[[Any, sp.csr_array], Linear], X: Any, Y: sp.csr_array, *, n_folds: int, seed: int
) -> np.ndarray:
    """Return the scores of each record by a classifier trained on the other folds.

    If the other folds have no record with a label (or none without it), the score is −1 (or +1) for the whole fold.
    """
    scores = np.empty(Y.shape)
    folds = KFold(min(n_folds, Y.shape[0]), shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)  # already raised by the training on all records
        for train, test in folds.split(np.arange(Y.shape[0])):
            scores[test] = fit(take_rows(X, train), Y[train]).scores(take_rows(X, test))
    return scores
