"""Tells which form of labels `y` is, and has it read; the rules are those that `as_labels` documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.relations.labels.forms import Parts, check_sequence, is_missing, read_classes, read_matrix, read_sets

__all__ = ["labels_of", "read_any"]


def read_any(y: Any) -> tuple[Parts, str]:
    """Give the parts of the labels and the form they came in: "matrix", "sets" or "classes"."""
    if y is None:
        raise InputError(
            "y is missing: this requires y to be passed, but the target y is None. "
            "Give a 0/1 matrix, a list of label sets, or one class a record."
        )
    if sp.issparse(y):
        return read_matrix(y, None, None, argument="y"), "matrix"
    if hasattr(y, "columns") and hasattr(y, "to_numpy"):
        return read_matrix(y.to_numpy(), list(y.columns), None, argument="y"), "matrix"
    if not hasattr(y, "__array__"):
        check_sequence(y, "y")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif hasattr(y, "__array__"):
        y = np.asarray(y)
    return _read_array(y) if isinstance(y, np.ndarray) else _read_list(list(y))


def labels_of(records: Iterable[Any], field: str, argument: str) -> list[Any]:
    """Give what each record carries under `field`; a record without the field gives None, none with it is an error."""
    listed = list(records)
    found = [record.get(field) if isinstance(record, Mapping) else getattr(record, field, None) for record in listed]
    has_field = (field in record if isinstance(record, Mapping) else hasattr(record, field) for record in listed)
    if listed and not any(has_field):
        raise InputError(f"{argument} has no labels: got no record with a field {field!r}, expected label names there.")
    return found


def _read_array(y: npt.NDArray[Any]) -> tuple[Parts, str]:
    if y.ndim == 2 and y.shape[1] != 1:
        return read_matrix(y, None, None, argument="y"), "matrix"
    if y.ndim not in (1, 2):
        raise InputError(
            f"y has the wrong shape: got {y.ndim} dimensions, expected one class a record or records x labels."
        )
    if y.ndim == 2:
        from sklearn.utils.validation import column_or_1d  # loading it takes longer than all else here

        y = column_or_1d(y, warn=True)
    return _read_list(list(y)) if y.dtype == object else (read_classes(y, None, argument="y"), "classes")


def _read_list(y: list[Any]) -> tuple[Parts, str]:
    first = next((entry for entry in y if not is_missing(entry)), None)
    if _is_record(first):
        return read_sets(labels_of(y, "labels", "y"), None, argument="y"), "sets"
    if first is not None and (isinstance(first, (str, bytes)) or not isinstance(first, Iterable)):
        return read_classes(y, None, argument="y"), "classes"
    if isinstance(first, (Sequence, np.ndarray)) and _is_binary_table(y):
        return read_matrix(y, None, None, argument="y"), "matrix"
    return read_sets(y, None, argument="y"), "sets"


def _is_record(entry: Any) -> bool:
    return isinstance(entry, Mapping) or hasattr(entry, "labels")


def _is_binary_table(rows: list[Any]) -> bool:
    """Tell [[0, 1], [1, 1]] from label sets: as sets, a row with a 1 and a 1 would make no sense."""
    if not all(isinstance(row, (Sequence, np.ndarray)) and len(row) == len(rows[0]) >= 2 for row in rows):
        return False
    return all(isinstance(value, (Real, np.bool_)) and value in (0, 1) for row in rows for value in row)
