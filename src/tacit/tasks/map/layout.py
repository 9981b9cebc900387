"""A collection on a sheet of paper: two coordinates a record, as data; `plot` and `map_page` draw them.

A sample of the records, spread over their groups, is laid out by t-SNE; every other record is put among its nearest
neighbours in the sample. So the time hardly grows with the collection.
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
        What the sample is spread over, for instance the first label of each record: as many of a group are in it as
        the square root of its size says, so that small groups are seen and large ones still look large.
    most : int, default 2000
        Records in the sample. Time grows with this number; the others take microseconds each.
    random_state : int, default 0
        Seed of the sample and of the layout.

    Returns
    -------
    array, n_records x 2
        The same for the same seed, on any number of cores.
    """
    check_rows("groups", len(groups), len(positions), of="positions")
    if not len(positions):
        raise InputError("positions is empty: got no records, expected one at least.")
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
_REACH = 0.05  # of the width of the map: neighbours that lie farther from the nearest one are of another neighbourhood


def _sample(groups: Sequence[Any], most: int, rng: np.random.Generator) -> IntArray:
    """Choose rows of each group in proportion to the square root of its size."""
    _, codes, sizes = np.unique(np.asarray(groups).astype(str), return_inverse=True, return_counts=True)
    if len(codes) <= most:
        return np.arange(len(codes))
    shuffled = rng.permutation(len(codes))
    shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
    # in which place of its group each record was drawn, in that group's own measure: the lowest are the sample
    places = np.arange(len(codes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(shuffled[np.argsort(places / np.repeat(np.sqrt(sizes), sizes), kind="stable")[:most]])


def _principal(directions: Float32Array) -> Float32Array:
    """Give the two directions in which a handful of records differ most; zero where they differ in fewer."""
    left, values, _ = np.linalg.svd(directions - directions.mean(axis=0), full_matrices=False)
    points = np.zeros((len(directions), 2), np.float32)
    points[:, : min(2, len(values))] = (left * values)[:, :2]
    return points


def _t_sne(directions: Float32Array, random_state: int) -> Float32Array:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    tsne = TSNE(
        metric="cosine",
        init=_start(directions),
        perplexity=min(30.0, (len(directions) - 1) / 3),
        max_iter=500,
        random_state=random_state,
        n_jobs=1,
    )
    # one thread: more save a second at best, lose many where the machine is busy, and sum in another order
    with threadpool_limits(1):
        return np.asarray(tsne.fit_transform(directions), np.float32)


def _start(directions: Float32Array) -> Float32Array:
    """Principal components, small, as t-SNE likes them: the wide shape of the map is that of the collection."""
    points = _principal(directions)
    # records that are all alike have no wide shape; the seed of t-SNE cannot help either where they start on one spot
    spread = float(points[:, 0].std())
    if spread == 0:
        angles = np.linspace(0, 2 * np.pi, len(points), endpoint=False)
        return np.asarray(1e-4 * np.column_stack([np.cos(angles), np.sin(angles)]), np.float32)
    return np.asarray(points / spread * 1e-4, np.float32)


def _among(
    directions: Float32Array, sample: Float32Array, points: Float32Array, rng: np.random.Generator
) -> Float32Array:
    """Put records between their nearest neighbours in the sample.

    A plain mean would drop a record that two neighbourhoods share into the void between them; so only neighbours that
    lie beside the nearest one count, the nearer ones more. Records are strewn a little, by as much as those neighbours
    lie apart, since otherwise many would lie on the lines between them, and on top of one another.
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
