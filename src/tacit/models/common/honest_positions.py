"""Honest positions of training records: those they would have without the influence of their own labels.

A training record's labels shaped its position; a new record has none. A classifier for new records must therefore be
trained on positions that do not depend on the records' own labels.

    v_i − [K_r⁻¹ V]_i / [K_r⁻¹]_ii          (V held fixed)                  Identity G

is the position of record i by the regression fitted to all the others. It needs only the leverages h_i = [K K_r⁻¹]_ii,
since the correction is (V − X W)_i / (1 − h_i): exact if K is small. For large collections the leverages are estimated
with random probes, in one block solve [Drineas2012]; or the regression is cross-fitted in folds, with V fixed, so that
the folds share one coordinate system. Leave-one-out is closer to the positions of new records and several times cheaper
than five folds (docs/decisions/0004).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.product_forms import AugmentedForm, solve_shifted
from tacit.operators import Operator
from tacit.operators.rows.blocks import take_rows
from tacit.solve import least_squares
from tacit.types import Array

__all__ = [
    "LEVERAGE_CAP",
    "MEAN_LEVERAGE_LIMIT",
    "cross_fitted",
    "estimated_leverages",
    "honest_positions",
    "leave_one_out",
]


def honest_positions(
    form: RecordForm, V: Array, coefficients: Array, *, n_folds: int | None, rng: np.random.Generator, tol: float
) -> Array:
    """Return honest positions, N x k in unit scaling: in closed form for dense forms, else estimated or in folds.

    Parameters
    ----------
    form : K, with its ridge
    V : positions that the regression is fitted to, N x k
    coefficients : `form.regress(V)`
    n_folds, rng, tol : for an `AugmentedForm`; with n_folds None leverages are estimated if they are small enough
    """
    if isinstance(form, (DualForm, PrimalForm)):
        return leave_one_out(form, V, coefficients)
    assert isinstance(form, AugmentedForm)
    if n_folds is None and form.ridge > 0:
        leverages = estimated_leverages(form.X, form.ridge, rng=rng, tol=tol)
        if leverages.mean() < MEAN_LEVERAGE_LIMIT:
            slack = (1 - np.minimum(leverages, LEVERAGE_CAP)).astype(V.dtype)
            return np.asarray(V - form.misfit(V, coefficients) / slack[:, None])
    return cross_fitted(form.matrix, V, form.ridge, n_folds=n_folds or _DEFAULT_FOLDS, rng=rng, tol=tol)


MEAN_LEVERAGE_LIMIT = 0.5  # the error of about 14 % of h is small relative to 1 − h only if h is below a half
LEVERAGE_CAP = 0.9
_DEFAULT_FOLDS = 5


def leave_one_out(form: DualForm | PrimalForm, V: Array, coefficients: Array) -> Array:
    """Return honest positions by Identity G in closed form; without a ridge, its limit."""
    slack, inverse_diagonal, inverse_V = _row_facts(form, V)
    misfit = form.misfit(V, coefficients)
    honest = np.array(V, copy=True)
    # without a ridge the leverage of a record that the others cannot express is 1, but for rounding
    loose = slack > (np.sqrt(np.finfo(form.dtype).eps) if form.ridge == 0 else 0)
    honest[loose] -= misfit[loose] / slack[loose, None]
    # for such a record the limit of the formula is taken, with the pseudo-inverse of K
    tight = ~loose & (inverse_diagonal > 0)
    honest[tight] -= inverse_V[tight] / inverse_diagonal[tight, None]
    return honest


def _row_facts(form: DualForm | PrimalForm, V: Array) -> tuple[Array, Array, Array]:
    """Return 1 − diag(K K_r⁻¹), diag(K⁺) and K⁺V, from the eigenvectors of K."""
    values = form.left_values()
    left = form.ridge / (values + form.ridge)
    slack, inverse_diagonal = np.empty(form.n_records), np.empty(form.n_records)
    inverse_V = np.zeros_like(V)
    inner = np.zeros((values.size, V.shape[1]))
    if form.ridge == 0:
        for rows, U in form.left_blocks():
            inner += U.T @ V[rows]
    for rows, U in form.left_blocks():
        squares = np.square(U, dtype=np.float64)
        # the part outside the span of the records plus the part left by the ridge; 1 − h would cancel digits
        slack[rows] = np.maximum(1 - squares.sum(axis=1), 0) + squares @ left
        inverse_diagonal[rows] = squares @ (1 / values)
        if form.ridge == 0:
            inverse_V[rows] = U @ (inner / values[:, None])
    return slack, inverse_diagonal, inverse_V


def estimated_leverages(
    X: Operator, ridge: float, *, rng: np.random.Generator, tol: float, n_probes: int = 100
) -> Array:
    """Estimate h_i = x_iᵀ (XᵀX + ridge I)⁻¹ x_i, relative standard error sqrt(2 / n_probes).

    With M = (XᵀX + ridge I)⁻¹, h_i = ‖X M x_i‖² + ridge ‖M x_i‖², the squared length of a vector, estimated with
    random signs.
    """
    n, m = X.shape
    rhs = np.asarray(X.T @ (2 * rng.integers(0, 2, (n, n_probes), dtype=np.int8) - 1).astype(X.dtype))
    signs = (2 * rng.integers(0, 2, (m, n_probes), dtype=np.int8) - 1).astype(X.dtype)
    rhs += X.dtype.type(np.sqrt(ridge)) * signs
    del signs
    # a residual of .1, though below the probes' own error, makes search worse: pairs of words of 32,723 papers have an
    # nDCG@10 of .427 in honest positions with it, and .439 with .01 (2026-11-16)
    sketch = solve_shifted(X, ridge, rhs, tol=tol).solution
    return np.asarray(np.square(X @ sketch).mean(axis=1))


def cross_fitted(X: Any, V: Array, ridge: float, *, n_folds: int, rng: np.random.Generator, tol: float) -> Array:
    """Return honest positions by folds: each record is placed by the regression of V on the other folds.

    No fold starts from the regression on all records, which would save a few steps: an iteration that stops early would
    keep some influence of the records left out.
    """
    n = X.shape[0]
    fold_of = rng.permutation(np.arange(n) % n_folds)
    honest = np.empty_like(V)
    for fold in range(n_folds):
        held, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        found = least_squares(take_rows(X, others), V[others], ridge=ridge, tol=tol)
        honest[held] = take_rows(X, held) @ found.solution
    return honest
