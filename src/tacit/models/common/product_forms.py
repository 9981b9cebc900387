"""The record kernel by products with X alone, for collections whose dense matrices would be too large."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.models.base import warn
from tacit.models.common.kernel_forms import LeadingVectors, RecordForm, dense_block, symmetric
from tacit.operators import Gram, Operator, Stacked, as_operator
from tacit.solve import LeastSquares, leading_singular_triplets, least_squares, without_vectors
from tacit.solve.linear.conjugate_gradients import block_cg
from tacit.solve.linear.least_squares import adjoint_times
from tacit.solve.tall_arrays import inner, times
from tacit.types import Array

__all__ = ["AugmentedForm", "WideForm", "solve_shifted"]

_LITERAL_TOL = 1e-9  # without a ridge only labels that are fitted exactly count, so the fit must be exact

# Largest residual of a regression, in units of the tolerance of the eigenvectors. With it positions of 100,000 titles
# of a library differ by 1.8 % from exact ones, by 3.4 % with 5; of made records by 1.4 % (2026-11-18). With more terms
# than records they differ by .5 % on Reuters (.2 % with 1) and 1.1 % on 9,000 papers (.5 %) (2026-11-16).
REGRESSION_TOL = 3.0

# The same if J is computed from the regressions, which enters the eigenvalues: with 3, eigenvalues of rows on disk
# differ by 5 % from exact ones of rows in memory, with this by .01 %.
CROSS_TOL = 0.1


class AugmentedForm(RecordForm):
    """K by products with X only: one truncated SVD and a few block least-squares solves, no N x N or M x M matrix.

    Parameters
    ----------
    X : matrix, N x M
    ridge : absolute ridge
    tol, max_iter, rng : for the solvers
    solver : "auto" or "single_pass", for the leading eigenvectors
    before : n_terms x q directions of an earlier space; the search starts there unless there are more labels than
        dimensions
    """

    def __init__(
        self,
        X: Any,
        *,
        ridge: float = 0.0,
        tol: float = 1e-3,
        max_iter: int | None = None,
        rng: np.random.Generator,
        solver: str = "auto",
        before: Array | None = None,
    ) -> None:
        self.matrix, self.X = X, as_operator(X)
        self.n_records, self.dtype, self.ridge = self.X.shape[0], self.X.dtype, ridge
        self.trace = self.X.squared_norm()
        self.floor = float(np.finfo(self.dtype).eps)  # the solver leaves out what is zero to it
        self.tol, self.max_iter, self.rng = tol, max_iter, rng
        self.solver, self.before = solver, before
        self.regression_tol = REGRESSION_TOL
        self.reports: list[Any] = []
        self._crossed: tuple[Any, Array] | None = None  # T of the last regression, and XᵀT
        self._led = False

    def adjoint(self, V: Array) -> Array:
        """Return XᵀV."""
        return np.asarray(self.X.T @ V)

    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Solve with block conjugate gradients; with LSMR if there is no ridge."""
        tol = self.regression_tol * self.tol if self.ridge else min(self.tol, _LITERAL_TOL)
        if not self.ridge:
            crossed = None
        elif crossed is None or self.tol < _ROUGH:
            crossed = adjoint_times(self.X, T)
        options: dict[str, Any] = {"ridge": self.ridge, "tol": tol, "max_iter": self.max_iter, "even": True}
        found = least_squares(self.X, T, **options, crossed=crossed)
        if crossed is not None and not self._led:  # it is not needed afterwards
            self._crossed = (T, crossed)
        self.reports.append(without_vectors(found))
        return found.solution

    def fitted(self, coefficients: Array) -> Array:
        """Return X times the coefficients."""
        return np.asarray(self.X @ coefficients)

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Return (TᵀT − (XᵀT)ᵀB) / ridge, without another product with X, if the difference keeps enough digits."""
        if self._crossed is not None and self._crossed[0] is T:
            square = np.asarray(dense_block(T.T @ T, np.float64))
            rest = square - inner(self._crossed[1], coefficients)
            if (np.diag(rest) >= _DIGITS * np.finfo(self.dtype).eps * np.diag(square)).all():
                return np.asarray((rest + rest.T) / (2 * self.ridge))
        return super().cross(T, coefficients)

    def leading(self, extra: Any, n_components: int, *, root: Array | float | None = None) -> LeadingVectors:
        """Return the leading left singular vectors U of [X, extra], and XᵀU from the terms' rows of the right ones."""
        self._led = True
        Z: Operator = self.X
        start: Callable[[], Array] | None = None if self.before is None else partial(self._start_before, 0)
        if extra is not None:
            across = None
            if self._crossed is not None and root is not None:  # makes Xᵀ extra, and alone holds the arrays for that
                if isinstance(root, float):
                    across = partial(np.multiply, self._crossed[1], self.dtype.type(root))
                else:
                    across = partial(times, self._crossed[1], root.astype(self.dtype))
            self._crossed = None
            Z = Stacked([self.X, extra], across=across)
            del across
            # a function, so that the array is made where it is used and no frame here holds it
            start = partial(self._label_start, Z, extra)
            if self.before is not None and extra.shape[1] < n_components:  # otherwise labels are the better start
                start = partial(self._start_before, extra.shape[1])
        found = leading_singular_triplets(
            Z, n_components, solver=self.solver, tol=self.tol, max_iter=self.max_iter, rng=self.rng, start=start
        )
        self.reports.append(without_vectors(found))
        if self.by_records:
            return LeadingVectors(found.values**2, np.asarray(found.left))
        adjoint = found.right[: self.X.shape[1]]
        adjoint *= found.values  # in place: the right vectors are not needed again
        return LeadingVectors(found.values**2, np.asarray(found.left), adjoint)

    def _start_before(self, n_labels: int) -> Array:
        """Return the earlier directions of the terms; those of the labels come with the first product."""
        return np.pad(np.asarray(self.before), ((0, n_labels), (0, 0)))

    def _label_start(self, Z: Stacked, extra: Any) -> Array:
        """Return Zᵀ extra: the space turns mostly towards the labels, so the iteration starts there."""
        labels = as_operator(extra)
        width = labels.shape[1]
        if width > _START_COLUMNS:
            mix = self.rng.standard_normal((width, _START_COLUMNS)).astype(self.dtype)
        else:
            mix = np.eye(width, dtype=self.dtype)
        corner = Z.corner()
        if corner is not None:
            return np.concatenate([part @ mix for part in corner])
        return np.asarray(Z.T @ (labels @ mix))


_DIGITS = 1e4  # a difference must be at least this many units in the last place
_START_COLUMNS = 36  # the first block of the Krylov solver has room for these and for random ones


def solve_shifted(A: Any, shift: float, rhs: Array, *, tol: float, max_iter: int | None = None) -> LeastSquares:
    """Solve (AᵀA + shift I) S = rhs with block conjugate gradients; warn if the tolerance was not reached."""
    system = Gram(A, shift=shift)
    found = block_cg(system, rhs, tol=tol, max_iter=max_iter or 500, diagonal=system.diagonal())
    if not found.converged:
        warn(
            f"the regression on the records stopped after {found.iterations} iterations with a relative residual of "
            f"{float(found.residuals.max()):.1e}, above the requested {tol:g}. Raise max_iter, ridge or tol."
        )
    return found


_ROUGH = 1e-4  # far above the effect of single precision on a residual


class WideForm(AugmentedForm):
    """`AugmentedForm` with coefficients that are weights of the records; needs a ridge."""

    by_records = True

    def adjoint(self, V: Array) -> Array:
        """Return V itself, as weights of the records."""
        return V

    def regress(self, T: Any, crossed: Array | None = None) -> Array:
        """Solve K_r U = T with block conjugate gradients, in single precision if `tol` allows it."""
        X = self.X
        if self.tol >= _ROUGH and self.dtype == np.float64 and is_sparse(self.matrix):
            X = as_operator(self.matrix.astype(np.float32))
        tol = self.regression_tol * self.tol
        rhs = dense_block(T, X.dtype)
        found = solve_shifted(X.T, self.ridge, rhs, tol=tol, max_iter=self.max_iter)
        self.reports.append(without_vectors(found))
        return np.asarray(found.solution, dtype=self.dtype)

    def fitted(self, coefficients: Array) -> Array:
        """Return K times the coefficients."""
        return np.asarray(self.X @ (self.X.T @ coefficients))

    def misfit(self, T: Any, coefficients: Array) -> Array:
        """Return ridge K_r⁻¹ T, which equals the misfit."""
        return self.ridge * coefficients

    def cross(self, T: Any, coefficients: Array) -> Array:
        """Return Tᵀ K_r⁻¹ T from K_r⁻¹ T; an error of the solver enters with its square."""
        return symmetric(T.T @ coefficients)
