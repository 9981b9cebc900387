"""The labels of records as one object: a sparse 0/1 matrix with the names of labels and a mark for unknown rows.

`as_labels` reads a binary matrix, a list of label sets, one class per record, or records with labels. A record whose
labels are *unknown* differs from a record *without* labels: methods that learn from labels treat the second as an
example of "none of these", and the first as no example.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_choice, check_rows, counted, shown
from tacit.errors import InputError
from tacit.relations.labels.reading import (
    Names,
    check_names,
    column_order,
    labels_of,
    read_any,
    read_classes,
    read_matrix,
    read_sets,
)
from tacit.types import Array, BoolArray, IntArray

__all__ = ["LabelMatrix", "as_labels"]

KINDS = ("matrix", "sets", "classes")


@dataclass(frozen=True, eq=False, repr=False)
class LabelMatrix:
    """Which record has which label, with names, and with a mark for records whose labels are unknown.

    Made by `as_labels` or by one of the `from_` methods, which check their input; the constructor checks shapes.

    Attributes
    ----------
    indicator : csr_array of shape (n_records, n_labels)
        Y: 1 if the record has the label. Indices are sorted, without duplicates or stored zeros.
    names : tuple of hashable
        The label of each column.
    known : bool array of shape (n_records,)
        False if the labels of a record are unknown; its row of `indicator` is empty.
    kind : {"matrix", "sets", "classes"}
        The form of the input, so that predictions can be returned in the same form.

    Examples
    --------
    >>> labels = LabelMatrix.from_sets([{"cats", "dogs"}, {"dogs"}, None])
    >>> labels.names
    ('cats', 'dogs')
    >>> labels.summary()
    '3 records, 2 labels, 1.5 labels per record, 1 record unknown'
    >>> labels[:2].to_sets()
    [('cats', 'dogs'), ('dogs',)]
    """

    indicator: sp.csr_array
    names: Names
    known: BoolArray
    kind: str = "matrix"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        n_records, n_labels = self.indicator.shape
        check_rows("known", len(self.known), n_records, of="indicator")
        if len(self.names) != n_labels:
            raise InputError(f"names does not match indicator: got {len(self.names)} names for {n_labels} columns.")
        if np.diff(self.indicator.indptr)[~self.known].any():
            raise InputError("known does not match indicator: got labels in an unknown row, expected it empty.")

    @classmethod
    def from_matrix(cls, matrix: Any, names: Iterable[Hashable] | None = None, known: Any = None) -> LabelMatrix:
        """Read a 0/1 matrix, dense or sparse.

        Parameters
        ----------
        matrix : array-like or sparse, shape (n_records, n_labels)
            Only 0 and 1. A dense row of NaN is a record whose labels are unknown.
        names : iterable of hashable, optional
            Label names in column order, default 0, 1, 2 ...
        known : bool array of shape (n_records,), optional
            False marks the labels of a record as unknown; its row is ignored, so that a trial can hide labels.
        """
        return cls(*read_matrix(matrix, names, known, argument="matrix"), kind="matrix")

    @classmethod
    def from_sets(cls, sets: Iterable[Any], names: Iterable[Hashable] | None = None) -> LabelMatrix:
        """Read one iterable of label names per record; None means that the labels of the record are unknown.

        If given, `names` are the columns, and other labels are an error. Otherwise the columns are the labels that
        occur, sorted, or sorted by their text if they cannot be compared.
        """
        return cls(*read_sets(sets, names, argument="sets"), kind="sets")

    @classmethod
    def from_classes(cls, classes: Any, names: Iterable[Hashable] | None = None) -> LabelMatrix:
        """Read one class per record: strings, whole numbers or booleans; None, NaN or NA is an unknown class.

        Whole floats become ints, since a column of ints with missing values arrives as floats. Columns are sorted
        unless `names` are given.
        """
        return cls(*read_classes(classes, names, argument="classes"), kind="classes")

    @classmethod
    def from_records(cls, records: Iterable[Any], field: str = "labels") -> LabelMatrix:
        """Read the label sets in `field` of mappings or objects; without the field, the labels are unknown."""
        return cls(*read_sets(labels_of(records, field, "records"), None, argument="records"), kind="sets")

    @property
    def n_records(self) -> int:
        """Number of records, known or unknown."""
        return int(self.indicator.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels, used or not."""
        return int(self.indicator.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """(n_records, n_labels)."""
        return self.n_records, self.n_labels

    @property
    def counts(self) -> IntArray:
        """Number of records with each label."""
        return np.bincount(self.indicator.indices, minlength=self.n_labels).astype(np.int64)

    @property
    def n_unknown(self) -> int:
        """Number of records with unknown labels."""
        return int(np.count_nonzero(~self.known))

    @property
    def n_empty_rows(self) -> int:
        """Number of records that are known to have no label."""
        return int(np.count_nonzero(self.known & (np.diff(self.indicator.indptr) == 0)))

    @property
    def empty_labels(self) -> Names:
        """The labels that no record has."""
        return tuple(self.names[column] for column in np.flatnonzero(self.counts == 0))

    @property
    def label_cardinality(self) -> float:
        """Mean number of labels per record with known labels; 0 if there are none."""
        return self.indicator.nnz / max(1, self.n_records - self.n_unknown)

    def __len__(self) -> int:
        return self.n_records

    def __iter__(self) -> Iterator[Names | None]:
        return iter(self.to_sets())

    @overload
    def __getitem__(self, rows: int) -> Names | None: ...
    @overload
    def __getitem__(self, rows: Any) -> LabelMatrix: ...
    def __getitem__(self, rows: Any) -> LabelMatrix | Names | None:
        """Return records by slice, index array or mask, with all columns; for one number, the names of one record."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # as in scikit-learn's splitters
        if isinstance(rows, (int, np.integer)):
            return self[np.asarray([rows])].to_sets()[0]
        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            rows = rows.astype(np.intp) if rows.size == 0 and rows.dtype != bool else rows
        chosen = np.arange(self.n_records)[rows]
        return replace(self, indicator=sp.csr_array(self.indicator[chosen]), known=self.known[chosen])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the dense matrix, NaN in unknown rows, so that scikit-learn's classifiers take the object as `y`."""
        dense = self.indicator.toarray()
        if self.n_unknown:
            dense[~self.known] = np.nan
            return dense if dtype is None else dense.astype(dtype)
        return dense.astype(np.int64 if dtype is None else dtype)

    def to_sets(self) -> list[Names | None]:
        """Return the label names of each record in column order, None if they are unknown."""
        flat = [self.names[column] for column in self.indicator.indices]
        ends = self.indicator.indptr.tolist()
        known = self.known.tolist()
        return [tuple(flat[ends[row] : ends[row + 1]]) if known[row] else None for row in range(self.n_records)]

    def to_matrix(self, dtype: npt.DTypeLike = np.float64) -> sp.csr_array:
        """Return a copy of the indicator in another dtype; unknown rows are empty."""
        return sp.csr_array(self.indicator.astype(dtype, copy=True))

    def without_empty(self) -> LabelMatrix:
        """Leave out the labels that no record has."""
        return self._with_columns(np.flatnonzero(self.counts), self.kind)

    def select(self, names: Iterable[Hashable]) -> LabelMatrix:
        """Keep these labels, in this order; all records stay, even without a label."""
        wanted = check_names(names)
        # without its column, records of a class have none, which only sets can express
        kind = "sets" if self.kind == "classes" else self.kind
        return self._with_columns(column_order(wanted, self.names, "names"), kind)

    def distinct(self) -> tuple[sp.csr_array, sp.csr_array]:
        """Group the records by their label set.

        Returns
        -------
        membership : csr_array of shape (n_records, n_sets)
            One 1 in each known row, at the label set of the record. Unknown rows are empty.
        sets : csr_array of shape (n_sets, n_labels)
            The distinct label sets, in order of first appearance; the empty set counts if a known record has it.

        Notes
        -----
        `membership @ sets` is `indicator` again. There are often far fewer sets than records, and Y Yᵀ = M (D Dᵀ) Mᵀ.
        Takes one sort per label of the longest row, each of the rows that are at least as long.
        """
        rows = np.flatnonzero(self.known)
        group = _row_groups(self.indicator, rows)
        _, first, code = np.unique(group, return_index=True, return_inverse=True)
        by_appearance = np.argsort(first)
        place = np.empty_like(by_appearance)
        place[by_appearance] = np.arange(len(by_appearance))
        shape = (self.n_records, len(first))
        membership = sp.csr_array((np.ones(len(rows)), (rows, place[code])), shape=shape)
        return membership, sp.csr_array(self.indicator[rows[first[by_appearance]]])

    def summary(self) -> str:
        """Return one line with the numbers of records and labels, and what is missing."""
        text = f"{counted(self.n_records, 'record')}, {counted(self.n_labels, 'label')}"
        text += f", {self.label_cardinality:.3g} labels per record"
        if self.n_unknown:
            text += f", {counted(self.n_unknown, 'record')} unknown"
        if self.n_empty_rows:
            text += f", {counted(self.n_empty_rows, 'record')} without a label"
        n_unused = int(np.count_nonzero(self.counts == 0))
        return text + (f", {counted(n_unused, 'label')} without a record" if n_unused else "")

    def __repr__(self) -> str:
        return f"LabelMatrix({self.summary()}; from {self.kind}; names: {shown(self.names)})"

    def _with_columns(self, columns: Array, kind: str) -> LabelMatrix:
        chosen = sp.csr_array(self.indicator[:, columns])
        chosen.sort_indices()
        return replace(self, indicator=chosen, names=tuple(self.names[column] for column in columns), kind=kind)


def as_labels(y: Any, *, n_records: int | None = None) -> LabelMatrix:
    """Read labels in any of the forms Tacit takes.

    Parameters
    ----------
    y : LabelMatrix, matrix, data frame, vector, or sequence
        - a `LabelMatrix` is returned as it is;
        - a sparse matrix, a 2-D array or a data frame is a binary matrix; the columns of a frame are the names;
        - an N x 1 array is a column of classes, as in scikit-learn, with its `DataConversionWarning`; an N x 1 sparse
          matrix or data frame stays a matrix;
        - a vector, series or list of scalars is one class per record;
        - a list of sets, lists, tuples or None is a list of label sets, except that lists of 0 and 1 of equal length
          (at least two) are a matrix, as in NumPy and scikit-learn;
        - a list of mappings or objects with `labels` holds label sets.
    n_records : int, optional
        Expected number of rows.

    Raises
    ------
    InputError
        If `y` is None or none of these, or has a different number of rows.
    """
    if isinstance(y, LabelMatrix):
        labels = y
    else:
        parts, kind = read_any(y)
        labels = LabelMatrix(*parts, kind=kind)
    if n_records is not None:
        check_rows("y", labels.n_records, n_records)
    return labels


def _row_groups(indicator: sp.csr_array, rows: Array) -> IntArray:
    """Return the same number for rows with the same columns, by comparing one column position at a time."""
    start, length = indicator.indptr[rows].astype(np.int64), np.diff(indicator.indptr)[rows]
    group = np.zeros(len(rows), dtype=np.int64)
    n_groups = 1
    for position in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > position)
        key = group[longer] * indicator.shape[1] + indicator.indices[start[longer] + position]
        seen, code = np.unique(key, return_inverse=True)
        # new numbers distinguish these rows from those that ended before this position
        group[longer] = n_groups + code
        n_groups += len(seen)
    return group
