"""The engine of every comparison: fit each model, measure each of its settings, and record what failed.

`compare_models` and the command `tacit compare` describe what to fit and how to measure it; the loop over the fits,
their times, failures and warnings, and the reports of progress are here.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from tacit.checks import shown
from tacit.errors import InputError, SolverError, TacitWarning

__all__ = ["Failure", "Fit", "Parameters", "Results", "Setting", "run_fits"]

Parameters = dict[str, Any]
Space = TypeVar("Space")
Result = TypeVar("Result")
# what estimators raise if they cannot be fitted; InputError is a ValueError
_REFUSALS = (ValueError, SolverError)


class Setting(NamedTuple):
    """What one trial tries; `dimensions` is None for features as they are."""

    parameters: Parameters
    head_parameters: Parameters
    dimensions: int | None


class Fit(NamedTuple, Generic[Space, Result]):
    """One fit of a model, and the trials that are measured on it.

    `fit` returns the fitted space. `trials` takes it, with the seconds that the fit took, and yields each setting with
    a function that measures it.
    """

    name: str
    fit: Callable[[], Space]
    trials: Callable[[Space, float], Iterable[tuple[Setting, Callable[[], Result]]]]
    setting: Setting


@dataclass(frozen=True, eq=False)
class Failure:
    """A setting that could not be fitted, and why; `dimensions` is None for features as they are."""

    name: str
    parameters: Parameters
    head_parameters: Parameters
    dimensions: int | None
    sentence: str


class Results(NamedTuple, Generic[Result]):
    """Results by model, all failures in order, and by model what it warned about, each sentence once."""

    results: dict[str, list[Result]]
    failures: list[Failure]
    remarks: dict[str, tuple[str, ...]]


FitReport = Callable[[int, int, list[Result], list[Failure], float], None]


def run_fits(fits: Sequence[Fit[Space, Result]], report: FitReport[Result] | None = None) -> Results[Result]:
    """Run all fits and their trials, in order.

    Parameters
    ----------
    fits : sequence of Fit
        Several may have the same name: they are settings of one model.
    report : callable, optional
        Called after each fit with its number from 1, the number of fits, its results and failures, and its seconds.

    Raises
    ------
    InputError
        If every fit failed.

    Warns
    -----
    TacitWarning
        For each model that failed with all its settings.
    """
    results: dict[str, list[Result]] = {fit.name: [] for fit in fits}
    remarks: dict[str, dict[str, None]] = {fit.name: {} for fit in fits}  # keeps the order, drops repeated sentences
    failures: list[Failure] = []
    for number, fit in enumerate(fits, start=1):
        start = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TacitWarning)
            done, failed = _run(fit)
        for warning in caught:
            if issubclass(warning.category, TacitWarning):
                remarks[fit.name][str(warning.message)] = None
            else:
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        results[fit.name] += done
        failures += failed
        if report is not None:
            report(number, len(fits), done, failed, time.perf_counter() - start)
    lost = [name for name, found in results.items() if not found]
    if len(lost) == len(results):
        raise InputError(
            f"no model could be fitted: got errors from {shown(lost)}, the first with: {failures[0].sentence}"
        )
    for name in lost:
        sentences = [failure.sentence for failure in failures if failure.name == name]
        count = "" if len(sentences) == 1 else f"all its {len(sentences)} settings failed, the first with: "
        warnings.warn(f"{name!r} is left out of the comparison: {count}{sentences[0]}", TacitWarning, stacklevel=3)
    return Results(
        {name: found for name, found in results.items() if found},
        failures,
        {name: tuple(said) for name, said in remarks.items() if said},
    )


def _run(fit: Fit[Space, Result]) -> tuple[list[Result], list[Failure]]:
    start = time.perf_counter()
    try:
        space = fit.fit()
    except _REFUSALS as error:
        return [], [_failure(fit.name, fit.setting, error)]
    done, failed = [], []
    for setting, measure in fit.trials(space, time.perf_counter() - start):
        try:
            done.append(measure())
        except _REFUSALS as error:
            failed.append(_failure(fit.name, setting, error))
    return done, failed


def _failure(name: str, setting: Setting, error: Exception) -> Failure:
    return Failure(name, *setting, " ".join(str(error).split()) or type(error).__name__)
