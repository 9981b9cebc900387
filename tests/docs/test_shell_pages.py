"""The tutorial and the how-tos are followed word for word: every shell block of a page runs, in one folder."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from doc_pages import ROOT, read

from tacit.cli.app import main

PAGES = [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/howto").glob("*.md"))]
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)  # ```console is for reading only

# Each `tacit` of a page asks this process, which has the libraries loaded, and passes on what that prints.
_SHELL = """set -euo pipefail
python() { %(python)s "$@"; }
tacit() {
  printf '%%s\\0' "$#" "$PWD" "$@" >&%(asks)d
  local code
  read -r code <&%(answers)d
  cat %(printed)s
  return "$code"
}
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are written for a Unix shell")
@pytest.mark.parametrize("page", [page for page in PAGES if _BLOCK.search(read(page))], ids=lambda page: page.stem)
def test_every_command_of_a_page_works(
    page: Path,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    script = "\n".join(_BLOCK.findall(read(page)))
    if re.search("^tacit demo$", script, flags=re.MULTILINE):  # run already: what it left is copied
        folder = shlex.quote(str(request.getfixturevalue("demo_run").folder))
        script = re.sub("^tacit demo$", lambda _: f"cp -R {folder}/. .", script, flags=re.MULTILINE)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    told = tmp_path_factory.mktemp("told") / "errors"
    with told.open("w", encoding="utf-8") as errors:
        code, n_commands = follow(script, errors, told.with_name("printed"))
    assert code == 0, told.read_text(encoding="utf-8")[-2000:]
    assert n_commands == len(re.findall("^tacit ", script, flags=re.MULTILINE)) > 0
    assert "Traceback" not in told.read_text(encoding="utf-8")


def follow(script: str, errors: IO[str], printed: Path) -> tuple[int, int]:
    """Run a script by Bash in the working directory; give its exit code and how many commands of `tacit` it ran."""
    asked, asks = os.pipe()
    answers, answer = os.pipe()
    values = {"python": shlex.quote(sys.executable), "printed": shlex.quote(str(printed))}
    shell = _SHELL % {**values, "asks": asks, "answers": answers} + script
    n_commands = 0
    with subprocess.Popen(
        ["bash", "-c", shell], pass_fds=(asks, answers), stdin=subprocess.DEVNULL, stdout=errors, stderr=errors
    ) as bash:
        os.close(asks)
        os.close(answers)
        with open(asked, "rb") as questions, open(answer, "w", encoding="utf-8") as codes:
            for folder, arguments in _questions(questions):
                n_commands += 1
                print(_run(folder, arguments, printed, errors), file=codes, flush=True)
    return bash.returncode, n_commands


def _questions(asked: IO[bytes]) -> Iterator[tuple[str, list[str]]]:
    """Read the folder and the arguments of each command, until the shell ends."""
    read_all = b""
    while more := os.read(asked.fileno(), 65_536):
        read_all += more
        parts = read_all.split(b"\0")
        if len(parts) > 1 and len(parts) == int(parts[0]) + 3:  # the number, the folder, and nothing after the end
            folder, *arguments = (part.decode() for part in parts[1:-1])
            yield folder, arguments
            read_all = b""


def _run(folder: str, arguments: list[str], printed: Path, errors: IO[str]) -> int:
    """Run one command in this process, as tests of commands do; give its exit code."""
    errors.write(f"$ tacit {shlex.join(arguments)}\n")
    with (
        printed.open("w", encoding="utf-8") as output,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
        warnings.catch_warnings(),
    ):
        try:
            main(arguments)
        except SystemExit as end:
            errors.flush()
            return int(end.code or 0)
    return 0
