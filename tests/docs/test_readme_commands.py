"""The README's two commands are one line each, and .ci/run takes exactly these from the README."""

from __future__ import annotations

import shlex
import subprocess
import tomllib

from doc_pages import ROOT, commands, read

README = read("README.md")
CI = ROOT / ".ci/run"


def test_the_readme_has_the_two_commands() -> None:
    found = commands(README)
    assert list(found) == ["demo", "test"]
    assert found["demo"].endswith("tacit demo")
    assert "pytest" in found["test"]


def test_each_command_makes_its_environment_and_installs_extras_that_exist() -> None:
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    for line in commands(README).values():
        words = shlex.split(line)
        assert words[:4] == ["python3", "-m", "venv", ".venv"]
        (target,) = [word for word in words if word.startswith(".[")]
        assert set(target[2:-1].split(",")) <= set(extras)


def test_ci_reads_the_same_lines_from_the_readme() -> None:
    for name, line in commands(README).items():
        # The function is cut out of the script and run alone: what CI would evaluate is compared, not its source.
        done = subprocess.run(
            ["bash", "-c", f"{_function('readme_command')}\nreadme_command {name}"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.rstrip("\n") == line


def test_ci_runs_what_it_read() -> None:
    script = CI.read_text(encoding="utf-8")
    for name, variable in (("demo", "demo"), ("test", "tests")):
        assert f"{variable}=$(readme_command {name})" in script
        assert f'eval "${variable}"' in script


def test_ci_refuses_a_readme_without_the_command() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{_function('readme_command')}\nreadme_command nothing"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "must hold exactly one line" in done.stderr


def _function(name: str) -> str:
    """Cut one shell function out of .ci/run."""
    script = CI.read_text(encoding="utf-8")
    start = script.index(f"{name}() {{")
    return script[start : script.index("\n}\n", start) + 3]
