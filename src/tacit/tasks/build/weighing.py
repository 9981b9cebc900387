"""How much each kind of knowledge counts in an index: found in a short trial on held-out records, before the fit.

What is known about the records beside their words comes as views: the labels, their taxonomy, each kind of links. All
of them may shape one space, and how much each counts in the distances of that space is its *emphasis* (see `MLSI`). The
trial fits samples twice: with the labels alone, and with everything. Held-out records then look for records that share
their labels or links, and titles look for their own records. The words, beside labels of emphasis 1, and then each view
get the emphasis with which the sum of these measures is largest and none of them falls: more knowledge never hurts. A
view for which there is none gets the weight 0: it stays a filter, and its things still have their positions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tacit.checks import is_sparse
from tacit.errors import TacitWarning
from tacit.models.common.views import View
from tacit.models.mlsi.emphasis import main_axes
from tacit.models.mlsi.mlsi import MLSI
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.solve import least_squares
from tacit.tasks.build.settings import Growth
from tacit.tasks.build.trial_measures import (
    WORTH,
    Measures,
    Relevance,
    nearest_of,
    noise_of,
    own_ranks,
    rises,
    unit,
)
from tacit.types import Array, IntArray

__all__ = [
    "LABEL_WEIGHT",
    "LEAST_TRIED",
    "MORE_DIMENSIONS",
    "POWER",
    "UNLABELLED",
    "UNTRIED_WORDS",
    "Emphasis",
    "any_dimensions",
    "default_emphasis",
    "stretch_of",
    "text_map",
    "trial_sample",
    "unwarned",
    "usable_records",
    "weigh_views",
]

LABEL_WEIGHT = (
    0.9  # of MLSI: with fewer, the labels' directions come after directions of words that search does not need
)
POWER = 0.3  # of the eigenvalues
_STRETCH = 0.5  # 0 leaves texts where the regression puts them, 1 makes them as spread out as the records are
UNTRIED_WORDS = 0.1  # emphasis of the words beside labels of emphasis 1, if there is no trial
_TRIED_WORDS = (0.03, 0.2, 0.3, 0.5)
_WORDS_FALL = 0.001  # by which a measure may seem to fall with more words: nothing new is known that would be worth it
_OBJECTIVE = 0.03  # weight of every other view in the objective, beside labels of weight 1: with .1 titles lose room
_TRIED = (0.02, 0.05, 0.1, 0.2)
_ROUNDS = 2
MORE_DIMENSIONS = 20  # for each view beside the labels, so that it takes no room from the words
_SAMPLES = 3
_MOST_TRAINED, _MOST_ASKED = 1_500, 750
_BESIDE_UNLABELLED = 750  # labelled records in a trial with others, which are at most as many
_FEWEST_BESIDE = 0.1  # records without labels per labelled one, below which they change little
_BY_CHANCE = (1.0, 2.0)  # standard errors by which a measure may seem to fall: of several, one often does by one
_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8)  # of the words' emphasis
UNLABELLED = "unlabelled"  # as a weight: 0 keeps records without labels from shaping the space
LEAST_TRIED = 150  # records; with fewer, a trial would measure noise
_DIMENSIONS = 200
_TOLERANCE = 1e-3  # of the regressions


@dataclass(frozen=True)
class Emphasis:
    """How much each view counts.

    Attributes
    ----------
    weights : relative weights of the views in the objective of `MLSI`; 0 leaves a view out
    emphasis : of the words and of the views, in distances
    changes : for each view, how much each measure rose with it in the trial; empty if there was no trial
    n_records : records of the trial
    fits_unlabelled : whether records without labels shape the space; if not, they are only placed in it
    """

    weights: dict[str, float]
    emphasis: dict[str, float]
    changes: dict[str, dict[str, float]] = field(default_factory=dict)
    n_records: int = 0
    fits_unlabelled: bool = True

    def with_words(self, factor: float) -> Emphasis:
        """Return the same with the emphasis of the words multiplied, to two digits."""
        words = float(f"{factor * self.emphasis['words']:.2g}")
        return replace(self, emphasis=self.emphasis | {"words": words})

    def sentence(self) -> str:
        """Say what counts and by how much: "labels 1, places 0.2, words 0.03; people left out"."""
        used = sorted(
            ((name, weight) for name, weight in self.emphasis.items() if weight > 0), key=lambda pair: -pair[1]
        )
        text = ", ".join(f"{name} {weight:g}" for name, weight in used)
        unused = [name for name, weight in self.weights.items() if weight == 0]
        text += f"; left out: {', '.join(unused)}" if unused else ""
        return text if self.fits_unlabelled else f"{text}; records without labels are only placed"


def default_emphasis(views: Sequence[str], given: Mapping[str, float] | None = None) -> Emphasis:
    """Return the emphasis of views that are not weighed: labels 1, others a tenth, or as given."""
    given = dict(given or {})
    emphasis = {name: 1.0 if name == "labels" else 0.1 for name in views} | {"words": UNTRIED_WORDS}
    emphasis |= {name: weight for name, weight in given.items() if name in emphasis}
    if "labels" not in views and "words" not in given:
        emphasis["words"] = 1.0
    return _with_objective(views, emphasis)


def _with_objective(views: Sequence[str], emphasis: Mapping[str, float], **more: Any) -> Emphasis:
    weights = {}
    for name in views:
        counts = emphasis.get(name, 0.0)
        beside = _OBJECTIVE if counts <= max(_TRIED) else min(1.0, counts)  # more than is tried is given by hand
        weights[name] = 0.0 if counts == 0 else 1.0 if name == "labels" else beside
    return Emphasis(weights, {name: weight for name, weight in emphasis.items() if weight > 0}, **more)


def weigh_views(
    X: Any,
    labels: LabelMatrix | None,
    taxonomy: Taxonomy | None,
    views: Mapping[str, View],
    titles: Any = None,
    *,
    n_words: int | None = None,
    given: Mapping[str, float] | None = None,
    growth: Growth | None = None,
    shapes: float | None = None,
    n_dimensions: int | None = None,
    random_state: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Emphasis:
    """Find how much each view counts.

    Parameters
    ----------
    X : words or vectors of the records, or both
    labels : their labels, or None
    taxonomy : what is above the labels, or None
    views : what else is known, by name
    titles : function from record numbers to the words of their titles, optional
    n_words : columns of X that are words, if the others are vectors, which titles do not have
    given : emphasis of some views that the user has set; they are not tried
    growth : how the space of all records differs from one of a sample, if the words may count less in it
    shapes : whether records without labels shape the space, if the user has said it; 0 is no
    n_dimensions : of the space of labelled records; views are tried in as many, if the samples allow it
    random_state : of the samples
    progress : called with a sentence when a space is tried
    """
    names = [*(["labels"] if labels is not None else []), *(["taxonomy"] if taxonomy is not None else []), *views]
    given = dict(given or {})
    start = default_emphasis(names, given)
    open_names = [name for name in (*views, "taxonomy") if name in names and name not in given]
    weighs_words = labels is not None and "words" not in given
    if not open_names and not weighs_words:
        return _thinned(start, growth)
    usable = usable_records(X.shape[0], labels)
    samples = [trial_sample(usable, random_state + number) for number in range(_SAMPLES)]
    trials = [
        _Trial(X, labels, taxonomy, views, titles, n_words, sample, random_state + number)
        for number, sample in enumerate(samples)
        if sample is not None
    ]
    if not trials:
        return _thinned(start, growth)
    trial = _Trials(trials, progress or (lambda message: None))
    fixed = {name: weight for name, weight in start.emphasis.items() if name not in open_names}
    base_views = [name for name in names if fixed.get(name, 0) > 0]
    if weighs_words:
        fixed["words"] = _best_for_words(trial.space(base_views), fixed)
    found, used, changes = dict(fixed), base_views, dict[str, dict[str, float]]()
    if open_names:
        chosen, changes = _best_for_views(trial, names, fixed, open_names)
        if chosen and n_dimensions is not None and n_dimensions > _DIMENSIONS:
            thinned = fixed | {"words": fixed.get("words", 0.0) * (1.0 if growth is None else growth.before)}
            chosen, changes = _best_for_views(trial.wide(n_dimensions), [*base_views, *chosen], thinned, list(chosen))
        found |= chosen
        used = [name for name in names if found.get(name, 0) > 0]
    emphasis = _with_objective(names, found, changes=changes, n_records=trial.n_trained)
    unlabelled = np.setdiff1d(np.arange(X.shape[0]), usable)
    if growth is not None and shapes == 0:
        return emphasis.with_words(growth.before)
    if growth is None or len(unlabelled) < _FEWEST_BESIDE * len(usable):
        return _thinned(emphasis, growth)
    small = trial.smaller()
    before, grown = small.space(used).measures(found), small.space(used, unlabelled, growth)

    def measured(factor: float) -> Measures:
        return grown.measures({**found, "words": factor * found["words"]})

    factor = _words_beside_unlabelled(measured, before, growth.words)
    if factor is None and shapes is None:
        return replace(emphasis.with_words(growth.before), fits_unlabelled=False)
    return emphasis.with_words(growth.before * (growth.words if factor is None else factor))


def _thinned(emphasis: Emphasis, growth: Growth | None) -> Emphasis:
    return emphasis if growth is None else emphasis.with_words(growth.before * growth.words)


def _words_beside_unlabelled(measured: Callable[[float], Measures], before: Measures, usual: float) -> float | None:
    """Return by how much the words' emphasis is multiplied in a space that records without labels have made larger.

    The usual factor keeps the words' share of the distances. Another is taken only if a measure falls with it, compared
    with the space of labelled records, and if none falls with the other: the best of these. None if a measure falls
    with every factor by more than chance: then these records shape no space.
    """

    def gain_of(factor: float, errors: float) -> float:
        return rises(measured(factor), before, fall=_WORDS_FALL, errors=errors)

    if np.isfinite(gain_of(usual, _BY_CHANCE[0])):
        return usual
    for errors in _BY_CHANCE:
        gains = {factor: gain_of(factor, errors) for factor in (usual, *_FACTORS)}
        best = max(gains, key=gains.__getitem__)
        if np.isfinite(gains[best]):
            return best
    return None


def _best_for_views(
    trial: _Trials, names: Sequence[str], fixed: Mapping[str, float], open_names: Sequence[str]
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Return the emphasis of the views that help, and by how much each measure rises with each of them.

    Nothing, if they help only beside those that are left out.
    """
    base_views = [name for name in names if fixed.get(name, 0) > 0]
    base = trial.space(base_views).measures(fixed)
    chosen, _ = trial.space(names).best(fixed, open_names, base)
    if not any(chosen.values()) and len(open_names) > 1:  # together they take too much room
        chosen = _one_by_one(trial, base_views, fixed, open_names, base)
    chosen = {name: weight for name, weight in chosen.items() if weight > 0}
    if not chosen:
        return {}, {}
    kept, emphasis = trial.space([*base_views, *chosen]), {**fixed, **chosen}
    after, changes = kept.measures(emphasis), {}
    if len(chosen) < len(open_names) and rises(after, base) <= 0:
        return {}, {}
    for name in chosen:
        without = kept.measures({**emphasis, name: 0.0})
        changes[name] = {key: float(np.mean(after[key] - without[key])) for key in after if len(after[key])}
    return chosen, changes


def _one_by_one(
    trial: _Trials,
    base_views: Sequence[str],
    fixed: Mapping[str, float],
    names: Sequence[str],
    base: Measures,
) -> dict[str, float]:
    """Return the emphasis of the view that helps most, and of those that help beside it."""
    alone = {name: trial.space([*base_views, name]).best(fixed, [name], base) for name in names}
    useful = sorted((name for name in names if alone[name][1] > 0), key=lambda name: -alone[name][1])
    if not useful:
        return {}
    chosen, best = alone[useful[0]]
    for name in useful[1:]:
        used = [*chosen, name]
        some, reached = trial.space([*base_views, *used]).best(fixed, used, base)
        if reached > best and all(some.values()):
            chosen, best = some, reached
    return chosen


def _best_for_words(space: _TrialSpaces, fixed: Mapping[str, float]) -> float:
    """Return the emphasis of the words with which titles and labels find most, and none of them less."""
    base, best, chosen = space.measures(fixed), 0.0, fixed["words"]
    for weight in _TRIED_WORDS:
        gain = rises(space.measures({**fixed, "words": weight}), base, fall=_WORDS_FALL)
        if gain > best + WORTH:
            best, chosen = gain, weight
    return chosen


def _ascent(
    measured: Callable[[dict[str, float]], Measures],
    fixed: Mapping[str, float],
    names: Sequence[str],
    base: Measures,
    noise: float,
) -> tuple[dict[str, float], float]:
    """Return the emphasis of each name that raises the measures most, and by how much; 0 where none may be used."""
    current: dict[str, float] = {**fixed, **dict.fromkeys(names, 0.0)}
    best = rises(measured(current), base)
    for _ in range(_ROUNDS):
        for name in names:
            for steps in _steps(current, name, names):
                other = {**current, **steps}
                gain = rises(measured(other), base)
                if gain > best + (WORTH if current[name] > 0 else noise):
                    best, current = gain, other
    if best <= 0:
        return dict.fromkeys(names, 0.0), 0.0
    return {name: current[name] for name in names}, best


def _steps(current: Mapping[str, float], name: str, names: Sequence[str]) -> list[dict[str, float]]:
    """Return what to try for a view: each emphasis, and each that is more while another view counts a step less.

    Without the latter, the first view takes all that the labels may lose, and none is left for one that is worth more.
    """
    levels = (0.0, *_TRIED)
    found = [{name: weight} for weight in _TRIED]
    for other in names:
        if other != name and current[other] > 0:
            less = max(level for level in levels if level < current[other])
            found += [{name: weight, other: less} for weight in _TRIED if weight > current[name]]
    return found


def usable_records(n_records: int, labels: LabelMatrix | None) -> IntArray:
    """Return the records that can be asked with: those without labels could not tell whether labels are found."""
    return np.arange(n_records) if labels is None else np.flatnonzero(np.diff(labels.indicator.indptr))


def trial_sample(usable: IntArray, random_state: int) -> tuple[IntArray, IntArray] | None:
    """Draw records to ask with and records to fit; None if there are too few for more than noise."""
    order = np.random.default_rng(random_state).permutation(usable)
    n_asked = min(_MOST_ASKED, len(order) // 3)
    asked, trained = np.sort(order[:n_asked]), np.sort(order[n_asked : n_asked + _MOST_TRAINED])
    return (asked, trained) if len(asked) + len(trained) >= LEAST_TRIED else None


def text_map(words: Any, positions: Array) -> Array:
    """Return the map that places texts without vectors: the ridge regression of positions on words."""
    squares = words.multiply(words).sum() if is_sparse(words) else np.einsum("ij,ij->", words, words)
    ridge = float(squares) / max(1, words.shape[0])
    return np.asarray(least_squares(words, positions, ridge=ridge, tol=_TOLERANCE).solution)


def stretch_of(positions: Array, honest: Array) -> Array:
    """Return a factor for each axis by which texts are moved away from the origin.

    A ridge regression puts texts nearer to the origin than the records that it learned from, most of all along axes
    that words hardly predict. Half of that, on a logarithmic scale, is undone (docs/decisions/0031).

    Parameters
    ----------
    positions : (n_records, k), by words and labels
    honest : (n_records, k), of the same records by their words, as texts are placed
    """
    ours, theirs = (np.einsum("ij,ij->j", each, each, dtype=np.float64) for each in (positions, honest))
    both = (ours > 0) & (theirs > 0)
    ratios = np.divide(ours, theirs, out=np.ones_like(ours), where=both)
    return np.asarray(ratios ** (_STRETCH / 2))


class _Trial:
    """A sample of the records: some to fit, others to ask with."""

    def __init__(
        self,
        X: Any,
        labels: LabelMatrix | None,
        taxonomy: Taxonomy | None,
        views: Mapping[str, View],
        titles: Any,
        n_words: int | None,
        sample: tuple[IntArray, IntArray],
        random_state: int,
        n_dimensions: int | None = None,
    ) -> None:
        self.asked, self.trained = sample
        self.n_trained = len(self.trained)
        self.X, self.labels, self.taxonomy, self.titles, self.n_words = X, labels, taxonomy, titles, n_words
        self.views = views
        self.random_state, self.n_dimensions = random_state, n_dimensions or _DIMENSIONS
        things = {} if labels is None else {"labels": labels.indicator}
        things |= {name: _rows_of(view) for name, view in views.items() if is_sparse(_rows_of(view))}
        self.relevance = {name: Relevance(rows, self.asked, self.trained) for name, rows in things.items()}

    def smaller(self) -> _Trial:
        """Ask with the same records, and fit fewer."""
        some = np.random.default_rng(self.random_state).permutation(self.trained)[:_BESIDE_UNLABELLED]
        return self._again((self.asked, np.sort(some)), None)

    def wide(self, n_dimensions: int) -> _Trial:
        """Ask with the same records, in spaces of so many dimensions."""
        return self._again((self.asked, self.trained), n_dimensions)

    def _again(self, sample: tuple[IntArray, IntArray], n_dimensions: int | None) -> _Trial:
        given = (self.X, self.labels, self.taxonomy, self.views, self.titles, self.n_words)
        return _Trial(*given, sample, self.random_state, n_dimensions)

    def space(
        self, names: Sequence[str], unlabelled: IntArray | None = None, growth: Growth | None = None
    ) -> _TrialSpace:
        """Fit the sample with some of the views, and with its share of the records without labels."""
        if unlabelled is None or growth is None:
            return _TrialSpace(self, names)
        n_labelled = self.X.shape[0] - len(unlabelled)
        n_beside = min(self.n_trained, round(self.n_trained * len(unlabelled) / n_labelled))
        drawn = np.random.default_rng(self.random_state).permutation(unlabelled)[:n_beside]
        return _TrialSpace(self, names, np.sort(drawn), min(growth.dimensions, 1 + n_beside / self.n_trained))


class _Trials:
    """Several samples, since a measure of one of them is noisy."""

    def __init__(self, trials: Sequence[_Trial], progress: Callable[[str], None]) -> None:
        self.trials, self.n_trained, self._progress = trials, trials[0].n_trained, progress
        self._spaces: dict[frozenset[str], _TrialSpaces] = {}

    def wide(self, n_dimensions: int) -> _Trials:
        """Fit spaces of more dimensions: in these, links cost labels more than in few."""
        return _Trials([trial.wide(n_dimensions) for trial in self.trials], self._progress)

    def smaller(self) -> _Trials:
        """Fit fewer records, so that as many without labels can be fitted beside them."""
        return _Trials([trial.smaller() for trial in self.trials], self._progress)

    def space(
        self, names: Sequence[str], unlabelled: IntArray | None = None, growth: Growth | None = None
    ) -> _TrialSpaces:
        """Fit each sample with some of the views, unless it was fitted with these before."""
        known = frozenset([*names, *([] if unlabelled is None else ["records without labels"])])
        if known not in self._spaces:
            self._progress(", ".join(["words", *names, *(name for name in known if name not in names)]))
            self._spaces[known] = _TrialSpaces([trial.space(names, unlabelled, growth) for trial in self.trials])
        return self._spaces[known]


class _TrialSpaces:
    """The spaces of all samples, measured together."""

    def __init__(self, spaces: Sequence[_TrialSpace]) -> None:
        self.spaces = spaces

    @property
    def noise(self) -> float:
        """A gain that a view without any use may seem to have."""
        return noise_of(sum(len(space.trial.asked) for space in self.spaces))

    def measures(self, emphasis: Mapping[str, float]) -> Measures:
        """Return what each question of all samples finds with an emphasis: nDCG@10 of labels and links, titles."""
        found = [space.measures(emphasis) for space in self.spaces]
        return {name: np.concatenate([one[name] for one in found]) for name in found[0]}

    def best(self, fixed: Mapping[str, float], names: Sequence[str], base: Measures) -> tuple[dict[str, float], float]:
        """Return the emphasis of views in this space that raises the measures most, and by how much."""
        return _ascent(self.measures, fixed, names, base, self.noise)


class _TrialSpace:
    """A space of a sample, measured with any emphasis."""

    def __init__(
        self, trial: _Trial, names: Sequence[str], beside: IntArray | None = None, dimensions: float = 1.0
    ) -> None:
        self.trial, rows = trial, trial.trained
        n_dimensions = min(trial.n_dimensions, len(rows) // 4) + MORE_DIMENSIONS * sum(
            name != "labels" for name in names
        )
        is_wide = beside is not None or trial.n_dimensions > _DIMENSIONS
        if beside is not None:
            rows = np.concatenate([rows, beside])
        X = trial.X[rows]
        labels = None if trial.labels is None or "labels" not in names else trial.labels[rows].without_empty()
        self.views = {name: _taken(view, rows) for name, view in trial.views.items() if name in names}
        weights = {name: 1.0 if name == "labels" else _OBJECTIVE for name in names}
        informed = labels is not None or bool(self.views)
        self.model = MLSI(
            round(n_dimensions * dimensions),
            label_weight=LABEL_WEIGHT if informed else 0.0,
            taxonomy=trial.taxonomy if "taxonomy" in names and labels is not None else None,
            view_weights=weights if informed else None,
            scaling="unit",
            solver="dual" if is_wide else "auto",  # faster for so many dimensions of so few records
            random_state=trial.random_state,
        )
        with unwarned():
            honest = self.model.fit_transform(X, labels, views=self.views or None)
        self.stored = self.model.training_coordinates(X, "transductive")
        self.known = np.flatnonzero(~self.model.nothing_known_)
        self.honest = honest[self.known] if informed and trial.n_words is None else None
        self.placed = self.model.transform(trial.X[trial.asked])
        self.titles = None
        if trial.titles is not None:
            titles = trial.titles(rows[: len(trial.asked)])
            terms = self.model.components_.T
            if trial.n_words is not None:
                terms = text_map(X[:, : trial.n_words], self.stored)
            self.titles = np.asarray(titles @ terms)
        self._known: dict[tuple[tuple[str, float], ...], Measures] = {}

    def measures(self, emphasis: Mapping[str, float]) -> Measures:
        """Return the measures with an emphasis."""
        key = tuple(sorted(emphasis.items()))
        if key not in self._known:
            self._known[key] = self._measured(emphasis)
        return self._known[key]

    def _measured(self, emphasis: Mapping[str, float]) -> Measures:
        trial = self.trial
        values, axes = main_axes(self.model, {name: weight for name, weight in emphasis.items() if weight > 0})
        turn = (axes * values**POWER).astype(self.stored.dtype)
        stored = self.stored @ turn
        if self.honest is not None:
            turn = (turn * stretch_of(stored[self.known], self.honest @ turn)).astype(turn.dtype)
        stored, placed = unit(stored[: trial.n_trained]), unit(self.placed @ turn)
        order = nearest_of(placed, stored)
        found = {name: relevance.each(order) for name, relevance in trial.relevance.items()}
        if self.titles is not None:
            found["titles"] = own_ranks(unit(self.titles @ turn), stored)
        return found


@contextmanager
def any_dimensions() -> Iterator[None]:
    """Do not warn that a space has fewer dimensions than a number that no user has given."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"n_components=\d+ is more than", TacitWarning)
        yield


@contextmanager
def unwarned() -> Iterator[None]:
    """Do not warn of a sample: what it lacks, the collection may have, and the fit of all records warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TacitWarning)
        yield


def _rows_of(view: View) -> Any:
    return getattr(view.data, "indicator", view.data)


def _taken(view: View, rows: IntArray) -> View:
    known = None if view.known is None else np.asarray(view.known)[rows]
    data = _rows_of(view)[rows]
    return View(data, view.weight, known, view.names, view.even)
