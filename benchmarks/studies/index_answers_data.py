"""The records of the study of what an index answers: which are learnt from, which are asked with, in a fixed order.

The order matters, since vectors of a neural model are made elsewhere and come as one row a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit import LabelMatrix, Taxonomy
from tacit.corpus import Record
from tacit.datasets import load_arxiv, load_reuters21578, load_taxonomy

__all__ = [
    "DATA",
    "Asked",
    "Collected",
    "KnownItems",
    "choosing",
    "known_items",
    "label_matrix",
    "load",
    "neural_texts",
    "testing",
]

_FEWEST = {"reuters": 1, "arxiv": 10}  # records to learn from that a label needs; that of arXiv as in arxiv_tall
_KEPT, _HELD = 8_000, 500  # records that settings are chosen with: to learn from, and to ask with, at most
_ITEMS, _TITLES = 6_000, 500  # records of a known-item collection, and queries to choose and to test with, at most
DATA = ("reuters", "arxiv")


@dataclass(frozen=True)
class Collected:
    """A data set: training records and new ones, with the labels that can be learnt and judged."""

    name: str
    old: Sequence[Record]
    new: Sequence[Record]
    labels: tuple[str, ...]
    taxonomy: Taxonomy


@dataclass(frozen=True)
class Asked:
    """Records to learn from and records to ask with; `old_rows` and `new_rows` say which rows of vectors are theirs."""

    old: Sequence[Record]
    new: Sequence[Record]
    old_rows: Any
    new_rows: Any


@dataclass(frozen=True)
class KnownItems:
    """Records without their titles, and titles to find them by: `answers[i]` is the row that `titles[i]` looks for."""

    records: Sequence[Record]
    titles: Sequence[str]
    answers: Any
    choosing: Any  # which of the titles settings are chosen with; the others test


def load(name: str, data_dir: str | None = None, *, small: bool = False) -> Collected:
    """Read a data set; of Reuters-21578 the ModApte split, of arXiv the split that it comes with."""
    records = {"reuters": load_reuters21578, "arxiv": load_arxiv}[name](data_dir)
    taxonomy = load_taxonomy({"reuters": "reuters21578", "arxiv": "arxiv"}[name], data_dir)
    old, new = ([record for record in records if record.fields["split"] == part] for part in ("train", "test"))
    if small:
        old, new = old[:: max(1, len(old) // 400)], new[:: max(1, len(new) // 100)]
    return collected(name, old, new, Taxonomy.from_parents(taxonomy.parents, titles=taxonomy.titles))


def collected(name: str, old: Sequence[Record], new: Sequence[Record], taxonomy: Taxonomy) -> Collected:
    """Keep labels with enough training records and one to judge by, and records with such a label."""
    counts, judged = (Counter(label for record in part for label in record.labels) for part in (old, new))
    labels = sorted(label for label, count in counts.items() if count >= _FEWEST.get(name, 1) and judged[label])
    kept = [list(_with_labels(part, set(labels))) for part in (old, new)]
    return Collected(name, kept[0], kept[1], tuple(labels), taxonomy)


def choosing(data: Collected) -> Asked:
    """Hold out training records, to choose settings with; the new ones are not looked at."""
    n_held = min(_HELD, len(data.old) // 5)
    order = np.random.default_rng(0).permutation(len(data.old))
    held, kept = np.sort(order[:n_held]), np.sort(order[n_held : n_held + _KEPT])
    return Asked([data.old[i] for i in kept], [data.old[i] for i in held], kept, held)


def testing(data: Collected) -> Asked:
    """All training records, and the new ones to ask with; their vectors follow those of the old ones."""
    n_old = len(data.old)
    return Asked(data.old, data.new, np.arange(n_old), np.arange(n_old, n_old + len(data.new)))


def known_items(data: Collected) -> KnownItems:
    """Take the titles off training records, and draw some of them as queries.

    A title that two records have, or a record that has nothing beside its title, cannot be a known item.
    """
    titled = [(record, _body(record)) for record in data.old if record.title.strip()]
    times = Counter(record.title.strip().lower() for record, _ in titled)
    usable = [(record, body) for record, body in titled if body and times[record.title.strip().lower()] == 1]
    rng = np.random.default_rng(1)
    chosen = np.sort(rng.permutation(len(usable))[:_ITEMS])
    records = [replace(usable[i][0], text=usable[i][1], title="") for i in chosen]
    n_queries = min(2 * _TITLES, len(records))
    answers = np.sort(rng.permutation(len(records))[:n_queries])
    titles = [usable[chosen[i]][0].title for i in answers]
    return KnownItems(records, titles, answers, np.arange(n_queries) % 2 == 0)


def neural_texts(data: Collected) -> dict[str, list[str]]:
    """List the texts that a neural model has to turn into vectors, a file each."""
    items = known_items(data)
    return {
        f"{data.name}_texts": [record.text for record in (*data.old, *data.new)],
        f"{data.name}_asked": [record.title for record in data.new],
        f"{data.name}_titles": list(items.titles),
        f"{data.name}_bodies": [record.text for record in items.records],
    }


def label_matrix(records: Iterable[Record], labels: Sequence[str]) -> LabelMatrix:
    """Give the labels of records, in the order of the data set."""
    return LabelMatrix.from_sets([record.labels for record in records], names=list(labels))


def _with_labels(records: Iterable[Record], labels: set[str]) -> Iterable[Record]:
    for record in records:
        kept = tuple(label for label in record.labels if label in labels)
        if kept:
            yield replace(record, labels=kept)


def _body(record: Record) -> str:
    return record.text.removeprefix(record.title).strip()
