"""Sets of names, one per record, in a few bytes for each name: a sequence of tuples that holds every name once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
import scipy.sparse as sp

from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array, IntArray

__all__ = ["CodedSets"]


class CodedSets(Sequence[tuple[str, ...]]):
    """A list of tuples of names to which one can only append; it takes four bytes per name and eight per record.

    Attributes
    ----------
    names : list of str
        All names, by code, in the order in which they were first added.
    codes, ends : arrays
        The codes of all records one after the other, and where those of each record end.

    Examples
    --------
    >>> sets = CodedSets([("cats", "dogs"), (), ("dogs",)])
    >>> sets[0], len(sets), sets.names, list(sets.take([2]))
    (('cats', 'dogs'), 3, ['cats', 'dogs'], [('dogs',)])
    """

    def __init__(self, sets: Iterable[Iterable[str]] = ()) -> None:
        self.names: list[str] = []
        self.codes, self.ends = array("i"), array("q", [0])
        self._places: dict[str, int] = {}
        for names in sets:
            self.append(names)

    def append(self, names: Iterable[str]) -> None:
        """Add the names of one more record."""
        for name in names:
            place = self._places.get(name)
            if place is None:
                place = self._places[name] = len(self.names)
                self.names.append(name)
            self.codes.append(place)
        self.ends.append(len(self.codes))

    @classmethod
    def of_arrays(cls, names: list[str], codes: Array, ends: Array) -> CodedSets:
        """Return the sets of these names, codes and ends."""
        found = cls()
        found.names, found._places = names, {name: place for place, name in enumerate(names)}
        found.codes, found.ends = array("i"), array("q")
        found.codes.frombytes(np.asarray(codes, np.int32).tobytes())
        found.ends.frombytes(np.asarray(ends, np.int64).tobytes())
        return found

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        names, codes, ends = self.names, self.codes, self.ends
        for row in range(len(self)):
            yield tuple([names[code] for code in codes[ends[row] : ends[row + 1]]])

    @overload
    def __getitem__(self, row: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, row: slice) -> CodedSets: ...
    def __getitem__(self, row: int | slice) -> tuple[str, ...] | CodedSets:
        if isinstance(row, slice):
            return self.take(np.arange(len(self))[row])
        row = range(len(self))[row]
        return tuple([self.names[code] for code in self.codes[self.ends[row] : self.ends[row + 1]]])

    def __contains__(self, names: object) -> bool:
        return any(names == each for each in self)

    @property
    def n_names(self) -> IntArray:
        """Number of names of each record."""
        return np.asarray(np.diff(np.array(self.ends)), np.int64)

    @property
    def counts(self) -> IntArray:
        """Number of records with each of `names`."""
        return np.bincount(np.asarray(self.codes), minlength=len(self.names))

    def take(self, rows: Sequence[int] | IntArray) -> CodedSets:
        """Return the sets of some records, with the codes of all."""
        codes, ends, chosen = np.asarray(self.codes), np.asarray(self.ends), np.asarray(rows, np.int64)
        lengths = (ends[1:] - ends[:-1])[chosen]
        starts = np.repeat(ends[:-1][chosen] - np.append(0, np.cumsum(lengths))[:-1], lengths)
        own = starts + np.arange(int(lengths.sum()))
        return CodedSets.of_arrays(self.names, codes[own], np.append(0, np.cumsum(lengths)))

    def matrix(self, names: Sequence[str]) -> LabelMatrix:
        """Return the records with these names as columns; one without any of them is unknown."""
        place = {name: column for column, name in enumerate(names)}
        columns = np.array([place.get(name, -1) for name in self.names], np.int64)[np.asarray(self.codes)]
        kept = columns >= 0
        indptr = np.append(0, np.cumsum(kept))[np.asarray(self.ends)]
        ones = np.ones(int(np.count_nonzero(kept)), np.float64)
        indicator = sp.csr_array((ones, columns[kept], indptr), shape=(len(self), len(names)))
        indicator.sort_indices()
        return LabelMatrix(indicator, tuple(names), np.diff(indptr) > 0, kind="sets")
