"""How strongly neighbours are joined: each kind of weight against its formula, and LLE against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from neighbour_loops import joined, neighbours, parts_of_records, prepared, squared_distances
from pairwise import pairwise
from scipy.linalg import subspace_angles
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

from tacit.errors import InputError, TacitWarning
from tacit.relations.graphs import neighbours as neighbour_weights
from tacit.relations.graphs.neighbours import neighbour_graph

METRICS = ["cosine", "euclidean"]
lonely = pytest.mark.filterwarnings("ignore:X has records without neighbours")


@pytest.fixture
def X(rng: np.random.Generator) -> np.ndarray:
    """Records with a few copies and an empty one."""
    X = rng.random((60, 15)) * (rng.random((60, 15)) < 0.4)
    X[20:25] = X[:5]
    X[7] = 0
    return X


@lonely
@pairwise(width=[0.7, "auto"], metric=METRICS, join=["union", "mutual"], form=[np.asarray, sp.csr_array])
def test_gaussian_weights_fall_with_the_squared_distance(X, metric, join, form, width) -> None:
    near, squared = neighbours(X, 6, metric), squared_distances(X, metric)
    found = neighbour_graph(form(X), 6, metric=metric, join=join, weights="gaussian", width=width)
    farthest = np.where(near, squared, -1).max(axis=1)
    tau = farthest[farthest >= 0].mean() if width == "auto" else width
    assert found.width == pytest.approx(tau)
    np.testing.assert_allclose(found.to_dense(), joined(near, join) * np.exp(-squared / tau), atol=1e-12)


@lonely
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_similarities_are_the_cosines(X, form) -> None:
    rows = prepared(X, "cosine")
    found = neighbour_graph(form(X), 6, weights="similarity")
    np.testing.assert_allclose(
        found.to_dense(), joined(neighbours(X, 6, "cosine"), "union") * (rows @ rows.T), atol=1e-12
    )
    assert found.to_dense().max() <= 1


@lonely
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("weights", ["constant", "gaussian", "similarity"])
def test_weights_are_symmetric_and_no_record_is_its_own_neighbour(X, weights, form) -> None:
    W = neighbour_graph(form(X), 4, weights=weights).to_dense()
    np.testing.assert_array_equal(W, W.T)
    assert not W.diagonal().any()


def test_the_weight_of_copies_is_one_where_there_are_only_copies() -> None:
    found = neighbour_graph(np.ones((6, 3)), 2, weights="gaussian")
    assert found.width == 0
    assert set(found.to_dense().ravel().tolist()) == {0, 1}
    assert found.n_isolated == 0


def test_weights_that_vanish_leave_records_alone() -> None:
    X = np.array([[0.0], [1], [1000]])
    with pytest.warns(TacitWarning, match="got 1 of 3, expected none"):
        found = neighbour_graph(X, 1, metric="euclidean", weights="gaussian", width=1.0)
    np.testing.assert_array_equal(found.isolated(), [False, False, True])


@lonely
@pytest.mark.parametrize("answer", [np.asarray, sp.csr_array, np.ndarray.tolist])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_function_gives_the_weights_of_neighbours(form, answer, rng, monkeypatch) -> None:
    X = rng.random((40, 6))
    shift = np.arange(40) / 100  # another similarity in one direction than in the other

    def similarity(block, everyone):
        block, everyone = (part.toarray() if sp.issparse(part) else part for part in (block, everyone))
        assert block.shape[0] < 40
        np.testing.assert_array_equal(everyone, X)  # as they came, not brought to length 1
        return answer(block @ everyone.T + shift)

    monkeypatch.setattr(neighbour_weights, "_BLOCK_BYTES", 8 * 40 * 7)
    found = neighbour_graph(form(X), 3, weights=similarity, join="mutual")
    expected = X @ X.T + (shift + shift[:, None]) / 2
    np.testing.assert_allclose(found.to_dense(), joined(neighbours(X, 3, "cosine"), "mutual") * expected, atol=1e-12)


def test_negative_similarities_are_cut_and_told_of() -> None:
    X = np.arange(6.0).reshape(3, 2)
    signs = np.array([[0, -0.5, 1], [-0.5, 0, 1], [1, 1, 0]])
    with pytest.warns(TacitWarning, match=r"got 1 of 3 pairs below 0, the smallest -0\.5, expected") as caught:
        found = neighbour_graph(X, 2, metric="euclidean", weights=lambda block, everyone: signs)
    assert caught[0].filename == __file__  # the line to look at is the caller's
    np.testing.assert_array_equal(found.to_dense(), np.maximum(signs, 0))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.ones((3, 2)), r"wrong shape: got \(3, 2\) for a block of 3 records and all 3, expected \(3, 3\)\."),
        (np.full((3, 3), np.nan), "the result of weights contains NaN"),
    ],
)
def test_a_function_that_gives_no_similarities_is_refused(answer, message) -> None:
    with pytest.raises(InputError, match=message):
        neighbour_graph(np.arange(6.0).reshape(3, 2), 1, weights=lambda block, everyone: answer)


@lonely
@pairwise(metric=METRICS, join=["union", "mutual"], form=[np.asarray, sp.csr_array])
def test_the_laplacian_of_lle_measures_how_badly_records_are_made_of_their_neighbours(X, metric, join, form) -> None:
    near = neighbours(X, 5, metric)
    M = parts_of_records(X, near if join == "union" else near & near.T, metric)
    known = np.diag((M != 0).any(axis=1).astype(float))
    graph = neighbour_graph(form(X), 5, metric=metric, join=join, weights="lle")
    W = graph.to_dense()
    np.testing.assert_allclose(np.diag(graph.degrees) - W, (known - M).T @ (known - M), atol=1e-10)
    np.testing.assert_allclose(W, M + M.T - M.T @ M, atol=1e-10)
    np.testing.assert_allclose(graph.degrees, known.diagonal(), atol=1e-10)
    np.testing.assert_array_equal(W, W.T)
    assert graph.n_isolated == np.count_nonzero(~joined(near, join).any(axis=1))


def test_the_parts_are_those_of_scikit_learn(rng) -> None:
    X = rng.normal(size=(80, 3))  # more neighbours than dimensions, so that the ridge decides
    M = barycenter_kneighbors_graph(X, n_neighbors=6, reg=1e-3).toarray()
    W = neighbour_graph(X, 6, metric="euclidean", weights="lle").to_dense()
    np.testing.assert_allclose(W, M + M.T - M.T @ M, atol=1e-9)


def test_the_last_eigenvectors_of_the_graph_are_the_embedding_of_scikit_learn(rng) -> None:
    angle, height = rng.random(150) * 4, rng.random(150)
    X = np.column_stack([np.cos(angle), np.sin(angle), height])
    graph = neighbour_graph(X, 8, metric="euclidean", weights="lle")
    _, vectors = np.linalg.eigh(np.diag(graph.degrees) - graph.to_dense())
    expected = LocallyLinearEmbedding(n_neighbors=8, n_components=2, reg=1e-3, eigen_solver="dense").fit_transform(X)
    assert subspace_angles(vectors[:, 1:3], expected).max() < 1e-6


def test_records_made_of_copies_take_equal_parts() -> None:
    W = neighbour_graph(np.ones((4, 2)), 3, weights="lle").to_dense()
    M = (np.ones((4, 4)) - np.eye(4)) / 3
    np.testing.assert_allclose(W, M + M.T - M.T @ M, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_weights_of_lle_in_single_precision(rng, form) -> None:
    X = rng.random((50, 8)).astype(np.float32)
    single, double = (neighbour_graph(form(X.astype(t)), 5, weights="lle") for t in (np.float32, np.float64))
    assert single.parts[0].weights.dtype == np.float32
    np.testing.assert_allclose(single.to_dense(), double.to_dense(), atol=1e-3)
