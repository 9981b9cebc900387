"""Measures of recommended lists against hand computation, plain definitions and scikit-learn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import ndcg_score

from tacit.errors import InputError
from tacit.evaluate import (
    coverage,
    half_life_utility,
    precision_recall_ndcg,
    ranking_scores,
)
from tacit.relations.tables.ratings import as_ratings, user_means


def orders(scores, seen):
    """Every order of the unseen items in which no item comes before one of higher score."""
    items = [item for item in range(len(scores)) if not seen[item] and scores[item] > -np.inf]
    for order in itertools.permutations(items):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            yield order


def utility(order, ratings, baseline, half_life):
    """R_v of one list, item by item."""
    return sum(
        max(ratings[item] - baseline, 0) / 2 ** (place / (half_life - 1))
        for place, item in enumerate(order)
        if ratings[item]
    )


def half_life_by_definition(scores, test, seen, half_life):
    """Half-life utility as an average over all orders of ties, one user at a time."""
    every = [value for row in seen for value in row if value]
    got = best = 0.0
    for mine, ratings, known in zip(scores, test, seen, strict=True):
        rated = [value for value in known if value]
        baseline = np.mean(rated) if rated else np.mean(every)
        got += np.mean([utility(order, ratings, baseline, half_life) for order in orders(mine, known)])
        ideal = sorted((item for item in range(len(ratings)) if ratings[item]), key=lambda item: -ratings[item])
        best += utility(ideal, ratings, baseline, half_life)
    return 100 * got / best


@pytest.fixture
def case(rng):
    """Six users and seven items, scores with many ties, ratings that are either for training or for the test."""
    scores = rng.integers(0, 3, size=(6, 7)).astype(float)
    ratings = rng.integers(1, 6, size=(6, 7)) * (rng.random((6, 7)) < 0.7)
    held_out = rng.random((6, 7)) < 0.5
    held_out[0] = True  # a user without training ratings
    return scores, ratings * held_out, ratings * ~held_out


def test_half_life_by_hand():
    # ranks 1, 2, 3 weigh 1, 1/2, 1/4 at a half-life of 2; item 2 was seen and takes no place
    scores = [[4.0, 3.0, 9.0, 2.0]]
    found = half_life_utility(scores, [[0, 5, 0, 4]], seen=[[0, 0, 3, 0]], half_life=2)
    assert found.per_user == pytest.approx([2 / 2 + 1 / 4])
    assert found.best_per_user == pytest.approx([2 + 1 / 2])
    assert found.score == pytest.approx(50)
    assert (found.n_users, found.n_left_out) == (1, 0)


def test_at_the_half_life_a_place_is_worth_half():
    scores = -np.arange(9.0)[None, :]
    test = np.zeros((1, 9))
    test[0, 4] = 1
    assert half_life_utility(scores, test, baseline=0, half_life=5).score == pytest.approx(50)


@pytest.mark.parametrize("half_life", [1.5, 5])
def test_half_life_is_the_mean_over_all_orders_of_ties(case, half_life):
    scores, test, seen = case
    found = half_life_utility(scores, test, seen=seen, half_life=half_life)
    assert found.score == pytest.approx(half_life_by_definition(scores, test, seen, half_life))


def test_half_life_reads_every_form(case):
    scores, test, seen = case
    expected = half_life_utility(scores, test, seen=seen).score
    for form in (sp.csr_array, sp.coo_matrix, sp.csc_array, np.float32):
        assert half_life_utility(scores, form(test), seen=form(seen)).score == pytest.approx(expected)
    asked = []

    def some(rows):
        asked.extend(rows)
        return scores[rows]

    assert half_life_utility(some, test, seen=seen).score == expected
    assert asked == list(range(6))


def test_blocks_do_not_change_the_measures(case, monkeypatch):
    scores, test, seen = case

    def all_three():
        half_life = half_life_utility(scores, test, seen=seen).per_user.tolist()
        return half_life, precision_recall_ndcg(scores, test, 3, seen), coverage(scores, 2, seen)

    whole = all_three()
    monkeypatch.setattr("tacit.evaluate.measures.recommendation._BATCH_NUMBERS", 14)
    in_parts = all_three()
    assert in_parts[:2] == whole[:2]
    assert in_parts[2] == pytest.approx(whole[2])


def test_scores_are_left_as_they_were(case):
    scores, test, seen = case
    before = scores.copy()
    half_life_utility(scores, test, seen=seen)
    coverage(scores, 2, seen)
    assert (scores == before).all()


def test_an_item_that_is_not_recommended_gains_nothing():
    found = half_life_utility([[-np.inf, 1.0]], [[5, 0]], baseline=3)
    assert found.score == 0
    assert precision_recall_ndcg([[-np.inf, 1.0]], [[5, 0]], 2).recall == 0


def test_users_with_nothing_to_find_do_not_count():
    found = half_life_utility([[1.0, 2.0], [1.0, 2.0]], [[0, 5], [2, 0]], baseline=3)
    assert (found.score, found.n_users, found.n_left_out) == (100, 1, 1)
    top = precision_recall_ndcg([[1.0, 2.0], [1.0, 2.0]], [[0, 5], [2, 0]], 1, relevant_from=3)
    assert (top.precision, top.recall, top.ndcg, top.n_users, top.n_left_out) == (1, 1, 1, 1, 1)


def test_a_ranked_list_is_read_as_scores():
    scores = ranking_scores([[2, 0], [1, -1]], 4)
    assert scores.tolist() == [[-1, -np.inf, 0, -np.inf], [-np.inf, 0, -np.inf, -np.inf]]
    assert ranking_scores([[3, 1, 3]], 4)[0, 3] == 0
    assert half_life_utility(scores, [[3, 0, 0, 0], [0, 3, 3, 0]], baseline=1, half_life=2).score == pytest.approx(
        100 * (2 / 2 + 2) / (2 + 2 + 1)
    )


def test_top_k_by_hand():
    # unseen in order: 3, 1, 0; relevant are 0 and 1; of the first two, one is found, at rank 2
    found = precision_recall_ndcg([[1.0, 2.0, 9.0, 3.0]], [[4, 2, 0, 0]], 2, seen=[[0, 0, 1, 0]])
    assert (found.precision, found.recall) == (0.5, 0.5)
    assert found.ndcg == pytest.approx((1 / np.log2(3)) / (1 + 1 / np.log2(3)))


@pytest.mark.parametrize("k", [1, 3, 7, 20])
def test_ndcg_agrees_with_scikit_learn_ties_included(case, k):
    scores, test, _ = case
    relevant = (test >= 3)[(test >= 3).any(axis=1)]
    found = precision_recall_ndcg(scores, test, k, relevant_from=3)
    assert found.ndcg == pytest.approx(ndcg_score(relevant, scores[(test >= 3).any(axis=1)], k=k))
    assert found.n_users == len(relevant)


def test_precision_and_recall_are_means_over_all_orders_of_ties(case):
    scores, test, seen = case
    precision, recall = [], []
    for mine, rated, known in zip(scores, test, seen, strict=True):
        if not rated.any():
            continue
        found = np.mean([sum(rated[item] > 0 for item in order[:2]) for order in orders(mine, known)])
        precision.append(found / 2)
        recall.append(found / np.count_nonzero(rated))
    measured = precision_recall_ndcg(scores, test, 2, seen)
    assert measured.precision == pytest.approx(np.mean(precision))
    assert measured.recall == pytest.approx(np.mean(recall))


def test_coverage_by_hand():
    scores = np.array([[3.0, 2.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0]])
    assert coverage(scores, 1) == 0.25
    assert coverage(scores, 2) == 0.5
    assert coverage(scores, 1, seen=[[1, 0, 0, 0], [0, 0, 0, 0]]) == 0.5
    assert coverage(scores, 9) == 1
    assert coverage(lambda rows: scores[rows], 1, n_users=2) == 0.25
    assert coverage([[1.0, -np.inf, -np.inf]], 2) == pytest.approx(1 / 3)


def test_coverage_is_the_mean_over_all_orders_of_ties():
    scores = np.array([[1.0, 1.0, 0.0], [1.0, 0.5, 0.5]])
    nothing = np.zeros(3)
    shares = [
        len({*one[:2], *other[:2]}) / 3 for one in orders(scores[0], nothing) for other in orders(scores[1], nothing)
    ]
    assert coverage(scores, 2) == pytest.approx(np.mean(shares))


def test_the_baseline_is_the_mean_of_the_training_ratings():
    # the mean of the test ratings would be 5 and leave nothing to find
    found = half_life_utility([[1.0, 0.0]], [[5, 0]], seen=[[0, 2]])
    assert found.best_per_user == pytest.approx([3])
    assert user_means(as_ratings([[0, 2, 4], [0, 0, 0], [5, 0, 0]])).tolist() == [3, 11 / 3, 5]
    assert user_means(as_ratings(np.zeros((2, 2)))).tolist() == [0, 0]


def test_a_stored_zero_is_a_rating_and_a_dense_one_is_not():
    stored = sp.csr_array((np.array([0.0, 4.0]), (np.array([0, 0]), np.array([0, 1]))), shape=(1, 3))
    assert as_ratings(stored).nnz == 2
    assert as_ratings(stored.toarray()).nnz == 1
    assert user_means(as_ratings(stored)).tolist() == [2]
    assert as_ratings(np.ones((1, 2), dtype=np.float32)).dtype == np.float32
    assert as_ratings(np.ones((1, 2), dtype=np.int8)).dtype == np.float64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"half_life": 1}, "half_life is out of range: got 1, expected a number above 1"),
        ({"baseline": "mean"}, "baseline is unknown: got 'mean', expected 'user mean' or a number"),
        ({"baseline": np.inf}, "baseline is out of range: got inf"),
        ({"baseline": 9}, "test_ratings has nothing to find: got no rating above the baseline"),
        ({"seen": None}, "seen cannot give the users' means: got no training ratings"),
        ({"seen": np.array([[False, True, False]])}, "seen cannot give the users' means: got a mask"),
        ({"seen": [[1, 0]]}, r"seen does not match test_ratings: got shape \(1, 2\) for \(1, 3\)"),
        ({"seen": [[1, 1, 0]]}, "test_ratings overlaps seen: got 1 ratings in both"),
        ({"seen": ["abc"]}, "seen is not a table of numbers"),
        ({"scores": [[1.0, 2.0, 3.0]] * 2}, "scores does not match the ratings: got 2 rows for 1 records"),
        ({"scores": [[1.0, 2.0]]}, r"scores does not match the ratings: got float64 values of shape \(1, 2\)"),
        ({"scores": [1.0, 2.0, 3.0]}, "scores does not match the ratings"),
        ({"scores": [[1.0, np.nan, 3.0]]}, "scores cannot be ranked: got NaN or plus infinity"),
        ({"scores": [[1.0, np.inf, 3.0]]}, "scores cannot be ranked: got NaN or plus infinity"),
        ({"test_ratings": [[np.nan, 0, 0]]}, "test_ratings contains NaN"),
    ],
)
def test_bad_input_is_named(change, message):
    good = {"scores": [[1.0, 2.0, 3.0]], "test_ratings": [[5, 0, 0]], "seen": [[0, 3, 0]]}
    with pytest.raises(InputError, match=message):
        half_life_utility(**good | change)


def test_bad_input_of_the_others_is_named():
    with pytest.raises(InputError, match="k is out of range: got 0"):
        precision_recall_ndcg([[1.0]], [[1]], 0)
    with pytest.raises(InputError, match="test_ratings has nothing to find: got no relevant item"):
        precision_recall_ndcg([[1.0]], [[1]], 1, relevant_from=2)
    with pytest.raises(InputError, match="k is out of range: got 0"):
        coverage([[1.0]], 0)
    with pytest.raises(InputError, match="n_users is missing: got None"):
        coverage(lambda rows: np.ones((len(rows), 2)), 1)
    with pytest.raises(InputError, match="scores is empty: got no users or no items"):
        coverage(np.empty((0, 3)), 1)
    with pytest.raises(InputError, match="rankings is not a table of items: got int64"):
        ranking_scores([[4]], 4)
    with pytest.raises(InputError, match="rankings is not a table of items: got float64"):
        ranking_scores([[0.5]], 4)
    twice = sp.coo_array((np.array([3.0, 4.0]), (np.array([0, 0]), np.array([1, 1]))), shape=(1, 2))
    with pytest.raises(InputError, match="ratings rates a pair twice: got 2 ratings for 1 pairs"):
        as_ratings(twice)
    with pytest.raises(InputError, match="ratings is not a table of numbers: got int64 values in 1 dimension"):
        as_ratings([1, 2])
