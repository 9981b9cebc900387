"""Tune: better settings for an index, found by trials on held-out records, and what they gain on further ones."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.checks import as_rng, check_choice, check_count, check_number
from tacit.errors import InputError, SolverError, TacitWarning
from tacit.tasks.build.settings import MODELS, BuildSettings
from tacit.tasks.measure.compare import applicable_models
from tacit.tasks.measure.evaluate import current_settings
from tacit.tasks.measure.split import Split, split_part, split_records
from tacit.tasks.stages import Report, Stages
from tacit.tasks.tune.objective import GOALS, Objective, facts_of, gain_between, score_of
from tacit.tasks.tune.ranges import SettingsSpace, changes_between
from tacit.tasks.tune.study import TrialResult, finished_trials, open_study, study_path

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["Gain", "Tuning", "tune"]

_GRAPH_RECORDS = 3_000  # more take minutes for one trial of a graph embedding


@dataclass(frozen=True)
class Gain:
    """What the best settings gain over the current ones, on records that had no part in the choice.

    Attributes
    ----------
    current, best : dict from measure to mean
    gain, error : float
        Difference of the scores, and its standard error: a gain below twice the error may be chance.
    n_records : int
    """

    current: dict[str, float]
    best: dict[str, float]
    gain: float
    error: float
    n_records: int

    @property
    def is_real(self) -> bool:
        """Whether the gain is more than twice its error."""
        return self.gain > 2 * self.error and self.gain > 0


@dataclass(frozen=True, eq=False)
class Tuning:
    """What was tried and what came of it.

    Attributes
    ----------
    goal : str
    current, best : TrialResult
        The settings of the index, and the best of all trials, which may be the same.
    trials : tuple of TrialResult
        All that succeeded, the best first.
    n_before : int
        How many of them are from earlier runs.
    test : Gain or None
        None if it was interrupted, or the current settings are the best.
    n_train, n_validation, n_test : int
        Records that trials learned from, that chose, and that judged at the end.
    interrupted : bool
    study : Path
        File that keeps the trials; the next run goes on from there.
    """

    goal: str
    current: TrialResult
    best: TrialResult
    trials: tuple[TrialResult, ...]
    n_before: int
    test: Gain | None
    n_train: int
    n_validation: int
    n_test: int
    interrupted: bool
    study: Path

    @property
    def changes(self) -> dict[str, Any]:
        """What is different in the best settings."""
        return changes_between(self.current.settings, self.best.settings)

    def to_facts(self) -> dict[str, Any]:
        """Give everything as plain data, as `--json` prints it."""
        return {
            "goal": self.goal,
            "records": {"train": self.n_train, "validation": self.n_validation, "test": self.n_test},
            "current": self.current.to_facts(),
            "best": self.best.to_facts(),
            "changes": self.changes,
            "validation_gain": round(self.best.score - self.current.score, 6),
            "test": None if self.test is None else {**vars(self.test), "is_real": self.test.is_real},
            "trials": [trial.to_facts() for trial in self.trials],
            "earlier_trials": self.n_before,
            "interrupted": self.interrupted,
            "study": str(self.study),
        }


def tune(
    collection: Collection,
    *,
    goal: str | None = None,
    trials: int = 30,
    seconds: float | None = None,
    models: Sequence[str] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    records: int = 20_000,
    queries: int = 500,
    random_state: int = 0,
    study: str | Path | None = None,
    report: Report | None = None,
) -> Tuning:
    """Look for better settings of an index: model, dimensions, weights, words and suggester.

    Each trial learns from one part of the records and is judged by another. At the end the best and the current
    settings learn from both, and a third part, which had no say so far, tells what was gained. The index stays as it
    is; `refit` with the best settings changes it.

    Parameters
    ----------
    collection : an open index
    goal : {"suggest", "search", "both"}, optional
        "suggest" is the nDCG@10 of suggested labels, "search" that of records found by meaning, which gain by the
        labels they share with the query (without labels: the MRR of texts by their title), "both" the mean. "both" if
        there are labels, else "search".
    trials : int, default 30
        How many settings to try now, the current ones among them the first time.
    seconds : float, optional
        Begin no trial after so many.
    models : sequence of str, optional
        Among which to choose; all that suit the records unless given, but SLE, which takes minutes for a trial, only
        for 3,000 records at most.
    split_field : str, optional
        A field that says "train" or "test"; the test records judge at the end.
    share : float, default 0.2
        Part of the records that is held out, twice.
    records : int, default 20,000
        Use so many records at most, drawn by chance.
    queries : int, default 500
        Most questions to the search in each trial.
    random_state : int, default 0
    study : path, optional
        SQLite file that keeps the trials; beside the folder of the index unless given. A further run with the same
        records, goal, models and seed goes on from there.
    report : callable, optional
        Called with a `Stage` for each trial.

    Returns
    -------
    Tuning

    Raises
    ------
    MissingExtraError
        Without optuna.
    InputError
        If something given cannot be used, or no trial succeeded.

    Notes
    -----
    Ctrl-C ends the trials, and what is done counts; only the last judgement is left out then.
    """
    check_count("trials", trials, low=0)
    check_count("queries", queries)
    check_count("random_state", random_state, low=0)
    check_count("records", records, low=10)
    if seconds is not None:
        check_number("seconds", seconds, open_low=True)
    say = Stages(report)
    say.begin("reading")
    outer = split_records(collection, split_field=split_field, share=share, most=records, random_state=random_state)
    inner = Split(*split_part(outer.train, share, as_rng(random_state + 1)), outer.how)
    say.end(f"{len(inner.train):,} records to learn from, {len(inner.test):,} to choose, {len(outer.test):,} to judge")
    goal = check_choice("goal", goal, GOALS) if goal else "both" if any(outer.test.labels) else "search"
    space = _space(collection, inner, models, goal)
    objective = Objective(inner, goal, collection.taxonomy, queries, random_state)
    path = study_path(collection.path) if study is None else Path(study).expanduser()
    facts = {"goal": goal, "models": list(space.models), "seed": random_state, "queries": queries, "text": space.text}
    opened = open_study(path, facts, inner)
    before = finished_trials(opened)
    interrupted = _run(opened, objective, space, before, trials, seconds, random_state, say)
    done = finished_trials(opened)
    current = _find(done, space.current)
    if current is None:
        raise InputError(
            f"the current settings could not be measured: got {len(done)} other trials in {str(path)!r}, expected them "
            "first. Run it again with one trial at least."
        )
    best = max(done, key=lambda trial: (trial.score, trial is current))
    gain = None
    if best is not current and not interrupted:
        gain = _judged(Objective(outer, goal, collection.taxonomy, queries, random_state), current, best, say)
    ranked = tuple(sorted(done, key=lambda trial: -trial.score))
    sizes = len(inner.train), len(inner.test), len(outer.test)
    return Tuning(goal, current, best, ranked, len(before), gain, *sizes, interrupted, path)


def _space(collection: Collection, split: Split, models: Sequence[str] | None, goal: str) -> SettingsSpace:
    current, suitable = current_settings(collection), applicable_models(split, collection.taxonomy)
    if len(split.train) > _GRAPH_RECORDS and current.model != "sle":
        suitable = [name for name in suitable if name != "sle"]
    names = list(dict.fromkeys(models or suitable))
    for name in names:
        check_choice("models", name, [known for known in MODELS if known != "auto"])
    linked = any(record.links for record in split.train.records)
    automatic = "mlsa" if linked else "mlsi" if any(split.train.labels) else "lsi"
    is_text = split.train.vectors is None
    width = len(split.train) if split.train.vectors is None else split.train.vectors.shape[1]
    return SettingsSpace(
        current,
        names,
        most_dimensions=min(len(split.train), width) - 1,
        text=is_text,
        suggester=goal != "search",
        current_model=automatic if current.model == "auto" else current.model,
    )


def _run(
    study: Any,
    objective: Objective,
    space: SettingsSpace,
    before: Sequence[TrialResult],
    trials: int,
    seconds: float | None,
    random_state: int,
    say: Stages,
) -> bool:
    """Run the trials; give whether it was interrupted."""
    import optuna

    # another seed in each run: the same one would draw what has been tried already
    study.sampler = optuna.samplers.TPESampler(seed=random_state + len(study.trials), n_startup_trials=8)
    if trials and _find(before, space.current) is None:
        study.enqueue_trial(space.start(), user_attrs={"current": True})

    def attempt(trial: Any) -> float:
        started = time.perf_counter()
        settings = space.suggest(trial)
        if trial.user_attrs.get("current"):
            settings = space.current
        say.begin(f"trial {trial.number + 1}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            values = objective.values(settings, Stages(None))
        trial.set_user_attr("settings", settings.to_facts())
        trial.set_user_attr("measures", facts_of(values))
        trial.set_user_attr("seconds", round(time.perf_counter() - started, 2))
        score = score_of(values)
        shown = ", ".join(f"{name} {value}" for name, value in changes_between(space.current, settings).items())
        say.end(f"trial {trial.number + 1}: {score:.4f}  {shown or 'current settings'}")
        return score

    try:
        if trials:
            study.optimize(attempt, n_trials=trials, timeout=seconds, catch=(InputError, SolverError))
    except KeyboardInterrupt:
        return True
    return False


def _find(trials: Sequence[TrialResult], settings: BuildSettings) -> TrialResult | None:
    facts = settings.to_facts()
    return next((trial for trial in trials if trial.settings.to_facts() == facts), None)


def _judged(objective: Objective, current: TrialResult, best: TrialResult, say: Stages) -> Gain | None:
    """Let the records that had no say judge both settings; None if that is interrupted."""
    say.begin("judging")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            old, new = (objective.values(trial.settings, Stages(None)) for trial in (current, best))
    except KeyboardInterrupt:
        return None
    gain, error = gain_between(old, new)
    n_records = max(len(values) for values in old.values())
    say.end(f"best settings judged by {n_records:,} records that had no say: {gain:+.4f}")
    return Gain(facts_of(old), facts_of(new), round(gain, 6), round(error, 6), n_records)
