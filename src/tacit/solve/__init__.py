"""Leading eigenpairs, singular triplets and least squares of operators; numerics, no papers, no names of rows and columns."""

from tacit.solve.choose import leading_eigenpairs, leading_singular_triplets
from tacit.solve.least_squares import least_squares
from tacit.solve.result import Eigenpairs, LeastSquares, SingularTriplets, without_vectors

__all__ = [
    "Eigenpairs",
    "LeastSquares",
    "SingularTriplets",
    "least_squares",
    "leading_eigenpairs",
    "leading_singular_triplets",
    "without_vectors",
]
