"""How good the suggested labels are, for records that were held out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tacit.evaluate.measures.annotation import AtK, SetScores, annotation_at_k, annotation_sets
from tacit.evaluate.measures.hierarchy import hierarchical_f1, tree_distance
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.measure.split import Part
from tacit.tasks.measure.trial_index import Measured

__all__ = ["KS", "HierarchyScores", "SuggestMeasures", "measure_suggestions"]

KS = (1, 3, 5, 10)


@dataclass(frozen=True)
class HierarchyScores:
    """What the chosen sets are worth where half right counts.

    Attributes
    ----------
    precision, recall, f1 : float
        Of label sets that were completed by what lies above them, over all decisions.
    mistake_distance : float
        Edges of the taxonomy from a mistake to the nearest truth, on average.
    """

    precision: float
    recall: float
    f1: float
    mistake_distance: float


@dataclass(frozen=True, eq=False)
class SuggestMeasures:
    """What suggestions are worth.

    Attributes
    ----------
    at : tuple of AtK
        The first 1, 3, 5 and 10 suggestions.
    chosen : SetScores
        The sets that the labels' own thresholds choose.
    hierarchy : HierarchyScores or None
        The same sets with the taxonomy, if there is one.
    n_records, n_labels, n_unlearned : int
        Held-out records with labels, their labels, and those among them that no record to learn from had.
    """

    at: tuple[AtK, ...]
    chosen: SetScores
    hierarchy: HierarchyScores | None
    n_records: int
    n_labels: int
    n_unlearned: int

    def to_facts(self) -> dict[str, Any]:
        """Give the measures as plain data."""
        facts: dict[str, Any] = {"records": self.n_records, "labels": self.n_labels, "unlearned": self.n_unlearned}
        facts["at"] = {str(row.k): _rounded(row, ("precision", "recall", "f1", "ndcg")) for row in self.at}
        facts["chosen"] = _rounded(self.chosen)
        facts["hierarchical"] = None if self.hierarchy is None else _rounded(self.hierarchy)
        return facts


def measure_suggestions(index: Measured, test: Part, taxonomy: Taxonomy | None = None) -> SuggestMeasures | None:
    """Suggest labels for held-out records and compare with those they have; None if there is nothing to compare."""
    rows = [row for row, names in enumerate(test.labels) if names]
    if not rows or not index.label_names:
        return None
    asked = test[rows]
    answer = index.suggest(index.features.rows(asked))
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
    hierarchy = None if taxonomy is None else _hierarchy(truth, chosen, taxonomy)
    return SuggestMeasures(annotation_at_k(truth, scores, KS), sets, hierarchy, n_rows, sets.n_labels, n_more)


def _hierarchy(truth: LabelMatrix, chosen: LabelMatrix, taxonomy: Taxonomy) -> HierarchyScores:
    whole = _with_strangers(taxonomy, truth.names)
    found = hierarchical_f1(truth, chosen, whole)
    return HierarchyScores(found.precision, found.recall, found.f1, tree_distance(truth, chosen, whole).mean)


def _with_strangers(taxonomy: Taxonomy, names: tuple[Any, ...]) -> Taxonomy:
    """The taxonomy with labels that it does not have as further roots."""
    strangers = [name for name in names if name not in taxonomy]
    if not strangers:
        return taxonomy
    parents = {name: taxonomy.parents(name) for name in taxonomy}
    return Taxonomy.from_parents({**parents, **dict.fromkeys(strangers, ())})


def _rounded(measures: Any, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    plain = {name: getattr(measures, name) for name in names} if names else asdict(measures)
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in plain.items()}
