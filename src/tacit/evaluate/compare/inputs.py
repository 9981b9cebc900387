"""Reads what a comparison is given: three splits with the same columns and labels, models with their grids, a head."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from tacit.checks import check_choice, check_count, check_rows
from tacit.errors import InputError
from tacit.evaluate.measures.inputs import is_bare
from tacit.models.classifiers.base import LabelClassifier
from tacit.models.classifiers.label_head import LabelHead
from tacit.relations.labels.matrix import LabelMatrix, as_labels

__all__ = [
    "Candidate",
    "Job",
    "Split",
    "Splits",
    "as_names",
    "read_candidates",
    "read_dimensions",
    "read_head",
    "read_splits",
]

Parameters = dict[str, Any]


class Split(NamedTuple):
    """Records of one split: features, labels as given and as read, and labels no training record carries."""

    X: Any
    y: Any
    labels: LabelMatrix
    n_strange: int = 0


class Splits(NamedTuple):
    """The three splits, with the labels of all of them in the columns of the training labels."""

    train: Split
    validation: Split
    test: Split


class Job(NamedTuple):
    """One fit: `values` are set in the estimator, and each of the dimensions asked for is tried on what comes out."""

    name: str
    estimator: Any  # None for the features as they are
    parameters: Parameters  # from the grid
    values: Parameters  # the same and the number of dimensions
    asked: tuple[int, ...]


class Candidate(NamedTuple):
    """A model with the settings of its grid."""

    name: str
    estimator: Any
    settings: list[Parameters]
    counted_by: str | None  # the parameter that says how many dimensions there are
    nested: bool
    dimensions: tuple[int, ...]

    def jobs(self) -> Iterator[Job]:
        """List the fits it takes."""
        for parameters in self.settings:
            if self.counted_by is None:
                yield Job(self.name, self.estimator, parameters, parameters, ())
                continue
            for asked in [self.dimensions] if self.nested else [(k,) for k in self.dimensions]:
                yield Job(self.name, self.estimator, parameters, {**parameters, self.counted_by: asked[-1]}, asked)


def read_splits(train: Any, validation: Any, test: Any) -> Splits:
    """Read three pairs (X, y)."""
    learnt = _read_split("train", train)
    others = []
    for name, given in (("validation", validation), ("test", test)):
        split = _read_split(name, given)
        if split.X.shape[1] != learnt.X.shape[1]:
            raise InputError(
                f"{name} does not match train: got {split.X.shape[1]} columns in X for {learnt.X.shape[1]}, expected "
                "the same features in the same order. Use one vectoriser, fitted on the training records, for all."
            )
        others.append(_aligned(split, learnt.labels, name))
    return Splits(learnt, *others)


def read_dimensions(dimensions: Any) -> tuple[int, ...]:
    """Give the numbers of dimensions in ascending order, each once."""
    listed = list(dimensions) if isinstance(dimensions, Iterable) else [dimensions]
    if not listed:
        raise InputError("dimensions is empty: got no number, expected whole numbers of at least 1, such as (10, 50).")
    return tuple(sorted({check_count("dimensions", k) for k in listed}))


def read_candidates(models: Any, grids: Any, dimensions: tuple[int, ...], *, nested: bool) -> list[Candidate]:
    """Read models and their grids."""
    if not isinstance(models, Mapping) or not models:
        got = "no model" if isinstance(models, Mapping) else repr(type(models).__name__)
        raise InputError(
            f"models is {'empty' if isinstance(models, Mapping) else 'no mapping'}: got {got}, expected a dict from "
            "names to estimators. Give at least one, for instance {'LSI': LSI()}."
        )
    grids = {} if grids is None else grids
    if not isinstance(grids, Mapping):
        raise InputError(
            f"grids is no mapping: got {type(grids).__name__}, expected a dict from names of models to their grids."
        )
    for name in grids:
        check_choice("grids", name, list(models))
    return [_candidate(name, models[name], grids.get(name), dimensions, nested=nested) for name in models]


def read_head(head: Any, grid: Any) -> tuple[LabelClassifier, list[Parameters]]:
    """Read the head and its grid."""
    if head is None:
        head = LabelHead(calibrate=False)  # no measure asks for probabilities
    if not isinstance(head, LabelClassifier):
        raise InputError(
            f"head is no label classifier: got {type(head).__name__}, expected a LabelHead or another classifier of "
            "Tacit. LabelHead('svm') is the papers' linear support vector machine."
        )
    settings = _settings("head_grid", grid, head)
    if head.get_params().get("random_state", 0) is None:
        # the folds for the thresholds must be the same for every model, or chance would compare them
        head = clone(head).set_params(random_state=0)
    return head, settings


def as_names(argument: str, names: Any) -> tuple[str, ...]:
    """Give a tuple of names, of which there must be one."""
    listed = (names,) if isinstance(names, str) else tuple(names)
    if not listed:
        raise InputError(f"{argument} is empty: got no name, expected at least one.")
    return listed


def _read_split(name: str, given: Any) -> Split:
    if given is None:
        advice = " Settings are chosen on it: split it off the training records." if name == "validation" else ""
        raise InputError(f"{name} is missing: got None, expected a pair (X, y).{advice}")
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise InputError(f"{name} is no pair: got {type(given).__name__}, expected a tuple (X, y).")
    X, y = given
    if len(getattr(X, "shape", ())) != 2:
        raise InputError(
            f"{name} has no feature matrix: got {type(X).__name__} for X, expected records x terms, dense or sparse. "
            "Turn texts into vectors first."
        )
    try:
        labels = as_labels(y)
    except InputError as error:
        raise InputError(f"{name} has labels that cannot be read: {error}") from error
    check_rows(f"y of {name}", labels.n_records, X.shape[0])
    return Split(X, y, labels)


def _aligned(split: Split, learnt: LabelMatrix, name: str) -> Split:
    """Put the labels of a split in the columns of the training labels; drop, and count, those that are not there."""
    labels, by_order = split.labels, is_bare(split.labels) or is_bare(learnt)
    if by_order and labels.n_labels != learnt.n_labels:
        raise InputError(
            f"{name} does not match train: got {labels.n_labels} columns in y for {learnt.n_labels}, expected the same "
            "labels in the same order, or label sets, which have names."
        )
    place = {label: column for column, label in enumerate(labels.names if by_order else learnt.names)}
    kept = [column for column, label in enumerate(labels.names) if label in place]
    columns = [place[labels.names[column]] for column in kept]
    move = sp.csr_array((np.ones(len(kept)), (kept, columns)), shape=(labels.n_labels, learnt.n_labels))
    indicator = sp.csr_array(labels.indicator @ move)
    indicator.sort_indices()
    aligned = LabelMatrix(indicator, learnt.names, labels.known, "sets")
    if not aligned.counts[learnt.counts > 0].any():
        raise InputError(
            f"{name} has nothing to judge by: got no record with a label that a training record carries, expected some."
        )
    return split._replace(labels=aligned, n_strange=labels.n_labels - len(kept))


def _candidate(name: str, estimator: Any, grid: Any, dimensions: tuple[int, ...], *, nested: bool) -> Candidate:
    if estimator is None or (isinstance(estimator, str) and estimator == "raw"):
        if grid:
            raise InputError(f"grids has values for {name!r}: got {grid!r}, expected none for features as they are.")
        return Candidate(name, None, [{}], None, nested, dimensions)
    if isinstance(estimator, type) or not all(hasattr(estimator, verb) for verb in ("fit", "transform", "get_params")):
        raise InputError(
            f"models has no transformer for {name!r}: got {estimator!r}, expected an estimator with fit and transform, "
            "or 'raw' for the features as they are."
        )
    counted_by, is_last = _dimension_parameter(estimator)
    settings = _settings("grids", grid, estimator, name=name)
    if any(counted_by in setting for setting in settings):
        raise InputError(
            f"grids sets {counted_by!r} for {name!r}: got it beside dimensions, expected one of them. Use dimensions."
        )
    return Candidate(name, estimator, settings, counted_by, nested and is_last, dimensions)


def _dimension_parameter(estimator: Any) -> tuple[str | None, bool]:
    """Give the parameter for the number of dimensions, and whether its leading columns are those of the result."""
    if not isinstance(estimator, Pipeline):
        return ("n_components" if "n_components" in estimator.get_params() else None), True
    for step, part in reversed(estimator.steps):
        if "n_components" in getattr(part, "get_params", dict)():
            return f"{step}__n_components", step == estimator.steps[-1][0]
    return None, True


def _settings(argument: str, grid: Any, estimator: Any, *, name: str | None = None) -> list[Parameters]:
    """List the combinations of a grid."""
    owner = type(estimator).__name__ if name is None else repr(name)
    try:
        settings = [dict(setting) for setting in ParameterGrid({} if grid is None else grid)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{argument} is no grid for {owner}: got {grid!r}, expected a dict from parameters to lists of values."
        ) from error
    known = sorted(estimator.get_params())
    for parameter in dict.fromkeys(key for setting in settings for key in setting):
        check_choice(f"{argument} for {owner}", parameter, known)
    return settings
