"""Run an experiment case by case, several at a time; what was measured before is not measured again."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

from joblib import Parallel, delayed

from tacit.errors import InputError, TacitWarning
from tacit.files import replace_text
from tacit.machine import one_thread
from tacit.reproduce.experiment import Experiment, Facts, Results, Size

__all__ = ["read_results", "read_stored", "run_cases"]

_VERSION = 1  # of the measuring code: rows of another version are measured again


def run_cases(
    experiment: Experiment,
    kept: Path,
    *,
    size: Size = "usual",
    data_dir: Path | None = None,
    jobs: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> Results:
    """Measure the cases of an experiment that a file does not have yet, and return all rows of this size.

    Parameters
    ----------
    experiment : Experiment
    kept : Path
        JSON lines, one per finished case: a run that was stopped goes on with the next case.
    size : {"quick", "usual", "full"}
    data_dir : Path, optional
        Folder of the data sets; the environment variable TACIT_DATA if not given.
    jobs : int, default 1
        Number of processes.
    report : callable, optional
        Called with the numbers of finished and of all cases.
    """
    cases, known = experiment.cases(size), _read(kept)
    missing = [case for case in cases if _key(case) not in known]
    if report is not None:
        report(len(cases) - len(missing), len(cases))
    kept.parent.mkdir(parents=True, exist_ok=True)
    tasks = (delayed(_measured)(experiment, case, data_dir) for case in missing)
    with kept.open("a", encoding="utf-8") as file:
        for case, rows in Parallel(n_jobs=jobs, return_as="generator_unordered")(tasks):
            file.write(json.dumps({"version": _VERSION, "case": case, "rows": rows}) + "\n")
            file.flush()
            known[_key(case)] = rows
            if report is not None:
                report(sum(_key(one) in known for one in cases), len(cases))
    return _results(experiment, cases, known)


def read_results(experiment: Experiment, kept: Path, *, size: Size = "usual") -> Results | None:
    """Return the rows of an experiment that was run before, None if cases of this size are missing."""
    cases, known = experiment.cases(size), _read(kept)
    return _results(experiment, cases, known) if all(_key(case) in known for case in cases) else None


def read_stored(experiment: Experiment, kept: Path) -> tuple[Results, int]:
    """Return the rows of all repeats that are complete in a file, and their number.

    A repeat is complete if it has each of its cases; those of a quick run do not count.
    """
    known, by_repeat = _read(kept), dict[object, list[Facts]]()
    for case in experiment.cases("full"):
        by_repeat.setdefault(case["repeat"], []).append(case)
    whole = [cases for cases in by_repeat.values() if all(_key(case) in known for case in cases)]
    return _results(experiment, [case for cases in whole for case in cases], known), len(whole)


def _results(experiment: Experiment, cases: list[Facts], known: dict[str, list[Facts]]) -> Results:
    every = Results([row for case in cases for row in known[_key(case)]], experiment.measures)
    return every.where(**experiment.only)


def _measured(experiment: Experiment, case: Facts, data_dir: Path | None) -> tuple[Facts, list[Facts]]:
    with one_thread(), warnings.catch_warnings():  # one core each: as many cases as cores run beside each other
        warnings.simplefilter("ignore", TacitWarning)  # labels without training records are left out and counted
        return case, experiment.measure(case, data_dir)


def _key(case: Facts) -> str:
    return json.dumps(case, sort_keys=True)


def _read(kept: Path) -> dict[str, list[Facts]]:
    """Return the rows by case; a last line that was cut off by a kill is removed from the file."""
    if not kept.exists():
        return {}
    text = kept.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        replace_text(kept, whole)
    found = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            facts = json.loads(line)
            if facts["version"] == _VERSION:
                found[_key(facts["case"])] = facts["rows"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise InputError(
                f"{kept} is damaged: got {line[:40]!r} in line {number}, expected a measured case. "
                "Delete the file to measure again."
            ) from error
    return found
