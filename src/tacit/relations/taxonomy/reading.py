"""Readers for the forms of a taxonomy in Python: parents, pairs, nested mappings, paths, graphs.

Each reader returns `TaxonomyLinks`: the nodes in order of first appearance and the edges between them, by number.
`sorted_links` sorts them, and raises if there are cycles.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_choice, shown
from tacit.errors import InputError, TacitWarning
from tacit.relations.labels.reading import Names, is_missing
from tacit.relations.taxonomy.walks import find_cycle, parent_csr, parents_first

__all__ = ["TaxonomyLinks", "read_graph", "read_nested", "read_parents", "read_paths", "sorted_links"]

SEPARATORS = ("::", "/", ">", ".")
_LONG_CYCLE = 8


@dataclass
class TaxonomyLinks:
    """Nodes and edges in the order of reading; a node that occurs only as a parent is not in `listed`."""

    argument: str
    places: dict[Hashable, int] = field(default_factory=dict)
    listed: set[int] = field(default_factory=set)
    children: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)

    def add(self, node: Any, parents: Iterable[Any] = ()) -> None:
        """Add a node and its parents."""
        child = self._place(node)
        self.listed.add(child)
        for parent in parents:
            self.children.append(child)
            self.parents.append(self._place(parent))

    def _place(self, name: Any) -> int:
        name = name.item() if isinstance(name, np.generic) else name
        if is_missing(name) or name == "":
            raise InputError(
                f"{self.argument} has a node without a name: got {name!r}, expected text or a number. "
                "Leave the node out, or name it."
            )
        try:
            return self.places.setdefault(name, len(self.places))
        except TypeError:
            raise InputError(f"{self.argument} has an invalid node: got {name!r}, expected text or a number.") from None


def sorted_links(links: TaxonomyLinks, *, strict: bool = False) -> tuple[Names, sp.csr_array]:
    """Return names with parents first, and the matrix of parents; raise if there are no nodes, or cycles."""
    names = list(links.places)
    if not names:
        raise InputError(f"{links.argument} is empty: got no node, expected at least one.")
    own = [names[child] for child, parent in zip(links.children, links.parents, strict=True) if child == parent]
    if own:
        raise InputError(
            f"{links.argument} has nodes that are their own parents: got {shown(dict.fromkeys(own))}, "
            "expected other nodes, or none for a root."
        )
    orphaned = [name for name, place in links.places.items() if place not in links.listed] if strict else []
    if orphaned:
        raise InputError(
            f"{links.argument} names parents that are not nodes: got {shown(orphaned)}, expected nodes. "
            "List them without a parent, or use strict=False, which makes them roots."
        )
    matrix = parent_csr(links.children, links.parents, len(names))
    order = parents_first(matrix)
    if len(order) < len(names):
        cycle = [str(names[node]) for node in find_cycle(matrix, order)]
        if len(cycle) > _LONG_CYCLE:  # shown without its middle
            cycle = [*cycle[: _LONG_CYCLE - 2], f"({len(cycle) - _LONG_CYCLE + 1} more)", cycle[-1]]
        raise InputError(
            f"{links.argument} has a cycle: got {' -> '.join(cycle)}, each followed by its parent, "
            "expected that no node is above itself. Remove one of these links."
        )
    _warn_of_near_twins(names)
    return tuple(names[node] for node in order), sp.csr_array(matrix[order][:, order])


def _warn_of_near_twins(names: list[Hashable]) -> None:
    """Warn about names that look the same to a reader."""
    plain: dict[str, str] = {}
    twins: list[str] = []
    for name in names:
        if isinstance(name, str):
            other = plain.setdefault(" ".join(name.split()), name)
            if other != name:
                twins += [other, name]
    if twins:
        warnings.warn(
            f"Some nodes differ only in white space and are kept separate: {shown(dict.fromkeys(twins))}. "
            "Strip the names if they mean the same.",
            TacitWarning,
            stacklevel=5,
        )


def read_parents(parents: Any) -> TaxonomyLinks:
    """Read a mapping of nodes to parents, or pairs of the two."""
    links = TaxonomyLinks("parents")
    for node, above in _pairs(parents):
        links.add(node, _listed(above))
    return links


def _pairs(parents: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(parents, Mapping) or hasattr(parents, "items"):  # also a pandas series
        yield from parents.items()
        return
    if isinstance(parents, (str, bytes)) or not isinstance(parents, Iterable):
        raise InputError(
            f"parents has an unknown form: got {type(parents).__name__}, "
            "expected a mapping of nodes to parents or (node, parent) pairs."
        )
    for pair in parents:
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable) or len(both := tuple(pair)) != 2:
            raise InputError(f"parents has an entry that is not a pair: got {pair!r}, expected (node, parent).")
        yield both[0], both[1]


def _listed(parents: Any) -> list[Any]:
    """Return the parents of one node as a list: a string is one parent; None, NaN or "" is no parent."""
    if is_missing(parents) or (isinstance(parents, str) and not parents):
        return []
    if isinstance(parents, (str, bytes)) or not isinstance(parents, Iterable):
        return [parents]
    if isinstance(parents, (set, frozenset)):  # the order of strings in a set differs between runs
        return sorted(parents, key=str)
    return list(parents)


def read_nested(nested: Any) -> TaxonomyLinks:
    """Read {"a": {"b": {}, "c": ["x", "y"]}}; a name that occurs twice is one node with two parents."""
    links = TaxonomyLinks("nested")
    if isinstance(nested, (str, bytes)) or not isinstance(nested, Iterable):
        raise InputError(
            f"nested has an unknown form: got {type(nested).__name__}, expected a mapping of nodes to their children."
        )
    stack: list[tuple[Any, tuple[Any, ...]]] = [(nested, ())]
    met: dict[tuple[int, tuple[Any, ...]], Any] = {}
    while stack:
        below, above = stack.pop()
        if isinstance(below, Mapping):
            deeper = []
            for name, inner in below.items():
                links.add(name, above)
                deeper.append((inner, (name,)))
        else:
            deeper = [(entry, above) for entry in _listed(below) if isinstance(entry, Mapping)]
            for name in _listed(below):
                if not isinstance(name, Mapping):
                    links.add(name, above)
        # a mapping that contains itself would never end; below the same node it adds nothing new
        fresh = [(inner, over) for inner, over in deeper if (id(inner), over) not in met]
        met.update({(id(inner), over): inner for inner, over in fresh})
        stack += reversed(fresh)
    return links


def read_paths(labels: Any, separator: str | None) -> TaxonomyLinks:
    """Read labels that are paths from the root; every prefix is a node."""
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise InputError(f"labels has an unknown form: got {labels!r}, expected several texts such as 'a/b'.")
    texts = list(dict.fromkeys(labels))
    wrong = [text for text in texts if not isinstance(text, str)]
    if wrong:
        raise InputError(f"labels has an entry that is not a text: got {wrong[0]!r}, expected texts such as 'a/b'.")
    if separator is None:
        separator = next((mark for mark in SEPARATORS if any(mark in text for text in texts)), None)
    if not separator:
        raise InputError(
            f"labels has no separator: got {shown(texts)}, expected {', '.join(SEPARATORS)} between the steps. "
            "Pass separator if it is another."
        )
    links = TaxonomyLinks("labels")
    for text in texts:
        above: tuple[str, ...] = ()
        for prefix in _prefixes(text, separator):
            links.add(prefix, above)
            above = (prefix,)
    return links


def _prefixes(text: str, separator: str) -> list[str]:
    """Split 'a/b/c' into 'a', 'a/b' and 'a/b/c'; one leading separator is allowed, as in '/a/b'."""
    steps = text.split(separator)
    if not all(step.strip() for step in steps[1:]) or (len(steps) == 1 and not text.strip()):
        raise InputError(
            f"labels has an empty step: got {text!r}, expected a name between any two {separator!r} and after the last."
        )
    first = 1 if steps[0].strip() else 2
    return [*(separator.join(steps[:end]).strip() for end in range(first, len(steps))), text]


def read_graph(graph: Any, edges: str) -> TaxonomyLinks:
    """Read a directed graph of NetworkX, or anything that has its `nodes`, `edges` and `is_directed`."""
    check_choice("edges", edges, ("parent-to-child", "child-to-parent"))
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise InputError(f"graph has an unknown form: got {type(graph).__name__}, expected a networkx.DiGraph.")
    if not graph.is_directed():
        raise InputError("graph is undirected: got edges without a direction, expected a networkx.DiGraph.")
    links = TaxonomyLinks("graph")
    for node in graph.nodes():
        links.add(node)
    for start, end in dict.fromkeys((edge[0], edge[1]) for edge in graph.edges()):
        child, parent = (end, start) if edges == "parent-to-child" else (start, end)
        links.add(child, [parent])
    return links
