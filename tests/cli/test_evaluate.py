"""`tacit evaluate` as people type it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("options", "message"),
    [
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
