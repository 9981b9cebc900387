"""One writer at a time: a writer locks the file `lock` of the index.

The operating system frees the lock when the process ends, so that no user has to delete one. The first line of the file
tells people who holds it. The second is left by a writer after each change, and stays if the writer is killed: how many
changes the records had, so that a loss of the last ones is noticed. Both may be missing.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from tacit.errors import BusyError, InputError
from tacit.files import PLAIN_FLAGS, kind_of, open_plain

if os.name == "nt":  # pragma: no cover
    import msvcrt
else:
    import fcntl

__all__ = ["LOCK_NAME", "HeldLock", "hold_lock", "left_in_lock", "lock_holder"]

LOCK_NAME = "lock"

_PAUSE = 0.05  # seconds between two tries
_LOCKED_BYTE = 1 << 20  # behind the text, since Windows lets nobody read a locked byte


class HeldLock:
    """A lock that this process holds."""

    def __init__(self, handle: int, left: str) -> None:
        since = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        self._handle, self._holder, self._left = handle, f"process {os.getpid()} since {since}", left
        self._write(self._holder)

    def leave(self, text: str) -> None:
        """Leave a line for those who come after a kill; "" for none, once it has been needed.

        If the line cannot be taken away, all that it was for is stored nevertheless: it is then as after a kill.
        """
        self._left = text
        with contextlib.nullcontext() if text else contextlib.suppress(OSError):
            self._write(self._holder)

    def free(self) -> None:
        """Free the lock; what was left stays."""
        with contextlib.suppress(OSError):
            self._write("")
        _lock(self._handle, take=False)  # explicitly, since a forked child may hold a copy of the handle
        os.close(self._handle)

    def _write(self, holder: str) -> None:
        os.lseek(self._handle, 0, os.SEEK_SET)
        content = f"{holder}\n{self._left}\n" if self._left else holder
        written = os.write(self._handle, content.encode())
        os.ftruncate(self._handle, written)


@contextlib.contextmanager
def hold_lock(folder: Path, *, wait: float = 0.0) -> Iterator[HeldLock]:
    """Hold the lock of the index in an existing folder during a `with` block; wait for it up to `wait` seconds.

    Raises
    ------
    InputError
        If another writer holds it, in this process or another; says which process and since when. Also if `lock` is not
        a regular file with one name.
    """
    handle = _acquire(folder / LOCK_NAME, time.monotonic() + wait)
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        held = HeldLock(handle, _second_line(os.read(handle, _LONGEST)))
    except BaseException:
        os.close(handle)
        raise
    try:
        yield held
    finally:
        held.free()


def left_in_lock(folder: Path) -> str:
    """Return the line that a writer left in the lock of an index; "" if there is none."""
    try:
        with open_plain(folder / LOCK_NAME) as file:
            return _second_line(file.read(_LONGEST))
    except (OSError, InputError):
        return ""


_LONGEST = 1_000  # bytes that are read


def _second_line(content: bytes) -> str:
    return content.decode("utf-8", "replace").partition("\n")[2].strip()


def _first_line(content: bytes) -> str:
    return content.decode("utf-8", "replace").partition("\n")[0].strip()


def lock_holder(folder: Path) -> str | None:
    """Return which process holds the lock of an index and since when, or None if none does; nothing is created."""
    try:
        handle = os.open(folder / LOCK_NAME, os.O_RDONLY | PLAIN_FLAGS)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        if _lock(handle, take=True):
            _lock(handle, take=False)
            return None
        return _first_line(os.read(handle, 200)) or "another process"
    except InputError:  # no locks on this file system
        return None
    finally:
        os.close(handle)


def _acquire(path: Path, deadline: float) -> int:
    """Open and lock the file; try until the deadline."""
    while True:
        handle = _open(path)
        try:
            _check_kind(os.fstat(handle), path)
            locked = _lock(handle, take=True)
            os.lseek(handle, 0, os.SEEK_SET)
            with contextlib.suppress(FileNotFoundError):
                if locked and os.path.samestat(os.fstat(handle), os.lstat(path)):
                    return handle
            holder = os.read(handle, 200)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if locked:  # a writer that gave up its new folder deleted the file: the lock is not on the file at `path`
            continue
        if time.monotonic() >= deadline:
            shown = _first_line(holder) or "another process"  # it may not have written yet
            raise BusyError(
                f"{path.parent} is being changed: got a lock held by {shown}, "
                "expected one writer at a time. Wait until it has finished, or pass `wait` with a number of seconds."
            )
        time.sleep(_PAUSE)


def _open(path: Path) -> int:
    """Open or create the file, without following a link and without waiting for the other end of a pipe."""
    flags = os.O_RDWR | os.O_CREAT | PLAIN_FLAGS
    try:
        with contextlib.suppress(FileNotFoundError):
            _check_kind(os.lstat(path), path)  # Windows has no O_NOFOLLOW, and opening a device may start something
        return os.open(path, flags, 0o666)
    except OSError as error:
        raise InputError(
            f"{path.parent} cannot be changed: got {error.strerror!r} for its file {path.name!r}, "
            "expected a folder that can be written to."
        ) from error


def _check_kind(found: os.stat_result, path: Path) -> None:
    """Refuse anything that is more than the file of this index: it will be emptied."""
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:  # 0 if it was deleted meanwhile
        return
    kind = "a hard link" if stat.S_ISREG(found.st_mode) else kind_of(found.st_mode)
    raise InputError(
        f"{path} is not a plain file: got {kind}, "
        "expected a regular file with one name. Delete it; the next writer creates it again."
    )


def _lock(handle: int, *, take: bool) -> bool:
    """Free the lock, or take it if it is free, and return whether that was possible; never wait."""
    try:
        if os.name == "nt":  # pragma: no cover
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            mode = getattr(msvcrt, "LK_NBLCK" if take else "LK_UNLCK")
            msvcrt.locking(handle, mode, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB if take else fcntl.LOCK_UN)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise InputError(
            f"lock cannot be taken: got {error}, expected a file system with locks. Keep the index on a local disk."
        ) from error
    return True
