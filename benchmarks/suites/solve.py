"""Eigenpairs, singular triplets and least squares by each solver."""

# ruff: noqa: D102 - asv shows the names of the methods, which say what they do

from __future__ import annotations

import numpy as np

from tacit.solve import leading_singular_triplets, least_squares

from .profiles import collection, profile

__all__ = ["Regressions", "SingularTriplets"]


class SingularTriplets:
    """The largest singular triplets of a sparse matrix."""

    params = (("lanczos", "krylov"), (1e-2, 1e-6))
    param_names = ("solver", "tol")
    timeout = 600

    def setup(self, solver: str, tol: float) -> None:
        self.X, _ = collection(profile())
        self.k = profile().n_components

    def time_triplets(self, solver: str, tol: float) -> None:
        leading_singular_triplets(self.X, self.k, solver=solver, tol=tol)

    def peakmem_triplets(self, solver: str, tol: float) -> None:
        leading_singular_triplets(self.X, self.k, solver=solver, tol=tol)

    def track_largest_residual(self, solver: str, tol: float) -> float:
        """Measure ‖AᵀA v − σ² v‖ / σ² anew, in double precision, whatever the solver says of itself."""
        found = leading_singular_triplets(self.X, self.k, solver=solver, tol=tol)
        X, right, squares = (
            self.X.astype(np.float64),
            found.right.astype(np.float64),
            found.values.astype(np.float64) ** 2,
        )
        return float((np.linalg.norm(X.T @ (X @ right) - right * squares, axis=0) / squares).max())


class Regressions:
    """Ridge regressions of all labels on the words."""

    params = (("block-cg", "cg"),)
    param_names = ("solver",)
    timeout = 600

    def setup(self, solver: str) -> None:
        self.X, self.Y = collection(profile())

    def time_regressions(self, solver: str) -> None:
        least_squares(self.X, self.Y, ridge=1.0, tol=1e-4, solver=solver)

    def peakmem_regressions(self, solver: str) -> None:
        least_squares(self.X, self.Y, ridge=1.0, tol=1e-4, solver=solver)

    def track_largest_residual(self, solver: str) -> float:
        """Measure the residual of the normal equations anew, in double precision."""
        found = least_squares(self.X, self.Y, ridge=1.0, tol=1e-4, solver=solver)
        X, W = self.X.astype(np.float64), found.solution.astype(np.float64)
        right = X.T @ self.Y.toarray()
        return float((np.linalg.norm(right - X.T @ (X @ W) - W, axis=0) / np.linalg.norm(right, axis=0)).max())
