"""The files of the named collections: where they come from, where they are, and how they are read and written."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from tacit.errors import InputError

__all__ = [
    "CONTROL_CHARACTERS", "Home", "RemoteFile", "TaxonomyTable", "archive_members", "data_folder", "find_file",
    "joined", "parents_of", "read_json_lines", "read_table", "refuse_outside", "write_json_lines", "write_table",
]  # fmt: skip


@dataclass(frozen=True)
class RemoteFile:
    """A file to download: its address, its name here, and its published checksum in hexadecimal, if there is one.

    A checksum is given only if somebody else has published it: GroupLens beside its archive (MD5), scikit-learn in
    `fetch_20newsgroups` (SHA-256), and Hugging Face's `datasets` in its table for Reuters-21578 (SHA-256).
    """

    url: str
    file: str
    sha256: str = ""
    md5: str = ""


@dataclass(frozen=True)
class Home:
    """Where a data set is published, and how its files become those that the loader reads.

    Parameters
    ----------
    page : address of a page that describes the data set
    folder : subfolder of the data folder
    files : the files that the loader reads there
    sources : the files to download
    megabytes : approximate size of the download
    convert : function of the folder with the downloads and an empty folder; it writes `files` into the second
    """

    page: str
    folder: str
    files: tuple[str, ...]
    sources: tuple[RemoteFile, ...]
    megabytes: int
    convert: Callable[[Path, Path], None]


@dataclass(frozen=True)
class TaxonomyTable:
    """A taxonomy as plain data: the parents of each node, and its title.

    Attributes
    ----------
    parents : dict of str to tuple of str
        Each node with the nodes directly above it; a root has none.
    titles : dict of str to str
        Names to show, for the nodes that have one.
    """

    parents: dict[str, tuple[str, ...]]
    titles: dict[str, str] = field(default_factory=dict)


def data_folder(data_dir: str | Path | None = None) -> Path:
    """Return the folder of the data sets: `data_dir`, or the environment variable TACIT_DATA."""
    root = str(data_dir if data_dir is not None else os.environ.get("TACIT_DATA", ""))
    if not root:
        raise InputError(
            "data_dir is missing: got None and no TACIT_DATA in the environment, expected the folder of the data sets. "
            "Pass data_dir, or set TACIT_DATA."
        )
    return Path(root).expanduser()


def find_file(data_dir: str | Path | None, folder: str, file: str) -> Path:
    """Return the path of a file of a data set; raise if it is not in the data folder."""
    root = data_folder(data_dir)
    path = root / folder / file
    if not path.is_file():
        raise InputError(
            f"data_dir lacks a file: got {str(root)!r}, expected {folder}/{file} in it. Check the folder, or download "
            "the data set with 'tacit datasets fetch'."
        )
    return path


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Read a gzipped file of JSON lines."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected gzipped JSON lines. Copy the file again."
        ) from error


def write_json_lines(path: Path, facts: Iterable[dict[str, Any]]) -> None:
    """Write gzipped JSON lines without a time stamp, so that the same data give the same file."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8") as lines,
    ):
        for fact in facts:
            lines.write(json.dumps(fact, ensure_ascii=False) + "\n")


def read_table(path: Path, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Read some columns of a tab-separated table with a header."""
    try:
        with open(path, encoding="utf-8", newline="") as lines:
            return [tuple(row[column] for column in columns) for row in csv.DictReader(lines, delimiter="\t")]
    except (KeyError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected the columns {', '.join(columns)}. Copy the file again."
        ) from error


def write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Write a tab-separated table with a header."""
    path.write_text("".join("\t".join(row) + "\n" for row in (header, *rows)), "utf-8")


def archive_members(archive: Path, *, read: bool = True) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of a tar archive, which is not unpacked to the disk."""
    try:
        with tarfile.open(archive) as members:
            for member in members:
                refuse_outside(archive, member.name)
                if member.isfile():
                    content = members.extractfile(member) if read else None
                    yield member.name, content.read() if content is not None else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{archive.name} is damaged: got {error}, expected an archive. Try again.") from error


def refuse_outside(archive: Path, name: str) -> None:
    """Raise if a file of an archive has a name that leads out of its folder: no published archive has one."""
    if name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise InputError(
            f"{archive.name} has a path that leads outside: got {name!r}, expected names below the folder. "
            "Do not trust this file."
        )


def parents_of(parent: str) -> tuple[str, ...]:
    """Return the parents of a node; the root that some files put above everything is left out."""
    return () if parent.lower() in ("", "root", "none") else (parent,)


def joined(title: str, body: str) -> str:
    """Return title and body as one text; either may be empty."""
    return "\n".join(part for part in (title, body) if part)


CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
