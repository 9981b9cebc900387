"""Finds labels by name or title and records by id; an unknown one is an error with the nearest spelling."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from tacit.errors import InputError, did_you_mean
from tacit.index.records.schema import connect
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["NamedLabel", "ancestors_of", "find_label", "find_number", "named", "subtree", "title_of"]

_CHECK = "Check its spelling."
_IDS = 50_000  # most ids compared for the nearest spelling: half a second


class NamedLabel(NamedTuple):
    """A label and its title."""

    label: str
    title: str


def named(collection: OpenedIndex, labels: Iterable[object]) -> tuple[NamedLabel, ...]:
    """Return labels with their titles."""
    return tuple(NamedLabel(str(label), title_of(collection, str(label))) for label in labels)


def title_of(collection: OpenedIndex, label: str) -> str:
    """Return the title of a label: from the taxonomy, or else from the records, or else its name."""
    taxonomy = collection.taxonomy
    if taxonomy is None or label not in taxonomy:
        return collection.label_titles.get(label, label)
    return taxonomy.title(label)


def ancestors_of(collection: OpenedIndex, label: str) -> tuple[str, ...]:
    """Return the ancestors of a label in the taxonomy, nearest first."""
    taxonomy = collection.taxonomy
    if taxonomy is None or label not in taxonomy:
        return ()
    return tuple(map(str, reversed(taxonomy.ancestors(label))))


def find_label(collection: OpenedIndex, name: str, *, learned: bool = False) -> str:
    """Return the label of this name or title; case is ignored if the result is unique.

    With `learned` it must be a label that the suggester knows, not only a node of the taxonomy or a label of added
    records. An unknown name is an error with the nearest spelling, and so is a title of several labels.
    """
    known = set(collection.label_names)
    if collection.taxonomy is not None and not learned:
        known |= set(map(str, collection.taxonomy.names))
    if name in known:
        return name
    if name in collection.new_labels():
        if not learned:
            return name
        raise InputError(
            f"label was not learned: got {name!r}, which only records have that were added since the last fit. Refit "
            "the index, or ask what is near the label."
        )
    if learned and collection.taxonomy is not None and name in collection.taxonomy:
        raise InputError(
            f"label was not learned: got {name!r}, which is in the taxonomy only, expected a label that records had "
            "when the index was fitted."
        )
    if not known:
        raise InputError(f"label is unknown: got {name!r}, expected a label, but {collection.path} has none.")
    called: dict[str, set[str]] = {}  # labels by their names and titles
    for label in known:
        for text in (label, title_of(collection, label)):
            called.setdefault(text, set()).add(label)
    found = sorted({label for text in called if text.casefold() == name.casefold() for label in called[text]})
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"label is ambiguous: got {name!r}, expected one of {', '.join(found[:5])}.")
    raise InputError(
        f"label is unknown: got {name!r}, expected a label of the index.{did_you_mean(name, called, _CHECK)}"
    )


def subtree(collection: OpenedIndex, label: str) -> tuple[str, ...]:
    """Return a label, given by its name or title, and everything below it in the taxonomy."""
    if collection.taxonomy is None:
        raise InputError(
            f"{collection.path} has no taxonomy: got the label {label!r} to look below, expected an index that was "
            "built with one. Filter by the label itself."
        )
    name = find_label(collection, label)
    if name not in collection.taxonomy:
        return (name,)
    return (name, *map(str, collection.taxonomy.descendants(name)))


def find_number(collection: OpenedIndex, id: str) -> int:
    """Return the number of the record with this id; an unknown id is an error with the nearest spelling."""
    if id in collection.store:
        return collection.store.number_of(id)
    sql = "SELECT key FROM records WHERE removed = 0 AND length(key) BETWEEN ? AND ? LIMIT ?"
    with contextlib.closing(connect(collection.store.path, writable=False)) as connection:
        ids = [key for (key,) in connection.execute(sql, (len(id) - 2, len(id) + 2, _IDS))]
    raise InputError(f"id is unknown: got {id!r}, expected the id of a stored record.{did_you_mean(id, ids, _CHECK)}")
