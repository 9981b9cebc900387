"""Changes records that are in shards: new ones go to the smallest, others to the shard that has them.

Each shard that changes is opened for changes as an index of its own is, with its lock. The changes of all shards are
made first and then stored, one shard after the other, in milliseconds: an error leaves all as it was. If the process is
killed between the first and the last of these moments, some shards have their changes and others have not; the records
of each shard are whole in any case, and the same command can be given again (`upsert` instead of `add`).
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError, UnknownNameError
from tacit.index.folder.opening import change_generation
from tacit.index.records.rows import as_row
from tacit.index.records.store import RecordStore
from tacit.index.shards.opened import OpenShards

__all__ = ["ShardChanges"]


class ShardChanges:
    """Adds, removes and replaces records in shards; the caller holds the lock of the whole index.

    Raises
    ------
    InputError
        If a shard is missing: it may hold records of the same ids.
    """

    def __init__(self, shards: OpenShards) -> None:
        for sentence in shards.missing.values():
            raise InputError(f"{shards.folder.parent} cannot be changed without all of its shards. {sentence}")
        self._shards = shards
        self._open = contextlib.ExitStack()
        self._stores: dict[int, RecordStore] = {}

    def close(self) -> None:
        """Close the shards that were changed."""
        self._open.close()
        self._stores.clear()

    def add(self, records: Sequence[Record], positions: Any) -> np.ndarray:
        """Insert records with new ids, and return their numbers."""
        records = list(records)
        if taken := next(iter(self._where([record.id for record in _checked(records)])), None):
            raise InputError(
                f"records has an id that is in use: got {taken!r}, expected new ids. Use update, or `replace_existing`."
            )
        place = self._smallest()
        return self._shards.numbering.whole(place, self._store(place).add(records, positions))

    def remove(self, keys: Iterable[str]) -> None:
        """Remove records."""
        if isinstance(keys, str):
            raise InputError(f"keys is a single string: got {keys!r}, expected a sequence. Write [{keys!r}].")
        wanted = list(dict.fromkeys(keys))
        for key in wanted:
            if not isinstance(key, str):
                raise InputError(f"keys has an entry that is not a string: got {key!r}, expected ids.")
        places = self._where(wanted)
        if unknown := next((key for key in wanted if key not in places), None):
            raise UnknownNameError(
                f"keys has an unknown id: got {unknown!r}, expected ids of records in the index. Check its spelling."
            )
        with contextlib.ExitStack() as together:
            for place in sorted(set(places.values())):
                together.enter_context(self._store(place).as_one_change())
                self._store(place).remove([key for key in wanted if places[key] == place])

    def replace(self, records: Sequence[Record], positions: Any, *, allow_new: bool) -> np.ndarray:
        """Replace records that have the same ids, add the others if that is allowed, and return their new numbers."""
        records, positions = list(records), np.asarray(positions)
        keys = [record.id for record in _checked(records)]
        if repeated := next((key for key, count in Counter(keys).items() if count > 1), None):
            raise InputError(f"records has an id twice: got {repeated!r}, expected each record once.")
        places = self._where(keys)
        if (unknown := next((key for key in keys if key not in places), None)) is not None and not allow_new:
            raise InputError(
                f"records has an unknown id: got {unknown!r}, expected ids of records in the index. "
                "Use add for new ones."
            )
        new = None if unknown is None else self._smallest()
        owners = np.array([places.get(key, new) for key in keys], np.int64)
        numbers = np.empty(len(records), np.int64)
        with contextlib.ExitStack() as together:
            for place in np.unique(owners).tolist():
                rows = np.flatnonzero(owners == place)
                together.enter_context(self._store(place).as_one_change())
                local = self._store(place).upsert([records[row] for row in rows], positions[rows])
                numbers[rows] = self._shards.numbering.whole(place, local)
        return numbers

    def _where(self, keys: list[str]) -> dict[str, int]:
        """Return the place of the shard that has each of these ids, as far as any has it."""
        found = self._shards.each(lambda one: one.store.numbers_of(keys))
        places = {key: place for place, numbers in found.items() for key in numbers}
        return {key: places[key] for key in keys if key in places}

    def _smallest(self) -> int:
        """Return the place of the shard with the fewest records, the first of several."""
        sizes = self._shards.each(lambda one: one.store.counts().live)
        return min(sizes, key=lambda place: (sizes[place], place))

    def _store(self, place: int) -> RecordStore:
        """Return the store of a shard, open for changes."""
        if place not in self._stores:
            generation = self._open.enter_context(change_generation(self._shards.path(place)))
            self._stores[place] = generation.store
        return self._stores[place]


def _checked(records: Sequence[Record]) -> list[Record]:
    """Return the records if they can be stored."""
    return [as_row(0, record).record for record in records]
