"""Rows of a file by its format, the first of them read ahead, so that columns and separators can be guessed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain, islice

from tacit.corpus.formats.annif import annif_csv_row, annif_document, annif_tsv_rows, are_documents, are_lines
from tacit.corpus.formats.bibtex import bibtex_rows
from tacit.corpus.formats.delimited import delimited_rows
from tacit.corpus.formats.documents import html_rows, markdown_rows, pdf_rows
from tacit.corpus.formats.excel import excel_rows
from tacit.corpus.formats.json_lines import json_rows
from tacit.corpus.formats.marc import marc_rows
from tacit.corpus.formats.parquet import parquet_rows
from tacit.corpus.formats.references import are_csl_items, csl_row, ris_rows
from tacit.corpus.formats.sqlite import sqlite_rows
from tacit.corpus.formats.text_folder import text_rows
from tacit.corpus.formats.xml_records import xml_rows
from tacit.corpus.problems import Problem, Problems
from tacit.corpus.sources import Row, RowsSource, Source, Unreadable, text_lines

__all__ = ["ROWS_LOOKED_AT", "RowsAhead"]

Rows = Iterator[tuple[int, Row]]  # each with its line

ROWS_LOOKED_AT = 100
_ANNIF_LOOKED_AT = 20
_READERS: dict[str, Callable[[Source, Problems], Rows]] = {
    "parquet": parquet_rows, "text": text_rows, "excel": excel_rows, "sqlite": sqlite_rows, "marc": marc_rows,
    "xml": xml_rows, "bibtex": bibtex_rows, "markdown": markdown_rows, "html": html_rows, "pdf": pdf_rows,
}  # fmt: skip


class RowsAhead:
    """The rows of one file, the first hundred of them read at once.

    Problems found ahead are counted when the rows after them are asked for, so that they come in the order of the file.
    `is_annif` is whether the file is in Annif's format, None to find out; the format becomes "annif-..." if it is.
    """

    def __init__(self, source: Source, is_annif: bool | None) -> None:
        self.source = source
        self._problems = _WaitingProblems()
        self._rest = _rows_of(source, self._problems, is_annif)
        self._ahead = list(islice(self._rest, ROWS_LOOKED_AT))
        self.first = [row for _, row in self._ahead]

    @property
    def first_problem(self) -> str:
        """The first problem that was found ahead, "" if there was none."""
        return str(self._problems.first or "")

    def read(self, problems: Problems) -> Rows:
        """Yield all rows, once; problems are added to `problems`."""
        for line, row in self._ahead:
            self._problems.move(problems, line)
            yield line, row
        self._problems.move(problems)
        yield from self._rest


class _WaitingProblems(Problems):
    """Problems that wait until it is known where they are counted."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: deque[tuple[Problem, int]] = deque()
        self._target: Problems | None = None

    def add(self, kind: str, file: str, line: int, sentence: str, *, n_lines: int = 1) -> None:
        if self._target is None:
            self._waiting.append((Problem(kind, file, line, sentence), n_lines))
        else:
            self._target.add(kind, file, line, sentence, n_lines=n_lines)

    @property
    def first(self) -> Problem | None:
        """The first of those that wait."""
        return self._waiting[0][0] if self._waiting else None

    def move(self, problems: Problems, last: int | None = None) -> None:
        """Move the problems up to a line; without one, all of them and those that will be added."""
        while self._waiting and (last is None or self._waiting[0][0].line <= last):
            found, n_lines = self._waiting.popleft()
            problems.add(found.kind, found.file, found.line, found.sentence, n_lines=n_lines)
        if last is None:
            self._target = problems


def _rows_of(source: Source, problems: Problems, is_annif: bool | None) -> Rows:
    """Yield the rows of a file by its format; a CSV, TSV or JSON file may turn out to be in Annif's."""
    kind = source.format.removeprefix("annif-")
    is_annif = True if source.format.startswith("annif-") else is_annif
    if isinstance(source, RowsSource):
        return source.rows()
    if isinstance(source, Unreadable):
        problems.add("unreadable", source.name, 0, f"{source.reason}: left out.")
        return iter(())
    if kind in _READERS:
        return _READERS[kind](source, problems)
    if kind == "ris":
        return ris_rows(text_lines(source, problems), source, problems)
    if kind in ("json", "csl"):
        rows = json_rows(source, problems)
        first = list(islice(rows, _ANNIF_LOOKED_AT))
        if kind == "csl" or (not is_annif and are_csl_items([row for _, row in first])):
            source.format = "csl"
            return ((line, csl_row(row)) for line, row in chain(first, rows))
        is_annif = are_documents([row for _, row in first]) if is_annif is None else is_annif
        rows = chain(first, rows)
        if is_annif:
            rows = ((line, annif_document(row, source)) for line, row in rows)
    elif kind == "csv":
        rows = delimited_rows(text_lines(source, problems), source, problems)
        first = list(islice(rows, 1))
        is_annif = any({"text", "subject_uris"} <= set(row) for _, row in first) if is_annif is None else is_annif
        rows = chain(first, rows)
        if is_annif:
            rows = ((line, annif_csv_row(row)) for line, row in rows)
    else:
        lines = text_lines(source, problems)
        head = list(islice(lines, _ANNIF_LOOKED_AT))
        is_annif = are_lines(head) if is_annif is None else is_annif
        rows = (annif_tsv_rows if is_annif else delimited_rows)(chain(head, lines), source, problems)
    source.format = f"annif-{kind}" if is_annif else kind
    return rows
