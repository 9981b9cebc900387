"""Compares the content of an index with its checksums before it is used.

Reading a gigabyte takes a second or two, so files that were compared are remembered until they change: in this process,
and large ones in the user's cache folder (`TACIT_CACHE`, else `XDG_CACHE_HOME`, else `~/.cache`). A file counts as
unchanged while its place on the disk, size and times are the same. The index itself could not keep this: it may come
from a stranger, or be on a disk that nobody writes to.

Arrays, facts and the graph of neighbours never change; their checksums are in the manifest. `records.sqlite` changes,
so every writer leaves its checksum in `records.checksum`, with the number of changes that it holds for. A writer that
was killed leaves records without one: see `tacit.index.folder.unsealed`.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from tacit.checks import human_size
from tacit.errors import InputError
from tacit.files import check_plain, file_sha256, open_plain, replace_text
from tacit.index.folder.arrays import REMEDY, unreadable
from tacit.index.folder.generations import RECORDS
from tacit.index.folder.manifest import FileFacts
from tacit.index.records.held_files import held_sha256
from tacit.index.records.store import RecordStore

__all__ = [
    "SEAL",
    "check_records",
    "complaint_about",
    "is_as_sealed",
    "remember",
    "remember_checked",
    "seal",
    "seal_records",
    "was_checked",
]

SEAL = "records.checksum"
_WORTH_KEEPING = 1 << 18  # bytes; smaller files are read again by each process
_MOST_KEPT = 2_000  # files in the cache folder


def complaint_about(path: Path, expected: FileFacts, *, content: bool = True, afresh: bool = False) -> str | None:
    """Return what is wrong with a file, or None; without `content` only its size is compared.

    `afresh` reads it even if it was compared before. A link, a pipe or a device is an `InputError`.
    """
    try:
        check_plain(path)
        found = os.stat(path)
        if found.st_size != expected.bytes:
            return f"{path} is incomplete: got {found.st_size} bytes, expected {expected.bytes}. {REMEDY}"
        identity = _identity(found)
        if not content or (not afresh and _known(identity, found.st_size) == expected.sha256):
            return None
        digest = held_sha256(path) if path.name == RECORDS else file_sha256(path, plain=True)
    except FileNotFoundError:
        return f"{path} is missing: got no such file, expected one of {human_size(expected.bytes)}. {REMEDY}"
    except OSError as error:
        return str(unreadable(path, error))
    if digest != expected.sha256:
        return f"{path} was changed: got content that does not match its checksum, expected it unchanged. {REMEDY}"
    if _identity(os.stat(path)) == identity:
        remember(path, digest)
    return None


def remember(path: Path, sha256: str) -> None:
    """Remember the checksum of a file that was just written or compared."""
    found = os.stat(path)
    _remember(_identity(found), sha256, found.st_size)


def remember_checked(path: Path, what: str) -> None:
    """Remember that a file passed a check of this name, until it changes."""
    with contextlib.suppress(FileNotFoundError):  # a refit may have removed it
        found = os.stat(path)
        if not was_checked(path, what):
            _remember(f"{_identity(found)}:{what}", _PASSED, found.st_size)


def was_checked(path: Path, what: str) -> bool:
    """Whether a file has passed a check of this name and has not changed since."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return _known(f"{_identity(found)}:{what}", found.st_size) == _PASSED


def seal_records(folder: Path, store: RecordStore) -> bool:
    """Write the checksum of the records, if they have changed, and return whether it now holds.

    The caller holds the lock and an open writable store. Records that cannot be sealed, since a reader still uses an
    older state or the disk is full, are stored all the same.
    """
    try:
        changes = store.changes
        sealed = _seal(folder)
        if sealed is None or sealed[0] != changes:
            if not store.settle():
                return False
            seal(folder, changes)
    except (OSError, InputError):
        return False
    return True


def seal(folder: Path, changes: int) -> None:
    """Write the checksum of the records of a closed store."""
    path = folder / RECORDS
    content = {"changes": changes, "bytes": path.stat().st_size, "sha256": held_sha256(path)}
    replace_text(folder / SEAL, json.dumps(content) + "\n")
    remember(path, str(content["sha256"]))


def check_records(folder: Path, changes: Callable[[], int], *, afresh: bool = False) -> bool:
    """Raise an `InputError` if the records differ from those that the last writer left; return whether it left any.

    `changes` reads the number of changes from the open store; `afresh` compares them even if they were compared before.
    It returns False if the records are being changed, or were not closed properly.
    """
    sealed = _seal(folder)
    if sealed is None:
        return False
    now = changes()
    if now < sealed[0]:  # a writer seals what is on the disk
        raise InputError(
            f"{folder / RECORDS} has lost changes: got {now:,} of them, expected {sealed[0]:,} as {SEAL} says. "
            f"{REMEDY} To keep what is left, delete {SEAL}."
        )
    if now > sealed[0]:
        return False
    complaint = complaint_about(folder / RECORDS, sealed[1], afresh=afresh)
    if complaint and sealed[0] == changes():  # and not by a writer who came meanwhile
        raise InputError(complaint)
    return True


def is_as_sealed(folder: Path) -> bool:
    """Whether the file of the records, without its log, is that which the last writer closed."""
    sealed = _seal(folder)
    return sealed is not None and complaint_about(folder / RECORDS, sealed[1]) is None


def _seal(folder: Path) -> tuple[int, FileFacts] | None:
    """Return the number of changes and the facts in the seal; None if there is no seal."""
    path = folder / SEAL
    try:
        with open_plain(path) as file:
            content = file.read(1000)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        facts = json.loads(content)
        changes, size, digest = facts["changes"], facts["bytes"], facts["sha256"]
        if not (isinstance(changes, int) and isinstance(size, int) and isinstance(digest, str)):
            raise TypeError("of the wrong kind")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"{path} is damaged: got {content[:40]!r}, expected the checksum of the records. {REMEDY}"
        ) from error
    return changes, FileFacts(size, digest)


def _identity(found: os.stat_result) -> str:
    """Return what differs when a file is changed, replaced or copied."""
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}:{found.st_ctime_ns}"


_KNOWN: dict[str, str] = {}
_TURN = threading.Lock()
_PASSED = "passed"


def _remember(identity: str, found: str, size: int) -> None:
    with _TURN:
        _KNOWN[identity] = found
    if size >= _WORTH_KEEPING:
        _keep(identity, found)


def _known(identity: str, size: int) -> str | None:
    """Return the checksum of a file that was compared before."""
    with _TURN:
        found = _KNOWN.get(identity)
    return _kept_before(_cache()).get(identity) if found is None and size >= _WORTH_KEEPING else found


@lru_cache(maxsize=1)
def _kept_before(cache: Path) -> dict[str, str]:
    """Return what the cache folder held when this process first asked."""
    return _kept(cache)


def _kept(cache: Path) -> dict[str, str]:
    """Read the checksums in the cache folder; what cannot be read is compared again."""
    try:
        with open_plain(cache) as file:
            found = json.loads(file.read())
    except (OSError, ValueError, RecursionError):  # an InputError is a ValueError
        return {}
    return found if isinstance(found, dict) else {}


def _keep(identity: str, sha256: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        _cache().parent.mkdir(parents=True, exist_ok=True)
        kept = {**_kept(_cache()), identity: sha256}
        replace_text(_cache(), json.dumps(dict(list(kept.items())[-_MOST_KEPT:]), indent=0))


def _cache() -> Path:
    """Return the file that remembers what was compared."""
    own, common = os.environ.get("TACIT_CACHE"), os.environ.get("XDG_CACHE_HOME")
    return (Path(own) if own else Path(common or Path.home() / ".cache") / "tacit") / "compared.json"
