"""Which records a trial learns from and which it is judged by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.checks import as_rng, check_number
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.types import Array

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["MOST_TEST", "Part", "Split", "all_records", "draw", "split_part", "split_records"]

MOST_TEST = 10_000  # more records make a measure no surer, but are missing where something is learned
_TRAIN, _TEST = ("train", "training"), ("test", "testing")


@dataclass(frozen=True, eq=False)
class Part:
    """Records, with their vectors if the index was built from vectors."""

    records: Sequence[Record]
    vectors: Array | None = None

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, rows: Any) -> Part:
        """Choose records by their numbers."""
        chosen = [self.records[int(row)] for row in rows]
        return Part(chosen, None if self.vectors is None else self.vectors[rows])

    def joined(self, other: Part) -> Part:
        """Put two parts together."""
        vectors = None
        if self.vectors is not None and other.vectors is not None:
            vectors = np.concatenate([self.vectors, other.vectors])
        return Part([*self.records, *other.records], vectors)

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """Of each record."""
        return [record.labels for record in self.records]


@dataclass(frozen=True, eq=False)
class Split:
    """What a trial learns from, what it is judged by, and how they were told apart."""

    train: Part
    test: Part
    how: str


def all_records(collection: Collection) -> Part:
    """Read all records of an index, with their vectors if it was built from vectors."""
    records = [record for _, record in collection.store.records()]
    if "vectors" not in collection.generation.arrays:
        return Part(records)
    if collection.store.changes:
        raise InputError(
            f"{collection.path} cannot be measured: got an index of vectors that was changed since its last fit, and "
            "the vectors of added records are not kept. Refit it first."
        )
    return Part(records, np.array(collection.generation.array("vectors")))


def split_records(
    collection: Collection,
    *,
    test: Iterable[Record] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    most: int | None = None,
    random_state: Any = 0,
) -> Split:
    """Split the records of an index: by a field, by records that are brought, or by chance.

    Parameters
    ----------
    collection : an open index
    test : records, optional
        Judge by these; records of the index with the same ids are not learned from.
    split_field : str, optional
        A field that says "train" or "test"; records with anything else are left out.
    share : float, default 0.2
        Part of the records with labels that is held out, at most 10,000 of them; of all records if none has labels.
    most : int, optional
        Use so many records in all, drawn by chance: for a quick look.
    random_state : seed

    Raises
    ------
    InputError
        If one of the two parts would be empty, or both `test` and `split_field` are given.
    """
    if test is not None and split_field is not None:
        raise InputError("test and split_field were both given: got two ways to split, expected one. Leave one out.")
    rng = as_rng(random_state)
    everything = all_records(collection)
    if test is not None:
        split = _by_records(everything, list(test))
    elif split_field is not None:
        split = _by_field(everything, split_field)
    else:
        train, held_out = split_part(everything, share, rng)
        split = Split(train, held_out, f"{share:.0%} of the records with labels held out by chance")
        if not any(everything.labels):
            split = replace(split, how=f"{share:.0%} of the records held out by chance")
    return split if most is None else _fewer(split, most, rng)


def split_part(part: Part, share: float, rng: np.random.Generator) -> tuple[Part, Part]:
    """Hold out a share of the records with labels, or of all if none has any."""
    share = check_number("share", share, high=1.0, open_low=True, open_high=True)
    labelled = [row for row, names in enumerate(part.labels) if names]
    candidates = np.array(labelled if labelled else range(len(part)), np.int64)
    n_test = min(round(share * len(candidates)), MOST_TEST)
    if n_test < 1 or len(part) - n_test < 2:
        raise InputError(
            f"share leaves nothing to compare: got {share:g} of {len(candidates)} records, expected one at least to "
            "judge by and two to learn from. Give more records, or another share."
        )
    held_out = np.sort(rng.choice(candidates, n_test, replace=False))
    return part[np.setdiff1d(np.arange(len(part)), held_out)], part[held_out]


def draw(part: Part, most: int, rng: np.random.Generator) -> Part:
    """Draw so many records at most, in their order."""
    if len(part) <= most:
        return part
    return part[np.sort(rng.choice(len(part), most, replace=False))]


def _by_records(everything: Part, test: list[Record]) -> Split:
    if everything.vectors is not None:
        raise InputError(
            "test cannot be placed: got records for an index of vectors, expected an index of words. Hold out a share."
        )
    if not test:
        raise InputError("test is empty: got no record, expected one at least. Check what was read.")
    known = {record.id for record in test}
    train = [row for row, record in enumerate(everything.records) if record.id not in known]
    n_shared = len(everything) - len(train)
    if len(train) < 2:
        raise InputError(
            f"test leaves nothing to learn from: got {len(test):,} records whose ids are those of the index, expected "
            "others. Use a split by chance, or by a field."
        )
    how = "test records from another source"
    return Split(everything[train], Part(test), how + (f", {n_shared:,} of them also in the index" if n_shared else ""))


def _by_field(everything: Part, name: str) -> Split:
    values = [str(record.fields.get(name, "")).lower() for record in everything.records]
    train = [row for row, value in enumerate(values) if value in _TRAIN]
    test = [row for row, value in enumerate(values) if value in _TEST]
    if len(train) < 2 or not test:
        seen = sorted({value for value in values if value})[:5]
        raise InputError(
            f"split_field does not split: got {name!r} with the values {seen}, expected a field that says 'train' for "
            "some records and 'test' for others."
        )
    n_left = len(everything) - len(train) - len(test)
    how = f"by the field {name!r}" + (f", {n_left:,} other records left out" if n_left else "")
    return Split(everything[train], everything[test], how)


def _fewer(split: Split, most: int, rng: np.random.Generator) -> Split:
    n_all = len(split.train) + len(split.test)
    if n_all <= most:
        return split
    n_test = max(1, min(len(split.test), round(most * len(split.test) / n_all)))
    train, test = draw(split.train, max(2, most - n_test), rng), draw(split.test, n_test, rng)
    return Split(train, test, f"{split.how}; only {most:,} of {n_all:,} records used")
