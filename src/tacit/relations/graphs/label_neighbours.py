"""Each record with the K records whose labels are most similar, found through distinct label sets.

All records with the same labels have the same neighbours up to ties, so similarities are needed between sets only.
Sets are taken in descending order of similarity, whole groups of equally similar ones at a time; the group in which the
K-th neighbour lies is usually larger than what is still wanted, and only its members are compared by their features.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.preprocessing import normalize

from tacit.checks import is_sparse
from tacit.relations.graphs.label_measures import Given, Measure, check_symmetric

__all__ = ["label_neighbours"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Pairs = tuple[Ints, Ints, Floats]

# similarities, or cosines, at a time: 32 MB
_BLOCK = 2**22


def label_neighbours(
    measure: Measure, sets: sp.csr_array, number: Ints, n_neighbours: int, features: Any = None
) -> sp.csr_array:
    """Give the weights of the graph of K nearest neighbours by labels, an edge if one of the two chose the other.

    Parameters
    ----------
    measure : what compares label sets
    sets : u x labels, the distinct label sets
    number : the set of each record, -1 for records that have no part
    n_neighbours : K
    features : records x features, dense or sparse, optional — breaks ties by cosine; row numbers do what remains
    """
    members = _Members.of_sets(number, sets.shape[0])
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
    """The records of each set, one set after another."""

    records: Ints
    starts: Ints
    sizes: Ints

    @classmethod
    def of_sets(cls, number: Ints, n_sets: int) -> _Members:
        sizes = np.bincount(number[number >= 0], minlength=n_sets)
        order = np.argsort(number, kind="stable")[len(number) - sizes.sum() :]
        return cls(order, np.cumsum(sizes) - sizes, sizes)

    def in_sets(self, sets: Ints, values: Floats | None = None) -> tuple[Ints, Floats]:
        """Give the records of some sets, and to each the value of its set."""
        sizes = self.sizes[sets]
        run_starts = np.cumsum(sizes) - sizes
        position = np.arange(sizes.sum()) + np.repeat(self.starts[sets] - run_starts, sizes)
        return self.records[position], np.repeat(np.zeros(len(sets)) if values is None else values, sizes)


def _rows(measure: Measure, sets: sp.csr_array) -> Iterator[tuple[int, Ints, Floats]]:
    """Go through the sets: each with the sets that it is similar to at all, and how much."""
    n_sets = sets.shape[0]
    n_rows = max(1, _BLOCK // max(1, n_sets))
    for first in range(0, n_sets, n_rows):
        block: Any = measure.between(sets[first : first + n_rows], sets)
        if isinstance(measure, Given):
            check_symmetric(block[:, first : first + n_rows])  # the rest would take a second block to compare with
        for place in range(block.shape[0]):
            if is_sparse(block):
                span = slice(block.indptr[place], block.indptr[place + 1])
                yield first + place, block.indices[span], block.data[span]
            else:
                found = np.flatnonzero(block[place])
                yield first + place, found, block[place][found]


class _Near(NamedTuple):
    """Positions among the sets found: those taken whole, and those equally similar of which `n_open` records are."""

    whole: Ints
    tied: Ints
    n_open: int


def _nearest_sets(values: Floats, sizes: Ints, own: Ints, n_wanted: int) -> _Near:
    """Choose the most similar sets until they have enough records; `own` is where the set itself is, if it is there."""
    near = np.arange(len(values))
    if len(values) > n_wanted + 1:
        # no set is empty, and one record is the one whose neighbours are sought
        least = np.partition(values, -(n_wanted + 1))[-(n_wanted + 1)]
        near = np.flatnonzero(values >= least * (1 - 1e-9))
    others = sizes[near] - np.isin(near, own)
    rank = _without_rounding(values[near])
    order = np.argsort(-rank, kind="stable")
    last = int(np.searchsorted(np.cumsum(others[order]), n_wanted))
    if last == len(order):
        return _Near(near, near[:0], 0)
    before, level = rank > rank[order[last]], rank == rank[order[last]]
    n_open = n_wanted - int(others[before].sum())
    if n_open == int(others[level].sum()):
        return _Near(near[before | level], near[:0], 0)
    return _Near(near[before], near[level], n_open)


def _without_rounding(values: Floats) -> Floats:
    """Keep 40 binary digits, so that similarities that are equal but were summed in another order are equal."""
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(mantissa, 40)), exponent - 40)


def _all_pairs(records: Ints, candidates: Ints, values: Floats) -> Pairs:
    """Join each of some records with all candidates but itself."""
    rows, columns = np.repeat(records, len(candidates)), np.tile(candidates, len(records))
    other = rows != columns
    return rows[other], columns[other], np.tile(values, len(records))[other]


def _nearest_pairs(records: Ints, candidates: Ints, values: Floats, n_wanted: int, units: Any) -> Iterator[Pairs]:
    """Join each of some records with those candidates that are nearest by features, then by row number."""
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


def _first_largest(values: Floats, n_wanted: int) -> npt.NDArray[np.bool_]:
    """Mark the largest values of each row, of equal ones those that come first."""
    least = np.partition(values, -n_wanted, axis=1)[:, -n_wanted, None]
    above, level = values > least, values == least
    n_open = n_wanted - above.sum(axis=1, keepdims=True)
    return above | (level & (np.cumsum(level, axis=1) <= n_open))
