"""Compare models on one data set: the same records, the same head, dimensions and parameters chosen in the same way.

Each setting is fitted to the training records, the validation records choose among the settings of a model, and the
test records, which were used for neither, measure the chosen one. This is the procedure of section 4 of [Mu2010], for
any models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tacit.checks import check_choice
from tacit.errors import InputError
from tacit.evaluate.compare.arguments import read_candidates, read_dimensions, read_head, read_parts
from tacit.evaluate.compare.engine import Failure, run_fits
from tacit.evaluate.compare.result import ModelComparison
from tacit.evaluate.compare.trials import MEASURES, HeadTrials, Trial, best_trial
from tacit.evaluate.progress import show_progress

__all__ = ["compare_models"]

ProgressCallback = Callable[[int, int, Trial | Failure], None]


def compare_models(
    models: Mapping[str, Any],
    train: tuple[Any, Any],
    validation: tuple[Any, Any],
    test: tuple[Any, Any],
    *,
    dimensions: int | Sequence[int] = (10, 20, 50, 100),
    grids: Mapping[str, Any] | None = None,
    head: Any = None,
    head_grid: Any = None,
    measures: Sequence[str] = ("macro F1", "micro F1", "AUC"),
    choose_by: str = "macro F1",
    progress: bool | ProgressCallback = False,
    nested: bool = True,
) -> ModelComparison:
    """Fit every model with every setting, choose one setting per model by validation, and measure it on test records.

    Parameters
    ----------
    models : mapping from name to transformer
        Any scikit-learn transformer with `n_components`, or a pipeline with a step that has it. "raw" or None stands
        for the features as they are. A transformer without `n_components` is used with all its columns.
    train, validation, test : pairs (X, y)
        X dense or sparse, with the same columns in all three; y in any form that `as_labels` takes. Labels are matched
        by name; those that no training record has are left out of the scores, and counted.
    dimensions : int or sequence of int, default (10, 20, 50, 100)
        Numbers of dimensions to try. A model that has fewer is tried with all it has.
    grids : mapping from name to dict of lists, optional
        Values to try for parameters of a model, as for scikit-learn's ParameterGrid (a list of dicts works too).
        Other parameters keep the values of the model.
    head : LabelHead or other label classifier of Tacit, optional
        Predicts labels from positions, the same for all models; `LabelHead(calibrate=False)` by default, whose
        thresholds are tuned on the training records. A `random_state` of None becomes 0.
    head_grid : dict of lists, optional
        Values to try for parameters of the head, for instance {"C": [0.1, 1, 10]}; chosen separately for each model.
    measures : sequence of {"macro F1", "micro F1", "mean F1", "AUC"}
        Measures to report; "mean F1" is the mean of macro and micro F1.
    choose_by : str, default "macro F1"
        The measure whose validation score chooses.
    progress : bool or callable, default False
        True shows progress on standard error. A callable is called after each fit with its number, the number of fits,
        and the best `Trial` of the fit or its `Failure`.
    nested : bool, default True
        Whether the leading k dimensions of a fit equal a fit with k dimensions, as in all spectral models of Tacit:
        each setting is then fitted once, with the most dimensions. False fits again for each number.

    Raises
    ------
    InputError
        If an argument is invalid, or if no setting of any model could be fitted.

    Warns
    -----
    TacitWarning
        If a model failed with all its settings. It is left out; the error messages are in `failures`.

    Notes
    -----
    Training records are placed by `fit_transform`, whose positions do not depend on the record's own labels, all others
    by `transform`. A setting that cannot be fitted (ValueError, of which InputError is one, or SolverError) is recorded
    in `failures` and skipped. Warnings of models are kept in `remarks`. X is never made dense.

    References
    ----------
    Mu2010

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import LSI, MLSI
    >>> rng = np.random.default_rng(0)
    >>> Y = (rng.random((150, 3)) < 0.4).astype(int)
    >>> X = Y @ rng.random((3, 40)) + rng.random((150, 40))
    >>> parts = [(X[rows], Y[rows]) for rows in (slice(70), slice(70, 110), slice(110, None))]
    >>> found = compare_models({"words": "raw", "LSI": LSI(), "MLSI": MLSI()}, *parts, dimensions=(2, 5))
    >>> [row.name for row in found.rows]
    ['words', 'LSI', 'MLSI']
    """
    data = read_parts(train, validation, test)
    candidates = read_candidates(models, grids, read_dimensions(dimensions), nested=nested)
    chosen_by = check_choice("choose_by", choose_by, MEASURES)
    named = (measures,) if isinstance(measures, str) else tuple(measures)
    if not named:
        raise InputError("measures is empty: got no name, expected at least one.")
    listed = tuple(check_choice("measures", name, MEASURES) for name in named)
    shared = HeadTrials(data, *read_head(head, head_grid), tuple(dict.fromkeys((*listed, chosen_by))))
    fits = [fit for candidate in candidates for fit in shared.fits(candidate)]
    report = _Progress(progress, chosen_by) if progress else None
    results, failures, remarks = run_fits(fits, report)
    return ModelComparison(
        rows=tuple(best_trial(trials, chosen_by) for trials in results.values()),
        trials=tuple(trial for trials in results.values() for trial in trials),
        failures=tuple(failures),
        measures=listed,
        choose_by=chosen_by,
        labels=data.train.labels.names,
        remarks=remarks,
    )


class _Progress:
    """Calls the user's function after each fit or, without one, shows the best score so far on standard error."""

    def __init__(self, progress: bool | ProgressCallback, choose_by: str) -> None:
        self.callback = progress if callable(progress) else None
        self.choose_by = choose_by
        self.best: list[Trial] = []

    def __call__(self, number: int, total: int, trials: list[Trial], failures: list[Failure], seconds: float) -> None:
        # some heads may fail on a space that was fitted: then its best trial is reported, not the failure
        outcome = best_trial(trials, self.choose_by) if trials else failures[0]
        if self.callback is not None:
            self.callback(number, total, outcome)
            return
        self.best = [best_trial([*self.best, *trials], self.choose_by)] if self.best or trials else []
        message = f"{outcome.name}  {seconds:.1f} s"
        for best in self.best:
            message += f"  best {self.choose_by} {best.validation[self.choose_by]:.4f} ({best.name})"
        failed = f"{outcome.name} failed: {outcome.sentence}" if isinstance(outcome, Failure) else ""
        show_progress(number, total, message, stays=failed)
