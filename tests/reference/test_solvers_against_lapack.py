"""Every solver against dense LAPACK, on matrices whose spectrum is planted.

Subspaces are compared by principal angles, and a subspace only where it ends at a gap: inside a cluster of equal values
the directions are anyone's.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.linalg as la
from pairwise import pairwise

from tacit.errors import TacitWarning
from tacit.solve import leading_eigenpairs, leading_singular_triplets

N = 90
SPECTRA = {
    "separated": np.arange(N, 0, -1.0),
    "decaying": 0.7 ** np.arange(N),
    "clustered": np.r_[2 + 1e-6 * np.arange(5), np.linspace(1, 0, N - 5)],
    "negative dominant": np.r_[np.linspace(3, 1, 12), np.linspace(-1, -50, N - 12)],
    "all negative": np.linspace(-1, -10, N),
    "rank deficient": np.r_[np.arange(7, 0, -1.0), np.zeros(N - 7)],
    "zero": np.zeros(N),
    "identity": np.ones(N),
}
REPEATED = {
    "few copies": np.r_[np.full(3, 2.0), np.linspace(1, 0, N - 3)],
    "more copies than a block": np.r_[np.full(12, 2.0), np.full(14, 1.5), np.linspace(0.9, 0, N - 26)],
    "components of a graph": np.r_[np.ones(30), np.linspace(0.8, -0.5, N - 30)],
}
SINGULAR = {
    "decaying": 0.8 ** np.arange(30),
    "repeated": np.r_[np.full(3, 2.0), np.linspace(1, 0.1, 20)],
    "rank 5": np.arange(5, 0, -1.0),
    "zero": np.zeros(3),
}
TOL = 1e-10


def symmetric(spectrum: np.ndarray, seed: int = 0) -> np.ndarray:
    n = len(spectrum)
    Q = la.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    A = (Q * spectrum) @ Q.T
    return (A + A.T) / 2


def rectangular(values: np.ndarray, n_rows: int, n_columns: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    U = la.qr(rng.standard_normal((n_rows, values.size)), mode="economic")[0]
    V = la.qr(rng.standard_normal((n_columns, values.size)), mode="economic")[0]
    return (U * values) @ V.T


def assert_eigenpairs(A: np.ndarray, found: object, k: int, tol: float) -> None:
    """Values, order, orthonormality, true residuals and, at gaps, subspaces are those of LAPACK."""
    values, vectors = la.eigh(A)
    values, vectors = values[::-1], vectors[:, ::-1]
    size = np.abs(values).max()
    assert found.values.shape == (k,)
    np.testing.assert_allclose(found.values, values[:k], rtol=0, atol=10 * tol * size)
    assert (np.diff(found.values) <= 0).all()
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=max(1e-12, 10 * tol))
    errors = la.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    scales = np.maximum(np.abs(found.values), 1e-14 * size / tol)
    np.testing.assert_allclose(found.residuals, errors / np.maximum(scales, 1e-300), atol=tol / 2)
    assert found.residuals.max() <= tol
    assert found.converged
    if k < len(A) and values[k - 1] - values[k] > 1e-3 * size:
        assert la.subspace_angles(found.vectors, vectors[:, :k]).max() < 1e-6
    peaks = found.vectors[np.abs(found.vectors).argmax(axis=0), np.arange(k)]
    assert (peaks > 0).all()


@pairwise(name=SPECTRA, solver=["lanczos", "krylov"], k=[1, 7, 12, N - 1, N])
def test_largest_algebraic_eigenpairs(name: str, solver: str, k: int) -> None:
    A = symmetric(SPECTRA[name])
    assert_eigenpairs(A, leading_eigenpairs(A, k, solver=solver, tol=TOL, max_iter=2000), k, TOL)


@pytest.mark.parametrize("k", [1, 5, 20, 40])
@pytest.mark.parametrize("name", REPEATED)
def test_block_krylov_finds_every_copy(name: str, k: int) -> None:
    A = symmetric(REPEATED[name])
    assert_eigenpairs(A, leading_eigenpairs(A, k, solver="krylov", tol=TOL, max_iter=2000), k, TOL)


@pairwise(name=REPEATED, k=[5, 20, 40], tol=[1e-3, 1e-10])
def test_lanczos_finds_every_copy_or_says_that_it_does_not(name: str, k: int, tol: float) -> None:
    A = symmetric(REPEATED[name])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = leading_eigenpairs(A, k, solver="lanczos", tol=tol)
    # either outcome is right, silence is not
    assert [found.solver == "krylov"] == [bool(told)]
    assert all("missed an eigenvalue" in str(each.message) for each in told)
    np.testing.assert_allclose(found.values, la.eigvalsh(A)[::-1][:k], atol=10 * tol)


@pytest.mark.parametrize("solver", ["dense", "lanczos", "krylov"])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (3, 7)])
def test_tiny_problems(n: int, k: int, solver: str) -> None:
    A = symmetric(np.arange(n, 0, -1.0) - 2)
    found = leading_eigenpairs(A, k, solver=solver, tol=TOL)
    np.testing.assert_allclose(found.values, (np.arange(n, 0, -1.0) - 2)[:k], atol=1e-12)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(min(k, n)), atol=1e-12)


@pairwise(
    solver=["dense", "lanczos", "krylov"], shape=[(70, 40), (40, 70), (50, 50)], spectrum=SINGULAR, k=[1, 3, 8, 50]
)
def test_singular_triplets(spectrum: str, shape: tuple[int, int], solver: str, k: int) -> None:
    values = SINGULAR[spectrum]
    A = rectangular(values, *shape)
    found = leading_singular_triplets(A, k, solver=solver, tol=TOL)
    U, exact, Vt = la.svd(A)
    limit = (1e-12 if found.solver == "dense" else 6e-8) * exact[0]
    rank = min(k, int((exact > limit).sum()))
    assert found.values.shape == (rank,)
    np.testing.assert_allclose(found.values, exact[:rank], rtol=1e-6)
    np.testing.assert_allclose(A @ found.right, found.left * found.values, atol=1e-9 * max(exact[0], 1))
    np.testing.assert_allclose(found.right.T @ found.right, np.eye(rank), atol=1e-6)
    if rank and (rank == values.size or exact[rank - 1] - exact[rank] > 1e-3 * exact[0]):
        assert la.subspace_angles(found.right, Vt[:rank].T).max() < 1e-6
        assert la.subspace_angles(found.left, U[:, :rank]).max() < 1e-6
    short = A.T @ A if shape[0] >= shape[1] else A @ A.T
    vectors = found.right if shape[0] >= shape[1] else found.left
    errors = la.norm(short @ vectors - vectors * found.values**2, axis=0)
    np.testing.assert_array_less(errors, 2 * TOL * np.maximum(found.values**2, 1e-4 * exact[0] ** 2) + 1e-300)
    assert found.converged


@pytest.mark.parametrize("solver", ["dense", "lanczos", "krylov"])
def test_single_precision_stays_and_is_as_good_as_it_can_be(solver: str) -> None:
    A = symmetric(SPECTRA["decaying"])
    found = leading_eigenpairs(A.astype(np.float32), 6, solver=solver, tol=1e-4)
    assert found.values.dtype == found.vectors.dtype == np.float32
    np.testing.assert_allclose(found.values, SPECTRA["decaying"][:6], rtol=1e-5)
    assert la.subspace_angles(found.vectors.astype(np.float64), la.eigh(A)[1][:, -6:]).max() < 1e-3
    T = rectangular(0.8 ** np.arange(20), 50, 30)
    triplets = leading_singular_triplets(T.astype(np.float32), 5, solver=solver, tol=1e-4)
    assert triplets.values.dtype == triplets.left.dtype == triplets.right.dtype == np.float32
    np.testing.assert_allclose(triplets.values, 0.8 ** np.arange(5), rtol=1e-5)


def test_single_precision_reaches_its_own_floor_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    A = symmetric(SPECTRA["decaying"]).astype(np.float32)
    for solver in ("lanczos", "krylov"):
        assert leading_eigenpairs(A, 12, solver=solver, tol=1e-12).converged
    assert not [warning for warning in recwarn if issubclass(warning.category, TacitWarning)]
