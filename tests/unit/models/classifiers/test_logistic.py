from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from tacit.models.classifiers.label_head import LabelHead
from tacit.models.classifiers.linear import fit_logistic
from tacit.models.classifiers.newton import LOSSES, NewtonFit, NewtonObjective, smooth_regressions


def logistic_regressions(X: Any, Y: sp.csr_array, *, C: float, **options: Any) -> NewtonFit:
    return smooth_regressions(X, Y, NewtonObjective(LOSSES["logistic"], C), **options)


def planted(n_records: int = 150, n_features: int = 6, n_labels: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_records, n_features)) + 0.3
    scores = X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n_records, n_labels))
    return X, (scores > np.quantile(scores, np.linspace(0.5, 0.95, n_labels), axis=0).diagonal()).astype(float)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_equals_one_scikit_learn_regression_a_label(C: float, container: type) -> None:
    X, Y = planted()
    coef, intercept, _, converged = logistic_regressions(container(X), sp.csr_array(Y), C=C, tol=1e-8)
    assert converged
    for label in range(Y.shape[1]):
        twin = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10).fit(X, Y[:, label])
        np.testing.assert_allclose(coef[label], twin.coef_[0], atol=1e-5, rtol=1e-5)
        np.testing.assert_allclose(intercept[label], twin.intercept_[0], atol=1e-5, rtol=1e-5)


def test_minimises_the_formula() -> None:
    X, Y = planted()

    def objective(w: np.ndarray, y: np.ndarray) -> float:
        signs = 2 * y - 1
        return float(np.logaddexp(0, -signs * (X @ w[:-1] + w[-1])).sum() + w[:-1] @ w[:-1] / (2 * 0.5))

    coef, intercept, *_ = logistic_regressions(X, sp.csr_array(Y), C=0.5, tol=1e-8)
    for label, y in enumerate(Y.T):
        best = minimize(objective, np.zeros(X.shape[1] + 1), args=(y,), method="BFGS", tol=1e-10)
        assert objective(np.append(coef[label], intercept[label]), y) <= best.fun + 1e-6


def test_labels_in_blocks_are_the_same() -> None:
    X, Y = planted()
    whole = logistic_regressions(X, sp.csr_array(Y), C=1.0)[0]
    np.testing.assert_allclose(logistic_regressions(X, sp.csr_array(Y), C=1.0, width=2)[0], whole, atol=1e-10)


def test_stays_in_single_precision_and_finite_on_separable_labels() -> None:
    X = np.repeat(np.eye(2, dtype=np.float32), 20, axis=0)
    Y = sp.csr_array(X)
    coef, intercept, *_ = logistic_regressions(X, Y, C=1e4)
    assert coef.dtype == np.float32
    assert np.isfinite(coef).all()
    assert ((X @ coef.T + intercept > 0) == (X > 0)).all()


def test_label_with_one_side_gets_a_constant() -> None:
    X, Y = planted()
    Y[:, 1], Y[:, 3] = 0, 1
    linear = fit_logistic(X, sp.csr_array(Y), C=1.0)
    assert not linear.coef[[1, 3]].any()
    assert linear.intercept[[1, 3]].tolist() == [-1, 1]


def test_ranks_new_records_better_than_least_squares_on_unequal_classes() -> None:
    """Records far on the right side of a border pull a least-squares border towards them, and not a logistic one."""
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [1.0, 0.0], [10.0, 0.0]])
    y = rng.integers(0, 3, 600)
    X = centres[y] + 0.4 * rng.normal(size=(600, 2))
    heads = [
        LabelHead(method, normalise=False, random_state=0).fit(X[:300], y[:300]) for method in ("logistic", "ridge")
    ]
    by_logistic, by_ridge = (np.mean(head.predict(X[300:]) == y[300:]) for head in heads)
    assert by_logistic > by_ridge + 0.1
