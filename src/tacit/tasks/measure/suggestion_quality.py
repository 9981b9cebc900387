"""Quality of suggested labels for held-out records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import is_sparse
from tacit.evaluate.measures.annotation import AtK, SetScores, annotation_at_k, annotation_sets
from tacit.evaluate.measures.calibration import calibration_error
from tacit.evaluate.measures.hierarchy import hierarchical_f1, tree_distance
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.views import widened
from tacit.tasks.measure.split import RecordSet
from tacit.tasks.measure.trial_index import TrialIndex
from tacit.tasks.stage_progress import StageReporter

__all__ = ["JudgedSuggestions", "SuggestMeasures", "judge_suggestions", "measure_judged", "measure_suggestions"]

_KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class HierarchyScores:
    """Quality of the chosen sets if a prediction near the truth is better than one far from it.

    Attributes
    ----------
    precision, recall, f1 : float
        Of label sets with their ancestors, over all decisions.
    mistake_distance : float
        Mean number of taxonomy edges from a mistake to the nearest true label.
    """

    precision: float
    recall: float
    f1: float
    mistake_distance: float


@dataclass(frozen=True, eq=False)
class SuggestMeasures:
    """Quality of suggestions.

    Attributes
    ----------
    at : tuple of AtK
        The first 1, 3, 5 and 10 suggestions.
    chosen : SetScores
        The sets of labels above their thresholds.
    hierarchy : HierarchyScores or None
        The same sets with the taxonomy, if there is one.
    n_records, n_labels, n_unlearned : int
        Numbers of held-out records with labels, of their labels, and of labels that no training record has.
    n_named : int
        How many of the labels that no training record has can be suggested by their names.
    calibration_error : float or None
        Expected calibration error of the first ten suggestions, in 15 bins; None if there are no probabilities.
    """

    at: tuple[AtK, ...]
    chosen: SetScores
    hierarchy: HierarchyScores | None
    n_records: int
    n_labels: int
    n_unlearned: int
    n_named: int = 0
    calibration_error: float | None = None

    @property
    def as_annif(self) -> dict[str, float]:
        """The measures that Annif's `eval` is usually read for, by the names that they have there."""
        at = {row.k: row for row in self.at}
        return {
            "Precision@1": at[1].precision,
            "F1@5": at[5].f1,
            "NDCG@5": at[5].ndcg,
            "NDCG@10": at[10].ndcg,
        }

    def by_name(self) -> dict[str, float]:
        """Return the usual measures by their names, as in tables and data frames."""
        sets, tree = self.chosen, self.hierarchy
        measures = {**self.as_annif, "F1 of sets": sets.f1, "micro F1": sets.micro_f1, "macro F1": sets.macro_f1}
        measures |= {} if tree is None else {"taxonomy F1": tree.f1}
        return measures | ({} if self.calibration_error is None else {"calibration error": self.calibration_error})

    def to_facts(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        facts: dict[str, Any] = {"records": self.n_records, "labels": self.n_labels, "unlearned": self.n_unlearned}
        facts["named"] = self.n_named
        facts["annif"] = {name: round(value, 6) for name, value in self.as_annif.items()}
        facts["at"] = {str(row.k): _rounded(row, ("precision", "recall", "f1", "ndcg")) for row in self.at}
        facts["chosen"] = _rounded(self.chosen)
        facts["hierarchical"] = None if self.hierarchy is None else _rounded(self.hierarchy)
        facts["calibration_error"] = None if self.calibration_error is None else round(self.calibration_error, 6)
        return facts


@dataclass(frozen=True, eq=False)
class JudgedSuggestions:
    """Labels suggested for held-out records, beside the true ones, in the same columns.

    Attributes
    ----------
    truth : LabelMatrix
        Labels of the held-out records that have any.
    scores : array or CSR matrix
        Minus infinity, and what is not stored, is not suggested.
    chosen : LabelMatrix
    n_learned, n_known : int
        The first columns are labels that training records have, then those that are known by their names alone; the
        others cannot be suggested.
    are_probabilities : bool
        Whether the scores are probabilities.
    """

    truth: LabelMatrix
    scores: Any
    chosen: LabelMatrix
    n_learned: int
    n_known: int
    are_probabilities: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Labels of the columns."""
        return tuple(map(str, self.truth.names))


def judge_suggestions(index: TrialIndex, test: RecordSet, say: StageReporter | None = None) -> JudgedSuggestions | None:
    """Suggest labels for the held-out records that have labels; None if there are none, or no suggester."""
    rows = [row for row, names in enumerate(test.labels) if names]
    if not rows or not index.label_names:
        return None
    asked = test[rows]
    answer = index.suggest(index.features.rows(asked), [record.text for record in asked.records], say)
    if answer is None:
        return None
    known = set(index.label_names)
    names = (*index.label_names, *sorted({name for labels in asked.labels for name in labels} - known))
    scores, chosen = (_with_columns(part, len(names), empty) for part, empty in zip(answer, (-np.inf, 0), strict=True))
    return JudgedSuggestions(
        LabelMatrix.from_sets(asked.labels, names),
        scores,
        LabelMatrix.from_matrix(chosen.astype(np.int8), names),
        index.n_learned,
        len(index.label_names),
        index.gives_probabilities,
    )


def measure_judged(judged: JudgedSuggestions, taxonomy: Taxonomy | None = None) -> SuggestMeasures:
    """Measure suggestions that were judged."""
    truth, chosen = judged.truth, judged.chosen
    sets, hierarchy = annotation_sets(truth, chosen), None
    if taxonomy is not None:
        taxonomy = widened(taxonomy, truth)
        found, distance = hierarchical_f1(truth, chosen, taxonomy), tree_distance(truth, chosen, taxonomy)
        hierarchy = HierarchyScores(found.precision, found.recall, found.f1, distance.mean)
    occurs = truth.counts > 0
    return SuggestMeasures(
        annotation_at_k(truth, judged.scores, _KS),
        sets,
        hierarchy,
        n_records=truth.n_records,
        n_labels=sets.n_labels,
        n_unlearned=int(np.count_nonzero(occurs[judged.n_learned :])),
        n_named=int(np.count_nonzero(occurs[judged.n_learned : judged.n_known])),
        calibration_error=calibration_error(truth, judged.scores) if judged.are_probabilities else None,
    )


def measure_suggestions(index: TrialIndex, test: RecordSet) -> SuggestMeasures | None:
    """Suggest labels for held-out records and compare them with the true ones; None if either has no labels."""
    judged = judge_suggestions(index, test)
    return None if judged is None else measure_judged(judged)


def _with_columns(values: Any, n_columns: int, empty: float) -> Any:
    """Return dense or sparse values with further columns in which nothing is suggested."""
    if is_sparse(values):
        return sp.csr_array((values.data, values.indices, values.indptr), (values.shape[0], n_columns))
    more = np.full((values.shape[0], n_columns - values.shape[1]), empty, values.dtype)
    return np.hstack([values, more])


def _rounded(measures: Any, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    plain = {name: getattr(measures, name) for name in names} if names else asdict(measures)
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in plain.items()}
