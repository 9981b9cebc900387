"""Arrays with a row for some of the records only, or with their rows in a file, read as if all were in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tacit.types import Array, Float32Array, IntArray

__all__ = ["FileRows", "SomeRows"]


class SomeRows:
    """The rows of some records, taken by the numbers of the records.

    Parameters
    ----------
    array : (n_some, n) the rows
    records : (n_some,), the numbers of their records, ascending
    """

    def __init__(self, array: Array, records: IntArray) -> None:
        self.array, self.records = array, records
        self.shape = array.shape

    def __getitem__(self, records: IntArray) -> Array:
        """Return the rows of records, each of which must be one of these."""
        return np.asarray(self.array[np.searchsorted(self.records, records)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the rows that there are."""
        return np.asarray(self.array, dtype)

    def __rmul__(self, factor: float) -> SomeRows:
        """Return the rows times a number."""
        return SomeRows(factor * self.array, self.records)


class FileRows:
    """A table of float32 in a `.npy` file, of which only the rows that are asked for are in memory.

    A mapped file would count as memory of the process as far as it was read.

    Parameters
    ----------
    path : the file
    shape : of the table
    """

    def __init__(self, path: Path, shape: tuple[int, int]) -> None:
        self.path, self.shape = path, shape
        self.size = shape[0] * shape[1]
        with open(path, "rb") as file:
            np.lib.format.read_magic(file)
            np.lib.format.read_array_header_1_0(file)
            self._start = file.tell()

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | IntArray) -> Float32Array:
        """Return a range of rows, or rows by their numbers."""
        width = 4 * self.shape[1]
        with open(self.path, "rb") as file:
            if isinstance(rows, slice):
                first, last, _ = rows.indices(self.shape[0])
                file.seek(self._start + first * width)
                n = max(0, last - first)
                return np.fromfile(file, np.float32, n * self.shape[1]).reshape(n, self.shape[1])
            found = np.empty((len(rows), self.shape[1]), np.float32)
            for place in np.argsort(rows, kind="stable"):
                file.seek(self._start + int(rows[place]) * width)
                file.readinto(found[place].data)
            return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return all rows."""
        return np.asarray(self[0 : self.shape[0]], dtype)
