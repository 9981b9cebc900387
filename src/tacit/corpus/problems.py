"""Problems in single lines of a file: counted by kind, shown with their lines, allowed up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tacit.errors import InputError

__all__ = ["KINDS", "Problem", "Problems"]

KINDS: Mapping[str, str] = {
    "encoding": "bytes that are not in the encoding, replaced by \ufffd",
    "broken line": "lines that cannot be read, left out",
    "unreadable": "files and folders that cannot be opened, left out",
    "odd value": "values that cannot be stored, left out of their records",
    "cells": "lines with too few or too many cells, left out",
    "duplicate id": "records whose id was used before, left out",
    "no text": "records without text, left out",
    "no id": "records without an id; it was made from file and line",
    "wrong type": "labels, links or titles that are not texts, left out of their records",
}
_EXAMPLES = 5  # of each kind, so that a thousand duplicates do not hide the one broken line


@dataclass(frozen=True)
class Problem:
    """A problem in a line of a file: its kind (a key of `KINDS`), file, line, and a sentence about it."""

    kind: str
    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.sentence}"


class Problems:
    """The problems of one reading: the number of each kind, and the first five of each.

    Parameters
    ----------
    limit : int, optional
        Maximum number before reading stops with an `InputError`; None for any number.

    Attributes
    ----------
    counts : Counter of str, the number of each kind
    examples : list of Problem, in the order in which they were found
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        self.counts: Counter[str] = Counter()
        self.examples: list[Problem] = []

    def __len__(self) -> int:
        return self.counts.total()

    def add_all(self, others: Problems) -> None:
        """Count the problems of another part of the same reading; raise if there are more than `limit`."""
        self.examples += [example for example in others.examples if self.counts[example.kind] < _EXAMPLES]
        self.counts.update(others.counts)
        self._check()

    def add(self, kind: str, file: str, line: int, sentence: str, *, n_lines: int = 1) -> None:
        """Count a problem that costs `n_lines` lines; raise if there are more than `limit`."""
        if self.counts[kind] < _EXAMPLES or n_lines > 1:
            self.examples.append(Problem(kind, file, line, sentence))
        self.counts[kind] += n_lines
        self._check()

    def _check(self) -> None:
        if self.limit is not None and len(self) > self.limit:
            first = "; ".join(str(example).rstrip(".") for example in self.examples[:_EXAMPLES])
            raise InputError(
                f"path has too many problems: got {self.counted()}, expected at most {self.limit:,} in all. "
                f"The first: {first}. Correct the file, or allow more with a larger `max_problems`."
            )

    def counted(self) -> str:
        """Return the number of each kind: `2 x duplicate id, 1 x no text`."""
        return ", ".join(f"{count:,} x {kind}" for kind, count in self.counts.most_common())

    def summary(self) -> str:
        """Return what was found and what was done about it: a line per kind, with its examples below."""
        lines: list[str] = []
        for kind, count in self.counts.most_common():
            lines.append(f"{count:,} x {kind}: {KINDS[kind]}")
            lines += [f"  {example}" for example in self.examples if example.kind == kind]
        return "\n".join(lines)
