"""Support vector machines with the hinge loss for many labels at once: the paper's classifiers, without their waiting.

LIBSVM takes one pair of records per step, and hundreds of thousands of steps where a few dimensions cannot tell a label
from the others and C is large. With d dimensions the same problem has a matrix of rank d, so that an interior-point
method needs some twenty systems of d equations per label [Fine2001], which are solved for all labels in one batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.svm import SVC

from tacit.checks import is_sparse
from tacit.types import Array, Float64Array

__all__ = ["decisions"]

_FEW = 100  # dimensions up to which the interior-point method is the faster one
_STEPS, _SOLVED = 60, 1e-6  # of the interior-point method; its gap, relative to the objective
_TO_THE_BOUND = 0.99


def decisions(Z: Any, known: Any, Z_new: Any, *, C: float = 100.0) -> Float64Array:
    """Train a linear machine per label and return its values for new records; -1 for a label that all or none have.

    Parameters
    ----------
    Z, Z_new : arrays or CSR arrays of shape (n_records, n_features)
    known : bool array of shape (n_records, n_labels)
    C : float, default 100.0
        Weight of the loss.
    """
    values = np.full((Z_new.shape[0], known.shape[1]), -1.0)
    mixed = np.flatnonzero(known.any(axis=0) & ~known.all(axis=0))
    if not len(mixed):
        return values
    if is_sparse(Z) or Z.shape[1] > _FEW:
        values[:, mixed] = _by_pairs(Z, known[:, mixed], Z_new, C)
        return values
    Z, Z_new = (np.asarray(each, dtype=np.float64) for each in (Z, Z_new))
    weights, shifts, solved = _by_interior_points(Z, np.where(known[:, mixed], 1.0, -1.0).T, C)
    values[:, mixed[solved]] = Z_new @ weights[solved].T + shifts[solved]
    rest = mixed[~solved]
    if len(rest):
        values[:, rest] = _by_pairs(Z, known[:, rest], Z_new, C)
    return values


def _by_pairs(Z: Any, known: Any, Z_new: Any, C: float) -> Float64Array:
    """Train by LIBSVM, label by label, on the products of the records."""
    inner, outer = (_products(each, Z) for each in (Z, Z_new))
    columns = []
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for column in range(known.shape[1]):
            machine = SVC(C=C, kernel="precomputed").fit(inner, known[:, column])
            columns.append(outer[:, machine.support_] @ machine.dual_coef_[0] + machine.intercept_[0])
    return np.stack(columns, axis=1)


def _products(Z: Any, other: Any) -> Float64Array:
    found = Z @ other.T
    return np.asarray(found.toarray() if is_sparse(found) else found, dtype=np.float64)


def _by_interior_points(Z: Array, signs: Array, C: float) -> tuple[Array, Array, Array]:
    """Solve min ½αᵀQα - 1ᵀα, 0 <= α <= C, yᵀα = 0 for each label by predictor and corrector [Mehrotra1992].

    Returns weights (labels, d), shifts (labels) and which labels are solved. `low` and `high` are the multipliers of
    the two bounds, `left` is C - α.
    """
    alpha = np.full(signs.shape, C / 2)
    low, high, shift = np.ones_like(alpha), np.ones_like(alpha), np.zeros(len(signs))
    weights, solved = np.zeros((len(signs), Z.shape[1])), np.zeros(len(signs), dtype=bool)
    active = np.arange(len(signs))
    for _ in range(_STEPS):
        y, a, s, t = signs[active], alpha[active], low[active], high[active]
        left = C - a
        w = (y * a) @ Z
        margins = y * (w @ Z.T)
        dual = 1.0 - margins - shift[active, None] * y + s - t  # what is missing in each condition
        primal = -(y * a).sum(axis=1)
        gap = (a * s + left * t).sum(axis=1)
        size = 1.0 + np.abs(a.sum(axis=1) - 0.5 * (w**2).sum(axis=1))
        done = (gap <= _SOLVED * size) & (np.abs(dual).max(axis=1) <= 1e-5) & (np.abs(primal) <= 1e-6 * C)
        weights[active], solved[active] = w, done
        if done.all():
            break
        keep = ~done
        active = active[keep]
        step = _Step(Z, *(each[keep] for each in (y, a, left, s, t, dual, primal)))
        mean = gap[keep] / (2 * a.shape[1])
        change = step.corrected(mean)
        alpha[active] += change[0]
        low[active] += change[1]
        high[active] += change[2]
        shift[active] += change[3]
    return weights, shift, solved


class _Step:
    """One step of all labels that are not solved yet: a system of d equations per label, solved twice."""

    def __init__(
        self, Z: Array, y: Array, alpha: Array, left: Array, low: Array, high: Array, dual: Array, primal: Array
    ) -> None:
        self.Z, self.y, self.alpha, self.left, self.low, self.high = Z, y, alpha, left, low, high
        self.dual, self.primal = dual, primal
        self.inverse = 1.0 / (low / alpha + high / left)
        weighted = self.inverse[:, :, None] * Z[None]
        system = np.matmul(Z.T, weighted)
        system[:, np.arange(Z.shape[1]), np.arange(Z.shape[1])] += 1.0
        self.system = system
        self.of_signs: Array | None = None

    def _solve(self, *rights: Array) -> Array:
        """Return (D + VVᵀ)⁻¹ times some vectors per label, V being the rows of Z with the signs of the label."""
        scaled = self.inverse[:, None] * np.stack(rights, axis=1)
        signs = self.y[:, None]
        inner = np.linalg.solve(self.system, ((signs * scaled) @ self.Z).transpose(0, 2, 1)).transpose(0, 2, 1)
        return np.asarray(scaled - self.inverse[:, None] * signs * (inner @ self.Z.T))

    def _changes(self, to_low: Array, to_high: Array) -> tuple[Array, Array, Array, Array]:
        """Return the changes of α, both multipliers and the shift that bring the products to what is wanted."""
        wanted = self.dual + to_low / self.alpha - to_high / self.left
        if self.of_signs is None:
            found, self.of_signs = self._solve(wanted, self.y).transpose(1, 0, 2)
        else:
            found = self._solve(wanted)[:, 0]
        shift = ((self.y * found).sum(axis=1) - self.primal) / (self.y * self.of_signs).sum(axis=1)
        alpha = found - shift[:, None] * self.of_signs
        low = (to_low - self.low * alpha) / self.alpha
        high = (to_high + self.high * alpha) / self.left
        return alpha, low, high, shift

    def corrected(self, mean: Array) -> tuple[Array, Array, Array, Array]:
        """Return the changes of a full step: first towards the solution, then towards the middle as far as needed."""
        none_low, none_high = -self.alpha * self.low, -self.left * self.high
        alpha, low, high, _ = self._changes(none_low, none_high)
        far = self._length(alpha, low, high)[:, None]
        after = ((self.alpha + far * alpha) * (self.low + far * low)).sum(axis=1)
        after += ((self.left - far * alpha) * (self.high + far * high)).sum(axis=1)
        after /= 2 * alpha.shape[1]
        aim = ((after / mean) ** 3 * mean)[:, None]
        changes = self._changes(none_low + aim - alpha * low, none_high + aim + alpha * high)
        length = _TO_THE_BOUND * self._length(*changes[:3])
        return tuple(one * (length[:, None] if one.ndim == 2 else length) for one in changes)  # type: ignore[return-value]

    def _length(self, alpha: Array, low: Array, high: Array) -> Array:
        """Return how far each label may go until a bound is met, 1 at most."""
        ratios = [
            np.where(change < 0, -value / np.where(change < 0, change, -1.0), np.inf).min(axis=1)
            for value, change in (
                (self.alpha, alpha), (self.left, -alpha), (self.low, low), (self.high, high)
            )
        ]  # fmt: skip
        return np.minimum(1.0, np.minimum.reduce(ratios))
