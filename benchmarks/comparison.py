"""What a row of `compare` found, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pages import facts, table
from runs import Run

__all__ = ["OFTEN", "Comparison", "repeats"]

OFTEN = 7  # runs of short jobs of a like length, whose ratio one busy second would turn


@dataclass
class Comparison:
    """What a row found: ratios with what they should reach, and the runs they were made of.

    `held` says what a job is given, which counts as its memory too; `libraries` are others that took part.
    """

    title: str
    data: str
    held: str = "X"
    libraries: tuple[str, ...] = ()
    ratios: list[tuple[str, str, str, str]] = field(default_factory=list)
    details: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, what: str, value: float, *, at_least: float | None = None, at_most: float | None = None) -> None:
        """Add a ratio and say whether it reaches what it should."""
        wanted, reached = "", ""
        if at_least is not None:
            wanted, reached = f"at least {at_least:g}", "yes" if value >= at_least else "no"
        elif at_most is not None:
            wanted, reached = f"at most {at_most:g}", "yes" if value <= at_most else "no"
        self.ratios.append((what, f"{value:.3g}", wanted, reached))

    def add_run(self, what: str, took: Run, quality: str = "") -> None:
        """Add a run that ratios were made of."""
        self.details.append((what, f"{took.seconds:.2f}", f"{took.bytes / 2**20:.0f}", quality))

    def text(self) -> str:
        """Write the row for the terminal and the page alike."""
        ratios = table(("ratio", "value", "should be", "reached"), self.ratios)
        details = table(("run", "seconds", f"MiB, {self.held} plus work", "quality"), self.details)
        return f"## {self.title}\n\n{self.data}\n\n{ratios}\n\n{details}\n\n{facts(self.libraries)}"


def repeats(small: bool, times: int = 3) -> int:
    """Give how often a job is run; once, where the numbers mean nothing."""
    return 1 if small else times
