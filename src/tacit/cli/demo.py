"""`tacit demo`: the first five minutes with Tacit, without a download."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.output import write_demo, write_json, write_note, write_progress
from tacit.errors import MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.tasks.demo import Demo
    from tacit.tasks.hits import Hit

__all__ = ["demo_command"]


@click.command("demo", short_help="Index the docstrings of Python's standard library, and ask.")
@click.option("--query", "queries", multiple=True, metavar="TEXT", help="Ask this instead; may be given several times.")
@click.option(
    "--limit", default=5, show_default=True, metavar="NUMBER", help="How many records to show for each query."
)
@click.option("--map", "map_path", metavar="FILE", help="Where to write the map.  [default: tacit-demo-map.png]")
@click.option("--no-map", is_flag=True, help="Write no map.")
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def demo_command(*, queries: tuple[str, ...], limit: int, map_path: str | None, no_map: bool, as_json: bool) -> None:
    """Index the docstrings of Python's standard library, and search them.

    Every query is answered twice: in a space made of the words and the subjects (MLSI), and in one made of the words
    only (LSI). Then Tacit suggests subjects for a new text and draws a map of the collection. Nothing is downloaded.
    """
    write_progress(None, "Loading the numerical libraries ...")
    from tacit.checks import check_count

    check_count("limit", limit)
    picture = None if no_map else _map_path(map_path)
    from tacit.tasks.demo import QUERIES, SUGGESTION_TEXT, build_demo

    space = build_demo(report=write_progress)
    answer = {
        "records": len(space.records),
        "queries": [_compared(space, query, limit) for query in queries or QUERIES],
        "suggestion": {
            "text": SUGGESTION_TEXT,
            "labels": [
                {"label": name, "probability": round(float(p), 4)} for name, p in space.suggest(SUGGESTION_TEXT)
            ],
        },
        "map": None if picture is None else str(_draw(space, picture)),
    }
    (write_json if as_json else write_demo)(answer)


_DEFAULT_MAP = "tacit-demo-map.png"


def _map_path(asked_for: str | None) -> Path | None:
    """Where the map goes, checked before the work begins; without Matplotlib there is none, unless it was asked for."""
    from tacit.tasks.plot import check_map_path

    try:
        return check_map_path(asked_for or _DEFAULT_MAP)
    except MissingExtraError as error:
        if asked_for:
            raise
        write_note(f"There will be no map. {error}")
        return None


def _compared(space: Demo, query: str, limit: int) -> dict[str, Any]:
    """One query with both lists of answers."""
    found = space.search(query, limit=limit)
    shown = {record.id: record for record in space.records}

    def rows(hits: list[Hit]) -> list[dict[str, Any]]:
        return [
            {
                "id": hit.id,
                "score": round(hit.score, 4),
                "summary": shown[hit.id].title,
                "labels": list(shown[hit.id].labels),
                "shared_words": list(hit.why),
            }
            for hit in hits
        ]

    return {"query": query, "informed": rows(found.informed), "plain": rows(found.plain)}


def _draw(space: Demo, path: Path) -> Path:
    """Draw the map of the informed space, coloured by chapter."""
    from tacit.tasks.layout import lay_out
    from tacit.tasks.plot import draw_map

    started = time.perf_counter()
    layout = lay_out(space.informed_positions, [record.labels[0] for record in space.records])
    draw_map(layout, path, title="The Python standard library, as words and subjects place it")
    write_progress(time.perf_counter() - started, f"map of {len(layout.rows):,} records drawn")
    return path
