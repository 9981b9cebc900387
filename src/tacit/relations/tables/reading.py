"""Read one relation: a matrix in any form with names of rows and columns, in the order of the objects of its types."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, is_outside_memory, is_sparse, shown
from tacit.errors import InputError, TacitWarning
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.labels.reading import Names, is_missing
from tacit.types import IntArray

__all__ = ["NamedMatrix", "object_names", "place_relation", "places_of", "read_relation"]


class NamedMatrix(NamedTuple):
    """A matrix with the names of its rows and columns, or None if they have no names."""

    matrix: Any  # csr_array, or blocks of rows outside memory
    rows: Names | None
    columns: Names | None


def read_relation(matrix: Any, rows: Iterable[Hashable] | None, columns: Iterable[Hashable] | None) -> NamedMatrix:
    """Read a sparse or dense matrix, a data frame or a `LabelMatrix`; names that are passed override its own."""
    own: tuple[Any, Any] = (None, None)
    if isinstance(matrix, LabelMatrix):
        matrix, own = matrix.indicator, (None, matrix.names)
    elif hasattr(matrix, "columns") and hasattr(matrix, "to_numpy"):
        own = (getattr(matrix, "index", None), matrix.columns)
        matrix = matrix.to_numpy()
    relation = matrix if is_outside_memory(matrix) else _csr(matrix)
    names = [
        _names_of_axis(argument, given if given is not None else brought, relation.shape[axis])
        for axis, (argument, given, brought) in enumerate([("rows", rows, own[0]), ("columns", columns, own[1])])
    ]
    return NamedMatrix(relation, *names)


def object_names(argument: str, names: Iterable[Hashable]) -> Names:
    """Return names as a tuple of Python scalars; raise if one occurs twice or is missing."""
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise InputError(f"{argument} is not a list of names: got {names!r}, expected a list of names, in order.")
    listed = tuple(name.item() if isinstance(name, np.generic) else name for name in names)
    seen: set[Hashable] = set()
    for place, name in enumerate(listed):
        if is_missing(name):
            raise InputError(
                f"{argument} lacks a name: got {name!r} at position {place}, expected a name for each object."
            )
        try:
            doubled = name in seen
            seen.add(name)
        except TypeError:
            raise InputError(f"{argument} has an invalid name: got {name!r}, expected strings or numbers.") from None
        if doubled:
            raise InputError(f"{argument} has a name twice: got {name!r} more than once, expected each object once.")
    return listed


def place_relation(
    types: Mapping[str, Names], row_type: str, column_type: str, given: NamedMatrix
) -> tuple[dict[str, Names], Any]:
    """Return all types, including new objects, and the matrix in the order of its types."""
    matrix, rows, columns = given
    if row_type == column_type and (rows is None or columns is None):
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"matrix is not square: got {matrix.shape[0]} x {matrix.shape[1]} within type {row_type!r}, "
                "expected the same objects as rows and columns. Pass rows and columns, their names, if these differ."
            )
        rows = columns = rows if rows is not None else columns
    _warn_if_strangers(types, row_type, column_type, NamedMatrix(matrix, rows, columns))
    grown = dict(types)
    grown[row_type], row_places = _align(row_type, grown.get(row_type), rows, matrix.shape[0], "rows")
    grown[column_type], column_places = _align(column_type, grown.get(column_type), columns, matrix.shape[1], "columns")
    shape = (len(grown[row_type]), len(grown[column_type]))
    if is_outside_memory(matrix):
        both = ((row_type, row_places), (column_type, column_places))
        for (kind, places), size, n_objects in zip(both, matrix.shape, shape, strict=True):
            if size != n_objects or not np.array_equal(places, np.arange(size)):
                raise InputError(
                    f"matrix is not in the order of type {kind!r}: got rows on disk or on a cluster, whose {size} "
                    f"objects cannot be moved to their positions among {n_objects}, expected the same objects in the "
                    "same order. Add it first, or write it in that order."
                )
        return grown, matrix
    return grown, _moved(matrix, shape, row_places, column_places)


def _moved(matrix: sp.csr_array, shape: tuple[int, int], rows: IntArray, columns: IntArray) -> sp.csr_array:
    """Move the rows and columns of a matrix to their positions; one that is in order keeps its arrays."""
    if matrix.shape == shape and all(np.array_equal(places, np.arange(len(places))) for places in (rows, columns)):
        return matrix
    entries = matrix.tocoo()
    narrow = entries.row.dtype if max(shape) < 2**31 else np.int64  # int64 would take half as much memory again
    at = (rows.astype(narrow)[entries.row], columns.astype(narrow)[entries.col])
    placed = sp.csr_array((entries.data, at), shape=shape)
    placed.sort_indices()
    return placed


def places_of(kind: str, wanted: Names, place: dict[Hashable, int]) -> IntArray:
    """Return the positions of these objects of a type; raise if one is unknown."""
    unknown = [name for name in wanted if name not in place]
    if unknown:
        hint = _other_kind(unknown[0], next(iter(place), None))
        raise InputError(
            f"type {kind!r} lacks an object: got {unknown[0]!r}, expected one of {len(place)} names such as "
            f"{shown(place, 3)}.{hint}"
        )
    return np.asarray([place[name] for name in wanted], dtype=np.int64)


def _warn_if_strangers(types: Mapping[str, Names], row_type: str, column_type: str, given: NamedMatrix) -> None:
    """Warn if no name is known in a known type: usually the names are written in another way there."""
    for argument, kind, names in (("rows", row_type, given.rows), ("columns", column_type, given.columns)):
        met = [*(given.rows or ()), *(given.columns or ())] if row_type == column_type else names
        known = types.get(kind)
        if names and known and set(known).isdisjoint(met or ()):
            warnings.warn(
                f"{argument} shares no name with type {kind!r}: got {shown(names, 3)}, the type has {shown(known, 3)}. "
                f"All {len(names)} are added as new objects.{_other_kind(names[0], known[0])}",
                TacitWarning,
                stacklevel=4,
            )


def _align(
    kind: str, known: Names | None, given: Names | None, n_objects: int, argument: str
) -> tuple[Names, IntArray]:
    """Return the objects of a type after this relation, and the position of each row (or column) among them.

    Known objects keep their positions, new ones follow. Without names the objects are the known ones in their order,
    or 0, 1, 2 ... for a new type.
    """
    in_order = np.arange(n_objects)
    if known is None:
        return (tuple(range(n_objects)) if given is None else given), in_order
    if given is None:
        if n_objects != len(known):
            raise InputError(
                f"matrix does not match type {kind!r}: got {n_objects} {argument} for {len(known)} objects, "
                f"expected one per object in the same order. Pass {argument}, their names, if these are others."
            )
        return known, in_order
    if given == known:
        return known, in_order
    place = {name: number for number, name in enumerate(known)}
    for name in given:
        place.setdefault(name, len(place))
    return tuple(place), np.fromiter((place[name] for name in given), dtype=np.int64, count=n_objects)


def _csr(matrix: Any) -> sp.csr_array:
    """Return a copy as CSR of float32 or float64, without zeros or duplicates."""
    if not is_sparse(matrix):
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise InputError(f"matrix has the wrong shape: got {matrix.ndim} dimensions, expected rows x columns.")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"matrix does not hold numbers: got {matrix.dtype}, expected real numbers.")
    check_finite("matrix", matrix)
    dtype = np.float32 if matrix.dtype == np.float32 else np.float64
    relation = sp.csr_array(matrix, dtype=dtype, copy=True)
    relation.sum_duplicates()
    relation.eliminate_zeros()
    return relation


def _names_of_axis(argument: str, names: Iterable[Hashable] | None, n_objects: int) -> Names | None:
    if names is None:
        return None
    listed = object_names(argument, names)
    if len(listed) != n_objects:
        raise InputError(
            f"{argument} does not match matrix: got {len(listed)} names for {n_objects} {argument}, expected one each."
        )
    return listed


def _other_kind(name: Hashable, known: Hashable) -> str:
    """Return a hint if one name is a text and the other a number: a CSV file has texts only, and '7' is not 7."""
    if isinstance(name, str) == isinstance(known, str):
        return ""
    return f" Names differ in type: {name!r} and {known!r}; make them all texts or all numbers."
