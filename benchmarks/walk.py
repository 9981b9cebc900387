"""Which files and functions of Tacit a command goes through: the figures of docs/architecture.md.

    python benchmarks/walk.py            # the three walks, one line per file with its number of functions
    python benchmarks/walk.py --write    # the figures and the picture of docs/architecture.md

A function counts once, however often it is called; class bodies and comprehensions do not count. Each walk runs in a
process of its own, so that what one has loaded or cached does not shorten the next.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from pages import DOCS, table

import tacit

__all__ = ["WALKS", "functions_called"]

ROOMS = ("leaves", "corpus", "text", "relations", "operators", "solve", "models", "index", "tasks", "cli")
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


_PLAIN = ("--no-map", "--suggester", "ridge", "--weight", "words=1", "--weight", "labels=1")

WALKS: dict[str, Callable[[], Any]] = {
    "tacit build": _command("build", "books.csv", "--quiet"),
    "a plain build": _command("build", "books.csv", "--quiet", "-o", "plain.tacit", *_PLAIN),
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
    """Walk, and print or write what was seen."""
    if len(sys.argv) > 1 and sys.argv[1] in WALKS:
        found = functions_called(WALKS[sys.argv[1]])
        print(json.dumps(dict(sorted(Counter(file for file, _ in found).items()))), file=sys.stderr)
        return
    walks = _walks()
    for name, files in walks.items():
        print(f"{name}: {len(files)} files, {sum(files.values())} functions")
        print(*(f"    {file}: {count}" for file, count in files.items()), sep="\n")
    if "--write" in sys.argv:
        page = DOCS / "architecture.md"
        marked = f"<!-- walk: start -->\n{_table(walks)}\n<!-- walk: end -->"
        text = re.sub(r"<!-- walk: start -->.*<!-- walk: end -->", marked, page.read_text("utf-8"), flags=re.DOTALL)
        page.write_text(text, "utf-8")
        _draw(walks, DOCS / "architecture.png")


def _walks() -> dict[str, dict[str, int]]:
    """Return for each walk the files that it goes through, with their number of functions."""
    walks = {}
    with tempfile.TemporaryDirectory() as place:
        _write_books(Path(place, "books.csv"))
        for name in WALKS:
            program = [sys.executable, str(Path(__file__).resolve()), name]
            done = subprocess.run(program, cwd=place, capture_output=True, text=True, check=True)
            walks[name] = json.loads(done.stderr.splitlines()[-1])
    return walks


def _by_room(files: dict[str, int]) -> Counter[str]:
    rooms: Counter[str] = Counter()
    for file, count in files.items():
        rooms[file.split("/")[0] if "/" in file else "leaves"] += count
    return rooms


def _table(walks: dict[str, dict[str, int]]) -> str:
    header = ("walk", "files", "functions", *ROOMS)
    rows = [
        (f"`{name}`", len(files), sum(files.values()), *(_by_room(files)[room] or "" for room in ROOMS))
        for name, files in walks.items()
    ]
    return table(header, rows)


def _draw(walks: dict[str, dict[str, int]], path: Path) -> None:
    """Draw the rooms from left to right, and below them how many functions of each room a walk goes through."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(11, 3.4), layout="constrained")
    for place, room in enumerate(ROOMS):
        box = {"boxstyle": "round,pad=0.4", "facecolor": "#e0f2f1", "edgecolor": "#00796b"}
        axes.text(place, 0, room, ha="center", va="center", fontsize=9, bbox=box)
    for height, (name, files) in enumerate(walks.items(), 1):
        rooms = _by_room(files)
        shown = [(place, rooms[room]) for place, room in enumerate(ROOMS) if rooms[room]]
        places, heights = [place for place, _ in shown], [-height] * len(shown)
        axes.plot(places, heights, color="#90a4ae", zorder=1)
        axes.scatter(places, heights, s=[60 + 9 * count for _, count in shown], color="#00796b", zorder=2)
        for place, count in shown:
            axes.text(place, -height, str(count), ha="center", va="center", color="white", fontsize=8, zorder=3)
        title = f"{name}\n{len(files)} files, {sum(files.values())} functions"
        axes.text(-0.7, -height, title, ha="right", va="center", fontsize=9)
    axes.set(xlim=(-2.6, len(ROOMS) - 0.4), ylim=(-len(walks) - 0.7, 0.5))
    axes.axis("off")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
