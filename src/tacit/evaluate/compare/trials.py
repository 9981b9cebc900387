"""The bench on which models are compared: a space is fitted, heads are trained on it, and both are measured."""

from __future__ import annotations

import math
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from tacit.checks import is_sparse
from tacit.errors import SolverError, TacitWarning
from tacit.evaluate.compare.inputs import Job, Parameters, Split, Splits
from tacit.evaluate.measures.labels import auc, f1
from tacit.models.classifiers.base import LabelClassifier
from tacit.relations.labels.matrix import LabelMatrix

__all__ = [
    "MEASURES",
    "Bench",
    "Failure",
    "Progress",
    "Report",
    "Trial",
    "as_rank",
    "best_trial",
    "heard",
    "rank",
    "reporter",
]

MEASURES = ("macro F1", "micro F1", "mean F1", "AUC")
# scikit-learn's own transformers say so by ValueError, of which InputError is one, if they cannot be fitted
_REFUSALS = (ValueError, SolverError)


class Bench:
    """Runs one fit after the other on the same splits, with the same head."""

    def __init__(
        self, splits: Splits, head: LabelClassifier, head_settings: list[Parameters], *, measures: tuple[str, ...]
    ) -> None:
        self.splits, self.head, self.head_settings, self.measures = splits, head, head_settings, measures

    def run(self, job: Job) -> tuple[list[Trial], list[Failure]]:
        """Fit once; train and measure heads for each number of dimensions, the smallest first."""
        start = time.perf_counter()
        try:
            space = _space(job, self.splits)
        except _REFUSALS as error:
            return [], [_failure(job, job.asked[-1:], {}, error)]
        seconds = time.perf_counter() - start
        n_columns = space[0].shape[1]
        trials, failures = [], []
        for width, asked in _widths(job.asked, n_columns).items():
            for values in self.head_settings:
                try:
                    trials.append(self._trial(job, [_leading(Z, width) for Z in space], asked, values, seconds))
                except _REFUSALS as error:
                    failures.append(_failure(job, (width,), values, error))
        return trials, failures

    def _trial(
        self, job: Job, positions: list[Any], asked: tuple[int, ...], head_values: Parameters, seconds: float
    ) -> Trial:
        splits = self.splits
        head = _with_values(self.head, head_values).fit(positions[0], splits.train.labels)
        trained = splits.train.labels.counts
        chosen = _measured(head, positions[1], splits.validation, trained, self.measures)
        tested = _measured(head, positions[2], splits.test, trained, self.measures)
        return Trial(
            name=job.name,
            parameters=job.parameters,
            head_parameters=head_values,
            dimensions=positions[0].shape[1],
            asked=asked,
            validation=chosen.scores,
            test=tested.scores,
            label_f1=tested.label_f1,
            n_left_out=tested.n_left_out,
            seconds=seconds,
        )


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect what Tacit's models warn about, and pass other warnings on."""
    sentences: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TacitWarning)
        yield sentences
    for warning in caught:
        if issubclass(warning.category, TacitWarning):
            sentences.append(str(warning.message))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


class _Measured(NamedTuple):
    scores: dict[str, float]
    n_left_out: dict[str, int]
    label_f1: np.ndarray


def _space(job: Job, splits: Splits) -> list[Any]:
    """Positions of the training records (honest ones, where the model has them), of validation and of test records."""
    if job.estimator is None:
        return [_sliceable(split.X) for split in splits]
    model = _with_values(job.estimator, job.values)
    if hasattr(model, "fit_transform"):
        first = model.fit_transform(splits.train.X, splits.train.y)
    else:
        first = model.fit(splits.train.X, splits.train.y).transform(splits.train.X)
    return [_sliceable(Z) for Z in (first, model.transform(splits.validation.X), model.transform(splits.test.X))]


def _with_values(estimator: Any, values: Parameters) -> Any:
    """Copy an estimator with other values; those that are estimators are copied too, so that no fit meets another's."""
    own = {name: clone(value) if _is_estimator(value) else value for name, value in values.items()}
    return clone(estimator).set_params(**own)


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _sliceable(positions: Any) -> Any:
    return sp.csr_array(positions) if is_sparse(positions) else np.asarray(positions)


def _leading(positions: Any, width: int) -> Any:
    # a slice of all columns would copy a sparse matrix
    return positions if width == positions.shape[1] else positions[:, :width]


def _widths(asked: tuple[int, ...], n_columns: int) -> dict[int, tuple[int, ...]]:
    """Tell how many columns to try, and which of the numbers asked for each of them answers."""
    if not asked:
        return {n_columns: ()}
    widths = sorted({min(k, n_columns) for k in asked})
    return {width: tuple(k for k in asked if min(k, n_columns) == width) for width in widths}


def _measured(head: Any, positions: Any, split: Split, trained: np.ndarray, measures: tuple[str, ...]) -> _Measured:
    """Measure a trained head; labels that no training record carries are left out and counted."""
    truth = split.labels
    decided = f1(truth, _decisions(head, positions, truth), trained=trained)
    found = {"macro F1": decided.macro, "micro F1": decided.micro, "mean F1": (decided.macro + decided.micro) / 2}
    left_out = dict.fromkeys(found, decided.n_left_out)
    if "AUC" in measures:
        ranked = auc(truth, _scores(head, positions, truth), trained=trained)
        found["AUC"], left_out["AUC"] = ranked.macro, ranked.n_left_out
    return _Measured(
        {name: found[name] for name in measures},
        {name: left_out[name] + split.n_strange for name in measures},
        decided.per_label,
    )


def _decisions(head: Any, positions: Any, truth: LabelMatrix) -> LabelMatrix:
    if not head.multilabel_:
        return LabelMatrix.from_classes(head.predict(positions), names=truth.names)
    return LabelMatrix.from_matrix(_in_columns(head, head.predict(positions), truth, 0), names=truth.names)


def _scores(head: Any, positions: Any, truth: LabelMatrix) -> np.ndarray:
    scores = head.decision_function(positions)
    if scores.ndim == 1:  # of two classes only the second has a score
        scores = np.column_stack([-scores, scores])
    return _in_columns(head, scores, truth, scores.min() - 1)


def _in_columns(head: Any, values: np.ndarray, truth: LabelMatrix, fill: float) -> np.ndarray:
    """Put a head's columns where the labels are: a head with a taxonomy also speaks of the classes above them."""
    names = tuple(head.classes_.tolist())
    if names == truth.names:
        return values
    place = {name: column for column, name in enumerate(names)}
    placed = np.full((len(values), truth.n_labels), fill, dtype=values.dtype)
    for column, name in enumerate(truth.names):
        if name in place:
            placed[:, column] = values[:, place[name]]
    return placed


def _failure(job: Job, dimensions: tuple[int, ...], head_values: Parameters, error: Exception) -> Failure:
    sentence = " ".join(str(error).split()) or type(error).__name__
    return Failure(job.name, job.parameters, head_values, dimensions[0] if dimensions else None, sentence)


@dataclass(frozen=True, eq=False)
class Trial:
    """A setting of a model, and what it reached.

    Attributes
    ----------
    name : str
        The model.
    parameters, head_parameters : dict
        Values from the grids.
    dimensions : int
        How many columns the head was given.
    asked : tuple of int
        Which of the dimensions asked for this answers: more than one if the model has no more than `dimensions`, none
        for features as they are.
    validation, test : dict
        Score by measure.
    label_f1 : array of shape (n_labels,)
        F1 of each label on the test records; NaN for those left out.
    n_left_out : dict
        By measure, how many labels are not in the test score: no training record carries them or, for AUC, no test
        record or every one does.
    seconds : float
        What it took to fit the space, which several numbers of dimensions share, and to place all records.
    """

    name: str
    parameters: dict[str, Any]
    head_parameters: dict[str, Any]
    dimensions: int
    asked: tuple[int, ...]
    validation: dict[str, float]
    test: dict[str, float]
    label_f1: np.ndarray
    n_left_out: dict[str, int]
    seconds: float

    @property
    def settings(self) -> dict[str, Any]:
        """All values from grids; those of the head are called `head__...`."""
        return {**self.parameters, **{f"head__{name}": value for name, value in self.head_parameters.items()}}


@dataclass(frozen=True, eq=False)
class Failure:
    """A setting that could not be fitted, and why; `dimensions` is None for features as they are."""

    name: str
    parameters: dict[str, Any]
    head_parameters: dict[str, Any]
    dimensions: int | None
    sentence: str


def best_trial(trials: Sequence[Trial], choose_by: str) -> Trial:
    """Give the trial with the best validation score, of equal ones the first."""
    return max(trials, key=lambda trial: rank(trial, choose_by))


def rank(trial: Trial, choose_by: str) -> float:
    """Give the validation score; where there is none, it is worse than any."""
    return as_rank(trial.validation[choose_by])


def as_rank(score: float) -> float:
    """Give a score that can be compared: NaN is worse than any number."""
    return -math.inf if math.isnan(score) else score


Progress = Callable[[int, int, "Trial | Failure"], None]
Report = Callable[[int, int, "Trial | Failure", float], None]


def reporter(progress: bool | Progress, choose_by: str) -> Report:
    """Give what is called after each fit with its number, the number of all, what came out, and its seconds."""
    if callable(progress):
        return lambda number, total, outcome, seconds: progress(number, total, outcome)
    return _Lines(choose_by, sys.stderr) if progress else lambda number, total, outcome, seconds: None


_BAR = 20


class _Lines:
    """Progress for people."""

    def __init__(self, choose_by: str, stream: TextIO) -> None:
        self.choose_by, self.stream = choose_by, stream
        self.best: Trial | None = None

    def __call__(self, number: int, total: int, outcome: Trial | Failure, seconds: float) -> None:
        if isinstance(outcome, Trial) and (
            self.best is None or rank(outcome, self.choose_by) > rank(self.best, self.choose_by)
        ):
            self.best = outcome
        said = f"{number:{len(str(total))}d}/{total}  {outcome.name}  {seconds:.1f} s"
        if self.best is not None:
            said += f"  best {self.choose_by} {self.best.validation[self.choose_by]:.4f} ({self.best.name})"
        failed = f"{outcome.name} failed: {outcome.sentence}" if isinstance(outcome, Failure) else ""
        (self._rewrite if self.stream.isatty() else self._add)(said, failed, number / total)

    def _add(self, said: str, failed: str, share: float) -> None:
        print("\n".join(filter(None, (failed, said))), file=self.stream, flush=True)

    def _rewrite(self, said: str, failed: str, share: float) -> None:
        full = round(share * _BAR)
        line = f"{'█' * full}{'░' * (_BAR - full)} {said}"
        # a line that wraps could not be rewritten
        line = line[: shutil.get_terminal_size().columns - 1]
        clear = "\r\x1b[K"
        self.stream.write(f"{clear}{failed}\n" * bool(failed) + clear + line + "\n" * (share == 1))
        self.stream.flush()
