"""Rows from documents, one file per record: Markdown with front matter, HTML, and PDF.

The columns are `id` (the path inside the folder that is read), `title`, `text`, `folder`, and what a document says
about itself: its front matter, the `<meta>` of a page, the properties of a PDF.
"""

from __future__ import annotations

import io
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tacit.corpus.problems import Problems
from tacit.corpus.sources import Row, Source, quiet_library, whole_text
from tacit.errors import MissingExtraError

__all__ = ["html_rows", "markdown_rows", "pdf_rows"]

_LISTS = frozenset({"tags", "keywords", "categories", "subjects", "labels", "topics", "tag", "keyword", "category"})
_FRONT = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n(.*?)\n(?:\1|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_YAML_LINE = re.compile(r"([A-Za-z_][\w .-]*?)\s*:(?:\s+(.*))?$")
_SILENT = frozenset({"script", "style", "noscript", "template", "svg"})
_BESIDE = frozenset({"nav", "footer"})  # what all pages of a site have
_BEFORE_SITE = re.compile(r"\s*[|·–—:»-]\s")  # between the title of a page and the name of the site
_BLOCKS = frozenset(
    {"p", "div", "br", "li", "tr", "td", "th", "section", "article", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dd"}
)


def markdown_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the one row of a file of Markdown; without a title in the front matter, the first heading is it."""
    text = whole_text(source, problems)
    front: Row = {}
    if found := _FRONT.match(text):
        text = text[found.end() :]
        front = _toml(found[2], source, problems) if found[1] == "+++" else _yaml(found[2], source, problems)
    heading = re.search(r"^#\s+(.+?)\s*#*$|^(\S.*)\n=+\s*$", text, re.MULTILINE)
    if heading and "title" not in front:
        front["title"] = _plain_markdown(heading[1] or heading[2])
        text = text[: heading.start()] + text[heading.end() :]
    elif heading and _plain_markdown(heading[1] or heading[2]).lower() == str(front["title"]).strip().lower():
        text = text[: heading.start()] + text[heading.end() :]  # the title, which is there already
    body = front.pop("text", None)
    yield 1, {**_place(source), "title": "", **_with_lists(front), "text": _plain_markdown(text) or body or ""}


def html_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the one row of a page."""
    page = _Page()
    try:
        page.feed(whole_text(source, problems))
        page.close()
    except AssertionError as error:  # older versions of Python say so of a broken declaration
        problems.add("broken line", source.name, page.getpos()[0], f"not HTML: {error}. What stands before it is read.")
    meta = {name.removeprefix("dc.").removeprefix("dcterms."): value for name, value in page.meta.items()}
    row = {"title": _page_title(page) or meta.get("title", "")}
    keywords = meta.get("keywords") or meta.get("subject")
    if keywords:
        row["keywords"] = keywords
    row |= {name: meta[name] for name in ("description", "author", "date", "language") if meta.get(name)}
    text = _plain_lines(page.text) or _plain_lines(page.beside)  # some pages are nothing but a list of links
    text = text.removeprefix(f"{row['title']}\n")  # the heading, which is the title
    yield 1, {**_place(source), **_with_lists(row), "text": text}


def pdf_rows(source: Source, problems: Problems) -> Iterator[tuple[int, Row]]:
    """Yield the one row of a PDF; a file that cannot be read, or is encrypted, is counted."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtraError("pypdf", "pdf", "Reading PDF") from None
    try:
        with source.opened() as stream, quiet_library("pypdf"):
            reader = PdfReader(io.BytesIO(stream.read()))  # it seeks to odd places in broken files
            about: Mapping[str, Any] = reader.metadata or {}
            text = "\n".join(page.extract_text() for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        said = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        problems.add("broken line", source.name, 1, f"not a PDF that can be read: {said}.")
        return
    row: Row = {
        name: str(about[f"/{name.title()}"])
        for name in ("title", "author", "keywords")
        if about.get(f"/{name.title()}")
    }
    yield 1, {**_place(source), "title": "", **_with_lists(row), "text": text}


class _Page(HTMLParser):
    """Collects the texts that a page shows, its title, and its `<meta>`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self.beside: list[str] = []
        self.headings: list[str] = []
        self.meta: dict[str, str] = {}
        self._silent = 0
        self._beside = 0
        self._in_title = False
        self._in_heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag == "title":
            self._in_title = True
        elif tag in _BESIDE:
            self._beside += 1
        elif tag in _BLOCKS:
            self._add("\n")
            if tag == "h1":
                self._in_heading = True
                self.headings.append("")
        elif tag == "meta":
            found = {name: value or "" for name, value in attrs}
            if name := found.get("name", found.get("property", "")).lower():
                said = found.get("content", "")
                self.meta[name] = f"{self.meta[name]}, {said}" if name in self.meta else said

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        elif tag == "title":
            self._in_title = False
        elif tag in _BESIDE:
            self._beside = max(0, self._beside - 1)
        elif tag in _BLOCKS:
            self._add("\n")
            self._in_heading = self._in_heading and tag != "h1"

    def handle_data(self, data: str) -> None:
        if self._in_title and not self._silent:
            self.title.append(data)
        elif not self._silent:
            self._add(data)
            if self._in_heading:
                self.headings[-1] += data

    def _add(self, data: str) -> None:
        (self.beside if self._beside else self.text).append(data)


def _page_title(page: _Page) -> str:
    """Return the title of a page, without the name of the site if its one heading shows where the title ends."""
    title = " ".join("".join(page.title).split())
    headings = [" ".join(heading.split()) for heading in page.headings]
    if len(headings) == 1 and headings[0] and title.startswith(headings[0]):
        return headings[0] if _BEFORE_SITE.match(title[len(headings[0]) :]) else title
    return title


def _plain_lines(parts: list[str]) -> str:
    return "\n".join(filter(None, (" ".join(line.split()) for line in "".join(parts).splitlines())))


def _place(source: Source) -> Row:
    """Return id and folder of a document by its path."""
    place = source.place
    return {"id": place.as_posix(), "folder": "" if place.parent == Path() else place.parent.as_posix()}


def _with_lists(row: Row) -> Row:
    """Return a row with labels as lists, also those that are in one text with commas or semicolons."""
    split = {
        name: [part for part in map(str.strip, re.split("[;,]", value)) if part]
        for name, value in row.items()
        if name.lower() in _LISTS and isinstance(value, str)
    }
    return row | split


def _toml(text: str, source: Source, problems: Problems) -> Row:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.add("broken line", source.name, 1, f"the front matter is not TOML: {error}. The text is read.")
        return {}


def _yaml(text: str, source: Source, problems: Problems) -> Row:
    """Read the part of YAML that front matter consists of: names with texts, lists and texts of several lines."""
    row: Row = {}
    name, block = "", ""
    for number, line in enumerate(text.splitlines(), 2):
        bare = line.strip()
        if not bare and block:
            row[name] += "\n"
        elif not bare or bare.startswith("#"):
            continue
        elif line[0] not in " \t-" and (found := _YAML_LINE.match(bare)):
            name, value = found[1], (found[2] or "").strip()
            block = value[:1] if value[:1] in ("|", ">") else ""
            row[name] = "" if block else _yaml_value(value)
        elif name and block:
            row[name] += bare + ("\n" if block == "|" else " ")
        elif name and bare.startswith("- "):
            row[name] = [*(row[name] if isinstance(row[name], list) else ()), _yaml_value(bare[2:].strip())]
        elif name and isinstance(row[name], str) and row[name] and line[0] in " \t":
            row[name] += f" {bare}"
        else:
            problems.add(
                "broken line", source.name, number, f"{bare[:40]!r} in the front matter was not understood: left out."
            )
    return {name: value.strip() if isinstance(value, str) else value for name, value in row.items()}


def _yaml_value(text: str) -> Any:
    """Return a value of YAML that stands in one line; numbers and dates stay texts."""
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        try:
            return json.loads(text)
        except ValueError:
            return text[1:-1]
    if text[:1] == "'" and text[-1:] == "'" and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == "[" and text[-1:] == "]":
        parts = re.findall(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]+)\s*(?:,|$)""", text[1:-1])
        return [part if part[0] == "[" else _yaml_value(part) for part in map(str.strip, parts) if part]
    return re.sub(r"\s+#.*$", "", text)


def _plain_markdown(text: str) -> str:
    """Return Markdown as words: without marks, addresses of links, and tags of HTML."""
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"</?[A-Za-z][^>]*>", " ", text)
    text = re.sub(r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|```.*$|~~~.*$|[-=*_]{3,}\s*$)", "", text, flags=re.MULTILINE)
    text = re.sub(r"(\*\*|__|`|\*)(\S(?:.*?\S)?)\1", r"\2", text)
    return text.strip()
