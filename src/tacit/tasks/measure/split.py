"""Split the records of an index into those that a trial learns from and those that it is tested on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.checks import as_rng, check_number
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.tasks.build.label_matching import with_known_labels
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Array

__all__ = ["MOST_TEST", "RecordSet", "RecordSplit", "all_records", "draw", "split_at_random", "split_records"]

MOST_TEST = 10_000  # more test records make a measure hardly more precise, and would be missing from training
_TRAIN, _TEST = ("train", "training"), ("test", "testing")


@dataclass(frozen=True, eq=False)
class RecordSet:
    """Records, with their vectors if the index was built with vectors; `by_words` is False if these are used alone."""

    records: Sequence[Record]
    vectors: Array | None = None
    by_words: bool = True

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, rows: Any) -> RecordSet:
        """Choose records by their numbers."""
        chosen = [self.records[int(row)] for row in rows]
        return RecordSet(chosen, None if self.vectors is None else self.vectors[rows], self.by_words)

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """Labels of each record."""
        return [record.labels for record in self.records]


@dataclass(frozen=True, eq=False)
class RecordSplit:
    """Records to learn from, held-out records, and how they were split, in words."""

    train: RecordSet
    test: RecordSet
    how: str


def all_records(collection: OpenedIndex) -> RecordSet:
    """Read all records of an index, with their vectors if it was built with vectors."""
    records = [record for _, record in collection.store.records()]
    if "vectors" not in collection.generation.arrays:
        return RecordSet(records)
    if collection.store.changes:
        raise InputError(
            f"{collection.path} cannot be measured: got an index with vectors that was changed since its last fit, and "
            "the vectors of added records are not kept. Refit it first."
        )
    vectors = np.array(collection.generation.array("vectors"))
    return RecordSet(records, vectors, collection.space.words is not None)


def split_records(
    collection: OpenedIndex,
    *,
    test: Iterable[Record] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    most: int | None = None,
    random_state: Any = 0,
) -> RecordSplit:
    """Split the records of an index by a field, by the ids of test records, or at random.

    Parameters
    ----------
    collection : an open index
    test : records, optional
        Records to test on; records of the index with the same ids are not used for training. Their labels may be
        written as ids, notations or names of the vocabulary.
    split_field : str, optional
        Field with the values "train" and "test"; records with another value are left out.
    share : float, default 0.2
        Share of the records with labels to hold out, at most 10,000 of them; of all records if none has labels.
    most : int, optional
        Maximum number of records to use, drawn at random.
    random_state : int, default 0

    Raises
    ------
    InputError
        If one of the two parts would be empty, or both `test` and `split_field` are passed.
    """
    if test is not None and split_field is not None:
        raise InputError("test and split_field were both given: got two ways to split, expected one. Leave one out.")
    rng = as_rng(random_state)
    records = all_records(collection)
    if test is not None:
        split = _by_records(records, with_known_labels(collection, test))
    elif split_field is not None:
        split = _by_field(records, split_field)
    else:
        of = "the records with labels" if any(records.labels) else "the records"
        split = RecordSplit(*split_at_random(records, share, rng), f"{share:.0%} of {of} held out at random")
    n_all = len(split.train) + len(split.test)
    if most is None or n_all <= most:
        return split
    n_test = max(1, min(len(split.test), round(most * len(split.test) / n_all)))
    fewer, tested = draw(split.train, max(2, most - n_test), rng), draw(split.test, n_test, rng)
    return RecordSplit(fewer, tested, f"{split.how}; only {most:,} of {n_all:,} records used")


def split_at_random(records: RecordSet, share: float, rng: np.random.Generator) -> tuple[RecordSet, RecordSet]:
    """Hold out a share of the records with labels, or of all records if none has any."""
    share = check_number("share", share, high=1.0, open_low=True, open_high=True)
    labelled = [row for row, names in enumerate(records.labels) if names]
    candidates = np.array(labelled if labelled else range(len(records)), np.int64)
    n_test = min(round(share * len(candidates)), MOST_TEST)
    if n_test < 1 or len(records) - n_test < 2:
        raise InputError(
            f"share leaves too few records: got {share:g} of {len(candidates)} records, expected at least one to test "
            "on and two to learn from. Use more records, or another share."
        )
    held_out = np.sort(rng.choice(candidates, n_test, replace=False))
    return records[np.setdiff1d(np.arange(len(records)), held_out)], records[held_out]


def draw(records: RecordSet, most: int, rng: np.random.Generator) -> RecordSet:
    """Draw at most so many records, in their order."""
    if len(records) <= most:
        return records
    return records[np.sort(rng.choice(len(records), most, replace=False))]


def _by_records(records: RecordSet, test: list[Record]) -> RecordSplit:
    if not records.by_words:
        raise InputError(
            "test cannot be placed: got records for an index of vectors, expected an index of words. Hold out a share."
        )
    if not test:
        raise InputError("test is empty: got no record, expected at least one. Check the source of the records.")
    ids = {record.id for record in test}
    train = [row for row, record in enumerate(records.records) if record.id not in ids]
    n_shared = len(records) - len(train)
    if len(train) < 2:
        raise InputError(
            f"test leaves nothing to learn from: got {len(test):,} records with the ids of those in the index, "
            "expected other ids. Split at random, or by a field."
        )
    how = "test records from another source" + (f", {n_shared:,} of them also in the index" if n_shared else "")
    return RecordSplit(records[train], RecordSet(test), how)


def _by_field(records: RecordSet, name: str) -> RecordSplit:
    values = [str(record.fields.get(name, "")).lower() for record in records.records]
    train = [row for row, value in enumerate(values) if value in _TRAIN]
    test = [row for row, value in enumerate(values) if value in _TEST]
    if len(train) < 2 or not test:
        seen = sorted({value for value in values if value})[:5]
        raise InputError(
            f"split_field does not split: got {name!r} with the values {seen}, expected a field that is 'train' for "
            "some records and 'test' for others."
        )
    n_left = len(records) - len(train) - len(test)
    how = f"by the field {name!r}" + (f", {n_left:,} other records left out" if n_left else "")
    return RecordSplit(records[train], records[test], how)
