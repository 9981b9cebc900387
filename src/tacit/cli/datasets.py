"""`tacit datasets` and `tacit datasets fetch`."""

from __future__ import annotations

import contextlib
import shutil
import sys
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import as_json, examples
from tacit.cli.common.output import write_json
from tacit.cli.common.progress import ShownStages

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.datasets.fetching import Fetched

__all__ = ["datasets_command"]

_data_dir: Any = click.option("--data-dir", metavar="FOLDER", help="Folder of the data sets.  [default: $TACIT_DATA]")


@click.group(
    "datasets",
    invoke_without_command=True,
    epilog=examples(
        "tacit datasets",
        "tacit datasets fetch reuters21578 --data-dir ~/data",
        "tacit build --dataset reuters21578 --data-dir ~/data -o reuters.tacit",
    ),
)
@_data_dir
@as_json
@click.pass_context
def datasets_command(context: click.Context, *, data_dir: str | None, as_json: bool) -> None:
    """List public data sets, or download one.

    The list shows what each data set contains and the terms of its use.
    """
    context.obj = {"data_dir": data_dir, "as_json": as_json}
    if context.invoked_subcommand is None:
        _write_list(data_dir, as_json)


@datasets_command.command("fetch")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_data_dir
@click.option("--again", is_flag=True, help="Download a data set that is there already, and replace it.")
@click.option("--mirror", metavar="URL", help="Download the files from this address instead.")
@as_json
@click.pass_context
def fetch_command(
    context: click.Context,
    *,
    names: tuple[str, ...],
    data_dir: str | None,
    again: bool,
    mirror: str | None,
    as_json: bool,
) -> None:
    """Download data sets.

    They are downloaded from where they are published into the data folder. Files are compared with their published
    checksums. If there is none, the checksum of the first download is kept beside the data, and later downloads are
    compared with it. The terms of use are shown; by fetching a data set you accept them.
    """
    from tacit.checks import check_choice
    from tacit.datasets.data_files import data_folder
    from tacit.datasets.fetching import fetch_dataset, homes
    from tacit.datasets.registry import dataset_names

    as_json = as_json or context.obj["as_json"]
    for name in names:
        check_choice("NAME", name, tuple(homes()))
    folder = data_folder(data_dir or context.obj["data_dir"])
    known = dataset_names()
    answers = []
    for name in names:
        home = homes()[name]
        print(f"{name}, about {home.megabytes} MB, from {home.page}", file=sys.stderr)
        _write_indented(f"Terms: {known[name].licence}", sys.stderr)
        with ShownStages() as show:
            found = fetch_dataset(name, folder, again=again, mirror=mirror, report=show.download)
        answers.append({**asdict(found), "licence": known[name].licence})
        if not as_json:
            _write_fetched(found)
    if as_json:
        write_json({"fetched": answers})


def _write_list(data_dir: str | None, as_json: bool) -> None:
    from tacit.datasets.data_files import data_folder
    from tacit.datasets.fetching import is_there
    from tacit.datasets.registry import dataset_names
    from tacit.errors import InputError

    folder: Path | None = None
    with contextlib.suppress(InputError):  # a list needs no folder
        folder = data_folder(data_dir)
    known = dataset_names()
    here = {
        name: about.home is None or (folder is not None and is_there(name, folder)) for name, about in known.items()
    }
    if as_json:
        facts = [
            {
                "name": name,
                "description": about.description,
                "records": about.n_records,
                "licence": about.licence,
                "home": None if about.home is None else about.home.page,
                "megabytes": 0 if about.home is None else about.home.megabytes,
                "builds": about.has_records,
                "here": here[name],
            }
            for name, about in known.items()
        ]
        write_json({"folder": None if folder is None else str(folder), "datasets": facts})
        return
    width = max(map(len, known))
    for name, about in known.items():
        state = "built in" if about.home is None else "here" if here[name] else f"{about.home.megabytes} MB to fetch"
        count = "" if about.n_records is None else f"{about.n_records:,} records"
        print(f"{name.ljust(width)}  {count:>14}  {state}")
        _write_indented(about.description)
        _write_indented(f"Terms: {about.licence}")
    none = "No data folder: name one with --data-dir, or set TACIT_DATA."
    print(f"\n{none if folder is None else f'Data folder: {folder}'}")
    print("Fetch one with: tacit datasets fetch NAME")
    print("Build an index of one with: tacit build --dataset NAME")


def _write_indented(text: str, file: Any = None) -> None:
    width = min(shutil.get_terminal_size().columns, 100)
    print(textwrap.fill(text, width, initial_indent="    ", subsequent_indent="    "), file=file)


def _write_fetched(found: Fetched) -> None:
    if found.was_there:
        print(f"{found.name} is already in {found.folder}. Add --again to download it again.")
        return
    print(f"{found.name} is now in {found.folder}.")
    if found.checked:
        print(f"{_files(found.checked)}: agrees with the published checksum.")
    if found.remembered:
        print(f"{_files(found.remembered)}: agrees with the checksum of an earlier fetch.")
    if found.recorded:
        print(
            f"{_files(found.recorded)}: no checksum is published. The checksum of this download was written to "
            f"{found.name}.sources.json beside the data; later downloads are compared with it."
        )


def _files(files: tuple[str, ...]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files"
