"""What goes wrong in a file without making the rest of it useless: counted by kind, shown with lines, up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tacit.errors import InputError

__all__ = ["KINDS", "Problem", "Problems"]

KINDS: Mapping[str, str] = {
    "encoding": "bytes that are not in the encoding, replaced by a mark",
    "broken line": "lines that cannot be read, left out",
    "cells": "lines with too few or too many cells, left out",
    "duplicate id": "records whose id was there before, left out",
    "no text": "records without text, left out",
    "no id": "records without an id, named after file and line",
    "wrong type": "labels, links or titles that are no names, left out of their records",
}
_EXAMPLES = 5  # of each kind, so that a thousand copies do not hide the one broken line


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file: what kind of thing (a key of `KINDS`), where, and a sentence about it."""

    kind: str
    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.sentence}"


class Problems:
    """The problems of one reading: how many of each kind, and the first five of each.

    Parameters
    ----------
    limit : int, optional
        How many may be found before reading stops with an `InputError`; 0 allows none, None any number.

    Attributes
    ----------
    counts : Counter of str, how many of each kind
    examples : list of Problem, in the order in which they were found
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.counts: Counter[str] = Counter()
        self.examples: list[Problem] = []

    def __len__(self) -> int:
        return self.counts.total()

    def add(self, kind: str, file: str, line: int, sentence: str) -> None:
        """Count a problem; raise if it is one too many."""
        self.counts[kind] += 1
        if self.counts[kind] <= _EXAMPLES:
            self.examples.append(Problem(kind, file, line, sentence))
        if self.limit is not None and len(self) > self.limit:
            raise InputError(self._too_many())

    def counted(self) -> str:
        """Say how many there are of each kind: `2 x duplicate id, 1 x no text`."""
        return ", ".join(f"{count:,} x {kind}" for kind, count in self.counts.most_common())

    def summary(self) -> str:
        """Say what was found and what was done about it: a line a kind, with its examples below."""
        lines: list[str] = []
        for kind, count in self.counts.most_common():
            lines.append(f"{count:,} x {kind}: {KINDS[kind]}")
            lines += [f"  {example}" for example in self.examples if example.kind == kind]
        return "\n".join(lines)

    def _too_many(self) -> str:
        first = "; ".join(str(example).rstrip(".") for example in self.examples[:_EXAMPLES])
        return (
            f"path has too many problems: got {self.counted()}, expected at most {self.limit:,} in all. "
            f"The first: {first}. Mend the file, or raise max_problems."
        )
