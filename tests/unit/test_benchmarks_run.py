"""Benchmarks run, at their smallest size, and measure what they say they do."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.linalg import subspace_angles

from tacit import LSI, MLSI
from tacit.errors import SolverError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SUITES = sorted(path.stem for path in (BENCHMARKS / "suites").glob("*.py") if path.stem not in ("__init__", "profiles"))

# what a tracked quality may be at the smallest size: a suite that measures nonsense is worse than none
QUALITIES = {
    "track_difference_from_scikit_learn": (0, 1e-9),
    "track_disagreement_with_transpose": (0, 1e-5),
    "track_largest_residual": (0, 0.05),
    "track_micro_f1": (0.3, 1),
    "track_neighbours_that_share_topics": (0.4, 1),
    "track_wrong_entries": (0, 0),
}


@pytest.fixture(autouse=True)
def _benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.syspath_prepend(str(BENCHMARKS / "studies"))
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "small")


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
@pytest.mark.parametrize("name", SUITES)
def test_a_suite_runs_and_its_qualities_are_sane(name: str) -> None:
    for suite in _suites(importlib.import_module(f"suites.{name}")):
        methods = [method for method, _ in inspect.getmembers(suite, inspect.isfunction) if not method.startswith("_")]
        kinds = {method.split("_")[0] for method in methods} - {"setup"}
        assert kinds == {"time", "peakmem", "track"}, f"{suite.__name__} must have all three side by side"
        assert len(suite.params) == len(suite.param_names)
        for values in itertools.product(*suite.params):
            one = suite()
            one.setup(*values)
            for method in methods:
                result = getattr(one, method)(*values) if method != "setup" else None
                if method.startswith("track_"):
                    low, high = QUALITIES[method]
                    assert low <= result <= high, f"{suite.__name__}.{method}{values} = {result}"


def test_an_unknown_profile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = importlib.import_module("suites.profiles")
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "huge")
    with pytest.raises(
        ValueError, match="TACIT_BENCH_PROFILE is unknown: got 'huge', expected one of small, regular, large"
    ):
        profiles.profile()


@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_the_equation_as_printed_is_what_mlsi_solves(ridge: float) -> None:
    jobs, synthetic = importlib.import_module("jobs"), importlib.import_module("synthetic")
    X, Y = synthetic.planted_topics(120, n_terms=300, n_topics=6, dtype=np.float64)
    space = {"n_components": 5, "label_weight": 0.6, "shrinkage": 0.4, "ridge": ridge}
    ours = MLSI(**space, solver="augmented", tol=1e-10).fit(X, Y).embedding_
    assert subspace_angles(jobs.literal_dual(X, Y, **space), ours).max() < 1e-7
    assert subspace_angles(jobs.literal_dual(X, Y, **space | {"label_weight": 0.5}), ours).max() > 1e-3


def test_a_job_runs_in_a_process_of_its_own_and_counts_x_and_its_work(tmp_path: Path) -> None:
    jobs, runs, synthetic = (importlib.import_module(name) for name in ("jobs", "runs", "synthetic"))
    X, Y = synthetic.planted_topics(8_000, n_terms=3_000, n_topics=10)
    jobs.save(tmp_path, X, Y)
    took = runs.run(tmp_path, runs.Job("lsi", {"n_components": 5}).changed(tol=1e-3))
    assert np.allclose(took.result, LSI(5, tol=1e-3).fit(X).singular_values_, rtol=1e-4)
    assert took.seconds > 0
    assert jobs.x_bytes(X) * 0.9 < took.bytes < jobs.x_bytes(X) * 10


def test_a_job_that_fails_says_why(tmp_path: Path) -> None:
    runs = importlib.import_module("runs")
    with pytest.raises(RuntimeError, match=r"the job lsi failed with \{'n_components': 3\}(?s:.)*FileNotFoundError"):
        runs.run(tmp_path, runs.Job("lsi", {"n_components": 3}))


def test_ratios_are_held_against_what_they_should_reach() -> None:
    compare = importlib.import_module("compare")
    found = compare.Comparison("Title", "Data.")
    found.add("fast", 21.0, at_least=20)
    found.add("slow", 19.0, at_least=20)
    found.add("heavy", 3.2, at_most=3)
    found.add("free", 1.0)
    assert [row[3] for row in found.ratios] == ["yes", "no", "no", ""]
    assert "| slow  | 19    | at least 20 | no      |" in found.text()


@pytest.mark.parametrize(
    ("script", "arguments", "message"),
    [
        ("compare", ["desne"], "row is unknown: got 'desne', expected one of dense, large, lsi."),
        ("compare", ["--small", "--write"], "--write needs the real sizes"),
        ("reuters_defaults", ["--quick", "--write"], "--write needs the whole study"),
        ("solver_crossover", ["--quick", "--write"], "--write needs all sizes"),
    ],
)
def test_scripts_refuse_what_makes_no_sense(
    script: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        importlib.import_module(script).main(arguments)
    assert message in capsys.readouterr().err


def test_writing_a_section_keeps_the_others_in_order(tmp_path: Path) -> None:
    pages = importlib.import_module("pages")
    page = tmp_path / "new" / "page.md"
    for name, text in (("b", "old b"), ("a", "## A"), ("b", "## B\n\nnew")):
        pages.put_section(page, name, text, head="# Title", order=["a", "b"])
    assert page.read_text(encoding="utf-8") == (
        "# Title\n\n<!-- section: a -->\n## A\n<!-- end -->\n\n<!-- section: b -->\n## B\n\nnew\n<!-- end -->\n"
    )


def test_a_mean_comes_with_its_standard_deviation_over_repeats() -> None:
    assert importlib.import_module("pages").mean_and_spread([0.5, 0.7]) == f"0.600 ± {np.std([0.5, 0.7], ddof=1):.3f}"


def test_a_page_names_no_machine_but_says_when_and_with_what() -> None:
    import platform

    facts = importlib.import_module("pages").facts()
    assert np.__version__ in facts
    assert "cores" in facts
    assert not platform.node() or platform.node() not in facts


@pytest.mark.parametrize(
    ("iterative", "expected"),
    [({1: 2.0, 2: 5.0, 4: 9.0}, (2, 4)), ({1: 0.5, 2: 1.0, 4: 2.0}, (0, 1)), ({1: 9.0, 2: 9.0, 4: 99.0}, (4, None))],
)
def test_the_crossover_is_where_the_dense_solver_stops_to_win(
    iterative: dict[int, float], expected: tuple[int, int | None]
) -> None:
    crossover = importlib.import_module("solver_crossover").crossover
    assert crossover({"dense": {1: 1.0, 2: 3.0, 4: 20.0}, "krylov": iterative}) == expected


def test_a_solver_that_gives_up_stays_in_the_race_and_never_wins() -> None:
    study = importlib.import_module("solver_crossover")

    def racers(X: float, Y: float, k: int) -> dict[str, Any]:
        def give_up() -> None:
            raise SolverError("no")

        return {"dense": lambda: time.sleep(X), "lanczos": give_up if Y else lambda: None}

    times = study.race(racers, {1: (0.01, 1), 2: (0.01, 0), 3: (0.01, 0)}, 5)
    assert times["lanczos"][1] == np.inf
    assert study._cell(times["lanczos"][1]) == "gave up"
    # at size 2 the dense one is far behind, and is not tried again
    assert sorted(times["dense"]) == [1, 2]
    assert study.crossover(times) == (1, 2)


def test_solvers_are_raced_at_every_size() -> None:
    study = importlib.import_module("solver_crossover").study
    text = study((40, 60), (5,))
    for solver in ("dense", "krylov", "lanczos", "dual", "augmented", "block-cg"):
        assert any(line.startswith(f"| {solver} ") for line in text.splitlines()), solver
    assert text.count("limit in the code") == 1


def test_the_configuration_of_asv_points_at_the_suites() -> None:
    config = json.loads((BENCHMARKS / "asv.conf.json").read_text(encoding="utf-8"))
    assert (BENCHMARKS / config["benchmark_dir"] / "__init__.py").is_file()


def test_a_study_chooses_the_best_mean_and_compares_split_by_split() -> None:
    trial, study = importlib.import_module("reuters_trial"), importlib.import_module("reuters_defaults")
    steady, lucky = trial.Setting(ridge=0.1), trial.Setting(ridge=0.3)
    honest = trial.Setting(coordinates="honest")
    found = {
        setting: [trial.Scores(macro, 0.5, 0.5, 0, False) for macro in macros]
        for setting, macros in ((steady, (0.6, 0.62)), (lucky, (0.7, 0.5)), (honest, (0.9, 0.9)))
    }
    assert study.best(found, "macro", "in-sample") == steady
    assert study.best(found, "macro", "honest") == honest
    spread = np.std([-10, 12], ddof=1)
    expected = f"+1.0 ± {spread:.1f} points, above 0 in 1 of 2 splits"
    assert study._gain(found, steady, lucky, "macro") == expected


@pytest.mark.realdata
def test_the_study_on_reuters_runs_and_mlsi_beats_lsi_and_words() -> None:
    import os

    if not os.environ.get("TACIT_DATA"):
        pytest.skip("TACIT_DATA is not set: there are no data sets to study")
    trial = importlib.import_module("reuters_trial")
    settings = {
        "words": trial.Setting("words", rows="as they are"),
        "LSI": trial.Setting("LSI", scaling="unit"),
        "MLSI": trial.Setting(ridge=0.1, scaling="unit"),
    }
    found = trial.measure(settings.values(), range(200, 203), None)
    macro = {name: np.mean([score.macro for score in found[setting]]) for name, setting in settings.items()}
    micro = {name: np.mean([score.micro for score in found[setting]]) for name, setting in settings.items()}
    assert macro["MLSI"] > macro["LSI"] + 0.05
    assert macro["MLSI"] > macro["words"] + 0.02
    assert micro["MLSI"] > micro["words"]


def _suites(module: ModuleType) -> Iterator[type[Any]]:
    assert module.__all__
    for name in module.__all__:
        yield getattr(module, name)


@pytest.fixture(autouse=True, scope="module")
def _leave_no_modules_behind() -> Iterator[None]:
    """Forget the benchmarks' modules afterwards: their names are plain and others may want them."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(BENCHMARKS):
            del sys.modules[name]
