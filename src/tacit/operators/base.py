"""What a solver sees of a matrix: its shape and its products with blocks of vectors.

`MatrixOperator` is the one place where a product with the data itself happens. Row blocks on disk or a cluster come in
here, as another class with the same four methods; no solver and no model knows which one it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from scipy.sparse.linalg import LinearOperator

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.operators.products.sparse import backward, forward
from tacit.types import Array

__all__ = ["MatrixOperator", "Operator", "as_operator"]


# Columns that go through both products of AᵀA V at a time: more would leave the cache, and with many records what is
# in between would be the largest array of all.
_STRIPE = 32


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
        super().__init__(np.dtype(dtype), shape)  # type: ignore[call-arg] # the stubs give it no constructor

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

    def dot(self, x: Any) -> Any:
        """Multiply with a vector or a block of them, after a look at its shape; `A @ x` comes through here.

        A sparse block is made dense, since the product would be; another operator or a number gives a SciPy operator.
        """
        if isinstance(x, LinearOperator) or np.ndim(x) == 0:
            return super().dot(x)
        x = x.toarray() if is_sparse(x) else np.asarray(x)
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise InputError(
                f"the operator of shape {self.shape} cannot be multiplied with this: got shape {x.shape}, "
                f"expected a vector of length {self.shape[1]} or a block of as many rows."
            )
        return super().dot(x)

    @property
    def is_dense(self) -> bool:
        """Whether products are dense matrix products, which gain from every further column."""
        return False

    @property
    def is_outside_memory(self) -> bool:
        """Whether every product reads rows that are on disk or on a cluster; see `tacit.checks.is_outside_memory`."""
        return False

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix takes, beside which the arrays of a solver are small or not; 0 if it is unknown.

        Of rows that are elsewhere, what they would take here: solvers go by it, and are to give the same everywhere.
        """
        return 0

    def forget(self) -> None:
        """Let go of what is kept from one product to the next; a later product makes it anew."""

    def gram(self, V: Array) -> Array:
        """Give AᵀA V; where A is sparse, some columns at a time, so that what is in between stays narrow."""
        if self.is_dense or V.shape[1] <= _STRIPE:
            return np.asarray(self.T @ (self @ V))
        order: Literal["C", "F"] = "F" if V.flags.f_contiguous else "C"  # as the solver likes it
        product = np.empty((self.shape[1], V.shape[1]), np.result_type(self.dtype, V.dtype), order=order)
        for first in range(0, V.shape[1], _STRIPE):
            columns = slice(first, first + _STRIPE)
            product[:, columns] = self.T @ (self @ V[:, columns])
        return product

    def square(self) -> Array:
        """Give AᵀA itself, dense, for an A with few columns."""
        square = np.empty((self.shape[1], self.shape[1]), self.dtype)
        for columns, part in self.some_columns():
            square[:, columns] = self.T @ part
        return square

    def some_columns(self) -> Iterator[tuple[slice, Array]]:
        """Give the columns of the matrix itself, some at a time, and which; all of them may be far more than it is."""
        unit = np.eye(self.shape[1], dtype=self.dtype)
        for first in range(0, self.shape[1], _STRIPE):
            columns = slice(first, min(first + _STRIPE, self.shape[1]))
            yield columns, np.asarray(self @ unit[:, columns])

    def squared_norm(self) -> float:
        """Give the squared Frobenius norm, i.e. the trace of the Gram matrix, where the entries are at hand."""
        raise NotImplementedError(f"{type(self).__name__} does not know its Frobenius norm")

    def to_dense(self) -> Array:
        """Give the matrix itself, for small problems and for tests."""
        if self.shape[0] < self.shape[1]:  # the shorter side, or the identity would be larger than the matrix
            return np.asarray(self.T @ np.eye(self.shape[0], dtype=self.dtype)).T
        return np.asarray(self @ np.eye(self.shape[1], dtype=self.dtype))


class _Transposed(Operator):
    """The transpose of an operator, without the copies that SciPy's conjugation makes."""

    def __init__(self, operator: Operator) -> None:
        super().__init__((operator.shape[1], operator.shape[0]), operator.dtype)
        self.operator = operator

    @property
    def is_dense(self) -> bool:
        """As the operator itself."""
        return self.operator.is_dense

    @property
    def is_outside_memory(self) -> bool:
        """As the operator itself."""
        return self.operator.is_outside_memory

    def _matmat(self, V: Array) -> Array:
        return self.operator._rmatmat(V)

    def _rmatmat(self, U: Array) -> Array:
        return self.operator._matmat(U)

    def _transpose(self) -> Operator:
        return self.operator

    def _adjoint(self) -> Operator:
        return self.operator

    def squared_norm(self) -> float:
        """Give the squared Frobenius norm, the same as of the operator itself."""
        return self.operator.squared_norm()


class MatrixOperator(Operator):
    """Products with a matrix held in memory, dense or sparse."""

    def __init__(self, matrix: Any) -> None:
        super().__init__(matrix.shape, matrix.dtype)
        self.matrix = matrix
        # a CSC matrix is the CSR matrix of its transpose; no copy, but enough work to feel beside a narrow block
        self._by_columns = is_sparse(matrix) and matrix.format == "csc"
        self._rows = matrix.T if self._by_columns else matrix

    @property
    def is_dense(self) -> bool:
        """True for an array."""
        return not is_sparse(self.matrix)

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix takes."""
        if self.is_dense:
            return int(self.matrix.nbytes)
        return int(self.matrix.data.nbytes + self.matrix.indices.nbytes + self.matrix.indptr.nbytes)

    def _matmat(self, V: Array) -> Array:
        if self.is_dense:
            return np.asarray(self.matrix @ V)
        return backward(self._rows, V) if self._by_columns else forward(self._rows, V)

    def _rmatmat(self, U: Array) -> Array:
        if self.is_dense:
            return np.asarray(self.matrix.T @ U)
        return forward(self._rows, U) if self._by_columns else backward(self._rows, U)

    def squared_norm(self) -> float:
        """Give the squared Frobenius norm, summed in double precision."""
        matrix = self.matrix
        if is_sparse(matrix) and not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()  # squares of parts are not the square of their sum
        entries = matrix.data if is_sparse(matrix) else matrix.ravel(order="K")
        # in blocks: a float64 copy of all the entries would cost more than the matrix
        blocks = (entries[start : start + 2**17] for start in range(0, entries.size, 2**17))
        return float(sum(np.square(block, dtype=np.float64).sum() for block in blocks))

    def square(self) -> Array:
        """Give AᵀA itself, dense."""
        square = self.matrix.T @ self.matrix
        return np.asarray(square.toarray() if is_sparse(square) else square)

    def to_dense(self) -> Array:
        """Give the matrix itself."""
        return np.asarray(self.matrix.toarray() if is_sparse(self.matrix) else self.matrix)


def as_operator(matrix: Any) -> Operator:
    """Wrap a dense or sparse matrix of numbers; an operator passes through, float32 stays float32."""
    if isinstance(matrix, Operator):
        return matrix
    if is_sparse(matrix):
        if matrix.format not in ("csr", "csc"):
            matrix = matrix.tocsr()
    else:
        matrix = np.asarray(matrix)
    if matrix.dtype.kind not in "buif":
        raise InputError(
            f"the operator is not a matrix of real numbers: got {matrix.dtype}, expected floats. "
            "Give an array, a sparse matrix or an Operator."
        )
    if matrix.ndim != 2:
        raise InputError(f"the operator is not a matrix: got {matrix.ndim} dimensions, expected 2.")
    if matrix.dtype not in (np.float32, np.float64):  # LAPACK and sparse products know these two
        matrix = matrix.astype(np.float64)
    return MatrixOperator(matrix)
