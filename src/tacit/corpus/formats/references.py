"""Rows from lists of references: RIS, and CSL-JSON as Zotero and other programs export it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source

__all__ = ["are_csl_items", "csl_row", "ris_rows"]

_RIS_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?")
_RIS_NAMES = {
    "TI": "title", "T1": "title", "CT": "title", "BT": "title", "AB": "abstract", "N2": "abstract", "KW": "keywords",
    "AU": "author", "A1": "author", "A2": "author", "A3": "author", "ED": "author", "ID": "id", "PY": "year",
    "Y1": "year", "DA": "date", "JO": "journal", "JF": "journal", "T2": "journal", "PB": "publisher", "LA": "language",
    "DO": "doi", "UR": "url", "SN": "isbn", "N1": "note", "TY": "type",
}  # fmt: skip
_ZOTERO = re.compile(r"^https?://(?:www\.)?zotero\.org/.*/items/")  # what is before the key of an item
_LISTS = frozenset({"keywords", "author"})


def ris_rows(lines: Iterable[str], source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the line on which each reference starts, and its columns."""
    start, row, last = 0, {}, ""  # type: int, dict[str, list[str]], str
    for number, line in enumerate(lines, 1):
        found = _RIS_LINE.fullmatch(line.strip("\ufeff\r\n").rstrip())
        tag = found[1] if found else ""
        if tag == "TY":
            if start:
                problems.add("broken line", source.name, start, "a reference without its end, ER: read up to the next.")
                yield start, _ris_row(row)
            start, row = number, {}
        if not start:
            if line.strip("\ufeff\r\n "):
                problems.add(
                    "broken line", source.name, number, "outside of a reference, which begins with TY: left out."
                )
        elif tag == "ER":
            yield start, _ris_row(row)
            start = 0
        elif found:
            last = _RIS_NAMES.get(tag, "")
            if last and (found[2] or "").strip():
                row.setdefault(last, []).append(found[2].strip())
        elif line.strip() and row.get(last):  # a text that goes on
            row[last][-1] += f" {line.strip()}"
    if start:
        problems.add(
            "broken line", source.name, start, "a reference without its end, ER: read up to the end of the file."
        )
        yield start, _ris_row(row)


def are_csl_items(rows: Sequence[Row]) -> bool:
    """Whether the first rows of a JSON file are CSL-JSON: each has a type, and names or dates have their parts."""
    return bool(rows) and all(isinstance(row.get("type"), str) for row in rows) and any(map(_has_parts, rows))


def csl_row(item: Row) -> Row:
    """Return the columns of an item of CSL-JSON."""
    keywords = item.get("keyword")
    row: Row = {
        "title": item.get("title") or "",
        "abstract": item.get("abstract") or "",
        "keywords": _split_keywords([keywords]) if isinstance(keywords, str) else keywords or [],
        "author": list(filter(None, (_person(name) for name in item.get("author") or item.get("editor") or ()))),
    }
    identity = item.get("id", item.get("citation-key"))
    if identity not in (None, ""):
        row["id"] = _ZOTERO.sub("", str(identity))
    year = _year(item.get("issued"))
    if year:
        row["year"] = year
    for name, column in {"container-title": "journal", "DOI": "doi", "URL": "url"}.items():
        if item.get(name):
            row[column] = item[name]
    plain = ("type", "publisher", "language", "note", "ISBN", "ISSN", "volume", "issue", "page")
    return row | {name.lower(): item[name] for name in plain if item.get(name)}


def _ris_row(found: Mapping[str, list[str]]) -> Row:
    """Return the columns of a reference."""
    row: Row = {"title": "", "abstract": "", "keywords": [], "author": []}
    for name, texts in found.items():
        if name == "keywords":
            row[name] = _split_keywords(texts)
        elif name in _LISTS:
            row[name] = list(dict.fromkeys(texts))
        else:
            row[name] = "\n".join(texts) if name in ("abstract", "note") else texts[0]
    if "year" in row:
        row["year"] = row["year"].partition("/")[0]
    if "date" in row:
        row["date"] = row["date"].strip("/ ")  # 1998/// has a year only
    return row


def _split_keywords(texts: Iterable[str]) -> list[str]:
    """Return keywords; some programs write all of them in one text, with semicolons or commas between them."""
    listed = list(texts)
    if len(listed) == 1:
        listed = listed[0].split(";" if ";" in listed[0] else ",")
    return list(dict.fromkeys(filter(None, map(str.strip, listed))))


def _has_parts(item: Mapping[str, Any]) -> bool:
    issued, names = item.get("issued"), item.get("author") or item.get("editor")
    is_dated = isinstance(issued, dict) and bool({"date-parts", "raw", "literal"} & set(issued))
    return is_dated or (
        isinstance(names, list) and any(isinstance(n, dict) and {"family", "literal"} & set(n) for n in names)
    )


def _person(name: object) -> str:
    """Return the name of a person or a body: Lee, Ann."""
    if not isinstance(name, dict):
        return ""
    parts = (" ".join(filter(None, (name.get("non-dropping-particle"), name.get("family")))), name.get("given"))
    return ", ".join(filter(None, parts)) or str(name.get("literal") or "")


def _year(issued: object) -> str:
    if not isinstance(issued, dict):
        return ""
    dates = issued.get("date-parts")
    if isinstance(dates, list) and dates and isinstance(dates[0], list) and dates[0]:
        return str(dates[0][0])
    found = re.search(r"\d{4}", str(issued.get("raw") or issued.get("literal") or ""))
    return found[0] if found else ""
