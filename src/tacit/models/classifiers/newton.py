"""Linear classifiers of many labels with a smooth loss, by Newton steps for all labels together.

    min  Σ_i ℓ(x_iᵀw + b, t_i) + ½ sᵀA s + ‖w‖² / (2C),   s = Xw + b,  t_i = ±1, for every label

A Newton step is solved by conjugate gradients in which each product with X serves all labels (the truncated Newton
method of [Lin2008], side by side). A couples the scores of records: a symmetric positive semi-definite operator, such
as the Laplacian of a hierarchy, or none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import expit

from tacit.checks import is_sparse
from tacit.operators.base import Operator, as_operator
from tacit.solve.tall_arrays import inner, times
from tacit.types import Array, BoolArray

__all__ = ["LOSSES", "NewtonFit", "NewtonObjective", "smooth_regressions"]

_NEWTON_STEPS = 30
_CG_STEPS = 25
_CG_TOLERANCE = 0.1  # a Newton direction need not be exact, [Lin2008]


class Loss(NamedTuple):
    """A convex loss of scores against ±1, as Newton's method needs it; Y is 1 for the target +1.

    Attributes
    ----------
    totals : scores, Y -> the sum over the records, one number per label, in double precision
    derivatives : scores, Y -> first and second derivatives, records x labels
    constant : shares of positive records -> the best constant score of each label
    """

    totals: Callable[[Array, sp.csc_array], Array]
    derivatives: Callable[[Array, sp.csc_array], tuple[Array, Array]]
    constant: Callable[[Array], Array]


class NewtonObjective(NamedTuple):
    """The function that is minimised for each label.

    Attributes
    ----------
    loss : Loss
    C : weight of the loss against ‖w‖²/2
    coupling : A, records x records, or None
    counted : rows in the loss; None is all. The others count through A only
    fit_intercept : whether there is b, which is not penalised (A 1 = 0 is assumed)
    """

    loss: Loss
    C: float
    coupling: Operator | None = None
    counted: BoolArray | None = None
    fit_intercept: bool = True


class NewtonFit(NamedTuple):
    """Coefficients (n_labels x n_features), intercepts, largest number of steps, and whether all labels converged."""

    coef: Array
    intercept: Array
    steps: int
    converged: bool


class _State(NamedTuple):
    """Current weights with the intercept as last row, scores, and values of the objective."""

    weights: Array
    scores: Array
    values: Array


def smooth_regressions(
    X: Any,
    Y: sp.csr_array,
    objective: NewtonObjective,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    width: int = 256,
) -> NewtonFit:
    """Minimise the objective of every label.

    Parameters
    ----------
    X : (n_records, n_features) dense or sparse
    Y : (n_records, n_labels) 0/1, every label with at least one record in the loss and at least one without
    tol : size of the gradient, relative to that of the best constant score, at which a label is done
    max_iter : maximum number of Newton steps, default 30
    width : labels at a time, so that the n_records x labels arrays stay small
    """
    columns, max_steps = Y.tocsc(), max_iter or _NEWTON_STEPS
    X = as_operator(X) if is_sparse(X) else X
    parts = [_fit_block(X, columns[:, i : i + width], objective, tol, max_steps) for i in range(0, Y.shape[1], width)]
    weights = np.concatenate([weights for weights, _, _ in parts], axis=1)
    steps, converged = max(n for _, n, _ in parts), all(fine for _, _, fine in parts)
    return NewtonFit(weights[:-1].T, weights[-1], steps, converged)


def _fit_block(
    X: Any, Y: sp.csc_array, objective: NewtonObjective, tol: float, max_steps: int
) -> tuple[Array, int, bool]:
    state = _start(X, Y, objective)
    first = None
    active = np.arange(Y.shape[1])
    for step in range(max_steps + 1):
        part = _State(state.weights[:, active], state.scores[:, active], state.values[active])
        slopes, curvature = objective.loss.derivatives(part.scores, Y[:, active])
        if objective.counted is not None:
            slopes[~objective.counted] = 0
            curvature[~objective.counted] = 0
        if objective.coupling is not None:
            slopes = slopes + objective.coupling @ part.scores
        gradient = _adjoint(X, slopes, objective)
        gradient[:-1] += part.weights[:-1] / gradient.dtype.type(objective.C)
        sizes = np.linalg.norm(gradient, axis=0)
        first = sizes if first is None else first
        running = sizes > tol * first[active]
        if not running.any():
            return state.weights, step, True
        if step == max_steps:
            break
        active, gradient, curvature = active[running], gradient[:, running], curvature[:, running]
        part = _State(*(values[..., running] for values in part))
        direction = _newton_direction(X, curvature, gradient, objective)
        slope = np.einsum("ij,ij->j", gradient, direction)
        part = _line_search(X, Y[:, active], part, direction, slope, objective)
        state.weights[:, active], state.scores[:, active], state.values[active] = part
    return state.weights, max_steps, False


def _start(X: Any, Y: sp.csc_array, objective: NewtonObjective) -> _State:
    """Start from the best constant scores, or from zero without an intercept."""
    weights = np.zeros((X.shape[1] + 1, Y.shape[1]), X.dtype)
    if objective.fit_intercept:
        n_counted = Y.shape[0] if objective.counted is None else np.count_nonzero(objective.counted)
        shares = np.asarray(Y.sum(axis=0), dtype=np.float64).ravel() / n_counted
        weights[-1] = objective.loss.constant(shares)
    scores = np.tile(weights[-1], (X.shape[0], 1))
    return _State(weights, scores, _values(weights, scores, Y, objective))


def _values(weights: Array, scores: Array, Y: sp.csc_array, objective: NewtonObjective) -> Array:
    """Return the objective of each label."""
    rows = objective.counted
    losses = objective.loss.totals(*((scores, Y) if rows is None else (scores[rows], Y[rows])))
    if objective.coupling is not None:
        losses = losses + np.einsum("ij,ij->j", scores, objective.coupling @ scores, dtype=np.float64) / 2
    return np.asarray(losses + np.square(weights[:-1], dtype=np.float64).sum(axis=0) / (2 * objective.C))


def _newton_direction(X: Any, curvature: Array, gradient: Array, objective: NewtonObjective) -> Array:
    """Solve H d = −g approximately, H = Xᵀ(D + A)X + I/C with the intercept free, one column per label."""
    penalty = gradient.dtype.type(1 / objective.C)
    direction, residual = np.zeros_like(gradient), -gradient
    search, energy = residual.copy(), np.einsum("ij,ij->j", residual, residual)
    enough = _CG_TOLERANCE**2 * energy
    for _ in range(_CG_STEPS):
        along = _times(X, search)
        bent = curvature * along
        if objective.coupling is not None:
            bent += objective.coupling @ along
        product = _adjoint(X, bent, objective)
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


def _line_search(
    X: Any, Y: sp.csc_array, state: _State, direction: Array, slope: Array, objective: NewtonObjective
) -> _State:
    """Halve the step of each label until its objective decreases enough; without a decrease the label stays."""
    change = _times(X, direction)
    step = np.ones(direction.shape[1], direction.dtype)
    rounding = np.finfo(direction.dtype).eps * np.abs(state.values)  # near the end the decrease is smaller
    for _ in range(12):
        values = _values(state.weights + step * direction, state.scores + step * change, Y, objective)
        short = values > state.values + 1e-4 * step * slope + rounding
        if not short.any():
            break
        step[short] /= 2
    else:
        step[short] = 0
        values = np.where(short, state.values, values)
    return _State(state.weights + step * direction, state.scores + step * change, values)


def _times(X: Any, weights: Array) -> Array:
    scores = times(X, weights[:-1]) if isinstance(X, np.ndarray) else np.asarray(X @ weights[:-1])
    scores += weights[-1]
    return scores


def _adjoint(X: Any, T: Array, objective: NewtonObjective) -> Array:
    last = T.sum(axis=0, keepdims=True) if objective.fit_intercept else np.zeros((1, T.shape[1]), T.dtype)
    return np.concatenate([inner(X, T) if isinstance(X, np.ndarray) else np.asarray(X.T @ T), last])


def _logistic_totals(scores: Array, Y: sp.csc_array) -> Array:
    """Return the sums of log(1 + exp(−ts)), which is log(1 + exp(s)) − s for t = +1."""
    losses = np.logaddexp(0, scores).sum(axis=0, dtype=np.float64)
    rows, columns = Y.nonzero()
    losses -= np.bincount(columns, weights=scores[rows, columns], minlength=Y.shape[1])
    return np.asarray(losses)


def _logistic_derivatives(scores: Array, Y: sp.csc_array) -> tuple[Array, Array]:
    chances = expit(scores)
    curvature = chances * (1 - chances)
    rows, columns = Y.nonzero()
    chances[rows, columns] -= 1
    return chances, curvature


def _shortfall(scores: Array, Y: sp.csc_array) -> Array:
    """Return −t max(0, 1 − ts), the signed distance of each score from its margin."""
    short = np.maximum(0, 1 + scores)
    rows, columns = Y.nonzero()
    short[rows, columns] = np.minimum(0, scores[rows, columns] - 1)
    return short


def _hinge_totals(scores: Array, Y: sp.csc_array) -> Array:
    return np.asarray(np.square(_shortfall(scores, Y), dtype=np.float64).sum(axis=0))


def _hinge_derivatives(scores: Array, Y: sp.csc_array) -> tuple[Array, Array]:
    short = _shortfall(scores, Y)
    return 2 * short, 2 * (short != 0).astype(short.dtype)


LOSSES = {
    "logistic": Loss(_logistic_totals, _logistic_derivatives, lambda shares: np.log(shares / (1 - shares))),
    "squared_hinge": Loss(_hinge_totals, _hinge_derivatives, lambda shares: 2 * shares - 1),
}
