"""The manifest of a generation, or of a saved model: its settings, the versions of the libraries, and its files.

It is written last, so a generation that has one is complete. It has a checksum of itself, so that damage is noticed.
Newer versions may add keys, which older ones leave aside; what a reader has to know to understand the rest is named in
`requires`, and who does not know it refuses (`docs/decisions/0058-keys-of-newer-versions.md`).
`records.sqlite` is not among its files, since it changes; its records have fingerprints instead.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacit import __version__
from tacit.checks import check_count, shown
from tacit.errors import InputError
from tacit.index.strict_json import from_json, plain, to_json

__all__ = ["FORMAT_VERSION", "INDEX", "MODEL", "SCALED", "SHARDED_VERSION", "FileFacts", "FolderKind", "Manifest"]

FORMAT_VERSION = 1
SHARDED_VERSION = 2  # of a generation whose records are in shards, which is all that is new in it

_KEYS = ("format_version", "created", "tacit", "libraries", "settings", "counts", "files", "checksum")
_REQUIRES = "requires"  # names of what must be known to read the folder, beside the format; left out if there are none
SCALED = "scaled positions"  # `positions` are to be multiplied by `position_scales`
_KNOWN = frozenset({SCALED})  # those that this version knows
_RELATIVE_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class FolderKind:
    """What a folder with a manifest holds: its name, the newest format that can be read, and what to do if damaged."""

    name: str
    newest: int
    remedy: str


INDEX = FolderKind("index", SHARDED_VERSION, "Restore it from a copy or build the index again.")
MODEL = FolderKind("model", 1, "Restore it from a copy or save the model again.")


@dataclass(frozen=True)
class FileFacts:
    """Size and checksum of a file that never changes."""

    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The contents of a generation or of a saved model.

    Parameters
    ----------
    settings : mapping
        How it was built, as plain data.
    counts : mapping of str to int
        Numbers of records, labels and so on when it was built.
    files : mapping of str to FileFacts
        Size and checksum of each file, by its path inside the generation, with forward slashes.
    created : str, default now
        Time of building in ISO 8601, in UTC.
    tacit : str, default the running version
        Version of Tacit that wrote it.
    libraries : mapping of str to str, default the running versions
        Versions of Python and the libraries underneath.
    format_version : int, default 1
        Version of the format on disk, not of the software; 2 if the records are in shards.
    requires : tuple of str, default ()
        What must be known to read it, beside the format.
    """

    settings: Mapping[str, Any]
    counts: Mapping[str, int]
    files: Mapping[str, FileFacts]
    created: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    tacit: str = __version__
    libraries: Mapping[str, str] = field(default_factory=lambda: _libraries())
    format_version: int = FORMAT_VERSION
    requires: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return it as JSON, with its checksum."""
        facts = {
            "format_version": self.format_version,
            "created": self.created,
            "tacit": self.tacit,
            "libraries": dict(self.libraries),
            "settings": plain(self.settings, "settings"),
            "counts": {name: check_count(f"counts[{name!r}]", count, low=0) for name, count in self.counts.items()},
            "files": {path: {"bytes": file.bytes, "sha256": file.sha256} for path, file in sorted(self.files.items())},
        }
        if self.requires:
            facts[_REQUIRES] = list(self.requires)
        return to_json({**facts, "checksum": _checksum(facts)}, "manifest", indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, source: str = "manifest.json", kind: FolderKind = INDEX) -> Manifest:
        """Read a manifest and check everything that can be checked without the files.

        Raises
        ------
        InputError
            If it is of a newer format, incomplete, or was changed.
        """
        facts = from_json(text, source)
        if not isinstance(facts, dict):
            raise InputError(
                f"{source} is not a manifest: got {type(facts).__name__}, expected a dictionary. {kind.remedy}"
            )
        _check_keys(facts, source, kind)
        if facts.pop("checksum") != _checksum(facts):
            raise InputError(
                f"{source} was changed after it was written: got content that does not match its checksum, "
                f"expected it unchanged. {kind.remedy}"
            )
        _check_types(facts, source, kind)
        files = {path: _file_facts(path, entry, source, kind) for path, entry in facts["files"].items()}
        plain_keys = ("format_version", "created", "tacit", "libraries", "settings", "counts")
        return cls(files=files, requires=tuple(facts.get(_REQUIRES, ())), **{key: facts[key] for key in plain_keys})


def _libraries() -> dict[str, str]:
    """Return the versions of the libraries, from the installed packages: importing scikit-learn takes too long."""
    from importlib.metadata import version

    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"python": platform.python_version(), **packages, "sqlite": sqlite3.sqlite_version}


def _checksum(facts: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content, not of the text, so that changed line endings do no harm."""
    text = json.dumps(dict(sorted(facts.items())), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _check_keys(facts: Mapping[str, Any], source: str, kind: FolderKind) -> None:
    """Check the version of the format, that no key is missing, and that what it requires is known."""
    version = facts.get("format_version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(
            f"format_version of {source} is wrong: got {version!r}, expected an integer of at least 1. {kind.remedy}"
        )
    if version > kind.newest:
        raise InputError(
            f"{source} is of a newer format: got format_version {version}, expected at most {kind.newest}. "
            f"Update Tacit to open this {kind.name}."
        )
    missing = [key for key in _KEYS if key not in facts]
    if missing:
        raise InputError(f"{source} lacks keys: got no {shown(missing)}, expected {', '.join(_KEYS)}. {kind.remedy}")
    required = facts.get(_REQUIRES, [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise InputError(f"{_REQUIRES} of {source} is wrong: got {shown([required])}, expected names. {kind.remedy}")
    if unknown := [name for name in required if name not in _KNOWN]:
        raise InputError(
            f"{source} was written by a newer version: got an {kind.name} that requires {shown(unknown)}, expected "
            f"what this version knows. Update Tacit to open this {kind.name}."
        )


def _check_types(facts: Mapping[str, Any], source: str, kind: FolderKind) -> None:
    wanted = {"created": str, "tacit": str, "libraries": dict, "settings": dict, "counts": dict, "files": dict}
    for key, expected in wanted.items():
        if not isinstance(facts[key], expected):
            raise InputError(
                f"{key} of {source} is of the wrong kind: got {type(facts[key]).__name__}, "
                f"expected {expected.__name__}. {kind.remedy}"
            )
    for name, version in facts["libraries"].items():
        if not isinstance(version, str):
            raise InputError(
                f"libraries[{name!r}] of {source} is of the wrong kind: got {type(version).__name__}, expected a "
                f"version as text. {kind.remedy}"
            )
    for name, count in facts["counts"].items():
        check_count(f"counts[{name!r}] of {source}", count, low=0)


def _file_facts(path: str, entry: object, source: str, kind: FolderKind) -> FileFacts:
    """Check one entry; its path must not lead out of the generation."""
    if not _RELATIVE_PATH.fullmatch(path):
        raise InputError(f"files of {source} has an invalid path: got {path!r}, expected one inside its folder.")
    size, digest = (entry.get("bytes"), entry.get("sha256")) if isinstance(entry, dict) else (None, None)
    if not (isinstance(size, int) and size >= 0 and isinstance(digest, str) and _SHA256.fullmatch(digest)):
        raise InputError(
            f"files[{path!r}] of {source} is wrong: got {entry!r}, expected bytes and sha256. {kind.remedy}"
        )
    return FileFacts(size, digest)
