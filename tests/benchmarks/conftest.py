"""What the tests of the benchmarks share: their modules can be imported, at their smallest size, and are forgotten."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def _benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(BENCHMARKS / "studies"))
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "small")


@pytest.fixture(autouse=True, scope="module")
def _leave_no_modules_behind() -> Iterator[None]:
    """Forget the benchmarks' modules afterwards: their names are plain and others may want them."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(BENCHMARKS):
            del sys.modules[name]
