"""Kernel matrices: k(x, z) for all pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from tacit.checks import check_choice, check_finite, is_sparse
from tacit.errors import InputError
from tacit.types import Array

__all__ = ["Kernel", "kernel_matrix"]

Kernel = str | Callable[..., Any]


def kernel_matrix(X: Any, Z: Any, kernel: Kernel, params: Mapping[str, Any] | None = None) -> Array:
    """Return k(x, z) for each row of X with each row of Z, dense.

    Parameters
    ----------
    X, Z : matrices with the same number of columns
    kernel : a name known to scikit-learn's `pairwise_kernels` ("linear", "rbf", "poly", "cosine", …), or a callable
        that takes two matrices and returns the matrix of all pairs, as for `sklearn.svm.SVC`
    params : parameters of a named kernel (gamma, degree, coef0 …) or keyword arguments of the callable
    """
    params = dict(params or {})
    if callable(kernel):
        K = np.asarray(kernel(X, Z, **params))
        if K.shape != (X.shape[0], Z.shape[0]):
            raise InputError(
                f"kernel returns a matrix of the wrong shape: got {K.shape}, expected {(X.shape[0], Z.shape[0])}. "
                "A callable kernel takes two matrices and returns one value for each pair of their rows."
            )
        check_finite("the kernel matrix", K)
        return K
    check_choice("kernel", kernel, sorted({*PAIRWISE_KERNEL_FUNCTIONS, "precomputed"}))
    if kernel != "precomputed" and X.shape[1] != Z.shape[1]:
        raise InputError(
            f"Z does not match X: got {Z.shape[1]} columns for {X.shape[1]}, expected the same columns in both."
        )
    K = pairwise_kernels(X, Z, metric=kernel, filter_params=False, **params)
    return np.asarray(K.toarray() if is_sparse(K) else K)
