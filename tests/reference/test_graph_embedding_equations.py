"""Graph embeddings against the equations of the paper, solved densely and literally."""

from __future__ import annotations

from functools import cache

import graph_twin
import numpy as np
import pytest
import scipy.sparse as sp
from mlsi_twin import largest_angle
from pairwise import pairwise

from tacit import LE, LPP, OLPP, SLE, SUSC, USC, GraphEmbedding
from tacit.models.graphs.spectrum import graph_spectrum
from tacit.relations.graphs.graph import EdgeWeights, Graph, GroupWeights, combined_graph

N, K = 60, 5
CONSTRAINT = {"le": "degrees", "usc": "identity", "lpp": "degrees", "olpp": "projections"}


@cache
def graph(name: str) -> Graph:
    """Sparse edges and kinds together: in one piece, in three, and with two records that nothing joins."""
    rng = np.random.default_rng(1)
    A = np.triu(rng.random((N, N)) * (rng.random((N, N)) < 0.15), 1)
    kind = rng.integers(-1, 6, N)
    S = np.diag([1.0, 0.7, 0.3, 1.1, 0.9, 0.5])
    S[0, 1] = S[1, 0] = 0.4
    if name != "connected":
        third = np.arange(N) // 20
        A[third[:, None] != third] = 0
        kind = np.where(kind >= 0, 2 * third + kind % 2, -1)
    if name == "isolated":
        A[[7, 50]] = A[:, [7, 50]] = 0
        kind[[7, 50]] = -1
    return Graph((EdgeWeights(sp.csr_array(A + A.T)), GroupWeights(kind, S)))


each_graph = pytest.mark.parametrize("name", ["connected", "pieces", "isolated"])


@cache
def records(m: int) -> np.ndarray:
    return np.random.default_rng(m).standard_normal((N, m))


@pairwise(
    solver=["dense", "krylov", "lanczos"], constraint=["degrees", "identity"], name=["connected", "pieces", "isolated"]
)
def test_the_embedding_is_that_of_equation_2(name, constraint, solver):
    W = graph(name).to_dense()
    costs, Z = graph_twin.embedding(W, K, constraint)
    found = graph_spectrum(
        graph(name), K, constraint=constraint, solver=solver, tol=1e-10, rng=np.random.default_rng(0)
    )
    np.testing.assert_allclose(found.costs, costs, atol=1e-8)
    assert largest_angle(found.embedding, Z) < 1e-6
    B = np.diag(W.sum(axis=1)) if constraint == "degrees" else np.eye(N)
    np.testing.assert_allclose(found.embedding.T @ B @ found.embedding, np.eye(K), atol=1e-8)


@each_graph
def test_of_all_vectors_without_cost_only_the_constant_is_dropped(name):
    W = graph(name).to_dense()
    n_pieces = graph_twin.pieces(W).max() + 1
    assert n_pieces == {"connected": 1, "pieces": 3, "isolated": 5}[name]
    n_alone = {"isolated": 2}.get(name, 0)
    found = graph_spectrum(graph(name), N, constraint="degrees", rng=np.random.default_rng(0))
    n_contrasts = n_pieces - n_alone - 1
    assert len(found.costs) == N - n_alone - 1
    np.testing.assert_array_equal(found.costs[:n_contrasts], 0)
    assert found.costs[n_contrasts] > 1e-6
    for piece in np.unique(graph_twin.pieces(W)):
        assert np.ptp(found.embedding[graph_twin.pieces(W) == piece, :n_contrasts], axis=0).max(initial=0) < 1e-12


@pairwise(ridge=[0.01, 1.0], sparse=[False, True], m=[20, 90], method=["le", "usc"])
def test_extension_2_is_equation_5(method, m, sparse, ridge):
    X = records(m)
    W = graph("pieces").to_dense()
    model = GraphEmbedding(K, method=method, graph=sp.csr_array(W), ridge=ridge, scaling="unit", tol=1e-12)
    model.fit(sp.csr_array(X) if sparse else X)
    W = graph_twin.combined(W, W, 0.0)
    costs, Z = graph_twin.embedding(W, K, CONSTRAINT[method])
    np.testing.assert_allclose(model.costs_, costs, atol=1e-8)
    P = graph_twin.regression(X, model.embedding_, ridge)
    np.testing.assert_allclose(model.transform(X), X @ P, atol=1e-8)
    assert largest_angle(model.transform(X), X @ graph_twin.regression(X, Z, ridge)) < 1e-6


@pairwise(name=["connected", "pieces", "isolated"], ridge=[0.0, 0.5], method=["lpp", "olpp", "usc"])
def test_extension_1_is_equation_3(method, ridge, name):
    X = records(20)
    W = graph(name).to_dense()
    model = GraphEmbedding(K, method=method, extension="projection", graph=W, ridge=ridge)
    if name == "isolated":
        with pytest.warns(UserWarning, match="2 of 60 records are joined to no other"):
            model.fit(X)
    else:
        model.fit(X)
    costs, P = graph_twin.projection(X, graph_twin.combined(W, W, 0.0), K, CONSTRAINT[method], ridge)
    np.testing.assert_allclose(model.costs_, costs, rtol=1e-7)
    assert largest_angle(model.components_.T, P) < 1e-6
    if method == "olpp":
        np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(K), atol=1e-10)


def test_projections_of_wide_data_lie_in_the_span_of_the_records_and_reach_the_embedding():
    # with more terms than records X P can be any Z, so LPP without a ridge is LE
    X, W = records(90), graph("pieces").to_dense()
    narrow, free = LPP(K, graph=W, ridge=0).fit(X), LE(K, graph=W, tol=1e-12).fit(X)
    np.testing.assert_allclose(narrow.costs_, free.costs_, atol=1e-8)
    assert largest_angle(X @ narrow.components_.T, free.embedding_) < 1e-5
    orthogonal = OLPP(K, graph=W).fit(X)
    np.testing.assert_allclose(orthogonal.components_ @ orthogonal.components_.T, np.eye(K), atol=1e-8)
    inside = X.T @ np.linalg.lstsq(X.T, orthogonal.components_.T, rcond=None)[0]
    np.testing.assert_allclose(inside, orthogonal.components_.T, atol=1e-8)


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("method", ["le", "usc"])
def test_labels_enter_by_equation_17(theta, method):
    rng = np.random.default_rng(5)
    X, W_X = records(20), graph("connected").to_dense()
    Y = (rng.random((N, 4)) < 0.4).astype(int)
    W_Y = np.array([[2 * (a & b).sum() / max(1, a.sum() + b.sum()) for b in Y] for a in Y])
    model = GraphEmbedding(K, method=method, label_weight=theta, graph=W_X, label_graph="sorensen", tol=1e-12)
    if theta == 1 and (Y.sum(axis=1) == 0).any():
        with pytest.warns(UserWarning, match="joined to no other"):
            model.fit(X, Y)
    else:
        model.fit(X, Y)
    # labels alone cannot tell records with the same labels apart
    same = np.unique(Y, axis=0, return_inverse=True)[1].ravel() if theta == 1 else None
    costs, Z = graph_twin.embedding(graph_twin.combined(W_X, W_Y, theta), K, CONSTRAINT[method], same)
    np.testing.assert_allclose(model.costs_, costs, atol=1e-8)
    assert largest_angle(model.embedding_, Z) < 1e-6


def test_named_forms_are_the_general_one():
    rng = np.random.default_rng(6)
    X, Y = records(20), rng.random((N, 3)) < 0.5
    for named, method, theta in ((LE, "le", 0.0), (USC, "usc", 0.0), (SLE, "le", 0.5), (SUSC, "usc", 0.5)):
        general = GraphEmbedding(K, method=method, label_weight=theta)
        np.testing.assert_array_equal(named(K).fit(X, Y).transform(X), general.fit(X, Y).transform(X))


def test_honest_positions_leave_the_record_itself_out_of_the_regression():
    X, W = records(20), graph("connected").to_dense()
    model = LE(K, graph=W, ridge=0.1, scaling="unit").fit(X)
    honest = model.training_coordinates(X, "honest")
    alpha = 0.1 * np.square(X).sum() / N
    for row in (0, 17, 59):
        others = np.arange(N) != row
        A = X[others].T @ X[others] + alpha * np.eye(20)
        P = np.linalg.solve(A, X[others].T @ model.embedding_[others])
        np.testing.assert_allclose(honest[row], X[row] @ P, atol=1e-9)


@pytest.mark.parametrize("unknown", [0.0, 0.1, 1.0])
def test_missing_similarities_are_those_of_the_neighbours(unknown):
    rng = np.random.default_rng(8)
    known = np.arange(24) % 3 > 0
    A = np.triu(rng.random((24, 24)) * (rng.random((24, 24)) < 0.3), 1)
    A[0] = 0  # a record of unknown labels that nothing joins
    group, S = rng.integers(0, 4, 24), np.diag([1.0, 0.7, 0.3, 1.1]) + 0.2
    W_X, by_group = A + A.T, GroupWeights(np.where(known, group, -1), S)
    extra = np.where(known[:, None] & known, np.roll(np.eye(24), 5, axis=1), 0)
    for labels in (Graph((by_group,)), Graph((by_group, EdgeWeights(sp.csr_array(extra + extra.T))))):
        W_Y = labels.to_dense()
        label_scale = labels.mean_weight  # overlapping parts count separately
        found = combined_graph(W_X, labels, 0.3, known=known, unknown=unknown)
        twin = graph_twin.combined_with_unknown(W_X, W_Y, 0.3, known, unknown)
        if len(labels.parts) > 1:
            own = W_Y[np.ix_(known, known)]
            features = graph_twin.combined_with_unknown(W_X, W_Y, 0.0, known, unknown) * 0.7
            twin = features + (twin - features) * own[own != 0].mean() / label_scale
        np.testing.assert_allclose(found.to_dense(), twin, atol=1e-12)
        np.testing.assert_allclose(found.degrees, twin.sum(axis=1), atol=1e-12)


@pytest.mark.parametrize("method", ["le", "usc", "lpp", "olpp"])
@pytest.mark.filterwarnings("ignore:.*joined to no other")
def test_records_of_unknown_labels_are_placed_by_their_words(method):
    """They borrow labels in the graph, and count little in it and in the regression."""
    rng = np.random.default_rng(9)
    X, W_X, known = records(20), graph("connected").to_dense(), np.arange(N) % 3 > 0
    Y = (rng.random((N, 4)) < 0.4).astype(float)
    Y[~known] = np.nan
    W_Y = np.nan_to_num([[2 * (a * b).sum() / max(1, a.sum() + b.sum()) for b in Y] for a in Y])
    model = GraphEmbedding(K, method=method, label_weight=0.3, graph=W_X, label_graph="sorensen", tol=1e-12)
    model.set_params(scaling="unit", ridge=0.5).fit(X, Y)
    weight = {"le": 0.1, "lpp": 0.05}.get(method, 0.0)
    W = graph_twin.combined_with_unknown(W_X, W_Y, 0.3, known, weight)
    if method in ("le", "usc"):
        costs, Z = graph_twin.embedding(W, K, CONSTRAINT[method])
        P = graph_twin.regression(X, Z, 0.5, np.where(known, 1.0, weight))
        expected = np.where(known[:, None], Z, X @ P)
    else:
        rows = known if weight == 0 else np.ones(N, dtype=bool)
        costs, P = graph_twin.projection(X[rows], W[np.ix_(rows, rows)], K, CONSTRAINT[method], 0.5)
        expected = X @ P
    np.testing.assert_allclose(model.costs_, costs, atol=1e-8)
    assert largest_angle(model.embedding_, expected) < 1e-6
    assert largest_angle(model.components_.T, P) < 1e-6
