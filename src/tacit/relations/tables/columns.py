"""Read the columns of a table: CSV and TSV, optionally gzipped, Parquet, data frames, and columns by name.

Tables have millions of lines and far fewer names, so a column of names is stored as the names and one number per line.
Text files are read in pieces; arrays are numbered by NumPy, and columns of Arrow or pandas by these libraries.
"""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tacit.checks import check_choice, check_finite, check_rows
from tacit.errors import InputError, MissingExtraError
from tacit.relations.labels.reading import Names, is_missing
from tacit.relations.tables.reading import NamedMatrix, object_names
from tacit.text import vectoriser as default_vectoriser
from tacit.types import Array, Float64Array, IntArray

__all__ = ["read_field", "read_pairs", "read_record_labels", "read_words", "record_ids"]


_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_LINES_AT_ONCE = 1_000  # few enough that their cells are still in the cache when they are numbered


class _CodedColumn(NamedTuple):
    """The distinct cells of a column, in the order of their first line, and the number of the cell in each line."""

    names: Names
    codes: IntArray


def _read_columns(table: Any, wanted: Mapping[str, str], separator: str | None) -> dict[str, Any]:
    """Return the wanted columns of a file, data frame or mapping, by their role."""
    if not isinstance(table, (str, Path)):
        return _held_columns(table, wanted)
    path = Path(table).expanduser()
    if _ending(path) in _PARQUET:
        if separator is not None:
            raise InputError(f"separator does not apply to {path.name!r}: got {separator!r}, expected none.")
        return _parquet_columns(path, wanted)
    return _text_columns(path, wanted, _separator(path, separator))


def _code_column(cells: Any, column: str) -> _CodedColumn:
    """Number the names of a column in the order of their first line; raise if a line has none."""
    found = cells if isinstance(cells, _CodedColumn) else _numbered(cells, column)
    for place, name in enumerate(found.names):
        if is_missing(name) or name == "":
            raise _lacks_name(column, name, int(np.argmax(found.codes == place)))
    return _CodedColumn(object_names(f"column {column!r}", found.names), found.codes)


def _number_column(cells: Any, column: str) -> Float64Array:
    """Return the numbers of a column; raise if one is not finite."""
    if isinstance(cells, _CodedColumn):
        found = _floats(cells.names, column, lambda place: int(np.argmax(cells.codes == place)))[cells.codes]
    else:
        values = np.asarray(cells) if hasattr(cells, "to_numpy") else cells
        has_numbers = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"
        found = _floats(values if has_numbers else list(values), column, int)
    check_finite(f"column {column!r}", found)
    return found


def _held_columns(table: Any, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Take the wanted columns from a data frame, an Arrow table or a mapping."""
    names = table.keys() if isinstance(table, Mapping) else getattr(table, "column_names", None)
    names = getattr(table, "columns", None) if names is None else names
    if names is None:
        raise InputError(
            f"table is not a table: got {type(table).__name__}, expected a path, a data frame or columns by name."
        )
    return {role: table[check_choice(role, name, list(names))] for role, name in wanted.items()}


def _parquet_columns(path: Path, wanted: Mapping[str, str]) -> dict[str, Any]:
    """Read the wanted columns, and no others, of a Parquet file or of a folder of such files."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetDataset
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Reading Parquet") from None
    try:
        file = ParquetDataset(path)
        columns = [check_choice(role, name, file.schema.names) for role, name in wanted.items()]
        table = file.read(columns=list(dict.fromkeys(columns)))
    except (OSError, pa.ArrowException) as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{path} cannot be read: got {said}, expected a Parquet table.") from error
    return {role: table[name] for role, name in wanted.items()}


def _text_columns(path: Path, wanted: Mapping[str, str], separator: str) -> dict[str, Any]:
    """Read the wanted columns of a CSV or TSV file, piece by piece."""
    places: list[defaultdict[str, int]] = [_counting() for _ in wanted]
    pieces: list[list[IntArray]] = [[] for _ in wanted]
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            picked = _picked_cells(csv.reader(lines, delimiter=separator), wanted, path)
            while piece := list(islice(picked, _LINES_AT_ONCE)):
                for place, codes, cells in zip(places, pieces, zip(*piece, strict=True), strict=True):
                    codes.append(_codes(place, cells))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: got {error}, expected a table in UTF-8.") from error
    empty = np.zeros(0, dtype=np.int64)
    return {
        role: _CodedColumn(tuple(place), np.concatenate([empty, *codes]))
        for role, place, codes in zip(wanted, places, pieces, strict=True)
    }


def _picked_cells(reader: Any, wanted: Mapping[str, str], path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the wanted cells of each line below the header that is not blank."""
    header: list[str] = next(reader, [])
    pick: Any = itemgetter(*(header.index(check_choice(role, name, header)) for role, name in wanted.items()))
    for cells in reader:
        if not any(cells):
            continue
        try:
            yield pick(cells)
        except IndexError:
            raise InputError(
                f"{path} has a short line: got {len(cells)} cells in line {reader.line_num}, "
                f"expected {len(header)} as in the header."
            ) from None


def _separator(path: Path, separator: str | None) -> str:
    mark = separator if separator is not None else _SEPARATORS.get(_ending(path))
    if mark is None:
        raise InputError(
            f"table has an unknown suffix: got {path.name!r}, expected .csv, .tsv or .tab, optionally gzipped, or "
            ".parquet. Pass separator, such as ';', or read the file into a data frame and pass that."
        )
    if len(mark) != 1:
        raise InputError(f"separator is not one character: got {mark!r}, expected one such as ',' or a tab.")
    return mark


def _ending(path: Path) -> str:
    """Return the suffix of a path, without .gz: .csv for loans.csv.gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    return "".join((suffixes[:-1] if suffixes[-1:] == [".gz"] else suffixes)[-1:])


def _numbered(cells: Any, column: str) -> _CodedColumn:
    """Number the cells of a column with the library that holds it."""
    if hasattr(cells, "dictionary_encode"):
        return _numbered_arrow(cells, column)
    if hasattr(cells, "factorize"):
        return _numbered_pandas(cells, column)
    if isinstance(cells, np.ndarray) and cells.ndim == 1 and cells.dtype.kind in "biuf":
        return _numbered_array(cells)
    listed = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    places: defaultdict[Hashable, int] = _counting()
    try:
        codes = _codes(places, listed)
    except TypeError:
        raise _no_name(column, listed) from None
    return _CodedColumn(tuple(places), codes)


def _numbered_arrow(cells: Any, column: str) -> _CodedColumn:
    """Number the cells with a new dictionary of Arrow: a stored one may have any order and unused cells."""
    if hasattr(cells.type, "index_type"):
        cells = cells.cast(cells.type.value_type)
    if cells.null_count:
        missing = np.concatenate([np.asarray(piece.is_null()) for piece in _pieces(cells)])
        raise _lacks_name(column, None, int(np.argmax(missing)))
    try:
        pieces = _pieces(cells.dictionary_encode())
    except NotImplementedError:  # lists and the like
        return _numbered(cells.to_pylist(), column)
    names = tuple(pieces[0].dictionary.to_pylist()) if pieces else ()  # all pieces share it
    codes = [np.asarray(piece.indices, dtype=np.int64) for piece in pieces]
    return _CodedColumn(names, np.concatenate([np.zeros(0, dtype=np.int64), *codes]))


def _pieces(cells: Any) -> list[Any]:
    """Return the arrays of a column of an Arrow table, or of a single array."""
    return list(cells.chunks) if hasattr(cells, "chunks") else [cells]


def _numbered_pandas(cells: Any, column: str) -> _CodedColumn:
    try:
        codes, names = cells.factorize()
    except TypeError:
        raise _no_name(column, list(cells)) from None
    if len(codes) and codes.min() < 0:
        row = int(np.argmax(codes < 0))
        raise _lacks_name(column, list(cells)[row], row)
    return _CodedColumn(tuple(names), np.asarray(codes, dtype=np.int64))


def _numbered_array(cells: Array) -> _CodedColumn:
    values, first, codes = np.unique(cells, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return _CodedColumn(tuple(values[order].tolist()), rank[codes])


def _counting() -> defaultdict[Any, int]:
    """Return a dictionary that numbers its keys in the order of first access."""
    places: defaultdict[Any, int] = defaultdict()
    places.default_factory = places.__len__
    return places


def _codes(places: defaultdict[Any, int], cells: Sequence[Any]) -> IntArray:
    return np.fromiter(map(places.__getitem__, cells), dtype=np.int64, count=len(cells))


def _floats(cells: Any, column: str, row_of: Any) -> Float64Array:
    """Return cells as numbers; raise with the first that is not a number."""
    if isinstance(cells, np.ndarray):
        return cells.astype(np.float64)
    found = np.empty(len(cells))
    for place, cell in enumerate(cells):
        try:
            found[place] = np.nan if cell is None else float(cell)
        except (TypeError, ValueError):
            raise InputError(
                f"column {column!r} has an invalid number: got {cell!r} in row {row_of(place)} of the data, "
                "expected numbers only."
            ) from None
    return found


def _lacks_name(column: str, name: object, row: int) -> InputError:
    return InputError(
        f"column {column!r} lacks a name: got {name!r} in row {row} of the data, expected one in each row. "
        "Drop such rows."
    )


def _no_name(column: str, cells: Iterable[Any]) -> InputError:
    """Return the error for the first cell that cannot be a name, such as a list."""
    row, cell = next((row, cell) for row, cell in enumerate(cells) if not _is_hashable(cell))
    return InputError(
        f"column {column!r} has an invalid name: got {cell!r} in row {row} of the data, expected texts or numbers."
    )


def _is_hashable(cell: Any) -> bool:
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def read_pairs(table: Any, row: str, column: str, value: str | None, separator: str | None) -> NamedMatrix:
    """Read a relation from a table of pairs; objects are in the order of their first line."""
    wanted = {"row": row, "column": column, **({} if value is None else {"value": value})}
    columns = _read_columns(table, wanted, separator)
    rows, row_codes = _code_column(columns["row"], row)
    targets, column_codes = _code_column(columns["column"], column)
    check_rows(f"column {column!r}", len(column_codes), len(row_codes), of=f"column {row!r}")
    strength = np.ones(len(row_codes)) if value is None else _number_column(columns["value"], value)
    check_rows(f"column {value!r}", len(strength), len(row_codes), of=f"column {row!r}")
    shape = (len(rows), len(targets))
    return NamedMatrix(sp.csr_array((strength, (row_codes, column_codes)), shape=shape), rows, targets)


def record_ids(records: Sequence[Any]) -> Names:
    """Return the ids of the records; raise if two are equal."""
    if not records:
        raise InputError("records is empty: got no record, expected at least one.")
    return object_names("id of records", [_own(record, "id") for record in records])


def read_words(records: Sequence[Any], vectoriser: Any) -> tuple[Any, list[str]]:
    """Return the records x words matrix of the texts, and the words."""
    texts = [_own(record, "text") or "" for record in records]
    maker = default_vectoriser() if vectoriser is None else vectoriser
    if not hasattr(maker, "fit_transform") or not hasattr(maker, "get_feature_names_out"):
        raise InputError(
            f"vectoriser has no names of words: got {type(maker).__name__}, expected fit_transform and "
            "get_feature_names_out as in scikit-learn's TfidfVectorizer."
        )
    try:
        check_is_fitted(maker)
        matrix = maker.transform(texts)
    except NotFittedError:
        try:
            matrix = maker.fit_transform(texts)
        except ValueError as error:
            raise InputError(
                f"records has no words to relate: got {len(texts)} texts and {str(error)!r}, expected words in "
                "more than one text. Pass a vectoriser with other settings, or words=None."
            ) from error
    return matrix, maker.get_feature_names_out().tolist()


def read_field(records: Sequence[Any], source: str) -> NamedMatrix:
    """Return the relation of records to the values of the field or link `source`."""
    found = _indicator([_part(record, source) for record in records], source)
    if not found.columns:
        raise InputError(
            f"fields names a field that no record has: got {source!r}, expected a field or link of some records."
        )
    return found


def read_record_labels(records: Sequence[Any]) -> NamedMatrix:
    """Return the relation of records to their labels, which may be empty."""
    return _indicator([_own(record, "labels") for record in records], "labels")


def _indicator(held: Sequence[Any], source: str) -> NamedMatrix:
    """Return ones for each record and its names, in the order of first appearance."""
    places: dict[Hashable, int] = {}
    row_codes, column_codes = [], []
    for number, value in enumerate(held):
        for name in _several(value, source, number):
            row_codes.append(number)
            column_codes.append(places.setdefault(name, len(places)))
    shape = (len(held), len(places))
    return NamedMatrix(
        sp.csr_array((np.ones(len(row_codes)), (row_codes, column_codes)), shape=shape), None, tuple(places)
    )


def _part(record: Any, name: str) -> Any:
    """Return a field, link or attribute of a record by its name."""
    for inner in ("fields", "links"):
        held = _own(record, inner)
        if isinstance(held, Mapping) and name in held:
            return held[name]
    return _own(record, name)


def _own(record: Any, name: str) -> Any:
    return record.get(name) if isinstance(record, Mapping) else getattr(record, name, None)


def _several(held: Any, source: str, number: int) -> Iterable[Hashable]:
    """Return one value or a collection of values as distinct names; a missing or empty value is no name."""
    if is_missing(held) or held == "":
        return ()
    if isinstance(held, Mapping):
        raise InputError(
            f"{source!r} of record {number} is not a name: got {held!r}, expected a name or a list of names."
        )
    if isinstance(held, (str, bytes)) or not isinstance(held, Iterable):
        return (held,)
    return dict.fromkeys(name.item() if isinstance(name, np.generic) else name for name in held)
