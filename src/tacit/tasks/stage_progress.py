"""Progress of long work: events of its stages, reported to a callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Report", "StageEvent", "StageReporter"]


@dataclass(frozen=True)
class StageEvent:
    """The beginning, progress or end of a stage.

    Parameters
    ----------
    name : str
        What is being done: "reading", "words", "space", "suggester", "neighbours", "map", "writing".
    state : {"begin", "advance", "end"}
    message : str
        For "end" the result, for "advance" the progress.
    seconds : float
        Since the stage began.
    share : float or None
        Part of the stage that is done, if known.
    memory : int
        Peak memory of the process so far, in bytes.
    """

    name: str
    state: str
    message: str = ""
    seconds: float = 0.0
    share: float | None = None
    memory: int = 0


Report = Callable[[StageEvent], None]


class StageReporter:
    """Reports stages to a callback; does nothing without one."""

    def __init__(self, report: Report | None) -> None:
        self._report = report
        self._name = ""
        self._created = self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the first stage could begin."""
        return time.perf_counter() - self._created

    def begin(self, name: str) -> None:
        """Report the beginning of a stage."""
        self._name, self._began = name, time.perf_counter()
        self._send("begin")

    def advance(self, message: str, share: float | None = None) -> None:
        """Report the progress of the stage."""
        self._send("advance", message, share)

    def end(self, message: str) -> None:
        """Report the end of the stage and its result."""
        self._send("end", message, 1.0)

    def _send(self, state: str, message: str = "", share: float | None = None) -> None:
        if self._report is not None:
            seconds = time.perf_counter() - self._began
            self._report(StageEvent(self._name, state, message, seconds, share, _peak_memory()))


def _peak_memory() -> int:
    """Return the peak memory of the process; macOS reports bytes, Linux KiB, Windows nothing."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
