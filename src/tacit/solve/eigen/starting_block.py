"""Where an iteration starts: at random, near vectors that are known already, or both."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tacit.solve.tall_arrays import factored
from tacit.types import Array

__all__ = ["N_RANDOM", "start_block"]

# Beside given vectors some random ones, a quarter of a small block: where those are blind (new records, an invariant
# space) these are not.
N_RANDOM = 8


def start_block(
    n: int,
    width: int,
    dtype: np.dtype,
    rng: np.random.Generator,
    start: Array | Callable[[], Array] | None = None,
) -> Array:
    """Give `width` orthonormal columns: random, but for the directions of `start`, mixed if they are too many."""
    V = _normal((n, width), dtype, rng)
    n_given = width - min(N_RANDOM, max(1, width // 4))
    if start is not None and n_given:
        start = start() if callable(start) else start
        if start.shape[1] > n_given:
            start = start @ _normal((start.shape[1], n_given), start.dtype, rng)
        V[:, : start.shape[1]] = start
    return factored(V)[0]


def _normal(shape: tuple[int, int], dtype: np.dtype, rng: np.random.Generator) -> Array:
    """Random numbers in the precision they are needed in: a double of a block of vectors would be twice as large."""
    return rng.standard_normal(shape, dtype=np.float32 if dtype == np.float32 else np.float64)
