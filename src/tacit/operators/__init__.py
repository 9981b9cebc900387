"""Matrices by their products with blocks of vectors: one class for each term of an objective."""

from tacit.operators.algebra import Centred, DiagonalPlusLowRank, Product, Scaled, Stacked, Sum, SymmetricBlocks
from tacit.operators.base import MatrixOperator, Operator, as_operator
from tacit.operators.gram import Gram
from tacit.operators.kernel import Kernel, KernelMatrix, kernel_matrix

__all__ = [
    "Centred",
    "DiagonalPlusLowRank",
    "Gram",
    "Kernel",
    "KernelMatrix",
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
