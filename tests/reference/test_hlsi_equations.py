"""HLSI against the equations of the paper, solved densely and literally."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hlsi_twin import Twin, centred, completed, degrees, dual, laplacian, primal, without_each
from mlsi_twin import largest_angle, spectrum_matrix
from pairwise import pairwise
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from spaces import up_to_sign

from tacit import HLSI, LSI, Taxonomy
from tacit.models.common.class_hierarchy import hierarchy_graph
from tacit.models.hlsi.scatter import ProductScatter

PARENTS: dict[Hashable, tuple[Hashable, ...]] = {
    "a": (),
    "b": (),
    "a1": ("a",),
    "a2": ("a",),
    "both": ("a2", "b"),
    "b1": ("b",),
    "b11": ("b1",),
}
TAXONOMY = Taxonomy.from_parents(PARENTS)
SHAPES = {
    "wide": (30, 80, 30),
    "square": (40, 40, 40),
    "tall": (90, 25, 25),
    "wide-deficient": (50, 60, 20),
    "tall-deficient": (90, 30, 12),
}
SOLVERS = ["primal", "dual", "products"]
CONTAINERS = [np.asarray, sp.csr_array]
GAMMAS = [1e-3, 0.03, 1, 30, 1e3]
K = 5
Sets = list[set[Hashable] | None]

each_membership = pytest.mark.parametrize("membership", ["whole", "shared"])
each_center = pytest.mark.parametrize("center", [False, True])
each_solver = pytest.mark.parametrize("solver", SOLVERS)


@cache
def data(name: str) -> tuple[np.ndarray, Sets]:
    """Labels at leaves and inner nodes, one below two parents, several a record, and none."""
    n, m, rank = SHAPES[name]
    rng = np.random.default_rng(n)
    names = list(PARENTS)
    sets: Sets = [{names[j] for j in rng.choice(len(names), rng.integers(0, 3), replace=False)} for _ in range(n)]
    sets[3::10] = [set() for _ in sets[3::10]]
    return spectrum_matrix(n, m, rank, seed=n + m), sets


@cache
def delta(name: str, membership: str) -> np.ndarray:
    return laplacian(data(name)[1], PARENTS, membership)


def spread(X: np.ndarray, name: str, membership: str, gamma: float) -> float:
    """γ in units of the scatter within classes, a record."""
    return gamma * float(np.trace(X.T @ delta(name, membership) @ X)) / len(X)


def records(name: str, center: bool) -> np.ndarray:
    X = data(name)[0]
    return X - X.mean(axis=0) if center else X


@cache
def literal(form: str, name: str, membership: str, center: bool, gamma: float) -> Twin:
    X, L = records(name, center), delta(name, membership)
    absolute = spread(X, name, membership, gamma)
    if form == "primal":
        return primal(X, L, K, gamma=absolute)
    twin = dual(X @ X.T, L, K, gamma=absolute)
    return Twin(twin.costs, X.T @ twin.directions, twin.positions)


def fit(X: Any, y: Any, **params: Any) -> HLSI:
    settings = {"n_components": K, "taxonomy": TAXONOMY, "scaling": "unit", "tol": 1e-10, "max_iter": 3000, **params}
    return HLSI(**settings).fit(X, y)


def assert_same(model: HLSI, twin: Twin) -> None:
    np.testing.assert_allclose(model.costs_, twin.costs, rtol=1e-8)
    assert largest_angle(model.components_.T, twin.directions) < 1e-6


@pairwise(solver=SOLVERS, name=SHAPES, membership=["whole", "shared"], center=[False, True], gamma=GAMMAS)
def test_every_form_solves_both_equations(solver: str, name: str, membership: str, center: bool, gamma: float) -> None:
    X, sets = data(name)
    model = fit(X, sets, gamma=gamma, membership=membership, center=center, solver=solver)
    assert_same(model, literal("primal", name, membership, center, gamma))
    assert_same(model, literal("dual", name, membership, center, gamma))
    assert model.gamma_ == pytest.approx(spread(X, name, membership, gamma), rel=1e-9)
    positions = model.transform(X)
    np.testing.assert_allclose(positions.T @ positions, np.eye(K), atol=1e-8)


@pairwise(solver=SOLVERS, name=SHAPES, center=[False, True])
def test_sparse_records_give_the_same(solver: str, name: str, center: bool) -> None:
    X, sets = data(name)
    model = fit(sp.csr_array(X), sets, gamma=0.3, solver=solver, center=center)
    assert_same(model, literal("primal", name, "shared", center, 0.3))


@pairwise(solver=SOLVERS, membership=["whole", "shared"], form=["sets", "matrix", "sparse"])
def test_flat_labels_hang_from_one_root(solver: str, membership: str, form: str) -> None:
    X, _ = data("tall")
    Y = (np.random.default_rng(0).random((len(X), 4)) < 0.3).astype(float)
    sets = [set(np.flatnonzero(row).tolist()) for row in Y]
    L = laplacian(sets, {}, membership)
    X = X - X.mean(axis=0)
    twin = primal(X, L, K, gamma=0.3 * float(np.trace(X.T @ L @ X)) / len(X))
    y = {"sets": sets, "matrix": Y, "sparse": sp.csr_array(Y)}[form]
    assert_same(fit(X, y, taxonomy=None, gamma=0.3, membership=membership, solver=solver), twin)


@each_membership
@each_solver
def test_costs_are_the_objective(solver: str, membership: str) -> None:
    """Eq. (10) at the solution, with Γ of eq. (6) summed edge by edge, each pair once."""
    X, sets = data("tall")
    model = fit(X, sets, gamma=0.2, membership=membership, solver=solver)
    weights = -delta("tall", membership)
    np.fill_diagonal(weights, 0)
    for w, cost in zip(model.components_, model.costs_, strict=True):
        v = X @ w
        smoothness = np.sum(weights * np.square(v[:, None] - v[None])) / 2
        assert model.gamma_ * w @ w + smoothness == pytest.approx(cost, rel=1e-8)
    np.testing.assert_allclose(model.eigenvalues_, 1 / model.costs_, rtol=1e-12)


@pairwise(solver=SOLVERS, name=["wide", "tall", "wide-deficient"], center=[False, True])
def test_new_records_are_placed_as_by_the_paper(solver: str, name: str, center: bool) -> None:
    X, sets = data(name)
    twin = literal("primal", name, "whole", center, 0.3)
    new = np.random.default_rng(3).standard_normal((7, X.shape[1]))
    expected = (new - X.mean(axis=0) * center) @ twin.directions
    unit = fit(X, sets, gamma=0.3, membership="whole", center=center, solver=solver)
    np.testing.assert_allclose(up_to_sign(unit.transform(new), expected), expected, atol=1e-6)
    for scaling, power in (("weighted", 1 / 2), ("damped", 1 / 4)):
        scaled = fit(X, sets, gamma=0.3, membership="whole", center=center, solver=solver, scaling=scaling)
        np.testing.assert_allclose(scaled.transform(new), unit.transform(new) / twin.costs**power, atol=1e-6)


@pairwise(solver=SOLVERS, name=SHAPES, center=[False, True])
def test_a_large_gamma_is_plain_lsi(solver: str, name: str, center: bool) -> None:
    """Theorem 2.3 and the sentence after eq. (10)."""
    X, sets = data(name)
    plain = LSI(K, scaling="unit", center=center, tol=1e-12).fit(X)
    angles = []
    for gamma in (1e5, 1e9):
        model = fit(X, sets, gamma=gamma, center=center, solver=solver)
        angles.append(largest_angle(model.components_.T, plain.components_.T))
    np.testing.assert_allclose(model.eigenvalues_ * model.gamma_, plain.eigenvalues_, rtol=1e-6)
    assert angles[1] < 1e-6
    assert angles[1] < angles[0]


def some_unknown(name: str, every: int = 3) -> tuple[np.ndarray, Sets]:
    X, sets = data(name)
    return X, [None if i % every == 1 else labels for i, labels in enumerate(sets)]


@pairwise(
    solver=["primal", "dual"],
    name=["wide", "tall", "tall-deficient"],
    membership=["whole", "shared"],
    center=[False, True],
    gamma=[0.3, 10],
)
def test_unknown_labels_are_replaced_by_what_the_others_say(
    solver: str, name: str, membership: str, center: bool, gamma: float
) -> None:
    """Expected memberships, a tenth of the weight, and positions halfway between words and expected classes."""
    X, sets = some_unknown(name)
    twin = completed(X, sets, PARENTS, K, gamma=gamma, membership=membership, center=center, weight=0.1)
    model = fit(X, sets, solver=solver, gamma=gamma, membership=membership, center=center)
    assert 0 < np.mean((twin.expected > 0) & (twin.expected < 1)) < 1
    assert_same(model, twin.twin)
    assert model.gamma_ == pytest.approx(twin.gamma, rel=1e-8)
    V, d = up_to_sign(twin.twin.positions, model.transform(X)), twin.degrees[:, None]
    np.testing.assert_allclose(model.transform(X), V, atol=1e-6)
    T = (d * V - (twin.delta @ V) / twin.weights[:, None] + V * twin.twin.costs) / d
    unknown = np.array([labels is None for labels in sets])
    found = model.training_coordinates(X, sets, "transductive")
    np.testing.assert_allclose(found[~unknown], T[~unknown], atol=1e-6)
    np.testing.assert_allclose(found[unknown], (T[unknown] + V[unknown]) / 2, atol=1e-6)
    rows = X - np.average(X, axis=0, weights=twin.weights) * center
    honest = without_each(rows @ rows.T, T, twin.weights * twin.degrees, twin.gamma)
    np.testing.assert_allclose(model.training_coordinates(X, sets, "honest"), honest, atol=1e-6 * np.abs(honest).max())


@pairwise(name=["wide", "tall"], membership=["whole", "shared"], center=[False, True], container=CONTAINERS)
def test_products_solve_the_problem_with_expected_memberships(
    name: str, membership: str, center: bool, container: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the leverages of the first space in closed form."""
    monkeypatch.setattr(ProductScatter, "leverages", _exact_leverages)
    X, sets = some_unknown(name)
    twin = completed(X, sets, PARENTS, K, gamma=0.3, membership=membership, center=center, weight=0.1)
    model = fit(container(X), sets, solver="products", gamma=0.3, membership=membership, center=center)
    assert_same(model, twin.twin)
    expected = up_to_sign(twin.twin.positions, model.transform(X))
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-6)


def _exact_leverages(form: ProductScatter) -> np.ndarray:
    rows = form.weighted.to_dense()
    return np.einsum("ij,ji->i", rows, np.linalg.solve(rows.T @ rows + form.gamma * np.eye(rows.shape[1]), rows.T))


@each_center
@each_membership
def test_unknown_labels_in_a_kernel(membership: str, center: bool) -> None:
    """A linear kernel as a matrix is the space of its records."""
    X, sets = some_unknown("wide")
    settings: dict[str, Any] = {"gamma": 0.3, "membership": membership, "center": center}
    linear, kernel = fit(X, sets, **settings), fit(X @ X.T, sets, kernel="precomputed", **settings)
    np.testing.assert_allclose(kernel.costs_, linear.costs_, rtol=1e-8)
    new = np.random.default_rng(3).standard_normal((7, X.shape[1]))
    expected = linear.transform(new)
    np.testing.assert_allclose(up_to_sign(kernel.transform(new @ X.T), expected), expected, atol=1e-7)
    honest = linear.training_coordinates(X, sets, "honest")
    found = kernel.training_coordinates(X @ X.T, sets, "honest")
    np.testing.assert_allclose(up_to_sign(found, honest), honest, atol=1e-7)


def closeness(A: Any, B: Any, power: float = 1.0) -> np.ndarray:
    """A kernel of one's own: 1 / (1 + squared distance)."""
    return 1 / (1 + np.asarray((A[:, None] - B[None]) ** 2).sum(axis=2)) ** power


KERNELS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "rbf": ("rbf", {"gamma": 0.1}, lambda A, B: rbf_kernel(A, B, gamma=0.1)),
    "poly": ("poly", {"degree": 2, "coef0": 1}, lambda A, B: polynomial_kernel(A, B, degree=2, coef0=1)),
    "callable": (closeness, {"power": 2}, lambda A, B: closeness(A, B, 2)),
    "linear": ("linear", {}, lambda A, B: A @ B.T),
}


def kernel_model(kernel: str, precomputed: bool, new: np.ndarray, **given: Any) -> tuple[HLSI, np.ndarray, np.ndarray]:
    """A fitted model, the positions of the training records, and of new ones."""
    name, params, function = KERNELS[kernel]
    X, sets = data("wide")
    if precomputed:
        model = fit(function(X, X), sets, kernel="precomputed", **given)
        return model, model.transform(function(X, X)), model.transform(function(new, X))
    model = fit(X, sets, kernel=name, kernel_params=params, **given)
    return model, model.transform(X), model.transform(new)


@pairwise(precomputed=[False, True], kernel=KERNELS, membership=["whole", "shared"], center=[False, True])
def test_kernels_solve_the_dual(kernel: str, precomputed: bool, membership: str, center: bool) -> None:
    function = KERNELS[kernel][2]
    X, _ = data("wide")
    new = np.random.default_rng(3).standard_normal((7, X.shape[1])) / 5
    model, trained, placed = kernel_model(kernel, precomputed, new, gamma=0.3, membership=membership, center=center)
    L, plain = delta("wide", membership), function(X, X)
    held = centred(plain) if center else plain
    twin = dual(held, L, K, gamma=0.3 * float(np.sum(L * plain)) / len(X))
    np.testing.assert_allclose(model.costs_, twin.costs, rtol=1e-8)
    np.testing.assert_allclose(up_to_sign(trained, twin.positions), twin.positions, atol=1e-7)
    rows = function(new, X)
    if center:  # k(x − m, x_j − m), m the mean of the records in feature space
        rows = rows - rows.mean(axis=1, keepdims=True) - plain.mean(axis=0) + plain.mean()
    expected = rows @ twin.directions
    np.testing.assert_allclose(up_to_sign(placed, expected), expected, atol=1e-7 * np.abs(expected).max())


@each_center
@pytest.mark.parametrize("solver", ["auto", "dual"])
def test_landmarks_that_span_all_records_are_the_kernel_itself(solver: str, center: bool) -> None:
    """With every record twice, all of them but one hold each record at least once."""
    X, sets = data("wide")
    given: dict[str, Any] = {"kernel": "rbf", "kernel_params": {"gamma": 0.1}, "center": center, "gamma": 0.3}
    twice, labels = np.vstack([X, X]), [*sets, *sets]
    exact = fit(twice, labels, n_landmarks=None, **given)
    model = fit(twice, labels, n_landmarks=2 * len(X) - 1, solver=solver, **given)
    assert exact.landmark_map_ is None
    assert model.reference_records_.shape == (2 * len(X) - 1, X.shape[1])
    np.testing.assert_allclose(model.costs_, exact.costs_, rtol=1e-8)
    new = np.random.default_rng(3).standard_normal((7, X.shape[1])) / 5
    np.testing.assert_allclose(up_to_sign(model.transform(new), exact.transform(new)), exact.transform(new), atol=1e-7)
    honest = exact.training_coordinates(twice, labels, "honest")
    found = model.training_coordinates(twice, labels, "honest")
    np.testing.assert_allclose(up_to_sign(found, honest), honest, atol=1e-6)


def targets(V: np.ndarray, costs: np.ndarray, name: str, membership: str) -> np.ndarray:
    """D⁻¹((D − Δ) V + V diag(λ))."""
    d = degrees(data(name)[1], PARENTS, membership)
    return np.asarray((d[:, None] * V - delta(name, membership) @ V + V * costs) / d[:, None])


@pairwise(solver=SOLVERS, name=["wide", "tall", "tall-deficient"], membership=["whole", "shared"], center=[False, True])
def test_the_map_is_a_regression_of_the_targets(solver: str, name: str, membership: str, center: bool) -> None:
    """γ w + XᵀDX w = XᵀD t: what honest positions rest upon."""
    sets = data(name)[1]
    model = fit(data(name)[0], sets, gamma=0.3, membership=membership, center=center, solver=solver)
    X, W = records(name, center), model.components_.T
    V, d = X @ W, degrees(sets, PARENTS, membership)[:, None]
    T = targets(V, model.costs_, name, membership)
    np.testing.assert_allclose(model.gamma_ * W + X.T @ (d * V), X.T @ (d * T), atol=1e-6)
    graph = hierarchy_graph(sets, TAXONOMY, len(X))
    graph = graph.shared() if membership == "shared" else graph
    np.testing.assert_allclose(graph.targets(V, model.costs_), T, atol=1e-12)
    np.testing.assert_allclose(model.training_coordinates(data(name)[0], sets, "transductive"), T, atol=1e-9)


@pairwise(
    solver=["primal", "dual"], name=SHAPES, gamma=[1e-3, 0.3, 10], membership=["whole", "shared"], center=[False, True]
)
def test_honest_positions_are_those_of_a_map_that_never_saw_the_record(
    solver: str, name: str, gamma: float, membership: str, center: bool
) -> None:
    """N regressions of the fixed targets, each without one record."""
    sets = data(name)[1]
    model = fit(data(name)[0], sets, gamma=gamma, membership=membership, center=center, solver=solver)
    X = records(name, center)
    T = targets(X @ model.components_.T, model.costs_, name, membership)
    expected = without_each(X @ X.T, T, degrees(sets, PARENTS, membership), model.gamma_)
    found = model.training_coordinates(data(name)[0], sets, "honest")
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@each_center
@each_membership
def test_honest_positions_in_a_kernel(membership: str, center: bool) -> None:
    X, sets = data("wide")
    model, V, _ = kernel_model("rbf", False, X[:1], gamma=0.3, membership=membership, center=center)
    plain = rbf_kernel(X, X, gamma=0.1)
    T = targets(V, model.costs_, "wide", membership)
    held = centred(plain) if center else plain
    expected = without_each(held, T, degrees(sets, PARENTS, membership), model.gamma_)
    found = model.training_coordinates(X, sets, "honest")
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())


@pairwise(
    gamma=[1e-2, 0.3, 10], membership=["whole", "shared"], center=[False, True], container=[np.asarray, sp.csr_array]
)
def test_products_estimate_the_honest_positions(gamma: float, membership: str, center: bool, container: Any) -> None:
    """By a hundred random probes, which are as good where a record follows its own labels as elsewhere."""
    X, sets = data("wide")
    model = fit(container(X), sets, gamma=gamma, membership=membership, center=center, solver="products")
    X = records("wide", center)
    T = targets(X @ model.components_.T, model.costs_, "wide", membership)
    expected = without_each(X @ X.T, T, degrees(sets, PARENTS, membership), model.gamma_)
    found = model.training_coordinates(container(data("wide")[0]), sets, "honest")
    correction = np.linalg.norm(expected - T)
    assert np.linalg.norm(found - expected) < 2 * np.sqrt(2 / 100) * correction


@each_membership
@each_solver
def test_without_centring_the_first_dimension_is_nearly_constant(solver: str, membership: str) -> None:
    """The root class holds every record, so that a constant costs γ|w|² only."""
    X, sets = data("tall")
    X = X + 2  # records that share something, as those of a collection do
    plain = fit(X, sets, gamma=1e-3, membership=membership, center=False, solver=solver)
    first = plain.transform(X)[:, 0]
    assert abs(first.sum()) / np.sqrt(len(X)) > 0.99
    assert plain.costs_[0] < 0.1 * plain.costs_[1]
    centred_model = fit(X, sets, gamma=1e-3, membership=membership, center=True, solver=solver)
    np.testing.assert_allclose(centred_model.transform(X).sum(axis=0), 0, atol=1e-7)
    assert centred_model.costs_[0] > 0.1 * plain.costs_[1]
