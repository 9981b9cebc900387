"""Lays out records in the plane: t-SNE of a sample, and all other records among their neighbours in the sample.

So the time hardly grows with the collection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tacit.checks import as_rng, check_count, check_rows
from tacit.errors import InputError
from tacit.types import Float32Array, IntArray

__all__ = ["lay_out"]


def lay_out(positions: Any, groups: Sequence[Any], *, most: int = 2000, random_state: int = 0) -> Float32Array:
    """Lay records out in the plane so that neighbours in the space stay neighbours (t-SNE on cosine distances).

    Parameters
    ----------
    positions : array, n_records x n_dimensions
    groups : sequence, n_records
        Groups of the records, for instance their first labels: the sample takes records of each group in proportion to
        the square root of its size, so that small groups are visible.
    most : int, default 2000
        Records in the sample, which determines the time; the others take microseconds each.
    random_state : int, default 0
        Seed of the sample and of the layout.

    Returns
    -------
    array, n_records x 2
        The same for the same seed on any number of cores.
    """
    check_rows("groups", len(groups), len(positions), of="positions")
    if not len(positions):
        raise InputError("positions is empty: got no records, expected at least one.")
    rng = as_rng(random_state)
    rows = _sample(groups, check_count("most", most), rng)
    directions = np.asarray(positions, np.float32)
    directions = directions / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    points = np.empty((len(directions), 2), np.float32)
    points[rows] = _principal(directions[rows]) if len(rows) < _FEWEST else _t_sne(directions[rows], random_state)
    others = np.setdiff1d(np.arange(len(directions)), rows)
    for start in range(0, len(others), _BLOCK):
        block = others[start : start + _BLOCK]
        points[block] = _among(directions[block], directions[rows], points[rows], rng)
    return points


_FEWEST = 5  # fewer have no neighbourhoods to preserve
_BLOCK = 4096
_NEIGHBOURS = 8
_REACH = 0.05  # of the width of the map: neighbours farther from the nearest one are ignored


def _sample(groups: Sequence[Any], most: int, rng: np.random.Generator) -> IntArray:
    """Choose rows of each group in proportion to the square root of its size."""
    _, codes, sizes = np.unique(np.asarray(groups).astype(str), return_inverse=True, return_counts=True)
    if len(codes) <= most:
        return np.arange(len(codes))
    shuffled = rng.permutation(len(codes))
    shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    # rank of each record in its group, divided by the root of the size: the lowest are the sample
    places = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(shuffled[np.argsort(places / np.repeat(np.sqrt(sizes), sizes), kind="stable")[:most]])


def _principal(directions: Float32Array) -> Float32Array:
    """Return the first two principal components; zero if there are fewer."""
    left, values, _ = np.linalg.svd(directions - directions.mean(axis=0), full_matrices=False)
    points = np.zeros((len(directions), 2), np.float32)
    points[:, : min(2, len(values))] = (left * values)[:, :2]
    return points


def _t_sne(directions: Float32Array, random_state: int) -> Float32Array:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    # it starts from small principal components, which keep the overall shape; identical records would all start at one
    # point, where t-SNE cannot separate them
    start = _principal(directions)
    spread = float(start[:, 0].std())
    if spread == 0:
        angles = np.linspace(0, 2 * np.pi, len(start), endpoint=False)
        start, spread = np.column_stack([np.cos(angles), np.sin(angles)]), 1.0
    start = np.asarray(start / spread * 1e-4, np.float32)
    perplexity = min(30.0, (len(directions) - 1) / 3)
    tsne = TSNE(metric="cosine", init=start, perplexity=perplexity, max_iter=500, random_state=random_state, n_jobs=1)
    # one thread: more save a second at best, and sum in another order
    with threadpool_limits(1):
        return np.asarray(tsne.fit_transform(directions), np.float32)


def _among(
    directions: Float32Array, sample: Float32Array, points: Float32Array, rng: np.random.Generator
) -> Float32Array:
    """Place records between their nearest neighbours in the sample.

    A plain mean would put a record with neighbours in two areas into the empty space between; so only neighbours near
    the nearest one count, closer ones more. Random offsets in proportion to the distances of these neighbours keep
    records from overlapping.
    """
    cosines = directions @ sample.T
    n_near = min(_NEIGHBOURS, len(sample))
    near = np.argpartition(-cosines, n_near - 1, axis=1)[:, :n_near]
    scores = np.take_along_axis(cosines, near, axis=1)
    order = np.lexsort((near, -scores), axis=1)
    near, scores = np.take_along_axis(near, order, axis=1), np.take_along_axis(scores, order, axis=1)
    places = points[near]
    width = float(np.ptp(points, axis=0).max())
    beside = np.linalg.norm(places - places[:, :1], axis=2) <= _REACH * width
    weights = np.where(beside, np.maximum(scores, 1e-6) ** 2, 0)
    weights = (weights / weights.sum(axis=1, keepdims=True))[:, :, None]
    means = (weights * places).sum(axis=1)
    spread = np.sqrt((weights * (places - means[:, None, :]) ** 2).sum(axis=(1, 2)) / 2)
    spread = np.maximum(0.7 * spread, 0.003 * width)
    return np.asarray(means + spread[:, None] * rng.standard_normal(means.shape), np.float32)
