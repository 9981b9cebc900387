"""20 Newsgroups, read from a folder on this machine: postings of 1993, with the headers that relate them."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.datasets.published import _find, _joined, _json_lines
from tacit.errors import InputError

__all__ = ["load_newsgroups"]


def load_newsgroups(
    data_dir: str | Path | None = None, *, groups: Collection[str] | None = None, split: str = "all"
) -> list[Record]:
    """Read the 19,997 postings of 20 Newsgroups, with their subject lines.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `20newsgroups`; the environment variable TACIT_DATA if not given.
    groups : collection of str, optional
        Read these groups only; a name that ends in ".*" stands for all that start so, as "comp.*" does.
    split : {"all", "bydate", "train", "test"}, default "all"
        All postings; the 18,846 of the split by date, which has no copies; or one part of that.

    Returns
    -------
    list of Record
        `id` is "group/number"; `labels` has one group, the one the posting was collected from; `text` is the subject
        line and the body; `title` is the subject line. `links` has the `author` (the address in small letters, or the
        name where there is none) and the `newsgroups` that it was posted to. `fields` has `subject` (in small letters,
        without "Re:" and "Fwd:"), `split` ("train", "test" or None), `organization`, `date`, `body` and `message_id`,
        which the copies of one posting in several groups share.
    """
    check_choice("split", split, ("all", "bydate", "train", "test"))
    postings = list(_json_lines(_find(data_dir, "20newsgroups", "20newsgroups.jsonl.gz")))
    wanted = _wanted(groups, sorted({posting["group"] for posting in postings}))
    return [_record(posting) for posting in postings if posting["group"] in wanted and _is_in(posting["split"], split)]


def _wanted(groups: Collection[str] | None, known: list[str]) -> set[str]:
    """Give the names of the groups; each name that was given must stand for one at least."""
    if groups is None:
        return set(known)
    if isinstance(groups, str):
        raise InputError(f"groups is a single string: got {groups!r}, expected several names. Wrap it: [{groups!r}].")
    wanted: set[str] = set()
    for group in groups:
        family = [name for name in known if group.endswith(".*") and name.startswith(group[:-1])]
        wanted.update(family or [check_choice("groups", group, known)])
    return wanted


def _is_in(part: str | None, split: str) -> bool:
    return split == "all" or (part is not None if split == "bydate" else part == split)


def _record(posting: dict[str, Any]) -> Record:
    author = _author(posting["from"])
    return Record(
        id=posting["id"],
        text=_joined(posting["subject"], posting["body"]),
        labels=(posting["group"],),
        title=posting["subject"],
        links={"author": (author,) if author else (), "newsgroups": posting["newsgroups"]},
        fields={
            "subject": _normalised(posting["subject"]),
            "split": posting["split"],
            "organization": posting.get("organization"),
            "date": posting.get("date"),
            "body": posting["body"],
            "message_id": posting.get("message_id"),
        },
    )


def _author(line: str) -> str:
    """Give the address of a From line, or the line itself where there is none in it."""
    found = re.search(r"[^\s<>()\"]+@[^\s<>()\"]+", line)
    return (found[0] if found else " ".join(re.findall(r"[^\s<>()\"]+", line))).lower()


def _normalised(subject: str) -> str:
    """Give a subject line such that an answer has that of its question: without marks in front, spaces and capitals."""
    bare = " ".join(subject.split()).lower()
    return re.sub(r"^(?:(?:re|fwd?)\s*(?:\[\d+\]|\^\d+)?\s*:\s*)+", "", bare)
