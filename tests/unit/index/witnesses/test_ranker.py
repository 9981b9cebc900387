"""The ranker computes what scikit-learn's boosted trees compute, and is stored as plain arrays."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_limits

from tacit.index.witnesses import ranker
from tacit.index.witnesses.ranker import TreeRanker

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 6)).astype(np.float32)
X[:, 2] = np.round(X[:, 2])  # many equal numbers, on the limits of the trees
Y = X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=400) > 0


def model(seed: int, **options: int) -> HistGradientBoostingClassifier:
    with threadpool_limits(1):
        chosen = RNG.permutation(len(X))[:300]
        settings = {"max_iter": 7, "min_samples_leaf": 5, "early_stopping": False, "random_state": seed, **options}
        return HistGradientBoostingClassifier(**settings).fit(X[chosen], Y[chosen])


MODELS = [model(0), model(1, max_depth=2), model(2, max_iter=1), model(3, max_leaf_nodes=31)]


@pytest.mark.parametrize("models", [MODELS[:1], MODELS[1:2], MODELS])
def test_sums_and_probabilities_are_those_of_scikit_learn(models):
    trees = TreeRanker.of_models(models)
    with threadpool_limits(1):
        raw = np.mean([one.decision_function(X) for one in models], axis=0)
        sure = models[0].predict_proba(X)[:, 1]
    np.testing.assert_allclose(trees.raw(X), raw, atol=1e-9)
    if len(models) == 1:
        np.testing.assert_allclose(trees.probabilities(trees.raw(X)), sure, atol=1e-9)


def test_blocks_do_not_change_the_sums(monkeypatch):
    trees = TreeRanker.of_models(MODELS)
    once = trees.raw(X)
    monkeypatch.setattr(ranker, "_CELLS", 1)
    np.testing.assert_array_equal(trees.raw(X[:50]), once[:50])
    assert trees.raw(X[:0]).shape == (0,)


def test_a_calibration_is_a_line_under_a_sigmoid():
    trees = TreeRanker.of_models(MODELS).calibrated(2.0, -1.0)
    raw = np.array([-2000.0, -1.0, 0.5, 2000.0])
    np.testing.assert_allclose(trees.probabilities(raw), [0, 1 / (1 + np.exp(3)), 0.5, 1], atol=1e-12)
    np.testing.assert_array_equal(trees.raw(X), TreeRanker.of_models(MODELS).raw(X))


def test_a_model_without_a_split_is_a_constant():
    with threadpool_limits(1):
        flat = HistGradientBoostingClassifier(max_iter=3, early_stopping=False).fit(np.zeros((30, 6)), Y[:30])
    raw = TreeRanker.of_models([flat]).raw(X)
    with threadpool_limits(1):
        np.testing.assert_allclose(raw, flat.decision_function(X), atol=1e-9)
