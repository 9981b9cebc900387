"""Leading eigenpairs, singular triplets and least squares of operators."""

from tacit.solve.choice.choose import leading_eigenpairs, leading_singular_triplets
from tacit.solve.linear.least_squares import least_squares
from tacit.solve.result import Eigenpairs, LeastSquares, SingularTriplets, without_vectors

__all__ = [
    "Eigenpairs",
    "LeastSquares",
    "SingularTriplets",
    "leading_eigenpairs",
    "leading_singular_triplets",
    "least_squares",
    "without_vectors",
]
