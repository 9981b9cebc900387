"""The record kernel K = X Xᵀ (or any other) in three forms that answer the same questions.

A spectral model needs five things of the records: the trace of K, regressions on it, fitted values, leverages, and the leading
eigenvectors of K plus some low-rank term. `DualForm` gives them from the dense N x N matrix, `PrimalForm` from the dense
M x M matrix XᵀX, `AugmentedForm` from products with X alone. The first two are exact and end at a few thousand rows or columns.

What a regression gives are *coefficients*: M x p weights of the terms (primal, augmented) or N x p weights of the records (dual).
K with the ridge on its diagonal is written K_r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.operators import Gram, Operator, Stacked, as_operator
from tacit.operators.base import Array
from tacit.solve import leading_singular_triplets, least_squares, without_vectors
from tacit.solve.least_squares import block_cg
from tacit.solve.signs import descending

__all__ = ["AugmentedForm", "DualForm", "PrimalForm", "RecordForm", "dense_block"]


class RecordForm(ABC):
    """What a model asks of K; `ridge` is absolute here, and added to the diagonal of K in every regression."""

    n_records: int
    trace: float
    ridge: float
    dtype: np.dtype

    @abstractmethod
    def adjoint(self, V: Array) -> Array:
        """Coefficients c with fitted(c) = K V."""

    @abstractmethod
    def regress(self, T: Any) -> Array:
        """Coefficients of K_r⁻¹ T: the ridge regressions of the columns of T on the records."""

    @abstractmethod
    def fitted(self, coefficients: Array) -> Array:
        """Positions of the training records under these coefficients, N x p."""

    @abstractmethod
    def leading(self, extra: Any, n_components: int) -> tuple[Array, Array]:
        """Leading eigenvalues and eigenvectors of K + extra extraᵀ; of K if there is no extra."""

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Tᵀ K_r⁻¹ T, symmetric, from T and regress(T)."""
        J = np.asarray(T.T @ (T - self.fitted(coefficients)), dtype=np.float64) / self.ridge
        return (J + J.T) / 2


class _DenseForm(RecordForm):
    """A form that knows all eigenvalues s of K and so has leverages in closed form."""

    values: Array

    def _filters(self) -> Array:
        """1 / (s + ridge), and 0 where s and the ridge are both nothing: the pseudo-inverse."""
        real = self.values > self.values.max(initial=0) * max(self.n_records, self.values.size) * np.finfo(self.dtype).eps
        return np.where(real | (self.ridge > 0), 1 / np.where(real | (self.ridge > 0), self.values + self.ridge, 1), 0)

    @abstractmethod
    def left_blocks(self) -> Any:
        """Blocks of rows of the eigenvectors of K whose eigenvalue is not zero: (rows, block)."""

    @abstractmethod
    def left_values(self) -> Array:
        """The eigenvalues that go with the columns of `left_blocks`."""


class DualForm(_DenseForm):
    """K as a dense N x N matrix: any kernel, and wide X."""

    def __init__(self, K: Array, *, ridge: float = 0.0) -> None:
        self.K = (K + K.T) / 2
        self.n_records, self.dtype, self.ridge = len(K), K.dtype, ridge
        self.trace = float(np.trace(K, dtype=np.float64))
        values, self.vectors = la.eigh(self.K)
        self.values = np.maximum(values, 0)

    def adjoint(self, V: Array) -> Array:
        return V

    def regress(self, T: Any) -> Array:
        return np.asarray(self.vectors @ (self._filters()[:, None] * (self.vectors.T @ dense_block(T, self.dtype))))

    def fitted(self, coefficients: Array) -> Array:
        return np.asarray(self.K @ coefficients)

    def cross(self, T: Any, coefficients: Array) -> Array:
        J = np.asarray(T.T @ coefficients, dtype=np.float64)
        return (J + J.T) / 2

    def leading(self, extra: Any, n_components: int) -> tuple[Array, Array]:
        C = self.K
        if extra is not None:
            block = dense_block(extra, self.dtype)
            C = C + block @ block.T
        n = self.n_records
        return descending(*la.eigh(C, subset_by_index=(max(0, n - n_components), n - 1)))

    def left_blocks(self) -> Any:
        yield slice(0, self.n_records), self.vectors[:, self._real()]

    def left_values(self) -> Array:
        return self.values[self._real()]

    def _real(self) -> Array:
        return self.values > self.values.max(initial=0) * self.n_records * np.finfo(self.dtype).eps


class PrimalForm(_DenseForm):
    """XᵀX as a dense M x M matrix: tall X with few terms."""

    def __init__(self, X: Any, *, ridge: float = 0.0) -> None:
        self.X = as_operator(X)
        self.n_records, self.dtype, self.ridge = self.X.shape[0], self.X.dtype, ridge
        matrix = getattr(X, "matrix", X)
        gram = matrix.T @ matrix
        self.gram = np.asarray(gram.toarray() if sp.issparse(gram) else gram)
        self.trace = float(np.trace(self.gram, dtype=np.float64))
        values, self.vectors = la.eigh((self.gram + self.gram.T) / 2)
        self.values = np.maximum(values, 0)

    def adjoint(self, V: Array) -> Array:
        return np.asarray(self.X.T @ V)

    def regress(self, T: Any) -> Array:
        rhs = self.X.T @ dense_block(T, self.dtype)
        return np.asarray(self.vectors @ (self._filters()[:, None] * (self.vectors.T @ rhs)))

    def fitted(self, coefficients: Array) -> Array:
        return np.asarray(self.X @ coefficients)

    def cross(self, T: Any, coefficients: Array) -> Array:
        if self.ridge:
            return super().cross(T, coefficients)
        return np.asarray(coefficients.T @ coefficients, dtype=np.float64)  # BᵀB, the shortest regressions

    def leading(self, extra: Any, n_components: int) -> tuple[Array, Array]:
        gram, Z = self.gram, self.X
        if extra is not None:
            block = dense_block(extra, self.dtype)
            corner = self.X.T @ block
            gram = np.block([[gram, corner], [corner.T, block.T @ block]])
            Z = Stacked([Z, block])
        n = len(gram)
        values, right = descending(*la.eigh(gram, subset_by_index=(max(0, n - n_components), n - 1)))
        values = np.maximum(values, 0)
        V = Z @ right
        return values, V / np.where(values > 0, np.sqrt(values), 1)

    def left_blocks(self) -> Any:
        directions = self.vectors[:, self._real()] / np.sqrt(self.left_values())
        step = max(1, 2**24 // max(1, self.vectors.shape[1]))
        for start in range(0, self.n_records, step):
            rows = slice(start, min(self.n_records, start + step))
            yield rows, np.asarray(self.X.matrix[rows] @ directions)  # type: ignore[attr-defined]

    def left_values(self) -> Array:
        return self.values[self._real()]

    def _real(self) -> Array:
        size = max(self.n_records, self.values.size)
        return self.values > self.values.max(initial=0) * size * np.finfo(self.dtype).eps


class AugmentedForm(RecordForm):
    """K by products with X only: one truncated SVD and a few block least-squares solves, no N x N or M x M matrix.

    Parameters
    ----------
    X : matrix or Operator, N x M
    ridge : absolute ridge
    tol, max_iter, rng : for the solvers
    """

    def __init__(
        self, X: Any, *, ridge: float = 0.0, tol: float = 1e-3, max_iter: int | None = None, rng: np.random.Generator
    ) -> None:
        self.X = as_operator(X)
        self.n_records, self.dtype, self.ridge = self.X.shape[0], self.X.dtype, ridge
        self.trace = self.X.squared_norm()
        self.tol, self.max_iter, self.rng = tol, max_iter, rng
        self.reports: list[Any] = []

    def adjoint(self, V: Array) -> Array:
        return np.asarray(self.X.T @ V)

    def regress(self, T: Any) -> Array:
        wide = self.X.shape[0] < self.X.shape[1]
        if wide and self.ridge:  # K_r U = T on the shorter side, then XᵀU
            found = block_cg(Gram(self.X.T, shift=self.ridge), dense_block(T, self.dtype), tol=self.tol, max_iter=self.max_iter or 500)
            coefficients = np.asarray(self.X.T @ found.solution)
        else:
            found = least_squares(self.X, T, ridge=self.ridge, tol=self.tol, max_iter=self.max_iter)
            coefficients = found.solution
        self.reports.append(without_vectors(found))
        return coefficients

    def fitted(self, coefficients: Array) -> Array:
        return np.asarray(self.X @ coefficients)

    def cross(self, T: Any, coefficients: Array) -> Array:
        if not self.ridge:
            return np.asarray(coefficients.T @ coefficients, dtype=np.float64)
        inner = T.T @ T
        inner = np.asarray(inner.toarray() if sp.issparse(inner) else inner, dtype=np.float64)
        J = (inner - np.asarray(T.T @ self.fitted(coefficients), dtype=np.float64)) / self.ridge
        return (J + J.T) / 2

    def leading(self, extra: Any, n_components: int) -> tuple[Array, Array]:
        Z, start = self.X, None
        if extra is not None:
            Z = Stacked([self.X, extra])
            start = self._label_start(Z, extra, n_components)
        found = leading_singular_triplets(Z, n_components, tol=self.tol, max_iter=self.max_iter, rng=self.rng, start=start)
        self.reports.append(without_vectors(found))
        return found.values**2, np.asarray(found.left)

    def _label_start(self, Z: Operator, extra: Any, n_components: int) -> Array:
        """Zᵀ extra: the labels are most of what the space bends towards, so the iteration starts with them."""
        width = as_operator(extra).shape[1]
        if width <= n_components:
            mix = np.eye(width, dtype=self.dtype)
        else:
            mix = self.rng.standard_normal((width, n_components)).astype(self.dtype)
        return np.asarray(Z.T @ (as_operator(extra) @ mix))


def dense_block(T: Any, dtype: Any) -> Array:
    """A block of columns as a dense array."""
    if isinstance(T, Operator):
        T = T.to_dense()
    return np.asarray(T.toarray() if sp.issparse(T) else T, dtype=dtype)
