"""Writes a new generation beside the current one, and makes it the current one in the last step."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.files import file_sha256, flush_file, flush_folder, flush_tree, link_or_copy, remove_tree
from tacit.index.folder.arrays import map_array, write_array
from tacit.index.folder.checksums import remember, seal
from tacit.index.folder.forms import check_facts, check_settings
from tacit.index.folder.generations import (
    MANIFEST,
    RECORDS,
    SHARDS,
    STATE,
    UNFINISHED,
    WORK,
    check_name,
    current_generation,
    current_or_none,
    is_ours,
    next_name,
    resumable_name,
    set_current,
    shards_beside,
    sweep_unnamed,
)
from tacit.index.folder.lock import LOCK_NAME, hold_lock
from tacit.index.folder.manifest import FORMAT_VERSION, SCALED, SHARDED_VERSION, FileFacts, Manifest
from tacit.index.folder.opening import Generation, as_folder
from tacit.index.records.store import RecordStore
from tacit.index.strict_json import from_json, plain, to_json

__all__ = ["GenerationWriter"]

_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)


class GenerationWriter:
    """Builds or refits an index: use it in a `with` block and end with `finish`.

    Until `finish` returns, the index is unchanged; if the block ends before, everything that was written is removed. A
    crash leaves the old index, and files that the next writer deletes. The lock of the index is held during the block.

    Parameters
    ----------
    path : str or Path
        Folder of the index; created if it does not exist.
    wait : float, default 0.0
        Seconds to wait for another writer.
    resume : bool, default False
        Whether to go on with a generation that was not finished, if there is one, and to keep this one if the block
        ends before `finish`.

    Raises
    ------
    InputError
        On entering, if `path` is a file or a folder with other files, or another writer is changing it.

    Examples
    --------
    >>> with GenerationWriter("collection.tacit") as writer:               # doctest: +SKIP
    ...     RecordStore.create(writer.path("records.sqlite"), records)
    ...     writer.save_array("positions", positions)
    ...     writer.finish({"model": "LSI"}, {"records": len(positions)})
    """

    def __init__(self, path: str | Path, *, wait: float = 0.0, resume: bool = False) -> None:
        self.index = as_folder(path)
        self._wait, self._resume = wait, resume
        self._folder: Path | None = None
        self._name, self._changes = "", 0
        self._kept: dict[str, FileFacts] = {}
        self._leave = contextlib.ExitStack()

    def __enter__(self) -> GenerationWriter:
        is_new = _make_folder(self.index)
        with contextlib.ExitStack() as leave:
            self._lock = leave.enter_context(hold_lock(self.index, wait=self._wait))
            if is_new:  # while the lock is still held, so that no other build starts in it
                leave.callback(_remove_if_unused, self.index)
            before = resumable_name(self.index) if self._resume else None
            self._name = before or next_name(self.index)
            sweep_unnamed(self.index, before)
            self._folder = self.index / (self._name + UNFINISHED)
            if before is not None and not self._folder.exists():  # killed in the last step of `finish`
                os.rename(self.index / before, self._folder)
                (self._folder / MANIFEST).unlink(missing_ok=True)
            self._folder.mkdir(exist_ok=True)
            self._leave = leave.pop_all()
        return self

    def __exit__(self, kind: object = None, error: object = None, trace: object = None) -> None:
        self._clean_up()
        if isinstance(error, OSError) and (error.errno in _OF_THE_DISK or "requested and" in str(error)):
            raise InputError(
                f"{self.index} cannot be written: got {error.strerror or 'No space left on device'!r}"
                f"{f' for {error.filename}' if error.filename else ''}, expected a place with free space. Nothing was "
                "changed; check the disk."
            ) from error

    def _clean_up(self) -> None:
        with self._leave:
            written, work = self.index / (self._name + UNFINISHED), self.index / (self._name + WORK)
            if self._resume and written.exists() and (work / STATE).exists():
                self._folder = None
                return
            shards = self.index / shards_beside(self._name)
            if self._folder is None or current_or_none(self.index) == self._name:
                shards = work  # they belong to what is current
            for folder in (written, work, shards):
                if folder.exists():
                    remove_tree(folder)
            # an interrupt may come after the last step of `finish`: what is current stays
            if self._folder == self.index / self._name and current_or_none(self.index) != self._name:
                remove_tree(self._folder)
            self._folder = None

    @property
    def folder(self) -> Path:
        """The folder in which the generation is written."""
        return self._open_folder()

    @property
    def work(self) -> Path:
        """A folder for what only the build needs; it is removed when the generation is finished."""
        self._open_folder()
        folder = self.index / (self._name + WORK)
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def shards(self) -> Path:
        """The folder for the shards of this generation, if its records are to be in shards."""
        self._open_folder()
        folder = self.index / shards_beside(self._name)
        folder.mkdir(exist_ok=True)
        return folder

    def previous(self, opened: Callable[..., Generation] = Generation) -> Generation:
        """Open the current generation, for a refit to read; the lock keeps it unchanged.

        `opened` opens the folder of a generation, by default one with a store of records.
        """
        return opened(current_generation(self.index), lock=self._lock)

    def path(self, name: str) -> Path:
        """Return the path of a file that the caller writes and closes before `finish`, such as `records.sqlite`."""
        folder = self._open_folder()
        *above, last = name.split("/")
        check_name(last.replace(".", "_"))
        if last.startswith(".") or name == MANIFEST or len(above) > 1:
            raise InputError(f"name is not valid: got {name!r}, expected a file name such as 'arrays/map.npy'.")
        target = folder.joinpath(*map(check_name, above))
        target.mkdir(exist_ok=True)
        return target / last

    def save_array(self, name: str, array: Any) -> None:
        """Write an array of numbers to `arrays/<name>.npy`."""
        write_array(self.path(f"arrays/{check_name(name)}.npy"), array, name)

    def save_facts(self, name: str, facts: Any) -> None:
        """Write plain data to `facts/<name>.json`."""
        path = self.path(f"facts/{check_name(name)}.json")
        as_read = plain(facts, name)
        check_facts(name, as_read, path)
        path.write_text(to_json(as_read, name), encoding="utf-8", newline="\n")

    def keep(self, old: Generation, *, except_for: tuple[str, ...] = ()) -> None:
        """Take over the records, and each file of the previous generation that was not written anew.

        Files never change once they are written, so both generations share them, where the disk allows it. The records
        change, so they are copied, with everything that was added and removed. Shards are used by both.

        Parameters
        ----------
        old : the previous generation
        except_for : beginnings of names of files to leave behind
        """
        if SHARDS not in old.manifest.files:
            old.store.copy_to(self.path(RECORDS))
        files = {name: facts for name, facts in old.manifest.files.items() if not name.startswith(except_for)}
        self.share(old.folder, files)

    def share(self, folder: Path, files: Mapping[str, FileFacts]) -> None:
        """Take over files of another generation that were not written anew; both share them, where the disk can."""
        for name, facts in files.items():
            target = self.path(name)
            if not target.exists():
                link_or_copy(folder / name, target)
                self._kept[name] = facts

    def finish(self, settings: Mapping[str, Any], counts: Mapping[str, int], *, fitted_at: str | None = None) -> Path:
        """Make the generation the current one and return its folder; it is on the disk when this returns.

        Parameters
        ----------
        settings : mapping
            How it was built, as plain data, for the manifest.
        counts : mapping of str to int
            Numbers of labels, terms and so on; `records` is counted here if it is missing.
        fitted_at : str, default now
            Time of the fit, for a generation that keeps the space of the previous one.

        Raises
        ------
        InputError
            If there are no records, or positions, records and counts do not agree. The index is then unchanged.
        """
        folder = self._open_folder()
        check_settings(plain(settings, "settings"), folder / MANIFEST)
        counts = self._sealed_counts(folder, counts)
        flush_tree(folder)
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.startswith(RECORDS)]
        named = {path.relative_to(folder).as_posix(): path for path in paths}
        files = {
            name: self._kept.get(name) or FileFacts(path.stat().st_size, file_sha256(path))
            for name, path in named.items()
        }
        if SHARDS not in files:
            seal(folder, self._changes)
        version = SHARDED_VERSION if SHARDS in files else FORMAT_VERSION
        requires = (SCALED,) if "arrays/position_scales.npy" in files else ()
        contents = Manifest(settings, counts, files, format_version=version, requires=requires)
        contents = contents if fitted_at is None else replace(contents, created=fitted_at)
        manifest = folder / MANIFEST
        manifest.write_text(contents.to_json(), encoding="utf-8", newline="\n")
        flush_file(manifest)
        flush_folder(folder)
        for name, facts in files.items():
            remember(folder / name, facts.sha256)
        final = self.index / self._name
        self._folder = final
        os.rename(self.index / (self._name + UNFINISHED), final)
        flush_folder(self.index)
        set_current(self.index, self._name)
        self._lock.leave("")
        self._folder = None
        if (self.index / (self._name + WORK)).exists():
            remove_tree(self.index / (self._name + WORK))
        return final

    def _open_folder(self) -> Path:
        if self._folder is None or not self._folder.is_dir():
            raise InputError(
                "writer is not open: got a call outside its with block or after finish, expected one inside. "
                "Make a new GenerationWriter."
            )
        return self._folder

    def _sealed_counts(self, folder: Path, counts: Mapping[str, int]) -> dict[str, int]:
        """Check that records, positions and counts agree, and store the shape of positions with the records."""
        if (folder / SHARDS).exists():
            shards = from_json((folder / SHARDS).read_bytes(), str(folder / SHARDS))["shards"]
            return {**counts, "records": sum(shard["records"] for shard in shards)}
        if not (folder / RECORDS).exists():
            raise InputError(f"{RECORDS} is missing: got no such file, expected the records. Use RecordStore.create.")
        path = folder / "arrays" / "positions.npy"
        positions = map_array(path) if path.exists() else None
        with RecordStore(folder / RECORDS, writable=True) as store:
            base, self._changes = store.counts().base, store.changes
            rows = base if positions is None else len(positions)
            if not base == rows == counts.get("records", base):
                raise InputError(
                    f"counts does not match: got {counts.get('records', base)} records, {rows} positions and {base} "
                    "stored records, expected the same number."
                )
            if positions is not None:
                kind = np.dtype(np.float32) if (folder / "arrays/position_scales.npy").exists() else positions.dtype
                if positions.ndim != 2 or kind not in ("float32", "float64"):
                    raise InputError(
                        f"positions is not a table of numbers: got shape {positions.shape} of {positions.dtype}, "
                        "expected one row per record, of float32 or float64."
                    )
                store.expect_positions(positions.shape[1], kind)
        if (folder / f"{RECORDS}-wal").exists():  # its content would be missing from the generation
            raise InputError(f"{RECORDS} is still open: got an open RecordStore, expected it closed. Close it first.")
        return {**counts, "records": base}


def _make_folder(folder: Path) -> bool:
    """Create the folder of a new index, or check that an existing one may be written to; return whether it is new."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"path is a file: got {str(folder)!r}, expected a folder for the index. Choose another name.")
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        flush_folder(folder.parent)
        return True
    strangers = [entry.name for entry in folder.iterdir() if not is_ours(entry.name)]
    if strangers and not (folder / "CURRENT").exists():
        raise InputError(
            f"path is a folder with other files: got {str(folder)!r} with {sorted(strangers)[0]!r}, "
            "expected an index, an empty folder or a new one. Choose another name."
        )
    return False


def _remove_if_unused(folder: Path) -> None:
    """Delete a folder that was created for a build that failed."""
    if {entry.name for entry in folder.iterdir()} <= {LOCK_NAME}:
        with contextlib.suppress(OSError):
            (folder / LOCK_NAME).unlink(missing_ok=True)
            folder.rmdir()
