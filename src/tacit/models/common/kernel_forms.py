"""The record kernel K = X Xᵀ (or any other) in three forms with the same interface.

A spectral model needs five things from the records: the trace of K, regressions on it, fitted values, leverages, and
the leading eigenvectors of K plus a low-rank term. `DualForm` computes them from the dense N x N matrix, `PrimalForm`
from the dense M x M matrix XᵀX, `AugmentedForm` (in `product_forms`) from products with X alone. The first two are
exact and limited to a few thousand rows or columns.

A regression returns *coefficients*: M x p weights of the terms (primal, augmented) or N x p weights of the records
(dual). K with the ridge on its diagonal is written K_r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg as la

from tacit.checks import is_sparse
from tacit.operators import Operator, Stacked, as_operator
from tacit.solve.result import descending
from tacit.types import Array

__all__ = ["DualForm", "LeadingVectors", "PrimalForm", "RecordForm", "dense_block", "symmetric"]


class LeadingVectors(NamedTuple):
    """Leading eigenvalues and eigenvectors V of K plus a low-rank term, and adjoint(V) if the solver has it."""

    values: Array
    vectors: Array
    adjoint: Array | None = None


class RecordForm(ABC):
    """K as models use it; `ridge` is absolute here and added to the diagonal of K in every regression.

    Eigenvalues below `floor` times the largest are zero to working precision. `by_records` means that coefficients are
    weights of the records. `reports` are those of the iterative solvers.
    """

    n_records: int
    trace: float
    ridge: float
    dtype: np.dtype
    floor: float
    by_records: bool = False
    reports: Sequence[Any] = ()

    @abstractmethod
    def adjoint(self, V: Array) -> Array:
        """Return coefficients c with fitted(c) = K V."""

    @abstractmethod
    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Return the coefficients of K_r⁻¹ T: the ridge regressions of the columns of T on the records.

        `crossed` is `adjoint(T)` to the tolerance of the eigenvectors, if it is known; unless that is tight, it saves a
        product.
        """

    @abstractmethod
    def fitted(self, coefficients: Array) -> Array:
        """Return the positions of the training records under these coefficients, N x p."""

    @abstractmethod
    def leading(self, extra: Any, n_components: int, *, root: Array | float | None = None) -> LeadingVectors:
        """Return the leading eigenvalues and eigenvectors of K + extra extraᵀ; of K if `extra` is None.

        A `root` R, a matrix or a number, means that extra = T R, with T from the last call of `regress`.
        """

    def misfit(self, T: Any, coefficients: Array) -> Array:
        """Return T less the fitted values of `regress(T)`, N x p; a sparse T is made dense in blocks of rows."""
        rest = self.fitted(coefficients)
        np.negative(rest, out=rest)
        step = max(1, 2**20 // max(1, T.shape[1]))
        for start in range(0, self.n_records, step):
            rest[start : start + step] += dense_block(T[start : start + step], self.dtype)
        return rest

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Return Tᵀ K_r⁻¹ T, symmetric, from T and B = regress(T): Tᵀ(T − XB) / ridge, or BᵀB without a ridge.

        Taking the difference before the product loses the fewest digits with a small ridge.
        """
        return symmetric(
            T.T @ self.misfit(T, coefficients) / self.ridge if self.ridge else coefficients.T @ coefficients
        )


class _DenseForm(RecordForm):
    """A form with all eigenvalues of K, and therefore with leverages in closed form."""

    values: Array
    vectors: Array

    @abstractmethod
    def left_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield blocks of rows, (rows, block), of the eigenvectors of K whose eigenvalue is not zero."""

    def left_values(self) -> Array:
        """Return the eigenvalues of the columns of `left_blocks`."""
        return self.values[self._real()]

    def _real(self) -> Array:
        """Return which eigenvalues are not zero to working precision."""
        return np.asarray(self.values > self.values.max(initial=0) * self.floor)

    def _inverse_times(self, rhs: Array) -> Array:
        """Return (S + ridge I)⁻¹ rhs, S the decomposed matrix; with its pseudo-inverse if there is no ridge."""
        use = self._real() | (self.ridge > 0)
        filters = np.where(use, 1 / np.where(use, self.values + self.ridge, 1), 0)
        return np.asarray(self.vectors @ (filters[:, None] * (self.vectors.T @ rhs)), dtype=self.dtype)


class DualForm(_DenseForm):
    """K as a dense N x N matrix: any kernel, and wide X. `least` is the smallest computed eigenvalue."""

    by_records = True

    def __init__(self, K: Array, *, ridge: float = 0.0) -> None:
        self.K = (K + K.T) / 2
        self.n_records, self.dtype, self.ridge = len(K), K.dtype, ridge
        self.floor = len(K) * float(np.finfo(K.dtype).eps)
        self.trace = float(np.trace(K, dtype=np.float64))
        values, self.vectors = la.eigh(self.K)
        self.least = float(values.min(initial=0))
        self.values = np.maximum(values, 0)  # rounding leaves some eigenvalues of a singular K a little below zero

    def adjoint(self, V: Array) -> Array:
        """Return V itself, as weights of the records."""
        return V

    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Solve with the eigenvectors of K."""
        return self._inverse_times(dense_block(T, self.dtype))

    def fitted(self, coefficients: Array) -> Array:
        """Return K times the coefficients."""
        return np.asarray(self.K @ coefficients)

    def misfit(self, T: Any, coefficients: Array) -> Array:
        """Return ridge K_r⁻¹ T, which is the same without a difference of nearly equal arrays."""
        return self.ridge * coefficients if self.ridge else super().misfit(T, coefficients)

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Return Tᵀ times the coefficients, which are K_r⁻¹ T here."""
        return symmetric(T.T @ coefficients)

    def leading(self, extra: Any, n_components: int, *, root: Array | float | None = None) -> LeadingVectors:
        """Decompose the N x N matrix."""
        C = self.K
        if extra is not None:
            block = dense_block(extra, self.dtype)
            C = C + block @ block.T
        n = self.n_records
        return LeadingVectors(*descending(*la.eigh(C, subset_by_index=(max(0, n - n_components), n - 1))))

    def left_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield all rows at once."""
        yield slice(0, self.n_records), self.vectors[:, self._real()]


class PrimalForm(_DenseForm):
    """XᵀX as a dense M x M matrix: tall X with few terms.

    The matrix is summed and decomposed in double precision: in float32 the rounding of sums over many records would
    hide the smaller eigenvalues.
    """

    def __init__(self, X: Any, *, ridge: float = 0.0) -> None:
        self.matrix, self.X = X, as_operator(X)
        self.n_records, self.dtype, self.ridge = self.X.shape[0], self.X.dtype, ridge
        eps = float(np.finfo(self.dtype).eps)
        self.floor = max(max(self.X.shape) * float(np.finfo(np.float64).eps), (100 * eps) ** 2)
        self.gram = _double_gram(X, X)
        self.trace = float(np.trace(self.gram))
        values, self.vectors = la.eigh((self.gram + self.gram.T) / 2)
        self.values = np.maximum(values, 0)

    def adjoint(self, V: Array) -> Array:
        """Return XᵀV."""
        return np.asarray(self.X.T @ V)

    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Solve with the eigenvectors of XᵀX."""
        # a sparse T is not made dense: with many labels it would be far larger than X
        rhs = self.matrix.T @ (T.astype(self.dtype) if is_sparse(T) else np.asarray(T, self.dtype))
        return self._inverse_times(dense_block(rhs, self.dtype))

    def fitted(self, coefficients: Array) -> Array:
        """Return X times the coefficients."""
        return np.asarray(self.X @ coefficients)

    def leading(self, extra: Any, n_components: int, *, root: Array | float | None = None) -> LeadingVectors:
        """Decompose the Gram matrix of [X, extra], and turn its eigenvectors into those of the records."""
        gram, Z = self.gram, self.X
        if extra is not None:
            block = dense_block(extra, self.dtype)
            corner = _double_gram(self.matrix, block)
            gram = np.block([[gram, corner], [corner.T, _double_gram(block, block)]])
            Z = Stacked([Z, block])
        n = len(gram)
        values, right = descending(*la.eigh(gram, subset_by_index=(max(0, n - n_components), n - 1)))
        values = np.where(values > values.max(initial=0) * n * np.finfo(np.float64).eps, values, 0)
        lengths = np.where(values > 0, np.sqrt(values), 1)
        return LeadingVectors(values, np.asarray(Z @ (right / lengths).astype(self.dtype)))

    def left_blocks(self) -> Iterator[tuple[slice, Array]]:
        """Compute them from those of XᵀX, some rows at a time."""
        directions = (self.vectors[:, self._real()] / np.sqrt(self.left_values())).astype(self.dtype)
        step = max(1, 2**24 // max(1, self.vectors.shape[1]))
        for start in range(0, self.n_records, step):
            rows = slice(start, min(self.n_records, start + step))
            yield rows, np.asarray(self.matrix[rows] @ directions)


def _double_gram(A: Any, B: Any) -> Array:
    """Return AᵀB in double precision, one block of rows at a time, without a float64 copy of A."""
    total = np.zeros((A.shape[1], B.shape[1]))
    step = max(1, 2**22 // max(1, A.shape[1], B.shape[1]))
    for start in range(0, A.shape[0], step):
        rows = slice(start, start + step)
        total += dense_block(A[rows].astype(np.float64).T @ B[rows].astype(np.float64), np.float64)
    return total


def symmetric(products: Any) -> Array:
    """Return a matrix of products in double precision, made exactly symmetric."""
    J = np.asarray(products, dtype=np.float64)
    return np.asarray((J + J.T) / 2)


def dense_block(T: Any, dtype: Any) -> Array:
    """Return a block of columns as a dense array."""
    if isinstance(T, Operator):
        T = T.to_dense()
    return np.asarray(T.toarray() if is_sparse(T) else T, dtype=dtype)
