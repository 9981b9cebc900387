"""What the checks of an index cost: opening and searching, with them and as it was before there were any.

    python benchmarks/checks_cost.py [--records 1000000] [--keep FOLDER] [--rounds 5] [--questions 200]

The same made index (that of `index_load.py`) is opened and asked by two versions of Tacit in turns, each time in a new
process: this tree, and the last commit before files were compared with their checksums when they are read. Figures are
medians over the rounds, of seconds by the clock and of the processor, and their ratio; the last one should stay below
1.05. In the first opening after a copy all bytes are compared once, so it has a line of its own; whole searches do more
today than then (they correct what was mistyped, for instance), so they are shown and do not count. Other work on the
machine disturbs both versions alike, the more rounds the more alike.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from index_load import make_index, questions
from pages import facts, table

from tacit.tasks.collection import open_index

__all__ = ["main", "measure_in_turns"]

_ROOT = Path(__file__).resolve().parents[1]
_BEFORE = "059cff24"  # the parent of the commit that compares an index with its checksums before it is used
_MOST = 1.05
_ASKED = """
import json, sys, time
from tacit.tasks.collection import open_index
def now():
    return time.perf_counter(), time.process_time()
def since(start, times=1):
    return [(b - a) / times for a, b in zip(start, now())]
texts, took, start = json.loads(sys.argv[2]), {}, now()
index = open_index(sys.argv[1])
took["opening"] = since(start)
start = now()
places = index.space.place(texts)
found = index.positions.nearest(places[0], 10)[0]
took["words read, and the first ten nearest"] = since(start)
def timed(name, ask, things):
    for thing in things[:10]:
        ask(thing)
    start = now()
    for thing in things:
        ask(thing)
    took[name] = since(start, len(things))
timed("ten nearest", lambda place: index.positions.nearest(place, 10), places)
timed("by words", lambda text: index.store.words(text, 10), texts)
timed("ten records read", lambda number: index.store.get(range(number, number + 10)), list(range(len(texts))))
for by in ("meaning", "words", "hybrid"):
    timed("search by " + by, lambda text: index.search(text, by=by), texts)
print(json.dumps(took))
"""
_WITH_MORE = "search"  # begins the names of what does more today than it did: a search corrects what was mistyped


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the index, measure both versions in turns, print, and return 1 if the checks cost too much."""
    parser = argparse.ArgumentParser(description="Measure what the checks of an index cost.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--dimensions", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="folder of the index, used again if it is there")
    parser.add_argument("--before", default=_BEFORE, help="commit to compare with")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = asked.keep or Path(made) / "load.tacit"
        if not (folder / "CURRENT").exists():
            make_index(folder, asked.records, asked.dimensions)
        before = _source_of(asked.before, Path(made) / "before")
        with open_index(folder) as index:
            texts = questions(index, asked.questions)
        found = measure_in_turns(folder, before, texts, rounds=asked.rounds)
    rows = [_row(name, *found[name]) for name in found]
    print(table(("what", "before, ms", "now, ms", "ratio", "processor before", "processor now", "ratio "), rows))
    print(
        f"\nMedians of {asked.rounds} rounds in turns, {asked.records:,} records; before is {asked.before}. {facts()}"
    )
    compared = [row for row in rows if row[0] != _AFRESH and not row[0].startswith(_WITH_MORE)]
    return int(any(float(row[-1]) > _MOST for row in compared))


_AFRESH = "first opening after a copy"
Seconds = list[list[float]]  # by the clock and of the processor, of each round


def measure_in_turns(
    folder: Path, before: Path, texts: list[str], *, rounds: int
) -> dict[str, tuple[Seconds, Seconds]]:
    """Return for each thing that is timed what it took before, and what it takes now, in each round."""
    found: dict[str, tuple[Seconds, Seconds]] = {}
    with tempfile.TemporaryDirectory() as cache:
        now = _ROOT / "src"
        for source in (before, now):  # reads the files into memory, and compares them once
            first = _asked(source, folder, texts[:10], cache)
            found.setdefault(_AFRESH, ([], []))[int(source == now)].append(first["opening"])
        for turn in range(rounds):
            for source in (before, now) if turn % 2 else (now, before):
                for name, seconds in _asked(source, folder, texts, cache).items():
                    found.setdefault(name, ([], []))[int(source == now)].append(seconds)
    return found


def _asked(source: Path, folder: Path, texts: list[str], cache: str) -> dict[str, list[float]]:
    """Open and ask an index in a process of its own, with the library in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(source), "TACIT_CACHE": cache}
    command = [sys.executable, "-c", _ASKED, str(folder), json.dumps(texts)]
    took: dict[str, list[float]] = json.loads(subprocess.check_output(command, env=environment))
    return took


def _source_of(commit: str, folder: Path) -> Path:
    """Write the library as it was at a commit, and return the folder to import it from."""
    packed = subprocess.check_output(["git", "-C", str(_ROOT), "archive", commit, "src"])
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def _row(name: str, before: Seconds, now: Seconds) -> list[str]:
    """Return a line: medians in milliseconds and their ratios, by the clock and of the processor."""
    cells = [name]
    for kind in (0, 1):
        one, other = (median(seconds[kind] for seconds in each) for each in (before, now))
        cells += [f"{1000 * one:.2f}", f"{1000 * other:.2f}", f"{other / one:.3f}"]
    return cells


if __name__ == "__main__":
    sys.exit(main())
