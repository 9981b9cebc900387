"""Reads collections: JSON lines, CSV, TSV, Parquet, folders of texts and Annif's formats become records, in a stream.

What is wrong in single lines is counted and reported with the line, and the rest is read; a file that is wrong as
a whole, or in too many lines, is refused.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from tacit.checks import check_count
from tacit.corpus.columns import ColumnMap, missing_column
from tacit.corpus.formats.annif import annif_csv_rows, annif_json_rows, annif_tsv_rows, looks_like_annif
from tacit.corpus.formats.json_lines import json_rows
from tacit.corpus.formats.tables import parquet_rows, table_rows
from tacit.corpus.formats.text_folder import text_rows
from tacit.corpus.problems import Problems
from tacit.corpus.record import Record
from tacit.corpus.row_record import RecordMaker, cell_separators
from tacit.corpus.sources import Source, find_sources
from tacit.errors import InputError, TacitWarning

__all__ = ["Reading", "read_records"]

Rows = Iterator[tuple[int, dict[str, Any]]]
Progress = Callable[[int, float], None]

_READERS: dict[str, Callable[[Source, Problems], Rows]] = {
    "json": json_rows, "csv": table_rows, "tsv": table_rows, "parquet": parquet_rows, "text": text_rows,
    "annif-json": annif_json_rows, "annif-csv": annif_csv_rows, "annif-tsv": annif_tsv_rows, "annif-text": text_rows,
}  # fmt: skip
_ROWS_LOOKED_AT = 100
_RECORDS_A_REPORT = 1_000


def read_records(
    path: str | Path | Iterable[str | Path],
    columns: ColumnMap | None = None,
    *,
    format: str | None = None,
    encoding: str = "utf-8",
    max_problems: int | None = 100,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read the records of one or several files or folders.

    The file is looked into at once, so that a wrong path or column is known before anything is read; the records come
    as they are asked for.

    Parameters
    ----------
    path : path or several paths
        Files that end in .jsonl, .ndjson, .json, .csv, .tsv, .tab, .parquet, .pq or .txt, also with .gz, or folders of
        such files. A folder with texts (.txt, also in folders below it) is read as texts and nothing else.
    columns : ColumnMap, optional
        Which columns are what; guessed from their names if not given.
    format : {"jsonl", "json", "csv", "tsv", "parquet", "folder", "annif"}, optional
        The format, if the name does not say it. Annif's formats are recognised, "annif" insists on them.
    encoding : str, default "utf-8"
        Of texts; a mark at the start of the file that says UTF-8 or UTF-16 is believed.
    max_problems : int, optional, default 100
        How many problems are counted before reading stops with an error; 0 allows none, None any number.
    limit : int, optional
        Read so many records at most.
    progress : callable, optional
        Called now and then with the number of records so far and the share of the files that has been read.

    Raises
    ------
    InputError
        If there is no such file, it has none of the mapped columns, or nothing in it can be read.
    MissingExtraError
        If the file is Parquet and pyarrow is not installed.

    Examples
    --------
    >>> reading = read_records("library.csv", ColumnMap(text=["title", "abstract"]))    # doctest: +SKIP
    >>> records = list(reading)                                                         # doctest: +SKIP
    >>> print(reading.summary())                                                        # doctest: +SKIP
    """
    if columns is not None and not isinstance(columns, ColumnMap):
        raise InputError(f"columns is no column map: got {columns!r}, expected a ColumnMap or None.")
    for name, value in (("max_problems", max_problems), ("limit", limit)):
        if value is not None:
            check_count(name, value, low=0)
    sources = find_sources(path, format, encoding)
    return Reading(sources, columns or ColumnMap(), max_problems, limit, progress)


class Reading:
    """Records that come as they are asked for; going through them again reads the files again.

    When all has been read and there were problems, a `TacitWarning` says how many.

    Attributes
    ----------
    columns : ColumnMap, what each column was taken for, guesses filled in
    problems : Problems, those of the last pass: `counts` by kind and `examples`
    n_read : int, how many records the last pass has given so far
    """

    def __init__(
        self,
        sources: list[Source],
        columns: ColumnMap,
        max_problems: int | None,
        limit: int | None,
        progress: Progress | None,
    ) -> None:
        self._sources, self._asked = sources, columns
        self._max_problems, self._limit, self._progress = max_problems, limit, progress
        self.problems, self.n_read = Problems(max_problems), 0
        self._place = 0
        self._sizes: list[int] = []
        _recognise_annif(sources)
        self.columns = self._settled()

    def __iter__(self) -> Iterator[Record]:
        self.problems, self.n_read = Problems(self._max_problems), 0
        self._place = 0
        for record in islice(self._all_records(), self._limit):
            self.n_read += 1
            yield record
            if self._progress and self.n_read % _RECORDS_A_REPORT == 0:
                self._progress(self.n_read, self._share())
        if self._progress:
            self._progress(self.n_read, 1.0)
        if self.problems:
            warnings.warn(
                f"what was read has problems: {self.problems.counted()}. The summary of the reading shows them.",
                TacitWarning,
                stacklevel=2,
            )

    def summary(self) -> str:
        """Say how many records were read, what was guessed, and what was wrong: a few lines for people."""
        files = f"{len(self._sources):,} files" if len(self._sources) > 1 else self._sources[0].name
        noun = "record" if self.n_read == 1 else "records"
        said = [f"{self.n_read:,} {noun} read from {files}.", self.columns.described(self._asked)]
        said.append(self.problems.summary() if self.problems else "No problems.")
        return "\n".join(part for part in said if part)

    def _settled(self) -> ColumnMap:
        """Fill in the guesses from the first rows there are, and see that what was asked for is there."""
        first = _first_rows(self._sources)
        if not first:
            names = ", ".join(source.name for source in self._sources[:5])
            raise InputError(
                f"path holds no records: got nothing that can be read in {names}, expected one row at least. "
                "Check the file and its format."
            )
        there = dict.fromkeys(column for _, row in first for column in row)
        file = first[0][0].name
        columns = self._asked.guessed(there, file)
        # a row of JSON leaves out what it has not, so that a column may still come
        is_all = len(first) < _ROWS_LOOKED_AT or first[0][0].has_fixed_columns
        if is_all or not any(name in there for name in columns.text or ()):
            _check_columns(columns, there, file)
        return columns

    def _all_records(self) -> Iterator[Record]:
        """Give the records of all files; a column that no row of any of them had is a mistake in the map."""
        seen: set[str] = set()
        there: dict[str, None] = {}
        for place, source in enumerate(self._sources):
            self._place = place
            yield from self._records(source, seen, there)
        if self.n_read:
            _check_columns(self.columns, there, self._sources[-1].name)

    def _records(self, source: Source, seen: set[str], there: dict[str, None]) -> Iterator[Record]:
        """Give the records of one file, and add its columns to those that were there."""
        columns, source.wanted = self.columns, None  # all columns are wanted where a message lists them
        first = _first_rows([source]) if source.is_table or source.format == "parquet" else []
        if first:
            _check_columns(columns, first[0][1], source.name)
        if columns.fields is not None:
            source.wanted = (*columns.used, *columns.fields)
        separators = cell_separators(columns, (row for _, row in first), is_table=source.is_table)
        make = RecordMaker(columns, source.name, separators, self.problems, seen).record
        may_come = True
        for line, row in _READERS[source.format](source, self.problems):
            if may_come:
                there.update(dict.fromkeys(row))
                may_come = bool(columns.missing(there))
            record = make(line, row)
            if record is not None:
                yield record

    def _share(self) -> float:
        """How much of all files has been read."""
        sizes = self._sizes = self._sizes or [source.size() for source in self._sources]
        done = sum(sizes[: self._place]) + sizes[self._place] * self._sources[self._place].share()
        return done / sum(sizes)


def _first_rows(sources: Iterable[Source]) -> list[tuple[Source, dict[str, Any]]]:
    """Look at the first rows there are, without counting what is wrong with them: that is done when they are read."""
    rows = ((source, row) for source in sources for _, row in _READERS[source.format](source, Problems()))
    return list(islice(rows, _ROWS_LOOKED_AT))


def _recognise_annif(sources: list[Source]) -> None:
    """Give the sources in Annif's formats their name; the files of one folder are taken to be alike."""
    known: dict[tuple[Path, str], bool] = {}
    for source in sources:
        if source.format in ("json", "csv", "tsv"):
            key = (source.root or source.path, source.format)
            if key not in known:
                known[key] = looks_like_annif(source, Problems())
            source.format = f"annif-{source.format}" if known[key] else source.format


def _check_columns(columns: ColumnMap, there: Iterable[str], file: str) -> None:
    for role, column in columns.missing(there):
        raise missing_column(role, column, there, file)
