"""The study of solvers: what it times, how it judges a choice, and that the constants can be found again."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tacit.solve.choice.costs import RATES, ProblemSize, Work, costs_of

PROBLEM = ProblemSize(1_000, 3_000, 200_000, 10, 1e-3, 8, triplets=True)


def study() -> Any:
    return importlib.import_module("solver_choice")


def trial(problem: ProblemSize, rates: Work, name: str = "made") -> Any:
    """A machine that takes exactly what the model says."""
    return study().Trial(name, problem, {cost.solver: cost.seconds for cost in costs_of(problem, rates=rates)})


def test_rates_are_found_again_from_times_that_follow_them() -> None:
    rates = RATES._replace(lapack=5e-11, lone_steps=2e-4)
    made = [
        trial(
            replace(PROBLEM, n=n, n_entries=entries, n_components=k, tol=tol, dense=dense),
            rates,
            f"{n} {entries} {dense}",
        )
        for n in (300, 1_000, 2_000)
        for entries in (10_000, 500_000)
        for k in (3, 60)
        for tol in (1e-3, 1e-8)
        for dense in (False, True)
    ]
    np.testing.assert_allclose(study().fitted_rates(made)[:-1], rates[:-1], rtol=1e-4)


def test_a_choice_is_judged_by_the_fastest_and_one_that_gave_up_by_the_next() -> None:
    Trial = study().Trial
    made = [
        Trial("a", PROBLEM, {"dense": 1.0, "lanczos": 2.0, "krylov": 3.0}),
        Trial("b", PROBLEM, {"dense": 8.0, "lanczos": np.inf, "krylov": 4.0}),
    ]
    np.testing.assert_allclose(study().ratios(made, lambda problem: "lanczos"), [2.0, 1.0])
    np.testing.assert_allclose(study().ratios(made, lambda problem: "dense"), [1.0, 2.0])


@pytest.mark.parametrize(
    ("n", "length", "k", "solver"),
    [(500, 4_000, 5, "dense"), (500, 5_000, 5, "krylov"), (501, 600, 5, "krylov"), (501, 600, 200, "dense")],
)
def test_the_limits_of_before_are_those_that_were(n: int, length: int, k: int, solver: str) -> None:
    assert study().before(replace(PROBLEM, n=n, length=length, n_components=k)) == solver


def test_every_solver_is_timed_and_the_page_has_it_all() -> None:
    A = np.random.default_rng(0).standard_normal((40, 30))
    raced = list(study().race("dense 40 x 30", A, (2, 50), (1e-3, 1e-6)))
    assert [(each.problem.n_components, each.problem.tol) for each in raced] == [(2, 1e-3), (2, 1e-6)]
    assert all(set(each.seconds) == {"dense", "lanczos", "krylov"} for each in raced)
    assert all(0 < seconds < 10 for each in raced for seconds in each.seconds.values())
    text = study().page(raced)
    for part in ("## Conclusion", "## Constants", "auto, by the cost model", "before, by fixed limits", "Measured on"):
        assert part in text


def test_the_page_is_not_written_from_a_part(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        study().main(["--small", "--write"])
    assert "--write needs all sizes" in capsys.readouterr().err
