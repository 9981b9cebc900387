"""The command as people type it: help at once, one line for an error, answers that parse."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from demo_run import QUERIES
from rich.cells import cell_len

from tacit.cli.app import main
from tacit.cli.demo import _write_tables, write_demo


def run(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tacit", *arguments], capture_output=True, text=True, cwd=folder)


@pytest.fixture(scope="module")
def answer(demo_run) -> dict[str, Any]:
    return json.loads(demo_run.done.stdout)


def test_help_and_version():
    done = run("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout
    assert "Usage: tacit [OPTIONS]" in done.stdout
    assert run("--version").stdout.startswith("tacit ")
    assert all(len(line) <= 80 for line in run("demo", "--help").stdout.splitlines())


def test_help_loads_no_numerical_library():
    code = (
        "import sys; from tacit.cli.app import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'scipy', 'sklearn', 'matplotlib', 'rich.table'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_demo_builds_answers_explains_and_draws(demo_run, answer):
    done, folder, _ = demo_run
    assert done.returncode == 0
    assert tuple(comparison["query"] for comparison in answer["queries"]) == QUERIES
    for comparison in answer["queries"]:
        for hits in (comparison["informed"], comparison["plain"]):
            assert len(hits) == 3
            assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
            assert all(hit["id"] and hit["summary"] and hit["labels"] for hit in hits)
    assert len(answer["suggestion"]["labels"]) == 5
    assert len(answer["suggestion"]["labels"][0]["why"]) > 1
    explained = answer["explanation"]
    assert explained["record"]["id"] == answer["queries"][0]["informed"][0]["id"]
    assert sum(word["part"] for word in explained["words"]) + explained["offset"] == pytest.approx(explained["cosine"])
    assert answer["maps"] == ["python-library-map.html", "python-library-map.png"]
    assert (folder / answer["maps"][0]).read_bytes().startswith(b"<!DOCTYPE html>")
    assert (folder / answer["maps"][1]).read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in folder.iterdir()) == sorted([answer["index"], *answer["maps"]])


def test_the_next_commands_can_be_typed(demo_run, answer, monkeypatch, capsys):
    monkeypatch.chdir(demo_run.folder)
    assert {command.split("tacit ")[0] for command in answer["next"]} <= {"", "python -m "}
    for command in answer["next"]:
        arguments = shlex.split(command.split("tacit ", 1)[1])
        if arguments[0] == "serve":  # goes on until it is stopped; test_serve_command.py runs it
            assert arguments == ["serve", answer["index"]]
            continue
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code in (0, None)
        assert capsys.readouterr().out


def test_a_folder_of_somebody_else_is_left_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python-library.tacit").mkdir()
    (tmp_path / "python-library.tacit" / "diary").write_text("today")
    with pytest.raises(SystemExit) as left:
        main(["demo"])
    assert left.value.code == 2
    assert "Error: --keep is in use: got 'python-library.tacit'" in capsys.readouterr().err
    assert (tmp_path / "python-library.tacit" / "diary").read_text() == "today"


def test_progress_goes_to_standard_error_with_times(demo_run):
    lines = demo_run.done.stderr.splitlines()
    assert sum(" s  " in line for line in lines) == len(lines) == 10
    assert any("  weights tried on 1,500 records: labels 1, " in line for line in lines)
    assert "Traceback" not in demo_run.done.stderr
    assert "Warning" not in demo_run.done.stderr
    assert all(len(line) <= 100 for line in lines if "index written to" not in line)


def test_a_pipe_gets_plain_lines_that_fit(answer, capsys):
    write_demo(answer)
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert max(map(cell_len, printed.split("\nWritten\n")[0].splitlines())) <= 80
    first = answer["queries"][0]
    assert all(hit["id"][:60] in printed for hit in (*first["informed"], *first["plain"]))
    assert "read a [bold]zip[/bold] file" in printed
    assert answer["explanation"]["record"]["id"] in printed
    assert printed.splitlines()[-len(answer["next"]) :] == [f"  {command}" for command in answer["next"]]


@pytest.mark.parametrize("width", [72, 80, 120, 200])
def test_tables_fit_the_terminal(answer, capsys, width):
    _write_tables(answer, width)
    printed = capsys.readouterr().out
    answers, to_copy = printed.split("\nWritten\n")
    assert max(map(cell_len, answers.splitlines())) <= width
    assert len(to_copy.splitlines()) == 1 + len(answer["maps"]) + 2 + len(answer["next"])  # none of them is broken
    assert "read a [bold]zip[/bold] file" in printed
    assert all(hit["id"][:25] in printed for hit in answer["queries"][1]["informed"])
    assert all(command in printed for command in answer["next"])
    assert all(path in printed for path in (answer["index"], *answer["maps"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo", "--limit", "0"], "Error: --limit is out of range: got 0, expected a whole number of at least 1."),
        (["demo", "--map", "map.txt"], "Error: --map is not a map file: got 'map.txt'"),
        (["demo", "--map", "nowhere/map.png"], "Error: --map cannot be written: got 'nowhere/map.png'"),
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
        "import json, sys; from tacit.cli.app import main; from tacit.cli.demo import write_demo\n"
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
