"""Progress of long work: a live line on a terminal, one line per stage in a pipe, nothing with --quiet."""

from __future__ import annotations

import sys
import textwrap
from types import TracebackType
from typing import TYPE_CHECKING, Any

from tacit.cli.common.terminal import console, wrap_output
from tacit.display import doing

if TYPE_CHECKING:
    from tacit.datasets.fetching import Download
    from tacit.tasks.stage_progress import StageEvent

__all__ = ["ShownStages"]


class ShownStages:
    """Shows the stages that a task reports, on standard error; use it in a `with` block and pass it as `report`.

    On a terminal the current stage has a line with a spinner and its time; when it ends, one line stays, with the time
    it took and the largest memory so far. In a pipe there are only the lines that stay.

    If `quiet`, nothing is shown.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live: Any = None
        self._task: Any = None
        self._stage = ""

    def __enter__(self) -> ShownStages:
        if not self._quiet and sys.stderr.isatty():
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            texts = [TextColumn(text, markup=False) for text in ("{task.description} ...", "{task.fields[how_far]}")]
            columns = (SpinnerColumn(), TimeElapsedColumn(), *texts)
            self._live = Progress(*columns, console=console(stderr=True), transient=True)
            self._live.start()
            wrap_output()  # rich puts streams of its own in place, so that prints do not run through the live line
            self.begin("starting")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def __call__(self, stage: StageEvent) -> None:
        """Show one report of a stage."""
        if self._quiet:
            return
        if stage.state == "begin":
            self.begin(stage.name)
        elif stage.state == "advance":
            self.advance(stage.name, stage.message, stage.share)
        else:
            memory = f"{stage.memory / 1e6:5,.0f} MB" if stage.memory else " " * 8  # Windows does not report it
            self._write(f"{stage.seconds:7.1f} s  {memory}  ", stage.message)

    def begin(self, name: str) -> None:
        """Show that a stage begins; for work that does not report stages itself."""
        self._stage = name
        if self._live is None:
            return
        if self._task is not None:
            self._live.remove_task(self._task)
        self._task = self._live.add_task(doing(name), total=None, how_far="")

    def advance(self, name: str, message: str, share: float | None = None) -> None:
        """Show how far a stage is; it begins if another one was shown."""
        if name != self._stage:
            self.begin(name)
        if self._live is not None and self._task is not None:
            self._live.update(self._task, how_far=message if share is None else f"{message}  {share:.0%}")

    def records_read(self, n_records: int, share: float) -> None:
        """Show how far the records are read."""
        if not self._quiet:
            self.advance("reading", f"{n_records:,} records", share)

    def download(self, download: Download) -> None:
        """Show how far a download is: a stage per file."""
        of = "" if download.n_files == 1 else f" ({download.number} of {download.n_files})"
        name = f"downloading {download.file}{of}"
        if name != self._stage and self._live is None:
            self._write(f"    {name}")
        total = "" if download.total is None else f" of {download.total / 1e6:.1f}"
        self.advance(name, f"{download.done / 1e6:.1f}{total} MB")

    def _write(self, start: str, message: str = "") -> None:
        """Write a line that stays; on a terminal what does not fit is continued below its message."""
        if self._live is None:
            print(f"{start}{message}", file=sys.stderr, flush=True)
            return
        width, indent = max(self._live.console.width, len(start) + 20), " " * len(start)
        line = textwrap.fill(message, width, initial_indent=start, subsequent_indent=indent) if message else start
        self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
