"""Writes the quality of each subject as a table or as JSON lines, for a spreadsheet or another program."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tacit.errors import InputError
from tacit.files import writing_output
from tacit.tasks.measure.subject_quality import SubjectRow

__all__ = ["check_subject_file", "write_subjects"]

_SUFFIXES = (".tsv", ".csv", ".jsonl")
_COLUMNS = tuple(SubjectRow("", "", 0, 0, 0, 0, 0, 0).to_facts())


def check_subject_file(path: str | Path) -> Path:
    """Return the path if a file of subjects can have this name; called before anything is measured."""
    file = Path(path).expanduser()
    if file.suffix.lower() not in _SUFFIXES:
        raise InputError(
            f"per_subject has an unknown suffix: got {str(path)!r}, expected a name that ends in .tsv, .csv or .jsonl."
        )
    if not file.parent.is_dir():
        raise InputError(
            f"per_subject is in a folder that does not exist: got {str(path)!r}, expected an existing folder."
        )
    if file.is_dir():
        raise InputError(f"per_subject is a folder: got {str(path)!r}, expected the name of a file.")
    return file


def write_subjects(rows: Iterable[SubjectRow], path: str | Path) -> None:
    """Write one row per subject: a table (.tsv, .csv) or JSON lines (.jsonl).

    The columns are label, title, train, held_out, suggested, chosen, right, missed, precision, recall and f1. In a
    table, a rate that is not defined is empty.
    """
    file = check_subject_file(path)
    try:
        with writing_output(file) as fresh, fresh.open("w", encoding="utf-8", newline="") as opened:
            if file.suffix.lower() == ".jsonl":
                opened.writelines(json.dumps(row.to_facts(), ensure_ascii=False) + "\n" for row in rows)
                return
            tabs = file.suffix.lower() == ".tsv"
            if tabs:
                write: Any = csv.writer(
                    opened, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None, lineterminator="\n"
                )
            else:
                write = csv.writer(opened, lineterminator="\n")
            write.writerow(_COLUMNS)
            for row in rows:
                cells = ("" if cell is None else cell for cell in row.to_facts().values())
                write.writerow([" ".join(cell.split()) if isinstance(cell, str) else cell for cell in cells])
    except OSError as error:
        raise InputError(
            f"per_subject cannot be written: got {error.strerror or str(error)!r} for {str(path)!r}, expected a "
            "writable folder with free space."
        ) from error
