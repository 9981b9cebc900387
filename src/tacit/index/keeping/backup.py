"""Copies an index while others read and change it."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tacit.errors import InputError
from tacit.files import flush_folder, link_or_copy, open_plain, replace_text, replacing
from tacit.index.folder.checksums import seal
from tacit.index.folder.generations import CURRENT, MANIFEST, RECORDS, current_or_none
from tacit.index.folder.lock import hold_lock
from tacit.index.folder.opening import Generation, as_folder
from tacit.index.records.store import RecordStore
from tacit.index.shards.opening import ShardedGeneration, check_complete, open_generation

__all__ = ["backup"]

_TRIES = 5  # a refit may replace the generation while it is being copied
_PIECE = 1 << 20
_PATIENCE = 10.0  # seconds to wait for a writer


def backup(path: str | Path, target: str | Path, *, replace_old: bool = False) -> int:
    """Copy an index into a new folder, and return the number of its records.

    The copy holds one state of the index, also while others change it; what it reads is compared with its checksums. It
    appears under its name when it is complete and on the disk.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    target : str or Path
        Folder to write, which must not exist.
    replace_old : bool, default False
        Whether an index at `target` may be replaced.

    Raises
    ------
    InputError
        If the index is damaged, or the target exists or cannot be written.

    Examples
    --------
    >>> tacit.backup("books.tacit", "backup/books.tacit")                # doctest: +SKIP
    24
    """
    source, folder = as_folder(path), as_folder(target, "target", "a folder to write")
    _check_target(source, folder, replace_old)
    for attempt in range(_TRIES):
        name = current_or_none(source)
        try:
            with open_generation(source) as generation, replacing(folder) as fresh:
                if isinstance(generation, ShardedGeneration):
                    return _copy_shards(generation, fresh)
                return _copy(generation, fresh, {})
        except OSError as error:
            raise InputError(
                f"target cannot be written: got {error.strerror or str(error)!r} for {str(folder)!r}, expected a "
                "writable place with free space. Choose another, or check the disk and the permissions."
            ) from error
        except InputError:
            if attempt + 1 == _TRIES or current_or_none(source) == name:
                raise
    raise AssertionError  # the last try returns or raises


def _check_target(source: Path, folder: Path, replace_old: bool) -> None:
    if not folder.parent.is_dir():
        raise InputError(f"target is not in an existing folder: got {str(folder)!r}. Create the folder first.")
    if folder == source or source in folder.parents:
        raise InputError(f"target is the index itself: got {str(folder)!r}, expected another folder.")
    if not folder.exists():
        return
    if not (folder / CURRENT).is_file():
        raise InputError(f"target exists and is no index: got {str(folder)!r}, expected a new folder. Choose another.")
    if not replace_old:
        raise InputError(
            f"target exists already: got {str(folder)!r}, expected a new folder. Choose another, or pass "
            "replace_old=True."
        )


def _copy_shards(generation: ShardedGeneration, fresh: Path) -> int:
    """Copy an index of shards, all of them as they are at one moment."""
    check_complete(generation)
    shards, copied = generation.shards, dict[str, Path]()
    _copy_files(generation, fresh, copied)
    with contextlib.ExitStack() as reading:
        with _without_writers(generation.folder.parent):
            reading.enter_context(shards.at_one_state())
        # one after the other, since later ones share the files of the space with the first
        n_records = 0
        for place in shards.there:
            target = fresh / shards.folder.name / shards.path(place).name
            n_records += sum(shards.each(partial(_copy, fresh=target, copied=copied), [place]).values())
    replace_text(fresh / CURRENT, generation.folder.name + "\n")
    flush_folder(fresh)
    return n_records


@contextlib.contextmanager
def _without_writers(folder: Path) -> Iterator[None]:
    """Keep writers out in the block: one that changes several shards stores them one after the other, in milliseconds.

    A writer that takes longer is refitting the index and leaves these shards alone; in a folder that this process may
    not write to, it cannot wait for others.
    """
    with contextlib.ExitStack() as held:
        with contextlib.suppress(InputError):
            held.enter_context(hold_lock(folder, wait=_PATIENCE))
        yield


def _copy_files(generation: Generation, fresh: Path, copied: dict[str, Path]) -> Path:
    """Copy all files but the records; those that are `copied` already, by their checksum, are linked."""
    copy = fresh / generation.folder.name
    copy.mkdir(parents=True)
    for name, facts in generation.manifest.files.items():
        (copy / name).parent.mkdir(exist_ok=True)
        if facts.sha256 in copied:
            link_or_copy(copied[facts.sha256], copy / name)
        else:
            _copy_file(generation.folder / name, copy / name, facts.sha256)
            copied[facts.sha256] = copy / name
    _copy_file(generation.folder / MANIFEST, copy / MANIFEST, None)
    return copy


def _copy(generation: Generation, fresh: Path, copied: dict[str, Path]) -> int:
    copy = _copy_files(generation, fresh, copied)
    generation.store.copy_to(copy / RECORDS)
    with RecordStore(copy / RECORDS, writable=True) as store:
        changes, n_records = store.changes, store.counts().live
        store.settle()
    seal(copy, changes)
    replace_text(fresh / CURRENT, generation.folder.name + "\n")
    flush_folder(fresh)
    return n_records


def _copy_file(path: Path, copy: Path, expected: str | None) -> None:
    """Copy a file, and raise an `InputError` if it is missing or not as it was written."""
    digest = hashlib.sha256()
    try:
        source = open_plain(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: got {error.strerror!r}, expected a file of the index.") from error
    with source, open(copy, "wb") as file:
        while piece := source.read(_PIECE):
            digest.update(piece)
            file.write(piece)
    if expected is not None and digest.hexdigest() != expected:
        raise InputError(
            f"{path} was changed: got content that does not match its checksum, expected it unchanged. "
            "Run tacit verify."
        )
