"""Re-run experiments of the papers by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tacit.checks import check_choice, check_count
from tacit.datasets.data_files import data_folder
from tacit.errors import InputError
from tacit.reproduce import choice, graphs, hlsi, mlsa, mlsi
from tacit.reproduce.experiment import Experiment, Results, Size, Verdict
from tacit.reproduce.measuring.running import run_cases
from tacit.reproduce.pages import write_pages
from tacit.reproduce.report import check_drawing, write_report
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["Reproduced", "experiments", "report_pages", "reproduce"]


@dataclass(frozen=True, eq=False)
class Reproduced:
    """What an experiment found.

    Attributes
    ----------
    experiment : Experiment
    results : Results
        All rows.
    verdicts : dict
        Verdict by number of the claim.
    files : list of Path
        Table (CSV and Markdown) and picture (SVG and PNG).
    """

    experiment: Experiment
    results: Results
    verdicts: dict[str, Verdict]
    files: list[Path]


def experiments() -> dict[str, Experiment]:
    """Return all experiments by name."""
    return {
        one.name: one
        for one in (*mlsi.EXPERIMENTS, *hlsi.EXPERIMENTS, *mlsa.EXPERIMENTS, *graphs.EXPERIMENTS, *choice.EXPERIMENTS)
    }


def reproduce(
    names: str | Sequence[str],
    folder: str | Path = "reproduction",
    *,
    results: str | Path | None = None,
    size: Size = "usual",
    repeats: int | None = None,
    data_dir: str | Path | None = None,
    jobs: int = 1,
    report: Report | None = None,
) -> list[Reproduced]:
    """Measure experiments of the papers, and write their tables, pictures and verdicts.

    Parameters
    ----------
    names : str or sequence of str
        As in `experiments()`.
    folder : path, default "reproduction"
        For NAME.csv, NAME.md, NAME.svg and NAME.png.
    results : path, optional
        Folder of what was measured, NAME.jsonl; `folder` if not given. A run that was stopped goes on with what is
        missing there, and a larger size keeps the cases of a smaller one. Cases that were measured with other settings
        are measured again.
    size : {"quick", "usual", "full"}, default "usual"
        "quick" shows that everything runs; "full" has as many repeats as the paper.
    repeats : int, optional
        At most so many repeats; all of the size if not given.
    data_dir : path, optional
        Folder of the data sets; the environment variable TACIT_DATA if not given.
    jobs : int, default 1
        Number of processes; the results are the same with any.
    report : callable, optional
        Called with a `StageEvent` when an experiment begins, advances and ends.
    """
    known = experiments()
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        check_choice("name", name, tuple(known))
    check_choice("size", size, get_args(Size))
    jobs, place, data = check_count("jobs", jobs), Path(folder), data_folder(data_dir)
    repeats = None if repeats is None else check_count("repeats", repeats)
    kept = place if results is None else Path(results)
    if any(known[name].picture is not None for name in chosen):
        check_drawing()
    stages = StageReporter(report)
    found = []
    for experiment in (known[name] for name in chosen):
        stages.begin(experiment.name)
        measured = run_cases(
            experiment, experiment.kept_in(kept), size=size, repeats=repeats, data_dir=data, jobs=jobs,
            report=lambda done, total: stages.advance(f"{done} of {total} cases", done / total),
        )  # fmt: skip
        files = write_report(experiment, measured, place)
        verdicts = {claim.number: claim.verdict(measured) for claim in experiment.claims}
        found.append(Reproduced(experiment, measured, verdicts, files))
        stages.end(f"{experiment.name}: {experiment.title}")
    return found


def report_pages(results: str | Path = "reproduction", folder: str | Path = "report") -> list[Path]:
    """Write a report on all results of a folder, whatever number of repeats they have; nothing is measured.

    Parameters
    ----------
    results : path, default "reproduction"
        Folder with what `reproduce` has measured.
    folder : path, default "report"
        For index.md, a page per paper, its pictures, and results.csv with all means.

    Raises
    ------
    InputError
        If there are no results.
    """
    every, place = list(experiments().values()), Path(results)
    if not any(one.kept_in(place).exists() for one in every):
        raise InputError(f"{place} has no results: got no measured experiment. Run `tacit reproduce -o {place}` first.")
    return write_pages(every, place, Path(folder))
