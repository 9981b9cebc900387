"""Identity A piece by piece: what `blend` gives solves eq. (12), whatever form K is held in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise

from tacit.models.common.informed_kernel import informed_space
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.product_forms import AugmentedForm, WideForm

N, M, L, K = 30, 45, 4, 5


def forms(X: np.ndarray, ridge: float) -> dict[str, RecordForm]:
    return {
        "dual": DualForm(X @ X.T, ridge=ridge),
        "primal": PrimalForm(X, ridge=ridge),
        "augmented": AugmentedForm(X, ridge=ridge, tol=1e-12, rng=np.random.default_rng(0)),
        **({"wide": WideForm(X, ridge=ridge, tol=1e-12, rng=np.random.default_rng(0))} if ridge else {}),
    }


@pytest.fixture
def X(rng: np.random.Generator) -> np.ndarray:
    return rng.standard_normal((N, M))


@pytest.fixture
def F(rng: np.random.Generator) -> np.ndarray:
    return (rng.random((N, L)) < 0.4).astype(float)


EACH_FORM = [("wide", 3.0), *((form, ridge) for form in ("dual", "primal", "augmented") for ridge in (0.0, 3.0))]


@pytest.mark.parametrize(("form", "ridge"), EACH_FORM)
@pytest.mark.parametrize("gamma", [0, 0.5, 20])
@pytest.mark.parametrize("beta", [0.2, 0.9])
def test_positions_and_eigenvalues_satisfy_equation_12(
    X: np.ndarray, F: np.ndarray, form: str, gamma: float, beta: float, ridge: float
) -> None:
    """With v = K_r α the equation reads v = λ [C⁻¹ + γ K_r⁻¹] v on the records."""
    found = informed_space(forms(X, ridge)[form], F, K, label_weight=beta, shrinkage=gamma)
    K_r = X @ X.T + ridge * np.eye(N)
    right = la.inv((1 - beta) * K_r + beta * F @ F.T) + gamma * la.inv(K_r)
    np.testing.assert_allclose(right @ found.positions * found.eigenvalues, found.positions, atol=1e-8)
    np.testing.assert_allclose(found.positions.T @ found.positions, np.eye(K), atol=1e-10)
    expected = 1 / la.eigvalsh(right)[:K]
    np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-8)
    assert found.informed


@pairwise(gamma=[0, 2], beta=[0, 0.5, 1], form=["dual", "primal", "augmented", "wide"])
def test_coefficients_are_the_regression_of_the_positions(
    X: np.ndarray, F: np.ndarray, form: str, beta: float, gamma: float
) -> None:
    held = forms(X, 3.0)[form]
    found = informed_space(held, F, 4, label_weight=beta, shrinkage=gamma)
    np.testing.assert_allclose(found.coefficients, held.regress(found.positions), atol=1e-9)


def test_more_positions_than_labels_may_be_regressed_either_way(X: np.ndarray, F: np.ndarray) -> None:
    """An iterative form regresses labels or positions, whichever are fewer."""
    for k in (L - 1, L + 1):
        held = forms(X, 3.0)["wide"]
        assert isinstance(held, WideForm)
        found = informed_space(held, F, k, label_weight=0.5, shrinkage=0)
        regressions = [report for report in held.reports if report.residuals.size != k or report.solver == "block-cg"]
        assert regressions[0].residuals.size == min(k, L)
        np.testing.assert_allclose(found.coefficients, held.regress(found.positions), atol=1e-9)


def test_sparse_and_dense_label_features_are_the_same(X: np.ndarray, F: np.ndarray) -> None:
    for form in ("dual", "primal", "augmented"):
        dense, sparse = (
            informed_space(forms(X, 1.0)[form], labels, K, label_weight=0.5, shrinkage=1)
            for labels in (F, sp.csr_array(F))
        )
        np.testing.assert_allclose(dense.positions, sparse.positions, atol=1e-10)
        np.testing.assert_allclose(dense.coefficients, sparse.coefficients, atol=1e-10)


def test_a_tiny_ridge_is_nearly_none(X: np.ndarray, F: np.ndarray) -> None:
    for form in ("dual", "primal", "augmented"):
        literal, tiny = (
            informed_space(forms(X, ridge)[form], F, K, label_weight=0.5, shrinkage=1) for ridge in (0.0, 1e-7)
        )
        np.testing.assert_allclose(tiny.positions, literal.positions, atol=1e-6)
        np.testing.assert_allclose(tiny.eigenvalues, literal.eigenvalues, rtol=1e-7)


@pytest.mark.parametrize("form", ["dual", "primal", "augmented"])
def test_without_a_ridge_only_expressible_labels_count(rng: np.random.Generator, form: str) -> None:
    X = rng.standard_normal((40, 10))
    good, bad = X @ rng.standard_normal((10, 2)), rng.standard_normal((40, 3))
    only, mixed = (
        informed_space(forms(X, 0.0)[form], labels, K, label_weight=0.9, shrinkage=1)
        for labels in (good, np.hstack([good, bad]))
    )
    assert only.informed
    assert mixed.informed
    np.testing.assert_allclose(mixed.positions, only.positions, atol=1e-7)
    none = informed_space(forms(X, 0.0)[form], bad, K, label_weight=0.9, shrinkage=1)
    plain = informed_space(forms(X, 0.0)[form], None, K, label_weight=0.9, shrinkage=1)
    assert not none.informed
    np.testing.assert_allclose(none.positions, plain.positions, atol=1e-9)
    assert la.subspace_angles(only.positions, plain.positions).max() > 0.05


def test_labels_alone_that_no_word_expresses_leave_nothing(rng: np.random.Generator) -> None:
    for held in forms(rng.standard_normal((40, 10)), 0.0).values():
        found = informed_space(held, rng.standard_normal((40, 3)), K, label_weight=1, shrinkage=0)
        assert found.eigenvalues.size == 0
        assert found.positions.shape == (40, 0)


def test_shrinkage_plays_down_the_label_that_words_express_badly(rng: np.random.Generator) -> None:
    """γ takes from the label with the large Fᵀ K_r⁻¹ F first."""
    X = rng.standard_normal((60, 8))
    easy = X @ rng.standard_normal(8)
    hard = la.null_space(np.column_stack([X, easy]).T)[:, 0]
    F = 20 * np.column_stack([easy / np.linalg.norm(easy), hard])

    def shares(gamma: float) -> np.ndarray:
        V = informed_space(PrimalForm(X, ridge=0.5), F, 3, label_weight=0.8, shrinkage=gamma).positions
        return np.asarray(np.linalg.norm(V.T @ F, axis=0) / 20)

    assert shares(0)[1] > 0.9
    assert shares(1)[1] < 0.1
    assert shares(1)[0] > 0.9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_is_kept(X: np.ndarray, F: np.ndarray, dtype: Any) -> None:
    for held in forms(X.astype(dtype), 1.0).values():
        found = informed_space(held, F.astype(dtype), K, label_weight=0.5, shrinkage=1)
        assert found.positions.dtype == found.coefficients.dtype == dtype
