"""Evaluate: measure the settings of an index on records that are held out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.display import Displayed, Table, frame_of
from tacit.errors import InputError
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.label_names import title_of
from tacit.tasks.measure.renaming import RenamedIndex
from tacit.tasks.measure.search_quality import SearchMeasures, SearchTest
from tacit.tasks.measure.split import RecordSplit, split_records
from tacit.tasks.measure.subject_quality import Diagnosis, SubjectRow, diagnose, subject_rows
from tacit.tasks.measure.suggestion_quality import (
    JudgedSuggestions,
    SuggestMeasures,
    judge_suggestions,
    measure_judged,
)
from tacit.tasks.measure.trial_index import Features, FittedIndex, TrialIndex
from tacit.tasks.measure.witness_quality import WitnessMeasures, check_witnesses, measure_witnesses
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.stage_progress import Report, StageReporter

__all__ = ["Evaluation", "HeldOutTest", "current_settings", "evaluate"]

_QUICK_RECORDS = 5_000
_FEW = 100


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Displayed):
    """What was measured, and on which records.

    Attributes
    ----------
    model : str
    n_dimensions : int
    n_train, n_test : int
        Numbers of records learned from, and held out.
    how : str
        How they were split.
    suggest : SuggestMeasures or None
        None without labels.
    search : SearchMeasures or None
        None without queries.
    fit_seconds, measure_seconds : float
    notes : tuple of str
        Remarks that help to read the numbers.
    subjects : tuple of SubjectRow
        Quality of each subject that a record has or that is suggested, those of the most held-out records first; empty
        in a comparison of models.
    diagnosis : Diagnosis or None
        Subjects that are never suggested, chosen too often or confused; None if `subjects` is empty.
    witnesses : WitnessMeasures or None
        What each witness adds, if it was asked for.
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
    subjects: tuple[SubjectRow, ...] = ()
    diagnosis: Diagnosis | None = None
    witnesses: WitnessMeasures | None = None

    def _parts(self) -> Iterator[str | Table]:
        yield f"{self.model}, {self.n_dimensions} dimensions. {self.split_in_words()}"
        rows = self._rows()
        titles = {"suggest": "Suggested labels", "search": "Search"}
        for part, title in titles.items():
            shown = [(row["measure"], row["value"]) for row in rows if row["part"] == part]
            if shown:
                yield Table(("measure", "value"), shown, title)
        yield from self.notes

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"part": part, "measure": name, "value": value}
            for part, measures in (("suggest", self.suggest), ("search", self.search))
            if measures is not None
            for name, value in measures.by_name().items()
        ]

    def subjects_to_frame(self, library: str = "pandas") -> Any:
        """Return the quality of each subject as a data frame of this library, one row per subject."""
        return frame_of((row.to_facts() for row in self.subjects), library)

    def split_in_words(self) -> str:
        """Return on how many records it was measured, and how they were chosen."""
        return f"Trained on {self.n_train:,} records, tested on {self.n_test:,} others: {self.how}."

    def to_facts(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
        facts: dict[str, Any] = {
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
        if self.diagnosis is not None:
            facts["diagnosis"] = self.diagnosis.to_facts()
        if self.witnesses is not None:
            facts["witnesses"] = self.witnesses.to_facts()
        if self.subjects:
            facts["subjects"] = [row.to_facts() for row in self.subjects]
        return facts


def evaluate(
    collection: OpenedIndex,
    *,
    test: Iterable[Record] | None = None,
    split_field: str | None = None,
    share: float = 0.2,
    queries: int = 200,
    quick: bool = False,
    settings: BuildSettings | None = None,
    vocabulary: Taxonomy | None = None,
    witnesses: bool = False,
    random_state: int = 0,
    report: Report | None = None,
) -> Evaluation:
    """Fit the settings of an index to a part of its records, and measure suggestions and search on the rest.

    The index itself is neither changed nor measured: it was fitted to all its records.

    Parameters
    ----------
    collection : an open index
    test : records, optional
        Records to test on, for instance from `read_records`; all records of the index with other ids are learned from.
    split_field : str, optional
        Field of the records with the values "train" and "test".
    share : float, default 0.2
        Without `test` and `split_field`: share of the records with labels to hold out at random, at most 10,000.
    queries : int, default 200
        Maximum number of search queries of each kind.
    quick : bool, default False
        Use at most 5,000 records: faster, with lower scores than the whole collection would give.
    settings : BuildSettings, optional
        Settings to measure; those of the index by default.
    vocabulary : Taxonomy, optional
        Names of the subjects, and what is above them, to use instead of those of the index: what a refit with this
        vocabulary would give.
    witnesses : bool, default False
        Whether to measure what each witness adds to the suggestions: with small rankers, on held-out records.
    random_state : int, default 0
        Seed of the split and of the choice of queries.
    report : callable, optional
        Called with a `StageEvent` when a stage begins, advances and ends.

    Raises
    ------
    InputError
        If the records cannot be split, have neither labels nor titles, or the vocabulary has fewer than half of their
        labels; with `witnesses`, if none suggest labels, or fewer than 30 held-out records have labels.
    """
    stages = StageReporter(report)
    settings = settings or current_settings(collection)
    if vocabulary is not None:
        collection = RenamedIndex(collection, vocabulary, settings)
    how = {"test": test, "split_field": split_field, "share": share}
    with HeldOutTest(collection, stages, queries=queries, quick=quick, random_state=random_state, **how) as held_out:
        train = held_out.split.train
        start = time.perf_counter()
        features = Features.of(train, settings, stages)
        index = FittedIndex(train, settings, collection.vocabulary, features, stages, collection.label_titles)
        seconds = time.perf_counter() - start
        if witnesses:
            check_witnesses(index, held_out.split.test)
        found = held_out.measure(index, seconds, by_subject=True)
        if witnesses:
            found = replace(found, witnesses=held_out.measure_witnesses(index))
        return found


class HeldOutTest:
    """One split of an index and its search queries, the same for every model; to be used in a `with` block."""

    def __init__(
        self,
        collection: OpenedIndex,
        stages: StageReporter,
        *,
        queries: int,
        quick: bool,
        random_state: int,
        **how: Any,
    ) -> None:
        check_count("queries", queries)
        check_count("random_state", random_state, low=0)
        self._stages, self._collection, self._seed = stages, collection, random_state
        stages.begin("reading")
        most = _QUICK_RECORDS if quick else None
        self.split = split_records(collection, most=most, random_state=random_state, **how)
        stages.end(f"{len(self.split.train):,} records to learn from, {len(self.split.test):,} held out")
        if isinstance(collection, RenamedIndex):
            self.split = collection.relabelled(self.split, stages)
        self._search = SearchTest(self.split, queries, random_state)
        if self._search.is_empty and not any(self.split.test.labels):
            raise InputError(
                "the records cannot be used for measuring: got neither labels nor titles, expected one of them. Build "
                "the index with a column of labels or of titles."
            )

    def __enter__(self) -> HeldOutTest:
        return self

    def __exit__(self, *error: Any) -> None:
        self._search.__exit__(*error)

    def measure(self, index: TrialIndex, fit_seconds: float, *, by_subject: bool = False) -> Evaluation:
        """Measure suggestions and search of an index that was fitted to the training records.

        With `by_subject`, the quality of each subject is counted too.
        """
        start = time.perf_counter()
        judged = self._judged(index)
        suggest = None if judged is None else measure_judged(judged, self._collection.taxonomy)
        rows: tuple[SubjectRow, ...] = ()
        if judged is not None and by_subject:
            rows = subject_rows(judged, self.split.train.labels, partial(title_of, self._collection))
        search = self._search.measure(index, self._stages)
        return Evaluation(
            index.name,
            index.n_dimensions,
            len(self.split.train),
            len(self.split.test),
            self.split.how,
            suggest,
            search,
            fit_seconds,
            time.perf_counter() - start,
            _notes(self.split, suggest, search),
            rows,
            diagnose(judged, rows) if judged is not None and by_subject else None,
        )

    def _judged(self, index: TrialIndex) -> JudgedSuggestions | None:
        self._stages.begin("suggesting")
        judged = judge_suggestions(index, self.split.test, self._stages)
        if judged is not None:
            self._stages.end(f"labels suggested for {judged.truth.n_records:,} held-out records")
        return judged

    def measure_witnesses(self, index: TrialIndex) -> WitnessMeasures:
        """Measure what each witness of an index adds to the suggestions for the held-out records."""
        return measure_witnesses(index, self.split.test, self._stages, seed=self._seed)


def current_settings(collection: OpenedIndex) -> BuildSettings:
    """Return the settings that an index was built with."""
    return BuildSettings.from_facts(collection.settings["build"])


def _notes(split: RecordSplit, suggest: SuggestMeasures | None, search: SearchMeasures | None) -> tuple[str, ...]:
    notes = []
    if suggest is None:
        notes.append("Suggestions were not measured: there are no labels, or no suggester.")
    else:
        if suggest.n_unlearned:
            notes.append(
                f"{suggest.n_unlearned:,} of {suggest.n_labels:,} labels of the held-out records are on no training "
                f"record: {_fate(suggest)}."
            )
        n_without = sum(1 for names in split.test.labels if not names)
        if n_without:
            notes.append(f"{n_without:,} of {len(split.test):,} held-out records have no labels: they do not count.")
        if suggest.n_records < _FEW:
            notes.append(f"Only {suggest.n_records:,} records were tested: differences of a few hundredths are random.")
    if search is not None and not search.n_overlap:
        notes.append("Search by shared labels was not measured: no held-out record shares a label with another.")
    if search is not None and not search.n_titles:
        why = "no held-out record has title and text" if split.train.by_words else "titles have no vectors"
        notes.append(f"Search by title was not measured: {why}.")
    return tuple(notes)


def _fate(suggest: SuggestMeasures) -> str:
    """Return what becomes of labels that no training record has."""
    if not suggest.n_named:
        return "they count as missed"
    if suggest.n_named == suggest.n_unlearned:
        return "they can be found by their names"
    return f"{suggest.n_named:,} of them can be found by their names, the others count as missed"
