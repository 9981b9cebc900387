"""Export: writes records and positions for other programs, as JSON lines, Parquet, or a NumPy array with its ids.

Removed records are left out, added ones are included. The target is replaced atomically.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.errors import InputError, MissingExtraError
from tacit.files import replacing
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array

__all__ = ["FORMATS", "export"]

FORMATS = ("jsonl", "npy", "parquet")
_BATCH = 1000
_POSITIONS, _IDS = "positions.npy", "ids.json"

Batches = Iterator[tuple[list[Record], Float32Array]]


def export(
    collection: OpenedIndex,
    path: str | Path,
    *,
    format: str = "jsonl",
    texts: bool = True,
    replace_old: bool = False,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the records of an open index with their positions, and return their number.

    Parameters
    ----------
    collection : an open index
    path : str or Path
        File to write; for "npy" a folder.
    format : {"jsonl", "npy", "parquet"}, default "jsonl"
        "jsonl" writes one object per line, with id, title, text, labels, links, fields and position. "parquet" has the
        same as columns, links and fields as JSON. "npy" writes `positions.npy`, one row per record, and `ids.json`.
    texts : bool, default True
        Whether to write the texts; "npy" never does.
    replace_old : bool, default False
        Whether an existing export may be replaced.
    progress : callable, optional
        Called with the number of records so far.

    Raises
    ------
    InputError
        If the target exists or cannot be written, or the index was changed meanwhile.
    MissingExtraError
        If the format is "parquet" and pyarrow is not installed.
    """
    check_choice("format", format, FORMATS)
    target = Path(path).expanduser().absolute()
    _check_target(target, format, replace_old)
    write = {"jsonl": _write_jsonl, "npy": _write_npy, "parquet": _write_parquet}[format]
    before = collection.store.changes
    try:
        with replacing(target) as unfinished:
            n_records = write(collection, unfinished, texts, progress or (lambda n: None))
            if collection.store.changes != before:
                raise _changed(collection)
    except OSError as error:
        raise InputError(
            f"path cannot be written: got {error.strerror or str(error)!r} for {str(target)!r}, expected a writable "
            "place with free space. Choose another, or check the disk and the permissions."
        ) from error
    return n_records


def _check_target(target: Path, format: str, replace_old: bool) -> None:
    """Raise if the target exists, unless it is an export and may be replaced."""
    if not target.parent.is_dir():
        raise InputError(f"path is not in an existing folder: got {str(target)!r}. Create the folder first.")
    if not target.exists():
        return
    is_export = target.is_dir() and {entry.name for entry in target.iterdir()} <= {_POSITIONS, _IDS}
    if target.is_dir() != (format == "npy") or (target.is_dir() and not is_export):
        what = "a folder with other files" if target.is_dir() else "a file"
        expected = "a folder" if format == "npy" else "a file"
        raise InputError(f"path is {what}: got {str(target)!r}, expected {expected} to write. Choose another name.")
    if not replace_old:
        raise InputError(
            f"path exists already: got {str(target)!r}, expected a new one. Choose another, or pass replace_old=True."
        )


def _batches(collection: OpenedIndex) -> Batches:
    """Yield records with their positions, in the order of their numbers."""
    base, (added, positions) = collection.generation.array("positions"), collection.store.added()
    batch: list[tuple[int, Record]] = []

    def placed() -> tuple[list[Record], Float32Array]:
        numbers = np.array([number for number, _ in batch], np.int64)
        new = numbers[numbers >= len(base)]
        if not np.isin(new, added).all():
            raise _changed(collection)
        rows = [base[numbers[numbers < len(base)]], positions[np.searchsorted(added, new)]]
        return [record for _, record in batch], np.concatenate(rows).astype(np.float32)

    for entry in collection.store.records(batch=_BATCH):
        batch.append(entry)
        if len(batch) == _BATCH:
            yield placed()
            batch = []
    if batch:
        yield placed()


def _changed(collection: OpenedIndex) -> InputError:
    return InputError(
        f"{collection.path} was changed during the export: got different states, expected one. Nothing was written; "
        "try again."
    )


def _write_jsonl(collection: OpenedIndex, path: Path, texts: bool, progress: Callable[[int], None]) -> int:
    n_records = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for records, positions in _batches(collection):
            for record, position in zip(records, positions, strict=True):
                facts = json.dumps(_facts(record, texts), ensure_ascii=False, allow_nan=False)
                digits = ", ".join([f"{value:.9g}" for value in position.tolist()])  # nine are exact for 32-bit floats
                file.write(f'{facts[:-1]}, "position": [{digits}]}}\n')
            n_records += len(records)
            progress(n_records)
        _flush(file)
    return n_records


def _write_npy(collection: OpenedIndex, path: Path, texts: bool, progress: Callable[[int], None]) -> int:
    n_records, width = len(collection), collection.space.n_dimensions
    path.mkdir()
    positions = np.lib.format.open_memmap(path / _POSITIONS, "w+", np.float32, (n_records, width))
    ids: list[str] = []
    for records, rows in _batches(collection):
        end = min(len(ids) + len(rows), n_records)  # more records would mean a change, which the caller reports
        positions[len(ids) : end] = rows[: end - len(ids)]
        ids += [record.id for record in records]
        progress(len(ids))
    positions.flush()
    with open(path / _IDS, "w", encoding="utf-8", newline="\n") as file:
        json.dump(ids, file, ensure_ascii=False, indent=0)
        _flush(file)
    return n_records


def _write_parquet(collection: OpenedIndex, path: Path, texts: bool, progress: Callable[[int], None]) -> int:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet", "Writing Parquet") from error
    text, width = pa.string(), collection.space.n_dimensions
    columns = [("id", text), ("title", text)] + [("text", text)] * texts
    columns += [("labels", pa.list_(text)), ("links", text), ("fields", text)]
    schema = pa.schema([*columns, ("position", pa.list_(pa.float32(), width))])
    n_records = 0
    with pq.ParquetWriter(path, schema) as writer:
        for records, positions in _batches(collection):
            flat = pa.array(np.ascontiguousarray(positions, np.float32).ravel())
            cells: dict[str, Any] = {name: _column(records, name) for name in schema.names[:-1]}
            cells["position"] = pa.FixedSizeListArray.from_arrays(flat, width)
            writer.write_table(pa.table(cells, schema=schema))
            n_records += len(records)
            progress(n_records)
    return n_records


def _facts(record: Record, texts: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {"id": record.id, "title": record.title}
    if texts:
        facts["text"] = record.text
    facts["labels"] = list(record.labels)
    facts["links"] = {name: list(targets) for name, targets in record.links.items()}
    return {**facts, "fields": dict(record.fields)}


def _column(records: Sequence[Record], name: str) -> list[Any]:
    """Return a column; links and fields are written as JSON, since their names differ between records."""
    found = [_facts(record, texts=True)[name] for record in records]
    return [json.dumps(value, ensure_ascii=False) for value in found] if name in ("links", "fields") else found


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())
