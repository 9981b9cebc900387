"""Rows of words and positions of all parts, read as if they were one table on disk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.operators.rows.disk import DiskRows
from tacit.tasks.build.stages.some_rows import FileRows
from tacit.types import Array, Float32Array, IntArray

__all__ = ["JoinedPositions", "JoinedRows"]


class JoinedRows:
    """Sparse rows on disk, one part after the other.

    Parameters
    ----------
    parts : the rows of each part
    """

    is_outside_memory = True

    def __init__(self, parts: Sequence[DiskRows]) -> None:
        self._parts = parts
        self.shape = (sum(part.shape[0] for part in parts), parts[0].shape[1])
        self.nnz = sum(part.nnz for part in parts)

    def blocks(self) -> Iterator[sp.csr_array]:
        """Return blocks of rows, in order."""
        return chain.from_iterable(part.blocks() for part in self._parts)


class JoinedPositions(FileRows):
    """Tables of float32 in files, one part after the other.

    Parameters
    ----------
    parts : the table of each part
    """

    def __init__(self, parts: Sequence[FileRows]) -> None:
        self._parts = parts
        self._starts = np.cumsum([0, *map(len, parts)])
        self.shape = (int(self._starts[-1]), parts[0].shape[1])
        self.size = self.shape[0] * self.shape[1]

    def __getitem__(self, rows: slice | IntArray) -> Float32Array:
        """Return a range of rows, or rows by their numbers."""
        if isinstance(rows, slice):
            first, last, _ = rows.indices(self.shape[0])
            found = [
                part[max(0, first - start) : max(0, min(last, stop) - start)]
                for (start, stop), part in zip(pairwise(self._starts.tolist()), self._parts, strict=True)
                if start < last and stop > first
            ]
            return np.concatenate(found) if found else np.empty((0, self.shape[1]), np.float32)
        numbers: Array = np.asarray(rows)
        result = np.empty((len(numbers), self.shape[1]), np.float32)
        of_part = np.searchsorted(self._starts, numbers, side="right") - 1
        for place in np.unique(of_part):
            mine = np.flatnonzero(of_part == place)
            result[mine] = self._parts[place][numbers[mine] - self._starts[place]]
        return result

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows."""
        return np.asarray(self[0 : self.shape[0]], dtype)
