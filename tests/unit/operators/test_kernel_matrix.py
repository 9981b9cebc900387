"""Kernel matrices: their formulas, and clear about kernels that do not work."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tacit.errors import InputError
from tacit.operators import kernel_matrix

RNG = np.random.default_rng(0)
X, Z = RNG.standard_normal((11, 3)), RNG.standard_normal((7, 3))


def test_the_gaussian_kernel_is_its_formula() -> None:
    twin = np.exp(-0.3 * cdist(X, Z, "sqeuclidean"))
    np.testing.assert_allclose(kernel_matrix(X, Z, "rbf", {"gamma": 0.3}), twin)
    assert kernel_matrix(X.astype(np.float32), Z.astype(np.float32), "rbf").dtype == np.float32


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
