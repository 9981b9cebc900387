"""The eleven feature sets of table 4 of [Mu2010], and how their settings are chosen.

One parameter after the other takes the value with the best validation score, with all others as they are by then. The
whole grid of the paper would be some thousand fits a method.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from tacit.evaluate import compare_models
from tacit.evaluate.compare.trials import Trial
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.graphs.methods import LE, OLPP, SLE, SOLPP, SUSC, USC
from tacit.models.lsi.lsi import LSI
from tacit.models.projections.cca import CCA
from tacit.models.projections.mddm import MDDM
from tacit.models.projections.morp import MORP
from tacit.relations.graphs.neighbours import NeighbourGraph, neighbour_graph
from tacit.reproduce.graphs.collections import Part

__all__ = ["LABELS_IN_GRAPH", "METHODS", "WEIGHTS", "Chosen", "Method", "choose", "first_values", "head"]

WEIGHTS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_KINDS = ("scaled and", "projected", "sorensen", "hamming")
_NARROW = 50  # dimensions while other settings are chosen


class Method(NamedTuple):
    """A model, and what is tried, parameter by parameter."""

    name: str
    model: Any
    axes: tuple[dict[str, tuple[Any, ...]], ...] = ()


class Chosen(NamedTuple):
    """What was chosen, and everything that was tried.

    Attributes
    ----------
    best : Trial
    settings : dict
        Values of the parameters that were tried.
    trials : list of (str, dict, Trial)
        The parameter that was varied, "" for the last trials, which vary the dimensions; all settings; and the scores.
    """

    best: Trial
    settings: dict[str, Any]
    trials: list[tuple[str, dict[str, Any], Trial]]


def gaussian_neighbours(X: Any) -> NeighbourGraph:
    """Return the graph of ten nearest neighbours with Gaussian weights; the same graph for the same X."""
    return _neighbours(X, "gaussian")


def constant_neighbours(X: Any) -> NeighbourGraph:
    """Return the graph of ten nearest neighbours with weights of one."""
    return _neighbours(X, "constant")


def _neighbours(X: Any, weights: str) -> NeighbourGraph:
    return _graph(_Content(X), weights)


class _Content:
    """Features that are equal if their numbers are."""

    def __init__(self, X: Any) -> None:
        numbers = np.ascontiguousarray(getattr(X, "data", X) if hasattr(X, "indices") else X)
        self.X, self.digest = X, hashlib.sha1(numbers.tobytes(), usedforsecurity=False).hexdigest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content) and self.digest == other.digest


@lru_cache(maxsize=4)
def _graph(content: _Content, weights: str) -> NeighbourGraph:
    return neighbour_graph(content.X, 10, weights=weights)


def _methods() -> tuple[Method, ...]:
    graphs = {"graph": (gaussian_neighbours, constant_neighbours)}
    ridge, constraint = {"ridge": (1.0, 0.1)}, {"constraint": ("embeddings", "projections")}
    kinds, theta = {"label_graph": _KINDS}, {"label_weight": WEIGHTS}
    fast: dict[str, Any] = {"graph": gaussian_neighbours, "tol": 1e-2}
    # half of the directions at most: with all of them orthogonal projections only turn LSI, whatever the graph says
    few = {**fast, "n_directions": 400}
    near = {"label_graph_params": ({"n_neighbours": 10}, None)}
    return (
        Method("Raw", "raw"),  # the terms themselves
        Method("Relations", "raw"),  # what all others are made from
        Method("LSI", LSI()),
        Method("LE", LE(**fast), (graphs, ridge)),
        Method("USC", USC(**fast), (graphs, ridge)),
        Method("OLPP", OLPP(**few), (graphs,)),
        Method("CCA", CCA(), (constraint,)),
        Method("MORP", MORP(), (constraint,)),
        Method("MDDM", MDDM(), (constraint,)),
        Method("SLE", SLE(**fast), (kinds, theta, graphs)),
        Method("SUSC", SUSC(**fast), (near, kinds, theta, graphs)),
        Method("SOLPP", SOLPP(**few), (kinds, theta, graphs)),
    )


METHODS = _methods()
LABELS_IN_GRAPH = {"LE": "SLE", "USC": "SUSC", "OLPP": "SOLPP"}


def head(*, many_labels: bool) -> LabelHead:
    """Return the paper's support vector machines, or least squares with tuned thresholds for many rare labels."""
    if many_labels:
        return LabelHead("ridge", calibrate=False, cv=3, random_state=0)
    return LabelHead("svm", thresholds="zero", calibrate=False, random_state=0)


def first_values(method: Method) -> dict[str, Any]:
    """Return the values that a method starts with."""
    if isinstance(method.model, str):
        return {}
    given = method.model.get_params()
    return {name: given[name] for axis in method.axes for name in axis}


def choose(method: Method, parts: tuple[Part, Part, Part], classifier: LabelHead, dimensions: Sequence[int]) -> Chosen:
    """Choose the settings of a method; the number of dimensions last, with all others as chosen."""
    settings, tried = first_values(method), list[tuple[str, dict[str, Any], Trial]]()
    for axis in method.axes:
        ((name, values),) = axis.items()
        found = [
            (name, {**settings, name: value}, trial)
            for value in values
            for trial in _fitted(method, {**settings, name: value}, parts, classifier, (_NARROW,))
        ]
        tried += found
        if found:
            settings = max(found, key=_validated)[1]
    last = [("", settings, trial) for trial in _fitted(method, settings, parts, classifier, dimensions)]
    return Chosen(max(last, key=_validated)[2], settings, [*tried, *last])


def _validated(one: tuple[str, Mapping[str, Any], Trial]) -> float:
    return one[2].validation["macro F1"]


def _fitted(
    method: Method, settings: dict[str, Any], parts: Sequence[Part], classifier: LabelHead, dimensions: Sequence[int]
) -> Iterator[Trial]:
    """Fit a method with some settings, and yield the scores of each number of dimensions."""
    model = method.model if isinstance(method.model, str) else clone(method.model).set_params(**settings)
    train, validation, test = parts
    found = compare_models(
        {method.name: model}, train, validation, test, dimensions=dimensions, head=classifier,
        measures=("macro F1", "micro F1"),
    )  # fmt: skip
    yield from found.trials
