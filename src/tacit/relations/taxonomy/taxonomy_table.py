"""Reads a taxonomy from a table in a file: one row a node, with its parent and perhaps its title."""

from __future__ import annotations

import csv
from collections.abc import Hashable, Iterator
from pathlib import Path

from tacit.checks import check_choice, shown
from tacit.errors import InputError
from tacit.relations.taxonomy.reading import Links

__all__ = ["read_table"]

# in order of preference, in lower case
_NODE_COLUMNS = ("node", "id", "code", "child", "concept", "category", "topic", "label", "name")
_PARENT_COLUMNS = ("parent", "broader", "parent_id", "parent_code", "parents")
_TITLE_COLUMNS = ("title", "name", "label", "preflabel", "description")


def read_table(
    path: str | Path, node: str | None, parent: str | None, title: str | None, separator: str | None
) -> tuple[Links, dict[Hashable, str]]:
    """Read a table with a header; gives the links and the titles."""
    path = Path(path).expanduser()
    rows = _rows(path, separator)
    header = next(rows)[1]
    columns = _chosen(header, node, parent, title)
    links = Links(str(path))
    titles: dict[Hashable, str] = {}
    for line, row in rows:
        if len(row) < len(header):
            raise InputError(
                f"{path} has a short row: got {len(row)} cells in line {line}, "
                f"expected {len(header)} as in the header. Write empty cells with their separators."
            )
        name, above = row[columns[0]], row[columns[1]]
        links.add(name, [above] if above else [])
        if columns[2] is not None and row[columns[2]]:
            titles.setdefault(name, row[columns[2]])
    return links, titles


def _rows(path: Path, separator: str | None) -> Iterator[tuple[int, list[str]]]:
    """Give line number and cells of each row that is not blank, the header first."""
    marks = {".tsv": "\t", ".tab": "\t", ".csv": ","}
    mark = separator if separator is not None else marks.get(path.suffix.lower())
    if mark is None:
        raise InputError(
            f"path has an unknown suffix: got {path.name!r}, expected .tsv or .csv. Give separator, such as ';'."
        )
    if len(mark) != 1:
        raise InputError(f"separator is not one character: got {mark!r}, expected one such as ',' or a tab.")
    found = False
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            reader = csv.reader(lines, delimiter=mark)
            for row in reader:
                if any(cell.strip() for cell in row):
                    found = True
                    yield reader.line_num, [cell.strip() for cell in row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: got {error}, expected a table in UTF-8.") from error
    if not found:
        raise InputError(f"{path} is empty: got no header, expected a row with the names of the columns.")


def _chosen(header: list[str], node: str | None, parent: str | None, title: str | None) -> tuple[int, int, int | None]:
    """Find the columns of node, parent and title."""
    if len(header) < 2:
        raise InputError(
            f"path has too few columns: got {shown(header)}, expected node and parent. Give separator if it is another."
        )
    lower = [name.lower() for name in header]
    given = [_column(header, "node", node), _column(header, "parent", parent), _column(header, "title", title)]
    above = given[1] if given[1] is not None else _first(lower, _PARENT_COLUMNS, {given[0], given[2]})
    below = given[0] if given[0] is not None else _first(lower, _NODE_COLUMNS, {above, given[2]})
    if above is None or below is None:
        free = [place for place in range(len(header)) if place not in (above, below, given[2])]
        below = free.pop(0) if below is None else below
        above = free.pop(0) if above is None else above
    text = given[2] if given[2] is not None else _first(lower, _TITLE_COLUMNS, {above, below})
    return below, above, text


def _column(header: list[str], argument: str, name: str | None) -> int | None:
    return None if name is None else header.index(check_choice(argument, name, header))


def _first(header: list[str], wanted: tuple[str, ...], taken: set[int | None]) -> int | None:
    places = (header.index(name) for name in wanted if name in header)
    return next((place for place in places if place not in taken), None)
