"""`tacit demo`: the first five minutes with Tacit, without a download."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.output import write_json, write_note
from tacit.cli.common.progress import ShownStages
from tacit.cli.demo_output import write_demo
from tacit.errors import MissingExtraError

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection
    from tacit.tasks.demo import PlainSpace
    from tacit.tasks.search.hits import RecordHit
    from tacit.tasks.stages import Stages

__all__ = ["demo_command"]


@click.command("demo", short_help="Index the docstrings of Python's standard library, and ask.")
@click.option("--query", "queries", multiple=True, metavar="TEXT", help="Ask this instead; may be given several times.")
@click.option(
    "--limit", default=3, show_default=True, metavar="NUMBER", help="How many records to show for each query."
)
@click.option("--keep", metavar="FOLDER", help="Where the index goes.  [default: python-library.tacit]")
@click.option("--map", "map_path", metavar="FILE", help="Write this map only: .html, .png, .svg or .pdf.")
@click.option("--no-map", is_flag=True, help="Write no map.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def demo_command(
    *, queries: tuple[str, ...], limit: int, keep: str | None, map_path: str | None, no_map: bool, as_json: bool
) -> None:
    """Index the docstrings of Python's standard library, and ask.

    Builds an index of the documentation that Python has brought to this machine, with chapter, module and class as its
    taxonomy. Every query is answered twice: in a space made of the words and the subjects (MLSI), and in one made of
    the words only (LSI). Then Tacit suggests subjects for a new text, says why it found what it found, and draws a map.
    Nothing is downloaded.
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
        from tacit.tasks.stages import Stages

        with open_index(index) as collection:
            answer = _answers(collection, queries, limit, Stages(stages))
            answer |= {"index": index, "maps": _draw(collection, maps, Stages(stages))}
    answer |= {"next": _next_commands(index, answer), "seconds": round(time.perf_counter() - started, 1)}
    (write_json if as_json else write_demo)(answer)


def _map_paths(index: str, asked_for: str | None) -> list[Path]:
    """Where the maps go, checked before the work begins; without the libraries there are none, unless one was asked."""
    from tacit.tasks.map.map import check_output

    if asked_for:
        return [check_output(asked_for, argument="map")]
    paths = []
    beside = Path(index).expanduser()
    for ending in (".html", ".png"):
        try:
            paths.append(check_output(beside.with_name(f"{beside.stem}-map{ending}"), argument="map"))
        except MissingExtraError as error:
            write_note(f"There will be no {ending} map. {error}")
    return paths


def _answers(collection: Collection, queries: tuple[str, ...], limit: int, say: Stages) -> dict[str, Any]:
    """Searches in both spaces, one suggestion, and why the first record was found."""
    from tacit.tasks.demo import QUERIES, SUGGESTION_TEXT, PlainSpace
    from tacit.tasks.explain.hit import explain_hit

    say.begin("making the space of the words alone")
    plain = PlainSpace(collection)
    say.end("LSI: the same from the words alone, to compare with")
    asked = queries or QUERIES
    compared = [_compared(collection, plain, query, limit) for query in asked]
    suggested = collection.suggest(SUGGESTION_TEXT, limit=5)
    return {
        "records": len(collection),
        "queries": compared,
        "suggestion": {
            "text": SUGGESTION_TEXT,
            "labels": [{"label": found.label, "probability": round(found.probability, 4)} for found in suggested],
        },
        "explanation": explain_hit(collection, asked[0], compared[0]["informed"][0]["id"]).to_facts(),
    }


def _compared(collection: Collection, plain: PlainSpace, query: str, limit: int) -> dict[str, Any]:
    """One query with both lists of answers."""
    informed = collection.search(query, by="meaning", limit=limit)
    return {"query": query, "informed": _rows(informed), "plain": _rows(plain.search(query, limit=limit))}


def _rows(hits: list[RecordHit]) -> list[dict[str, Any]]:
    return [
        {"id": hit.id, "score": round(hit.score, 4), "summary": hit.title, "labels": list(hit.labels)} for hit in hits
    ]


def _draw(collection: Collection, paths: list[Path], say: Stages) -> list[str]:
    """Draw the map once, and write it to every file."""
    if not paths:
        return []
    from tacit.tasks.map.map import map_of, write_map

    say.begin("drawing the map")
    found = map_of(collection, title="The Python standard library, as words and subjects place it")
    for path in paths:
        write_map(found, path)
    say.end(f"map of {len(found.ids):,} records drawn")
    return [str(path) for path in paths]


def _next_commands(index: str, answer: dict[str, Any]) -> list[str]:
    """What to type next; double quotes, which every shell understands."""
    place = f'"{index}"' if " " in index else index
    first = answer["queries"][0]["informed"][0]["id"]
    asked = (
        f'search {place} "what day of the week is it"',
        f"similar {place} {first}",
        f'suggest {place} "Pack a folder into one compressed file."',
        f"explain {place} --label Concurrency",
        f"map {place} --colour-by cluster",
        "build --help",
    )
    return [f"{_program()} {command}" for command in asked]


def _program() -> str:
    """How this command was called, where its short name would not be found."""
    if shutil.which("tacit"):
        return "tacit"
    called = sys.argv[0]
    return called if Path(called).stem == "tacit" and " " not in called else "python -m tacit"
