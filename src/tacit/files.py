"""Files that stay: written, flushed to the disk, replaced in one step, and their checksums.

A rename can reach the disk before the content of the file it names, so after a power cut an "atomic" rename may leave
an empty file. Content first, then the name, then the folder that holds the name: each is flushed before the next.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

__all__ = ["file_sha256", "flush_file", "flush_folder", "flush_tree", "remove_tree", "replace_text"]


def replace_text(path: Path, text: str) -> None:
    """Give a small file new content in one step: whoever reads it sees the old text or the new one."""
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    flush_folder(path.parent)


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
