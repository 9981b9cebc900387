"""Reads collections: files of many formats, and rows in memory, become records, in a stream.

Lines that cannot be read are counted and reported, and the rest is read; a file that cannot be read as a whole, or has
too many such lines, is refused. Each file is opened once: its first rows, from which its format and columns are
guessed, are kept until the records are asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

from tacit.checks import check_count, shown
from tacit.corpus.cells import (
    VALUE_MARKS,
    as_name,
    as_text,
    cell_separators,
    own_labels_note,
    short,
    split_cell,
    unsplit_note,
    used_separators,
)
from tacit.corpus.columns import ColumnMap
from tacit.corpus.frames import is_frame, sources_in_memory
from tacit.corpus.plain_values import OddValueError, is_whole, plain_value, whole_text_of
from tacit.corpus.problems import Problems
from tacit.corpus.record import Record
from tacit.corpus.rows import ROWS_LOOKED_AT, RowsAhead
from tacit.corpus.sources import MOST_BYTES, Row, RowsSource, Source, find_sources
from tacit.errors import InputError, TacitWarning, did_you_mean

__all__ = ["Reading", "as_records", "read_records"]

Progress = Callable[[int, float], None] | None

_RECORDS_PER_REPORT = 1_000


def read_records(
    path: Any,
    columns: ColumnMap | None = None,
    *,
    format: str | None = None,
    query: str | None = None,
    encoding: str = "utf-8",
    max_problems: int | None = 100,
    max_line_mb: int = MOST_BYTES >> 20,
    limit: int | None = None,
    progress: Progress = None,
) -> Reading:
    """Read the records of one or several files or folders.

    The first rows are read at once, so that a wrong path or column is reported here; the others are read as the records
    are asked for.

    Parameters
    ----------
    path : path or several paths, data frame, or dictionaries
        Files that end in .jsonl, .ndjson, .json, .csv, .tsv, .tab, .parquet, .pq, .xlsx, .sqlite, .db, .mrc, .xml,
        .bib, .ris, .txt, .md, .html or .pdf, optionally gzipped, or folders of such files. In a folder with texts
        (.txt, also in folders below it) only the texts are read. Also a data frame of pandas or polars, or a list of
        dictionaries, one for each record.
    columns : ColumnMap, optional
        The roles of the columns; guessed from their names if not given.
    format : {"jsonl", "json", "csv", "tsv", "parquet", "excel", "sqlite", "marc", "xml", "bibtex", "ris", "csl", \
"markdown", "html", "pdf", "folder", "annif"}, optional
        The format, if the name does not say it. Annif's formats are recognised; "annif" requires them.
    query : str, optional
        What to read of an SQLite database: a SELECT, or the name of a table; or the name of a sheet of a workbook.
    encoding : str, default "utf-8"
        Encoding of the texts; a byte order mark of UTF-8 or UTF-16 at the start of a file overrides it.
    max_problems : int, optional, default 100
        Maximum number of problems before reading stops with an error; None for any number.
    max_line_mb : int, default 256
        Maximum size of one line, or of a file with one text, in megabytes, unpacked. A small gzipped file may unpack to
        a line that no memory holds.
    limit : int, optional
        Maximum number of records to read.
    progress : callable, optional
        Called from time to time with the number of records and the share of the files that has been read.

    Raises
    ------
    InputError
        If there is no such file, a mapped column is missing, or nothing in it can be read.
    MissingExtraError
        If the library that reads the format is not installed.

    Examples
    --------
    >>> reading = read_records("library.csv", ColumnMap(text=["title", "abstract"]))    # doctest: +SKIP
    >>> records = list(reading)                                                         # doctest: +SKIP
    >>> print(reading.summary())                                                        # doctest: +SKIP
    """
    if columns is not None and not isinstance(columns, ColumnMap):
        raise InputError(f"columns is not a column map: got {columns!r}, expected a ColumnMap or None.")
    for name, value in (("max_problems", max_problems), ("limit", limit)):
        if value is not None:
            check_count(name, value, low=0)
    check_count("max_line_mb", max_line_mb)
    sources = sources_in_memory(path) or find_sources(path, format, encoding)
    for source in sources:
        source.most_bytes = max_line_mb << 20
    if query is not None:
        _set_query(sources, query)
    return Reading(sources, columns or ColumnMap(), max_problems, limit, progress)


def as_records(data: Any, columns: ColumnMap | None = None) -> Iterable[Record]:
    """Return records as they are, and read paths, data frames and dictionaries; `columns` is for these."""
    if isinstance(data, (str, Path, Mapping)) or is_frame(data):
        return read_records(data, columns)
    if isinstance(data, Reading):
        return data
    try:
        rest = iter(data)
    except TypeError:
        raise InputError(
            f"records is not a collection: got {short(data)}, expected records, a data frame, dictionaries or paths."
        ) from None
    first = next(rest, None)
    if isinstance(first, (Mapping, str, Path)):
        return read_records([first, *rest], columns)
    if first is not None and not isinstance(first, Record):
        raise InputError(
            f"records has an entry that is not a record: got {short(first)}, expected records, dictionaries or paths "
            "of files."
        )
    return chain(() if first is None else (first,), rest)


def _set_query(sources: list[Source], query: str) -> None:
    """Hand a query to the files that can be asked; raise if there are none."""
    if not isinstance(query, str) or not query.strip():
        raise InputError(f"query is empty: got {query!r}, expected a SELECT, or the name of a table or a sheet.")
    asked = [source for source in sources if source.format in ("sqlite", "excel")]
    if not asked:
        raise InputError(
            f"query is for SQLite and Excel: got it with {sources[0].name}, expected a database or a workbook. Leave "
            "it out."
        )
    for source in asked:
        source.query = query


class Reading:
    """Records that are read as they are asked for; iterating again reads the files again.

    At the end a `TacitWarning` says how many problems there were, if any.

    Attributes
    ----------
    columns : ColumnMap, the roles of the columns, with the guesses
    problems : Problems, those of the last pass: `counts` by kind and `examples`
    n_read : int, the records of the last pass so far
    column_names : tuple of str, the columns of the first rows
    columns_there : tuple of str, those of the last pass, as far as it took to find all mapped ones
    """

    def __init__(
        self, sources: list[Source], columns: ColumnMap, max_problems: int | None, limit: int | None, progress: Progress
    ) -> None:
        self._sources, self._asked = sources, columns
        self._max_problems, self._limit, self._progress = max_problems, limit, progress
        self.problems, self.n_read, self._place = Problems(max_problems), 0, 0
        self._sizes: list[int] = []
        self._is_annif: dict[tuple[Path, str], bool] = {}
        self._ahead: dict[int, RowsAhead] = {}
        self._separators: dict[str, str] = {}
        self._note = ""
        self._is_part = False
        self.columns_there: tuple[str, ...] = ()
        self.column_names: tuple[str, ...] = ()
        self.columns = self._settled()

    def __iter__(self) -> Iterator[Record]:
        self.problems, self.n_read, self._place = Problems(self._max_problems), 0, 0
        for record in islice(self._all_records(), self._limit):
            self.n_read += 1
            yield record
            if self._progress and self.n_read % _RECORDS_PER_REPORT == 0:
                self._progress(self.n_read, self._share())
        if self._progress:
            self._progress(self.n_read, 1.0)
        if self.problems:
            said = f"the files have problems: {self.problems.counted()}. The summary of the reading lists them."
            warnings.warn(said, TacitWarning, stacklevel=2)

    @property
    def is_of_files(self) -> bool:
        """Whether all records are in files."""
        return not any(isinstance(source, RowsSource) for source in self._sources)

    @property
    def first_path(self) -> Path:
        """The path of the first file."""
        return self._sources[0].path.absolute()

    @property
    def limit(self) -> int | None:
        """Maximum number of records to read."""
        return self._limit

    def sizes(self) -> list[int]:
        """Return the size of each file in bytes."""
        return [source.size() for source in self._sources]

    def part(self, first: int, stop: int) -> Reading:
        """Return a reading of the files from a first to before a last one, as this one would read them.

        It can be sent to another process. Ids that are repeated in another part are not found, and whether a column is
        missing is for the caller to check in the `columns_there` of all parts.
        """
        for source in self._sources[first:stop]:
            key = (source.root, source.format.removeprefix("annif-"))
            if source.root is not None and key not in self._is_annif:  # all files of a folder are as its first one
                self._look_ahead(source)
        found = copy(self)
        found._sources = [copy(source) for source in self._sources[first:stop]]
        for source in found._sources:
            source.path, source._raw = source.path.absolute(), None
            source.root = None if source.root is None else source.root.absolute()
        found._ahead, found._sizes, found._progress, found._is_part = {}, [], None, True
        found.problems = Problems(self._max_problems)
        found._is_annif = {(path.absolute(), kind): flag for (path, kind), flag in self._is_annif.items()}
        return found

    def take(self, parts: Iterable[Reading]) -> None:
        """Count what other processes have read as parts of this; raise if a mapped column is in none of them."""
        self.problems, self.n_read = Problems(self._max_problems), 0
        there: dict[str, None] = {}
        for part in parts:
            self.n_read += part.n_read
            self.problems.add_all(part.problems)
            there.update(dict.fromkeys(part.columns_there))
        if self.n_read:
            _check_columns(self.columns, there, self._sources[-1].name)

    def to_facts(self) -> dict[str, Any]:
        """Return the names of the sources and the roles of the columns as plain data, for an index to keep."""
        roles = {entry.name: getattr(self.columns, entry.name) for entry in fields(self.columns)}
        marks = set(self._separators.values())
        if len(marks) == 1 and marks <= VALUE_MARKS:  # a few records that are added later would not show it again
            roles["label_separator"] = marks.pop()
        return {
            "source": [whole_text_of(source.name) for source in self._sources[:100]],
            "columns": {name: list(role) if isinstance(role, tuple) else role for name, role in roles.items()},
        }

    def files(self) -> list[tuple[str, int, float]]:
        """Return name, size and time of the last change of each file, by which one sees that they are the same."""
        there = [source.path for source in self._sources if source.path.is_file()]
        return [(path.name, path.stat().st_size, path.stat().st_mtime) for path in there]

    def summary(self) -> str:
        """Return a few lines: how many records were read, which columns were guessed, which problems there were."""
        files = f"{len(self._sources):,} files" if len(self._sources) > 1 else self._sources[0].name
        noun = "record" if self.n_read == 1 else "records"
        said = [f"{self.n_read:,} {noun} read from {files}.", self.columns.described(self._asked, self._separators)]
        said += [self._note, self.problems.summary()]
        return "\n".join(part for part in said if part)

    def _settled(self) -> ColumnMap:
        """Fill in the guesses from the first rows there are, and check that the given columns are there."""
        first: list[tuple[Source, Row]] = []
        for place, source in enumerate(self._sources):
            self._ahead[place] = self._look_ahead(source)
            first += [(source, row) for row in self._ahead[place].first]
            if len(first) >= ROWS_LOOKED_AT:
                break
        if not first:
            names = ", ".join(source.name for source in self._sources[:5])
            reasons = [reason for rows in self._ahead.values() if (reason := rows.first_problem)]
            why = f" The first problem is in {reasons[0]}" if reasons else ""
            raise InputError(
                f"path holds no records: got nothing that can be read in {names}, expected at least one row. "
                f"Check the file and its format.{why}"
            )
        del first[ROWS_LOOKED_AT:]
        there = dict.fromkeys(column for _, row in first for column in row)
        self.column_names, file = tuple(there), first[0][0].name
        columns = self._asked.guessed(there, file, first[0][0].link_columns(there), [row for _, row in first])
        # a row of JSON leaves out the columns it does not have, so that one may still come
        is_all = len(first) < ROWS_LOOKED_AT or not first[0][0].format.endswith("json")
        if is_all or not any(name in there for name in columns.text or ()):
            _check_columns(columns, there, file)
        self._look_at_labels(columns, first[0][0], [row for _, row in first], there)
        return columns

    def _look_at_labels(self, columns: ColumnMap, source: Source, rows: list[Row], there: Iterable[str]) -> None:
        """Find what to tell about the labels in the first rows: how they are split, or that there are none."""
        separators = cell_separators(columns, rows, is_table=source.is_table)
        self._separators = used_separators(separators, rows)
        self._note = unsplit_note(columns.labels or (), separators, rows)
        if self._asked.labels is None and not self._note:
            self._note = own_labels_note(columns.labels or (), separators, rows)
        if not columns.labels and self._asked.labels is None:
            used = set(columns.used)
            others = [name for name in there if name not in used]
            among = f" among {shown(others, 20)}" if others else ""
            self._note = f"No column of labels was found{among}. If there is one, name it: `labels`."

    def _look_ahead(self, source: Source) -> RowsAhead:
        """Read the first rows of a file; the files of one folder are all taken to be in Annif's formats, or none."""
        key = (source.root or source.path, source.format)
        rows = RowsAhead(source, self._is_annif.get(key))
        self._is_annif[key] = source.format.startswith("annif-")
        return rows

    def _all_records(self) -> Iterator[Record]:
        """Yield the records of all files; raise if a mapped column is in no row of any of them."""
        seen: set[str] = set()
        there: dict[str, None] = {}
        for place, source in enumerate(self._sources):
            self._place = place
            rows = self._ahead.pop(place) if place in self._ahead else self._look_ahead(source)
            yield from self._records(rows, seen, there)
        self.columns_there = tuple(there)
        if self.n_read and not self._is_part:
            _check_columns(self.columns, there, self._sources[-1].name)

    def _records(self, rows: RowsAhead, seen: set[str], there: dict[str, None]) -> Iterator[Record]:
        """Yield the records of one file, and add its columns to those that were there."""
        columns, source = self.columns, rows.source
        if rows.first and (source.is_table or source.format == "parquet"):
            _check_columns(columns, rows.first[0], source.name)
        separators = cell_separators(columns, rows.first, is_table=source.is_table)
        if columns.fields is not None and source.format == "parquet":
            source.wanted = (*columns.used, *columns.fields)
            rows = RowsAhead(source, None)
            source.wanted = None  # messages list all columns
        make = _RecordMaker(columns, source.name, separators, self.problems, seen).record
        may_come = True
        for line, row in rows.read(self.problems):
            if may_come:
                there.update(dict.fromkeys(row))
                may_come = bool(columns.missing(there))
            record = make(line, row)
            if record is not None:
                yield record

    def _share(self) -> float:
        """Return how much of all files has been read."""
        sizes = self._sizes = self._sizes or [source.size() for source in self._sources]
        done = sum(sizes[: self._place]) + sizes[self._place] * self._sources[self._place].share()
        return done / sum(sizes)


def _check_columns(columns: ColumnMap, there: Iterable[str], file: str) -> None:
    """Raise if a file lacks a mapped column, with the columns it has and the nearest name."""
    for role, column in columns.missing(there):
        raise InputError(
            f"{role} names a column that {file} does not have: got {column!r}, expected one of {shown(there, 20)}."
            f"{did_you_mean(column, list(there))}"
        )


class _RecordMaker:
    """Makes records of the rows of one file; no role of the column map is left to guess.

    `file` is the name in messages and made-up ids; `separators` separate the names in the cells of a column that holds
    several in one text; `seen` are the ids of the records so far, also of other files, and gets each new one.
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
        """Return the record of a row, or None if its columns of text are empty or its id was used before.

        The row is changed: what is left of it becomes the fields of the record, since a copy would take time.
        """
        text = self._text_of(line, row)
        if not text and self._text:
            return None
        identity = self._id_of(line, row.get(self._id)) if self._id else f"{self._file}:{line}"
        if identity in self._seen:
            self._add("duplicate id", line, f"id {identity!r} was used before: left out.")
            return None
        self._seen.add(identity)
        labels = self._names_of(line, row, self._labels)
        cell = row.get(self._title) if self._title else ""
        title = cell if type(cell) is str else as_text(cell)
        if title is None:
            self._add("wrong type", line, f"{self._title} holds {short(cell)}: expected a text.")
        links = {name: self._names_of(line, row, (column,)) for name, column in self._links}
        for name in self._used:
            row.pop(name, None)
        fields = row if self._fields is None else {name: row[name] for name in self._fields if name in row}
        self._make_plain(line, fields)
        if not all(map(is_whole, (text, identity, title or "", *labels, *links, *chain(*links.values())))):
            text, identity, title, labels, links = self._made_whole(line, text, identity, title or "", labels, links)
        record = object.__new__(Record)  # without the checks and copies of `Record`, which take as long as parsing
        facts = {"id": identity, "text": text, "labels": labels, "title": (title or "").strip()}
        record.__dict__.update(facts, links=links, fields=fields)
        return record

    def _make_plain(self, line: int, fields: dict[str, Any]) -> None:
        """Convert values that JSON does not know, and leave out those that cannot be stored."""
        for name, value in [*fields.items()]:
            kind = type(value)
            if (kind is str and is_whole(value)) or kind is int or kind is bool or value is None:
                continue
            try:
                plain = plain_value(value)
            except OddValueError as error:
                del fields[name]
                self._add("odd value", line, f"{name} holds a value that cannot be stored: {error}. Left out.")
                continue
            if kind is str:
                self._add("encoding", line, f"{name} holds half of a surrogate pair: replaced.")
            fields[name] = plain
        if not all(map(is_whole, fields)):
            whole = {whole_text_of(name): value for name, value in fields.items()}
            fields.clear()
            fields.update(whole)

    def _made_whole(
        self,
        line: int,
        text: str,
        identity: str,
        title: str,
        labels: tuple[str, ...],
        links: dict[str, tuple[str, ...]],
    ) -> tuple[str, str, str, tuple[str, ...], dict[str, tuple[str, ...]]]:
        """Return the parts of a record without halves of surrogate pairs."""
        self._add("encoding", line, "it holds half of a surrogate pair, as in '\\ud800': replaced.")
        text, identity, title = map(whole_text_of, (text, identity, title))
        named = {whole_text_of(name): tuple(map(whole_text_of, targets)) for name, targets in links.items()}
        return text, identity, title, tuple(dict.fromkeys(map(whole_text_of, labels))), named

    def _add(self, kind: str, line: int, sentence: str) -> None:
        self._problems.add(kind, self._file, line, sentence)

    def _text_of(self, line: int, row: Mapping[str, Any]) -> str:
        parts: list[str] = []
        for name in self._text:
            cell = row.get(name)
            part = cell if type(cell) is str else as_text(cell)
            if part is None:
                self._add("no text", line, f"{name} holds {short(cell)}: expected a text. Left out.")
                return ""
            if part and not part.isspace():
                parts.append(part)
        if not parts and self._text:
            self._add("no text", line, f"nothing in {', '.join(dict.fromkeys(self._text))}: left out.")
        return "\n".join(parts)

    def _id_of(self, line: int, cell: object) -> str:
        if type(cell) is str:
            identity = cell.strip()
        else:
            identity = str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else ""
        if not identity:
            identity = f"{self._file}:{line}"
            said = "nothing" if cell is None or cell == "" else short(cell)
            self._add("no id", line, f"{self._id} holds {said}: named {identity!r}.")
        return identity

    def _names_of(self, line: int, row: Mapping[str, Any], columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names in some columns, each once."""
        if len(columns) == 1 and type(cell := row.get(columns[0])) is list:
            try:
                names = dict.fromkeys(map(str.strip, cell))
            except TypeError:  # not all are texts
                pass
            else:
                names.pop("", None)
                return tuple(names)
        found: dict[str, None] = {}
        for column in columns:
            cell = row.get(column)
            if type(cell) is str:
                cell = split_cell(cell, self._separators.get(column, ""))
            for item in cell if isinstance(cell, (list, tuple)) else (cell,):
                name = item.strip() if type(item) is str else as_name(item)
                if name is None:
                    self._add("wrong type", line, f"{column} holds {short(item)}: expected names. Left out.")
                elif name:
                    found[name] = None
        return tuple(found)
