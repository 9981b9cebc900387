"""A space small enough for a browser: positions and words on the axes that matter most, eight bits per number.

    z_r ≈ c_r · q_r,   q_r in −127 … 127

z_r is the position of record r at length 1 on the leading axes of all records, c_r its scale. A cosine is one product
of small integers, so a browser compares a query with 100,000 records in a few hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array, IntArray

__all__ = ["Quantised", "SmallSpace", "agreement", "small_space"]

_BLOCK = 8192
_LARGEST = 127


class Quantised(NamedTuple):
    """Rows of small integers and the scale of each row."""

    rows: np.ndarray
    scales: Float32Array

    def restored(self, numbers: IntArray | slice = slice(None)) -> Float32Array:
        """Return rows as numbers with a fraction again."""
        return np.asarray(self.rows[numbers] * self.scales[numbers, None], np.float32)


@dataclass(frozen=True, eq=False)
class SmallSpace:
    """What a browser needs to place texts among records.

    Attributes
    ----------
    records : Quantised, positions of the records at length 1
    terms : Quantised or None, the map from weights of terms to a position; None without words
    offset : (n_axes,), what is subtracted from the position of a text
    labels : Quantised, mean positions of the labels at length 1
    """

    records: Quantised
    terms: Quantised | None
    offset: Float32Array
    labels: Quantised

    def place(self, rows: sp.csr_array) -> Float32Array:
        """Return the positions of texts, given the weights of their terms, as the browser computes them."""
        assert self.terms is not None
        return np.asarray(rows @ self.terms.restored() - self.offset, np.float32)


def small_space(collection: OpenedIndex, numbers: IntArray, n_axes: int) -> SmallSpace:
    """Return the space of an index on its leading axes, for the records with these numbers."""
    positions = _at_length_one(collection.positions.of(numbers))
    axes = _leading_axes(positions, n_axes)
    space = collection.space
    labels = collection.label_positions
    if labels is None:
        labels = np.zeros((0, space.n_dimensions), np.float32)
    offset = np.zeros(axes.shape[1]) if space.offset is None else np.asarray(space.offset, np.float32) @ axes
    return SmallSpace(
        _quantised(positions, axes),
        None if space.words is None else _quantised(np.asarray(space.terms, np.float32), axes),
        np.asarray(offset, np.float32),
        _quantised(_at_length_one(np.asarray(labels, np.float32)), axes),
    )


def agreement(collection: OpenedIndex, numbers: IntArray, space: SmallSpace, texts: Sequence[str], depth: int) -> float:
    """Return the share of the nearest records of these texts in the index that the small space finds too."""
    words = collection.space.words
    assert words is not None
    rows = words.transform(texts)
    mine = _at_length_one(space.place(rows)) @ space.records.restored().T
    theirs = _at_length_one(collection.space.place(list(texts))) @ _at_length_one(collection.positions.of(numbers)).T
    depth = min(depth, len(numbers))
    found = [
        len(np.intersect1d(np.argsort(-one, kind="stable")[:depth], np.argsort(-other, kind="stable")[:depth]))
        for one, other in zip(mine, theirs, strict=True)
    ]
    return float(np.mean(found)) / depth if found else 1.0


def _leading_axes(positions: Float32Array, n_axes: int) -> Float32Array:
    """Return the axes on which the records differ most, as columns; all axes if they are few."""
    width = positions.shape[1]
    if n_axes >= width:
        return np.eye(width, dtype=np.float32)
    gram = np.zeros((width, width))
    for start in range(0, len(positions), _BLOCK):
        block = positions[start : start + _BLOCK].astype(np.float64)
        gram += block.T @ block
    return np.asarray(np.linalg.eigh(gram)[1][:, ::-1][:, :n_axes], np.float32)


def _quantised(rows: Float32Array, axes: Float32Array) -> Quantised:
    small = np.empty((len(rows), axes.shape[1]), np.int8)
    scales = np.zeros(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        block = np.asarray(rows[start : start + _BLOCK]) @ axes
        largest = np.abs(block).max(axis=1, initial=0) / _LARGEST
        scales[start : start + _BLOCK] = largest
        small[start : start + _BLOCK] = np.rint(block / np.where(largest > 0, largest, 1)[:, None])
    return Quantised(small, scales)


def _at_length_one(positions: Float32Array) -> Float32Array:
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return np.asarray(positions / np.where(lengths > 0, lengths, 1), np.float32)
