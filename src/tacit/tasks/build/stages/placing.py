"""Places the records of a collection block by block in a space that was fitted to some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_outside_memory, is_sparse
from tacit.index.known_views import KnownViews
from tacit.index.nearest.exact import lengths_of
from tacit.relations.labels.coded import CodedSets
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import FittedSpace, RecordKnowledge
from tacit.tasks.build.stages.some_rows import FileRows, RowsFile
from tacit.tasks.stage_progress import StageReporter
from tacit.types import Array, BoolArray, Float32Array, Float64Array, IntArray

__all__ = [
    "ViewRows",
    "lengths_in_blocks",
    "means_of",
    "place_others",
    "place_records",
    "position_sums",
    "row_blocks",
    "unseen_sums",
    "with_labels",
    "with_links",
    "with_placed_words",
    "with_unseen_words",
]

Known = Mapping[str, tuple[Any, BoolArray]]
_AT_A_TIME = 4_096  # records that are placed in memory


def place_records(
    path: Path,
    X: Any,
    fitted: FittedSpace,
    known: RecordKnowledge,
    rows: IntArray,
    block: int,
    say: StageReporter,
) -> FileRows:
    """Write the positions of all records to a file, or those that a build which was killed has not written yet.

    Parameters
    ----------
    path : of the file
    X : their words, in memory or on disk
    fitted : the space, with the positions of the records that it was fitted to
    known : what else is known about all records
    rows : the numbers of the records that were fitted
    block : records at a time
    say : reports the stage, which has begun
    """
    n, k = X.shape[0], fitted.terms.shape[1]
    file = RowsFile(path, (n, k))
    views = ViewRows(fitted.known_views, known)
    done = n if file.n_written == n else file.n_written // block * block
    for first, some in row_blocks(X, block):
        last = first + some.shape[0]
        if last <= done:
            continue
        placed = _placed(some, fitted, views, first)
        inside = slice(*np.searchsorted(rows, [first, last]))
        placed[rows[inside] - first] = fitted.positions[inside]
        file.write(first, placed)
        say.advance(f"{last:,} of {n:,} records", last / n)
    return FileRows(path, (n, k))


def place_others(fitted: FittedSpace, X: Any, known: RecordKnowledge, rows: IntArray, ridge: float) -> FittedSpace:
    """Return a space with the positions of all records, in memory, and with the words that only the others have.

    Parameters
    ----------
    fitted : the space, with the positions of the records that it was fitted to
    X : words, or words and vectors, of all records
    known : what else is known about all records
    rows : the numbers of the records that were fitted
    ridge : of the fit
    """
    others = np.setdiff1d(np.arange(X.shape[0]), rows)
    positions = np.empty((X.shape[0], fitted.terms.shape[1]), np.float32)
    positions[rows] = fitted.positions
    for part in np.array_split(others, max(1, len(others) // _AT_A_TIME)):
        views = ViewRows(fitted.known_views, known.part(part))
        positions[part] = _placed(X[part], fitted, views, 0)
    fitted = replace(fitted, positions=positions)
    if not is_sparse(X):
        return fitted
    seen = np.bincount(X[rows].indices, minlength=X.shape[1]) > 0
    return with_unseen_words(fitted, X, positions, seen, ridge, _AT_A_TIME)


def _placed(some: Any, fitted: FittedSpace, views: ViewRows, first: int) -> Float32Array:
    """Return the positions of consecutive records by their words and by what else is known."""
    by_words = np.asarray(some @ fitted.terms, np.float32)
    if fitted.offset is not None:
        by_words -= fitted.offset
    if fitted.known_views is None:
        return by_words
    return fitted.known_views.place_rows(some, by_words, views.of(first, first + some.shape[0]))


def row_blocks(X: Any, block: int) -> Iterator[tuple[int, sp.csr_array]]:
    """Yield blocks of rows of the same size, with the number of their first record; the last may be smaller."""
    if not is_outside_memory(X):
        for first in range(0, X.shape[0], block):
            yield first, X[first : first + block]
        return
    waiting: list[sp.csr_array] = []
    first = 0
    for part in X.blocks():
        start = 0
        while start < part.shape[0]:
            stop = min(part.shape[0], start + block - sum(piece.shape[0] for piece in waiting))
            waiting.append(part[start:stop])
            start = stop
            if sum(piece.shape[0] for piece in waiting) == block:
                yield first, sp.vstack(waiting, format="csr")
                first, waiting = first + block, []
    if waiting:
        yield first, sp.vstack(waiting, format="csr")


class ViewRows:
    """What is known about blocks of records, as rows of the things of each view."""

    def __init__(self, placing: KnownViews | None, known: RecordKnowledge) -> None:
        self._rows: dict[str, tuple[LabelMatrix, Any, str]] = {}
        for name, view in () if placing is None else placing.views.items():
            things = [str(thing) for thing in view.names]
            if name in known.links:
                self._rows[name] = (_matrix(known.links[name], things), None, "links")
            elif name == "taxonomy" and known.taxonomy is not None:
                every = _every_name(known.labels)
                self._rows[name] = (_matrix(known.labels, every), _above(every, things, known.taxonomy), "labels")
            else:
                self._rows[name] = (_matrix(known.labels, things), None, "labels" if name == "labels" else "group")
        self._has_labels = np.fromiter((bool(names) for names in known.labels), bool, len(known.labels))

    def of(self, first: int, last: int) -> Known:
        """Return the rows of each view, and for which records they are known."""
        found = {}
        for name, (matrix, above, kind) in self._rows.items():
            rows = sp.csr_array(matrix.indicator[first:last]).astype(np.float32)
            if above is not None:
                rows = sp.csr_array(rows @ above)
                rows.data[:] = 1
            is_known = np.diff(rows.indptr) > 0
            if kind == "links":  # no links means none
                is_known = np.ones(last - first, bool)
            elif kind == "group":
                is_known = self._has_labels[first:last].copy()
            found[name] = (rows, is_known)
        return found


def _every_name(sets: Any) -> list[str]:
    return list(sets.names) if isinstance(sets, CodedSets) else sorted({name for names in sets for name in names})


def _matrix(sets: Any, names: list[str]) -> LabelMatrix:
    return (sets if isinstance(sets, CodedSets) else CodedSets(sets)).matrix(names)


def _above(labels: list[str], classes: list[str], taxonomy: Taxonomy) -> sp.csr_array:
    """Return labels x classes: each label with all classes above it."""
    place = {name: column for column, name in enumerate(classes)}
    rows, columns = [], []
    for row, label in enumerate(labels):
        above = {label, *(map(str, taxonomy.ancestors(label)) if label in taxonomy else ())}
        found = sorted(place[name] for name in above if name in place)
        rows += [row] * len(found)
        columns += found
    return sp.csr_array((np.ones(len(rows), np.float32), (rows, columns)), (len(labels), len(classes)))


def with_labels(fitted: FittedSpace, labels: LabelMatrix, positions: FileRows, block: int) -> FittedSpace:
    """Add all labels of the collection, each at the mean position of its records."""
    means = _means(labels, positions, block)
    return replace(
        fitted,
        label_names=tuple(map(str, labels.names)),
        label_counts=tuple(int(count) for count in labels.counts),
        label_positions=means,
    )


def with_links(fitted: FittedSpace, known: RecordKnowledge, positions: FileRows, block: int) -> FittedSpace:
    """Add all linked things of the collection, each at the mean position of its records."""
    others = {}
    for name, targets in known.used_links.items():
        things = _matrix(targets, sorted(_every_name(targets)))
        others[name] = ([str(thing) for thing in things.names], _means(things, positions, block))
    return replace(fitted, others=others or None)


def _means(things: LabelMatrix, positions: FileRows, block: int) -> Float32Array:
    return means_of(things.counts, *position_sums(things, positions, block), positions.shape[1])


def position_sums(things: LabelMatrix, positions: Any, block: int) -> tuple[IntArray, Float64Array]:
    """Return the numbers of the things that records have, and the sums of the positions of the records of each."""
    totals = np.zeros((things.n_labels, positions.shape[1]), np.float64)
    for first in range(0, len(positions), block):
        rows = sp.csr_array(things.indicator[first : first + block].T)
        used = np.flatnonzero(np.diff(rows.indptr))
        totals[used] += rows[used] @ positions[first : first + block].astype(np.float64)
    there = np.flatnonzero(np.asarray(things.counts) > 0)
    return there, totals[there]


def means_of(counts: Array, things: IntArray, sums: Float64Array, n_dimensions: int) -> Float32Array:
    """Return the mean position of the records of all things, from the sums of those that have some."""
    means = np.zeros((len(counts), n_dimensions), np.float32)
    means[things] = sums / np.maximum(np.asarray(counts)[things], 1)[:, None]
    return means


def with_unseen_words(
    fitted: FittedSpace, X: Any, positions: FileRows | Float32Array, seen: BoolArray, ridge: float, block: int
) -> FittedSpace:
    """Place the words that only records have which were not fitted.

    A word's place is its ridge regression on what the other words of its records leave of their positions.

        t_w = Σ_i x_iw (p_i − x_i T) / (Σ_i x_iw² + γ)

    Parameters
    ----------
    fitted : the space
    X : words of all records, in memory or on disk
    positions : of all records
    seen : (n_terms,), the words of the records that were fitted
    ridge : γ, that of the fit
    block : records at a time
    """
    unseen = np.flatnonzero(~seen)
    if not len(unseen):
        return fitted
    return with_placed_words(fitted, unseen, *unseen_sums(fitted, X, positions, unseen, block), ridge)


def unseen_sums(
    fitted: FittedSpace, X: Any, positions: Any, unseen: IntArray, block: int
) -> tuple[IntArray, Float64Array]:
    """Return which of the unseen words records have, and the sums over these records that place each of them.

    The sums are (n_used, 2 k + 1): Σ x_iw (p_i − x_i T), Σ x_iw p_i and Σ x_iw², with T zero for all unseen words.
    """
    k, is_used = fitted.terms.shape[1], np.zeros(fitted.terms.shape[0], bool)
    for _, some in row_blocks(X, block):
        is_used[some.indices] = True
    used = np.flatnonzero(is_used[unseen])
    words, sums = unseen[used], np.zeros((len(used), 2 * k + 1), np.float64)
    terms = np.array(fitted.terms)
    terms[unseen] = 0
    for first, some in row_blocks(X, block) if len(used) else ():
        columns = sp.csc_array(some)[:, words]
        rows = np.unique(columns.indices).astype(np.int64)
        if not len(rows):
            continue
        given, places = sp.csr_array(columns)[rows].T, positions[first + rows].astype(np.float64)
        by_words = some[rows] @ terms - (0 if fitted.offset is None else fitted.offset)
        sums[:, :k] += given @ (places - by_words)
        sums[:, k:-1] += given @ places
        sums[:, -1] += np.bincount(_columns_of(columns), columns.data**2, minlength=len(words))
    return used, sums


def with_placed_words(
    fitted: FittedSpace, unseen: IntArray, used: IntArray, sums: Float64Array, ridge: float
) -> FittedSpace:
    """Place the unseen words that records have by what `unseen_sums` returned; `ridge` is γ."""
    views, k = fitted.known_views, fitted.terms.shape[1]
    terms = np.array(fitted.terms)
    terms[unseen] = 0
    terms[unseen[used]] = sums[:, :k] / (sums[:, -1:] + ridge)
    if views is not None:
        loadings = np.array(views.terms)
        loadings[unseen[used]] = sums[:, k:-1] / views.scales
        views = KnownViews(loadings, views.fold_map, views.scales, views.views, views.vectors)
    return replace(fitted, terms=terms, known_views=views)


def _columns_of(matrix: sp.csc_array) -> IntArray:
    return np.repeat(np.arange(matrix.shape[1]), np.diff(matrix.indptr))


def lengths_in_blocks(positions: FileRows, block: int) -> Array:
    """Return the length of each position; 1 for those at the origin."""
    parts = [lengths_of(positions[first : first + block]) for first in range(0, len(positions), block)]
    return np.concatenate(parts)
