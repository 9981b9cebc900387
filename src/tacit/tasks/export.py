"""Export: writes records and positions for other programs, as JSON lines, a table, Parquet, or a NumPy array with ids.

Removed records are left out, added ones are included. The target is replaced atomically.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.errors import InputError, MissingExtraError
from tacit.files import writing_output
from tacit.tasks.label_names import title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array

__all__ = ["FORMATS", "export"]

FORMATS = ("jsonl", "csv", "excel", "npy", "parquet")
_BATCH = 1000
_LONGEST_CELL = 32_767  # of Excel
_BETWEEN = "; "
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
    format : {"jsonl", "csv", "excel", "npy", "parquet"}, default "jsonl"
        "jsonl" writes one object per line, with id, title, text, labels, links, fields and position. "parquet" has the
        same as columns, links and fields as JSON. "csv" and "excel" are tables for people, with the names of the
        labels, a column per link and field, and no position. "npy" writes `positions.npy`, one row per record, and
        `ids.json`.
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
        If the format is "parquet" and pyarrow is not installed, or "excel" without openpyxl.
    """
    check_choice("format", format, FORMATS)
    target = Path(path).expanduser().absolute()
    _check_target(target, format, replace_old)
    writers = {"csv": _write_csv, "excel": _write_excel, "npy": _write_npy, "parquet": _write_parquet}
    write = writers.get(format, _write_jsonl)
    before = collection.store.changes
    try:
        with writing_output(target) as unfinished:
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


def _write_csv(collection: OpenedIndex, path: Path, texts: bool, progress: Callable[[int], None]) -> int:
    """Write a table for people, in UTF-8 with a mark by which Excel knows it."""
    n_records = -1  # the first row is the header
    with open(path, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        for n_records, row in enumerate(_table_rows(collection, texts)):
            writer.writerow([_no_formula(cell) for cell in row])
            if n_records % _BATCH == 0:
                progress(n_records)
        _flush(file)
    return n_records


def _write_excel(collection: OpenedIndex, path: Path, texts: bool, progress: Callable[[int], None]) -> int:
    """Write a workbook with one sheet; texts are cut off at the longest cell there is."""
    try:
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError:
        raise MissingExtraError("openpyxl", "excel", "Writing Excel") from None
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Records")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", value)[:_LONGEST_CELL])
        made.data_type = "s"  # a text that begins with = is no formula
        return made

    n_records = -1
    for n_records, row in enumerate(_table_rows(collection, texts)):
        sheet.append([cell(value) for value in row])
        if n_records % _BATCH == 0:
            progress(n_records)
    packed = io.BytesIO()  # what is left of an archive that cannot be written would complain when it is deleted
    book.save(packed)
    path.write_bytes(packed.getbuffer())
    return n_records


def _table_rows(collection: OpenedIndex, texts: bool) -> Iterator[list[Any]]:
    """Yield the names of the columns, then the cells of each record; several names are joined by semicolons."""
    names = {kind: collection.store.names(kind) for kind in ("links", "fields")}
    fields = [name for name in names["fields"] if name not in ("label_titles", "given_labels")]
    yield ["id", "title", *(["text"] if texts else []), "labels", "names of labels", *names["links"], *fields]
    for _, record in collection.store.records():
        row: list[Any] = [record.id, record.title, *([record.text] if texts else [])]
        row += [_BETWEEN.join(record.labels), _BETWEEN.join(title_of(collection, label) for label in record.labels)]
        row += [_BETWEEN.join(record.links.get(name, ())) for name in names["links"]]
        yield row + [_plain(record.fields.get(name, "")) for name in fields]


def _no_formula(cell: Any) -> Any:
    """Return a text that a spreadsheet would take for a formula with an apostrophe before it."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _plain(value: Any) -> Any:
    """Return a number as it is, and other values as a text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return _BETWEEN.join(map(str, value)) if isinstance(value, list | tuple) else str(value)


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
