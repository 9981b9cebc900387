"""Reads relations from tables, one pair of objects a line, and from records with their texts, labels and fields."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tacit.checks import check_choice, check_finite, check_rows
from tacit.errors import InputError
from tacit.relations.label_forms import Names, is_missing
from tacit.relations.typed_input import Given, object_names
from tacit.text import vectoriser as default_vectoriser

__all__ = ["read_field", "read_pairs", "read_record_labels", "read_words", "record_ids"]


def read_pairs(table: Any, row: str, column: str, value: str | None, separator: str | None) -> Given:
    """Read the relation that a table lists pair by pair; objects come in the order of their first line."""
    wanted = {"row": row, "column": column, **({} if value is None else {"value": value})}
    columns = _file_columns(table, wanted, separator) if isinstance(table, (str, Path)) else _columns(table, wanted)
    names = [_coded(columns[role], wanted[role]) for role in ("row", "column")]
    (rows, row_codes), (targets, column_codes) = names
    check_rows(f"column {column!r}", len(column_codes), len(row_codes), of=f"column {row!r}")
    strength = np.ones(len(row_codes)) if value is None else _numbers(columns["value"], value)
    check_rows(f"column {value!r}", len(strength), len(row_codes), of=f"column {row!r}")
    shape = (len(rows), len(targets))
    return Given(sp.csr_array((strength, (row_codes, column_codes)), shape=shape), rows, targets)


def record_ids(records: Sequence[Any]) -> Names:
    """Give the ids of the records, which must differ."""
    if not records:
        raise InputError("records is empty: got no record, expected at least one.")
    return object_names("id of records", [_own(record, "id") for record in records])


def read_words(records: Sequence[Any], vectoriser: Any) -> tuple[Any, list[str]]:
    """Give the records x words matrix of the texts, and the words."""
    texts = [_own(record, "text") or "" for record in records]
    maker = default_vectoriser() if vectoriser is None else vectoriser
    if not hasattr(maker, "fit_transform") or not hasattr(maker, "get_feature_names_out"):
        raise InputError(
            f"vectoriser does not name its words: got {type(maker).__name__}, expected fit_transform and "
            "get_feature_names_out as scikit-learn's TfidfVectorizer has them."
        )
    try:
        check_is_fitted(maker)
        matrix = maker.transform(texts)
    except NotFittedError:
        try:
            matrix = maker.fit_transform(texts)
        except ValueError as error:
            raise InputError(
                f"records has no words to relate: got {len(texts)} texts and {str(error)!r}, expected words that stand "
                "in more than one. Give a vectoriser with other settings, or words=None."
            ) from error
    return matrix, maker.get_feature_names_out().tolist()


def read_field(records: Sequence[Any], source: str) -> Given:
    """Give the relation of records to what they carry under `source`."""
    found = _indicator([_part(record, source) for record in records], source)
    if not found.columns:
        raise InputError(
            f"fields names what no record has: got {source!r}, expected a field or link that some records carry."
        )
    return found


def read_record_labels(records: Sequence[Any]) -> Given:
    """Give the relation of records to their labels, of which there may be none."""
    return _indicator([_own(record, "labels") for record in records], "labels")


def _indicator(held: Sequence[Any], source: str) -> Given:
    """Give ones where a record carries a name; the names come in the order of first appearance."""
    places: dict[Hashable, int] = {}
    row_codes, column_codes = [], []
    for number, value in enumerate(held):
        for name in _several(value, source, number):
            row_codes.append(number)
            column_codes.append(places.setdefault(name, len(places)))
    shape = (len(held), len(places))
    return Given(sp.csr_array((np.ones(len(row_codes)), (row_codes, column_codes)), shape=shape), None, tuple(places))


def _file_columns(path: str | Path, wanted: dict[str, str], separator: str | None) -> dict[str, list[str]]:
    """Read the wanted columns of a file, by their role."""
    path = Path(path).expanduser()
    mark = _separator(path, separator)
    columns: dict[str, list[str]] = {role: [] for role in wanted}
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=mark)
            header = next(reader, [])
            places = {role: header.index(check_choice(role, name, header)) for role, name in wanted.items()}
            last = max(places.values())
            for cells in reader:
                if not any(cells):
                    continue
                if len(cells) <= last:
                    raise InputError(
                        f"{path} has a short line: got {len(cells)} cells in line {reader.line_num}, "
                        f"expected {len(header)} as in the header."
                    )
                for role, place in places.items():
                    columns[role].append(cells[place])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: got {error}, expected a table in UTF-8.") from error
    return columns


def _separator(path: Path, separator: str | None) -> str:
    mark = separator if separator is not None else {".csv": ",", ".tsv": "\t", ".tab": "\t"}.get(path.suffix.lower())
    if mark is None:
        raise InputError(
            f"table has an unknown suffix: got {path.name!r}, expected .csv, .tsv or .tab. Give separator, such as "
            "';', or read the file into a data frame (Parquet with pandas.read_parquet) and pass that."
        )
    if len(mark) != 1:
        raise InputError(f"separator is not one character: got {mark!r}, expected one such as ',' or a tab.")
    return mark


def _columns(table: Any, wanted: dict[str, str]) -> dict[str, list[Any]]:
    """Take the wanted columns from a data frame or a mapping, by their role."""
    names = table.keys() if isinstance(table, Mapping) else getattr(table, "columns", None)
    if names is None:
        raise InputError(
            f"table is not a table: got {type(table).__name__}, expected a path, a data frame or columns by name."
        )
    return {role: list(table[check_choice(role, name, list(names))]) for role, name in wanted.items()}


def _coded(cells: Sequence[Any], column: str) -> tuple[Names, list[int]]:
    """Number the objects of a column in the order of their first line."""
    places: dict[Hashable, int] = {}
    codes = []
    for number, cell in enumerate(cells):
        name = cell.item() if isinstance(cell, np.generic) else cell
        if is_missing(name) or name == "":
            raise InputError(
                f"column {column!r} lacks a name: got {name!r} in row {number} of the data, expected one in each row. "
                "Drop such rows."
            )
        codes.append(places.setdefault(name, len(places)))
    return object_names(f"column {column!r}", places), codes


def _numbers(cells: Sequence[Any], column: str) -> np.ndarray:
    numbers = np.empty(len(cells))
    for number, cell in enumerate(cells):
        try:
            numbers[number] = cell
        except (TypeError, ValueError):
            raise InputError(
                f"column {column!r} holds what is no number: got {cell!r} in row {number} of the data, "
                "expected numbers only."
            ) from None
    check_finite(f"column {column!r}", numbers)
    return numbers


def _part(record: Any, name: str) -> Any:
    """Give what a record carries under a name: one of its fields or links, or a part of the record itself."""
    for inner in ("fields", "links"):
        held = _own(record, inner)
        if isinstance(held, Mapping) and name in held:
            return held[name]
    return _own(record, name)


def _own(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)


def _several(held: Any, source: str, number: int) -> Iterable[Hashable]:
    """Give one value or a collection of values as distinct names; a missing or empty one is none."""
    if is_missing(held) or held == "":
        return ()
    if isinstance(held, Mapping):
        raise InputError(
            f"{source!r} of record {number} is not a name: got {held!r}, expected a name or a list of names."
        )
    if isinstance(held, (str, bytes)) or not isinstance(held, Iterable):
        return (held,)
    return dict.fromkeys(name.item() if isinstance(name, np.generic) else name for name in held)
