"""How results look in a console and in a notebook, results as data frames, and stages of long work in words.

A result lists its parts: sentences and tables. From them come `repr`, at most 80 columns wide, and `_repr_html_`, which
sets no colours, so that it is readable in light and dark notebooks. Records are written by anybody: HTML is escaped,
and characters that would control a terminal are replaced.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tacit.errors import MissingExtraError

__all__ = ["Displayed", "ResultList", "Table", "doing", "frame_of", "one_line"]

WIDTH = 80
_MOST_ROWS = 20
_NARROWEST = 8  # a column is not cut to less

T = TypeVar("T")


@dataclass(frozen=True)
class Table:
    """Rows under headings, with a title above; a cell is text, a number, a list of texts or None."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""


class Displayed:
    """A result that is shown as sentences and tables; a subclass has `_parts`."""

    def _parts(self) -> Iterator[str | Table]:
        """Yield what is shown, from top to bottom."""
        raise NotImplementedError

    def to_frame(self, library: str = "pandas") -> Any:
        """Return the result as a data frame: the rows of a list, or of the first table that is shown.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, default "pandas"
        """
        return frame_of(self._rows(), library)

    def _rows(self) -> list[dict[str, Any]]:
        """Return the rows of the data frame."""
        table = next(part for part in self._parts() if isinstance(part, Table))
        return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

    def __repr__(self) -> str:
        return "\n\n".join(_text_of(part) for part in self._parts())

    def _repr_html_(self) -> str:
        return f"<div>{''.join(_html_of(part) for part in self._parts())}</div>"


class ResultList(Displayed, list[T]):
    """A list of results that is shown as a table; each of them has `to_row`, its cells by the name of the column."""

    _noun = "result"
    _columns: tuple[str, ...] = ()  # shown; all others are in the data frame only

    def _rows(self) -> list[dict[str, Any]]:
        return [item.to_row() for item in self]  # type: ignore[attr-defined]

    def _shown_rows(self) -> list[dict[str, Any]]:
        """Return the rows as they are read by people; those of the data frame are for programs."""
        return self._rows()

    def _parts(self) -> Iterator[str | Table]:
        yield f"{len(self):,} {self._noun}{'' if len(self) == 1 else 's'}"
        if self:
            rows = self._shown_rows()[: _MOST_ROWS + 1]
            shown = [name for name in self._columns or rows[0] if any(_is_said(row.get(name)) for row in rows)]
            yield Table(shown, [[row.get(name) for name in shown] for row in rows])

    def __repr__(self) -> str:
        return super().__repr__().replace("\n\n", "\n", 1)


def frame_of(rows: Iterable[Mapping[str, Any]], library: str = "pandas") -> Any:
    """Return rows as a data frame of pandas, polars or pyarrow; columns are those of all rows, in order."""
    try:
        import narwhals as nw
    except ImportError:
        raise MissingExtraError("narwhals", "frames", "A data frame of results") from None
    backend: Any = library
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    columns: dict[str, Any] = {name: [row.get(name) for row in listed] for name in names}
    try:
        return nw.from_dict(columns, backend=backend).to_native()
    except ImportError as error:
        raise MissingExtraError(library, "frames", "This data frame") from error


def one_line(value: Any) -> str:
    """Return a cell as text on one line, without characters that control a terminal."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        return f"{round(value, 3) + 0.0:.3f}"  # no minus before a zero
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    line = " ".join(str(value).split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line)


def _is_said(cell: Any) -> bool:
    return cell is not None and cell not in ("", []) and cell is not False


def _of_numbers(table: Table) -> list[bool]:
    """Say which columns hold numbers, which are aligned to the right."""
    columns = zip(*table.rows, strict=True)
    return [all(cell is None or _is_number(cell) for cell in column) for column in columns] or [False] * len(
        table.columns
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _text_of(part: str | Table) -> str:
    if isinstance(part, str):
        return "\n".join(textwrap.fill(_clean(line), WIDTH) for line in part.splitlines())
    right = [
        all(_is_number(row[place]) or row[place] is None for row in part.rows) for place in range(len(part.columns))
    ]
    rows = [[one_line(cell) for cell in row] for row in part.rows[:_MOST_ROWS]]
    columns = [one_line(name) for name in part.columns]
    widths = _widths([columns, *rows])
    lines = [one_line(part.title)] if part.title else []
    for row in (columns, *rows):
        cells = (_cut(cell, width) for cell, width in zip(row, widths, strict=True))
        placed = (
            cell.rjust(width) if aside else cell.ljust(width)
            for cell, width, aside in zip(cells, widths, right, strict=True)
        )
        lines.append("  ".join(placed).rstrip())
    return "\n".join([*lines, *_more(part)])


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of the columns: the widest are cut until the line is short enough."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    spare = WIDTH - 2 * (len(widths) - 1)
    while sum(widths) > spare and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def _clean(text: str) -> str:
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _more(table: Table) -> list[str]:
    left = len(table.rows) - _MOST_ROWS
    return ["... and more"] if left > 0 else []


def _html_of(part: str | Table) -> str:
    if isinstance(part, str):
        return "".join(f"<p>{html.escape(_clean(line))}</p>" for line in part.splitlines() if line)
    right = [
        all(_is_number(row[place]) or row[place] is None for row in part.rows) for place in range(len(part.columns))
    ]
    sides = ["right" if aside else "left" for aside in right]

    def line(tag: str, cells: Iterable[str]) -> str:
        placed = zip(cells, sides, strict=True)
        return "".join(f'<{tag} style="text-align: {side}">{html.escape(cell)}</{tag}>' for cell, side in placed)

    head = f"<tr>{line('th', map(one_line, part.columns))}</tr>"
    rows = "".join(f"<tr>{line('td', map(one_line, row))}</tr>" for row in part.rows[:_MOST_ROWS])
    title = f"<p><strong>{html.escape(one_line(part.title))}</strong></p>" if part.title else ""
    more = "".join(f"<p>{text}</p>" for text in _more(part))
    return f"{title}<table><thead>{head}</thead><tbody>{rows}</tbody></table>{more}"


_DOING = {
    "starting": "Loading the numerical libraries",
    "reading": "Reading the records",
    "labels": "Finding the labels in the taxonomy",
    "words": "Counting the words",
    "space": "Computing the space",
    "suggester": "Training the suggester",
    "neighbours": "Finding the neighbours",
    "writing": "Writing the index",
    "checking": "Checking every file",
    "exporting": "Writing the records",
    "adding": "Placing the records",
    "suggesting": "Suggesting labels",
}


def doing(stage: str) -> str:
    """Return what happens in a stage, in words."""
    return _DOING.get(stage, stage[:1].upper() + stage[1:])
