"""Clusters of planted groups, their numbering, and the words that describe them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError, TacitWarning
from tacit.tasks.cluster.clustering import Clustering, cluster, describe


@pytest.fixture
def groups(rng):
    """Records around three directions, 30, 20 and 10 of them, shuffled, of very different lengths."""
    truth = rng.permutation(np.repeat([0, 1, 2], [30, 20, 10]))
    directions = np.eye(3)[truth] + rng.normal(scale=0.05, size=(60, 3))
    return truth, directions * rng.uniform(0.1, 10, size=(60, 1))


def test_planted_groups_are_found_and_numbered_by_size(groups):
    truth, positions = groups
    found = cluster(positions, 3)
    assert (found.labels == truth).all()
    assert found.sizes.tolist() == [30, 20, 10]
    assert found.n_clusters == 3


def test_centres_and_inertia_are_those_of_the_labels(groups):
    _, positions = groups
    for normalise in (True, False):
        found = cluster(positions, 4, normalise=normalise)
        places = positions / np.linalg.norm(positions, axis=1, keepdims=True) if normalise else positions
        means = np.array([places[found.labels == number].mean(axis=0) for number in range(4)])
        assert found.centres == pytest.approx(means)
        assert found.inertia == pytest.approx(((places - means[found.labels]) ** 2).sum())
        assert (np.diff(found.sizes) <= 0).all()


def test_length_matters_only_without_normalising(groups):
    _, positions = groups
    factor = np.linspace(1, 5, 60)[:, None]
    assert (cluster(positions, 3).labels == cluster(positions * factor, 3).labels).all()
    alike = np.array([[1.0, 0.0], [1.1, 0.0], [9.0, 0.0], [9.1, 0.0]])
    assert cluster(alike, 2, normalise=False).labels.tolist() == [0, 0, 1, 1]


def test_equal_sizes_are_numbered_by_their_first_record():
    positions = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    for seed in range(5):
        assert cluster(positions, 2, random_state=seed).labels.tolist() == [0, 1, 0, 1]


def test_forms_and_seeds(groups):
    _, positions = groups
    first = cluster(positions, 5, random_state=3, n_init=1)
    again = cluster(positions, 5, random_state=3, n_init=1)
    assert (first.labels == again.labels).all()
    assert first.inertia == again.inertia
    assert (cluster(sp.csr_array(positions), 3).labels == cluster(positions, 3).labels).all()
    assert cluster(positions.astype(np.float32), 3).centres.dtype == np.float32
    assert cluster(positions, 3, random_state=np.random.default_rng(1)).sizes.tolist() == [30, 20, 10]


def test_more_starts_are_never_worse(rng):
    positions = rng.normal(size=(80, 4))
    assert cluster(positions, 9, n_init=20).inertia <= cluster(positions, 9, n_init=1).inertia


def test_fewer_distinct_records_than_clusters_is_said():
    with pytest.warns(TacitWarning, match="n_clusters is more than there are different records: asked for 3, made 2"):
        found = cluster([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 3)
    assert found.labels.tolist() == [0, 0, 1]
    assert found.sizes.tolist() == [2, 1]
    assert found.centres.shape == (2, 2)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_words_by_hand(form):
    # "the" is the most frequent in both, and so says nothing
    weights = np.array([[9.0, 2.0, 0.0], [9.0, 4.0, 1.0], [9.0, 0.0, 5.0]])
    found = describe(two_and_one(), form(weights), ["the", "cat", "dog"], n=2)
    assert found == [[("cat", 3.0, 0.0)], [("dog", 5.0, 0.5)]]
    assert [[word.term for word in words] for words in found] == [["cat"], ["dog"]]


def test_words_come_best_first_and_at_most_n(rng):
    weights = rng.random((60, 12))
    labels = np.repeat([0, 1, 2], 20)
    clustering = Clustering(labels, np.zeros((3, 2)), np.array([20, 20, 20]), 0.0)
    for number, words in enumerate(describe(clustering, weights, list("abcdefghijkl"), n=4)):
        lead = weights[labels == number].mean(axis=0) - weights[labels != number].mean(axis=0)
        expected = [column for column in np.argsort(-lead)[:4] if lead[column] > 0]
        assert [word.term for word in words] == ["abcdefghijkl"[column] for column in expected]
        assert [word.inside - word.outside for word in words] == pytest.approx(lead[expected])


def test_a_single_cluster_is_compared_with_nothing():
    clustering = Clustering(np.zeros(2, dtype=np.int64), np.zeros((1, 1)), np.array([2]), 0.0)
    assert describe(clustering, [[1.0, 0.0], [3.0, 0.0]], ["a", "b"]) == [[("a", 2.0, 0.0)]]


def two_and_one():
    return Clustering(np.array([0, 0, 1]), np.zeros((2, 1)), np.array([2, 1]), 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1.0], [2.0]], 3), "n_clusters is out of range: got 3, expected at most the 2 records"),
        (([[1.0], [2.0]], 0), "n_clusters is out of range: got 0"),
        (([1.0, 2.0], 1), "positions is not a matrix of numbers: got float64 values in 1 dimension"),
        (([["a"]], 1), "positions is not a matrix of numbers"),
        (([[np.nan]], 1), "positions contains NaN"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(InputError, match=message):
        cluster(*arguments)


def test_bad_starts_and_bad_words_are_named():
    with pytest.raises(InputError, match="n_init is out of range: got 0"):
        cluster([[1.0], [2.0]], 1, n_init=0)
    with pytest.raises(InputError, match="X does not match clustering: got 2 rows for 3 records"):
        describe(two_and_one(), np.ones((2, 1)), ["a"])
    with pytest.raises(InputError, match="terms does not match X: got 1 terms for 2 columns"):
        describe(two_and_one(), np.ones((3, 2)), ["a"])
    with pytest.raises(InputError, match="n is out of range: got 0"):
        describe(two_and_one(), np.ones((3, 1)), ["a"], n=0)
