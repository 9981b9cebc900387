"""The labels of an index as a tree, with the number of records that have each label, or it or one below it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.label_names import NamedLabel, title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import IntArray

__all__ = ["LabelNode", "LabelTree"]


class LabelNode(NamedTuple):
    """A label with its title, the records that have it, those that have it or a narrower one, and narrower labels."""

    label: str
    title: str
    records: int
    total: int
    children: int


class LabelTree:
    """The labels of an open index with counts, as they are when it is made: a third of a second for 100,000 records.

    A record counts once for each label, however many narrower ones it has. Labels come with the most records first.

    Attributes
    ----------
    has_taxonomy : bool
    """

    def __init__(self, collection: OpenedIndex) -> None:
        self._collection, self._taxonomy = collection, collection.taxonomy
        self.has_taxonomy = self._taxonomy is not None
        numbers, labels = collection.store.values("labels")
        nodes = [] if self._taxonomy is None else [str(node) for node in self._taxonomy.names]
        self._names = list(dict.fromkeys([*nodes, *collection.label_names, *labels]))
        self._places = {name: place for place, name in enumerate(self._names)}
        columns = np.fromiter((self._places[label] for label in labels), np.int64, len(labels))
        self._own = np.bincount(columns, minlength=len(self._names))
        self._total = self._own.copy()
        if self._taxonomy is not None:
            self._total[: len(nodes)] = _totals(self._taxonomy, numbers, columns)

    def __len__(self) -> int:
        """Return the number of labels that records have."""
        return int(np.count_nonzero(self._own))

    def __contains__(self, label: object) -> bool:
        return label in self._places

    def node(self, label: str) -> LabelNode:
        """Return a label with its counts; a label that nothing has and no vocabulary knows has none."""
        place = self._places.get(label)
        counts = (0, 0) if place is None else (int(self._own[place]), int(self._total[place]))
        return LabelNode(label, title_of(self._collection, label), *counts, len(self._children(label)))

    def below(self, parent: str | None = None, *, skip: int = 0, limit: int = 50) -> list[LabelNode]:
        """Return the labels right below a label, or those at the top: a single root is left out.

        Without a taxonomy, all labels that records have.
        """
        names = self._tops if parent is None else self._ordered(self._children(parent))
        return [self.node(name) for name in names[skip : skip + limit]]

    def path(self, label: str) -> list[NamedLabel]:
        """Return the labels above a label, from the top down, along its first parents; a single root is left out."""
        taxonomy = self._taxonomy
        if taxonomy is None or label not in taxonomy:
            return []
        found: list[str] = []
        while parents := taxonomy.parents(found[-1] if found else label):
            found.append(str(parents[0]))
        if found and found[-1] == self._single_root:
            found.pop()
        return [NamedLabel(name, title_of(self._collection, name)) for name in reversed(found)]

    def frequent(self, limit: int) -> list[LabelNode]:
        """Return the labels that the most records have themselves."""
        best = np.argsort(-self._own, kind="stable")[:limit]
        return [self.node(self._names[place]) for place in best.tolist() if self._own[place]]

    def _children(self, label: str) -> list[str]:
        taxonomy = self._taxonomy
        return [] if taxonomy is None or label not in taxonomy else [str(name) for name in taxonomy.children(label)]

    @cached_property
    def _single_root(self) -> str | None:
        if self._taxonomy is None:
            return None
        used = [str(root) for root in self._taxonomy.roots if self._taxonomy.children(root)]
        return used[0] if len(used) == 1 and not self._own[self._places[used[0]]] else None

    @cached_property
    def _tops(self) -> list[str]:
        """The tops of the taxonomy, and labels that it lacks."""
        taxonomy = self._taxonomy
        if taxonomy is None:
            return self._ordered(name for place, name in enumerate(self._names) if self._own[place])
        root = self._single_root
        tops = [str(node) for node in taxonomy.roots if str(node) != root] + (
            [] if root is None else self._children(root)
        )
        lacking = [name for name in self._names[taxonomy.n_nodes :] if self._own[self._places[name]]]
        return self._ordered([*dict.fromkeys(tops), *lacking])

    def _ordered(self, names: Iterable[str]) -> list[str]:
        return sorted(
            names, key=lambda name: (-self._total[self._places[name]], title_of(self._collection, name), name)
        )


def _totals(taxonomy: Taxonomy, numbers: IntArray, columns: IntArray) -> IntArray:
    """Count the records at or below each node, each once."""
    known = columns < taxonomy.n_nodes
    records, rows = np.unique(numbers[known], return_inverse=True)
    ones = np.ones(int(known.sum()), np.float32)
    having = sp.csr_array((ones, (rows, columns[known])), (len(records), taxonomy.n_nodes))
    above = sp.csr_array(having @ taxonomy.closure)
    return np.asarray(np.bincount(above.indices, minlength=taxonomy.n_nodes))
