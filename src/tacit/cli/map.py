"""`tacit map`."""

from __future__ import annotations

from typing import Any

import click

from tacit.cli.common.examples import examples
from tacit.cli.common.options import as_json, filter_options, index_argument, opened, read_filters
from tacit.cli.common.output import write_json, write_table

__all__ = ["map_command"]


@click.command(
    "map",
    short_help="Draw the collection as a map, for a browser or as a picture.",
    epilog=examples(
        "tacit map library.tacit",
        "tacit map library.tacit --output animals.png --under animals",
        "tacit map library.tacit --output years.html --colour-by year",
    ),
)
@index_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="File to write: .html for a browser, .png, .svg or .pdf.  [default: INDEX's name with -map.html]",
)
@click.option(
    "--colour-by",
    default="label",
    show_default=True,
    metavar="label|cluster|FIELD",
    help="Colour by the widest label, by groups of records that lie together, or by a field.",
)
@click.option("--title", metavar="TEXT", help="What stands above the map.  [default: INDEX's name]")
@click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="The same seed, the same map.")
@filter_options
@as_json
def map_command(
    *,
    index: str,
    output: str | None,
    colour_by: str,
    title: str | None,
    seed: int,
    as_json: bool,
    **conditions: Any,
) -> None:
    """Draw the collection as a map, for a browser or as a picture.

    Records about the same things lie together. The page works without a network: hover over a point to see its record,
    click a name to hide it, type into the box to find records.
    """
    from tacit.tasks.map.map import check_output, draw_map

    with opened(index) as collection:
        path = check_output(output or f"{collection.path.stem}-map.html")
        filters = read_filters(collection, **conditions)
        drawn = draw_map(collection, path, colour_by=colour_by, filters=filters, title=title, random_state=seed)
    facts = {"output": str(path), **drawn.to_facts()}
    if as_json:
        write_json(facts)
        return
    print(f"Map of {facts['records']:,} records written to {path}\n")
    rows = [(group["records"], group["name"]) for group in facts["groups"]]
    write_table(("records", colour_by), rows, empty="No groups.")
