"""Rows from a folder of texts: one file per record, its subjects in a file beside it or in the name of its folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tacit.corpus.formats.annif import subjects_of
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Source, whole_text

__all__ = ["text_rows"]


def text_rows(source: Source, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the one row of a text file.

    Its columns are `id` (the path inside the folder that is read), `text`, `folder` (the sub-folder, "" at the top),
    `subjects` (of the file of the same name that ends in .tsv or, if there is none, .key) and, if these have URIs
    and labels, `label_titles`.
    """
    place = source.place
    row: dict[str, Any] = {
        "id": place.as_posix(),
        "text": whole_text(source, problems),
        "folder": "" if place.parent == Path() else place.parent.as_posix(),
        "subjects": [],
    }
    stem = source.path.name.removesuffix(".gz").rpartition(".")[0]
    candidates = (source.path.with_name(stem + suffix) for suffix in (".tsv", ".key"))
    beside = next((candidate for candidate in candidates if candidate.is_file()), None)
    if beside is not None:
        name = f"{source.name.rpartition('/')[0]}/{beside.name}".lstrip("/")
        described = Source(beside, "text", source.encoding, name=name)
        described.most_bytes = source.most_bytes
        text = whole_text(described, problems)
        row["subjects"], titles = subjects_of(text.splitlines())
        if titles:
            row["label_titles"] = titles
    yield 1, row
