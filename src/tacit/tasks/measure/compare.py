"""Compare: measure several models side by side, on one split of an index and with the same queries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.errors import TacitWarning
from tacit.evaluate.compare.engine import Fit, Setting, run_fits
from tacit.models.spaces import SPACES, space_named, suitable_spaces
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitted_space import RecordKnowledge
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.evaluate import Evaluation, HeldOutTest, current_settings
from tacit.tasks.measure.split import RecordSplit
from tacit.tasks.measure.trial_index import Features, FittedIndex, RawWords, TrialIndex
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["Comparison", "applicable_models", "compare", "current_model"]

_BASELINE = "words"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Measures of several models on the same records.

    Attributes
    ----------
    rows : dict from name to Evaluation
        In the requested order.
    failures : dict from name to str
        Error messages of models that could not be fitted.
    """

    rows: dict[str, Evaluation]
    failures: dict[str, str]

    def to_facts(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
        return {
            "models": {name: evaluation.to_facts() for name, evaluation in self.rows.items()},
            "failures": dict(self.failures),
        }


def compare(
    collection: OpenedIndex,
    models: Sequence[str] | None = None,
    *,
    test: Iterable[Record] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    queries: int = 200,
    quick: bool = False,
    random_state: int = 0,
    report: Report | None = None,
) -> Comparison:
    """Measure several models on one split of an index.

    Parameters
    ----------
    collection : an open index
    models : sequence of str, optional
        Names as for `build`, and "words" for the baseline without a space: the words themselves with a linear
        classifier. By default "words" and all models that the records allow.
    test, split_field, share, queries, quick, random_state, report : as for `evaluate`

    Notes
    -----
    Words, dimensions and suggester are those of the index. Its parameters are used for the model it was built with; the
    others have their defaults. A model that cannot be fitted is left out, with a warning.

    Raises
    ------
    InputError
        If a model is unknown, none could be fitted, or the records cannot be split.
    """
    stages, settings, vocabulary = StageReporter(report), current_settings(collection), collection.vocabulary
    for name in models or ():
        check_choice("models", name, (*SPACES, _BASELINE))
    how = {"test": test, "split_field": split_field, "share": share}
    with HeldOutTest(collection, stages, queries=queries, quick=quick, random_state=random_state, **how) as held_out:
        split = held_out.split
        names = dict.fromkeys(models or [_BASELINE, *applicable_models(split, vocabulary)])
        features = Features.of(split.train, settings, stages)

        def fitted(name: str) -> TrialIndex:
            if name == _BASELINE:
                return RawWords(split.train, settings, features, stages)
            parameters = dict(settings.parameters) if name == current_model(settings, split) else {}
            own = replace(settings, model=name, parameters=parameters)
            return FittedIndex(split.train, own, vocabulary, features, stages, collection.label_titles)

        setting = Setting({}, {}, settings.n_components or 0)

        def trials(index: TrialIndex, seconds: float) -> Any:
            return [(setting, partial(held_out.measure, index, seconds))]

        found = run_fits([Fit(name, partial(fitted, name), trials, setting) for name in names])
    for name, sentences in found.remarks.items():
        for sentence in sentences:
            warnings.warn(f"{name}: {sentence}", TacitWarning, stacklevel=2)
    rows = {name: evaluations[0] for name, evaluations in found.results.items()}
    return Comparison(rows, {failure.name: failure.sentence for failure in found.failures})


def applicable_models(split: RecordSplit, taxonomy: Taxonomy | None) -> list[str]:
    """Return the models that the records allow: some need labels, a taxonomy or links."""
    return [space.name for space in suitable_spaces(RecordKnowledge.of_records(split.train.records, taxonomy).kinds)]


def current_model(settings: BuildSettings, split: RecordSplit) -> str:
    """Return the model of settings, with "auto" resolved."""
    return space_named(settings.model, RecordKnowledge.of_records(split.train.records, None).kinds).name
