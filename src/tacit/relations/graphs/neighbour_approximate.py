"""Nearest neighbours of large collections without comparing everything, and how many of them were found.

Dense records are put into cells by k-means, and each is compared with those in the cells nearest to it. Sparse records
are compared by their heaviest entries only, which make up most of a cosine and are a small part of the work; the best
of that are measured in full.

Libraries were tried for both, with ten neighbours of the 27,613 distinct stories of RCV1. At 128 dense dimensions,
cells find 98.6 % in 3 seconds and a graph of small worlds (usearch) 99.9 % in 7; comparing all takes 8. For the words,
the best 1000 by a space of 128 dimensions hold 93 % of the nearest, the best 100 by 20 entries a story 97 %.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.relations.graphs.neighbour_search import Arcs, nearest, nearest_of, rounded
from tacit.relations.graphs.vectors import Rows, Vectors

__all__ = ["nearly_nearest", "recall_of"]


def nearly_nearest(
    vectors: Vectors, n_neighbours: int, rng: np.random.Generator, n_jobs: int | None = None
) -> tuple[Arcs, float]:
    """Find most of the nearest of each record; give them and their recall on a sample of records."""
    if is_sparse(vectors.points):
        found = _by_heavy_entries(vectors, n_neighbours, n_jobs)
    else:
        found = _by_cells(vectors, n_neighbours, rng)
    sample = np.sort(rng.choice(vectors.n_records, min(_SAMPLE, vectors.n_records), replace=False))
    return found, recall_of(vectors, found, nearest(vectors, n_neighbours, sample, n_jobs=n_jobs), sample)


_SAMPLE = 500
_HEAVIEST = 25
_CANDIDATES = 6
_PROBES = 12
_BLOCK_BYTES = 2**24


def recall_of(vectors: Vectors, found: Arcs, exact: Arcs, sample: Rows) -> float:
    """Give the part of the nearest that was found; who is as near as the farthest of them counts as one of them."""
    farthest = np.full(vectors.n_records, -np.inf)
    np.maximum.at(farthest, exact.row, rounded(exact.squared, vectors.rounding))
    hits = (rounded(found.squared, vectors.rounding) <= farthest[found.row]) & np.isin(found.row, sample)
    return float(np.count_nonzero(hits) / len(exact.row)) if len(exact.row) else 1.0


def _by_heavy_entries(vectors: Vectors, k: int, n_jobs: int | None) -> Arcs:
    """Compare by the heaviest entries, and measure more than is wanted in full."""
    shortened = replace(vectors, factors=_heaviest(vectors.factors, _HEAVIEST))
    wanted = min(_CANDIDATES * k, vectors.n_records - 1)
    return nearest(shortened, k, n_candidates=wanted, n_jobs=n_jobs)


def _heaviest(rows: Any, n_entries: int) -> sp.csr_array:
    """Keep the largest entries of each row, of equal ones those in the first columns."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    order = np.lexsort((rows.indices, -np.abs(rows.data), row))
    kept = np.sort(order[np.arange(len(row)) - rows.indptr[row] < n_entries])
    return sp.csr_array((rows.data[kept], (row[kept], rows.indices[kept])), shape=rows.shape)


def _by_cells(vectors: Vectors, k: int, rng: np.random.Generator) -> Arcs:
    """Compare each record with those in the cells whose centres are nearest to it."""
    probed = _probed_cells(vectors, k, rng)
    own, n_cells = probed[:, 0], int(probed.max()) + 1
    members = np.split(np.argsort(own, kind="stable"), np.cumsum(np.bincount(own, minlength=n_cells))[:-1])
    asking = np.argsort(probed.ravel(), kind="stable") // probed.shape[1]
    askers = np.split(asking, np.cumsum(np.bincount(probed.ravel(), minlength=n_cells))[:-1])
    best = _Best(vectors.n_records, k, vectors.dtype)
    halves = (vectors.squared_lengths / 2).astype(vectors.dtype)
    for inside, outside in zip(members, askers, strict=True):
        if not len(inside):
            continue
        step = max(1, _BLOCK_BYTES // (8 * max(1, len(inside))))
        others = vectors.factors[inside].T
        for start in range(0, len(outside), step):
            rows = outside[start : start + step]
            values = vectors.factors[rows] @ others - halves[inside]
            own_place = np.minimum(np.searchsorted(inside, rows), len(inside) - 1)
            themselves = np.flatnonzero(inside[own_place] == rows)
            values[themselves, own_place[themselves]] = -np.inf
            best.take(rows, inside, values)
    row, place = np.nonzero(best.who >= 0)
    column = best.who[row, place]
    return nearest_of(vectors, Arcs(row, column, vectors.squared_distances(row, column)), k)


class _Best:
    """The k largest values of each row so far, and whose they are."""

    def __init__(self, n_records: int, k: int, dtype: npt.DTypeLike) -> None:
        self.k = k
        self.values = np.full((n_records, k), -np.inf, dtype=dtype)
        self.who = np.full((n_records, k), -1, dtype=np.intp)

    def take(self, rows: Rows, columns: Rows, values: Any) -> None:
        """Let new values of some rows, each at most once, compete with what they have."""
        if values.shape[1] > self.k:
            top = np.argpartition(values, values.shape[1] - self.k, axis=1)[:, -self.k :]
            values, whose = np.take_along_axis(values, top, axis=1), columns[top]
        else:
            whose = np.broadcast_to(columns, values.shape)
        values = np.hstack([self.values[rows], values])
        whose = np.hstack([self.who[rows], np.where(np.isneginf(values[:, self.k :]), -1, whose)])
        top = np.argpartition(values, values.shape[1] - self.k, axis=1)[:, -self.k :]
        self.values[rows] = np.take_along_axis(values, top, axis=1)
        self.who[rows] = np.take_along_axis(whose, top, axis=1)


def _probed_cells(vectors: Vectors, k: int, rng: np.random.Generator) -> Rows:
    """Give for each record the cells to look into, its own first."""
    from sklearn.cluster import MiniBatchKMeans  # slow to import, and only large collections need it

    n_records = vectors.n_records
    n_cells = int(np.clip(1.5 * np.sqrt(n_records), 1, max(1, n_records // (2 * k))))
    sample = rng.choice(n_records, min(n_records, 64 * n_cells), replace=False)
    means = MiniBatchKMeans(
        n_cells, init="random", n_init=1, max_iter=10, batch_size=4096, random_state=int(rng.integers(2**31 - 1))
    )
    centres = means.fit(vectors.factors[np.sort(sample)]).cluster_centers_.astype(vectors.dtype)
    n_probes = min(_PROBES, n_cells)
    halves = np.einsum("ij,ij->i", centres, centres) / 2
    probed = np.empty((n_records, n_probes), dtype=np.intp)
    step = max(1, _BLOCK_BYTES // (8 * n_cells))
    for start in range(0, n_records, step):
        values = halves - vectors.factors[start : start + step] @ centres.T
        top = np.argpartition(values, n_probes - 1, axis=1)[:, :n_probes]
        order = np.argsort(np.take_along_axis(values, top, axis=1), axis=1, kind="stable")
        probed[start : start + step] = np.take_along_axis(top, order, axis=1)
    return probed
