"""Size, in one run: `python benchmarks/size.py [row ...] [--records N] [--memory SIZE]`.

| row       | work                                                              | should be                        |
|-----------|-------------------------------------------------------------------|----------------------------------|
| constants | a build of N records of finna with a limit, seconds by stage      | the constants of `tacit estimate`|
| memory    | `tacit build --memory`, peak memory, against no limit             | limit kept, at most 1.5 x        |
| loss      | suggestions and search for test records, with the limit, without  | as good                          |
| kills     | twenty builds of 5,000 records, killed at random and resumed      | the same index, bit for bit      |
| cluster   | two Dask workers against one process with the same limit          | at most 1.5 x, same top ten, 99 %|
| add       | half of the records added to an index of the other half           | 100,000 in a minute              |
| spread    | 100 million and a billion records, simulated                      |                                  |

Builds run as commands in processes of their own. Needs TACIT_DATA. Times are seconds of a core: other work on the
machine does not count.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import itertools
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.build.stages.estimate import Sketch, estimate_build, sketch, spread
from tacit.tasks.build.stages.plan import parse_memory
from tacit.text.settings import TextSettings

__all__ = ["main"]

ROWS = ("constants", "memory", "loss", "kills", "cluster", "add", "spread")
_TESTED, _KILLS, _KILLED, _ASKED, _PARTS = 2_000, 20, 5_000, 1_000, 8
_SETTINGS = BuildSettings(text=TextSettings(stem=True))


def main() -> None:
    """Run the rows and print what was seen."""
    parser = argparse.ArgumentParser(description="Size")
    parser.add_argument("rows", nargs="*", default=["constants", "spread"])
    parser.add_argument("--data-dir", type=Path, default=Path(os.environ.get("TACIT_DATA", ".")))
    parser.add_argument("--folder", type=Path, help="where indexes are written and found again")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--memory", default="800MB")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for row in asked.rows:
            if row not in ROWS:
                parser.error(f"no row is called {row!r}: expected some of {', '.join(ROWS)}")
            found = globals()[f"_{row}"](asked.data_dir / "finna", folder, asked.records, asked.memory)
            print(row, time.strftime("%Y-%m-%d"), json.dumps(found), flush=True)


def _lines(finna: Path, folder: Path, n_records: int) -> Path:
    path = folder / f"finna-{n_records}.tsv"
    if not path.exists():
        with gzip.open(finna / "finna-train.tsv.gz", "rt", encoding="utf-8") as source, path.open("w") as target:
            target.writelines(itertools.islice(source, n_records))
    return path


def _command(finna: Path, source: Path, index: Path, *options: str) -> list[str]:
    names = ["--vocabulary", str(finna / "yso-en.tsv.gz"), "--stem"]
    return [sys.executable, "-m", "tacit", "build", str(source), "-o", str(index), *names, *options]


def _built(command: list[str]) -> dict[str, Any]:
    """Run a build; return its costs."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    del before
    cpu = used.ru_utime + used.ru_stime
    wall = time.perf_counter() - start
    return {"seconds": round(wall, 1), "cpu": round(cpu, 1), "peak_mb": round(used.ru_maxrss * 1024 / 1e6)}


def _memory(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Build with a limit and without."""
    source = _lines(finna, folder, n_records)
    limited = _built(_command(finna, source, folder / "limited.tacit", "--replace", "--memory", memory))
    free = _built(_command(finna, source, folder / "free.tacit", "--replace"))
    ratio = round(limited["cpu"] / free["cpu"], 2)
    kept = limited["peak_mb"] * 1e6 <= parse_memory(memory)
    return {"records": n_records, "limit": memory, "kept": kept, "limited": limited, "free": free, "ratio": ratio}


def _cluster(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Build from parts with two worker processes and with one process, and ask both the same."""
    source, parts = _lines(finna, folder, n_records), folder / f"parts-{n_records}"
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    parts.mkdir(exist_ok=True)
    for number in range(_PARTS):
        some = lines[len(lines) * number // _PARTS : len(lines) * (number + 1) // _PARTS]
        (parts / f"part-{number}.tsv").write_text("".join(some), encoding="utf-8")
    found: dict[str, Any] = {"records": n_records, "limit": memory}
    for name, options in (("workers", ["--cluster", "local:2"]), ("one", [])):
        index = folder / f"{name}.tacit"
        found[name] = _built(_command(finna, parts, index, "--replace", "--memory", memory, *options))
    found["ratio"] = round(found["workers"]["seconds"] / found["one"]["seconds"], 2)
    return found | _same_answers(finna, folder / "one.tacit", folder / "workers.tacit")


def _same_answers(finna: Path, one: Path, other: Path) -> dict[str, Any]:
    """Return for which shares of texts that none of two indexes has these find and suggest the same."""
    import tacit

    with gzip.open(finna / "finna-test.tsv.gz", "rt", encoding="utf-8") as file:
        texts = [line.partition("\t")[0] for line in itertools.islice(file, 2 * _ASKED)]
    with tacit.open(one) as first, tacit.open(other) as second:
        known = [text for text in texts if first.space.place([text]).any()][:_ASKED]
        tops = [[[hit.record.id for hit in index.search(q, by="meaning")] for q in known] for index in (first, second)]
        suggested = [[[each.label for each in one] for one in index.suggest(known)] for index in (first, second)]
    return {
        "asked": len(known),
        "same top ten": round(float(np.mean([a == b for a, b in zip(*tops, strict=True)])), 4),
        "same suggestions": round(float(np.mean([a == b for a, b in zip(*suggested, strict=True)])), 4),
    }


def _add(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Build an index of the first half of the records, and add the others."""
    lines = _lines(finna, folder, n_records).read_text(encoding="utf-8").splitlines(keepends=True)
    first, more, index = folder / "first.tsv", folder / "more.tsv", folder / "added.tacit"
    first.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    more.write_text("".join(lines[len(lines) // 2 :]), encoding="utf-8")
    _built(_command(finna, first, index, "--replace", "--suggester", "none"))
    added = _built([sys.executable, "-m", "tacit", "add", str(index), str(more)])
    shown = [sys.executable, "-m", "tacit", "info", str(index), "--json"]
    facts = json.loads(subprocess.run(shown, capture_output=True, check=True).stdout)
    return {"added": facts["added"], **added, "drift": facts["drift"]}


def _loss(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Return the quality of answers of the two indexes of the row `memory`, for records that none of them has."""
    import tacit

    with gzip.open(finna / "finna-test.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition("\t") for line in itertools.islice(file, _TESTED)]
    texts, truth = [text for text, _, _ in lines], [{uri[1:-1] for uri in uris.split()} for _, _, uris in lines]
    discount, found = 1 / np.log2(np.arange(2, 12)), {}
    for name in ("limited", "free"):
        with tacit.open(folder / f"{name}.tacit") as index:
            suggested = [one for some in range(0, len(texts), 500) for one in index.suggest(texts[some : some + 500])]
            gains, shares = [], []
            for one, text, labels in zip(suggested, texts, truth, strict=True):
                right = np.array([each.label in labels for each in one[:5]] + [False] * 5)[:5]
                gains.append(float(right @ discount[:5] / discount[: min(5, len(labels))].sum()))
                near = []
                with contextlib.suppress(tacit.InputError):  # a text of no known word
                    near = [set(hit.record.labels) for hit in index.search(text, by="meaning", limit=10)]
                overlap = [len(one & labels) / len(one | labels) for one in near] + [0.0] * 10
                shares.append(float(np.array(overlap[:10]) @ discount / discount.sum()))
        error = round(float(np.std(gains) / len(gains) ** 0.5), 4)
        found[name] = {
            "nDCG@5": round(float(np.mean(gains)), 4),
            "±": error,
            "search": round(float(np.mean(shares)), 4),
        }
    return {"records": n_records, "limit": memory, "asked": len(texts), **found}


def _constants(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Return seconds of a core of each stage, and of each unit of what it works on."""
    from tacit.corpus import read_records
    from tacit.relations.taxonomy.taxonomy import Taxonomy
    from tacit.tasks.build.build import build
    from tacit.tasks.stage_progress import StageEvent

    source, index = _lines(finna, folder, n_records), folder / "constants.tacit"
    began, stages, peaks = time.process_time(), dict[str, float](), dict[str, float]()

    def report(event: StageEvent) -> None:
        nonlocal began
        if event.state == "begin":
            began = time.process_time()
        elif event.state == "end":
            stages[event.name] = stages.get(event.name, 0.0) + time.process_time() - began
            peaks[event.name] = round(event.memory / 1e6)

    names = Taxonomy.from_file(finna / "yso-en.tsv.gz")
    given: dict[str, Any] = {"taxonomy": names, "memory": memory, "replace_old": True, "report": report}
    build(read_records(source), index, _SETTINGS, **given)
    whole = _whole(source)
    cost = estimate_build(whole, _SETTINGS, parse_memory(memory))
    expected = {stage.name: round(stage.seconds, 1) for stage in cost.stages}
    size = sum(file.stat().st_size for file in index.rglob("*") if file.is_file())
    seen = {name: round(seconds, 1) for name, seconds in stages.items()}
    units = _units(whole, cost, n_records)
    constants = {name: float(f"{stages[name] / units[name]:.2g}") for name in units if name in stages}
    disk = {"disk": size, "expected_disk": round(cost.disk)}
    return {"cpu": seen, "expected": expected, "peak_mb": peaks, "constants": constants, **disk}


def _whole(source: Path) -> Sketch:
    from tacit.corpus import read_records

    done = [(0, 1.0)]
    reading = read_records(source, progress=lambda n, part: done.append((n, part)))
    return sketch(reading, _SETTINGS, lambda: done[-1])


def _units(whole: Sketch, cost: Any, n: int) -> dict[str, float]:
    k, use = cost.n_dimensions, cost.limits
    return {
        "reading": whole.n_bytes / 1e6,
        "words": whole.n_entries / 1e6,
        "weights": 1.0,
        "space": use.n_fitted * k / 1e6,
        "placing": n * k * (k + whole.n_entries / n) / 1e9,
        "suggester": min(use.n_asked, n) / 1e3,
        "neighbours": n * k / 1e6,
        "map": n / 1e3,
        "writing": cost.disk / 1e9,
    }


def _kills(finna: Path, folder: Path, n_records: int, memory: str) -> dict[str, Any]:
    """Kill builds at random moments, go on with them, and compare the indexes."""
    source = _lines(finna, folder, min(n_records, _KILLED))
    options = ("--resume", "--memory", memory, "--suggester", "neighbours")
    start = time.perf_counter()
    whole = folder / "whole.tacit"
    shutil.rmtree(whole, ignore_errors=True)
    _built(_command(finna, source, whole, *options))
    seconds, generator = time.perf_counter() - start, random.Random(0)
    same = gone_on = 0
    for number in range(_KILLS):
        path = folder / f"killed-{number}.tacit"
        process = subprocess.Popen(
            _command(finna, source, path, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(generator.uniform(0, seconds))
        process.send_signal(signal.SIGKILL)
        process.wait()
        gone_on += bool(list(path.glob("*.work/state.json")))
        if not (path / "CURRENT").exists():
            _built(_command(finna, source, path, *options))
        same += _content(path) == _content(whole)
        shutil.rmtree(path)
    return {"kills": _KILLS, "with a finished stage": gone_on, "same": same, "seconds of a build": round(seconds, 1)}


def _content(path: Path) -> dict[str, Any]:
    """Return what an index holds, but for the times in its manifest."""
    folder = path / (path / "CURRENT").read_text().strip()
    files = [file for file in folder.rglob("*") if file.is_file() and file.parent != folder]
    manifest = json.loads((folder / "manifest.json").read_text())
    with contextlib.closing(sqlite3.connect(folder / "records.sqlite")) as store:
        rows = [store.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in ("records", "labels")]
    arrays = {file.name: file.read_bytes() for file in files}
    return {**arrays, "settings": manifest["settings"], "counts": manifest["counts"], "rows": rows}


def _spread(finna: Path, folder: Path, n_records: int, memory: str) -> list[dict[str, Any]]:
    """Simulate builds of many shards."""
    whole = _whole(_lines(finna, folder, n_records))
    return [{"records": n, **each} for n, each in _simulated(whole)]


def _simulated(whole: Sketch) -> Iterator[tuple[int, dict[str, Any]]]:
    for n, machines in ((10**8, 1), (10**8, 5), (10**9, 10), (10**9, 50)):
        yield n, spread(whole, _SETTINGS, n, n_machines=machines, n_cores=4).to_facts()


if __name__ == "__main__":
    main()
