"""Evaluate: what an index of these records, with these settings, is worth on records that it has not seen."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.measure.search import SearchBench, SearchMeasures
from tacit.tasks.measure.split import Split, split_records
from tacit.tasks.measure.suggest import SuggestMeasures, measure_suggestions
from tacit.tasks.measure.trial_index import Features, FittedIndex, Measured
from tacit.tasks.stages import Report, Stages

if TYPE_CHECKING:
    from tacit.tasks.collection import Collection

__all__ = ["QUICK_RECORDS", "Evaluation", "current_settings", "evaluate", "measure_index", "notes_of"]

QUICK_RECORDS = 5_000


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What was measured, on what.

    Attributes
    ----------
    model : str
    n_dimensions : int
    n_train, n_test : int
        Records learned from, and held out.
    how : str
        How they were told apart.
    suggest : SuggestMeasures or None
        None without labels.
    search : SearchMeasures or None
        None if there was nothing to ask.
    fit_seconds, measure_seconds : float
    notes : tuple of str
        What to keep in mind when the numbers are read.
    """

    model: str
    n_dimensions: int
    n_train: int
    n_test: int
    how: str
    suggest: SuggestMeasures | None
    search: SearchMeasures | None
    fit_seconds: float
    measure_seconds: float
    notes: tuple[str, ...] = ()

    def to_facts(self) -> dict[str, Any]:
        """Give everything as plain data, as `--json` prints it."""
        return {
            "model": self.model,
            "dimensions": self.n_dimensions,
            "train_records": self.n_train,
            "test_records": self.n_test,
            "split": self.how,
            "suggest": None if self.suggest is None else self.suggest.to_facts(),
            "search": None if self.search is None else self.search.to_facts(),
            "fit_seconds": round(self.fit_seconds, 2),
            "measure_seconds": round(self.measure_seconds, 2),
            "notes": list(self.notes),
        }


def evaluate(
    collection: Collection,
    *,
    test: Iterable[Record] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    queries: int = 200,
    quick: bool = False,
    settings: BuildSettings | None = None,
    random_state: int = 0,
    report: Report | None = None,
) -> Evaluation:
    """Fit the settings of an index to a part of its records, and measure suggestions and search on the rest.

    The index itself is not changed and not asked: it has seen all its records.

    Parameters
    ----------
    collection : an open index
    test : records, optional
        Judge by these, for instance from `read_records`, and learn from all records of the index with other ids.
    split_field : str, optional
        A field of the records that says "train" or "test".
    share : float, default 0.2
        Else: part of the records with labels that is held out by chance, at most 10,000 of them.
    queries : int, default 200
        Most questions of each kind that the search is asked.
    quick : bool, default False
        Use 5,000 records at most: sooner, with lower numbers than the whole collection would give.
    settings : BuildSettings, optional
        Those of the index unless given.
    random_state : int, default 0
        Seed of the split and of the choice of questions.
    report : callable, optional
        Called with a `Stage` when a stage begins, goes on and ends.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If the records cannot be split, or there is nothing to measure: neither labels nor titles.
    """
    check_count("queries", queries)
    check_count("random_state", random_state, low=0)
    say = Stages(report)
    split = told_split(
        say, collection, test=test, split_field=split_field, share=share, quick=quick, random_state=random_state
    )
    settings = settings or current_settings(collection)
    with SearchBench(split, queries, random_state) as bench:
        check_measurable(split, bench)
        start = time.perf_counter()
        features = Features.of(split.train, settings, say)
        index = FittedIndex(split.train, settings, collection.taxonomy, features, say)
        return measure_index(index, split, bench, collection.taxonomy, say, time.perf_counter() - start)


def told_split(say: Stages, collection: Collection, *, quick: bool, **how: Any) -> Split:
    """Read and split the records, and say so."""
    say.begin("reading")
    split = split_records(collection, most=QUICK_RECORDS if quick else None, **how)
    say.end(f"{len(split.train):,} records to learn from, {len(split.test):,} held out")
    return split


def check_measurable(split: Split, bench: SearchBench) -> None:
    """Raise if there is nothing that a measure could be about."""
    if bench.is_empty and not any(split.test.labels):
        raise InputError(
            "the records have nothing to measure by: got neither labels nor titles, expected one of them. Build the "
            "index with a column of labels or of titles."
        )


def measure_index(
    index: Measured, split: Split, bench: SearchBench, taxonomy: Taxonomy | None, say: Stages, fit_seconds: float
) -> Evaluation:
    """Measure something that was fitted."""
    start = time.perf_counter()
    suggest = measure_suggestions(index, split.test, taxonomy)
    search = bench.measure(index, say)
    return Evaluation(
        index.name,
        index.n_dimensions,
        len(split.train),
        len(split.test),
        split.how,
        suggest,
        search,
        fit_seconds,
        time.perf_counter() - start,
        notes_of(split, suggest, search),
    )


def current_settings(collection: Collection) -> BuildSettings:
    """How an index was built."""
    return BuildSettings.from_facts(collection.settings["build"])


def notes_of(split: Split, suggest: SuggestMeasures | None, search: SearchMeasures | None) -> tuple[str, ...]:
    """What to keep in mind when the numbers are read."""
    notes = []
    if suggest is None:
        notes.append("Suggestions were not measured: there are no labels, or no suggester.")
    elif suggest.n_unlearned:
        notes.append(
            f"{suggest.n_unlearned:,} of {suggest.n_labels:,} labels of the held-out records are on no record that was "
            "learned from: they count as missed."
        )
    n_bare = sum(1 for names in split.test.labels if not names)
    if suggest is not None and n_bare:
        notes.append(f"{n_bare:,} of {len(split.test):,} held-out records have no labels: they are not judged.")
    if suggest is not None and suggest.n_records < _FEW:
        notes.append(f"Only {suggest.n_records:,} records were judged: differences of a few hundredths are chance.")
    if search is not None and not search.n_overlap:
        notes.append("Search by shared labels was not measured: no held-out record shares a label with another.")
    if search is not None and not search.n_titles:
        why = "titles have no vectors" if split.train.vectors is not None else "no held-out record has title and text"
        notes.append(f"Search by title was not measured: {why}.")
    return tuple(notes)


_FEW = 100
