"""`tacit add`, `tacit update` and `tacit remove`: change records without a refit, completely or not at all."""

from __future__ import annotations

import shlex
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.options import (
    SectionedCommand,
    as_json,
    examples,
    index_argument,
    opened,
    option_in,
    quiet_option,
    wait_option,
)
from tacit.cli.common.output import write_json, write_note
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.reading_options import (
    ReadingOptions,
    load_vectors,
    open_records,
    reading_options,
    vectors_option,
)
from tacit.errors import InputError, TacitWarning

if TYPE_CHECKING:
    from tacit.cli.common.reading_options import OpenedRecords

__all__ = ["add_command", "remove_command", "update_command"]


_AS_BUILT = {"Columns": "as for the records of the index"}


@click.command(
    "add",
    cls=SectionedCommand,
    otherwise=_AS_BUILT,
    epilog=examples("tacit add books.tacit new-books.csv", "tacit add books.tacit notes.jsonl --text note --labels ''"),
)
@index_argument
@reading_options
@vectors_option
@option_in("Output", "--replace-existing", is_flag=True, help="Replace records whose ids are in the index already.")
@wait_option
@as_json
@quiet_option
def add_command(
    *, index: str, reading: ReadingOptions, vectors: str | None, replace_existing: bool, **options: Any
) -> None:
    """Add records to an index.

    They are placed by their words, labels and links, without a refit. Columns are those that the index was built from,
    unless others are given. If an id is in the index already, nothing is added, unless --replace-existing is given.
    """
    _change("upsert" if replace_existing else "add", "added", index, reading, vectors, **options)


@click.command(
    "update", cls=SectionedCommand, otherwise=_AS_BUILT, epilog=examples("tacit update books.tacit corrected.csv")
)
@index_argument
@reading_options
@vectors_option
@wait_option
@as_json
@quiet_option
def update_command(*, index: str, reading: ReadingOptions, vectors: str | None, **options: Any) -> None:
    """Replace the content of records in an index.

    Their ids stay the same. Text, labels, links and fields of a record are all replaced. If an id is not in the
    index, nothing is changed.
    """
    _change("update", "updated", index, reading, vectors, **options)


@click.command(
    "remove", epilog=examples("tacit remove books.tacit b17 b23", "tacit remove books.tacit --ids-from withdrawn.txt")
)
@index_argument
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--ids-from", metavar="FILE", help="Read ids from a file, one per line; - for standard input.")
@wait_option
@as_json
@quiet_option
def remove_command(
    *, index: str, ids: tuple[str, ...], ids_from: str | None, wait: float, as_json: bool, quiet: bool
) -> None:
    """Remove records from an index.

    If an id is not in the index, nothing is removed.
    """
    wanted = list(dict.fromkeys([*ids, *(() if ids_from is None else _ids_in(ids_from))]))
    if not wanted:
        raise InputError("ID is missing: got none, expected at least one, or --ids-from FILE.")
    with opened(index) as collection:
        n_changed = collection.remove(wanted, wait=wait)
    _tell("removed", index, n_changed, None, as_json=as_json, quiet=quiet)


def _change(
    verb: str,
    done: str,
    index: str,
    reading: ReadingOptions,
    vectors: str | None,
    *,
    wait: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Read the records as those of the index were read, and add them or replace others with them."""
    with ShownStages(quiet=quiet) as show, warnings.catch_warnings(), opened(index) as collection:
        warnings.filterwarnings("ignore", "the files have problems", TacitWarning)  # the summary lists them
        stored = collection.settings.get("build", {}).get("reading")
        given = open_records(reading, stored=stored, progress=show.records_read)
        show.begin("reading")
        records = list(given.records)
        show.begin("adding")
        change = {"add": collection.add, "update": collection.update, "upsert": collection.upsert}[verb]
        n_changed = change(records, vectors=load_vectors(vectors), wait=wait)
    _tell(done, index, n_changed, given, as_json=as_json, quiet=quiet)


def _tell(done: str, index: str, n_changed: int, given: OpenedRecords | None, *, as_json: bool, quiet: bool) -> None:
    """Report what was done, and whether a refit is due."""
    from tacit.tasks.info import info

    with opened(index) as collection:
        found = info(collection)
    if as_json:
        read = {} if given is None else {"reading": given.to_facts()}
        write_json({"index": index, done: n_changed, "records": found.records, "refit_due": found.refit_due, **read})
        return
    if quiet:
        return
    if given is not None:
        print(given.summary())
    print(f"{_counted(n_changed)} {done}; {index} has {_counted(found.records)} now.")
    if found.refit_due:
        write_note(
            f"{found.changed_share:.0%} of the records changed since the last fit. Refit the index: "
            f"tacit refit {shlex.quote(index)}"
        )


def _counted(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def _ids_in(source: str) -> list[str]:
    """Read ids, one per line; empty lines are skipped."""
    try:
        text = sys.stdin.read() if source == "-" else Path(source).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "bytes that are not UTF-8"
        raise InputError(
            f"--ids-from cannot be read: got {said!r} for {source!r}, expected a file of ids, one per line."
        ) from error
    return [line.strip() for line in text.splitlines() if line.strip()]
