"""Reads what measures compare: true labels, predicted labels and scores that speak of the same records and labels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, check_rows
from tacit.errors import InputError
from tacit.relations.labels.forms import read_matrix
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.types import Array

__all__ = ["as_dense", "as_judged", "as_pair", "check_scores", "is_bare"]


def as_judged(y: Any, argument: str) -> LabelMatrix:
    """Read labels; a matrix stays one even with a single column, since a measure needs columns to compare."""
    if isinstance(y, LabelMatrix):
        return y
    if sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        return LabelMatrix(*read_matrix(y, None, None, argument=argument), kind="matrix")
    if y is None:
        raise InputError(f"{argument} is missing: got None, expected a 0/1 matrix or a LabelMatrix.")
    return as_labels(y)


def as_pair(one: Any, other: Any, arguments: tuple[str, str]) -> tuple[LabelMatrix, LabelMatrix]:
    """Read two sets of labels so that their columns mean the same.

    Columns without names (a bare matrix) are taken in order. Named ones are matched by name; a label that only one side
    has gets an empty column on the other, so that nothing predicted is lost.
    """
    first, second = as_judged(one, arguments[0]), as_judged(other, arguments[1])
    if first.names == second.names:
        return first, second
    if is_bare(first) or is_bare(second):
        if first.n_labels != second.n_labels:
            raise InputError(
                f"{arguments[1]} does not match {arguments[0]}: got {second.n_labels} columns for {first.n_labels}, "
                "expected the same labels in the same order."
            )
        return first, second
    names = first.names + tuple(name for name in second.names if name not in set(first.names))
    return _widened(first, names), _widened(second, names)


def check_scores(scores: Any, truth: LabelMatrix) -> Array:
    """Give scores back as a float array with a row for each record and a column for each label."""
    dense = as_dense(scores)
    if dense.ndim != 2 or dense.shape[1] != truth.n_labels or dense.dtype.kind not in "biuf":
        raise InputError(
            f"scores does not match y_true: got {dense.dtype} values of shape {dense.shape}, "
            f"expected numbers for {truth.n_records} records x {truth.n_labels} labels."
        )
    check_rows("scores", len(dense), truth.n_records, of="y_true")
    check_finite("scores", dense)
    return dense if dense.dtype.kind == "f" else dense.astype(np.float64)


def as_dense(values: Any) -> Array:
    """Give a plain array, whether the values came dense or sparse."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def is_bare(labels: LabelMatrix) -> bool:
    """Tell a matrix without names: its columns can only be matched by their order."""
    return labels.kind == "matrix" and labels.names == tuple(range(labels.n_labels))


def _widened(labels: LabelMatrix, names: tuple[Hashable, ...]) -> LabelMatrix:
    place = {name: column for column, name in enumerate(names)}
    columns = np.asarray([place[name] for name in labels.names], dtype=np.int64)
    stored = labels.indicator
    indicator = sp.csr_array(
        (stored.data.copy(), columns[stored.indices], stored.indptr.copy()), shape=(labels.n_records, len(names))
    )
    indicator.sort_indices()
    return LabelMatrix(indicator, names, labels.known, labels.kind)
