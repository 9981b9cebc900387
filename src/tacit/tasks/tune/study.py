"""The file that keeps the trials and their scores, so that the next run continues from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.errors import InputError, MissingExtraError
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.split import RecordSplit

__all__ = ["TrialResult", "finished_trials", "open_study", "study_path"]


@dataclass(frozen=True, eq=False)
class TrialResult:
    """Settings that were tried; `number` starts from 1, `score` is that of the validation records."""

    number: int
    score: float
    settings: BuildSettings
    measures: dict[str, float]
    seconds: float

    def to_facts(self) -> dict[str, Any]:
        """Return the trial as plain data."""
        facts = {"number": self.number, "score": round(self.score, 6), "measures": self.measures}
        return {**facts, "seconds": self.seconds, "settings": self.settings.to_facts()}


def study_path(index: Path) -> Path:
    """Return the default file of an index: beside its folder, which must contain nothing but the index."""
    index = index.absolute()
    return index.with_name(f"{index.name}.tuning.sqlite")


def open_study(path: Path, facts: Mapping[str, Any], split: RecordSplit) -> Any:
    """Open the study of these records and this goal, or create it.

    Trials can be compared only if they were fitted to and tested on the same records: so the name of a study is a
    checksum of them.
    """
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError("optuna", "tune", "Tuning") from error

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for part in (split.train, split.test):
        digest.update(b"|")
        for record in part.records:
            digest.update(json.dumps([record.id, record.text, *record.labels]).encode())
    name = f"{facts['goal']}-{digest.hexdigest()[:16]}"
    try:
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
        return optuna.create_study(storage=storage, study_name=name, direction="maximize", load_if_exists=True)
    except Exception as error:  # any error of the database, in one sentence
        said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"study cannot be used: got {said!r} for {str(path)!r}, expected a file of earlier trials, or a new "
            "file in a folder that exists. Choose another file."
        ) from error


def finished_trials(study: Any) -> list[TrialResult]:
    """Return the successful trials, in order."""
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
