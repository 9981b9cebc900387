"""CCA: what its eigenvalues are, what leaves it unchanged, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from planted import Planted, plant

from tacit.models.projections.cca import CCA
from tacit.models.projections.mddm import MDDM

K = 5


@pytest.fixture(scope="module")
def tall() -> Planted:
    """More records than terms, where CCA needs no ridge."""
    return plant(400, 0, n_terms=60)


def test_eigenvalues_are_squared_correlations(tall: Planted) -> None:
    """Of each dimension with the combination of labels that it goes best with."""
    X, Y = tall.X.toarray(), tall.Y.toarray()
    model = CCA(K, ridge=0).fit(X, Y)
    Z, centred = model.transform(X), Y - Y.mean(axis=0)
    best = centred @ np.linalg.lstsq(centred, Z, rcond=None)[0]
    correlations = [np.corrcoef(Z[:, j], best[:, j])[0, 1] for j in range(K)]
    np.testing.assert_allclose(np.sqrt(model.eigenvalues_), correlations, rtol=1e-8)
    np.testing.assert_allclose(Z.T @ Z, np.eye(K), atol=1e-8)


def test_without_a_ridge_the_terms_may_be_mixed_and_stretched(tall: Planted, rng: np.random.Generator) -> None:
    mix = rng.standard_normal((60, 60))
    first = CCA(K, ridge=0).fit(tall.X, tall.Y)
    second = CCA(K, ridge=0).fit(tall.X @ mix, tall.Y)
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-7)
    assert la.subspace_angles(second.transform(tall.X @ mix), first.transform(tall.X)).max() < 1e-6


def test_labels_may_be_mixed(planted: Planted) -> None:
    """A label written twice, or beside its opposite, is one label."""
    X, Y = planted.training
    more = sp.csr_array(np.hstack([Y.toarray(), Y.toarray()[:, :2], 1 - Y.toarray()[:, 2:4]]))
    first, second = CCA(K, tol=1e-10).fit(X, Y), CCA(K, tol=1e-10).fit(X, more)
    np.testing.assert_allclose(second.eigenvalues_, first.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(second.transform(X), first.transform(X), atol=1e-7)


def test_few_records_correlate_perfectly_without_a_ridge_and_less_with_one(planted: Planted) -> None:
    X, Y = planted.training
    np.testing.assert_allclose(CCA(K, ridge=0).fit(X, Y).eigenvalues_, 1, rtol=1e-8)
    before = np.ones(K)
    for ridge in (0.01, 1.0, 100.0):
        found = CCA(K, ridge=ridge).fit(X, Y).eigenvalues_
        assert (found < before).all()
        before = found


def test_a_large_label_ridge_counts_labels_by_their_records(planted: Planted) -> None:
    """(YᵀCY + r_y I)⁻¹ is then one number, and the criterion that of MDDM."""
    X, Y = planted.training
    found = CCA(K, constraint="projections", label_ridge=1e9).fit(X, Y)
    assert la.subspace_angles(found.components_.T, MDDM(K).fit(X, Y).components_.T).max() < 1e-6
    ratios = found.eigenvalues_ / MDDM(K).fit(X, Y).eigenvalues_
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-6)
