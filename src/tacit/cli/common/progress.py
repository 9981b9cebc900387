"""Progress of long work: a live line on a terminal, one line a stage in a pipe, nothing if it should be quiet."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.tasks.stages import Stage

__all__ = ["ShownStages"]

_DOING = {
    "starting": "Loading the numerical libraries",
    "reading": "Reading the records",
    "words": "Counting the words",
    "space": "Making the space",
    "suggester": "Training the suggester",
    "neighbours": "Relating the neighbours",
    "writing": "Writing the index",
    "checking": "Checking every file",
    "exporting": "Writing the records",
    "adding": "Placing the records",
}


class ShownStages:
    """Shows the stages that a task reports, on standard error; use it in a `with` block and give it as `report`.

    On a terminal the stage that is on has a line with a turning sign and its time; when it ends, one line stays, with
    the time it took and the most memory so far. In a pipe there are only the lines that stay.

    Parameters
    ----------
    quiet : bool, default False
        Show nothing.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live: Any = None
        self._task: Any = None

    def __enter__(self) -> ShownStages:
        if not self._quiet and sys.stderr.isatty():
            self._live = _live_line()
            self._live.start()
            self.begin("starting")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __call__(self, stage: Stage) -> None:
        """Show a moment of a stage."""
        if stage.state == "begin":
            self.begin(stage.name)
        elif stage.state == "advance":
            self._advance(stage)
        elif not self._quiet:
            line = f"{stage.seconds:7.1f} s  {_memory(stage.memory)}  {stage.message}"
            if self._live is None:
                print(line, file=sys.stderr, flush=True)
            else:
                self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def begin(self, name: str) -> None:
        """Show that a stage is on; for work that does not report stages of its own."""
        if self._live is None:
            return
        if self._task is not None:
            self._live.remove_task(self._task)
        self._task = self._live.add_task(_DOING.get(name, name.capitalize()), total=None, how_far="")

    def _advance(self, stage: Stage) -> None:
        if self._live is not None and self._task is not None:
            share = "" if stage.share is None else f"  {stage.share:.0%}"
            self._live.update(self._task, how_far=f"{stage.message}{share}")


def _live_line() -> Any:
    """Make a line that turns and counts seconds by itself, and goes when it is stopped."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    return Progress(
        SpinnerColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description} ...", markup=False),
        TextColumn("{task.fields[how_far]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )


def _memory(n_bytes: int) -> str:
    """The most memory so far, in eight places; Windows does not tell."""
    return f"{n_bytes / 1e6:5,.0f} MB" if n_bytes else " " * 8
