"""Adding, updating and removing records of an index that is open for changes, without a refit.

A new record is placed by its words, through the map of the last fit. Words that the fit did not know play no part until
the next one; searching by words knows them at once.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import TacitWarning
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["add", "remove", "update", "upsert"]


def add(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Add records; an id that is already in use is refused, and then none is added."""
    given = list(records)
    if given:
        collection.store.add(given, _placed(collection, given, vectors))
    return len(given)


def update(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Give records new content under their old ids; an unknown id is refused, and then none is changed."""
    given = list(records)
    if given:
        collection.store.update(given, _placed(collection, given, vectors))
    return len(given)


def upsert(collection: OpenedIndex, records: Iterable[Record], *, vectors: Any = None) -> int:
    """Add records, and give those whose ids are in use new content; all of them or none."""
    given = list(records)
    if given:
        collection.store.upsert(given, _placed(collection, given, vectors))
    return len(given)


def remove(collection: OpenedIndex, ids: Iterable[str]) -> int:
    """Remove records; an unknown id is refused, and then none is removed."""
    given = list(ids)
    if given:
        collection.store.remove(given)
    return len(given)


def _placed(collection: OpenedIndex, records: list[Record], vectors: Any) -> np.ndarray:
    space = collection.space
    if vectors is not None:
        return space.place_vectors(vectors)
    positions = space.place([record.text for record in records], "record")
    n_nowhere = int(np.count_nonzero(~positions.any(axis=1)))
    if n_nowhere:
        warnings.warn(
            f"{n_nowhere:,} of {len(records):,} records have no word that the space knows: they are found by words "
            "only, until the next refit.",
            TacitWarning,
            stacklevel=4,
        )
    return positions
