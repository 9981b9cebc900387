"""Small indexes for the tests of this room, and writers that can be killed at any moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from tacit.corpus import Record
from tacit.index import GenerationWriter, RecordStore, change_generation

N_DIMENSIONS = 4


def record(number: int, *, prefix: str = "r") -> Record:
    """A record that differs from all others in every part."""
    return Record(
        f"{prefix}{number}",
        f"common text about topic{number % 3} and only{prefix}{number}",
        labels=[f"label{number % 2}", f"own{number}"],
        title=f"Title {prefix}{number}",
        links={"author": (f"author{number % 4}", "second"), "cites": ()},
        fields={"year": 1990 + number, "date": f"2024-{number % 12 + 1:02d}-15", "tags": ["a", f"t{number}"]},
    )


def position(number: int) -> np.ndarray:
    return np.arange(N_DIMENSIONS, dtype=np.float32) + number


def build(path: Path, n_records: int = 10, *, version: int = 1) -> Path:
    """Write an index of `n_records`, and give its folder."""
    with GenerationWriter(path) as writer:
        RecordStore.create(writer.path("records.sqlite"), map(record, range(n_records)))
        writer.save_array("positions", np.array([position(number) for number in range(n_records)]))
        writer.save_array("values", np.linspace(1.0, 0.1, N_DIMENSIONS))
        writer.save_facts("vocabulary", ["sea", "storm", "Überschall"])
        writer.finish({"version": version}, {"records": n_records})
    return path


def refit(path: Path, version: int) -> None:
    """Write what is in the index into a new generation, as a refit does."""
    with GenerationWriter(path) as writer, writer.previous() as old:
        records = [found for _, found in old.store.records()]
        RecordStore.create(writer.path("records.sqlite"), records)
        writer.save_array("positions", np.zeros((len(records), N_DIMENSIONS), np.float32))
        writer.save_facts("vocabulary", ["refitted", version])
        writer.finish({"version": version}, {"records": len(records)})


def learn(path: Path, version: int) -> None:
    """Write a few files anew and keep the others, as learning from corrections does."""
    with GenerationWriter(path) as writer, writer.previous() as old:
        writer.save_facts("vocabulary", ["learned", version])
        writer.save_array("learned_positions", np.zeros((2, N_DIMENSIONS), np.float32))
        writer.keep(old, except_for=("arrays/values",))
        writer.finish({"version": version}, old.manifest.counts, fitted_at=old.manifest.created)


def add(path: Path, numbers: range, report: Callable[[str], None]) -> None:
    """Add records two at a time, and report each when it is stored."""
    with change_generation(path) as generation:
        for first in numbers[::2]:
            pair = [record(first, prefix="new"), record(first + 1, prefix="new")]
            generation.store.add(pair, np.array([position(first), position(first + 1)]))
            for stored in pair:
                report(stored.id)


def work(task: str, path: Path, first: int, die_at: int | None, results: Connection) -> None:
    """Do one task in a process of its own; kill it before its `die_at`-th touch of the disk, if that is given."""
    results.send("ready")
    if die_at is not None:
        _die_before(die_at)
    if task == "build":
        build(path, 12, version=2)
    elif task == "refit":
        refit(path, version=2)
    elif task == "learn":
        learn(path, version=2)
    else:
        add(path, range(first, first + 40), results.send)
    results.send("done")


_TOUCHES = {
    "open", "os.link", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "sqlite3.connect",
}  # fmt: skip


def _die_before(event_number: int) -> None:
    """Kill this process when Python opens, makes, links, renames or removes a file for the n-th time."""
    left = event_number

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in _TOUCHES:
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
