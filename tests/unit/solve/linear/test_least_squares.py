"""Least squares: every solver gives the closed form, with and without a ridge, and says when it does not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise

from tacit.errors import InputError, TacitWarning
from tacit.operators import Centred, Stacked, as_operator
from tacit.solve import least_squares

SOLVERS = ["dense", "block-cg", "cg", "lsmr"]
RNG = np.random.default_rng(0)


def closed_form(A: np.ndarray, T: np.ndarray, ridge: float) -> np.ndarray:
    if ridge == 0:
        return la.pinv(A, rtol=1e-10) @ T
    return la.solve(A.T @ A + ridge * np.eye(A.shape[1]), A.T @ T)


def problem(kind: str) -> tuple[np.ndarray, np.ndarray]:
    n_rows, n_columns = {"tall": (60, 20), "wide": (20, 60), "dependent columns": (50, 40)}[kind]
    rng = np.random.default_rng(1)
    A = rng.standard_normal((n_rows, n_columns)) * (rng.random((n_rows, n_columns)) < 0.5)
    if kind == "dependent columns":
        A[:, 20:] = A[:, :20]
    T = (rng.random((n_rows, 9)) < 0.2).astype(np.float64)
    T[:, 2] = 0
    T[:, 4] = T[:, 3]
    return A, T


@pairwise(kind=["tall", "wide", "dependent columns"], ridge=[0.0, 1e-3, 2.0], solver=SOLVERS)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_every_solver_gives_the_closed_form(kind: str, ridge: float, solver: str, form: object) -> None:
    A, T = problem(kind)
    found = least_squares(form(A), form(T), ridge=ridge, solver=solver, tol=1e-11, max_iter=1000)  # type: ignore[operator]
    np.testing.assert_allclose(found.solution, closed_form(A, T, ridge), atol=1e-7)
    assert (found.solver, found.reason, found.converged) == (solver, "asked for", True)
    gradient = A.T @ (T - A @ found.solution) - ridge * found.solution
    truth = la.norm(gradient, axis=0) / np.maximum(la.norm(A.T @ T, axis=0), 1e-300)
    np.testing.assert_allclose(found.residuals, truth, rtol=0.5, atol=1e-12)
    assert found.residuals.max() <= 1e-11


@pytest.mark.parametrize("solver", SOLVERS)
def test_single_precision_stays_and_is_as_good_as_it_can_be(solver: str) -> None:
    A, T = problem("tall")
    found = least_squares(A.astype(np.float32), T, ridge=0.1, solver=solver, tol=1e-10)
    assert found.solution.dtype == np.float32
    assert found.converged
    np.testing.assert_allclose(found.solution, closed_form(A, T, 0.1), atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_operators_that_are_not_matrices_take_sparse_targets(solver: str) -> None:
    A, T = problem("tall")
    many = np.tile(T, 30 if solver != "lsmr" else 1)  # more than are made dense at a time
    operator = Stacked([Centred(sp.csr_array(A)), A[:, :3]])
    twin = np.hstack([A - A.mean(axis=0), A[:, :3]])
    found = least_squares(operator, sp.csr_array(many), ridge=0.5, solver=solver, tol=1e-10)
    np.testing.assert_allclose(found.solution, closed_form(twin, many, 0.5), atol=1e-7)


@pytest.mark.parametrize("dtype", [bool, np.int8])
def test_targets_may_be_labels(dtype: type) -> None:
    A, T = problem("tall")
    for form in (np.asarray, sp.csr_array, sp.coo_array):
        for solver in SOLVERS:
            found = least_squares(A, form(T.astype(dtype)), ridge=1.0, solver=solver)
            np.testing.assert_allclose(found.solution, closed_form(A, T, 1.0), atol=1e-4)


@pytest.mark.parametrize("solver", SOLVERS)
def test_no_targets_have_no_solution_columns(solver: str) -> None:
    A, T = problem("tall")
    assert least_squares(A, T[:, :0], ridge=1.0, solver=solver).solution.shape == (20, 0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("ridge", [0.0, 1.0])
def test_targets_that_the_operator_cannot_reach_have_the_solution_zero(solver: str, ridge: float) -> None:
    A, _ = problem("tall")
    outside = la.null_space(A.T)[:, :3]
    found = least_squares(A, outside, ridge=ridge, solver=solver)
    assert found.converged
    np.testing.assert_allclose(found.solution, np.zeros((20, 3)), atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_zero_operator_has_the_solution_zero(solver: str) -> None:
    found = least_squares(np.zeros((5, 3)), np.ones((5, 2)), solver=solver)
    assert not found.solution.any()
    assert found.converged


@pytest.mark.parametrize("solver", ["block-cg", "cg"])
def test_a_warm_start_saves_iterations(solver: str) -> None:
    A, T = problem("tall")
    T = T[:, 1:3]  # one of them zero; with many a block would see the whole space in a few steps anyway
    cold = least_squares(A, T, ridge=0.1, solver=solver, tol=1e-8)
    warm = least_squares(A, T, ridge=0.1, solver=solver, tol=1e-8, start=cold.solution + 1e-7)
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.solution, closed_form(A, T, 0.1), atol=1e-6)


def test_a_preconditioner_is_used_and_saves_iterations() -> None:
    A, T = problem("tall")
    A = A * np.logspace(0, 2, 20)
    inverse = as_operator(la.inv(A.T @ A + 0.1 * np.eye(20)))
    plain = least_squares(A, T, ridge=0.1, solver="cg")
    helped = least_squares(A, T, ridge=0.1, preconditioner=inverse)
    assert (helped.solver, helped.reason) == ("cg", "a preconditioner was given")
    assert helped.iterations < plain.iterations / 3
    np.testing.assert_allclose(helped.solution, closed_form(A, T, 0.1), atol=1e-6)


@pytest.mark.parametrize(
    ("shape", "ridge", "solver", "reason"),
    [
        (
            (1000, 50),
            0.0,
            "dense",
            "the smaller side of (1000, 50) is at most 400: LAPACK is exact and faster",
        ),
        ((600, 500), 0.0, "lsmr", "no ridge: LSMR is stable where the normal equations are not"),
        ((600, 500), 1.0, "block-cg", "(600, 500) is large and the ridge makes the normal equations well conditioned"),
        (
            (100, 90_000),
            1.0,
            "block-cg",
            "(100, 90000) is large and the ridge makes the normal equations well conditioned",
        ),
    ],
)
def test_auto_says_what_it_chose_and_why(shape: tuple[int, int], ridge: float, solver: str, reason: str) -> None:
    A = sp.random_array(shape, density=0.02, rng=np.random.default_rng(0), format="csr")
    found = least_squares(A, A[:, [0]], ridge=ridge)
    assert (found.solver, found.reason) == (solver, reason)
    assert found.converged


@pytest.mark.parametrize("solver", ["block-cg", "cg", "lsmr"])
def test_a_solution_that_is_not_there_yet_comes_with_a_warning(solver: str) -> None:
    A, T = problem("dependent columns")
    with pytest.warns(
        TacitWarning,
        match=rf"the {solver} solver of least squares stopped after 2 iterations with a relative residual of "
        r"\d\.\de[-+]\d\d, above tol=1e-09\. The solution is approximate: increase max_iter, tol or ridge\.",
    ):
        found = least_squares(A, T, solver=solver, tol=1e-9, max_iter=2)
    assert not found.converged


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "lsqr"}, r"solver is unknown: got 'lsqr', .* Did you mean 'lsmr'\?"),
        ({"ridge": -1}, "ridge is out of range: got -1"),
        ({"tol": "small"}, "tol is out of range: got 'small'"),
        ({"max_iter": 0}, "max_iter is out of range: got 0"),
        ({"targets": np.ones(60)}, r"targets is not a matrix: got 1 dimensions, .* Use targets.reshape\(-1, 1\)"),
        ({"targets": np.ones((3, 2))}, "targets does not match the operator: got 3 rows for 60 records"),
        ({"targets": np.full((60, 1), np.inf)}, "targets contains infinity"),
        (
            {"start": np.ones((3, 9))},
            r"start does not match the operator and targets: got \(3, 9\), expected \(20, 9\)",
        ),
        ({"start": np.full((20, 9), np.nan)}, "start contains NaN"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, object], message: str) -> None:
    A, T = problem("tall")
    with pytest.raises(InputError, match=message):
        least_squares(A, **{"targets": T, **options})  # type: ignore[arg-type]
