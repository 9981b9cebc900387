"""Matrices represented by their products with blocks of vectors: one class per kind of matrix."""

from tacit.operators.algebra import Centred, DiagonalPlusLowRank, Product, Scaled, Stacked, Sum, SymmetricBlocks
from tacit.operators.base import Gram, MatrixOperator, Operator, as_operator
from tacit.operators.kernel import Kernel, kernel_matrix

__all__ = [
    "Centred",
    "DiagonalPlusLowRank",
    "Gram",
    "Kernel",
    "MatrixOperator",
    "Operator",
    "Product",
    "Scaled",
    "Stacked",
    "Sum",
    "SymmetricBlocks",
    "as_operator",
    "kernel_matrix",
]
