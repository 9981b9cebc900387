"""Readers for the forms of labels: a binary matrix, a list of label sets, one class per record.

Each reader returns the indicator, names and known rows of a `LabelMatrix`. `argument` is the name of the input in error
messages.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_rows
from tacit.errors import InputError, did_you_mean
from tacit.types import Array, BoolArray, Float64Array, IntArray

__all__ = [
    "Names",
    "Parts",
    "check_names",
    "column_order",
    "is_missing",
    "labels_of",
    "read_any",
    "read_classes",
    "read_matrix",
    "read_sets",
]

Names = tuple[Hashable, ...]
Parts = tuple[sp.csr_array, Names, BoolArray]


def read_matrix(matrix: Any, names: Iterable[Hashable] | None, known: Any, *, argument: str) -> Parts:
    """Read a binary matrix; a dense row of NaN is a record whose labels are unknown."""
    if sp.issparse(matrix):
        indicator, found = _sparse_indicator(matrix, argument)
    else:
        indicator, found = _dense_indicator(matrix, argument)
    n_records, n_labels = indicator.shape
    columns = tuple(range(n_labels)) if names is None else check_names(names)
    if len(columns) != n_labels:
        raise InputError(
            f"names does not match {argument}: got {len(columns)} names, expected {n_labels}, one per column."
        )
    if known is not None:
        mask = np.asarray(known)
        if mask.dtype != bool or mask.ndim != 1:
            raise InputError(
                f"known is not a mask: got {mask.dtype} values in {mask.ndim} dimension(s), "
                "expected one bool per record."
            )
        check_rows("known", len(mask), n_records, of=argument)
        found &= mask
        lengths = np.diff(indicator.indptr)
        indptr = np.concatenate([[0], np.cumsum(lengths * found)])
        indicator = _indicator(indicator.indices[np.repeat(found, lengths)], indptr, n_labels)
    return indicator, columns, found


def read_sets(sets: Iterable[Any], names: Iterable[Hashable] | None, *, argument: str) -> Parts:
    """Read one iterable of label names per record; None means unknown labels."""
    _check_sequence(sets, argument)
    column: dict[Any, int] = {}
    codes: list[int] = []
    lengths: list[int] = []
    known: list[bool] = []
    for row, members in enumerate(sets):
        before = len(codes)
        if not is_missing(members):
            _check_label_set(members, row, argument)
            try:
                codes.extend([column.setdefault(name, len(column)) for name in members])
            except TypeError:
                raise InputError(
                    f"{argument} has an invalid label: got {members!r} in row {row}, expected text or numbers."
                ) from None
        known.append(not is_missing(members))
        lengths.append(len(codes) - before)
    if any(is_missing(name) for name in column):
        raise InputError(
            f"{argument} has a missing label inside a label set: got None or NaN, expected names only. "
            "Leave it out, or pass None for the whole row."
        )
    columns, place = _columns(column, names, argument)
    indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    indicator = _indicator(place[np.asarray(codes, dtype=np.int64)], indptr, len(columns))
    return indicator, columns, np.asarray(known, dtype=bool)


def read_classes(classes: Any, names: Iterable[Hashable] | None, *, argument: str) -> Parts:
    """Read one class per record; None, NaN and pandas' NA mean an unknown class."""
    _check_sequence(classes, argument)
    values = _vector(classes, argument)
    distinct, codes = _encode_objects(values, argument) if values.dtype == object else _encode_plain(values, argument)
    columns, place = _columns(distinct, names, argument)
    known = codes >= 0
    indptr = np.concatenate([[0], np.cumsum(known)])
    return _indicator(place[codes[known]], indptr, len(columns)), columns, known


def _check_sequence(entries: Any, argument: str) -> None:
    """Raise unless the entries have an order; a string or a set is not a list of records."""
    if isinstance(entries, (str, bytes, Mapping, set, frozenset)) or not isinstance(entries, Iterable):
        kind = type(entries).__name__
        raise InputError(f"{argument} is not a sequence of labels: got {kind}, expected one entry per record.")


def is_missing(value: object) -> bool:
    """Whether a scalar means 'unknown': None, NaN, or NA or NaT of pandas."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return type(value).__name__ in ("NAType", "NaTType")  # by name, since pandas need not be installed


def check_names(names: Iterable[Hashable]) -> Names:
    """Return label names as a tuple of Python scalars; raise if one occurs twice."""
    if isinstance(names, (str, bytes)):
        raise InputError(f"names is a single string: got {names!r}, expected several names. Wrap it: [{names!r}].")
    listed = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    try:
        doubled = len(set(listed)) < len(listed)
    except TypeError:
        raise InputError(f"names has an invalid name: got {listed!r}, expected strings or numbers.") from None
    if doubled:
        twice = next(name for i, name in enumerate(listed) if name in listed[:i])
        raise InputError(f"names has a label twice: got {twice!r} more than once, expected each label once.")
    return listed


def column_order(wanted: Iterable[Hashable], names: Sequence[Hashable], argument: str) -> IntArray:
    """Return the column of each wanted label; raise for an unknown one, with the nearest name."""
    place = {name: column for column, name in enumerate(names)}
    columns = []
    for name in wanted:
        if name not in place:
            hint = did_you_mean(name, names)
            raise InputError(
                f"{argument} has an unknown label: got {name!r}, expected one of {len(place)} known ones.{hint}"
            )
        columns.append(place[name])
    return np.asarray(columns, dtype=np.int64)


def _sparse_indicator(matrix: Any, argument: str) -> tuple[sp.csr_array, BoolArray]:
    if matrix.ndim != 2:
        raise InputError(f"{argument} is not a matrix: got {matrix.ndim} dimension, expected records x labels.")
    indicator = sp.csr_array(matrix, copy=True)
    # duplicate entries of a COO matrix are summed by definition, so 1 + 1 is 2 and not a label
    indicator.sum_duplicates()
    indicator.eliminate_zeros()
    bad = np.flatnonzero(indicator.data != 1)
    if bad.size:
        row = int(np.searchsorted(indicator.indptr, bad[0], side="right") - 1)
        raise _not_binary(argument, indicator.data[bad[0]], row)
    return _with_ones(indicator), np.ones(indicator.shape[0], dtype=bool)


def _dense_indicator(matrix: Any, argument: str) -> tuple[sp.csr_array, BoolArray]:
    try:
        dense = np.asarray(matrix)
    except ValueError:
        raise InputError(f"{argument} is not a matrix: got rows of unequal length, expected equal ones.") from None
    if dense.ndim != 2:
        raise InputError(f"{argument} is not a matrix: got {dense.ndim} dimension(s), expected records x labels.")
    if dense.dtype.kind not in "biuf":
        dense = _numbers(dense, argument)
    known = np.ones(dense.shape[0], dtype=bool)
    if dense.dtype.kind == "f" and np.isnan(dense).any():
        missing = np.isnan(dense)
        known = ~missing.all(axis=1)
        part = np.flatnonzero(missing.any(axis=1) & known)
        if part.size:
            raise InputError(
                f"{argument} has some labels of a record missing: got a partly NaN row {part[0]}, "
                "expected 0 and 1 only, or NaN only if the labels are unknown."
            )
        dense = np.where(missing, 0.0, dense)
    bad = np.argwhere((dense != 0) & (dense != 1))
    if bad.size:
        row, column = bad[0]
        raise _not_binary(argument, dense[row, column], int(row))
    return _with_ones(sp.csr_array(dense)), known


def _numbers(dense: Array, argument: str) -> Float64Array:
    """Convert an array of objects (as from mixed or nullable columns) to floats, without parsing text."""
    numbers = np.full(dense.shape, np.nan)
    for place, value in np.ndenumerate(dense):
        if not is_missing(value):
            if not isinstance(value, (Real, np.bool_)):
                raise _not_binary(argument, value, place[0])
            numbers[place] = float(value)
    return numbers


def _not_binary(argument: str, value: object, row: int) -> InputError:
    plain = value.item() if isinstance(value, np.generic) else value
    return InputError(
        f"{argument} is not binary: got {plain!r} in row {row}, expected 0 or 1. "
        "Pass a 0/1 matrix, a list of label sets, or one class per record."
    )


def _check_label_set(members: Any, row: int, argument: str) -> None:
    if isinstance(members, (str, bytes)):
        raise InputError(
            f"{argument} is not a list of label sets: got the string {members!r} where a set of labels is expected "
            f"(row {row}). Wrap it: [{members!r}]."
        )
    if not isinstance(members, Iterable) or isinstance(members, Mapping) or getattr(members, "ndim", 1) != 1:
        raise InputError(
            f"{argument} is not a list of label sets: got {members!r} in row {row}, expected label names or None."
        )


def _columns(found: Iterable[Any], names: Iterable[Hashable] | None, argument: str) -> tuple[Names, IntArray]:
    """Return the names of the columns, and the column of each label found."""
    labels = check_names(found)
    columns = _sorted(labels) if names is None else check_names(names)
    return columns, column_order(labels, columns, argument)


def _sorted(labels: Names) -> Names:
    try:
        return tuple(sorted(labels))  # type: ignore[type-var]
    except TypeError:
        return tuple(sorted(labels, key=lambda name: (str(name), type(name).__name__)))


def _vector(classes: Any, argument: str) -> Array:
    """Return a 1-D array, in which a mixed list such as ["a", nan] is not converted to strings."""
    if hasattr(classes, "to_numpy"):
        classes = classes.to_numpy()
    if isinstance(classes, np.ndarray):
        values = classes
    else:
        listed = list(classes)
        values = np.empty(len(listed), dtype=object)
        for row, value in enumerate(listed):
            values[row] = value
    if values.ndim != 1:
        raise InputError(f"{argument} is not one class per record: got {values.ndim} dimensions, expected 1.")
    return values if values.dtype.kind in "biufU" else values.astype(object)


def _encode_plain(values: Array, argument: str) -> tuple[list[Any], IntArray]:
    """Number the classes of an array in sorted order; -1 is unknown."""
    codes = np.full(len(values), -1, dtype=np.int64)
    known = ~np.isnan(values) if values.dtype.kind == "f" else np.ones(len(values), dtype=bool)
    present = values[known]
    if present.dtype.kind == "f":
        bad = np.flatnonzero(np.isinf(present) | (present != np.rint(present)))
        if bad.size:
            raise _continuous(argument, present[bad[0]])
    distinct, codes[known] = np.unique(present, return_inverse=True)
    return [int(value) for value in distinct] if present.dtype.kind == "f" else distinct.tolist(), codes


def _encode_objects(values: Array, argument: str) -> tuple[list[Any], IntArray]:
    """Number the classes of an array of objects in order of appearance; -1 is unknown."""
    codes = np.full(len(values), -1, dtype=np.int64)
    column: dict[Any, int] = {}
    for row, value in enumerate(values):
        if is_missing(value):
            continue
        if isinstance(value, (float, np.floating)) and not float(value).is_integer():
            raise _continuous(argument, value)
        if not isinstance(value, (str, bytes)) and isinstance(value, Iterable):
            raise InputError(
                f"{argument} mixes classes and label sets: got {value!r} in row {row}, expected one class per record. "
                "Pass a set of labels for every record, or a class for every record."
            )
        codes[row] = column.setdefault(value, len(column))
    return [int(value) if isinstance(value, (float, np.floating)) else value for value in column], codes


def _continuous(argument: str, value: object) -> InputError:
    return InputError(
        f"{argument} is continuous: got {float(value)!r}, expected classes. "  # type: ignore[arg-type]
        "Labels are strings, whole numbers, or 0/1 columns. Divide numbers into ranges first."
    )


def _indicator(columns: Array, indptr: Array, n_labels: int) -> sp.csr_array:
    indicator = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=(len(indptr) - 1, n_labels))
    indicator.sum_duplicates()  # a label listed twice in one set counts once
    return _with_ones(indicator)


def _with_ones(indicator: sp.csr_array) -> sp.csr_array:
    indicator.sort_indices()
    return sp.csr_array(
        (np.ones(indicator.nnz), indicator.indices, indicator.indptr), shape=indicator.shape, dtype=np.float64
    )


def read_any(y: Any) -> tuple[Parts, str]:
    """Return the parts of the labels and their form: "matrix", "sets" or "classes"."""
    if y is None:
        raise InputError(
            "y is missing: this requires y to be passed, but the target y is None. "
            "Pass a 0/1 matrix, a list of label sets, or one class per record."
        )
    if sp.issparse(y):
        return read_matrix(y, None, None, argument="y"), "matrix"
    if hasattr(y, "columns") and hasattr(y, "to_numpy"):
        return read_matrix(y.to_numpy(), list(y.columns), None, argument="y"), "matrix"
    if not hasattr(y, "__array__"):
        _check_sequence(y, "y")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif hasattr(y, "__array__"):
        y = np.asarray(y)
    return _read_array(y) if isinstance(y, np.ndarray) else _read_list(list(y))


def labels_of(records: Iterable[Any], field: str, argument: str) -> list[Any]:
    """Return `field` of each record, None for a record without it; raise if no record has it."""
    listed = list(records)
    found = [record.get(field) if isinstance(record, Mapping) else getattr(record, field, None) for record in listed]
    has_field = (field in record if isinstance(record, Mapping) else hasattr(record, field) for record in listed)
    if listed and not any(has_field):
        raise InputError(f"{argument} has no labels: got no record with a field {field!r}, expected label names there.")
    return found


def _read_array(y: Array) -> tuple[Parts, str]:
    if y.ndim == 2 and y.shape[1] != 1:
        return read_matrix(y, None, None, argument="y"), "matrix"
    if y.ndim not in (1, 2):
        raise InputError(
            f"y has the wrong shape: got {y.ndim} dimensions, expected one class per record or records x labels."
        )
    if y.ndim == 2:
        from sklearn.utils.validation import column_or_1d  # slow to import

        y = column_or_1d(y, warn=True)
    return _read_list(list(y)) if y.dtype == object else (read_classes(y, None, argument="y"), "classes")


def _read_list(y: list[Any]) -> tuple[Parts, str]:
    first = next((entry for entry in y if not is_missing(entry)), None)
    if isinstance(first, Mapping) or hasattr(first, "labels"):
        return read_sets(labels_of(y, "labels", "y"), None, argument="y"), "sets"
    if first is not None and (isinstance(first, (str, bytes)) or not isinstance(first, Iterable)):
        return read_classes(y, None, argument="y"), "classes"
    if isinstance(first, (Sequence, np.ndarray)) and _is_binary_table(y):
        return read_matrix(y, None, None, argument="y"), "matrix"
    return read_sets(y, None, argument="y"), "sets"


def _is_binary_table(rows: list[Any]) -> bool:
    """Whether this is a matrix such as [[0, 1], [1, 1]] rather than a list of label sets."""
    if not all(isinstance(row, (Sequence, np.ndarray)) and len(row) == len(rows[0]) >= 2 for row in rows):
        return False
    return all(isinstance(value, (Real, np.bool_)) and value in (0, 1) for row in rows for value in row)
