"""MLSI against the equations of the paper, solved densely and literally."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from mlsi_twin import Twin, dual, largest_angle, primal, spectrum_matrix
from pairwise import pairwise
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel
from spaces import up_to_sign

from tacit import LSI, MLSI, TacitWarning, transductive_space

SHAPES = {
    "wide": (30, 80, 30),
    "square": (40, 40, 40),
    "tall": (90, 25, 25),
    "wide-deficient": (50, 60, 20),
    "tall-deficient": (90, 30, 12),
}
K = 8


@cache
def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    n, m, rank = SHAPES[name]
    X = spectrum_matrix(n, m, rank, seed=n + m)
    Y = (np.random.default_rng(n).random((n, 6)) < 0.3).astype(float)
    return X, Y


@cache
def literal(form: str, name: str, beta: float, gamma: float, ridge: float) -> Twin:
    X, Y = data(name)
    if form == "primal":
        return primal(X, Y, K, beta=beta, gamma=gamma, ridge=ridge)
    twin = dual(X @ X.T, Y @ Y.T, K, beta=beta, gamma=gamma, ridge=ridge)
    return Twin(twin.eigenvalues, X.T @ twin.directions, twin.positions)


def fit(X: Any, Y: Any, **params: Any) -> MLSI:
    """Fit in unit scaling and to the last digit; that labels may drop out without a ridge is known here."""
    settings = {"n_components": K, "scaling": "unit", "tol": 1e-12, **params}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the labels play no part", TacitWarning)
        return MLSI(**settings).fit(X, Y)


def assert_same(model: MLSI, twin: Twin, *, angle: float = 1e-6) -> None:
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    assert largest_angle(model.components_.T, twin.directions) < angle


@pairwise(
    solver=["primal", "dual", "augmented"], name=SHAPES, beta=[0, 0.3, 0.5, 0.9], gamma=[0, 0.1, 1, 10], ridge=[0, 0.1]
)
def test_every_form_solves_both_equations(solver: str, name: str, beta: float, gamma: float, ridge: float) -> None:
    model = fit(*data(name), label_weight=beta, shrinkage=gamma, ridge=ridge, solver=solver)
    assert_same(model, literal("primal", name, beta, model.shrinkage_, ridge))
    assert_same(model, literal("dual", name, beta, model.shrinkage_, ridge))


@pairwise(ridge=[0, 0.1], solver=["primal", "dual", "augmented"], name=SHAPES)
def test_sparse_records_and_labels_give_the_same(solver: str, name: str, ridge: float) -> None:
    X, Y = data(name)
    model = fit(sp.csr_array(X), sp.csr_array(Y), label_weight=0.5, shrinkage=1, ridge=ridge, solver=solver)
    assert_same(model, literal("primal", name, 0.5, model.shrinkage_, ridge))


ITERATED = {"wide": (60, 150, 60), "square": (70, 70, 70), "tall": (150, 60, 60), "deficient": (80, 100, 40)}


@pytest.fixture
def iterative(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small problems would go to LAPACK; here they go where the large ones go."""
    monkeypatch.setattr(
        import_module("tacit.solve.choice.choose"), "cheapest", lambda costs, **options: ("krylov", "told to")
    )
    monkeypatch.setattr(import_module("tacit.solve.linear.least_squares"), "_DENSE_LIMIT", 0)


@pytest.mark.usefixtures("iterative")
@pairwise(beta=[0, 0.3, 0.9], gamma=[0, 1], ridge=[0, 0.1])
@pytest.mark.parametrize("shape", ITERATED.values(), ids=ITERATED)
def test_the_iterative_solvers_solve_both_equations(shape: Any, beta: float, gamma: float, ridge: float) -> None:
    X = spectrum_matrix(*shape, seed=1)
    Y = (np.random.default_rng(2).random((len(X), 5)) < 0.3).astype(float)
    model = fit(sp.csr_array(X), Y, label_weight=beta, shrinkage=gamma, ridge=ridge, solver="augmented")
    used = {report.solver for report in model.solution_}
    assert used <= {"krylov", "block-cg", "lsmr"}
    assert "krylov" in used
    assert ("lsmr" in used) == (ridge == 0 and beta > 0)
    assert_same(model, primal(X, Y, K, beta=beta, gamma=model.shrinkage_, ridge=ridge))
    twin = dual(X @ X.T, Y @ Y.T, K, beta=beta, gamma=model.shrinkage_, ridge=ridge)
    assert_same(model, Twin(twin.eigenvalues, X.T @ twin.directions, twin.positions))


@pytest.mark.usefixtures("iterative")
def test_without_a_ridge_a_loose_tolerance_does_not_lose_the_labels() -> None:
    """Whether a label is expressed exactly must not depend on how early a solver may stop."""
    X = spectrum_matrix(60, 150, 60, seed=1)
    Y = (np.random.default_rng(2).random((60, 5)) < 0.3).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        model = MLSI(K, label_weight=0.7, shrinkage=0.5, ridge=0, solver="augmented", scaling="unit").fit(X, Y)
    twin = primal(X, Y, K, beta=0.7, gamma=model.shrinkage_, ridge=0)
    assert largest_angle(model.components_.T, twin.directions) < 0.05


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("solver", ["primal", "dual", "augmented"])
def test_new_records_are_placed_as_by_the_paper(solver: str, name: str) -> None:
    X, Y = data(name)
    new = np.random.default_rng(3).standard_normal((7, X.shape[1]))
    for label_weight in (0, 0.5):  # without labels, it is LSI that places new records with the ridge
        unit = fit(X, Y, label_weight=label_weight, shrinkage=1, ridge=0.1, solver=solver)
        twin = literal("primal", name, label_weight, unit.shrinkage_, 0.1)
        expected = new @ twin.directions
        np.testing.assert_allclose(up_to_sign(unit.transform(new), expected), expected, atol=1e-8)
    np.testing.assert_allclose(np.abs(np.sum(unit.embedding_ * twin.positions, axis=0)), 1, rtol=1e-9)
    for scaling, power in (("weighted", 1 / 2), ("damped", 1 / 4)):  # table 1 of the revised text; half way to it
        scaled = fit(X, Y, label_weight=0.5, shrinkage=1, ridge=0.1, solver=solver, scaling=scaling)
        np.testing.assert_allclose(scaled.transform(new), unit.transform(new) * twin.eigenvalues**power, atol=1e-8)


def test_the_forms_agree_in_their_signs() -> None:
    X, Y = data("tall")
    primal_form, dual_form, augmented = (fit(X, Y, solver=solver) for solver in ("primal", "dual", "augmented"))
    np.testing.assert_allclose(primal_form.components_, dual_form.components_, atol=1e-9)
    np.testing.assert_allclose(primal_form.components_, augmented.components_, atol=1e-9)
    assert (primal_form.embedding_[np.abs(primal_form.embedding_).argmax(axis=0), np.arange(K)] > 0).all()


def closeness(A: Any, B: Any, power: float = 1.0) -> np.ndarray:
    """A kernel of one's own: 1 / (1 + squared distance)."""
    distance = np.asarray((A[:, None] - B[None]) ** 2).sum(axis=2)
    return 1 / (1 + distance) ** power


KERNELS: dict[str, tuple[Any, dict[str, Any], Any]] = {
    "linear": ("linear", {}, lambda A, B: A @ B.T),
    "rbf": ("rbf", {"gamma": 0.1}, lambda A, B: rbf_kernel(A, B, gamma=0.1)),
    "poly": ("poly", {"degree": 2, "coef0": 1}, lambda A, B: polynomial_kernel(A, B, degree=2, coef0=1)),
    "cosine": ("cosine", {}, cosine_similarity),
    "callable": (closeness, {"power": 2}, lambda A, B: closeness(A, B, 2)),
}


@pairwise(precomputed=[False, True], kernel=KERNELS, gamma=[0, 1], ridge=[0, 0.1])
def test_record_kernels_solve_equation_12(kernel: str, precomputed: bool, gamma: float, ridge: float) -> None:
    name, params, function = KERNELS[kernel]
    X, Y = data("wide")
    new = np.random.default_rng(3).standard_normal((7, X.shape[1]))
    given = {"label_weight": 0.5, "shrinkage": gamma, "ridge": ridge}
    if precomputed:
        model = fit(function(X, X), Y, kernel="precomputed", **given)
        placed = model.transform(function(new, X))
    else:
        model = fit(X, Y, kernel=name, kernel_params=params, **given)
        placed = model.transform(new)
    twin = dual(function(X, X), Y @ Y.T, K, beta=0.5, gamma=model.shrinkage_, ridge=ridge)
    expected = function(new, X) @ twin.directions
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    np.testing.assert_allclose(up_to_sign(placed, expected), expected, atol=1e-7 * np.abs(expected).max())


LABEL_KERNELS = {**KERNELS, "rbf": ("rbf", {"gamma": 0.7}, lambda A, B: rbf_kernel(A, B, gamma=0.7))}


@pairwise(precomputed=[False, True], kernel=LABEL_KERNELS, solver=["primal", "dual", "augmented"])
def test_label_kernels_solve_equation_12(kernel: str, precomputed: bool, solver: str) -> None:
    name, params, function = LABEL_KERNELS[kernel]
    X, Y = data("tall")
    K_y = function(Y, Y)
    given = {"label_weight": 0.5, "shrinkage": 1, "ridge": 0.1, "solver": solver}
    if precomputed:
        model = fit(X, K_y, label_kernel="precomputed", **given)
    else:
        model = fit(X, Y, label_kernel=name, label_kernel_params=params, **given)
    twin = dual(X @ X.T, K_y, K, beta=0.5, gamma=model.shrinkage_, ridge=0.1)
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    assert largest_angle(model.components_.T, X.T @ twin.directions) < 1e-6


@pytest.mark.parametrize("gamma", [0, 2])
@pytest.mark.parametrize("name", SHAPES)
def test_no_label_weight_is_plain_lsi(name: str, gamma: float) -> None:
    X, Y = data(name)
    plain = LSI(K, scaling="unit", tol=1e-12).fit(X)
    model = fit(X, Y, label_weight=0, shrinkage=gamma, ridge=0)
    assert largest_angle(model.components_.T, plain.components_.T) < 1e-6
    np.testing.assert_allclose(model.eigenvalues_ * (1 + gamma), plain.eigenvalues_, rtol=1e-8)  # sec. 3
    np.testing.assert_array_equal(fit(X, None, label_weight=0, shrinkage=gamma, ridge=0).components_, model.components_)


@pairwise(name=["wide", "tall"], solver=["primal", "dual", "augmented"], gamma=[0, 1])
def test_full_label_weight_is_the_limit(name: str, solver: str, gamma: float) -> None:
    X, Y = data(name)
    settings = {"shrinkage": gamma, "ridge": 0.1, "solver": solver}
    with pytest.warns(TacitWarning, match="n_components=8 is more than the labels can span: kept 6 dimensions"):
        limit = fit(X, Y, label_weight=1, **settings)
    near = fit(X, Y, label_weight=1 - 1e-9, n_components=6, **settings)
    np.testing.assert_allclose(limit.eigenvalues_, near.eigenvalues_, rtol=1e-6)
    assert largest_angle(limit.components_.T, near.components_.T) < 1e-5
    np.testing.assert_allclose(limit.components_, near.components_, atol=1e-6 * np.abs(near.components_).max())


def test_tall_data_without_a_ridge_ignore_the_labels_and_say_so() -> None:
    X, Y = data("tall")
    plain = LSI(K, scaling="unit", tol=1e-12).fit(X)
    with pytest.warns(TacitWarning, match=r"the labels have no effect with ridge=0: .* Set ridge > 0\."):
        model = MLSI(K, label_weight=0.9, ridge=0, scaling="unit").fit(X, Y)
    assert largest_angle(model.components_.T, plain.components_.T) < 1e-6
    shuffled = fit(X, Y[::-1], label_weight=0.3, ridge=0)
    assert largest_angle(model.components_.T, shuffled.components_.T) < 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        informed = MLSI(K, label_weight=0.9, ridge=0.1, scaling="unit").fit(X, Y)
    assert largest_angle(informed.components_.T, plain.components_.T) > 0.1


@pytest.mark.parametrize("solver", ["primal", "dual", "augmented"])
@pytest.mark.parametrize("gamma", [0, 1])
def test_unit_positions_are_orthonormal_without_a_ridge(solver: str, gamma: float) -> None:
    X, Y = data("wide")
    model = fit(X, Y, label_weight=0.5, shrinkage=gamma, ridge=0, solver=solver)
    positions = model.transform(X)
    np.testing.assert_allclose(positions.T @ positions, np.eye(K), atol=1e-9)
    np.testing.assert_allclose(positions, model.embedding_, atol=1e-9)  # the words express every position


def objective(X: np.ndarray, Y: np.ndarray, V: np.ndarray, A: np.ndarray, B: np.ndarray, beta: float) -> float:
    """Eq. (2)."""
    return float((1 - beta) * np.sum((X - V @ A) ** 2) + beta * np.sum((Y - V @ B) ** 2))


@pytest.mark.parametrize("beta", [0, 0.3, 0.9, 1])
@pytest.mark.parametrize("name", SHAPES)
def test_theorem_1_for_the_transductive_space(name: str, beta: float, rng: np.random.Generator) -> None:
    X, Y = data(name)
    k = 5
    space = transductive_space(X, Y, k, label_weight=beta, tol=1e-12)
    Y = Y * space.label_scale
    np.testing.assert_allclose(np.sum(Y**2), np.sum(X**2), rtol=1e-12)  # equal traces
    V, A, B = space.positions, space.term_loadings, space.label_loadings
    eigenvalues = np.linalg.eigvalsh((1 - beta) * X @ X.T + beta * Y @ Y.T)[::-1]
    np.testing.assert_allclose(space.eigenvalues, eigenvalues[:k], rtol=1e-8)
    np.testing.assert_allclose(A, V.T @ X, atol=1e-9)  # (a)
    np.testing.assert_allclose(B, V.T @ Y, atol=1e-9)
    reached = objective(X, Y, V, A, B, beta)
    np.testing.assert_allclose(reached, space.objective, rtol=1e-8)  # (c)
    np.testing.assert_allclose(reached, eigenvalues[k:].sum(), rtol=1e-8)
    for size in (1e-3, 1.0):
        other_A, other_B = (M + size * rng.standard_normal(M.shape) for M in (A, B))
        assert objective(X, Y, V, other_A, other_B, beta) > reached
        other_V = np.linalg.qr(V + size * rng.standard_normal(V.shape))[0]
        assert objective(X, Y, other_V, other_V.T @ X, other_V.T @ Y, beta) > reached


@pytest.mark.parametrize("ridge", [0, 0.1])
@pytest.mark.parametrize("solver", ["primal", "dual", "augmented"])
def test_without_shrinkage_mlsi_holds_the_transductive_optimum(solver: str, ridge: float) -> None:
    X, Y = data("wide")
    model = fit(X, Y, label_weight=0.6, shrinkage=0, ridge=ridge, solver=solver)
    space = transductive_space(X, Y, K, label_weight=0.6, tol=1e-12)
    np.testing.assert_allclose(model.embedding_, space.positions, atol=1e-8)
    np.testing.assert_allclose(model.objective_, space.objective, rtol=1e-8)
    np.testing.assert_allclose(model.label_scale_, space.label_scale, rtol=1e-12)
    np.testing.assert_allclose(model.term_loadings_, space.term_loadings, atol=1e-8)
    np.testing.assert_allclose(model.label_loadings_ * model.label_scale_, space.label_loadings, atol=1e-8)


def test_with_shrinkage_the_objective_is_that_of_the_positions() -> None:
    X, Y = data("wide")
    model = fit(X, Y, label_weight=0.6, shrinkage=3, ridge=0.1)
    V, scaled = model.embedding_, Y * model.label_scale_
    np.testing.assert_allclose(model.objective_, objective(X, scaled, V, V.T @ X, V.T @ scaled, 0.6), rtol=1e-8)
    assert model.objective_ > transductive_space(X, Y, K, label_weight=0.6, tol=1e-12).objective


def test_unbalanced_labels_keep_their_own_size() -> None:
    X, Y = data("wide")
    K_x, K_y = X @ X.T, Y @ Y.T
    beta = 0.5
    model = fit(X, Y, label_weight=beta, shrinkage=0, ridge=0, balance=False)
    assert model.label_scale_ == 1
    expected = np.linalg.eigvalsh((1 - beta) * K_x + beta * K_y)[::-1][:K]
    np.testing.assert_allclose(model.eigenvalues_, expected, rtol=1e-8)


def test_shrinkage_means_the_same_for_any_number_of_records() -> None:
    """Every record twice is the same collection: γ follows, and with it the share of a label that is not expressed."""
    X, Y = data("tall")
    once = fit(X, Y, label_weight=0.5, shrinkage=1, ridge=1)
    twice = fit(np.vstack([X, X]), np.vstack([Y, Y]), label_weight=0.5, shrinkage=1, ridge=2)
    np.testing.assert_allclose(twice.eigenvalues_, 2 * once.eigenvalues_, rtol=1e-8)
    assert largest_angle(twice.components_.T, once.components_.T) < 1e-6
