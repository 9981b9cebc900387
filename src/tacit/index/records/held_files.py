"""Reads a file that SQLite may have open in this process, without losing SQLite's locks on it.

POSIX drops all locks of a process on a file when it closes any handle of that file. Another process would then believe
that nobody uses the records, and remove the log while they are being read ("How To Corrupt An SQLite Database File",
section 2.2). So every connection is counted, and a handle is kept until the last connection to its file is closed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tacit.errors import InputError
from tacit.files import PLAIN_FLAGS, check_plain, file_sha256

__all__ = ["HeldConnection", "held_sha256", "read_ahead"]

_Key = tuple[int, int]  # device and number of a file
_BLOCK = 1 << 20

_TURN = threading.RLock()
_USES: Counter[_Key] = Counter()
_HANDLES: dict[_Key, int] = {}


class HeldConnection(sqlite3.Connection):
    """A connection to the file at `path` that is counted until it is closed."""

    _key: _Key | None = None

    def holding(self, path: Path) -> HeldConnection:
        """Count it; called before anything is read, since SQLite locks the file only then."""
        found = os.stat(path)
        with _TURN:
            self._key = found.st_dev, found.st_ino
            _USES[self._key] += 1
        return self

    def close(self) -> None:
        """Close it; the last one to a file closes the handles that were kept."""
        super().close()
        key, self._key = self._key, None
        if key is not None:
            _release(key)

    def __del__(self) -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # what was not opened cannot be closed
            self.close()


def held_sha256(path: Path) -> str:
    """Return the SHA-256 of a regular file in hexadecimal digits."""
    if os.name == "nt":  # locks belong to handles there
        return file_sha256(path, plain=True)
    with _held_handle(path) as handle:
        digest, place = hashlib.sha256(), 0
        while block := os.pread(handle, _BLOCK, place):
            digest.update(block)
            place += len(block)
        return digest.hexdigest()


@contextlib.contextmanager
def _held_handle(path: Path) -> Iterator[int]:
    """Open a regular file for reading; the handle is not closed before the last connection to the file."""
    check_plain(path)
    with _TURN:
        found = os.stat(path)
        key = found.st_dev, found.st_ino
        handle = _HANDLES.get(key)
        if handle is None:
            handle = _HANDLES[key] = os.open(path, os.O_RDONLY | PLAIN_FLAGS)
        _USES[key] += 1
    try:
        yield handle
    finally:
        _release(key)


def read_ahead(path: Path) -> None:
    """Ask the system to read a file into memory, where it can be asked: a first search would wait for the disk.

    What SQLite keeps beside the records is left alone, since it is locked as well, and small.
    """
    if not path.name.endswith(("-wal", "-shm", "-journal")):
        with contextlib.suppress(OSError, AttributeError, InputError), _held_handle(path) as handle:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_WILLNEED)


def _release(key: _Key) -> None:
    """Count one use less; after the last one, close the handle."""
    with _TURN:
        _USES[key] -= 1
        if _USES[key] <= 0:
            del _USES[key]
            handle = _HANDLES.pop(key, None)
            if handle is not None:
                os.close(handle)
