"""The one order-and-sign convention: values descend, and in each vector the entry largest in magnitude is positive."""

from __future__ import annotations

import numpy as np

from tacit.operators.base import Array

__all__ = ["descending", "signs_of"]


def signs_of(vectors: Array) -> Array:
    """Give +1 or −1 for each column, so that `vectors * signs_of(vectors)` keeps the convention.

    Of entries that are equally large the first one decides; up to rounding, or else rounding would decide, and another
    processor would turn a direction round.
    """
    if vectors.size == 0:
        return np.ones(vectors.shape[1], vectors.dtype)
    # by the extremes, not by absolute values or positions, either of which would take a second array
    high, low = vectors.max(axis=0), -vectors.min(axis=0)
    signs = np.where(low > high, -1, 1).astype(vectors.dtype)
    largest = np.maximum(low, high) * (1 - float(np.finfo(vectors.dtype).eps) ** 0.5)
    for column in np.flatnonzero(np.minimum(low, high) >= largest):
        first = np.flatnonzero(np.abs(vectors[:, column]) >= largest[column])[0]
        signs[column] = -1 if vectors[first, column] < 0 else 1
    return signs


def descending(values: Array, vectors: Array, n_components: int | None = None) -> tuple[Array, Array]:
    """Sort eigenpairs by value, largest first, keep `n_components` of them, and fix the signs."""
    order = np.argsort(values, kind="stable")[::-1][:n_components]
    kept = vectors[:, order]
    kept *= signs_of(kept)  # a copy already, by the selection
    return values[order], kept
