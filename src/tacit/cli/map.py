"""`tacit map` and `tacit cluster`."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import (
    as_json,
    examples,
    filter_options,
    index_argument,
    opened,
    quiet_option,
    read_filters,
    wait_option,
)
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.errors import InputError
from tacit.files import writing_output

if TYPE_CHECKING:
    from tacit.tasks.cluster.groups import Groups
    from tacit.tasks.collection import Collection

__all__ = ["cluster_command", "map_command"]


@click.command(
    "map",
    epilog=examples(
        "tacit map library.tacit",
        "tacit map library.tacit --output animals.png --under animals",
        "tacit map library.tacit --output years.html --colour-by year",
        "tacit map library.tacit --again --seed 1",
    ),
)
@index_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="File to write: .html for a browser, .png, .svg or .pdf.  [default: name of the index with -map.html]",
)
@click.option(
    "--colour-by",
    default="label",
    show_default=True,
    metavar="label|cluster|concept|FIELD",
    help="Colour by the broadest label, by groups of similar records, by dimension, or by a field or link.",
)
@click.option("--title", metavar="TEXT", help="Title of the map.  [default: name of the index]")
@click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Random seed.")
@click.option("--again", is_flag=True, help="Lay the records out again, and keep this map in the index.")
@filter_options
@wait_option
@as_json
@quiet_option
def map_command(
    *,
    index: str,
    output: str | None,
    colour_by: str,
    title: str | None,
    seed: int,
    again: bool,
    wait: float,
    as_json: bool,
    quiet: bool,
    **conditions: Any,
) -> None:
    """Draw a map of the collection, as a web page or a picture.

    Records on the same subjects are close together. The page works offline: hover over a point to see its record, click
    a name in the legend to hide its records, type into the box to find records.

    The index keeps the map that `tacit build` made. With --again it is made anew, with this seed; a picture is then
    drawn only if --output is given.
    """
    from tacit.tasks.map.map import check_output, draw_map

    if again:
        if output is not None:
            check_output(output)
        from tacit.tasks.map.again import map_again

        with ShownStages(quiet=quiet) as show:
            map_again(index, random_state=seed, report=show, wait=wait)
        if output is None:
            if as_json:
                write_json({"index": index, "seed": seed})
            elif not quiet:
                print(f"The map of {index} was made again.")
            return
    with opened(index) as collection:
        path = check_output(output or f"{collection.path.stem}-map.html")
        filters = read_filters(collection, **conditions)
        under = conditions["under"][0] if len(conditions.get("under") or ()) == 1 else None
        options: dict[str, Any] = {"colour_by": colour_by, "filters": filters, "title": title, "random_state": seed}
        drawn = draw_map(collection, path, under=under, **options)
    facts = {"output": str(path), **drawn.to_facts()}
    if as_json:
        write_json(facts)
        return
    print(f"Map of {facts['records']:,} records written to {path}\n")
    rows = [(group["records"], group["name"]) for group in facts["groups"]]
    write_table(("records", colour_by), rows, empty="No groups.")


@click.command(
    "cluster",
    epilog=examples(
        "tacit cluster library.tacit",
        "tacit cluster library.tacit --groups 12 --under animals --output groups.tsv",
    ),
)
@index_argument
@click.option(
    "--groups",
    type=int,
    metavar="NUMBER",
    help="Number of groups.  [default: square root of half the records, 2 to 20]",
)
@click.option("--words", type=int, default=6, show_default=True, metavar="NUMBER", help="Words per group.")
@click.option("--output", metavar="FILE", help="Write the id and the group of each record, separated by a tab.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="NUMBER", help="Random seed.")
@filter_options
@as_json
def cluster_command(
    *, index: str, groups: int | None, words: int, output: str | None, seed: int, as_json: bool, **conditions: Any
) -> None:
    """Group similar records, and describe the groups.

    The words and labels are those that distinguish a group from the others; the percentage is the share of its records
    that have the label. The example is the record nearest to the centre of the group.
    """
    from tacit.tasks.cluster.groups import cluster_index

    with opened(index) as collection:
        filters = read_filters(collection, **conditions)
        found = cluster_index(collection, groups, words=words, filters=filters, random_state=seed)
        if output is not None:
            _write_members(collection, found, output)
    if as_json:
        facts = [group.to_facts() for group in found.groups]
        write_json({"n_records": len(found.numbers), "n_nowhere": found.n_nowhere, "groups": facts})
    else:
        rows = [
            (
                group.number,
                group.size,
                ", ".join(group.words),
                ", ".join(f"{label.title} {label.share:.0%}" for label in group.labels),
                textwrap.shorten(group.examples[0].title, 60, placeholder="..."),
            )
            for group in found.groups
        ]
        write_table(("group", "records", "words", "labels", "example"), rows, empty="There are no groups.")
    if found.n_nowhere:
        write_note(f"{found.n_nowhere:,} records have no word of the vocabulary and are in no group.")
    if output is not None:
        write_note(f"{len(found.numbers):,} records and their groups written to {output}.")


def _write_members(collection: Collection, found: Groups, output: str) -> None:
    """Write a file of ids and groups, completely or not at all."""
    try:
        with writing_output(Path(output)) as fresh, fresh.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{' '.join(id.split())}\t{group}\n" for id, group in found.members(collection))
    except OSError as error:
        raise InputError(f"--output cannot be written: got {output!r}, {error.strerror or error}.") from error
