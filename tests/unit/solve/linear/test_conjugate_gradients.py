"""Conjugate gradients: dependent, zero and many right-hand sides, breakdown, restarts from the true residual."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la

from tacit.operators import MatrixOperator, as_operator
from tacit.solve.linear.conjugate_gradients import _factored, block_cg, preconditioned_cg, width_for

N = 80
RNG = np.random.default_rng(0)
Q = la.qr(RNG.standard_normal((N, N)))[0]


def system(values: np.ndarray) -> np.ndarray:
    S = (Q * values) @ Q.T
    return (S + S.T) / 2


S = system(np.linspace(1, 100, N))
B = RNG.standard_normal((N, 12))


def true_residuals(matrix: np.ndarray, rhs: np.ndarray, solution: np.ndarray) -> np.ndarray:
    return la.norm(rhs - matrix @ solution, axis=0) / np.maximum(la.norm(rhs, axis=0), 1e-300)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
@pytest.mark.parametrize("tol", [1e-3, 1e-10])
def test_residuals_are_true_and_below_the_tolerance(method: object, tol: float) -> None:
    found = method(as_operator(S), B, tol=tol)  # type: ignore[operator]
    # either is a difference of numbers of size 1, and rounds as this processor does
    np.testing.assert_allclose(found.residuals, true_residuals(S, B, found.solution), rtol=1e-6, atol=1e-13)
    assert found.residuals.max() <= tol
    assert found.converged
    np.testing.assert_allclose(found.solution, la.solve(S, B), atol=100 * tol)


def test_columns_that_search_together_need_fewer_iterations() -> None:
    together = block_cg(as_operator(S), B, tol=1e-8)
    alone = preconditioned_cg(as_operator(S), B, tol=1e-8)
    assert together.iterations < alone.iterations / 2


@pytest.mark.parametrize("width", [1, 5, 12, 100])
def test_the_width_of_a_block_does_not_change_the_solution(width: int) -> None:
    found = block_cg(as_operator(S), B, tol=1e-11, width=width)
    np.testing.assert_allclose(found.solution, la.solve(S, B), atol=1e-10)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_zero_equal_dependent_tiny_and_huge_columns(method: object, dtype: type) -> None:
    T = B.copy()
    T[:, 1] = 0
    T[:, 3] = T[:, 2]
    T[:, 4] = T[:, 5] + T[:, 6]
    T[:, 7] *= 1e-12
    T[:, 8] *= 1e12
    T[:, 9] = T[:, 8] * 1e-20
    found = method(as_operator(S.astype(dtype)), T.astype(dtype), tol=1e-9)  # type: ignore[operator]
    assert found.solution.dtype == dtype
    assert not found.solution[:, 1].any()
    assert found.residuals[1] == 0
    limit = 1e-9 if dtype == np.float64 else 1e-5
    assert true_residuals(S, T, found.solution.astype(np.float64)).max() < limit
    assert found.converged


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
def test_a_zero_column_is_solved_exactly_from_any_start(method: object) -> None:
    T = B.copy()
    T[:, 1] = 0
    found = method(as_operator(S), T, tol=1e-9, start=np.ones_like(T))  # type: ignore[operator]
    assert not found.solution[:, 1].any()
    assert found.residuals[1] == 0
    assert found.converged
    np.testing.assert_allclose(found.solution, la.solve(S, T), atol=1e-7)


def test_more_columns_than_rows() -> None:
    T = RNG.standard_normal((N, 3 * N))
    found = block_cg(as_operator(S), T, tol=1e-10, width=2 * N)
    np.testing.assert_allclose(found.solution, la.solve(S, T), atol=1e-8)


def test_nothing_to_solve() -> None:
    for method in (block_cg, preconditioned_cg):
        assert method(as_operator(S), np.zeros((N, 0))).solution.shape == (N, 0)
        empty = method(as_operator(S), np.zeros((N, 3)))
        assert not empty.solution.any()
        assert (empty.iterations, empty.converged) == (0, True)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
def test_a_singular_system_with_a_solution_gives_the_shortest(method: object) -> None:
    singular = system(np.r_[np.zeros(30), np.linspace(1, 50, N - 30)])
    rhs = singular @ RNG.standard_normal((N, 40))
    rhs[:, 5] = 0
    found = method(as_operator(singular), rhs, tol=1e-10)  # type: ignore[operator]
    np.testing.assert_allclose(found.solution, la.pinv(singular, rtol=1e-10) @ rhs, atol=1e-7)
    assert found.converged


def test_a_block_that_breaks_down_goes_on_one_by_one() -> None:
    class Sour(MatrixOperator):
        """Not definite for the orthonormal blocks that search together, as rounding can make it look."""

        spoilt = 0

        def _matmat(self, V: np.ndarray) -> np.ndarray:
            product = super()._matmat(V)
            if np.allclose(V.T @ V, np.eye(V.shape[1])):
                self.spoilt += 1
                return -product
            return product

    operator = Sour(S)
    found = block_cg(operator, B, tol=1e-9)
    assert operator.spoilt == 1
    assert found.converged
    np.testing.assert_allclose(found.solution, la.solve(S, B), atol=1e-8)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
def test_an_indefinite_or_infinite_system_does_not_pretend(method: object) -> None:
    assert not method(as_operator(-S), B, max_iter=20).converged  # type: ignore[operator]
    assert not method(as_operator(np.full((N, N), np.nan)), B, max_iter=20).converged  # type: ignore[operator]


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
def test_too_few_iterations_are_told(method: object) -> None:
    found = method(as_operator(S), B, tol=1e-10, max_iter=2)  # type: ignore[operator]
    assert found.iterations == 2
    assert not found.converged
    np.testing.assert_allclose(found.residuals, true_residuals(S, B, found.solution), rtol=1e-6)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
def test_a_warm_start_saves_iterations_and_is_left_alone(method: object) -> None:
    few = B[:, :2]  # with many the block would see the whole space in a few steps anyway
    cold = method(as_operator(S), few, tol=1e-8)  # type: ignore[operator]
    start = la.solve(S, few) + 1e-6
    before = start.copy()
    warm = method(as_operator(S), few, tol=1e-8, start=start)  # type: ignore[operator]
    assert 0 < warm.iterations < cold.iterations
    np.testing.assert_array_equal(start, before)
    np.testing.assert_allclose(warm.solution, la.solve(S, few), atol=1e-7)
    done = method(as_operator(S), few, tol=1e-8, start=la.solve(S, few))  # type: ignore[operator]
    assert done.iterations == 0


def test_preconditioners_save_iterations() -> None:
    hard = system(10.0 ** np.linspace(-2, 3, N))
    plain = preconditioned_cg(as_operator(hard), B, tol=1e-8, max_iter=5000)
    exact = preconditioned_cg(as_operator(hard), B, tol=1e-8, preconditioner=as_operator(la.inv(hard)))
    assert exact.iterations <= 3
    values, V = la.eigh(hard)
    top = V[:, -60:]
    # spectral: exact on the leading eigenvectors, the identity scaled to what is left on the rest
    spectral = as_operator(np.eye(N) / values[-61] + (top * (1 / values[-60:] - 1 / values[-61])) @ top.T)
    better = preconditioned_cg(as_operator(hard), B, tol=1e-8, preconditioner=spectral)
    assert better.iterations < plain.iterations / 2
    for found in (plain, exact, better):
        assert found.converged
        assert true_residuals(hard, B, found.solution).max() <= 1e-8


def test_an_ill_conditioned_system_in_single_precision_ends_at_what_rounding_allows() -> None:
    hard = system(10.0 ** np.linspace(0, 6, N)).astype(np.float32)
    found = block_cg(as_operator(hard), B.astype(np.float32), tol=1e-12, max_iter=300)
    assert found.converged
    assert found.residuals.max() > 1e-12
    size = 1e6 * la.norm(found.solution, axis=0) / la.norm(B, axis=0)
    assert (found.residuals <= 20 * np.finfo(np.float32).eps * np.maximum(1, size)).all()


class Counted(MatrixOperator):
    """Counts its block products."""

    products = 0

    def _matmat(self, V: np.ndarray) -> np.ndarray:
        self.products += 1
        return super()._matmat(V)


@pytest.mark.parametrize("method", [block_cg, preconditioned_cg])
@pytest.mark.parametrize(
    ("dtype", "tol", "n_extra"),
    [(np.float64, 1e-2, 0), (np.float64, 1e-11, 1), (np.float32, 1e-2, 0), (np.float32, 1e-4, 1)],
)
def test_the_last_product_is_saved_only_where_rounding_is_far_below_the_residual(
    method: object, dtype: type, tol: float, n_extra: int
) -> None:
    operator, rhs = Counted(S.astype(dtype)), B[:, :3].astype(dtype)
    found = method(operator, rhs, tol=tol)  # type: ignore[operator]
    assert found.converged
    assert operator.products >= found.iterations + n_extra
    if not n_extra:
        assert operator.products == found.iterations
    np.testing.assert_allclose(found.residuals, true_residuals(S, B[:, :3], found.solution), rtol=0.1, atol=1e-12)


def test_columns_at_all_angles_are_factored_without_loss() -> None:
    # from well conditioned, where Cholesky serves, over where it would lose the right angles, to dependent
    for spread in (0.0, 2.0, 5.0, 9.0, 20.0):
        for dtype in (np.float64, np.float32):
            R = (B * 10.0 ** np.linspace(0, -spread, 12)) @ la.qr(RNG.standard_normal((12, 12)))[0]
            R = R.astype(dtype)
            for given in (R.copy(), np.asfortranarray(R)):
                basis, S_ = _factored(given, look_closer=True)
                limit = 1e-7 if dtype == np.float64 else 2e-4
                np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=limit)
                np.testing.assert_allclose(basis @ S_, R, atol=100 * np.finfo(dtype).eps * np.abs(R).max())


def test_an_operator_may_give_back_what_it_was_given() -> None:
    class Same(MatrixOperator):
        def _matmat(self, V: np.ndarray) -> np.ndarray:
            return V

    for start in (None, B / 2):
        found = block_cg(Same(np.eye(N)), B, tol=1e-14, start=start)
        np.testing.assert_allclose(found.solution, B, rtol=1e-12)


def test_a_known_diagonal_leaves_the_right_hand_sides_as_they_were() -> None:
    rhs = B.copy()
    for system in (S, np.eye(N)):
        operator = as_operator(system)
        even = block_cg(operator, rhs, tol=1e-10, diagonal=np.geomspace(1e-3, 1e3, N))
        np.testing.assert_array_equal(rhs, B)
        rhs.flags.writeable = False
        again = block_cg(operator, rhs, tol=1e-10, diagonal=np.geomspace(1e-3, 1e3, N))
        rhs.flags.writeable = True
        np.testing.assert_array_equal(even.solution, again.solution)


@pytest.mark.parametrize("width", [5, 12])
@pytest.mark.parametrize("start", [None, RNG.standard_normal(B.shape)])
def test_a_known_diagonal_saves_steps_and_gives_the_same_solution(width: int, start: np.ndarray | None) -> None:
    scales = np.geomspace(1, 1e4, N)
    uneven = scales[:, None] * S * scales
    found = block_cg(as_operator(uneven), B, tol=1e-10, start=start, width=width, diagonal=np.diag(uneven))
    np.testing.assert_allclose(found.solution, la.solve(uneven, B), rtol=1e-6, atol=1e-9)
    roots = np.sqrt(np.diag(uneven))[:, None]
    sizes = la.norm((B - uneven @ found.solution) / roots, axis=0) / la.norm(B / roots, axis=0)
    assert found.converged
    assert sizes.max() <= 1e-9
    assert found.iterations < block_cg(as_operator(uneven), B, tol=1e-10, start=start, width=width).iterations / 2


@pytest.mark.parametrize(
    ("n_columns", "n_bytes", "width"), [(100, 0, 100), (200, 0, 80), (200, 2**27, 112), (100, 2**30, 100), (3, 0, 3)]
)
def test_so_many_columns_search_together_as_fill_lines_and_fit_beside_the_matrix(
    n_columns: int, n_bytes: int, width: int
) -> None:
    assert width_for(47_000, n_columns, itemsize=4, n_bytes=n_bytes) == width
