"""Rows from XML: MARCXML, Dublin Core, and what an OAI-PMH or SRU service answers with these inside.

Records are taken one by one as the file is read. A file with a document type is refused: it may define entities that
grow without bound, or name other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from tacit.corpus.formats.marc import MarcField, marc_row
from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source
from tacit.errors import InputError

__all__ = ["xml_rows"]

_PIECE = 1 << 16
_RECORDS = frozenset({"record", "dc", "Description", "metadata"})  # the outermost of these is a record
_DUBLIN_CORE = "http://purl.org/dc/"
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns# "
_AUTHORS, _TEXTS = ("creator", "contributor"), ("description", "abstract", "tableOfContents")


def xml_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield line and columns of each record."""
    for line, element in _elements(source, problems):
        header = next((part for part in element.iter() if _local(part) == "header"), None)
        if header is not None and header.get("status") == "deleted":
            continue
        fields = [_field_of(part) for part in element.iter() if _local(part) in ("controlfield", "datafield")]
        if fields:
            yield line, marc_row(fields)
        elif found := _properties(element):
            yield line, _dublin_core_row(found, _identifier(element, header))
        else:
            problems.add("broken line", source.name, line, "a record of neither MARC nor Dublin Core: left out.")


class _Records:
    """Keeps the elements of records while a file is parsed, and nothing around them."""

    def __init__(self, parser: Any, name: str) -> None:
        self.found: list[tuple[int, Element]] = []
        self._parser, self._name = parser, name
        self._builder: TreeBuilder | None = None
        self._depth = self._line = 0
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = self._data, self._refuse

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._builder is None:
            if name.rpartition(" ")[2] not in _RECORDS:
                return
            self._builder, self._depth, self._line = TreeBuilder(), 0, self._parser.CurrentLineNumber
        self._depth += 1
        self._builder.start(name, attributes)

    def _end(self, name: str) -> None:
        if self._builder is None:
            return
        self._builder.end(name)
        self._depth -= 1
        if not self._depth:
            self.found.append((self._line, self._builder.close()))
            self._builder = None

    def _data(self, text: str) -> None:
        if self._builder is not None:
            self._builder.data(text)

    def _refuse(self, *_: object) -> None:
        raise InputError(
            f"path has a document type: got <!DOCTYPE in {self._name}, expected XML without one, since it may name "
            "other files. Remove it from the file."
        )


def _elements(source: Source, problems: Problems) -> Iterator[tuple[int, Element]]:
    """Yield line and element of each record, as the file is read; what follows an error in the XML is lost."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    records = _Records(parser, source.name)
    with source.opened() as stream:
        while True:
            piece = stream.read(_PIECE)
            broken, line = "", 1
            try:
                parser.Parse(piece, not piece)
            except expat.ExpatError as error:
                broken, line = expat.ErrorString(error.code), error.lineno
            except (LookupError, ValueError) as error:  # of an encoding that is unknown, or has several bytes
                if isinstance(error, InputError):
                    raise
                broken = str(error)
            yield from records.found
            records.found.clear()
            if broken:
                problems.add("broken line", source.name, line, f"not XML: {broken}. What follows is lost.")
            if broken or not piece:
                return


def _local(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition(" ")[2]


def _field_of(element: Element) -> MarcField:
    """Return a field of MARCXML."""
    subfields = tuple((part.get("code", ""), part.text or "") for part in element if _local(part) == "subfield")
    return element.get("tag", ""), element.text or "", subfields


def _properties(record: Element) -> dict[str, list[str]]:
    """Return the texts, or else the addresses, of the Dublin Core properties of a record."""
    found: dict[str, list[str]] = {}
    for part in record.iter():
        space, _, name = part.tag.rpartition(" ")
        if not space.startswith(_DUBLIN_CORE) or name == "dc":
            continue
        text = " ".join("".join(part.itertext()).split()) or part.get(f"{_RDF}resource", "")
        if text:
            found.setdefault(name, []).append(text)
    return found


def _identifier(record: Element, header: Element | None) -> str:
    """Return the id in the header of a record, or what the record says to be about."""
    named = [] if header is None else [part.text or "" for part in header if _local(part) == "identifier"]
    about = (part.get(f"{_RDF}about", "") for part in record.iter())
    return next((name.strip() for name in (*named, *about) if name.strip()), "")


def _dublin_core_row(found: dict[str, list[str]], identity: str) -> Row:
    """Return the columns of a record; several subjects in one element are separated by semicolons."""
    subjects = [part.strip() for text in found.pop("subject", []) for part in text.split(";")]
    titles = found.pop("title", [])
    row: Row = {
        "id": identity or next(iter(found.get("identifier", [])), ""),
        "title": titles[0] if titles else "",
        "description": "\n".join(text for name in _TEXTS for text in found.pop(name, [])),
        "subjects": list(dict.fromkeys(filter(None, subjects))),
        "author": list(dict.fromkeys(name for role in _AUTHORS for name in found.pop(role, []))),
    }
    if titles[1:]:
        row["other_titles"] = titles[1:]
    if not row["id"]:
        del row["id"]
    return row | {name: texts[0] if len(texts) == 1 else texts for name, texts in found.items()}
