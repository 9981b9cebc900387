"""A row of a file becomes a record: its cells are put where the column map says, and what is wrong is counted."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tacit.corpus.columns import ColumnMap
from tacit.corpus.problems import Problems
from tacit.corpus.record import Record

__all__ = ["RecordMaker", "cell_separators"]

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
