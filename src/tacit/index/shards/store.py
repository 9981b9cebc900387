"""The records of an index of shards, asked and changed as if they were in one store.

What is found in the shards is put together so that it is what one store would find: scores of words are computed with
the words of all shards counted, and ties are in the order of the numbers.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.corpus.record import Record
from tacit.errors import InputError, UnknownNameError
from tacit.index.records.filters import Filters
from tacit.index.records.frequent_words import WordStatistics
from tacit.index.records.matching import MatchingRecords
from tacit.index.records.store import RecordStore, StoreCounts
from tacit.index.records.word_search import query_parts
from tacit.index.shards.changes import ShardChanges
from tacit.index.shards.numbering import Numbering
from tacit.index.shards.opened import OpenShards
from tacit.types import BoolArray, IntArray

__all__ = ["MatchingInShards", "ShardedStore", "best_of"]

T = TypeVar("T")


class MatchingInShards:
    """The records that match filters, in the shards that have any; `MatchingRecords` of one index."""

    def __init__(self, numbering: Numbering, found: dict[int, MatchingRecords]) -> None:
        self._numbering, self._found = numbering, found

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))

    def numbers(self) -> IntArray:
        """Return the numbers of all of them, ascending."""
        return _joined(self._numbering.whole(place, one.numbers()) for place, one in self._found.items())

    def contains(self, numbers: IntArray) -> BoolArray:
        """Return whether each of these records matches."""
        found = np.zeros(len(numbers), bool)
        for place, local, places in self._numbering.parts(numbers):
            if place in self._found:
                found[places] = self._found[place].contains(local)
        return found


class ShardedStore:
    """The records of all open shards; it has the methods of `RecordStore` that open indexes use.

    Parameters
    ----------
    shards : OpenShards
    writable : bool, default False
        Whether to allow changes; the caller holds the lock of the index.
    """

    def __init__(self, shards: OpenShards, *, writable: bool = False) -> None:
        self._shards, self._numbering = shards, shards.numbering
        self._changes = ShardChanges(shards) if writable else None
        self._here = threading.local()

    @property
    def path(self) -> Path:
        """Folder of the shards."""
        return self._shards.folder

    def close(self) -> None:
        """Close all shards."""
        if self._changes is not None:
            self._changes.close()
        self._shards.close()

    def counts(self) -> StoreCounts:
        """Count the records of the open shards, without reading them."""
        found = self._ask(RecordStore.counts)
        return StoreCounts(*(sum(getattr(one, name) for one in found) for name in ("base", "added", "removed")))

    @property
    def changes(self) -> int:
        """Number of changes since the build; readers compare it to see whether what they keep is out of date."""
        state: int | None = getattr(self._here, "state", None)
        return sum(self._ask(lambda store: store.changes)) if state is None else state

    @contextlib.contextmanager
    def at_one_state(self) -> Iterator[None]:
        """Let this thread see one number of changes in the block, which makes many reads faster.

        Unlike in one store, changes that are made meanwhile may be seen.
        """
        outer = getattr(self._here, "state", None)
        self._here.state = self.changes
        try:
            yield
        finally:
            self._here.state = outer

    @property
    def modified(self) -> float:
        """When the records were last written, in seconds since 1970."""
        return max(self._ask(lambda store: store.modified))

    def get(self, numbers: Sequence[int] | np.ndarray) -> list[Record]:
        """Return records by their numbers, in the given order; an unknown number is an `InputError`."""
        wanted = np.asarray([int(number) for number in numbers], np.int64)
        parts = {place: (local, places) for place, local, places in self._numbering.parts(wanted)}
        if gone := sorted(set(parts) - set(self._shards.there)):
            raise InputError(
                f"numbers has a record of a shard that is not there: got {wanted[parts[gone[0]][1][0]]}, expected "
                f"numbers of stored records. {self._shards.missing.get(gone[0], '')}"
            )
        records: dict[int, Record] = {}
        found = self._shards.each_place(lambda place, one: one.store.get(parts[place][0]), parts)
        for place, read in found.items():
            records.update(zip(parts[place][1].tolist(), read, strict=True))
        return [records[place] for place in range(len(wanted))]

    def numbers_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Return the numbers of the records that have these ids, by id; unknown ids are left out."""
        given = list(keys)
        found = self._shards.each(lambda one: one.store.numbers_of(given))
        return {
            key: int(number)
            for place, numbers in found.items()
            for key, number in zip(numbers, self._whole(place, list(numbers.values())), strict=True)
        }

    def number_of(self, key: str) -> int:
        """Return the number of the record with this id, or raise an `InputError`."""
        number = self.numbers_of([key]).get(key) if key in self else None
        if number is None:
            raise UnknownNameError(
                f"id is unknown: got {key!r}, expected the id of a stored record. Check its spelling."
            )
        return number

    def __contains__(self, key: object) -> bool:
        return any(self._ask(lambda store: key in store))

    def words(
        self, query: str, limit: int = 10, filters: Filters | None = None, *, match: str = "any"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Find records by their words, best first, as `RecordStore.words` does; words are counted in all shards."""
        check_count("limit", limit)
        every = check_choice("match", match, ("any", "all")) == "all"
        parts = query_parts(query)
        statistics = WordStatistics.together(self._ask(lambda store: store.word_statistics(parts)))

        def ask(informative: bool) -> tuple[np.ndarray, np.ndarray]:
            return self._merged(
                lambda store: store.words_by(statistics, parts, limit, filters, every=every, informative=informative),
                limit,
            )

        numbers, scores = ask(informative=True)
        return (numbers, scores) if len(numbers) >= limit else ask(informative=False)

    def numbers(self, filters: Filters | None = None) -> np.ndarray:
        """Return the numbers of all records, or of those that match the filters, ascending."""
        found = self._shards.each(lambda one: one.store.numbers(filters))
        return _joined(self._numbering.whole(place, numbers) for place, numbers in found.items())

    def matching(self, filters: Filters | None) -> MatchingInShards | None:
        """Return the records that match the filters; None if there are no conditions, so that all match."""
        Filters.check(filters)
        if filters is None or not filters.conditions():
            return None
        found = self._shards.each(lambda one: one.store.matching(filters))
        return MatchingInShards(self._numbering, {place: one for place, one in found.items() if one is not None})

    def records(self, *, batch: int = 1000) -> Iterator[tuple[int, Record]]:
        """Yield all records with their numbers, ascending; one batch at a time is in memory."""
        numbers = self.numbers()
        for start in range(0, len(numbers), check_count("batch", batch)):
            some = numbers[start : start + batch]
            yield from zip(some.tolist(), self.get(some), strict=True)

    def added(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers and positions of the records that were added after the build."""
        found = self._shards.each(lambda one: one.store.added())
        numbers = np.concatenate([self._whole(place, one[0]) for place, one in found.items()])
        order = np.argsort(numbers)
        return numbers[order], np.concatenate([one[1] for one in found.values()])[order]

    def removed(self) -> np.ndarray:
        """Return the ascending numbers of the records of the build that were removed or updated since."""
        found = self._shards.each(lambda one: one.store.removed())
        return _joined(self._whole(place, numbers) for place, numbers in found.items())

    def has_label(self, label: str) -> bool:
        """Return whether any record has a label."""
        return any(self._ask(lambda store: store.has_label(label)))

    def names(self, kind: str) -> list[str]:
        """Return the sorted names of the "links" or "fields" that can be filtered by."""
        return sorted({name for names in self._ask(lambda store: store.names(kind)) for name in names})

    def values(self, kind: str, name: str = "") -> tuple[np.ndarray, list[Any]]:
        """Return all "labels", or the values of one of the "links" or "fields", and the record number of each."""
        found = self._shards.each(lambda one: one.store.values(kind, name))
        pairs = [
            (int(number), value)
            for place, (numbers, values) in found.items()
            for number, value in zip(self._whole(place, numbers), values, strict=True)
        ]
        if kind == "labels":
            pairs.sort(key=lambda pair: pair[0])
        else:
            pairs.sort(key=lambda pair: (*_in_order(pair[1]), pair[0]))
        return np.fromiter((pair[0] for pair in pairs), np.int64, len(pairs)), [pair[1] for pair in pairs]

    def has_value(self, kind: str, name: str, value: str) -> bool:
        """Return whether any record has a value in one of the "links" or "fields"."""
        return any(self._ask(lambda store: store.has_value(kind, name, value)))

    def different_values(self, kind: str, name: str, limit: int) -> list[str]:
        """Return different texts in one of the "links" or "fields", at most `limit`, in order."""
        found = self._ask(lambda store: store.different_values(kind, name, limit))
        return sorted({value for values in found for value in values}, key=_bytes)[:limit]

    def span(self, field: str) -> tuple[Any, Any]:
        """Return the lowest and highest number in a field; None for a field that has texts."""
        low, high = self.extremes(field)
        return (None, None) if isinstance(high, str) else (low, high)

    def extremes(self, field: str) -> tuple[Any, Any]:
        """Return the first and last value of a field in SQLite's order, in which texts come after numbers; or None."""
        found = [ends for ends in self._ask(lambda store: store.extremes(field)) if ends[0] is not None]
        if not found:
            return None, None
        return min((low for low, _ in found), key=_in_order), max((high for _, high in found), key=_in_order)

    def has_word(self, word: str) -> bool:
        """Return whether any record has a word, or a phrase, in its title or text."""
        return any(self._ask(lambda store: store.has_word(word)))

    def n_records_with(self, word: str, most: int) -> int:
        """Count the records with a word, or a phrase, in title or text, up to `most`: more are not looked at."""
        return min(most, sum(self._ask(lambda store: store.n_records_with(word, most))))

    def forms(self, beginning: str, limit: int = 200) -> list[tuple[str, int]]:
        """Return words of the records that begin so, in lower case and without accents, and in how many each is."""
        counts: Counter[str] = Counter()
        for found in self._ask(lambda store: store.forms(beginning, limit)):
            counts.update(dict(found))
        return sorted(counts.items(), key=lambda pair: _bytes(pair[0]))[:limit]

    def called(self, text: str) -> list[tuple[int, str, str]]:
        """Return number, id and title of the records with this id, or whose title begins with these words."""
        found = self._shards.each(lambda one: one.store.called(text))
        rows = [
            (int(self._whole(place, [number])[0]), key, title)
            for place, called in found.items()
            for number, key, title in called
        ]
        return sorted(rows, key=lambda row: (row[1] != text, row[1].casefold() != text.casefold(), row[0]))

    def ids_of_length(self, low: int, high: int, limit: int) -> list[str]:
        """Return ids of so many characters, at most `limit` of them."""
        found = self._ask(lambda store: store.ids_of_length(low, high, limit))
        return [key for keys in found for key in keys][:limit]

    def n_characters(self, longest: int | None = None) -> int:
        """Return how many characters the ids and texts of all records have, of each text `longest` at most."""
        return sum(self._ask(lambda store: store.n_characters(longest)))

    def add(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records with their positions to the smallest shard, all of them or none, and return their numbers."""
        return self._changing.add(records, positions)

    def remove(self, keys: Iterable[str]) -> None:
        """Remove records by their ids, all of them or none; an unknown id is an error."""
        self._changing.remove(keys)

    def update(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Replace records that have the same ids, all of them or none, and return their new numbers."""
        return self._changing.replace(records, positions, allow_new=False)

    def upsert(self, records: Sequence[Record], positions: np.ndarray) -> np.ndarray:
        """Add records, replacing those that have the same ids, all of them or none, and return their numbers."""
        return self._changing.replace(records, positions, allow_new=True)

    @property
    def _changing(self) -> ShardChanges:
        if self._changes is None:
            raise InputError(
                f"{self.path} is open for reading only: got a change, expected writable=True. Use change_generation."
            )
        return self._changes

    def _ask(self, ask: Callable[[RecordStore], T]) -> list[T]:
        """Return the answers of the stores of all open shards, in their order."""
        return list(self._shards.each(lambda one: ask(one.store)).values())

    def _whole(self, place: int, numbers: Any) -> IntArray:
        return self._numbering.whole(place, np.asarray(numbers, np.int64))

    def _merged(
        self, find: Callable[[RecordStore], tuple[np.ndarray, np.ndarray]], limit: int
    ) -> tuple[np.ndarray, np.ndarray]:
        found = self._shards.each(lambda one: find(one.store))
        return best_of([(self._whole(place, numbers), scores) for place, (numbers, scores) in found.items()], limit)


def best_of(found: Sequence[tuple[np.ndarray, np.ndarray]], limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the best of what shards have found, best first, ties in the order of the numbers."""
    numbers, scores = (np.concatenate(pair) for pair in zip(*found, strict=True))
    best = np.lexsort((numbers, -scores))[:limit]
    return numbers[best], scores[best]


def _joined(parts: Iterable[IntArray]) -> IntArray:
    """Return the numbers of all parts, ascending."""
    return np.sort(np.concatenate([*parts, np.empty(0, np.int64)]))


def _bytes(text: str) -> bytes:
    """Return what SQLite orders texts by."""
    return text.encode("utf-8", "surrogatepass")


def _in_order(value: Any) -> tuple[int, Any]:
    """Return what orders values as SQLite does: numbers, then texts."""
    return (1, _bytes(value)) if isinstance(value, str) else (0, value)
