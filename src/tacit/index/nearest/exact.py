"""Nearest records of a position by cosine: exact, over memory-mapped positions, one block of rows at a time."""

from __future__ import annotations

import numpy as np

from tacit.types import Float32Array, IntArray

__all__ = ["cosines", "lengths_of", "top"]

_ROWS = 65_536  # a block of a hundred dimensions is 26 MB
_GATHERED = 2_048  # rows gathered at a time, so that they stay in the processor's cache
_SPARSE = 4  # rows are gathered if fewer than 1 in 4 is needed; otherwise reading all in order is faster


def lengths_of(positions: Float32Array) -> Float32Array:
    """Return the length of each row; 1 for a row of zeros, so that its cosine is 0."""
    lengths = np.empty(len(positions), np.float32)
    for start in range(0, len(positions), _ROWS):
        lengths[start : start + _ROWS] = np.linalg.norm(positions[start : start + _ROWS], axis=1)
    lengths[lengths == 0] = 1
    return lengths


def cosines(
    query: Float32Array, positions: Float32Array, lengths: Float32Array, rows: IntArray | None = None
) -> Float32Array:
    """Return the cosines of a query with all rows, or with these `rows` in their order."""
    if rows is not None and _SPARSE * len(rows) > len(positions):
        return cosines(query, positions, lengths)[rows]
    query = query / (np.linalg.norm(query) or 1)
    if rows is None:
        found = np.empty(len(positions), np.float32)
        for start in range(0, len(found), _ROWS):
            block = slice(start, start + _ROWS)
            found[block] = (positions[block] @ query) / lengths[block]
        return np.clip(found, -1, 1, out=found)
    found = np.empty(len(rows), np.float32)
    gathered = np.empty((min(_GATHERED, len(rows)), positions.shape[1]), positions.dtype)
    for start in range(0, len(rows), _GATHERED):
        some = rows[start : start + _GATHERED]
        # twice as fast into an existing array; mode="clip", since NumPy otherwise makes a buffer first
        places = np.take(positions, some, axis=0, out=gathered[: len(some)], mode="clip")
        found[start : start + _GATHERED] = (places @ query) / lengths[some]
    return np.clip(found, -1, 1, out=found)


def top(scores: Float32Array, limit: int) -> IntArray:
    """Return the indices of the largest scores, largest first, ties in order; without sorting all scores."""
    limit = min(limit, len(scores))
    if limit == 0:
        return np.empty(0, np.int64)
    # the limit-th largest of the first rows is a lower bound, which leaves few candidates
    sure = _least_of_largest(scores[: max(_ROWS, limit)], limit)
    candidates = np.flatnonzero(scores >= sure)
    found = scores[candidates]
    best = np.flatnonzero(found >= _least_of_largest(found, limit))
    return candidates[best[np.argsort(-found[best], kind="stable")][:limit]]


def _least_of_largest(scores: Float32Array, limit: int) -> np.float32:
    """Return the `limit`-th largest score."""
    return np.float32(np.partition(scores, len(scores) - limit)[len(scores) - limit])
