"""Adds, updates and removes records of an index without a refit.

A new record is placed by the words that the last fit knows, and by its labels and links, as the records of the fit are.
Its labels may be written as ids, notations or names of the vocabulary, as those of the fit.
Other words count from the next refit on; search by words finds them at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tacit.checks import shown
from tacit.corpus.columns import ColumnMap
from tacit.corpus.reading import as_records
from tacit.corpus.record import Record
from tacit.errors import TacitWarning, did_you_mean
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.label_matching import with_known_labels
from tacit.tasks.build.stages.placing import ViewRows
from tacit.tasks.known_things import known_things
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array

__all__ = ["add", "remove", "update", "upsert"]

_BLOCK = 16_384  # records that are placed at a time


def add(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Add records, all of them or none, and return their number; an id that is in use is an error."""
    return _write(collection, collection.store.add, records, vectors)


def update(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Replace records that have the same ids, all or none, and return their number; an unknown id is an error."""
    return _write(collection, collection.store.update, records, vectors)


def upsert(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Add records, replacing those that have the same ids, all or none, and return their number."""
    return _write(collection, collection.store.upsert, records, vectors)


def remove(collection: OpenedIndex, ids: Iterable[str]) -> int:
    """Remove records, all of them or none, and return their number; an unknown id is an error."""
    given = list(ids)
    if given:
        collection.store.remove(given)
    return len(given)


def _write(
    collection: OpenedIndex, change: Callable[[list[Record], np.ndarray], Any], records: Iterable[Record], vectors: Any
) -> int:
    given = with_known_labels(collection, as_records(records, _columns_of(collection)))
    if not given:
        return 0
    said = _about_new_labels(collection, given)
    space, texts = collection.space, [record.text for record in given]
    if vectors is not None:
        positions = space.place_vectors(vectors, None if space.words is None else texts)
        if collection.known_views is not None and len(positions) == len(given):
            positions = _with_known(collection, given, space.joint_rows(vectors, texts), positions, has_vectors=True)
        change(given, positions)
        _warn(said)
        return len(given)
    positions = _placed(collection, given)
    n_nowhere = int(np.count_nonzero(~positions.any(axis=1)))
    if n_nowhere:
        said.append(
            f"{n_nowhere:,} of {len(given):,} records have no word that the space knows: until the next refit "
            "only a search by words finds them."
        )
    change(given, positions)
    _warn(said)
    return len(given)


def _warn(said: Sequence[str]) -> None:
    """Warn of what was changed, once it is changed: of a change that is refused there is nothing to say but why."""
    for sentence in said:
        warnings.warn(sentence, TacitWarning, stacklevel=5)


def _placed(collection: OpenedIndex, records: Sequence[Record]) -> Float32Array:
    """Return the positions of records by their words and by what is known about them, block by block as in a build."""
    space = collection.space
    if space.words is None:
        return space.place([record.text for record in records], "record")  # which says that they cannot be placed
    views = collection.known_views
    links = {name: [record.links.get(name, ()) for record in records] for name in collection.link_names}
    rows_of = ViewRows(views, RecordKnowledge([record.labels for record in records], links, collection.taxonomy))
    positions = np.zeros((len(records), space.n_dimensions), np.float32)
    for first in range(0, len(records), _BLOCK):
        block = slice(first, min(first + _BLOCK, len(records)))
        words = space.words.transform(record.text for record in records[block])
        placed = np.asarray(words @ space.terms, np.float32)
        if space.offset is not None:
            placed[np.diff(words.indptr) > 0] -= space.offset
        if views is not None:
            placed = views.place_rows(words, placed, rows_of.of(block.start, block.stop))
        positions[block] = placed
    return positions


def _columns_of(collection: OpenedIndex) -> ColumnMap | None:
    """Return the roles of the columns that the index was built from, None if they are not known."""
    columns = (collection.settings.get("build", {}).get("reading") or {}).get("columns")
    return ColumnMap.of_facts(columns) if columns else None


def _about_new_labels(collection: OpenedIndex, records: Sequence[Record]) -> list[str]:
    """Return a sentence on labels that neither the last fit nor the vocabulary knows: they may be misspelt."""
    vocabulary = collection.vocabulary
    known = {*collection.label_names, *collection.new_labels()}
    new = {label: None for record in records for label in record.labels if label not in known}
    names = [label for label in new if vocabulary is None or label not in vocabulary]
    if not names or not known:
        return []
    close = did_you_mean(names[0], known)
    them = "it" if len(names) == 1 else "them"
    found = f"Filters and suggestions find {them} at once"
    if collection.panel is None:  # what suggests without witnesses learns when it is fitted
        found = f"Filters find {them} at once, suggestions after the next refit"
    count = f"{len(names):,} {'label is' if len(names) == 1 else 'labels are'}"
    return [f"{count} new in this index: {shown(names)}. {found}.{close}"]


def _with_known(
    collection: OpenedIndex,
    records: Sequence[Record],
    rows: Sequence[tuple[Any, Any]],
    positions: Float32Array,
    *,
    has_vectors: bool = False,
) -> Float32Array:
    """Return the positions of records by their words or vectors and by what is known about them."""
    assert collection.known_views is not None
    known = [known_things(collection, record) for record in records]
    return collection.known_views.place(rows, positions, known, has_vectors=has_vectors)
