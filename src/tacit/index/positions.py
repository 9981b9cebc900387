"""Positions of the records that an index holds now, and the nearest of them to a position.

The records are those of the build that were not removed, and those that were added since. In a small
collection all are compared with the query. In a large one a graph proposes candidates (see
`tacit.index.nearest.approximate`), which are compared exactly. With filters, all matching records are compared if they
are few; otherwise the graph proposes, and all matching records are compared only if too few proposals match.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tacit.errors import InputError
from tacit.index import Filters, Generation
from tacit.index.folder.arrays import REMEDY
from tacit.index.folder.checksums import remember_checked, was_checked
from tacit.index.nearest.approximate import GRAPH, HnswGraph
from tacit.index.nearest.exact import cosines, lengths_of, top
from tacit.index.nearest.precision import ReducedRows
from tacit.index.records.matching import MatchingRecords
from tacit.types import Array, BoolArray, Float32Array, IntArray

__all__ = ["RecordPositions"]

_NEAREST = 1_200  # proposals that are requested first, about 3 ms; fewer miss more of the nearest
_TIMES = 4  # proposals per requested record, at least
_COMPARED, _LEAST_COMPARED = 4, 100  # proposals per record, and at least, that are compared: half gave the same lists
_SPARE = 2  # matching proposals needed per requested record: more are missed at the far end of the list
_WIDEST = 4_800  # most proposals, about 12 ms
_FEW = 50_000  # so few matching records are compared in less time than a search of the graph that may not suffice
_SOME = 150_000  # so few are compared in less time than a wider search of the graph takes

_GREATEST = 1e18  # of a coordinate: the square of more is not finite

Found = tuple[IntArray, Float32Array]


class _Changes(NamedTuple):
    """What had changed since the build at one state of the store."""

    state: int
    removed: IntArray
    added: IntArray
    positions: Float32Array
    lengths: Float32Array


class RecordPositions:
    """Finds the nearest records of a generation; reads the changes again whenever the store has changed."""

    def __init__(self, generation: Generation) -> None:
        self._generation, self._store = generation, generation.store
        rows: Any = generation.array("positions")
        # as plain arrays, since taking rows of a memmap makes a memmap each time
        self._positions: Array = rows.stored if isinstance(rows, ReducedRows) else np.asarray(rows)
        self._lengths: Float32Array = np.asarray(generation.array("lengths"))
        if isinstance(rows, ReducedRows):  # of the stored rows, so that cosines need no scales
            self._lengths = np.asarray(self._lengths / rows.scales, np.float32)
        self._rows: Any = rows if isinstance(rows, ReducedRows) else self._positions
        self.n_base = len(self._positions)  # records of the build, removed ones included
        self._seen: _Changes | None = None

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions."""
        return int(self._positions.shape[1])

    @property
    def added(self) -> IntArray:
        """Numbers of the records that were added since the build, ascending."""
        return self._changes().added

    def nearest(
        self,
        position: Float32Array,
        limit: int,
        *,
        filters: Filters | None = None,
        without: int | None = None,
        proposals: int = _NEAREST,
    ) -> Found:
        """Return the numbers and cosines of the nearest records, nearest first, ties in order of the numbers.

        Cosines are exact. In a collection with a graph, about one in a hundred of the nearest records is missed.
        `without` is the number of a record to leave out. Fewer `proposals` of the graph take less time and miss more.
        """
        changes, matching = self._changes(), self._store.matching(filters)
        if self._graph is not None and (matching is None or len(matching) > _FEW):
            found = self._proposed(
                self._graph, position, limit, max(proposals, _TIMES * limit), changes, matching, without
            )
            if found is not None:
                return found
        if matching is None:
            base, added = np.arange(self.n_base, dtype=np.int64), changes.added
            base = np.delete(base, changes.removed) if len(changes.removed) else base
        else:  # except those that were added after the changes were read
            base, added = np.flatnonzero(matching.base), matching.added[_is_in(matching.added, changes.added)]
        numbers = np.concatenate([base, added])
        return self._best(position, limit, numbers if without is None else numbers[numbers != without], changes)

    def of(self, numbers: IntArray) -> Float32Array:
        """Return the positions of records by their numbers."""
        changes = self._changes()
        found = np.empty((len(numbers), self._positions.shape[1]), np.float32)
        base = numbers < self.n_base
        found[base] = self._rows[numbers[base]]
        others = numbers[~base]
        if not (is_known := _is_in(others, changes.added)).all():  # or that of another record would be returned
            raise InputError(
                f"numbers has an unknown number: got {others[~is_known][0]}, expected numbers of stored records."
            )
        found[~base] = changes.positions[np.searchsorted(changes.added, others)]
        self._check(found)
        return found

    def _check(self, values: Float32Array) -> None:
        """Raise if values were read that no build writes: the checksum of a file is compared by `verify` only."""
        if not (np.abs(values) < _GREATEST).all():
            path = self._generation.path("arrays/positions.npy")
            raise InputError(f"{path} is damaged: got values that are not finite, expected positions. {REMEDY}")

    @cached_property
    def _graph(self) -> HnswGraph | None:
        """Opened with the first search, so that opening an index does not wait for it."""
        if GRAPH not in self._generation.manifest.files:
            return None
        path = self._generation.path(GRAPH)
        found = HnswGraph.open(path, *self._positions.shape, is_checked=was_checked(path, "graph"))
        if found is not None:
            remember_checked(path, "graph")
        return found

    def _proposed(
        self,
        graph: HnswGraph,
        position: Float32Array,
        limit: int,
        n_wanted: int,
        changes: _Changes,
        matching: MatchingRecords | None,
        without: int | None,
    ) -> Found | None:
        """Return the nearest of the graph's proposals; None if comparing all matching records is faster."""
        n_matching = self.n_base if matching is None else len(matching)
        if n_matching <= _SOME and n_wanted * n_matching < limit * self.n_base:
            return None
        while n_wanted <= min(_WIDEST, self.n_base):
            rows, added = graph.propose(position, n_wanted), changes.added
            rows = rows[~_is_in(rows, changes.removed)]
            if matching is not None:
                rows, added = rows[matching.contains(rows)], added[matching.contains(added)]
            if without is not None:
                rows, added = rows[rows != without], added[added != without]
            if len(rows) + len(added) >= _SPARE * limit:
                numbers = np.concatenate([np.sort(rows[: max(_LEAST_COMPARED, _COMPARED * limit)]), added])
                return self._best(position, limit, numbers, changes)
            if n_matching <= _SOME:
                return None
            # twice as many as the share of matches so far suggests
            n_wanted = max(_TIMES * n_wanted, 2 * _SPARE * n_wanted * limit // max(1, len(rows) + len(added)))
        return None

    def _best(self, position: Float32Array, limit: int, numbers: IntArray, changes: _Changes) -> Found:
        """Return the nearest among these records, whose numbers ascend."""
        n_base = int(np.searchsorted(numbers, self.n_base))
        added = np.searchsorted(changes.added, numbers[n_base:])
        with np.errstate(invalid="ignore", over="ignore"):  # of damaged positions, which are told below
            of_base = cosines(position, self._positions, self._lengths, numbers[:n_base])
        scores = np.concatenate([of_base, cosines(position, changes.positions, changes.lengths, added)])
        self._check(scores)
        best = top(scores, limit)
        return numbers[best], scores[best]

    def _changes(self) -> _Changes:
        state, seen = self._store.changes, self._seen  # other threads may replace it meanwhile
        if seen is None or seen.state != state:
            added, positions = self._store.added()
            positions = np.asarray(positions, np.float32).reshape(len(added), self._positions.shape[1])
            seen = self._seen = _Changes(state, self._store.removed(), added, positions, lengths_of(positions))
        return seen


def _is_in(numbers: IntArray, ascending: IntArray) -> BoolArray:
    """Whether each number is in an ascending array, by binary search."""
    if not len(ascending):
        return np.zeros(len(numbers), bool)
    places = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[places] == numbers)
