"""`tacit suggest --batch`: labels for many records, as JSON lines or as a table in a file."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tacit.cli.common.options import opened
from tacit.cli.common.output import write_progress
from tacit.cli.suggest import annif_line
from tacit.errors import InputError

if TYPE_CHECKING:
    from tacit.corpus import Reading
    from tacit.corpus.record import Record
    from tacit.tasks.suggest.suggest import Suggestion

__all__ = ["write_batch"]

_COLUMNS = ("id", "label", "title", "probability", "chosen")
_NEWS = 10.0  # seconds between two lines of progress


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
    with opened(index) as collection:
        reading = _reading(batch, text_columns, id_column, collection.settings.get("build", {}).get("reading"))
        began = news = time.perf_counter()
        n_texts = n_labels = 0
        with _writing(output) as file:
            if form == "tsv":
                print(*_COLUMNS, sep="\t", file=file)
            for record, suggestions in suggest_records(collection, reading, **choice):
                file.write(_lines(form, record, suggestions))
                n_texts, n_labels = n_texts + 1, n_labels + len(suggestions)
                if time.perf_counter() - news > _NEWS:
                    news = time.perf_counter()
                    write_progress(None, f"{n_texts:,} texts so far")
    where = "" if output in (None, "-") else f", written to {output}"
    write_progress(time.perf_counter() - began, f"{n_labels:,} labels for {n_texts:,} texts{where}")


def _reading(batch: str, text: str | None, id: str | None, built_from: dict[str, Any] | None) -> Reading:
    """Open the source; its columns are those typed, or else those of the build, or else guessed.

    The words of a title count as much as they did in the build. Labels and other columns are not read: they play no
    part.
    """
    from tacit.corpus import ColumnMap, read_records

    stored = (built_from or {}).get("columns", {})
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
        return "".join(
            "\t".join(
                " ".join(cell.split())
                for cell in (record.id, one.label, one.title, f"{one.probability:.6f}", "yes" if one.chosen else "no")
            )
            + "\n"
            for one in suggestions
        )
    if form == "annif":
        return f"Suggestions for {record.id}\n" + "".join(f"{annif_line(one)}\n" for one in suggestions)
    if form == "annif-json":
        facts: dict[str, Any] = {"document_id": record.id, "results": [one.to_annif() for one in suggestions]}
    else:
        facts = {"id": record.id, "suggestions": [one.to_facts() for one in suggestions]}
    return json.dumps(facts, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def _writing(output: str | None) -> Iterator[TextIO]:
    """Open the file; it gets its name only when all is written, so that a half of it is never taken for the whole."""
    if output in (None, "-"):
        yield sys.stdout
        return
    path = Path(str(output))
    part = path.with_name(path.name + ".part")
    try:
        file = part.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"--output cannot be written: got {output!r}, {error.strerror or error}.") from error
    try:
        with file:
            yield file
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
