"""Reads relations from tables, one pair of objects a line, and from records with their texts, labels and fields."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tacit.checks import check_rows
from tacit.errors import InputError
from tacit.relations.labels.forms import Names, is_missing
from tacit.relations.tables.columns import coded, numbers, read_columns
from tacit.relations.tables.reading import Given, object_names
from tacit.text import vectoriser as default_vectoriser

__all__ = ["read_field", "read_pairs", "read_record_labels", "read_words", "record_ids"]


def read_pairs(table: Any, row: str, column: str, value: str | None, separator: str | None) -> Given:
    """Read the relation that a table lists pair by pair; objects come in the order of their first line."""
    wanted = {"row": row, "column": column, **({} if value is None else {"value": value})}
    columns = read_columns(table, wanted, separator)
    rows, row_codes = coded(columns["row"], row)
    targets, column_codes = coded(columns["column"], column)
    check_rows(f"column {column!r}", len(column_codes), len(row_codes), of=f"column {row!r}")
    strength = np.ones(len(row_codes)) if value is None else numbers(columns["value"], value)
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
