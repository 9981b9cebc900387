"""Nearest records of a position by cosine: exact, over the mapped positions, a block of rows at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["cosines", "lengths_of", "top"]

_ROWS = 65_536  # a block of a hundred dimensions is 26 MB


def lengths_of(positions: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Length of each row; 1 for a row of zeros, so that its cosine is 0."""
    lengths = np.empty(len(positions), np.float32)
    for start in range(0, len(positions), _ROWS):
        lengths[start : start + _ROWS] = np.linalg.norm(positions[start : start + _ROWS], axis=1)
    lengths[lengths == 0] = 1
    return lengths


def cosines(
    query: npt.NDArray[np.float32],
    positions: npt.NDArray[np.float32],
    lengths: npt.NDArray[np.float32],
    rows: npt.NDArray[np.int64] | None = None,
) -> npt.NDArray[np.float32]:
    """Cosines of one query with all rows, or with those asked for, in their order."""
    query = query / (np.linalg.norm(query) or 1)
    n_rows = len(positions) if rows is None else len(rows)
    found = np.empty(n_rows, np.float32)
    for start in range(0, n_rows, _ROWS):
        block = slice(start, start + _ROWS) if rows is None else rows[start : start + _ROWS]
        found[start : start + _ROWS] = (positions[block] @ query) / lengths[block]
    return np.clip(found, -1, 1)


def top(scores: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.int64]:
    """Where the largest scores are, the largest first, ties in order; without sorting all of them."""
    limit = min(limit, len(scores))
    if limit == 0:
        return np.empty(0, np.int64)
    threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
    candidates = np.flatnonzero(scores >= threshold)
    return candidates[np.argsort(-scores[candidates], kind="stable")][:limit]
