"""Kernel matrices: the same in blocks as whole, and clear about kernels that do not work."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tacit.errors import InputError
from tacit.operators import KernelMatrix, kernel_matrix

RNG = np.random.default_rng(0)
X, Z = RNG.standard_normal((11, 3)), RNG.standard_normal((7, 3))


@pytest.mark.parametrize("block_bytes", [1, 150, 2**26])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_the_gaussian_kernel_in_blocks_is_its_formula(block_bytes: int, form: object) -> None:
    operator = KernelMatrix(form(X), Z, kernel="rbf", params={"gamma": 0.3}, block_bytes=block_bytes)  # type: ignore[operator]
    twin = np.exp(-0.3 * cdist(X, Z, "sqeuclidean"))
    V, U = RNG.standard_normal((7, 2)), RNG.standard_normal((11, 2))
    np.testing.assert_allclose(operator @ V, twin @ V)
    np.testing.assert_allclose(operator.T @ U, twin.T @ U)
    np.testing.assert_allclose(operator @ V[:, 0], twin @ V[:, 0])


def test_without_a_second_matrix_it_is_symmetric_and_positive_semidefinite() -> None:
    K = KernelMatrix(X, kernel="rbf").to_dense()
    np.testing.assert_allclose(K, K.T)
    assert np.linalg.eigvalsh(K).min() > -1e-12


def test_single_precision_stays() -> None:
    operator = KernelMatrix(X.astype(np.float32))
    assert operator.dtype == np.float32
    assert (operator @ np.ones((11, 2), np.float32)).dtype == np.float32
    assert KernelMatrix(np.eye(3, dtype=int)).dtype == np.float64


def test_named_kernels_callables_and_given_matrices_agree() -> None:
    linear = kernel_matrix(X, Z, "linear")
    np.testing.assert_allclose(linear, X @ Z.T)
    np.testing.assert_allclose(kernel_matrix(X, Z, lambda a, b, scale: scale * a @ b.T, {"scale": 1.0}), linear)
    np.testing.assert_allclose(kernel_matrix(linear, Z, "precomputed"), linear)
    np.testing.assert_allclose(kernel_matrix(sp.csr_array(linear), Z, "precomputed"), linear)
    np.testing.assert_allclose(kernel_matrix(sp.csr_array(X), sp.csr_array(Z), "linear"), linear)


def test_kernels_that_do_not_work_are_named() -> None:
    with pytest.raises(InputError, match=r"kernel is unknown: got 'rbff', .* Did you mean 'rbf'\?"):
        kernel_matrix(X, Z, "rbff")
    with pytest.raises(InputError, match=r"kernel returns a matrix of the wrong shape: got \(3, 3\), expected \(11"):
        kernel_matrix(X, Z, lambda a, b: a.T @ a)
    with pytest.raises(InputError, match="the kernel matrix contains NaN"):
        kernel_matrix(X, Z, lambda a, b: np.full((11, 7), np.nan))
    with pytest.raises(InputError, match="Z does not match X: got 2 columns for 3, expected the same columns in both"):
        kernel_matrix(X, Z[:, :2], "rbf")
