"""Salvage: writes the records of an index that is damaged, as far as they can be read, to build a new one from."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, TextIO

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.files import open_plain, writing_output
from tacit.index.folder.generations import MANIFEST, RECORDS, current_or_none, is_ours, shards_named
from tacit.index.folder.opening import as_folder, read_manifest
from tacit.index.keeping.carving import CarvedRecord, Carving
from tacit.index.records.rows import fingerprint
from tacit.index.shards.listing import ShardList

__all__ = ["Salvaged", "salvage"]

_SHOWN = 100  # ids and numbers in a report
_COLUMNS = ("id", "title", "text", "labels")


@dataclass(frozen=True)
class Salvaged:
    """What `salvage` wrote, and what it could not read.

    Attributes
    ----------
    records : number of records written
    damaged : ids of those whose content does not match their fingerprint, the first hundred
    n_damaged : number of these
    lost : numbers of records of the build that were not found, the first hundred
    n_lost : number of these
    n_perhaps_lost : number of records added later that were not found; they may have been removed before
    links : names of the columns that hold links
    notes : sentences on files that could not be read
    """

    records: int
    damaged: tuple[str, ...]
    n_damaged: int
    lost: tuple[int, ...]
    n_lost: int
    n_perhaps_lost: int
    links: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every record of the build was found as it was written."""
        return not (self.n_damaged or self.n_lost)

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "is_whole": self.is_whole}


def salvage(
    path: str | Path,
    output: str | Path,
    *,
    replace_old: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Salvaged:
    """Write the records of a damaged index as JSON lines, and return what was found.

    Nothing in the index is changed; it should not be open in this process. Each line has `id`, `title`, `text` and
    `labels`, and a column for each link and each field; `tacit build` reads it. Records are found in the pages of the
    database without its tables, so that damage to some pages costs the records in these pages only. A record whose
    content does not match its fingerprint is written all the same, and reported.

    Parameters
    ----------
    path : str or Path
        Folder of the index.
    output : str or Path
        File to write.
    replace_old : bool, default False
        Whether an existing file may be replaced.
    progress : callable, optional
        Called with the number of records so far.

    Raises
    ------
    InputError
        If no records are found, or the file exists or cannot be written.

    Examples
    --------
    >>> found = tacit.salvage("books.tacit", "books.jsonl")              # doctest: +SKIP
    >>> found.n_lost                                                     # doctest: +SKIP
    2
    """
    folder, target = as_folder(path), Path(output).expanduser().absolute()
    if target.is_dir() or (target.is_file() and not replace_old):
        raise InputError(
            f"output exists already: got {str(target)!r}, expected a new file. Choose another, or pass "
            "replace_old=True."
        )
    notes: list[str] = []
    found: list[tuple[Salvaged, int]] = []
    try:
        with writing_output(target) as fresh, open(fresh, "w", encoding="utf-8", newline="\n") as file:
            for part, n_listed in _parts(folder, notes):
                n_before = sum(one.records for one, _ in found)
                told = partial(_tell, progress, n_before)
                found.append(_of_part(part, n_listed, file, notes, told))
            return _together(found, notes)
    except OSError as error:
        raise InputError(
            f"output cannot be written: got {error.strerror or str(error)!r} for {str(target)!r}, expected a writable "
            "place with free space. Choose another, or check the disk and the permissions."
        ) from error


def _tell(progress: Callable[[int], None] | None, n_before: int, n_records: int) -> None:
    if progress is not None:
        progress(n_before + n_records)


def _parts(folder: Path, notes: list[str]) -> list[tuple[Path, int | None]]:
    """Return the folders of the shards of an index, and how many records the build had; or its own folder."""
    name = current_or_none(folder) if folder.is_dir() else None
    try:
        if name is not None and shards_named(folder / name) is not None:
            listed = ShardList.of_generation(folder / name)
            return [(folder / listed.folder / one.name, one.records) for one in listed.shards]
    except InputError as error:
        notes.append(str(error))
        name = None
    sets = sorted(entry for entry in folder.glob("shards-*") if entry.is_dir()) if name is None else []
    if not sets:
        return [(folder, None)]
    notes.append(f"The list of shards cannot be read: those in {sets[-1].name} were read.")
    return [(entry, None) for entry in sorted(sets[-1].iterdir()) if entry.is_dir()]


def _of_part(
    folder: Path, n_listed: int | None, file: TextIO, notes: list[str], progress: Callable[[int], None]
) -> tuple[Salvaged, int]:
    """Write the records of one index or shard, and return what was found, and how many the build had."""
    try:
        generation = _generation(folder, notes)
    except InputError as error:
        if n_listed is None:
            raise
        notes.append(str(error))
        return Salvaged(0, (), 0, tuple(range(min(n_listed, _SHOWN))), n_listed, 0, (), ()), n_listed
    log = generation / f"{RECORDS}-wal"
    carving = Carving(_mapped(generation / RECORDS), _mapped(log) if log.exists() else b"")
    if not carving.numbers and n_listed is None:
        raise InputError(
            f"path holds no records: got nothing that can be read in {str(generation / RECORDS)!r}, expected records "
            "of an index. Restore it from a copy."
        )
    n_built = _n_built(generation, carving, notes)
    found = _write(carving, file, n_listed if n_built is None else n_built, progress)
    return found, found.records + found.n_lost if n_built is None else n_built


def _together(found: Sequence[tuple[Salvaged, int]], notes: Sequence[str]) -> Salvaged:
    """Return what was found in all parts as one; records of later parts have later numbers."""
    parts, starts = [one for one, _ in found], list(accumulate((n for _, n in found), initial=0))
    if not any(one.records for one in parts):
        raise InputError("path holds no records: got nothing that can be read in any shard, expected some records.")
    lost = [start + number for start, one in zip(starts, parts, strict=False) for number in one.lost]
    return Salvaged(
        records=sum(one.records for one in parts),
        damaged=tuple(key for one in parts for key in one.damaged)[:_SHOWN],
        n_damaged=sum(one.n_damaged for one in parts),
        lost=tuple(lost[:_SHOWN]),
        n_lost=sum(one.n_lost for one in parts),
        n_perhaps_lost=sum(one.n_perhaps_lost for one in parts),
        links=tuple(dict.fromkeys(name for one in parts for name in one.links)),
        notes=tuple(notes),
    )


def _generation(folder: Path, notes: list[str]) -> Path:
    """Return the current generation; if that is not known, the newest with records."""
    if not folder.is_dir():
        raise InputError(f"path does not exist: got {str(folder)!r}, expected the folder of an index.")
    name = current_or_none(folder)
    if name is not None and (folder / name / RECORDS).exists():
        return folder / name
    names = sorted(entry.name for entry in folder.iterdir() if is_ours(entry.name) and (entry / RECORDS).exists())
    if not names:
        raise InputError(f"path is not an index: got {str(folder)!r} without {RECORDS}, expected the folder of one.")
    notes.append(f"CURRENT names no generation with records: those of {names[-1]} were read.")
    return folder / names[-1]


def _mapped(path: Path) -> mmap.mmap | bytes:
    """Return the content of a file, which may be larger than the memory."""
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
    except OSError as error:
        raise InputError(f"{path} cannot be read: got {error.strerror!r}, expected a file that can be read.") from error


def _n_built(generation: Path, carving: Carving, notes: list[str]) -> int | None:
    """Return how many records the build had, by the manifest, or else by the records."""
    try:
        return int(read_manifest(generation).counts["records"])
    except (InputError, KeyError) as error:
        notes.append(f"{MANIFEST} cannot be read: {error}")
    base = carving.state.get("base")
    return base if isinstance(base, int) else None


def _write(carving: Carving, file: TextIO, n_built: int | None, progress: Callable[[int], None]) -> Salvaged:
    newest: dict[str, int] = {}  # of two with one id, the later is the newer
    states: dict[int, str] = {}
    for number in carving.numbers:
        record, states[number] = _best(carving, number)
        if record is not None:
            newest[record.id] = number
    damaged: list[str] = []
    links: dict[str, None] = {}
    for n_written, (key, number) in enumerate(sorted(newest.items(), key=lambda entry: entry[1]), 1):
        record, _ = _best(carving, number)
        assert record is not None
        links.update(dict.fromkeys(record.links))
        if states[number] == "damaged":
            damaged.append(key)
        file.write(json.dumps(_as_row(record), ensure_ascii=False) + "\n")
        if n_written % 1_000 == 0:
            progress(n_written)
    found = {number for number, state in states.items() if state != "unreadable"}
    following = carving.state.get("next_number")
    following = following if isinstance(following, int) else max(found, default=-1) + 1
    lost = [number for number in range(following if n_built is None else n_built) if number not in found]
    added = range(following if n_built is None else n_built, following)
    return Salvaged(
        records=len(newest),
        damaged=tuple(damaged[:_SHOWN]),
        n_damaged=len(damaged),
        lost=tuple(lost[:_SHOWN]),
        n_lost=len(lost),
        n_perhaps_lost=sum(number not in found for number in added),
        links=tuple(_column(name, "link") for name in links),
        notes=(),
    )


def _best(carving: Carving, number: int) -> tuple[Record | None, str]:
    """Return a record and whether it is "whole", "damaged", "removed" or "unreadable"."""
    best: tuple[Record | None, str] = None, "unreadable"
    for carved in carving.records(number):
        if carved.removed == 1 and carved.key is None and carved.fingerprint == b"":
            best = best if best[1] == "whole" else (None, "removed")
            continue
        record = _record(carving, carved)
        position = carved.position if isinstance(carved.position, bytes) else None
        if fingerprint(record, str(carved.fields), position) == carved.fingerprint:
            best = record, "whole"
        elif best[1] == "unreadable":
            best = record, "damaged"
    return best


def _record(carving: Carving, carved: CarvedRecord) -> Record:
    """Return the record as far as it can be read."""
    labels = [label for _, label in sorted(carving.labels.get(carved.number, {}).items())]
    links: dict[str, tuple[str, ...]] = {}
    for (name, _), target in sorted(carving.links.get(carved.number, {}).items()):
        links[name] = links.get(name, ()) + (() if target is None else (target,))
    try:
        fields = json.loads(carved.fields)
    except (ValueError, TypeError, RecursionError):
        fields = {}
    key, text, title = (cell if isinstance(cell, str) else "" for cell in (carved.key, carved.text, carved.title))
    return Record(
        key or f"number {carved.number}", text, tuple(labels), title, links, fields if isinstance(fields, dict) else {}
    )


def _as_row(record: Record) -> dict[str, Any]:
    """Return a record as `tacit build` reads it, with a column for each link and field."""
    row: dict[str, Any] = dict(zip(_COLUMNS, (record.id, record.title, record.text, list(record.labels)), strict=True))
    row |= {_column(name, "link"): list(targets) for name, targets in record.links.items()}
    fields = {_column(name, "field"): value for name, value in record.fields.items()}
    return row | {f"{name} (field)" if name in row else name: value for name, value in fields.items()}


def _column(name: str, kind: str) -> str:
    return f"{name} ({kind})" if name in _COLUMNS else name
