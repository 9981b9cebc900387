"""The whole demonstration as people type it, run once for the tests that look at what it prints and leaves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

__all__ = ["QUERIES", "DemoRun", "run_demo"]

QUERIES = ("read a [bold]zip[/bold] file", "e-mail")


class DemoRun(NamedTuple):
    """The process with its output, the folder it ran in, and the seconds it kept a processor busy."""

    done: subprocess.CompletedProcess[str]
    folder: Path
    seconds: float


def run_demo(folder: Path) -> DemoRun:
    """Run `tacit demo` in a folder, with two queries of three answers each."""
    import resource  # Windows has none, and other tests run there

    asked = [part for query in QUERIES for part in ("--query", query)]
    command = [sys.executable, "-m", "tacit", "demo", *asked, "--limit", "3", "--json"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return DemoRun(done, folder, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
