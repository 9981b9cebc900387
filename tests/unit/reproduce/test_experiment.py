"""Experiments are measured case by case, kept, and judged."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.errors import InputError, MissingExtraError
from tacit.evaluate.protocols import PairedDifference, paired_difference
from tacit.reproduce.experiment import Claim, Experiment, Facts, Picture, Results, Size, both, close, judged
from tacit.reproduce.measuring.running import read_results, read_stored, run_cases
from tacit.reproduce.pages import write_pages
from tacit.reproduce.report import draw, page, write_report
from tacit.reproduce.reproduce import experiments, report_pages, reproduce


def cases(size: Size) -> list[Facts]:
    """List as many repeats as the size has."""
    return [{"repeat": repeat} for repeat in range({"quick": 1, "usual": 4, "full": 6}[size])]


def measure(case: Facts, data_dir: Path | None) -> list[Facts]:
    """Measure two folds of two methods; the folder counts the calls."""
    if data_dir is not None:
        (data_dir / f"measured-{case['repeat']}").open("x").close()
    return [
        {"repeat": case["repeat"], "method": method, "k": k, "F1": value + 0.01 * fold + 0.001 * k}
        for fold in (0, 1)
        for method, k, value in (("plain", 10, 0.5), ("plain", 20, 0.55), ("ours", 10, 0.6), ("ours", 20, 0.7 / 2))
    ] + [{"repeat": case["repeat"], "method": "words", "k": None, "F1": 0.4}]


def better(results: Results) -> Any:
    """Judge the claim of the made experiment."""
    pairs = [(f"k = {k}", results.where(method="ours", k=k), results.where(method="plain", k=k)) for k in (10, 20)]
    return judged([(name, ours.difference(plain, "F1")) for name, ours, plain in pairs], "ours", "plain")


MADE = Experiment(
    "made-1.2", "Nobody2026", "A made experiment", (), cases, measure, ("method", "k"), ("F1",), "method", "None.",
    "no time", Picture("k", "method", None, ("F1",)), claims=(Claim("made-1", "1", "Ours is better.", better),),
)  # fmt: skip


def test_folds_count_by_their_mean_and_repeats_by_theirs() -> None:
    rows = [{"repeat": repeat, "F1": value} for repeat, value in ((0, 0.2), (0, 0.4), (1, 0.6))]
    results = Results(rows, ("F1",))
    assert results.by_repeat("F1") == {0: pytest.approx(0.3), 1: 0.6}
    assert results.mean("F1") == pytest.approx(0.45)


def test_a_stopped_run_goes_on_and_a_larger_one_keeps_the_smaller(tmp_path: Path) -> None:
    kept, data = tmp_path / "kept.jsonl", tmp_path / "data"
    data.mkdir()
    run_cases(MADE, kept, size="quick", data_dir=data)
    with kept.open("a") as file:
        file.write('{"case": {"rep')  # a kill in the middle of a line
    results = run_cases(MADE, kept, size="usual", data_dir=data)  # would fail if the first case were measured again
    assert results.values("repeat") == [0, 1, 2, 3]
    assert read_results(MADE, kept, size="usual") is not None
    assert read_results(MADE, kept, size="full") is None


def test_a_case_after_a_cut_line_is_read_again(tmp_path: Path) -> None:
    kept, data = tmp_path / "kept.jsonl", tmp_path / "data"
    data.mkdir()
    kept.write_text('{"ca')
    run_cases(MADE, kept, size="quick", data_dir=data)
    assert read_results(MADE, kept, size="quick") is not None


def test_damage_inside_the_file_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    run_cases(MADE, kept, size="quick")
    kept.write_text("junk\n" + kept.read_text())
    with pytest.raises(InputError, match=r"kept\.jsonl is damaged: got 'junk' in line 1"):
        run_cases(MADE, kept, size="quick")


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    alone = run_cases(MADE, tmp_path / "alone.jsonl")
    shared = run_cases(MADE, tmp_path / "shared.jsonl", jobs=2)
    assert list(alone.rows) == list(shared.rows)


def test_the_report_has_table_picture_and_verdict(tmp_path: Path) -> None:
    results = run_cases(MADE, tmp_path / "kept.jsonl")
    files = write_report(MADE, results, tmp_path)
    assert [file.name for file in files] == ["made-1.2.csv", "made-1.2.md", "made-1.2.svg", "made-1.2.png"]
    assert files[0].read_text().splitlines()[1] == "plain,10,4,0.515,0"
    text = page(MADE, results)
    assert "| 10 | .515 ±.000 | .615 ±.000 |  |" in text
    turned = page(dataclasses.replace(MADE, across="k"), results)
    assert "| method | all | 10 | 20 |" in turned
    assert "| words | .400 ±.000 |  |  |" in turned
    assert (
        "| made-1 | 1 | Ours is better. | mixed | ours minus plain: -0.0500 ±0.0000 (p = 0) on average over 2 comp"
        in text
    )
    assert write_report(MADE, results, tmp_path / "again")[2].read_bytes() == files[2].read_bytes()


def test_a_picture_draws_only_the_rows_it_is_of(tmp_path: Path) -> None:
    results = run_cases(MADE, tmp_path / "kept.jsonl")
    more = Results([*results.rows, {"repeat": 0, "method": "plain", "k": 20, "F1": 9.0, "other": True}], ("F1",))
    some = Results([{**row, "other": row.get("other", False)} for row in more.rows], ("F1",))
    drawn = Picture("k", "method", None, ("F1",), only={"other": False})
    draw(drawn, "A title", some, tmp_path / "some.svg", "svg")
    assert MADE.picture is not None
    draw(MADE.picture, "A title", results, tmp_path / "all.svg", "svg")
    assert (tmp_path / "some.svg").read_text() == (tmp_path / "all.svg").read_text()


def test_verdicts() -> None:
    low = Results([{"repeat": n, "F1": 0.1 + 0.001 * (n % 3)} for n in range(9)], ("F1",))
    high = Results([{"repeat": n, "F1": 0.2 + 0.002 * (n % 2)} for n in range(9)], ("F1",))
    up, down = high.difference(low, "F1"), low.difference(high, "F1")
    assert judged([("a", up)], "high", "low").outcome == "held"
    assert judged([("a", down)], "low", "high").outcome == "not held"
    assert judged([("a", up), ("b", down)], "one", "other").outcome == "mixed"
    assert judged([("a", None)], "one", "other").outcome == "not testable"
    assert both([("a", up), ("b", up)], "high").outcome == "held"
    assert both([("a", up), ("b", down)], "high").outcome == "not held"
    assert close([("a", down)], "low", "high", within=0.11).outcome == "held"
    assert close([("a", down)], "low", "high", within=0.05).outcome == "not held"


def compared(*rows: tuple[float, ...]) -> list[tuple[str, PairedDifference | None]]:
    """Compare with nothing: a row per comparison, a column per repeat."""
    return [(f"cell {number}", paired_difference(row, [0.0] * len(row))) for number, row in enumerate(rows)]


def test_single_comparisons_without_significance_do_not_spoil_a_claim() -> None:
    rng = np.random.default_rng(0)
    cells = [tuple(0.03 + 0.02 * rng.normal(size=3)) for _ in range(60)]
    verdict = judged(compared(*cells), "ours", "theirs")
    assert verdict.outcome == "held"
    assert "on average over 60 comparisons (3 repeats)" in verdict.evidence
    one_below = [*cells[1:], (-0.001, 0.002, -0.003)]
    assert judged(compared(*one_below), "ours", "theirs").outcome == "held"


def test_one_comparison_that_is_surely_worse_does() -> None:
    cells = [(0.1, 0.11, 0.12, 0.1)] * 20 + [(-0.05, -0.0501, -0.0502, -0.0501)]
    assert judged(compared(*cells), "ours", "theirs").outcome == "mixed"


def test_a_report_says_that_repeats_are_missing(tmp_path: Path) -> None:
    def chance(case: Facts, data_dir: Path | None) -> list[Facts]:
        values = {"plain": 0.5, "ours": 0.5 + 0.1 * (-1) ** case["repeat"]}
        return [
            {"repeat": case["repeat"], "method": name, "k": k, "F1": value}
            for k in (10, 20)
            for name, value in values.items()
        ]

    one = dataclasses.replace(MADE, paper="Yu2005", measure=chance)
    for size, told in (("usual", "| undecided | so far 4 of 6 repeats |"), ("full", "| undecided |  |")):
        run_cases(one, one.kept_in(tmp_path), size=size)
        write_pages([one], tmp_path, tmp_path / "report")
        assert told in (tmp_path / "report/index.md").read_text()


def test_too_few_repeats_are_undecided_not_mixed() -> None:
    verdict = judged(compared((0.1, -0.02), (0.05, 0.0)), "ours", "theirs")
    assert verdict.outcome == "undecided"
    assert both(compared((0.1, -0.02), (0.1, 0.1)), "ours").outcome == "undecided"
    assert judged(compared((0.1, 0.1001), (0.3, 0.01)), "ours", "theirs").outcome == "undecided"  # one is sure
    assert judged(compared((0.1, 0.1001), (-0.3, -0.01)), "ours", "theirs").outcome == "mixed"


def test_many_comparisons_of_nothing_are_not_significant() -> None:
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        cells = [tuple(0.01 * rng.normal(size=8)) for _ in range(20)]
        found.append(judged(compared(*cells), "ours", "theirs").outcome)
    assert found.count("undecided") >= 180


def test_every_experiment_lists_cases_that_json_can_keep() -> None:
    for name, experiment in experiments().items():
        assert name == experiment.name
        small, large = experiment.cases("usual"), experiment.cases("full")
        assert all(case in large for case in small)
        assert json.loads(json.dumps(large)) == large
        numbers = [claim.number for claim in experiment.claims]
        assert len(set(numbers)) == len(numbers)
        assert all(number.startswith(name) for number in numbers)


def test_a_report_shows_whole_repeats_whatever_their_number(tmp_path: Path) -> None:
    def two(size: Size) -> list[Facts]:
        return [{**case, "half": half} for case in cases(size) for half in ("a", "b")]

    def half(case: Facts, data_dir: Path | None) -> list[Facts]:
        return [{**row, "half": case["half"]} for row in measure({"repeat": case["repeat"]}, None)]

    one = dataclasses.replace(MADE, paper="Yu2005", cases=two, measure=half, only={"half": "a"})
    run_cases(one, one.kept_in(tmp_path), size="usual")
    kept = one.kept_in(tmp_path)
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[:5]))  # the third repeat has one half
    stored, repeats, _, _ = read_stored(one, kept)
    assert repeats == 2
    assert stored.values("repeat") == [0, 1]
    assert stored.values("half") == ["a"]
    missing = dataclasses.replace(one, name="missing", kept="")
    files = write_pages([one, missing], tmp_path, tmp_path / "report")
    assert sorted(file.name for file in files) == ["index.md", "made-1.2.png", "mlsi.md", "results.csv"]
    text = (tmp_path / "report/mlsi.md").read_text()
    assert "2 of 6 repeats." in text
    assert "![A made experiment](made-1.2.png)" in text
    assert "| made-1 | 1 | Ours is better. | **mixed** | ours minus plain: -0.0500" in text
    index = (tmp_path / "report/index.md").read_text()
    assert "| all | 1 | 0 | 0 | 1 | 0 | 0 |" in index
    assert "1 of 2 experiments have results" in index
    assert "| missing | A made experiment | 0 | 6 |  |" in index
    figures = (tmp_path / "report/results.csv").read_text().splitlines()
    assert 'made-1.2,"{""method"": ""plain"", ""k"": 10}",F1,2,0.515,0' in [line.rpartition(",")[0] for line in figures]


def test_missing_matplotlib_is_told_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"Drawing the figures needs matplotlib.*pip install 'tacit\[plot\]'"):
        reproduce("mlsa-fig3", tmp_path / "out", size="quick", data_dir=tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_results_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no results: got no measured experiment"):
        report_pages(tmp_path, tmp_path / "report")


def test_rows_of_a_quick_run_make_no_report(tmp_path: Path) -> None:
    def one(size: Size) -> list[Facts]:
        return [{"repeat": repeat, "quick": size == "quick"} for repeat in range(2)]

    quick = dataclasses.replace(MADE, cases=one)
    run_cases(quick, quick.kept_in(tmp_path), size="quick")
    with pytest.raises(InputError, match="has no complete repeat of an experiment: got quick runs or rows of other"):
        write_pages([quick], tmp_path, tmp_path / "report")
    assert not (tmp_path / "report").exists()
