"""Rows from CSV, with any delimiter, and TSV."""

from __future__ import annotations

import csv
import re
from collections import Counter, deque
from collections.abc import Iterator
from itertools import chain
from typing import Any

from tacit.checks import shown
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source
from tacit.errors import InputError

__all__ = ["delimited_rows"]

_LONGEST_CELL = 1 << 24  # Python's own limit of 131,072 characters is less than the length of a book


def delimited_rows(lines: Iterator[str], source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line and cells by column of each row of a CSV or TSV file, whose first row names the columns."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    number, first = next(((number, line) for number, line in enumerate(lines, 1) if line.strip()), (1, ""))
    named = re.fullmatch(r'"?sep=(.)"?\s*', first)  # Excel writes the mark in a separate line
    if named:
        rows = _cells(lines, named[1], number, source, problems)
    else:
        header = first.replace("\r", " ")  # alone it is an error within a line
        marks = ("\t",) if source.format == "tsv" else (",", ";", "\t", "|")  # of two equal ones, the more usual
        separator = max(marks, key=lambda mark: len(next(csv.reader([header], delimiter=mark), [])))
        rows = _cells(chain([first], lines), separator, number - 1, source, problems)
    names = [cell.strip() for cell in next(rows, (1, []))[1]]
    twice = sorted(name for name, count in Counter(names).items() if name and count > 1)
    if twice:
        raise InputError(
            f"path names a column twice: got {shown(twice)} in the header of {source.name}, expected each name once."
        )
    for line, cells in rows:
        while len(cells) > len(names) and not cells[-1]:  # marks at the end of a line, as spreadsheets write them
            cells.pop()
        if len(cells) != len(names):
            problems.add("cells", source.name, line, f"{len(cells)} cells, expected {len(names)} as in the header.")
            continue
        row = dict(zip(names, cells, strict=True))
        row.pop("", None)
        yield line, row


def _cells(
    lines: Iterator[str], separator: str, skipped: int, source: Source, problems: Problems
) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row starts, and its cells; a quoted cell may run over several lines."""
    given = _Lines(lines, skipped)
    reader = csv.reader(given, delimiter=separator)
    while True:
        given.row.clear()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            said, n_lines = f"not a row of a table: {error}.", len(given.row)
            problems.add("broken line", source.name, given.row[0][0], said, n_lines=n_lines)
            continue
        line, n_more = given.row[0][0], len(given.row) - 1
        if given.ended:  # the reader asked for another line within a row, and there was none
            said = f"a quotation mark is not closed: the {n_more:,} lines after it are lost."
            problems.add("broken line", source.name, line, said, n_lines=1 + n_more)
            return
        if n_more and _runs_on(given.row, separator):
            problems.add("broken line", source.name, line, "a quotation mark is not closed in its cell.")
            given.again.extend(given.row[1:])
        elif cells:
            yield line, cells


class _Lines:
    """Gives lines to a reader, keeps those of the row that it reads, and can give some of them again.

    Attributes
    ----------
    row : numbers and lines since it was last cleared
    again : numbers and lines to give before the others
    ended : whether the reader asked for more than there is
    """

    def __init__(self, lines: Iterator[str], skipped: int) -> None:
        self._lines = enumerate(lines, skipped + 1)
        self.row: list[tuple[int, str]] = []
        self.again: deque[tuple[int, str]] = deque()
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        found = self.again.popleft() if self.again else next(self._lines, None)
        if found is None:
            self.ended = bool(self.row)
            raise StopIteration
        self.row.append(found)
        return found[1]


def _runs_on(row: list[tuple[int, str]], separator: str) -> bool:
    """Whether a cell of several lines was closed by a mark that opens another cell: there is text right after it."""
    try:
        list(csv.reader([line for _, line in row], delimiter=separator, strict=True))
    except csv.Error:
        return True
    return False
