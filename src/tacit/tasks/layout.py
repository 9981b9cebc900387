"""A collection on a sheet of paper: two coordinates a record, as data; `plot` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.manifold import TSNE
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from tacit.checks import as_rng, check_count, check_rows
from tacit.errors import InputError

__all__ = ["Layout", "lay_out"]


@dataclass(frozen=True, eq=False)
class Layout:
    """Places of some records of a collection in the plane.

    Attributes
    ----------
    rows : array of int, n_shown: which records
    points : array, n_shown x 2
    groups : list of str, n_shown: the group of each record
    n_records : int: how many there are in the collection
    """

    rows: np.ndarray
    points: np.ndarray
    groups: list[str]
    n_records: int


def lay_out(positions: np.ndarray, groups: Sequence[str], *, most: int = 1500, random_state: int = 0) -> Layout:
    """Lay records out in the plane so that neighbours in the space stay neighbours (t-SNE on cosine distances).

    Parameters
    ----------
    positions : array, n_records x n_components
    groups : sequence of str, n_records
        What each record is drawn as, for instance its first label.
    most : int, default 1500
        Show about so many records: large groups are sampled down to one common size. The time grows with this number.
    random_state : int, default 0
        Seed of the sample and of the layout.
    """
    check_rows("groups", len(groups), len(positions), of="positions")
    rows = _sample(groups, check_count("most", most), as_rng(random_state))
    if len(rows) < _FEWEST:
        raise InputError(f"positions has too few rows: got {len(rows)} records to show, expected at least {_FEWEST}.")
    tsne = TSNE(
        metric="cosine",
        init="pca",
        perplexity=min(30.0, (len(rows) - 1) / 3),
        max_iter=500,
        random_state=random_state,
        n_jobs=1,
    )
    # one thread: more save a second at best, lose many where the machine is busy, and sum in another order
    with threadpool_limits(1):
        points = tsne.fit_transform(positions[rows])
    return Layout(rows, points, [groups[row] for row in rows], len(groups))


_FEWEST = 5  # fewer have no neighbourhoods to preserve


def _sample(groups: Sequence[str], most: int, rng: np.random.Generator) -> np.ndarray:
    """Choose rows, all of a small group and equally many of the large ones."""
    names = np.asarray(groups)
    members = [np.flatnonzero(names == name) for name in sorted(set(groups))]
    cap = max((size for size in range(1, most + 1) if sum(min(size, len(rows)) for rows in members) <= most), default=1)
    return (
        np.sort(np.concatenate([rng.permutation(rows)[:cap] for rows in members])) if members else np.empty(0, np.intp)
    )
