"""Answers as text: tables for a terminal, plain lines for a pipe, JSON for programs; progress to standard error."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

    from tacit.tasks.hits import RecordHit

__all__ = ["write_demo", "write_hits", "write_json", "write_note", "write_progress", "write_table"]


def write_progress(seconds: float | None, message: str) -> None:
    """One line for a stage, with the time it took."""
    took = "       " if seconds is None else f"{seconds:5.1f} s"
    print(f"{took}  {message}", file=sys.stderr, flush=True)


def write_note(message: str) -> None:
    """Something to know that is no error."""
    print(f"Note: {message}", file=sys.stderr, flush=True)


def write_json(answer: dict[str, Any]) -> None:
    """The answer as it is."""
    print(json.dumps(answer, indent=2, ensure_ascii=False, default=str))


def write_table(headings: Sequence[str], rows: Sequence[Sequence[Any]], *, empty: str) -> None:
    """A table for people: ruled on a terminal, columns with spaces between them in a pipe; a sentence if it is empty.

    Numbers are put to the right. The last column takes the room that is left and is cut there.
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
    """Records that answer a question, with their labels."""
    rows = [(hit.score, hit.id, hit.title, ", ".join(hit.labels)) for hit in hits]
    write_table(("score", "id", "title", "labels"), rows, empty="Nothing found.")


def _shown(cell: Any) -> str:
    """A cell on one line; a number with three digits that say something."""
    if isinstance(cell, float):
        return f"{cell:.3f}"
    if isinstance(cell, int):
        return f"{cell:,}"
    return " ".join(str(cell).split())


def _write_ruled(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading, aside in zip(headings, right, strict=True):
        side: Any = "right" if aside else "left"
        table.add_column(heading, justify=side, overflow="ellipsis", no_wrap=aside, max_width=60)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # text and not markup: titles are full of square brackets
    Console(highlight=False).print(table)


def write_demo(answer: dict[str, Any]) -> None:
    """The answer of the demonstration for people."""
    width = shutil.get_terminal_size().columns
    if sys.stdout.isatty() and width >= _NARROWEST_TABLE:
        _write_tables(answer, width)
    else:
        _write_lines(answer)


_INFORMED = "words and subjects (MLSI)"
_PLAIN = "words only (LSI)"
_NARROWEST_TABLE = 72  # below it two columns would show nothing but dots
_WIDEST_TABLE = 132
_LINE = 79


def _write_tables(answer: dict[str, Any], width: int) -> None:
    """Both answers to a query side by side, three lines a record."""
    from rich.console import Console
    from rich.text import Text

    console = Console(width=min(width, _WIDEST_TABLE), highlight=False)
    for comparison in answer["queries"]:
        _write_table(console, comparison)
    console.print()
    console.print(Text("Subjects suggested for a new text", style="bold"))
    console.print(Text(f"“{answer['suggestion']['text']}”", style="italic"))
    for suggestion in answer["suggestion"]["labels"]:
        bar = "█" * round(20 * suggestion["probability"])
        console.print(
            Text.assemble(f"  {suggestion['probability']:4.0%}  ", (f"{bar:<20}", "cyan"), f"  {suggestion['label']}")
        )
    if answer["map"]:
        console.print(Text(f"\nMap of the collection: {answer['map']}"))


def _write_table(console: Console, comparison: dict[str, Any]) -> None:
    """One query."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    title = Text(f"\n“{comparison['query']}”", style="bold")
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, expand=True, leading=1, pad_edge=False)
    for heading in (_INFORMED, _PLAIN):
        table.add_column(heading, ratio=1, no_wrap=True, overflow="ellipsis")
    for informed, plain in zip(comparison["informed"], comparison["plain"], strict=True):
        table.add_row(_cell(informed), _cell(plain))
    console.print(table)


def _cell(hit: dict[str, Any]) -> Text:
    """One record in three lines; styled text and not markup, since docstrings are full of square brackets."""
    from rich.text import Text

    return Text.assemble(
        (f"{hit['score']:.2f} ", "cyan"),
        (hit["id"], "bold"),
        "\n     ",
        hit["summary"],
        "\n     ",
        (hit["labels"][0], "green"),  # the narrower ones begin the id
    )


def _write_lines(answer: dict[str, Any]) -> None:
    """The same below one another, for a pipe or a narrow terminal."""
    for comparison in answer["queries"]:
        print(f"\nQuery: {comparison['query']}")
        for heading, hits in ((_INFORMED, comparison["informed"]), (_PLAIN, comparison["plain"])):
            print(f"\n  By {heading}")
            for hit in hits:
                print(_cut(f"    {hit['score']:.2f}  {hit['id']}"))
                print(_cut(f"          {hit['summary']}"))
                print(_cut(f"          [{_path(hit)}]"))
    print("\nSubjects suggested for a new text")
    print(textwrap.fill(answer["suggestion"]["text"], _LINE, initial_indent="  ", subsequent_indent="  "))
    for suggestion in answer["suggestion"]["labels"]:
        print(f"    {suggestion['probability']:4.0%}  {suggestion['label']}")
    if answer["map"]:
        print(f"\nMap of the collection: {answer['map']}")


def _path(hit: dict[str, Any]) -> str:
    """Labels from the widest to the narrowest."""
    return " > ".join(hit["labels"])


def _cut(line: str) -> str:
    """A line that no terminal has to break."""
    return line if len(line) <= _LINE else line[: _LINE - 3].rstrip() + "..."
