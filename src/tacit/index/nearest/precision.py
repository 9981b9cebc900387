"""Positions in fewer bits: half of the memory and disk, or a quarter, for a few of the nearest records.

    position_i ≈ s_i q_i,  q_i in 16-bit floating point, or in integers of 8 bits

`s_i`, the scale of a record, is chosen such that the largest coordinate of `q_i` is 1, or 127. Cosines need no scales.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from tacit.index.nearest.exact import lengths_of, top
from tacit.types import Array, Float32Array, IntArray

__all__ = ["PRECISIONS", "ReducedRows", "recall_of", "write_reduced"]

PRECISIONS = ("full", "half", "int8")

_KINDS: dict[str, tuple[np.dtype[Any], float]] = {  # type and largest coordinate
    "half": (np.dtype(np.float16), 1.0),
    "int8": (np.dtype(np.int8), 127.0),
}
_BLOCK = 65_536
_ASKED, _DEPTH, _COMPARED = 200, 10, 200_000  # records whose nearest are compared, how many, and among how many


class ReducedRows:
    """Positions in fewer bits, read as rows of 32-bit numbers.

    Parameters
    ----------
    stored : (n_records, k), q
    scales : (n_records,), s
    """

    def __init__(self, stored: Array, scales: Array) -> None:
        self.stored, self.scales = np.asarray(stored), np.asarray(scales, np.float32)
        self.shape, self.ndim, self.size = stored.shape, stored.ndim, stored.size
        self.dtype = np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self.stored)

    def __getitem__(self, rows: Any) -> Float32Array:
        """Return one row, a slice of them, or rows by their numbers."""
        scales = np.asarray(self.scales[rows])[
            ..., None
        ]  # an array also for one row: NumPy 1 ignores the type of a number
        return np.asarray(self.stored[rows] * scales, np.float32)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows in one array."""
        return np.asarray(self[:], dtype)


def write_reduced(folder: Path, precision: str) -> None:
    """Replace `positions.npy` in the folder of arrays by positions in fewer bits, with their scales and lengths."""
    path = folder / "positions.npy"
    positions = np.load(path, mmap_mode="r")
    kind, _ = _KINDS[precision]
    fresh = path.with_name(f".{path.name}.new")
    stored = np.lib.format.open_memmap(fresh, mode="w+", dtype=kind, shape=positions.shape)
    scales, lengths = np.ones((2, len(positions)), np.float32)
    for start in range(0, len(positions), _BLOCK):
        block = slice(start, start + _BLOCK)
        rows = _reduced(positions[block], precision)
        stored[block], scales[block], lengths[block] = rows.stored, rows.scales, lengths_of(rows[:])
    stored.flush()
    del stored, positions
    np.save(folder / "position_scales.npy", scales)
    np.save(folder / "lengths.npy", lengths)
    os.replace(fresh, path)  # last, so that a build that goes on after a kill finds the old positions or all of this


def recall_of(positions: Any, precision: str, rng: np.random.Generator) -> float:
    """Return the share of the ten nearest records of 200 that are found with fewer bits, among 200,000 at most."""
    n = len(positions)
    rows = np.sort(rng.choice(n, _COMPARED, replace=False)) if n > _COMPARED else np.arange(n)
    asked = np.sort(rng.choice(len(rows), min(_ASKED, len(rows)), replace=False))
    depth = min(_DEPTH, len(rows) - 1)
    if depth < 1:
        return 1.0
    wanted = _nearest(positions, rows, asked, depth, None)
    found = _nearest(positions, rows, asked, depth, precision)
    return float(np.mean([len(np.intersect1d(*pair)) / depth for pair in zip(wanted, found, strict=True)]))


def _nearest(positions: Any, rows: IntArray, asked: IntArray, depth: int, precision: str | None) -> list[IntArray]:
    """Return the records nearest to some of them, by their full positions, among records in full or fewer bits."""
    queries = _directions(np.asarray(positions[rows[asked]], np.float32))
    scores = np.empty((len(asked), len(rows)), np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(positions[rows[start : start + _BLOCK]], np.float32)
        near = block if precision is None else _reduced(block, precision)[:]
        scores[:, start : start + _BLOCK] = queries @ _directions(near).T
    scores[np.arange(len(asked)), asked] = -2  # itself
    return [top(row, depth) for row in scores]


def _reduced(positions: Array, precision: str) -> ReducedRows:
    kind, largest = _KINDS[precision]
    greatest = np.abs(positions).max(axis=1, initial=0)
    scales = np.where(greatest > 0, greatest, largest) / largest
    values = positions / scales[:, None]
    return ReducedRows((np.rint(values) if kind.kind == "i" else values).astype(kind), scales)


def _directions(positions: Float32Array) -> Float32Array:
    return np.asarray(positions / lengths_of(positions)[:, None], np.float32)
