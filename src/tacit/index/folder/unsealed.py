"""Checks records that a writer left without a checksum, since it was killed or could not write one.

Its changes are in the log beside the records, whose checksums SQLite compares: it reads the log as far as it is sound,
and takes what follows for a change that was not finished. So each writer also leaves the number of changes in the lock
of the index. If the records have fewer, some were lost; if they have as many, and the file without its log is as the
writer before left it, they are sound. Otherwise all of them are checked as `verify` does, which takes a minute for a
million records. Afterwards the checksum is written, if this process may change the index, so that it is done once.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from tacit.errors import BusyError, InputError
from tacit.index.folder.arrays import REMEDY
from tacit.index.folder.checksums import check_records, is_as_sealed, remember_checked, seal_records, was_checked
from tacit.index.folder.generations import RECORDS
from tacit.index.folder.lock import hold_lock, left_in_lock, lock_holder
from tacit.index.folder.manifest import Manifest
from tacit.index.folder.records_check import records_complaints
from tacit.index.records.store import RecordStore

__all__ = ["check_nothing_lost", "check_unsealed", "note_of"]

_NOTE = re.compile(r"(generation-\d+) with (\d+) changes")


def note_of(folder: Path, changes: int) -> str:
    """Return what a writer leaves in the lock after a change."""
    return f"{folder.name} with {changes} changes"


def check_nothing_lost(folder: Path, store: RecordStore) -> None:
    """Raise an `InputError` if records have fewer changes than their last writer noted."""
    noted = _noted(folder)  # before the changes are counted, since a writer may be at work
    if noted is not None and store.changes < noted:
        raise InputError(
            f"{folder / RECORDS} has lost changes: got {store.changes:,} of them, expected {noted:,} as its last "
            f"writer noted. {REMEDY} To keep what is left, delete the file `lock` of the index."
        )


def check_unsealed(folder: Path, manifest: Manifest, store: RecordStore, *, is_writer: bool) -> None:
    """Raise an `InputError` if records without a checksum are damaged.

    Parameters
    ----------
    folder : folder of the generation
    manifest : its manifest
    store : its records, open
    is_writer : whether this process holds the lock; otherwise records that are being changed are not checked, since
        the writer did so before it began
    """
    path = folder / RECORDS
    if not is_writer and (lock_holder(folder.parent) or check_records(folder, lambda: store.changes)):
        return  # it is being changed, or was closed meanwhile
    changes = store.changes
    passed = f"records at {changes} changes"
    if was_checked(path, passed):
        return
    if _noted(folder) != changes or not is_as_sealed(folder):
        try:
            complaints = records_complaints(folder, manifest, sealed=False)
        except BusyError:  # a writer came meanwhile, and checks them itself
            return
        if complaints:
            raise InputError(complaints[0])
    remember_checked(path, passed)
    if not is_writer:
        with contextlib.suppress(InputError, OSError):
            _seal(folder, changes)


def _seal(folder: Path, changes: int) -> None:
    """Write the missing checksum, as if the last writer had done so."""
    with hold_lock(folder.parent) as lock, RecordStore(folder / RECORDS, writable=True) as store:
        if store.changes == changes and seal_records(folder, store):
            lock.leave("")


def _noted(folder: Path) -> int | None:
    """Return the number of changes that the last writer noted; None if it closed the records or noted nothing."""
    found = _NOTE.fullmatch(left_in_lock(folder.parent))
    return int(found[2]) if found and found[1] == folder.name else None
