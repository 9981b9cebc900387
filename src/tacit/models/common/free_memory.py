"""How much memory may be taken: what the container allows, what the machine has free, or what TACIT_MEMORY says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tacit.errors import InputError

__all__ = ["available_memory"]

_VARIABLE = "TACIT_MEMORY"
_UNKNOWN = 2**34  # where the system does not say


def available_memory(*, root: Path = Path("/")) -> int:
    """Give the bytes that this process may still take.

    The least of what the control groups of a container leave (version 1 or 2) and what Linux calls available; elsewhere
    the memory of the machine, since no system call that Python knows tells what is free of it. The environment variable
    TACIT_MEMORY, in bytes, overrides both.

    Parameters
    ----------
    root : where the file system begins
    """
    asked = os.environ.get(_VARIABLE)
    if asked is not None:
        if not asked.strip().isdecimal():
            raise InputError(f"{_VARIABLE} is not a size: got {asked!r}, expected a whole number of bytes.")
        return int(asked)
    limits = [*_left_by_groups(root), *_left_by_machine(root)]
    return max(0, min(limits)) if limits else _physical()


def _left_by_groups(root: Path) -> Iterator[int]:
    """Limit less use of every control group above this process; what only caches files counts as free."""
    for line in _lines(root / "proc/self/cgroup"):
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if number == "0":
            yield from _each(root / "sys/fs/cgroup", path, "memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            v1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _each(root / "sys/fs/cgroup/memory", path, *v1)


def _each(mount: Path, path: str, limit: str, use: str, cache: str) -> Iterator[int]:
    """Look at a group and all above it; in a container only the top of the tree may be there."""
    inside = PurePosixPath(path.lstrip("/"))
    for group in {mount, *(mount / above for above in (inside, *inside.parents))}:
        most, used = _number(group / limit), _number(group / use)
        if most is None or used is None or most >= 2**60:  # "max", or version 1's word for no limit
            continue
        yield most - used + _field(group / "memory.stat", cache)


def _left_by_machine(root: Path) -> Iterator[int]:
    kilobytes = _field(root / "proc/meminfo", "MemAvailable:")
    if kilobytes:
        yield kilobytes * 1024


def _field(file: Path, name: str) -> int:
    """Give the number after a name, 0 if it is not there."""
    for line in _lines(file):
        words = line.split()
        if len(words) > 1 and words[0] == name:
            return int(words[1])
    return 0


def _number(file: Path) -> int | None:
    text = "".join(_lines(file)).strip()
    return int(text) if text.isdecimal() else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system says
        return _UNKNOWN
