"""The positions that count now: those of the build that were not removed, and those that were added since.

A collection of some 100,000 records is compared as a whole; in a larger one a graph proposes records (see
`tacit.index.neighbour_graph`), which are compared exactly. With filters, the nearest are gone through until enough of
them pass; where few records pass at all, those are compared instead.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacit.index import Filters, Generation
from tacit.index.nearest import cosines, lengths_of, top
from tacit.index.neighbour_graph import NeighbourGraph

__all__ = ["Live"]

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

_NEAREST = 1_200  # records that are looked at at first; a graph proposes them in some 3 ms, and fewer miss more
_TIMES = 4  # and at least so many times as are asked for
_MOST = 16_000  # after which gathering all that pass is faster


class _Changes(NamedTuple):
    """What has changed since the build, as of a state of the store."""

    state: int
    removed: Numbers
    added: Numbers
    positions: Floats
    lengths: Floats


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
        self, position: Floats, limit: int, *, filters: Filters | None = None, without: int | None = None
    ) -> tuple[Numbers, Floats]:
        """Give numbers and cosines of the nearest records, the nearest first, ties in order of the numbers.

        Cosines are exact. In a collection that has a graph, one record in a hundred or so of the nearest is missed.

        Parameters
        ----------
        position : (n_dimensions,)
        limit : how many
        filters : only records that pass
        without : the number of a record to leave out
        """
        changes = self._changes()
        filters = filters if filters is not None and filters.parts() else None
        numbers = self._store.few_numbers(filters) if filters else None
        if numbers is None and (filters is not None or self._graph is not None):
            found = self._among_the_nearest(position, limit, changes, filters, without)
            if found is not None:
                return found
        if numbers is None:
            numbers = self._store.numbers(filters) if filters else self._all(changes)
        return self._best(position, limit, numbers if without is None else numbers[numbers != without], changes)

    def positions(self, numbers: Numbers) -> Floats:
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

    def _among_the_nearest(
        self, position: Floats, limit: int, changes: _Changes, filters: Filters | None, without: int | None
    ) -> tuple[Numbers, Floats] | None:
        """Go through the nearest of all, ever more of them, until enough pass; None when too many would be needed.

        They come in their order, so that the first that pass are the nearest that pass.
        """
        n_nearest = max(_NEAREST, _TIMES * limit)
        while n_nearest <= min(_MOST, self.n_base):
            numbers, scores = self._nearest_of_all(position, n_nearest, changes)
            if without is not None:
                numbers, scores = numbers[numbers != without], scores[numbers != without]
            passed = np.arange(len(numbers))
            if filters is not None:
                passed = self._store.first_passing(numbers, filters, limit)
            if len(passed) >= limit:
                return numbers[passed[:limit]], scores[passed[:limit]]
            # twice as many as should do, going by what passed so far; where nothing did, probably little will
            n_nearest = 4 * n_nearest * limit // max(1, 2 * len(passed))
        return None

    def _nearest_of_all(self, position: Floats, n_wanted: int, changes: _Changes) -> tuple[Numbers, Floats]:
        """The nearest of all live records: of those that the graph proposes, or of all if there is none."""
        if self._graph is None:
            return self._best(position, n_wanted, self._all(changes), changes)
        rows = np.sort(self._graph.propose(position, n_wanted))
        numbers = np.concatenate([rows[~_is_in(rows, changes.removed)], changes.added])
        return self._best(position, n_wanted, numbers, changes)

    def _best(self, position: Floats, limit: int, numbers: Numbers, changes: _Changes) -> tuple[Numbers, Floats]:
        """The nearest among these records, whose numbers ascend."""
        scores = self._cosines(position, numbers, changes)
        best = top(scores, limit)
        return numbers[best], scores[best]

    def _all(self, changes: _Changes) -> Numbers:
        base = np.arange(self.n_base, dtype=np.int64)
        if len(changes.removed):
            base = np.delete(base, changes.removed)
        return np.concatenate([base, changes.added])

    def _cosines(self, position: Floats, numbers: Numbers, changes: _Changes) -> Floats:
        """Cosines of a position with these records; rows of the build are read in blocks, not one by one."""
        n_base = int(np.searchsorted(numbers, self.n_base))
        rows = None if n_base == self.n_base else numbers[:n_base]
        added = np.searchsorted(changes.added, numbers[n_base:])
        return np.concatenate(
            [
                cosines(position, self._positions, self._lengths, rows),
                cosines(position, changes.positions, changes.lengths, added),
            ]
        )

    def _changes(self) -> _Changes:
        state = self._store.changes
        if self._seen is None or self._seen.state != state:
            added, positions = self._store.added()
            positions = np.asarray(positions, np.float32).reshape(len(added), self._positions.shape[1])
            self._seen = _Changes(state, self._store.removed(), added, positions, lengths_of(positions))
        return self._seen


def _is_in(numbers: Numbers, ascending: Numbers) -> npt.NDArray[np.bool_]:
    """Whether each number is among others that ascend, without going through those."""
    if not len(ascending):
        return np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[places] == numbers)
