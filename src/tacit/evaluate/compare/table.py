"""Writes the table of a comparison, for a terminal or for a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.models.common.labels import is_number

__all__ = ["markdown_table", "shown_value", "text_table", "written"]

Cell = tuple[str, bool]  # what stands there, and whether it is the best of its column
_LONGEST = 30


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Line up columns for a terminal; the best of a column has a star."""
    cells = [[f"{text}{'*' if best else ' '}" for text, best in row] for row in rows]
    return "\n".join(" ".join(row).rstrip() for row in _padded([[f"{name} " for name in header], *cells]))


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Write a Markdown table whose source lines up as well; the best of a column is bold."""
    cells = [[_escaped(f"**{text}**" if best else text) for text, best in row] for row in rows]
    padded = _padded([[_escaped(name) for name in header], *cells])
    marks = [
        "-" * (len(name) + 2) if _is_text(column, header) else "-" * (len(name) + 1) + ":"
        for column, name in enumerate(padded[0])
    ]
    lines = [f"| {' | '.join(row)} |" for row in padded]
    return "\n".join([lines[0], f"|{'|'.join(marks)}|", *lines[1:]])


def written(values: Mapping[str, Any]) -> str:
    """Write values as a user would type them: label_weight=0.5, ridge=1."""
    return ", ".join(f"{name}={shown_value(value)}" for name, value in values.items())


def shown_value(value: Any) -> str:
    """Write one value; of what would fill the page, such as a taxonomy, only the kind."""
    if is_number(value):
        return f"{float(value):g}"
    text = repr(value)
    return text if len(text) <= _LONGEST and "\n" not in text else type(value).__name__


def _padded(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return [
        [
            text.ljust(width) if _is_text(column, row) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]


def _is_text(column: int, row: Sequence[Any]) -> bool:
    """Whether a column holds words, which start at the left: the name of the model and what was chosen."""
    return column in (0, len(row) - 1)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
