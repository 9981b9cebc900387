"""`tacit info`, `tacit verify` and `tacit export`: what an index contains, whether it is damaged, and copies of it."""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.checks import human_size
from tacit.cli.common.options import as_json, examples, index_argument, opened, quiet_option
from tacit.cli.common.output import write_json, write_note
from tacit.cli.common.progress import ShownStages
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.tasks.info import IndexInfo

__all__ = ["export_command", "info_command", "verify_command"]


@click.command("info")
@index_argument
@as_json
def info_command(*, index: str, as_json: bool) -> None:
    """Show what an index contains and how it was built."""
    from tacit.tasks.info import info

    with opened(index) as collection:
        found = info(collection)
    if as_json:
        write_json(found.to_facts())
        return
    rows = _rows(found)
    width = max(len(name) for name, _ in rows)
    room = shutil.get_terminal_size().columns - width - 2 if sys.stdout.isatty() else 0
    for name, value in rows:
        lines = textwrap.wrap(value, max(room, 20)) if room else [value]
        print(f"{name:<{width}}  " + f"\n{'':<{width}}  ".join(lines))
    if found.refit_due:
        write_note(f"{found.changed_share:.0%} of the records changed since the last fit. Refit: tacit refit {index}")


@click.command("verify")
@index_argument
@as_json
def verify_command(*, index: str, as_json: bool) -> None:
    """Check every file of an index for damage.

    Each problem is printed in a line; the exit code is 1 if there is any.
    """
    if not Path(index).expanduser().exists():
        raise InputError(f"INDEX does not exist: got {index!r}, expected the folder of an index. Build one first.")
    with ShownStages() as show:
        show.begin("checking")
        from tacit.index import verify

        problems = verify(index)
    if as_json:
        write_json({"index": index, "sound": not problems, "problems": problems})
    elif problems:
        print("\n".join(problems))
    else:
        print(f"{index} is undamaged.")
    if problems:
        sys.exit(1)


@click.command(
    "export",
    epilog=examples(
        "tacit export books.tacit",
        "tacit export books.tacit --format parquet -o books.parquet",
        "tacit export books.tacit --format npy -o books-positions",
        "tacit export books.tacit --site books-site",
    ),
)
@index_argument
@click.option("-o", "--output", metavar="PATH", help="File to write, or folder for npy.  [default: name of the index]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "npy", "parquet"]),
    help="JSON lines, Parquet, or positions.npy with ids.json.  [default: by the output, or jsonl]",
)
@click.option("--site", metavar="FOLDER", help="Write the explorer as a folder for any web server.")
@click.option("--dimensions", "n_axes", type=int, metavar="NUMBER", help="Dimensions of a site.  [default: all]")
@click.option("--no-text", is_flag=True, help="Leave out the texts; a site keeps their beginnings.")
@click.option("--replace", is_flag=True, help="Replace an existing export.")
@as_json
@quiet_option
def export_command(
    *, index: str, output: str | None, form: str | None, site: str | None, n_axes: int | None, **options: Any
) -> None:
    """Write records for other programs, or the explorer as a site.

    The vectors are the positions of the records in the space. Added records are included, removed ones are not.
    Compare positions by their cosine.

    A site needs no service: the browser searches by meaning, suggests labels of the nearest records and draws the map
    from the files in the folder. Its size is printed before anything is written.
    """
    if site is not None:
        if output is not None or form is not None:
            raise InputError("--site is combined with --output or --format: expected one of them. Export twice.")
        _write_site(index, Path(site), n_axes, **options)
        return
    if n_axes is not None:
        raise InputError("--dimensions is for sites: got it without --site. Add --site FOLDER, or leave it out.")
    _write_records(index, output, form, **options)


def _write_records(
    index: str, output: str | None, form: str | None, *, no_text: bool, replace: bool, as_json: bool, quiet: bool
) -> None:
    form = form or ("parquet" if str(output).endswith((".parquet", ".pq")) else "jsonl")
    name = Path(index).expanduser().absolute().name.removesuffix(".tacit") or "index"
    path = Path(output or (f"{name}-positions" if form == "npy" else f"{name}.{form}"))
    with ShownStages(quiet=quiet) as show, opened(index) as collection:
        from tacit.tasks.export import export
        from tacit.tasks.stage_progress import StageReporter

        stages = StageReporter(show)
        stages.begin("exporting")
        settings: dict[str, Any] = {"format": form, "texts": not no_text, "replace_old": replace}
        n_records = export(collection, path, progress=lambda n: stages.advance(f"{n:,} records"), **settings)
        n_dimensions = collection.space.n_dimensions
    if as_json:
        write_json({"path": str(path), "format": form, "records": n_records, "dimensions": n_dimensions})
    elif not quiet:
        print(f"{n_records:,} records with positions of {n_dimensions} dimensions written to {path}.")


def _write_site(
    index: str, path: Path, n_axes: int | None, *, no_text: bool, replace: bool, as_json: bool, quiet: bool
) -> None:
    from tacit.serve.site.write_site import site_size, write_site

    with ShownStages(quiet=quiet) as show, opened(index) as collection:
        if not quiet and not as_json:
            size = human_size(site_size(collection, n_axes=n_axes, texts=not no_text))
            write_note(f"the site will take about {size}.")
        found = write_site(collection, path, n_axes=n_axes, texts=not no_text, replace_old=replace, report=show)
    if as_json:
        write_json(found.to_facts())
        return
    if quiet:
        return
    size = human_size(found.bytes)
    print(f"{found.records:,} records, {found.labels:,} labels and their map written to {path} ({size}).")
    if found.agreement is not None:
        print(f"Of the ten nearest records of a text, the site finds {10 * found.agreement:.1f} as the index does.")
    print(f"To look at it: python3 -m http.server --directory {path}")


def _rows(found: IndexInfo) -> list[tuple[str, str]]:
    """Return names and values to show; empty values are left out."""
    from tacit.checks import human_size

    changes = f" ({found.added:,} added and {found.removed:,} removed since the fit)"
    stop_words = found.text.get("stop_words")
    text = {**found.text, "stop_words": f"{len(stop_words):,} given"} if isinstance(stop_words, list) else found.text
    rows = [
        ("index", found.path),
        ("records", f"{found.records:,}{changes if found.added or found.removed else ''}"),
        ("labels", f"{found.labels:,}"),
        ("taxonomy", f"{found.taxonomy_nodes:,} nodes" if found.taxonomy_nodes else ""),
        ("vocabulary", "" if found.taxonomy_nodes or not found.vocabulary_nodes else _vocabulary(found)),
        ("label language", _languages(found)),
        *((name, f"{n:,} linked") for name, n in found.links.items()),
        ("words", f"{found.terms:,}" if found.text else "none: built from vectors alone"),
        ("vectors", f"{found.numbers:,} numbers each" if found.numbers else ""),
        ("dimensions", f"{found.dimensions:,}"),
        ("model", found.model),
        ("parameters", _listed(found.parameters)),
        ("weights", _weights(found.weights)),
        ("suggester", found.suggester),
        ("corrections", f"{found.corrections:,} texts learned" if found.corrections else ""),
        ("text", _listed(text)),
        ("read from", _source(found.reading)),
        ("size", human_size(found.bytes)),
        ("fitted", found.created),
        ("versions", _listed(found.versions, " ")),
    ]
    waiting = [f"{found.new_words:,} words"] if found.new_words else []
    waiting += [f"{found.new_labels:,} labels"] if found.new_labels else []
    rows.append(("new since the fit", f"{' and '.join(waiting)}, which a refit learns" if waiting else ""))
    return [(name, value) for name, value in rows if value]


def _vocabulary(found: IndexInfo) -> str:
    return f"{found.vocabulary_nodes:,} subjects, with nothing above them"


def _languages(found: IndexInfo) -> str:
    """Return the language of labels, and others that have names."""
    others = [tag for tag in found.label_languages if tag != found.label_language]
    if not found.label_language:
        return ""
    return found.label_language + (f"; names also in {', '.join(others)}" if others else "")


def _weights(weights: dict[str, float]) -> str:
    """Return how much each view counts, the most first, and what was left out."""
    used = sorted((name for name, weight in weights.items() if weight > 0), key=lambda name: -weights[name])
    unused = [name for name in weights if name not in used]
    left_out = f"; left out: {', '.join(unused)}" if unused else ""
    return ", ".join(f"{name} {weights[name]:g}" for name in used) + left_out


def _listed(facts: dict[str, Any], sign: str = "=") -> str:
    return ", ".join(f"{name}{sign}{value}" for name, value in facts.items() if value is not None)


def _source(reading: dict[str, Any]) -> str:
    """Return the source of the records and the roles of its columns."""
    if "dataset" in reading:
        return f"data set {reading['dataset']}"
    said = [", ".join(reading.get("source", []))]
    for role in ("text", "labels", "id", "title", "links"):
        names = reading.get("columns", {}).get(role)
        if names:
            said.append(f"{role} from {names if isinstance(names, str) else ', '.join(names)}")
    return "; ".join(said)
