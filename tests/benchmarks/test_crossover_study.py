"""The study of where dense solvers stop to win."""

from __future__ import annotations

import importlib
import time
from typing import Any

import numpy as np
import pytest

from tacit.errors import SolverError


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
