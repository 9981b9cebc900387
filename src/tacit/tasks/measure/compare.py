"""Compare: several models side by side, on one split of a collection, asked the same questions."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tacit.checks import check_choice, check_count
from tacit.corpus.record import Record
from tacit.errors import InputError, SolverError, TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import MODELS, BuildSettings
from tacit.tasks.measure.evaluate import Evaluation, check_measurable, current_settings, measure_index, told_split
from tacit.tasks.measure.search import SearchBench
from tacit.tasks.measure.split import Split
from tacit.tasks.measure.trial_index import Features, FittedIndex, RawWords
from tacit.tasks.stages import Report, Stages

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["BASELINE", "Comparison", "applicable_models", "compare"]

BASELINE = "words"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What several models are worth on the same records.

    Attributes
    ----------
    rows : dict from name to Evaluation
        In the order asked for.
    failures : dict from name to sentence
        Models that could not be fitted, and why.
    """

    rows: dict[str, Evaluation]
    failures: dict[str, str]

    def to_facts(self) -> dict[str, Any]:
        """Give everything as plain data, as `--json` prints it."""
        return {
            "models": {name: evaluation.to_facts() for name, evaluation in self.rows.items()},
            "failures": dict(self.failures),
        }


def compare(
    collection: Collection,
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
        Names as for `build`, and "words" for the words themselves with a linear classifier, the baseline that a space
        has to beat. All that suit the records, and "words", unless given.
    test, split_field, share, queries, quick, random_state, report : as for `evaluate`

    Returns
    -------
    Comparison

    Notes
    -----
    Words, dimensions and suggester are those of the index. Its parameters go to the model it was built with; the others
    have their defaults. A model that cannot be fitted is left out, with a warning.

    Raises
    ------
    InputError
        If a model is unknown, none could be fitted, or the records cannot be split.
    """
    check_count("queries", queries)
    check_count("random_state", random_state, low=0)
    say = Stages(report)
    settings = current_settings(collection)
    asked = {name: None for name in models} if models else None
    for name in asked or ():
        check_choice("models", name, (*(known for known in MODELS if known != "auto"), BASELINE))
    split = told_split(
        say, collection, test=test, split_field=split_field, share=share, quick=quick, random_state=random_state
    )
    names = list(asked) if asked else [BASELINE, *applicable_models(split, collection.taxonomy)]
    with SearchBench(split, queries, random_state) as bench:
        check_measurable(split, bench)
        features = Features.of(split.train, settings, say)
        return _compared(names, _Trial(settings, split, bench, features, collection.taxonomy, say))


def applicable_models(split: Split, taxonomy: Taxonomy | None) -> list[str]:
    """Models that suit what the records have: all work with labels, some with a taxonomy or links."""
    names = ["lsi"]
    if any(split.train.labels):
        names += ["mlsi", "hlsi", "sle"] if taxonomy is not None else ["mlsi", "sle"]
    if any(record.links for record in split.train.records):
        names.append("mlsa")
    return names


@dataclass(frozen=True, eq=False)
class _Trial:
    """What all models share."""

    settings: BuildSettings
    split: Split
    bench: SearchBench
    features: Features
    taxonomy: Taxonomy | None
    say: Stages

    def run(self, name: str) -> Evaluation:
        start = time.perf_counter()
        index: Any
        if name == BASELINE:
            index = RawWords(self.split.train, self.settings, self.features, self.say)
        else:
            settings = replace(self.settings, model=name, parameters=self._parameters(name))
            index = FittedIndex(self.split.train, settings, self.taxonomy, self.features, self.say)
        seconds = time.perf_counter() - start
        return measure_index(index, self.split, self.bench, self.taxonomy, self.say, seconds)

    def _parameters(self, name: str) -> dict[str, Any]:
        """Those of the index if it is the same model; of "auto" it is known only what it became."""
        current = self.settings.model
        if current == "auto":
            linked = any(record.links for record in self.split.train.records)
            current = "mlsa" if linked else "mlsi" if any(self.split.train.labels) else "lsi"
        return dict(self.settings.parameters) if name == current else {}


def _compared(names: Sequence[str], trial: _Trial) -> Comparison:
    rows: dict[str, Evaluation] = {}
    failures: dict[str, str] = {}
    for name in names:
        try:
            rows[name] = trial.run(name)
        except (InputError, SolverError) as error:
            failures[name] = str(error)
    if not rows:
        first = next(iter(failures.items()))
        raise InputError(
            f"models could not be fitted: got {', '.join(failures)}, and {first[0]} failed with: {first[1]}"
        )
    for name, sentence in failures.items():
        warnings.warn(f"{name} is left out of the comparison: {sentence}", TacitWarning, stacklevel=3)
    return Comparison(rows, failures)
