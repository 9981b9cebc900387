"""Arrays with a row for some of the records only, or with their rows in a file, read as if all were in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from tacit.index.records.columns import StoreParts, read_titles
from tacit.types import Array, Float32Array, IntArray

__all__ = ["FileRows", "RowsFile", "SomeRows", "StoredTitles", "n_titles", "titles_of"]


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

    @classmethod
    def open(cls, path: Path) -> FileRows:
        """Open a table that is complete."""
        with open(path, "rb") as file:
            np.lib.format.read_magic(file)
            (n_rows, n_columns), _, _ = np.lib.format.read_array_header_1_0(file)
        return cls(path, (n_rows, n_columns))


class RowsFile:
    """A `.npy` file of float32 that is written block by block; what was written before a kill is kept.

    Parameters
    ----------
    path : the file
    shape : of the table
    """

    def __init__(self, path: Path, shape: tuple[int, int]) -> None:
        self.path, self.shape = path, shape
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        if not path.exists():
            with open(path, "wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
        with open(path, "rb") as file:
            np.lib.format.read_magic(file)
            np.lib.format.read_array_header_1_0(file)
            self._start = file.tell()

    @property
    def n_written(self) -> int:
        """Number of complete rows in the file."""
        return (self.path.stat().st_size - self._start) // (4 * self.shape[1])

    def write(self, first: int, rows: Float32Array) -> None:
        """Write rows from this number on, and drop what was behind them."""
        with open(self.path, "r+b") as file:
            file.seek(self._start + 4 * first * self.shape[1])
            file.write(np.ascontiguousarray(rows, np.float32).data)
            file.truncate()


class StoredTitles(Sequence[str]):
    """The titles of stored records, read when they are asked for.

    Parameters
    ----------
    path : the store, or several
    n_filled : number of records that have a title
    numbers : of the records; None for all `n_records`
    """

    def __init__(self, path: Path | StoreParts, n_filled: int, n_records: int, numbers: IntArray | None = None) -> None:
        self.path, self.n_filled = path, n_filled
        self._numbers = np.arange(n_records) if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[str]:
        return iter(self.take(np.arange(len(self))))

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> StoredTitles: ...
    def __getitem__(self, row: int | slice) -> str | StoredTitles:
        if isinstance(row, slice):
            return self.part(np.arange(len(self))[row])
        return self.take(np.array([row]))[0]

    def part(self, rows: IntArray) -> StoredTitles:
        """Return the titles of some of these records, as many of which have one as of all."""
        share = self.n_filled / max(1, len(self))
        return StoredTitles(self.path, round(share * len(rows)), len(rows), self._numbers[rows])

    def take(self, rows: IntArray) -> list[str]:
        """Read the titles of some of these records."""
        wanted = self._numbers[rows]
        found = dict(read_titles(self.path, np.unique(wanted)))
        return [found[int(number)] for number in wanted]


def titles_of(titles: Sequence[str], rows: IntArray) -> list[str]:
    """Return the titles of some records."""
    return titles.take(rows) if isinstance(titles, StoredTitles) else [titles[int(row)] for row in rows]


def n_titles(titles: Sequence[str]) -> int:
    """Return how many records have a title."""
    return titles.n_filled if isinstance(titles, StoredTitles) else sum(map(bool, titles))
