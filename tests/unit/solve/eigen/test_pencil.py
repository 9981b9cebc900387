"""The block search for A x = μ B x: against LAPACK, and what it does with starts, limits and rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from pencils import DensePencil, OneProduct, symmetric

from tacit.operators import as_operator
from tacit.solve.eigen.pencil import _Basis, columns_for, pencil_eigenpairs, searched_eigenpairs
from tacit.solve.result import Eigenpairs
from tacit.types import Array

N = 60


A, B = symmetric(np.linspace(5, 0.1, N), 0), symmetric(np.linspace(1, 4, N), 1)
EXACT = la.eigh(A, B)
EXACT = EXACT[0][::-1], EXACT[1][:, ::-1]


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """So little that the basis is turned again and again; with more it would soon span everything here."""
    monkeypatch.setattr("tacit.solve.eigen.pencil._FEWEST", 5)
    monkeypatch.setattr("tacit.solve.eigen.pencil._BLOCKS", 3)
    monkeypatch.setattr("tacit.solve.eigen.pencil._SPARE", 2)


def solve(pencil: DensePencil, k: int, **options: Any) -> Eigenpairs:
    start = np.random.default_rng(2).standard_normal((pencil.shape[0], k + 4)).astype(pencil.dtype)
    settings: dict[str, Any] = {"start": start, "precondition": lambda R: R, "tol": 1e-10, "max_iter": 500, **options}
    return pencil_eigenpairs(pencil, k, **settings)


@pytest.mark.parametrize("k", [1, 5, 20, 60])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_any_pencil_against_lapack(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = symmetric(rng.uniform(-1, 3, N), seed + 10), symmetric(rng.uniform(0.5, 5, N), seed + 20)
    values, vectors = la.eigh(first, second)
    found = solve(DensePencil(first, second), k)
    assert found.converged
    assert found.residuals.max() <= 1e-10
    np.testing.assert_allclose(found.values, values[::-1][:k], atol=1e-10)
    np.testing.assert_allclose(found.vectors.T @ second @ found.vectors, np.eye(k), atol=1e-9)
    if k < N:
        assert la.subspace_angles(found.vectors, vectors[:, ::-1][:, :k]).max() < 1e-6
    assert (found.vectors[np.abs(found.vectors).argmax(axis=0), np.arange(k)] > 0).all()


def test_single_precision_stays_single_and_comes_as_near_as_it_can() -> None:
    found = solve(DensePencil(A, B, np.float32), 6, tol=1e-4)
    assert found.values.dtype == found.vectors.dtype == np.float32
    assert found.converged
    np.testing.assert_allclose(found.values, EXACT[0][:6], rtol=1e-5)
    assert la.subspace_angles(found.vectors.astype(np.float64), EXACT[1][:, :6]).max() < 1e-3


def test_equal_eigenvalues_have_a_space_and_no_axes() -> None:
    repeated = np.concatenate([np.full(4, 5.0), np.full(3, 4.0), np.linspace(2, 1, N - 7)])
    found = solve(DensePencil(symmetric(repeated, 3), np.eye(N)), 7)
    np.testing.assert_allclose(found.values, repeated[:7], rtol=1e-10)
    expected = la.eigh(symmetric(repeated, 3))[1][:, ::-1]
    for part in (slice(0, 4), slice(4, 7)):
        assert la.subspace_angles(found.vectors[:, part], expected[:, part]).max() < 1e-6


def test_residuals_are_what_they_say() -> None:
    found = solve(DensePencil(A, B), 4, max_iter=3)
    errors = la.norm(A @ found.vectors - B @ found.vectors * found.values, axis=0)
    expected = errors / (found.values * la.norm(B @ found.vectors, axis=0))
    assert expected.min() > 1e-6
    np.testing.assert_allclose(found.residuals, expected, rtol=1e-6)


def test_an_exact_start_needs_no_iteration() -> None:
    pencil = DensePencil(A, B)
    found = solve(pencil, 5, start=EXACT[1][:, :5], tol=1e-9)
    assert (found.iterations, found.converged) == (0, True)
    assert pencil.widths == [5]
    np.testing.assert_allclose(found.values, EXACT[0][:5], rtol=1e-12)


@pytest.mark.parametrize("start", ["one vector again and again", "lowest", "with zeros"])
def test_a_poor_start_will_do(start: str) -> None:
    rng = np.random.default_rng(0)
    vectors = {
        "one vector again and again": np.hstack([np.ones((N, 9)), rng.standard_normal((N, 4))]),
        "lowest": EXACT[1][:, -9:] + 1e-6 * rng.standard_normal((N, 9)),
        "with zeros": np.hstack([np.zeros((N, 3)), rng.standard_normal((N, 5))]),
    }[start]
    found = solve(DensePencil(A, B), 4, start=vectors)
    assert found.converged
    np.testing.assert_allclose(found.values, EXACT[0][:4], rtol=1e-9)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_iterations_stop_where_asked(most: int) -> None:
    found = solve(DensePencil(A, B), 5, max_iter=most)
    assert (found.iterations, found.converged) == (most, False)
    np.testing.assert_allclose(found.vectors.T @ B @ found.vectors, np.eye(5), atol=1e-10)
    assert (found.values <= EXACT[0][:5] + 1e-12).all()  # Ritz values come from below


def test_more_iterations_never_do_harm() -> None:
    values = np.array([solve(DensePencil(A, B), 5, max_iter=most).values for most in range(12)])
    assert (np.diff(values, axis=0) > -1e-12).all()
    assert values[-1, 0] > values[0, 0] + 0.01


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_tolerance_out_of_reach_ends_without_harm(dtype: Any) -> None:
    """It asks for the last digit and settles for what rounding leaves."""
    found = solve(DensePencil(A, B, dtype), 4, tol=1e-30, max_iter=300)
    eps = np.finfo(dtype).eps
    assert found.converged == bool((found.residuals <= eps).all())
    assert found.residuals.max() < 1e4 * eps
    np.testing.assert_allclose(found.values, EXACT[0][:4], rtol=100 * eps)
    assert la.subspace_angles(found.vectors.astype(np.float64), EXACT[1][:, :4]).max() < 1e4 * eps


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_where_nothing_new_is_left_to_search_in_the_vectors_are_still_the_vectors(dtype: Any) -> None:
    """The start spans everything, so that rounding stops the search after it has turned its basis."""
    X = (np.random.default_rng(5).random((30, 3)) @ np.random.default_rng(6).random((3, 6))).astype(dtype)
    first, second = X.T.astype(np.float64) @ X.astype(np.float64), np.eye(6) / 10
    second += first / 2
    pencil = DensePencil(first, second, dtype)
    found = solve(pencil, 6, start=np.random.default_rng(7).standard_normal((6, 9)).astype(dtype), tol=1e-30)
    assert not found.converged
    expected = la.eigh(first, second)[0][::-1]
    np.testing.assert_allclose(found.values[:3], expected[:3], rtol=1e3 * np.finfo(dtype).eps)
    gram = found.vectors.T.astype(np.float64) @ second @ found.vectors
    np.testing.assert_allclose(gram, np.eye(6), atol=1e4 * np.finfo(dtype).eps)


def test_a_start_that_spans_everything_is_all_it_needs() -> None:
    found = solve(DensePencil(np.diag([3.0, 2, 1]), np.eye(3)), 3, start=la.hilbert(3))
    np.testing.assert_allclose(found.values, [3, 2, 1])
    assert found.iterations == 0


def test_every_product_is_made_once() -> None:
    """The start, then as many columns an iteration as vectors have not converged."""
    pencil = DensePencil(A, B)
    found = solve(pencil, 5)
    assert pencil.widths[0] == 9
    assert len(pencil.widths) == found.iterations + 1
    assert all(width <= 5 for width in pencil.widths[1:])
    assert pencil.widths[-1] < 5  # those that have converged get no new directions


def test_what_has_converged_is_looked_at_again_only_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Residuals are made for as many vectors as get new directions, leading ones first; the last look is at all."""
    monkeypatch.setattr("tacit.solve.eigen.pencil._FEWEST", 4)
    monkeypatch.setattr("tacit.solve.eigen.pencil._LOOKED_AT", 4)
    looked: list[int] = []
    errors = _Basis._errors

    def counted(self: _Basis, values: Array, inner: Array, columns: Array, *rest: Any) -> Array:
        looked.append(len(columns))
        return errors(self, values, inner, columns, *rest)

    monkeypatch.setattr(_Basis, "_errors", counted)
    found = solve(DensePencil(A, B), 20, start=EXACT[1][:, :24] + 1e-3 * la.hilbert(N)[:, :24], tol=1e-8)
    assert found.converged
    np.testing.assert_allclose(found.values, EXACT[0][:20], rtol=1e-9)
    assert sum(looked) < 20 * (found.iterations + 1) / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_a_side_may_be_made_of_parts(monkeypatch: pytest.MonkeyPatch, blocks: int, dtype: Any) -> None:
    """B = shift·I + C − G Gᵀ, with C another matrix or A itself; the basis has room for few blocks, or for many."""
    monkeypatch.setattr("tacit.solve.eigen.pencil._BLOCKS", blocks)
    monkeypatch.setattr("tacit.solve.eigen.pencil._FEWEST", 3)
    G = np.random.default_rng(8).standard_normal((N, 4)) / 20
    tol = 1e-9 if dtype == np.float64 else 1e-4
    for pencil in (DensePencil(A, B, dtype, shift=0.7, G=G), OneProduct(A, shift=2.0, G=G, dtype=dtype)):
        found = solve(pencil, 6, tol=tol)
        assert found.converged
        expected = la.eigh(A, pencil.B.astype(np.float64))[0][::-1][:6]
        np.testing.assert_allclose(found.values, expected, rtol=10 * tol)
        gram = found.vectors.T.astype(np.float64) @ pencil.B @ found.vectors
        np.testing.assert_allclose(gram, np.eye(6), atol=100 * np.finfo(dtype).eps)


def test_beside_little_data_the_search_takes_less_memory_and_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms: list[int] = []
    make = _Basis.__init__

    def watched(self: _Basis, pencil: Any, start: Any, *, room: int, at_once: int) -> None:
        rooms.append(room)
        make(self, pencil, start, room=room, at_once=at_once)

    monkeypatch.setattr(_Basis, "__init__", watched)
    for n_bytes, little in ((10**9, 0), (0, 10**9), (1, 0)):
        monkeypatch.setattr("tacit.solve.eigen.pencil._LITTLE", little)
        pencil = DensePencil(A, B)
        pencil.n_bytes = n_bytes
        found = solve(pencil, 8)
        assert found.converged
        np.testing.assert_allclose(found.values, EXACT[0][:8], atol=1e-10)
    assert rooms == [8 + 2 + 3 * 5, 8 + 2 + 3 * 5, 8 + 2 * 2]


def test_room_is_made_where_the_data_are_large_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    column = 47_236 * 4
    assert columns_for(100, column, 123_000_000) == (260, 32)
    assert columns_for(100, column, 61_000_000) == (164, 32)
    assert columns_for(100, column, 50_000_000) == (132, 16)
    assert columns_for(10, column, 1) == (10 + 2 * 32, 32)
    assert columns_for(10, 2 * column, 1) == (10 + 2 * 16, 16)
    assert columns_for(10, column // 2, 1) == (10 + 32 + 4 * 32, 32)  # little in any case
    assert columns_for(300, column, 1) == (300 + 2 * 48, 48)


def test_a_preconditioner_saves_iterations() -> None:
    """A metric that is large in few directions, and an inverse that knows it."""
    metric = symmetric(np.concatenate([np.linspace(1e4, 10, 6), np.full(N - 6, 1.0)]), 4)
    inverse = la.inv(metric)
    plain = solve(DensePencil(A, metric), 4, tol=1e-6)
    helped = solve(DensePencil(A, metric), 4, tol=1e-6, precondition=lambda R: inverse @ R)
    assert helped.converged
    assert helped.iterations < plain.iterations
    np.testing.assert_allclose(helped.values, la.eigh(A, metric)[0][::-1][:4], rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_basis_stays_orthonormal_and_its_products_true(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dear products are carried along and never made again, so that an error would stay and grow."""
    G = np.random.default_rng(8).standard_normal((N, 4)) / 20
    pencil = DensePencil(A, B, dtype, shift=0.7, G=G)
    eps, errors = float(np.finfo(dtype).eps), {"orthonormality": 0.0, "products": 0.0, "bridges": 0.0}
    add = _Basis.add

    def watched(self: _Basis, fresh: Array) -> None:
        add(self, fresh)
        Q = self.Q.astype(np.float64)
        found = {
            "orthonormality": Q.T @ Q - np.eye(self.width),
            "products": np.hstack([self.store[i][:, : self.width] - M @ Q for i, M in ((1, A), (2, pencil.rest))]),
            "bridges": self.bridges - G.T @ Q,
        }
        for what, error in found.items():
            errors[what] = max(errors[what], float(np.abs(error).max(initial=0)))

    monkeypatch.setattr(_Basis, "add", watched)
    found = solve(pencil, 5, tol=10 * eps, max_iter=100)
    assert found.iterations > 10
    assert errors["orthonormality"] < 100 * eps
    assert errors["products"] < 300 * eps
    assert errors["bridges"] < 300 * eps
    values, vectors = found.values.astype(np.float64), found.vectors.astype(np.float64)
    np.testing.assert_allclose(vectors.T @ B @ vectors, np.eye(5), atol=100 * eps)
    np.testing.assert_allclose(vectors.T @ A @ vectors, np.diag(values), atol=100 * eps)


def test_the_same_start_gives_the_same_numbers() -> None:
    np.testing.assert_array_equal(solve(DensePencil(A, B), 3).vectors, solve(DensePencil(A, B), 3).vectors)


def test_the_start_is_left_as_it_was() -> None:
    start = np.random.default_rng(2).standard_normal((N, 9))
    before = start.copy()
    solve(DensePencil(A, B), 5, start=start)
    np.testing.assert_array_equal(start, before)


@pytest.mark.parametrize("k", [1, 6, N])
def test_the_search_of_one_operator_against_lapack(k: int) -> None:
    found = searched_eigenpairs(
        as_operator(A), k, rng=np.random.default_rng(0), precondition=lambda R: R, tol=1e-9, max_iter=500
    )
    values, vectors = la.eigh(A)
    assert found.converged
    np.testing.assert_allclose(found.values, values[::-1][:k], rtol=1e-9)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(k), atol=1e-9)
    errors = np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, errors / found.values, atol=1e-12)
    if k < N:
        assert la.subspace_angles(found.vectors, vectors[:, ::-1][:, :k]).max() < 1e-6


def test_the_search_of_a_zero_operator_ends() -> None:
    found = searched_eigenpairs(
        as_operator(np.zeros((N, N))), 3, rng=np.random.default_rng(0), precondition=lambda R: R
    )
    np.testing.assert_allclose(found.values, 0)
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(3), atol=1e-9)
