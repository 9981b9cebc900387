"""Replace files and folders atomically, flush them to the disk, and compute checksums.

A rename can reach the disk before the content of the file, so after a power cut an "atomic" rename may leave an empty
file. Therefore the content is flushed before the rename, and the folder that holds the name after it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tacit.errors import did_you_mean

__all__ = [
    "did_you_mean_file",
    "file_sha256",
    "flush_file",
    "flush_folder",
    "flush_tree",
    "remove_tree",
    "replace_text",
    "replacing",
]


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


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as the system allows: Windows keeps files that a reader has mapped."""
    shutil.rmtree(folder, ignore_errors=True)
