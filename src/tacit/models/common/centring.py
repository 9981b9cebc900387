"""The mean of records, and their scatter about it and about the means of their classes.

`features` are rows of X, or the kernel matrix if `is_kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.checks import is_outside_memory, is_sparse
from tacit.errors import InputError
from tacit.models.common.class_hierarchy import HierarchyGraph, squared_lengths
from tacit.operators import as_operator
from tacit.types import Array

__all__ = ["centred_kernel", "check_records_differ", "mean_row", "records_differ", "scatter_per_record"]

_SAME = 1e-12  # share of the squared lengths below which a scatter is rounding
_ENTRIES = 2**17
_ROWS = 2_000


def mean_row(features: Any, weights: Array | None = None) -> Array:
    """Return the mean record, summed in double precision without a copy of X; the mean row of a kernel matrix."""
    if weights is not None and not (weights == 1).all():
        weights = weights / weights.sum()
        if is_sparse(features):  # with the precision of X, or SciPy would copy it
            total = np.zeros(features.shape[1])
            for first in range(0, features.shape[0], _ROWS):
                part = slice(first, first + _ROWS)
                total += features[part].T @ weights[part]
            return total
        return np.asarray(features.T @ weights, dtype=np.float64)
    if is_outside_memory(features):
        return np.asarray(features.T @ np.ones(features.shape[0])) / features.shape[0]
    if not is_sparse(features):
        return np.asarray(features.mean(axis=0, dtype=np.float64))
    total = np.zeros(features.shape[1])
    for first in range(0, features.nnz, _ENTRIES):
        part = slice(first, first + _ENTRIES)
        total += np.bincount(features.indices[part], features.data[part], features.shape[1])
    return total / features.shape[0]


def check_records_differ(features: Any, mean: Array, *, is_kernel: bool) -> None:
    """Raise if all records are equal: after centring only rounding would be left."""
    if not records_differ(features, mean, is_kernel=is_kernel):
        raise InputError(
            f"X has rank 0 after centring: got n_samples={features.shape[0]} records that are all equal, expected some "
            "difference."
        )


def records_differ(features: Any, mean: Array, *, is_kernel: bool) -> bool:
    """Whether records less their mean are more than rounding."""
    at_mean = float(mean.sum()) if is_kernel else features.shape[0] * float(mean @ mean)
    total = _squared_norm(features, is_kernel)
    # below zero it is not a kernel, which has its own check
    return abs(total - at_mean) > _SAME * abs(total)


def scatter_per_record(features: Any, graph: HierarchyGraph, *, is_kernel: bool) -> float:
    """Return tr(XᵀΔX) / Σω, the unit of gamma; the mean squared length of a record if each class is one point."""
    squares = np.diagonal(features) if is_kernel else squared_lengths(features)
    total = float(graph.weights @ squares)
    within = float(np.sum(graph.laplacian().to_dense() * features)) if is_kernel else graph.scatter_trace(features)
    return (within if within > _SAME * total else total) / float(graph.weights.sum())


def centred_kernel(K: Array, weights: Array | None = None) -> Array:
    """Return the inner products of the records less their mean, from those of the records."""
    means = K.mean(axis=0) if weights is None else np.asarray(weights @ K / weights.sum())
    middle = means.mean() if weights is None else weights @ means / weights.sum()
    return np.asarray(K - means - means[:, None] + middle)


def _squared_norm(features: Any, is_kernel: bool) -> float:
    """Return ‖X‖², which is the trace of the kernel matrix."""
    return float(np.trace(features)) if is_kernel else as_operator(features).squared_norm()
