"""`tacit demo`: a first look at Tacit, without a download."""

from __future__ import annotations

import shutil
import sys
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common import terminal
from tacit.cli.common.output import write_json, write_note
from tacit.cli.common.progress import ShownStages
from tacit.errors import MissingExtraError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from tacit.tasks.collection import Collection
    from tacit.tasks.search.hits import RecordHit
    from tacit.tasks.stage_progress import StageReporter

__all__ = ["demo_command", "write_demo"]


@click.command("demo")
@click.option("--query", "queries", multiple=True, metavar="TEXT", help="Search for this instead. May be repeated.")
@click.option("--limit", default=3, show_default=True, metavar="NUMBER", help="Number of records to show per query.")
@click.option("--keep", metavar="FOLDER", help="Folder of the index.  [default: python-library.tacit]")
@click.option("--map", "map_path", metavar="FILE", help="Write only this map: .html, .png, .svg or .pdf.")
@click.option("--no-map", is_flag=True, help="Do not write a map.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def demo_command(
    *, queries: tuple[str, ...], limit: int, keep: str | None, map_path: str | None, no_map: bool, as_json: bool
) -> None:
    """Try Tacit on the docstrings of the Python standard library.

    Builds an index of the docstrings of the Python on this machine; chapters, modules and classes are its taxonomy.
    Every query is answered twice: in a space of words and subjects (MLSI), and in a space of words only (LSI). Then
    Tacit suggests subjects for a new text, explains a search result, and draws a map. Nothing is downloaded.
    """
    started = time.perf_counter()
    with ShownStages() as stages:
        from tacit.checks import check_count
        from tacit.tasks.demo import DEMO_INDEX, build_demo, check_demo_folder

        check_count("limit", limit)
        index = keep or DEMO_INDEX
        check_demo_folder(index)
        maps = [] if no_map else _map_paths(index, map_path)
        build_demo(index, report=stages)
        from tacit.tasks.collection import open_index
        from tacit.tasks.stage_progress import StageReporter

        with open_index(index) as collection:
            answer = _answers(collection, queries, limit, StageReporter(stages))
            answer |= {"index": index, "maps": _draw(collection, maps, StageReporter(stages))}
    answer |= {"next": _next_commands(index, answer), "seconds": round(time.perf_counter() - started, 1)}
    (write_json if as_json else write_demo)(answer)


def _map_paths(index: str, map_path: str | None) -> list[Path]:
    """Return the maps to write, checked before the work begins; those that need a missing library are left out."""
    from tacit.tasks.map.map import check_output

    if map_path:
        return [check_output(map_path, argument="map")]
    paths = []
    beside = Path(index).expanduser()
    for ending in (".html", ".png"):
        try:
            paths.append(check_output(beside.with_name(f"{beside.stem}-map{ending}"), argument="map"))
        except MissingExtraError as error:
            write_note(f"The {ending} map is left out. {error}")
    return paths


def _answers(collection: Collection, queries: tuple[str, ...], limit: int, stages: StageReporter) -> dict[str, Any]:
    """Search in both spaces, suggest labels, and explain why the first record was found."""
    from tacit.tasks.demo import QUERIES, SUGGESTION_TEXT, PlainSpace
    from tacit.tasks.explain.hit import explain_hit

    stages.begin("computing a space of words only")
    plain = PlainSpace(collection)
    stages.end("LSI: a space of words only, for comparison")
    asked = queries or QUERIES
    compared: list[dict[str, Any]] = []
    for query in asked:
        informed = collection.search(query, by="meaning", limit=limit)
        in_plain = plain.search(query, limit=limit)
        compared.append({"query": query, "informed": _rows(informed), "plain": _rows(in_plain)})
    suggested = collection.suggest(SUGGESTION_TEXT, limit=5, reasons=True)
    labels = [
        {
            "label": found.label,
            "probability": round(found.probability, 4),
            "why": [] if found.evidence is None else list(found.evidence.sentences()),
        }
        for found in suggested
    ]
    return {
        "records": len(collection),
        "queries": compared,
        "suggestion": {"text": SUGGESTION_TEXT, "labels": labels},
        "explanation": explain_hit(collection, asked[0], compared[0]["informed"][0]["id"]).to_facts(),
    }


def _rows(hits: list[RecordHit]) -> list[dict[str, Any]]:
    return [
        {"id": hit.id, "score": round(hit.score, 4), "summary": hit.title, "labels": list(hit.labels)} for hit in hits
    ]


def _draw(collection: Collection, paths: list[Path], stages: StageReporter) -> list[str]:
    """Draw the map once, and write it to all files."""
    if not paths:
        return []
    from tacit.tasks.map.map import map_of, write_map

    stages.begin("drawing the map")
    found = map_of(collection, title="The Python standard library, placed by words and subjects")
    for path in paths:
        write_map(found, path)
    stages.end(f"map of {len(found.ids):,} records drawn")
    return [str(path) for path in paths]


def _next_commands(index: str, answer: dict[str, Any]) -> list[str]:
    """Return commands to try next, with double quotes, which all shells understand."""
    place = f'"{index}"' if " " in index else index
    first = answer["queries"][0]["informed"][0]["id"]
    program = "tacit"
    if not shutil.which("tacit"):
        called = sys.argv[0]
        program = called if Path(called).stem == "tacit" and " " not in called else "python -m tacit"
    asked = (
        f'search {place} "what day of the week is it"',
        f"similar {place} {first}",
        f'suggest {place} "Pack a folder into one compressed file."',
        f"explain {place} --label Concurrency",
        "build --help",
        f"serve {place}",
    )
    return [f"{program} {command}" for command in asked]


def write_demo(answer: dict[str, Any]) -> None:
    """Write the results of the demonstration as text."""
    width = shutil.get_terminal_size().columns
    if sys.stdout.isatty() and width >= _NARROWEST_TABLE:
        _write_tables(answer, width)
    else:
        _write_lines(answer)


_INFORMED = "words and subjects (MLSI)"
_PLAIN = "words only (LSI)"
_NARROWEST_TABLE = 72  # narrower columns would be cut too short to read
_WIDEST_TABLE = 132
_LINE = 79


def _write_tables(answer: dict[str, Any], width: int) -> None:
    """Write the results in both spaces side by side, three lines per record; then the rest."""
    from rich.text import Text

    console = terminal.console(width=min(width, _WIDEST_TABLE))
    for comparison in answer["queries"]:
        _write_table(console, comparison)
    console.print(Text("\nSubjects suggested for a new text", style="bold"))
    console.print(Text(f"“{answer['suggestion']['text']}”", style="italic"))
    for suggestion in answer["suggestion"]["labels"]:
        bar = "█" * round(20 * suggestion["probability"])
        console.print(
            Text.assemble(f"  {suggestion['probability']:4.0%}  ", (f"{bar:<20}", "cyan"), f"  {suggestion['label']}")
        )
    console.print(Text(_why_first(answer)))
    explanation = answer["explanation"]
    console.print(Text("\nWhy the first record was found", style="bold"))
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
    """Return one record in three lines; styled text and not markup, since docstrings contain square brackets."""
    from rich.text import Text

    broadest = (hit["labels"][0], "green")  # the id begins with the narrower ones
    named = ((f"{hit['score']:.2f} ", "cyan"), (hit["id"], "bold"))
    return Text.assemble(*named, f"\n     {hit['summary']}\n     ", broadest)


def _write_lines(answer: dict[str, Any]) -> None:
    """Write the same as plain lines, for a pipe or a narrow terminal."""
    for comparison in answer["queries"]:
        print(f"\nQuery: {comparison['query']}")
        for heading, hits in ((_INFORMED, comparison["informed"]), (_PLAIN, comparison["plain"])):
            print(f"\n  By {heading}")
            for hit in hits:
                indented = (hit["summary"], f"[{' > '.join(hit['labels'])}]")
                lines = (f"    {hit['score']:.2f}  {hit['id']}", *(f"          {part}" for part in indented))
                print(*map(_cut, lines), sep="\n")
    print("\nSubjects suggested for a new text")
    print(_filled(answer["suggestion"]["text"]))
    for suggestion in answer["suggestion"]["labels"]:
        print(f"    {suggestion['probability']:4.0%}  {suggestion['label']}")
    print(_filled(_why_first(answer)))
    print("\nWhy the first record was found")
    for word in answer["explanation"]["words"]:
        print(_cut(f"    {word['part']:5.2f}  {_word(word)}"))
    print(_filled(answer["explanation"]["in_words"]))
    print("\nWritten")
    for line in (*_written(answer), "\nTry next", *(f"  {command}" for command in answer["next"])):
        print(line)


def _why_first(answer: dict[str, Any]) -> str:
    """Return the reasons of the most probable label."""
    first = answer["suggestion"]["labels"][0]
    return f"{first['label']}: {'; '.join(first['why'])}."


def _word(word: dict[str, Any]) -> str:
    """Return a word of the query, and what it matches in the record: itself, or related words."""
    if word["shared"]:
        return f"{word['word']} (in the text)"
    near = ", ".join(word["through"])
    return f"{word['word']} (related: {near})" if near and word["part"] > 0 else str(word["word"])


def _written(answer: dict[str, Any]) -> list[str]:
    maps = [f"  {path}  (a map: open it in a browser)" for path in answer["maps"] if path.endswith(".html")]
    maps += [f"  {path}  (the map as a picture)" for path in answer["maps"] if not path.endswith(".html")]
    return [f"  {answer['index']}  (an index of {answer['records']:,} records)", *maps]


def _filled(text: str) -> str:
    return textwrap.fill(text, _LINE, initial_indent="  ", subsequent_indent="  ")


def _cut(line: str) -> str:
    """Return a line cut to the width of a terminal."""
    return line if len(line) <= _LINE else line[: _LINE - 3].rstrip() + "..."
