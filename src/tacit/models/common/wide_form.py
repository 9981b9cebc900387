"""K by products with X only, where X has fewer records than terms: everything is said in weights of the records.

    K_r U = T,  fitted = K U,  Tᵀ K_r⁻¹ T = Tᵀ U,  T − K U = ridge U

No array is as long as the terms until the space is found, and two of the products that `AugmentedForm` needs fall away.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.models.common.kernel_forms import dense_block
from tacit.models.common.product_forms import REGRESSION_TOL, AugmentedForm, solve_shifted
from tacit.operators import as_operator
from tacit.operators.base import Array
from tacit.solve import without_vectors

__all__ = ["WideForm"]

_ROUGH = 1e-4  # far above what rounding to single precision does to a residual


class WideForm(AugmentedForm):
    """As `AugmentedForm`, with coefficients that are weights of the records; needs a ridge."""

    by_records = True

    def adjoint(self, V: Array) -> Array:
        """Give V itself, as weights of the records."""
        return V

    def regress(self, T: Any) -> Array:
        """Solve K_r U = T with block conjugate gradients, in single precision where `tol` asks for no more digits."""
        X = self.X
        if self.tol >= _ROUGH and self.dtype == np.float64 and is_sparse(self.matrix):
            X = as_operator(self.matrix.astype(np.float32))
        tol = REGRESSION_TOL * self.tol
        found = solve_shifted(X.T, self.ridge, dense_block(T, X.dtype), tol=tol, max_iter=self.max_iter)
        self.reports.append(without_vectors(found))
        return np.asarray(found.solution, dtype=self.dtype)

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
