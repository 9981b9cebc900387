"""`tacit build` and `tacit refit`: from files of records to an index, and a new fit to its current records."""

from __future__ import annotations

import itertools
import re
import shlex
import time
import warnings
from dataclasses import replace as changed
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.checks import check_count, human_size
from tacit.cli.common.model_options import (
    SETTINGS_HELP,
    ModelOptions,
    model_options,
    read_settings,
    read_taxonomy,
    title_weight,
)
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
from tacit.cli.common.output import filled, write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.cli.common.reading_options import (
    ReadingOptions,
    load_vectors,
    open_records,
    reading_options,
    vectors_only_option,
    vectors_option,
)
from tacit.errors import InputError, TacitWarning
from tacit.text.languages import likely_language

if TYPE_CHECKING:
    from tacit.tasks.build.settings import BuildSettings
    from tacit.tasks.build.stages.estimate import Sketch
    from tacit.tasks.collection import Collection
    from tacit.tasks.info import IndexInfo

__all__ = ["build_command", "estimate_command", "refit_command"]


@click.command(
    "build",
    cls=SectionedCommand,
    epilog=SETTINGS_HELP
    + "\n\n"
    + examples(
        "tacit build books.csv",
        "tacit build books.csv --text title,abstract --labels subjects --taxonomy subjects.ttl",
        "tacit build papers.jsonl --link authors --language german --stem -o papers.tacit",
        "tacit build records/ --cluster tcp://10.0.0.1:8786 -o /shared/records.tacit",
    ),
)
@reading_options
@vectors_option
@vectors_only_option
@model_options
@option_in("Size", "--memory", metavar="SIZE", help="Memory that the build may take: 4GB, 800MB.  [default: all]")
@option_in("Size", "--shards", type=int, metavar="N", help="Spread the records over N parts, searched side by side.")
@option_in(
    "Size",
    "--cluster",
    metavar="ADDRESS",
    help="Build with a Dask cluster: the address of its scheduler, or local:4 for four processes on this machine.",
)
@option_in("Size", "--resume", is_flag=True, help="Go on with the same build if it was interrupted.")
@option_in(
    "Output",
    "-o",
    "--output",
    metavar="FOLDER",
    help="Folder of the index.  [default: name of the source with .tacit, in the current folder]",
)
@option_in("Output", "--replace", is_flag=True, help="Replace an existing index; it is kept if the build fails.")
@wait_option
@as_json
@quiet_option
def build_command(
    *,
    reading: ReadingOptions,
    space: ModelOptions,
    output: str | None,
    replace: bool,
    memory: str | None,
    shards: int | None,
    cluster: str | None,
    resume: bool,
    vectors: str | None,
    vectors_only: bool,
    wait: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Build an index from files of records.

    Reads JSON lines, CSV, TSV, Parquet, Excel, SQLite, MARC, Dublin Core, BibTeX, RIS, CSL-JSON, folders of texts,
    Markdown, HTML or PDF, and Annif's corpora, optionally gzipped. Columns are guessed from their names. The model
    depends on what the records have: words only (LSI), or also labels, a taxonomy of them or links to other things
    (MLSI, from all of these). How much each of them counts is found in a trial. Records with more links than words,
    such as films and the people who rated them, get M-LSA.
    """
    started = time.perf_counter()
    if vectors_only and vectors is None:
        raise InputError("--vectors-only needs vectors: got none. Add --vectors FILE.npy.")
    with ShownStages(quiet=quiet) as show, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the files have problems", TacitWarning)  # the summary lists them
        if space.dimensions is None:
            warnings.filterwarnings("ignore", r"n_components=\d+ is more than", TacitWarning)
        settings = read_settings(space)
        if memory is not None and cluster is None and not quiet:
            _tell_plan(reading, space, settings, memory, show)
        records = open_records(
            reading,
            title_weight=title_weight(space),
            progress=show.records_read,
        )
        path = Path(output or f"{records.name}.tacit")
        if not replace and (path.expanduser() / "CURRENT").exists():
            raise InputError(
                f"--output is an existing index: got {str(path)!r}, expected a new folder. Choose another with -o, or "
                "add --replace."
            )
        from tacit.tasks.build.build import build

        try:
            build(
                records.records,
                path,
                changed(settings, reading=records.settings, vectors_only=vectors_only),
                taxonomy=read_taxonomy(space, reading.dataset, reading.data_dir),
                vectors=load_vectors(vectors),
                replace_old=replace,
                memory=memory,
                shards=shards,
                cluster=cluster,
                resume=resume,
                report=show,
                wait=wait,
            )
        except InputError:
            if records.n_problems:  # the records that were left out may be the reason
                write_note(records.summary())
            raise
    if quiet and not as_json:
        records.warn_of_problems()
        return
    from tacit.tasks.info import info

    with opened(str(path), done=f"{path} is built") as collection:
        found = info(collection)
        if as_json:
            write_json({**_facts(path, found, started), "reading": records.to_facts()})
        else:
            if space.language is None and (language := _other_language(collection)):
                write_note(
                    f"most texts seem to be {language.capitalize()}, and the index leaves out words as for English. To "
                    f"leave out those of {language.capitalize()}, add --language {language} --replace to the command."
                )
            print(f"\n{records.summary()}\n\n{filled(_sentence(path, found))}\n\n{_next_steps(path, collection)}")


@click.command(
    "estimate",
    cls=SectionedCommand,
    epilog=examples(
        "tacit estimate library.jsonl",
        "tacit estimate library.jsonl --memory 4GB",
        "tacit estimate library.jsonl --records 100000000 --machines 10",
    ),
)
@reading_options
@model_options
@option_in("Size", "--memory", metavar="SIZE", help="Limit of memory for the build: 4GB, 800MB.  [default: none]")
@option_in("Size", "--records", type=int, metavar="NUMBER", help="Estimate for so many records of this kind.")
@option_in("Size", "--machines", type=int, metavar="NUMBER", help="Simulate a build in shards on several machines.")
@option_in("Size", "--cores", type=int, default=8, show_default=True, metavar="NUMBER", help="Cores of each machine.")
@option_in(
    "Size", "--shard", type=int, default=5_000_000, show_default=True, metavar="NUMBER", help="Records of each shard."
)
@as_json
def estimate_command(
    *,
    reading: ReadingOptions,
    space: ModelOptions,
    memory: str | None,
    records: int | None,
    machines: int | None,
    cores: int,
    shard: int,
    as_json: bool,
) -> None:
    """Estimate time, memory and disk of a build.

    The first 5,000 records of the files are read, and nothing is written. Costs are measured constants of one
    machine, for records of a library: expect half to twice as much on yours. With --machines, a build in shards is
    simulated: one space is fitted, and each core then makes one shard after the other, as 'tacit build --cluster' does.
    """
    from tacit.tasks.build.stages.estimate import estimate_build, spread
    from tacit.tasks.build.stages.plan import parse_memory

    for name, value in (("records", records), ("machines", machines), ("cores", cores), ("shard", shard)):
        if value is not None:
            check_count(name, value)
    settings = read_settings(space)
    found = _sketched(reading, space, settings)
    if records is not None:
        found = found.grown(records, settings.text.max_terms)
    limit = None if memory is None else parse_memory(memory)
    if machines is not None:
        given: dict[str, Any] = {} if limit is None else {"memory": limit}
        parts = spread(found, settings, found.n_records, shard=shard, n_machines=machines, n_cores=cores, **given)
        if as_json:
            write_json(parts.to_facts())
        else:
            print(filled(parts.sentence(found.n_records)))
        return
    cost = estimate_build(found, settings, limit)
    if as_json:
        write_json(cost.to_facts())
        return
    rows = [(s.name, f"{s.seconds:,.0f}", human_size(s.memory), human_size(s.disk)) for s in cost.stages]
    write_table(("stage", "seconds of a core", "memory", "disk"), rows, empty="")
    print(f"\n{filled(cost.sentence() + '.')}")
    if cost.limits is not None:
        print(filled(f"{cost.limits.sentence(found.n_records).capitalize()}."))
    else:
        print(filled(f"With --memory, at least {human_size(cost.least_memory)} are needed."))


def _tell_plan(
    reading: ReadingOptions, space: ModelOptions, settings: BuildSettings, memory: str, show: ShownStages
) -> None:
    """Say what a build with a limit of memory will take, before it begins."""
    from tacit.tasks.build.stages.estimate import estimate_build
    from tacit.tasks.build.stages.plan import parse_memory
    from tacit.tasks.stage_progress import StageReporter

    limit, say = parse_memory(memory), StageReporter(show)
    say.begin("estimate")
    found = _sketched(reading, space, settings)
    cost = estimate_build(found, settings)
    if limit < cost.least_memory:
        say.end(f"about {human_size(cost.least_memory)} of memory may be needed for about {found.n_records:,} records")
        return
    cost = estimate_build(found, settings, limit)
    assert cost.limits is not None
    say.end(f"{cost.sentence()}; {cost.limits.sentence(found.n_records)}")


def _sketched(reading: ReadingOptions, space: ModelOptions, settings: BuildSettings) -> Sketch:
    """Look at the first records."""
    from tacit.tasks.build.stages.estimate import sketch

    done = [(0, 1.0)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the files have problems", TacitWarning)
        opened = open_records(
            reading, title_weight=title_weight(space), progress=lambda n, part: done.append((n, part))
        )
        return sketch(opened.records, settings, lambda: done[-1])


@click.command(
    "refit",
    cls=SectionedCommand,
    otherwise=dict.fromkeys(("Space", "Words", "Suggester"), "as in the last fit"),
    epilog=SETTINGS_HELP
    + "\n\n"
    + examples("tacit refit books.tacit", "tacit refit books.tacit --dimensions 200 --set label_weight=0.7"),
)
@index_argument
@model_options
@vectors_option
@vectors_only_option
@option_in("Size", "--shards", type=int, metavar="N", help="Number of shards.  [default: as many as there are]")
@option_in(
    "Space", "--warm", is_flag=True, help="Start from the space that is there: keep its weights, without a trial."
)
@wait_option
@as_json
@quiet_option
def refit_command(
    *,
    index: str,
    space: ModelOptions,
    vectors: str | None,
    vectors_only: bool,
    shards: int | None,
    warm: bool,
    wait: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Fit the space of an index again, to its current records.

    Records that were added are placed by what the last fit knows; a refit learns their new words and labels. Options
    that are not given are as in the last fit. The old space stays in use until the new one is complete. With --warm,
    how much words, labels and links count stays as it was.
    """
    started = time.perf_counter()
    with ShownStages(quiet=quiet) as show:
        from tacit.tasks.build.build import refit
        from tacit.tasks.build.settings import BuildSettings

        with opened(index) as collection:
            settings = read_settings(space, BuildSettings.from_facts(collection.settings["build"]))
            by_words = collection.space.words is not None
        if title_weight(space) is not None:
            raise InputError("--set title_weight is for 'tacit build': got it for a refit, which reads no files.")
        if vectors_only or by_words:  # an index of words keeps them, unless it is told not to
            settings = changed(settings, vectors_only=vectors_only)
        refit(
            index,
            settings,
            taxonomy=read_taxonomy(space),
            without_taxonomy=space.taxonomy == "none",
            vectors=load_vectors(vectors),
            shards=shards,
            warm=warm,
            report=show,
            wait=wait,
        )
    if quiet and not as_json:
        return
    from tacit.tasks.info import info

    with opened(index, done=f"{index} is refitted") as collection:
        found = info(collection)
    if as_json:
        write_json(_facts(Path(index), found, started))
    else:
        print(filled(_sentence(Path(index), found)))


def _other_language(collection: Collection) -> str:
    """Return the language of most texts if it is not English, whose stop words were left out; else ""."""
    if collection.space.words is None:
        return ""
    first = itertools.islice(collection.store.records(batch=_LOOKED_AT), _LOOKED_AT)
    found = likely_language(record.text for _, record in first)
    return "" if found == "english" else found


_LOOKED_AT = 200  # records whose language is guessed


def _facts(path: Path, found: IndexInfo, started: float) -> dict[str, Any]:
    names = ["records", "labels", "terms", "dimensions", "model", "weights", "parameters"]
    names += ["suggester", "taxonomy_nodes", "vocabulary_nodes", "label_language", "bytes"]
    facts = {"index": str(path), **{name: getattr(found, name) for name in names}}
    return {**facts, "seconds": round(time.perf_counter() - started, 2)}


def _sentence(path: Path, found: IndexInfo) -> str:
    """Return a sentence on what the index contains."""
    from tacit.checks import human_size

    parts = [f"{found.records:,} records"]
    if found.terms:
        parts.append(f"{found.terms:,} words")
    if found.numbers:
        parts.append(f"vectors of {found.numbers:,}")
    if found.labels:
        parts.append(f"{found.labels:,} labels")
    if found.taxonomy_nodes and found.weights.get("taxonomy", 1):
        parts.append(f"a taxonomy of {found.taxonomy_nodes:,}")
    elif found.vocabulary_nodes:
        parts.append(f"names of {found.vocabulary_nodes:,} subjects")
    parts += [f"{n:,} linked by {name}" for name, n in found.links.items() if found.weights.get(name, 1)]
    made = f"{found.model} in {found.dimensions} dimensions, from {', '.join(parts[:-1])} and {parts[-1]}"
    return f"{path} is ready: {made} ({human_size(found.bytes)})."


def _next_steps(path: Path, collection: Collection) -> str:
    """Return commands to try, with words of a record."""
    first = next((record for _, record in collection.store.records(batch=1)), None)
    words = " ".join(re.findall(r"\w+", (first.title or first.text) if first else "")[:5]) or "words"
    index = shlex.quote(str(path))
    steps = [f"  tacit search {index} {shlex.quote(words)}"]
    if first is not None and not first.text:
        steps = [f"  tacit similar {index} {shlex.quote(first.id)}"]
    if collection.suggester is not None or collection.panel is not None:
        steps.append(f"  tacit suggest {index} {shlex.quote(words)}")
    return "\n".join(["Try next:", *steps, f"  tacit map {index}"])
