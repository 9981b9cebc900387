"""Errors arrive from other processes as they were raised there."""

from __future__ import annotations

import pickle

import pytest

from tacit.errors import BusyError, InputError, MissingExtraError, SolverError, TacitError


@pytest.mark.parametrize(
    "error",
    [
        InputError("a is wrong: got 1, expected 2."),
        BusyError("Another writer is at work."),
        SolverError("No solution."),
        MissingExtraError("matplotlib", "plot", "Drawing"),
    ],
)
def test_errors_survive_the_way_between_processes(error: TacitError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
