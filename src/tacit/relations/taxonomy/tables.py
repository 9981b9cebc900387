"""Reads taxonomies and vocabularies from tables: node, parent and names in columns, and the vocabularies of Annif.

| file | what is in it |
|---|---|
| TSV or CSV with a header | node, parent, title, and perhaps other names, hidden names, notations, related nodes |
| TSV without a header (Annif) | `<URI>`, a tab, the preferred name, and perhaps a tab and the notation |
| CSV (Annif) | the columns `uri`, `notation`, `label_en`, `label_fi` ... |
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from tacit.checks import check_choice, shown
from tacit.errors import InputError
from tacit.relations.taxonomy.reading import TaxonomyLinks

__all__ = ["SubjectTexts", "is_table", "plain_suffix", "read_table"]

_MARKS = {".tsv": "\t", ".tab": "\t", ".csv": ","}


@dataclass
class SubjectTexts:
    """What a file says about its nodes besides the links: names by language, notations, related nodes."""

    titles: dict[Hashable, dict[str, str]] = field(default_factory=dict)
    alternatives: dict[Hashable, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    hidden: dict[Hashable, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    notations: dict[Hashable, tuple[str, ...]] = field(default_factory=dict)
    related: dict[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)

    def add(self, kind: str, node: Hashable, language: str, texts: Iterable[str]) -> None:
        """Add texts of a node; of two titles in a language the second is another name."""
        for text in texts:
            if kind == "title":
                title = self.titles.setdefault(node, {}).setdefault(language, text)
                if title != text:
                    self.add("other", node, language, [text])
            elif kind in ("other", "hidden"):
                known = self.alternatives if kind == "other" else self.hidden
                by_language = known.setdefault(node, {})
                by_language[language] = _with(by_language.get(language, ()), text)
            elif kind == "notation":
                self.notations[node] = _with(self.notations.get(node, ()), text)
            else:
                self.related[node] = _with(self.related.get(node, ()), text)


def _with(texts: tuple[Any, ...], text: str) -> tuple[Any, ...]:
    return texts if text in texts else (*texts, text)


def is_table(path: str | Path) -> bool:
    """Whether the name of a file is that of a table, gzipped or not."""
    return plain_suffix(Path(path)) in _MARKS


def plain_suffix(path: Path) -> str:
    """Return the suffix of a file in lower case, without that of compression."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def read_table(
    path: str | Path, node: str | None, parent: str | None, title: str | None, separator: str | None
) -> tuple[TaxonomyLinks, SubjectTexts]:
    """Read a table with a header, or a vocabulary of Annif without one; return the links and the names."""
    path = Path(path).expanduser()
    mark = _mark(path, separator)
    links, texts = TaxonomyLinks(str(path)), SubjectTexts()
    try:
        with _opened(path) as file:
            start = next((line for line in file if line.strip()), "")
            file.seek(0)
            if mark == "\t" and _URI.match(start):
                _read_vocabulary(path, file, links, texts)
            else:
                _read_rows(path, _rows(file, mark), links, texts, (node, parent, title))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        said = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read: got {str(said)!r}, expected a table in UTF-8.") from error
    return links, texts


def _mark(path: Path, separator: str | None) -> str:
    mark = separator if separator is not None else _MARKS.get(plain_suffix(path))
    if mark is None:
        raise InputError(
            f"path has an unknown suffix: got {path.name!r}, expected .tsv or .csv. Pass separator, such as ';'."
        )
    if len(mark) != 1:
        raise InputError(f"separator is not one character: got {mark!r}, expected one such as ',' or a tab.")
    return mark


def _opened(path: Path) -> TextIO:
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    file: TextIO = opened(path, "rt", encoding="utf-8-sig", newline="")
    return file


_URI = re.compile(r"\s*(?:<[^<>\s]+>|(?:https?://|urn:)[^<>\s]+)\s*(?:\t|$)")


def _read_vocabulary(path: Path, lines: Iterable[str], links: TaxonomyLinks, texts: SubjectTexts) -> None:
    """Read lines of Annif: URI, in angle brackets or not, preferred name, notation."""
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells):
            continue
        if len(cells) < 2 or not cells[1] or not _URI.match(line):
            raise InputError(
                f"{path} has a line that is not a subject: got {shown([line.strip()])} in line {number}, expected "
                "a URI in angle brackets, a tab and a name."
            )
        uri = cells[0].removeprefix("<").removesuffix(">")
        links.add(uri)
        texts.add("title", uri, "", cells[1:2])
        texts.add("notation", uri, "", filter(None, cells[2:3]))


class _Column(NamedTuple):
    """A column of names: its place, what kind of names, and their language."""

    place: int
    kind: str
    language: str


def _read_rows(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    links: TaxonomyLinks,
    texts: SubjectTexts,
    given: tuple[str | None, str | None, str | None],
) -> None:
    """Read a table with a header."""
    start = next(rows, None)
    if start is None:
        raise InputError(f"{path} is empty: got no header, expected a row with the names of the columns.")
    header = start[1]
    node, parent, columns = _chosen(header, *given)
    for line, row in rows:
        if len(row) < len(header):
            raise InputError(
                f"{path} has a short row: got {len(row)} cells in line {line}, "
                f"expected {len(header)} as in the header. Write empty cells with their separators."
            )
        name, above = row[node], "" if parent is None else row[parent]
        links.add(name, [above] if above else [])
        for column in columns:
            cell = row[column.place]
            several = column.kind != "title"
            texts.add(column.kind, name, column.language, _split(cell) if several else filter(None, [cell]))


def _rows(lines: Iterable[str], mark: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row that is not blank, the header first."""
    reader = csv.reader(lines, delimiter=mark)
    for row in reader:
        if any(cell.strip() for cell in row):
            yield reader.line_num, [cell.strip() for cell in row]


def _split(cell: str) -> list[str]:
    """Return the values of a cell, separated by "|", or else by ";"."""
    return [text.strip() for text in cell.split("|" if "|" in cell else ";") if text.strip()]


# in order of preference, in lower case
_NODE_COLUMNS = ("node", "id", "uri", "iri", "code", "child", "concept", "category", "topic", "label", "name")
_PARENT_COLUMNS = ("parent", "broader", "parent_id", "parent_code", "parents")
_TITLE_COLUMNS = (
    "title", "name", "label", "preflabel", "pref_label", "preferred_label", "preferred_name", "description",
)  # fmt: skip
_OTHER_COLUMNS = (
    "altlabel", "altlabels", "alt_label", "alt_labels", "alternative", "alternatives", "alternative_label",
    "alternative_labels", "alternative_name", "alternative_names", "other_name", "other_names", "synonym", "synonyms",
    "used_for", "uf",
)  # fmt: skip
_HIDDEN_COLUMNS = ("hiddenlabel", "hiddenlabels", "hidden_label", "hidden_labels", "hidden_name", "hidden_names")
_NOTATION_COLUMNS = ("notation", "notations")
_RELATED_COLUMNS = ("related", "related_to", "see_also")
_KINDS = {
    **dict.fromkeys(_TITLE_COLUMNS, "title"),
    **dict.fromkeys(_OTHER_COLUMNS, "other"),
    **dict.fromkeys(_HIDDEN_COLUMNS, "hidden"),
    **dict.fromkeys(_NOTATION_COLUMNS, "notation"),
    **dict.fromkeys(_RELATED_COLUMNS, "related"),
}
_WITH_LANGUAGE = re.compile(r"(?P<name>.+?)[_@](?P<language>[a-z]{2,3}(?:-[a-z0-9]+)*)")


def _chosen(
    header: list[str], node: str | None, parent: str | None, title: str | None
) -> tuple[int, int | None, list[_Column]]:
    """Find the columns of node, parent and names; there is no parent in a table of nodes and names only."""
    if len(header) < 2:
        raise InputError(
            f"path has too few columns: got {shown(header)}, expected node and parent, or node and name. Pass "
            "separator if it is another."
        )
    lower = [name.lower() for name in header]
    below, above = _column(header, "node", node), _column(header, "parent", parent)
    text = _column(header, "title", title)
    above = above if above is not None else _first(lower, _PARENT_COLUMNS, {below, text})
    below = below if below is not None else _first(lower, _NODE_COLUMNS, {above, text})
    of_names = _name_columns(lower, {above, below, text})
    taken = {above, below, text, *(column.place for column in of_names)}
    free = [place for place in range(len(header)) if place not in taken]
    if below is None:
        below = free.pop(0) if free else 0
    if above is None and free:
        above = free.pop(0)
    if text is None:
        text = _first(lower, _TITLE_COLUMNS, {above, below})
    of_names = [column for column in of_names if column.kind != "title" or column.language or column.place == text]
    if text is not None and text not in {column.place for column in of_names}:
        of_names.insert(0, _Column(text, "title", ""))
    return below, above, [column for column in of_names if column.place not in (above, below)]


def _name_columns(header: list[str], taken: set[int | None]) -> list[_Column]:
    """Return the columns whose names say that they have names, notations or related nodes."""
    found = []
    for place, name in enumerate(header):
        marked = _WITH_LANGUAGE.fullmatch(name)
        if place in taken:
            continue
        if name in _KINDS:
            found.append(_Column(place, _KINDS[name], ""))
        elif marked and marked["name"] in _KINDS:
            found.append(_Column(place, _KINDS[marked["name"]], marked["language"]))
    return found


def _column(header: list[str], argument: str, name: str | None) -> int | None:
    return None if name is None else header.index(check_choice(argument, name, header))


def _first(header: list[str], wanted: tuple[str, ...], taken: set[int | None]) -> int | None:
    places = (header.index(name) for name in wanted if name in header)
    return next((place for place in places if place not in taken), None)
