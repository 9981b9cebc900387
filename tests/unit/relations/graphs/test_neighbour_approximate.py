"""Approximate search: what it gives is measured right, its recall is the true one, and the same seed gives the same."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise

from tacit.errors import TacitWarning
from tacit.relations.graphs import neighbour_search as neighbour_approximate
from tacit.relations.graphs import neighbours
from tacit.relations.graphs.neighbour_search import Arcs, nearest
from tacit.relations.graphs.neighbours import neighbour_graph
from tacit.relations.graphs.vectors import read_vectors

METRICS = ["cosine", "euclidean"]


@pytest.fixture(scope="module")
def dense() -> np.ndarray:
    """1200 records about 60 places."""
    rng = np.random.default_rng(5)
    return rng.normal(size=(60, 10))[rng.integers(60, size=1200)] + 0.3 * rng.normal(size=(1200, 10))


@pytest.fixture(scope="module")
def words() -> sp.csr_array:
    """1200 records of 60 words, a third of them from one of 30 topics, rare ones weighing more."""
    rng = np.random.default_rng(6)
    topic = rng.integers(30, size=1200)
    common = (500 * rng.random((1200, 40)) ** 2).astype(int)
    special = 500 + 50 * topic[:, None] + rng.integers(50, size=(1200, 20))
    counts = sp.csr_array((np.ones(72_000), (np.repeat(np.arange(1200), 60), np.hstack([common, special]).ravel())))
    counts.sum_duplicates()
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    return sp.csr_array(counts.multiply(np.log(1200 / np.maximum(frequency, 1))[None, :]))


@pairwise(kind=["dense", "words"], metric=METRICS, dtype=[np.float32, np.float64])
def test_most_neighbours_are_found_and_their_weights_are_exact(kind, metric, dtype, request) -> None:
    X = request.getfixturevalue(kind).astype(dtype)
    exact = neighbour_graph(X, 8, metric=metric, weights="gaussian")
    found = neighbour_graph(X, 8, metric=metric, weights="gaussian", width=exact.width, search="approximate")
    assert (found.search, exact.search) == ("approximate", "exact")
    W, expected = found.to_dense(), exact.to_dense()
    both = (W > 0) & (expected > 0)
    assert both.sum() > 0.9 * (expected > 0).sum()
    np.testing.assert_allclose(W[both], expected[both], rtol=1e-5)
    assert (W > 0).sum() > 0.95 * (expected > 0).sum()  # who misses the nearest gets others in their place
    assert found.parts[0].weights.dtype == dtype


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_the_recall_is_that_of_all_records_up_to_the_sample(form, rng, monkeypatch) -> None:
    monkeypatch.setattr(neighbour_approximate, "_PROBES", 4)
    monkeypatch.setattr(neighbour_approximate, "_HEAVIEST", 4)
    monkeypatch.setattr(neighbour_approximate, "_CANDIDATES", 2)
    vectors = read_vectors(form(rng.random((1500, 10))), "cosine")  # nothing to find cells or heavy entries by
    found, recall = neighbour_approximate.nearly_nearest(vectors, 10, np.random.default_rng(0))
    exact = nearest(vectors, 10)
    pairs, true_pairs = (set(zip(arcs.row, arcs.column, strict=True)) for arcs in (found, exact))
    true_recall = len(pairs & true_pairs) / len(true_pairs)
    assert 0.3 < true_recall < 0.95
    assert recall == pytest.approx(true_recall, abs=0.03)


@pytest.mark.parametrize("kind", ["dense", "words"])
def test_the_same_seed_gives_the_same_graph(kind, request) -> None:
    X = request.getfixturevalue(kind)
    first, second = (neighbour_graph(X, 5, search="approximate", random_state=3).to_dense() for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_low_recall_is_told(rng, monkeypatch) -> None:
    monkeypatch.setattr(neighbour_approximate, "_PROBES", 1)
    with pytest.warns(TacitWarning, match=r"search misses neighbours: got \d+% of the nearest .* at least 90%\. Use"):
        found = neighbour_graph(rng.normal(size=(800, 10)), 10, search="approximate")
    assert found.recall < 0.9


def test_a_tie_for_the_last_place_is_no_miss() -> None:
    vectors = read_vectors(np.array([[0.0], [1], [-1], [5]]), "euclidean")
    exact = nearest(vectors, 1)
    other = Arcs(np.array([0, 1, 2, 3]), np.array([2, 0, 0, 0]), np.array([1.0, 1, 1, 25]))
    assert neighbour_approximate._recall_of(vectors, exact, exact, np.arange(4)) == 1
    assert neighbour_approximate._recall_of(vectors, other, exact, np.arange(4)) == 0.75  # -1 is as near to 0 as 1 is
    assert neighbour_approximate._recall_of(vectors, other, exact.taken([3]), np.array([3])) == 0


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("metric", METRICS)
def test_a_small_collection_is_compared_in_full(metric, form, rng) -> None:
    X = form(rng.random((40, 4)))
    for k in (1, 10, 39):
        found = neighbour_graph(X, k, metric=metric, search="approximate")
        np.testing.assert_array_equal(found.to_dense(), neighbour_graph(X, k, metric=metric).to_dense())
        assert found.recall == 1


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("metric", METRICS)
def test_copies_find_each_other(metric, form, rng) -> None:
    which = np.arange(300) % 50
    found = neighbour_graph(form(rng.random((50, 4))[which]), 3, metric=metric, search="approximate")
    assert found.recall == 1
    assert not found.to_dense()[which[:, None] != which].any()


def test_the_heaviest_entries_of_each_record_are_kept() -> None:
    rows = sp.csr_array(np.array([[1.0, -5, 0, 2, 3], [2, 2, 2, 2, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]]))
    kept = neighbour_approximate._heaviest(rows, 2).toarray()
    np.testing.assert_array_equal(kept, [[0, -5, 0, 0, 3], [2, 2, 0, 0, 0], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0]])


@pytest.mark.parametrize(("limit", "search"), [(1200, "exact"), (1199, "approximate")])
def test_auto_is_exact_up_to_a_size(dense, limit, search, monkeypatch) -> None:
    monkeypatch.setattr(neighbours, "_EXACT_UPTO", limit)
    assert neighbour_graph(dense, 5).search == search
    assert neighbour_graph(dense, None, within=0.5, search="auto").search == "exact"


@pytest.mark.realdata
def test_most_neighbours_of_real_texts_are_found(data_dir) -> None:
    from tacit.datasets import load_rcv1

    found = neighbour_graph(load_rcv1(data_dir, subset=1).X, 10, search="approximate")
    assert found.recall > 0.93


def test_auto_searches_exactly_after_all_where_too_much_is_missed(monkeypatch):
    """Words drawn independently: a few heavy ones say little about the whole."""
    monkeypatch.setattr("tacit.relations.graphs.neighbours._EXACT_UPTO", 100)
    X = sp.random_array((600, 3_000), density=0.03, rng=np.random.default_rng(0), format="csr")
    with pytest.warns(TacitWarning, match="search misses neighbours"):
        missed = neighbour_graph(X, 5, search="approximate")
    found, exact = neighbour_graph(X, 5), neighbour_graph(X, 5, search="exact")
    assert missed.recall < 0.9
    assert (found.search, found.recall) == ("exact", 1.0)
    np.testing.assert_array_equal(found.to_dense(), exact.to_dense())


@pairwise(kind=["dense", "words"], metric=METRICS)
def test_neighbours_among_some_records(kind, metric, request) -> None:
    X, among = request.getfixturevalue(kind), np.arange(1200) % 3 > 0
    found = neighbour_graph(X, 8, metric=metric, search="approximate", among=among)
    exact = neighbour_graph(X, 8, metric=metric, search="exact", among=among)
    assert found.recall > 0.8
    shared = (found.to_dense() > 0) & (exact.to_dense() > 0)
    assert shared.sum() > 0.8 * (exact.to_dense() > 0).sum()
    assert not found.to_dense()[np.ix_(~among, ~among)].any()
