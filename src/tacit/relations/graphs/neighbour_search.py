"""Search for nearest neighbours: exact, by comparing every record with every other, or approximate.

Products of blocks are fast but inexact. So they only select candidates, with a margin for the error, whose distances
are then computed from differences. Candidates are found without sorting: columns are divided into groups, and the k-th
largest of the maxima of the groups is a value that at least k columns reach.
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

__all__ = ["Arcs", "nearest", "nearly_nearest", "rounded", "within_range"]


class Arcs(NamedTuple):
    """Records (row) and their neighbours (column), ordered by record, the nearest first."""

    row: IntArray
    column: IntArray
    squared: Float64Array

    def taken(self, which: Any) -> Arcs:
        """Return some of them."""
        return Arcs(self.row[which], self.column[which], self.squared[which])


def nearest(
    vectors: Vectors,
    n_neighbours: int,
    rows: IntArray | None = None,
    *,
    among: IntArray | None = None,
    n_candidates: int | None = None,
    n_jobs: int | None = None,
) -> Arcs:
    """Find the nearest records of each record in `rows` (default all); ties are ordered by row number.

    Neighbours are searched `among` some of the records, default all. If the factors of `vectors` only approximate its
    points, the distances of the best `n_candidates` of each row by products are computed, instead of those that are
    nearest up to rounding.
    """
    rows = np.arange(vectors.n_records) if rows is None else rows
    wanted = n_neighbours if n_candidates is None else n_candidates
    # copies of one point beyond the first k + 1 cannot be neighbours: the others come first
    columns = np.flatnonzero(vectors.copy_numbers(among) <= wanted)
    columns = columns if among is None else among[columns]
    found, crowded = _search(vectors, rows, columns, wanted, n_neighbours, n_jobs)
    if len(crowded):
        exactly, _ = _search(vectors.double(), crowded, columns, wanted, n_neighbours, n_jobs)
        found = _joined([found, exactly])
    return found


def within_range(vectors: Vectors, within: float, n_jobs: int | None = None) -> Arcs:
    """Find all neighbours up to a distance, or from a cosine on, including equal ones up to rounding."""
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
                "expected fewer. Use a smaller `within`, or n_neighbours."
            )
        return kept

    return _joined(_run(task, np.arange(vectors.n_records), products.block_rows, n_jobs))


def nearest_of(vectors: Vectors, candidates: Arcs, n_neighbours: int) -> Arcs:
    """Keep the nearest candidates by their distances; ties are ordered by row number."""
    if vectors.by_direction:
        cosines = vectors.cosines(candidates.row, candidates.column, candidates.squared)
        candidates = candidates.taken(cosines > vectors.rounding)
    keys = rounded(candidates.squared, vectors.rounding)
    ordered = candidates.taken(np.lexsort((candidates.column, keys, candidates.row)))
    starts = np.searchsorted(ordered.row, ordered.row, side="left")
    return ordered.taken(np.arange(len(starts)) - starts < n_neighbours)


def rounded(squared: Float64Array, rounding: float) -> Float64Array:
    """Drop the digits that rounding may have changed, so that ties are equal."""
    parts, exponents = np.frexp(squared)
    return np.ldexp(np.round(parts / rounding) * rounding, exponents)


class _Products:
    """Blocks of values that are larger for nearer records: u v for cosines, u v − ‖v‖²/2 for distances.

    Let the error of a value be up to e_i + e_j. If k values of row i, minus e_j, reach b, the k-th largest true value
    is at least b − e_i, and every value among the k nearest, plus e_j, reaches b − 2 e_i.
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
        """Return e_i; directions all have the same length, so e_j is a constant and included here."""
        return self.errors[rows] * (2 if self.vectors.by_direction else 1)

    def pessimistic(self, rows: IntArray) -> Any:
        """Return values minus e_j; −∞ for a record and itself."""
        product = self.vectors.factors[rows] @ self.others
        values = product.toarray() if is_sparse(product) else product
        if not self.vectors.by_direction:
            halves = self.vectors.squared_lengths[self.columns] / 2
            values -= (halves + self.errors[self.columns]).astype(values.dtype)
        own = self.place[rows]
        values[np.flatnonzero(own >= 0), own[own >= 0]] = -np.inf
        return values

    def raise_by_errors(self, values: Any) -> Any:
        """Change values minus e_j to values plus e_j, in place."""
        if not self.vectors.by_direction:
            values += (2 * self.errors[self.columns]).astype(values.dtype)
        return values

    def lowered(self, cut: Float64Array) -> Any:
        """Return the smallest values of rows that count, as a column; a cosine must be above 0."""
        dtype = self.vectors.dtype
        least = self.vectors.rounding if self.vectors.by_direction else np.finfo(dtype).min
        return np.maximum(cut, least).astype(dtype)[:, None]


def _search(
    vectors: Vectors, rows: IntArray, columns: IntArray, wanted: int, n_neighbours: int, n_jobs: int | None
) -> tuple[Arcs, IntArray]:
    """Return the nearest, and, in single precision, the rows with too many candidates for a fast search."""
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


_BLOCK_BYTES = 2**24  # with larger blocks SciPy's sparse products are two or three times slower
_MOST_CANDIDATES = 1000
_MOST_ARCS = 100_000_000
_GROUP = 64


def _reached_by(values: Any, k: int) -> Float64Array:
    """Return for each row a value that at least k of its columns reach, close to the k-th largest."""
    size = int(np.clip(values.shape[1] // (4 * k), 1, _GROUP))
    n_groups = values.shape[1] // size
    maxima = values[:, : n_groups * size].reshape(len(values), n_groups, size).max(axis=2)
    return np.asarray(np.partition(maxima, n_groups - k, axis=1)[:, n_groups - k], dtype=np.float64)


def _thinned_out(near: Any, values: Any, k: int, slack: float) -> BoolArray:
    """Of very many columns that are equally near up to rounding, keep those with the lowest numbers."""
    candidates = np.flatnonzero(near)
    kth = np.partition(values[candidates], len(candidates) - k)[len(candidates) - k]
    level = candidates[values[candidates] <= kth + slack]
    left = near.copy()
    left[level[k + _MOST_CANDIDATES :]] = False
    return np.asarray(left)


def _measured(vectors: Vectors, rows: IntArray, near: BoolArray, columns: IntArray) -> Arcs:
    """Return the candidates of a block, with their distances."""
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
    vectors: Vectors,
    n_neighbours: int,
    rng: np.random.Generator,
    n_jobs: int | None = None,
    *,
    among: IntArray | None = None,
) -> tuple[Arcs, float]:
    """Find most of the nearest records of each record; return them and their recall on a sample of records.

    `among` as for `nearest`.
    """
    n_columns = vectors.n_records if among is None else len(among)
    if is_sparse(vectors.points):  # compare by the heaviest entries, and measure more than is wanted in full
        shortened = replace(vectors, factors=_heaviest(vectors.factors, _HEAVIEST))
        n_candidates = min(_CANDIDATES * n_neighbours, n_columns - 1)
        found = nearest(shortened, n_neighbours, among=among, n_candidates=n_candidates, n_jobs=n_jobs)
    else:
        found = _by_cells(vectors, n_neighbours, rng, among)
    sample = np.sort(rng.choice(vectors.n_records, min(_SAMPLE, vectors.n_records), replace=False))
    exact = nearest(vectors, n_neighbours, sample, among=among, n_jobs=n_jobs)
    return found, _recall_of(vectors, found, exact, sample)


_SAMPLE = 500
_HEAVIEST = 25
_CANDIDATES = 6
_PROBES = 12


def _recall_of(vectors: Vectors, found: Arcs, exact: Arcs, sample: IntArray) -> float:
    """Return the share of the nearest that was found; all that are as near as the farthest of them count."""
    farthest = np.full(vectors.n_records, -np.inf)
    np.maximum.at(farthest, exact.row, rounded(exact.squared, vectors.rounding))
    hits = (rounded(found.squared, vectors.rounding) <= farthest[found.row]) & np.isin(found.row, sample)
    return float(np.count_nonzero(hits) / len(exact.row)) if len(exact.row) else 1.0


def _heaviest(rows: Any, n_entries: int) -> sp.csr_array:
    """Keep the largest entries of each row, of equal ones those in the first columns."""
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    order = np.lexsort((rows.indices, -np.abs(rows.data), row))
    kept = np.sort(order[np.arange(len(row)) - rows.indptr[row] < n_entries])
    return sp.csr_array((rows.data[kept], (row[kept], rows.indices[kept])), shape=rows.shape)


def _by_cells(vectors: Vectors, k: int, rng: np.random.Generator, among: IntArray | None = None) -> Arcs:
    """Compare each record with the records in the cells whose centres are nearest to it."""
    probed = _probed_cells(vectors, k, rng)
    found = np.arange(vectors.n_records) if among is None else among
    own, n_cells = probed[found, 0], int(probed.max()) + 1
    members = np.split(found[np.argsort(own, kind="stable")], np.cumsum(np.bincount(own, minlength=n_cells))[:-1])
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
    """The k largest values of each row so far, and their columns."""

    def __init__(self, n_records: int, k: int, dtype: npt.DTypeLike) -> None:
        self.k = k
        self.values = np.full((n_records, k), -np.inf, dtype=dtype)
        self.who = np.full((n_records, k), -1, dtype=np.intp)

    def take(self, rows: IntArray, columns: IntArray, values: Any) -> None:
        """Merge new values of some rows, each row at most once."""
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
    """Return for each record the cells to search, its own first."""
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
