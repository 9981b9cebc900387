"""The map that an index keeps, with the records that were added since, and places of texts on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.index.nearest.exact import cosines, top
from tacit.index.stored_arrays import fitting
from tacit.tasks.layout.map_layout import Points
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Array, Float32Array, IntArray

__all__ = ["StoredMap", "n_numbers"]

_NEIGHBOURS = 8
_REACH = 0.05 * 65535  # neighbours farther from the nearest one are ignored
_ENOUGH = 200  # proposals of the graph: whole lists need more, but a mean of eight places hardly moves
_PROPOSED = 32  # nearest records that are asked for, of which added ones have no place of their own


class StoredMap:
    """The map of an open index, made by `StoredMap.of`.

    Attributes
    ----------
    names : list of dict
        Names of subjects, the widest first: text, label, x, y, px, py, level, records.
    levels : int
        Number of their levels.
    """

    def __init__(self, collection: OpenedIndex) -> None:
        arrays, facts = collection.generation.arrays, collection.generation.facts("map")
        levels = 1 + max((name["level"] for name in facts["names"]), default=-1)
        with fitting(collection.generation, "the map"):
            if facts["levels"] != levels:
                raise ValueError(f"{facts['levels']} levels of names in {levels}")
        self._collection = collection
        self._stored = (arrays["map_points"], arrays.get("map_plain"))
        self._added: dict[int, Points] = {}
        self.names: list[dict[str, Any]] = facts["names"]
        self.levels: int = facts["levels"]

    @classmethod
    def of(cls, collection: OpenedIndex) -> StoredMap | None:
        """Return the map of an index, or None if it was built without one."""
        if "map_points" not in collection.generation.arrays:
            return None
        return cls(collection)

    @property
    def has_plain(self) -> bool:
        """Whether there is a second layout, by the words alone."""
        return self._stored[1] is not None

    def points(self, *, plain: bool = False) -> Points:
        """Return the place of every record number, added ones included; numbers of removed records have any place."""
        stored = self._stored[1] if plain else self._stored[0]
        if stored is None:
            stored = self._stored[0]
        found = np.zeros((n_numbers(self._collection), 2), np.int16)
        found[: len(stored)] = stored
        added = self._collection.positions.added
        if len(added):
            self._place_added(added)
            found[added] = [self._added[int(number)][int(plain)] for number in added]
        return found

    def place(self, positions: Array, near: Sequence[tuple[IntArray, Float32Array]] | None = None) -> Points:
        """Place positions among their nearest records: (n, 2, 2), first on the map, then on the plain one.

        Without a plain layout, both places are the same. `near` are the numbers and cosines of the nearest records of
        each position, if they are known already, from a search without filters.
        """
        given = np.atleast_2d(np.asarray(positions, np.float32))
        placed = np.zeros((len(given), 2, 2), np.int16)
        for row, position in enumerate(given):
            numbers, scores = self._nearest(position, None if near is None else near[row])
            for layer, points in enumerate(self._stored):
                placed[row, layer] = _among(self._stored[0] if points is None else points, numbers, scores)
        return placed

    def _place_added(self, added: IntArray) -> None:
        new = np.array([number for number in added if int(number) not in self._added], np.int64)
        if len(new):
            self._added |= dict(zip(new.tolist(), self.place(self._collection.positions.of(new)), strict=True))

    def _nearest(
        self, position: Float32Array, near: tuple[IntArray, Float32Array] | None
    ) -> tuple[IntArray, Float32Array]:
        """Return the nearest records of the build and their cosines."""
        positions, n_base = self._collection.positions, len(self._stored[0])
        numbers, scores = positions.nearest(position, _PROPOSED, proposals=_ENOUGH) if near is None else near
        numbers, scores = numbers[:_PROPOSED], scores[:_PROPOSED]
        of_base = numbers < n_base
        if np.count_nonzero(of_base) < min(_NEIGHBOURS, n_base):  # most neighbours were added, or records removed
            generation = self._collection.generation
            scores = cosines(position, generation.array("positions"), generation.array("lengths"))
            numbers = top(scores, _NEIGHBOURS)
            return numbers, scores[numbers]
        return numbers[of_base][:_NEIGHBOURS], scores[of_base][:_NEIGHBOURS]


def n_numbers(collection: OpenedIndex) -> int:
    """Return how many record numbers are in use, those of removed records included."""
    added = collection.positions.added
    return int(added[-1]) + 1 if len(added) else collection.positions.n_base


def _among(points: Points, near: IntArray, scores: Float32Array) -> Array:
    """Return the mean of the nearest records that lie beside the very nearest, the closer ones counting more."""
    places = np.asarray(points[near], np.float64)
    beside = np.linalg.norm(places - places[0], axis=1) <= _REACH
    away = np.maximum(1 - scores.astype(np.float64), 0)
    weights = np.where(beside, 1 / (away + 0.1 * away[-1] + 1e-6), 0)
    return np.asarray(np.round((weights[:, None] * places).sum(axis=0) / weights.sum()))
