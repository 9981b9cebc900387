"""LSI and its kernel form against what scikit-learn has of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted
from sklearn.decomposition import PCA, KernelPCA, TruncatedSVD
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer, normalize
from spaces import up_to_sign

from tacit import LSI, KernelLSI

K = 10
SOLVERS = ["auto", "dense", "lanczos", "krylov"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_array.toarray], ids=["sparse", "dense"])
def test_lsi_is_truncated_svd(planted: Planted, solver: str, form: Any) -> None:
    X, new = form(planted.training[0]), form(planted.new[0])
    peer = TruncatedSVD(K, algorithm="arpack", random_state=0).fit(X)
    model = LSI(K, solver=solver, tol=1e-8).fit(X)
    np.testing.assert_allclose(model.singular_values_, peer.singular_values_, rtol=1e-8)
    np.testing.assert_allclose(up_to_sign(model.components_.T, peer.components_.T), peer.components_.T, atol=1e-6)
    expected = peer.transform(new)
    np.testing.assert_allclose(up_to_sign(model.transform(new), expected), expected, atol=1e-5)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(new)), peer.inverse_transform(expected), atol=1e-5
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_array.toarray], ids=["sparse", "dense"])
def test_centred_lsi_is_principal_components(planted: Planted, solver: str, form: Any) -> None:
    X, new = planted.training[0], planted.new[0].toarray()
    peer = PCA(K, svd_solver="full").fit(X.toarray())
    model = LSI(K, center=True, solver=solver, tol=1e-8).fit(form(X))
    np.testing.assert_allclose(model.mean_, peer.mean_, atol=1e-12)
    np.testing.assert_allclose(model.singular_values_, peer.singular_values_, rtol=1e-8)
    np.testing.assert_allclose(model.explained_ratio_, peer.explained_variance_ratio_, rtol=1e-8)
    expected = peer.transform(new)
    np.testing.assert_allclose(up_to_sign(model.transform(form(sp.csr_array(new))), expected), expected, atol=1e-5)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(new)), peer.inverse_transform(expected), atol=1e-5
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_kernel_lsi_of_a_centred_kernel_is_kernel_pca(planted: Planted, solver: str) -> None:
    X, new = planted.training[0], planted.new[0]
    train, fresh = rbf_kernel(X, gamma=0.01), rbf_kernel(new, X, gamma=0.01)
    peer = KernelPCA(K, kernel="precomputed", eigen_solver="dense").fit(train)
    centre = KernelCenterer().fit(train)
    model = KernelLSI(K, kernel="precomputed", solver=solver, tol=1e-8).fit(centre.transform(train))
    np.testing.assert_allclose(model.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
    expected = peer.transform(fresh)
    found = model.transform(centre.transform(fresh))
    np.testing.assert_allclose(up_to_sign(found, expected), expected, atol=1e-5)


def test_linear_and_cosine_kernels_are_lsi(planted: Planted) -> None:
    X, new = planted.training[0], planted.new[0]
    for kernel, rows, fresh in (("linear", X, new), ("cosine", normalize(X), normalize(new))):
        plain = LSI(K, tol=1e-10).fit(rows)
        model = KernelLSI(K, kernel=kernel, tol=1e-10).fit(X)
        np.testing.assert_allclose(model.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
        expected = plain.transform(fresh)
        np.testing.assert_allclose(up_to_sign(model.transform(new), expected), expected, atol=1e-6)


def test_landmarks_give_the_nystroem_kernel(planted: Planted) -> None:
    """K_nm K_mm⁻¹ K_mn is what is decomposed, and where new records are placed."""
    X, new = planted.training[0], planted.new[0]
    model = KernelLSI(K, kernel="rbf", kernel_params={"gamma": 0.01}, n_landmarks=60, tol=1e-10).fit(X)
    landmarks = model.reference_records_
    assert landmarks.shape[0] == 60
    inner = np.linalg.inv(rbf_kernel(landmarks, gamma=0.01))
    between = rbf_kernel(X, landmarks, gamma=0.01)
    values, vectors = np.linalg.eigh(between @ inner @ between.T)
    values, vectors = values[::-1][:K], vectors[:, ::-1][:, :K]
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    fresh = rbf_kernel(new, landmarks, gamma=0.01) @ inner @ between.T @ vectors / np.sqrt(values)
    np.testing.assert_allclose(up_to_sign(model.transform(new), fresh), fresh, atol=1e-6)
