"""Install packages with uv, in a tenth of the time that pip takes, or with pip where uv cannot be had or fails.

Usage: install.py ARGUMENTS of `pip install`, run with the Python to install for. uv does not read pip's configuration,
by which a machine may say where its packages come from, so it is told what stands there. With a setting that is not
known here, pip does all of it. Both compare what they install with the hashes of a lock that is given with
`--require-hashes -r`; uv itself is the one of `locks/uv.txt`.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PIP = [sys.executable, "-m", "pip"]
UV = Path(__file__).with_name("locks") / "uv.txt"

OPTIONS = {  # a setting of pip, and the option of uv for each of its values
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
VARIABLES = {"cert": "SSL_CERT_FILE"}
NO_MATTER = {
    "break-system-packages",
    "cache-dir",
    "compile",
    "default-timeout",
    "disable-pip-version-check",
    "no-cache-dir",
    "no-compile",
    "no-input",
    "no-warn-script-location",
    "prefer-binary",
    "progress-bar",
    "quiet",
    "require-virtualenv",
    "retries",
    "root-user-action",
    "timeout",
}


def main(arguments: list[str]) -> int:
    """Install, and return the exit code."""
    told = options_of(pip_settings())
    with tempfile.TemporaryDirectory() as folder:
        if told is None:
            print("pip installs: its configuration has a setting that uv is not told", file=sys.stderr)
        elif uv := uv_in(folder, "--require-hashes", "-r", str(UV)):
            options, variables = told
            # as pip: the best version of all indexes
            command = [uv, "pip", "install", "-q", "--index-strategy", "unsafe-best-match", "--python", sys.executable]
            if not subprocess.run([*command, *options, *arguments], env={**os.environ, **variables}).returncode:
                return 0
            print("pip installs: uv could not", file=sys.stderr)
    return subprocess.run([*PIP, "install", "-q", "--no-compile", *arguments]).returncode


def pip_settings() -> str:
    """Return what `pip config list` prints."""
    return subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=True).stdout


def uv_in(folder: str, *what: str) -> str | None:
    """Let pip install uv into a folder, and return the path of the program; None if that failed."""
    code = subprocess.run([*PIP, "install", "-q", "--no-compile", "--target", folder, *what]).returncode
    return None if code else str(Path(folder, "bin", "uv"))


def options_of(listed: str) -> tuple[list[str], dict[str, str]] | None:
    """Give the options and the environment of uv for what `pip config list` printed; None if a setting is unknown."""
    options: list[str] = []
    variables: dict[str, str] = {}
    for name, value in _settings(listed).items():
        if name in OPTIONS:
            options += [part for each in value.split() for part in (OPTIONS[name], each)]
        elif name in VARIABLES:
            variables[VARIABLES[name]] = value
        elif name not in NO_MATTER:
            return None
    return options, variables


def _settings(listed: str) -> dict[str, str]:
    """Give name and value of the lines `section.name='value'` that concern an installation, as pip lets them win."""
    found: dict[str, str] = {}
    for section in ("global", "install", ":env:"):
        for line in listed.splitlines():
            where, _, value = line.partition("=")
            if where.rpartition(".")[0] == section:
                found[where.rpartition(".")[2]] = str(ast.literal_eval(value))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
