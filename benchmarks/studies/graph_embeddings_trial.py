"""Data and trials for the study of graph embeddings: which methods are tried, with what values, and how one is chosen.

Choosing is coordinate by coordinate: one parameter after the other takes the value with the best validation score, with
all others as they are by then. The whole grid of [Mu2010] would be some thousand fits a method.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from tacit import CCA, HLSI, LE, LSI, MDDM, MLSI, MORP, OLPP, PLS, SLE, SLPP, SOLPP, SUSC, USC, LabelHead
from tacit.datasets import load_arxiv, load_reuters21578
from tacit.evaluate import compare_models
from tacit.text import vectoriser

__all__ = ["TEN", "Axes", "Data", "Method", "arxiv", "head", "methods", "reuters", "short", "split", "tried", "tuned"]

TEN = ("corn", "grain", "wheat", "acq", "earn", "ship", "interest", "money-fx", "crude", "trade")
KINDS = ("sorensen", "projected", "scaled and", "hamming")
_LEAST_SHARE = 0.01  # of the papers of arXiv that must have a category

Axes = tuple[dict[str, list[Any]], ...]
Found = dict[str, Any]  # one trial, ready for JSON


class Data(NamedTuple):
    """Texts with words as terms, and 0/1 labels."""

    texts: tuple[str, ...]
    Y: np.ndarray
    names: tuple[str, ...]
    longest: int  # words in an n-gram
    least: int  # texts that a term must be in


class Method(NamedTuple):
    """A model, what it starts from, what is tried, and up to how many dimensions."""

    name: str
    model: Any
    axes: Axes = ()
    dimensions: tuple[int, ...] = (20, 50, 100)
    last: tuple[int, ...] = (10, 20, 50, 100, 200)  # to try with what was chosen


def reuters(data_dir: str | None, n_records: int | None = None) -> Data:
    """Read the stories of the ten categories, as Porter stems."""
    from Stemmer import Stemmer

    stories = [story for story in load_reuters21578(data_dir) if set(story.labels) & set(TEN)][:n_records]
    stem = Stemmer("porter").stemWords
    texts = tuple(" ".join(stem(re.findall(r"\b[a-z]{2,}\b", story.text.lower()))) for story in stories)
    Y = np.array([[name in story.labels for name in TEN] for story in stories], dtype=np.float32)
    return Data(texts, Y, TEN, longest=1, least=2)


def arxiv(data_dir: str | None, n_records: int) -> Data:
    """Draw papers and keep the categories that enough of them have, and the papers that have one of these."""
    every = load_arxiv(data_dir)
    drawn = [every[row] for row in np.random.default_rng(0).choice(len(every), n_records, replace=False)]
    counts: dict[str, int] = {}
    for paper in drawn:
        for name in set(paper.labels):
            counts[name] = counts.get(name, 0) + 1
    names = tuple(sorted(name for name, count in counts.items() if count >= _LEAST_SHARE * n_records))
    kept = [paper for paper in drawn if set(paper.labels) & set(names)]
    Y = np.array([[name in paper.labels for name in names] for paper in kept], dtype=np.float32)
    return Data(tuple(paper.text for paper in kept), Y, names, longest=3, least=1)


def split(data: Data, seed: int) -> list[tuple[Any, np.ndarray]]:
    """Draw thirds for training, validation and test; terms and their weights come from the first alone."""
    rows = np.array_split(np.random.default_rng(seed).permutation(len(data.texts)), 3)
    terms = vectoriser(min_df=data.least, ngram_range=(1, data.longest))
    terms.fit([data.texts[row] for row in rows[0]])
    return [(terms.transform([data.texts[row] for row in part]).astype(np.float32), data.Y[part]) for part in rows]


def head(method: str = "svm") -> LabelHead:
    """Give the classifier of all: support vector machines cut at zero, or least squares with tuned thresholds."""
    if method == "svm":
        return LabelHead("svm", thresholds="zero", calibrate=False, random_state=0)
    return LabelHead("ridge", calibrate=False, random_state=0)


def methods(*, n_directions: tuple[int | None, ...] = (400, 800)) -> tuple[Method, ...]:
    """Give all methods, those of the paper first; `n_directions` are the numbers to try for projections.

    Orthogonal projections keep at most half of the directions they search in. With all of them nothing is left to
    choose: the space is LSI's, turned, whatever the graph says.
    """
    feature_graph: Axes = ({"n_neighbours": [5, 10, 20]}, {"graph_params": [None, {"weights": "constant"}]})
    nearest: Axes = ({"label_graph_params": [None, {"n_neighbours": 10}]},)
    theta: Axes = ({"label_weight": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]},)
    labels: Axes = ({"label_graph": list(KINDS), "scaling": ["unit", "weighted"]}, *theta)
    kinds: Axes = ({"label_graph": list(KINDS)},)
    ridge: Axes = ({"ridge": [0.1, 0.3, 1.0, 3.0]},)
    scaling: Axes = ({"scaling": ["unit", "weighted"]},)
    searched: Axes = ({"n_directions": list(n_directions)},)
    graph, wide, half = {"ridge": 1.0, "tol": 1e-2}, (20, 50, 100, 200, 400), (20, 50, 100, 200)
    projected = {**graph, "n_directions": n_directions[0]}
    weight: Axes = ({"label_weight": [0.3, 0.5, 0.7, 0.9]},)
    return (
        Method("Raw", "raw"),
        Method("LSI", LSI(), scaling, wide),
        Method("LE", LE(**graph), (*scaling, *ridge, *feature_graph)),
        Method("USC", USC(**graph), (*scaling, *ridge, *feature_graph)),
        Method("OLPP", OLPP(**projected), (*scaling, *feature_graph[:1], *searched), half),
        Method("CCA", CCA(), ({"constraint": ["embeddings", "projections"]}, *ridge, {"label_ridge": [0.0, 1.0]})),
        Method("MORP", MORP(), ({"constraint": ["embeddings", "projections"]}, *weight, *ridge)),
        Method("MDDM", MDDM(), ({"constraint": ["projections", "embeddings"]}, {"mu": [0.2, 0.5, 0.8]})),
        Method("SLE", SLE(**graph), (*labels, *ridge, *feature_graph)),
        Method(
            "SUSC",
            SUSC(**graph),
            (*labels, *nearest, *ridge, *feature_graph),
        ),
        Method("SOLPP", SOLPP(**projected), (*scaling, *kinds, *theta, *feature_graph[:1], *searched), half),
        Method("SLPP", SLPP(**projected), (*scaling, *kinds, *theta, *ridge)),
        Method("MLSI", MLSI(), (*scaling, *weight, *ridge)),
        Method("HLSI", HLSI(), ({"gamma": [0.1, 0.3, 1.0, 3.0]},)),
        Method("PLS", PLS(), ({"constraint": ["embeddings", "projections"]},)),
    )


def short(methods: Sequence[Method]) -> tuple[Method, ...]:
    """Give the same with two values a parameter and few dimensions, to see that everything runs."""
    return tuple(
        each._replace(
            axes=tuple({name: values[:2] for name, values in axis.items()} for axis in each.axes[:2]),
            dimensions=(5,),
            last=(5, 10),
        )
        for each in methods
    )


def tuned(method: Method, parts: Sequence[Any], classifier: LabelHead, head_grid: Mapping[str, Any]) -> list[Found]:
    """Choose the values of a method coordinate by coordinate, those of the head last; give all trials, the best first.

    All but the last are tried with the head as it is and few dimensions, which saves most of the time.
    """
    model, every = method.model, []
    best: Found | None = None
    for axis in (*method.axes, {}):
        wanted = axis
        if len(axis) == 1:
            wanted = {name: _untried(name, values, model, best) for name, values in axis.items()}
        if not all(wanted.values()):
            continue
        last = not axis
        dimensions = tuple(sorted({*method.dimensions, *method.last})) if last else method.dimensions
        grid = head_grid if last else None
        found = tried({method.name: model}, parts, classifier, grid, {method.name: wanted}, dimensions)
        fixed = {} if isinstance(model, str) else _settings(model, method.axes)
        for trial in found:
            trial["parameters"] = {**fixed, **trial["parameters"]}
            trial["axis"] = next(iter(axis), "")
        every += found
        winner = max(found, key=lambda trial: trial["validation"]["macro F1"])
        # of the last, which has the values of the head, one is chosen even if it is no better
        if best is None or last or winner["validation"]["macro F1"] > best["validation"]["macro F1"]:
            best = winner
            model = model if isinstance(model, str) else clone(model).set_params(**winner["parameters"])
    assert best is not None
    return [best, *(trial for trial in every if trial is not best)]


def tried(
    models: Mapping[str, Any],
    parts: Sequence[Any],
    classifier: LabelHead,
    head_grid: Mapping[str, Any] | None,
    grids: Mapping[str, Any],
    dimensions: Sequence[int],
) -> list[Found]:
    """Compare models; give every trial, ready for JSON."""
    found = compare_models(
        models, *parts, dimensions=dimensions, grids=grids, head=classifier, head_grid=head_grid,
        measures=("macro F1", "micro F1"),
    )  # fmt: skip
    for row in found.rows:
        print(f"{row.name} {row.settings} {row.dimensions}: {row.validation['macro F1']:.3f} {row.seconds:.1f} s",
              file=sys.stderr, flush=True)  # fmt: skip
    return [
        {
            "name": trial.name,
            "parameters": trial.parameters,
            "head": trial.head_parameters,
            "dimensions": trial.dimensions,
            "asked": list(trial.asked),
            "validation": trial.validation,
            "test": trial.test,
            "labels": [float(value) for value in trial.label_f1],
            "seconds": trial.seconds,
        }
        for trial in found.trials
    ]


def _untried(name: str, values: list[Any], model: Any, best: Found | None) -> list[Any]:
    """Leave out the value that the model has, which was tried before; the curve over label weights needs them all."""
    if best is None or name == "label_weight":
        return values
    return [value for value in values if model.get_params()[name] != value]


def _settings(model: Any, axes: Axes) -> dict[str, Any]:
    """Give the values of everything that is tried, as the model has them."""
    return {name: model.get_params()[name] for axis in axes for name in axis}
