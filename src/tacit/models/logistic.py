"""Logistic regression of many labels at once, by Newton steps that all labels take together.

    min  Σ_i log(1 + exp(−t_i (x_iᵀw + b))) + ‖w‖² / (2C),  t_i = ±1, for every label

scikit-learn fits one label after another; here a Newton step is solved by conjugate gradients in which every product
with X serves all labels (the truncated Newton method of [Lin2008], side by side). On 32,723 records in 150 dimensions
with 167 labels that took a tenth of the time in the same run, with the same answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from tacit.operators.base import Array

__all__ = ["logistic_regressions"]

_WIDTH = 256  # labels at a time, so that the n_records x labels arrays stay small
_NEWTON_STEPS = 30
_CG_STEPS = 25
_CG_TOLERANCE = 0.1  # a Newton direction need not be exact, [Lin2008]


class _State(NamedTuple):
    """Where the labels are: weights with the intercept as last row, scores, and the values of the objective."""

    weights: Array
    scores: Array
    values: Array


def logistic_regressions(X: Any, Y: sp.csr_array, *, C: float, tol: float = 1e-3) -> tuple[Array, Array, bool]:
    """Give coefficients (n_labels x n_features), intercepts, and whether all labels converged.

    Parameters
    ----------
    X : (n_records, n_features) dense or sparse
    Y : (n_records, n_labels) 0/1, every label with at least one record and at least one without
    C : weight of the loss against ‖w‖²/2
    tol : size of the gradient, relative to that of the best constant answer, at which a label is done
    """
    columns = Y.tocsc()
    parts = [_fit_block(X, columns[:, i : i + _WIDTH], C, tol) for i in range(0, Y.shape[1], _WIDTH)]
    weights = np.concatenate([weights for weights, _ in parts], axis=1)
    return weights[:-1].T, weights[-1], all(converged for _, converged in parts)


def _fit_block(X: Any, Y: sp.csc_array, C: float, tol: float) -> tuple[Array, bool]:
    shares = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel() / Y.shape[0]
    weights = np.zeros((X.shape[1] + 1, Y.shape[1]), X.dtype)
    weights[-1] = np.log(shares / (1 - shares))
    scores = np.tile(weights[-1], (X.shape[0], 1))
    state = _State(weights, scores, _values(weights, scores, Y, C))
    first = None
    active = np.arange(Y.shape[1])
    for _ in range(_NEWTON_STEPS):
        part = _State(state.weights[:, active], state.scores[:, active], state.values[active])
        chances = expit(part.scores)
        gradient = _gradient(X, Y[:, active], part.weights, chances, C)
        sizes = np.linalg.norm(gradient, axis=0)
        first = sizes if first is None else first
        running = sizes > tol * first[active]
        if not running.any():
            return state.weights, True
        active, gradient, chances = active[running], gradient[:, running], chances[:, running]
        part = _State(*(values[..., running] for values in part))
        direction = _newton_direction(X, chances * (1 - chances), gradient, C)
        part = _line_search(X, Y[:, active], part, direction, np.einsum("ij,ij->j", gradient, direction), C)
        state.weights[:, active], state.scores[:, active], state.values[active] = part
    return state.weights, False


def _values(weights: Array, scores: Array, Y: sp.csc_array, C: float) -> Array:
    """The objective of each label, divided by C: what is compared is then a sum of losses."""
    losses = np.logaddexp(0, scores).sum(axis=0, dtype=np.float64)
    rows, columns = Y.nonzero()
    losses -= np.bincount(columns, weights=scores[rows, columns], minlength=Y.shape[1])
    return np.asarray(losses + np.square(weights[:-1], dtype=np.float64).sum(axis=0) / (2 * C))


def _gradient(X: Any, Y: sp.csc_array, weights: Array, chances: Array, C: float) -> Array:
    misses = chances.copy()
    rows, columns = Y.nonzero()
    misses[rows, columns] -= 1
    gradient = _adjoint(X, misses)
    gradient[:-1] += weights[:-1] / weights.dtype.type(C)
    return gradient


def _newton_direction(X: Any, curvature: Array, gradient: Array, C: float) -> Array:
    """Solve H d = −g roughly, H = XᵀDX + I/C with the intercept free, one column a label."""
    penalty = gradient.dtype.type(1 / C)
    direction, residual = np.zeros_like(gradient), -gradient
    search, energy = residual.copy(), np.einsum("ij,ij->j", residual, residual)
    enough = _CG_TOLERANCE**2 * energy
    for _ in range(_CG_STEPS):
        product = _adjoint(X, curvature * _times(X, search))
        product[:-1] += penalty * search[:-1]
        bend = np.einsum("ij,ij->j", search, product)
        step = np.divide(energy, bend, out=np.zeros_like(energy), where=(bend > 0) & (energy > enough))
        direction += step * search
        residual -= step * product
        previous, energy = energy, np.einsum("ij,ij->j", residual, residual)
        if (energy <= enough).all():
            break
        search = residual + np.divide(energy, previous, out=np.zeros_like(energy), where=previous > 0) * search
    return direction


def _line_search(X: Any, Y: sp.csc_array, state: _State, direction: Array, slope: Array, C: float) -> _State:
    """Halve the step of each label until its objective falls enough; a label that cannot fall any more stays."""
    change = _times(X, direction)
    step = np.ones(direction.shape[1], direction.dtype)
    for _ in range(12):
        values = _values(state.weights + step * direction, state.scores + step * change, Y, C)
        short = values > state.values + 1e-4 * step * slope
        if not short.any():
            break
        step[short] /= 2
    else:
        step[short] = 0
        values = np.where(short, state.values, values)
    return _State(state.weights + step * direction, state.scores + step * change, values)


def _times(X: Any, weights: Array) -> Array:
    return np.asarray(X @ weights[:-1]) + weights[-1]


def _adjoint(X: Any, T: Array) -> Array:
    return np.concatenate([np.asarray(X.T @ T), T.sum(axis=0, keepdims=True)])
