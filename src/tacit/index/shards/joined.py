"""Arrays of shards, one below the other, read as one array without being copied into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.index.nearest.precision import ReducedRows
from tacit.index.shards.numbering import Numbering
from tacit.types import Array, IntArray

__all__ = ["JoinedRows", "joined_arrays"]


class JoinedRows:
    """The rows of all records of a build, in the order of their numbers; zeros for shards that are missing.

    Parameters
    ----------
    numbering : of the records
    arrays : by the place of the shard, of the same width and type
    """

    def __init__(self, numbering: Numbering, arrays: Mapping[int, Any]) -> None:
        self._numbering = numbering
        self._arrays = {
            place: array if isinstance(array, ReducedRows) else np.asarray(array) for place, array in arrays.items()
        }
        first = next(iter(self._arrays.values()))
        self.dtype, self.shape = first.dtype, (numbering.n_built, *first.shape[1:])
        self.ndim, self.size = first.ndim, int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Array:
        """Return one row, a slice of them, or rows by their numbers."""
        if isinstance(rows, (int, np.integer)):
            return np.asarray(self[np.array([range(len(self))[rows]])][0])
        if isinstance(rows, slice):
            return self._taken(np.arange(*rows.indices(len(self)), dtype=np.int64))
        wanted = np.asarray(rows)
        return self._taken(np.flatnonzero(wanted) if wanted.dtype == bool else wanted.astype(np.int64))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows in one array."""
        return np.asarray(self[:], dtype)

    def _taken(self, numbers: IntArray) -> Array:
        found = np.zeros((len(numbers), *self.shape[1:]), self.dtype)
        for place, local, places in self._numbering.parts(numbers):
            if place in self._arrays:
                found[places] = self._arrays[place][local]
        return found


def joined_arrays(
    numbering: Numbering, shards: Mapping[int, Mapping[str, Array]], names: tuple[str, ...]
) -> dict[str, Any]:
    """Return the arrays of these names that all shards have, joined."""
    found = [name for name in names if all(name in arrays for arrays in shards.values())]
    return {name: JoinedRows(numbering, {place: arrays[name] for place, arrays in shards.items()}) for name in found}
