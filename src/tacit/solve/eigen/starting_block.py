"""The first block of vectors of an iteration: random, near known vectors, or both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.solve.tall_arrays import factored
from tacit.types import Array

__all__ = ["N_RANDOM", "starting_block"]

# Random vectors in addition to given ones, a quarter of a small block: they find directions that the given ones lack
# (new records, an invariant space).
N_RANDOM = 8


def starting_block(
    n: int, width: int, dtype: np.dtype, rng: np.random.Generator, start: Array | Callable[[], Array] | None = None
) -> Array:
    """Return `width` orthonormal columns: the directions of `start`, mixed if they are too many, and random ones."""
    V = _normal((n, width), dtype, rng)
    n_given = width - min(N_RANDOM, max(1, width // 4))
    if start is not None and n_given:
        start = start() if callable(start) else start
        if start.shape[1] > n_given:
            start = start @ _normal((start.shape[1], n_given), start.dtype, rng)
        V[:, : start.shape[1]] = start
    return factored(V)[0]


def _normal(shape: tuple[int, int], dtype: np.dtype, rng: np.random.Generator) -> Array:
    """Return random numbers in the precision of the block: a copy in double precision would be twice as large."""
    return rng.standard_normal(shape, dtype=np.float32 if dtype == np.float32 else np.float64)
