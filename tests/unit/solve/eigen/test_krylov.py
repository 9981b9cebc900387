"""Block Krylov: restarts, starts, repeated values and invariant spaces; accuracy stands in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from tacit.operators import MatrixOperator, Operator, as_operator
from tacit.solve.eigen.krylov import _Space, block_krylov
from tacit.solve.result import Eigenpairs

N = 200


def symmetric(spectrum: np.ndarray) -> np.ndarray:
    Q = la.qr(np.random.default_rng(0).standard_normal((spectrum.size, spectrum.size)))[0]
    A = (Q * spectrum) @ Q.T
    return (A + A.T) / 2


DECAYING = symmetric(0.9 ** np.arange(N))


def solve(A: np.ndarray | Operator, k: int, **options: object) -> Eigenpairs:
    return block_krylov(as_operator(A), k, rng=np.random.default_rng(0), **options)  # type: ignore[arg-type]


class Watched(MatrixOperator):
    """Remembers how many columns it was multiplied with."""

    def __init__(self, matrix: np.ndarray) -> None:
        super().__init__(matrix)
        self.widths: list[int] = []

    def _matmat(self, V: np.ndarray) -> np.ndarray:
        self.widths.append(V.shape[1])
        return super()._matmat(V)


@pytest.mark.parametrize("basis_size", [1, 25, 30])
def test_a_small_basis_restarts_and_gives_the_same(basis_size: int) -> None:
    operator = Watched(DECAYING)
    small = solve(operator, 10, tol=1e-9, basis_size=basis_size, block_size=5)
    # many more products than columns that fit: the basis was restarted again and again
    assert sum(operator.widths) > 2 * max(basis_size, 20)
    assert small.converged
    np.testing.assert_allclose(small.values, 0.9 ** np.arange(10), rtol=1e-10)
    large = solve(DECAYING, 10, tol=1e-9, basis_size=N, block_size=5)
    assert la.subspace_angles(small.vectors, large.vectors).max() < 1e-7
    assert large.iterations < small.iterations


def test_iterations_are_passes_over_the_operator() -> None:
    operator = Watched(DECAYING)
    assert solve(operator, 10).iterations == len(operator.widths)


def test_not_every_pass_looks_at_what_has_come_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    look = _Space.ritz_pairs
    monkeypatch.setattr(_Space, "ritz_pairs", lambda space: (looks.append(space.filled), look(space))[1])
    found = solve(DECAYING, 10, tol=1e-10, block_size=2)
    assert found.converged
    assert 0 < len(looks) < 0.8 * found.iterations


def test_a_tighter_tolerance_takes_more_passes_and_is_met() -> None:
    passes = []
    for tol in (1e-1, 1e-4, 1e-8):
        found = solve(DECAYING, 12, tol=tol)
        errors = la.norm(DECAYING @ found.vectors - found.vectors * found.values, axis=0)
        assert (errors <= tol * found.values * (1 + 1e-6)).all()
        passes.append(found.iterations)
    assert passes == sorted(passes)
    assert passes[0] < passes[-1]


def test_too_few_iterations_are_told_but_give_all_components() -> None:
    found = solve(DECAYING, 30, tol=1e-10, max_iter=1)
    assert not found.converged
    assert found.residuals.max() > 1e-10
    assert found.vectors.shape == (N, 30)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(30), atol=1e-12)
    errors = la.norm(DECAYING @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals * found.values, errors, rtol=1e-6)


def test_the_same_generator_gives_the_same_numbers() -> None:
    one, two = solve(DECAYING, 5), solve(DECAYING, 5)
    np.testing.assert_array_equal(one.vectors, two.vectors)
    other = block_krylov(as_operator(DECAYING), 5, rng=np.random.default_rng(1))
    assert not np.array_equal(one.vectors, other.vectors)


def test_a_warm_start_saves_passes() -> None:
    cold = solve(DECAYING, 20, tol=1e-8)
    nearby = DECAYING + 1e-6 * symmetric(np.linspace(1, 0, N))
    warm = solve(nearby, 20, tol=1e-8, start=cold.vectors)
    again = solve(nearby, 20, tol=1e-8)
    assert warm.iterations < again.iterations
    np.testing.assert_allclose(warm.values, again.values, rtol=1e-9)


@pytest.mark.parametrize("width", [1, 4, 20, 60])
@pytest.mark.parametrize("kind", ["lowest eigenvectors", "zeros", "one vector again and again", "random"])
def test_a_useless_start_changes_nothing(kind: str, width: int) -> None:
    lowest = la.eigh(DECAYING)[1][:, :width]
    start = {
        "lowest eigenvectors": lowest,  # an invariant space: nothing else would ever come out of it
        "zeros": np.zeros((N, width)),
        "one vector again and again": np.repeat(lowest[:, :1], width, axis=1),
        "random": np.random.default_rng(3).standard_normal((N, width)),
    }[kind]
    found = solve(DECAYING, 10, tol=1e-8, start=start)
    np.testing.assert_allclose(found.values, 0.9 ** np.arange(10), rtol=1e-9)


def test_a_start_that_is_right_but_not_the_leading_part_is_seen_through() -> None:
    second_best = la.eigh(DECAYING)[1][:, ::-1][:, 10:20]  # residual zero from the first pass on
    found = solve(DECAYING, 10, tol=1e-3, start=second_best)
    np.testing.assert_allclose(found.values, 0.9 ** np.arange(10), rtol=1e-3)


def test_a_start_that_is_blind_to_a_part_of_the_space_is_seen_through() -> None:
    new = symmetric(2 * 0.8 ** np.arange(50))  # as if records had come that share no word with the old ones
    A = la.block_diag(DECAYING, new)
    start = np.r_[np.random.default_rng(1).standard_normal((N, 10)), np.zeros((50, 10))]
    found = solve(A, 6, tol=1e-6, start=start)
    np.testing.assert_allclose(found.values, la.eigvalsh(A)[::-1][:6], rtol=1e-6)


@pytest.mark.parametrize("copies", [9, 15, 24, 40])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_more_copies_of_an_eigenvalue_than_a_block_holds_are_all_found(copies: int, tol: float) -> None:
    spectrum = np.r_[np.full(copies, 3.0), np.linspace(2, 0, N - copies)]
    found = solve(symmetric(spectrum), 45, tol=tol, block_size=8)
    np.testing.assert_allclose(found.values, spectrum[:45], atol=tol)
    assert found.converged


def test_an_operator_of_low_rank_ends_early_and_fills_up_with_zeros() -> None:
    found = solve(symmetric(np.r_[np.arange(5, 0, -1.0), np.zeros(N - 5)]), 9, tol=1e-10)
    np.testing.assert_allclose(found.values, [5, 4, 3, 2, 1, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(9), atol=1e-12)
    assert found.iterations < 6


def test_in_an_invariant_space_the_size_is_that_of_the_operator_and_rounding_is_no_direction() -> None:
    A = la.block_diag(symmetric(np.arange(1e6, 1e6 + 6)), DECAYING)
    space = _Space(as_operator(A), np.eye(len(A), 6), 40, 20, 1e-6)
    space.project()
    assert space.size == pytest.approx(1e6, rel=1e-4)
    assert space.fresh.shape[1] == 0


def test_the_operator_may_hand_back_what_it_was_given() -> None:
    class Identity(Operator):
        def _matmat(self, V: np.ndarray) -> np.ndarray:
            return V

    found = solve(Identity((50, 50), np.float64), 12)
    np.testing.assert_allclose(found.values, np.ones(12))
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(12), atol=1e-12)


def test_single_precision_restarts_too() -> None:
    found = solve(DECAYING.astype(np.float32), 10, tol=1e-4, basis_size=30)
    assert found.vectors.dtype == np.float32
    np.testing.assert_allclose(found.values, 0.9 ** np.arange(10), rtol=1e-5)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(10), atol=1e-5)
