"""Memory and limits of a job: the peak of this process alone, and a process below it that can be stopped.

As a script it runs a command within limits: `measuring.py LIMITS COMMAND...`, with the limits as JSON. It loads no
library that a job needs, so that a limited job does not wait for them twice.
"""

from __future__ import annotations

import ctypes
import gc
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

__all__ = ["give_back", "memory", "reset_peak", "run_within"]

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def run_within(limits: dict[str, float], command: list[str]) -> None:
    """Run a job in a process below this one, which a solver that never looks up can be stopped from outside.

    The last words of the command are the name of the job, its folder and its options.
    """
    if "bytes" in limits:
        most = int(limits["bytes"])
        resource.setrlimit(resource.RLIMIT_AS, (most, most))  # what is started from here inherits it
    start = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limits.get("seconds"))
    except subprocess.TimeoutExpired:
        done = None
    seconds = time.perf_counter() - start
    if done is not None and "MemoryError" not in done.stderr:
        print(done.stdout, end="")
        sys.exit(done.stderr if done.returncode else 0)
    np.save(Path(command[-2]) / "result.npy", np.empty(0))
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    print(json.dumps({"seconds": seconds, "bytes": peak}))


def give_back() -> None:
    """Return freed memory to the system: the job would reuse what the warm-up left behind, and it would not count."""
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    except (AttributeError, OSError):  # not glibc
        return


def memory(field: str) -> int:
    """Give resident memory (VmRSS) or its peak (VmHWM) in bytes; outside Linux the peak stands for both."""
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * unit


def reset_peak() -> None:
    """Make the peak start from now; where that is not allowed, the peak so far stays, which can only be larger."""
    try:
        _CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return


if __name__ == "__main__":
    run_within(json.loads(sys.argv[1]), sys.argv[2:])
