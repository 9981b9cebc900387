"""Which solver answers and why, as data; what is said of wrong arguments, and of answers that are not there yet."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError, SolverError, TacitWarning
from tacit.operators import MatrixOperator, Operator, as_operator
from tacit.solve import leading_eigenpairs, leading_singular_triplets
from tacit.solve.eigen.krylov import block_krylov

RNG = np.random.default_rng(0)
S = np.diag(np.linspace(1, 2, 12))


def sparse(n_rows: int, n_columns: int) -> sp.csr_array:
    return sp.random_array((n_rows, n_columns), density=0.01, rng=np.random.default_rng(0), format="csr")


@pytest.mark.parametrize(
    ("shape", "k", "solver", "names"),
    [
        ((40, 300), 3, "dense", ["LAPACK", "block Krylov", "Lanczos"]),
        ((700, 600), 3, "lanczos", ["Lanczos", "LAPACK", "block Krylov"]),
        ((1020, 1010), 800, "dense", ["LAPACK", "block Krylov", "Lanczos"]),
        ((100, 60_000), 3, "krylov", ["block Krylov", "LAPACK", "Lanczos"]),
        ((40, 300), 40, "dense", ["LAPACK", "block Krylov"]),
    ],
)
def test_auto_says_what_it_chose_and_why(shape: tuple[int, int], k: int, solver: str, names: list[str]) -> None:
    found = leading_singular_triplets(sparse(*shape), k)
    told = ", ".join(rf"{name} [\d.e-]+ s" for name in names)
    assert found.solver == solver
    assert re.fullmatch(f"{told} by the cost model", found.reason), found.reason


def test_auto_of_eigenproblems() -> None:
    small = leading_eigenpairs(S, 2)
    assert (small.solver, small.reason[:7]) == ("dense", "LAPACK ")
    large = leading_eigenpairs(sp.diags_array(np.linspace(1, 2, 6_000)), 2)
    assert large.solver != "dense"


def test_a_preconditioner_finds_the_edge_of_a_crowded_spectrum() -> None:
    """The leading values differ by a thousandth of the whole range, in which Krylov methods are slow."""
    n = 2_000
    costs = np.r_[np.linspace(1, 1.3, 400), np.linspace(2, 200, n - 400)]
    couplings = sp.random_array((n, n), density=2 / n, rng=np.random.default_rng(0), format="csr") * 0.05
    A = sp.csr_array(sp.diags_array(220 - costs) + couplings + couplings.T)
    inverse = sp.diags_array(1 / (costs - 0.9))
    found = leading_eigenpairs(A, 20, preconditioner=as_operator(inverse), tol=1e-5)
    assert (found.solver, found.reason[:7]) == ("lobpcg", "LOBPCG ")
    assert found.converged
    assert found.iterations < 60
    np.testing.assert_allclose(found.values, leading_eigenpairs(A, 20, solver="dense").values, rtol=1e-6)
    with pytest.warns(TacitWarning, match="stopped after 60"):
        leading_eigenpairs(A, 20, solver="krylov", max_iter=60, tol=1e-5)


def test_what_was_asked_for_is_done_or_said_otherwise() -> None:
    for solver in ("dense", "lanczos", "krylov"):
        found = leading_eigenpairs(S, 2, solver=solver)
        assert (found.solver, found.reason) == (solver, "asked for")
    whole = leading_eigenpairs(S, 12, solver="lanczos")
    assert (whole.solver, whole.reason) == ("dense", "Lanczos cannot find all 12 components, LAPACK can")


def test_without_left_vectors_the_product_for_them_is_saved() -> None:
    class Counting(MatrixOperator):
        passes = 0

        def _matmat(self, V: np.ndarray) -> np.ndarray:
            Counting.passes += 1
            return super()._matmat(V)

    A = RNG.standard_normal((30, 20))
    counts = []
    for left in (True, False):
        Counting.passes = 0
        found = leading_singular_triplets(Counting(A), 3, solver="krylov", left=left)
        counts.append(Counting.passes)
        assert (found.left is not None) == left
    assert counts[1] == counts[0] - 1
    assert leading_singular_triplets(A, 3, solver="dense", left=False).left is None
    assert leading_singular_triplets(A.T, 3, solver="krylov", left=False).left is None


@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_a_warm_start_on_either_side_saves_passes(shape: tuple[int, int]) -> None:
    A = RNG.standard_normal(shape)
    cold = leading_singular_triplets(A, 4, solver="krylov", tol=1e-8)
    warm = leading_singular_triplets(A, 4, solver="krylov", tol=1e-8, start=cold.right)
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.values, cold.values, rtol=1e-10)


def test_the_default_generator_is_the_same_every_time() -> None:
    A = RNG.standard_normal((60, 40))
    one, two = (leading_singular_triplets(A, 4, solver="krylov") for _ in range(2))
    np.testing.assert_array_equal(one.right, two.right)


@pytest.mark.parametrize("solve", [leading_eigenpairs, leading_singular_triplets])
def test_an_answer_that_is_not_there_yet_comes_with_a_warning(solve: object) -> None:
    A = sp.diags_array(np.linspace(1, 2, 400))
    with pytest.warns(
        TacitWarning,
        match=r"the krylov solver stopped after 2 iterations with a relative residual of \d\.\de-\d\d, "
        r"above tol=1e-09\. The last components are approximate: increase max_iter or tol\.",
    ):
        found = solve(A, 3, solver="krylov", tol=1e-9, max_iter=2)  # type: ignore[operator]
    assert not found.converged


def test_a_stopped_search_with_a_preconditioner_comes_with_a_warning() -> None:
    A, inverse = np.diag(np.linspace(1, 2, 100)), as_operator(np.eye(100))
    with pytest.warns(TacitWarning, match="the lobpcg solver stopped after 3 iterations"):
        leading_eigenpairs(A, 3, preconditioner=inverse, solver="krylov", tol=1e-12, max_iter=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components is out of range: got 0"),
        (
            {"solver": "arpack"},
            r"solver is unknown: got 'arpack', expected one of 'auto', 'dense', 'lanczos', 'krylov'",
        ),
        ({"tol": -1}, "tol is out of range: got -1"),
        ({"max_iter": 0}, "max_iter is out of range: got 0"),
        ({"start": np.ones((3, 1))}, r"start does not match the operator: got \(3, 1\), expected 12 rows"),
        ({"start": np.ones(12)}, r"start does not match the operator: got \(12,\), expected 12 rows"),
        ({"start": np.full((12, 1), np.nan)}, "start contains NaN"),
    ],
)
@pytest.mark.parametrize("solve", [leading_eigenpairs, leading_singular_triplets])
def test_wrong_arguments_are_named(solve: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        solve(S, **{"n_components": 2, **options})  # type: ignore[operator]


def test_wrong_operators_are_named() -> None:
    with pytest.raises(InputError, match=r"operator is not square: got \(12, 3\)"):
        leading_eigenpairs(S[:, :3], 2)


def test_a_start_without_vectors_is_no_start() -> None:
    for options in ({}, {"start": np.ones((12, 0))}):
        assert leading_eigenpairs(S, 2, solver="krylov", **options).converged


def test_operators_that_are_not_matrices_work_too() -> None:
    class Halves(Operator):
        def _matmat(self, V: np.ndarray) -> np.ndarray:
            return 0.5 ** np.arange(len(V))[:, None] * V

        _rmatmat = _matmat

    found = leading_singular_triplets(Halves((8, 8), np.float64), 3)
    np.testing.assert_allclose(found.values, [1, 0.5, 0.25])


REPEATED = np.diag(np.r_[np.full(20, 2.0), np.linspace(1, 0, 80)])


def test_where_arpack_misses_a_copy_block_krylov_answers_and_says_so() -> None:
    with pytest.warns(
        TacitWarning,
        match=r"the Lanczos solver missed an eigenvalue of about 2, .*\. The krylov solver was used instead\.",
    ):
        found = leading_eigenpairs(REPEATED, 6, solver="lanczos", tol=1e-6)
    assert found.solver == "krylov"
    assert found.converged
    assert re.match("asked for; the Lanczos solver missed an eigenvalue", found.reason)
    np.testing.assert_allclose(found.values, np.full(6, 2.0), rtol=1e-6)


def test_where_arpack_gives_up_block_krylov_answers_and_says_so() -> None:
    A = np.diag(np.linspace(1, 2, 100))
    with (
        pytest.warns(TacitWarning, match="The last components are approximate"),
        pytest.warns(TacitWarning, match=r"did not converge: got \d+ of 10 eigenpairs\. The krylov solver was used"),
    ):
        found = leading_singular_triplets(A, 10, solver="lanczos", tol=1e-8, max_iter=1)
    assert (found.solver, found.converged) == ("krylov", False)  # it had no more time either


def test_what_auto_took_may_fail_without_a_word_to_those_who_did_not_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.solve.choice.choose.cheapest", lambda costs, **options: ("lanczos", "forced"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = leading_eigenpairs(REPEATED, 6, tol=1e-6)
    assert found.solver == "krylov"
    assert re.match("forced; the Lanczos solver missed an eigenvalue", found.reason)


def test_where_an_iteration_stalls_lapack_answers_if_nobody_said_when_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    A = np.diag(np.linspace(1, 2, 200))
    monkeypatch.setattr("tacit.solve.choice.choose.block_krylov", partial(_stopped, block_krylov))
    with pytest.warns(TacitWarning, match=r"the krylov solver stopped .* The dense solver was used instead"):
        found = leading_eigenpairs(A, 3, solver="krylov", tol=1e-10)
    assert (found.solver, found.converged) == ("dense", True)
    np.testing.assert_allclose(found.values, np.linspace(1, 2, 200)[:-4:-1])
    with pytest.warns(TacitWarning, match="The last components are approximate"):
        found = leading_eigenpairs(A, 3, solver="krylov", tol=1e-10, max_iter=2)
    assert (found.solver, found.converged) == ("krylov", False)


def test_where_lapack_does_not_fit_the_answer_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.solve.choice.choose.MOST_BYTES", 0)
    monkeypatch.setattr("tacit.solve.choice.choose.block_krylov", partial(_stopped, block_krylov))
    with pytest.warns(TacitWarning, match="the krylov solver stopped after 2 iterations"):
        found = leading_eigenpairs(sp.diags_array(np.linspace(1, 2, 400)), 3, solver="krylov", tol=1e-9)
    assert (found.solver, found.converged) == ("krylov", False)


def _stopped(solve: Callable[..., object], *arguments: object, **options: object) -> object:
    return solve(*arguments, **{**options, "max_iter": 2})


def test_the_last_one_to_be_asked_may_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object, **options: object) -> object:
        raise SolverError("the solver has no answer. Try another.")

    monkeypatch.setattr("tacit.solve.choice.choose.MOST_BYTES", 0)
    for name in ("lanczos", "block_krylov"):
        monkeypatch.setattr(f"tacit.solve.choice.choose.{name}", failing)
    with pytest.raises(SolverError, match="the solver has no answer"):
        leading_eigenpairs(REPEATED, 3, solver="lanczos")
