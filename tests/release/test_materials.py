"""The bill of materials: what it lists of an environment and of the page's libraries, and which licences it refuses."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cyclonedx", reason="the extra dev is not installed")

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / ".ci/materials.py"))
NPM = json.loads((ROOT / "vendor/package-lock.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The bill of the environment of the tests, made as in a release."""
    path = tmp_path_factory.mktemp("bill") / "bill.json"
    subprocess.run([*SCRIPT["bill_command"](path), sys.executable], check=True)
    return SCRIPT["with_page_libraries"](json.loads(path.read_text(encoding="utf-8")), NPM)


def test_a_bill_can_be_made_and_is_valid_cyclonedx(bill: dict[str, Any]) -> None:
    few = {**bill, "components": bill["components"][::20]}  # all take a quarter of a minute
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(few)) is None
    root = bill["metadata"]["component"]
    assert (root["name"], root["licenses"][0]["license"]["id"]) == ("tacit", "BSD-3-Clause")
    names = {part["name"] for part in bill["components"]}
    assert {"numpy", "scipy", "scikit-learn", "usearch", "preact", "d3-zoom", "htm"} <= names
    assert not names & {"esbuild", "typescript"}  # which make the page, and are no part of it


def test_what_tacit_brings_along_has_allowed_licences(bill: dict[str, Any]) -> None:
    users = {line.partition("==")[0] for line in _read(".ci/locks/users.txt").splitlines() if "==" in line}
    parts = [part for part in bill["components"] if part["name"].lower().replace("_", "-") in users]
    assert len(parts) >= 70
    assert SCRIPT["refused"](parts) == []


def test_every_licence_that_was_read_by_hand_is_still_needed(bill: dict[str, Any]) -> None:
    declared = {part["name"]: part.get("licenses") for part in bill["components"] if part["name"] in SCRIPT["READ"]}
    assert declared == dict.fromkeys(SCRIPT["READ"])


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("Apache-2.0 OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-2.0-only) AND ISC", True),
        ("BSD-2-Clause AND Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("License :: OSI Approved :: BSD License", True),
        ("License :: OSI Approved :: GNU General Public License (GPL)", False),
        ("Proprietary (ask us)", False),
        ("", False),
    ],
)
def test_licences_and_expressions_of_them(text: str, allowed: bool) -> None:
    assert SCRIPT["is_allowed"](text) is allowed


def test_a_licence_that_is_missing_or_not_allowed_is_told() -> None:
    parts = [
        {"name": "fine", "licenses": [{"license": {"id": "MIT"}}]},
        {"name": "silent"},
        {"name": "strict", "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "AGPL"}}]},
        {"name": "pymarc"},
    ]
    silent, strict = SCRIPT["refused"](parts)
    assert silent.startswith("silent names no licence")
    assert strict == "strict has a licence that is not allowed: got 'AGPL', expected one of ALLOWED"


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
