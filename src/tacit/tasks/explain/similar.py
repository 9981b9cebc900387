"""Explains why two records are similar, by dimensions, words, labels, ancestors and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.display import Displayed, Table
from tacit.errors import InputError
from tacit.tasks.explain.dimension import dimensions
from tacit.tasks.explain.hit import counted_in_words, nearness
from tacit.tasks.explain.words import listed, shared_words
from tacit.tasks.known_things import counted_parts
from tacit.tasks.label_names import NamedLabel, ancestors_of, find_number, named
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit

__all__ = ["PairExplanation", "explain_similar"]

_WORDS = 6
_NAMED = 4


class DimensionPart(NamedTuple):
    """A dimension (the first is 1), its part of a cosine, and words and labels at the end of the first record.

    The part is negative if the second record is at the other end.
    """

    number: int
    part: float
    words: tuple[str, ...]
    labels: tuple[NamedLabel, ...] = ()

    @property
    def about(self) -> tuple[str, ...]:
        """Its words, or else its labels."""
        return self.words or tuple(label.title for label in self.labels)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**self._asdict(), "labels": [label._asdict() for label in self.labels]}


@dataclass(frozen=True, repr=False)
class PairExplanation(Displayed):
    """Why two records are similar.

    Attributes
    ----------
    records : the two of them
    cosine : float
        Of their positions: the sum of the parts of all dimensions.
    dimensions : tuple of DimensionPart
        Those with the largest parts, positive or negative, the largest first.
    shared_words : tuple of str
        Largest weights first.
    shared_labels : tuple of NamedLabel
    common_ancestors : tuple of NamedLabel
        The lowest nodes of the taxonomy above labels of both, without shared labels.
    shared_links : dict of str to tuple of str
    counted : dict of str to float
        What the words of the second record and each kind of knowledge about it add to the cosine, the most first.
    """

    records: tuple[Record, Record]
    cosine: float
    dimensions: tuple[DimensionPart, ...]
    shared_words: tuple[str, ...]
    shared_labels: tuple[NamedLabel, ...]
    common_ancestors: tuple[NamedLabel, ...]
    shared_links: dict[str, tuple[str, ...]]
    counted: dict[str, float]

    def in_words(self) -> str:
        """Return it in a few sentences."""
        one, other = self.records
        said = [f"Records {one.id} and {other.id} are {nearness(self.cosine)} (cosine {self.cosine:.2f})."]
        first = next((part for part in self.dimensions if part.part > 0 and part.about), None)
        if first is not None:
            said.append(f"Dimension {first.number} contributes most: {listed(first.about, 5)}.")
        labels, above = ([name.title for name in names] for names in (self.shared_labels, self.common_ancestors))
        if labels:
            said.append(f"Both have {_counted('label', labels)}.")
        elif above:
            said.append(f"Both have labels at or below {listed(above)}.")
        if self.shared_words:
            said.append(f"They share {listed((f'“{word}”' for word in self.shared_words), 5)}.")
        said += [f"Both have {_counted(name, targets)}." for name, targets in self.shared_links.items()]
        return " ".join([*said, *counted_in_words(self.counted)])

    def _parts(self) -> Iterator[str | Table]:
        yield self.in_words()
        rows = [
            (one.part, one.number, list(one.words), [label.title for label in one.labels]) for one in self.dimensions
        ]
        yield Table(("part", "dimension", "words", "labels"), rows, "Dimensions that carry most of the cosine")

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {
            "records": [
                {"id": record.id, "title": RecordHit(record.id, 0.0, record=record).title} for record in self.records
            ],
            "cosine": self.cosine,
            "in_words": self.in_words(),
            "dimensions": [part.to_facts() for part in self.dimensions],
            "shared_words": list(self.shared_words),
            "shared_labels": [label._asdict() for label in self.shared_labels],
            "common_ancestors": [label._asdict() for label in self.common_ancestors],
            "shared_links": {name: list(targets) for name, targets in self.shared_links.items()},
            "counted": self.counted,
        }


def explain_similar(collection: OpenedIndex, id: str, other: str, *, limit: int = 10) -> PairExplanation:
    """Explain why the records of two ids are similar, by at most `limit` dimensions."""
    limit = check_count("limit", limit)
    numbers = np.array([find_number(collection, key) for key in (id, other)])
    if numbers[0] == numbers[1]:
        raise InputError(f"ids are the same: got {id!r} twice, expected two records.")
    positions = collection.positions.of(numbers)
    one, two = (position / (np.linalg.norm(position) or 1) for position in positions)
    first, second = collection.store.get(numbers)
    links = {name: _both(first.links[name], second.links.get(name, ())) for name in first.links}
    return PairExplanation(
        (first, second),
        float(one @ two),
        _dimensions(collection, one, two, limit),
        shared_words(collection, first.text, second.text),
        named(collection, _both(first.labels, second.labels)),
        named(collection, _common_ancestors(collection, first.labels, second.labels)),
        {name: targets for name, targets in links.items() if targets},
        counted_parts(collection, second, positions[0]),
    )


def _dimensions(collection: OpenedIndex, one: Any, two: Any, limit: int) -> tuple[DimensionPart, ...]:
    parts = one * two
    largest = np.argsort(-np.abs(parts), kind="stable")[:limit]
    largest = largest[np.argsort(-parts[largest], kind="stable")]
    described = dimensions(collection, (largest + 1).tolist(), limit=_WORDS)
    ends = [about.negative if one[about.number - 1] < 0 else about.positive for about in described]
    return tuple(
        DimensionPart(int(d) + 1, float(parts[d]), end.words, end.labels) for d, end in zip(largest, ends, strict=True)
    )


def _both(ones: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in ones if name in others)


def _common_ancestors(collection: OpenedIndex, ones: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lowest nodes at or above labels of both, deepest first."""
    taxonomy = collection.taxonomy
    if taxonomy is None:
        return ()
    above = [
        {name for label in labels for name in (label, *ancestors_of(collection, label))} for labels in (ones, others)
    ]
    common = {name for name in above[0] & above[1] if name in taxonomy}
    higher = {name for label in common for name in ancestors_of(collection, label)}
    lowest = common - higher - set(_both(ones, others))
    return tuple(sorted(lowest, key=lambda name: (-taxonomy.depth(name), name)))


def _counted(noun: str, names: Sequence[str]) -> str:
    """Return names with their noun; of many names only the number and a few."""
    if len(names) > _NAMED:
        return f"the same {len(names):,} {noun}s, {listed(names)} among them"
    return f"the {noun}{'' if len(names) == 1 else 's'} {listed(names, _NAMED)}"
