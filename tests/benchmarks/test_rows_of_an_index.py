"""The load script and the row of an index run at a small size, and say what they measured."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

from tacit.index.nearest import approximate as neighbour_graph


def test_the_load_script_finds_what_comparing_all_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(neighbour_graph, "LARGE", 0)
    load = importlib.import_module("index_load")
    monkeypatch.setattr(load, "_N_TERMS", 2_000)
    monkeypatch.setattr(load, "_N_OPENINGS", 1)
    folder = tmp_path / "load.tacit"
    arguments = ["--records", "1500", "--dimensions", "8", "--questions", "12", "--keep", str(folder)]
    load.main(arguments)
    text = capsys.readouterr().out
    assert "1,500 records of 8 dimensions" in text
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| ")]
    by_name = {row[0]: row for row in rows[1:]}
    assert {name.split(",")[0] for name in by_name} == {"meaning", "words", "hybrid"}
    assert all(float(row[-1]) >= 0.95 for name, row in by_name.items() if name.startswith("meaning"))
    assert all(0 < float(row[1]) <= float(row[2]) for row in by_name.values())
    written = (folder / "CURRENT").stat().st_mtime_ns
    load.main(arguments)
    assert (folder / "CURRENT").stat().st_mtime_ns == written, "a folder that is kept is not made again"


def test_a_section_needs_a_million_records(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module("index_load").main(["--records", "1000", "--write"])
    assert "--write needs a million records: got --records 1000" in capsys.readouterr().err


@pytest.mark.usefixtures("jobs_here")
def test_the_row_of_an_index_at_its_smallest(tmp_path: Path) -> None:
    found = importlib.import_module("rows_index").compare_index(tmp_path, small=True)
    assert [ratio[0] for ratio in found.ratios] == [
        "time of the index / time of scikit-learn",
        "seconds of tacit --help",
    ]
    assert all(float(value) > 0 for _, value, _, _ in found.ratios)
    assert found.details[0][3].startswith("reading ")
    assert ", writing " in found.details[0][3]
    assert list(tmp_path.glob("tmp*")) == [], "the index of a job is removed"


def test_what_checks_cost_is_measured_in_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, checks = importlib.import_module("index_load"), importlib.import_module("checks_cost")
    monkeypatch.setattr(load, "_N_TERMS", 2_000)
    folder = tmp_path / "load.tacit"
    load.make_index(folder, 500, 4)
    source = tmp_path / "src"  # as if it were an earlier version
    shutil.copytree(Path(checks.__file__).parents[1] / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
    with load.open_index(folder) as index:
        texts = load.questions(index, 4)
    found = checks.measure_in_turns(folder, source, texts, rounds=2)
    assert {len(now) for name, (_, now) in found.items() if not name.startswith("first")} == {2}
    assert {"opening", "ten nearest", "by words", "ten records read"} <= set(found)
    rows = [checks._row(name, *found[name]) for name in found]
    assert all(0.01 < float(row[-1]) < 100 for row in rows), "the same version twice, apart from other work"
