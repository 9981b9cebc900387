"""Where an iteration starts: at random, near vectors that are known already, or both."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la

from tacit.operators.base import Array
from tacit.solve.threads import one_thread

__all__ = ["N_RANDOM", "start_block"]

# Beside given vectors some random ones: where those are blind (new records, an invariant space) these are not.
N_RANDOM = 8


def start_block(n: int, width: int, dtype: np.dtype, rng: np.random.Generator, start: Array | None = None) -> Array:
    """Give `width` orthonormal columns: random, but for the directions of `start`, mixed if they are too many."""
    V = rng.standard_normal((n, width)).astype(dtype)
    n_given = max(0, width - N_RANDOM)
    if start is not None and n_given:
        if start.shape[1] > n_given:
            start = start @ rng.standard_normal((start.shape[1], n_given))
        V[:, : start.shape[1]] = start
    with one_thread():
        return np.asarray(la.qr(V, mode="economic", overwrite_a=True, check_finite=False)[0])
