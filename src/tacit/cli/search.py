"""`tacit search` and `tacit similar`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import (
    as_json,
    examples,
    filter_options,
    index_argument,
    limit_option,
    opened,
    read_filters,
)
from tacit.cli.common.output import hits_as_facts, write_hits, write_json

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection
    from tacit.tasks.search.hits import RecordHit

__all__ = ["search_command", "similar_command"]


@click.command(
    "search",
    epilog=examples(
        "tacit search library.tacit whales at sea",
        "tacit search library.tacit '\"sperm whale\"' --by words --under animals --range year=1990..",
    ),
)
@index_argument
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--by",
    type=click.Choice(["hybrid", "meaning", "words"]),
    default="hybrid",
    show_default=True,
    help="Search by meaning (position in the space), by the words themselves, or by both.",
)
@click.option(
    "--fusion",
    type=click.Choice(["scores", "ranks"]),
    default="scores",
    show_default=True,
    help="How hybrid search combines the two: by scores, or by ranks.",
)
@limit_option(10, "records")
@filter_options
@as_json
def search_command(
    *, index: str, query: tuple[str, ...], by: str, fusion: str, limit: int, as_json: bool, **conditions: Any
) -> None:
    """Find records by meaning, by words, or both."""
    with opened(index) as collection:
        filters = read_filters(collection, **conditions)
        hits = collection.search(" ".join(query), by=by, limit=limit, filters=filters, fusion=fusion)
        _write(collection, {"query": " ".join(query), "by": by}, hits, as_json)


@click.command("similar")
@index_argument
@click.argument("id", metavar="ID")
@limit_option(10, "records")
@filter_options
@as_json
def similar_command(*, index: str, id: str, limit: int, as_json: bool, **conditions: Any) -> None:
    """Find the records most similar to a given one."""
    with opened(index) as collection:
        hits = collection.similar(id, limit=limit, filters=read_filters(collection, **conditions))
        _write(collection, {"id": id}, hits, as_json)


def _write(collection: Collection, asked: dict[str, Any], hits: list[RecordHit], as_json: bool) -> None:
    from tacit.tasks.label_names import title_of

    if as_json:
        write_json({**asked, "hits": hits_as_facts(hits, lambda label: title_of(collection, label))})
    else:
        write_hits(hits, lambda label: title_of(collection, label))
