"""Write the locks: the exact versions that CI installs, each with the hashes of its files.

Usage: lock.py [--upgrade]. It keeps what is locked wherever that still fits `pyproject.toml`; with `--upgrade` it takes
the newest versions there are. Then `.ci/run` and `.ci/lowest` say whether Tacit works with them.

| lock         | what it installs                                                                   |
|--------------|------------------------------------------------------------------------------------|
| `uv.txt`     | uv, with which everything else is installed                                        |
| `tested.txt` | all of `[test,docs,dev]`, on every Python and system that we support               |
| `users.txt`  | what `[all]` installs, in the versions of `tested.txt`                             |
| `lowest.txt` | what `[all]` installs, in the oldest versions that `pyproject.toml` promises, and tests |
| `annif.txt`  | Annif without what it requires, from `annif.in`                                    |
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / ".ci/locks"
OLDEST = "3.11"
TOOLS = [
    *("pytest", "pytest-xdist", "hypothesis", "httpx", "jsonschema", "allpairspy", "networkx", "pandas", "polars"),
    *("annif-client", "packaging"),
]

install = runpy.run_path(str(ROOT / ".ci/install.py"))


def main(arguments: list[str]) -> int:
    """Write all locks, and return the exit code."""
    project = str(ROOT / "pyproject.toml")
    everything = [argument for extra in ("test", "docs", "dev") for argument in ("--extra", extra)]
    everywhere = ["--universal", "--python-version", OLDEST, *arguments]
    ours = [project, "--extra", "all", "--python-version", OLDEST, "--python-platform", "x86_64-manylinux_2_28"]
    with tempfile.TemporaryDirectory() as folder:
        uv = compiler(folder)
        lines, tools, oldest = (str(Path(folder, name)) for name in ("uv.in", "tools.in", "oldest.txt"))
        Path(lines).write_text("uv\n", encoding="utf-8")
        Path(tools).write_text("\n".join(TOOLS), encoding="utf-8")
        uv("uv.txt", lines, *everywhere)
        uv("tested.txt", project, *everything, *everywhere)
        uv("users.txt", project, "--extra", "all", "-c", str(LOCKS / "tested.txt"), *everywhere)
        uv("annif.txt", str(ROOT / ".ci/annif.in"), "--no-deps", *everywhere)
        # What the tests need themselves may be new, so it is added to what was found without it.
        uv(oldest, *ours, "--resolution", "lowest-direct")
        uv("lowest.txt", *ours, tools, "-c", oldest, *arguments)
    return 0


def compiler(folder: str) -> Callable[..., None]:
    """Return a function that writes one lock, with hashes and with nothing that says where it was made.

    Only pip's main index is asked: another one may have some of the files of a version, and the lock only their hashes.
    """
    told = install["options_of"](install["pip_settings"]())
    program = install["uv_in"](folder, "uv")
    if told is None or program is None:
        raise SystemExit("no lock is written: pip has a setting that uv is not told, or uv could not be installed")
    options, variables = told
    pairs = zip(options[::2], options[1::2], strict=True)
    index = [part for pair in pairs if pair[0] in ("--default-index", "--allow-insecure-host") for part in pair]
    quiet = ["--no-header", "--no-annotate", "--generate-hashes"]

    def compile_lock(name: str, *arguments: str) -> None:
        command = [program, "pip", "compile", "-q", *quiet, *index, "-o", str(LOCKS / name), *arguments]
        subprocess.run(command, env={**os.environ, **variables}, stdout=subprocess.DEVNULL, check=True)

    return compile_lock


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
