"""The roles of the columns of a file: text, labels, id, title, links; roles that are not given are guessed."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tacit.checks import check_count, shown
from tacit.errors import InputError

__all__ = ["ColumnMap"]

# usual names of the columns, the most likely first
_ID = (
    "id", "_id", "document_id", "doc_id", "docid", "identifier", "uid", "record_id", "inventory_no", "inventory_number",
    "accession_number", "record_number", "inventarnummer", "datensatznummer",
)  # fmt: skip
# last words of the name of a first column that holds ids if its values differ: "Record no", "Key", "bookId"
_ID_WORDS = frozenset({"id", "identifier", "key", "no", "nr", "number", "nummer"})
_TITLE = ("title", "headline", "name", "titel", "hauptsachtitel")
_TEXT = (
    "text", "body", "content", "full_text", "fulltext", "abstract", "description", "summary", "volltext", "inhalt",
    "zusammenfassung", "beschreibung", "inhaltsangabe", "annotation",
)  # fmt: skip
_LABELS = (
    "labels", "subjects", "subject_uris", "topics", "tags", "categories", "keywords", "label", "topic", "tag",
    "category", "subject_headings", "headings", "descriptors", "index_terms", "mesh_terms", "lcsh", "mesh",
    "schlagwörter", "schlagworte", "themen", "stichwörter", "kategorien", "deskriptoren",
)  # fmt: skip
_LABEL_WORDS = frozenset({
    "labels", "subjects", "subject", "topics", "tags", "categories", "keywords", "keyword", "headings", "descriptors",
    "schlagworte", "schlagwort", "schlagwörter", "schlagwoerter", "themen", "stichwörter", "stichworte", "kategorien",
    "deskriptoren",
})  # fmt: skip
_MARKS = {"\n": "line ends"}
_TEXT_WORDS = frozenset({
    "abstract", "text", "body", "description", "summary", "content", "zusammenfassung", "beschreibung",
})  # fmt: skip
# words beside these in names of columns that hold something else, such as n_topics, subject_id and text length
_OTHER_WORDS = frozenset({
    "n", "num", "number", "count", "total", "id", "ids", "line", "length", "size", "type", "url", "code", "score",
    "date", "lang", "language",
})  # fmt: skip


@dataclass(frozen=True)
class ColumnMap:
    """The roles of the columns of a file; those left at None are guessed from the names of the columns.

    Parameters
    ----------
    text : str or sequence of str, optional
        The columns whose words are indexed, joined in this order. The guess is the title and the first that exists of
        text, body, content, full_text, abstract, description and summary, or such a name in German.
    labels : str or sequence of str, optional
        The columns that hold labels; () for none. The guess is one of labels, subjects, subject_uris, topics, tags,
        categories, keywords, or the singular of these, or else a name with such a word: "subject headings", "Subjects
        (LCSH)", "Author keywords".
    id : str, optional
        The column that holds the id. The guess is one with a usual name, or else the first column if its name ends as
        in "Record no" or "Key" and its first values all differ. If there is none, ids are made from the name of the
        file and the line.
    title : str, optional
        The column to show in lists of results; "" for none.
    links : mapping of str to str, or str or sequence of str, optional
        Names of relations and the columns that hold them; a plain name is both; () for none. The guess is the authors
        in MARC, Dublin Core, BibTeX, RIS and CSL-JSON, and nothing in other formats.
    fields : sequence of str, optional
        Which of the other columns to keep; all of them if not given, () for none.
    label_separator : str, optional
        Separator of several labels, or several linked names, in one text. If not given, a list is a list, a text in
        JSON or Parquet is one name, and a cell of a table is split at ";", "|" or line ends, whichever its column
        uses most; if it has none of them, at "," or "--" if the same parts are now first, now later, as in lists.
        " " splits at any white space; "" never splits.
    title_weight : int, default 1
        How many times the title is repeated in the text, if it is one of the `text` columns.

    Raises
    ------
    InputError
        If a name is empty or not a text, or `title_weight` is not a whole number of at least 1.

    Examples
    --------
    >>> ColumnMap(text=["title", "body"], labels="topics", links={"writer": "author"}).used
    ('title', 'body', 'topics', 'author')
    >>> ColumnMap.from_strings(text="title,body", links="author,journal").links
    {'author': 'author', 'journal': 'journal'}
    """

    text: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    id: str | None = None
    title: str | None = None
    links: Mapping[str, str] | Sequence[str] | None = field(default=None, hash=False)
    fields: Sequence[str] | None = None
    label_separator: str | None = None
    title_weight: int = 1

    def __post_init__(self) -> None:
        for role in ("text", "labels", "fields"):
            given = getattr(self, role)
            object.__setattr__(self, role, None if given is None else _names(role, given))
        for role in ("id", "title", "label_separator"):
            if not isinstance(getattr(self, role), (str, type(None))):
                raise InputError(f"{role} is not a text: got {getattr(self, role)!r}, expected one text or None.")
        if self.text is not None and not self.text and not self.links:
            raise InputError("text names no column: got (), expected at least one name, or None for a guess.")
        if self.links is not None:
            given = self.links if isinstance(self.links, Mapping) else None
            names = _names("links", self.links) if given is None else tuple(given)
            columns = names if given is None else _names("links", given.values())
            object.__setattr__(self, "links", dict(zip(names, columns, strict=True)))
        check_count("title_weight", self.title_weight)

    @classmethod
    def from_strings(
        cls,
        *,
        text: str | None = None,
        labels: str | None = None,
        id: str | None = None,
        title: str | None = None,
        links: str | None = None,
        fields: str | None = None,
        label_separator: str | None = None,
        title_weight: int = 1,
    ) -> ColumnMap:
        """Make a map from comma-separated names, as on a command line: `text="title,body"`.

        A link may have another name than its column: `links="writer=author,journal"`. "" means no column.
        """
        pairs = [name.partition("=") for name in _split(links) or ()]
        return cls(
            text=_split(text),
            labels=_split(labels),
            id=id,
            title=title,
            links=None if links is None else {name.strip(): (column or name).strip() for name, _, column in pairs},
            fields=_split(fields),
            label_separator=label_separator,
            title_weight=title_weight,
        )

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> ColumnMap:
        """Make a map of roles that an index keeps; roles that a newer version added are left aside."""
        return cls(**{entry.name: facts[entry.name] for entry in dataclasses.fields(cls) if entry.name in facts})

    @property
    def link_columns(self) -> Mapping[str, str]:
        """The columns that hold links, by the names of the links."""
        return self.links if isinstance(self.links, Mapping) else {}

    @property
    def used(self) -> tuple[str, ...]:
        """The columns that are mapped to something, each once."""
        return tuple(dict.fromkeys(column for _, column in self._roles()))

    def guessed(
        self,
        columns: Iterable[str],
        file: str,
        known_links: Sequence[str] = (),
        rows: Sequence[Mapping[str, object]] = (),
    ) -> ColumnMap:
        """Return the map with the roles that are None filled in from the columns of a file.

        `known_links` are columns that are links in every file of its format, `rows` are its first ones.
        """
        there = list(columns)
        subject = _subject_line(there)  # of messages: a title, no subject heading
        title = self.title if self.title is not None else _first(_TITLE, there) or subject
        text = self.text
        if text is None:
            body = _first(_TEXT, there) or _with_word(_TEXT_WORDS, [name for name in there if name != title])
            text = tuple(dict.fromkeys(name for name in (title, body) if name))
        if not text and not self.links:  # links alone are enough, for instance who rated what
            raise InputError(
                f"text is not given and cannot be guessed: got the columns {shown(map(_cut, there), 8)} in {file}, "
                f"expected one such as {', '.join(map(repr, _TEXT[:4]))}. Name the columns that hold the text; the "
                "first line of a table must hold the names of its columns."
            )
        labels = self.labels
        if labels is None:
            other = [name for name in there if name not in (*text, subject)]
            labels = tuple(filter(None, [_first(_LABELS, other) or _with_word(_LABEL_WORDS, other)]))
        found_id = (
            self.id if self.id is not None else _first(_ID, there) or _first_column(there, rows, (*text, *labels))
        )
        links = self.links if self.links is not None else {name.lower(): name for name in known_links if name in there}
        return replace(self, text=text, labels=labels, id=found_id or "", title=title or "", links=links)

    def missing(self, columns: Iterable[str]) -> list[tuple[str, str]]:
        """Return role and name of each mapped column that is not among `columns`."""
        there = set(columns)
        return [(role, column) for role, column in self._roles() if column not in there]

    def described(self, open_map: ColumnMap, separators: Mapping[str, str] | None = None) -> str:
        """Return what was guessed where `open_map` has None, and how to change it; empty if there is nothing.

        `separators` are those of the columns whose cells hold several names.
        """
        said, roles = [], []
        for role in ("text", "labels", "id", "title"):
            names = getattr(self, role)
            if getattr(open_map, role) is None and names:
                said.append(f"{role} from {names if isinstance(names, str) else ', '.join(names)}")
                roles.append(role)
        if not self.id and open_map.id is None:
            said.append("id from file name and line")
            roles.append("id")
        if open_map.links is None and self.links:
            said.append(f"links from {', '.join(self.link_columns.values())}")
            roles.append("links")
        if not said:
            return ""
        lines = [f"Columns guessed: {'; '.join(said)}."]
        if separators and open_map.label_separator is None:
            marks = {mark: [name for name in separators if separators[name] == mark] for mark in separators.values()}
            parts = (f"{', '.join(names)} at {_MARKS.get(mark, repr(mark))}" for mark, names in marks.items())
            lines.append(f"Cells with several names split: {'; '.join(parts)}.")
            roles.append("label_separator")
        *most, last = (f"`{role}`" for role in roles)
        return "\n".join([*lines, f"To choose others: {', '.join(most)}{' or ' if most else ''}{last}."])

    def _roles(self) -> Iterator[tuple[str, str]]:
        """Role and name of each mapped column."""
        yield from ((role, column) for role in ("id", "title") if (column := getattr(self, role)))
        yield from (("text", column) for column in self.text or ())
        yield from (("labels", column) for column in self.labels or ())
        yield from (("links", column) for column in self.link_columns.values())


def _names(role: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return one or several names as a tuple."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    wrong = next((name for name in listed if not isinstance(name, str) or not name), None)
    if wrong is not None:
        raise InputError(f"{role} holds an invalid name of a column: got {wrong!r}, expected a text that is not empty.")
    return listed


def _split(names: str | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(name.strip() for name in names.split(",") if name.strip())


def _cut(name: str) -> str:
    """Return the name of a column for a message; a long one is a cell of a table without a header."""
    return name if len(name) <= 40 else f"{name[:37]}..."


def _first(usual: Iterable[str], columns: list[str]) -> str | None:
    """Return the first usual name that is among the columns, however it is written."""
    plain = {" ".join(_words(name)): name for name in reversed(columns)}
    lower = {name.lower(): name for name in reversed(columns)}  # "_id" has no other form
    return next((found for name in usual if (found := lower.get(name) or plain.get(name.replace("_", " ")))), None)


def _subject_line(columns: list[str]) -> str | None:
    """Return the column with the subject lines of messages: that called so beside a sender or an addressee."""
    plain = {name.lower(): name for name in reversed(columns)}
    return plain.get("subject") if {"from", "sender", "to"}.intersection(plain) else None


def _first_column(columns: list[str], rows: Sequence[Mapping[str, object]], used: Sequence[str]) -> str | None:
    """Return the first column if it is called like an id and its values are there and differ."""
    name = columns[0]
    if name in used or not _ID_WORDS.issuperset(_words(name)[-1:] or ("",)):
        return None
    cells = [row.get(name) for row in rows]
    values = [str(cell).strip() for cell in cells if isinstance(cell, (str, int)) and not isinstance(cell, bool)]
    return name if values and all(values) and len(set(values)) == len(cells) else None


def _with_word(wanted: frozenset[str], columns: list[str]) -> str | None:
    """Return the first column whose name begins or ends with one of some words and says nothing else is meant."""
    for name in columns:
        words = _words(name)
        if words and not _OTHER_WORDS.intersection(words) and wanted.intersection((words[0], words[-1])):
            return name
    return None


def _words(name: str) -> list[str]:
    """Return the words of a name of a column in lower case, without what is in brackets or before a colon."""
    bare = re.sub(r"\(.*?\)|\[.*?\]|^\w+:", " ", name)
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", bare).lower())
