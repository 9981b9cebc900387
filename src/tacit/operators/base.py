"""What a solver sees of a matrix: its shape and its products with blocks of vectors.

`MatrixOperator` multiplies a matrix in memory. Rows on disk or on a cluster are other subclasses of `Operator` with the
same methods; solvers and models do not know which one they have.
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

__all__ = ["Gram", "MatrixOperator", "Operator", "as_operator"]

# Columns of V for which AᵀA V is computed at a time: more would not fit into the cache, and with many records the
# intermediate A V would be the largest array of all.
_STRIPE = 32
_ENTRIES = 2**20  # of a matrix, whose squares are in memory at the same time


class Operator(LinearOperator):
    """A SciPy `LinearOperator` that requires the block products.

    SciPy's own fallback multiplies column by column, which is many times slower; so a subclass defines `_matmat` and
    `_rmatmat`, and the products with single vectors follow from them.
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

    _adjoint = _transpose  # everything here is real

    def dot(self, x: Any) -> Any:
        """Multiply with a vector or a block of vectors after checking its shape; `A @ x` calls this method.

        A sparse block is made dense, as the product would be dense; another operator or a number returns a SciPy
        operator.
        """
        if isinstance(x, LinearOperator) or np.ndim(x) == 0:
            return super().dot(x)
        x = x.toarray() if is_sparse(x) else np.asarray(x)
        if x.ndim not in (1, 2) or x.shape[0] != self.shape[1]:
            raise InputError(
                f"the operator of shape {self.shape} cannot be multiplied with this array: got shape {x.shape}, "
                f"expected a vector of length {self.shape[1]} or a block with as many rows."
            )
        return super().dot(x)

    @property
    def is_dense(self) -> bool:
        """Whether products are dense matrix products, which are more efficient the more columns they have."""
        return False

    @property
    def is_outside_memory(self) -> bool:
        """Whether every product reads rows on disk or on a cluster; see `tacit.checks.is_outside_memory`."""
        return False

    @property
    def n_bytes(self) -> int:
        """Memory that the matrix takes, with which solvers compare that of their own arrays; 0 if unknown.

        For rows outside memory, what they would take in memory, so that solvers behave the same everywhere.
        """
        return 0

    def forget(self) -> None:
        """Release what is kept from one product to the next; a later product computes it again."""

    def gram(self, V: Array) -> Array:
        """Return AᵀA V; if A is sparse, a few columns at a time, so that the intermediate A V stays narrow."""
        if self.is_dense or V.shape[1] <= _STRIPE:
            return np.asarray(self.T @ (self @ V))
        order: Literal["C", "F"] = "F" if V.flags.f_contiguous else "C"  # the order that the solver uses
        product = np.empty((self.shape[1], V.shape[1]), np.result_type(self.dtype, V.dtype), order=order)
        for first in range(0, V.shape[1], _STRIPE):
            columns = slice(first, first + _STRIPE)
            product[:, columns] = self.T @ (self @ V[:, columns])
        return product

    def square(self) -> Array:
        """Return AᵀA itself, dense, for an A with few columns."""
        square = np.empty((self.shape[1], self.shape[1]), self.dtype)
        for columns, part in self.some_columns():
            square[:, columns] = self.T @ part
        return square

    def some_columns(self) -> Iterator[tuple[slice, Array]]:
        """Yield dense columns with their positions, a few at a time: all of them may take far more memory than A."""
        unit = np.eye(self.shape[1], dtype=self.dtype)
        for first in range(0, self.shape[1], _STRIPE):
            columns = slice(first, min(first + _STRIPE, self.shape[1]))
            yield columns, np.asarray(self @ unit[:, columns])

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm, i.e. the trace of the Gram matrix, if the entries are known."""
        raise NotImplementedError(f"{type(self).__name__} does not know its Frobenius norm")

    def column_squares(self) -> Array | None:
        """Return the squared length of each column, in double precision; None if that would take many products."""
        return None

    def to_dense(self) -> Array:
        """Return the matrix itself, for small problems and for tests."""
        if self.shape[0] < self.shape[1]:  # by the shorter side: the other identity would be larger than the matrix
            return np.asarray(self.T @ np.eye(self.shape[0], dtype=self.dtype)).T
        return np.asarray(self @ np.eye(self.shape[1], dtype=self.dtype))


class _Transposed(Operator):
    """The transpose of an operator, without the copies that conjugation in SciPy makes."""

    def __init__(self, operator: Operator) -> None:
        super().__init__((operator.shape[1], operator.shape[0]), operator.dtype)
        self.operator = operator

    @property
    def is_dense(self) -> bool:
        """Same as for the operator."""
        return self.operator.is_dense

    @property
    def is_outside_memory(self) -> bool:
        """Same as for the operator."""
        return self.operator.is_outside_memory

    def _matmat(self, V: Array) -> Array:
        return self.operator._rmatmat(V)

    def _rmatmat(self, U: Array) -> Array:
        return self.operator._matmat(U)

    def _transpose(self) -> Operator:
        return self.operator

    _adjoint = _transpose

    def squared_norm(self) -> float:
        """Return the squared Frobenius norm of the operator."""
        return self.operator.squared_norm()


class MatrixOperator(Operator):
    """Products with a matrix held in memory, dense or sparse."""

    def __init__(self, matrix: Any) -> None:
        super().__init__(matrix.shape, matrix.dtype)
        self.matrix = matrix
        # a CSC matrix is the CSR matrix of its transpose; done once, as it is slow compared with a narrow product
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
        """Return the squared Frobenius norm, summed in double precision."""
        matrix = self.matrix
        if is_sparse(matrix) and not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()  # or the squares of duplicates would be added, not the square of their sum
        entries = matrix.data if is_sparse(matrix) else matrix.ravel(order="K")
        # in blocks: a float64 copy of all entries would take more memory than the matrix
        blocks = (entries[start : start + 2**17] for start in range(0, entries.size, 2**17))
        return float(sum(np.square(block, dtype=np.float64).sum() for block in blocks))

    def column_squares(self) -> Array:
        """Return the squared length of each column, in double precision."""
        if self.is_dense:
            return np.asarray(np.einsum("ij,ij->j", self.matrix, self.matrix, dtype=np.float64))
        matrix = self.matrix.tocsr() if self._by_columns else self.matrix
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        squares = np.zeros(self.shape[1])
        for first in range(0, matrix.data.size, _ENTRIES):  # the squares of all entries would be larger than the matrix
            part = slice(first, first + _ENTRIES)
            values = np.square(matrix.data[part], dtype=np.float64)
            squares += np.bincount(matrix.indices[part], values, minlength=self.shape[1])
        return squares

    def square(self) -> Array:
        """Return AᵀA itself, dense."""
        square = self.matrix.T @ self.matrix
        return np.asarray(square.toarray() if is_sparse(square) else square)

    def to_dense(self) -> Array:
        """Return the matrix itself."""
        return np.asarray(self.matrix.toarray() if is_sparse(self.matrix) else self.matrix)


def as_operator(matrix: Any) -> Operator:
    """Wrap a dense or sparse matrix of numbers; an operator is returned as it is, float32 stays float32."""
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
            "Pass an array, a sparse matrix or an Operator."
        )
    if matrix.ndim != 2:
        raise InputError(f"the operator is not a matrix: got {matrix.ndim} dimensions, expected 2.")
    if matrix.dtype not in (np.float32, np.float64):  # the types of LAPACK and of sparse products
        matrix = matrix.astype(np.float64)
    return MatrixOperator(matrix)


class Gram(Operator):
    """AᵀA + shift·I, on the columns of A; `Gram(A.T)` is A Aᵀ, on its rows."""

    def __init__(self, operator: Any, *, shift: float = 0.0) -> None:
        self.operator = as_operator(operator)
        n = self.operator.shape[1]
        super().__init__((n, n), self.operator.dtype)
        self.shift = self.dtype.type(shift)

    @property
    def n_bytes(self) -> int:
        """Memory that A takes."""
        return self.operator.n_bytes

    def diagonal(self) -> Array | None:
        """Return the diagonal, in double precision; None if that would take many products."""
        squares = self.operator.column_squares()
        return None if squares is None else squares + float(self.shift)

    def _matmat(self, V: Array) -> Array:
        product = self.operator.gram(V)
        if self.shift:
            for first in range(0, V.shape[1], _STRIPE):  # the whole of shift·V would be another large array
                columns = slice(first, first + _STRIPE)
                product[:, columns] += self.shift * V[:, columns]
        return product

    def _rmatmat(self, U: Array) -> Array:
        return self._matmat(U)
