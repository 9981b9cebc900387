"""Files that stay: written, flushed to the disk, replaced in one step, and their checksums.

A rename can reach the disk before the content of the file it names, so after a power cut an "atomic" rename may leave
an empty file. Content first, then the name, then the folder that holds the name: each is flushed before the next.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["file_sha256", "flush_file", "flush_folder", "flush_tree", "remove_tree", "replace_text", "replacing"]


@contextmanager
def replacing(path: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Give a temporary name beside `path`; the file or folder written there replaces `path` at the end, in one step.

    Readers see the old content or the new one, also after a power cut. An error leaves the old content and nothing
    else. A folder cannot replace another in one step, so the old one steps aside for a moment.

    Parameters
    ----------
    path : what to write or to replace
    temporary : the temporary name; by default one that no other process uses
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


def replace_text(path: Path, text: str) -> None:
    """Give a small file new content in one step."""
    with replacing(path, path.with_name(path.name + ".new")) as fresh:
        fresh.write_text(text, encoding="utf-8", newline="\n")


def flush_tree(folder: Path) -> None:
    """Flush every file below `folder` and every folder that names them, the innermost first."""
    for current, _, files in os.walk(folder, topdown=False):
        for name in files:
            flush_file(Path(current, name))
        flush_folder(Path(current))


def flush_file(path: Path) -> None:
    """Flush the content of one file to the disk."""
    with open(path, "rb+") as file:  # Windows flushes only what is open for writing
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk; Windows does that by itself and cannot open folders."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_sha256(path: Path) -> str:
    """Give the SHA-256 of a file in hexadecimal digits."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as the system allows: Windows keeps what a reader has mapped, for the next sweep."""
    shutil.rmtree(folder, ignore_errors=True)
