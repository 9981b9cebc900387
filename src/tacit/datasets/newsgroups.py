"""20 Newsgroups: postings of 1993, with the headers that relate them."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path, PurePosixPath
from typing import Any

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.datasets.data_files import (
    CONTROL_CHARACTERS,
    Home,
    RemoteFile,
    archive_members,
    find_file,
    joined,
    read_json_lines,
    write_json_lines,
)
from tacit.errors import InputError

__all__ = ["HOME", "load_newsgroups"]


def load_newsgroups(
    data_dir: str | Path | None = None, *, groups: Collection[str] | None = None, split: str = "all"
) -> list[Record]:
    """Read the 19,997 postings of 20 Newsgroups, with their subject lines.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `20newsgroups`; the environment variable TACIT_DATA if not given.
    groups : collection of str, optional
        Read these groups only; a name that ends in ".*", such as "comp.*", stands for all groups that start so.
    split : {"all", "bydate", "train", "test"}, default "all"
        All postings; the 18,846 of the split by date, which has no copies; or one part of that.

    Returns
    -------
    list of Record
        `id` is "group/number"; `labels` has one group, the one the posting was collected from; `text` is the subject
        line and the body; `title` is the subject line. `links` has the `author` (the address in lower case, or the
        name if there is none) and the `newsgroups` that it was posted to. `fields` has `subject` (in lower case,
        without "Re:" and "Fwd:"), `split` ("train", "test" or None), `organization`, `date`, `body` and `message_id`,
        which the copies of one posting in several groups share.
    """
    check_choice("split", split, ("all", "bydate", "train", "test"))
    postings = list(read_json_lines(find_file(data_dir, "20newsgroups", "20newsgroups.jsonl.gz")))
    wanted = _wanted(groups, sorted({posting["group"] for posting in postings}))
    parts = {"all": ("train", "test", None), "bydate": ("train", "test")}.get(split, (split,))
    return [_record(posting) for posting in postings if posting["group"] in wanted and posting["split"] in parts]


def _wanted(groups: Collection[str] | None, known: list[str]) -> set[str]:
    """Return the names of the groups; each name in `groups` must match at least one."""
    if groups is None:
        return set(known)
    if isinstance(groups, str):
        raise InputError(f"groups is a single string: got {groups!r}, expected several names. Wrap it: [{groups!r}].")
    wanted: set[str] = set()
    for group in groups:
        family = [name for name in known if group.endswith(".*") and name.startswith(group[:-1])]
        wanted.update(family or [check_choice("groups", group, known)])
    return wanted


def _record(posting: dict[str, Any]) -> Record:
    author = _author(posting["from"])
    return Record(
        id=posting["id"],
        text=joined(posting["subject"], posting["body"]),
        labels=(posting["group"],),
        title=posting["subject"],
        links={"author": (author,) if author else (), "newsgroups": posting["newsgroups"]},
        fields={
            "subject": _normalised(posting["subject"]),
            **{name: posting.get(name) for name in ("split", "organization", "date", "body", "message_id")},
        },
    )


def _author(line: str) -> str:
    """Return the address in a From line, or the line itself if there is none."""
    found = re.search(r"[^\s<>()\"]+@[^\s<>()\"]+", line)
    return (found[0] if found else " ".join(re.findall(r"[^\s<>()\"]+", line))).lower()


def _normalised(subject: str) -> str:
    """Return a subject line in lower case without "Re:" and "Fwd:", so that a reply has that of its question."""
    bare = " ".join(subject.split()).lower()
    return re.sub(r"^(?:(?:re|fwd?)\s*(?:\[\d+\]|\^\d+)?\s*:\s*)+", "", bare)


def _convert(downloads: Path, made: Path) -> None:
    """Write all postings with their headers and with the part of the split by date that each is in."""
    split: dict[str, str] = {}
    for name, _ in archive_members(downloads / "20news-bydate.tar.gz", read=False):
        parts = PurePosixPath(name).parts
        for part in ("train", "test"):
            if len(parts) >= 3 and parts[-3] == f"20news-bydate-{part}":
                split["/".join(parts[-2:])] = part
    postings = []
    for name, content in archive_members(downloads / "20news-19997.tar.gz"):
        key = "/".join(PurePosixPath(name).parts[-2:])
        postings.append(_posting(key, split.get(key), content.decode("latin-1")))
    if not postings or not split:
        raise InputError(
            f"the archives have other content: got {len(postings)} postings and a split of {len(split)}, expected both."
        )
    postings.sort(key=lambda posting: (posting["group"], int(re.sub(r"\D", "", posting["id"].split("/")[1]) or 0)))
    write_json_lines(made / "20newsgroups.jsonl.gz", postings)


def _posting(key: str, split: str | None, text: str) -> dict[str, Any]:
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    headers: dict[str, str] = {}
    for line in re.sub(r"\n[ \t]+", " ", head).split("\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), CONTROL_CHARACTERS.sub("", value).strip())
    known = {name: headers.get(name.replace("_", "-"), "") for name in _HEADERS}
    extra = {name: headers[name] for name in ("keywords", "summary", "distribution") if headers.get(name)}
    groups = [group.strip() for group in headers.get("newsgroups", "").split(",") if group.strip()]
    facts = {"id": key, "group": key.split("/")[0], "split": split, **known, "newsgroups": groups}
    return {**facts, "body": CONTROL_CHARACTERS.sub("", body), **extra}


_HEADERS = ("subject", "from", "date", "organization", "message_id")


_PAGE = "http://qwone.com/~jason/20Newsgroups/"
_BY_DATE_SHA256 = "8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610"
_SOURCES = (
    RemoteFile(f"{_PAGE}20news-19997.tar.gz", "20news-19997.tar.gz"),
    RemoteFile("https://ndownloader.figshare.com/files/5975967", "20news-bydate.tar.gz", sha256=_BY_DATE_SHA256),
)
HOME = Home(_PAGE, "20newsgroups", ("20newsgroups.jsonl.gz",), _SOURCES, 32, _convert)
