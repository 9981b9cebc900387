"""Reuters-21578: 21,578 stories of the Reuters newswire of 1987, with topics below six groups."""

from __future__ import annotations

import html
import re
from pathlib import Path, PurePosixPath
from typing import Any

from tacit.corpus.record import Record
from tacit.datasets.data_files import (
    CONTROL_CHARACTERS,
    Home,
    RemoteFile,
    TaxonomyTable,
    archive_members,
    find_file,
    joined,
    read_json_lines,
    read_table,
    write_json_lines,
    write_table,
)
from tacit.errors import InputError

__all__ = ["HOME", "load_reuters21578", "reuters21578_taxonomy"]


def load_reuters21578(data_dir: str | Path | None = None) -> list[Record]:
    """Read Reuters-21578, Distribution 1.0: all 21,578 stories of the 1987 newswire.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `reuters21578`; the environment variable TACIT_DATA if not given.

    Returns
    -------
    list of Record
        `labels` are the topics; `text` is title and body; `fields` has `split` ("train", "test" or "unused" of the
        ModApte split), `lewissplit`, `places` and `date`.
    """
    return [
        Record(
            id=str(story["id"]),
            text=joined(story["title"], story["body"]),
            labels=story["topics"],
            title=story["title"],
            fields={name: story[name] for name in ("split", "lewissplit", "places", "date")},
        )
        for story in read_json_lines(find_file(data_dir, "reuters21578", "reuters21578.jsonl.gz"))
    ]


def reuters21578_taxonomy(data_dir: str | Path | None) -> TaxonomyTable:
    """Read the topics with their six groups; see `load_taxonomy`."""
    rows = read_table(find_file(data_dir, "reuters21578", "topics.tsv"), ("topic", "group", "description"))
    groups: dict[str, tuple[str, ...]] = {group: () for _, group, _ in rows}
    topics = {topic: (group,) for topic, group, _ in rows}
    return TaxonomyTable({**groups, **topics}, {topic: title for topic, _, title in rows if title})


def _convert(downloads: Path, made: Path) -> None:
    """Write the 22 SGML files as JSON lines, and the list of topics with their groups."""
    stories: list[dict[str, Any]] = []
    topics: list[tuple[str, str, str]] = []
    for name, content in archive_members(downloads / "reuters21578.tar.gz"):
        text = content.decode("latin-1")
        if re.fullmatch(r"reut2-\d+\.sgm", PurePosixPath(name).name):
            stories += [_story(found) for found in _STORY.finditer(text)]
        elif PurePosixPath(name).name.startswith("cat-descriptions"):
            topics = _topics(text)
    if not stories or not topics:
        raise InputError(f"reuters21578.tar.gz has other content: got {len(stories)} stories and {len(topics)} topics.")
    write_json_lines(made / "reuters21578.jsonl.gz", sorted(stories, key=lambda story: story["id"]))
    write_table(made / "topics.tsv", ("topic", "group", "description"), topics)


_STORY = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)


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
    """Replace entities, and remove the control characters of the newswire, some of which are entities too."""
    return CONTROL_CHARACTERS.sub("", html.unescape(re.sub(r"&#\d+;", "", text))).strip()


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


_BASE = "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578"
_SHA256 = "3bae43c9b14e387f76a61b6d82bf98a4fb5d3ef99ef7e7075ff2ccbcf59f9d30"
_SOURCES = (RemoteFile(f"{_BASE}.tar.gz", "reuters21578.tar.gz", sha256=_SHA256),)
HOME = Home(f"{_BASE}.html", "reuters21578", ("reuters21578.jsonl.gz", "topics.tsv"), _SOURCES, 8, _convert)
