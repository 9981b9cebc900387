"""Which files and functions of Tacit a command goes through: the figures of docs/architecture.md.

    python benchmarks/walk.py            # the three walks, one line per file with its functions

A function counts once, however often it is called; class bodies and comprehensions do not count. Each walk runs in a
process of its own, so that what one has loaded or cached does not shorten the next.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import tacit

__all__ = ["WALKS", "functions_called"]

_ROOT = str(Path(tacit.__file__).resolve().parent)
_OPTIMISED = 1  # a flag of code objects that functions have and class bodies have not


def functions_called(work: Callable[[], Any]) -> set[tuple[str, str]]:
    """Run `work` and return file and qualified name of every function of Tacit that it called, in all threads."""
    seen: set[tuple[str, str]] = set()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        is_function = code.co_flags & _OPTIMISED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(_ROOT):
            seen.add((code.co_filename[len(_ROOT) + 1 :], code.co_qualname))

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        work()
    except SystemExit:
        pass
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen


def _command(*arguments: str) -> Callable[[], Any]:
    def work() -> None:
        from tacit.cli.app import main

        sys.argv = ["tacit", *arguments]
        main()

    return work


def _fit() -> None:
    import numpy as np
    import scipy.sparse as sp

    rng = np.random.default_rng(0)
    X = sp.random_array((3_000, 2_000), density=0.01, rng=rng, format="csr")
    tacit.MLSI(20).fit_transform(X, (rng.random((3_000, 20)) < 0.1).astype(int))


WALKS: dict[str, Callable[[], Any]] = {
    "tacit build": _command("build", "books.csv", "--quiet"),
    "tacit search": _command("search", "books.tacit", "whale"),
    "MLSI().fit_transform": _fit,
}


def _write_books(path: Path) -> None:
    """Write 300 records on three subjects, some with two, in the order in which a counter deals the words."""
    subjects = {
        "sea": ["ship", "wave", "whale", "harbour", "fish", "sail", "storm", "anchor"],
        "home": ["lamp", "kitchen", "garden", "chair", "table", "door", "window", "roof"],
        "road": ["wheel", "engine", "bridge", "lorry", "tyre", "lane", "signal", "fuel"],
    }
    names = list(subjects)
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "title", "text", "subjects"])
        for number in range(300):
            chosen = [names[number % 3], *([names[number // 3 % 3]] if number % 4 == 0 else [])]
            words = [
                subjects[name][(number * (7 + place) + place * place) % 8] for name in chosen for place in range(12)
            ]
            rows.writerow([f"b{number}", " ".join(words[:3]), " ".join(words), "; ".join(dict.fromkeys(chosen))])


def main() -> None:
    """Walk, and print what was seen."""
    if len(sys.argv) > 1:
        found = functions_called(WALKS[sys.argv[1]])
        files = Counter(file for file, _ in found)
        print(f"{len(files)} files, {len(found)} functions", file=sys.stderr)
        print(*(f"    {file}: {count}" for file, count in sorted(files.items())), sep="\n", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as place:
        _write_books(Path(place, "books.csv"))
        for name in WALKS:
            program = [sys.executable, str(Path(__file__).resolve()), name]
            done = subprocess.run(program, cwd=place, capture_output=True, text=True, check=True)
            print(f"{name}: {done.stderr}")


if __name__ == "__main__":
    main()
