"""What the demonstration prints: tables side by side on a terminal, plain lines in a pipe."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["write_demo"]


def write_demo(answer: dict[str, Any]) -> None:
    """Write the answer of the demonstration for people."""
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
    """Both answers to a query side by side, three lines a record; then the rest."""
    from rich.console import Console
    from rich.text import Text

    console = Console(width=min(width, _WIDEST_TABLE), highlight=False)
    for comparison in answer["queries"]:
        _write_table(console, comparison)
    console.print(Text("\nSubjects suggested for a new text", style="bold"))
    console.print(Text(f"“{answer['suggestion']['text']}”", style="italic"))
    for suggestion in answer["suggestion"]["labels"]:
        bar = "█" * round(20 * suggestion["probability"])
        console.print(
            Text.assemble(f"  {suggestion['probability']:4.0%}  ", (f"{bar:<20}", "cyan"), f"  {suggestion['label']}")
        )
    explanation = answer["explanation"]
    console.print(Text("\nWhy the first answer was found", style="bold"))
    for word in explanation["words"]:
        bar = "█" * round(20 * max(0.0, word["part"]))
        console.print(Text.assemble(f"  {word['part']:5.2f}  ", (f"{bar:<20}", "cyan"), f" {_word(word)}"))
    console.print(Text(explanation["in_words"]))
    console.print(Text("\nWritten", style="bold"))
    for line in _written(answer):
        console.print(Text(line), soft_wrap=True)
    console.print(Text("\nTry next", style="bold"))
    for command in answer["next"]:
        console.print(Text(f"  {command}", style="green"), soft_wrap=True)  # a broken line could not be copied


def _write_table(console: Console, comparison: dict[str, Any]) -> None:
    """Write one query."""
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
    """Write the same below one another, for a pipe or a narrow terminal."""
    for comparison in answer["queries"]:
        print(f"\nQuery: {comparison['query']}")
        for heading, hits in ((_INFORMED, comparison["informed"]), (_PLAIN, comparison["plain"])):
            print(f"\n  By {heading}")
            for hit in hits:
                print(_cut(f"    {hit['score']:.2f}  {hit['id']}"))
                print(_cut(f"          {hit['summary']}"))
                print(_cut(f"          [{' > '.join(hit['labels'])}]"))
    print("\nSubjects suggested for a new text")
    print(_filled(answer["suggestion"]["text"]))
    for suggestion in answer["suggestion"]["labels"]:
        print(f"    {suggestion['probability']:4.0%}  {suggestion['label']}")
    print("\nWhy the first answer was found")
    for word in answer["explanation"]["words"]:
        print(_cut(f"    {word['part']:5.2f}  {_word(word)}"))
    print(_filled(answer["explanation"]["in_words"]))
    print("\nWritten")
    for line in (*_written(answer), "\nTry next", *(f"  {command}" for command in answer["next"])):
        print(line)


def _word(word: dict[str, Any]) -> str:
    """A word of the query, and what of the record it meets: itself, or words that mean something near."""
    if word["shared"]:
        return f"{word['word']} (in its text)"
    near = ", ".join(word["through"])
    return f"{word['word']} (near: {near})" if near and word["part"] > 0 else str(word["word"])


def _written(answer: dict[str, Any]) -> list[str]:
    maps = [f"  {path}  (a map: open it in a browser)" for path in answer["maps"] if path.endswith(".html")]
    maps += [f"  {path}  (the map as a picture)" for path in answer["maps"] if not path.endswith(".html")]
    return [f"  {answer['index']}  (an index of {answer['records']:,} records)", *maps]


def _filled(text: str) -> str:
    return textwrap.fill(text, _LINE, initial_indent="  ", subsequent_indent="  ")


def _cut(line: str) -> str:
    """A line that no terminal has to break."""
    return line if len(line) <= _LINE else line[: _LINE - 3].rstrip() + "..."
