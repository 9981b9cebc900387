"""F1 and AUC agree with scikit-learn label by label, and labels that cannot be judged are left out and counted."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score, roc_auc_score

from tacit.errors import InputError, TacitWarning
from tacit.evaluate import auc, f1, label_report
from tacit.relations import LabelMatrix

N_RECORDS, N_LABELS = 80, 7


@pytest.fixture
def drawn() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, decisions and scores that are related but not equal; label 5 never occurs, label 6 always does."""
    rng = np.random.default_rng(7)
    truth = (rng.random((N_RECORDS, N_LABELS)) < 0.3).astype(int)
    truth[:, 5], truth[:, 6] = 0, 1
    # rounding makes ties, which must count half
    scores = np.round(truth + rng.normal(size=truth.shape), 1)
    return truth, (scores > 0.6).astype(int), scores


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_matrix, LabelMatrix.from_matrix])
def test_f1_is_scikit_learns(drawn: tuple, form: object) -> None:
    truth, decided, _ = drawn
    mine = f1(form(truth), form(decided))
    np.testing.assert_allclose(mine.per_label, f1_score(truth, decided, average=None, zero_division=0))
    assert mine.macro == pytest.approx(f1_score(truth, decided, average="macro", zero_division=0))
    assert mine.micro == pytest.approx(f1_score(truth, decided, average="micro", zero_division=0))
    assert (mine.n_labels, mine.n_left_out) == (N_LABELS, 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_auc_is_scikit_learns_where_it_is_defined(drawn: tuple, dtype: type) -> None:
    truth, _, scores = drawn
    scores = scores.astype(dtype)
    mine = auc(sp.csr_array(truth), scores)
    expected = [roc_auc_score(truth[:, label], scores[:, label]) for label in range(5)]
    np.testing.assert_allclose(mine.per_label, [*expected, np.nan, np.nan], rtol=1e-12)
    assert mine.macro == pytest.approx(np.mean(expected))
    assert (mine.n_labels, mine.n_left_out) == (5, 2)


def test_auc_is_the_share_of_pairs_in_the_right_order(drawn: tuple) -> None:
    truth, _, scores = drawn
    mine = auc(truth, scores).per_label[0]
    with_label, without = scores[truth[:, 0] == 1, 0], scores[truth[:, 0] == 0, 0]
    pairs = [(one > other) + 0.5 * (one == other) for one in with_label for other in without]
    assert mine == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("as_counts", [True, False])
def test_labels_absent_from_training_are_left_out(drawn: tuple, as_counts: bool) -> None:
    truth, decided, scores = drawn
    trained = np.array([3, 0, 9, 1, 0, 4, 2])
    kept = np.flatnonzero(trained)
    given = trained if as_counts else trained > 0
    mine = f1(truth, decided, given)
    assert mine.macro == pytest.approx(f1_score(truth[:, kept], decided[:, kept], average="macro", zero_division=0))
    assert mine.micro == pytest.approx(f1_score(truth[:, kept], decided[:, kept], average="micro", zero_division=0))
    assert np.flatnonzero(np.isnan(mine.per_label)).tolist() == [1, 4]
    assert (mine.n_labels, mine.n_left_out) == (5, 2)
    ranked = auc(truth, scores, given)
    assert (ranked.n_labels, ranked.n_left_out) == (3, 4)
    assert ranked.macro == pytest.approx(roc_auc_score(truth[:, [0, 2, 3]], scores[:, [0, 2, 3]], average="macro"))


def test_training_labels_may_be_given_themselves() -> None:
    truth = LabelMatrix.from_sets([{"a"}, {"b"}, {"c"}])
    training = LabelMatrix.from_sets([{"b"}, {"z"}, {"a"}])
    assert f1(truth, truth, training).n_left_out == 1
    assert np.isnan(f1(truth, truth, training).per_label[2])
    bare = np.eye(3, dtype=int)
    assert np.isnan(f1(bare, bare, LabelMatrix.from_matrix([[1, 0, 1]], ["x", "y", "z"])).per_label[1])


def test_unknown_records_are_left_out(drawn: tuple) -> None:
    truth, decided, scores = drawn
    known = np.arange(N_RECORDS) % 3 > 0
    labels = LabelMatrix.from_matrix(truth, known=known)
    assert f1(labels, decided).micro == pytest.approx(f1(truth[known], decided[known]).micro)
    np.testing.assert_array_equal(f1(labels, decided).per_label, f1(truth[known], decided[known]).per_label)
    np.testing.assert_array_equal(auc(labels, scores).per_label, auc(truth[known], scores[known]).per_label)
    assert label_report(labels, decided)["n_records"] == known.sum()


def test_one_label_is_not_taken_for_two_classes() -> None:
    truth, decided = np.array([[1], [0], [1]]), np.array([[1], [1], [0]])
    assert f1(truth, decided).per_label.tolist() == [0.5]
    assert auc(truth, np.array([[3.0], [2.0], [1.0]])).macro == 0.5


def test_named_labels_are_matched_by_name_and_extra_predictions_count_against() -> None:
    truth = [["a"], ["a", "b"], []]
    mine = f1(truth, [["a"], ["b"], ["z"]])
    assert mine.n_labels == 3
    np.testing.assert_allclose(mine.per_label, [2 / 3, 1.0, 0.0])
    assert mine.micro == pytest.approx(2 * 2 / (3 + 3))
    reordered = LabelMatrix.from_sets(truth, ["b", "a"])
    assert f1(truth, reordered).macro == 1.0
    assert f1(["x", "y", "y"], ["x", "y", "x"]).micro == pytest.approx(2 / 3)


def test_perfect_and_reversed_scores_are_the_ends_of_the_scale(drawn: tuple) -> None:
    truth = drawn[0]
    assert f1(truth[:, :5], truth[:, :5]).macro == f1(truth, truth).micro == 1.0
    assert auc(truth, truth).macro == 1.0
    assert auc(truth, -truth).macro == 0.0
    assert auc(truth, np.zeros(truth.shape)).macro == 0.5


def test_nothing_to_average_is_nan_with_a_warning() -> None:
    truth = np.zeros((4, 2), dtype=int)
    with pytest.warns(TacitWarning, match="No label can be averaged: all 2 were left out, so the macro AUC is NaN"):
        assert np.isnan(auc(truth, truth).macro)
    with pytest.warns(TacitWarning, match="the macro F1 is NaN"):
        scores = f1(truth, truth, [0, 0])
    assert np.isnan(scores.micro)
    assert f1(truth, truth).micro == 0.0


def test_report_gathers_plain_numbers(drawn: tuple) -> None:
    truth, decided, scores = drawn
    report = label_report(truth, decided, scores, truth.sum(axis=0))
    assert json.loads(json.dumps(report)) == report
    assert report == {
        "n_records": N_RECORDS,
        "f1_macro": f1(truth, decided, truth.sum(axis=0)).macro,
        "f1_micro": f1(truth, decided, truth.sum(axis=0)).micro,
        "f1_labels": 6,
        "f1_left_out": 1,
        "auc_macro": auc(truth, scores).macro,
        "auc_labels": 5,
        "auc_left_out": 2,
    }
    assert "auc_macro" not in label_report(truth, decided)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: f1(y, y[:, :2]), "y_pred does not match y_true: got 2 columns for 3"),
        (lambda y: f1(y, y[:2]), "y_pred does not match y_true: got 2 rows for 4 records"),
        (lambda y: f1(y, 0.5 * y), "y_pred is not binary: got 0.5 in row 0"),
        (lambda y: f1(2 * y, y), "y_true is not binary: got 2 in row 0"),
        (lambda y: f1(None, y), "y_true is missing: got None"),
        (lambda y: f1(y, y, [True]), r"trained does not match y_true: got bool values of shape \(1,\)"),
        (lambda y: f1(y, y, ["a", "b", "c"]), "trained does not match y_true: got <U1 values"),
        (lambda y: auc(y, y[:, 0]), r"scores does not match y_true: got int64 values of shape \(4,\)"),
        (lambda y: auc(y, y[:3]), "scores does not match y_true: got 3 rows for 4 records"),
        (lambda y: auc(y, y.astype(str)), "scores does not match y_true: got <U"),
        (lambda y: auc(y, np.where(y, np.nan, 0.0)), "scores contains NaN: the first one is in row 0"),
    ],
)
def test_labelling_names_what_does_not_fit(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]]))
