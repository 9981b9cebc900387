"""Pages that say when, with what and on which kind of machine a number was measured.

An undated number outlives its truth, so every section carries its facts. A page is made of sections, one a question,
and a run replaces only its own: the others keep what they say and the date at which it was true.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["DOCS", "facts", "mean_and_spread", "put_section", "table"]

DOCS = Path(__file__).resolve().parents[1] / "docs"
_LIBRARIES = ("numpy", "scipy", "scikit-learn")
_FASTER = ("llvmlite",)  # extras that change how long things take, where they are
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# as it was at the start, when libraries read it: Dask sets it later, for its workers
_THREADS = next((os.environ[name] for name in _LIMITS if name in os.environ), "as many as cores")


def facts(libraries: Sequence[str] = ()) -> str:
    """Give date, versions and machine in one sentence; of the machine only its cores and its memory.

    `libraries` are named beside those that always take part.
    """
    there = [name for name in _FASTER if _is_there(name)]
    versions = ", ".join(f"{name} {version(name)}" for name in (*_LIBRARIES, *there, *libraries))
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"Measured on {date.today().isoformat()} with Tacit {_tacit_version()}, Python {platform.python_version()}, "
        f"{versions}; {os.cpu_count()} cores, {gigabytes:.0f} GiB of memory, threads: {_THREADS}."
    )


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a Markdown table whose columns line up, so that it reads as well in a terminal."""
    cells = [list(header), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def mean_and_spread(values: Sequence[float]) -> str:
    """Write the mean and the standard deviation over repeats, e.g. '0.674 ± 0.012'."""
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)) ** 0.5
    return f"{mean:.3f} ± {spread:.3f}"


def put_section(page: Path, name: str, text: str, *, head: str, order: Sequence[str]) -> None:
    """Write one section of a page, between its markers; the other sections stay, all in the given order."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    sections = dict(re.findall(r"^<!-- section: (\w+) -->\n(.*?)\n<!-- end -->$", old, flags=re.MULTILINE | re.DOTALL))
    sections[name] = text.strip()
    marked = [f"<!-- section: {key} -->\n{sections[key]}\n<!-- end -->" for key in order if key in sections]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n\n".join([head.strip(), *marked]) + "\n", encoding="utf-8")


def _tacit_version() -> str:
    return version("tacit") if _is_there("tacit") else "from source"


def _is_there(library: str) -> bool:
    try:
        version(library)
    except PackageNotFoundError:
        return False
    return True
