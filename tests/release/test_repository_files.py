"""The files for GitHub and pre-commit run what exists, with the versions that the project supports."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = str(Path(sys.executable).parent)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")


def test_the_workflow_runs_ci_on_the_oldest_and_the_newest_python() -> None:
    prefix = "Programming Language :: Python :: 3."
    minors = sorted(
        int(line.removeprefix(prefix)) for line in PYPROJECT["project"]["classifiers"] if line.startswith(prefix)
    )
    assert PYPROJECT["project"]["requires-python"] == f">=3.{minors[0]}"
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert f'python: ["3.{minors[0]}", "3.{minors[-1]}"]' in WORKFLOW
    assert "run: bash .ci/run" in WORKFLOW
    assert set(re.findall(r'python: "3\.(\d+)"', WORKFLOW)) <= {str(minor) for minor in minors}


def test_the_quick_tests_of_the_workflow_exist() -> None:
    (folders,) = re.findall(r"run: python -m pytest (.+)$", WORKFLOW, flags=re.MULTILINE)
    assert all((ROOT / folder).is_dir() for folder in folders.split())


def test_hooks_need_no_download_and_run_what_the_extras_install() -> None:
    assert re.findall(r"^  - repo: (\S+)$", HOOKS, flags=re.MULTILINE) == ["local"]
    assert set(re.findall(r"language: (\w+)", HOOKS)) == {"system"}
    extras = PYPROJECT["project"]["optional-dependencies"]
    installed = " ".join([*extras["test"], *extras["dev"]])
    for command in ("ruff", "mypy", "check-jsonschema", "pre-commit", "pre-commit-hooks"):
        assert re.search(rf"(^| ){command}>=", installed), command


@pytest.mark.skipif(shutil.which("pre-commit", path=BIN) is None, reason="the extra dev is not installed")
def test_every_hook_names_a_command_that_is_installed() -> None:
    commands = re.findall(r"entry: (\S+)", HOOKS)
    assert len(commands) >= 10
    assert [command for command in commands if shutil.which(command, path=BIN) is None] == []
