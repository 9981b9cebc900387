"""Rows from BibTeX: entries with their fields, abbreviations and accents of TeX resolved.

The grammar is small, and the libraries for it are either in a long beta or no longer developed, see decision 0037.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source, whole_text

__all__ = ["bibtex_rows"]

_START = re.compile(r"@\s*(\w+)\s*([{(])")
_NAME = re.compile(r"\s*,?\s*([^\s=,{}()\"#]+)\s*=\s*")
_WORD = re.compile(r"[^\s,{}()\"#]+")
_COMMENTS = frozenset({"comment", "preamble"})
_MONTHS = {name[:3].lower(): name for name in (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December")}  # fmt: skip
_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å",
    "AA": "Å", "i": "i", "j": "j", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "textendash": "–", "textemdash": "—",
    "ldots": "…", "dots": "…", "S": "§", "textquoteright": "’", "textquoteleft": "‘", "textasciitilde": "~",
}  # fmt: skip
_ACCENTED = re.compile(r"""\\(?:([`'^~=."])\s*|([uvHcdbkr])(?=[\s{])\s*)(?:\{\s*\\?([^\W\d_])\s*\}|\\?([^\W\d_]))""")
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?\s?(?:\{\})?")


class _BrokenError(Exception):
    """An entry that cannot be read."""


def bibtex_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the line on which each entry starts, and its columns; entries that cannot be read are counted."""
    text = whole_text(source, problems)
    strings = dict(_MONTHS)
    at, line = 0, 1
    while found := _START.search(text, at):
        line += text.count("\n", at, found.start())
        kind, at = found[1].lower(), found.start()
        try:
            if kind in _COMMENTS:
                end = _closed(text, found.end() - 1)[1]
            elif kind == "string":
                fields, end = _fields(text, found.end(), strings)
                strings |= fields
            else:
                key = re.compile(r"\s*([^,\s{}]*)\s*,").match(text, found.end())
                fields, end = _fields(text, key.end() if key else found.end(), strings)
                yield line, _row(kind, key[1] if key else "", fields)
        except _BrokenError as error:
            problems.add("broken line", source.name, line, f"not an entry of BibTeX: {error}.")
            later = re.compile(r"^\s*@", re.MULTILINE).search(text, found.end())
            end = later.start() if later else len(text)
        line += text.count("\n", at, end)
        at = end


def _fields(text: str, at: int, strings: Mapping[str, str]) -> tuple[dict[str, str], int]:
    """Return the fields of an entry by their names in lower case, and where the entry ends."""
    fields: dict[str, str] = {}
    while found := _NAME.match(text, at):
        value, at = _value(text, found.end(), strings)
        fields.setdefault(found[1].lower(), value)
    end = re.compile(r"\s*,?\s*[})]").match(text, at)
    if end is None:
        rest = " ".join(text[at : at + 30].split())
        raise _BrokenError(f"expected name = value, got {rest!r}" if rest else "it has no end")
    return fields, end.end()


def _value(text: str, at: int, strings: Mapping[str, str]) -> tuple[str, int]:
    """Return a value, whose parts `#` joins, and where it ends."""
    parts: list[str] = []
    while True:
        if text[at : at + 1] in ("{", '"'):
            part, at = _closed(text, at)
        elif word := _WORD.match(text, at):
            part, at = strings.get(word[0].lower(), word[0]), word.end()
        else:
            raise _BrokenError("a value is missing")
        parts.append(part)
        joined = re.compile(r"\s*#\s*").match(text, at)
        if joined is None:
            return "".join(parts), at
        at = joined.end()


def _closed(text: str, at: int) -> tuple[str, int]:
    """Return what is between a brace or a quotation mark and its partner, and where it ends."""
    depth, is_quoted, start = 0, text[at] == '"', at + 1
    for found in re.compile(r'[{}()"]|\\.', re.DOTALL).finditer(text, start):
        mark = found[0]
        if mark == ("(" if text[at] == "(" else "{"):
            depth += 1
        elif mark == ('"' if is_quoted else ")" if text[at] == "(" else "}") and not depth:
            return text[start : found.start()], found.end()
        elif mark == (")" if text[at] == "(" else "}"):
            depth -= 1
    raise _BrokenError("a brace or quotation mark is not closed")


def _row(kind: str, key: str, fields: Mapping[str, str]) -> Row:
    """Return the columns of an entry; names of people and keywords are lists."""
    people = fields.get("author") or fields.get("editor") or ""
    keywords = fields.get("keywords") or fields.get("keyword") or ""
    names = re.split(r"\s+and\s+", people.strip())
    row: Row = {
        "title": _plain(fields.get("title", "")),
        "abstract": _plain(fields.get("abstract", "")),
        "keywords": list(dict.fromkeys(filter(None, map(_plain, re.split(";" if ";" in keywords else ",", keywords))))),
        "author": list(dict.fromkeys(filter(None, (_plain(name) for name in names if name != "others")))),
        "type": kind,
    }
    if key:
        row["id"] = key
    year = re.match(r"\d{4}", fields.get("year") or fields.get("date") or "")
    if year:
        row["year"] = year[0]
    known = {*row, "editor", "keyword", "date", "file"}
    return row | {name: _plain(value) for name, value in fields.items() if name not in known}


def _plain(text: str) -> str:
    """Return a text of TeX as plain characters, without braces and commands."""
    if "\\" in text:
        text = _ACCENTED.sub(_accented, text)
        text = re.sub(r"\\([&%$#_{}])", lambda found: {"{": "\0", "}": "\1"}.get(found[1], found[1]), text)
        text = _COMMAND.sub(lambda found: _LETTERS.get(found[1], ""), text)
    text = re.sub(r"[{}]|(?<!\\)\$", "", text).replace("~", " ").replace("\0", "{").replace("\1", "}")
    return " ".join(text.replace("---", "—").replace("--", "–").split())


def _accented(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", (found[3] or found[4]) + _ACCENTS[found[1] or found[2]])
