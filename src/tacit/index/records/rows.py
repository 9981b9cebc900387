"""Converts records to rows of the tables, and back."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index.strict_json import check_encodable, to_json

__all__ = ["LONGEST_VALUE", "Row", "as_row", "as_value", "field_values", "fingerprint", "insert_rows", "read_records"]

LONGEST_VALUE = 200  # characters; longer fields are abstracts and notes, not values to filter by

_INSERT = "INSERT INTO records (number, key, title, text, fields, position, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Row:
    """A checked record with its number and, if it was added after the build, its position."""

    number: int
    record: Record
    fields: str
    position: bytes | None


def as_row(number: int, record: object, position: bytes | None = None) -> Row:
    """Check a record and write its fields as JSON; an error names the record that cannot be stored."""
    if not isinstance(record, Record):
        raise InputError(f"records has an entry that is not a Record: got {type(record).__name__}, expected Record.")
    if not isinstance(record.title, str):
        raise InputError(f"title of record {record.id!r} is not text: got {record.title!r}, expected a string.")
    fields = to_json(record.fields, f"record {record.id!r}: fields")
    names = [*record.labels, *record.links, *(target for targets in record.links.values() for target in targets)]
    check_encodable("\n".join([record.id, record.title, record.text, *names]), f"record {record.id!r}")
    return Row(number, record, fields, position)


def insert_rows(connection: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Insert checked records into every table except the full text."""
    connection.executemany(_INSERT, map(_record_cells, rows))
    connection.executemany(
        "INSERT INTO labels VALUES (?, ?, ?)",
        ((row.number, place, label) for row in rows for place, label in enumerate(row.record.labels)),
    )
    links = ((row.number, str(name), targets) for row in rows for name, targets in row.record.links.items())
    connection.executemany(
        "INSERT INTO links VALUES (?, ?, ?, ?)",  # NULL for a link without targets, so that its name is kept
        ((*link, place, target) for *link, targets in links for place, target in enumerate(targets or (None,))),
    )
    connection.executemany(
        "INSERT OR IGNORE INTO field_values VALUES (?, ?, ?)",  # 1 and 1.0 in one list are one value
        ((row.number, name, value) for row in rows for name, value in field_values(row.fields)),
    )


def read_records(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, Record]:
    """Return records by their numbers; removed and unknown ones are left out."""
    wanted = json.dumps(list(numbers))
    chosen = "number IN (SELECT value FROM json_each(?))"
    labels: dict[int, list[str]] = {}
    query = f"SELECT number, label FROM labels WHERE {chosen} ORDER BY 1, place"
    for number, label in connection.execute(query, (wanted,)):
        labels.setdefault(number, []).append(label)
    links: dict[int, dict[str, list[str]]] = {}
    query = f"SELECT number, name, target FROM links WHERE {chosen} ORDER BY 1, 2, place"
    for number, name, target in connection.execute(query, (wanted,)):
        links.setdefault(number, {}).setdefault(name, []).extend([] if target is None else [target])
    query = f"SELECT number, key, title, text, fields FROM records WHERE {chosen} AND removed = 0"
    return {
        number: _record(key, text, title, labels.get(number, ()), links.get(number, {}), fields)
        for number, key, title, text, fields in connection.execute(query, (wanted,))
    }


def fingerprint(record: Record, fields: str, position: bytes | None) -> bytes:
    """Return a digest of everything that is stored of a record; SQLite itself keeps no checksums."""
    links = sorted((name, list(targets)) for name, targets in record.links.items())
    content = json.dumps([record.id, record.title, record.text, fields, list(record.labels), links])
    return hashlib.blake2b(content.encode() + b"\0" + (position or b""), digest_size=16).digest()


def as_value(value: object) -> str | int | float:
    """Return a value as SQLite compares it: bool as 0 or 1, very large integers rounded to float."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else float(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return value
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise InputError(f"value cannot be compared: got {value!r}, expected text, a finite number or a date.")


def _record_cells(row: Row) -> tuple[Any, ...]:
    record = row.record
    digest = fingerprint(record, row.fields, row.position)
    return row.number, record.id, record.title, record.text, row.fields, row.position, digest


def field_values(fields: str) -> Iterator[tuple[str, str | int | float]]:
    """Yield the values to filter by: numbers and short texts, and each of these in a list."""
    for name, value in json.loads(fields).items():
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, (int, float)) or (isinstance(item, str) and len(item) <= LONGEST_VALUE):
                try:
                    yield name, as_value(item)
                except OverflowError:  # an integer beyond the largest float, which cannot be compared as a number
                    yield name, str(item)


def _record(
    key: str, text: str, title: str, labels: Sequence[str], links: Mapping[str, Sequence[str]], fields: str
) -> Record:
    targets = {name: tuple(targets) for name, targets in links.items()}
    cells = [key, text, title, fields, *labels, *targets, *(target for group in targets.values() for target in group)]
    if not all(isinstance(cell, str) for cell in cells):  # damage can turn text into bytes
        raise sqlite3.DatabaseError(f"record {key!r} holds something that is not text")
    return Record(key, text, tuple(labels), title, targets, json.loads(fields))
