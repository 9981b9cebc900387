"""The experiments of [Yu2005]: multi-label informed latent semantic indexing on Reuters-21578 and RCV1.

Setting I classifies known categories: a fifth of the records trains space and classifiers. Setting II classifies new
ones: spaces as in I, classifiers of categories that the space has not seen, on records that it has not seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.datasets import load_rcv1, load_reuters21578
from tacit.evaluate import auc, f1
from tacit.evaluate.protocols import CategoryFold, known_categories, new_categories, paired_difference
from tacit.models.lsi.lsi import LSI
from tacit.models.mlsi.mlsi import MLSI
from tacit.reproduce.experiment import (
    OURS,
    Claim,
    Experiment,
    Facts,
    Picture,
    Results,
    Size,
    Verdict,
    averaged,
    both,
    judged,
)
from tacit.reproduce.mlsi.machines import decisions
from tacit.text import vectoriser
from tacit.types import Array

__all__ = ["EXPERIMENTS"]

_Protocol = Callable[..., Iterator[CategoryFold]]
_PROTOCOLS: dict[str, _Protocol] = {"I": known_categories, "II": new_categories}
_MEASURES = ("macro F1", "micro F1", "AUC")
_DIMENSIONS = (10, 20, 30, 50, 70, 100, 150)
_REPEATS: dict[Size, int] = {"quick": 1, "usual": 10, "full": 50}
_WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.0)
_SHRINKAGES = (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)
_WORDS, _PLAIN, _LITERAL, _OURS = "original features", "LSI", "MLSI", "MLSI, our defaults"
# Two repeats share a fifth of the training records of a fold, as with a quarter as many test as training records. That
# all folds together test on all records counts less: most of the deviation comes from the labels, drawn anew each time.
_RATIO = 0.25
_PAPERS: dict[str, Any] = {
    "label_weight": 0.5,
    "shrinkage": 0.0,
    "ridge": 0.0,
    "scaling": "unit",
    "coordinates": "in-sample",
}


class Collection(NamedTuple):
    """Weighted words and topics of all records of an experiment."""

    X: sp.csr_array
    Y: np.ndarray


@cache
def reuters(data_dir: Path | None) -> Collection:
    """Return the stories with two or more topics, topics of 50 stories or more, words of five stories or more."""
    stories = load_reuters21578(data_dir)
    several = [record for record in stories if len(record.labels) >= 2]
    counts = Counter(topic for record in stories for topic in record.labels)
    topics = sorted(topic for topic, count in counts.items() if count >= 50)
    Y = np.array([[topic in record.labels for topic in topics] for record in several])
    rows = np.flatnonzero(Y.any(axis=1))
    words = vectoriser(min_df=5)
    return Collection(sp.csr_array(words.fit_transform([several[row].text for row in rows])), Y[rows])


@cache
def rcv1(data_dir: Path | None) -> Collection:
    """Return 3,588 stories with several topics, topics of more than 50 of these, words of five or more."""
    found = load_rcv1(data_dir, drop_copies=True)
    Y: np.ndarray = sp.csr_array(found.Y).toarray() > 0
    several = np.flatnonzero(Y.sum(axis=1) >= 2)
    rows = np.sort(np.random.default_rng(0).permutation(several)[:3_588])
    X, Y = sp.csr_array(found.X)[rows], Y[rows]
    common = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= 5)
    return Collection(sp.csr_array(X[:, common]), Y[:, Y.sum(axis=0) > 50])


_COLLECTIONS = {"Reuters": reuters, "RCV1": rcv1}


def _inside(n_records: int, n_labels: int, *, random_state: int, n_parts: int) -> Iterator[CategoryFold]:
    """Yield the folds of setting II with classifiers that learn from some fifths of the next fold, tested on the rest.

    Each fold of the records uses another fifth: five of the paper's twenty-five divisions per repeat.
    """
    for number, fold in enumerate(new_categories(n_records, n_labels, random_state=random_state)):
        fifths = np.array_split(np.random.default_rng(random_state).permutation(fold.train), 5)
        fifths = [*fifths[number:], *fifths[:number]]
        train, test = (np.sort(np.concatenate(part)) for part in (fifths[:n_parts], fifths[n_parts:]))
        yield replace(fold, train=train, test=test)


_READINGS: dict[str, _Protocol] = {
    "II, one fifth trains": partial(_inside, n_parts=1),
    "II, four fifths train": partial(_inside, n_parts=4),
}


def _cases(collection: str, kind: str, protocols: Iterable[str] = tuple(_PROTOCOLS), most: int = 50) -> Any:
    """Return the function that lists the cases of an experiment: a repeat in one setting each."""

    def cases(size: Size) -> list[Facts]:
        return [
            {"kind": kind, "collection": collection, "setting": setting, "repeat": repeat, "quick": size == "quick"}
            for repeat in range(min(_REPEATS[size], most))
            for setting in protocols
        ]

    return cases


_Trials = Callable[[Collection, CategoryFold, bool], Iterator[tuple[Facts, Any]]]


def _measure(trials: _Trials, case: Facts, data_dir: Path | None) -> list[Facts]:
    """Measure all features of one repeat in one setting, fold by fold, and return the means over the folds."""
    data = _COLLECTIONS[case["collection"]](data_dir)
    folds = {**_PROTOCOLS, **_READINGS}[case["setting"]](*data.Y.shape, random_state=case["repeat"])
    rows = []
    for fold in islice(folds, 1 if case["quick"] else None):
        for factors, Z in trials(data, fold, case["quick"]):
            scores = _classified(Z, data.Y, fold)
            rows.append({"setting": case["setting"], "repeat": case["repeat"], **factors, **scores})
    return averaged(rows, _MEASURES)


def _features(data: Collection, fold: CategoryFold, quick: bool) -> Iterator[tuple[Facts, Any]]:
    """Yield original features, and the leading dimensions of each space."""
    yield {"features": _WORDS, "dimensions": None}, data.X
    widths = _DIMENSIONS[:4:3] if quick else _DIMENSIONS
    k = widths[-1]
    spaces = {
        _PLAIN: LSI(k, scaling="unit", random_state=0),
        _LITERAL: MLSI(k, random_state=0, **_PAPERS),
        _OURS: MLSI(k, random_state=0),
    }
    for name, model in spaces.items():
        Z = _placed(model, data, fold)
        for width in widths:
            yield {"features": name, "dimensions": width}, Z[:, :width]


def _parameters(data: Collection, fold: CategoryFold, quick: bool) -> Iterator[tuple[Facts, Any]]:
    """Yield the positions in 50 dimensions with other label weights, then with other shrinkages."""
    for name, values in (("label_weight", _WEIGHTS), ("shrinkage", _SHRINKAGES)):
        for value in values[:: len(values) - 1] if quick else values:
            model = MLSI(50, random_state=0, **{**_PAPERS, name: value})
            yield {"parameter": name, "value": value}, _placed(model, data, fold)


def _placed(model: Any, data: Collection, fold: CategoryFold) -> Array:
    """Fit a space and return the positions of all records by their words, times √N as an SVM with C = 100 needs it."""
    rows = fold.space_records
    X = data.X[rows]
    if isinstance(model, LSI):
        model.fit(X)
    else:
        model.fit(X, data.Y[np.ix_(rows, fold.space_labels)].astype(np.float64))
    return np.asarray(model.transform(data.X)) * np.sqrt(len(rows))


def _classified(Z: Any, Y: np.ndarray, fold: CategoryFold) -> Facts:
    """Train the paper's classifiers, linear machines with C = 100, and measure them."""
    known, truth = Y[np.ix_(fold.train, fold.labels)], Y[np.ix_(fold.test, fold.labels)]
    scores, trained = decisions(Z[fold.train], known, Z[fold.test], C=100), known.sum(axis=0)
    decided = f1(truth, scores > 0, trained=trained)
    ranked = auc(truth, scores, trained=trained)
    return {"macro F1": decided.macro, "micro F1": decided.micro, "AUC": ranked.macro}


def _better(
    setting: str, first: str, second: str, measures: tuple[str, ...], *, dimensions: tuple[int, ...] = _DIMENSIONS
) -> Any:
    """Return what decides whether features are better than others in all dimensions and by all measures."""

    def decide(results: Results) -> Verdict:
        ours = results.where(setting=setting, features=first)
        level = results.where(setting=setting, features=second)
        compared = [
            (measure, width, one.difference(other, measure, test_ratio=_RATIO))
            for measure in measures
            for width in dimensions
            for one in [ours if first == _WORDS else ours.where(dimensions=width)]
            for other in [level if second == _WORDS else level.where(dimensions=width)]
        ]
        return judged(
            [(f"{measure} in {width} dimensions", found) for measure, width, found in compared], first, second
        )

    return decide


def _best_inside(parameter: str, setting: str, *, near: float) -> Any:
    """Return what decides whether the AUC rises to a value of the weight and falls after it, `near` being as good."""

    def decide(results: Results) -> Verdict:
        rows = results.where(parameter=parameter, setting=setting)
        by_value = {value: rows.where(value=value) for value in rows.values("value")}
        means = {value: found.mean("AUC") or 0.0 for value, found in by_value.items()}
        best, ends = max(means, key=lambda value: means[value]), (min(by_value), max(by_value))
        loss = means[best] - means.get(near, 0.0)
        sentence = f"{near:g} has {loss:.4f} less than the best, {best:g}."
        if best in ends:
            return Verdict("not held", f"The best value is at an end. {sentence}")
        compared = [
            (f"minus {end:g}", by_value[best].difference(by_value[end], "AUC", test_ratio=_RATIO)) for end in ends
        ]
        verdict = both(compared, f"AUC of {best:g}")
        outcome = "mixed" if verdict.outcome == "held" and loss > 0.01 else verdict.outcome
        return Verdict(outcome, f"{verdict.evidence} {sentence} A hundredth counts as a good trade-off.")

    return decide


def _falls_to_the_end(setting: str) -> Any:
    """Return what decides whether the largest weight is worse than plain LSI."""

    def decide(results: Results) -> Verdict:
        rows = results.where(parameter="label_weight", setting=setting)
        plain, end = rows.where(value=min(_WEIGHTS)), rows.where(value=max(_WEIGHTS))
        found = plain.difference(end, "AUC", test_ratio=_RATIO)
        return judged([("AUC", found)], "label weight 0", f"{max(_WEIGHTS):g}")

    return decide


def _smallest_is_best(setting: str, *, smallest: bool) -> Any:
    """Return what decides whether no shrinkage is better than every other, or worse than some."""

    def decide(results: Results) -> Verdict:
        rows = results.where(parameter="shrinkage", setting=setting)
        none = rows.where(value=_SHRINKAGES[0])
        others = [(value, rows.where(value=value)) for value in rows.values("value") if value]
        if smallest:
            found = [(f"{value:g}", none.difference(other, "AUC", test_ratio=_RATIO)) for value, other in others]
            return judged(found, "shrinkage 0", "the others")
        best = max(others, key=lambda pair: pair[1].mean("AUC") or 0.0)
        found = [(f"{best[0]:g}", best[1].difference(none, "AUC", test_ratio=_RATIO))]
        return judged(found, f"shrinkage {best[0]:g}", "0")

    return decide


def _small_categories(results: Results) -> Verdict:
    """Decide whether MLSI gains more over all words by macro F1 than by micro F1, in the mean over dimensions."""
    compared = []
    for setting in _PROTOCOLS:
        gains = {}
        for measure in ("macro F1", "micro F1"):
            words = results.where(setting=setting, features=_WORDS).by_repeat(measure)
            ours = results.where(setting=setting, features=_LITERAL).by_repeat(measure)
            gains[measure] = [ours[repeat] - words[repeat] for repeat in ours]
        found = paired_difference(gains["macro F1"], gains["micro F1"], test_ratio=_RATIO)
        compared.append((f"setting {setting}", found))
    return judged(compared, "The gain over all words by macro F1", "that by micro F1")


def _smooth(setting: str) -> Any:
    """Return what decides whether a step of .1 of the label weight changes the AUC by less than .02."""

    def decide(results: Results) -> Verdict:
        rows = results.where(parameter="label_weight", setting=setting)
        means = [rows.where(value=value).mean("AUC") or 0.0 for value in _WEIGHTS[:-1]]
        steps = [abs(b - a) for a, b in pairwise(means)]
        outcome = "held" if max(steps) < 0.02 else "mixed" if sorted(steps)[-2] < 0.02 else "not held"
        where = _WEIGHTS[steps.index(max(steps))]
        return Verdict(outcome, f"The largest step of the AUC is {max(steps):.3f}, from β = {where:g}. No test.")  # type: ignore[arg-type]

    return decide


def _slightly(setting: str, first: float) -> Any:
    """Return what decides whether a label weight is better than .5."""

    def decide(results: Results) -> Verdict:
        rows = results.where(parameter="label_weight", setting=setting)
        found = rows.where(value=first).difference(rows.where(value=0.5), "AUC", test_ratio=_RATIO)
        return judged([("AUC", found)], f"β = {first:g}", "β = .5")

    return decide


def _falls_more_in_the_second(results: Results) -> Verdict:
    """Decide whether the loss from the best weight to the largest is larger in setting II."""
    losses = {}
    for setting in _PROTOCOLS:
        rows = results.where(parameter="label_weight", setting=setting)
        best, end = rows.where(value=0.5).by_repeat("AUC"), rows.where(value=max(_WEIGHTS)).by_repeat("AUC")
        losses[setting] = [best[repeat] - end[repeat] for repeat in best]
    found = paired_difference(losses["II"], losses["I"], test_ratio=_RATIO)
    return judged([(f"AUC, β = .5 against {max(_WEIGHTS):g}", found)], "The loss in setting II", "that in setting I")


_SETTINGS = (
    "The paper's literal settings are ridge 0, label weight .5 with kernels of equal trace, shrinkage 0, positions of "
    "length one per axis, linear support vector machines with C = 100; 'our defaults' are those of MLSI(). Positions "
    "are multiplied by √N, without which an axis of length one is too short for C = 100; the paper does not give its "
    "scale. Setting II trains on the next fold, which has as many records as the space had, and tests on the three "
    "others: the paper's sentence allows other readings. Labels without training records are left out of the averages. "
    "The t-test has repeats as units and is corrected for the fifth of the training records that two of them share "
    "[Nadeau2003]."
)
_INSIDE = (
    "The paper's sentence on setting II, '5-fold cross-validation on previous unseen data (with the same size as "
    "training data)', allows other readings: here the five folds are parts of the unseen data, which is one fold of "
    "the records, and one or four of these parts train the classifiers of the new categories. All else as in figure 1. "
    "The claims are ours."
)
_COST = "10 repeats, with --full 50"
_FIGURE = Picture("dimensions", "features", "setting", _MEASURES)
_COLUMNS = ("setting", "features", "dimensions")


def _figure(name: str, collection: str, title: str, claims: tuple[Claim, ...]) -> Experiment:
    folder = {"Reuters": "reuters21578", "RCV1": "rcv1"}[collection]
    return Experiment(
        name, "Yu2005", title, (folder,), _cases(collection, "dimensions"), partial(_measure, _features), _COLUMNS,
        _MEASURES, "features", _SETTINGS, _COST, _FIGURE, claims=claims,
    )  # fmt: skip


_ALL_CASES = "MLSI outperforms LSI in all the cases in setting (I)."
_WORDS_TOO = (
    "MLSI in most cases can even lead to better classification performance than ORIGINAL FEATURES [...]. This is "
    "especially true for F1 Macro and AUC score, where a large gap can be observed for all the figures."
)
_MICRO = (
    "For F1 Micro the effect of MLSI is mixed, and an interesting decrease can be observed in Figure 1(e) and 2(e)."
)


def _claims(prefix: str, first: int) -> tuple[Claim, ...]:
    """Return the claims about one of the two figures of curves."""
    gap = ("macro F1", "AUC")
    return (
        Claim(f"{prefix}-{first}", "4.3", _ALL_CASES, _better("I", _LITERAL, _PLAIN, _MEASURES)),
        Claim(f"{prefix}-{first + 1}", "4.3", f"{_WORDS_TOO} (setting I)", _better("I", _LITERAL, _WORDS, gap)),
        Claim(f"{prefix}-{first + 2}", "4.3", f"{_WORDS_TOO} (setting II)", _better("II", _LITERAL, _WORDS, gap)),
        Claim(
            f"{prefix}-{first + 3}", "4.3", f"{_MICRO} (words better than MLSI in setting II)",
            _better("II", _WORDS, _LITERAL, ("micro F1",)),
        ),
        Claim(
            f"{prefix}-{first + 4}", "4.3", "MLSI mainly improves the classification accuracy for categories with "
            "fewer positive training examples", _small_categories,
        ),
    )  # fmt: skip


EXPERIMENTS = (
    _figure("mlsi-fig1", "Reuters", "Classification against dimensions, Reuters-21578", _claims("mlsi-fig1", 1)),
    _figure("mlsi-fig2", "RCV1", "Classification against dimensions, RCV1", _claims("mlsi-fig2", 1)),
    Experiment(
        "mlsi-readings", "Yu2005", "Other readings of setting II, Reuters-21578", ("reuters21578",),
        _cases("Reuters", "dimensions", tuple(_READINGS), most=10), partial(_measure, _features), _COLUMNS, _MEASURES,
        "features", _INSIDE, "10 repeats", _FIGURE,
        claims=tuple(
            Claim(f"mlsi-readings-{number}", OURS, f"{text} ({setting})",
                  _better(setting, _LITERAL, _WORDS, measures, dimensions=(50, 70, 100, 150)))
            for number, (text, measures, setting) in enumerate((
                (text, measures, setting) for setting in _READINGS for text, measures in (
                    ("50 dimensions and more of MLSI have a better F1 than all words.", ("macro F1", "micro F1")),
                    ("They have a better AUC.", ("AUC",)),
                )
            ), start=1)
        ),
    ),
    Experiment(
        "mlsi-fig3", "Yu2005", "AUC against label weight (β) and shrinkage (γ), Reuters-21578, 50 dimensions",
        ("reuters21578",), _cases("Reuters", "parameters"), partial(_measure, _parameters),
        ("parameter", "setting", "value"), _MEASURES, "setting", _SETTINGS, _COST,
        Picture("value", "setting", "parameter", ("AUC",)),
        claims=(
            Claim(
                "mlsi-fig3-1", "4.3", "When β increases from 0 to 1, [...] all the curves first increase and then "
                "decrease [...]. β = 0.5 is seen to be a good trade-off for both settings. (setting I)",
                _best_inside("label_weight", "I", near=0.5),
            ),
            Claim(
                "mlsi-fig3-2", "4.3", "The same (setting II).", _best_inside("label_weight", "II", near=0.5),
            ),
            Claim(
                "mlsi-fig3-3", "4.3", "Overfitting occurs in this case [β near 1], where a sharp decrease can be "
                "observed with even a much worse performance than LSI (β = 0). (setting II)",
                _falls_to_the_end("II"),
            ),
            Claim(
                "mlsi-fig3-6", "4.3", "the curves are rather smooth (except when β approaching 1 in setting (II)). "
                "This indicates that the performance is not very sensitive to small changes of β value. (setting I)",
                _smooth("I"), repeated=False,
            ),
            Claim("mlsi-fig3-7", "4.3", "The same (setting II).", _smooth("II"), repeated=False),
            Claim(
                "mlsi-fig3-8", "4.3", "when β approaches 1 [...]. This also leads to poor performance, especially for "
                "setting (II) because the mappings are not good to generalize to new outputs.",
                _falls_more_in_the_second,
            ),
            Claim("mlsi-fig3-9", "4.3", "a slightly larger β (e.g., 0.6) is better for setting (I)",
                  _slightly("I", 0.6)),
            Claim("mlsi-fig3-10", "4.3", "and a slightly smaller β (e.g., 0.4) is more stable for setting (II).",
                  _slightly("II", 0.4)),
            Claim(
                "mlsi-fig3-4", "4.3", "For γ [...] small γ leads to better performance for setting (I)",
                _smallest_is_best("I", smallest=True),
            ),
            Claim(
                "mlsi-fig3-5", "4.3", "an appropriately chosen γ is necessary for setting (II).",
                _smallest_is_best("II", smallest=False),
            ),
        ),
    ),
)  # fmt: skip
