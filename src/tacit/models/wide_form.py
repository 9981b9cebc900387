"""K by products with X only, where X has fewer records than terms: everything is said in weights of the records.

    K_r U = T,  fitted = K U,  Tᵀ K_r⁻¹ T = Tᵀ U,  T − K U = ridge U

No array is as long as the terms until the space is found, and two of the products that `AugmentedForm` needs fall away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.models.record_forms import AugmentedForm, dense_block, solve_shifted
from tacit.operators.base import Array
from tacit.solve import without_vectors

__all__ = ["WideForm"]


class WideForm(AugmentedForm):
    """As `AugmentedForm`, with coefficients that are weights of the records; needs a ridge."""

    by_records = True

    def adjoint(self, V: Array) -> Array:
        """Give V itself, as weights of the records."""
        return V

    def regress(self, T: Any) -> Array:
        """Solve K_r U = T with block conjugate gradients."""
        rhs = dense_block(T, self.dtype)
        found = solve_shifted(self.X.T, self.ridge, rhs, tol=self.tol, max_iter=self.max_iter)
        self.reports.append(without_vectors(found))
        return np.asarray(found.solution)

    def fitted(self, coefficients: Array) -> Array:
        """Give K times the coefficients."""
        return np.asarray(self.X @ (self.X.T @ coefficients))

    def misfit(self, T: Any, coefficients: Array) -> Array:
        """Give ridge K_r⁻¹ T, which is what is left of T."""
        return self.ridge * coefficients

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Give Tᵀ K_r⁻¹ T from K_r⁻¹ T; an error of the solver enters with its square."""
        J = np.asarray(T.T @ coefficients, dtype=np.float64)
        return np.asarray((J + J.T) / 2)
