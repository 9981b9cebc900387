"""The three forms of HLSI's eigenproblem: the same matrices, the same space, the same leverages."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise
from planted import TOPIC_TREE, Planted, plant

from tacit import Taxonomy
from tacit.errors import TacitWarning
from tacit.models.common.class_hierarchy import HierarchyGraph, hierarchy_graph
from tacit.models.hlsi import scatter
from tacit.models.hlsi import scatter as scatter_pencil
from tacit.models.hlsi.scatter import DualScatter, PrimalScatter, ProductScatter, ScatterForm

K = 6
GAMMA = 20.0
FORMS = ["dual", "primal", "products"]


def graph_of(planted: Planted, membership: str = "whole") -> HierarchyGraph:
    graph = hierarchy_graph(planted.sets, Taxonomy.from_nested(TOPIC_TREE), 120)
    return graph.shared() if membership == "shared" else graph


def hold(form: str, X: Any, graph: HierarchyGraph, *, center: bool = True, gamma: float = GAMMA) -> ScatterForm:
    mean = np.asarray(X.mean(axis=0)).ravel().astype(X.dtype) if center else None
    if form == "dual":
        rows = dense(X, center)
        return DualScatter(rows @ rows.T, graph, gamma)
    if form == "primal":
        return PrimalScatter(X, graph, gamma, mean=mean)
    rng = np.random.default_rng(0)
    return ProductScatter(X, graph, gamma, mean=mean, tol=1e-8, max_iter=2000, rng=rng)


def dense(X: Any, center: bool) -> np.ndarray:
    rows = X.toarray() if sp.issparse(X) else X
    return rows - rows.mean(axis=0) if center else rows


each_form = pytest.mark.parametrize("form", FORMS)
each_center = pytest.mark.parametrize("center", [False, True])
each_membership = pytest.mark.parametrize("membership", ["whole", "shared"])


@pairwise(form=FORMS, membership=["whole", "shared"], center=[False, True])
def test_positions_are_those_of_the_dense_problem(planted: Planted, form: str, membership: str, center: bool) -> None:
    X, graph = planted.training[0], graph_of(planted, membership)
    held = hold(form, X, graph, center=center)
    values, coefficients = held.leading(K)
    V = held.fitted(coefficients)
    np.testing.assert_allclose(V.T @ V, np.eye(K), atol=1e-9)
    rows, L = dense(X, center), graph.laplacian().to_dense()
    exact, w = la.eigh(rows.T @ rows, GAMMA * np.eye(rows.shape[1]) + rows.T @ L @ rows)
    np.testing.assert_allclose(values, exact[::-1][:K], rtol=1e-8)
    assert la.subspace_angles(V, rows @ w[:, ::-1][:, :K]).max() < 1e-6
    if form != "products":  # whose signs are those of the weights of the terms, as no N x k positions are at hand
        assert (V[np.abs(V).argmax(axis=0), np.arange(K)] > 0).all()


@pairwise(form=["dual", "primal"], gamma=[0.1, 20.0, 1e4], membership=["whole", "shared"], center=[False, True])
def test_leverages_are_their_definition(
    planted: Planted, form: str, gamma: float, membership: str, center: bool
) -> None:
    X, graph = planted.training[0], graph_of(planted, membership)
    rows, d = dense(X, center), graph.degrees
    inverse = la.inv(rows.T @ (d[:, None] * rows) + gamma * np.eye(rows.shape[1]))
    expected = d * np.einsum("ij,jk,ik->i", rows, inverse, rows)
    found = hold(form, X, graph, center=center, gamma=gamma).leverages()
    np.testing.assert_allclose(found, expected, rtol=1e-7)
    assert found.max() < 1


@each_membership
def test_products_estimate_the_leverages(planted: Planted, membership: str) -> None:
    X, graph = planted.training[0], graph_of(planted, membership)
    exact = hold("dual", X, graph, gamma=200).leverages()
    estimated = hold("products", X, graph, gamma=200).leverages()
    errors = estimated / exact - 1
    assert np.sqrt(np.mean(errors**2)) < 1.5 * np.sqrt(2 / 100)  # 100 probes
    assert abs(errors.mean()) < 0.05


@each_membership
def test_many_records_are_told_apart_better_than_by_probes_alone(membership: str) -> None:
    """What records have in common corrects the probes, whether the leverages are small or nearly 1."""
    collection = plant(1200, 0, n_terms=1100)
    graph = hierarchy_graph(collection.sets, Taxonomy.from_nested(TOPIC_TREE), 1200)
    graph = graph.shared() if membership == "shared" else graph
    for gamma, mean, most in ((1.0, 0.7, 0.12), (200.0, 0.1, 0.025)):
        exact = hold("dual", collection.training[0], graph, gamma=gamma).leverages()
        assert exact.mean() > mean
        found = hold("products", collection.training[0], graph, gamma=gamma).leverages()
        assert np.sqrt(np.mean(np.square((1 - found) / (1 - exact) - 1))) < most


@pytest.mark.parametrize("most", [512, 0], ids=["bridges kept", "bridges not kept"])
@each_center
@each_membership
def test_sides_of_the_pencil_are_the_dense_matrices(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, membership: str, center: bool, most: int
) -> None:
    monkeypatch.setattr(scatter_pencil, "MOST_BRIDGES", most)
    X, graph = planted.training[0], graph_of(planted, membership)
    held = hold("products", X, graph, center=center)
    assert isinstance(held, ProductScatter)
    pencil = scatter_pencil.ScatterPencil(held.X, held.F, held.degrees, held.gamma)
    assert (pencil.low_rank is None) == (most == 0)
    S = np.random.default_rng(1).standard_normal((300, 4))
    before = S.copy()
    dear = pencil.products(S)
    assert len(dear) == (1 if membership == "shared" and most else 2)
    total, within = dear[0], pencil.shift * S + dear[-1]
    if pencil.low_rank is not None:
        within -= pencil.low_rank @ (pencil.low_rank.T @ S)
    rows, L = dense(X, center), graph.laplacian().to_dense()
    np.testing.assert_allclose(total, rows.T @ rows @ S, atol=1e-9)
    np.testing.assert_allclose(within, GAMMA * S + rows.T @ L @ rows @ S, atol=1e-8)
    np.testing.assert_array_equal(S, before)


@each_membership
@pytest.mark.parametrize("most", [512, 0], ids=["bridges kept", "bridges not kept"])
@pytest.mark.parametrize("k", [1, 6, 30])
def test_many_classes_take_another_way_to_the_same_space(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, k: int, most: int, membership: str
) -> None:
    """With few dimensions the classes are mixed at random; where they are many, their products are not kept."""
    monkeypatch.setattr(scatter_pencil, "MOST_BRIDGES", most)
    monkeypatch.setattr(scatter, "_SPARE", 2)
    X, graph = planted.training[0], graph_of(planted, membership)
    values, _ = hold("products", X, graph).leading(k)
    np.testing.assert_allclose(values, hold("dual", X, graph).leading(k)[0], rtol=1e-8)


@pytest.mark.parametrize("tol", [1e-2, 0.5])
def test_classes_that_hold_the_same_records_do_not_cost_dimensions(tol: float) -> None:
    """Sixty classes in chains of three span no more than twenty, and the start of the search must not end there."""
    rng = np.random.default_rng(0)
    parents = {f"{level}{c}": f"{level - 1}{c}" if level else None for c in range(20) for level in range(3)}
    graph = hierarchy_graph([{f"2{c}"} for c in rng.integers(0, 20, 300)], Taxonomy.from_parents(parents), 300)
    X = sp.random(300, 200, 0.1, format="csr", rng=rng)
    form = ProductScatter(X, graph, 0.1, mean=None, tol=tol, max_iter=None, rng=rng)
    values, coefficients = form.leading(70)
    assert coefficients.shape == (200, 70)
    if tol < 0.1:
        np.testing.assert_allclose(values, hold("dual", X, graph, center=False, gamma=0.1).leading(70)[0], rtol=0.05)


@pairwise(form=["primal", "products", "dual"], center=[False, True], dtype=[np.float32, np.float64])
def test_what_is_rounding_is_no_dimension(form: str, center: bool, dtype: Any) -> None:
    """Forty records in three dimensions; everything beyond these is noise of the products."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = (rng.random((40, 3)) @ rng.random((3, 12))).astype(dtype)
        graph = hierarchy_graph(rng.integers(0, 4, 40), None, 40)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            held = hold(form, X, graph, center=center, gamma=0.1)
            held.tol = 1e-3  # type: ignore[attr-defined]
            values, coefficients = held.leading(10)
        assert values.size == 3
        V = held.fitted(coefficients.astype(dtype))
        np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e3 * np.finfo(dtype).eps)


@each_form
def test_records_that_are_all_zero_have_no_dimension(form: str) -> None:
    X, graph = np.ones((4, 3)), hierarchy_graph(list("aabb"), None, 4)
    values, coefficients = hold(form, X, graph, center=True).leading(2)
    assert values.size == 0
    assert coefficients.shape[1] == 0


def test_a_search_that_was_stopped_says_so(planted: Planted) -> None:
    X, graph = planted.training[0], graph_of(planted)
    form = ProductScatter(X, graph, 0.1, mean=None, tol=1e-9, max_iter=2, rng=np.random.default_rng(0))
    with pytest.warns(
        TacitWarning,
        match=r"the search for the space stopped after 2 iterations with a relative residual of .*, above tol=1e-09\. "
        r"Raise max_iter, gamma or tol\.",
    ):
        form.leading(K)
    assert [report.solver for report in form.reports][-1] == "lobpcg"
    assert not form.reports[-1].converged
    assert form.reports[-1].vectors.size == 0


@pytest.mark.parametrize("gamma", [0.3, 0.03])
def test_a_smaller_tolerance_never_ends_worse(gamma: float) -> None:
    """In single precision, where rounding holds the leading vectors: the others must not wait for these."""
    rng = np.random.default_rng(0)
    X = plant(600, 0, n_terms=500).training[0]
    graph = hierarchy_graph((rng.random((600, 40)) < 0.06).astype(float), None, 600)
    absolute = gamma * graph.scatter_trace(X) / 600
    exact = hold("dual", X, graph, center=True, gamma=absolute)
    values, coefficients = exact.leading(60)
    expected = exact.fitted(coefficients) * np.sqrt(values)
    errors, iterations = [], []
    for tol in (1e-3, 1e-5, 1e-7):
        form = hold("products", X.astype(np.float32), graph, center=True, gamma=absolute)
        form.tol = tol  # type: ignore[attr-defined]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if tol < 1e-3 else "error", TacitWarning)
            values, coefficients = form.leading(60)
        found = form.fitted(coefficients).astype(np.float64) * np.sqrt(values)
        errors.append(la.norm(found @ found.T - expected @ expected.T) / la.norm(expected @ expected.T))
        iterations.append(form.reports[-1].iterations)
    assert errors[0] < 0.02
    assert errors[1] < 1e-3
    assert errors[2] < max(errors[1], 3e-4)
    assert iterations[2] < 300


def test_a_tolerance_below_rounding_is_reported(planted: Planted) -> None:
    X, graph = planted.training[0].astype(np.float32), graph_of(planted, "whole")
    form = ProductScatter(X, graph, 0.1, mean=None, tol=1e-8, max_iter=None, rng=np.random.default_rng(0))
    with pytest.warns(TacitWarning, match="Rounding in float32 allows no less: raise tol, or pass float64"):
        form.leading(K)


def test_a_rough_start_is_reported_and_the_answer_is_not_rough(planted: Planted) -> None:
    form = hold("products", planted.training[0], graph_of(planted))
    form.leading(K)
    assert len(form.reports) == 3
    assert form.reports[2].converged
    assert form.reports[2].residuals.max() <= 1e-8


def test_single_precision_is_kept_by_products(planted: Planted) -> None:
    X, graph = planted.training[0].astype(np.float32), graph_of(planted)
    form = hold("products", X, graph)
    form.tol = 1e-4  # type: ignore[attr-defined]
    values, coefficients = form.leading(K)
    assert coefficients.dtype == form.fitted(coefficients).dtype == np.float32
    np.testing.assert_allclose(values, hold("dual", planted.training[0], graph).leading(K)[0], rtol=1e-4)
