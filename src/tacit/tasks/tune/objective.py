"""What `tune` maximises: one number for settings, from records that were held out."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import Any

import numpy as np

from tacit.errors import InputError
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.search import SearchBench
from tacit.tasks.measure.split import Split
from tacit.tasks.measure.suggest import measure_suggestions
from tacit.tasks.measure.trial_index import Features, FittedIndex
from tacit.tasks.stages import Stages
from tacit.types import Float64Array

__all__ = ["GOALS", "Objective", "facts_of", "gain_between", "score_of"]

GOALS = ("suggest", "search", "both")
Values = dict[str, Float64Array]
_KEPT = 3  # counted words kept for the next trials: a matrix may be large


class Objective:
    """Fits settings to one part of a split and measures them on the other.

    Parameters
    ----------
    split : Split
    goal : {"suggest", "search", "both"}
    taxonomy : Taxonomy or None
    queries : int, most questions to the search
    random_state : int, of their choice
    """

    def __init__(self, split: Split, goal: str, taxonomy: Taxonomy | None, queries: int, random_state: int) -> None:
        self._split, self._goal, self._taxonomy = split, goal, taxonomy
        self._bench = SearchBench(split, queries, random_state, by_words=False)
        self._counted: OrderedDict[str, Features] = OrderedDict()
        if goal != "search" and not any(split.test.labels):
            raise InputError(f"goal needs labels: got {goal!r} for records without any, expected 'search'.")
        if goal != "suggest" and self._bench.is_empty:
            raise InputError(
                f"goal cannot be measured: got {goal!r} for records without labels in common and without titles, "
                "expected one of them."
            )

    def values(self, settings: BuildSettings, say: Stages) -> Values:
        """Measure settings: for each measure, its value on each record or question."""
        features = self._features(settings, say)
        index = FittedIndex(self._split.train, settings, self._taxonomy, features, say)
        found: Values = {}
        if self._goal != "search":
            measured = measure_suggestions(index, self._split.test)
            if measured is None:
                raise InputError("settings give no suggestions: got suggester='none', expected one that learns.")
            found["suggest nDCG@10"] = measured.at[-1].per_record
        if self._goal != "suggest":
            found |= self._search_values(index)
        return found

    def _search_values(self, index: FittedIndex) -> Values:
        """By labels where there are any; else by title."""
        values = self._bench.overlap_values(index) if self._bench.n_overlap else np.empty(0)
        if np.isfinite(values).any():
            return {"search nDCG@10": values}
        return {"title MRR": self._bench.title_values(index)}

    def _features(self, settings: BuildSettings, say: Stages) -> Features:
        key = repr(settings.text)
        if key not in self._counted:
            self._counted[key] = Features.of(self._split.train, settings, say)
            while len(self._counted) > _KEPT:
                self._counted.popitem(last=False)
        self._counted.move_to_end(key)
        return self._counted[key]


def score_of(values: Values) -> float:
    """The mean of the measures' means."""
    return float(np.mean([np.nanmean(one) for one in values.values()]))


def gain_between(old: Values, new: Values) -> tuple[float, float]:
    """How much better the new values are, and the standard error of that, from differences record by record."""
    differences = [new[name] - old[name] for name in old]
    kept = [one[np.isfinite(one)] for one in differences]
    variances = [float(one.var(ddof=1)) / len(one) if len(one) > 1 else math.nan for one in kept]
    gain = float(np.mean([one.mean() for one in kept]))
    return gain, math.sqrt(sum(variances)) / len(kept)


def facts_of(values: Values) -> dict[str, Any]:
    """The means, by name."""
    return {name: round(float(np.nanmean(one)), 6) for name, one in values.items()}
