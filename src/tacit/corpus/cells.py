"""What is in a cell: a text, one name, or several names with a separator between them.

A semicolon, a bar or a line end in a column of labels separates them. A comma may also be part of a name ("Networks,
neural") and `--` joins a heading and its subdivisions ("Cats -- Behavior"), so both need a look at the values: in a
list the same name stands now first, now later, while the parts of a heading keep their places. In a list that is in
alphabetical order names seldom change to the first place, but they stand at several places from both ends. A space
separates only what no word of a name looks like: `math.CO hep-th`.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit.corpus.columns import ColumnMap

__all__ = [
    "VALUE_MARKS",
    "as_name",
    "as_text",
    "cell_separators",
    "is_list_at",
    "own_labels_note",
    "short",
    "split_cell",
    "unsplit_note",
    "used_separators",
]

_SURE = (";", "|", "\n")
_LIKELY = {",": 1 / 3, "--": 1 / 2, " ": 1 / 3}  # the share of repeated parts that must be in several places
VALUE_MARKS = frozenset({*_LIKELY, "\n"})  # separators that few values do not show
_CODE = re.compile(r"\S*\w[.:/#_-]\w\S*|#\w+")  # math.CO, hep-th, #sea
_CODES = 0.8  # of the parts between spaces
_MANY_CELLS, _ONE_NAME, _OWN = 50, 1.2, 0.9  # of cells that have hardly a label in common
_FEWEST_LISTS = 3  # cells with the mark; fewer say nothing
_FEWEST_REPEATED = 3
_FEWEST_MOVING = 2
_LONG_LIST = 3  # names per cell, on average, from which a list may be in order
_MOVING_BOTH = 1 / 2  # of repeated parts, at several places from both ends: the country of a town is always the last
_LONGEST_LIST = 100_000  # characters of a cell that is tried as a list; longer ones are texts


def cell_separators(columns: ColumnMap, rows: Iterable[Mapping[str, Any]], *, is_table: bool) -> dict[str, str]:
    """Return the separator of names in each column of labels or links: that of the map, or by the first rows."""
    named = (*(columns.labels or ()), *columns.link_columns.values())
    if columns.label_separator is not None:
        return dict.fromkeys(named, columns.label_separator)
    if not is_table:
        return {}
    listed = list(rows)
    return {name: _guessed_separator(_texts_in(listed, name)) for name in named}


def is_list_at(cells: Sequence[str], mark: str) -> bool:
    """Whether a mark that may also be part of a name separates names: repeated parts are now first, now later."""
    rows = [[part for part in map(str.strip, cell.split(mark)) if part] for cell in cells]
    if mark == " " and not _are_codes([part for parts in rows for part in parts]):
        return False
    if sum(len(parts) > 1 for parts in rows) < _FEWEST_LISTS:
        return False
    counts: Counter[str] = Counter()
    from_left, from_right = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    for parts in rows:
        counts.update(parts)
        for place, part in enumerate(parts):
            from_left[part].add(place)
            from_right[part].add(len(parts) - place)
    repeated = [part for part, count in counts.items() if count > 1]
    if len(repeated) < _FEWEST_REPEATED:
        return False
    n_moving = sum(0 in from_left[part] and len(from_left[part]) > 1 for part in repeated)
    n_from_right = sum(len(from_right[part]) > 1 for part in repeated)
    if n_moving >= max(_FEWEST_MOVING, _LIKELY[mark] * len(repeated)):
        return n_from_right >= _MOVING_BOTH * len(repeated)
    n_both = sum(len(from_left[part]) > 1 and len(from_right[part]) > 1 for part in repeated)
    is_long = counts.total() >= _LONG_LIST * sum(map(bool, rows))
    return mark == "," and is_long and n_both >= _MOVING_BOTH * len(repeated)


def _are_codes(parts: Sequence[str]) -> bool:
    """Whether nearly all parts are codes, no words."""
    return sum(_CODE.fullmatch(part) is not None for part in parts) >= _CODES * len(parts)


def used_separators(separators: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the separators that split a cell of these rows."""
    return {name: mark for name, mark in separators.items() if any(mark in cell for cell in _texts_in(rows, name))}


def unsplit_note(columns: Iterable[str], separators: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on a column of labels whose cells look like lists but were not split, or ""."""
    for column in columns:
        cells = _texts_in(rows, column)
        separator = separators.get(column)
        for mark in (";", "|", ",", " ") if separator is None else (",",):
            if mark == " " and not is_list_at(cells, mark):
                continue
            unsplit = [cell for cell in cells if mark in cell and not (separator and separator in cell)]
            if len(unsplit) >= _FEWEST_LISTS and 2 * len(unsplit) > len(cells) and separator != "":
                return (
                    f"{len(unsplit):,} of the first {len(cells):,} cells of {column} have {mark!r}, which was not "
                    f"taken for a separator: {short(unsplit[0])} is one label. If it is a list, pass "
                    f"`label_separator={mark!r}`."
                )
    return ""


def own_labels_note(columns: Iterable[str], separators: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a sentence on a column of labels in which hardly two cells have a name in common, or ""."""
    for column in columns:
        cells = _texts_in(rows, column)
        counts = Counter(part.strip() for cell in cells for part in split_cell(cell, separators.get(column, "")))
        n_own = sum(count == 1 for count in counts.values())
        if len(cells) >= _MANY_CELLS and len(counts) < _ONE_NAME * len(cells) and n_own >= _OWN * len(counts):
            return (
                f"{n_own:,} of the first {len(cells):,} cells of {column} have a label of their own, such as "
                f"{short(cells[0])}. If these are no labels, name another column, or none: `labels`."
            )
    return ""


def split_cell(cell: str, separator: str) -> list[Any]:
    """Split a text into names; a list that was written into a cell as JSON or Python is read as a list."""
    if not separator:
        return [cell]
    bare = cell.strip()
    if _is_bracketed(bare):
        for read in (json.loads, ast.literal_eval):
            try:
                found = read(bare)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
            if isinstance(found, list):
                return found
    return bare.split() if separator == " " else bare.split(separator)


def as_text(cell: object) -> str | None:
    """Return a number, a list of texts or an empty cell as a text; None for other values."""
    if cell is None or cell != cell:  # NaN, which some libraries write for an empty cell
        return ""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, (list, tuple)) and all(isinstance(part, str) for part in cell):
        return "\n".join(cell)
    return None


def as_name(item: object) -> str | None:
    """Return the name of a label that is a number, or an object with `uri` or `label` as in Annif, or `tag`."""
    if item is None or item != item:
        return ""
    if isinstance(item, int) and not isinstance(item, bool):
        return str(item)
    if isinstance(item, dict):
        name = item.get("uri") or item.get("label") or item.get("tag")
        return name.strip() if isinstance(name, str) else None
    return None


def short(value: object) -> str:
    """Return a value for a message, shortened if it is long."""
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


def _texts_in(rows: Iterable[Mapping[str, Any]], column: str) -> list[str]:
    """Return the cells of a column that are texts, without empty ones and lists as JSON or Python write them."""
    cells = [row.get(column) for row in rows]
    return [cell for cell in cells if isinstance(cell, str) and cell.strip() and not _is_bracketed(cell.strip())]


def _is_bracketed(bare: str) -> bool:
    return bare[:1] == "[" and bare[-1:] == "]" and len(bare) < _LONGEST_LIST


def _guessed_separator(cells: Sequence[str]) -> str:
    """Return the mark that is in most cells, or one that the values show to be a separator, else ";"."""
    counts = {mark: sum(mark in cell.strip() for cell in cells) for mark in _SURE}
    most = max(_SURE, key=lambda mark: counts[mark])
    if counts[most]:
        return most
    return next((mark for mark in _LIKELY if is_list_at(cells, mark)), ";")
