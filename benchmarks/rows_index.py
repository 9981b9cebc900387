"""Row of `compare`: a whole index against scikit-learn on the same texts, and how long the command takes to begin."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from comparison import Comparison, repeats
from jobs_index import made_records, save_records
from runs import Job, Run, run_interleaved

from tacit.datasets import read_dataset

__all__ = ["compare_index"]

_DATA = "TACIT_DATA"  # where the data sets are, as `read_dataset` looks for them
_STAGES = ("reading", "words", "space", "suggester", "neighbours", "writing")


def compare_index(folder: Path, *, small: bool) -> Comparison:
    """Compare building an index with decomposing and classifying, and `tacit --help` with a bare Python."""
    n_components = 10 if small else 100
    records, name = _collection(small)
    n_records = save_records(folder, records)
    ours, peer = "index: read, MLSI, suggester, write", "scikit-learn: TF-IDF, TruncatedSVD, LinearSVC"
    jobs = {
        ours: Job("build_index", {"n_components": n_components}),
        peer: Job("svd_and_svc", {"n_components": n_components}),
    }
    runs = run_interleaved(folder, jobs, repeats=repeats(small))
    found = Comparison(
        "A complete index, and the command line",
        f"{name}, {n_records:,} records, k = {n_components}. Tacit reads the records from a file (JSON Lines) and "
        "ends with an index on disk; scikit-learn gets the texts in memory, and keeps its results there. Seconds of "
        "`tacit --help` are in addition to those of starting Python, medians of ten.",
        held="texts",
    )
    found.add("time of the index / time of scikit-learn", runs[ours].seconds / runs[peer].seconds, at_most=2)
    helping = _seconds_of_help(3 if small else 10)
    found.add("seconds of tacit --help", helping, at_most=0.3)
    found.add_run(ours, runs[ours], _stages(runs[ours]))
    found.add_run(peer, runs[peer])
    return found


def _collection(small: bool) -> tuple[object, str]:
    if small:
        return made_records(300), "Made"
    if not os.environ.get(_DATA):
        return made_records(20_000), f"Made, since {_DATA} is not set"
    return read_dataset("reuters21578"), "Reuters-21578"


def _stages(took: Run) -> str:
    """Say how long each stage of the last run took; one that is left out has no seconds."""
    names = _STAGES if len(took.result) == len(_STAGES) else [name for name in _STAGES if name != "neighbours"]
    pairs = zip(names, took.result, strict=False)
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in pairs)


def _seconds_of_help(n_times: int) -> float:
    """Beyond a bare start, each in turn."""
    commands = [[sys.executable, "-c", "pass"], [sys.executable, "-m", "tacit", "--help"]]
    took: list[list[float]] = [[], []]
    for _ in range(n_times):
        for seconds, command in zip(took, commands, strict=True):
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(time.perf_counter() - start)
    return median(took[1]) - median(took[0])
