"""Sigmoids and temperatures against a general-purpose optimiser on the same loss, written out label by label."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax
from sklearn.linear_model import LogisticRegression

from tacit.errors import InputError
from tacit.models.classifiers import calibration
from tacit.models.classifiers.calibration import apply_sigmoids, apply_temperature, fit_sigmoids, fit_temperature


def smoothed(truth: np.ndarray) -> np.ndarray:
    positives = truth.sum()
    return np.where(truth == 1, (positives + 1) / (positives + 2), 1 / (len(truth) - positives + 2))


def platt_loss(slope: float, offset: float, scores: np.ndarray, targets: np.ndarray) -> float:
    z = slope * scores + offset
    return float(-np.sum(targets * np.log(expit(z)) + (1 - targets) * np.log(expit(-z))))


def platt_by_optimiser(scores: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    """The twin: one label, bounded slope, no derivatives from us."""
    targets = smoothed(truth)
    found = minimize(
        lambda p: platt_loss(p[0], p[1], scores, targets),
        x0=[1.0, 0.0],
        method="L-BFGS-B",
        bounds=[(0, None), (None, None)],
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return float(found.x[0]), float(found.x[1])


@pytest.fixture
def noisy() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(200, 7)) * [0.01, 1, 1, 5, 1, 1, 1] + [0, 0, 3, -2, 0, 0, 0]
    chance = expit((scores - scores.mean(axis=0)) / scores.std(axis=0) * 2 - [0, 0, 0, 1, 3, 4, -2])
    truth = (rng.random(scores.shape) < chance).astype(int)
    return scores, truth


def test_sigmoids_equal_a_general_optimiser(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    scores, truth = noisy
    slope, offset = fit_sigmoids(scores, truth)
    for label in range(scores.shape[1]):
        expected = platt_by_optimiser(scores[:, label], truth[:, label])
        assert (slope[label], offset[label]) == pytest.approx(expected, rel=2e-3, abs=2e-3)
        ours, theirs = (
            platt_loss(*p, scores[:, label], smoothed(truth[:, label]))
            for p in ((slope[label], offset[label]), expected)
        )
        assert ours <= theirs + 1e-9


def test_sigmoids_equal_weighted_logistic_regression(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    # a soft target is a record that is counted as yes with weight t and as no with weight 1 − t
    scores, truth = noisy
    slope, offset = fit_sigmoids(scores, truth)
    n = len(scores)
    for label in range(scores.shape[1]):
        targets = smoothed(truth[:, label])
        twin = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, solver="newton-cholesky").fit(
            np.tile(scores[:, label], 2)[:, None], np.repeat([1, 0], n), sample_weight=np.append(targets, 1 - targets)
        )
        assert slope[label] == pytest.approx(twin.coef_[0, 0], rel=1e-6)
        assert offset[label] == pytest.approx(twin.intercept_[0], rel=1e-6, abs=1e-6)


def test_perfect_separation_and_few_positives_stay_finite() -> None:
    scores = np.linspace(-1, 1, 1000)[:, None].repeat(3, axis=1)
    truth = np.zeros((1000, 3))
    truth[-1, 0] = 1
    truth[-2:, 1] = 1
    truth[500:, 2] = 1
    slope, offset = fit_sigmoids(scores, truth)
    assert np.isfinite(slope).all()
    assert (slope > 0).all()
    for label in range(3):
        expected = platt_by_optimiser(scores[:, label], truth[:, label])
        ours = platt_loss(slope[label], offset[label], scores[:, label], smoothed(truth[:, label]))
        assert ours <= platt_loss(*expected, scores[:, label], smoothed(truth[:, label])) + 1e-9


def test_scores_that_run_backwards_give_the_share_of_the_label() -> None:
    scores = np.arange(10.0)[:, None]
    truth = (scores < 4).astype(int)
    slope, offset = fit_sigmoids(scores, truth)
    assert slope[0] == 0.0
    assert expit(offset[0]) == pytest.approx(smoothed(truth.ravel()).mean())
    expected = platt_by_optimiser(scores.ravel(), truth.ravel())
    assert (slope[0], offset[0]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e6])
def test_constant_scores_give_the_share_of_the_label(constant: float) -> None:
    truth = np.array([[1], [0], [0], [0], [1], [0], [0]])
    slope, offset = fit_sigmoids(np.full((7, 1), constant), truth)
    assert slope[0] == 0.0
    assert expit(offset[0]) == pytest.approx(smoothed(truth.ravel()).mean())


def test_probabilities_are_calibrated_on_average(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    scores, truth = noisy
    probabilities = apply_sigmoids(scores, *fit_sigmoids(scores, truth))
    targets = np.column_stack([smoothed(column) for column in truth.T])
    np.testing.assert_allclose(probabilities.mean(axis=0), targets.mean(axis=0), rtol=1e-6)


def test_blocks_and_sparse_truth_change_nothing(
    noisy: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    scores, truth = noisy
    whole = fit_sigmoids(scores, truth)
    monkeypatch.setattr(calibration, "_BLOCK_ENTRIES", 2 * len(scores))  # two labels a block, the last one alone
    np.testing.assert_allclose(fit_sigmoids(scores, sp.csr_array(truth)), whole, rtol=1e-8, atol=1e-8)


def test_scale_and_shift_of_scores_leave_the_probabilities(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    scores, truth = noisy
    plain = apply_sigmoids(scores, *fit_sigmoids(scores, truth))
    moved = 1e4 * scores - 37
    np.testing.assert_allclose(apply_sigmoids(moved, *fit_sigmoids(moved, truth)), plain, rtol=1e-6)


def test_float32_scores_give_float32_probabilities(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    scores, truth = noisy
    single = scores.astype(np.float32)
    assert apply_sigmoids(single, *fit_sigmoids(single, truth)).dtype == np.float32
    assert apply_temperature(single, 2.0).dtype == np.float32


def temperature_loss(slope: float, scores: np.ndarray, classes: np.ndarray) -> float:
    n_classes = scores.shape[1]
    loss = 0.0
    for row, true in zip(log_softmax(slope * scores, axis=1), classes, strict=True):
        count = np.sum(classes == true)
        for column in range(n_classes):
            target = (count + 1) / (count + 2) if column == true else 1 / (count + 2) / (n_classes - 1)
            loss -= target * row[column]
    return loss


@pytest.mark.parametrize("noise", [0.0, 0.7, 3.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_temperature_equals_a_general_optimiser(noise: float, n_classes: int) -> None:
    rng = np.random.default_rng(1)
    classes = rng.integers(0, n_classes, 60)
    scores = 0.1 * (np.eye(n_classes)[classes] + noise * rng.normal(size=(60, n_classes)))
    slope = fit_temperature(scores, classes)
    twin = minimize_scalar(
        temperature_loss, bounds=(0, 1000), args=(scores, classes), method="bounded", options={"xatol": 1e-9}
    )
    assert slope == pytest.approx(twin.x, rel=1e-4, abs=1e-4)


def test_temperature_keeps_the_order_even_if_the_scores_are_wrong() -> None:
    classes = np.array([0, 1, 0, 1])
    scores = -np.eye(2)[classes]
    slope = fit_temperature(scores, classes)
    assert slope > 0
    np.testing.assert_array_equal(apply_temperature(scores, slope).argmax(axis=1), scores.argmax(axis=1))


def test_equal_scores_have_a_temperature() -> None:
    assert fit_temperature(np.zeros((4, 3)), np.array([0, 1, 2, 0])) == 1.0


def test_class_probabilities_sum_to_one_and_survive_extreme_scores() -> None:
    probabilities = apply_temperature(np.array([[1e30, 0.0, -1e30], [0.0, 0.0, 0.0]]), 3.0)
    np.testing.assert_allclose(probabilities, [[1, 0, 0], [1 / 3, 1 / 3, 1 / 3]])


def test_scores_of_another_shape_are_refused() -> None:
    with pytest.raises(InputError, match=r"scores does not match y_true: got shape \(3, 2\), expected \(3, 1\)"):
        fit_sigmoids(np.zeros((3, 2)), np.zeros((3, 1)))
    with pytest.raises(InputError, match="scores does not match classes: got 3 rows for 2 records"):
        fit_temperature(np.zeros((3, 2)), np.array([0, 1]))


def test_infinite_scores_are_refused() -> None:
    with pytest.raises(InputError, match="scores contains infinity: the first one is in row 1"):
        fit_sigmoids([[0.0], [np.inf]], [[0], [1]])
