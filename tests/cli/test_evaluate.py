"""`tacit evaluate` as people type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from named_subjects import N_SUBJECTS, named_records, named_settings, vocabulary

from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings

WORDS = {"sea": ["whale", "ship", "harbour", "wave", "tide"], "home": ["kitchen", "table", "garden", "chair", "lamp"]}


def two_topics(n: int = 60) -> list[Record]:
    rng = np.random.default_rng(2)
    records = []
    for number in range(n):
        topic = ("sea", "home")[number % 2]
        title = f"own{number} {WORDS[topic][0]}"
        text = f"{title}\n{' '.join(rng.choice(WORDS[topic], 6))} own{number}"
        records.append(Record(f"r{number}", text, (topic,), title, fields={"part": ("train", "test")[number >= 45]}))
    return records


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("evaluate") / "two.tacit"
    taxonomy = Taxonomy.from_parents({"all": None, "sea": "all", "home": "all"})
    return str(build(two_topics(), path, BuildSettings(n_components=4), taxonomy=taxonomy))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(["evaluate", *arguments])
    return int(done.value.code or 0)


def test_tables_for_people(index, capsys):
    assert run(index, "--queries", "5") == 0
    shown = capsys.readouterr()
    assert (
        "Trained on 48 records, tested on 12 others:\n20% of the records with labels held out at random." in shown.out
    )
    for heading in ("precision", "nDCG", "all decisions (micro)", "with the taxonomy", "title MRR"):
        assert heading in shown.out
    assert "first 10" in shown.out
    assert "5 by title" in shown.out
    assert "Note: Only 12 records were tested" in shown.err
    assert "48 records to learn from, 12 held out" in shown.err
    assert all(len(line) <= 110 for line in shown.out.splitlines())


def test_json_for_programs(index, capsys):
    assert run(index, "--split-field", "part", "--json", "--queries", "5") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["index"], facts["train_records"], facts["test_records"]) == (index, 45, 15)
    assert facts["suggest"]["at"]["1"]["precision"] == 1.0
    assert facts["suggest"]["hierarchical"]["f1"] == 1.0
    assert facts["search"]["words"]["mrr"] == 1.0


def test_records_of_a_file(index, capsys, tmp_path):
    source = tmp_path / "new.jsonl"
    lines = [{"id": "n1", "text": "a whale and a ship", "labels": ["sea"]}, {"id": "n2", "text": "a lamp"}]
    source.write_text("\n".join(map(json.dumps, lines)))
    assert run(index, "--test", str(source), "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["train_records"], facts["test_records"], facts["suggest"]["records"]) == (60, 2, 1)
    assert facts["suggest"]["at"]["1"]["recall"] == 1.0


@pytest.fixture(scope="module")
def named(tmp_path_factory) -> str:
    """Ninety subjects with two records each, whose names are in a vocabulary."""
    path = tmp_path_factory.mktemp("evaluate") / "named.tacit"
    return str(build(named_records(), path, named_settings(), taxonomy=vocabulary()))


def test_measures_as_in_annif_and_calibration(index, capsys):
    assert run(index, "--queries", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("Precision@1"))
    assert lines[place].split() == ["Precision@1", "F1@5", "NDCG@5", "NDCG@10", "taxonomy", "F1"]
    assert lines[place + 1].split()[0] == "1.000"
    (said,) = [line for line in lines if line.startswith("Calibration error")]
    assert 0 <= float(said.split(": ")[1].split()[0]) < 0.5


def test_subjects_and_witnesses_for_librarians(named, capsys, tmp_path):
    file = tmp_path / "subjects.tsv"
    assert run(named, "--share", "0.3", "--queries", "2", "--witnesses", "--per-subject", str(file)) == 0
    shown = capsys.readouterr()
    for said in ("Subjects to look at", "No subject is chosen for", "never suggested", "All 90 subjects are in"):
        assert said in shown.out
    assert "s01" not in shown.out  # titles, not ids
    (row,) = [line for line in shown.out.splitlines() if line.startswith("names ")]
    assert row.split()[-2] == "±"
    assert "5 witnesses tried alone and left out on 54 held-out records" in shown.err
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[:4] == ["label", "title", "train", "held_out"]
    assert len(lines) == 91
    assert all(len(line) <= 80 for line in shown.out.splitlines() if str(file) not in line)


def test_names_of_another_vocabulary(named, capsys, tmp_path):
    file = tmp_path / "names.tsv"
    rows = (f"<s{number:02d}>\tsilent{number}" for number in range(N_SUBJECTS))
    file.write_text("\n".join(rows), encoding="utf-8")
    assert run(named, "--share", "0.3", "--queries", "2", "--vocabulary", str(file), "--json") == 0
    shown = capsys.readouterr()
    facts = json.loads(shown.out)
    assert facts["suggest"]["annif"]["Precision@1"] < 0.5  # no name stands in a text any more
    assert facts["subjects"][0]["title"].startswith("silent")
    assert facts["diagnosis"]["records"] == 54
    assert "90 of 90 different labels found in the other vocabulary" in shown.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--per-subject", "s.xls"], "Error: --per-subject has an unknown suffix: got 's.xls', expected a name that"),
        (["--per-subject", "no/s.tsv"], "Error: --per-subject is in a folder that does not exist: got 'no/s.tsv'"),
        (["--vocabulary", "none.tsv"], "Error: --vocabulary does not exist: got 'none.tsv'"),
        (["--vocabulary", "none.doc"], "Error: --vocabulary does not exist: got 'none.doc'"),
        (["--witnesses"], "Error: --witnesses cannot be measured: got 12 held-out records with labels, expected at"),
        (["--share", "2"], "Error: --share is out of range: got 2.0"),
        (["--split-field", "nowhere"], "Error: --split-field does not split: got 'nowhere'"),
        (["--queries", "0"], "Error: --queries is out of range: got 0"),
        (["--seed", "-1"], "Error: --seed is out of range: got -1"),
        (["--test", "missing.csv"], "Error: "),
    ],
)
def test_bad_input_is_one_line(index, capsys, options, message):
    assert run(index, *options) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "Error" in line]
    assert len(errors) == 1
    assert errors[0].startswith(message)


def test_nothing_to_measure_is_said(capsys, tmp_path):
    records = [Record(record.id, record.text) for record in two_topics()]
    path = str(build(records, tmp_path / "bare.tacit", BuildSettings(n_components=4)))
    assert run(path) == 2
    assert "got neither labels nor titles" in capsys.readouterr().err


def test_no_index(capsys, tmp_path):
    assert run(str(tmp_path / "none.tacit")) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_the_real_command(index):
    source = Path(__file__).parents[2] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-m", "tacit", "evaluate", index, "--queries", "3"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0
    assert "labels nDCG@10" in done.stdout
    assert "Traceback" not in done.stderr
