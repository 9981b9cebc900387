"""Rankings agree with a plain double loop, with scikit-learn where scores are untied, and depend on no batch size."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import ndcg_score

from tacit.errors import InputError
from tacit.evaluate import ndcg_at_k, overlap_ndcg, precision_at_k
from tacit.relations import LabelMatrix


def ranked(scores: np.ndarray) -> list[int]:
    """Best first; Python's sort is stable, so equals stay in column order."""
    return sorted(range(len(scores)), key=lambda column: -scores[column])


def plain_precision(truth: np.ndarray, scores: np.ndarray, k: int) -> float:
    shares = []
    for true, score in zip(truth, scores, strict=True):
        if true.any():
            shares.append(sum(true[column] for column in ranked(score)[:k]) / k)
    return sum(shares) / len(shares)


def plain_ndcg(truth: np.ndarray, scores: np.ndarray, k: int) -> float:
    values = []
    for true, score in zip(truth, scores, strict=True):
        if true.any():
            gain = sum(true[column] / math.log2(place + 2) for place, column in enumerate(ranked(score)[:k]))
            values.append(gain / sum(1 / math.log2(place + 2) for place in range(min(k, true.sum()))))
    return sum(values) / len(values)


def plain_overlap_ndcg(queries: np.ndarray, collection: np.ndarray, asked: list, known: list, k: int) -> float:
    values = []
    for vector, mine in zip(queries, asked, strict=True):
        if not mine:
            continue
        cosines, overlaps = [], []
        for other, theirs in zip(collection, known, strict=True):
            if theirs is None:
                continue
            length = np.linalg.norm(vector) * np.linalg.norm(other)
            cosines.append(vector @ other / length if length else 0.0)
            overlaps.append(len(set(mine) & set(theirs)) / len(set(mine) | set(theirs)))
        gains = [overlaps[record] for record in ranked(np.array(cosines))[:k]]
        ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(overlaps, reverse=True)[:k]))
        if ideal:
            values.append(sum(gain / math.log2(place + 2) for place, gain in enumerate(gains)) / ideal)
    return sum(values) / len(values)


tied_problem = st.tuples(st.integers(1, 6), st.integers(1, 7)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.int64, shape, elements=st.integers(0, 1)).filter(lambda truth: truth.any()),
        hnp.arrays(np.float64, shape, elements=st.sampled_from([-1.0, 0.0, 0.5, 2.0])),
        st.integers(1, shape[1]),
    )
)


@given(tied_problem)
def test_label_ranking_is_the_plain_loop_even_with_ties(problem: tuple) -> None:
    truth, scores, k = problem
    assert precision_at_k(truth, scores, k) == pytest.approx(plain_precision(truth, scores, k))
    assert ndcg_at_k(sp.csr_array(truth), scores, k) == pytest.approx(plain_ndcg(truth, scores, k))


@pytest.mark.parametrize("k", [1, 3, 9, 20])
def test_ndcg_is_scikit_learns_on_untied_scores(k: int) -> None:
    rng = np.random.default_rng(1)
    truth, scores = (rng.random((5000, 9)) < 0.3).astype(int), rng.normal(size=(5000, 9))
    truth[:, 0] |= ~truth.any(axis=1)  # scikit-learn counts records without labels as 0, which is not the question here
    assert ndcg_at_k(truth, scores, k) == pytest.approx(ndcg_score(truth, scores, k=k))


def test_records_without_labels_or_with_unknown_ones_are_left_out() -> None:
    truth = LabelMatrix.from_sets([["a"], [], None, ["b"]])
    scores = np.array([[2.0, 1.0], [9.0, 9.0], [9.0, 9.0], [2.0, 1.0]])
    assert precision_at_k(truth, scores, 1) == 0.5
    assert ndcg_at_k(truth, scores, 2) == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_ties_go_to_the_leftmost_column() -> None:
    scores = np.zeros((1, 400))
    for right in (0, 1, 2, 3):
        truth = np.zeros((1, 400), dtype=int)
        truth[0, right] = 1
        assert precision_at_k(truth, scores, 3) == (1 / 3 if right < 3 else 0)


def planted(seed: int, form: object = np.asarray) -> tuple:
    """Vectors that carry some of their labels, with an unlabelled query, an unknown and an empty record, and a zero."""
    rng = np.random.default_rng(seed)
    labels = (rng.random((75, 6)) < 0.35).astype(int)
    vectors = labels @ rng.normal(size=(6, 4)) + rng.normal(size=(75, 4))
    vectors[3] = 0
    sets = [tuple(np.flatnonzero(row).tolist()) for row in labels]
    sets[1], sets[40], sets[41] = (), None, ()
    return form(vectors[:25]), form(vectors[25:]), sets[:25], sets[25:]


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [1, 4, 10, 500])
def test_overlap_ndcg_is_the_plain_loop(form: object, k: int) -> None:
    queries, collection, asked, known = planted(3)
    expected = plain_overlap_ndcg(queries, collection, asked, known, k)
    assert overlap_ndcg(form(queries), form(collection), asked, known, k=k) == pytest.approx(expected, rel=1e-12)
    assert 0.2 < expected <= 1


def test_overlap_ndcg_does_not_depend_on_the_batch_nor_on_the_form_of_labels() -> None:
    queries, collection, asked, known = planted(4)
    value = overlap_ndcg(queries, collection, asked, known)
    names = range(6)
    labels = LabelMatrix.from_sets(asked, names), LabelMatrix.from_sets(known, names)
    for batch in (1, 7, 25):
        assert overlap_ndcg(queries, collection, *labels, batch=batch) == pytest.approx(value, rel=1e-12)
    turned = LabelMatrix.from_sets(known, reversed(names))
    assert overlap_ndcg(queries, collection, labels[0], turned, k=3) == overlap_ndcg(queries, collection, *labels, k=3)
    judged = labels[1].known
    matrices = labels[0].to_matrix(bool), labels[1][judged].to_matrix().toarray()
    assert overlap_ndcg(queries, collection[judged], *matrices) == pytest.approx(value, rel=1e-12)


def test_overlap_ndcg_reaches_one_when_vectors_are_the_labels() -> None:
    labels = np.eye(4, dtype=int)[np.arange(40) % 4]
    assert overlap_ndcg(labels[:8], labels[8:], labels[:8], labels[8:], k=5) == pytest.approx(1.0)


def test_overlap_ndcg_ignores_the_length_of_vectors() -> None:
    queries, collection, asked, known = planted(5)
    stretch = np.linspace(0.1, 30, len(collection))[:, None]
    expected = overlap_ndcg(queries, collection, asked, known)
    assert overlap_ndcg(9 * queries, stretch * collection, asked, known) == pytest.approx(expected, rel=1e-12)
    assert overlap_ndcg(queries.astype(np.float32), collection.astype(np.float32), asked, known) == pytest.approx(
        expected, abs=1e-3
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda y: precision_at_k(y, y, 4), "k is out of range: got 4, expected at most the number of labels, 3"),
        (lambda y: precision_at_k(y, y, 0), "k is out of range: got 0, expected a whole number of at least 1"),
        (lambda y: ndcg_at_k(y, y, 1.5), "k is out of range: got 1.5"),
        (lambda y: ndcg_at_k(0 * y, y, 1), "y_true has no labels: got no record with a label"),
        (lambda y: ndcg_at_k(y, y[:, :2], 1), "scores does not match y_true"),
        (lambda y: overlap_ndcg(y, y[:, :2], y, y), "queries does not match collection: got 3 dimensions for 2"),
        (lambda y: overlap_ndcg(y, y, y[:1], y), "query_labels does not match queries: got 1 rows for 2 records"),
        (lambda y: overlap_ndcg(y, y, y, y[:1]), "collection_labels does not match collection: got 1 rows"),
        (lambda y: overlap_ndcg(y, y, y, y[:, :2]), "collection_labels does not match query_labels: got 2 columns"),
        (lambda y: overlap_ndcg(y, y, y, 1 - y), "query_labels has nothing to find: got no label shared"),
        (
            lambda y: overlap_ndcg(y, y, y, LabelMatrix.from_matrix(y, known=y[:, 1] > 0)),
            "query_labels has nothing to find",
        ),
        (lambda y: overlap_ndcg(y[0], y, y, y), "queries is not a matrix of numbers: got int64 values in 1 dim"),
        (lambda y: overlap_ndcg(y, y * np.nan, y, y), "collection contains NaN"),
        (lambda y: overlap_ndcg(y, y, y, y, batch=0), "batch is out of range: got 0"),
    ],
)
def test_ranking_names_what_does_not_fit(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call(np.array([[1, 0, 1], [1, 0, 1]]))
