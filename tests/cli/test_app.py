"""The command as people type it: help at once, one line for an error, answers that parse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tacit.cli.output import _write_tables, write_demo


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tacit", *arguments], capture_output=True, text=True, cwd=folder)


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory) -> tuple[subprocess.CompletedProcess[str], Path, float]:
    """The whole demonstration once, with two queries."""
    folder = tmp_path_factory.mktemp("demo")
    start = time.perf_counter()
    done = run(
        "demo", "--query", "read a [bold]zip[/bold] file", "--query", "e-mail", "--limit", "3", "--json", folder=folder
    )
    return done, folder, time.perf_counter() - start


@pytest.fixture(scope="module")
def answer(demo_run) -> dict[str, Any]:
    return json.loads(demo_run[0].stdout)


def test_help_and_version():
    done = run("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout
    assert "Usage: tacit [OPTIONS]" in done.stdout
    assert run("--version").stdout.startswith("tacit ")
    assert all(len(line) <= 80 for line in run("demo", "--help").stdout.splitlines())


def test_help_starts_at_once_and_loads_no_numerical_library():
    code = (
        "import sys; from tacit.cli.app import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'scipy', 'sklearn', 'matplotlib', 'rich.table'} & set(sys.modules)))"
    )
    times = []
    for _ in range(3):  # the quickest of three: other programs on the machine may be busy
        start = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        times.append(time.perf_counter() - start)
        assert done.stdout.splitlines()[-1] == "[]"
    assert min(times) < 0.4


def test_demo_answers_in_json_and_draws_the_map(demo_run, answer):
    done, folder, seconds = demo_run
    assert done.returncode == 0
    assert [comparison["query"] for comparison in answer["queries"]] == ["read a [bold]zip[/bold] file", "e-mail"]
    for comparison in answer["queries"]:
        for hits in (comparison["informed"], comparison["plain"]):
            assert len(hits) == 3
            assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
            assert all(hit["id"] and hit["summary"] and hit["labels"] for hit in hits)
    assert len(answer["suggestion"]["labels"]) == 5
    assert (folder / answer["map"]).read_bytes().startswith(b"\x89PNG")
    assert seconds < 40


def test_progress_goes_to_standard_error_with_times(demo_run):
    lines = demo_run[0].stderr.splitlines()
    assert sum(" s  " in line for line in lines) == 6
    assert "Traceback" not in demo_run[0].stderr
    assert "Warning" not in demo_run[0].stderr
    assert all(len(line) <= 80 for line in lines)


def test_a_pipe_gets_plain_lines_that_fit(answer, capsys):
    write_demo(answer)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert max(map(cell_len, printed.splitlines())) <= 80
    first = answer["queries"][0]
    assert all(hit["id"][:60] in printed for hit in (*first["informed"], *first["plain"]))
    assert "read a [bold]zip[/bold] file" in printed


@pytest.mark.parametrize("width", [72, 80, 120, 200])
def test_tables_fit_the_terminal(answer, capsys, width):
    _write_tables(answer, width)
    printed = capsys.readouterr().out
    assert max(map(cell_len, printed.splitlines())) <= width
    assert "read a [bold]zip[/bold] file" in printed
    assert all(hit["id"][:25] in printed for hit in answer["queries"][1]["informed"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--limit", "0"], "Error: limit is out of range: got 0, expected a whole number of at least 1."),
        (["demo", "--map", "map.txt"], "Error: map is no picture file: got 'map.txt'"),
        (["demo", "--map", "nowhere/map.png"], "Error: map cannot be written: got 'nowhere/map.png'"),
    ],
)
def test_errors_are_one_line_and_exit_code_two(arguments, message, tmp_path):
    done = run(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(message)
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_terminal_without_unicode_gets_question_marks(answer):
    code = (
        "import json, sys; from tacit.cli.app import main; from tacit.cli.output import write_demo\n"
        "try: main(['--version'])\n"
        "except SystemExit: write_demo(json.load(sys.stdin))"
    )
    answer = {**answer, "queries": [{**answer["queries"][0], "query": "œuvre"}]}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(answer),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.stderr == ""
    assert "Query: ?uvre" in done.stdout


def test_a_mistyped_verb_is_a_usage_error():
    done = run("dmeo")
    assert done.returncode == 2
    assert "No such command 'dmeo'" in done.stderr


@pytest.mark.parametrize("library", ["click", "rich"])
def test_without_the_extra_one_sentence_says_what_to_install(library):
    code = f"import sys; sys.modules[{library!r}] = None; from tacit.cli.app import main; main(['--help'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        f"Error: The command line needs {library}, which is not installed. Install it with: pip install 'tacit[cli]'.\n"
    )


def test_warnings_of_tacit_are_one_line():
    code = (
        "import warnings, sys; from tacit.cli.app import main; from tacit.errors import TacitWarning\n"
        "try: main(['--version'])\n"
        "except SystemExit: warnings.warn('Three labels are empty.', TacitWarning)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "Note: Three labels are empty.\n"
