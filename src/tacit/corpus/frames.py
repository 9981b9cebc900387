"""Rows in memory: data frames of pandas, polars and others, and dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from pathlib import Path
from typing import Any

from tacit.corpus.sources import Row, RowsSource, Source
from tacit.errors import InputError, MissingExtraError

__all__ = ["is_frame", "sources_in_memory"]


def sources_in_memory(data: Any) -> list[Source]:
    """Return data frames or dictionaries as a source; nothing if `data` are paths."""
    if is_frame(data):
        return [RowsSource(lambda: _frame_rows(data), "data frame")]
    if isinstance(data, Mapping):
        raise InputError(
            "records is one dictionary: got keys such as "
            f"{str(next(iter(data), None))!r}, expected a list of dictionaries, one for each record."
        )
    if isinstance(data, (str, Path)) or not isinstance(data, Sequence) or not data or not isinstance(data[0], Mapping):
        return []
    wrong = next((number for number, row in enumerate(data) if not isinstance(row, Mapping)), None)
    if wrong is not None:
        raise InputError(
            f"records mixes dictionaries with others: got {data[wrong]!r} at {wrong}, expected dictionaries only."
        )
    return [RowsSource(lambda: map(_plain_row, data))]


def is_frame(data: Any) -> bool:
    """Whether something is a data frame, without importing a library of them."""
    module = type(data).__module__.partition(".")[0]
    return hasattr(data, "columns") and hasattr(data, "shape") and module not in ("builtins", "numpy", "scipy")


def _frame_rows(frame: Any) -> Iterator[Row]:
    """Yield the rows of a data frame; an index of pandas that counts from 0 is left out, any other has the ids."""
    try:
        import narwhals as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "Reading a data frame") from None
    index = getattr(frame, "index", None)
    if index is not None and hasattr(frame, "reset_index") and type(index).__name__ != "RangeIndex":
        has_id = any(str(name).lower() == "id" for name in frame.columns)
        is_named = any(name is not None for name in getattr(index, "names", ()))
        frame = frame.reset_index(drop=has_id and not is_named)
        if not has_id and not is_named:
            frame = frame.rename(columns={"index": "id"})
    try:
        found = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        raise InputError(
            f"records is not a data frame that can be read: got a {type(frame).__name__}, expected one of pandas or "
            "polars; collect a lazy one first."
        ) from error
    yield from map(_plain_row, found.iter_rows(named=True))


def _plain_row(row: Mapping[Any, Any]) -> Row:
    return {str(name): _plain(cell) for name, cell in row.items()}


def _plain(cell: Any) -> Any:
    """Return a cell as Python and JSON know it: numbers and arrays of NumPy, dates and missing values converted."""
    if cell is None or isinstance(cell, (str, int, bool)):
        return cell
    if isinstance(cell, float):
        return None if cell != cell else int(cell) if cell.is_integer() else cell
    if isinstance(cell, Mapping):
        return {str(name): _plain(item) for name, item in cell.items()}
    if isinstance(cell, (list, tuple, set, frozenset)):
        return [_plain(item) for item in (sorted(cell, key=str) if isinstance(cell, (set, frozenset)) else cell)]
    if type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, (date, time)):
        return cell.isoformat().removesuffix("T00:00:00")
    if hasattr(cell, "tolist"):  # arrays and numbers of NumPy
        return _plain(cell.tolist())
    if hasattr(cell, "to_list"):  # a series in a cell, as polars gives for lists
        return _plain(cell.to_list())
    return cell if not isinstance(cell, Iterable) else str(cell)
