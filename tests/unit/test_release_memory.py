"""What was freed goes back to the system before something large comes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_STATUS = Path("/proc/self/status")
_SCRIPT = """
import re
from pathlib import Path
import numpy as np
from tacit.machine import release_memory

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text()).group(1)) * 1024

np.ones(3 * 2**20)  # 24 MiB come and go: from now on the C library keeps what is smaller
before = resident()
kept = [np.ones(2**20) for _ in range(12)]
last = np.ones(2**20)
del kept
full = resident()
release_memory(1000)
small = resident()
release_memory(2**26)
print(full - small, resident() - before)
"""


@pytest.mark.skipif(not _STATUS.exists(), reason="only Linux tells the resident memory of a process")
def test_freed_memory_goes_back_only_if_something_large_comes():
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, check=True)
    given_for_little, left = map(int, done.stdout.split())
    assert given_for_little < 2**20
    assert left < 2 * 2**23  # of 104 MiB no more than the last 8 and some
