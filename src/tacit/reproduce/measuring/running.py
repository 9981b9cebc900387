"""Run an experiment case by case, several at a time; what was measured before is not measured again."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from joblib import Parallel, delayed

from tacit.errors import TacitWarning
from tacit.machine import one_thread
from tacit.reproduce.experiment import Experiment, Facts, Results, Size
from tacit.reproduce.measuring.identity import settings_identity
from tacit.reproduce.measuring.storing import Stored, append, case_key, read, rewrite

__all__ = ["Kept", "read_results", "read_stored", "run_cases"]


def run_cases(
    experiment: Experiment,
    kept: Path,
    *,
    size: Size = "usual",
    repeats: int | None = None,
    data_dir: Path | None = None,
    jobs: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> Results:
    """Measure the cases of an experiment that a file does not have yet, and return all rows of this size.

    Parameters
    ----------
    experiment : Experiment
    kept : Path
        JSON lines, one per finished case: a run that was stopped goes on with the next case. Cases that were measured
        with other settings are measured again.
    size : {"quick", "usual", "full"}
    repeats : int, optional
        At most so many repeats; all of the size if not given.
    data_dir : Path, optional
        Folder of the data sets; the environment variable TACIT_DATA if not given.
    jobs : int, default 1
        Number of processes.
    report : callable, optional
        Called with the numbers of finished and of all cases.
    """
    cases, known, settings = experiment.cases(size), _known(experiment, kept), settings_identity(experiment.measure)
    first = list(dict.fromkeys(case["repeat"] for case in cases))[:repeats]
    cases = [case for case in cases if case["repeat"] in first]
    missing = [case for case in cases if case_key(case) not in known]
    if report is not None:
        report(len(cases) - len(missing), len(cases))
    if missing and len(known) < len(read(kept)):
        rewrite(kept, known)
    tasks = (delayed(_measured)(experiment, case, data_dir) for case in missing)
    for case, seconds, rows in Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
        known[case_key(case)] = append(kept, case, settings, seconds, rows)
        if report is not None:
            report(sum(case_key(one) in known for one in cases), len(cases))
    return _results(experiment, cases, known)


def read_results(experiment: Experiment, kept: Path, *, size: Size = "usual") -> Results | None:
    """Return the rows of an experiment that was run before, None if cases of this size are missing."""
    cases, known = experiment.cases(size), _known(experiment, kept)
    return _results(experiment, cases, known) if all(case_key(case) in known for case in cases) else None


class Kept(NamedTuple):
    """The rows of all repeats that are complete in a file.

    Attributes
    ----------
    results : Results
    repeats : int
    measured : str
        The last day, as YYYY-MM-DD.
    seconds : float
        Mean processor time of a repeat.
    """

    results: Results
    repeats: int
    measured: str
    seconds: float


def read_stored(experiment: Experiment, kept: Path) -> Kept:
    """Return the rows of all repeats that are complete in a file.

    A repeat is complete if it has each of its cases; those of a quick run do not count.
    """
    known, by_repeat = _known(experiment, kept), dict[object, list[Facts]]()
    for case in experiment.cases("full"):
        by_repeat.setdefault(case["repeat"], []).append(case)
    whole = [cases for cases in by_repeat.values() if all(case_key(case) in known for case in cases)]
    cases = [case for repeat in whole for case in repeat]
    found = [known[case_key(case)] for case in cases]
    return Kept(
        _results(experiment, cases, known), len(whole), max((one.measured for one in found), default=""),
        sum(one.seconds for one in found) / max(len(whole), 1),
    )  # fmt: skip


def _known(experiment: Experiment, kept: Path) -> dict[str, Stored]:
    """Return the cases of a file that were measured with the settings of today."""
    settings = settings_identity(experiment.measure)
    return {key: one for key, one in read(kept).items() if one.settings == settings}


def _results(experiment: Experiment, cases: list[Facts], known: dict[str, Stored]) -> Results:
    every = Results([row for case in cases for row in known[case_key(case)].rows], experiment.measures)
    return every.where(**experiment.only)


def _measured(experiment: Experiment, case: Facts, data_dir: Path | None) -> tuple[Facts, float, list[Facts]]:
    with one_thread(), warnings.catch_warnings():  # one core each: as many cases as cores run beside each other
        warnings.simplefilter("ignore", TacitWarning)  # labels without training records are left out and counted
        start = time.process_time()
        rows = experiment.measure(case, data_dir)
        return case, time.process_time() - start, rows
