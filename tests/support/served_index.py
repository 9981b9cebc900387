"""A real `tacit serve` in a process of its own, which a test may stop and start again."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

_COMMAND = [sys.executable, "-c", "from tacit.cli.app import main; main()"]


class Served:
    """A running service that a test may stop and start again at the same port."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths, self.port = [str(path) for path in paths], 0
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        command = [*_COMMAND, "serve", *self.paths, "--port", str(self.port), "--log-level", "warning"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://\S+?:(\d+))/", line)
        assert found, f"the service did not start: {line}"
        self.port = int(found[2])
        return found[1]

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)
            assert self.process.stdout is not None
            self.process.stdout.close()
            self.process = None
