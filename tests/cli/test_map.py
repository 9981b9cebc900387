"""`tacit map`: a file of the kind asked for, a table of what is on it, and one sentence where it cannot be drawn."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from tacit.cli.app import main
from tacit.corpus.record import Record
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings

WORDS = {"sea": "whale ship wave harbour sail storm", "law": "judge court trial jury appeal verdict"}


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    rng = np.random.default_rng(2)
    records = [
        Record(f"{label}{number}", " ".join(rng.choice(words.split(), 4)), (label,), fields={"year": 2000 + number})
        for label, words in WORDS.items()
        for number in range(12)
    ]
    settings = BuildSettings(n_components=5, suggester="ridge")
    return str(build(records, tmp_path_factory.mktemp("index") / "two.tacit", settings))


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["map", *arguments])
    return int(left.value.code or 0)


def test_a_page_is_written_beside_where_one_stands_and_said(index, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(index) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "Map of 24 records written to two-map.html",
        "",
        "records  label",
        "     12  law",
        "     12  sea",
    ]
    assert printed.err == ""
    page = (tmp_path / "two-map.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>two</title>" in page
    assert 4_000_000 < len(page) < 6_000_000


def test_json_says_what_is_on_the_map(index, tmp_path, capsys):
    path = tmp_path / "sea.png"
    assert run(index, "--output", str(path), "--label", "sea", "--title", "The sea", "--json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["output"] == str(path)
    assert (answer["title"], answer["colour_by"], answer["records"]) == ("The sea", "label", 12)
    assert [(group["name"], group["records"]) for group in answer["groups"]] == [("sea", 12)]
    assert path.read_bytes().startswith(b"\x89PNG")


def test_colours_by_a_field(index, tmp_path, capsys):
    assert (
        run(
            index,
            "-o",
            str(tmp_path / "years.svg"),
            "--colour-by",
            "year",
            "--where",
            "year=2000",
            "--where",
            "year=2001",
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines()[2:] == ["records  year", "      2  2000", "      2  2001"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--label", "sky"], "Error: --label is unknown: got 'sky', expected a label of the index."),
        (["--where", "year=1"], "Error: there is nothing to draw: got no matching record, expected at least one."),
        (
            ["--output", "map.txt"],
            "Error: --output is not a map file: got 'map.txt', expected a name that ends in .html",
        ),
        (["--output", "nowhere/map.png"], "Error: --output cannot be written: got 'nowhere/map.png', expected a file"),
        (["--colour-by", "yaer"], "Error: --colour-by is unknown: got 'yaer', expected 'label', 'cluster', 'concept'"),
        (["--seed", "-1"], "Error: --seed is out of range: got -1, expected a whole number of at least 0."),
        (["--under", "sea"], "Error: "),
        (["--where", "year"], "Error: --where must look like NAME=VALUE: got 'year', without the sign =."),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(index, arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(index, *arguments) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(message)
    assert len(printed.err.splitlines()) == 1
    assert printed.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_an_index_is_named(tmp_path, capsys):
    assert run(str(tmp_path / "none.tacit")) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_help_fits_and_loads_nothing_heavy():
    code = (
        "import sys; from tacit.cli.app import main\n"
        "try: main(['map', '--help'])\n"
        "except SystemExit: print(sorted({'numpy', 'sklearn', 'matplotlib', 'plotly'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *lines, loaded = done.stdout.splitlines()
    assert loaded == "[]"
    assert max(map(len, lines)) <= 100
    assert any("--colour-by" in line for line in lines)


def test_again_makes_the_map_anew_and_draws_only_what_is_asked_for(index, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    copy = shutil.copytree(index, tmp_path / "copy.tacit")
    before = json.loads((copy / "generation-000001" / "facts" / "map.json").read_text())
    assert run(str(copy), "--again", "--seed", "3", "--quiet") == 0
    assert capsys.readouterr().out == ""
    after = json.loads((copy / "generation-000002" / "facts" / "map.json").read_text())
    assert (before["seed"], after["seed"]) == (0, 3)
    assert not list(tmp_path.glob("*.html"))
    assert run(str(copy), "--again", "--output", "map.txt") == 2
    assert (copy / "CURRENT").read_text().strip() == "generation-000002"
    assert run(str(copy), "--again", "--output", "map.svg", "--json") == 0
    assert json.loads(capsys.readouterr().out)["records"] == 24
    assert (tmp_path / "map.svg").exists()


def test_under_a_label_its_children_have_the_colours(tmp_path, capsys):
    records = [
        Record(f"{label}{number}", words, (f"animals/{label}", "things/box"))
        for label, words in {"cats": "cat purr fur", "whales": "whale sea fin"}.items()
        for number in range(6)
    ]
    settings = BuildSettings(n_components=3, suggester="none", taxonomy_separator="/")
    folder = build([*records, Record("sun", "sun star sky", ("things/sky",))], tmp_path / "tree.tacit", settings)
    assert run(str(folder), "--under", "animals", "--output", str(tmp_path / "a.svg"), "--json") == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert {group["name"]: group["records"] for group in groups} == {"animals/cats": 6, "animals/whales": 6}
