"""Turns published data sets that have texts into the files that our loaders read; see `converting_vectors` for others.

A converter takes the folder with the downloads and an empty folder, and fills the second. Archives are read member by
member and never unpacked.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import html
import io
import json
import lzma
import re
import sys
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from tacit.datasets.converting_vectors import convert_movielens, convert_mulan, convert_rcv1
from tacit.errors import InputError

__all__ = ["CONVERTERS"]


def _reuters21578(downloads: Path, made: Path) -> None:
    """22 SGML files as JSON lines, and the list of topics by group."""
    stories: list[dict[str, Any]] = []
    topics: list[tuple[str, str, str]] = []
    for name, content in _members(downloads / "reuters21578.tar.gz"):
        text = content.decode("latin-1")
        if re.fullmatch(r"reut2-\d+\.sgm", PurePosixPath(name).name):
            stories += [_story(found) for found in _STORY.finditer(text)]
        elif PurePosixPath(name).name.startswith("cat-descriptions"):
            topics = _topics(text)
    if not stories or not topics:
        raise InputError(f"reuters21578.tar.gz is something else: got {len(stories)} stories and {len(topics)} topics.")
    _write_lines(made / "reuters21578.jsonl.gz", sorted(stories, key=lambda story: story["id"]))
    _write_table(made / "topics.tsv", ("topic", "group", "description"), topics)


_STORY = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def _story(found: re.Match[str]) -> dict[str, Any]:
    facts = dict(re.findall(r'(\w+)="([^"]*)"', found[1]))
    content = found[2]
    split = {"TRAIN": "train", "TEST": "test"}.get(facts["LEWISSPLIT"]) if facts["TOPICS"] == "YES" else None
    text = re.search(r"<TEXT(?: TYPE=\"(\w+)\")?>(.*?)</TEXT>", content, re.DOTALL)
    kind, inside = (text[1] or "NORM", text[2]) if text else ("NORM", "")
    body = inside if kind == "UNPROC" else _element(inside, "BODY")
    story = {
        "id": int(facts["NEWID"]),
        "split": split or "unused",
        "lewissplit": facts["LEWISSPLIT"],
        "cgisplit": facts.get("CGISPLIT", ""),
        "has_topics_attr": facts["TOPICS"],
        "oldid": int(facts["OLDID"]),
        "type": kind,
        "date": _plain(_element(content, "DATE")),
        "title": _plain(_element(inside, "TITLE")),
        "dateline": _plain(_element(inside, "DATELINE")),
        "body": _plain(body),
    }
    lists = ("topics", "places", "people", "orgs", "exchanges", "companies")
    return {**story, **{name: re.findall(r"<D>(.*?)</D>", _element(content, name.upper())) for name in lists}}


def _element(text: str, tag: str) -> str:
    found = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    return found[1] if found else ""


def _plain(text: str) -> str:
    """Without entities, and without the control characters of the wire, some of which are entities too."""
    return _CONTROL.sub("", html.unescape(re.sub(r"&#\d+;", "", text))).strip()


def _topics(text: str) -> list[tuple[str, str, str]]:
    """Read the list of categories: groups in lines with stars, below them 'Name (CODE)' or the code alone."""
    topics, group = [], ""
    for line in map(str.strip, text.splitlines()):
        heading = re.fullmatch(r"\*+\s*(.+?) Codes \(\d+\)\**", line)
        if heading:
            group = "General" if heading[1] == "Subject" else heading[1]
        elif group in _TOPIC_GROUPS and line and not line.startswith("*"):
            described = re.fullmatch(r"(.*\S)\s*\(([^()\s]+)\)", line)
            title, code = (described[1], described[2]) if described else (line, line)
            topics.append((code.lower(), group, title))
    return topics


_TOPIC_GROUPS = ("General", "Economic Indicator", "Currency", "Corporate", "Commodity", "Energy")  # not places, people


def _newsgroups(downloads: Path, made: Path) -> None:
    """All postings with their headers, and which part of the split by date each is in."""
    split: dict[str, str] = {}
    for name, _ in _members(downloads / "20news-bydate.tar.gz", read=False):
        parts = PurePosixPath(name).parts
        for part in ("train", "test"):
            if len(parts) >= 3 and parts[-3] == f"20news-bydate-{part}":
                split["/".join(parts[-2:])] = part
    postings = []
    for name, content in _members(downloads / "20news-19997.tar.gz"):
        key = "/".join(PurePosixPath(name).parts[-2:])
        postings.append(_posting(key, split.get(key), content.decode("latin-1")))
    if not postings or not split:
        raise InputError(
            f"the archives are something else: got {len(postings)} postings and a split of {len(split)}, expected both."
        )
    postings.sort(key=lambda posting: (posting["group"], int(re.sub(r"\D", "", posting["id"].split("/")[1]) or 0)))
    _write_lines(made / "20newsgroups.jsonl.gz", postings)


def _posting(key: str, split: str | None, text: str) -> dict[str, Any]:
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    headers: dict[str, str] = {}
    for line in re.sub(r"\n[ \t]+", " ", head).split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), _CONTROL.sub("", value).strip())
    known = {name: headers.get(name.replace("_", "-"), "") for name in _HEADERS}
    extra = {name: headers[name] for name in ("keywords", "summary", "distribution") if headers.get(name)}
    groups = [group.strip() for group in headers.get("newsgroups", "").split(",") if group.strip()]
    facts = {"id": key, "group": key.split("/")[0], "split": split, **known, "newsgroups": groups}
    return {**facts, "body": _CONTROL.sub("", body), **extra}


_HEADERS = ("subject", "from", "date", "organization", "message_id")


def _arxiv(downloads: Path, made: Path) -> None:
    """One paper in thirteen of all category files, chosen and split by a hash of its number, in order of dates."""
    papers: dict[str, dict[str, Any]] = {}
    for path in sorted(downloads.glob("*.tsv.xz")):
        for row in _rows(path):
            number = int(hashlib.md5(row["arxiv_id"].encode(), usedforsecurity=False).hexdigest()[:8], 16)
            if number % 13 == 0:
                papers[row["arxiv_id"]] = _paper(row, "test" if number % 5 == 0 else "train")
    found = sorted(papers.values(), key=lambda paper: (paper["created"], paper["id"]))
    _write_lines(made / "arxiv_sample.jsonl.gz", found)
    nodes: dict[str, str] = {}
    for category in sorted({category for paper in found for category in paper["categories"]}):
        _add_with_parents(category, nodes)
    _write_table(made / "taxonomy.tsv", ("node", "parent"), sorted(nodes.items()))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # some abstracts are longer than the module expects
    try:
        with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                yield {name: " ".join((row[name] or "").split()) for name in _PAPER_COLUMNS}
    except (OSError, EOFError, KeyError, csv.Error, lzma.LZMAError, UnicodeError) as error:
        raise InputError(f"{path.name} is something else: got {error!r}, expected a packed table of papers.") from error


_PAPER_COLUMNS = ("arxiv_id", "title", "abstract", "categories", "primary_cat", "created")


def _paper(row: dict[str, str], split: str) -> dict[str, Any]:
    categories = [category.strip() for category in row["categories"].split(",") if category.strip()]
    paper: dict[str, Any] = {"id": row["arxiv_id"], "split": split, "title": row["title"], "abstract": row["abstract"]}
    return {**paper, "categories": categories, "primary": row["primary_cat"], "created": row["created"]}


def _add_with_parents(node: str, nodes: dict[str, str]) -> None:
    """A category lies below its archive, and the archives of physics below one node."""
    while node != "ROOT" and node not in nodes:
        archive, dot, _ = node.partition(".")
        nodes[node] = archive if dot else _ARCHIVES.get(node, "physics-group")
        node = nodes[node]


_ARCHIVES = dict.fromkeys(("cs", "econ", "eess", "math", "physics-group", "q-bio", "q-fin", "stat"), "ROOT")
_ARCHIVES |= dict.fromkeys(("alg-geom", "dg-ga", "funct-an", "q-alg"), "math") | {"cmp-lg": "cs"}


def _enzyme(downloads: Path, made: Path) -> None:
    """Packed and otherwise as it is, as its terms demand."""
    content = (downloads / "enzyme.dat").read_bytes()
    if not content.startswith(b"CC   ") or b"\nID   1.1.1.1\n" not in content:
        raise InputError("enzyme.dat is something else: got no entry 1.1.1.1, expected the ENZYME database.")
    (made / "enzyme.dat.gz").write_bytes(gzip.compress(content, mtime=0))


def _members(archive: Path, *, read: bool = True) -> Iterator[tuple[str, bytes]]:
    """Go through the files of an archive; one with a name that leads outside is not what was published."""
    try:
        with tarfile.open(archive) as members:
            for member in members:
                if member.name.startswith("/") or ".." in PurePosixPath(member.name).parts:
                    raise InputError(
                        f"{archive.name} has a path that leads outside: got {member.name!r}, expected names below the "
                        "folder. Do not trust this file."
                    )
                if member.isfile():
                    content = members.extractfile(member) if read else None
                    yield member.name, content.read() if content is not None else b""
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{archive.name} is damaged: got {error}, expected an archive. Try again.") from error


def _write_lines(path: Path, facts: Iterable[dict[str, Any]]) -> None:
    """Gzipped JSON lines, without a date in them: the same data give the same file."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8") as lines,
    ):
        for fact in facts:
            lines.write(json.dumps(fact, ensure_ascii=False) + "\n")


def _write_table(path: Path, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    path.write_text("".join("\t".join(row) + "\n" for row in (header, *rows)), "utf-8")


CONVERTERS: dict[str, Callable[[Path, Path], None]] = {
    "reuters21578": _reuters21578,
    "20newsgroups": _newsgroups,
    "arxiv": _arxiv,
    "enzyme": _enzyme,
    "movielens100k": convert_movielens,
    "rcv1": convert_rcv1,
    **{name: convert_mulan for name in ("bibtex", "delicious", "enron", "medical")},
}
