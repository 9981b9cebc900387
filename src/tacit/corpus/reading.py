"""Reads collections: JSON lines, CSV, TSV, Parquet, folders of texts and Annif's formats become records, in a stream.

What is wrong in single lines is counted and reported with the line, and the rest is read; a file that is wrong as
a whole, or in too many lines, is refused.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from tacit.corpus.sources import Source, find_sources
from tacit.errors import InputError, TacitWarning

__all__ = ["Reading", "RecordMaker", "cell_separators", "read_records"]

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


_LONGEST_LIST = 100_000  # characters of a cell that is tried as a list; longer ones are texts


class RecordMaker:
    """Makes records of the rows of one file; all roles of the column map are settled by now.

    Parameters
    ----------
    columns : ColumnMap
        Which cell is what.
    file : str
        The name of the file in messages and made-up ids.
    separators : mapping of str to str
        What separates names in the cells of a column, for columns that hold several in one text.
    problems : Problems
        Where to count.
    seen : set of str
        The ids of the records so far, also of other files; each new id is added.
    """

    def __init__(
        self, columns: ColumnMap, file: str, separators: Mapping[str, str], problems: Problems, seen: set[str]
    ) -> None:
        self._file, self._separators = file, separators
        self._problems, self._seen = problems, seen
        self._id, self._title = columns.id or "", columns.title or ""
        self._labels = tuple(columns.labels or ())
        self._links = tuple(columns.link_columns.items())
        self._used, self._fields = columns.used, columns.fields
        self._text = tuple(
            name for name in columns.text or () for _ in range(columns.title_weight if name == columns.title else 1)
        )

    def record(self, line: int, row: dict[str, Any]) -> Record | None:
        """Give the record of a row, or None if it has no text or an id that was there before.

        The row is used up: what is left of it becomes the fields of the record, since a copy would cost time.
        """
        text = self._text_of(line, row)
        if not text:
            return None
        identity = self._id_of(line, row.get(self._id)) if self._id else f"{self._file}:{line}"
        if identity in self._seen:
            self._add("duplicate id", line, f"id {identity!r} was there before: left out.")
            return None
        self._seen.add(identity)
        labels = self._names_of(line, row, self._labels)
        title = self._title_of(line, row.get(self._title)) if self._title else ""
        links = {name: self._names_of(line, row, (column,)) for name, column in self._links}
        for name in self._used:
            row.pop(name, None)
        fields = row if self._fields is None else {name: row[name] for name in self._fields if name in row}
        return _settled_record(identity, text, labels, title, links, fields)

    def _add(self, kind: str, line: int, sentence: str) -> None:
        self._problems.add(kind, self._file, line, sentence)

    def _text_of(self, line: int, row: Mapping[str, Any]) -> str:
        parts: list[str] = []
        for name in self._text:
            cell = row.get(name)
            part = cell if type(cell) is str else _as_text(cell)
            if part is None:
                self._add("no text", line, f"{name} holds {_short(cell)}: expected a text. Left out.")
                return ""
            if part and not part.isspace():
                parts.append(part)
        if not parts:
            self._add("no text", line, f"nothing in {', '.join(dict.fromkeys(self._text))}: left out.")
        return "\n".join(parts)

    def _id_of(self, line: int, cell: object) -> str:
        if type(cell) is str:
            identity = cell.strip()
        else:
            identity = str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else ""
        if not identity:
            identity = f"{self._file}:{line}"
            said = "nothing" if cell is None or cell == "" else _short(cell)
            self._add("no id", line, f"{self._id} holds {said}: named {identity!r}.")
        return identity

    def _title_of(self, line: int, cell: object) -> str:
        title = cell if type(cell) is str else _as_text(cell)
        if title is None:
            self._add("wrong type", line, f"{self._title} holds {_short(cell)}: expected a text.")
        return (title or "").strip()

    def _names_of(self, line: int, row: Mapping[str, Any], columns: tuple[str, ...]) -> tuple[str, ...]:
        """Give the names in some columns, each once."""
        if len(columns) == 1 and type(cell := row.get(columns[0])) is list:
            try:
                names = dict.fromkeys(map(str.strip, cell))
            except TypeError:  # not all are texts: look at each
                pass
            else:
                names.pop("", None)
                return tuple(names)
        found = (name for column in columns for name in self._cell_names(line, row.get(column), column))
        return tuple(dict.fromkeys(found))

    def _cell_names(self, line: int, cell: Any, column: str) -> Iterator[str]:
        if type(cell) is str:
            cell = _split(cell, self._separators.get(column, ""))
        for item in cell if isinstance(cell, (list, tuple)) else (cell,):
            name = item.strip() if type(item) is str else _as_name(item)
            if name is None:
                self._add("wrong type", line, f"{column} holds {_short(item)}: expected names. Left out.")
            elif name:
                yield name


def cell_separators(columns: ColumnMap, rows: Iterable[Mapping[str, Any]], *, is_table: bool) -> dict[str, str]:
    """Give what separates names in each column of labels or links: what the map says, or what the first rows show.

    In tables it is ";" or "|", whichever is in more cells, and ";" if neither is in any.
    """
    named = (*(columns.labels or ()), *columns.link_columns.values())
    if columns.label_separator is not None:
        return dict.fromkeys(named, columns.label_separator)
    if not is_table:
        return {}
    listed = list(rows)
    counts = {name: {mark: sum(mark in str(row.get(name)) for row in listed) for mark in ";|"} for name in named}
    return {name: max(marks, key=lambda mark: marks[mark]) for name, marks in counts.items()}


def _settled_record(
    identity: str,
    text: str,
    labels: tuple[str, ...],
    title: str,
    links: dict[str, tuple[str, ...]],
    fields: dict[str, Any],
) -> Record:
    """Make a record of parts that are as `Record` would leave them: its checks and copies cost as much as parsing."""
    record = object.__new__(Record)
    record.__dict__.update(id=identity, text=text, labels=labels, title=title, links=links, fields=fields)
    return record


def _split(cell: str, separator: str) -> list[Any]:
    """Part a text into names; a list that was written into a cell, by JSON or by Python, is read back."""
    if not separator:
        return [cell]
    bare = cell.strip()
    if bare[:1] == "[" and bare[-1:] == "]" and len(bare) < _LONGEST_LIST:
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(bare)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(found, list):
                return found
    return bare.split() if separator == " " else bare.split(separator)


def _as_text(cell: object) -> str | None:
    """Give what is no text as one where that is plain: numbers, lists of texts, nothing; None for all else."""
    if cell is None or cell != cell:  # the second is NaN, which some libraries write for nothing
        return ""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, (list, tuple)) and all(isinstance(part, str) for part in cell):
        return "\n".join(cell)
    return None


def _as_name(item: object) -> str | None:
    """Give the name of a label that is no text: a number, or an object with `uri` or `label` as Annif writes them."""
    if item is None or item != item:
        return ""
    if isinstance(item, int) and not isinstance(item, bool):
        return str(item)
    if isinstance(item, dict):
        name = item.get("uri") or item.get("label")
        return name.strip() if isinstance(name, str) else None
    return None


def _short(value: object) -> str:
    """Show a value in a message; a long one is cut."""
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."
