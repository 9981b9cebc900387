"""Every call with which a command changes the disk fails in turn: broken, full, or the process is killed there.

The calls are counted by `layer.c` in a first run, so that each can be named. Afterwards the index must have all that it
had, or all that the command was to write; what a command says must be true; and the next writer must get through.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judging import SURVIVED, Outcome, found, is_sentence, refused
from sample_index import build_sample, contents, quietly, run_command, write_files

import tacit
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import verify

__all__ = ["COUNT", "STOP", "Command", "DiskFaults", "start_armed"]

COUNT, BROKEN, FULL, KILL, STOP = 1, 2, 3, 4, 5
_MODES = {"broken": BROKEN, "full": FULL, "kill": KILL}
Case = tuple[str, str, int]


@dataclass(frozen=True)
class Command:
    """A command of which every call is made to fail: its arguments, and what it changes ("index", "output", "")."""

    name: str
    arguments: Callable[[Path, Path], Sequence[str]]  # from the folder of the files and that of the case
    changes: str = "index"
    is_new: bool = False


def _on(verb: str, *more: str) -> Callable[[Path, Path], Sequence[str]]:
    """Return a command on the index; a name in braces is a file to read."""
    return lambda files, case: [
        verb, str(case / "i.tacit"), *(str(files / one[1:-1]) if one.startswith("{") else one for one in more),
    ]  # fmt: skip


def _into(verb: str, name: str, *more: str, option: str = "-o") -> Callable[[Path, Path], Sequence[str]]:
    return lambda files, case: [*_on(verb, *more)(files, case), option, str(case / name)]


def _backup(case: Path) -> Sequence[str]:
    return ["backup", str(case / "i.tacit"), str(case / "out.tacit"), "--replace"]


COMMANDS = (
    Command("build", lambda files, case: build_sample(files, case / "new.tacit"), is_new=True),
    Command("replace", lambda files, case: build_sample(files, case / "i.tacit", "others.jsonl", "--replace")),
    Command("add", _on("add", "{added.jsonl}")),
    Command("update", _on("update", "{updated.jsonl}")),
    Command("remove", _on("remove", "r20", "r21", "new10")),
    Command("learn", _on("learn", "{corrections.jsonl}")),
    Command("map", _on("map", "--seed", "3")),
    Command("refit", _on("refit")),
    Command("draw", _into("map", "out.html"), "output"),
    Command("export", _into("export", "out.jsonl", "--replace"), "output"),
    Command("csv", _into("export", "out.csv", "--format", "csv", "--replace"), "output"),
    Command("excel", _into("export", "out.xlsx", "--format", "excel", "--replace"), "output"),
    Command("parquet", _into("export", "out.parquet", "--format", "parquet", "--replace"), "output"),
    Command("npy", _into("export", "out.npy", "--format", "npy", "--replace"), "output"),
    Command("site", _into("export", "out.site", "--replace", option="--site"), "output"),
    Command("backup", lambda files, case: _backup(case), "output"),
    Command("suggest", _into("suggest", "out.tsv", "--batch", "{added.jsonl}", option="--output"), "output"),
    Command("search", _on("search", "whale harbour"), ""),
    Command("verify", _on("verify"), ""),
)


class DiskFaults:
    """The part of the suite."""

    seconds, batch, in_process = 30.0, 100, False
    short: tuple[str, ...] = ("add", "learn", "export")  # the commands of a short run
    is_long = True

    def __init__(self, folder: Path) -> None:
        self.files, self._template, self._case = folder / "files", folder / "template", folder / "case"
        self.commands = {command.name: command for command in COMMANDS}
        self._expected: dict[str, Any] = {}
        self._calls: dict[str, list[str]] = {}

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        return "" if hasattr(ctypes.CDLL(None), "faults_arm") else "there is no C compiler, or this is not Linux"

    def prepare(self) -> None:
        """Build the index that the commands find, run each command once, and list its calls."""
        if not self.is_long:
            self.commands = {name: self.commands[name] for name in self.short}
        self.files.mkdir(parents=True)
        self._template.mkdir()
        write_files(self.files)
        index = self._template / "i.tacit"
        _right(build_sample(self.files, index))
        extra = [Record(f"new{n}0", "salt and lamp", ["pets"]) for n in range(3)]
        with tacit.open(index) as opened:
            opened.add(extra)
            opened.learn([Record("c", "a lamp at sea", ["home"])])
        self._old = contents(index)
        for command in self.commands.values():
            if command.changes == "output":
                self._make_old(command)
            self._renew(command)
            code, said, names = self._run(command, COUNT, 0)
            if code:
                raise AssertionError(f"{command.name} fails without a fault: {said}")
            self._calls[command.name] = names
            self._expected[command.name] = self._state(command) if command.changes else said

    def items(self) -> list[Case]:
        """Return each call of each command in each mode; a full disk refuses only calls that need space."""
        return [
            (command, mode, place)
            for command, calls in self._calls.items()
            for place, call in enumerate(calls)
            for mode in _MODES
            if mode != "full" or call.startswith("+")
        ]

    def named(self, item: Case) -> str:
        """Return the name of a case."""
        command, mode, place = item
        return f"{command}, {mode} at call {place}: {self._calls[command][place].strip('+ ')}"

    def judge(self, item: Case) -> Outcome:
        """Run a command with one fault, and look at what is left."""
        name, mode, place = item
        command = self.commands[name]
        self._renew(command)
        code, said, _ = self._run(command, _MODES[mode], place)
        wrong = _wrong_words(code, said, mode)
        if wrong:
            return found(wrong)
        try:
            return self._judge_state(command, mode, place, code, said)
        except InputError as error:
            return found(f"after it: {error}; the command said: {said[-200:]!r}")

    def _judge_state(self, command: Command, mode: str, place: int, code: int, said: str) -> Outcome:
        if command.changes == "":
            same = said == self._expected[command.name]
            if code == 0 and not same:
                return found(f"another answer: {said[-300:]!r}")
            if code != 0 and mode == "full":
                return found(f"reading needs space: {said[-300:]!r}")
            return SURVIVED if code == 0 else Outcome("survived" if code < 0 else "refused", said[-300:])
        state, old = self._state(command), self._old_state(command)
        if state not in (old, self._expected[command.name]):
            return found(f"neither old nor new: {_difference(state, old, self._expected[command.name])}")
        if code == 0 and state != self._expected[command.name]:
            return found(f"it said that it was done, and nothing is: {said[-200:]!r}")
        if "othing was changed" in said and state != old:
            return found(f"it said that nothing was changed, and all is: {said[-200:]!r}")
        if wrong := self._next(command, mode, place, state):
            return found(wrong)
        return SURVIVED if code <= 0 else refused(said.strip().splitlines()[-1])

    def _state(self, command: Command) -> Any:
        """Return what is there after a command: what is in the index, or the output."""
        if command.changes == "index":
            path = self._case / ("new.tacit" if command.is_new else "i.tacit")
            if command.is_new and not (path / "CURRENT").exists():
                return None
            found_faults = verify(path)
            if found_faults:
                raise InputError("; ".join(found_faults))
            return contents(path)
        return {path.name: _readable(path) for path in sorted(self._case.glob("out.*"))}

    def _old_state(self, command: Command) -> Any:
        if command.changes == "index":
            return None if command.is_new else self._old
        return {path.name: _readable(path) for path in self._olds(command).iterdir()}

    def _next(self, command: Command, mode: str, place: int, state: Any) -> str:
        """Change the index once more, and return what went wrong; look for what should have been removed."""
        call = self._calls[command.name][place]
        if command.changes == "output":
            left = [path.name for path in self._case.iterdir() if path.name.startswith(".")]
            if left and mode != "kill" and not call.startswith((" unlink", " rmdir")):
                return f"left over: {left}"
            return ""
        path = self._case / ("new.tacit" if command.is_new else "i.tacit")
        if state is None:
            code, said = quietly(command.arguments(self.files, self._case))
            if code or contents(path) != self._expected[command.name]:
                return f"the next build fails: {said[-300:]!r}"
            return ""
        with tacit.open(path) as index:
            index.add([Record("after", "whale harbour lamp", ["pets"])])
        with tacit.open(path) as index:
            hits = [hit.id for hit in index.search("whale harbour lamp", by="words", limit=100)]
        if "after" not in hits or len(contents(path)["records"]) != len(state["records"]) + 1:
            return "what the next writer adds is not there"
        wrong = verify(path)
        unfinished = [entry.name for entry in path.iterdir() if entry.name.endswith(".unfinished")]
        return "; ".join(wrong) or (f"left over: {unfinished}" if unfinished else "")

    def _run(self, command: Command, mode: int, place: int) -> tuple[int, str, list[str]]:
        """Run a command in a child with one fault; return its code (below 0: the signal), its output and its calls."""
        child = start_armed(command.arguments(self.files, self._case), self._case, mode, place)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output, calls = self._case.with_name("said"), self._case.with_name("calls")
        names = json.loads(calls.read_text()) if mode == COUNT else []
        return code, output.read_text(encoding="utf-8", errors="replace"), names

    def _renew(self, command: Command) -> None:
        """Put the index, and an old output, where the command finds it."""
        _remove(self._case)
        shutil.copytree(self._template, self._case)
        if command.changes == "output":
            shutil.copytree(self._olds(command), self._case, dirs_exist_ok=True)

    def _olds(self, command: Command) -> Path:
        return self._template.with_name(f"old-{command.name}")

    def _make_old(self, command: Command) -> None:
        """Make something that a command may replace: a text, or a folder as the command writes it, of long ago."""
        self._olds(command).mkdir()
        _right(command.arguments(self.files, self._template))
        (path,) = self._template.glob("out.*")
        if path.is_dir():
            for each in path.rglob("*"):
                os.utime(each, (0, 0))
        else:
            path.write_text("old", encoding="utf-8")
        path.rename(self._olds(command) / path.name)


def start_armed(arguments: Sequence[str], folder: Path, mode: int, place: int) -> int:
    """Start a command in a child whose calls below `folder` are counted and made to fail; return the child.

    What it prints is in the file `said` beside the folder, and what it calls in `calls`.
    """
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        handle = os.open(folder.with_name("said"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        os.chdir(folder)  # where a command writes that is not told where
        layer = ctypes.CDLL(None)
        layer.faults_arm(mode, ctypes.c_long(place), str(folder).encode())
        code = run_command(arguments)
        sys.stdout.flush()
        if mode == COUNT:
            layer.faults_name.restype = ctypes.c_char_p
            names = [layer.faults_name(ctypes.c_long(number)).decode() for number in range(layer.faults_seen())]
            folder.with_name("calls").write_text(json.dumps(names))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _wrong_words(code: int, said: str, mode: str) -> str:
    """Return what is wrong with how a command ended."""
    if code not in (0, 2) and not (mode == "kill" and code == -9):
        return f"it ended with {code}: {said[-300:]!r}"
    if code == 2:
        last = said.strip().splitlines()[-1] if said.strip() else ""
        if not last.startswith("Error: ") or not is_sentence(last):
            return f"a bad sentence: {said[-400:]!r}"
    if any(word in said for word in ("Traceback", "inside Tacit", "Exception ignored")):
        return f"a traceback: {said[-400:]!r}"
    return ""


def _difference(state: Any, old: Any, new: Any) -> str:
    if not isinstance(state, dict) or "records" not in state:
        return f"{str(state)[:200]!r}"
    ids, was, should = (set(one["records"]) if one else set() for one in (state, old, new))
    return f"{len(ids)} records; old lacks {sorted(ids - was)[:3]}, new lacks {sorted(ids - should)[:3]}"


def _readable(path: Path) -> Any:
    """Return what a program reads from an output: "old", or its content without times."""
    if path.is_dir():
        files = {each.relative_to(path).as_posix(): each.stat() for each in sorted(path.rglob("*")) if each.is_file()}
        return {name: (found.st_size, found.st_mtime > 0) for name, found in files.items()}
    content = path.read_bytes()
    if content == b"old":
        return "old"
    if path.suffix == ".xlsx":
        from openpyxl import load_workbook

        return [[str(cell) for cell in row] for sheet in load_workbook(path) for row in sheet.values]
    if path.suffix == ".parquet":
        import pyarrow.parquet

        return str(pyarrow.parquet.read_table(path).to_pydict())
    return content.decode("utf-8")


def _right(arguments: Sequence[str]) -> None:
    code, said = quietly(arguments)
    if code:
        raise AssertionError(f"{arguments} fails without a fault: {said}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
