"""`tacit tune` as people type it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.text.settings import TextSettings

WORDS = {
    "sea": ["whale", "ship", "harbour", "wave", "tide", "reef"],
    "home": ["kitchen", "table", "garden", "chair", "lamp", "kettle"],
    "law": ["court", "judge", "verdict", "statute", "appeal", "clause"],
}


def noisy_topics(n: int = 90) -> list[Record]:
    rng = np.random.default_rng(4)
    every = [word for words in WORDS.values() for word in words]
    records = []
    for number in range(n):
        topic = list(WORDS)[number % 3]
        text = " ".join([*rng.choice(WORDS[topic], 5), *rng.choice(every, 4)])
        records.append(Record(f"r{number}", text, (topic,), title=f"Record {number}"))
    return records


def make(path: Path) -> str:
    """An index with one dimension, so that there is something to gain."""
    settings = BuildSettings(n_components=1, text=TextSettings(min_records=1), suggester="logistic")
    return str(build(noisy_topics(), path, settings))


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    return make(tmp_path_factory.mktemp("tune") / "noisy.tacit")


def run(verb: str, *arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main([verb, *arguments])
    return int(done.value.code or 0)


def test_trials_gain_and_command_are_shown(index, capsys):
    assert run("tune", index, "--trials", "4", "--models", "lsi,mlsi") == 0
    shown = capsys.readouterr()
    assert "4 trials, 0 of them from earlier runs" in shown.out
    assert "current settings" in shown.out
    assert "Gain on 18 further records: +" in shown.out
    assert f"tacit refit {shlex.quote(index)} --model" in shown.out
    assert "trial 4: " in shown.err
    assert Path(f"{index}.tuning.sqlite").exists()


def test_json_goes_on_from_the_earlier_trials(index, capsys):
    assert run("tune", index, "--trials", "0", "--models", "lsi,mlsi", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["earlier_trials"], len(facts["trials"]), facts["applied"]) == (4, 4, False)
    assert facts["test"]["gain"] > 0
    assert facts["command"].startswith("tacit refit ")
    assert facts["records"] == {"train": 58, "validation": 14, "test": 18}


def test_apply_refits_the_index_and_so_does_the_command(capsys, tmp_path):
    one, other = make(tmp_path / "one.tacit"), make(tmp_path / "other.tacit")
    arguments = ("--trials", "3", "--models", "mlsi", "--for", "suggest", "--study", str(tmp_path / "study.sqlite"))
    assert run("tune", other, *arguments, "--json") == 0
    command = json.loads(capsys.readouterr().out)["command"]
    assert run("tune", one, *arguments[2:], "--trials", "0", "--apply") == 0
    assert f"{one} was refitted with the best settings." in capsys.readouterr().out
    assert run(*shlex.split(command)[1:]) == 0
    with open_index(one) as first, open_index(other) as second:
        assert len(first) == 90
        assert first.settings["fitted"] == second.settings["fitted"]
        assert first.settings["build"] == second.settings["build"]
        assert first.settings["build"]["n_components"] > 1


def test_nothing_better_is_said(index, capsys, tmp_path):
    assert run("tune", index, "--trials", "1", "--models", "lsi", "--study", str(tmp_path / "s.sqlite"), "--apply") == 0
    assert "The current settings are the best so far." in capsys.readouterr().out
    with open_index(index) as collection:
        assert collection.settings["build"]["n_components"] == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--trials", "-3"], "Error: --trials is out of range: got -3"),
        (["--models", "mlsj"], "Error: --models is unknown: got 'mlsj'"),
        (["--seconds", "-1"], "Error: --seconds is out of range: got -1.0"),
        (["--study", "/nowhere/at/all.sqlite"], "Error: --study cannot be used: got "),
        (["--trials", "0", "--for", "search"], "Error: the current settings were not measured"),
        (["--split-field", "x"], "Error: --split-field does not split"),
    ],
)
def test_bad_input_is_one_line(index, capsys, options, message):
    assert run("tune", index, *options) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "Error" in line]
    assert len(errors) == 1
    assert errors[0].startswith(message)
