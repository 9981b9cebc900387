"""Adding records to LSI: the truncated decomposition of the summary rows with the new records below them.

With centring, each part loses its own mean, and the step between the means is one more row [Ross2008]:

    Σ (x − m')(x − m')ᵀ over all = the same over the old, about m, + over the new, about m₂ + r rᵀ,
    r = √(n n₂ / (n + n₂)) (m₂ − m)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacit.checks import as_rng, check_choice, check_number
from tacit.errors import InputError
from tacit.models.base import warn_if_fewer
from tacit.models.common.updating import (
    ROWS_PER_DIMENSION,
    RecordSummary,
    drift_from,
    leading_of_rows,
    unseen_share,
    with_less_weight,
    with_more_columns,
)
from tacit.operators import Centred, as_operator
from tacit.solve import SingularTriplets
from tacit.solve.choice.choose import ALL_SOLVERS
from tacit.types import Array

__all__ = ["merge"]


def merge(model: Any, X: Any, keep: float) -> None:
    """Update an LSI model, fitted or not, with validated records; earlier ones keep a share `keep` of weight."""
    check_choice("solver", model.solver, ALL_SOLVERS)
    known = _widened(getattr(model, "_summary", None), X)
    drift = _drift(model, known, X) if len(known.terms) else 0.0
    old = with_less_weight(known, keep)
    n_new, top = X.shape[0], old.terms
    mean = before = None
    if model.center:
        before, mean, step = _means(model, old.weight, X)
        top = top if step is None else np.vstack([top, step])
    found = leading_of_rows(
        top,
        X,
        ROWS_PER_DIMENSION * model.n_components,
        centre=model.center,
        solver=model.solver,
        tol=check_number("tol", model.tol),
        max_iter=model.max_iter,
        rng=as_rng(model.random_state),
    )
    if not found.values.size:
        raise InputError(
            f"X has rank 0 after centring: got n_samples={n_new} records, all equal, expected a difference."
        )
    rows = Centred(as_operator(X)) if model.center else as_operator(X)
    length = old.squared_length + rows.squared_norm() + float(np.sum(np.square(top[len(old.terms) :], dtype=float)))
    summary = RecordSummary(found.right.T * found.values[:, None], old.weight + n_new, length, novelty=old.novelty)
    _learn(model, found, summary, len(old.terms), keep)
    if model.center:
        model.mean_ = mean
        shift = model.components_ @ (before - mean) if before is not None else np.zeros(len(model.components_))
        model.position_shift_ = shift.astype(X.dtype)
    model._account(n_new, summary, drift)


def _widened(summary: RecordSummary | None, X: Any) -> RecordSummary:
    """Return the summary of the earlier records with as many columns as X; empty before the first fit."""
    if summary is None:
        return RecordSummary(np.zeros((0, X.shape[1]), X.dtype), 0.0, 0.0)
    return replace(summary, terms=with_more_columns(summary.terms, X.shape[1]))


def _means(model: Any, weight: float, X: Any) -> tuple[Array | None, Array, Array | None]:
    """Return the mean record before and after, and the row for the step between the old and the new mean."""
    new = Centred(as_operator(X)).mean
    if not weight:
        return None, new, None
    before = with_more_columns(model.mean_[None, :], X.shape[1])[0]
    n = X.shape[0]
    mean = (weight * before + n * new) / (weight + n)
    step = np.sqrt(weight * n / (weight + n)) * (new - before)
    return before, mean.astype(X.dtype), step[None, :].astype(X.dtype)


def _drift(model: Any, known: RecordSummary, X: Any) -> float:
    """Return how much less of the new records the space explains than of unseen ones like the old."""
    lengths = model.singular_values_.astype(np.float64)
    directions = (with_more_columns(model.term_loadings_, X.shape[1]) / model.singular_values_[:, None]).T
    rows = as_operator(X)
    if model.center:
        rows = Centred(rows, with_more_columns(model.mean_[None, :], X.shape[1])[0])
    explained = float(np.square(rows @ directions.astype(X.dtype), dtype=np.float64).sum())
    share = explained / max(rows.squared_norm(), np.finfo(float).tiny)
    return drift_from(share, unseen_share(known, directions, lengths))


def _learn(model: Any, found: SingularTriplets, summary: RecordSummary, n_rows: int, keep: float) -> None:
    """Set the learned attributes from the first `n_components` triplets, and the map of old positions."""
    k = min(model.n_components, found.values.size)
    warn_if_fewer(model.n_components, k, "the rank of X")
    before = model.eigenvalues_ if n_rows else None
    model._keep(found, summary.squared_length)
    assert found.left is not None
    # positions belong to records of full weight, while the rows have lost some
    unit = np.eye(k) if before is None else found.left[: before.size, :k] / np.sqrt(keep)
    model._keep_map(unit, model.eigenvalues_ if before is None else before)
