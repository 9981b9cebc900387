"""Compare: measure several models side by side, on one split of an index and with the same queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.display import Displayed, Table
from tacit.errors import warn
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
_SHOWN = {  # measures in the tables, with headings that fit on 80 columns; data frames have all
    **{name: name for name in ("Precision@1", "F1@5", "NDCG@10", "micro F1", "macro F1", "taxonomy F1")},
    "labels nDCG@10 by meaning": "labels by meaning",
    "labels nDCG@10 by hybrid": "by both",
    "titles MRR by meaning": "titles by meaning",
    "titles MRR by hybrid": "by both",
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Displayed):
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

    def _parts(self) -> Iterator[str | Table]:
        first = next(iter(self.rows.values()))
        yield first.split_in_words()
        for part, title in (("suggest", "Suggested labels"), ("search", "Search")):
            rows = {name: getattr(row, part).by_name() for name, row in self.rows.items() if getattr(row, part)}
            names = [name for name in dict.fromkeys(key for row in rows.values() for key in row) if name in _SHOWN]
            if rows:
                cells = [(name, *(row.get(key) for key in names)) for name, row in rows.items()]
                yield Table(("model", *(_SHOWN[key] for key in names)), cells, title)
        times = [(name, row.n_dimensions, row.fit_seconds) for name, row in self.rows.items()]
        yield Table(("model", "dimensions", "seconds to fit"), times)
        yield from (f"{name}: {sentence}" for name, sentence in self.failures.items())

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "model": name,
                "dimensions": row.n_dimensions,
                **({} if row.suggest is None else row.suggest.by_name()),
                **({} if row.search is None else row.search.by_name()),
                "fit_seconds": row.fit_seconds,
            }
            for name, row in self.rows.items()
        ]

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
            warn(f"{name}: {sentence}")
    rows = {name: evaluations[0] for name, evaluations in found.results.items()}
    return Comparison(rows, {failure.name: failure.sentence for failure in found.failures})


def applicable_models(split: RecordSplit, taxonomy: Taxonomy | None) -> list[str]:
    """Return the models that the records allow: some need labels, a taxonomy or links."""
    return [space.name for space in suitable_spaces(RecordKnowledge.of_records(split.train.records, taxonomy).kinds)]


def current_model(settings: BuildSettings, split: RecordSplit) -> str:
    """Return the model of settings, with "auto" resolved."""
    return space_named(settings.model, RecordKnowledge.of_records(split.train.records, None).kinds).name
