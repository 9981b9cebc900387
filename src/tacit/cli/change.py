"""`tacit add`, `update`, `remove` and `learn`: changes without a refit, completely or not at all."""

from __future__ import annotations

import re
import shlex
import sys
import warnings
from dataclasses import replace
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
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.reading_options import (
    ReadingOptions,
    load_vectors,
    open_records,
    reading_options,
    text_reading_options,
    vectors_option,
)
from tacit.errors import InputError, TacitWarning

if TYPE_CHECKING:
    from tacit.cli.common.reading_options import OpenedRecords

__all__ = ["add_command", "learn_command", "remove_command", "update_command"]


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
    _tell({"removed": n_changed}, index, None, as_json=as_json, quiet=quiet)


@click.command(
    "learn",
    cls=SectionedCommand,
    otherwise=_AS_BUILT,
    epilog=examples(
        "tacit learn books.tacit checked.csv",
        "tacit learn books.tacit checked.jsonl --labels accepted --rejected wrong",
        "tacit learn books.tacit --list",
    ),
)
@index_argument
@text_reading_options
@option_in(
    "Columns",
    "--rejected",
    metavar="COLUMN",
    help="Column with labels that a person has rejected; if not given, 'rejected' if there is such a column.",
)
@option_in("Output", "--list", "listed", is_flag=True, help="List what was learned so far, and learn nothing.")
@wait_option
@as_json
@quiet_option
def learn_command(
    *,
    index: str,
    reading: ReadingOptions,
    rejected: str | None,
    listed: bool,
    wait: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Learn from accepted and rejected labels of texts.

    Later suggestions follow them, without a refit. Each text comes with all labels that a person has accepted for it,
    in any format that 'tacit build' reads, and optionally with labels that were rejected. The texts do not become
    records. They are kept with the index, and a refit learns from them again; a text that is learned a second time
    replaces the first.
    """
    if listed:
        if reading.sources or reading.dataset:
            raise InputError("--list is given with SOURCE: got both, expected one of them. Leave one out.")
        _list_corrections(index, as_json=as_json)
        return
    with ShownStages(quiet=quiet) as show, warnings.catch_warnings(), opened(index) as collection:
        warnings.filterwarnings("ignore", "the files have problems", TacitWarning)  # the summary lists them
        given = _open_corrections(reading, rejected, collection.settings.get("build", {}).get("reading"), show)
        show.begin("reading")
        records = list(given.records)
        n_learned = collection.learn(records, report=show, wait=wait)
        n_corrections = len(collection.corrections())
    if as_json:
        write_json({"index": index, "learned": n_learned, "corrections": n_corrections, "reading": given.to_facts()})
    elif not quiet:
        print(given.summary())
        again = "" if n_learned == len(records) else f" of {len(records):,}"
        print(f"{n_learned:,}{again} texts learned; {index} has {n_corrections:,} corrections now.")


def _open_corrections(reading: ReadingOptions, rejected: str | None, stored: Any, show: ShownStages) -> OpenedRecords:
    """Open texts with accepted and rejected labels; columns are those given, or those of the build, or guessed."""
    columns = (stored or {}).get("columns", {})
    kept = {name: value for name, value in columns.items() if name not in ("id", "links", "fields")}
    if kept.get("title") not in (kept.get("text") or ()):
        kept["title"] = ""  # it is not shown, and a file of corrections need not have it
    errors = []
    for known in ({**(stored or {}), "columns": kept}, {}):
        for column in (rejected,) if rejected else ("rejected", None):
            links = () if column is None else (f"rejected={column}",)
            try:
                return open_records(replace(reading, links=links, fields=""), stored=known, progress=show.records_read)
            except InputError as error:
                if "names a column" not in str(error):
                    raise
                errors.append(InputError(re.sub("^links(?= names)", "--rejected", str(error))))
    raise errors[1]  # with the named column in a guess of the others, or without it in those of the build


def _list_corrections(index: str, *, as_json: bool) -> None:
    """Print the corrections that an index has learned from."""
    from tacit.tasks.label_names import title_of

    with opened(index) as collection:
        found = collection.corrections()
        titles = {name: title_of(collection, name) for each in found for name in (*each.accepted, *each.rejected)}
    if as_json:
        write_json({"index": index, "corrections": [each.to_facts() for each in found]})
        return
    rows = [
        (
            each.time.removesuffix("+00:00").replace("T", " "),
            each.source,
            ", ".join(titles[name] for name in each.accepted),
            ", ".join(titles[name] for name in each.rejected),
            each.text if len(each.text) <= _SHOWN_TEXT else f"{each.text[: _SHOWN_TEXT - 1]}…",
        )
        for each in found
    ]
    headings = ("learned (UTC)", "id", "accepted", "rejected", "text")
    write_table(headings, rows, empty=f"{index} has no corrections.")


_SHOWN_TEXT = 60


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
        n_replaced = len({r.id for r in records if r.id in collection.store}) if verb == "upsert" else 0
        n_changed = change(records, vectors=load_vectors(vectors), wait=wait)
    counts = {done: n_changed - n_replaced, **({"replaced": n_replaced} if verb == "upsert" else {})}
    _tell(counts, index, given, as_json=as_json, quiet=quiet)


def _tell(counts: dict[str, int], index: str, given: OpenedRecords | None, *, as_json: bool, quiet: bool) -> None:
    """Report what was done to how many records, and whether a refit is due."""
    from tacit.tasks.info import info

    (done, n_changed), *others = counts.items()
    more = "".join(f", {n:,} {other}" for other, n in others if n)
    with opened(index, done=f"{_counted(n_changed)} {done}{more}") as collection:
        found = info(collection)
    if as_json:
        read = {} if given is None else {"reading": given.to_facts()}
        write_json({"index": index, **counts, "records": found.records, "refit_due": found.refit_due, **read})
        return
    if quiet:
        if given is not None:
            given.warn_of_problems()
        return
    if given is not None:
        print(given.summary())
    print(f"{_counted(n_changed)} {done}{more}; {index} has {_counted(found.records)} now.")
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
