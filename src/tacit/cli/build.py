"""`tacit build` and `tacit refit`: from a file of records to a folder that answers, and anew from what it holds."""

from __future__ import annotations

import contextlib
import re
import shlex
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.cli.common.model_options import ModelOptions, model_options, read_settings, read_taxonomy
from tacit.cli.common.options import as_json, examples, index_argument, opened
from tacit.cli.common.output import write_json, write_note
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.reading_options import (
    ReadingOptions,
    load_vectors,
    quiet_option,
    read_given,
    reading_options,
    vectors_option,
    wait_option,
    without_repetition,
)
from tacit.errors import InputError, TacitWarning

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection
    from tacit.tasks.info import IndexInfo

__all__ = ["build_command", "refit_command"]


@click.command(
    "build",
    short_help="Build an index of a file of records.",
    epilog=examples(
        "tacit build books.csv",
        "tacit build books.csv --text title,abstract --labels subjects --taxonomy subjects.ttl",
        "tacit build papers.jsonl --link authors --language german --stem -o papers.tacit",
    ),
)
@click.option(
    "-o", "--output", metavar="FOLDER", help="Folder of the index.  [default: name of the source with .tacit, here]"
)
@click.option("--replace", is_flag=True, help="Replace an index that is there; it stays if anything goes wrong.")
@reading_options
@model_options
@vectors_option
@wait_option
@as_json
@quiet_option
def build_command(
    *,
    asked: ReadingOptions,
    chosen: ModelOptions,
    output: str | None,
    replace: bool,
    vectors: str | None,
    wait: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Build an index of the records in files or folders.

    JSON lines, CSV, TSV, Parquet, folders of texts and Annif's corpora are read, also with .gz. Columns are guessed
    from their names. The model follows from what the records have: words alone (LSI), labels (MLSI), labels with a
    taxonomy, or links to other things (M-LSA).
    """
    started = time.perf_counter()
    with ShownStages(quiet=quiet) as show, without_repetition(), _as_many_as_there_are(chosen):
        settings = read_settings(chosen)
        given = read_given(asked, progress=lambda n, share: show(_moment(n, share)))
        path = Path(output or f"{given.name}.tacit")
        if not replace:
            _check_new(path)
        from tacit.tasks.build.build import build

        try:
            build(
                given.records,
                path,
                changed(settings, reading=given.settings),
                taxonomy=read_taxonomy(chosen, asked.dataset, asked.data_dir),
                vectors=load_vectors(vectors),
                replace_old=replace,
                report=show,
                wait=wait,
            )
        except InputError:
            if given.n_problems:  # what was left out of the records may well be the reason
                write_note(given.summary())
            raise
    if as_json:
        write_json({**_facts(path, started), "reading": given.to_facts()})
    elif not quiet:
        with opened(str(path)) as collection:
            print(f"\n{given.summary()}\n\n{_summary(path, collection.info())}\n\n{_next_steps(path, collection)}")


@click.command(
    "refit",
    short_help="Fit the space of an index to the records it has now.",
    epilog=examples(
        "tacit refit books.tacit",
        "tacit refit books.tacit --dimensions 200 --set label_weight=0.7",
    ),
)
@index_argument
@model_options
@vectors_option
@wait_option
@as_json
@quiet_option
def refit_command(
    *, index: str, chosen: ModelOptions, vectors: str | None, wait: float, as_json: bool, quiet: bool
) -> None:
    """Fit the space of an index to the records it has now.

    Records that were added are placed by the words of the last fit; a refit lets them shape the space, and learns their
    words and labels. What is not said is as it was. The old space answers until the new one is there.
    """
    started = time.perf_counter()
    with ShownStages(quiet=quiet) as show:
        from tacit.tasks.build.build import refit
        from tacit.tasks.build.settings import BuildSettings

        with opened(index) as collection:
            settings = read_settings(chosen, BuildSettings.from_facts(collection.settings["build"]))
        refit(
            index,
            settings,
            taxonomy=read_taxonomy(chosen),
            without_taxonomy=chosen.taxonomy == "none",
            vectors=load_vectors(vectors),
            report=show,
            wait=wait,
        )
    if as_json:
        write_json(_facts(Path(index), started))
    elif not quiet:
        with opened(index) as collection:
            print(_summary(Path(index), collection.info()))


@contextlib.contextmanager
def _as_many_as_there_are(chosen: ModelOptions) -> Iterator[None]:
    """Leave out the warning that a small collection has fewer dimensions, if nobody has asked for a number."""
    with warnings.catch_warnings():
        if chosen.dimensions is None:
            warnings.filterwarnings("ignore", r"n_components=\d+ is more than", TacitWarning)
        yield


def _moment(n_records: int, share: float) -> Any:
    """How far the reading is, as a moment of its stage."""
    from tacit.tasks.stage_progress import StageEvent

    return StageEvent("reading", "advance", f"{n_records:,} records", share=share)


def _check_new(path: Path) -> None:
    """Refuse an index that is there before anything is read."""
    if (path.expanduser() / "CURRENT").exists():
        raise InputError(
            f"--output is an index already: got {str(path)!r}, expected a new folder. Name another with -o, or add "
            "--replace."
        )


def _facts(path: Path, started: float) -> dict[str, Any]:
    """What was made, for programs."""
    with opened(str(path)) as collection:
        found = collection.info()
    names = ("records", "labels", "terms", "dimensions", "model", "parameters", "suggester", "taxonomy_nodes", "bytes")
    facts = {"index": str(path), **{name: getattr(found, name) for name in names}}
    return {**facts, "seconds": round(time.perf_counter() - started, 2)}


def _summary(path: Path, found: IndexInfo) -> str:
    """What was made, for people."""
    from tacit.checks import human_size

    parts = [f"{found.records:,} records", f"{found.terms:,} words" if found.text else f"vectors of {found.terms:,}"]
    if found.labels:
        parts.append(f"{found.labels:,} labels")
    if found.taxonomy_nodes:
        parts.append(f"a taxonomy of {found.taxonomy_nodes:,}")
    parts += [f"{n:,} {name}" for name, n in found.links.items()]
    listed = ", ".join(parts[:-1]) + " and " + parts[-1]
    size = human_size(found.bytes)
    return f"{path} is ready: {found.model} in {found.dimensions} dimensions, from {listed} ({size})."


def _next_steps(path: Path, collection: Collection) -> str:
    """What to try, ready to be copied: words of a record that is there."""
    first = next((record for _, record in collection.store.records(batch=1)), None)
    words = " ".join(re.findall(r"\w+", (first.title or first.text) if first else "")[:5]) or "words"
    index = shlex.quote(str(path))
    steps = [f"  tacit search {index} {shlex.quote(words)}"]
    if collection.suggester is not None:
        steps.append(f"  tacit suggest {index} {shlex.quote(words)}")
    return "\n".join(["Try next:", *steps, f"  tacit map {index}"])
