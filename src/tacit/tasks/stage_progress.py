"""Progress of long work: events of its stages, reported to a callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tacit.display import doing

__all__ = ["NotebookStages", "Report", "StageEvent", "StageReporter"]


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
    """Reports stages to a callback; without one, shows them if this is a notebook, and does nothing elsewhere."""

    def __init__(self, report: Report | None) -> None:
        self._report = _notebook_display() if report is None else report
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


_SECONDS_BETWEEN = 0.5  # of changes of the line that says how far a stage is


class NotebookStages:
    """Shows stages in one output of a notebook's cell, which is replaced as they go on.

    Parameters
    ----------
    display : IPython's `display`
    """

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None
        self._ended: list[str] = []
        self._changed = 0.0

    def __call__(self, stage: StageEvent) -> None:
        """Show one report of a stage."""
        now = time.perf_counter()
        if stage.state == "end":
            self._ended.append(f"{stage.seconds:7.1f} s  {stage.message}")
            self._show(self._ended)
        elif stage.state == "begin" or now - self._changed >= _SECONDS_BETWEEN:
            share = "" if stage.share is None else f"  {stage.share:.0%}"
            self._show([*self._ended, f"{'':9}  {doing(stage.name)} ...  {stage.message}{share}".rstrip()])
            self._changed = now

    def _show(self, lines: list[str]) -> None:
        content = {"text/plain": "\n".join(lines)}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _notebook_display() -> NotebookStages | None:
    """Return the display of the notebook that this runs in; None elsewhere, also in IPython on a terminal."""
    ipython: Any = sys.modules.get("IPython")  # a notebook has imported it
    shell = None if ipython is None else ipython.get_ipython()
    return None if shell is None or getattr(shell, "kernel", None) is None else NotebookStages(ipython.display.display)
