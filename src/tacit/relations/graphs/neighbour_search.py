"""Exact nearest neighbours: every record is compared with every other, a block of rows at a time.

A block of products costs little and is a little wrong. So it only names candidates, with a margin for its error, and
these are measured again by their differences. Finding the candidates takes no sorting: columns are put in groups, and
the k-th largest of the maxima of the groups is a value that at least k columns reach.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import Parallel, delayed

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.vectors import Vectors
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["Arcs", "nearest", "nearest_of", "nearly_nearest", "recall_of", "rounded", "within_range"]


class Arcs(NamedTuple):
    """Who has whom as a neighbour: ordered by record, the nearest first."""

    row: IntArray
    column: IntArray
    squared: Float64Array

    def taken(self, which: Any) -> Arcs:
        """Some of them."""
        return Arcs(self.row[which], self.column[which], self.squared[which])


def nearest(
    vectors: Vectors,
    n_neighbours: int,
    rows: IntArray | None = None,
    *,
    n_candidates: int | None = None,
    n_jobs: int | None = None,
) -> Arcs:
    """Find the nearest of each record in `rows` (all of them if not given), ties by row number.

    Where the factors of `vectors` only resemble its points, the best `n_candidates` of each row by their products are
    measured, instead of those that are the nearest up to rounding.
    """
    rows = np.arange(vectors.n_records) if rows is None else rows
    wanted = n_neighbours if n_candidates is None else n_candidates
    # Copies of one point beyond the first k + 1 can be nobody's neighbour: so many others come before them.
    columns = np.flatnonzero(vectors.copy_numbers() <= wanted)
    found, crowded = _search(vectors, rows, columns, wanted, n_neighbours, n_jobs)
    if len(crowded):
        exactly, _ = _search(vectors.double(), crowded, columns, wanted, n_neighbours, n_jobs)
        found = _joined([found, exactly])
    return found


def within_range(vectors: Vectors, within: float, n_jobs: int | None = None) -> Arcs:
    """Find all neighbours up to a distance, or from a cosine on; equal to it up to rounding counts."""
    products = _Products(vectors, np.arange(vectors.n_records))
    lengths = vectors.squared_lengths
    least = np.full(vectors.n_records, within) if vectors.by_direction else (lengths - within**2) / 2
    sizes: list[int] = []

    def task(rows: IntArray) -> Arcs:
        values = products.raise_by_errors(products.pessimistic(rows))
        near = values >= products.lowered(least[rows] - products.row_error(rows))
        kept = _in_range(vectors, _measured(vectors, rows, near, products.columns), within)
        sizes.append(len(kept.row))
        if sum(sizes) > _MOST_ARCS:
            raise InputError(
                f"within is too wide: got {within:g}, which makes more than {_MOST_ARCS // 2:,} pairs of neighbours, "
                "expected fewer. Ask for closer ones, or for n_neighbours."
            )
        return kept

    return _joined(_run(task, np.arange(vectors.n_records), products.block_rows, n_jobs))


def nearest_of(vectors: Vectors, candidates: Arcs, n_neighbours: int) -> Arcs:
    """Keep the nearest of candidates whose distances are known, ties by row number."""
    if vectors.by_direction:
        cosines = vectors.cosines(candidates.row, candidates.column, candidates.squared)
        candidates = candidates.taken(cosines > vectors.rounding)
    keys = rounded(candidates.squared, vectors.rounding)
    ordered = candidates.taken(np.lexsort((candidates.column, keys, candidates.row)))
    starts = np.searchsorted(ordered.row, ordered.row, side="left")
    return ordered.taken(np.arange(len(starts)) - starts < n_neighbours)


def rounded(squared: Float64Array, rounding: float) -> Float64Array:
    """Drop the digits that rounding may have changed, so that ties are ties."""
    parts, exponents = np.frexp(squared)
    return np.ldexp(np.round(parts / rounding) * rounding, exponents)


class _Products:
    """Blocks of values that are the larger the nearer: u v, or u v − ‖v‖²/2 where lengths count too.

    Let a value be wrong by up to e_i + e_j. If k of row i reach b after e_j is taken off, the k-th largest true value
    is at least b − e_i, and whoever is among the k nearest reaches b − 2 e_i after e_j is added.
    """

    def __init__(self, vectors: Vectors, columns: IntArray) -> None:
        self.vectors, self.columns = vectors, columns
        others = vectors.factors[columns]
        self.others = sp.csr_array(others.T) if is_sparse(others) else others.T
        self.place = np.full(vectors.n_records, -1)
        self.place[columns] = np.arange(len(columns))
        self.errors = 2 * vectors.product_error * vectors.squared_lengths  # |u v| is at most (‖u‖² + ‖v‖²) / 2
        self.block_rows = int(max(16, _BLOCK_BYTES // (np.dtype(vectors.dtype).itemsize * max(1, len(columns)))))

    def row_error(self, rows: IntArray) -> Float64Array:
        """e_i; directions all have the same length, so that e_j is a constant too and stands here."""
        return self.errors[rows] * (2 if self.vectors.by_direction else 1)

    def pessimistic(self, rows: IntArray) -> Any:
        """Values less e_j; a record is no neighbour of itself."""
        product = self.vectors.factors[rows] @ self.others
        values = product.toarray() if is_sparse(product) else product
        if not self.vectors.by_direction:
            halves = self.vectors.squared_lengths[self.columns] / 2
            values -= (halves + self.errors[self.columns]).astype(values.dtype)
        own = self.place[rows]
        values[np.flatnonzero(own >= 0), own[own >= 0]] = -np.inf
        return values

    def raise_by_errors(self, values: Any) -> Any:
        """Turn values less e_j into values with e_j added, in place."""
        if not self.vectors.by_direction:
            values += (2 * self.errors[self.columns]).astype(values.dtype)
        return values

    def lowered(self, cut: Float64Array) -> Any:
        """Give the least values of rows that count, as a column; a cosine has to be above 0."""
        dtype = self.vectors.dtype
        least = self.vectors.rounding if self.vectors.by_direction else np.finfo(dtype).min
        return np.maximum(cut, least).astype(dtype)[:, None]


def _search(
    vectors: Vectors, rows: IntArray, columns: IntArray, wanted: int, n_neighbours: int, n_jobs: int | None
) -> tuple[Arcs, IntArray]:
    """Give the nearest, and in single precision the rows with too many candidates to tell the nearest cheaply."""
    products = _Products(vectors, columns)
    crowded = [np.empty(0, dtype=np.intp)]

    def task(block: IntArray) -> Arcs:
        values = products.pessimistic(block)
        cut = products.lowered(_reached_by(values, wanted) - 2 * products.row_error(block))
        values = products.raise_by_errors(values)
        near = values >= cut
        many = np.flatnonzero(np.count_nonzero(near, axis=1) > wanted + _MOST_CANDIDATES)
        if vectors.dtype == np.float64:
            for row in many:
                near[row] = _thinned_out(near[row], values[row], wanted, 4 * products.errors[block[row]])
        else:
            crowded.append(block[many])
            near[many] = False
        return nearest_of(vectors, _measured(vectors, block, near, columns), n_neighbours)

    found = _joined(_run(task, rows, products.block_rows, n_jobs))
    return found, np.sort(np.concatenate(crowded))


_BLOCK_BYTES = 2**24  # larger ones make SciPy's sparse products two or three times slower
_MOST_CANDIDATES = 1000
_MOST_ARCS = 100_000_000
_GROUP = 64


def _reached_by(values: Any, k: int) -> Float64Array:
    """Give for each row a value that at least k of its columns reach, nearly the k-th largest."""
    size = int(np.clip(values.shape[1] // (4 * k), 1, _GROUP))
    n_groups = values.shape[1] // size
    maxima = values[:, : n_groups * size].reshape(len(values), n_groups, size).max(axis=2)
    return np.asarray(np.partition(maxima, n_groups - k, axis=1)[:, n_groups - k], dtype=np.float64)


def _thinned_out(near: Any, values: Any, k: int, slack: float) -> BoolArray:
    """Leave, of very many columns that are equally near up to rounding, those with the lowest numbers."""
    candidates = np.flatnonzero(near)
    kth = np.partition(values[candidates], len(candidates) - k)[len(candidates) - k]
    level = candidates[values[candidates] <= kth + slack]
    left = near.copy()
    left[level[k + _MOST_CANDIDATES :]] = False
    return np.asarray(left)


def _measured(vectors: Vectors, rows: IntArray, near: BoolArray, columns: IntArray) -> Arcs:
    """Give the candidates of a block, with their distances."""
    places, found = np.divmod(np.flatnonzero(near), len(columns))  # np.nonzero takes twice as long
    row, column = rows[places], columns[found]
    return Arcs(row, column, vectors.squared_distances(row, column))


def _in_range(vectors: Vectors, candidates: Arcs, within: float) -> Arcs:
    if vectors.by_direction:
        cosines = vectors.cosines(candidates.row, candidates.column, candidates.squared)
        inside: BoolArray = (cosines >= within - vectors.rounding) & (cosines > vectors.rounding)
    else:
        inside = candidates.squared <= within**2 * (1 + vectors.rounding)
    kept = candidates.taken(inside)
    return kept.taken(np.lexsort((kept.column, rounded(kept.squared, vectors.rounding), kept.row)))


def _run(task: Callable[[IntArray], Arcs], rows: IntArray, step: int, n_jobs: int | None) -> list[Arcs]:
    blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(task)(block) for block in blocks))


def _joined(parts: list[Arcs]) -> Arcs:
    row = np.concatenate([part.row for part in parts])
    order = np.argsort(row, kind="stable")
    return Arcs(*(np.concatenate(columns)[order] for columns in zip(*parts, strict=True)))


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


def recall_of(vectors: Vectors, found: Arcs, exact: Arcs, sample: IntArray) -> float:
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

    def take(self, rows: IntArray, columns: IntArray, values: Any) -> None:
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


def _probed_cells(vectors: Vectors, k: int, rng: np.random.Generator) -> IntArray:
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
