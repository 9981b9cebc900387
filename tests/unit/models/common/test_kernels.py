"""Kernels as models use them: label kernels as features, sizes that do not fit, landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import pairwise_kernels

from tacit import InputError, LabelMatrix, TacitWarning
from tacit.models.common import kernels
from tacit.models.common.kernels import (
    check_dense_memory,
    check_kernel,
    label_features,
    landmark_features,
    precomputed_label_features,
    training_kernel,
    uses_landmarks,
)
from tacit.operators import as_operator

SETS = [{"a"}, {"a", "b"}, {"c"}, set(), None, {"a"}, {"b", "a"}, {"c", "d"}]
LABELS = LabelMatrix.from_sets(SETS)


@pytest.mark.parametrize(
    ("kernel", "params"),
    [("linear", {}), ("rbf", {"gamma": 0.5}), ("poly", {"degree": 2, "coef0": 1}), ("cosine", {})],
)
def test_label_features_multiply_to_the_label_kernel(kernel: str, params: dict[str, Any]) -> None:
    F = label_features(LABELS, kernel, params, np.float64)
    F = F.toarray() if sp.issparse(F) else F
    Y = LABELS.indicator.toarray()
    expected = pairwise_kernels(Y, metric=kernel, **params)
    expected[4] = expected[:, 4] = 0  # nobody knows the labels of this record
    np.testing.assert_allclose(F @ F.T, expected, atol=1e-12)
    assert F.shape[1] <= 5  # as many as there are distinct label sets


def test_a_label_kernel_of_ones_own_sees_label_sets_as_rows() -> None:
    def jaccard(A: np.ndarray, B: np.ndarray) -> np.ndarray:
        both = A @ B.T
        return both / np.maximum(A.sum(axis=1)[:, None] + B.sum(axis=1) - both, 1)

    F = label_features(LABELS, jaccard, None, np.float64)
    np.testing.assert_allclose((F @ F.T)[0, [0, 1, 2, 5]], [1, 0.5, 0, 1], atol=1e-12)


def test_a_precomputed_label_kernel_is_factored() -> None:
    A = np.random.default_rng(0).random((6, 3))
    for given in (A @ A.T, sp.csr_array(A @ A.T)):
        F = precomputed_label_features(given, 6, np.float32)
        assert F.dtype == np.float32
        assert F.shape == (6, 3)
        np.testing.assert_allclose(F @ F.T, A @ A.T, atol=1e-6)


def test_of_very_many_label_directions_the_leading_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "LABEL_FEATURE_LIMIT", 2)
    S = np.diag([5.0, 3.0, 1.0, 1.0])
    with pytest.warns(
        TacitWarning, match=r"label_kernel has rank 4: kept its 2 leading directions, 80\.0% of its trace"
    ):
        F = precomputed_label_features(S, 4, np.float64)
    np.testing.assert_allclose(F @ F.T, np.diag([5.0, 3.0, 0, 0]), atol=1e-12)


def test_frequent_label_sets_decide_which_directions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best approximation for all records, not for the distinct label sets."""
    monkeypatch.setattr(kernels, "LABEL_FEATURE_LIMIT", 1)
    labels = LabelMatrix.from_sets([{"rare", "pair"}, *[{"common"}] * 9])
    with pytest.warns(TacitWarning, match="kept its 1 leading directions"):
        F = label_features(labels, "poly", {"degree": 1, "gamma": 1, "coef0": 0}, np.float64)
    np.testing.assert_allclose(F @ F.T, np.pad(np.ones((9, 9)), ((1, 0), (1, 0))), atol=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "y is missing: got None, expected the label kernel matrix for label_kernel='precomputed'"),
        (np.ones((3, 2)), r"y is not a label kernel: got shape \(3, 2\), expected a square matrix"),
        (np.ones(3), r"y is not a label kernel: got shape \(3,\), expected a square matrix"),
        (np.triu(np.ones((3, 3))), "y is not a label kernel: got a matrix that is not symmetric"),
        (-np.eye(3), "label_kernel is not positive semi-definite: got an eigenvalue of -1, expected none below 0"),
        (np.full((3, 3), np.nan), "y contains NaN: the first one is in row 0"),
        (np.eye(4), "y does not match X: got 4 rows for 3 records"),
    ],
)
def test_matrices_that_are_no_label_kernel_are_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        precomputed_label_features(given, 3, np.float64)


def test_unknown_kernels_are_refused_under_the_name_of_the_argument() -> None:
    check_kernel("kernel", "rbf")
    check_kernel("kernel", lambda A, B: A @ B.T)
    with pytest.raises(
        InputError, match=r"label_kernel is unknown: got 'rfb', expected one of .* Did you mean 'rbf'\?"
    ):
        check_kernel("label_kernel", "rfb")


def test_landmarks_are_taken_above_the_limit_only() -> None:
    assert not uses_landmarks(5_000, "rbf", "auto")
    assert uses_landmarks(5_001, "rbf", "auto")
    assert not uses_landmarks(5_001, "precomputed", "auto")
    assert not uses_landmarks(10**9, "rbf", None)
    assert uses_landmarks(11, "rbf", 10)
    assert not uses_landmarks(10, "rbf", 10)
    with pytest.raises(InputError, match="n_landmarks is out of range: got 0, expected a whole number of at least 1"):
        uses_landmarks(10, "rbf", 0)


def test_dependent_landmarks_do_no_harm(rng: np.random.Generator) -> None:
    X = np.repeat(rng.random((10, 4)), 3, axis=0)
    landmarks, lift, features = landmark_features(X, "rbf", {"gamma": 2.0}, 29, 3, rng)
    assert landmarks.shape == (29, 4)
    assert lift.shape == (29, 10)
    np.testing.assert_allclose(features @ features.T, pairwise_kernels(X, metric="rbf", gamma=2.0), atol=1e-8)


def test_what_does_not_fit_is_refused_with_its_size() -> None:
    check_dense_memory(1_000, np.float64, "solver")
    expected = (
        r"there are too many records for a dense matrix of all their pairs: got 3000000, which needs 98\.2 TiB, "
        r"expected at most .* Set n_landmarks \(e\.g\. 1000\), or use the linear kernel\."
    )
    with pytest.raises(InputError, match=expected):
        check_dense_memory(3_000_000, np.float32, "n_landmarks")


def test_only_matrices_and_functions_that_were_given_are_asked_for_symmetry(rng: np.random.Generator) -> None:
    X = rng.random((4, 3))
    np.testing.assert_allclose(training_kernel(X, "cosine", None), pairwise_kernels(X, metric="cosine"))
    with pytest.raises(InputError, match="kernel is not symmetric: got k"):
        training_kernel(X, lambda A, B: A[:, :1] - B[:, :1].T, None)


def test_squared_norm_is_the_sum_of_squares_in_double_precision() -> None:
    F = np.full((1000, 1), 0.1, np.float32)
    exact = 1000 * float(np.float32(0.1)) ** 2
    assert as_operator(F).squared_norm() == pytest.approx(exact, rel=1e-12)
    assert as_operator(sp.csr_array(F)).squared_norm() == pytest.approx(exact, rel=1e-12)
