"""Positions of the records of an index of shards, and the nearest of them to a position."""

from __future__ import annotations

import numpy as np

from tacit.index.positions import RecordPositions
from tacit.index.records.filters import Filters
from tacit.index.shards.opened import OpenShards
from tacit.index.shards.store import best_of
from tacit.types import Float32Array, IntArray

__all__ = ["ShardedPositions"]


class ShardedPositions:
    """Finds the nearest records in all shards at the same time; it has the methods of `RecordPositions`.

    Parameters
    ----------
    shards : OpenShards
    """

    def __init__(self, shards: OpenShards) -> None:
        self._shards, self._numbering = shards, shards.numbering
        self._positions = {place: RecordPositions(one) for place, one in shards.there.items()}
        self.n_base = self._numbering.n_built  # records of the build, removed and missing ones included

    @property
    def n_dimensions(self) -> int:
        """Number of dimensions."""
        return next(iter(self._positions.values())).n_dimensions

    @property
    def added(self) -> IntArray:
        """Numbers of the records that were added since the build, ascending."""
        found = self._shards.each_place(lambda place, _: self._positions[place].added)
        return np.sort(np.concatenate([self._numbering.whole(place, numbers) for place, numbers in found.items()]))

    def nearest(
        self,
        position: Float32Array,
        limit: int,
        *,
        filters: Filters | None = None,
        without: int | None = None,
        **proposals: int,
    ) -> tuple[IntArray, Float32Array]:
        """Return the numbers and cosines of the nearest records, nearest first; see `RecordPositions.nearest`."""
        left_out: dict[int, int] = {}
        if without is not None:
            left_out = {place: int(local[0]) for place, local, _ in self._numbering.parts(np.array([without]))}

        def ask(place: int, _: object) -> tuple[IntArray, Float32Array]:
            own, omitted = self._positions[place], left_out.get(place)
            return own.nearest(position, limit, filters=filters, without=omitted, **proposals)

        found = self._shards.each_place(ask)
        return best_of(
            [(self._numbering.whole(place, numbers), scores) for place, (numbers, scores) in found.items()], limit
        )

    def of(self, numbers: IntArray) -> Float32Array:
        """Return the positions of records by their numbers; zeros for a shard that is missing."""
        parts = {place: (local, places) for place, local, places in self._numbering.parts(np.asarray(numbers))}
        found = self._shards.each_place(lambda place, _: self._positions[place].of(parts[place][0]), parts)
        positions = np.zeros((len(numbers), self.n_dimensions), np.float32)
        for place, rows in found.items():
            positions[parts[place][1]] = rows
        return positions
