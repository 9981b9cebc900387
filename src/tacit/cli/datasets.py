"""`tacit datasets` and `tacit datasets fetch`."""

from __future__ import annotations

import contextlib
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import as_json, examples
from tacit.cli.common.output import write_json

if TYPE_CHECKING:
    from pathlib import Path

    from tacit.datasets.fetching import Download, Fetched

__all__ = ["datasets_command"]

_data_dir: Any = click.option(
    "--data-dir", metavar="FOLDER", help="Folder of the data sets.  [default: what TACIT_DATA says]"
)


@click.group(
    "datasets",
    invoke_without_command=True,
    short_help="List the data sets that Tacit knows, or fetch one.",
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
    """List the data sets that Tacit knows, with their terms of use, or fetch one."""
    context.obj = {"data_dir": data_dir, "as_json": as_json}
    if context.invoked_subcommand is None:
        _write_list(data_dir, as_json)


@datasets_command.command("fetch", short_help="Download a data set from its public home.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_data_dir
@click.option("--again", is_flag=True, help="Fetch it even if it is there, and replace it.")
@click.option("--mirror", metavar="URL", help="Take the files from this folder on the web instead.")
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
    """Download data sets from their public homes into the data folder.

    Files are held against the checksums that are published; where none is, that of the first download is kept beside
    the data, and later downloads are held against it. The terms of use are shown; by fetching you accept them.
    """
    from tacit.checks import check_choice
    from tacit.datasets.fetching import data_folder, fetch_dataset
    from tacit.datasets.public_homes import HOMES
    from tacit.datasets.registry import dataset_names

    for name in names:
        check_choice("NAME", name, tuple(HOMES))
    folder = data_folder(data_dir or context.obj["data_dir"])
    answers = []
    for name in names:
        _write_terms(name, dataset_names()[name].licence, HOMES[name].page, HOMES[name].megabytes)
        progress = _Progress()
        try:
            found = fetch_dataset(name, folder, again=again, mirror=mirror, report=progress)
        finally:
            progress.end()
        answers.append(found)
        if not (as_json or context.obj["as_json"]):
            _write_fetched(found)
    if as_json or context.obj["as_json"]:
        write_json({"fetched": [_facts(found) for found in answers]})


def _write_list(data_dir: str | None, as_json: bool) -> None:
    from tacit.datasets.fetching import data_folder, is_there
    from tacit.datasets.public_homes import HOMES
    from tacit.datasets.registry import dataset_names
    from tacit.errors import InputError

    folder: Path | None = None
    with contextlib.suppress(InputError):  # a list needs no folder
        folder = data_folder(data_dir)
    known = dataset_names()
    here = {name: name not in HOMES or (folder is not None and is_there(name, folder)) for name in known}
    if as_json:
        facts = [
            {
                "name": name,
                "description": about.description,
                "records": about.n_records,
                "licence": about.licence,
                "home": HOMES[name].page if name in HOMES else None,
                "megabytes": HOMES[name].megabytes if name in HOMES else 0,
                "builds": about.has_records,
                "here": here[name],
            }
            for name, about in known.items()
        ]
        write_json({"folder": None if folder is None else str(folder), "datasets": facts})
        return
    width = max(map(len, known))
    for name, about in known.items():
        state = "built in" if name not in HOMES else "here" if here[name] else f"{HOMES[name].megabytes} MB to fetch"
        count = "" if about.n_records is None else f"{about.n_records:,} records"
        print(f"{name.ljust(width)}  {count:>14}  {state}")
        _write_indented(about.description)
        _write_indented(f"Terms: {about.licence}")
    print()
    where = (
        "No data folder: name one with --data-dir, or set TACIT_DATA." if folder is None else f"Data folder: {folder}"
    )
    print(where)
    print("Fetch one with: tacit datasets fetch NAME")
    print("Build an index of one with: tacit build --dataset NAME")


def _write_indented(text: str, file: Any = None) -> None:
    width = min(shutil.get_terminal_size().columns, 100)
    print(textwrap.fill(text, width, initial_indent="    ", subsequent_indent="    "), file=file)


def _write_terms(name: str, licence: str, page: str, megabytes: int) -> None:
    """The notice that goes with the data; on standard error, where it is in no program's way."""
    print(f"{name}, about {megabytes} MB, from {page}", file=sys.stderr)
    _write_indented(f"Terms: {licence}", sys.stderr)


def _write_fetched(found: Fetched) -> None:
    if found.was_there:
        print(f"{found.name} is already in {found.folder}.")
        return
    print(f"{found.name} is in {found.folder} now.")
    if found.checked:
        print(f"{_files(found.checked)} agreed with the published checksum.")
    if found.remembered:
        print(f"{_files(found.remembered)} agreed with the checksum of an earlier fetch.")
    if found.recorded:
        print(
            f"{_files(found.recorded)}: no checksum is published, so the one seen now was written to "
            f"{found.name}.sources.json beside the data, and the next fetch is held against it."
        )


def _files(files: tuple[str, ...]) -> str:
    return files[0] if len(files) == 1 else f"{len(files)} files"


def _facts(found: Fetched) -> dict[str, Any]:
    from tacit.datasets.registry import dataset_names

    return {
        "name": found.name,
        "folder": str(found.folder),
        "was_there": found.was_there,
        "checked": list(found.checked),
        "remembered": list(found.remembered),
        "recorded": list(found.recorded),
        "licence": dataset_names()[found.name].licence,
    }


class _Progress:
    """One line that changes on a terminal; in a pipe a line a file."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._open = False
        self._said = ""

    def __call__(self, download: Download) -> None:
        of = "" if download.total is None else f" of {download.total / 1e6:.1f}"
        which = f" ({download.number} of {download.n_files})" if download.n_files > 1 else ""
        if self._live:
            print(
                f"\r    {download.done / 1e6:.1f}{of} MB  {download.file}{which}\x1b[K",
                end="",
                file=sys.stderr,
                flush=True,
            )
            self._open = True
        elif self._said != download.file:
            print(f"    downloading {download.file}{which}", file=sys.stderr, flush=True)
            self._said = download.file

    def end(self) -> None:
        if self._open:
            print(file=sys.stderr)
