"""Results as text: tables on a terminal, plain lines in a pipe, JSON for programs; notes on standard error."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

from tacit.cli.common.terminal import console

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.tasks.search.hits import RecordHit

__all__ = [
    "filled",
    "room_for_snippets",
    "shortened",
    "write_cards",
    "write_hits",
    "write_json",
    "write_note",
    "write_reasons",
    "write_table",
]


def write_note(message: str) -> None:
    """Write a remark that is not an error."""
    print(f"Note: {message}", file=sys.stderr, flush=True)


def write_json(answer: dict[str, Any]) -> None:
    """Write a result as JSON."""
    print(json.dumps(answer, indent=2, ensure_ascii=False, default=str))


def write_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], *, empty: str) -> None:
    """Write a table: ruled on a terminal, columns separated by spaces in a pipe; the sentence `empty` without rows.

    Columns of numbers are aligned to the right.
    """
    if not rows:
        print(empty)
        return
    shown = [[_shown(cell) for cell in row] for row in rows]
    right = [all(isinstance(row[column], (int, float)) for row in rows) for column in range(len(headings))]
    if sys.stdout.isatty():
        _write_ruled(headings, shown, right)
        return
    widths = [max(len(str(line[column])) for line in (headings, *shown)) for column in range(len(headings))]
    for line in (headings, *shown):
        places = zip(line, widths, right, strict=True)
        print("  ".join(cell.rjust(width) if aside else cell.ljust(width) for cell, width, aside in places).rstrip())


def write_hits(hits: Sequence[RecordHit]) -> None:
    """Write the records that were found, with the titles of their labels."""
    rows = [(hit.score, hit.id, hit.title, ", ".join(hit.label_names)) for hit in hits]
    write_table(("score", "id", "title", "labels"), rows, empty="Nothing found.")


def write_cards(hits: Sequence[RecordHit], snippets: Sequence[str]) -> None:
    """Write the records that were found, each on at most three lines: title and id, labels, a part of the text."""
    if not hits:
        print("Nothing found.")
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    for hit, snippet in zip(hits, snippets, strict=True):
        is_whole = _write_first_line(hit, width)
        if hit.labels:
            print(f"       {shortened(', '.join(hit.label_names), width - 7)}")
        if snippet and (snippet != hit.title or not is_whole):
            print(f"       {shortened(snippet, width - 7)}")


def write_reasons(hits: Sequence[RecordHit]) -> None:
    """Write recommended records, each on at most three lines: title and id, and the reasons, what is shared first."""
    if not hits:
        print("Nothing to recommend.")
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    for hit in hits:
        _write_first_line(hit, width)
        said = "; ".join(sorted(hit.why, key=lambda reason: reason.startswith("near ")))
        for line in textwrap.wrap(said, width - 7, max_lines=2, placeholder=" …"):
            print(f"       {line}")


def _write_first_line(hit: RecordHit, width: int) -> bool:
    """Write score, title and id; return whether the whole title is shown."""
    title = shortened(hit.title, max(width - len(hit.id) - 10, 20))
    score = f"{hit.score:5.3f}" if hit.score else "    -"  # what is listed without a query has none
    print(f"{score}  {title}  {hit.id}")
    return title == " ".join(hit.title.split())


def room_for_snippets() -> int:
    """Return how many characters of a text are shown with a hit."""
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST) - 7


def shortened(text: str, width: int) -> str:
    """Return a text on one line, cut off where it is wider."""
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: max(1, width - 1)].rstrip()}…"


def filled(text: str) -> str:
    """Return a text in lines that are no wider than the terminal; as it is in a pipe."""
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    return textwrap.fill(text, width, subsequent_indent="  ") if sys.stdout.isatty() and len(text) > width else text


_WIDEST = 120


def _shown(cell: Any) -> str:
    """Return a cell on one line; a number with three decimals."""
    if isinstance(cell, float):
        return f"{cell:.3f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return " ".join(str(cell).split())


def _write_ruled(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading, aside in zip(headings, right, strict=True):
        side: Any = "right" if aside else "left"
        table.add_column(heading, justify=side, overflow="ellipsis", no_wrap=aside, max_width=60)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # text and not markup: titles are full of square brackets
    console().print(table)
