"""What the tests of the benchmarks share: their modules can be imported, at their smallest size, and are forgotten."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(BENCHMARKS / "studies"))
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "small")


@pytest.fixture
def jobs_here(_benchmarks_on_the_path: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run jobs in this process: to load the libraries takes far longer than a small job, and other tests do."""
    runs, jobs = (importlib.import_module(name) for name in ("runs", "jobs"))

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        name, folder, options = command[-3:]  # what stands before sets limits
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            jobs.main(name, Path(folder), json.loads(options))
        return subprocess.CompletedProcess(command, 0, printed.getvalue(), "")

    monkeypatch.setattr(runs, "subprocess", SimpleNamespace(run=run))


@pytest.fixture(autouse=True, scope="module")
def _leave_no_modules_behind() -> Iterator[None]:
    """Forget the benchmarks' modules afterwards: their names are plain and others may want them."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(BENCHMARKS):
            del sys.modules[name]
