"""Graphs that join records with similar labels.  [Mu2010] sec. 3.1

The similarity of two records depends on their label *sets* only. With u distinct sets, and E (N x u) the set of each
record, the graph of all records is E S Eᵀ with S (u x u) the similarities of the sets: no N x N matrix is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import check_count, check_finite, check_rows, human_size, is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.graph import EdgeWeights, Graph, GraphPart, GroupWeights
from tacit.relations.graphs.label_similarity import (
    CustomSimilarity,
    Measure,
    Similarity,
    check_some_known,
    check_symmetric,
    compared_labels,
    fit_measure,
)
from tacit.relations.graphs.neighbour_search import rounded
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["LabelGraph", "checked_type", "label_graph", "set_closeness", "set_numbers"]

_BLOCK = 2**22  # similarities, or cosines, computed at a time: 32 MB
_MOST_ENTRIES = 2**27  # similarities of label sets: a gigabyte of float64
_DENSE = 4  # with at least one entry in four a dense matrix is about as small as a sparse one, and faster


@dataclass(frozen=True, eq=False)
class LabelGraph(Graph):
    """A graph by labels, with the parameters that were chosen for it.

    Attributes
    ----------
    parts : tuple — the weights, see `Graph`
    width : τ of eqs. (10) and (16), None for similarities without one
    n_dimensions : k_c of eq. (15), None for similarities without one
    """

    width: float | None = None
    n_dimensions: int | None = None


def label_graph(
    y: Any,
    kind: str | Similarity = "sorensen",
    *,
    n_neighbours: int | None = None,
    width: float | str = "auto",
    n_dimensions: int | None = None,
    taxonomy: Taxonomy | None = None,
    X: Any = None,
    dtype: npt.DTypeLike = np.float64,
) -> LabelGraph:
    """Join records by their labels: W_Y, the similarity of the labels of two records.

    Parameters
    ----------
    y : any form that `as_labels` reads — records whose labels are unknown are not joined
    kind : name or callable, default "sorensen" — the similarity, see `label_similarity`
    n_neighbours : int, optional — K: two records are joined if one of them is among the K whose labels are most similar
        to those of the other. None joins all pairs whose similarity is not 0
    width, n_dimensions, taxonomy : see `label_similarity`
    X : array or sparse matrix, records x features, optional — breaks ties between neighbours
    dtype : float64 or float32, default float64 — of the weights

    Returns
    -------
    LabelGraph
        All pairs: one `GroupWeights` part, which includes w_ii, as eqs. (6) and (7) do: it adds to the degree of a
        record and nothing to D − W. K neighbours: one `EdgeWeights` part, in which no record is joined to itself.

    Raises
    ------
    InputError
        If a parameter is out of range, if no record has known labels, if there are too many distinct label sets for
        S, or if a callable does not return similarities.

    Notes
    -----
    *Ties* are frequent: all records with the same labels are equally near. Records whose similarity is the same to 12
    digits are ordered by the cosine of their rows of `X`, to 12 digits, and then by their row numbers; without `X` by
    row numbers only. Records with similarity 0 are not neighbours, so a record may have fewer than K.

    *Records that are known to have no labels* are not joined by similarities that count shared labels; for "hamming"
    and "projected" they have a set like any other.

    *Cost* for u distinct sets: S takes 8 u² bytes, or 12 for each pair that shares a label if that is less. K
    neighbours take the time of u² similarities, but only N K numbers of memory.

    References
    ----------
    [Mu2010] sec. 3.1, eqs. (10) to (16).

    Examples
    --------
    >>> graph = label_graph([{"law"}, {"law", "cats"}, {"cats"}, None], "jaccard")
    >>> graph.to_dense().tolist()
    [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    """
    labels = compared_labels(y, kind, taxonomy)
    weight_type = checked_type(dtype)
    measure = fit_measure(kind, labels, width=width, n_dimensions=n_dimensions)
    number, sets = set_numbers(labels)
    part: GraphPart
    if n_neighbours is None:
        closeness = set_closeness(measure, sets, instead="Pass n_neighbours.")
        part = GroupWeights(number, closeness.astype(weight_type, copy=False))
    else:
        n_known = labels.n_records - labels.n_unknown
        if check_count("n_neighbours", n_neighbours) >= n_known:
            raise InputError(
                f"n_neighbours is too large: got {n_neighbours}, expected fewer than the {n_known} records with known "
                "labels. Leave it out to join all of them."
            )
        features = None if X is None else _checked_features(X, labels.n_records)
        part = EdgeWeights(_label_neighbours(measure, sets, number, int(n_neighbours), features).astype(weight_type))
    return LabelGraph((part,), width=measure.width, n_dimensions=measure.n_dimensions)


def _checked_features(X: Any, n_records: int) -> Any:
    features = X if is_sparse(X) else np.asarray(X)
    if features.ndim != 2 or features.dtype.kind not in "biuf":
        raise InputError(
            f"X is not a table of numbers: got {features.dtype} in {features.ndim} dimensions, "
            "expected records x features."
        )
    check_rows("X", features.shape[0], n_records, of="y")
    check_finite("X", features)
    return features


def set_numbers(labels: LabelMatrix) -> tuple[IntArray, sp.csr_array]:
    """Return the number of the label set of each record, -1 if it is unknown, and the sets, u x labels."""
    check_some_known(labels)
    membership, sets = labels.distinct()
    number = np.full(labels.n_records, -1, dtype=np.int64)
    number[labels.known] = membership.indices
    return number, sets


def set_closeness(measure: Measure, sets: sp.csr_array, *, instead: str) -> Any:
    """Return S, the similarities of all pairs of label sets: sparse if most are zero, else dense.

    `instead` is the advice in the error message if S would be too large.
    """
    n_sets = sets.shape[0]
    n_entries = measure.most_entries(sets)
    if n_entries > _MOST_ENTRIES:
        raise InputError(
            f"y has too many different label sets to join all records: the similarities of {n_sets:,} sets would take "
            f"up to {human_size(8 * n_entries)}. {instead}"
        )
    n_rows = max(1, _BLOCK // max(1, n_sets))
    blocks: Iterator[Any] = (measure.between(sets[first : first + n_rows], sets) for first in range(0, n_sets, n_rows))
    if n_sets**2 > _MOST_ENTRIES or _DENSE * n_entries < n_sets**2:
        return sp.csr_array(sp.vstack([sp.csr_array(block) for block in blocks], format="csr"))
    closeness = np.empty((n_sets, n_sets))
    for place, block in enumerate(blocks):
        closeness[place * n_rows : (place + 1) * n_rows] = block.toarray() if is_sparse(block) else block
    if isinstance(measure, CustomSimilarity):
        check_symmetric(closeness)
    return sp.csr_array(closeness) if _DENSE * np.count_nonzero(closeness) < n_sets**2 else closeness


def checked_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the dtype of the weights; raise if it is not float32 or float64."""
    found = np.dtype(dtype)
    if found not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise InputError(f"dtype is not supported: got {found}, expected float32 or float64.")
    return found


Pairs = tuple[IntArray, IntArray, Float64Array]


def _label_neighbours(
    measure: Measure, sets: sp.csr_array, number: IntArray, n_neighbours: int, features: Any = None
) -> sp.csr_array:
    """Return the weights of the K nearest by labels; `number` is the set of each record, features break ties."""
    sizes = np.bincount(number[number >= 0], minlength=sets.shape[0])
    order = np.argsort(number, kind="stable")[len(number) - sizes.sum() :]
    members = _Members(order, np.cumsum(sizes) - sizes, sizes)
    units = None if features is None else normalize(features.astype(np.float64))
    pairs: list[Pairs] = []
    for own, found, values in _rows(measure, sets):
        near = _nearest_sets(values, members.sizes[found], np.flatnonzero(found == own), n_neighbours)
        records = members.in_sets(np.array([own]))[0]
        pairs.append(_all_pairs(records, *members.in_sets(found[near.whole], values[near.whole])))
        if near.n_open:
            tied = members.in_sets(found[near.tied], values[near.tied])
            pairs.extend(_nearest_pairs(records, *tied, near.n_open, units))
    rows, columns, weights = (np.concatenate(part) for part in zip(*pairs, strict=True))
    chosen = sp.csr_array((weights, (rows, columns)), shape=(len(number), len(number)))
    return sp.csr_array(chosen.maximum(chosen.T))


class _Members(NamedTuple):
    """The records of each set, one set after the other."""

    records: IntArray
    starts: IntArray
    sizes: IntArray

    def in_sets(self, sets: IntArray, values: Float64Array | None = None) -> tuple[IntArray, Float64Array]:
        """Return the records of some sets, and for each the value of its set."""
        sizes = self.sizes[sets]
        run_starts = np.cumsum(sizes) - sizes
        position = np.arange(sizes.sum()) + np.repeat(self.starts[sets] - run_starts, sizes)
        return self.records[position], np.repeat(np.zeros(len(sets)) if values is None else values, sizes)


def _rows(measure: Measure, sets: sp.csr_array) -> Iterator[tuple[int, IntArray, Float64Array]]:
    """Yield each set with the sets to which it is similar, and their similarities."""
    n_sets = sets.shape[0]
    n_rows = max(1, _BLOCK // max(1, n_sets))
    for first in range(0, n_sets, n_rows):
        block: Any = measure.between(sets[first : first + n_rows], sets)
        if isinstance(measure, CustomSimilarity):
            check_symmetric(block[:, first : first + n_rows])  # comparing the rest would need a second block
        for place in range(block.shape[0]):
            if is_sparse(block):
                span = slice(block.indptr[place], block.indptr[place + 1])
                yield first + place, block.indices[span], block.data[span]
            else:
                found = np.flatnonzero(block[place])
                yield first + place, found, block[place][found]


class _Near(NamedTuple):
    """Positions of the sets taken as a whole, and of equally similar ones of which `n_open` records are taken."""

    whole: IntArray
    tied: IntArray
    n_open: int


def _nearest_sets(values: Float64Array, sizes: IntArray, own: IntArray, n_wanted: int) -> _Near:
    """Choose the most similar sets until they have enough records; `own` is the position of the set itself, if any."""
    near = np.arange(len(values))
    if len(values) > n_wanted + 1:
        # no set is empty, and one record is the one whose neighbours are searched
        least = np.partition(values, -(n_wanted + 1))[-(n_wanted + 1)]
        near = np.flatnonzero(values >= least * (1 - 1e-9))
    others = sizes[near] - np.isin(near, own)
    rank = rounded(values[near], 2.0**-40)  # so that similarities that were summed in a different order are equal
    order = np.argsort(-rank, kind="stable")
    last = int(np.searchsorted(np.cumsum(others[order]), n_wanted))
    if last == len(order):
        return _Near(near, near[:0], 0)
    before, level = rank > rank[order[last]], rank == rank[order[last]]
    n_open = n_wanted - int(others[before].sum())
    if n_open == int(others[level].sum()):
        return _Near(near[before | level], near[:0], 0)
    return _Near(near[before], near[level], n_open)


def _all_pairs(records: IntArray, candidates: IntArray, values: Float64Array) -> Pairs:
    """Join each of the records with all candidates except itself."""
    rows, columns = np.repeat(records, len(candidates)), np.tile(candidates, len(records))
    other = rows != columns
    return rows[other], columns[other], np.tile(values, len(records))[other]


def _nearest_pairs(
    records: IntArray, candidates: IntArray, values: Float64Array, n_wanted: int, units: Any
) -> Iterator[Pairs]:
    """Join each of the records with the candidates that are nearest by features, then by row number."""
    order = np.argsort(candidates)
    if units is None:
        order = order[: n_wanted + 1]
    candidates, values = candidates[order], values[order]
    n_rows = max(1, _BLOCK // len(candidates))
    theirs = None if units is None else units[candidates].T
    for first in range(0, len(records), n_rows):
        some = records[first : first + n_rows]
        cosines = np.zeros((len(some), len(candidates)))
        if units is not None:
            product = units[some] @ theirs
            cosines = np.round(product.toarray() if is_sparse(product) else product, 12)
        cosines[some[:, None] == candidates] = -np.inf
        row, column = np.nonzero(_first_largest(cosines, n_wanted))
        yield some[row], candidates[column], values[column]


def _first_largest(values: Float64Array, n_wanted: int) -> BoolArray:
    """Mark the largest values of each row; among equal ones, the first."""
    least = np.partition(values, -n_wanted, axis=1)[:, -n_wanted, None]
    above, level = values > least, values == least
    n_open = n_wanted - above.sum(axis=1, keepdims=True)
    return above | (level & (np.cumsum(level, axis=1) <= n_open))
