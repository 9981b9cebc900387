"""One writer at a time: a writer locks the file `lock` of the index.

The operating system frees the lock when the process ends, so that no user has to delete one. The text in the file only
tells people who holds it.
"""

from __future__ import annotations

import contextlib
import datetime
import os
import time
from collections.abc import Iterator
from pathlib import Path

from tacit.errors import InputError

if os.name == "nt":  # pragma: no cover
    import msvcrt
else:
    import fcntl

__all__ = ["LOCK_NAME", "hold_lock"]

LOCK_NAME = "lock"

_PAUSE = 0.05  # seconds between two tries
_LOCKED_BYTE = 1 << 20  # behind the text, since Windows lets nobody read a locked byte


@contextlib.contextmanager
def hold_lock(folder: Path, *, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of the index in `folder` during a `with` block.

    Parameters
    ----------
    folder : Path
        Folder of the index; it must exist.
    wait : float, default 0.0
        Seconds to wait for another writer.

    Raises
    ------
    InputError
        If another writer holds it, in this process or another; says which process and since when.
    """
    handle = _acquire(folder / LOCK_NAME, time.monotonic() + wait)
    try:
        _write_holder(handle)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.ftruncate(handle, 0)
        _unlock(handle)
        os.close(handle)


def _acquire(path: Path, deadline: float) -> int:
    """Open and lock the file; try until the deadline."""
    while True:
        handle = _open(path)
        try:
            locked = _try_lock(handle)
            os.lseek(handle, 0, os.SEEK_SET)
            if locked and _is_file_at(handle, path):
                return handle
            holder = os.read(handle, 200)
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if locked:  # a writer that gave up its new folder deleted the file: the lock is not on the file at `path`
            continue
        if time.monotonic() >= deadline:
            raise InputError(
                f"{path.parent} is being changed: got a lock held by {_shown_holder(holder)}, "
                "expected one writer at a time. Wait until it has finished."
            )
        time.sleep(_PAUSE)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(
            f"{path.parent} cannot be changed: got {error.strerror!r} for its file {path.name!r}, "
            "expected a folder that can be written to."
        ) from error


def _try_lock(handle: int) -> bool:
    """Take the lock if it is free; never wait."""
    try:
        if os.name == "nt":  # pragma: no cover
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as error:
        raise InputError(
            f"lock cannot be taken: got {error}, expected a file system with locks. Keep the index on a local disk."
        ) from error
    return True


def _unlock(handle: int) -> None:
    """Free the lock explicitly, since a forked child may hold a copy of the handle."""
    if os.name == "nt":  # pragma: no cover
        os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    else:
        fcntl.flock(handle, fcntl.LOCK_UN)


def _is_file_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False


def _write_holder(handle: int) -> None:
    since = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    os.ftruncate(handle, 0)
    os.write(handle, f"process {os.getpid()} since {since}".encode())


def _shown_holder(text: bytes) -> str:
    """Return what the holder wrote; it may not have written yet."""
    return text.decode("utf-8", "replace").strip() or "another process"
