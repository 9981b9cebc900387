"""Labels and ids as people type them: found by name or title, with the nearest spelling where there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import NamedTuple

from tacit.errors import InputError, did_you_mean
from tacit.index.records.schema import connect
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["NamedLabel", "ancestors_of", "find_label", "find_number", "named", "subtree", "title_of"]

_IDS = 50_000  # looked at for the nearest spelling: half a second


class NamedLabel(NamedTuple):
    """A label, and what to show of it."""

    label: str
    title: str


def named(collection: OpenedIndex, labels: Iterable[object]) -> tuple[NamedLabel, ...]:
    """Give labels with their titles."""
    return tuple(NamedLabel(str(label), title_of(collection, str(label))) for label in labels)


def title_of(collection: OpenedIndex, label: str) -> str:
    """Give what to show of a label: its title in the taxonomy, or that which came with the records, or its name."""
    taxonomy = collection.taxonomy
    if taxonomy is None or label not in taxonomy:
        return collection.label_titles.get(label, label)
    return taxonomy.title(label)


def ancestors_of(collection: OpenedIndex, label: str) -> tuple[str, ...]:
    """Give what lies above a label in the taxonomy, the nearest first."""
    taxonomy = collection.taxonomy
    if taxonomy is None or label not in taxonomy:
        return ()
    return tuple(map(str, reversed(taxonomy.ancestors(label))))


def find_label(collection: OpenedIndex, name: str, *, learned: bool = False) -> str:
    """Give the label that is called so, by its name or by its title; case makes no difference where it leaves no doubt.

    Parameters
    ----------
    collection : an open index
    name : str
        As typed.
    learned : bool, default False
        Whether it has to be one that the suggester knows, or may stand in the taxonomy only.

    Raises
    ------
    InputError
        If there is none, with the nearest spelling; or if several labels have that title.
    """
    known = set(collection.label_names)
    if collection.taxonomy is not None and not learned:
        known |= set(map(str, collection.taxonomy.names))
    if name in known:
        return name
    if learned and collection.taxonomy is not None and name in collection.taxonomy:
        raise InputError(
            f"label was not learned: got {name!r}, which is in the taxonomy only, expected one that records had when "
            "the index was fitted."
        )
    if not known:
        raise InputError(f"label is unknown: got {name!r}, expected a label, but {collection.path} has none.")
    called: dict[str, set[str]] = {}  # labels by their names and titles, as written
    for label in known:
        for text in (label, title_of(collection, label)):
            called.setdefault(text, set()).add(label)
    found = sorted({label for text in called if text.casefold() == name.casefold() for label in called[text]})
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"label is the title of several: got {name!r}, expected one of {', '.join(found[:5])}.")
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
    return (name, *map(str, collection.taxonomy.descendants(name)))


def find_number(collection: OpenedIndex, id: str) -> int:
    """Give the number of the record with this id, or say which id is spelt most like it."""
    if id in collection.store:
        return collection.store.number_of(id)
    ids = _ids_like(collection, id)
    raise InputError(
        f"id is unknown: got {id!r}, expected that of a record in the index.{did_you_mean(id, ids, _CHECK)}"
    )


def _ids_like(collection: OpenedIndex, id: str) -> list[str]:
    """Read ids of about the same length; a second connection, since the texts beside them should not be read."""
    sql = "SELECT key FROM records WHERE removed = 0 AND length(key) BETWEEN ? AND ? LIMIT ?"
    with contextlib.closing(connect(collection.store.path, writable=False)) as connection:
        return [key for (key,) in connection.execute(sql, (len(id) - 2, len(id) + 2, _IDS))]


_CHECK = "Check its spelling."
