"""Runs jobs in processes of their own, in turn, so that a busy minute of the machine falls on all of them alike."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

__all__ = ["Job", "Run", "run", "run_interleaved"]

_SCRIPT = Path(__file__).with_name("jobs.py")
_LIMITING = Path(__file__).with_name("measuring.py")


@dataclass(frozen=True)
class Job:
    """A job of `jobs.py` with its options, and what its process finds in the environment beside what is there."""

    name: str
    options: Mapping[str, Any]
    environment: Mapping[str, str] = field(default_factory=dict)

    def changed(self, **options: Any) -> Job:
        """Give the same job with other options."""
        return replace(self, options={**self.options, **options})

    def within(self, **environment: str) -> Job:
        """Give the same job in another environment."""
        return replace(self, environment={**self.environment, **environment})


@dataclass(frozen=True)
class Run:
    """What a job took (medians over repeats) and what it gave."""

    seconds: float
    bytes: float
    result: np.ndarray
    repeats: int = 1


def run(folder: Path, job: Job) -> Run:
    """Run a job once on the X and Y of a folder."""
    options = dict(job.options)
    limits = options.pop("limits", None)
    command = [sys.executable, str(_SCRIPT), job.name, str(folder), json.dumps(options)]
    if limits is not None:
        command = [sys.executable, str(_LIMITING), json.dumps(limits), *command]
    environment = {**os.environ, **job.environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(f"the job {job.name} failed with {dict(job.options)}:\n{done.stderr}")
    took = json.loads(done.stdout.splitlines()[-1])
    return Run(took["seconds"], took["bytes"], np.load(folder / "result.npy"))


def run_interleaved(
    folder: Path, jobs: Mapping[str, Job], *, repeats: int = 3, patience: float = float("inf")
) -> dict[str, Run]:
    """Run all jobs, then all again, and give their medians; seeds are fixed, so the last result stands for all.

    A job that has taken more than `patience` seconds so far is not repeated: a long run averages over the machine's
    moods by itself.
    """
    runs: dict[str, list[Run]] = {label: [] for label in jobs}
    for _ in range(repeats):
        for label, job in jobs.items():
            if sum(one.seconds for one in runs[label]) <= patience:
                runs[label].append(run(folder, job))
    return {
        label: Run(median(one.seconds for one in each), median(one.bytes for one in each), each[-1].result, len(each))
        for label, each in runs.items()
    }
