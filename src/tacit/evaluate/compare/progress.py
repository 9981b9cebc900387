"""Says how far a comparison is: a line for each fit, or, on a terminal, a bar that rewrites its line."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import TextIO

from tacit.evaluate.compare.outcomes import Failure, Trial, rank

__all__ = ["Progress", "Report", "reporter"]

Progress = Callable[[int, int, "Trial | Failure"], None]
Report = Callable[[int, int, "Trial | Failure", float], None]


def reporter(progress: bool | Progress, choose_by: str) -> Report:
    """Give what is called after each fit with its number, the number of all, what came out, and its seconds."""
    if callable(progress):
        return lambda number, total, outcome, seconds: progress(number, total, outcome)
    return _Lines(choose_by, sys.stderr) if progress else lambda number, total, outcome, seconds: None


_BAR = 20


class _Lines:
    """Progress for people."""

    def __init__(self, choose_by: str, stream: TextIO) -> None:
        self.choose_by, self.stream = choose_by, stream
        self.best: Trial | None = None

    def __call__(self, number: int, total: int, outcome: Trial | Failure, seconds: float) -> None:
        if isinstance(outcome, Trial) and (
            self.best is None or rank(outcome, self.choose_by) > rank(self.best, self.choose_by)
        ):
            self.best = outcome
        said = f"{number:{len(str(total))}d}/{total}  {outcome.name}  {seconds:.1f} s"
        if self.best is not None:
            said += f"  best {self.choose_by} {self.best.validation[self.choose_by]:.4f} ({self.best.name})"
        failed = f"{outcome.name} failed: {outcome.sentence}" if isinstance(outcome, Failure) else ""
        (self._rewrite if self.stream.isatty() else self._add)(said, failed, number / total)

    def _add(self, said: str, failed: str, share: float) -> None:
        print("\n".join(filter(None, (failed, said))), file=self.stream, flush=True)

    def _rewrite(self, said: str, failed: str, share: float) -> None:
        full = round(share * _BAR)
        line = f"{'█' * full}{'░' * (_BAR - full)} {said}"
        # a line that wraps could not be rewritten
        line = line[: shutil.get_terminal_size().columns - 1]
        clear = "\r\x1b[K"
        self.stream.write(f"{clear}{failed}\n" * bool(failed) + clear + line + "\n" * (share == 1))
        self.stream.flush()
