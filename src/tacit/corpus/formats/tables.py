"""Rows from tables: CSV with whatever mark separates its cells, TSV, and Parquet, read piece by piece."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from datetime import date, time
from itertools import chain
from typing import Any

from tacit.checks import shown
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source, text_lines
from tacit.errors import InputError, MissingExtraError

__all__ = ["parquet_rows", "table_rows"]

_SEPARATORS = (",", ";", "\t", "|")
_LONGEST_CELL = 1 << 24  # Python's own limit of 131,072 characters is below the length of a book
_ROWS_AT_ONCE = 1_000


def table_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give line and cells by column of each row of a CSV or TSV file, the first row of which names the columns."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    lines = text_lines(source, problems)
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (1, ""))
    named = re.fullmatch(r'"?sep=(.)"?\s*', first)  # Excel writes the mark in a line of its own
    if named:
        rows = _cells(lines, named[1], number, source, problems)
    else:
        rows = _cells(chain([first], lines), _separator(source, first), number - 1, source, problems)
    names = _header(next(rows, (1, []))[1], source)
    for line, cells in rows:
        while len(cells) > len(names) and not cells[-1]:  # marks at the end of a line, as spreadsheets write them
            cells.pop()
        if len(cells) != len(names):
            problems.add("cells", source.name, line, f"{len(cells)} cells, expected {len(names)} as in the header.")
            continue
        row = dict(zip(names, cells, strict=True))
        row.pop("", None)
        yield line, row


def _separator(source: Source, first: str) -> str:
    """The mark that splits the header into the most cells; of equals, the more usual one."""
    if source.format == "tsv":
        return "\t"
    header = first.replace("\r", " ")  # which alone is an error within a line
    return max(_SEPARATORS, key=lambda mark: len(next(csv.reader([header], delimiter=mark), [])))


def _header(cells: list[str], source: Source) -> list[str]:
    names = [cell.strip() for cell in cells]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise InputError(
            f"path names a column twice: got {shown(twice)} in the header of {source.name}, expected each name once."
        )
    return names


def _cells(
    lines: Iterator[str], separator: str, skipped: int, source: Source, problems: Problems
) -> Iterator[tuple[int, list[str]]]:
    """Give the line on which each row starts, and its cells; a cell in quotation marks may run over several lines."""
    ended: list[bool] = []

    def marked() -> Iterator[str]:
        yield from lines
        ended.append(True)

    reader = csv.reader(marked(), delimiter=separator)
    while True:
        line = reader.line_num + skipped + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.add("broken line", source.name, line, f"not a row of a table: {error}.")
            continue
        if ended:  # the reader went for another line within a row, and there was none
            lost = reader.line_num + skipped - line
            problems.add(
                "broken line",
                source.name,
                line,
                f"a quotation mark is not closed: {lost:,} more lines to the end are lost.",
            )
            return
        if cells:
            yield line, cells


def parquet_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give number and cells by column of each row of a Parquet file; of the columns only those that are wanted."""
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
            number, n_rows = 0, max(1, file.metadata.num_rows)

            def replaced(error: UnicodeDecodeError) -> None:
                problems.add("encoding", source.name, number, f"{error.reason} in a column of bytes: replaced.")

            for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    for name in odd:
                        if name in row:
                            row[name] = _plain(row[name], source.encoding, replaced)
                    yield number, row
                source.rows_share = number / n_rows
    except (OSError, pa.ArrowException) as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise InputError(
            f"path cannot be read: got {said} in {source.name}, expected a Parquet file. Copy the file again."
        ) from error


def _is_plain(kind: Any, pa: Any) -> bool:
    """Whether Arrow gives texts, numbers and lists of these, which need no second look."""
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(kind.value_type, pa)
    checks: tuple[Callable[[Any], bool], ...] = (
        types.is_string, types.is_large_string, types.is_integer, types.is_boolean, types.is_floating,
    )  # fmt: skip
    return any(check(kind) for check in checks)


def _plain(value: Any, encoding: str, replaced: Callable[[UnicodeDecodeError], None]) -> Any:
    """Dates as texts and bytes as texts, so that a record holds the same whichever format it came from."""
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
