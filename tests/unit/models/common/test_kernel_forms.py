"""The three forms of the record kernel answer every question alike, and as a dense matrix would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise

from tacit import TacitWarning
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm, dense_block
from tacit.models.common.product_forms import AugmentedForm, WideForm, solve_shifted
from tacit.operators import Product, as_operator

SHAPES = {"wide": (20, 50), "square": (30, 30), "tall": (60, 15)}
FORMS = ["dual", "primal", "augmented", "wide"]


def matrix(shape: str) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(SHAPES[shape])


def held_as(form: str, X: Any, ridge: float) -> RecordForm:
    if form == "dual":
        K = X @ X.T
        return DualForm(K.toarray() if sp.issparse(K) else K, ridge=ridge)
    if form == "primal":
        return PrimalForm(X, ridge=ridge)
    made = WideForm if form == "wide" else AugmentedForm
    return made(X, ridge=ridge, tol=1e-12, rng=np.random.default_rng(0))


@pairwise(form=FORMS, shape=SHAPES, ridge=[0.0, 0.7], sparse=[False, True])
def test_answers_are_those_of_the_dense_matrix(form: str, shape: str, ridge: float, sparse: bool) -> None:
    if form == "wide" and not ridge:
        return  # it needs one
    X = matrix(shape)
    n = len(X)
    K = X @ X.T
    T = (np.random.default_rng(2).random((n, 4)) < 0.3).astype(float)
    given = sp.csr_array(T) if sparse else T
    held = held_as(form, sp.csr_array(X) if sparse else X, ridge)
    inverse = np.linalg.pinv(K + ridge * np.eye(n), hermitian=True, rcond=1e-10)
    assert (held.n_records, held.dtype) == (n, np.float64)
    np.testing.assert_allclose(held.trace, np.trace(K), rtol=1e-12)
    np.testing.assert_allclose(held.fitted(held.adjoint(T)), K @ T, atol=1e-9)
    coefficients = held.regress(given)
    np.testing.assert_allclose(held.fitted(coefficients), K @ inverse @ T, atol=1e-8)
    np.testing.assert_allclose(held.misfit(given, coefficients), T - K @ inverse @ T, atol=1e-8)
    expected = T.T @ inverse @ T
    np.testing.assert_allclose(held.cross(given, coefficients), expected, atol=1e-8 * np.abs(expected).max())
    assert held.by_records == (form in ("dual", "wide"))
    if held.by_records:
        np.testing.assert_allclose(coefficients, inverse @ T, atol=1e-8)
    else:
        np.testing.assert_allclose(coefficients, X.T @ inverse @ T, atol=1e-8)


@pairwise(extra=["none", "dense", "factored"], form=FORMS, shape=SHAPES)
def test_leading_directions_are_those_of_the_dense_matrix(form: str, shape: str, extra: str) -> None:
    X = matrix(shape)
    F, R = np.random.default_rng(2).random((len(X), 4)), np.random.default_rng(3).random((4, 3))
    given = {"none": None, "dense": F @ R, "factored": Product(sp.csr_array(F), R)}[extra]
    values, V, _ = held_as(form, X, 0.0).leading(given, 6)
    C = X @ X.T + (0 if extra == "none" else F @ R @ R.T @ F.T)
    np.testing.assert_allclose(values, la.eigvalsh(C)[::-1][:6], rtol=1e-9)
    np.testing.assert_allclose(C @ V, V * values, atol=1e-7)
    np.testing.assert_allclose(V.T @ V, np.eye(6), atol=1e-9)


@pytest.mark.parametrize("extra", ["none", "labels", "labels regressed before"])
def test_what_places_terms_comes_with_the_leading_directions(extra: str) -> None:
    X = sp.random_array((300, 40), density=0.2, rng=np.random.default_rng(0), format="csr")
    F = sp.csr_array((np.random.default_rng(2).random((300, 5)) < 0.3).astype(float))
    R = np.random.default_rng(3).random((5, 5))
    form = held_as("augmented", X, 0.3)
    given, root = (None, None) if extra == "none" else (Product(F, R), None)
    if extra == "labels regressed before":
        form.regress(F)
        root = R
    values, V, adjoint = form.leading(given, 6, root=root)
    C = X @ X.T + (0 if given is None else F @ R @ R.T @ F.T)
    np.testing.assert_allclose(values, la.eigvalsh(dense_block(C, float))[::-1][:6], rtol=1e-9)
    np.testing.assert_allclose(adjoint, X.T @ V, atol=1e-8)


@pytest.mark.parametrize("fitted", [False, True])
def test_labels_that_the_words_fit_to_the_last_digits_are_crossed_with_care(fitted: bool) -> None:
    """FᵀF − (XᵀF)ᵀB has few digits left then in single precision; Fᵀ(F − XB) has more."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 30)).astype(np.float32)
    F = (X @ rng.standard_normal((30, 3)) if fitted else rng.standard_normal((400, 3))).astype(np.float32)
    form = AugmentedForm(X, ridge=0.05, tol=1e-7, rng=rng)
    B = form.regress(F)
    found, with_care = form.cross(F, B), RecordForm.cross(form, F, B)
    assert np.array_equal(found, with_care) == fitted
    np.testing.assert_allclose(found, with_care, rtol=1e-4, atol=1e-4 * np.abs(with_care).max())


@pytest.mark.parametrize("form", ["dual", "primal"])
def test_left_vectors_come_without_the_zero_directions(form: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 5)) @ rng.standard_normal((5, 20))
    held = held_as(form, X, 0.0)
    assert isinstance(held, (DualForm, PrimalForm))
    U = np.concatenate([block for _, block in held.left_blocks()])
    assert U.shape == (40, 5)
    np.testing.assert_allclose((U * held.left_values()) @ U.T, X @ X.T, atol=1e-9)


def test_single_precision_does_not_lose_the_small_directions_of_tall_data() -> None:
    """20,000 records, singular values from 1 to 1/1000: float32 sums would drown all those below 1/20."""
    rng = np.random.default_rng(0)
    U = la.qr(rng.standard_normal((20_000, 8)), mode="economic")[0]
    V = la.qr(rng.standard_normal((8, 8)))[0]
    sizes = np.logspace(0, -3, 8)
    X = ((U * sizes) @ V.T).astype(np.float32)
    form = PrimalForm(X)
    values, found, _ = form.leading(None, 8)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.sqrt(values), sizes, rtol=1e-3)
    assert form.left_values().size == 8
    np.testing.assert_allclose(np.abs(np.sum(found * U, axis=0)), 1, rtol=1e-3)


def test_a_dense_block_is_made_of_anything() -> None:
    A = np.arange(6.0).reshape(3, 2)
    for given in (A, sp.csr_array(A), as_operator(A), Product(A, np.eye(2))):
        block = dense_block(given, np.float32)
        assert block.dtype == np.float32
        np.testing.assert_array_equal(block, A)


def test_a_shifted_system_is_solved_or_says_that_it_is_not() -> None:
    A = matrix("wide")
    rhs = np.random.default_rng(4).standard_normal((50, 3))
    found = solve_shifted(as_operator(A), 0.5, rhs, tol=1e-12)
    np.testing.assert_allclose((A.T @ A + 0.5 * np.eye(50)) @ found.solution, rhs, atol=1e-9)
    expected = r"stopped after 1 iterations with a relative residual of \d.*, above the requested 1e-12"
    with pytest.warns(TacitWarning, match=expected):
        solve_shifted(as_operator(A), 1e-3, rhs, tol=1e-12, max_iter=1)
