"""The tutorial and the how-tos are followed word for word: every shell block of a page runs, in one folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from doc_pages import ROOT, read

PAGES = [ROOT / "docs/tutorial.md", *sorted((ROOT / "docs/howto").glob("*.md"))]
_BLOCK = re.compile(r"^```sh\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)  # ```console is for reading only


@pytest.fixture(scope="module")
def tools(tmp_path_factory) -> Path:
    """`tacit` and `python` as the reader has them after installing."""
    folder = tmp_path_factory.mktemp("bin")
    for name, arguments in (("tacit", "-m tacit "), ("python", "")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {arguments}"$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="the pages are written for a Unix shell")
@pytest.mark.parametrize("page", [page for page in PAGES if _BLOCK.search(read(page))], ids=lambda page: page.stem)
def test_every_command_of_a_page_works(page: Path, tools: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    script = "set -euo pipefail\n" + "\n".join(_BLOCK.findall(read(page)))
    if re.search("^tacit demo$", script, flags=re.MULTILINE):  # run already: what it left is copied
        folder = shlex.quote(str(request.getfixturevalue("demo_run").folder))
        script = re.sub("^tacit demo$", lambda _: f"cp -R {folder}/. .", script, flags=re.MULTILINE)
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "Traceback" not in done.stderr
