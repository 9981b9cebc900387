"""`tacit recommend`: to who liked records, and to what is linked to them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

SEA = ["whale", "dolphin", "ship", "harbour", "wave", "tide", "sailor", "anchor"]
HOME = ["cat", "dog", "kitchen", "table", "garden", "chair", "lamp", "carpet"]


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> str:
    """Odd records are about the sea and read by Ann and Bo, even ones about home and read by Cy and Di."""
    rng = np.random.default_rng(3)
    records = []
    for number in range(40):
        words, label, readers = (SEA, "sea", ("Ann", "Bo")) if number % 2 else (HOME, "home", ("Cy", "Di"))
        links = {"reader": tuple(name for name in readers if rng.random() < 0.5)}
        text = " ".join(rng.choice(words, 6))
        records.append(Record(f"r{number}", text, (label,), f"Record {number}", links, {"year": 1990 + number % 4}))
    settings = BuildSettings(n_components=6, text=TextSettings(min_records=1))
    return str(build(records, tmp_path_factory.mktemp("library") / "l.tacit", settings))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["recommend", *arguments])
    return int(end.value.code or 0)


def test_liked_records_lead_to_others_with_reasons(capsys, library):
    assert run(library, "--liked", "r1", "--liked", "r3", "--disliked", "r2", "-n", "3") == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["score", "id", "title", "why"]
    assert len(lines) == 3
    assert all("near 'Record 1'; labels sea" in line or "near 'Record 3'; labels sea" in line for line in lines)


def test_on_a_terminal_a_record_takes_three_lines_of_eighty_characters(capsys, library, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    assert run(library, "--liked", "r1", "--liked", "r3", "-n", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    firsts = [place for place, line in enumerate(lines) if line[0] != " "]
    assert len(firsts) == 3
    assert len(lines) <= 9
    assert max(map(len, lines)) <= 80
    assert all(lines[place + 1].startswith("       labels sea") for place in firsts)
    assert "near 'Record 3'" in " ".join(map(str.strip, lines)) or "near 'Record 1'" in " ".join(map(str.strip, lines))


def test_liked_records_as_json(capsys, library):
    assert run(library, "--liked", "r1", "--disliked", "r2", "--limit", "2", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["liked"], answer["disliked"]) == (["r1"], ["r2"])
    assert len(answer["hits"]) == 2
    first = answer["hits"][0]
    assert first["labels"] == ["sea"]
    assert first["why"][:2] == ["near 'Record 1'", "labels sea"]
    assert first["score"] >= answer["hits"][1]["score"]


def test_a_linked_thing_gets_records_it_does_not_have(capsys, library):
    assert run(library, "--for", "reader=Ann", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["for"] == {"link": "reader", "name": "Ann"}
    assert len(answer["hits"]) == 10
    assert all("Ann" not in hit["links"].get("reader", []) for hit in answer["hits"])
    assert {hit["labels"][0] for hit in answer["hits"][:5]} == {"sea"}


def test_a_linked_thing_may_be_written_otherwise(capsys, library):
    assert run(library, "--for", "reader=Ann", "--json") == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert run(library, "--for", "Reader= ann", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hits"] == hits


def test_a_linked_thing_gets_other_things(capsys, library):
    assert run(library, "--for", "reader=Ann", "--what", "reader") == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["score", "reader"]
    assert lines[1][1] == "Bo"
    assert {line[1] for line in lines[1:]} == {"Bo", "Cy", "Di"}
    assert run(library, "--for", "reader=Ann", "--what", "labels", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["what"] == "labels"
    assert [hit["name"] for hit in answer["hits"]] == ["home"]


def test_filters_hold_and_an_empty_answer_is_a_sentence(capsys, library):
    assert run(library, "--liked", "r1", "--where", "year=1992", "--json") == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert hits
    assert all(hit["fields"]["year"] == 1992 for hit in hits)
    assert run(library, "--liked", "r1", "--where", "year=1800") == 0
    assert capsys.readouterr().out == "Nothing to recommend.\n"
    assert run(library, "--for", "reader=Ann", "--where", "year=1800", "--json") == 0
    assert json.loads(capsys.readouterr().out)["hits"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--liked is missing: got neither --liked nor --for"),
        (["--disliked", "r1"], "--liked is missing: got neither --liked nor --for"),
        (["--liked", "r100"], "--liked is unknown: got 'r100'"),
        (["--liked", "r1", "--disliked", "r1"], "--liked and --disliked share a record: got 'r1' in both"),
        (["--liked", "r1", "--for", "reader=Ann"], "--for is given with --liked or --disliked"),
        (["--liked", "r1", "--what", "reader"], "--what needs --for: got 'reader'"),
        (["--for", "Ann"], "--for must look like LINK=TARGET: got 'Ann'"),
        (["--for", "reader="], "--for must look like LINK=TARGET: got 'reader='"),
        (["--for", "reader=An"], "reader is unknown: got 'An', expected one of 4. Did you mean 'Ann'?"),
        (
            ["--for", "readers=Ann"],
            "--for has a link that is unknown: got 'readers', expected one of 'reader'.",
        ),
        (["--for", "reader=Ann", "--what", "raeder"], "what is unknown: got 'raeder'"),
        (
            ["--for", "reader=Ann", "--what", "reader", "--label", "sea"],
            "filters are for records: got some with --what",
        ),
        (["--liked", "r1", "--limit", "0"], "limit is out of range: got 0"),
    ],
)
def test_bad_questions_are_one_sentence(capsys, library, arguments, message):
    assert run(library, *arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 1
    assert shown.err.startswith("Error: ")
    assert message in shown.err


def test_no_index_is_one_sentence(capsys, tmp_path):
    assert run(str(tmp_path / "none.tacit"), "--liked", "r1") == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_the_real_command_does_not_load_scikit_learn(library):
    code = (
        "import sys; from tacit.cli.app import main\n"
        f"try: main(['recommend', {library!r}, '--for', 'reader=Ann', '-n', '1'])\n"
        "except SystemExit as end: print(end.code, 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False"
