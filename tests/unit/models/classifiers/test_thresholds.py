"""Thresholds against every possible cut, tried one by one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.errors import InputError
from tacit.models.classifiers.base import best_f1_thresholds


def f1(truth: np.ndarray, said: np.ndarray) -> float:
    return 2 * int(np.sum(said & (truth == 1))) / max(1, int(said.sum() + truth.sum()))


def best_f1_by_trying(truth: np.ndarray, scores: np.ndarray) -> float:
    cuts = [-np.inf, *scores, np.inf]
    return max(f1(truth, scores > cut) for cut in cuts)


@st.composite
def labelled_scores(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n_records = draw(st.integers(1, 12))
    # whole numbers, so that ties are frequent
    scores = draw(arrays(np.float64, n_records, elements=st.integers(-4, 4).map(float)))
    truth = draw(arrays(np.int64, n_records, elements=st.integers(0, 1)).filter(lambda column: column.any()))
    return truth, scores


@given(labelled_scores())
def test_no_cut_has_a_better_f1(case: tuple[np.ndarray, np.ndarray]) -> None:
    truth, scores = case
    threshold = best_f1_thresholds(truth[:, None], scores[:, None])[0]
    assert f1(truth, scores > threshold) == pytest.approx(best_f1_by_trying(truth, scores), abs=1e-12)


@given(labelled_scores())
def test_of_equally_good_cuts_the_one_that_says_yes_least_is_taken(case: tuple[np.ndarray, np.ndarray]) -> None:
    truth, scores = case
    threshold = best_f1_thresholds(truth[:, None], scores[:, None])[0]
    best = f1(truth, scores > threshold)
    higher = [cut for cut in scores if cut > threshold]
    assert all(f1(truth, scores > cut) < best for cut in higher)


@given(labelled_scores(), st.randoms(use_true_random=False))
def test_order_of_records_does_not_matter(case: tuple[np.ndarray, np.ndarray], random: object) -> None:
    truth, scores = case
    order = np.arange(len(truth))
    random.shuffle(order)  # type: ignore[attr-defined]
    straight = best_f1_thresholds(truth[:, None], scores[:, None])
    np.testing.assert_array_equal(straight, best_f1_thresholds(truth[order, None], scores[order, None]))


def test_threshold_is_the_midpoint() -> None:
    assert best_f1_thresholds([[1], [1], [0]], [[5.0], [3.0], [2.0]])[0] == 2.5


def test_neighbouring_floats_are_still_separated() -> None:
    low = np.float64(1.0)
    scores = np.array([[np.nextafter(low, 2)], [low]])
    threshold = best_f1_thresholds([[1], [0]], scores)
    np.testing.assert_array_equal(scores > threshold, [[True], [False]])
    high = np.nextafter(np.float64(2.0), 1)  # here the midpoint is rounded up
    scores = np.array([[2.0], [high]])
    np.testing.assert_array_equal(scores > best_f1_thresholds([[1], [0]], scores), [[True], [False]])


def test_label_without_positives_is_never_given() -> None:
    thresholds = best_f1_thresholds([[0, 1], [0, 0]], [[9.0, 9.0], [1.0, 1.0]])
    assert thresholds[0] == np.inf
    assert thresholds[1] == 5.0


def test_label_that_all_have_is_given_to_all() -> None:
    scores = np.array([[3.0], [3.0], [1.0]])
    assert (scores > best_f1_thresholds([[1], [1], [1]], scores)).all()


def test_labels_are_independent_and_sparse_equals_dense() -> None:
    rng = np.random.default_rng(0)
    truth, scores = rng.integers(0, 2, (40, 6)), rng.normal(size=(40, 6))
    together = best_f1_thresholds(truth, scores)
    alone = [best_f1_thresholds(truth[:, [j]], scores[:, [j]])[0] for j in range(6)]
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(best_f1_thresholds(sp.csr_array(truth), scores), together)


def test_stored_zeros_are_no_positives() -> None:
    stored = sp.csr_array((np.array([1.0, 0.0]), (np.array([0, 1]), np.array([0, 0]))), shape=(3, 1))
    assert stored.nnz == 2
    assert best_f1_thresholds(stored, [[5.0], [3.0], [0.0]])[0] == 4.0


def test_hopeless_label_falls_back_to_the_highest_score() -> None:
    truth = np.zeros((100, 2))
    truth[60, 0] = 1  # a positive in the middle of the negatives
    truth[0, 1] = 1
    scores = np.arange(100.0, 0.0, -1)[:, None].repeat(2, axis=1)
    trusting = best_f1_thresholds(truth, scores)
    careful = best_f1_thresholds(truth, scores, min_f1=0.1)
    assert (scores[:, 0] > trusting[0]).sum() == 61
    assert careful[0] == 100.0
    assert careful[1] == trusting[1]


@pytest.mark.parametrize(
    ("truth", "scores", "min_f1", "message"),
    [
        (
            [[1], [0]],
            [[1.0, 2.0], [0.0, 1.0]],
            0.0,
            r"scores does not match y_true: got shape \(2, 2\), expected \(2, 1\)",
        ),
        ([[1], [0]], [[1.0]], 0.0, r"scores does not match y_true: got shape \(1, 1\), expected \(2, 1\)"),
        ([[1], [0]], [[1.0], [np.nan]], 0.0, "scores contains NaN: the first one is in row 1"),
        ([[1], [0]], [[1.0], [0.0]], 2.0, "min_f1 is out of range: got 2.0"),
    ],
)
def test_bad_input_is_named(truth: object, scores: object, min_f1: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        best_f1_thresholds(truth, scores, min_f1=min_f1)
