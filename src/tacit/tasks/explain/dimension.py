"""Explains a dimension by the words, labels, linked things and records at both of its ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tacit.checks import check_count
from tacit.display import Displayed, ResultList, Table
from tacit.errors import InputError
from tacit.tasks.explain.words import listed, typical_words
from tacit.tasks.label_names import NamedLabel, named
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit, records_table
from tacit.tasks.search.search import hits_of

__all__ = ["Dimension", "Dimensions", "End", "dimensions", "explain_dimension"]

_ROWS = 20_000  # records from which the shares are estimated
_LEAST = 0.1  # cosine of a label with the end that it describes


@dataclass(frozen=True)
class End:
    """One end of a dimension; the most extreme come first.

    Attributes
    ----------
    words : tuple of str
    labels : tuple of NamedLabel
    links : dict of str to tuple of str
        Linked things by the name of the link, for M-LSA.
    records : tuple of RecordHit
        With the cosine of their position and the axis; empty unless requested.
    """

    words: tuple[str, ...]
    labels: tuple[NamedLabel, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    records: tuple[RecordHit, ...] = ()

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        facts: dict[str, Any] = {"words": list(self.words), "labels": [label._asdict() for label in self.labels]}
        if self.links:
            facts["links"] = {name: list(things) for name, things in self.links.items()}
        if self.records:
            facts["records"] = [hit.to_facts() for hit in self.records]
        return facts


@dataclass(frozen=True, repr=False)
class Dimension(Displayed):
    """A dimension of the space.

    Attributes
    ----------
    number : int
        The first is 1: column `number - 1` of the positions.
    share : float
        Part of the squared positions of the records, at length 1, along it; the shares of all dimensions sum to 1.
    positive, negative : End
        The sign has no meaning; a dimension may have one end only.
    """

    number: int
    share: float
    positive: End
    negative: End

    def in_words(self) -> str:
        """Return it in a few sentences."""
        ends = [end for end in (self.positive, self.negative) if end.words or end.labels]
        about = [listed(end.words or (label.title for label in end.labels), 4) for end in ends]
        said = [f"Dimension {self.number} accounts for {self.share:.1%} of the positions of the records."]
        if len(about) == 2:
            said.append(f"It separates {about[0]} from {about[1]}.")
        elif about:
            said.append(f"It is about {about[0]}.")
        labels = [listed((label.title for label in end.labels), 2) for end in ends if end.labels]
        if labels:
            said.append(
                f"Its strongest labels are {' at one end and '.join(labels)}{' at the other' * (len(labels) == 2)}."
            )
        return " ".join(said)

    def _parts(self) -> Iterator[str | Table]:
        yield self.in_words()
        ends = {"+": self.positive, "-": self.negative}
        rows = [(sign, list(end.words), [label.title for label in end.labels]) for sign, end in ends.items()]
        yield Table(("end", "words", "labels"), rows)
        for sign, end in ends.items():
            yield from records_table(f"Records at the end {sign}", end.records)

    def to_row(self) -> dict[str, Any]:
        """Return the dimension as cells by the name of the column, as in a data frame."""
        row: dict[str, Any] = {"dimension": self.number, "share": self.share}
        for name, end in (("positive", self.positive), ("negative", self.negative)):
            row |= {f"{name}_words": list(end.words), f"{name}_labels": [label.title for label in end.labels]}
        return row

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        ends = {"positive": self.positive.to_facts(), "negative": self.negative.to_facts()}
        return {"number": self.number, "share": self.share, "in_words": self.in_words(), **ends}


class Dimensions(ResultList[Dimension]):
    """Dimensions of a space, the first first: a list that is shown as a table."""

    _noun = "dimension"


def explain_dimension(collection: OpenedIndex, number: int, *, limit: int = 10) -> Dimension:
    """Describe a dimension, the first being 1, by at most `limit` words, labels and records per end."""
    (found,) = dimensions(collection, [number], limit=limit, n_records=limit)
    return found


def dimensions(
    collection: OpenedIndex, numbers: Sequence[int], *, limit: int = 10, n_records: int = 0
) -> list[Dimension]:
    """Describe several dimensions; `n_records` is the number of records at each end."""
    check_count("limit", limit)
    most = collection.space.n_dimensions
    for number in numbers:
        if check_count("dimension", number) > most:
            raise InputError(f"dimension is out of range: got {number}, expected one of 1 to {most}.")
    columns = np.asarray(numbers, np.int64) - 1
    step = max(1, collection.positions.n_base // _ROWS)
    rows = np.asarray(collection.generation.array("positions")[::step], np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    squares = ((rows / np.where(lengths > 0, lengths, 1)) ** 2).sum(axis=0)
    shares = squares / max(squares.sum(), 1e-300)
    up, down = (_ends(collection, columns, sign, limit, n_records) for sign in (1, -1))
    return [
        Dimension(number, float(shares[number - 1]), *ends) for number, *ends in zip(numbers, up, down, strict=True)
    ]


def _ends(collection: OpenedIndex, columns: Any, sign: int, limit: int, n_records: int) -> list[End]:
    axes = np.zeros((len(columns), collection.space.n_dimensions), np.float32)
    axes[np.arange(len(columns)), columns] = sign
    words = typical_words(collection, axes, limit)
    labels = _most_along(collection.label_positions, collection.label_names, axes, limit)
    links = {
        kind: _most_along(collection.link_positions(kind), names, axes, limit)
        for kind, names in collection.link_names.items()
    }
    found = []
    for row, axis in enumerate(axes):
        records = hits_of(collection, *collection.positions.nearest(axis, n_records)) if n_records else []
        things = {name: ends[row] for name, ends in links.items() if ends[row]}
        found.append(End(words[row], named(collection, labels[row]), things, tuple(records)))
    return found


def _most_along(positions: Any, names: Sequence[str], axes: Any, limit: int) -> list[tuple[str, ...]]:
    """Return the names whose positions are closest to each axis, closest first."""
    if positions is None or not len(names):
        return [()] * len(axes)
    lengths = np.linalg.norm(positions, axis=1)
    cosines = (positions @ axes.T) / np.where(lengths > 0, lengths, 1)[:, None]
    orders = np.argsort(-cosines, axis=0, kind="stable")[:limit].T
    return [tuple(names[i] for i in order if cosines[i, axis] >= _LEAST) for axis, order in enumerate(orders)]
