"""What holds for every matrix: reordering, scaling, shifting and repeating change nothing but what they should."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.solve import leading_eigenpairs, leading_singular_triplets, least_squares

SOLVERS = ["dense", "lanczos", "krylov"]
seeds = st.integers(0, 2**32 - 1)
sides = st.integers(1, 14)
quick = settings(max_examples=20, deadline=None)


def planted(n_rows: int, n_columns: int, seed: int) -> np.ndarray:
    """A matrix with the singular values 1, 0.7, 0.49 …, so that every subspace is well defined."""
    rng = np.random.default_rng(seed)
    rank = min(n_rows, n_columns)
    U = la.qr(rng.standard_normal((n_rows, rank)), mode="economic")[0]
    V = la.qr(rng.standard_normal((n_columns, rank)), mode="economic")[0]
    return (U * 0.7 ** np.arange(rank)) @ V.T


@pytest.mark.parametrize("solver", SOLVERS)
@quick
@given(n_rows=sides, n_columns=sides, k=st.integers(1, 6), seed=seeds)
def test_reordering_rows_and_columns_reorders_the_vectors(
    solver: str, n_rows: int, n_columns: int, k: int, seed: int
) -> None:
    A = planted(n_rows, n_columns, seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(n_rows), rng.permutation(n_columns)
    one = leading_singular_triplets(A, k, solver=solver, tol=1e-10)
    two = leading_singular_triplets(A[rows][:, columns], k, solver=solver, tol=1e-10)
    np.testing.assert_allclose(one.values, two.values, rtol=1e-8)
    # up to the sign, which the first of entries that are nearly equal decides
    for before, after in ((one.left[rows], two.left), (one.right[columns], two.right)):
        np.testing.assert_allclose(np.abs((before * after).sum(axis=0)), 1, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@quick
@given(n_rows=sides, n_columns=sides, k=st.integers(1, 6), scale=st.sampled_from([1e-6, 3.0, 1e5]), seed=seeds)
def test_scaling_scales_the_values_only(
    solver: str, n_rows: int, n_columns: int, k: int, scale: float, seed: int
) -> None:
    A = planted(n_rows, n_columns, seed)
    one = leading_singular_triplets(A, k, solver=solver, tol=1e-10)
    two = leading_singular_triplets(scale * A, k, solver=solver, tol=1e-10)
    np.testing.assert_allclose(scale * one.values, two.values, rtol=1e-8)
    np.testing.assert_allclose(np.abs((one.right * two.right).sum(axis=0)), 1, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@quick
@given(n=sides, k=st.integers(1, 6), shift=st.sampled_from([-3.0, 0.0, 5.0]), seed=seeds)
def test_a_shift_moves_the_eigenvalues_only(solver: str, n: int, k: int, shift: float, seed: int) -> None:
    A = planted(n, n, seed)
    A = A + A.T
    found = leading_eigenpairs(A + shift * np.eye(n), k, solver=solver, tol=1e-10)
    np.testing.assert_allclose(found.values, la.eigvalsh(A)[::-1][:k] + shift, atol=1e-8)
    errors = la.norm((A + shift * np.eye(n)) @ found.vectors - found.vectors * found.values, axis=0)
    assert errors.max() < 1e-8
    peaks = found.vectors[np.abs(found.vectors).argmax(axis=0), np.arange(found.values.size)]
    assert (peaks > 0).all()


@pytest.mark.parametrize("solver", ["lanczos", "krylov"])
@quick
@given(n_rows=sides, n_columns=sides, k=st.integers(1, 6), seed=seeds)
def test_the_same_seed_gives_the_same_bits(solver: str, n_rows: int, n_columns: int, k: int, seed: int) -> None:
    A = planted(n_rows, n_columns, seed)
    one, two = (leading_singular_triplets(A, k, solver=solver, rng=np.random.default_rng(seed)) for _ in range(2))
    np.testing.assert_array_equal(one.right, two.right)
    np.testing.assert_array_equal(one.left, two.left)


@pytest.mark.parametrize("solver", SOLVERS)
@quick
@given(n_rows=sides, n_columns=sides, k=st.integers(1, 14), seed=seeds)
def test_the_best_approximation_of_its_rank(solver: str, n_rows: int, n_columns: int, k: int, seed: int) -> None:
    A = planted(n_rows, n_columns, seed)
    found = leading_singular_triplets(A, k, solver=solver, tol=1e-10)
    missed = la.norm(A - (found.left * found.values) @ found.right.T)
    assert missed == pytest.approx(la.norm(la.svdvals(A)[k:]), abs=1e-6)


@pytest.mark.parametrize("solver", ["dense", "block-cg", "cg", "lsmr"])
@quick
@given(n_rows=sides, n_columns=sides, p=st.integers(0, 5), ridge=st.sampled_from([0.0, 0.1, 10.0]), seed=seeds)
def test_least_squares_is_linear_in_the_targets(
    solver: str, n_rows: int, n_columns: int, p: int, ridge: float, seed: int
) -> None:
    A = planted(n_rows, n_columns, seed)
    rng = np.random.default_rng(seed)
    T, mix = rng.standard_normal((n_rows, p)), rng.standard_normal((p, 3))
    one = least_squares(A, T, ridge=ridge, solver=solver, tol=1e-12).solution @ mix
    two = least_squares(A, T @ mix, ridge=ridge, solver=solver, tol=1e-12).solution
    np.testing.assert_allclose(one, two, atol=1e-6 * (1 + np.abs(two).max(initial=0)))


@pytest.mark.parametrize("solver", ["dense", "block-cg", "cg", "lsmr"])
@quick
@given(n_rows=sides, n_columns=sides, ridge=st.sampled_from([0.0, 0.1]), seed=seeds)
def test_no_other_weights_do_better(solver: str, n_rows: int, n_columns: int, ridge: float, seed: int) -> None:
    A = planted(n_rows, n_columns, seed)
    rng = np.random.default_rng(seed)
    t = rng.standard_normal((n_rows, 1))

    def cost(w: np.ndarray) -> float:
        return float(la.norm(A @ w - t) ** 2 + ridge * la.norm(w) ** 2)

    found = least_squares(A, t, ridge=ridge, solver=solver, tol=1e-10).solution
    for size in (1e-3, 1.0):
        assert cost(found) <= cost(found + size * rng.standard_normal(found.shape)) + 1e-12
