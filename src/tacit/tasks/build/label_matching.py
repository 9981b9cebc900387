"""Turns the labels of records, as people write them, into the nodes of a taxonomy.

A file of records may have "Cats" where the taxonomy has the concept <http://example.org/1> with this name. In the index
the label is the concept, so that what is above it, its title and its other names are known. A record keeps the labels
of its file in the field `given_labels`. Everything that reads records goes through here: building and fitting again,
adding and updating, and testing on records of a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tacit.checks import shown
from tacit.corpus.record import Record
from tacit.errors import InputError, TacitWarning
from tacit.relations.taxonomy.matching import NodeFinder

if TYPE_CHECKING:
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.opened_index import OpenedIndex

__all__ = ["GIVEN_LABELS", "LabelMatching", "as_given", "with_known_labels"]

GIVEN_LABELS = "given_labels"
_EXAMPLES = 5
_SPLIT_TRIED = 200  # labels whose parts are looked up
_WAYS = {"id": "id", "notation": "notation", "preferred": "name", "other": "other name", "hidden": "hidden name"}


class LabelMatching:
    """Replaces labels by nodes, and remembers how each different label was found.

    Parameters
    ----------
    taxonomy : Taxonomy or None
        Without one, labels stay as they are.
    finder : NodeFinder, optional
        Default: one is made.

    Attributes
    ----------
    nodes : dict of label to node
    ways : dict of label to str, how it was found: "id", "notation", "preferred", "other", "hidden"
    ambiguous : dict of label to the nodes that it may mean; it stays a text, spelt as their title if they agree on it
    unmatched : labels that no node has
    """

    def __init__(self, taxonomy: Taxonomy | None, finder: NodeFinder | None = None) -> None:
        self._finder = NodeFinder(taxonomy) if finder is None and taxonomy is not None else finder
        self.nodes: dict[str, str] = {}
        self.ways: dict[str, str] = {}
        self.ambiguous: dict[str, tuple[Hashable, ...]] = {}
        self.unmatched: list[str] = []
        self._spelt: dict[str, str] = {}

    @property
    def n_labels(self) -> int:
        """Number of different labels so far, as they were given."""
        return len(self.nodes) + len(self.ambiguous) + len(self.unmatched)

    def records(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield records with nodes as labels where they are found."""
        return map(self.record, records)

    def record(self, record: Record) -> Record:
        """Return a record with nodes as labels where they are found."""
        record = as_given(record)
        if self._finder is None or not record.labels:
            return record
        labels = tuple(dict.fromkeys(map(self._node, record.labels)))
        if labels == record.labels:
            return record
        return replace(record, labels=labels, fields={**record.fields, GIVEN_LABELS: list(record.labels)})

    def _node(self, label: str) -> str:
        if label not in self.ways:
            assert self._finder is not None
            found = self._finder.find(label)
            self.ways[label] = found.by
            if found.node is not None:
                self.nodes[label] = str(found.node)
            elif found.nodes:
                self.ambiguous[label] = found.nodes
                titles = {self._finder.taxonomy.title(node) for node in found.nodes}
                self._spelt[label] = titles.pop() if len(titles) == 1 else label
            else:
                self.unmatched.append(label)
        return self.nodes.get(label) or self._spelt.get(label, label)

    def to_facts(self) -> dict[str, Any]:
        """Return how the labels were found as plain data, for `take`."""
        ambiguous = {label: list(map(str, nodes)) for label, nodes in self.ambiguous.items()}
        return {"nodes": self.nodes, "ways": self.ways, "ambiguous": ambiguous, "unmatched": self.unmatched}

    def take(self, facts: Mapping[str, Any]) -> None:
        """Remember what another process has found in other records."""
        new = [label for label in facts["unmatched"] if label not in self.ways]
        self.unmatched += new
        self.ambiguous |= {label: tuple(nodes) for label, nodes in facts["ambiguous"].items()}
        self.nodes |= facts["nodes"]
        self.ways |= facts["ways"]

    def summary(self) -> str:
        """Return in a few words how many labels were found, and how; "" if all of them are nodes already."""
        if all(way == "id" for way in self.ways.values()):
            return ""
        counts = {said: sum(self.ways[label] == kind for label in self.nodes) for kind, said in _WAYS.items()}
        how = ", ".join(f"{count:,} by {said}" for said, count in counts.items() if count)
        return f"{len(self.nodes):,} of {self.n_labels:,} different labels found in the taxonomy{how and f': {how}'}"

    def check(self, *, allow_unmatched: bool = False) -> None:
        """Raise if the taxonomy has fewer than half of the labels; warn of the others, and of ambiguous ones."""
        if self._finder is None:
            return
        if not self.n_labels and not allow_unmatched:
            raise InputError(
                "taxonomy needs labels: got records without any, expected their subjects. Name the columns that hold "
                "them with `labels`, or leave `taxonomy` out."
            )
        n_found = self.n_labels - len(self.unmatched)
        if 2 * n_found < self.n_labels and not allow_unmatched:
            raise InputError(
                f"taxonomy is not that of the labels: got names or ids of {n_found:,} of {self.n_labels:,} different "
                f"labels, expected those of at least half. The records have {_listed(self.unmatched)}; the taxonomy "
                f"has {self._subjects()}. {self._advice()}"
            )
        if self.unmatched:
            warnings.warn(
                f"taxonomy lacks {len(self.unmatched):,} of {self.n_labels:,} labels, {self.unmatched[0]!r} first: "
                "they have no ancestors.",
                TacitWarning,
                stacklevel=5,
            )
        if self.ambiguous:
            label, nodes = next(iter(self.ambiguous.items()))
            means = " or ".join(f"{self._finder.shown[node]!r}" for node in nodes[:_EXAMPLES])
            warnings.warn(
                f"{len(self.ambiguous):,} of {self.n_labels:,} labels may mean several subjects of the taxonomy, and "
                f"have no ancestors: {label!r} is {means}. Write these names or their ids in the records.",
                TacitWarning,
                stacklevel=5,
            )

    def _advice(self) -> str:
        """Return what to do about labels that are not in the taxonomy: split them, if their parts are in it."""
        assert self._finder is not None
        some = self.unmatched[:_SPLIT_TRIED]
        for mark in (";", "|", ",", "--", "\n"):
            parts = [part for label in some if mark in label for part in map(str.strip, label.split(mark)) if part]
            n_found = sum(bool(self._finder.find(part).nodes) for part in parts)
            if parts and 2 * n_found > len(parts):
                return f"Their parts are in it: split them with `label_separator={mark!r}`."
        return (
            "Use the taxonomy of these labels, choose other columns with `labels`, or pass allow_unmatched=True to "
            "leave them without broader terms."
        )

    def _subjects(self) -> str:
        """Return a few titles of the taxonomy, and an id if ids look different."""
        assert self._finder is not None
        some = dict(list(self._finder.shown.items())[:_EXAMPLES])
        differs = [str(node) for node, title in some.items() if title != node][:1]
        return _listed(some.values()) + "".join(f", with ids such as {node!r}" for node in differs)


def _listed(names: Iterable[str]) -> str:
    return shown(list(names)[:_EXAMPLES])


def with_known_labels(collection: OpenedIndex, records: Iterable[Record]) -> list[Record]:
    """Return records of a file with labels as they are in an index: those of its vocabulary, where they are found."""
    by_paths = collection.settings.get("build", {}).get("taxonomy_separator") is not None  # these are not looked up
    matching = LabelMatching(None if by_paths else collection.vocabulary, None if by_paths else collection.node_finder)
    return list(matching.records(records))


def as_given(record: Record) -> Record:
    """Return a record with the labels of its file."""
    given = record.fields.get(GIVEN_LABELS)
    if not isinstance(given, list) or not all(isinstance(label, str) for label in given):
        return record
    fields: Mapping[str, object] = {name: value for name, value in record.fields.items() if name != GIVEN_LABELS}
    return replace(record, labels=tuple(given), fields=fields)
