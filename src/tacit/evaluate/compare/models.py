"""Compare models on one data set: the same split, the same head, dimensions and parameters chosen in the same way.

A comparison says something only if every model gets the same chance. So each setting learns from the training records,
the validation records choose among the settings, and the test records, which had a part in neither, say how good the
chosen one is. This is what section 4 of [Mu2010] does, for any models.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.checks import check_choice, shown
from tacit.errors import InputError, TacitWarning
from tacit.evaluate.compare.inputs import Job, as_names, read_candidates, read_dimensions, read_head, read_splits
from tacit.evaluate.compare.result import ModelComparison
from tacit.evaluate.compare.trials import MEASURES, Bench, Failure, Progress, Report, Trial, best_trial, heard, reporter

__all__ = ["compare_models"]


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
    progress: bool | Progress = False,
    nested: bool = True,
) -> ModelComparison:
    """Fit every model with every setting, choose by validation, and report what the choice is worth on test records.

    Parameters
    ----------
    models : mapping from name to transformer
        Any scikit-learn transformer with `n_components`, or a pipeline with a step that has it. "raw" or None stands
        for the features as they are. A transformer without `n_components` is used with all its columns.
    train, validation, test : pairs (X, y)
        X dense or sparse, with the same columns in all three; y in any form that `as_labels` takes. Labels are matched
        by name; those that no training record carries are left out of the scores, and counted.
    dimensions : int or sequence of int, default (10, 20, 50, 100)
        How many dimensions to try. A model that has fewer is tried with all it has.
    grids : mapping from name to dict of lists, optional
        Values to try for parameters of a model, as for scikit-learn's ParameterGrid (a list of dicts works too).
        Other parameters stay as the model has them.
    head : LabelHead or other label classifier of Tacit, optional
        Turns positions into labels, the same for all; `LabelHead(calibrate=False)` if not given: its thresholds are
        tuned on the training records. A `random_state` of None becomes 0.
    head_grid : dict of lists, optional
        Values to try for parameters of the head, for instance {"C": [0.1, 1, 10]}; chosen for each model.
    measures : sequence of {"macro F1", "micro F1", "mean F1", "AUC"}
        What to report; "mean F1" is half macro, half micro.
    choose_by : str, default "macro F1"
        The measure whose validation score chooses.
    progress : bool or callable, default False
        True says on standard error how far it is. A callable is given the number of the fit, the number of all fits,
        and the best `Trial` of the fit or its `Failure`.
    nested : bool, default True
        Whether the leading k dimensions of a fit are what a fit with k dimensions gives, as in all spectral models of
        Tacit: each setting is then fitted once, with the most dimensions. False fits anew for each number.

    Returns
    -------
    ModelComparison

    Raises
    ------
    InputError
        If something given cannot be used, or if no setting of any model could be fitted.

    Warns
    -----
    TacitWarning
        If a model failed with all its settings. It is left out; the sentences are in `failures`.

    Notes
    -----
    Training records are placed by `fit_transform`, which gives honest positions where labels shape the space, all
    others by `transform`. A setting that cannot be fitted (ValueError, which InputError is, or SolverError) is recorded
    in `failures` and skipped. What models warn about is kept in `remarks`. X is never made dense.

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
    splits = read_splits(train, validation, test)
    candidates = read_candidates(models, grids, read_dimensions(dimensions), nested=nested)
    chosen_by = check_choice("choose_by", choose_by, MEASURES)
    listed = tuple(check_choice("measures", name, MEASURES) for name in as_names("measures", measures))
    bench = Bench(splits, *read_head(head, head_grid), measures=tuple(dict.fromkeys((*listed, chosen_by))))
    jobs = [job for candidate in candidates for job in candidate.jobs()]
    trials, failures, remarks = _run(bench, jobs, chosen_by, reporter(progress, chosen_by))
    names = _fitted_names(models, trials, failures)
    return ModelComparison(
        rows=tuple(best_trial([trial for trial in trials if trial.name == name], chosen_by) for name in names),
        trials=tuple(trials),
        failures=tuple(failures),
        measures=listed,
        choose_by=chosen_by,
        labels=splits.train.labels.names,
        remarks=remarks,
    )


def _run(
    bench: Bench, jobs: Sequence[Job], choose_by: str, report: Report
) -> tuple[list[Trial], list[Failure], dict[str, tuple[str, ...]]]:
    """Run all fits; give what was tried, what failed, and what each model warned about."""
    trials: list[Trial] = []
    failures: list[Failure] = []
    remarks: dict[str, dict[str, None]] = {}  # a dict keeps the order and drops what is said twice
    for number, job in enumerate(jobs, start=1):
        start = time.perf_counter()
        with heard() as sentences:
            done, failed = bench.run(job)
        trials += done
        failures += failed
        remarks.setdefault(job.name, {}).update(dict.fromkeys(sentences))
        # some heads may fail on a space that was fitted: then the others speak for it
        outcome = best_trial(done, choose_by) if done else failed[0]
        report(number, len(jobs), outcome, time.perf_counter() - start)
    return trials, failures, {name: tuple(said) for name, said in remarks.items() if said}


def _fitted_names(models: Mapping[str, Any], trials: Sequence[Trial], failures: Sequence[Failure]) -> list[str]:
    """Give the models with a setting that worked; warn about the others, raise if there are no such models."""
    fitted = {trial.name for trial in trials}
    lost = [name for name in models if name not in fitted]
    if not fitted:
        raise InputError(
            f"no model could be fitted: got {len(failures)} settings of {shown(lost)}, all of which failed, the first "
            f"with: {failures[0].sentence}"
        )
    for name in lost:
        sentences = [failure.sentence for failure in failures if failure.name == name]
        warnings.warn(
            f"{name!r} is left out of the comparison: all its {len(sentences)} settings failed, the first with: "
            f"{sentences[0]}",
            TacitWarning,
            stacklevel=3,
        )
    return [name for name in models if name in fitted]
