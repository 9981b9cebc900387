"""`tacit suggest`: labels for a text, for files, or for all records of a collection."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from tacit.cli.common.messages import naming
from tacit.cli.common.options import as_json, examples, index_argument, opened
from tacit.cli.common.output import write_json, write_note, write_table
from tacit.cli.common.progress import ShownStages
from tacit.errors import InputError
from tacit.files import did_you_mean_file, writing_output

if TYPE_CHECKING:
    from tacit.corpus import Reading
    from tacit.corpus.record import Record
    from tacit.tasks.suggest.suggest import Suggestion

__all__ = ["suggest_command", "write_batch"]

_FORMATS = ("table", "json", "annif", "annif-json")
_NO_REASONS = "no reasons are known: the index was built with a suggester that does not give any."
_WIDEST = 100
_FEW_TEXTS = 5  # for which reasons are shown without being asked for


@click.command(
    "suggest",
    epilog=examples(
        "tacit suggest library.tacit a whaling voyage to the Pacific",
        "tacit suggest library.tacit letter.txt",
        "tacit suggest library.tacit --file chapter1.txt --file chapter2.txt",
        "tacit suggest library.tacit --batch new.csv --output suggested.tsv --chosen",
        "cat letter.txt | tacit suggest library.tacit - --format annif",
    ),
)
@index_argument
@click.argument("text", nargs=-1)
@click.option("--file", "files", multiple=True, metavar="FILE", help="A file with one text. May be repeated.")
@click.option("--batch", metavar="SOURCE", help="A file or folder of records, in any format that 'tacit build' reads.")
@click.option("--text", "text_columns", metavar="COLUMNS", help="Columns of the batch with the text.")
@click.option("--id", "id_column", metavar="COLUMN", help="Column of the batch with the ids.")
@click.option(
    "--output", metavar="FILE", help="File for the suggestions of a batch: a table if it ends in .tsv, else JSON lines."
)
@click.option("-n", "--limit", type=int, metavar="NUMBER", help="Labels per text.  [default: 5; all with --chosen]")
@click.option("--threshold", type=float, metavar="P", help="Leave out labels with a lower probability, from 0 to 1.")
@click.option("--chosen", is_flag=True, help="Only labels above their own threshold, which was learned in the build.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="Table, JSON, output of 'annif suggest', or JSON of Annif's web service.",
)
@click.option(
    "--reasons/--no-reasons",
    default=None,
    help=f"Say why each label is suggested.  [default: in a table of up to {_FEW_TEXTS} texts]",
)
@as_json
def suggest_command(*, index: str, as_json: bool, form: str | None, limit: int | None, **given: Any) -> None:
    """Suggest labels for texts.

    The probabilities are calibrated: of the labels suggested with 0.8, about four in five are right.
    """
    if as_json and form not in (None, "json"):
        raise InputError(f"--json contradicts --format: got {form!r}, expected 'json'. Leave one of them out.")
    form = "json" if as_json else form
    if given["reasons"] and form in ("annif", "annif-json"):
        raise InputError(f"--reasons has no place in the output of Annif: got --format {form}, expected table or json.")
    given["limit"] = 5 if limit is None and not given["chosen"] else limit
    words, files, batch = given.pop("text"), given.pop("files"), given.pop("batch")
    of_batch = {name: given.pop(name) for name in ("output", "text_columns", "id_column")}
    if batch is None:
        for option, value in of_batch.items():
            if value is not None:
                name = option.partition("_")[0]
                raise InputError(f"--{name} needs --batch: got {value!r} without it. Add --batch SOURCE.")
        texts = _texts(words, files)
        from tacit.tasks.label_names import path_above
        from tacit.tasks.suggest.suggest import suggest

        wanted = given["reasons"]
        if wanted is None:
            given["reasons"] = form in (None, "table") and len(texts) <= _FEW_TEXTS
        with opened(index) as collection:
            if wanted and collection.panel is None:
                write_note(_NO_REASONS)
            found = suggest(collection, [text for _, text in texts], **given)
            empty = "No label is probable enough."
            if not given["chosen"] and not given["threshold"]:  # every label is suggested if a word is known
                empty = "No labels: none of the words is in the vocabulary of the index."
            _write(form or "table", [name for name, _ in texts], found, empty, partial(path_above, collection))
        return
    if words or files:
        raise InputError("--batch is given with a text or --file: got both, expected one of them.")

    given["reasons"] = bool(given["reasons"])
    write_batch(index, batch, form, **of_batch, **given)


def _texts(words: tuple[str, ...], files: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return texts with their names: the words typed are one text, - is standard input, and a file is read."""
    if words == ("-",):
        words, files = (), ("-", *files)
    elif len(words) == 1 and _is_file("".join(words)):
        words, files = (), (*words, *files)
    elif len(words) == 1 and _FILE_NAME.fullmatch(words[0]):
        near = did_you_mean_file(Path(words[0]), "Check the name and the folder.")
        raise InputError(f"TEXT looks like a file, which does not exist: got {words[0]!r}, expected a text.{near}")
    texts = [("text", " ".join(words))] if words else []
    texts += [("standard input" if file == "-" else file, _read(file)) for file in files]
    if not texts:
        raise InputError(
            "TEXT is missing: got none, expected TEXT, --file FILE, --batch SOURCE, or - for standard input."
        )
    empty = [name for name, text in texts if not text.strip()]
    if empty:
        name = "TEXT" if empty[0] == "text" else empty[0]
        raise InputError(f"{name} is empty: got no words, expected at least one.")
    return texts


_FILE_NAME = re.compile(r"\S+\.(?:txt|md|html?|pdf|docx?|odt|rtf|csv|tsv|jsonl?|xml|xlsx)", re.IGNORECASE)


_DOCUMENTS = frozenset({".md", ".markdown", ".html", ".htm", ".pdf"})
_OF_PROGRAMS = frozenset({".doc", ".docx", ".odt", ".rtf", ".epub"})
_OF_RECORDS = frozenset({".csv", ".tsv", ".jsonl", ".xlsx", ".parquet", ".mrc", ".bib", ".ris", ".db", ".sqlite"})


def _is_file(text: str) -> bool:
    """Whether a text is the path of a file: a word without a dot or slash is more likely meant as a word."""
    try:
        return ("." in text or "/" in text) and Path(text).is_file()
    except (OSError, ValueError):  # too long, or with a zero character
        return False


def _read(file: str) -> str:
    """Return the text of a file; documents are read as a build reads them."""
    if file == "-":
        return sys.stdin.read()
    suffix = Path(file).suffix.lower()
    if suffix in _OF_RECORDS:
        raise InputError(f"{file} has records: got it as one text, expected a text or a document. Use --batch {file}.")
    if suffix in _OF_PROGRAMS:
        raise InputError(f"{file} is no text: got a file of another program. Save it as .txt, .html or .pdf.")
    if suffix in _DOCUMENTS and Path(file).is_file():
        from tacit.corpus import read_records

        with naming("path", "TEXT"):
            return "\n".join(record.text for record in read_records(file))
    try:
        return Path(file).read_text("utf-8-sig", errors="replace")
    except OSError as error:
        meant = did_you_mean_file(Path(file), "Check the name and its permissions.")
        raise InputError(f"--file cannot be read: got {file!r}, {error.strerror or error}.{meant}") from error


def _write(form: str, names: list[str], found: list[list[Suggestion]], empty: str, above: Callable[[str], str]) -> None:
    if form == "json":
        texts = [
            {"source": name, "suggestions": [one.to_facts() for one in suggestions]}
            for name, suggestions in zip(names, found, strict=True)
        ]
        write_json({"texts": texts})
    elif form == "annif-json":
        answers = [{"results": [one.to_annif() for one in suggestions]} for suggestions in found]
        # one text is answered as by /suggest, several as by /suggest-batch
        several: Any = [{"document_id": name, **answer} for name, answer in zip(names, answers, strict=True)]
        write_json(several if len(several) > 1 else answers[0])
    else:
        for name, suggestions in zip(names, found, strict=True):
            if len(names) > 1:
                print(f"Suggestions for {name}")
            if form == "annif":
                print("".join(f"{annif_line(one)}\n" for one in suggestions), end="")
            else:
                _write_table(suggestions, empty, above)
                _write_reasons(suggestions)


def annif_line(suggestion: Suggestion) -> str:
    """Return one line of `annif suggest`."""
    title = " ".join(suggestion.title.split())
    return f"<{suggestion.label}>\t{title}\t{suggestion.probability:.4f}"


def _write_table(suggestions: list[Suggestion], empty: str, path_above: Callable[[str], str]) -> None:
    """Write labels with their titles and what is above them; in place of an IRI its title alone, which is readable."""
    from tacit.relations.taxonomy.names import is_iri

    titled = any(one.title != one.label and not is_iri(one.label) for one in suggestions)
    above = any(one.ancestors for one in suggestions)
    headings = ["probability", "chosen", "label", *(["title"] if titled else []), *(["below"] if above else [])]
    rows: list[list[Any]] = []
    for one in suggestions:
        below = [path_above(one.label)] if above else []
        names = [one.label, one.title] if titled else [one.title]
        rows.append([one.probability, "yes" if one.chosen else "", *names, *below])
    write_table(headings, rows, empty=empty)


def _write_reasons(suggestions: list[Suggestion]) -> None:
    """Write why each label is suggested, below the table: one paragraph per label."""
    explained = [(one.title, one.evidence.sentences()) for one in suggestions if one.evidence is not None]
    if not explained:
        return
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    print("\nWhy")
    for title, reasons in explained:
        said = "; ".join(reasons) or "several weak signs together"
        print(textwrap.fill(f"{title}: {said}", width, initial_indent="  ", subsequent_indent="    "))


_TEXTS_PER_REPORT = 100


def write_batch(
    index: str,
    batch: str,
    form: str | None,
    *,
    output: str | None,
    text_columns: str | None,
    id_column: str | None,
    **choice: Any,
) -> None:
    """Suggest labels for all records of a source, and write them as they come."""
    from tacit.tasks.suggest.suggest import suggest_records

    form = _form(form, output)
    to_terminal = output in (None, "-") and sys.stdout.isatty()  # a live line would run through the output
    with ShownStages(quiet=to_terminal) as show, opened(index) as collection:
        from tacit.tasks.stage_progress import StageReporter

        if choice["reasons"] and collection.panel is None:
            write_note(_NO_REASONS)
            choice["reasons"] = False
        reading = _reading(batch, text_columns, id_column, collection.settings.get("build", {}).get("reading"))
        stages = StageReporter(show)
        stages.begin("suggesting")
        n_texts = n_labels = 0
        with _writing(output) as file:
            if form == "tsv":
                columns = ["id", "label", "title", "probability", "chosen", *(["reasons"] if choice["reasons"] else [])]
                print(*columns, sep="\t", file=file)
            for record, suggestions in suggest_records(collection, reading, **choice):
                file.write(_lines(form, record, suggestions))
                n_texts, n_labels = n_texts + 1, n_labels + len(suggestions)
                if n_texts % _TEXTS_PER_REPORT == 0:
                    stages.advance(f"{n_texts:,} texts")
        where = "" if output in (None, "-") else f", written to {output}"
        stages.end(f"{n_labels:,} labels for {n_texts:,} texts{where}")


def _reading(batch: str, text: str | None, id: str | None, built_from: dict[str, Any] | None) -> Reading:
    """Open the source; its columns are those given, or else those of the build, or else guessed.

    The words of a title count as much as in the build. Labels and other columns are not needed.
    """
    from tacit.corpus import ColumnMap, read_records

    stored = (built_from or {}).get("columns") or {}
    known = {name: stored[name] for name in ("text", "id", "title", "title_weight") if stored.get(name)}
    try:
        if known and text is None and id is None:
            return read_records(batch, ColumnMap(**known, labels=(), fields=()))
    except InputError:  # the source has other columns than the build
        pass
    return read_records(batch, ColumnMap.from_strings(text=text, id=id, labels="", fields=""))


def _form(form: str | None, output: str | None) -> str:
    table = output is not None and output.lower().endswith(".tsv")
    if table and form in ("json", "annif-json"):
        raise InputError(
            f"--output does not fit --format: got {output!r} for {form!r}, expected a name ending in .jsonl."
        )
    if form in (None, "table"):
        return "tsv" if table or form == "table" else "json"
    return form


def _lines(form: str, record: Record, suggestions: list[Suggestion]) -> str:
    if form == "tsv":
        rows = [
            (
                *(record.id, one.label, one.title, f"{one.probability:.6f}", "yes" if one.chosen else "no"),
                *(() if one.evidence is None else ["; ".join(one.evidence.sentences())]),
            )
            for one in suggestions
        ]
        return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    if form == "annif":
        return f"Suggestions for {record.id}\n" + "".join(f"{annif_line(one)}\n" for one in suggestions)
    if form == "annif-json":
        facts: dict[str, Any] = {"document_id": record.id, "results": [one.to_annif() for one in suggestions]}
    else:
        facts = {"id": record.id, "suggestions": [one.to_facts() for one in suggestions]}
    return json.dumps(facts, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def _writing(output: str | None) -> Iterator[TextIO]:
    """Open a file that gets its name only when it is complete."""
    if output in (None, "-"):
        yield sys.stdout
        return
    with writing_output(Path(str(output))) as fresh:
        try:
            file = fresh.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise InputError(f"--output cannot be written: got {output!r}, {error.strerror or error}.") from error
        with file:
            yield file
