"""Rows from Parquet, a thousand at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, time
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source
from tacit.errors import InputError, MissingExtraError

__all__ = ["parquet_rows"]

_ROWS_AT_ONCE = 1_000


def parquet_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and cells by column of each row; only the columns in `source.wanted` are read."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Reading Parquet") from None
    try:
        with ParquetFile(source.path) as file:
            schema = file.schema_arrow
            columns = None if source.wanted is None else [name for name in schema.names if name in source.wanted]
            odd = [field.name for field in schema if not _is_plain(field.type, pa)]
            texts = [field.name for field in schema if field.name not in odd]
            number, n_rows = 0, max(1, file.metadata.num_rows)

            def replaced(error: UnicodeDecodeError) -> None:
                problems.add("encoding", source.name, number, f"{error.reason} in a column of bytes: replaced.")

            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
                for row in _rows(batch, pa):
                    number += 1
                    for name in odd:
                        if name in row:
                            row[name] = _plain(row[name], source.encoding, replaced)
                    for name in texts:
                        if type(row.get(name)) is bytes:  # not UTF-8, in a column of texts
                            row[name] = _plain(row[name], source.encoding, replaced)
                    yield number, row
                source.rows_share = number / n_rows
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:  # names of columns need not be UTF-8
        said = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"path cannot be read: got {said} in {source.name}, expected a Parquet file. Copy the file again."
        ) from error


def _rows(batch: Any, pa: Any) -> list[dict[str, Any]]:
    """Return the rows of a batch; Python knows no nanoseconds, and texts may hold bytes that are not UTF-8."""
    table = pa.Table.from_batches([batch])  # older versions change the columns of tables only
    for place, field in enumerate(table.schema):
        if cast := _in_microseconds(field.type, pa):
            table = table.set_column(place, field.name, table.column(place).cast(cast, safe=False))
    try:
        found: list[dict[str, Any]] = table.to_pylist()
    except UnicodeDecodeError:
        for place, field in enumerate(table.schema):
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type):
                kind = pa.binary() if pa.types.is_string(field.type) else pa.large_binary()
                table = table.set_column(place, field.name, table.column(place).cast(kind))
        found = table.to_pylist()
    return found


def _in_microseconds(kind: Any, pa: Any) -> Any:
    """Return a type of times in microseconds for one in nanoseconds, else None."""
    types = pa.types
    if types.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if types.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    return pa.time64("us") if types.is_time64(kind) and kind.unit == "ns" else None


def _is_plain(kind: Any, pa: Any) -> bool:
    """Whether values are texts, numbers or lists of these, which need no conversion."""
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(kind.value_type, pa)
    checks: tuple[Callable[[Any], bool], ...] = (
        types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_floating,
    )  # fmt: skip
    return any(check(kind) for check in checks)


def _plain(value: Any, encoding: str, replaced: Callable[[UnicodeDecodeError], None]) -> Any:
    """Convert dates and bytes to texts, so that a record has the same content whatever format it came from."""
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, bytes):
        try:
            return value.decode(encoding)
        except UnicodeDecodeError as error:
            replaced(error)
            return value.decode(encoding, "replace")
    if isinstance(value, list):
        return [_plain(item, encoding, replaced) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item, encoding, replaced) for name, item in value.items()}
    return value
