"""What a solver sees of a matrix: its shape and its products with blocks of vectors.

`MatrixOperator` is the one place where a product with the data itself happens. Row blocks on disk, threads or a cluster
come in here, as another class with the same four methods; no solver and no model knows which one it has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from tacit.errors import InputError

__all__ = ["MatrixOperator", "Operator", "as_operator"]

Array = np.ndarray[Any, np.dtype[Any]]


class Operator(LinearOperator):
    """A SciPy `LinearOperator` that demands the block products.

    SciPy's own fall-back multiplies column by column, many times slower than a block; so a subclass writes
    `_matmat` and `_rmatmat`, and the single-vector products follow from them.

    Parameters
    ----------
    shape : (int, int)
    dtype : dtype of the products
    """

    def __init__(self, shape: tuple[int, int], dtype: Any) -> None:
        super().__init__(dtype=np.dtype(dtype), shape=shape)

    def _matmat(self, V: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define the block product _matmat")

    def _rmatmat(self, U: Array) -> Array:
        raise NotImplementedError(f"{type(self).__name__} must define the block product _rmatmat")

    def _matvec(self, v: Array) -> Array:
        return self._matmat(v.reshape(-1, 1))

    def _rmatvec(self, u: Array) -> Array:
        return self._rmatmat(u.reshape(-1, 1))

    def _transpose(self) -> Operator:
        return _Transposed(self)

    def _adjoint(self) -> Operator:
        return _Transposed(self)  # everything here is real

    def squared_norm(self) -> float:
        """The squared Frobenius norm, i.e. the trace of the Gram matrix; from the entries where they are at hand."""
        raise NotImplementedError(f"{type(self).__name__} does not know its Frobenius norm")

    def to_dense(self) -> Array:
        """The matrix itself, for small problems and for tests."""
        return np.asarray(self @ np.eye(self.shape[1], dtype=self.dtype))


class _Transposed(Operator):
    """The transpose of an operator, without the copies that SciPy's conjugation makes."""

    def __init__(self, operator: Operator) -> None:
        super().__init__((operator.shape[1], operator.shape[0]), operator.dtype)
        self.operator = operator

    def _matmat(self, V: Array) -> Array:
        return self.operator._rmatmat(V)

    def _rmatmat(self, U: Array) -> Array:
        return self.operator._matmat(U)

    def _transpose(self) -> Operator:
        return self.operator

    def _adjoint(self) -> Operator:
        return self.operator

    def squared_norm(self) -> float:
        return self.operator.squared_norm()


class MatrixOperator(Operator):
    """Products with a matrix held in memory, dense or sparse."""

    def __init__(self, matrix: Any) -> None:
        super().__init__(matrix.shape, matrix.dtype)
        self.matrix = matrix

    def _matmat(self, V: Array) -> Array:
        return np.asarray(self.matrix @ V)

    def _rmatmat(self, U: Array) -> Array:
        return np.asarray(self.matrix.T @ U)

    def squared_norm(self) -> float:
        entries = self.matrix.data if sp.issparse(self.matrix) else self.matrix.ravel(order="K")
        return sum(  # in blocks: a float64 copy of all the entries would cost more than the matrix
            float(np.square(entries[start : start + 2**20], dtype=np.float64).sum()) for start in range(0, entries.size, 2**20)
        )

    def to_dense(self) -> Array:
        return np.asarray(self.matrix.toarray() if sp.issparse(self.matrix) else self.matrix)


def as_operator(matrix: Any) -> Operator:
    """Wrap a dense or sparse matrix of floats; an operator passes through."""
    if isinstance(matrix, Operator):
        return matrix
    if sp.issparse(matrix):
        if matrix.format not in ("csr", "csc"):
            matrix = matrix.tocsr()
    else:
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise InputError(f"the operator is not a matrix: got {matrix.ndim} dimensions, expected 2.")
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    return MatrixOperator(matrix)
