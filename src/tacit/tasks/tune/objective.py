"""The score that `tune` maximises: the quality of settings on held-out records."""

from __future__ import annotations

import math
import warnings
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from tacit.errors import InputError, TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.search_quality import SearchTest
from tacit.tasks.measure.split import RecordSplit
from tacit.tasks.measure.suggestion_quality import measure_suggestions
from tacit.tasks.measure.trial_index import Features, FittedIndex
from tacit.tasks.stage_progress import StageReporter
from tacit.types import Float64Array

__all__ = ["GOALS", "SettingsScorer", "gain_between", "means_of", "score_of"]

GOALS = ("suggest", "search", "both")
Values = dict[str, Float64Array]
_KEPT = 3  # counted words kept for the next trials: each may be large


class SettingsScorer:
    """Fits settings to one part of a split and measures them on the other, with at most `queries` search queries.

    The vocabulary has the names of the labels, and what is above them; `label_titles` are those of the records.
    """

    def __init__(
        self,
        split: RecordSplit,
        goal: str,
        queries: int,
        random_state: int,
        *,
        vocabulary: Taxonomy | None,
        label_titles: Mapping[str, str],
    ) -> None:
        self._split, self._goal = split, goal
        self._vocabulary, self._label_titles = vocabulary, label_titles
        self._search = SearchTest(split, queries, random_state)
        self._counted: OrderedDict[str, Features] = OrderedDict()
        if goal != "search" and not any(split.test.labels):
            raise InputError(f"goal needs labels: got {goal!r} for records without any, expected 'search'.")
        if goal != "suggest" and self._search.is_empty:
            raise InputError(
                f"goal cannot be measured: got {goal!r} for records without shared labels and without titles, expected "
                "one of them."
            )

    def values(self, settings: BuildSettings) -> Values:
        """Return for each measure its value on each record or query."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TacitWarning)
            index = FittedIndex(
                self._split.train,
                settings,
                self._vocabulary,
                self._features(settings),
                StageReporter(None),
                self._label_titles,
            )
            found: Values = {}
            if self._goal != "search":
                measured = measure_suggestions(index, self._split.test)
                if measured is None:
                    raise InputError("settings make no suggestions: got suggester='none', expected another suggester.")
                found["suggest nDCG@10"] = measured.at[-1].per_record
            if self._goal != "suggest":
                by_labels = self._search.overlap_values(index) if self._search.n_overlap else np.empty(0)
                if np.isfinite(by_labels).any():
                    found["search nDCG@10"] = by_labels
                else:
                    found["title MRR"] = self._search.title_values(index)
            return found

    def _features(self, settings: BuildSettings) -> Features:
        key = repr(settings.text)
        if key not in self._counted:
            self._counted[key] = Features.of(self._split.train, settings, StageReporter(None))
            while len(self._counted) > _KEPT:
                self._counted.popitem(last=False)
        self._counted.move_to_end(key)
        return self._counted[key]


def score_of(values: Values) -> float:
    """Return the mean over the measures of their means."""
    return float(np.mean([np.nanmean(one) for one in values.values()]))


def gain_between(old: Values, new: Values) -> tuple[float, float]:
    """Return the mean difference of new and old values, and its standard error, from paired differences."""
    differences = [new[name] - old[name] for name in old]
    kept = [one[np.isfinite(one)] for one in differences]
    variances = [float(one.var(ddof=1)) / len(one) if len(one) > 1 else math.nan for one in kept]
    gain = float(np.mean([one.mean() for one in kept]))
    return gain, math.sqrt(sum(variances)) / len(kept)


def means_of(values: Values) -> dict[str, float]:
    """Return the mean of each measure."""
    return {name: round(float(np.nanmean(one)), 6) for name, one in values.items()}
