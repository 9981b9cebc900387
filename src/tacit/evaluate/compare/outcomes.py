"""What comes out of one setting of a comparison: scores, or the reason why there are none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Failure", "Trial", "as_rank", "best_trial", "rank"]


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting of a model, and what it reached.

    Attributes
    ----------
    name : str
        The model.
    parameters, head_parameters : dict
        Values from the grids.
    dimensions : int
        How many columns the head was given.
    asked : tuple of int
        Which of the dimensions asked for this answers: more than one if the model has no more than `dimensions`, none
        for features as they are.
    validation, test : dict
        Score by measure.
    label_f1 : array of shape (n_labels,)
        F1 of each label on the test records; NaN for those left out.
    n_left_out : dict
        By measure, how many labels are not in the test score: no training record carries them or, for AUC, no test
        record or every one does.
    seconds : float
        What it took to fit the space, which several numbers of dimensions share, and to place all records.
    """

    name: str
    parameters: dict[str, Any]
    head_parameters: dict[str, Any]
    dimensions: int
    asked: tuple[int, ...]
    validation: dict[str, float]
    test: dict[str, float]
    label_f1: np.ndarray
    n_left_out: dict[str, int]
    seconds: float

    @property
    def settings(self) -> dict[str, Any]:
        """All values from grids; those of the head are called `head__...`."""
        return {**self.parameters, **{f"head__{name}": value for name, value in self.head_parameters.items()}}


@dataclass(frozen=True, eq=False)
class Failure:
    """A setting that could not be fitted, and why; `dimensions` is None for features as they are."""

    name: str
    parameters: dict[str, Any]
    head_parameters: dict[str, Any]
    dimensions: int | None
    sentence: str


def best_trial(trials: Sequence[Trial], choose_by: str) -> Trial:
    """Give the trial with the best validation score, of equal ones the first."""
    return max(trials, key=lambda trial: rank(trial, choose_by))


def rank(trial: Trial, choose_by: str) -> float:
    """Give the validation score; where there is none, it is worse than any."""
    return as_rank(trial.validation[choose_by])


def as_rank(score: float) -> float:
    """Give a score that can be compared: NaN is worse than any number."""
    return -math.inf if math.isnan(score) else score
