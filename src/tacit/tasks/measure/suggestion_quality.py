"""Quality of suggested labels for held-out records."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.evaluate.measures.annotation import AtK, SetScores, annotation_at_k, annotation_sets
from tacit.evaluate.measures.hierarchy import hierarchical_f1, tree_distance
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.fitting import widened
from tacit.tasks.measure.split import RecordSet
from tacit.tasks.measure.trial_index import TrialIndex

__all__ = ["SuggestMeasures", "measure_suggestions"]

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
    """

    at: tuple[AtK, ...]
    chosen: SetScores
    hierarchy: HierarchyScores | None
    n_records: int
    n_labels: int
    n_unlearned: int

    def to_facts(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        facts: dict[str, Any] = {"records": self.n_records, "labels": self.n_labels, "unlearned": self.n_unlearned}
        facts["at"] = {str(row.k): _rounded(row, ("precision", "recall", "f1", "ndcg")) for row in self.at}
        facts["chosen"] = _rounded(self.chosen)
        facts["hierarchical"] = None if self.hierarchy is None else _rounded(self.hierarchy)
        return facts


def measure_suggestions(index: TrialIndex, test: RecordSet, taxonomy: Taxonomy | None = None) -> SuggestMeasures | None:
    """Suggest labels for held-out records and compare them with the true ones; None if either has no labels."""
    rows = [row for row, names in enumerate(test.labels) if names]
    if not rows or not index.label_names:
        return None
    asked = test[rows]
    answer = index.suggest(index.features.rows(asked), [record.text for record in asked.records])
    if answer is None:
        return None
    learned = set(index.label_names)
    unlearned = sorted({name for names in asked.labels for name in names} - learned)
    names = (*index.label_names, *unlearned)
    truth = LabelMatrix.from_sets(asked.labels, names)
    n_rows, n_more = len(rows), len(unlearned)
    scores = np.hstack([answer[0], np.full((n_rows, n_more), -np.inf)])
    chosen = LabelMatrix.from_matrix(np.hstack([answer[1], np.zeros((n_rows, n_more), bool)]).astype(np.int8), names)
    sets = annotation_sets(truth, chosen)
    hierarchy = None
    if taxonomy is not None:
        taxonomy = widened(taxonomy, truth)
        found, distance = hierarchical_f1(truth, chosen, taxonomy), tree_distance(truth, chosen, taxonomy)
        hierarchy = HierarchyScores(found.precision, found.recall, found.f1, distance.mean)
    return SuggestMeasures(annotation_at_k(truth, scores, _KS), sets, hierarchy, n_rows, sets.n_labels, n_more)


def _rounded(measures: Any, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    plain = {name: getattr(measures, name) for name in names} if names else asdict(measures)
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in plain.items()}
