"""Results of searches and recommendations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacit.corpus.record import Record
from tacit.display import ResultList, Table, one_line

__all__ = ["FoundRecords", "Hit", "RecordHit", "records_table"]


@dataclass(frozen=True)
class Hit:
    """One result.

    Parameters
    ----------
    id : str
        Id of the record.
    score : float
        Similarity; a cosine unless the task says otherwise: 1 is the same direction, 0 is unrelated.
    why : tuple of str, default ()
        Reasons, if the task gives any.
    """

    id: str
    score: float
    why: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class RecordHit(Hit):
    """One record of an index as a result, with everything that is stored of it.

    Parameters
    ----------
    record : Record
    label_titles : mapping of str to str, default {}
        Titles of those of its labels that have one, such as the name of a URI.
    """

    record: Record = field(default_factory=lambda: Record("?", ""))
    label_titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Title of the record, or the beginning of its text."""
        return self.record.title or self.record.text.strip().split("\n", 1)[0][:80]

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the record."""
        return self.record.labels

    @property
    def label_names(self) -> tuple[str, ...]:
        """Labels of the record as people read them."""
        return tuple(self.label_titles.get(label, label) for label in self.labels)

    def __repr__(self) -> str:
        return f"RecordHit({one_line(self.id)!r}, score {self.score:.3f}, {one_line(self.title)!r})"

    def to_row(self) -> dict[str, Any]:
        """Return the hit as cells by the name of the column, as in a data frame; with fields, links and text."""
        row: dict[str, Any] = {"id": self.id, "score": self.score, "title": self.title, "labels": list(self.labels)}
        if self.label_titles:
            row["label_names"] = list(self.label_names)
        for name, value in {**self.record.fields, **{k: list(v) for k, v in self.record.links.items()}}.items():
            row.setdefault(name, value)
        if self.why:
            row.setdefault("why", list(self.why))
        row.setdefault("text", self.record.text)
        return row

    def to_facts(self) -> dict[str, Any]:
        """Return the hit as plain data, as `--json` prints it; without the text, which may be long."""
        facts: dict[str, Any] = {"id": self.id, "score": round(self.score, 6), "title": self.title}
        facts |= {"labels": list(self.labels), "fields": dict(self.record.fields)}
        if self.record.links:
            facts["links"] = {name: list(targets) for name, targets in self.record.links.items()}
        if self.why:
            facts["why"] = list(self.why)
        if self.label_titles:
            facts["label_titles"] = dict(self.label_titles)
        return facts


def records_table(title: str, hits: Sequence[RecordHit]) -> list[Table]:
    """Return records as a table of an explanation; none without records."""
    rows = [(hit.score, hit.id, hit.title, list(hit.label_names)) for hit in hits]
    return [Table(("cosine", "id", "title", "labels"), rows, title)] if rows else []


class FoundRecords(ResultList[RecordHit]):
    """The records that were found, best first: a list that is shown as a table, with what the query may have meant.

    Attributes
    ----------
    meant : str or None
        The query with known words in place of those that no record has.
    used_meant : bool
        Whether this was searched for, since no word of the query is known.
    words : str
        What was searched for: the query, with other forms of words that few records have; empty if not known.
    """

    _noun = "record"
    _columns = ("score", "id", "title", "labels", "why")

    def _shown_rows(self) -> list[dict[str, Any]]:
        return [{**hit.to_row(), "labels": list(hit.label_names)} for hit in self]

    def __init__(
        self, hits: Iterable[RecordHit] = (), *, meant: str | None = None, used_meant: bool = False, words: str = ""
    ) -> None:
        super().__init__(hits)
        self.meant, self.used_meant, self.words = meant, used_meant, words

    def _parts(self) -> Iterator[str | Table]:
        count, *rest = super()._parts()
        if self.meant is not None:
            count = f"{count} for {self.meant!r}" if self.used_meant else f"{count}; did you mean {self.meant!r}?"
        yield from (count, *rest)
