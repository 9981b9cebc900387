"""Open files of folders that may come from strangers; replace files and folders atomically; compute checksums.

A rename can reach the disk before the content of the file, so after a power cut an "atomic" rename may leave an empty
file. Therefore the content is flushed before the rename, and the folder that holds the name after it.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import InputError, did_you_mean

__all__ = [
    "PLAIN_FLAGS",
    "check_plain",
    "check_plain_folder",
    "did_you_mean_file",
    "file_sha256",
    "flush_file",
    "flush_folder",
    "flush_tree",
    "kind_of",
    "link_or_copy",
    "open_plain",
    "remove_tree",
    "replace_text",
    "replacing",
    "writing_output",
]

# follow no link, and do not wait for the other end of a pipe; Windows has neither flag
PLAIN_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_plain(path: Path) -> io.BufferedReader:
    """Open a file for reading if it is a regular file; raise an `InputError` for a link, a pipe or a device.

    Every file of a folder that may come from a stranger is opened here, or checked by `check_plain` if a library opens
    it by its name. Raises `OSError` if it is missing or may not be read.
    """
    check_plain(path)
    handle = os.open(path, os.O_RDONLY | PLAIN_FLAGS)
    try:
        _check_kind(path, os.fstat(handle).st_mode)  # it may have been exchanged since
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def check_plain(path: Path, *, missing: bool = False) -> None:
    """Raise an `InputError` if `path` is anything but a regular file; `missing` is whether there may be no file."""
    try:
        _check_kind(path, os.lstat(path).st_mode)
    except FileNotFoundError:
        if not missing:
            raise


def check_plain_folder(path: Path) -> None:
    """Raise an `InputError` if `path` is a link to a folder."""
    if path.is_symlink():
        raise InputError(
            f"{path} is not a plain folder: got a symbolic link, expected a folder. Copy what it links to in its place."
        )


def kind_of(mode: int) -> str:
    """Return what a file is, for a message."""
    kinds = {stat.S_IFLNK: "a symbolic link", stat.S_IFREG: "a regular file", stat.S_IFIFO: "a named pipe"}
    kinds |= {stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFDIR: "a folder"}
    return kinds.get(stat.S_IFMT(mode), "a special file")


def _check_kind(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise InputError(
            f"{path} is not a plain file: got {kind_of(mode)}, expected a regular file. Restore it from a copy."
        )


@contextmanager
def writing_output(path: Path) -> Iterator[Path]:
    """Yield the path to write a result of a user to: everything that users name as an output is written here.

    A regular file or a folder is replaced as a whole at the end, also one that `path` links to; after an error the old
    one stays. A device or a pipe, such as `/dev/stdout`, is never replaced: `path` itself is yielded and written to.
    """
    if _is_written_through(path):
        yield path
        return
    with replacing(Path(os.path.realpath(path))) as fresh:
        try:
            yield fresh
        except OSError as error:  # of a write, which does not say where
            error.filename = error.filename or str(path)
            raise


def _is_written_through(path: Path) -> bool:
    """Whether a path leads to a device, a pipe or an open file of this process."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    parts = path.absolute().parts  # the file behind /dev/stdout is being written
    open_file = parts[1:2] == ("proc",) or (parts[1:2] == ("dev",) and parts[2] in ("fd", "stdout", "stderr"))
    return not stat.S_ISDIR(mode) and (open_file or not stat.S_ISREG(mode))


@contextmanager
def replacing(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Yield a temporary path next to `path`; the file or folder written there replaces `path` at the end.

    Readers see the old content or the new one, even after a power cut. After an error the old content stays. A folder
    cannot replace another one atomically, so the old one is renamed for a moment.

    Parameters
    ----------
    path : the file or folder to write or to replace
    temporary : the temporary path; by default one that no other process uses
    """
    fresh = temporary or path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.unfinished")
    aside = fresh.with_name(fresh.name + ".old")
    try:
        yield fresh
        if fresh.is_dir():
            flush_tree(fresh)
        else:
            flush_file(fresh)
        if path.is_dir():
            os.rename(path, aside)
        os.replace(fresh, path)
        flush_folder(path.parent)
    finally:
        if aside.exists() and not path.exists():
            os.rename(aside, path)
        for left in (fresh, aside):
            if left.is_dir():
                remove_tree(left)
            else:
                left.unlink(missing_ok=True)


def did_you_mean_file(path: Path, otherwise: str = "") -> str:
    """Return " Did you mean ...?" with the entry of its folder that is spelt most like the name of a missing file."""
    try:
        names = sorted(entry.name for entry in path.absolute().parent.iterdir())
    except OSError:
        names = []
    names = [name for name in names if did_you_mean(path.stem, [Path(name).stem])]  # suffixes are often alike
    meant = did_you_mean(path.name, names)
    if not meant:
        return f" {otherwise}" if otherwise else ""
    return meant if path.absolute().parent == Path.cwd() else meant.removesuffix("?") + f" in {str(path.parent)!r}?"


def replace_text(path: Path, text: str) -> None:
    """Replace the content of a small file atomically."""
    with replacing(path, path.with_name(path.name + ".new")) as fresh:
        fresh.unlink(missing_ok=True)  # it may be a link that came with the folder
        fresh.write_text(text, encoding="utf-8", newline="\n")


def flush_tree(folder: Path) -> None:
    """Flush every file and folder below `folder` and itself to the disk, innermost first."""
    for current, _, files in os.walk(folder, topdown=False):
        for name in files:
            flush_file(Path(current, name))
        flush_folder(Path(current))


def flush_file(path: Path) -> None:
    """Flush the content of one file to the disk."""
    with open(path, "rb+") as file:  # Windows flushes only files that are open for writing
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk; Windows does this itself and cannot open folders."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def link_or_copy(path: Path, target: Path) -> None:
    """Give a file that never changes a second name, or copy it if this disk has no links."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def file_sha256(path: Path, *, plain: bool = False) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; `plain` opens it by `open_plain`."""
    with open_plain(path) if plain else open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as the system allows: Windows keeps files that a reader has mapped."""
    shutil.rmtree(folder, ignore_errors=True)
