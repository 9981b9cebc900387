"""Nearest neighbours of records among each other, and the weights of t-SNE from them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from tacit.types import BoolArray, Float32Array, IntArray

__all__ = ["NeighbourSearch", "affinities"]

_EXACT = 4_000  # records of which all pairs are compared
_PER_CELL = 250  # records per cell, on average
_LARGEST = 2_000  # records that are compared with others at a time
_CELLS = 5  # cells in which neighbours are sought, at least
_ROUNDS = 3  # of k-means for the cells
_BLOCK = 8_192


class NeighbourSearch:
    """Finds neighbours by cosine.

    Many records are divided into cells of nearby ones, and neighbours sought in the nearest cells only: some of the
    neighbours are missed, and the time grows with the records, not with their pairs.

    Parameters
    ----------
    directions : (n, k), of length 1
    rng : chooses the first centres of the cells
    """

    def __init__(self, directions: Float32Array, rng: np.random.Generator) -> None:
        self._directions = directions
        if len(directions) <= _EXACT:
            self._members, self._beside = [np.arange(len(directions))], np.zeros((1, 1), np.int64)
            self._centres = np.zeros((1, directions.shape[1]), np.float32)
            return
        cells, centres = _cells(directions, rng)
        self._centres = centres
        order = np.argsort(cells, kind="stable")
        self._members = np.split(order, np.cumsum(np.bincount(cells, minlength=len(centres)))[:-1])
        self._beside = np.argsort(-(centres @ centres.T), axis=1, kind="stable")

    def nearest(self, n_near: int, among: BoolArray | None = None) -> tuple[IntArray, Float32Array]:
        """Return the nearest other records of each record, nearest first, and the cosines.

        Parameters
        ----------
        n_near : int, less than the number of records to be found
        among : which records are to be found; default all
        """
        n = len(self._directions)
        near, scores = np.zeros((n, n_near), np.int64), np.empty((n, n_near), np.float32)
        wanted = self._members if among is None else [rows[among[rows]] for rows in self._members]
        for cell, rows in enumerate(self._members):
            found: list[IntArray] = []
            for place, other in enumerate(self._beside[cell]):
                if place >= _CELLS and sum(map(len, found)) > n_near:
                    break
                found.append(wanted[other])
            others = np.concatenate(found)
            for start in range(0, len(rows), _LARGEST):
                some = rows[start : start + _LARGEST]
                near[some], scores[some] = self._compared(some, others, n_near)
        return near, scores

    def nearest_to(self, directions: Float32Array, n_near: int) -> tuple[IntArray, Float32Array]:
        """Return the nearest records of other directions, nearest first, and the cosines."""
        near = np.zeros((len(directions), n_near), np.int64)
        scores = np.empty((len(directions), n_near), np.float32)
        cells = _nearest_centre(directions, self._centres)
        order = np.argsort(cells, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(cells[order])) + 1):
            found: list[IntArray] = []
            for place, other in enumerate(self._beside[cells[rows[0]]]):
                if place >= _CELLS and sum(map(len, found)) > n_near:
                    break
                found.append(self._members[other])
            others = np.concatenate(found)
            among = self._directions[others].T
            for start in range(0, len(rows), _LARGEST):
                some = rows[start : start + _LARGEST]
                best, cosines = _best(directions[some] @ among, n_near)
                near[some], scores[some] = others[best], cosines
        return near, scores

    def _compared(self, rows: IntArray, others: IntArray, n_near: int) -> tuple[IntArray, Float32Array]:
        cosines = self._directions[rows] @ self._directions[others].T
        place = np.full(len(self._directions), -1)
        place[others] = np.arange(len(others))
        own = np.flatnonzero(place[rows] >= 0)
        cosines[own, place[rows[own]]] = -2  # not itself
        best, found = _best(cosines, n_near)
        return others[best], found


def _best(cosines: Float32Array, n_near: int) -> tuple[IntArray, Float32Array]:
    """Return the columns of the largest cosines of each row, and these."""
    best = np.argpartition(-cosines, n_near - 1, axis=1)[:, :n_near]
    found = np.take_along_axis(cosines, best, axis=1)
    order = np.lexsort((best, -found), axis=1)
    return np.take_along_axis(best, order, axis=1), np.take_along_axis(found, order, axis=1)


def affinities(near: IntArray) -> sp.csr_array:
    """Return symmetric weights that sum to 1, from the neighbours of each record: all count the same.

    Weights that fall with the distance, as t-SNE has them otherwise, are hardly better (decision 0034).
    """
    n, n_near = near.shape
    ones = np.ones(n * n_near, np.float32)
    P = sp.csr_array((ones, near.ravel(), np.arange(0, n * n_near + 1, n_near)), shape=(n, n))
    P = sp.csr_array(P + P.T)
    P.data /= P.data.sum(dtype=np.float64)
    return P


def _cells(directions: Float32Array, rng: np.random.Generator) -> tuple[IntArray, Float32Array]:
    """Divide records into cells of nearby ones, by a few rounds of k-means of a sample."""
    n_cells = len(directions) // _PER_CELL
    n_seen = min(len(directions), 40 * n_cells)
    sample = directions[np.sort(rng.choice(len(directions), n_seen, replace=False))]
    centres = sample[np.sort(rng.choice(n_seen, n_cells, replace=False))]
    for _ in range(_ROUNDS):
        cells = _nearest_centre(sample, centres)
        members = sp.csr_array((np.ones(n_seen, np.float32), (cells, np.arange(n_seen))), (n_cells, n_seen))
        means = np.asarray(members @ sample)
        lengths = np.linalg.norm(means, axis=1, keepdims=True)
        centres = np.where(lengths > 0, means / np.maximum(lengths, 1e-12), centres).astype(np.float32)
    return _nearest_centre(directions, centres), centres


def _nearest_centre(directions: Float32Array, centres: Float32Array) -> IntArray:
    found = np.empty(len(directions), np.int64)
    for start in range(0, len(directions), _BLOCK):
        found[start : start + _BLOCK] = (directions[start : start + _BLOCK] @ centres.T).argmax(axis=1)
    return found
