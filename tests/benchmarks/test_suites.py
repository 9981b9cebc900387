"""Suites of asv run at their smallest size, and what they track is sane."""

from __future__ import annotations

import importlib
import inspect
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NO_SUITES = ("__init__", "profiles", "run")
SUITES = sorted(path.stem for path in (BENCHMARKS / "suites").glob("*.py") if path.stem not in NO_SUITES)

# what a tracked quality may be at the smallest size: a suite that measures nonsense is worse than none
QUALITIES = {
    "track_difference_from_memory": (0, 1e-3),
    "track_difference_from_scikit_learn": (0, 1e-9),
    "track_disagreement_with_transpose": (0, 1e-5),
    "track_drift": (0, 0.3),
    "track_largest_residual": (0, 0.05),
    "track_micro_f1": (0.3, 1),
    "track_neighbours_that_share_topics": (0.4, 1),
    "track_wrong_entries": (0, 0),
}


@pytest.mark.filterwarnings("ignore::tacit.errors.TacitWarning")
@pytest.mark.parametrize("name", SUITES)
def test_a_suite_runs_and_its_qualities_are_sane(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "rows_outside_memory":
        distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")
        made = distributed.LocalCluster  # with workers that are threads: processes are slow to start
        monkeypatch.setattr(distributed, "LocalCluster", lambda **asked: made(**asked | {"processes": False}))
    for suite in _suites(importlib.import_module(f"suites.{name}")):
        methods = [method for method, _ in inspect.getmembers(suite, inspect.isfunction) if not method.startswith("_")]
        kinds = {method.split("_")[0] for method in methods} - {"setup", "teardown"}
        assert kinds == {"time", "peakmem", "track"}, f"{suite.__name__} must have all three side by side"
        assert len(suite.params) == len(suite.param_names)
        for values in itertools.product(*suite.params):
            one = suite()
            one.setup(*values)
            for method in (method for method in methods if method not in ("setup", "teardown")):
                result = getattr(one, method)(*values)
                if method.startswith("track_"):
                    low, high = QUALITIES[method]
                    assert low <= result <= high, f"{suite.__name__}.{method}{values} = {result}"
            getattr(one, "teardown", lambda *_: None)(*values)


def test_an_unknown_profile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    profiles = importlib.import_module("suites.profiles")
    monkeypatch.setenv("TACIT_BENCH_PROFILE", "huge")
    with pytest.raises(
        ValueError, match="TACIT_BENCH_PROFILE is unknown: got 'huge', expected one of small, regular, large"
    ):
        profiles.profile()


def test_the_configuration_of_asv_points_at_the_suites() -> None:
    config = json.loads((BENCHMARKS / "asv.conf.json").read_text(encoding="utf-8"))
    assert (BENCHMARKS / config["benchmark_dir"] / "__init__.py").is_file()


def _suites(module: ModuleType) -> Iterator[type[Any]]:
    assert module.__all__
    for name in module.__all__:
        yield getattr(module, name)
