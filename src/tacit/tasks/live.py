"""The positions that count now: those of the build that were not removed, and those that were added since."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacit.index import Filters, Generation
from tacit.index.nearest import cosines, lengths_of, top

__all__ = ["Live"]

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


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
        self._store = generation.store
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

        Parameters
        ----------
        position : (n_dimensions,)
        limit : how many
        filters : only records that pass
        without : the number of a record to leave out
        """
        changes = self._changes()
        numbers = self._candidates(changes, filters)
        if without is not None:
            numbers = numbers[numbers != without]
        scores = self._cosines(position, numbers, changes)
        best = top(scores, limit)
        return numbers[best], scores[best]

    def positions(self, numbers: Numbers) -> Floats:
        """Positions of records by their numbers."""
        changes = self._changes()
        found = np.empty((len(numbers), self._positions.shape[1]), np.float32)
        base = numbers < self.n_base
        found[base] = self._positions[numbers[base]]
        found[~base] = changes.positions[np.searchsorted(changes.added, numbers[~base])]
        return found

    def _candidates(self, changes: _Changes, filters: Filters | None) -> Numbers:
        if filters is not None and filters.condition()[0]:
            return self._store.numbers(filters)
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
