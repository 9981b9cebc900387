"""Loadings and class positions of HLSI, and honest positions of its training records."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.models.common.class_hierarchy import HierarchyGraph
from tacit.models.common.honest_positions import LEVERAGE_CAP, MEAN_LEVERAGE_LIMIT, cross_fitted
from tacit.models.hlsi.scatter import ProductScatter, ScatterForm
from tacit.operators import Centred, Scaled, as_operator
from tacit.operators.rows.blocks import take_rows
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["honest_targets", "profile"]

_COLUMNS = 32  # dimensions whose positions are held at the same time
_FOLDS = 5


def profile(features: Any, mean: Array | None, graph: HierarchyGraph, weights: Array) -> tuple[Array, Array]:
    """Return XᵀV and the mean position of each class; V = X w, N x k, is computed a few dimensions at a time.

    The signs of the weights are fixed by the positions, in place, so that they do not depend on the form.
    """
    X = as_operator(features) if mean is None else Centred(features, mean)
    members = (graph.H[:, :-1] > 0).astype(X.dtype)
    counts = np.asarray(members.sum(axis=0)).reshape(-1, 1)
    loadings = np.empty((X.shape[1], weights.shape[1]), X.dtype, order="F")
    places = np.empty((members.shape[1], weights.shape[1]), X.dtype)
    for first in range(0, weights.shape[1], _COLUMNS):
        part = slice(first, first + _COLUMNS)
        V = X @ weights[:, part].astype(X.dtype)
        signs = signs_of(V)
        V *= signs
        weights[:, part] *= signs
        loadings[:, part] = X.T @ V
        places[:, part] = (members.T @ V) / counts
    return loadings, places


def honest_targets(
    form: ScatterForm,
    graph: HierarchyGraph,
    features: Any,
    V: Array,
    targets: Array,
    *,
    mean: Array | None,
    rng: np.random.Generator,
    tol: float,
) -> Array:
    """Return the position of each record by the regression of the targets on the other records.

    Parameters
    ----------
    form : the form of the eigenproblem, with its γ
    graph, features, mean : what the form was made of
    V : positions by the map of all records, N x k in unit scaling
    targets : `graph.targets` of V
    rng, tol : for folds, which are used if leverages are estimated and large
    """
    leverages = form.leverages()
    is_exact = not isinstance(form, ProductScatter)
    if is_exact or leverages.mean() < MEAN_LEVERAGE_LIMIT:
        h = np.minimum(leverages, 1.0 if is_exact else LEVERAGE_CAP)[:, None]
        return np.asarray((V - h * targets) / np.maximum(1 - h, np.finfo(V.dtype).eps))
    roots = np.sqrt(graph.degrees).astype(V.dtype)
    rows = _WeightedRows(features, mean, roots)
    weighted = cross_fitted(rows, targets * roots[:, None], form.gamma, n_folds=_FOLDS, rng=rng, tol=tol)
    return np.asarray(weighted / roots[:, None])


class _WeightedRows:
    """√d (X − 1 mᵀ), some rows at a time, for regressions on some of the records."""

    def __init__(self, X: Any, mean: Array | None, roots: Array) -> None:
        self.X, self.mean, self.roots = X, mean, roots
        self.shape = X.shape

    def __getitem__(self, rows: Array) -> Scaled:
        part = take_rows(self.X, rows)
        return Scaled(part if self.mean is None else Centred(part, self.mean), rows=self.roots[rows])
