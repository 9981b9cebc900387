"""Read true labels, predicted labels and scores so that their rows and columns mean the same records and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, check_rows
from tacit.errors import InputError
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.relations.labels.reading import read_matrix
from tacit.types import Array, IntArray

__all__ = ["aligned_labels", "as_dense", "as_label_columns", "check_scores", "has_no_names", "move_columns"]


def as_label_columns(y: Any, argument: str) -> LabelMatrix:
    """Read labels; a matrix with one column stays a matrix, since a measure needs columns to compare."""
    if isinstance(y, LabelMatrix):
        return y
    if sp.issparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2):
        return LabelMatrix(*read_matrix(y, None, None, argument=argument), kind="matrix")
    if y is None:
        raise InputError(f"{argument} is missing: got None, expected a 0/1 matrix or a LabelMatrix.")
    return as_labels(y)


def aligned_labels(one: Any, other: Any, arguments: tuple[str, str]) -> tuple[LabelMatrix, LabelMatrix]:
    """Read two sets of labels with the same columns.

    Columns without names are matched by their order, others by name; a label that only one side has gets an empty
    column on the other, so that no prediction is lost.
    """
    first, second = as_label_columns(one, arguments[0]), as_label_columns(other, arguments[1])
    if first.names == second.names:
        return first, second
    if has_no_names(first) or has_no_names(second):
        if first.n_labels != second.n_labels:
            raise InputError(
                f"{arguments[1]} does not match {arguments[0]}: got {second.n_labels} columns for {first.n_labels}, "
                "expected the same labels in the same order."
            )
        return first, second
    columns = {name: column for column, name in enumerate(dict.fromkeys((*first.names, *second.names)))}
    names = tuple(columns)
    first, second = (
        LabelMatrix(
            move_columns(labels.indicator, np.asarray([columns[name] for name in labels.names], np.int64), len(names)),
            names,
            labels.known,
            labels.kind,
        )
        for labels in (first, second)
    )
    return first, second


def check_scores(scores: Any, truth: LabelMatrix, *, may_be_unlisted: bool = False) -> Array:
    """Return scores as a float array with a row per record and a column per label.

    With `may_be_unlisted` a score may be minus infinity: that label is never suggested.
    """
    dense = as_dense(scores)
    if dense.ndim != 2 or dense.shape[1] != truth.n_labels or dense.dtype.kind not in "biuf":
        raise InputError(
            f"scores does not match y_true: got {dense.dtype} values of shape {dense.shape}, "
            f"expected numbers for {truth.n_records} records x {truth.n_labels} labels."
        )
    check_rows("scores", len(dense), truth.n_records, of="y_true")
    if not may_be_unlisted:
        check_finite("scores", dense)
    elif np.isnan(dense).any() or np.isposinf(dense).any():
        raise InputError(
            "scores is not finite: got NaN or infinity, expected numbers. Minus infinity marks a label that is not "
            "suggested."
        )
    return dense if dense.dtype.kind == "f" else dense.astype(np.float64)


def as_dense(values: Any) -> Array:
    """Return a plain array, whether the values are dense or sparse."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values)


def has_no_names(labels: LabelMatrix) -> bool:
    """Whether labels came as a matrix without names, whose columns can only be matched by their order."""
    return labels.kind == "matrix" and labels.names == tuple(range(labels.n_labels))


def move_columns(indicator: sp.csr_array, columns: IntArray, n_columns: int) -> sp.csr_array:
    """Return a matrix in which column j stands at `columns[j]`."""
    moved = sp.csr_array(
        (indicator.data.copy(), columns[indicator.indices], indicator.indptr.copy()),
        shape=(indicator.shape[0], n_columns),
    )
    moved.sort_indices()
    return moved
