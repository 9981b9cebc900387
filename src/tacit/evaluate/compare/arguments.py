"""Check the arguments of `compare_models`: three data sets with the same columns and labels, models, grids, a head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import Pipeline

from tacit.checks import check_choice, check_count, check_rows
from tacit.errors import InputError
from tacit.evaluate.compare.engine import Parameters
from tacit.evaluate.measures.alignment import has_no_names
from tacit.models.classifiers.base import LabelClassifier
from tacit.models.classifiers.label_head import LabelHead
from tacit.relations.labels.matrix import LabelMatrix, as_labels

__all__ = ["Candidate", "LabelledData", "ThreeParts", "read_candidates", "read_dimensions", "read_head", "read_parts"]


class LabelledData(NamedTuple):
    """Features, labels as given and as read, and how many labels were dropped since no training record has them."""

    X: Any
    y: Any
    labels: LabelMatrix
    n_dropped: int = 0


class ThreeParts(NamedTuple):
    """Training, validation and test data, all with the label columns of the training data."""

    train: LabelledData
    validation: LabelledData
    test: LabelledData


class Candidate(NamedTuple):
    """A model (None for features as they are) with the settings of its grid.

    `dimensions` has one tuple per fit: all numbers if the leading columns of the largest fit answer for the others,
    else one number each, and an empty tuple if the model has no parameter for them.
    """

    name: str
    estimator: Any
    settings: list[Parameters]
    dimension_parameter: str | None
    dimensions: list[tuple[int, ...]]


def read_parts(train: Any, validation: Any, test: Any) -> ThreeParts:
    """Read three pairs (X, y)."""
    training = _read_pair("train", train)
    others = []
    for name, given in (("validation", validation), ("test", test)):
        data = _read_pair(name, given)
        if data.X.shape[1] != training.X.shape[1]:
            raise InputError(
                f"{name} does not match train: got {data.X.shape[1]} columns in X for {training.X.shape[1]}, expected "
                "the same features in the same order. Use one vectoriser, fitted on the training records, for all."
            )
        others.append(_with_columns_of(training.labels, data, name))
    return ThreeParts(training, *others)


def read_dimensions(dimensions: Any) -> tuple[int, ...]:
    """Return the numbers of dimensions in ascending order, each once."""
    listed = list(dimensions) if isinstance(dimensions, Iterable) else [dimensions]
    if not listed:
        raise InputError("dimensions is empty: got no number, expected whole numbers of at least 1, such as (10, 50).")
    return tuple(sorted({check_count("dimensions", k) for k in listed}))


def read_candidates(models: Any, grids: Any, dimensions: tuple[int, ...], *, nested: bool) -> list[Candidate]:
    """Read models and their grids."""
    if not isinstance(models, Mapping) or not models:
        wrong, got = ("empty", "no model") if isinstance(models, Mapping) else ("not a mapping", type(models).__name__)
        raise InputError(
            f"models is {wrong}: got {got}, expected a dict from names to estimators, for instance {{'LSI': LSI()}}."
        )
    grids = {} if grids is None else grids
    if not isinstance(grids, Mapping):
        raise InputError(
            f"grids is not a mapping: got {type(grids).__name__}, expected a dict from names of models to their grids."
        )
    for name in grids:
        check_choice("grids", name, list(models))
    return [_candidate(name, models[name], grids.get(name), dimensions, nested=nested) for name in models]


def read_head(head: Any, grid: Any) -> tuple[LabelClassifier, list[Parameters]]:
    """Read the head and its grid."""
    if head is None:
        head = LabelHead(calibrate=False)  # no measure needs probabilities
    if not isinstance(head, LabelClassifier):
        raise InputError(
            f"head is not a label classifier: got {type(head).__name__}, expected a LabelHead or another classifier of "
            "Tacit. LabelHead('svm') is the linear support vector machine of the papers."
        )
    settings = _settings("head_grid", grid, head)
    if head.get_params().get("random_state", 0) is None:
        # every model must meet the same folds when thresholds are tuned
        head = clone(head).set_params(random_state=0)
    return head, settings


def _read_pair(name: str, given: Any) -> LabelledData:
    if given is None:
        advice = " Settings are chosen on it: split it off the training records." if name == "validation" else ""
        raise InputError(f"{name} is missing: got None, expected a pair (X, y).{advice}")
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 2:
        raise InputError(f"{name} is not a pair: got {type(given).__name__}, expected a tuple (X, y).")
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
    return LabelledData(X, y, labels)


def _with_columns_of(training: LabelMatrix, data: LabelledData, name: str) -> LabelledData:
    """Put labels in the columns of the training labels; drop, and count, those that are not there."""
    labels, by_order = data.labels, has_no_names(data.labels) or has_no_names(training)
    if by_order and labels.n_labels != training.n_labels:
        raise InputError(
            f"{name} does not match train: got {labels.n_labels} columns in y for {training.n_labels}, expected the "
            "same labels in the same order, or label sets, which have names."
        )
    columns = {label: column for column, label in enumerate(labels.names if by_order else training.names)}
    kept = [column for column, label in enumerate(labels.names) if label in columns]
    targets = [columns[labels.names[column]] for column in kept]
    move = sp.csr_array((np.ones(len(kept)), (kept, targets)), shape=(labels.n_labels, training.n_labels))
    indicator = sp.csr_array(labels.indicator @ move)
    indicator.sort_indices()
    aligned = LabelMatrix(indicator, training.names, labels.known, "sets")
    if not aligned.counts[training.counts > 0].any():
        raise InputError(
            f"{name} cannot be scored: got no record with a label that a training record has, expected at least one."
        )
    return data._replace(labels=aligned, n_dropped=labels.n_labels - len(kept))


def _candidate(name: str, estimator: Any, grid: Any, dimensions: tuple[int, ...], *, nested: bool) -> Candidate:
    if estimator is None or (isinstance(estimator, str) and estimator == "raw"):
        if grid:
            raise InputError(f"grids has values for {name!r}: got {grid!r}, expected none for features as they are.")
        return Candidate(name, None, [{}], None, [()])
    if isinstance(estimator, type) or not all(hasattr(estimator, verb) for verb in ("fit", "transform", "get_params")):
        raise InputError(
            f"models has no transformer for {name!r}: got {estimator!r}, expected an estimator with fit and transform, "
            "or 'raw' for the features as they are."
        )
    parameter, is_last_step = _dimension_parameter(estimator)
    settings = _settings("grids", grid, estimator, name=name)
    if any(parameter in setting for setting in settings):
        raise InputError(
            f"grids sets {parameter!r} for {name!r}: got values, expected none. Use the argument dimensions."
        )
    if parameter is None:
        return Candidate(name, estimator, settings, None, [()])
    fits: list[tuple[int, ...]] = [dimensions] if nested and is_last_step else [(k,) for k in dimensions]
    return Candidate(name, estimator, settings, parameter, fits)


def _dimension_parameter(estimator: Any) -> tuple[str | None, bool]:
    """Return the parameter for the number of dimensions, and whether the last step of a pipeline has it."""
    if not isinstance(estimator, Pipeline):
        return ("n_components" if "n_components" in estimator.get_params() else None), True
    for name, step in reversed(estimator.steps):
        if "n_components" in getattr(step, "get_params", dict)():
            return f"{name}__n_components", name == estimator.steps[-1][0]
    return None, True


def _settings(argument: str, grid: Any, estimator: Any, *, name: str | None = None) -> list[Parameters]:
    """List the combinations of a grid."""
    owner = type(estimator).__name__ if name is None else repr(name)
    try:
        settings = [dict(setting) for setting in ParameterGrid({} if grid is None else grid)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{argument} is not a grid for {owner}: got {grid!r}, expected a dict from parameters to lists of values."
        ) from error
    known = sorted(estimator.get_params())
    for parameter in dict.fromkeys(key for setting in settings for key in setting):
        check_choice(f"{argument} for {owner}", parameter, known)
    return settings
