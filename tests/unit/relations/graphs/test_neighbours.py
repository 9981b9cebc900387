"""Who is joined with whom in a graph of neighbours: against the definition, with ties, copies and empty records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from neighbour_loops import joined, neighbours, squared_distances
from pairwise import pairwise

from tacit.errors import InputError, TacitWarning
from tacit.relations.graphs import neighbour_search
from tacit.relations.graphs.graph import EdgeWeights
from tacit.relations.graphs.neighbours import neighbour_graph
from tacit.relations.graphs.vectors import read_vectors

METRICS = ["cosine", "euclidean"]
FORMS = [np.asarray, sp.csr_array, sp.csc_matrix]
lonely = pytest.mark.filterwarnings("ignore:X has records without neighbours")


def collection(kind: str, rng: np.random.Generator, n_records: int = 70) -> np.ndarray:
    if kind == "dense":
        return rng.normal(size=(n_records, 6))
    if kind == "counts":  # small whole numbers: ties everywhere
        return rng.integers(0, 3, size=(n_records, 4)).astype(float)
    if kind == "copies":
        return rng.normal(size=(9, 5))[rng.integers(9, size=n_records)]
    if kind == "far away":
        return rng.normal(size=(n_records, 6)) + 1e5
    return rng.random((n_records, 40)) * (rng.random((n_records, 40)) < 0.08)


KINDS = ["dense", "counts", "copies", "far away", "sparse"]


@lonely
@pairwise(kind=KINDS, metric=METRICS, join=["union", "mutual"], form=FORMS)
def test_the_nearest_are_those_of_the_definition(kind, metric, join, form, rng) -> None:
    X = collection(kind, rng)
    for k in (1, 5, 69):
        found = neighbour_graph(form(X), k, metric=metric, join=join)
        expected = joined(neighbours(X, k, metric), join)
        np.testing.assert_array_equal(found.to_dense(), expected)
        assert found.n_isolated == np.count_nonzero(~expected.any(axis=1))
        assert (found.search, found.recall, found.width) == ("exact", 1.0, None)


@lonely
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.sampled_from(KINDS))
def test_any_size(seed: int, metric: str, kind: str) -> None:
    rng = np.random.default_rng(seed)
    X = collection(kind, rng, int(rng.integers(2, 25)))
    k = int(rng.integers(1, len(X)))
    for form in (np.asarray, sp.csr_array):
        np.testing.assert_array_equal(
            neighbour_graph(form(X), k, metric=metric).to_dense(), joined(neighbours(X, k, metric), "union")
        )


@lonely
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(("metric", "within"), [("cosine", 0.0), ("cosine", 0.6), ("euclidean", 1.5), ("euclidean", 0)])
@pytest.mark.parametrize("kind", ["dense", "counts", "sparse", "copies"])
def test_a_range_joins_all_that_are_in_it(kind, metric, within, form, rng) -> None:
    X = collection(kind, rng)
    squared = squared_distances(X, metric)
    if metric == "cosine":
        full = np.flatnonzero(X.any(axis=1))
        cosines = np.zeros(squared.shape)
        cosines[np.ix_(full, full)] = 1 - squared[np.ix_(full, full)] / 2
        expected = (cosines >= within - 1e-10) & (cosines > 1e-10)
    else:
        expected = squared <= within**2 * (1 + 1e-10)
    np.fill_diagonal(expected, False)
    found = neighbour_graph(form(X), None, within=within, metric=metric)
    np.testing.assert_array_equal(found.to_dense(), expected)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_the_order_of_the_records_does_not_matter(kind, metric, rng) -> None:
    X = collection(kind, rng)
    X += 0.01 * rng.random(X.shape)  # without ties, in which the order decides
    order = rng.permutation(len(X))
    W = neighbour_graph(X, 4, metric=metric, weights="gaussian").to_dense()
    shuffled = neighbour_graph(X[order], 4, metric=metric, weights="gaussian").to_dense()
    np.testing.assert_allclose(shuffled, W[np.ix_(order, order)], atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("metric", METRICS)
def test_single_precision_stays_and_finds_the_same(metric, form, rng) -> None:
    X = rng.random((90, 12)).astype(np.float32)
    found = neighbour_graph(form(X), 6, metric=metric, weights="gaussian")
    (edges,) = found.parts
    assert isinstance(edges, EdgeWeights)
    assert edges.weights.dtype == np.float32
    np.testing.assert_array_equal(found.to_dense() > 0, joined(neighbours(X, 6, metric), "union"))


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_copies_are_neighbours_and_the_first_of_them_come_first(form) -> None:
    X = np.repeat([[1.0, 2, 0], [0, 1, 5]], [6, 1], axis=0)
    near = neighbour_graph(form(X), 2, metric="euclidean").to_dense()
    expected = np.zeros((7, 7))
    for i, j in [(0, 1), (0, 2), (1, 2), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (5, 1), (6, 0), (6, 1)]:
        expected[i, j] = expected[j, i] = 1
    np.testing.assert_array_equal(near, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_very_many_records_at_the_same_distance_are_taken_in_their_order(dtype) -> None:
    X = sp.eye_array(1200, dtype=dtype, format="csr")  # each is as far from every other, and none is a copy
    near = neighbour_graph(X, 2, metric="euclidean").to_dense()
    expected = np.zeros((1200, 1200))
    expected[:2] = expected[:, :2] = 1
    expected[0, 0] = expected[1, 1] = 0
    np.testing.assert_array_equal(near, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_in_a_dense_crowd_far_from_the_rest_are_told_apart(dtype, rng) -> None:
    crowd = rng.integers(-8, 9, size=(1300, 3)) / 1024  # exact in single precision, and so are the differences
    X = np.vstack([crowd + 64, -crowd - 64]).astype(dtype)
    found = neighbour_graph(X, 3, metric="euclidean").to_dense()
    rows = rng.choice(len(X), 40, replace=False)
    squared = ((X[rows, None].astype(float) - X[None].astype(float)) ** 2).sum(axis=-1)
    squared[np.arange(40), rows] = np.inf
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :3]
    assert np.take_along_axis(found[rows], nearest, axis=1).all()


def test_a_large_offset_hides_no_neighbours(rng) -> None:
    X = rng.integers(-(2**20), 2**20, size=(1300, 6)) / 2**20  # so that adding the offset is exact
    near, far = (neighbour_graph(X + offset, 3, metric="euclidean").to_dense() for offset in (0, 2**28))
    np.testing.assert_array_equal(far, near)


@lonely
def test_blocks_and_threads_change_nothing(rng, monkeypatch) -> None:
    X = sp.csr_array(collection("sparse", rng, 200))
    whole = neighbour_graph(X, 5, weights="similarity", join="mutual").to_dense()
    monkeypatch.setattr(neighbour_search, "_BLOCK_BYTES", 1)
    np.testing.assert_array_equal(
        neighbour_graph(X, 5, weights="similarity", join="mutual", n_jobs=2).to_dense(), whole
    )


def test_cosines_survive_sizes_whose_squares_are_lost(rng) -> None:
    X = rng.random((30, 4))
    sizes = 10.0 ** rng.integers(-200, 200, size=30)
    expected = neighbour_graph(X, 3, weights="similarity").to_dense()
    for form in (np.asarray, sp.csr_array):
        found = neighbour_graph(form(X * sizes[:, None]), 3, weights="similarity")
        np.testing.assert_allclose(found.to_dense(), expected, atol=1e-12)


def test_copies_are_numbered() -> None:
    X = np.array([[1.0, 2], [3, 4], [1, 2], [1, 2], [3, 4]])
    for form in (np.asarray, sp.csr_array):
        assert read_vectors(form(X), "euclidean").copy_numbers().tolist() == [0, 0, 1, 2, 1]


def test_the_matrix_of_the_caller_is_left_alone() -> None:
    X = sp.csr_array((np.array([1.0, 2.0, 0.0, 3.0]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2))
    kept = X.data.copy(), X.indices.copy()
    neighbour_graph(X, 1)
    np.testing.assert_array_equal(X.data, kept[0])
    np.testing.assert_array_equal(X.indices, kept[1])


def test_records_without_neighbours_are_counted_and_told_of() -> None:
    X = np.array([[1.0, 0, 0], [2, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]])
    with pytest.warns(TacitWarning, match="got 3 of 5, 2 of them because they are empty, expected none"):
        found = neighbour_graph(X, 2)
    assert found.n_isolated == 3
    np.testing.assert_array_equal(found.isolated(), [False, False, True, True, True])
    assert neighbour_graph(X, 2, metric="euclidean").n_isolated == 0  # an empty record is a point like any other
    with pytest.warns(TacitWarning, match=r"got 5 of 5, .*Drop them, or join more"):
        neighbour_graph(X, None, within=0.99)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbours": 5}, "n_neighbours is too large: got 5 for 5 records, expected at most 4"),
        ({"n_neighbours": 0}, "n_neighbours is out of range: got 0, expected a whole number of at least 1"),
        ({"n_neighbours": 2.5}, r"n_neighbours is out of range: got 2\.5"),
        ({"n_neighbours": None}, "n_neighbours is missing: got None and no within, expected one of the two"),
        (
            {"n_neighbours": 3, "within": 0.5},
            r"within cannot be combined with n_neighbours: got 0\.5 and 3, .*n_neighbours=None",
        ),
        ({"n_neighbours": None, "within": 1.5}, r"within is out of range: got 1\.5, expected .* at most 1"),
        ({"n_neighbours": None, "within": -1, "metric": "euclidean"}, "within is out of range: got -1"),
        ({"n_neighbours": None, "within": 0.5, "search": "approximate"}, "search does not suit within: got 'approx"),
        ({"metric": "manhattan"}, "metric is unknown: got 'manhattan', expected one of 'cosine', 'euclidean'"),
        ({"join": "mutally"}, "join is unknown: got 'mutally', .* Did you mean 'mutual'"),
        ({"weights": "gauss"}, "weights is unknown: got 'gauss', .* Did you mean 'gaussian'"),
        (
            {"weights": "similarity", "metric": "euclidean"},
            "weights does not suit the metric: got 'similarity' and 'eucl",
        ),
        ({"width": 0}, "width is out of range: got 0, expected a number above 0"),
        ({"width": "wide"}, "width is out of range: got 'wide'"),
        ({"search": "fast"}, "search is unknown: got 'fast'"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_in_one_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        neighbour_graph(np.arange(10.0).reshape(5, 2), **{"n_neighbours": 2, **settings})


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones(4), "X has the wrong shape: got 1 dimensions, expected records x features"),
        (np.array([["a"], ["b"]]), "X has no numbers: got <U1"),
        (np.ones((1, 3)), "X has too few records: got 1, expected at least 2"),
        (np.array([[1.0], [np.nan]]), "X contains NaN: the first one is in row 1"),
        (np.array([[1e200], [1.0]]), r"X is out of range: got 1e\+200 as the largest size of a value"),
        (np.array([[1e-30], [2e-30]], dtype=np.float32), "X is out of range: got 2e-30"),
    ],
)
def test_records_that_cannot_be_compared_are_refused_in_one_sentence(X: np.ndarray, message: str) -> None:
    for form in (np.asarray, sp.csr_array) if X.ndim == 2 and X.dtype.kind == "f" else (np.asarray,):
        with pytest.raises(InputError, match=message):
            neighbour_graph(form(X), 1, metric="euclidean")


def test_a_range_that_joins_too_many_is_refused(rng, monkeypatch) -> None:
    monkeypatch.setattr(neighbour_search, "_MOST_ARCS", 1000)
    with pytest.raises(InputError, match="within is too wide: got 9, which makes more than 500 pairs of neighbours"):
        neighbour_graph(rng.normal(size=(50, 2)), None, within=9, metric="euclidean")


@lonely
@pairwise(kind=KINDS, metric=METRICS, join=["union", "mutual"], form=FORMS)
def test_neighbours_among_some_records_are_those_of_the_definition(kind, metric, join, form, rng) -> None:
    """The others are joined with these, which are joined as if they were all."""
    X, among = collection(kind, rng), rng.random(70) < 0.6
    found = neighbour_graph(form(X), 5, metric=metric, join=join, among=among).to_dense()
    inside = np.ix_(among, among)
    np.testing.assert_array_equal(found[inside], joined(neighbours(X[among], 5, metric), join))
    expected = np.zeros((70, 70), dtype=bool)
    rows = np.flatnonzero(among)
    for i in np.flatnonzero(~among):
        both = np.append(rows, i)  # the record itself comes last
        expected[i, rows] = neighbours(X[both], 5, metric)[-1, :-1]
    expected = (expected | expected.T).astype(float)
    expected[inside] = found[inside]
    np.testing.assert_array_equal(found, expected)


@lonely
def test_others_do_not_change_the_weights_of_those_who_may_be_neighbours(rng) -> None:
    X, among = collection("dense", rng), np.arange(70) % 4 > 0
    for rule in ({"n_neighbours": 6}, {"n_neighbours": None, "within": 0.5}):
        found = neighbour_graph(X, weights="gaussian", among=among, **rule)
        alone = neighbour_graph(X[among], weights="gaussian", **rule)
        assert found.width == pytest.approx(alone.width)
        np.testing.assert_allclose(found.to_dense()[np.ix_(among, among)], alone.to_dense())
        assert not found.to_dense()[np.ix_(~among, ~among)].any()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"among": np.ones(5, bool)}, r"among does not match X: got bool of shape \(5,\)"),
        ({"among": np.zeros(70, bool)}, "among does not match X: .* at least one"),
        ({"among": np.arange(70)}, "among does not match X: got int64"),
        ({"among": np.arange(70) < 5}, "n_neighbours is too large: got 5 for 5 records"),
        ({"among": np.arange(70) < 9, "weights": "lle"}, "weights='lle' cannot be combined with among"),
    ],
)
def test_who_may_be_a_neighbour_is_checked(settings: dict[str, Any], message: str, rng) -> None:
    with pytest.raises(InputError, match=message):
        neighbour_graph(collection("dense", rng), 5, **settings)
