"""`tacit reproduce`."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from tacit.cli.common.options import as_json, examples
from tacit.cli.common.output import write_json
from tacit.cli.common.progress import ShownStages

if TYPE_CHECKING:
    from tacit.reproduce.reproduce import Reproduced

__all__ = ["reproduce_command"]


@click.command(
    "reproduce",
    epilog=examples(
        "tacit reproduce --list",
        "tacit reproduce mlsi-fig1 --quick",
        "tacit reproduce --full --jobs 2 -o reproduction",
    ),
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--list", "lists", is_flag=True, help="List the experiments.")
@click.option("--quick", is_flag=True, help="One repeat with few settings, to see that everything runs.")
@click.option("--full", is_flag=True, help="As many repeats as in the paper.")
@click.option("--jobs", metavar="NUMBER", type=int, help="Number of processes.  [default: number of cores]")
@click.option("--data-dir", metavar="FOLDER", help="Folder of the data sets.  [default: $TACIT_DATA]")
@click.option("-o", "--output", metavar="FOLDER", default="reproduction", show_default=True, help="For the results.")
@as_json
def reproduce_command(
    *,
    names: tuple[str, ...],
    lists: bool,
    quick: bool,
    full: bool,
    jobs: int | None,
    data_dir: str | None,
    output: str,
    as_json: bool,
) -> None:
    """Measure the experiments of the papers again.

    For each NAME, or for all experiments, this writes a table (CSV and Markdown), a picture (SVG and PNG), and a
    verdict on each claim of the paper. What was measured is kept in the output folder: a run that was stopped goes on
    where it was.
    """
    from tacit.checks import check_choice
    from tacit.errors import InputError
    from tacit.machine import n_threads
    from tacit.reproduce.reproduce import experiments, reproduce

    known = experiments()
    if lists:
        _write_list(as_json)
        return
    for name in names:
        check_choice("NAME", name, tuple(known))
    if quick and full:
        raise InputError("--quick and --full exclude each other: got both. Leave one out.")
    with ShownStages(quiet=as_json) as show:
        found = reproduce(
            names or tuple(known), output, size="quick" if quick else "full" if full else "usual",
            data_dir=data_dir, jobs=n_threads() if jobs is None else jobs, report=show,
        )  # fmt: skip
    if as_json:
        write_json({"experiments": [_facts(one) for one in found]})
        return
    for one in found:
        _write(one)


def _write(found: Reproduced) -> None:
    width = min(shutil.get_terminal_size().columns, 100)
    print(f"\n{found.experiment.name}: {found.experiment.title}")
    quotes = {claim.number: claim.quote for claim in found.experiment.claims}
    for number, verdict in found.verdicts.items():
        indent = " " * 4
        print(f"  {number}: {verdict.outcome}")
        print(textwrap.fill(f'"{quotes[number]}"', width, initial_indent=indent, subsequent_indent=indent))
        print(textwrap.fill(verdict.evidence, width, initial_indent=indent, subsequent_indent=indent))
    print(f"  Written: {', '.join(map(str, found.files))}")


def _facts(found: Reproduced) -> dict[str, object]:
    return {
        "name": found.experiment.name,
        "title": found.experiment.title,
        "claims": [
            {"claim": claim.number, "quote": claim.quote, **vars(found.verdicts[claim.number])}
            for claim in found.experiment.claims
        ],
        "files": [str(file) for file in found.files],
    }


def _write_list(as_json: bool) -> None:
    from tacit.reproduce.reproduce import experiments

    listed = [
        {"name": one.name, "paper": one.paper, "title": one.title, "data": list(one.data), "cost": one.cost,
         "claims": len(one.claims)}
        for one in experiments().values()
    ]  # fmt: skip
    if as_json:
        write_json({"experiments": listed})
        return
    for one in listed:
        print(f"{one['name']}  {one['title']}")
        print(f"    [{one['paper']}]; data: {', '.join(one['data'])}; {one['claims']} claims; {one['cost']}")
