"""Postings become records: the group is the label, subject lines and authors relate them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tacit.datasets import load_newsgroups
from tacit.errors import InputError


def posting(number: int, group: str, **parts: Any) -> dict[str, Any]:
    return {
        "id": f"{group}/{number}",
        "group": group,
        "split": "train",
        "subject": "A question",
        "from": "Ann <Ann@Site.EDU>",
        "date": "Mon, 5 Apr 1993",
        "organization": None,
        "message_id": f"<{number}>",
        "newsgroups": [group],
        "body": "Words.",
        **parts,
    }


POSTINGS = [
    posting(1, "comp.graphics", subject="Re:  RE: A  question", newsgroups=["comp.graphics", "comp.misc"]),
    posting(2, "comp.windows.x", split="test", subject="Fwd: Re[2]: a Question", **{"from": "bob@b.org (Bob)"}),
    posting(3, "sci.med", split=None, subject="Reading: remarks", body="", **{"from": '"Cy"  (Cyril)'}),
    posting(4, "comp.graphics", subject="Was it re: that?", **{"from": "()"}),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "20newsgroups").mkdir()
    text = "".join(json.dumps(line) + "\n" for line in POSTINGS)
    (tmp_path / "20newsgroups" / "20newsgroups.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_postings_become_records(folder: Path) -> None:
    first = load_newsgroups(folder)[0]
    assert (first.id, first.labels, first.title) == ("comp.graphics/1", ("comp.graphics",), "Re:  RE: A  question")
    assert first.text == "Re:  RE: A  question\nWords."
    assert first.links == {"author": ("ann@site.edu",), "newsgroups": ("comp.graphics", "comp.misc")}
    assert first.fields == {
        "subject": "a question",
        "split": "train",
        "organization": None,
        "date": "Mon, 5 Apr 1993",
        "body": "Words.",
        "message_id": "<1>",
    }


def test_answers_have_the_subject_of_their_question(folder: Path) -> None:
    subjects = [record.fields["subject"] for record in load_newsgroups(folder)]
    assert subjects == ["a question", "a question", "reading: remarks", "was it re: that?"]


def test_authors_are_addresses_or_else_names(folder: Path) -> None:
    authors = [record.links["author"] for record in load_newsgroups(folder)]
    assert authors == [("ann@site.edu",), ("bob@b.org",), ("cy cyril",), ()]


@pytest.mark.parametrize(
    ("settings", "numbers"),
    [
        ({}, [1, 2, 3, 4]),
        ({"groups": ["comp.*"]}, [1, 2, 4]),
        ({"groups": ["sci.med", "comp.graphics"]}, [1, 3, 4]),
        ({"split": "bydate"}, [1, 2, 4]),
        ({"split": "test"}, [2]),
        ({"split": "train", "groups": {"comp.graphics"}}, [1, 4]),
    ],
)
def test_groups_and_parts_are_chosen(folder: Path, settings: dict[str, Any], numbers: list[int]) -> None:
    assert [int(record.id.split("/")[1]) for record in load_newsgroups(folder, **settings)] == numbers


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"groups": ["comp.graphic"]}, r"groups is unknown: got 'comp.graphic', .*Did you mean 'comp.graphics'\?"),
        ({"groups": ["rec.*"]}, r"groups is unknown: got 'rec.\*', expected one of 'comp.graphics'"),
        ({"groups": "comp.*"}, r"groups is a single string: got 'comp.\*'.*Wrap it: \['comp.\*'\]"),
        ({"split": "dev"}, r"split is unknown: got 'dev', expected one of 'all', 'bydate', 'train', 'test'"),
    ],
)
def test_unknown_choices_are_refused(folder: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_newsgroups(folder, **settings)


@pytest.mark.realdata
def test_the_real_data(data_dir: Path) -> None:
    records = load_newsgroups(data_dir)
    assert len(records) == 19_997
    sizes = Counter(record.labels[0] for record in records)
    assert len(sizes) == 20
    assert {group: size for group, size in sizes.items() if size != 1000} == {"soc.religion.christian": 997}
    assert Counter(record.fields["split"] for record in records) == {"train": 11_314, "test": 7_532, None: 1_151}
    assert all(record.fields["subject"] for record in records)
    computers = {record.fields["subject"] for record in records if record.labels[0].startswith("comp.")}
    assert abs(len(computers) - 2933) < 30  # the paper's count, whose rules for spaces and capitals are not known
