"""The one result type: what a question to a collection is answered with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tacit.corpus.record import Record

__all__ = ["Hit", "RecordHit"]


@dataclass(frozen=True)
class Hit:
    """One record that answers a question.

    Parameters
    ----------
    id : str
        The record's id.
    score : float
        How close it is, as a cosine: 1 is the same direction, 0 is unrelated.
    why : tuple of str, default ()
        The words that the question and the record share, the weightiest first; empty where only the space relates them.
    """

    id: str
    score: float
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordHit(Hit):
    """One record of an index that answers a question, with all that is stored of it.

    Parameters
    ----------
    record : Record
    """

    record: Record = field(default_factory=lambda: Record("?", ""))

    @property
    def title(self) -> str:
        """What to show of the record: its title, or the beginning of its text."""
        return self.record.title or self.record.text.strip().split("\n", 1)[0][:80]

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels."""
        return self.record.labels

    def to_facts(self) -> dict[str, Any]:
        """Give the hit as plain data, as `--json` prints it; without the text, which may be long."""
        facts: dict[str, Any] = {"id": self.id, "score": round(self.score, 6), "title": self.title}
        facts |= {"labels": list(self.labels), "fields": dict(self.record.fields)}
        if self.record.links:
            facts["links"] = {name: list(targets) for name, targets in self.record.links.items()}
        if self.why:
            facts["why"] = list(self.why)
        return facts
