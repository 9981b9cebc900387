"""Lays out records in the plane so that neighbours in the space stay neighbours.

t-SNE of a sample gives the overall shape, all other records are placed among their neighbours in the sample, and a few
steps of t-SNE of all records put them in order. At last, records that would cover each other are moved apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.checks import as_rng, check_count, check_rows
from tacit.errors import InputError
from tacit.tasks.layout.neighbours import NeighbourSearch, affinities
from tacit.tasks.layout.t_sne import Steps, t_sne
from tacit.types import Array, Float32Array, IntArray

__all__ = ["lay_out", "place_among"]

_FEWEST = 8  # fewer have no neighbourhoods to preserve
_SMALL = 400  # records that are in order after fewer steps
_NEIGHBOURS = 12
_NEAR = 8  # neighbours in the sample between which a record is placed
_REACH = 0.05  # of the width of the map: neighbours farther from the nearest one are ignored
_REFINED = 300_000  # records that are put in order; in a larger collection the others stay between their neighbours
_FILLED = 0.3  # part of the map that the records would cover as discs which do not overlap
_PUSHES = 9
_PUSHED = 100_000  # records at a time


def lay_out(
    positions: Any,
    groups: Sequence[Any] | Array,
    *,
    most: int = 3000,
    random_state: int = 0,
    start: Array | None = None,
) -> Float32Array:
    """Lay records out in the plane so that neighbours in the space, by cosine, stay neighbours.

    Parameters
    ----------
    positions : array, n_records x n_dimensions
    groups : sequence, n_records
        Groups of the records, as numbers or texts, for instance their first labels: the sample takes records of each
        group in proportion to the square root of its size, so that small groups are visible.
    most : int, default 3000
        Records in the sample.
    random_state : int, default 0
        Seed of the sample and of the layout.
    start : array, n_records x 2, optional
        A layout of the same records by something else: this one will be similar in the large.

    Returns
    -------
    array, n_records x 2
        The same for the same seed on any number of cores. Records at the origin of the space are in a corner.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    check_rows("groups", len(groups), len(positions), of="positions")
    if not len(positions):
        raise InputError("positions is empty: got no records, expected at least one.")
    check_count("most", most)
    rng = as_rng(random_state)
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    known = np.flatnonzero(lengths[:, 0] > 0)
    if not len(known):
        return np.asarray(rng.standard_normal((len(positions), 2)), np.float32)
    directions = np.asarray(positions[known] / lengths[known], np.float32)
    points = np.zeros((len(positions), 2), np.float32)
    # one thread: several would sum in another order
    with threadpool_limits(1):
        begun = None if start is None else np.asarray(start, np.float32)[known]
        points[known] = _of_directions(directions, np.asarray(groups)[known], most, rng, begun)
    _put_aside(points, known, rng)
    return points


def _of_directions(
    directions: Float32Array, groups: Array, most: int, rng: np.random.Generator, start: Array | None
) -> Float32Array:
    n = len(directions)
    if n < _FEWEST:
        return _principal(directions)
    rows = _sample(groups, most, rng) if n > 2 * most else np.arange(n)
    points = _of_sample(directions[rows], rng, None if start is None else start[rows])
    if len(rows) < n:
        search = NeighbourSearch(directions, rng)
        points = _between(search, rows, points, n, rng) * np.sqrt(n / len(rows)) * _LOOSE
        if n <= _REFINED:
            points = t_sne(affinities(search.nearest(_NEIGHBOURS)[0]), points, _IN_ORDER)
        else:
            some = np.sort(rng.choice(n, _REFINED, replace=False))
            near, _ = NeighbourSearch(directions[some], rng).nearest(_NEIGHBOURS)
            points = _between(search, some, t_sne(affinities(near), points[some], _IN_ORDER), n, rng)
    return _spread(points, rng)


_LOOSE = 0.5  # of the width that t-SNE of all would have: it can be grown into
_IN_ORDER = (Steps(10, 4.0, 0.5), Steps(35, 1.0, 0.8))


def _of_sample(directions: Float32Array, rng: np.random.Generator, start: Array | None) -> Float32Array:
    """Return the t-SNE of records that are few enough to start from nothing but small principal components."""
    n = len(directions)
    begun = _principal(directions) if start is None else start - start.mean(axis=0)
    spread = float(begun.std())
    if spread == 0:  # identical records, which t-SNE cannot separate
        begun, spread = rng.standard_normal((n, 2)), 1.0
    near, _ = NeighbourSearch(directions, rng).nearest(min(_NEIGHBOURS, (n - 1) // 2))
    few = n < _SMALL
    steps = (Steps(50 if few else 100, 12.0, 0.8), Steps(100 if few else 150, 1.0, 0.8))
    return t_sne(affinities(near), begun / spread * 1e-4, steps)


def _sample(groups: Any, most: int, rng: np.random.Generator) -> IntArray:
    """Choose rows of each group in proportion to the square root of its size."""
    _, codes, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    if len(codes) <= most:
        return np.arange(len(codes))
    shuffled = rng.permutation(len(codes))
    shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    # rank of each record in its group, divided by the root of the size: the lowest are the sample
    places = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(shuffled[np.argsort(places / np.repeat(np.sqrt(sizes), sizes), kind="stable")[:most]])


def _principal(directions: Float32Array) -> Float32Array:
    """Return the first two principal components; zero if there are fewer."""
    centred = directions - directions.mean(axis=0)
    if len(centred) < centred.shape[1]:
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
        found = (left * values)[:, :2]
    else:
        found = centred @ np.linalg.eigh(centred.T @ centred)[1][:, :-3:-1]
    points = np.zeros((len(directions), 2), np.float32)
    points[:, : found.shape[1]] = found
    return points


def _between(
    search: NeighbourSearch, rows: IntArray, places: Float32Array, n: int, rng: np.random.Generator
) -> Float32Array:
    """Place all records between their nearest neighbours among some that have places.

    A plain mean would put a record with neighbours in two areas into the empty space between; so only neighbours near
    the nearest one count, closer ones more. Random offsets in proportion to the distances of these neighbours keep
    records from overlapping.
    """
    among = np.zeros(n, bool)
    among[rows] = True
    near, scores = search.nearest(min(_NEAR, len(rows) - 1), among)
    points = np.zeros((n, 2), np.float32)
    points[rows] = places
    placed = _mixed(points, near, scores, rng, float(np.ptp(places, axis=0).max()))
    others = ~among
    points[others] = placed[others]
    return points


def _mixed(
    points: Float32Array, near: IntArray, scores: Float32Array, rng: np.random.Generator, width: float | None = None
) -> Float32Array:
    """Return places between neighbours, which have points."""
    beside = points[near]
    width = float(np.ptp(points, axis=0).max()) if width is None else width
    counted = np.linalg.norm(beside - beside[:, :1], axis=2) <= _REACH * width
    weights = np.where(counted, np.maximum(scores, 1e-6) ** 2, 0)
    weights = (weights / weights.sum(axis=1, keepdims=True))[:, :, None]
    means = (weights * beside).sum(axis=1)
    spread = np.sqrt((weights * (beside - means[:, None, :]) ** 2).sum(axis=(1, 2)) / 2)
    spread = np.maximum(0.7 * spread, 0.003 * width)
    return np.asarray(means + spread[:, None] * rng.standard_normal(means.shape), np.float32)


def _spread(points: Float32Array, rng: np.random.Generator) -> Float32Array:
    """Move points apart that would cover each other, so that dense areas become as large as their records."""
    from scipy.spatial import cKDTree

    low, high = np.quantile(points, [0.002, 0.998], axis=0)
    apart = float((high - low).max()) * np.sqrt(_FILLED / len(points))
    if apart == 0:
        return points
    found = points + 0.05 * apart * rng.standard_normal(points.shape)
    for _ in range(_PUSHES):
        tree, moved = cKDTree(found), np.empty_like(found)
        for start in range(0, len(found), _PUSHED):
            some = found[start : start + _PUSHED]
            distances, near = tree.query(some, k=min(8, len(found)), distance_upper_bound=apart)
            near = np.where(near == len(found), 0, near)
            push = np.maximum(apart / np.maximum(distances, 1e-3 * apart) - 1, 0)  # 0 for those farther away
            push[:, 0] = 0  # itself
            moved[start : start + _PUSHED] = some + 0.35 * (push[:, :, None] * (some[:, None] - found[near])).sum(
                axis=1
            )
        found = moved
    return np.asarray(found, np.float32)


def place_among(
    positions: Any, n_records: int, rows: IntArray, some: Any, points: Float32Array, random_state: int = 0
) -> Float32Array:
    """Place all records of a collection among some of them that have places.

    Parameters
    ----------
    positions : yields the number of a first record with a block of positions in the space, for all records
    n_records : number of all records
    rows : (n_some,), the numbers of the records that have places, ascending
    some : (n_some, k), their positions in the space
    points : (n_some, 2), their places
    random_state : of the offsets of the others
    """
    from threadpoolctl import threadpool_limits

    rng = as_rng(random_state)
    lengths = np.linalg.norm(some, axis=1, keepdims=True)
    known = np.flatnonzero(lengths[:, 0] > 0)
    found, is_known = np.zeros((n_records, 2), np.float32), np.zeros(n_records, bool)
    with threadpool_limits(1):
        search = NeighbourSearch(np.asarray(some[known] / lengths[known], np.float32), rng)
        places = points[known]
        for first, block in positions:
            norms = np.linalg.norm(block, axis=1, keepdims=True)
            given = np.flatnonzero(norms[:, 0] > 0)
            near, scores = search.nearest_to(
                np.asarray(block[given] / norms[given], np.float32), min(_NEAR, len(known))
            )
            found[first + given] = _mixed(places, near, scores, rng)
            is_known[first + given] = True
        found[rows[known]] = places
        among = np.flatnonzero(is_known)
        if len(among):
            found[among] = _spread(found[among], rng)
    if len(among):
        _put_aside(found, among, rng)
    return found


def _put_aside(points: Float32Array, known: IntArray, rng: np.random.Generator) -> None:
    """Put the records at the origin of the space, which are near no other, into a corner."""
    unknown = np.setdiff1d(np.arange(len(points)), known)
    if not len(unknown):
        return
    low, high = np.quantile(points[known], [0.002, 0.998], axis=0)
    half = float((high - low).max()) / 2
    # a disc with as much room for each record as the others have
    radius = half * np.sqrt(2 * _FILLED * len(unknown) / len(points)) * np.sqrt(rng.random(len(unknown)))
    angle = 2 * np.pi * rng.random(len(unknown))
    corner = (low + high) / 2 - 0.95 * half
    points[unknown] = corner + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
