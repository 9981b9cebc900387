"""Compare spaces: positions and directions are equal up to the sign of each column."""

from __future__ import annotations

import numpy as np


def up_to_sign(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Turn the columns of `found` that point away from those of `expected`."""
    return np.asarray(found * signs(found, expected))


def signs(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return 1 or -1 for each column; never 0, which would make a wrong column of zeros equal to anything small."""
    return np.where(np.einsum("ij,ij->j", found, expected) < 0, -1, 1)


def assert_positions(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-6) -> None:
    """Assert that positions are equal but for the signs of the dimensions, relative to the largest."""
    size = np.abs(expected).max()
    np.testing.assert_allclose(up_to_sign(found, expected) / size, expected / size, atol=tolerance)
