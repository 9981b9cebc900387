"""CCA, LDA, MDDM, PLS and MORP against their equations, solved densely and literally, and against scikit-learn."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from label_projection_twin import Twin, cca, centring, kernel_cca, lda, mddm, morp, pls_svd, simpls
from mlsi_twin import largest_angle, spectrum_matrix
from pairwise import pairwise
from sklearn.cross_decomposition import PLSSVD, PLSRegression
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics.pairwise import rbf_kernel

from tacit import MLSI
from tacit.models.projections.cca import CCA
from tacit.models.projections.lda import LDA
from tacit.models.projections.mddm import MDDM
from tacit.models.projections.morp import MORP
from tacit.models.projections.pls import PLS

SHAPES = {
    "wide": (30, 80, 29),
    "square": (40, 40, 39),
    "tall": (90, 25, 24),
    "wide-deficient": (50, 60, 20),
    "tall-deficient": (90, 30, 12),
}
N_LABELS, K = 6, 4
TIGHT: dict[str, Any] = {"tol": 1e-13, "max_iter": 5000}

each_shape = pytest.mark.parametrize("name", SHAPES)
each_constraint = pytest.mark.parametrize("constraint", ["embeddings", "projections"])


@pytest.fixture(params=["dense", "sparse"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """How records are held. Small problems go to LAPACK; here the sparse ones go where the large ones go."""
    if request.param == "dense":
        return np.asarray
    monkeypatch.setattr(
        import_module("tacit.solve.choice.choose"), "cheapest", lambda costs, **options: ("krylov", "told to")
    )
    monkeypatch.setattr(import_module("tacit.solve.linear.least_squares"), "_DENSE_LIMIT", 0)
    for module in ("common.record_kernel", "projections.base"):
        monkeypatch.setattr(import_module(f"tacit.models.{module}"), "DENSE_LIMIT", 0)
    return sp.csr_array


@cache
def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Records away from the origin, so that centring matters."""
    n, m, rank = SHAPES[name]
    rng = np.random.default_rng(n)
    Y = (rng.random((n, N_LABELS)) < 0.3).astype(float)
    return spectrum_matrix(n, m, rank, seed=n + m) + 0.2 * rng.random(m), Y


@cache
def classes(name: str) -> np.ndarray:
    n = SHAPES[name][0]
    return np.random.default_rng(n).permutation(np.arange(n) % N_LABELS)


def assert_same(model: Any, twin: Twin) -> None:
    """The same eigenvalues and space, the constraint kept, and each direction worth its own eigenvalue."""
    W = model.components_.T
    assert W.shape == twin.directions.shape
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    assert largest_angle(W, twin.directions) < 1e-6
    np.testing.assert_allclose(W.T @ twin.metric @ W, np.eye(W.shape[1]), atol=1e-7)
    if twin.criterion is not None:
        expected = np.diag(twin.eigenvalues)
        np.testing.assert_allclose(W.T @ twin.criterion @ W, expected, atol=1e-7 * twin.eigenvalues[0])


@pytest.mark.parametrize("form", ["sparse"], indirect=True)
@pytest.mark.parametrize(
    ("model", "solver"),
    [
        (CCA(K), "block-cg"),
        (CCA(K, ridge=0), "lsmr"),
        (LDA(K), "block-cg"),
        (MDDM(K, constraint="embeddings"), "block-cg"),
        (MORP(K), "krylov"),
        (MORP(K, constraint="projections"), "krylov"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("name", ["wide", "tall"])
def test_large_problems_are_solved_by_products(form: Any, model: Any, solver: str, name: str) -> None:
    """Else the tests below would try LAPACK twice."""
    used = [report.solver for report in model.fit(form(data(name)[0]), classes(name)).solution_]
    assert used[0] == solver
    assert "dense" not in used


@pairwise(name=SHAPES, ridge=[0, 0.01, 1], label_ridge=[0, 2])
def test_cca(form: Any, name: str, ridge: float, label_ridge: float) -> None:
    X, Y = data(name)
    k = N_LABELS if ridge == 0 else K  # without a ridge the wide ones correlate perfectly, and any k of them would do
    ridges = {"ridge": ridge, "label_ridge": label_ridge}
    assert_same(CCA(k, **ridges, **TIGHT).fit(form(X), Y), cca(X, Y, k, constraint="embeddings", **ridges))


@pytest.mark.parametrize("label_ridge", [0, 2])
@each_shape
def test_cca_with_orthonormal_projections(form: Any, name: str, label_ridge: float) -> None:
    X, Y = data(name)
    model = CCA(K, constraint="projections", label_ridge=label_ridge, **TIGHT).fit(form(X), Y)
    assert_same(model, cca(X, Y, K, constraint="projections", label_ridge=label_ridge))


@each_constraint
@each_shape
def test_cca_of_classes_that_exclude_each_other(name: str, constraint: str) -> None:
    """YᵀCY is singular: together the classes hold every record."""
    X, Y = data(name)[0], np.eye(N_LABELS)[classes(name)]
    model = CCA(N_LABELS - 1, constraint=constraint, **TIGHT).fit(X, Y)
    assert_same(model, cca(X, Y, N_LABELS - 1, constraint=constraint, ridge=1))


@pairwise(name=SHAPES, constraint=["embeddings", "projections"], kernel=["rbf", "precomputed"], label_ridge=[0, 2])
def test_cca_with_a_kernel(name: str, constraint: str, kernel: str, label_ridge: float) -> None:
    X, Y = data(name)
    matrix = rbf_kernel(X, gamma=0.5)
    params = {"gamma": 0.5} if kernel == "rbf" else None
    model = CCA(K, constraint=constraint, ridge=0.1, label_ridge=label_ridge, kernel=kernel, kernel_params=params)
    model.fit(X if kernel == "rbf" else matrix, Y)
    twin = kernel_cca(matrix, Y, K, constraint=constraint, ridge=0.1, label_ridge=label_ridge)
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    weights, centred = model.dual_components_.T, centring(len(X)) @ matrix @ centring(len(X))
    np.testing.assert_allclose(weights.T @ twin.metric @ weights, np.eye(K), atol=1e-7)
    assert largest_angle(centred @ weights, centred @ twin.directions) < 1e-6
    np.testing.assert_allclose(model.transform(X if kernel == "rbf" else matrix), centred @ weights, atol=1e-9)


@each_constraint
@each_shape
def test_cca_with_the_kernel_of_the_terms_is_cca(name: str, constraint: str) -> None:
    X, Y = data(name)
    plain = CCA(K, constraint=constraint, **TIGHT).fit(X, Y)
    model = CCA(K, constraint=constraint, kernel="precomputed").fit(X @ X.T, Y)
    np.testing.assert_allclose(model.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    found, expected = model.transform(X @ X.T), plain.transform(X)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-8)


@pytest.mark.parametrize("ridge", [0.01, 1])
@each_shape
def test_lda(form: Any, name: str, ridge: float) -> None:
    X, y = data(name)[0], classes(name)
    assert_same(LDA(K, ridge=ridge, **TIGHT).fit(form(X), y), lda(X, y, K, ridge=ridge))


@each_shape
def test_lda_is_cca_with_class_indicators(name: str) -> None:
    X, y = data(name)[0], classes(name)
    model, other = LDA(K, **TIGHT).fit(X, y), CCA(K, **TIGHT).fit(X, np.eye(N_LABELS)[y])
    np.testing.assert_allclose(model.eigenvalues_ / (1 + model.eigenvalues_), other.eigenvalues_, rtol=1e-8)
    lengths = np.sqrt(1 - other.eigenvalues_)
    np.testing.assert_allclose(model.transform(X) * lengths, other.transform(X), atol=1e-7)


def test_lda_without_a_ridge_is_scikit_learns() -> None:
    X, y = data("tall")[0], classes("tall")
    model, other = LDA(K, ridge=0).fit(X, y), LinearDiscriminantAnalysis(n_components=K).fit(X, y)
    assert largest_angle(model.transform(X), other.transform(X)) < 1e-6
    shares = model.eigenvalues_ / LDA(N_LABELS - 1, ridge=0).fit(X, y).eigenvalues_.sum()
    np.testing.assert_allclose(shares, other.explained_variance_ratio_, rtol=1e-8)


@pytest.mark.parametrize("mu", [0, 0.1, 0.9, 1])
@each_shape
def test_mddm_with_orthonormal_embeddings(form: Any, name: str, mu: float) -> None:
    X, Y = data(name)
    model = MDDM(K, constraint="embeddings", mu=mu, **TIGHT).fit(form(X), Y)
    assert_same(model, mddm(X, Y @ Y.T, K, constraint="embeddings", mu=mu))


@each_shape
def test_mddm_with_orthonormal_projections(form: Any, name: str) -> None:
    X, Y = data(name)
    assert_same(MDDM(K, **TIGHT).fit(form(X), Y), mddm(X, Y @ Y.T, K, constraint="projections"))


@pairwise(name=SHAPES, constraint=["embeddings", "projections"], kernel=["rbf", "precomputed"])
def test_mddm_with_a_label_kernel(name: str, constraint: str, kernel: str) -> None:
    X, Y = data(name)
    K_y = rbf_kernel(Y, gamma=0.5)
    params = {"gamma": 0.5} if kernel == "rbf" else None
    model = MDDM(K, constraint=constraint, label_kernel=kernel, label_kernel_params=params, **TIGHT)
    assert_same(model.fit(X, K_y if kernel == "precomputed" else Y), mddm(X, K_y, K, constraint=constraint))


@each_shape
def test_pls_svd(form: Any, name: str) -> None:
    X, Y = data(name)
    assert_same(PLS(K, constraint="projections", **TIGHT).fit(form(X), Y), pls_svd(X, Y, K))


@pytest.mark.parametrize("k", [K, 10])
@each_shape
def test_simpls(form: Any, name: str, k: int) -> None:
    """Also with more dimensions than labels."""
    X, Y = data(name)
    assert_same(PLS(k).fit(form(X), Y), simpls(X, Y, k))


@each_shape
def test_pls_svd_is_scikit_learns(name: str) -> None:
    X, Y = data(name)
    expected = PLSSVD(K, scale=False).fit(X, Y).transform(X)
    found = PLS(K, constraint="projections").fit_transform(X, Y)
    np.testing.assert_allclose(np.abs(np.sum(found * expected, axis=0)), np.sum(expected**2, axis=0), rtol=1e-8)


@each_shape
def test_simpls_of_one_label_is_scikit_learns_regression(name: str) -> None:
    X, Y = data(name)
    expected = PLSRegression(K, scale=False, tol=1e-12).fit(X, Y[:, 0]).x_scores_
    found = PLS(K).fit_transform(X, sp.csr_array(Y[:, :1]))
    overlaps = np.sum(found * expected / np.linalg.norm(expected, axis=0), axis=0)
    np.testing.assert_allclose(np.abs(overlaps), 1, rtol=1e-8)


@pairwise(name=SHAPES, label_weight=[0, 0.3, 0.9, 1], ridge=[0, 0.1, 1])
def test_morp_with_orthonormal_embeddings(form: Any, name: str, label_weight: float, ridge: float) -> None:
    X, Y = data(name)
    model = MORP(K, label_weight=label_weight, ridge=ridge, **TIGHT).fit(form(X), Y)
    twin = morp(X, Y, K, constraint="embeddings", label_weight=label_weight, ridge=ridge)
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    assert largest_angle(model.components_.T, twin.directions) < 1e-6
    if ridge == 0:
        positions = model.transform(X)
        np.testing.assert_allclose(positions.T @ positions, np.eye(K), atol=1e-7)


@pytest.mark.parametrize("label_weight", [0, 0.3, 0.9, 1])
@each_shape
def test_morp_with_orthonormal_projections(form: Any, name: str, label_weight: float) -> None:
    X, Y = data(name)
    model = MORP(K, label_weight=label_weight, constraint="projections", **TIGHT).fit(form(X), Y)
    assert_same(model, morp(X, Y, K, constraint="projections", label_weight=label_weight))


@pytest.mark.parametrize("label_weight", [0.3, 0.9])
@each_shape
def test_morp_with_a_ridge_is_mlsi_without_shrinkage(name: str, label_weight: float) -> None:
    X, Y = data(name)
    model = MORP(K, label_weight=label_weight, ridge=0.5).fit(X, Y)
    other = MLSI(K, label_weight=label_weight, ridge=0.5, shrinkage=0, scaling="unit").fit(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, other.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(model.transform(X), other.transform(X), atol=1e-9)
