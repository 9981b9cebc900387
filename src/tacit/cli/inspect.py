"""`tacit info`, `show`, `labels`, `verify`, `backup`, `salvage` and `export`: what an index contains, and copies."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tacit.checks import human_size, shown
from tacit.cli.common.completion import complete_labels
from tacit.cli.common.options import as_json, examples, index_argument, limit_option, opened, quiet_option
from tacit.cli.common.output import shortened, write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.errors import InputError
from tacit.files import did_you_mean_file

if TYPE_CHECKING:
    from tacit.index.keeping.salvage import Salvaged
    from tacit.tasks.info import IndexInfo
    from tacit.tasks.label_tree import LabelTree

__all__ = [
    "backup_command",
    "export_command",
    "info_command",
    "labels_command",
    "salvage_command",
    "show_command",
    "verify_command",
]


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
    _write_rows(_rows(found))
    if found.refit_due:
        write_note(f"{found.changed_share:.0%} of the records changed since the last fit. Refit: tacit refit {index}")


def _write_rows(rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    room = shutil.get_terminal_size().columns - width - 2 if sys.stdout.isatty() else 0
    for name, value in rows:
        lines = textwrap.wrap(value, max(room, 20)) if room else [value]
        print(f"{name:<{width}}  " + f"\n{'':<{width}}  ".join(lines))


@click.command("show", epilog=examples("tacit show books.tacit moby-dick"))
@index_argument
@click.argument("id", metavar="ID")
@as_json
def show_command(*, index: str, id: str, as_json: bool) -> None:
    """Show a record with its labels, links, fields and text."""
    from tacit.tasks.label_names import find_number, title_of

    with opened(index) as collection:
        (record,) = collection.store.get([find_number(collection, id)])
        titles = {label: title_of(collection, label) for label in record.labels}
    links = {name: list(targets) for name, targets in record.links.items()}
    if as_json:
        facts = {"id": record.id, "title": record.title, "text": record.text, "labels": list(record.labels)}
        write_json({**facts, "label_titles": titles, "links": links, "fields": dict(record.fields)})
        return
    called = [title if title == label else f"{title} <{label}>" for label, title in titles.items()]
    rows = [("id", record.id), ("title", record.title), ("labels", ", ".join(called))]
    rows += [(name, "; ".join(targets)) for name, targets in links.items()]
    rows += [
        (name, ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
        for name, value in record.fields.items()
        if name != "label_titles"  # which are beside the labels
    ]
    _write_rows([(name, value) for name, value in rows if value])
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    print()
    for paragraph in record.text.strip().splitlines():
        print(textwrap.fill(paragraph, width) if sys.stdout.isatty() else paragraph)


@click.command("labels", epilog=examples("tacit labels books.tacit", "tacit labels books.tacit whales"))
@index_argument
@click.argument("name", required=False, shell_complete=complete_labels)
@click.option("--depth", type=int, default=2, show_default=True, metavar="NUMBER", help="Levels below the first.")
@limit_option(20, "labels right below a label")
@as_json
def labels_command(*, index: str, name: str | None, depth: int, limit: int, as_json: bool) -> None:
    """List the labels as a tree, or look one up.

    After each label is the number of records that have it or a narrower one. NAME is an id, a notation or a name in
    any language; for the beginning of a name, or one spelt alike, the labels that it may mean are listed.
    """
    from tacit.tasks.label_names import find_label
    from tacit.tasks.label_tree import LabelTree

    if depth < 1:
        raise InputError(f"--depth is out of range: got {depth}, expected a whole number of at least 1.")
    with opened(index) as collection:
        tree = LabelTree(collection)
        try:
            top = None if name is None else find_label(collection, name)
        except InputError:
            _write_alike(collection, tree, str(name), limit, as_json)
            return
        if as_json:
            write_json({"labels": _branches(tree, top, depth, limit), "total": len(tree)})
            return
        if top is not None:
            path = " > ".join([*(one.title for one in tree.path(top)), tree.node(top).title])
            print(f"{path}  {tree.node(top).total:,}  <{top}>")
        elif not tree.below(None, limit=1):
            print("No labels.")
        _print_branches(_branches(tree, top, depth, limit), 0 if top is None else 1, limit)


def _branches(tree: LabelTree, label: str | None, depth: int, limit: int) -> list[dict[str, Any]]:
    """Return what is below a label, as plain data, to a depth."""
    nodes = tree.below(label, limit=limit + 1)
    found: list[dict[str, Any]] = []
    for node in nodes[:limit]:
        below = _branches(tree, node.label, depth - 1, limit) if depth > 1 and node.children else []
        found.append({**node._asdict(), "below": below})
    if len(nodes) > limit:
        found.append({"more": True})
    return found


def _print_branches(branches: list[dict[str, Any]], level: int, limit: int) -> None:
    width = min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)
    for one in branches:
        if "more" in one:
            print(f"{'  ' * level}… more than {limit}: see --limit")
            continue
        count = f"{one['total']:,}"
        ending = f" (+{one['children']:,} narrower)" if one["children"] and not one["below"] else ""
        text = shortened(one["title"], width - 2 * level - len(count) - len(ending) - 2)
        print(f"{'  ' * level}{text}  {count}{ending}")
        _print_branches(one["below"], level + 1, limit)


def _write_alike(collection: Any, tree: LabelTree, name: str, limit: int, as_json: bool) -> None:
    """Write the labels that a name may mean."""
    from tacit.tasks.label_lookup import label_lookup

    matches = label_lookup(collection).complete(name, limit=limit)
    if as_json:
        write_json({"labels": [{**tree.node(one.label)._asdict(), "name": one.name} for one in matches]})
        return
    rows = [
        (tree.node(one.label).total, one.title, one.label, one.name if one.name != one.title else "") for one in matches
    ]
    write_table(
        ("records", "title", "label", "called"),
        rows,
        empty=f"No label is called {name!r}, or spelt alike. All of them: leave NAME out.",
    )


_WIDEST = 100


@click.command("verify")
@index_argument
@as_json
def verify_command(*, index: str, as_json: bool) -> None:
    """Check every file of an index for damage.

    Each problem is printed in a line; the exit code is 1 if there is any.
    """
    if not Path(index).expanduser().is_dir():
        what = "is a file" if Path(index).expanduser().exists() else "does not exist"
        meant = did_you_mean_file(Path(index).expanduser(), "Build one first.")
        raise InputError(f"INDEX {what}: got {index!r}, expected the folder of an index.{meant}")
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
    "backup",
    epilog=examples(
        "tacit backup books.tacit /mnt/backup/books.tacit", "tacit backup books.tacit copy.tacit --replace"
    ),
)
@index_argument
@click.argument("target", metavar="FOLDER")
@click.option("--replace", "replace_old", is_flag=True, help="Replace an index at FOLDER.")
@as_json
@quiet_option
def backup_command(*, index: str, target: str, replace_old: bool, as_json: bool, quiet: bool) -> None:
    """Copy an index while others use it.

    The copy holds one state of the index, even if records are added meanwhile, and everything is compared with its
    checksums. FOLDER appears when the copy is complete and on the disk.
    """
    from tacit.index.keeping.backup import backup

    with ShownStages(quiet=quiet) as show:
        show.begin("copying")
        n_records = backup(index, target, replace_old=replace_old)
    if as_json:
        write_json({"path": target, "records": n_records})
    elif not quiet:
        print(f"{n_records:,} records and everything else of {index} copied to {target}.")


@click.command(
    "salvage",
    epilog=examples("tacit salvage books.tacit", "tacit salvage books.tacit -o rescued.jsonl"),
)
@index_argument
@click.option("-o", "--output", metavar="PATH", help="File to write.  [default: name of the index, -salvaged.jsonl]")
@click.option("--replace", "replace_old", is_flag=True, help="Replace an existing file.")
@as_json
@quiet_option
def salvage_command(*, index: str, output: str | None, replace_old: bool, as_json: bool, quiet: bool) -> None:
    """Write the records of a damaged index, as far as they can be read.

    For an index that 'tacit verify' refuses. Nothing in it is changed. The file has one record per line, with texts,
    labels, links and fields; the command that builds a new index from it is printed. The exit code is 1 if a record is
    lost or damaged.
    """
    from tacit.index.keeping.salvage import salvage
    from tacit.tasks.stage_progress import StageReporter

    name = Path(index).expanduser().absolute().name.removesuffix(".tacit") or "index"
    path = output or f"{name}-salvaged.jsonl"
    with ShownStages(quiet=quiet) as show:
        stages = StageReporter(show)
        stages.begin("salvaging")
        found = salvage(index, path, replace_old=replace_old, progress=lambda n: stages.advance(f"{n:,} records"))
    if as_json:
        write_json({"path": path, **found.to_facts()})
    elif not quiet or not found.is_whole:
        print("\n".join(_salvage_report(found, path)))
    if not found.is_whole:
        sys.exit(1)


def _salvage_report(found: Salvaged, path: str) -> list[str]:
    lines = [f"{found.records:,} records written to {path}."]
    if found.n_damaged:
        lines.append(
            f"{found.n_damaged:,} of them are damaged, in their text or elsewhere: {shown(found.damaged, 20)}."
        )
    if found.n_lost:
        lines.append(f"{found.n_lost:,} are lost: numbers {shown(found.lost, 20)}.")
    if found.n_perhaps_lost:
        lines.append(f"{found.n_perhaps_lost:,} of those added after the build are lost, or were removed.")
    if found.is_whole:
        lines.append("Each is as it was written.")
    links = "".join(f" --link {shlex.quote(name)}" for name in found.links) or " --link ''"
    return [
        *lines,
        *found.notes,
        f"To build a new index: tacit build {shlex.quote(path)} --text text --labels labels --id id --title title"
        f"{links}",
    ]


@click.command(
    "export",
    epilog=examples(
        "tacit export books.tacit",
        "tacit export books.tacit -o books.xlsx",
        "tacit export books.tacit -o books.parquet",
        "tacit export books.tacit --format npy -o books-positions",
        "tacit export books.tacit --site books-site",
    ),
)
@index_argument
@click.option("-o", "--output", metavar="PATH", help="File to write, or folder for npy.  [default: name of the index]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "excel", "npy", "parquet"]),
    help="JSON lines, CSV or Excel for people, Parquet, or positions.npy with ids.json.  [default: by the output, or "
    "jsonl]",
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
    form = form or _form_of(output)
    name = Path(index).expanduser().absolute().name.removesuffix(".tacit") or "index"
    path = Path(output or (f"{name}-positions" if form == "npy" else f"{name}.{_SUFFIX.get(form, form)}"))
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
        what = "" if form in ("csv", "excel") else f" with positions of {n_dimensions} dimensions"
        print(f"{n_records:,} records{what} written to {path}.")


_SUFFIX = {"excel": "xlsx"}
_FORMS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".xlsx": "excel", ".parquet": "parquet",
    ".pq": "parquet",
}  # fmt: skip


def _form_of(output: str | None) -> str:
    """Return the format that the name of a file says."""
    suffix = Path(output or "x.jsonl").suffix.lower()
    if suffix and suffix not in _FORMS:
        raise InputError(
            f"--output does not say the format: got {output!r}, expected a name that ends in {', '.join(_FORMS)}. Pass "
            "--format for another name."
        )
    return _FORMS.get(suffix, "jsonl")


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
        ("shards", _shards(found)),
        ("labels", f"{found.labels:,}"),
        ("taxonomy", f"{found.taxonomy_nodes:,} nodes" if found.taxonomy_nodes else ""),
        ("vocabulary", "" if found.taxonomy_nodes or not found.vocabulary_nodes else _vocabulary(found)),
        ("label language", _languages(found)),
        *((name, f"{n:,} linked") for name, n in found.links.items()),
        *((name, _values(values)) for name, values in found.fields.items()),
        ("words", f"{found.terms:,}" if found.text else "none: built from vectors alone"),
        ("vectors", f"{found.numbers:,} numbers each" if found.numbers else ""),
        ("dimensions", f"{found.dimensions:,}"),
        ("precision", _precision(found)),
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
    if found.drift is not None:
        rows.append(
            ("drift", f"{found.drift:.0%} less of added records is explained than of new ones like those fitted")
        )
    waiting = [f"{found.new_words:,} words"] if found.new_words else []
    waiting += [f"{found.new_labels:,} labels"] if found.new_labels else []
    rows.append(("new since the fit", f"{' and '.join(waiting)}, which a refit learns" if waiting else ""))
    return [(name, value) for name, value in rows if value]


def _precision(found: IndexInfo) -> str:
    """Return in how many bits positions are stored, and what that loses."""
    lost = "" if found.recall is None else f", which finds {found.recall:.2%} of the ten nearest records"
    return "" if found.precision == "full" else found.precision + lost


def _shards(found: IndexInfo) -> str:
    """Return how many shards there are, and which of them are missing."""
    missing = f", of which {shown(found.missing_shards)} cannot be opened" if found.missing_shards else ""
    return f"{found.shards:,}{missing}" if found.shards else ""


def _values(values: list[Any]) -> str:
    """Return some values of a field; addresses are left out, which say nothing to people."""
    readable = [str(value) for value in values if "://" not in str(value)]
    mark = "; " if any(", " in value for value in readable) else ", "  # names such as "Lee, Ann"
    return f"field: {mark.join(readable)}" if readable not in ([], ["..."]) else "field"


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
    from tacit.tasks.build.weighing import UNLABELLED

    placed = "; records without labels are only placed" if UNLABELLED in weights else ""
    weights = {name: weight for name, weight in weights.items() if name != UNLABELLED}
    used = sorted((name for name, weight in weights.items() if weight > 0), key=lambda name: -weights[name])
    unused = [name for name in weights if name not in used]
    left_out = f"; left out: {', '.join(unused)}" if unused else ""
    return ", ".join(f"{name} {weights[name]:g}" for name in used) + left_out + placed


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
