"""LSI: what is learned, the two scalings, centring, and the way back to the terms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from planted import Planted
from sklearn.base import clone

from tacit import LSI, InputError

K = 7


@pairwise(solver=["dense", "lanczos", "krylov"], scaling=["unit", "damped", "weighted"], center=[False, True])
def test_fit_transform_is_fit_then_transform(planted: Planted, scaling: str, center: bool, solver: str) -> None:
    X = planted.training[0]
    model = LSI(K, scaling=scaling, center=center, solver=solver, tol=1e-10)
    positions = model.fit_transform(X)
    np.testing.assert_allclose(positions, model.transform(X), atol=1e-7)
    lengths = model.singular_values_ ** {"unit": 0, "damped": 0.5, "weighted": 1}[scaling]
    np.testing.assert_allclose(positions.T @ positions, np.diag(lengths**2), atol=1e-6)


def test_a_full_space_leads_back_to_the_terms(rng: np.random.Generator) -> None:
    X = rng.standard_normal((12, 30))
    for scaling in ("unit", "damped", "weighted"):
        for center in (False, True):
            model = LSI(11 if center else 12, scaling=scaling, center=center)
            np.testing.assert_allclose(model.inverse_transform(model.fit_transform(X)), X, atol=1e-10)


def test_a_small_space_leads_back_to_the_best_approximation(planted: Planted) -> None:
    X = planted.training[0]
    model = LSI(K, tol=1e-10)
    error = np.sum((X.toarray() - model.inverse_transform(model.fit_transform(X))) ** 2)
    left_out = np.linalg.svd(X.toarray(), compute_uv=False)[K:]
    np.testing.assert_allclose(error, np.sum(left_out**2), rtol=1e-8)
    np.testing.assert_allclose(1 - model.explained_ratio_.sum(), error / np.sum(X.toarray() ** 2), rtol=1e-8)


def test_loadings_and_components_are_inverse_to_each_other(planted: Planted) -> None:
    model = LSI(K, scaling="unit", tol=1e-10).fit(planted.training[0])
    np.testing.assert_allclose(model.components_ @ model.term_loadings_.T, np.eye(K), atol=1e-9)
    np.testing.assert_allclose(model.eigenvalues_, model.singular_values_**2)


def test_the_report_says_which_solver_and_why(planted: Planted) -> None:
    X = planted.training[0]
    chosen = LSI(K).fit(X).solution_
    assert (chosen.solver, chosen.left, chosen.right.size) == ("dense", None, 0)
    assert chosen.reason.startswith("LAPACK 0.00")
    assert chosen.reason.endswith("by the cost model")
    asked = LSI(K, solver="krylov", tol=1e-6).fit(X).solution_
    assert (asked.solver, asked.reason, asked.converged) == ("krylov", "asked for", True)
    assert asked.residuals.max() <= 1e-6


def test_the_tolerance_bounds_the_error_of_the_singular_values(planted: Planted) -> None:
    X = planted.training[0]
    exact = np.linalg.svd(X.toarray(), compute_uv=False)[:K]
    found = LSI(K, solver="krylov", tol=1e-2).fit(X).singular_values_
    assert np.abs(found / exact - 1).max() < 1e-3


def test_a_second_fit_forgets_the_first(planted: Planted) -> None:
    X = planted.training[0]
    model = LSI(K, center=True).fit(X)
    model.set_params(center=False, n_components=3).fit(X)
    np.testing.assert_array_equal(model.transform(X), LSI(3).fit(X).transform(X))


def test_a_clone_learns_the_same(planted: Planted) -> None:
    X = planted.training[0]
    model = LSI(K, scaling="unit", solver="krylov", random_state=3)
    assert clone(model).get_params() == model.get_params()
    np.testing.assert_array_equal(clone(model).fit(X).components_, model.fit(X).components_)


def test_dimensions_have_names(planted: Planted) -> None:
    model = LSI(3).fit(planted.training[0])
    assert list(model.get_feature_names_out()) == ["lsi0", "lsi1", "lsi2"]


def test_positions_of_another_space_are_refused(planted: Planted) -> None:
    model = LSI(3).fit(planted.training[0])
    with pytest.raises(InputError, match=r"positions do not belong to this space: got shape \(2, 4\), expected \(n_r"):
        model.inverse_transform(np.ones((2, 4)))


def test_records_that_are_all_equal_have_nothing_left_after_centring() -> None:
    with pytest.raises(
        InputError, match="X has rank 0 after centring: got n_samples=5 records that are all equal, expected"
    ):
        LSI(2, center=True).fit(np.ones((5, 3)))


def test_zeros_that_are_stored_are_no_terms() -> None:
    X = sp.csr_array(([0.0, 0.0], ([0, 1], [0, 1])), shape=(2, 3))
    with pytest.raises(InputError, match="X has no entries: got 2 records"):
        LSI(1).fit(X)
