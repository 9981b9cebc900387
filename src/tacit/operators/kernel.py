"""Kernel matrices: k(x, z) for all pairs, as an array, or as an operator that computes blocks of rows when needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from tacit.checks import check_choice, check_finite, is_sparse
from tacit.errors import InputError
from tacit.operators.base import Operator
from tacit.types import Array

__all__ = ["Kernel", "KernelMatrix", "kernel_matrix"]

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


class KernelMatrix(Operator):
    """The products of the kernel matrix k(X, Z); one block of its rows is in memory at a time.

    Parameters
    ----------
    X, Z : matrices with the same number of columns; Z defaults to X
    kernel, params : as for `kernel_matrix`
    block_bytes : maximum memory of a block of rows
    """

    def __init__(
        self,
        X: Any,
        Z: Any = None,
        *,
        kernel: Kernel = "rbf",
        params: Mapping[str, Any] | None = None,
        block_bytes: int = 2**26,
    ) -> None:
        X = X.tocsr() if is_sparse(X) else X  # rows are taken in slices
        self.X, self.Z = X, X if Z is None else Z
        self.kernel, self.params = kernel, params
        super().__init__((self.X.shape[0], self.Z.shape[0]), np.result_type(X.dtype, np.float32))
        self.block_rows = max(1, block_bytes // max(1, self.shape[1] * self.dtype.itemsize))

    def _blocks(self) -> Iterator[tuple[slice, Array]]:
        for start in range(0, self.shape[0], self.block_rows):
            rows = slice(start, min(self.shape[0], start + self.block_rows))
            yield rows, kernel_matrix(self.X[rows], self.Z, self.kernel, self.params).astype(self.dtype, copy=False)

    def _matmat(self, V: Array) -> Array:
        product = np.empty((self.shape[0], V.shape[1]), np.result_type(self.dtype, V.dtype))
        for rows, block in self._blocks():
            product[rows] = block @ V
        return product

    def _rmatmat(self, U: Array) -> Array:
        product = np.zeros((self.shape[1], U.shape[1]), np.result_type(self.dtype, U.dtype))
        for rows, block in self._blocks():
            product += block.T @ U[rows]
        return product
