"""The locks of CI hold what pyproject.toml asks for, each package with hashes, and name no place to get it from."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCKS = ROOT / ".ci/locks"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LINE = re.compile(r"(?P<requirement>[^\\\n]+==[^\\\n]+) \\\n(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]


@cache
def locked(name: str) -> list[Requirement]:
    """Give the requirements of a lock, after a check that it consists of nothing else."""
    text = (LOCKS / name).read_text(encoding="utf-8")
    assert LINE.sub("", text) == ""
    return [Requirement(found["requirement"]) for found in LINE.finditer(text)]


def versions(name: str, python: str) -> dict[str, Version]:
    """Give the version of each package that a lock installs for a Python on Linux."""
    environment = {"python_version": python, "python_full_version": f"{python}.9", "sys_platform": "linux"}
    lines = [line for line in locked(name) if line.marker is None or line.marker.evaluate(environment)]
    found = {canonicalize_name(line.name): Version(str(line.specifier).removeprefix("==")) for line in lines}
    assert len(found) == len(lines)
    return found


def wanted(*extras: str, python: str = "3.11") -> list[Requirement]:
    """Give what the project and some extras of it require of others, with what extras require of extras."""
    lines: list[Requirement] = []
    for text in [*PROJECT["dependencies"], *(line for extra in extras for line in EXTRAS[extra])]:
        line = Requirement(text)
        if line.name == "tacit":
            lines += wanted(*line.extras, python=python)
        elif line.marker is None or line.marker.evaluate({"python_version": python}):
            lines.append(line)
    return lines


@pytest.mark.parametrize("path", sorted(LOCKS.iterdir()), ids=lambda path: path.name)
def test_a_lock_has_exact_versions_with_hashes_and_nothing_else(path: Path) -> None:
    assert path.name in ("annif.txt", "lowest.txt", "tested.txt", "users.txt", "uv.txt")
    assert locked(path.name)


@pytest.mark.parametrize("python", PYTHONS)
def test_what_is_tested_is_what_the_project_asks_for(python: str) -> None:
    found = versions("tested.txt", python)
    for line in wanted("test", "docs", "dev", python=python):
        assert line.specifier.contains(found[canonicalize_name(line.name)]), f"{line}: run python .ci/lock.py"


@pytest.mark.parametrize("python", PYTHONS)
def test_what_users_get_is_part_of_what_is_tested(python: str) -> None:
    users, tested = versions("users.txt", python), versions("tested.txt", python)
    assert users.items() <= tested.items()
    assert {canonicalize_name(line.name) for line in wanted("all", python=python)} <= users.keys()
    assert len(users) < len(tested)


def test_every_promised_floor_is_the_version_that_is_tried() -> None:
    found = versions("lowest.txt", "3.11")
    lines = wanted("all")
    assert len(lines) >= 25
    for line in lines:
        (floor,) = (part.version for part in line.specifier if part.operator == ">=")
        tried = found[canonicalize_name(line.name)]
        assert tried.release[: len(Version(floor).release)] == Version(floor).release, f"{line}: {tried} is tried"


def test_annif_is_locked_as_it_is_asked_for() -> None:
    text = (ROOT / ".ci/annif.in").read_text(encoding="utf-8")
    asked = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    found = versions("annif.txt", "3.11")
    assert {canonicalize_name(line.name) for line in asked} == found.keys()
    assert all(line.specifier.contains(found[canonicalize_name(line.name)]) for line in asked)


def test_ci_installs_by_the_locks() -> None:
    assert "--require-hashes -r .ci/locks/tested.txt" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "--require-hashes -r .ci/locks/lowest.txt" in (ROOT / ".ci/lowest").read_text(encoding="utf-8")
