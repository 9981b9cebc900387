"""Exact nearest neighbours: every record is compared with every other, a block of rows at a time.

A block of products costs little and is a little wrong. So it only names candidates, with a margin for its error, and
these are measured again by their differences. Finding the candidates takes no sorting: columns are put in groups, and
the k-th largest of the maxima of the groups is a value that at least k columns reach.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import Parallel, delayed

from tacit.checks import is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.vectors import Floats, Rows, Vectors

__all__ = ["Arcs", "nearest", "nearest_of", "rounded", "within_range"]


class Arcs(NamedTuple):
    """Who has whom as a neighbour: ordered by record, the nearest first."""

    row: Rows
    column: Rows
    squared: Floats

    def taken(self, which: Any) -> Arcs:
        """Some of them."""
        return Arcs(self.row[which], self.column[which], self.squared[which])


def nearest(
    vectors: Vectors,
    n_neighbours: int,
    rows: Rows | None = None,
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

    def task(rows: Rows) -> Arcs:
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


def rounded(squared: Floats, rounding: float) -> Floats:
    """Drop the digits that rounding may have changed, so that ties are ties."""
    parts, exponents = np.frexp(squared)
    return np.ldexp(np.round(parts / rounding) * rounding, exponents)


class _Products:
    """Blocks of values that are the larger the nearer: u v, or u v − ‖v‖²/2 where lengths count too.

    Let a value be wrong by up to e_i + e_j. If k of row i reach b after e_j is taken off, the k-th largest true value
    is at least b − e_i, and whoever is among the k nearest reaches b − 2 e_i after e_j is added.
    """

    def __init__(self, vectors: Vectors, columns: Rows) -> None:
        self.vectors, self.columns = vectors, columns
        others = vectors.factors[columns]
        self.others = sp.csr_array(others.T) if is_sparse(others) else others.T
        self.place = np.full(vectors.n_records, -1)
        self.place[columns] = np.arange(len(columns))
        self.errors = 2 * vectors.product_error * vectors.squared_lengths  # |u v| is at most (‖u‖² + ‖v‖²) / 2
        self.block_rows = int(max(16, _BLOCK_BYTES // (np.dtype(vectors.dtype).itemsize * max(1, len(columns)))))

    def row_error(self, rows: Rows) -> Floats:
        """e_i; directions all have the same length, so that e_j is a constant too and stands here."""
        return self.errors[rows] * (2 if self.vectors.by_direction else 1)

    def pessimistic(self, rows: Rows) -> Any:
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

    def lowered(self, cut: Floats) -> Any:
        """Give the least values of rows that count, as a column; a cosine has to be above 0."""
        dtype = self.vectors.dtype
        least = self.vectors.rounding if self.vectors.by_direction else np.finfo(dtype).min
        return np.maximum(cut, least).astype(dtype)[:, None]


def _search(
    vectors: Vectors, rows: Rows, columns: Rows, wanted: int, n_neighbours: int, n_jobs: int | None
) -> tuple[Arcs, Rows]:
    """Give the nearest, and in single precision the rows with too many candidates to tell the nearest cheaply."""
    products = _Products(vectors, columns)
    crowded = [np.empty(0, dtype=np.intp)]

    def task(block: Rows) -> Arcs:
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


def _reached_by(values: Any, k: int) -> Floats:
    """Give for each row a value that at least k of its columns reach, nearly the k-th largest."""
    size = int(np.clip(values.shape[1] // (4 * k), 1, _GROUP))
    n_groups = values.shape[1] // size
    maxima = values[:, : n_groups * size].reshape(len(values), n_groups, size).max(axis=2)
    return np.asarray(np.partition(maxima, n_groups - k, axis=1)[:, n_groups - k], dtype=np.float64)


def _thinned_out(near: Any, values: Any, k: int, slack: float) -> npt.NDArray[np.bool_]:
    """Leave, of very many columns that are equally near up to rounding, those with the lowest numbers."""
    candidates = np.flatnonzero(near)
    kth = np.partition(values[candidates], len(candidates) - k)[len(candidates) - k]
    level = candidates[values[candidates] <= kth + slack]
    left = near.copy()
    left[level[k + _MOST_CANDIDATES :]] = False
    return np.asarray(left)


def _measured(vectors: Vectors, rows: Rows, near: npt.NDArray[np.bool_], columns: Rows) -> Arcs:
    """Give the candidates of a block, with their distances."""
    places, found = np.divmod(np.flatnonzero(near), len(columns))  # np.nonzero takes twice as long
    row, column = rows[places], columns[found]
    return Arcs(row, column, vectors.squared_distances(row, column))


def _in_range(vectors: Vectors, candidates: Arcs, within: float) -> Arcs:
    if vectors.by_direction:
        cosines = vectors.cosines(candidates.row, candidates.column, candidates.squared)
        inside: npt.NDArray[np.bool_] = (cosines >= within - vectors.rounding) & (cosines > vectors.rounding)
    else:
        inside = candidates.squared <= within**2 * (1 + vectors.rounding)
    kept = candidates.taken(inside)
    return kept.taken(np.lexsort((kept.column, rounded(kept.squared, vectors.rounding), kept.row)))


def _run(task: Callable[[Rows], Arcs], rows: Rows, step: int, n_jobs: int | None) -> list[Arcs]:
    blocks = [rows[start : start + step] for start in range(0, len(rows), step)]
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(delayed(task)(block) for block in blocks))


def _joined(parts: list[Arcs]) -> Arcs:
    row = np.concatenate([part.row for part in parts])
    order = np.argsort(row, kind="stable")
    return Arcs(*(np.concatenate(columns)[order] for columns in zip(*parts, strict=True)))
