"""`tacit compare` as people type it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings

WORDS = {"sea": ["whale", "ship", "harbour", "wave", "tide"], "home": ["kitchen", "table", "garden", "chair", "lamp"]}


def two_topics(n: int = 60, *, labels: bool = True) -> list[Record]:
    rng = np.random.default_rng(2)
    records = []
    for number in range(n):
        topic = ("sea", "home")[number % 2]
        title = f"own{number} {WORDS[topic][0]}"
        text = f"{title}\n{' '.join(rng.choice(WORDS[topic], 6))} own{number}"
        records.append(Record(f"r{number}", text, (topic,) if labels else (), title))
    return records


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("compare") / "two.tacit"
    taxonomy = Taxonomy.from_parents({"all": None, "sea": "all", "home": "all"})
    return str(build(two_topics(), path, BuildSettings(n_components=4), taxonomy=taxonomy))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as done:
        main(["compare", *arguments])
    return int(done.value.code or 0)


def test_models_side_by_side(index, capsys):
    assert run(index, "--models", "words, lsi,mlsi", "--queries", "5") == 0
    shown = capsys.readouterr()
    starts = [line.split()[0] for line in shown.out.splitlines() if line.strip()]
    assert [starts.count(name) for name in ("words", "lsi", "mlsi", "hlsi")] == [3, 3, 3, 0]
    for heading in ("P@1", "micro F1", "taxonomy F1", "titles by meaning", "seconds to fit"):
        assert heading in shown.out
    assert "Search by words alone: labels 1.000, titles 1.000." in shown.out
    assert all(len(line) <= 110 for line in shown.out.splitlines())


def test_json_for_programs(index, capsys):
    assert run(index, "--models", "lsi,words", "--json", "--queries", "5") == 0
    facts = json.loads(capsys.readouterr().out)
    assert list(facts["models"]) == ["lsi", "words"]
    assert facts["models"]["words"]["suggest"]["at"]["1"]["precision"] == 1.0
    assert facts["failures"] == {}


def test_without_labels_only_search_is_shown(capsys, tmp_path):
    path = str(build(two_topics(labels=False), tmp_path / "plain.tacit", BuildSettings(n_components=4)))
    assert run(path, "--queries", "5") == 0
    shown = capsys.readouterr().out
    assert "Suggested labels" not in shown
    assert "titles 1.000" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--models", "mlsj"], "Error: --models is unknown: got 'mlsj'"),
        (["--models", "lsi", "--share", "0"], "Error: --share is out of range: got 0.0"),
        (["--models", "mlsa", "--split-field", "x"], "Error: --split-field does not split: got 'x'"),
    ],
)
def test_bad_input_is_one_line(index, capsys, options, message):
    assert run(index, *options) == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if "Error" in line]
    assert len(errors) == 1
    assert errors[0].startswith(message)
