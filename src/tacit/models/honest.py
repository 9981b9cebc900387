"""Honest coordinates: where a training record would stand if its own labels had not helped to place it.

A training record's labels shaped its position; a new record's cannot. A classifier that is to work on new records must
therefore be trained on positions that are as blind as theirs will be.

    v_i − [K_r⁻¹ V]_i / [K_r⁻¹]_ii          (V held fixed)                  Identity G

is the position that record i gets from the regression fitted to all the others: exact and free when K is small. For large
collections the regression is cross-fitted in folds; V stays, so the folds share one coordinate system.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.models.record_forms import AugmentedForm, DualForm, PrimalForm, RecordForm
from tacit.operators.base import Array
from tacit.solve import least_squares

__all__ = ["cross_fitted", "honest_positions", "leave_one_out"]


def honest_positions(
    form: RecordForm, V: Array, coefficients: Array, *, n_folds: int, rng: np.random.Generator, tol: float
) -> Array:
    """Honest positions (N x k, unit scaling) in closed form where the form knows its spectrum, else in folds."""
    if isinstance(form, (DualForm, PrimalForm)):
        return leave_one_out(form, V, coefficients)
    assert isinstance(form, AugmentedForm)
    return cross_fitted(form.X.matrix, V, form.ridge, n_folds=n_folds, rng=rng, tol=tol, start=coefficients)  # type: ignore[attr-defined]


def leave_one_out(form: DualForm | PrimalForm, V: Array, coefficients: Array) -> Array:
    """Identity G in closed form; its limit where there is no ridge."""
    leverage, inverse_diagonal, inverse_V = _row_facts(form, V)
    misfit = V - form.fitted(coefficients)
    slack = 1 - leverage
    honest = np.array(V, copy=True)
    loose = slack > 1e-8 if form.ridge == 0 else np.ones(len(V), bool)
    honest[loose] -= misfit[loose] / slack[loose, None]
    # no ridge and a record that the others cannot express: the limit of the formula, with the pseudo-inverse of K
    tight = ~loose & (inverse_diagonal > 0)
    honest[tight] -= inverse_V[tight] / inverse_diagonal[tight, None]
    return honest


def _row_facts(form: DualForm | PrimalForm, V: Array) -> tuple[Array, Array, Array]:
    """diag(K K_r⁻¹), diag(K⁺) and K⁺V, row by row, from the eigenvectors of K."""
    values = form.left_values()
    shrunk = values / (values + form.ridge)
    leverage, inverse_diagonal = np.empty(form.n_records), np.empty(form.n_records)
    inverse_V = np.zeros_like(V)
    inner = np.zeros((values.size, V.shape[1]))
    for rows, U in form.left_blocks():
        inner += U.T @ V[rows]
    for rows, U in form.left_blocks():
        squares = U**2
        leverage[rows], inverse_diagonal[rows] = squares @ shrunk, squares @ (1 / values)
        if form.ridge == 0:
            inverse_V[rows] = U @ (inner / values[:, None])
    return leverage, inverse_diagonal, inverse_V


def cross_fitted(
    X: Any, V: Array, ridge: float, *, n_folds: int, rng: np.random.Generator, tol: float, start: Array | None = None
) -> Array:
    """Honest positions by folds: each record is placed by the regression of V on the records of the other folds."""
    n = X.shape[0]
    fold_of = rng.permutation(np.arange(n) % n_folds)
    honest = np.empty_like(V)
    for fold in range(n_folds):
        held, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        found = least_squares(X[others], V[others], ridge=ridge, tol=tol, start=start)
        honest[held] = X[held] @ found.solution
    return honest
