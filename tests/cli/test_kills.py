"""`tacit build`, `add`, `update`, `remove` and `refit` are killed at random moments: what was reported as stored is.

A process that has imported everything forks one child a command, so that every kill falls into the work and not into
the imports; two commands are killed as they are typed.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit
from tacit.errors import InputError
from tacit.index import verify

pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes are killed by a POSIX signal")

# besides those at every touch of the disk in tests/unit/index/folder/test_index_crashes.py, and two more as typed
KILLS = {"build": 4, "replace": 5, "refit": 5, "add": 6, "change": 4, "resume": 3}
WORDS = ["whale", "ship", "wave", "harbour", "cat", "kitchen", "lamp", "garden", "engine", "wheel", "road", "bridge"]

_SERVER = """
import json, os, signal, sys, time
import sklearn.feature_extraction.text, sklearn.linear_model
import tacit.cli.build, tacit.cli.change, tacit.models.classifiers.label_head, tacit.models.mlsi.mlsi
import tacit.tasks.build.build, tacit.tasks.info
from tacit.cli.app import main
print("ready", flush=True)
for line in sys.stdin:
    task = json.loads(line)
    child = os.fork()
    if child == 0:
        handle = os.open(task["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(handle, 1), os.dup2(handle, 2)
        for arguments in task["commands"]:
            try:
                main(arguments)
            except SystemExit as left:
                sys.stdout.flush()
                if left.code:
                    os._exit(left.code)
        os._exit(0)
    if task["after"] is not None:
        time.sleep(task["after"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


class Server:
    """Runs commands in children of a process that has everything imported, and kills them."""

    def __init__(self, folder: Path) -> None:
        self._output = folder / "output.txt"
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def run(self, commands: Sequence[Sequence[str]], after: float | None = None) -> tuple[int, str]:
        """Give the exit code of the child, -9 if it was killed, and what it printed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._output.write_text("")  # a child that is killed at once prints nothing
        task = {"commands": commands, "after": after, "output": str(self._output)}
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        return code, self._output.read_text()

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Collections as JSON lines: one of 60 records, one of 80 others, and ten of five each."""
    folder = tmp_path_factory.mktemp("files")
    _write(folder / "first.jsonl", "a", 60)
    _write(folder / "second.jsonl", "b", 80)
    for part in range(10):
        _write(folder / f"part{part}.jsonl", f"part{part}-", 5)
    return folder


@pytest.fixture(scope="module")
def index(server, files, tmp_path_factory) -> Path:
    """An index of the first collection, to be copied."""
    path = tmp_path_factory.mktemp("index") / "i.tacit"
    assert server.run([_build(files / "first.jsonl", path)])[0] == 0
    return path


def _write(path: Path, prefix: str, n: int) -> None:
    rng = np.random.default_rng(n)
    lines: list[dict[str, Any]] = [
        {"id": f"{prefix}{number}", "text": " ".join(rng.choice(WORDS, 12)), "labels": [WORDS[number % 5]]}
        for number in range(n)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _build(source: Path, path: Path, *options: str) -> list[str]:
    return ["build", str(source), "-o", str(path), "--dimensions", "5", "--set", "min_records=1", *options]


def _ids(path: Path) -> set[str]:
    """Open the index, check all of it, and give its ids."""
    with tacit.open(path) as opened:
        ids = [record.id for _, record in opened.store.records()]
        assert len(ids) == len(set(ids)) == len(opened)
        assert len(opened.search("whale", by="meaning", limit=3)) == 3
    assert verify(path) == []
    return set(ids)


def _named(prefix: str, n: int) -> set[str]:
    return {f"{prefix}{number}" for number in range(n)}


def _killed(server: Server, wanted: int, prepare: Any, commands: Any, seed: int) -> Iterator[tuple[Path, str]]:
    """Kill commands at random moments until so many kills came before the end; give index and output of each."""
    generator = random.Random(seed)
    started = time.perf_counter()
    assert server.run(commands(prepare(0)))[0] == 0
    whole, killed = time.perf_counter() - started, 0
    for attempt in range(1, 4 * wanted):
        path = prepare(attempt)
        code, output = server.run(commands(path), generator.uniform(0, whole))
        assert code in (0, -signal.SIGKILL), output
        killed += code != 0
        yield path, output
        if killed == wanted:
            return
    raise AssertionError(f"only {killed} of {wanted} kills came before the end")


def _copies(index: Path, folder: Path) -> Any:
    def prepare(attempt: int) -> Path:
        return Path(shutil.copytree(index, folder / f"{attempt}.tacit"))

    return prepare


def test_a_killed_build_leaves_nothing_or_an_index(server, files, tmp_path):
    states = []
    kills = _killed(
        server,
        KILLS["build"],
        lambda attempt: tmp_path / f"{attempt}.tacit",
        lambda path: [_build(files / "first.jsonl", path)],
        1,
    )
    for path, output in kills:
        if (path / "CURRENT").exists():
            assert _ids(path) == _named("a", 60)
            states.append("whole")
            continue
        assert "is ready" not in output
        with pytest.raises(InputError, match=r"does not exist|an interrupted build|is an empty folder|none of which"):
            tacit.open(path)
        states.append("nothing")
        assert server.run([_build(files / "first.jsonl", path, "-q")])[0] == 0  # what is left is not in the way
        assert _ids(path) == _named("a", 60)
    assert "nothing" in states


def test_a_killed_build_goes_on_and_makes_the_same_index(server, files, index, tmp_path):
    """Kills at random moments of a replacement; the old index answers until the new one is complete."""
    commands = lambda path: [_build(files / "second.jsonl", path, "--replace", "--resume")]  # noqa: E731
    whole = _copies(index, tmp_path)(9999)
    assert server.run(commands(whole))[0] == 0
    states = set()
    for path, _ in _killed(server, KILLS["resume"], _copies(index, tmp_path), commands, 6):
        begun = [entry for entry in path.iterdir() if entry.name.endswith(".work")]
        states.add(bool(begun))
        assert _ids(path) == _named("a", 60) if begun else _ids(path) in (_named("a", 60), _named("b", 80))
        assert server.run(commands(path))[0] == 0
        assert _content(path) == _content(whole)
        assert not list(path.glob("*.work")) + list(path.glob("*.unfinished"))
    assert True in states


def test_a_build_does_not_go_on_with_another_one(server, files, tmp_path):
    commands = lambda path: [_build(files / "second.jsonl", path, "--resume")]  # noqa: E731
    for path, _ in _killed(server, 20, lambda attempt: tmp_path / f"{attempt}.tacit", commands, 8):
        if list(path.glob("*.work/state.json")) and not (path / "CURRENT").exists():
            break  # the first stage was finished, and the last was not
    else:
        pytest.fail("no build was killed after its first stage")
    code, output = server.run([_build(files / "first.jsonl", path, "--resume")])
    assert code != 0
    assert "--resume does not fit: got other files than the build that was interrupted" in output
    assert server.run([_build(files / "first.jsonl", path)])[0] == 0  # without it, everything begins anew
    assert _ids(path) == _named("a", 60)


def _content(path: Path) -> dict[str, Any]:
    """Give what an index holds: all files but the times in its manifest, and the rows of the records."""
    folder = path / (path / "CURRENT").read_text().strip()
    files = [file for file in folder.rglob("*") if file.is_file()]
    arrays = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files if file.parent != folder}
    manifest = json.loads((folder / "manifest.json").read_text())
    with contextlib.closing(sqlite3.connect(folder / "records.sqlite")) as store:
        rows = [store.execute(f"SELECT * FROM {name} ORDER BY 1, 2").fetchall() for name in _TABLES]
    return {**arrays, "settings": manifest["settings"], "counts": manifest["counts"], "rows": rows}


_TABLES = ("records", "labels", "links", "field_values", "state")


def test_a_killed_replacement_leaves_the_old_index_or_the_new_one(server, files, index, tmp_path):
    states = set()
    commands = lambda path: [_build(files / "second.jsonl", path, "--replace")]  # noqa: E731
    for path, output in _killed(server, KILLS["replace"], _copies(index, tmp_path), commands, 2):
        ids = _ids(path)
        assert ids in (_named("a", 60), _named("b", 80))
        assert ids == _named("b", 80) or "is ready" not in output
        states.add(len(ids))
    assert 60 in states


def test_a_killed_refit_loses_no_record(server, files, index, tmp_path):
    changed = _copies(index, tmp_path)(9999)
    added = [["add", str(changed), str(files / f"part{part}.jsonl"), "-q"] for part in range(3)]
    assert server.run([*added, ["remove", str(changed), "a0", "a1", "-q"]])[0] == 0
    expected = _ids(changed)
    assert len(expected) == 60 + 15 - 2
    generations = set()
    commands = lambda path: [["refit", str(path)]]  # noqa: E731
    for path, output in _killed(server, KILLS["refit"], _copies(changed, tmp_path), commands, 3):
        assert _ids(path) == expected
        current = (path / "CURRENT").read_text().strip()
        assert current == "generation-000002" or "is ready" not in output
        generations.add(current)
    assert "generation-000001" in generations


def test_what_add_has_reported_is_stored_and_the_rest_is_whole_or_not_there(server, files, index, tmp_path):
    commands = lambda path: [["add", str(path), str(files / f"part{part}.jsonl")] for part in range(10)]  # noqa: E731
    reported = []
    for path, output in _killed(server, KILLS["add"], _copies(index, tmp_path), commands, 4):
        reported.append(output.count("5 records added"))
        added = _ids(path) - _named("a", 60)
        assert added in [
            set().union(*(_named(f"part{part}-", 5) for part in range(n)))
            for n in (reported[-1], min(reported[-1] + 1, 10))  # one may be stored that was not reported yet
        ]
    assert max(reported) > 0


def test_killed_updates_and_removals_are_done_or_not(server, files, index, tmp_path):
    new = tmp_path / "new.jsonl"
    new.write_text(
        "".join(json.dumps({"id": f"a{n}", "text": "whale road", "labels": ["new"]}) + "\n" for n in range(20))
    )

    def commands(path: Path) -> list[list[str]]:
        return [["update", str(path), str(new)], ["remove", str(path), *(f"a{n}" for n in range(20, 40))]]

    for path, output in _killed(server, KILLS["change"], _copies(index, tmp_path), commands, 5):
        ids = _ids(path)
        with tacit.open(path) as opened:
            updated = {n for n in range(20) if opened[f"a{n}"].labels == ("new",)}
        assert updated in (set(), set(range(20)))
        assert ids in (_named("a", 60), _named("a", 60) - {f"a{n}" for n in range(20, 40)})
        assert "20 records updated" not in output or updated
        assert "20 records removed" not in output or len(ids) == 40


def test_commands_as_typed_are_killed_too(files, index, tmp_path):
    """A build and a refit, each killed when its first stage is reported; one that was faster is repeated."""
    path = Path(shutil.copytree(index, tmp_path / "refitted.tacit"))
    builds = (tmp_path / f"built{number}.tacit" for number in range(10))
    built = next(build for build in builds if _killed_as_typed(_build(files / "second.jsonl", build)))
    assert any(_killed_as_typed(["refit", str(path)]) for _ in range(10))
    assert _ids(path) == _named("a", 60)
    with pytest.raises(InputError, match=r"an interrupted build|none of which"):
        tacit.open(built)


def _killed_as_typed(arguments):
    """Start a command, kill it when its first stage is reported, and tell whether that was before its end."""
    command = [sys.executable, "-m", "tacit", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert b"records stored" in process.stderr.readline()
        process.kill()
        process.communicate()
    return process.returncode == -signal.SIGKILL
