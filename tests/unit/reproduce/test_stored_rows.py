"""Measured rows are kept in a small form that restores the report, and count for the settings that made them only."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from functools import partial
from pathlib import Path

import pytest

from tacit.models.mlsi.mlsi import MLSI
from tacit.reproduce.experiment import Experiment, Facts, Size, averaged
from tacit.reproduce.measuring.identity import settings_identity
from tacit.reproduce.measuring.running import read_stored, run_cases
from tacit.reproduce.measuring.storing import append, read
from tacit.reproduce.pages import write_pages
from tacit.reproduce.reproduce import experiments

SOURCE = '''
"""An experiment."""
from functools import cache
from tacit.models.mlsi.mlsi import MLSI

_WIDTHS = (10, 20)
_CHANGES = {"half": lambda value: value / 2}

def _cases(size):
    return [{"repeat": repeat} for repeat in range(2)]

@cache
def _data(folder):
    return 1

def _unused():
    return 3

def measure(trial, case, data_dir):
    """Measure."""
    model = MLSI(_WIDTHS[0])  # a comment
    return [{"repeat": case["repeat"], "k": k, "F1": _CHANGES["half"](trial + k)} for k in _WIDTHS for _ in [_data(0)]]
'''


def identity(folder: Path, source: str, trial: float = 0.5) -> str:
    """Return the identity of an experiment that is written into a new folder and imported from there."""
    place = folder / str(len(list(folder.iterdir())))
    place.mkdir()
    (place / "made_experiment.py").write_text(source)
    importlib.invalidate_caches()
    sys.path.insert(0, str(place))
    try:
        return settings_identity(partial(importlib.import_module("made_experiment").measure, trial))
    finally:
        sys.path.remove(str(place))
        sys.modules.pop("made_experiment")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("_WIDTHS = (10, 20)", "_WIDTHS = (10, 30)"),
        ("value / 2", "value / 3"),
        ("    return 1", "    return 2"),
        ("trial + k", "trial - k"),
    ],
)
def test_changed_settings_have_another_identity(tmp_path: Path, old: str, new: str) -> None:
    assert old in SOURCE
    assert identity(tmp_path, SOURCE) != identity(tmp_path, SOURCE.replace(old, new))


def test_an_argument_is_a_setting(tmp_path: Path) -> None:
    assert identity(tmp_path, SOURCE) != identity(tmp_path, SOURCE, 0.25)


def test_comments_and_what_is_not_measured_do_not_count(tmp_path: Path) -> None:
    other = SOURCE.replace("# a comment", "# another").replace('"""Measure."""', '"""Measure it."""')
    other = other.replace("range(2)", "range(9)").replace("return 3", "return 4")
    assert identity(tmp_path, SOURCE) == identity(tmp_path, other)


def test_a_default_of_a_model_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    one = experiments()["mlsi-fig1"].measure
    before = settings_identity(one)
    assert settings_identity(experiments()["mlsi-fig3"].measure) != before
    defaults = dict(MLSI.__init__.__kwdefaults__)
    monkeypatch.setattr(MLSI.__init__, "__kwdefaults__", {**defaults, "label_weight": 0.123})
    settings_identity.cache_clear()
    assert settings_identity(one) != before
    settings_identity.cache_clear()


def cases(size: Size) -> list[Facts]:
    return [{"repeat": repeat} for repeat in range({"quick": 1, "usual": 2, "full": 3}[size])]


def measure(case: Facts, data_dir: Path | None) -> list[Facts]:
    thirds = [{"repeat": case["repeat"], "method": name, "F1": case["repeat"] + 1 / 3} for name in ("plain", "ours")]
    return [*thirds, {"repeat": case["repeat"], "method": "words", "k": None, "words": "a b", "F1": 0.5}]


MADE = Experiment("made", "Yu2005", "A title", (), cases, measure, ("method",), ("F1",), "method", "None.", "no time")


def other(case: Facts, data_dir: Path | None) -> list[Facts]:
    return [{"repeat": case["repeat"], "method": "plain", "F1": 0.25}]


def test_rows_are_read_as_they_were_measured(tmp_path: Path) -> None:
    kept = tmp_path / "made.jsonl"
    measured = run_cases(MADE, kept)
    assert list(read_stored(MADE, kept).results.rows) == list(measured.rows)
    assert measured.rows[2] == {"repeat": 0, "method": "words", "k": None, "words": "a b", "F1": 0.5}
    assert measured.rows[0]["F1"] == 0.333333
    assert kept.stat().st_size < 600


def test_repeats_are_added_a_few_at_a_time(tmp_path: Path) -> None:
    kept = tmp_path / "made.jsonl"
    for repeats in (1, 2):
        run_cases(MADE, kept, size="full", repeats=repeats)
        assert read_stored(MADE, kept).repeats == len(read(kept)) == repeats


def test_rows_of_other_settings_are_measured_again(tmp_path: Path) -> None:
    kept, changed = tmp_path / "made.jsonl", dataclasses.replace(MADE, measure=other)
    run_cases(MADE, kept)
    assert read_stored(MADE, kept).repeats == 2
    assert read_stored(changed, kept).repeats == 0
    rows = run_cases(changed, kept, size="full").rows
    assert [row["F1"] for row in rows] == [0.25] * 3
    assert read_stored(MADE, kept).repeats == 0
    assert len(read(kept)) == 3


def test_the_report_is_the_same_from_stored_rows_on_another_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_identity(measure)
    monkeypatch.setattr("time.strftime", lambda *_: "2026-01-02")
    for case in cases("usual"):
        append(tmp_path / "made.jsonl", case, settings, 1.5, measure(case, None))
    monkeypatch.undo()
    first = [file.read_bytes() for file in write_pages([MADE], tmp_path, tmp_path / "first")]
    (tmp_path / "made.jsonl").touch()
    again = [file.read_bytes() for file in write_pages([MADE], tmp_path, tmp_path / "again")]
    assert first == again
    assert b"measurements up to 2026-01-02" in first[0]
    assert b"1.5" in first[1]  # the time of a repeat


def test_folds_are_averaged() -> None:
    rows = [{"repeat": 0, "k": k, "F1": value} for k, value in ((10, 0.2), (20, 0.5), (10, 0.4))]
    assert averaged(rows, ("F1",)) == [
        {"repeat": 0, "k": 10, "F1": pytest.approx(0.3)},
        {"repeat": 0, "k": 20, "F1": 0.5},
    ]
