"""`tacit learn`: corrections are read as records are, listed, and refused in one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from asked_index import build_asked, refused, said, said_json
from small_index import small_records

from tacit.cli.app import main

ODD = [f"whale whale whale kettle kettle kettle {word}" for word in ("reef", "salt", "lamp", "dog", "tide", "chair")]
TEXT = "whale whale kettle kettle"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """An index of 120 records whose columns are not those that a guess would find."""
    folder = tmp_path_factory.mktemp("built")
    rows = [
        {"key": record.id, "head": record.title, "body": record.text, "about": "; ".join(record.labels)}
        for record in small_records(120)
    ]
    (folder / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "subjects.csv").write_text(
        "id,label\nanimals,Animals\nvessels,Vessels\npets,Pets\nhome,Homes\nodd,Curiosities\n"
    )
    options = ["--text", "body", "--labels", "about", "--id", "key", "--title", "head", "--label-separator", ";"]
    options += ["--vocabulary", str(folder / "subjects.csv"), "--set", "min_records=1", "--dimensions", "6", "-q"]
    with pytest.raises(SystemExit) as left:
        main(["build", str(folder / "notes.jsonl"), "-o", str(folder / "notes.tacit"), *options])
    assert not left.value.code
    return folder / "notes.tacit"


@pytest.fixture
def index(built, tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(built, "notes.tacit")
    return "notes.tacit"


def write(name: str, header: str, cells: str) -> str:
    Path(name).write_text(header + "\n" + "".join(cells.format(text) + "\n" for text in ODD))
    return name


def first(capsys, index: str) -> str:
    return said_json(capsys, "suggest", index, TEXT, "--json")["texts"][0]["suggestions"][0]["label"]


@pytest.mark.parametrize(
    ("name", "header", "cells", "options"),
    [
        ("guessed.csv", "id,text,labels,rejected", "x,{0},Curiosities,Pets; Animals", []),
        ("built.csv", "key,head,body,about", "x,Odd,{0},odd", []),
        ("plain.csv", "body,about,rejected", "{0},Curiosities,", []),
        ("named.csv", "a,yes,no", "{0},Curiosities,animals", ["--text", "a", "--labels", "yes", "--rejected", "no"]),
        ("annif.tsv", "whale kettle lamp\t<odd>", "{0}\t<odd>", []),
    ],
)  # fmt: skip
def test_texts_are_read_as_records_are_and_suggestions_follow(capsys, index, name, header, cells, options):
    source = write(name, header, cells.replace("x,", "{0},", 1))
    assert first(capsys, index) != "odd"
    out = said(capsys, "learn", index, source, *options)
    n_texts = 7 if name == "annif.tsv" else 6
    assert out.endswith(f"{n_texts} texts learned; notes.tacit has {n_texts} corrections now.\n")
    assert first(capsys, index) == "odd"
    assert f"corrections  {n_texts} texts learned" in " ".join(said(capsys, "info", index).split("   "))
    assert said_json(capsys, "info", index, "--json")["corrections"] == n_texts


def test_what_was_learned_is_listed(capsys, index):
    assert said(capsys, "learn", index, "--list") == "notes.tacit has no corrections.\n"
    source = write("given.csv", "id,text,labels,rejected", "{0},{0},Curiosities,Pets; never heard of")
    answer = said_json(capsys, "learn", index, source, "--json")
    assert (answer["learned"], answer["corrections"], answer["reading"]["records"]) == (6, 6, 6)
    again = said(capsys, "learn", index, source)
    assert again.endswith("0 of 6 texts learned; notes.tacit has 6 corrections now.\n")
    lines = said(capsys, "learn", index, "--list").splitlines()
    assert lines[0].split() == ["learned", "(UTC)", "id", "accepted", "rejected", "text"]
    assert "Curiosities  Pets, never heard of  whale whale whale kettle" in lines[1]
    listed = said_json(capsys, "learn", index, "--list", "--json")["corrections"]
    assert [(one["accepted"], one["rejected"], one["source"]) for one in listed] == [
        (["odd"], ["pets", "never heard of"], text) for text in ODD
    ]


def test_quiet_prints_nothing(capsys, index):
    assert said(capsys, "learn", index, write("a.csv", "text,labels", "{0},Pets"), "-q") == ""


def test_what_cannot_be_done_is_said_in_one_sentence(capsys, index, tmp_path):
    source = write("a.csv", "text,labels", "{0},Pets")
    assert "SOURCE is missing" in refused(capsys, "learn", index)
    assert "--list is given with SOURCE: got both" in refused(capsys, "learn", index, source, "--list")
    error = refused(capsys, "learn", index, source, "--rejected", "wrong")
    assert error.startswith("Error: --rejected names a column that a.csv does not have: got 'wrong', expected one of")
    error = refused(capsys, "learn", index, write("b.csv", "note,labels", "{0},Pets"))
    assert "'note'" in error
    error = refused(capsys, "learn", index, write("c.csv", "text,labels", "{0},"))
    assert error.startswith("Error: --labels are missing: got 6 texts without accepted or rejected labels")
    assert error.endswith("Name the columns that hold them with --labels and --rejected.")
    error = refused(capsys, "learn", index, write("d.csv", "text,labels,rejected", "{0},Pets,pets"))
    assert "--rejected has an accepted label: got 'pets' in both for record" in error


def test_an_index_that_cannot_learn_says_what_to_type(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = build_asked(tmp_path / "few.tacit")
    error = refused(capsys, "learn", index, write("a.csv", "text,labels", "{0},pets"))
    assert "has a suggester that cannot learn: got 'both', expected 'witnesses'" in error
    assert error.endswith(f"Type: tacit refit {tmp_path / 'few.tacit'} --suggester witnesses")
