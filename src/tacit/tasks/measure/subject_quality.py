"""Quality of suggestions subject by subject: which are never suggested, suggested too often, or confused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.evaluate.measures.ranked_lists import first_ranked
from tacit.tasks.measure.suggestion_quality import JudgedSuggestions
from tacit.types import IntArray

__all__ = ["ConfusedPair", "Diagnosis", "SubjectRow", "diagnose", "subject_rows"]

_FIRST = 10  # suggestions of a record that count as suggested
_SHOWN = 5
_MOST_RIGHT, _LEAST_WRONG = 1 / 3, 3  # share of right choices, and number of wrong ones, of subjects chosen too often
_LEAST_CONFUSED = 2  # records in which a pair is confused: a single one is chance


@dataclass(frozen=True)
class SubjectRow:
    """Quality of the suggestions of one subject.

    Attributes
    ----------
    label, title : str
    n_train : int
        Records to learn from that have it.
    n_held_out : int
        Held-out records that have it.
    n_suggested : int
        Held-out records for which it is among the first ten suggestions, or chosen.
    n_chosen, n_right, n_missed : int
        Held-out records for which it is chosen, chosen rightly, and not chosen although they have it.
    precision, recall, f1 : float or None
        Of the choices; None for precision if it is never chosen, for recall if no held-out record has it.
    """

    label: str
    title: str
    n_train: int
    n_held_out: int
    n_suggested: int
    n_chosen: int
    n_right: int
    n_missed: int

    @property
    def precision(self) -> float | None:
        """Share of the choices that are right; None if it is never chosen."""
        return self.n_right / self.n_chosen if self.n_chosen else None

    @property
    def recall(self) -> float | None:
        """Share of the records with the subject for which it is chosen; None if there are none."""
        return self.n_right / self.n_held_out if self.n_held_out else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both; None if it neither occurs nor is chosen."""
        n = self.n_chosen + self.n_held_out
        return 2 * self.n_right / n if n else None

    def to_facts(self) -> dict[str, Any]:
        """Return the row as plain data: the columns of `--per-subject`."""
        facts = {name.removeprefix("n_"): value for name, value in asdict(self).items()}
        rates = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return facts | {name: None if rate is None else round(rate, 4) for name, rate in rates.items()}


@dataclass(frozen=True)
class ConfusedPair:
    """A subject that is missed where another one is chosen wrongly, and the number of held-out records."""

    missed: SubjectRow
    chosen: SubjectRow
    n_records: int


@dataclass(frozen=True)
class Diagnosis:
    """What is wrong with the suggestions, in a few subjects.

    Attributes
    ----------
    n_never : int
        Subjects of held-out records that are never suggested.
    never : tuple of SubjectRow
        The five most frequent of these.
    too_often : tuple of SubjectRow
        At most five subjects that are chosen far more often than rightly, those with the most wrong choices.
    confused : tuple of ConfusedPair
        At most five pairs of a missed subject and one that is chosen wrongly for the same records.
    n_unchosen, n_records : int
        Held-out records for which no subject is chosen, and all of them.
    """

    n_never: int
    never: tuple[SubjectRow, ...]
    too_often: tuple[SubjectRow, ...]
    confused: tuple[ConfusedPair, ...]
    n_unchosen: int
    n_records: int

    def to_facts(self) -> dict[str, Any]:
        """Return the diagnosis as plain data."""
        return {
            "records": self.n_records,
            "records_without_choice": self.n_unchosen,
            "never_suggested": self.n_never,
            "most_frequent_never_suggested": [row.to_facts() for row in self.never],
            "chosen_too_often": [row.to_facts() for row in self.too_often],
            "confused": [
                {
                    "missed": {"label": pair.missed.label, "title": pair.missed.title},
                    "chosen": {"label": pair.chosen.label, "title": pair.chosen.title},
                    "records": pair.n_records,
                }
                for pair in self.confused
            ],
        }


def subject_rows(
    judged: JudgedSuggestions, train_labels: Iterable[Sequence[str]], title: Callable[[str], str]
) -> tuple[SubjectRow, ...]:
    """Count each subject that a record has or that is suggested: those of the most held-out records first.

    Parameters
    ----------
    judged : suggestions for held-out records
    train_labels : labels of each record to learn from
    title : returns the title of a label
    """
    n_train: dict[str, int] = {}
    for labels in train_labels:
        for label in labels:
            n_train[label] = n_train.get(label, 0) + 1
    truth, chosen = judged.truth, judged.chosen
    first = first_ranked(judged.scores, _FIRST)
    width = np.int64(truth.n_labels)
    row, column = chosen.indicator.nonzero()
    listed = np.unique(np.concatenate([first.record * width + first.label, row * width + column]))
    n_suggested = np.bincount(listed % width, minlength=truth.n_labels)
    n_right = np.asarray(truth.indicator.multiply(chosen.indicator).sum(axis=0)).ravel()
    counts = zip(judged.names, truth.counts, n_suggested, chosen.counts, n_right, strict=True)
    rows = [
        SubjectRow(
            label,
            title(label),
            n_train.get(label, 0),
            int(n_true),
            int(n_listed),
            int(n_chosen),
            int(right),
            int(n_true - right),
        )
        for label, n_true, n_listed, n_chosen, right in counts
        if n_true or n_listed or label in n_train
    ]
    return tuple(sorted(rows, key=lambda row: (-row.n_held_out, -row.n_train, row.title, row.label)))


def diagnose(judged: JudgedSuggestions, rows: Sequence[SubjectRow]) -> Diagnosis:
    """Find the subjects that a librarian should look at."""
    never = [row for row in rows if row.n_held_out and not row.n_suggested]
    too_often = [
        row for row in rows if row.n_chosen - row.n_right >= _LEAST_WRONG and row.n_right <= _MOST_RIGHT * row.n_chosen
    ]
    too_often.sort(key=lambda row: (row.n_right - row.n_chosen, row.title, row.label))
    by_label = {row.label: row for row in rows}
    names = judged.names
    pairs = [
        ConfusedPair(by_label[names[missed]], by_label[names[wrong]], n_records)
        for missed, wrong, n_records in _confused(judged)
    ]
    return Diagnosis(
        len(never),
        tuple(never[:_SHOWN]),
        tuple(too_often[:_SHOWN]),
        tuple(pairs),
        int(np.count_nonzero(np.diff(judged.chosen.indicator.indptr) == 0)),
        judged.truth.n_records,
    )


def _confused(judged: JudgedSuggestions) -> list[tuple[int, int, int]]:
    """Return the pairs of a missed and a wrongly chosen subject that share the most records, and how many."""
    truth, chosen = (labels.indicator.astype(np.int32) for labels in (judged.truth, judged.chosen))
    right = sp.csr_array(truth.multiply(chosen))
    missed, wrong = sp.csr_array(truth - right), sp.csr_array(chosen - right)
    for part in (missed, wrong):
        part.eliminate_zeros()
    together = sp.coo_array(sp.csc_array(missed).T @ wrong)
    often = np.flatnonzero(together.data >= _LEAST_CONFUSED)
    one: IntArray = together.row[often].astype(np.int64)
    other: IntArray = together.col[often].astype(np.int64)
    n_records: IntArray = together.data[often].astype(np.int64)
    best = np.lexsort((other, one, -n_records))[:_SHOWN]
    return [(int(one[place]), int(other[place]), int(n_records[place])) for place in best]
