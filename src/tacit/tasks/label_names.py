"""Finds labels by what they are called and records by id; an unknown one is an error with the nearest spelling.

A label may be given by its id, its notation, or a name in any language; case, accents and white space are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tacit.checks import shown
from tacit.errors import InputError, UnknownNameError, did_you_mean
from tacit.relations.taxonomy.matching import folded_loosely
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["NamedLabel", "ancestors_of", "find_label", "find_number", "named", "path_above", "subtree", "title_of"]

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
    """Return the title of a label: from the vocabulary, or else from the records, or else the label itself.

    A title that several labels have is followed by that of the broader label, in parentheses.
    """
    finder = collection.node_finder
    if finder is None or label not in finder.taxonomy:
        return collection.label_titles.get(label, label)
    return finder.shown[label]


def ancestors_of(collection: OpenedIndex, label: str) -> tuple[str, ...]:
    """Return the ancestors of a label in the taxonomy, nearest first."""
    taxonomy = collection.taxonomy
    if taxonomy is None or label not in taxonomy:
        return ()
    return tuple(map(str, reversed(taxonomy.ancestors(label))))


def path_above(collection: OpenedIndex, label: str) -> str:
    """Return what is above a label in words, as in "Birds < Biology"; several labels end the path: "Sea and Law"."""
    taxonomy, path = collection.taxonomy, list[str]()
    if taxonomy is None or label not in taxonomy:
        return ""
    node: object = label
    while parents := taxonomy.parents(node):
        path.append(" and ".join(title_of(collection, str(parent)) for parent in parents))
        if len(parents) > 1:
            break
        node = parents[0]
    return " < ".join(path)


def find_label(collection: OpenedIndex, name: str, *, learned: bool = False) -> str:
    """Return the label that is called so, by its id, its notation, or one of its names in any language.

    If several labels have the name, one that records have is preferred. With `learned` it must be a label that the
    suggester knows, not only a node of the taxonomy or a label of added records. An unknown name is an error with the
    nearest spelling, and so is a name of several labels.
    """
    known = set(collection.label_names)
    if name in known or (not learned and collection.store.has_label(name)):
        return name
    if not known and collection.vocabulary is None and not collection.new_labels():
        raise UnknownNameError(f"label is unknown: got {name!r}, expected a label, but {collection.path} has none.")
    found = _labels_called(collection, name)
    if len(found) > 1:
        used = [label for label in found if label in known or label in collection.new_labels()]
        found = used if len(used) == 1 else found
    if len(found) > 1:
        means = ", ".join(_described(collection, label) for label in found[:5])
        raise InputError(f"label is ambiguous: got {name!r}, expected one of {means}.")
    if not found:
        names = _all_names(collection, learned=learned)
        begun = sorted(text for text in names if folded_loosely(text).startswith(f"{folded_loosely(name)} ("))
        hint = f" Did you mean {shown(begun, 3)}?" if begun else did_you_mean(name, names, _CHECK)
        raise UnknownNameError(f"label is unknown: got {name!r}, expected a label of the index.{hint}")
    if learned and found[0] not in known:
        _raise_not_learned(collection, name, found[0])
    return found[0]


def _labels_called(collection: OpenedIndex, name: str) -> list[str]:
    """Return the labels with this name: nodes of the vocabulary, and labels that it lacks."""
    finder, wanted = collection.node_finder, folded_loosely(name)
    found = [] if finder is None else [str(node) for node in finder.find(name).nodes]
    for label in (*collection.label_names, *collection.new_labels()):
        if finder is None or label not in finder.taxonomy:
            called = (label, collection.label_titles.get(label, label))
            if any(folded_loosely(text) == wanted for text in called):
                found.append(label)
    return sorted(dict.fromkeys(found))


def _described(collection: OpenedIndex, label: str) -> str:
    title = title_of(collection, label)
    return repr(title) if title == label else f"{title!r} <{label}>"


def _all_names(collection: OpenedIndex, *, learned: bool) -> set[str]:
    labels = {*collection.label_names, *(() if learned else collection.new_labels())}
    names = {text for label in labels for text in (label, title_of(collection, label))}
    return names if learned or collection.node_finder is None else names.union(collection.node_finder.texts())


def _raise_not_learned(collection: OpenedIndex, name: str, label: str) -> None:
    if label in collection.new_labels():
        raise InputError(
            f"label was not learned: got {name!r}, which only records have that were added since the last fit. Refit "
            "the index, or ask what is near the label."
        )
    raise InputError(
        f"label was not learned: got {name!r}, which is in the taxonomy only, expected a label that records had "
        "when the index was fitted."
    )


def subtree(collection: OpenedIndex, label: str) -> tuple[str, ...]:
    """Return a label, given by its id or one of its names, and everything below it in the taxonomy."""
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
    """Return the number of the record with this id; an unknown id is an error with the nearest spelling.

    If a record has this title, the error says its id.
    """
    if id in collection.store:
        return collection.store.number_of(id)
    wanted = folded_loosely(id)
    for _, key, title in collection.store.called(id) if wanted else ():
        if title and folded_loosely(title) == wanted:
            raise UnknownNameError(
                f"id is unknown: got {id!r}, which is the title of a record, expected its id. Write {key!r}."
            )
    ids = collection.store.ids_of_length(len(id) - 2, len(id) + 2, _IDS)
    meant = did_you_mean(id, ids, _CHECK)
    raise UnknownNameError(f"id is unknown: got {id!r}, expected the id of a stored record.{meant}")
