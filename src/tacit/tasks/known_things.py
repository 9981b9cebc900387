"""What is known about a record besides its words, and how much each kind of it moves the record towards a query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacit.corpus.record import Record
from tacit.tasks.label_names import ancestors_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Array

__all__ = ["counted_parts", "known_things"]


def known_things(collection: OpenedIndex, record: Record) -> dict[str, Sequence[str] | None]:
    """Return what is known about a record, by view; no labels is unknown, no links is none, as in the fit.

    A link to things that the space does not know is none, too: the fit leaves out things of a single record.
    """
    known: dict[str, Sequence[str] | None] = {"labels": record.labels or None}
    if record.labels:
        above = [name for label in record.labels for name in ancestors_of(collection, label)]
        known["taxonomy"] = list(dict.fromkeys((*record.labels, *above)))
    views = collection.known_views
    assert views is not None
    for name in views.views:
        if name in collection.link_names:
            known[name] = views.known(name, record.links.get(name, ()))
        elif name not in ("labels", "taxonomy") and record.labels:  # a group of labels
            known[name] = views.known(name, record.labels)
    return known


def counted_parts(collection: OpenedIndex, record: Record, direction: Array) -> dict[str, float]:
    """Return what words, labels, links and so on add to the cosine of a record with a direction, the most first.

    Empty if the space was not made from views, or nothing is known about the record. Vectors count as predicted from
    the words.
    """
    views, words = collection.known_views, collection.space.words
    if views is None or words is None:
        return {}
    by_words = collection.space.place([record.text])[0]
    parts = views.parts(words.row(record.text), by_words, known_things(collection, record))
    if parts is None:
        return {}
    length = float(np.linalg.norm(np.sum(list(parts.values()), axis=0))) or 1.0
    towards = np.asarray(direction) / (float(np.linalg.norm(direction)) or 1.0)
    found = {name: float(part @ towards) / length for name, part in parts.items()}
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))
