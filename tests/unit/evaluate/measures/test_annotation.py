"""Measures of suggested labels: against scikit-learn and against counting by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import f1_score, ndcg_score, precision_score, recall_score

from tacit.errors import InputError
from tacit.evaluate.measures.annotation import annotation_at_k, annotation_sets
from tacit.relations.labels.matrix import LabelMatrix


@pytest.fixture(scope="module")
def planted() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    truth = (rng.random((40, 12)) < 0.2).astype(int)
    truth[np.arange(40), rng.integers(12, size=40)] = 1
    return truth, truth + rng.normal(0, 1.0, truth.shape)


def by_hand(truth: np.ndarray, scores: np.ndarray, k: int) -> tuple[float, float, float]:
    rows = []
    for true, row in zip(truth, scores, strict=True):
        said = set(np.argsort(-row)[:k].tolist())
        wanted = set(np.flatnonzero(true).tolist())
        hits = len(said & wanted)
        rows.append((hits / len(said), hits / len(wanted), 2 * hits / (len(said) + len(wanted))))
    return tuple(np.mean(rows, axis=0))


@pytest.mark.parametrize("k", [1, 3, 5, 10])
def test_first_k_agree_with_counting_by_hand_and_with_scikit_learn(planted, k):
    truth, scores = planted
    (found,) = annotation_at_k(truth, scores, (k,))
    assert (found.precision, found.recall, found.f1) == pytest.approx(by_hand(truth, scores, k))
    assert found.ndcg == pytest.approx(ndcg_score(truth, scores, k=k))
    assert found.per_record.mean() == pytest.approx(found.ndcg)


def test_chosen_sets_agree_with_scikit_learn(planted):
    truth, scores = planted
    chosen = (scores > 0.6).astype(int)
    found = annotation_sets(truth, chosen)
    for average, prefix in (("samples", ""), ("micro", "micro_"), ("macro", "macro_")):
        expected = [
            measure(truth, chosen, average=average, zero_division=0)
            for measure in (precision_score, recall_score, f1_score)
        ]
        assert [getattr(found, prefix + name) for name in ("precision", "recall", "f1")] == pytest.approx(expected)
    assert found.n_right + found.n_missed == truth.sum()
    assert found.n_right + found.n_wrong == chosen.sum()


def test_macro_is_over_labels_that_occur():
    truth, chosen = [{"a"}, {"b"}], [{"a", "never"}, {"b", "never"}]
    found = annotation_sets(truth, chosen)
    assert (found.macro_f1, found.n_labels) == (1.0, 2)
    assert found.micro_precision == 0.5


def test_records_without_labels_are_left_out(planted):
    truth, scores = planted
    known = LabelMatrix.from_matrix(truth, known=np.arange(40) < 30)
    assert annotation_at_k(known, scores)[2].f1 == pytest.approx(annotation_at_k(truth[:30], scores[:30])[2].f1)
    assert annotation_sets(known, truth).n_records == 30


def test_minus_infinity_is_never_suggested():
    truth = np.array([[1, 0, 1]])
    (found,) = annotation_at_k(truth, [[2.0, -np.inf, -np.inf]], (3,))
    assert (found.precision, found.recall) == (1.0, 0.5)
    (nothing,) = annotation_at_k(truth, np.full((1, 3), -np.inf), (3,))
    assert (nothing.precision, nothing.recall, nothing.f1, nothing.ndcg) == (0, 0, 0, 0)


def test_more_suggestions_than_labels_are_all_of_them():
    (found,) = annotation_at_k([{"a"}, {"b"}], [[0.1, 0.9], [0.1, 0.9]], (10,))
    assert (found.k, found.recall, found.precision) == (10, 1.0, 0.5)


@pytest.fixture(scope="module")
def listed() -> tuple[np.ndarray, np.ndarray, sp.csr_array]:
    """Scores of 60 records x 30 labels with many ties, zeros and negative ones, most of them not suggested."""
    rng = np.random.default_rng(8)
    truth = (rng.random((60, 30)) < 0.15).astype(int)
    truth[np.arange(50), rng.integers(30, size=50)] = 1  # ten records may have no label
    dense = np.where(rng.random(truth.shape) < 0.3, rng.integers(-2, 5, truth.shape) / 4, -np.inf)
    dense[7] = -np.inf
    rows, columns = np.nonzero(np.isfinite(dense))
    order = rng.permutation(len(rows))  # a sparse matrix may store its entries in any order
    sparse = sp.coo_array((dense[rows, columns][order], (rows[order], columns[order])), dense.shape)
    return truth, dense, sparse


def test_sparse_and_dense_scores_give_the_same_numbers(listed):
    truth, dense, sparse = listed
    ks = (1, 3, 10, 50)
    for one, other in zip(annotation_at_k(truth, dense, ks), annotation_at_k(truth, sparse, ks), strict=True):
        assert (one.precision, one.recall, one.f1, one.ndcg) == (other.precision, other.recall, other.f1, other.ndcg)
        assert np.array_equal(one.per_record, other.per_record)
    chosen = dense >= 0.5
    assert annotation_sets(truth, chosen.astype(int)) == annotation_sets(truth, sp.csr_array(chosen.astype(int)))


def test_a_stored_zero_is_suggested_and_what_is_not_stored_is_not():
    scores = sp.csr_array((np.array([0.0, -1.0]), np.array([2, 0]), np.array([0, 2])), (1, 4))
    (found,) = annotation_at_k(np.array([[1, 0, 1, 1]]), scores, (4,))
    assert (found.precision, found.recall) == (1.0, pytest.approx(2 / 3))


def test_bad_input_is_named():
    with pytest.raises(InputError, match="y_true has no labels: got no record with a label"):
        annotation_at_k(np.zeros((2, 3), int), np.zeros((2, 3)))
    with pytest.raises(InputError, match="y_true has no labels"):
        annotation_sets(np.zeros((2, 3), int), np.zeros((2, 3), int))
    with pytest.raises(InputError, match=r"scores does not match y_true: got float64 values of shape \(2, 2\)"):
        annotation_at_k(np.ones((2, 3), int), np.zeros((2, 2)))
    with pytest.raises(InputError, match="scores is not finite: got NaN or infinity"):
        annotation_at_k(np.ones((1, 2), int), [[np.nan, 1.0]])
    with pytest.raises(InputError, match=r"scores does not match y_true: got float64 values of shape \(2, 2\)"):
        annotation_at_k(np.ones((2, 3), int), sp.csr_array((2, 2)))
    with pytest.raises(InputError, match="scores is not finite: got NaN or infinity"):
        annotation_at_k(np.ones((1, 2), int), sp.csr_array([[np.inf, 1.0]]))
    with pytest.raises(InputError, match="y_pred does not match y_true"):
        annotation_sets(np.ones((2, 3), int), np.ones((3, 3), int))
    with pytest.raises(InputError, match="ks is out of range: got 0"):
        annotation_at_k(np.ones((2, 3), int), np.zeros((2, 3)), (0,))
