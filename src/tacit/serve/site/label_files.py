"""The labels of a static site: their tree and counts in one file, words and related labels in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.serve.site.small_space import Quantised
from tacit.tasks.label_names import title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import IntArray

__all__ = ["PIECE", "SiteLabels", "label_details", "site_labels"]

PIECE = 200  # labels per file of details
_WORDS, _RELATED = 12, 8
_BLOCK = 1024
_MOST_COMPARED = 40_000  # labels; more would take minutes


@dataclass(frozen=True, eq=False)
class SiteLabels:
    """Labels of the records, then the classes above them.

    Attributes
    ----------
    ids, titles : of the labels
    parents : numbers of the labels directly above each
    indicator : records x labels, 0 or 1, without the classes above
    n_known : number of labels that the space has a mean position for; these come first
    """

    ids: list[str]
    titles: list[str]
    parents: list[list[int]]
    indicator: sp.csr_array
    n_known: int

    @cached_property
    def own(self) -> IntArray:
        """Number of records that have each label."""
        return np.asarray(self.indicator.sum(axis=0)).ravel().astype(np.int64)

    @cached_property
    def totals(self) -> IntArray:
        """Number of records with each label or one below it, each record counted once."""
        above = sp.csr_array(self.indicator @ _closure(self.parents))
        above.data[:] = 1
        return np.asarray(above.sum(axis=0)).ravel().astype(np.int64)

    def to_facts(self) -> dict[str, Any]:
        """Return ids, titles, parents and counts as plain data."""
        facts = {"ids": self.ids, "titles": self.titles, "parents": self.parents, "piece": PIECE}
        return {**facts, "records": self.own.tolist(), "totals": self.totals.tolist()}


def site_labels(collection: OpenedIndex, labels: list[tuple[str, ...]]) -> SiteLabels:
    """Return the labels of records, given by their names, with everything above them."""
    ids = list(collection.label_names)
    places = {name: number for number, name in enumerate(ids)}
    starts, columns = [0], []
    for names in labels:
        columns += [places.setdefault(name, len(places)) for name in names]
        starts.append(len(columns))
    taxonomy = collection.taxonomy
    parents: list[list[int]] = []
    for name in _growing(places):
        above = taxonomy.parents(name) if taxonomy is not None and name in taxonomy else ()
        parents.append([places.setdefault(str(parent), len(places)) for parent in above])
    values = np.ones(len(columns), np.float32)
    indicator = sp.csr_array((values, columns, starts), shape=(len(labels), len(places)))
    found = list(places)
    return SiteLabels(found, [title_of(collection, name) for name in found], parents, indicator, len(ids))


def label_details(labels: SiteLabels, means: Quantised, X: sp.csr_array, terms: list[str]) -> list[dict[str, Any]]:
    """Return the telling words of each label and the labels nearest to it, by number."""
    related = _related(means, labels.own) if len(means.rows) <= _MOST_COMPARED else {}
    words = _telling_words(labels, X, terms)
    return [{"words": words[number], "related": related.get(number, [])} for number in range(len(labels.ids))]


def _growing(places: dict[str, int]) -> Any:
    """Yield the keys of a dictionary that grows meanwhile."""
    seen = 0
    while seen < len(places):
        names = list(places)[seen:]
        seen += len(names)
        yield from names


def _closure(parents: list[list[int]]) -> sp.csr_array:
    """Return labels x labels: which are at or above each."""
    n_labels = len(parents)
    rows = np.repeat(np.arange(n_labels), [len(above) for above in parents])
    columns = np.array([parent for above in parents for parent in above], int)
    step = sp.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(n_labels, n_labels))
    reach = step = step + sp.eye_array(n_labels, dtype=np.float32, format="csr")
    while True:
        further = sp.csr_array(reach @ step)
        further.data[:] = 1
        if further.nnz == reach.nnz:
            return further
        reach = further


def _telling_words(labels: SiteLabels, X: sp.csr_array, terms: list[str]) -> list[list[tuple[str, float]]]:
    """Return the words that weigh more in the records of a label than in all records, the most telling first."""
    if not X.shape[0]:
        return [[] for _ in labels.ids]
    overall = np.asarray(X.mean(axis=0)).ravel()
    sums = sp.csr_array(labels.indicator.T @ X)
    found = []
    for number, count in enumerate(labels.own.tolist()):
        start, end = sums.indptr[number : number + 2]
        columns = sums.indices[start:end]
        parts = sums.data[start:end] / max(1, count) - overall[columns]
        best = [place for place in np.argsort(-parts, kind="stable")[:_WORDS] if parts[place] > 0]
        found.append([(terms[columns[place]], round(float(parts[place]), 4)) for place in best])
    return found


def _related(means: Quantised, own: IntArray) -> dict[int, list[tuple[int, float]]]:
    """Return the nearest labels of each that has records, with their cosines."""
    directions = means.restored()
    used = np.flatnonzero(own[: len(directions)] > 0)
    found: dict[int, list[tuple[int, float]]] = {}
    for start in range(0, len(used), _BLOCK):
        rows = used[start : start + _BLOCK]
        cosines = directions[rows] @ directions[used].T
        cosines[np.arange(len(rows)), start + np.arange(len(rows))] = -1
        depth = min(_RELATED, len(used) - 1)
        nearest = np.argsort(-cosines, axis=1, kind="stable")[:, :depth]
        for row, places, values in zip(rows, nearest, np.take_along_axis(cosines, nearest, 1), strict=True):
            found[int(row)] = [(int(used[p]), round(float(v), 3)) for p, v in zip(places, values, strict=True) if v > 0]
    return found
