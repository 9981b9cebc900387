"""The corpus formats of Annif, the subject indexing tool: short texts in one file, full texts in a folder.

| file | what is in it |
|---|---|
| TSV, no header | a text, a tab, the URIs of its subjects with spaces between them, in angle brackets or not |
| CSV | `text`, `subject_uris` (as above), and whatever else is known, as `document_id` |
| JSON lines, JSON files | `document_id`, `text`, `metadata` (names and texts), `subjects` (`uri`, `label`) |
| folder | texts in `.txt`, their subjects in `.tsv` (URI in angle brackets, tab, label) or `.key` (a label a line) |

A subject is known by its URI where there is one, else by its label. Where a file has both, the labels go into
the field `label_titles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from tacit.corpus.formats.json_lines import json_rows
from tacit.corpus.formats.tables import table_rows
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source, text_lines

__all__ = ["annif_csv_rows", "annif_json_rows", "annif_tsv_rows", "looks_like_annif", "subjects_of"]

_URI = re.compile(r"<[^<>\s]+>|(?:https?://|urn:)\S+")
_JSON_KEYS = frozenset({"document_id", "text", "metadata", "subjects"})
_LOOKED_AT = 20


def annif_tsv_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give text and subjects of each line; as in Annif, a line without a tab is no document."""
    for number, line in enumerate(text_lines(source, problems), 1):
        text, tab, uris = line.partition("\t")
        if tab:
            yield number, {"text": text, "subjects": [_bare(uri) for uri in uris.split()]}
        elif line.strip():
            problems.add("cells", source.name, number, "no tab: end a text that has no subjects with one. Left out.")


def annif_csv_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows of a CSV file with the subjects as a list."""
    for number, row in table_rows(source, problems):
        if "subject_uris" in row:
            row["subject_uris"] = [_bare(uri) for uri in row["subject_uris"].split()]
        yield number, row


def annif_json_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the documents of a JSON file with their metadata as columns of their own."""
    for number, document in json_rows(source, problems):
        metadata = document.get("metadata")
        row = {**metadata, **document} if isinstance(metadata, dict) else dict(document)
        row.pop("metadata", None)
        if source.root is not None and "document_id" not in row:
            row["document_id"] = source.path.relative_to(source.root).as_posix()
        subjects = row.get("subjects")
        titles = _titles(subjects) if isinstance(subjects, list) else {}
        yield number, {**row, "label_titles": titles} if titles else row


def subjects_of(lines: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Give the subjects that a `.tsv` or `.key` file beside a text lists, and the labels of those that have a URI."""
    subjects: list[str] = []
    titles: dict[str, str] = {}
    for line in lines:
        cells = [cell for cell in (cell.strip() for cell in line.split("\t")) if cell]
        if not cells:
            continue
        subjects.append(_bare(cells[0]))
        if subjects[-1] != cells[0] and len(cells) > 1:
            titles[subjects[-1]] = cells[1]
    return subjects, titles


def looks_like_annif(source: Source, problems: Problems) -> bool:
    """Whether a file whose name says TSV, CSV or JSON is in the format that Annif has for it."""
    if source.format == "tsv":
        lines = islice(text_lines(source, problems), _LOOKED_AT)
        parts = [line.partition("\t")[2].split() for line in lines if "\t" in line]
        uris = [uri for part in parts for uri in part]
        return bool(uris) and all(_URI.fullmatch(uri) for uri in uris)
    if source.format == "csv":
        return {"text", "subject_uris"} <= set(next(table_rows(source, problems), (0, {}))[1])
    if source.format == "json":
        first = [document for _, document in islice(json_rows(source, problems), _LOOKED_AT)]
        return all(set(document) <= _JSON_KEYS for document in first) and any(map(_is_of_annif, first))
    return False


def _is_of_annif(document: Mapping[str, Any]) -> bool:
    """Whether a document has what no other format has: metadata within it, or subjects that are objects."""
    subjects = document.get("subjects")
    is_described = isinstance(subjects, list) and any(isinstance(subject, dict) for subject in subjects)
    return is_described or isinstance(document.get("metadata"), dict)


def _titles(subjects: list[Any]) -> dict[str, str]:
    return {
        subject["uri"]: subject["label"]
        for subject in subjects
        if isinstance(subject, dict) and isinstance(subject.get("uri"), str) and isinstance(subject.get("label"), str)
    }


def _bare(uri: str) -> str:
    """Take the angle brackets off."""
    return uri[1:-1] if uri.startswith("<") and uri.endswith(">") else uri
