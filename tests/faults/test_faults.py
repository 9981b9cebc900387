"""The short form of the fault suite: every part tries some of its cases and finds nothing.

The long form is `python tests/faults --long`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="cases are judged in forked processes")

LEAST = {"disk": 12, "power": 3, "damage": 40, "forged": 16, "facts": 12, "readers": 400, "service": 9}


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> dict[str, Any]:
    """Run all parts in one process of their own, and return counts, faults, and parts that cannot run here."""
    path = tmp_path_factory.mktemp("faults") / "results.json"
    command = [sys.executable, str(Path(__file__).parent), "--json", str(path), "--parts", *LEAST]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
    assert path.exists(), done.stderr[-2000:]
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("part", LEAST)
def test_nothing_is_found(results, part):
    if part in results["skipped"]:
        pytest.skip(results["skipped"][part])
    counts = results["counts"][part]
    assert counts["tried"] == LEAST[part]
    assert [fault for fault in results["faults"] if fault[0] == part] == []
    assert counts["found"] == 0
    assert counts["survived"] + counts["refused"] == counts["tried"]
