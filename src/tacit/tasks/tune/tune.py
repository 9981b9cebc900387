"""Tune: find better settings for an index by trials on held-out records, and measure the gain on further ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tacit.checks import as_rng, check_choice, check_count, check_number
from tacit.display import Displayed, Table
from tacit.errors import InputError, SolverError
from tacit.models.spaces import SPACES
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.compare import applicable_models, current_model
from tacit.tasks.measure.evaluate import current_settings
from tacit.tasks.measure.split import RecordSplit, split_at_random, split_records
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter
from tacit.tasks.tune.objective import GOALS, SettingsScorer, gain_between, means_of, score_of
from tacit.tasks.tune.ranges import SettingsSpace, changes_between, written_changes
from tacit.tasks.tune.study import TrialResult, finished_trials, open_study, study_path

__all__ = ["Gain", "Tuning", "tune"]


@dataclass(frozen=True)
class Gain:
    """Gain of the best settings over the current ones, on records that were not used to choose them.

    Attributes
    ----------
    current, best : dict from measure to mean
    gain, error : float
        Difference of the scores, and its standard error: a gain below twice the error may be random.
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


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Displayed):
    """The trials and their result.

    Attributes
    ----------
    goal : str
    current, best : TrialResult
        The trial of the index's own settings, and the best of all trials, which may be the same.
    trials : tuple of TrialResult
        All successful trials, the best first.
    n_before : int
        Number of trials from earlier runs.
    test : Gain or None
        None if the run was interrupted, or the current settings are the best.
    n_train, n_validation, n_test : int
        Numbers of records that trials learned from, that chose the best, and that measured the gain.
    interrupted : bool
    study : Path
        File that keeps the trials; the next run continues from there.
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
        """Differences between the best and the current settings."""
        return changes_between(self.current.settings, self.best.settings)

    def _parts(self) -> Iterator[str | Table]:
        changes = ", ".join(f"{name}={value!r}" for name, value in self.changes.items()) or "none"
        yield f"Best of {len(self.trials)} trials by {self.goal}: {self.best.score:.3f}, now {self.current.score:.3f}."
        yield f"Changes: {changes}."
        if self.test is not None:
            sure = "more than chance" if self.test.is_real else "no more than chance"
            gain = f"{self.test.gain:+.3f} ± {self.test.error:.3f}"
            yield f"Gain on {self.test.n_records:,} other records: {gain}, {sure}."
        yield Table(("trial", "score", "seconds"), [(one.number, one.score, one.seconds) for one in self.trials])

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for one in self.trials:
            settings = {name: value for name, value in one.settings.to_facts().items() if not isinstance(value, dict)}
            rows.append({"trial": one.number, "score": one.score, **one.measures, "seconds": one.seconds, **settings})
        return rows

    def to_facts(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
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
    collection: OpenedIndex,
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
    """Search for better settings of an index: model, dimensions, weights, words and suggester.

    Each trial is fitted to the training records and scored on validation records. At the end the best and the current
    settings are fitted to both and compared on test records that were not used before. The index is not changed; use
    `refit` with the best settings for that.

    Parameters
    ----------
    collection : an open index
    goal : {"suggest", "search", "both"}, optional
        "suggest" is the nDCG@10 of suggested labels, "search" that of records found by meaning, by the labels they
        share with the query (without labels: the MRR of texts by their title), "both" the mean. By default "both" if
        there are labels, else "search".
    trials : int, default 30
        Number of settings to try now; the first run includes the current ones.
    seconds : float, optional
        Start no new trial after so many seconds.
    models : sequence of str, optional
        Models to try; by default all that the records allow, with SLE, whose trials are slow, only for at most 3,000
        records.
    split_field : str, optional
        Field with the values "train" and "test"; the test records measure the gain.
    share : float, default 0.2
        Share of the records to hold out, once for testing and once for validation.
    records : int, default 20,000
        Maximum number of records to use, drawn at random.
    queries : int, default 500
        Maximum number of search queries in each trial.
    random_state : int, default 0
    study : path, optional
        SQLite file that keeps the trials; by default beside the folder of the index. A further run with the same
        records, goal, models and seed continues from there.
    report : callable, optional
        Called with a `StageEvent` for each trial.

    Raises
    ------
    MissingExtraError
        If optuna is not installed.
    InputError
        If an argument is invalid, or no trial succeeded.

    Notes
    -----
    Ctrl-C ends the trials and keeps those that are done; the gain is not measured then.
    """
    check_count("trials", trials, low=0)
    check_count("queries", queries)
    check_count("random_state", random_state, low=0)
    check_count("records", records, low=10)
    if seconds is not None:
        check_number("seconds", seconds, open_low=True)
    stages = StageReporter(report)
    stages.begin("reading")
    outer = split_records(collection, split_field=split_field, share=share, most=records, random_state=random_state)
    inner = RecordSplit(*split_at_random(outer.train, share, as_rng(random_state + 1)), outer.how)
    n_train, n_validation, n_test = len(inner.train), len(inner.test), len(outer.test)
    stages.end(f"{n_train:,} records for training, {n_validation:,} for validation, {n_test:,} for testing")
    goal = check_choice("goal", goal, GOALS) if goal else "both" if any(outer.test.labels) else "search"
    space = _space(collection, inner, models, goal)
    known = partial(SettingsScorer, vocabulary=collection.vocabulary, label_titles=collection.label_titles)
    scorer = known(inner, goal, queries, random_state)
    path = study_path(collection.path) if study is None else Path(study).expanduser()
    facts = {"goal": goal, "models": list(space.models), "seed": random_state, "queries": queries, "text": space.text}
    opened = open_study(path, facts, inner)
    before = finished_trials(opened)
    interrupted = _run(opened, scorer, space, before, trials, seconds, random_state, stages)
    done = finished_trials(opened)
    current = _find(done, space.current)
    if current is None:
        raise InputError(
            f"the current settings were not measured: none of the {len(done)} trials in {str(path)!r} has them. Run at "
            "least one trial."
        )
    best = max(done, key=lambda trial: (trial.score, trial is current))
    gain = None
    if best is not current and not interrupted:
        gain = _gain(known(outer, goal, queries, random_state), current, best, stages)
    ranked = tuple(sorted(done, key=lambda trial: -trial.score))
    return Tuning(goal, current, best, ranked, len(before), gain, n_train, n_validation, n_test, interrupted, path)


def _space(collection: OpenedIndex, split: RecordSplit, models: Sequence[str] | None, goal: str) -> SettingsSpace:
    current = current_settings(collection)
    suitable = [
        name
        for name in applicable_models(split, collection.vocabulary)
        if name == current.model or len(split.train) <= (SPACES[name].most_tuned_records or len(split.train))
    ]
    names = list(dict.fromkeys(models or suitable))
    for name in names:
        check_choice("models", name, SPACES)
    by_words, vectors = split.train.by_words, split.train.vectors
    return SettingsSpace(
        current,
        names,
        most_dimensions=(len(split.train) if by_words or vectors is None else min(vectors.shape)) - 1,
        text=by_words,
        suggester=goal != "search",
        current_model=current_model(current, split),
    )


def _run(
    study: Any,
    scorer: SettingsScorer,
    space: SettingsSpace,
    before: Sequence[TrialResult],
    trials: int,
    seconds: float | None,
    random_state: int,
    stages: StageReporter,
) -> bool:
    """Run the trials; return whether they were interrupted."""
    import optuna

    # another seed in each run: the same one would draw the same settings again
    study.sampler = optuna.samplers.TPESampler(seed=random_state + len(study.trials), n_startup_trials=8)
    if trials and _find(before, space.current) is None:
        study.enqueue_trial(space.start(), user_attrs={"current": True})

    def attempt(trial: Any) -> float:
        started = time.perf_counter()
        settings = space.suggest(trial)
        if trial.user_attrs.get("current"):
            settings = space.current
        stages.begin(f"trial {trial.number + 1}")
        values = scorer.values(settings)
        trial.set_user_attr("settings", settings.to_facts())
        trial.set_user_attr("measures", means_of(values))
        trial.set_user_attr("seconds", round(time.perf_counter() - started, 2))
        score = score_of(values)
        stages.end(f"trial {trial.number + 1}: {score:.4f}  {written_changes(space.current, settings)}")
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


def _gain(scorer: SettingsScorer, current: TrialResult, best: TrialResult, stages: StageReporter) -> Gain | None:
    """Compare both settings on the test records; None if that is interrupted."""
    stages.begin("testing")
    try:
        old, new = (scorer.values(trial.settings) for trial in (current, best))
    except KeyboardInterrupt:
        return None
    gain, error = gain_between(old, new)
    n_records = max(len(values) for values in old.values())
    stages.end(f"best settings tested on {n_records:,} further records: {gain:+.4f}")
    return Gain(means_of(old), means_of(new), round(gain, 6), round(error, 6), n_records)
