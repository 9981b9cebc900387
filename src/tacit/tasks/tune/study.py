"""The file that keeps trials: what was tried, and what it was worth, so that the next run goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError, MissingExtraError
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.split import Split

__all__ = ["TrialResult", "finished_trials", "open_study", "study_path"]


@dataclass(frozen=True, eq=False)
class TrialResult:
    """Settings that were tried.

    Attributes
    ----------
    number : int, from 1
    score : float, on the records that choose
    settings : BuildSettings
    measures : dict from measure to mean
    seconds : float
    """

    number: int
    score: float
    settings: BuildSettings
    measures: dict[str, float]
    seconds: float

    def to_facts(self) -> dict[str, Any]:
        """Give it as plain data."""
        facts = {"number": self.number, "score": round(self.score, 6), "measures": self.measures}
        return {**facts, "seconds": self.seconds, "settings": self.settings.to_facts()}


def study_path(index: Path) -> Path:
    """Where the trials of an index are kept: beside its folder, in which nothing but the index may be."""
    index = index.absolute()
    return index.with_name(f"{index.name}.tuning.sqlite")


def open_study(path: Path, facts: Mapping[str, Any], split: Split) -> Any:
    """Open the study of these records and this goal, or begin it.

    Trials can be compared only if they learned from the same records and were judged by the same: so what a study is
    called is made from them.
    """
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("optuna", "tune", "Tuning") from error

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    name = f"{facts['goal']}-{_digest(facts, split)}"
    try:
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        return optuna.create_study(storage=storage, study_name=name, direction="maximize", load_if_exists=True)
    except Exception as error:  # whatever the database says, in one sentence
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"study cannot be used: got {said!r} for {str(path)!r}, expected a file of earlier trials, or a folder in "
            "which one can be made. Name another file."
        ) from error


def finished_trials(study: Any) -> list[TrialResult]:
    """Give the trials that succeeded, in their order."""
    return [
        TrialResult(
            trial.number + 1,
            float(trial.value),
            BuildSettings.from_facts(trial.user_attrs["settings"]),
            dict(trial.user_attrs["measures"]),
            float(trial.user_attrs["seconds"]),
        )
        for trial in study.trials
        if trial.state.name == "COMPLETE"
    ]


def _digest(facts: Mapping[str, Any], split: Split) -> str:
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for part in (split.train, split.test):
        digest.update(b"|")
        for record in part.records:
            digest.update(json.dumps([record.id, record.text, *record.labels]).encode())
    return digest.hexdigest()[:16]
