"""CCA: what its eigenvalues are, what leaves it unchanged, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from planted import Planted, plant
from sklearn.metrics.pairwise import rbf_kernel

from tacit import InputError
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


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_a_kernel_leaves_out_records_of_unknown_labels(planted: Planted, kernel: str) -> None:
    X, new = planted.training[0], planted.new[0]
    sets = [None if place % 3 == 0 else labels for place, labels in enumerate(planted.sets)]
    known = np.flatnonzero(np.arange(120) % 3)
    expected = CCA(K, kernel="rbf").fit(X[known], [sets[row] for row in known]).transform(new)
    if kernel == "precomputed":
        found = CCA(K, kernel=kernel).fit(rbf_kernel(X), sets).transform(rbf_kernel(new, X))
    else:
        found = CCA(K, kernel=kernel).fit(X, sets).transform(new)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_more_landmarks_come_nearer_to_the_kernel(planted: Planted) -> None:
    (X, Y), new = planted.training, planted.new[0]
    exact = CCA(K, kernel="rbf").fit(X, Y).transform(new)
    errors = []
    for number in (20, 60, 119):
        found = CCA(K, kernel="rbf", n_landmarks=number, tol=1e-10).fit(X, Y).transform(new)
        errors.append(np.linalg.norm(found @ found.T - exact @ exact.T) / np.linalg.norm(exact @ exact.T))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.05


def test_a_second_fit_with_another_kernel_forgets_the_first(planted: Planted) -> None:
    X, Y = planted.training
    model = CCA(K, kernel="rbf").fit(X.astype(np.float32), Y)
    assert model.transform(X.astype(np.float32)).dtype == model.dual_components_.dtype == np.float32
    assert not hasattr(model, "components_")
    model.set_params(kernel="linear").fit(X, Y)
    assert not hasattr(model, "dual_components_")
    np.testing.assert_array_equal(model.transform(X), CCA(K).fit(X, Y).transform(X))


def test_a_kernel_is_checked(planted: Planted) -> None:
    X, Y = planted.training
    with pytest.raises(InputError, match="kernel is"):
        CCA(K, kernel="gauss").fit(X, Y)
    with pytest.raises(InputError, match="X is not a kernel matrix"):
        CCA(K, kernel="precomputed").fit(X, Y)
    with pytest.raises(InputError, match="X is unrelated to y"):
        CCA(1, kernel="precomputed").fit(np.kron(np.eye(2), np.eye(4) * 0 + 1) + 1, np.tile([0, 1, 0, 1], 2))


def test_a_kernel_that_is_nearly_constant_is_found_and_applied_in_double_precision() -> None:
    # words of unit length: gamma is one over thousands of terms, so that all similarities are within .001 of 1
    rng = np.random.default_rng(0)
    topics = rng.integers(3, size=400)
    dense = (rng.random((400, 5_000)) < 0.01 + 0.02 * (np.arange(5_000) % 3 == topics[:, None])).astype(np.float64)
    X = sp.csr_array(dense / np.linalg.norm(dense, axis=1, keepdims=True))
    Y = np.eye(3)[topics]
    exact = CCA(2, kernel="rbf").fit(X[:300], Y[:300]).transform(X[300:])
    single = CCA(2, kernel="rbf").fit(X[:300].astype(np.float32), Y[:300]).transform(X[300:].astype(np.float32))
    assert np.abs(single - exact).max() < 0.01 * np.abs(exact).max()
