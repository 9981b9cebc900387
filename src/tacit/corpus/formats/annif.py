"""The corpus formats of Annif, the subject indexing tool: short texts in one file, full texts in a folder.

| file | what is in it |
|---|---|
| TSV, no header | a text, a tab, the URIs of its subjects with spaces between them, in angle brackets or not |
| CSV | `text`, `subject_uris` (as above), and whatever else is known, such as `document_id` |
| JSON lines, JSON files | `document_id`, `text`, `metadata` (names and texts), `subjects` (`uri`, `label`) |
| folder | texts in `.txt`, their subjects in `.tsv` (URI in angle brackets, tab, label) or `.key` (labels in lines) |

A subject is named by its URI if it has one, else by its label. If a file has both, the labels are in the field
`label_titles`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source

__all__ = ["annif_csv_row", "annif_document", "annif_tsv_rows", "are_documents", "are_lines", "subjects_of"]

_URI = re.compile(r"<[^<>\s]+>|(?:https?://|urn:)\S+")
_JSON_KEYS = frozenset({"document_id", "text", "metadata", "subjects"})


def annif_tsv_rows(lines: Iterable[str], source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield text and subjects of each line; as in Annif, a line without a tab is not a document."""
    for number, line in enumerate(lines, 1):
        text, tab, uris = line.partition("\t")
        if tab:
            yield number, {"text": text, "subjects": [_bare(uri) for uri in uris.split()]}
        elif line.strip():
            problems.add("cells", source.name, number, "no tab: a text without subjects must end in one. Left out.")


def annif_csv_row(row: Row) -> Row:
    """Return a row of a CSV file with the subjects as a list."""
    if "subject_uris" in row:
        row["subject_uris"] = [_bare(uri) for uri in row["subject_uris"].split()]
    return row


def annif_document(document: Row, source: Source) -> Row:
    """Return a document of a JSON file with its metadata as columns."""
    metadata = document.get("metadata")
    row = {**metadata, **document} if isinstance(metadata, dict) else dict(document)
    row.pop("metadata", None)
    if source.root is not None and "document_id" not in row:
        row["document_id"] = source.place.as_posix()
    subjects = row.get("subjects")
    titles = _titles(subjects) if isinstance(subjects, list) else {}
    return {**row, "label_titles": titles} if titles else row


def are_lines(lines: Iterable[str]) -> bool:
    """Whether the first lines of a TSV file are in Annif's format: what follows the tabs are URIs."""
    uris = [uri for line in lines for uri in line.partition("\t")[2].split()]
    return bool(uris) and all(_URI.fullmatch(uri) for uri in uris)


def are_documents(documents: Sequence[Row]) -> bool:
    """Whether the first documents of a JSON file are in Annif's format."""
    return all(set(document) <= _JSON_KEYS for document in documents) and any(map(_is_of_annif, documents))


def subjects_of(lines: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """Return the subjects listed in a `.tsv` or `.key` file beside a text, and the labels of those that have a URI."""
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


def _is_of_annif(document: Mapping[str, Any]) -> bool:
    """Whether a document has what other formats do not have: nested metadata, or subjects that are objects."""
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
    """Return a URI without angle brackets."""
    return uri[1:-1] if uri.startswith("<") and uri.endswith(">") else uri
