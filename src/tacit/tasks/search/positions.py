"""The positions that count now: those of the build that were not removed, and those that were added since.

A collection of some 100,000 records is compared as a whole; in a larger one a graph proposes records (see
`tacit.index.nearest.approximate`), which are compared exactly. With filters, those that pass are compared where they
are few; otherwise the graph proposes, and only if too few of its proposals pass, all that pass are compared.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from tacit.index import Filters, Generation
from tacit.index.nearest.approximate import NeighbourGraph
from tacit.index.nearest.exact import cosines, lengths_of, top
from tacit.index.records.filtering import Passing
from tacit.types import BoolArray, Float32Array, IntArray

__all__ = ["Live"]


_NEAREST = 1_200  # records that a graph proposes at first, in some 3 ms; fewer miss more
_TIMES = 4  # and at least so many times as are asked for
_SPARE = 2  # so many times as are asked for have to pass: at the far end of the proposals more are missed
_WIDEST = 4_800  # records that are proposed in some 12 ms
_FEW = 50_000  # records that are compared in less time than a graph takes to propose some and too few of them to pass
_SOME = 150_000  # records that are compared in less time than a wider search takes
_SPARSE = 4  # rows are gathered where fewer than one in so many is asked for: reading on is faster
_BLOCK = 2_048  # rows that are gathered at a time: what they take stays in the cache of the processor

Found = tuple[IntArray, Float32Array]


class _Changes(NamedTuple):
    """What has changed since the build, as of a state of the store."""

    state: int
    removed: IntArray
    added: IntArray
    positions: Float32Array
    lengths: Float32Array


class Live:
    """Finds the nearest of all live records of a generation; looks anew when the store has changed."""

    def __init__(self, generation: Generation) -> None:
        self._generation, self._store = generation, generation.store
        self._positions, self._lengths = generation.array("positions"), generation.array("lengths")
        self._seen: _Changes | None = None

    @property
    def n_base(self) -> int:
        """Records of the build."""
        return len(self._positions)

    def nearest(
        self, position: Float32Array, limit: int, *, filters: Filters | None = None, without: int | None = None
    ) -> Found:
        """Give numbers and cosines of the nearest records, the nearest first, ties in order of the numbers.

        Cosines are exact. In a collection that has a graph, one record in a hundred or so of the nearest is missed.

        Parameters
        ----------
        position : (n_dimensions,)
        limit : how many
        filters : only records that pass
        without : the number of a record to leave out
        """
        changes, passing = self._changes(), self._store.passing(filters)
        if self._graph is not None and (passing is None or len(passing) > _FEW):
            found = self._proposed(self._graph, position, limit, changes, passing, without)
            if found is not None:
                return found
        numbers = self._all(changes) if passing is None else _known(passing, changes)
        return self._best(position, limit, numbers if without is None else numbers[numbers != without], changes)

    def positions(self, numbers: IntArray) -> Float32Array:
        """Positions of records by their numbers."""
        changes = self._changes()
        found = np.empty((len(numbers), self._positions.shape[1]), np.float32)
        base = numbers < self.n_base
        found[base] = self._positions[numbers[base]]
        found[~base] = changes.positions[np.searchsorted(changes.added, numbers[~base])]
        return found

    @cached_property
    def _graph(self) -> NeighbourGraph | None:
        """Opened with the first question, so that opening an index does not wait for it."""
        return NeighbourGraph.of_generation(self._generation)

    def _proposed(
        self,
        graph: NeighbourGraph,
        position: Float32Array,
        limit: int,
        changes: _Changes,
        passing: Passing | None,
        without: int | None,
    ) -> Found | None:
        """Give the nearest of what the graph proposes; None where comparing all that pass is faster than going on."""
        n_passing = self.n_base if passing is None else len(passing)
        n_wanted = max(_NEAREST, _TIMES * limit)
        if n_passing <= _SOME and n_wanted * n_passing < limit * self.n_base:
            return None
        while n_wanted <= min(_WIDEST, self.n_base):
            rows = np.sort(graph.propose(position, n_wanted))
            numbers = np.concatenate([rows[~_is_in(rows, changes.removed)], changes.added])
            numbers = numbers if passing is None else numbers[passing.of(numbers)]
            numbers = numbers if without is None else numbers[numbers != without]
            if len(numbers) >= _SPARE * limit:
                return self._best(position, limit, numbers, changes)
            if n_passing <= _SOME:
                return None
            # twice as many as should do, going by what passed so far; where nothing did, probably little will
            n_wanted = max(_TIMES * n_wanted, 2 * _SPARE * n_wanted * limit // max(1, len(numbers)))
        return None

    def _best(self, position: Float32Array, limit: int, numbers: IntArray, changes: _Changes) -> Found:
        """The nearest among these records, whose numbers ascend."""
        scores = self._cosines(position, numbers, changes)
        best = top(scores, limit)
        return numbers[best], scores[best]

    def _all(self, changes: _Changes) -> IntArray:
        base = np.arange(self.n_base, dtype=np.int64)
        if len(changes.removed):
            base = np.delete(base, changes.removed)
        return np.concatenate([base, changes.added])

    def _cosines(self, position: Float32Array, numbers: IntArray, changes: _Changes) -> Float32Array:
        """Cosines of a position with these records."""
        n_base = int(np.searchsorted(numbers, self.n_base))
        added = np.searchsorted(changes.added, numbers[n_base:])
        of_added = cosines(position, changes.positions, changes.lengths, added)
        return np.concatenate([self._base_cosines(position, numbers[:n_base]), of_added])

    def _base_cosines(self, position: Float32Array, rows: IntArray) -> Float32Array:
        """Cosines with rows of the build: gathered where they are few, otherwise all are read, which is faster then."""
        if _SPARSE * len(rows) > self.n_base:
            return cosines(position, self._positions, self._lengths)[rows]
        found = np.empty(len(rows), np.float32)
        gathered = np.empty((min(_BLOCK, len(rows)), self._positions.shape[1]), np.float32)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            # twice as fast into an array that is there; "clip", since otherwise NumPy copies that first
            places = np.take(self._positions, block, axis=0, out=gathered[: len(block)], mode="clip")
            found[start : start + _BLOCK] = cosines(position, places, self._lengths[block])
        return found

    def _changes(self) -> _Changes:
        state = self._store.changes
        if self._seen is None or self._seen.state != state:
            added, positions = self._store.added()
            positions = np.asarray(positions, np.float32).reshape(len(added), self._positions.shape[1])
            self._seen = _Changes(state, self._store.removed(), added, positions, lengths_of(positions))
        return self._seen


def _known(passing: Passing, changes: _Changes) -> IntArray:
    """Numbers of the records that pass, but for those that were added after the changes were read."""
    return np.concatenate([np.flatnonzero(passing.base), passing.added[_is_in(passing.added, changes.added)]])


def _is_in(numbers: IntArray, ascending: IntArray) -> BoolArray:
    """Whether each number is among others that ascend, without going through those."""
    if not len(ascending):
        return np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[places] == numbers)
