"""The settings that `tune` varies: their ranges, and settings from and to the choices of a trial."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tacit.models.spaces import SPACES
from tacit.tasks.build.settings import BuildSettings

__all__ = ["SettingsSpace", "changes_between", "refit_options", "written_changes"]

_DIMENSIONS = (10, 400)
_AUTO = ("logistic", "auto")
_MIN_RECORDS = (1, 2, 3, 5)


@dataclass(frozen=True)
class SettingsSpace:
    """All settings that can be tried.

    `current` is the start of the search, and has the values of everything that is not varied; `current_model` is its
    model, with "auto" resolved. `text` is whether to vary phrases, stems and the treatment of rare words, which
    vectors do not have, and `suggester` whether to vary the suggester.
    """

    current: BuildSettings
    models: Sequence[str]
    most_dimensions: int
    text: bool
    suggester: bool
    current_model: str

    def suggest(self, trial: Any) -> BuildSettings:
        """Return settings chosen by an optuna trial."""
        model = trial.suggest_categorical("model", list(self.models))
        low, high = self._dimensions
        n_components = trial.suggest_int("n_components", low, high, log=True)
        parameters = dict(self.current.parameters) if model == self.current_model else {}
        for name, (least, most, log) in SPACES[model].ranges.items():
            parameters[name] = float(f"{trial.suggest_float(f'{model}.{name}', least, most, log=log):.3g}")
        chosen = replace(self.current, model=model, n_components=n_components, parameters=parameters)
        if self.suggester:
            method = trial.suggest_categorical("suggester", ["logistic", "ridge"])
            # "auto" is logistic unless that would take too long: not a change worth reporting
            chosen = replace(chosen, suggester="auto" if (method, self.current.suggester) == _AUTO else method)
        if not self.text:
            return chosen
        changed: dict[str, Any] = {
            "ngrams": trial.suggest_categorical("ngrams", [1, 2]),
            "min_records": trial.suggest_categorical("min_records", list(_MIN_RECORDS)),
        }
        if self._may_stem:
            changed["stem"] = trial.suggest_categorical("stem", [False, True])
        return replace(chosen, text=replace(self.current.text, **changed))

    def start(self) -> dict[str, Any]:
        """Return the current settings as choices of a trial, moved into the ranges."""
        model = self.current_model if self.current_model in self.models else self.models[0]
        defaults = SPACES[model].estimator()().get_params() if SPACES[model].ranges else {}
        known = {**defaults, **self.current.parameters}
        low, high = self._dimensions
        now = _DIMENSIONS[1] if self.current.n_components is None else self.current.n_components
        start: dict[str, Any] = {"model": model, "n_components": min(max(now, low), high)}
        for name, (least, most, _) in SPACES[model].ranges.items():
            start[f"{model}.{name}"] = min(max(float(known[name]), least), most)
        if self.suggester:
            start["suggester"] = "ridge" if self.current.suggester == "ridge" else "logistic"
        if self.text:
            text = self.current.text
            nearest = min(_MIN_RECORDS, key=lambda choice: abs(choice - text.min_records))
            start |= {"ngrams": min(text.ngrams, 2), "min_records": nearest}
            if self._may_stem:
                start["stem"] = text.stem
        return start

    @property
    def _dimensions(self) -> tuple[int, int]:
        high = max(2, min(_DIMENSIONS[1], self.most_dimensions))
        return min(_DIMENSIONS[0], high - 1), high

    @property
    def _may_stem(self) -> bool:
        return self.current.text.language != "none" and importlib.util.find_spec("snowballstemmer") is not None


def changes_between(old: BuildSettings, new: BuildSettings) -> dict[str, Any]:
    """Return what is different in the new settings, by option name."""
    facts: dict[str, Any] = {}
    for name, shown in (("model", "model"), ("n_components", "dimensions"), ("suggester", "suggester")):
        if getattr(old, name) != getattr(new, name):
            facts[shown] = getattr(new, name)
    for name in ("stem", "ngrams", "min_records"):
        if getattr(old.text, name) != getattr(new.text, name):
            facts[name] = getattr(new.text, name)
    before = old.parameters if old.model == new.model else {}
    return facts | {name: value for name, value in new.parameters.items() if before.get(name) != value}


def written_changes(old: BuildSettings, new: BuildSettings) -> str:
    """Return the changes as text."""
    changes = changes_between(old, new)
    return ", ".join(f"{name} {value}" for name, value in changes.items()) or "current settings"


def refit_options(old: BuildSettings, new: BuildSettings) -> list[str]:
    """Return the changes as options of `tacit refit`."""
    options: list[str] = []
    for name, value in changes_between(old, new).items():
        if name == "stem":
            options.append("--stem" if value else "--no-stem")
        elif name in ("model", "dimensions", "suggester"):
            options += [f"--{name}", str(value)]
        else:
            options += ["--set", f"{name}={value}"]
    return options
