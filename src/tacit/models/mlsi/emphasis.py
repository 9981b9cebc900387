"""How much words and views count in the distances between positions, whatever they counted in finding the space.

The space V of MLSI explains words and views together, VᵀC V = diag(μ) with C = K + β/(1−β) Σ_v F_v F_vᵀ. Two records
are near if their rows of V are, and each direction of V counts by a power of μ. A direction may come from words, labels
or links; the emphasis e_v counts each of them as much as is wanted, without another fit:

    M = e_words A Aᵀ + Σ_v e_v B_v B_vᵀ / w_v,   positions V E diag(m)^p,   M = E diag(m) Eᵀ

With e_words = 1 and e_v = β/(1−β) w_v, M is diag(μ) itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.checks import check_number
from tacit.errors import InputError
from tacit.solve.result import signs_of
from tacit.solve.tall_arrays import times
from tacit.types import Array

__all__ = ["WORDS", "curvatures", "main_axes", "turn_to_emphasis"]

WORDS = "words"  # the name of the words beside those of the views


def curvatures(model: Any) -> Array:
    """Return μ, the eigenvalues of K + F G Fᵀ."""
    values = model.eigenvalues_.astype(np.float64)
    if model.label_weight < 1:
        values = values * (1 / (1 - model.label_weight) + model.shrinkage_) - model.ridge_
    return np.asarray(np.maximum(values, np.finfo(float).tiny))


def main_axes(model: Any, emphasis: Mapping[str, float]) -> tuple[Array, Array]:
    """Return the eigenvalues of M, largest first, and its eigenvectors E, for a model that was not turned before."""
    given = {name: check_number(f"emphasis[{name!r}]", weight) for name, weight in emphasis.items()}
    expected = [WORDS, *model.views_]
    unknown = [name for name in given if name not in expected]
    if unknown:
        raise InputError(f"emphasis has an unknown name: got {unknown[0]!r}, expected some of {expected}.")
    pulls = {name: view.pull.astype(np.float64) for name, view in model.views_.items() if view.pull is not None}
    squares = {name: pull.T @ pull for name, pull in pulls.items()}
    words = np.diag(curvatures(model))
    if model.label_weight < 1:  # what the views do not explain of VᵀC V is the words'
        share = model.label_weight / (1 - model.label_weight)
        words = words - share * sum(squares.values(), np.zeros_like(words))
    M = given.get(WORDS, 0.0) * words
    for name, square in squares.items():
        M = M + given.get(name, 0.0) / model.views_[name].weight * square
    values, axes = la.eigh((M + M.T) / 2)
    if values[-1] <= 0:
        raise InputError(f"emphasis leaves nothing: got {given}, expected a number above 0 for words or a view.")
    least = values[-1] * float(np.finfo(model.embedding_.dtype).eps)
    return np.maximum(values[::-1], least), axes[:, ::-1]


def turn_to_emphasis(model: Any, positions: Array | None) -> Array | None:
    """Turn a fitted space to the main axes of M; return the positions in these axes."""
    values, axes = main_axes(model, dict(model.emphasis))
    dtype = model.embedding_.dtype
    turn = axes.astype(dtype)
    model.embedding_ = times(model.embedding_, turn)
    signs = signs_of(model.embedding_)
    model.embedding_ *= signs
    turn *= signs
    power, before = model._power(), model.eigenvalues_
    model.eigenvalues_ = values.astype(dtype)
    for name in ("components_", "dual_components_"):
        if hasattr(model, name):
            unit = getattr(model, name) / before[:, None] ** power
            setattr(model, name, np.ascontiguousarray(turn.T @ unit) * model.eigenvalues_[:, None] ** power)
    if hasattr(model, "term_loadings_"):
        model.term_loadings_ = np.ascontiguousarray(turn.T @ model.term_loadings_)
    model.fold_map_ = turn.T @ model.fold_map_ @ turn
    model.views_ = {name: view.turned(turn) for name, view in model.views_.items()}
    return None if positions is None else times(positions, turn)
