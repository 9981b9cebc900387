"""Rows from MARC 21: what a catalogue record says about its title, content, subjects and authors.

| column | fields |
|---|---|
| `id` | 001 |
| `title` | 245 `$a` `$b` `$n` `$p` |
| `abstract` | 520 `$a` `$b` |
| `subjects` | 600 to 651 and 653: the URI in `$0` if there is one, else the heading with its subdivisions |
| `label_titles` | headings of the subjects that are URIs |
| `author` | 1XX and 7XX, without the titles of related works |
| `dewey`, `udc` | 082 `$a`, 080 `$a` |
| `genre`, `isbn`, `contents` | 655, 020, 505 |
| `year`, `publisher`, `language` | 264 or 260, 041; else 008 |

Records in XML are read by `xml_records.py`, which needs no library; the older binary form by pymarc, since its texts
may be in MARC-8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source, quiet_library
from tacit.errors import MissingExtraError

__all__ = ["MarcField", "marc_row", "marc_rows"]

MarcField = tuple[str, str, tuple[tuple[str, str], ...]]  # tag, data of a control field, subfields of another

_SUBJECTS = frozenset({"600", "610", "611", "630", "647", "648", "650", "651"})
_PEOPLE = frozenset({"100", "110", "111", "700", "710", "711"})
_NAME_PARTS = frozenset("abcdnpqt")
_SUBDIVISIONS = frozenset("vxyz")
_AUTHORITIES = {"DE-588": "https://d-nb.info/gnd/", "DLC": "http://id.loc.gov/authorities/subjects/"}


def marc_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield number and columns of each record of a binary file; records that cannot be read are counted."""
    try:
        from pymarc import MARCReader
    except ImportError:
        raise MissingExtraError("pymarc", "marc", "Reading binary MARC") from None
    with source.opened() as stream:
        reader = MARCReader(stream, to_unicode=True, permissive=True, hide_utf8_warnings=True, utf8_handling="replace")
        for number in count(1):
            try:
                with quiet_library("pymarc"):
                    record = next(reader)
            except StopIteration:
                return
            except ValueError as error:  # a length below that of the length itself
                problems.add("broken line", source.name, number, f"not a MARC record: {error}. What follows is lost.")
                return
            if record is None:
                said = (str(reader.current_exception).splitlines() or ["it cannot be read"])[0].rstrip(".")
                problems.add("broken line", source.name, number, f"not a MARC record: {said}.")
            else:
                yield number, marc_row([_field_of(field) for field in record.fields])


def marc_row(fields: Sequence[MarcField]) -> Row:
    """Return the columns of one record."""
    titles: dict[str, str] = {}
    fixed = next((data for tag, data, _ in fields if tag == "008"), "")
    imprint = ("264", "260")
    year = next((found[0] for text in _all(fields, imprint, "c") if (found := re.search(r"\d{4}", text))), fixed[7:11])
    row: Row = {
        "title": _joined_title(next((_parts(subs, "abnp") for tag, _, subs in fields if tag == "245"), [])),
        "abstract": "\n".join(_all(fields, ("520",), "ab")),
        "subjects": list(dict.fromkeys(_subjects(fields, titles))),
        "author": list(dict.fromkeys(filter(None, (_person(subs) for tag, _, subs in fields if tag in _PEOPLE)))),
    }
    more: Row = {
        "id": next((data.strip() for tag, data, _ in fields if tag == "001"), ""),
        "label_titles": titles,
        "dewey": [text.replace("/", "") for text in _all(fields, ("082",), "a")],
        "udc": _all(fields, ("080",), "a"),
        "genre": [_trimmed(text) for text in _all(fields, ("655",), "a")],
        "year": year if year.isdigit() else "",
        "language": next(iter(_all(fields, ("041",), "a")), fixed[35:38]).strip(),
        "publisher": _trimmed(next(iter(_all(fields, imprint, "b")), "")),
        "isbn": _all(fields, ("020",), "a"),
        "contents": "\n".join(_all(fields, ("505",), "agtr")),
    }
    return row | {name: value for name, value in more.items() if value}


def _joined_title(parts: Sequence[str]) -> str:
    """Return a title without the space before the sign that leads to the next part: "Whales : a history /"."""
    return _trimmed(re.sub(r" ([:;,.])(?= )", r"\1", " ".join(parts)))


def _field_of(field: Any) -> MarcField:
    """Return a field of pymarc in the form that XML files have, too."""
    if field.tag < "010":
        return field.tag, field.data or "", ()
    return field.tag, "", tuple((code, value) for code, value in field.subfields if value)


def _all(fields: Sequence[MarcField], tags: Sequence[str], codes: str) -> list[str]:
    """Return the texts of some fields, in the order of the tags."""
    return [
        text for wanted in tags for tag, _, subs in fields if tag == wanted if (text := " ".join(_parts(subs, codes)))
    ]


def _parts(subfields: Sequence[tuple[str, str]], codes: str) -> list[str]:
    return [" ".join(value.split()) for code, value in subfields if code in codes and value.strip()]


def _subjects(fields: Sequence[MarcField], titles: dict[str, str]) -> Iterator[str]:
    """Yield the labels of a record, and add the headings of those that are URIs to `titles`."""
    for tag, _, subfields in fields:
        if tag == "653":  # uncontrolled words, each in its own subfield
            yield from filter(None, map(_trimmed, _parts(subfields, "a")))
        elif tag in _SUBJECTS and (heading := _heading(subfields)):
            uri = next((uri for uri in map(_uri, _parts(subfields, "0")) if uri), "")
            if uri:
                titles[uri] = heading
            yield uri or heading


def _heading(subfields: Sequence[tuple[str, str]]) -> str:
    """Return a heading with its subdivisions: Cats -- Behavior."""
    name = _trimmed(" ".join(value.strip() for code, value in subfields if code in _NAME_PARTS))
    return " -- ".join(filter(None, [name, *(_trimmed(value) for code, value in subfields if code in _SUBDIVISIONS)]))


def _person(subfields: Sequence[tuple[str, str]]) -> str:
    """Return the name of a person or a body, "" if the field is about a work of theirs."""
    if any(code == "t" for code, _ in subfields):
        return ""
    return _trimmed(" ".join(_parts(subfields, "abcdq")))


def _uri(identifier: str) -> str:
    """Return the URI of an authority record, "" if its number is of a file whose addresses are not known."""
    found = re.fullmatch(r"(?:\(([^)]*)\))?\s*(.+)", identifier)
    if found is None:
        return ""
    base = _AUTHORITIES.get(found[1] or "")
    if base is not None:
        return base + found[2].replace(" ", "")
    return found[2] if found[2].startswith(("http://", "https://", "urn:")) else ""


def _trimmed(text: str) -> str:
    """Return a text without the punctuation that leads to the next field; the point after an initial stays."""
    bare = text.strip().rstrip(" /:;,=")
    return bare[:-1].rstrip() if re.search(r"\w{2}\.$|\)\.$", bare) and not bare.endswith("..") else bare
