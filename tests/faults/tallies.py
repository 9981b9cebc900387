"""Counts of what was tried and how it ended, kept in a file so that a long run can be interrupted and go on."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judging import Outcome

__all__ = ["KINDS", "Tallies"]

KINDS = ("survived", "refused", "found")


class Tallies:
    """The outcomes so far, by part and batch.

    Parameters
    ----------
    path : file with a line per batch; None keeps nothing
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._batches: dict[tuple[str, str], dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                batch = json.loads(line)
                self._batches[batch["part"], batch["batch"]] = batch

    def has(self, part: str, batch: str) -> bool:
        """Whether a batch was done by an earlier run."""
        return (part, batch) in self._batches

    def add(self, part: str, batch: str, names: Sequence[str], outcomes: Sequence[Outcome], seconds: float) -> None:
        """Keep the outcomes of a batch."""
        counts = Counter(outcome.kind for outcome in outcomes)
        faults = [[name, one.what] for name, one in zip(names, outcomes, strict=True) if one.kind == "found"]
        line = {"part": part, "batch": batch, **counts, "faults": faults, "seconds": round(seconds, 2)}
        line["time"] = time.strftime("%Y-%m-%d %H:%M:%S")
        self._batches[part, batch] = line
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")

    def counts(self) -> dict[str, dict[str, float]]:
        """Return for each part how many were tried, survived, refused and found, and the processor time in seconds."""
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        for (part, _), batch in self._batches.items():
            sums[part].update({kind: batch.get(kind, 0) for kind in KINDS})
            sums[part]["seconds"] += batch["seconds"]
        return {part: {"tried": sum(count[kind] for kind in KINDS), **count} for part, count in sums.items()}

    def faults(self, part: str | None = None) -> list[tuple[str, str]]:
        """Return the name of each case that found a fault, and what it found."""
        batches = [batch for (name, _), batch in self._batches.items() if part in (None, name)]
        return [(name, what) for batch in batches for name, what in batch["faults"]]

    def table(self) -> str:
        """Return the counts as a table."""
        head = ("part", "tried", *KINDS, "processor s")
        rows = [
            (part, *(f"{count[kind]:,.0f}" for kind in ("tried", *KINDS, "seconds")))
            for part, count in self.counts().items()
        ]
        widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
        lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in (head, *rows)]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)
