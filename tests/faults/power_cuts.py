"""The power goes while a command writes: what it had reported is there, and the index is the old one or the new one.

The index lies on an ext4 file system of its own, in a file. The command is stopped before one of its calls, or has just
ended; the file is then copied as it is, without what the system still holds in memory, and the copy is mounted, as
after a start of the machine.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from disk_faults import COUNT, STOP, DiskFaults, start_armed
from judging import SURVIVED, Outcome, found
from sample_index import contents

from tacit.index import verify

__all__ = ["PowerCuts"]

_COMMANDS = ("replace", "add", "update", "remove", "learn", "refit", "map")
_MEGABYTES = 12
_AT_THE_END = -1
Case = tuple[str, int]


class PowerCuts(DiskFaults):
    """The part of the suite; an item is a command and the number of the call before which the power goes."""

    seconds, batch, in_process = 60.0, 50, True  # what is mounted must be unmounted
    short = ("add",)

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._image, self._copy, self._place = folder / "disk.img", folder / "cut.img", folder / "mounted"
        self.commands = {name: command for name, command in self.commands.items() if name in _COMMANDS}

    def cannot_run(self) -> str:
        """Return why not, or ""."""
        if reason := super().cannot_run():
            return reason
        if os.geteuid() or not shutil.which("mkfs.ext4"):
            return "only root can mount a file, with mkfs.ext4 and loop devices"
        self._place.mkdir()
        self._make_disk(self._image, None)
        return (
            "" if _called("mount", "-o", "loop", self._image, self._place, "&&", "umount", self._place) else _NO_LOOPS
        )

    def prepare(self) -> None:
        """Build the index, and write it to the disk that every case starts from."""
        super().prepare()
        self._make_disk(self._image, self._template)

    def items(self) -> list[Case]:  # type: ignore[override]
        """Return each call of each command, and three cuts after the end of each: what was reported must be there."""
        calls = [(name, place) for name in self.commands for place in range(len(self._calls[name]))]
        ends = [(name, _AT_THE_END - turn) for name in self.commands for turn in range(3)]
        return [*ends, *calls]

    def named(self, item: Case) -> str:  # type: ignore[override]
        """Return the name of a case."""
        name, place = item
        return f"{name}, power cut " + (
            "after the end" if place < 0 else f"at call {place}: {self._calls[name][place]}"
        )

    def judge(self, item: Case) -> Outcome:  # type: ignore[override]
        """Cut the power in a command, and look at what the disk has."""
        name, place = item
        shutil.copyfile(self._image, self._copy)
        disk = self._image.with_name("running.img")
        os.replace(self._copy, disk)
        code = self._cut(name, place, disk)
        if not _called("mount", "-o", "loop", self._copy, self._place):
            return found("the file system itself is damaged")
        try:
            path = self._place / "i.tacit"
            if told := verify(path):
                return found(f"verify: {told[0][:300]}")
            state = contents(path)
        finally:
            _called("umount", self._place)
        if state not in (self._old, self._expected[name]):
            return found("neither the old index nor the new one")
        if code == 0 and state != self._expected[name]:
            return found("what it had reported is lost")
        return SURVIVED

    def _cut(self, name: str, place: int, disk: Path) -> int | None:
        """Run a command on a disk, and copy the disk at a call or after the end; return its code if it has ended."""
        _must("mount", "-o", "loop", disk, self._place)
        try:
            arguments = self.commands[name].arguments(self.files, self._place)
            mode, target = (COUNT, 0) if place < 0 else (STOP, place)
            child = start_armed(arguments, self._place, mode, target)
            status = os.waitpid(child, os.WUNTRACED)[1]
            shutil.copyfile(disk, self._copy)
            if not os.WIFSTOPPED(status):
                return os.waitstatus_to_exitcode(status)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        finally:
            _called("umount", self._place)

    def _make_disk(self, image: Path, content: Path | None) -> None:
        """Make a file system in a file."""
        image.unlink(missing_ok=True)
        with image.open("wb") as file:
            file.truncate(_MEGABYTES << 20)
        _must("mkfs.ext4", "-q", "-F", *(() if content is None else ("-d", content)), image)


_NO_LOOPS = "no file can be mounted here: there are no loop devices, or no right to use them"


def _called(*command: object) -> bool:
    """Run commands that are joined by &&, and return whether all succeed."""
    said = [str(part) for part in command]
    while said:
        end = said.index("&&") if "&&" in said else len(said)
        if subprocess.run(said[:end], capture_output=True, check=False).returncode:
            return False
        said = said[end + 1 :]
    return True


def _must(*command: object) -> None:
    if not _called(*command):
        raise AssertionError(f"{' '.join(map(str, command))} fails")
