"""Progress of long work: stages that begin, go on and end, told to whoever shows them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Report", "Stage", "Stages"]


@dataclass(frozen=True)
class Stage:
    """A moment of a stage.

    Parameters
    ----------
    name : str
        What is being done: "reading", "words", "space", "suggester", "neighbours", "writing".
    state : {"begin", "advance", "end"}
    message : str
        For "end" what came of it, for "advance" how far it is.
    seconds : float
        Since the stage began.
    share : float or None
        How much of the stage is done, where that is known.
    memory : int
        Largest memory of the process so far, in bytes.
    """

    name: str
    state: str
    message: str = ""
    seconds: float = 0.0
    share: float | None = None
    memory: int = 0


Report = Callable[[Stage], None]


class Stages:
    """Tells a report which stage is on; silent without one."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._name, self._began = "", time.perf_counter()

    def begin(self, name: str) -> None:
        """Say that a stage begins."""
        self._name, self._began = name, time.perf_counter()
        self._tell("begin")

    def advance(self, message: str, share: float | None = None) -> None:
        """Say how far the stage is."""
        self._tell("advance", message, share)

    def end(self, message: str) -> None:
        """Say what came of the stage."""
        self._tell("end", message, 1.0)

    def _tell(self, state: str, message: str = "", share: float | None = None) -> None:
        if self._report is not None:
            seconds = time.perf_counter() - self._began
            self._report(Stage(self._name, state, message, seconds, share, _peak_memory()))


def _peak_memory() -> int:
    """Largest memory of the process; macOS counts in bytes, Linux in KiB, Windows not at all."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
