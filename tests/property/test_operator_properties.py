"""Every operator is the matrix it stands for: in all four products, dense and sparse, and adjoint to its transpose."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.operators import (
    Centred,
    DiagonalPlusLowRank,
    Gram,
    Operator,
    Product,
    Scaled,
    Stacked,
    Sum,
    as_operator,
)

Built = tuple[Operator, np.ndarray]


def stacked(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    B = rng.standard_normal((len(A), 2)).astype(A.dtype)
    return Stacked([form(A), B, form(A)]), np.hstack([A, B, A])


def summed(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    return Sum([form(A), A, form(A)]), 3 * A


def product(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    B = rng.standard_normal((A.shape[1], 4)).astype(A.dtype)
    return Product(form(A), B), A @ B


def scaled(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    rows, columns = rng.standard_normal(len(A)), rng.standard_normal(A.shape[1])
    return Scaled(form(A), rows=rows, columns=columns), (rows[:, None] * A * columns).astype(A.dtype)


def centred(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    return Centred(form(A)), A - A.mean(axis=0)


def low_rank(core: str) -> Callable[..., Built]:
    def build(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
        diagonal, r = rng.standard_normal(len(A)).astype(A.dtype), A.shape[1]
        S = {"number": np.eye(r) * 2, "vector": np.diag(np.arange(r)), "matrix": rng.standard_normal((r, r))}[core]
        given = {"number": 2.0, "vector": np.arange(r), "matrix": S}[core]
        return DiagonalPlusLowRank(diagonal, form(A), given), (np.diag(diagonal) + A @ S @ A.T).astype(A.dtype)

    return build


def gram(A: np.ndarray, form: Callable, rng: np.random.Generator) -> Built:
    return Gram(form(A), shift=0.5), A.T @ A + 0.5 * np.eye(A.shape[1], dtype=A.dtype)


BUILDERS: dict[str, Callable[..., Built]] = {
    "matrix": lambda A, form, rng: (as_operator(form(A)), A),
    "transpose": lambda A, form, rng: (as_operator(form(A)).T, A.T),
    "stacked": stacked,
    "summed": summed,
    "product": product,
    "scaled": scaled,
    "centred": centred,
    "low rank, number": low_rank("number"),
    "low rank, vector": low_rank("vector"),
    "low rank, matrix": low_rank("matrix"),
    "gram": gram,
}
SYMMETRIC = ["low rank, number", "low rank, vector", "gram"]

shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))
forms = st.sampled_from([np.asarray, sp.csr_array, sp.csc_array, sp.coo_array])
dtypes = st.sampled_from([np.float64, np.float32])
seeds = st.integers(0, 2**32 - 1)


def build(name: str, shape: tuple[int, int], form: Callable, dtype: type, seed: int) -> Built:
    rng = np.random.default_rng(seed)
    A = (rng.standard_normal(shape) * (rng.random(shape) < 0.6)).astype(dtype)
    return BUILDERS[name](A, form, rng)


@pytest.mark.parametrize("name", BUILDERS)
@settings(max_examples=25, deadline=None)
@given(shape=shapes, form=forms, dtype=dtypes, width=st.integers(0, 3), seed=seeds)
def test_all_four_products_are_those_of_the_dense_twin(
    name: str, shape: tuple[int, int], form: Callable, dtype: type, width: int, seed: int
) -> None:
    operator, twin = build(name, shape, form, dtype, seed)
    rng = np.random.default_rng(seed + 1)
    V, U = rng.standard_normal((twin.shape[1], width)), rng.standard_normal((twin.shape[0], width))
    close = {"rtol": 0, "atol": 1e3 * np.finfo(dtype).eps * (1 + np.abs(twin).sum())}
    assert operator.shape == twin.shape
    assert operator.dtype == dtype
    for vectors, forwards in ((V, True), (U, False)):
        vectors = vectors.astype(dtype)
        matrix, dense = (operator, twin) if forwards else (operator.T, twin.T)
        found = matrix @ vectors
        assert found.dtype == dtype
        np.testing.assert_allclose(found, dense @ vectors, **close)
        for v in vectors.T:
            assert (matrix @ v).shape == (dense.shape[0],)
            np.testing.assert_allclose(matrix @ v, dense @ v, **close)
    np.testing.assert_allclose(operator.to_dense(), twin, **close)


@pytest.mark.parametrize("name", BUILDERS)
@settings(max_examples=15, deadline=None)
@given(shape=shapes, form=forms, seed=seeds)
def test_the_transpose_is_the_adjoint(name: str, shape: tuple[int, int], form: Callable, seed: int) -> None:
    operator, twin = build(name, shape, form, np.float64, seed)
    rng = np.random.default_rng(seed + 1)
    v, u = rng.standard_normal(twin.shape[1]), rng.standard_normal(twin.shape[0])
    assert (operator @ v) @ u == pytest.approx(v @ (operator.T @ u), abs=1e-10 * (1 + np.abs(twin).sum()))


@pytest.mark.parametrize("name", SYMMETRIC)
@settings(max_examples=15, deadline=None)
@given(shape=shapes, form=forms, seed=seeds)
def test_symmetric_operators_are(name: str, shape: tuple[int, int], form: Callable, seed: int) -> None:
    operator, twin = build(name, shape, form, np.float64, seed)
    V = np.random.default_rng(seed + 1).standard_normal((twin.shape[1], 2))
    np.testing.assert_allclose(operator @ V, operator.T @ V, rtol=0, atol=1e-11 * (1 + np.abs(twin).sum()))


@settings(max_examples=25, deadline=None)
@given(shape=shapes, form=forms, seed=seeds)
def test_a_gram_matrix_has_no_negative_energy(shape: tuple[int, int], form: Callable, seed: int) -> None:
    operator, _ = build("gram", shape, form, np.float64, seed)
    v = np.random.default_rng(seed + 1).standard_normal(shape[1])
    assert v @ (operator @ v) >= 0.5 * (v @ v) * (1 - 1e-12)


@pytest.mark.parametrize("name", ["matrix", "transpose", "stacked", "centred"])
@settings(max_examples=15, deadline=None)
@given(shape=shapes, form=forms, dtype=dtypes, seed=seeds)
def test_squared_norms_are_those_of_the_dense_twin(
    name: str, shape: tuple[int, int], form: Callable, dtype: type, seed: int
) -> None:
    operator, twin = build(name, shape, form, dtype, seed)
    expected = float(np.linalg.norm(twin.astype(np.float64)) ** 2)
    rounding = 1e2 * float(np.finfo(dtype).eps) * (1 + expected)
    assert operator.squared_norm() == pytest.approx(expected, rel=0, abs=rounding)
