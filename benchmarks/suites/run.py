"""The suites without asv, time, peak memory and quality side by side: `python benchmarks/suites/run.py [name ...]`.

A name is that of a suite (`Space`, `BlockProduct` …) or of its file (`models`); all are run by default. The size is
that of TACIT_BENCH_PROFILE. Time is the best of three; memory is the peak beyond what the suite had before.
"""

from __future__ import annotations

import importlib
import inspect
import itertools
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__: list[str] = []  # no suite: asv looks for none here

_FOLDER = Path(__file__).resolve().parent
_NO_SUITES = ("__init__", "profiles", "run")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the suites asked for and print a table of them."""
    for folder in (_FOLDER.parent, _FOLDER.parents[1] / "src"):
        sys.path.insert(0, str(folder))
    from pages import facts, table

    wanted = set(sys.argv[1:] if arguments is None else arguments)
    suites = list(_suites())
    unknown = sorted(wanted - {name for file, suite in suites for name in (file, suite.__name__)})
    if unknown:
        known = ", ".join(sorted({name for file, suite in suites for name in (file, suite.__name__)}))
        sys.exit(f"name is unknown: got {unknown[0]!r}, expected one of {known}.")
    chosen = [suite for file, suite in suites if not wanted or wanted & {file, suite.__name__}]
    rows = [row for suite in chosen for row in _run(suite)]
    print(table(("suite", "parameters", "what", "seconds", "MiB more", "quality"), rows))
    print(f"\n{facts()}")


def _suites() -> Iterator[tuple[str, type[Any]]]:
    for path in sorted(_FOLDER.glob("*.py")):
        if path.stem not in _NO_SUITES:
            module = importlib.import_module(f"suites.{path.stem}")
            for name in module.__all__:
                yield path.stem, getattr(module, name)


def _run(suite: type[Any]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Give a line for everything that a suite measures: methods that differ in their kind only share one."""
    methods = [name for name, _ in inspect.getmembers(suite, inspect.isfunction)]
    works = sorted({name.split("_", 1)[1] for name in methods if name.startswith(("time_", "peakmem_"))})
    qualities = [name for name in methods if name.startswith("track_")]
    for values in itertools.product(*suite.params):
        one, shown = suite(), ", ".join(map(str, values))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small collection may have fewer dimensions than asked for
            one.setup(*values)
            for work in works:
                seconds = _seconds(getattr(one, f"time_{work}", None), values)
                more = _more_memory(getattr(one, f"peakmem_{work}", None), values)
                yield suite.__name__, shown, work.replace("_", " "), seconds, more, ""
            for name in qualities:
                quality = f"{getattr(one, name)(*values):.3g}"
                yield suite.__name__, shown, name.removeprefix("track_").replace("_", " "), "", "", quality
            getattr(one, "teardown", lambda *_: None)(*values)


def _seconds(work: Callable[..., Any] | None, values: Sequence[Any]) -> str:
    if work is None:
        return ""
    took = []
    for _ in range(3):
        start = time.perf_counter()
        work(*values)
        took.append(time.perf_counter() - start)
    return f"{min(took):.3f}"


def _more_memory(work: Callable[..., Any] | None, values: Sequence[Any]) -> str:
    if work is None:
        return ""
    from measuring import give_back, memory, reset_peak

    give_back()
    reset_peak()
    before = memory("VmRSS")
    work(*values)
    return f"{max(0, memory('VmHWM') - before) / 2**20:.1f}"


if __name__ == "__main__":
    main()
