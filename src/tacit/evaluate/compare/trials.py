"""The trials of `compare_models`: fit a space, train heads on its positions, and measure both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from tacit.checks import is_sparse
from tacit.evaluate.compare.arguments import Candidate, LabelledData, ThreeParts
from tacit.evaluate.compare.engine import Fit, Parameters, Setting
from tacit.evaluate.measures.labels import auc, f1
from tacit.models.classifiers.base import LabelClassifier
from tacit.relations.labels.matrix import LabelMatrix
from tacit.types import Array

__all__ = ["MEASURES", "HeadTrials", "Trial", "best_trial", "comparable"]

MEASURES = ("macro F1", "micro F1", "mean F1", "AUC")


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting of a model, and its scores.

    Attributes
    ----------
    name : str
        The model.
    parameters, head_parameters : dict
        Values from the grids.
    dimensions : int
        Number of columns that the head was given.
    asked : tuple of int
        The requested numbers of dimensions that this trial answers: several if the model has no more than `dimensions`,
        none for features as they are.
    validation, test : dict
        Score by measure.
    label_f1 : array of shape (n_labels,)
        F1 of each label on the test records; NaN for those left out.
    n_left_out : dict
        By measure, the number of labels that are not in the test score: no training record has them or, for AUC, no
        test record or every one has them.
    seconds : float
        Time to fit the space, which several numbers of dimensions share, and to place all records.
    """

    name: str
    parameters: Parameters
    head_parameters: Parameters
    dimensions: int
    asked: tuple[int, ...]
    validation: dict[str, float]
    test: dict[str, float]
    label_f1: Array
    n_left_out: dict[str, int]
    seconds: float

    @property
    def settings(self) -> Parameters:
        """All values from grids; those of the head are called `head__...`."""
        return {**self.parameters, **{f"head__{name}": value for name, value in self.head_parameters.items()}}


class HeadTrials(NamedTuple):
    """What all models of a comparison share: the data, the head with its settings, and the measures."""

    data: ThreeParts
    head: LabelClassifier
    head_settings: list[Parameters]
    measures: tuple[str, ...]

    def fits(self, candidate: Candidate) -> Iterator[Fit[list[Any], Trial]]:
        """Yield the fits of a model."""
        for parameters in candidate.settings:
            for asked in candidate.dimensions:
                own = {candidate.dimension_parameter: asked[-1]} if candidate.dimension_parameter else {}
                yield Fit(
                    candidate.name,
                    partial(_positions, candidate.estimator, {**parameters, **own}, self.data),
                    partial(self._trials, candidate.name, parameters, asked),
                    Setting(parameters, {}, asked[-1] if asked else None),
                )

    def _trials(
        self, name: str, parameters: Parameters, asked: tuple[int, ...], positions: list[Any], seconds: float
    ) -> Iterator[tuple[Setting, Callable[[], Trial]]]:
        """Yield a trial for each number of columns, the smallest first, and each setting of the head."""
        n_columns = positions[0].shape[1]
        for width in sorted({min(k, n_columns) for k in asked or (n_columns,)}):
            answered = tuple(k for k in asked if min(k, n_columns) == width)
            # a slice of all columns would copy a sparse matrix
            leading = positions if width == n_columns else [part[:, :width] for part in positions]
            for values in self.head_settings:
                setting = Setting(parameters, values, width)
                yield setting, partial(self._trial, name, setting, answered, leading, seconds)

    def _trial(
        self, name: str, setting: Setting, asked: tuple[int, ...], positions: list[Any], seconds: float
    ) -> Trial:
        train, validation, test = self.data
        head = _with_values(self.head, setting.head_parameters).fit(positions[0], train.labels)
        chosen = _measured(head, positions[1], validation, train.labels.counts, self.measures)
        tested = _measured(head, positions[2], test, train.labels.counts, self.measures)
        own, scores = (name, setting.parameters, setting.head_parameters), (chosen.scores, tested.scores)
        return Trial(*own, positions[0].shape[1], asked, *scores, tested.label_f1, tested.n_left_out, seconds)


def best_trial(trials: Sequence[Trial], choose_by: str) -> Trial:
    """Return the trial with the best validation score; of equal ones the first."""
    return max(trials, key=lambda trial: comparable(trial.validation[choose_by]))


def comparable(score: float) -> float:
    """Return a score that can be compared: NaN becomes worse than any number."""
    return -math.inf if math.isnan(score) else score


class _Measured(NamedTuple):
    scores: dict[str, float]
    n_left_out: dict[str, int]
    label_f1: Array


def _positions(estimator: Any, values: Parameters, data: ThreeParts) -> list[Any]:
    """Positions of training records (without their own labels, if the model has them), validation and test records."""
    if estimator is None:
        return [_sliceable(part.X) for part in data]
    model, train = _with_values(estimator, values), data.train
    if hasattr(model, "fit_transform"):
        first = model.fit_transform(train.X, train.y)
    else:
        first = model.fit(train.X, train.y).transform(train.X)
    return [_sliceable(Z) for Z in (first, model.transform(data.validation.X), model.transform(data.test.X))]


def _with_values(estimator: Any, values: Parameters) -> Any:
    """Copy an estimator with other values; values that are estimators are copied too, so that fits share nothing."""
    own = {
        name: clone(value) if hasattr(value, "get_params") and not isinstance(value, type) else value
        for name, value in values.items()
    }
    return clone(estimator).set_params(**own)


def _sliceable(positions: Any) -> Any:
    return sp.csr_array(positions) if is_sparse(positions) else np.asarray(positions)


def _measured(head: Any, positions: Any, data: LabelledData, trained: Array, measures: tuple[str, ...]) -> _Measured:
    """Measure a trained head; labels that no training record has are left out and counted."""
    truth, predicted = data.labels, head.predict(positions)
    if head.multilabel_:
        decisions = LabelMatrix.from_matrix(_in_columns(head, predicted, truth, 0), names=truth.names)
    else:
        decisions = LabelMatrix.from_classes(predicted, names=truth.names)
    decided = f1(truth, decisions, trained=trained)
    found = {"macro F1": decided.macro, "micro F1": decided.micro, "mean F1": (decided.macro + decided.micro) / 2}
    left_out = dict.fromkeys(found, decided.n_left_out)
    if "AUC" in measures:
        scores = head.decision_function(positions)
        if scores.ndim == 1:  # of two classes only the second has a score
            scores = np.column_stack([-scores, scores])
        ranked = auc(truth, _in_columns(head, scores, truth, scores.min() - 1), trained=trained)
        found["AUC"], left_out["AUC"] = ranked.macro, ranked.n_left_out
    return _Measured(
        {name: found[name] for name in measures},
        {name: left_out[name] + data.n_dropped for name in measures},
        decided.per_label,
    )


def _in_columns(head: Any, values: Array, truth: LabelMatrix, fill: float) -> Array:
    """Put the columns of a head in the order of the labels; a head with a taxonomy has columns for ancestors too."""
    names = tuple(head.classes_.tolist())
    if names == truth.names:
        return values
    place = {name: column for column, name in enumerate(names)}
    placed = np.full((len(values), truth.n_labels), fill, dtype=values.dtype)
    for column, name in enumerate(truth.names):
        if name in place:
            placed[:, column] = values[:, place[name]]
    return placed
