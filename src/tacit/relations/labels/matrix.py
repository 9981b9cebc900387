"""Labels of records as one object: a sparse 0/1 matrix that keeps its names and knows which rows are unknown.

Labels reach Tacit as a binary matrix, as a list of label sets, as one class a record, or inside the records
themselves. `as_labels` reads them all, so that every other file meets a single form. A record whose labels are
*unknown* is not a record *without* labels: the first says nothing, the second says "none of these", and methods that
learn from labels treat them differently.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_choice, check_rows, shown
from tacit.errors import InputError
from tacit.relations.labels.forms import (
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
    """Which record carries which label, with names and with a mark for records whose labels are unknown.

    Made by `as_labels` or by one of the `from_` methods, which check what they read; the constructor checks shapes.

    Attributes
    ----------
    indicator : csr_array of shape (n_records, n_labels)
        Y: 1 where the record has the label. Indices are sorted, nothing is stored twice, no zero is stored.
    names : tuple of hashable
        The label of each column.
    known : bool array of shape (n_records,)
        False where the labels of a record are unknown; its row of `indicator` is empty.
    kind : {"matrix", "sets", "classes"}
        The form the labels came in, so that predictions can be given back in the same.

    Examples
    --------
    >>> labels = LabelMatrix.from_sets([{"cats", "dogs"}, {"dogs"}, None])
    >>> labels.names
    ('cats', 'dogs')
    >>> labels.summary()
    '3 records, 2 labels, 1.5 labels a record, 1 record unknown'
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
            Only 0 and 1. A dense row of nothing but NaN is a record whose labels are unknown.
        names : iterable of hashable, optional
            Label names in column order; 0, 1, 2 ... if left out.
        known : bool array of shape (n_records,), optional
            False marks a record as unknown; what its row holds is ignored, so that a trial can hide labels it has.
        """
        return cls(*read_matrix(matrix, names, known, argument="matrix"), kind="matrix")

    @classmethod
    def from_sets(cls, sets: Iterable[Any], names: Iterable[Hashable] | None = None) -> LabelMatrix:
        """Read one iterable of label names a record; None means that the labels of the record are unknown.

        Given `names` fix the columns and their order; a label that is not among them is an error. Otherwise the columns
        are the labels that occur, sorted, or sorted by their text where they cannot be compared.
        """
        return cls(*read_sets(sets, names, argument="sets"), kind="sets")

    @classmethod
    def from_classes(cls, classes: Any, names: Iterable[Hashable] | None = None) -> LabelMatrix:
        """Read one class a record: strings, whole numbers or booleans; None, NaN or NA is an unknown class.

        Whole floats become ints, since a column of ints with a hole in it arrives as floats. Columns are sorted unless
        `names` fix them.
        """
        return cls(*read_classes(classes, names, argument="classes"), kind="classes")

    @classmethod
    def from_records(cls, records: Iterable[Any], field: str = "labels") -> LabelMatrix:
        """Read the label sets that mappings or objects carry under `field`; a record without the field is unknown."""
        return cls(*read_sets(labels_of(records, field, "records"), None, argument="records"), kind="sets")

    @property
    def n_records(self) -> int:
        """How many records there are, known or not."""
        return int(self.indicator.shape[0])

    @property
    def n_labels(self) -> int:
        """How many labels there are, used or not."""
        return int(self.indicator.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """Records x labels."""
        return self.n_records, self.n_labels

    @property
    def counts(self) -> IntArray:
        """How many records carry each label."""
        return np.bincount(self.indicator.indices, minlength=self.n_labels).astype(np.int64)

    @property
    def n_unknown(self) -> int:
        """How many records have unknown labels."""
        return int(np.count_nonzero(~self.known))

    @property
    def n_empty_rows(self) -> int:
        """How many records are known to have no label at all."""
        return int(np.count_nonzero(self.known & (np.diff(self.indicator.indptr) == 0)))

    @property
    def empty_labels(self) -> Names:
        """The labels that no record carries."""
        return tuple(self.names[column] for column in np.flatnonzero(self.counts == 0))

    @property
    def label_cardinality(self) -> float:
        """Labels a record, averaged over the records whose labels are known; 0 if there are none."""
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
        """Choose records by slice, index array or mask, keeping all columns; one number gives one record's names."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # scikit-learn's splitters write y[rows, ...]
        if isinstance(rows, (int, np.integer)):
            return self[np.asarray([rows])].to_sets()[0]
        chosen = np.arange(self.n_records)[rows if isinstance(rows, slice) else _row_index(rows)]
        return replace(self, indicator=sp.csr_array(self.indicator[chosen]), known=self.known[chosen])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Give the dense matrix, NaN in unknown rows, so that scikit-learn's own classifiers take the object as `y`."""
        dense = self.indicator.toarray()
        if self.n_unknown:
            dense[~self.known] = np.nan
            return dense if dtype is None else dense.astype(dtype)
        return dense.astype(np.int64 if dtype is None else dtype)

    def to_sets(self) -> list[Names | None]:
        """Give each record's label names in column order, None where they are unknown."""
        flat = [self.names[column] for column in self.indicator.indices]
        ends = self.indicator.indptr.tolist()
        known = self.known.tolist()
        return [tuple(flat[ends[row] : ends[row + 1]]) if known[row] else None for row in range(self.n_records)]

    def to_matrix(self, dtype: npt.DTypeLike = np.float64) -> sp.csr_array:
        """Give a copy of the indicator in another type; unknown rows are empty."""
        return sp.csr_array(self.indicator.astype(dtype, copy=True))

    def without_empty(self) -> LabelMatrix:
        """Leave out the labels that no record carries."""
        return self._with_columns(np.flatnonzero(self.counts), self.kind)

    def select(self, names: Iterable[Hashable]) -> LabelMatrix:
        """Keep these labels, in this order; records stay, even those left without a label."""
        wanted = check_names(names)
        # a class that loses its column leaves its records with no class, which only sets can say
        kind = "sets" if self.kind == "classes" else self.kind
        return self._with_columns(column_order(wanted, self.names, "names"), kind)

    def distinct(self) -> tuple[sp.csr_array, sp.csr_array]:
        """Group the records by their label set.

        Returns
        -------
        membership : csr_array of shape (n_records, n_sets)
            One 1 in each known row: the label set of the record. Unknown rows are empty.
        sets : csr_array of shape (n_sets, n_labels)
            The distinct label sets, in order of first appearance; the empty set counts if a known record has it.

        Notes
        -----
        `membership @ sets` is `indicator` again. There are often far fewer sets than records, and Y Yᵀ = M (D Dᵀ) Mᵀ.
        Takes as many sorts as the longest row has labels, each over the rows that are that long.
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
        """Say in one line how many records and labels there are, and what is missing."""
        text = f"{_counted(self.n_records, 'record')}, {_counted(self.n_labels, 'label')}"
        text += f", {self.label_cardinality:.3g} labels a record"
        if self.n_unknown:
            text += f", {_counted(self.n_unknown, 'record')} unknown"
        if self.n_empty_rows:
            text += f", {_counted(self.n_empty_rows, 'record')} without a label"
        n_unused = int(np.count_nonzero(self.counts == 0))
        return text + (f", {_counted(n_unused, 'label')} without a record" if n_unused else "")

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
        - a `LabelMatrix` is given back as it is;
        - a sparse matrix, a 2-D array or a data frame is a binary matrix; the columns of a frame are the names;
        - an N x 1 array is a column of classes, as in scikit-learn, with its `DataConversionWarning`; an N x 1 sparse
          matrix or data frame stays a matrix;
        - a vector, series or list of scalars is one class a record;
        - a list of sets, lists, tuples or None is a list of label sets, except that equally long lists (of at least two
          entries) of nothing but 0 and 1 are a matrix, as they are to NumPy and scikit-learn;
        - a list of mappings or objects with `labels` holds label sets.
    n_records : int, optional
        How many rows are expected.

    Raises
    ------
    InputError
        If `y` is None or none of these, or has another number of rows.
    """
    if isinstance(y, LabelMatrix):
        labels = y
    else:
        parts, kind = read_any(y)
        labels = LabelMatrix(*parts, kind=kind)
    if n_records is not None:
        check_rows("y", labels.n_records, n_records)
    return labels


def _row_index(rows: Any) -> Array:
    index = np.asarray(rows)
    return index.astype(np.intp) if index.size == 0 and index.dtype != bool else index


def _row_groups(indicator: sp.csr_array, rows: Array) -> IntArray:
    """Give rows the same number exactly if they hold the same columns, by comparing one column position at a time."""
    start, length = indicator.indptr[rows].astype(np.int64), np.diff(indicator.indptr)[rows]
    group = np.zeros(len(rows), dtype=np.int64)
    n_groups = 1
    for position in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > position)
        key = group[longer] * indicator.shape[1] + indicator.indices[start[longer] + position]
        seen, code = np.unique(key, return_inverse=True)
        # fresh numbers keep these rows apart from those that ended before this position
        group[longer] = n_groups + code
        n_groups += len(seen)
    return group


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
