"""The measurement of the map's frames runs and counts what it claims."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from headless import CHROMIUM

SCRIPT = Path(__file__).parents[2] / "benchmarks/page_frames.py"


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: install Debian's package chromium")
def test_frames_of_a_small_map_are_counted() -> None:
    # in a process of its own: Playwright allows one browser a process, and the tests in a browser have theirs
    command = [sys.executable, str(SCRIPT), "--points", "500", "--seconds", "0.4"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows = re.findall(r"^ +500 +(\w+) +([\d.]+) +([\d.]+) +(\d+) +(\d+)%$", done.stdout, flags=re.MULTILINE)
    assert [row[0] for row in rows] == ["pan", "zoom", "glide"]
    for _, rate, cpu, _, share in rows:
        assert 0 < float(rate) < 70
        assert 0 < float(cpu) < 1000
        assert 15 <= int(share) <= 100
