"""Corrections: texts with the subjects that a person accepted and rejected, from which the witnesses learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tacit.index.folder.opening import Generation
from tacit.index.folder.writer import GenerationWriter
from tacit.index.stored_arrays import fitting

__all__ = ["Correction", "corrections_of", "save_corrections"]

_FILE = "facts/corrections.json"


@dataclass(frozen=True)
class Correction:
    """One text and what a person said about its subjects.

    Attributes
    ----------
    text : str
    accepted : tuple of str, all subjects of the text; empty if only rejected ones are known
    rejected : tuple of str, subjects that it does not have
    time : str, when it was learned, ISO 8601 in UTC
    source : str, id of the text in its file
    """

    text: str
    accepted: tuple[str, ...]
    rejected: tuple[str, ...] = ()
    time: str = ""
    source: str = ""

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {**asdict(self), "accepted": list(self.accepted), "rejected": list(self.rejected)}

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Correction:
        """Read what `to_facts` returned."""
        accepted, rejected = tuple(facts["accepted"]), tuple(facts["rejected"])
        return cls(facts["text"], accepted, rejected, facts.get("time", ""), facts.get("source", ""))


def corrections_of(generation: Generation) -> list[Correction]:
    """Return the corrections that an index has learned from, the earliest first."""
    has_any, expected = _FILE in generation.manifest.files, generation.manifest.counts.get("corrections", 0)
    with fitting(generation, "the list of corrections"):
        found = generation.facts("corrections")["corrections"] if has_any else []
        if len(found) != expected:
            raise ValueError(f"{len(found)} corrections, {expected} in the manifest")
        return [Correction.from_facts(facts) for facts in found]


def save_corrections(writer: GenerationWriter, corrections: Sequence[Correction]) -> None:
    """Write corrections into a new generation; nothing if there are none."""
    if corrections:
        writer.save_facts("corrections", {"corrections": [correction.to_facts() for correction in corrections]})
