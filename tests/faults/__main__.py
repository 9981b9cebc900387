"""The fault suite: `python tests/faults` (short, seconds) or `python tests/faults --long` (half an hour).

    python tests/faults [--long] [--parts disk damage ...] [--share 0.1] [--results FILE] [--folder FOLDER]

Prints for each part how many cases were tried, how many of them survived (all is right), were refused (by a sentence)
or found a fault, and each fault; exits with 1 if there is one. A long run keeps its counts in FILE and goes on from
there when it is started again. What a part does stands at the top of its module, what it shows in docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).absolute().parent
PARTS = ("disk", "power", "damage", "forged", "facts", "readers", "files", "service")
# cases of a short run; those of a long one are all, or as many
_SHORT = {"disk": 12, "power": 3, "damage": 40, "forged": 16, "facts": 12, "readers": 400, "files": 30, "service": 9}
_LONG = {
    "disk": 1_200,
    "power": 150,
    "damage": 1_500,
    "forged": 1_000,
    "facts": 3_000,
    "readers": 100_000,
    "files": 2_000,
}
_BATCH = 50


def main() -> int:
    """Start the parts that are asked for, in a process with the layer that makes calls fail."""
    asked = _arguments()
    if "FAULTS_FOLDER" in os.environ:
        return _run(asked, Path(os.environ["FAULTS_FOLDER"]))
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir=asked.folder))
    try:
        environment = {**os.environ, "FAULTS_FOLDER": str(folder), "TACIT_CACHE": str(folder / "cache")}
        environment |= {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}  # children are forked
        if layer := _compiled(folder):
            environment["LD_PRELOAD"] = str(layer)
        return subprocess.run([sys.executable, str(HERE), *sys.argv[1:]], env=environment, check=False).returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The fault suite")
    parser.add_argument("--long", action="store_true", help="all cases, not a sample that takes seconds")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS), help="all if not given")
    parser.add_argument("--share", type=float, default=1.0, help="share of the cases")
    parser.add_argument("--results", type=Path, default=Path("fault-counts.jsonl"), help="counts of a long run")
    parser.add_argument("--folder", type=Path, default=_memory_folder(), help="folder for the cases")
    parser.add_argument("--json", type=Path, help="file for counts, faults and parts that cannot run")
    return parser.parse_args()


def _memory_folder() -> Path | None:
    """Return a folder in memory, so that nothing waits for a disk."""
    shared = Path("/dev/shm")
    return shared if shared.is_dir() and os.access(shared, os.W_OK) else None


def _compiled(folder: Path) -> Path | None:
    """Compile the layer; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    layer = folder / "layer.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", layer, HERE / "layer.c", "-ldl"], check=True)
    return layer


def _run(asked: argparse.Namespace, folder: Path) -> int:
    """Run the parts in this process, print the counts and return the exit code."""
    sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
    from sample_index import warm
    from tallies import Tallies

    warm()
    tallies = Tallies(asked.results if asked.long else None)
    skipped = {}
    for name in asked.parts:
        part = _part(name, folder / name)
        if reason := part.cannot_run():
            skipped[name] = reason
            print(f"{name} is not run here: {reason}", flush=True)
            continue
        try:
            _run_part(name, part, asked, tallies)
        finally:
            part.close() if hasattr(part, "close") else None
        for note in getattr(part, "notes", ()):
            print(note, flush=True)
    print(tallies.table())
    for case, what in tallies.faults():
        print(f"found: {case}: {what}")
    if asked.json is not None:
        faults = [[part, *fault] for part in asked.parts for fault in tallies.faults(part)]
        content = {"counts": tallies.counts(), "faults": faults, "skipped": skipped}
        asked.json.write_text(json.dumps(content), encoding="utf-8")
    return 1 if tallies.faults() else 0


def _part(name: str, folder: Path) -> Any:
    folder.mkdir(parents=True)
    if name == "disk":
        from disk_faults import DiskFaults as Part
    elif name == "power":
        from power_cuts import PowerCuts as Part  # type: ignore[assignment]
    elif name == "damage":
        from damage import Damage as Part  # type: ignore[assignment]
    elif name == "forged":
        from graph_cases import ForgedGraphs as Part  # type: ignore[assignment]
    elif name == "facts":
        from forged_facts import ForgedFacts as Part  # type: ignore[assignment]
    elif name == "readers":
        from fuzzed_readers import FuzzedReaders as Part  # type: ignore[assignment]
    elif name == "files":
        from fuzzed_files import FuzzedFiles as Part  # type: ignore[assignment]
    else:
        from service_faults import ServiceFaults as Part  # type: ignore[assignment]
    return Part(folder)


def _run_part(name: str, part: Any, asked: argparse.Namespace, tallies: Any) -> None:
    from judging import isolated, judged

    part.is_long = asked.long
    part.prepare()
    items = _chosen(part.items(), name, asked)
    step = part.batch if asked.long else len(items)
    for start in range(0, len(items), step):
        batch, key = items[start : start + step], f"{start} of {len(items)}"
        if tallies.has(name, key):
            continue
        began = _used()
        if part.in_process:
            outcomes = [judged(part.judge, item, part.seconds) for item in batch]
        else:
            outcomes = isolated(part.judge, batch, seconds=part.seconds)
        tallies.add(name, key, [part.named(item) for item in batch], outcomes, _used() - began)
        if asked.long:
            done = f"{name}: {start + len(batch):,} of {len(items):,}"
            print(
                f"{time.strftime('%H:%M:%S')} {done}, {len(tallies.faults(name)):,} faults", file=sys.stderr, flush=True
            )


def _chosen(items: Sequence[Any], name: str, asked: argparse.Namespace) -> list[Any]:
    """Return the cases to try, evenly from all."""
    wanted = round(asked.share * (_LONG.get(name, len(items)) if asked.long else _SHORT[name]))
    if wanted >= len(items):
        return list(items)
    if name == "disk":  # as many of each command, although some make a hundred times as many calls
        groups: dict[str, list[Any]] = {}
        for item in items:
            groups.setdefault(item[0], []).append(item)
        each = -(-wanted // len(groups))
        return [one for group in groups.values() for one in _evenly(group, each)]
    return _evenly(items, wanted)


def _evenly(items: Sequence[Any], wanted: int) -> list[Any]:
    wanted = min(wanted, len(items))
    return [items[place * len(items) // wanted] for place in range(wanted)]


def _used() -> float:
    """Return the processor time of this process and its children, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
