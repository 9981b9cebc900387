"""Regressions of the labels: every route gives the textbook formula, whatever the shape and the ridge."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import TacitWarning
from tacit.models.projections import base
from tacit.models.projections.base import regressed_labels
from tacit.operators import Centred

SHAPES = {"wide": (25, 70), "tall": (70, 25)}


def problem(shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.random(shape) * (rng.random(shape) < 0.3), (rng.random((shape[0], 4)) < 0.4).astype(float)


def solve(X: Any, F: Any, *, ridge: float) -> tuple[np.ndarray, tuple[Any, ...]]:
    records, rng = Centred(X), np.random.default_rng(0)
    cross = records.T @ F
    return regressed_labels(records, F, cross, ridge=ridge, tol=1e-12, max_iter=None, rng=rng)


def expected(X: np.ndarray, F: np.ndarray, ridge: float) -> np.ndarray:
    Xc = X - X.mean(axis=0)
    S = Xc.T @ Xc + ridge * np.sum(Xc**2) / len(X) * np.eye(X.shape[1])
    return np.linalg.pinv(S, hermitian=True) @ Xc.T @ F


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize("ridge", [0, 1e-3, 1, 100])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_every_route_gives_the_ridge_regression(
    form: Any, shape: tuple[int, int], ridge: float, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "DENSE_LIMIT", limit)
    X, F = problem(shape)
    found, reports = solve(form(X), form(F), ridge=ridge)
    assert bool(reports) == (limit == 0 or ridge == 0)
    np.testing.assert_allclose(found, expected(X, F, ridge), atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_tiny_ridge_on_dependent_records_and_terms_is_safe(shape: tuple[int, int]) -> None:
    """Their Gram matrix is singular, and rounding leaves some of its eigenvalues below zero."""
    X, F = problem(shape)
    X = np.vstack([X, X[:5]]) @ np.diag([*np.ones(shape[1] - 5), 0, 0, 0, 0, 0])
    F = np.vstack([F, F[:5]])
    found, _ = solve(X, F, ridge=1e-9)
    np.testing.assert_allclose(found, expected(X, F, 0), atol=1e-4)


@pytest.mark.parametrize("limit", [0, 1000])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_single_precision_stays_single(shape: tuple[int, int], limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "DENSE_LIMIT", limit)
    X, F = problem(shape)
    records, single = Centred(X.astype(np.float32)), F.astype(np.float32)
    cross, rng = records.T @ single, np.random.default_rng(0)
    found, _ = regressed_labels(records, single, cross, ridge=0.1, tol=1e-4, max_iter=None, rng=rng)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected(X, F, 0.1), atol=1e-3)


def test_records_far_from_the_origin_cost_no_digits() -> None:
    X, F = problem(SHAPES["tall"])
    np.testing.assert_allclose(solve(X + 1e4, F, ridge=0.1)[0], expected(X, F, 0.1), atol=1e-6)


def test_a_regression_that_stops_early_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "DENSE_LIMIT", 0)
    X, F = problem(SHAPES["wide"])
    records = Centred(X)
    with pytest.warns(
        TacitWarning,
        match=r"the regression on the records stopped after 1 iterations .* above the requested 3e-09",
    ):
        regressed_labels(records, F, records.T @ F, ridge=1e-3, tol=1e-9, max_iter=1, rng=np.random.default_rng(0))
