"""Rows from a workbook of Excel: of its first sheet with cells, or of a named one."""

from __future__ import annotations

import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import date, time
from typing import Any
from zipfile import BadZipFile

from tacit.checks import shown
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source
from tacit.errors import InputError, MissingExtraError, did_you_mean

__all__ = ["excel_rows"]

_ERRORS = (  # of broken archives, and of openpyxl in what is inside them
    OSError, EOFError, BadZipFile, zlib.error, LookupError, ValueError, TypeError, AttributeError, SyntaxError,
    RuntimeError, AssertionError,
)  # fmt: skip


def excel_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield number and cells by column of each row; the first row that is not empty names the columns."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise MissingExtraError("openpyxl", "excel", "Reading Excel") from None
    try:
        with source.path.open("rb") as file:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of styles and filters that it leaves out
                book = load_workbook(file, read_only=True, data_only=True)
            yield from _sheet_rows(_sheet(book, source), source, problems)
    except InputError:
        raise
    except _ERRORS as error:
        raise InputError(
            f"path cannot be read: got {str(error)!r} in {source.name}, expected a workbook of Excel (.xlsx). Save it "
            "again, or as CSV."
        ) from error


def _sheet(book: Any, source: Source) -> Any:
    """Return the sheet that is asked for, or the first one."""
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    if not sheets:
        raise ValueError("no sheet")
    if source.query is None:
        filled = (sheet for sheet in sheets.values() if any(any(row) for row in sheet.iter_rows(values_only=True)))
        return next(filled, next(iter(sheets.values())))
    if source.query not in sheets:
        raise InputError(
            f"query is not a sheet of {source.name}: got {source.query!r}, expected one of {shown(sheets, 20)}."
            f"{did_you_mean(source.query, sheets)}"
        )
    return sheets[source.query]


def _sheet_rows(sheet: Any, source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the rows below the one that names the columns; cells without a column are counted."""
    names: list[str] = []
    n_rows = max(1, sheet.max_row or 1)
    for number, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if all(cell is None for cell in cells):
            continue
        if not names:
            names = ["" if cell is None else str(cell).strip() for cell in cells]
            while not names[-1]:  # the width of the sheet
                names.pop()
            twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
            if twice:
                raise InputError(
                    f"path names a column twice: got {shown(twice)} in the first row of {source.name}, expected each "
                    "name once."
                )
            continue
        if any(cell is not None for cell in cells[len(names) :]):
            problems.add("cells", source.name, number, f"more cells than the {len(names)} columns of the first row.")
            continue
        row = {name: _plain(cell) for name, cell in zip(names, cells, strict=False) if name}
        source.rows_share = min(1.0, number / n_rows)
        yield number, row


def _plain(cell: Any) -> Any:
    """Return dates as texts, and whole numbers without a fraction, as Excel shows them."""
    if isinstance(cell, (date, time)):
        return cell.isoformat().removesuffix("T00:00:00")
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    return cell
