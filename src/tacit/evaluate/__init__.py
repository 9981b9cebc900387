"""Measures of predicted labels, rankings, search, recommendations and clusters, and comparisons of models.

Where scikit-learn has a measure, the results are equal, as the tests check. Added are counts of labels that could not
be learned or measured, measures that use a taxonomy, and sparse arithmetic for 100,000 records with 1,000 labels.
"""

from tacit.evaluate.compare.models import compare_models
from tacit.evaluate.compare.result import ModelComparison
from tacit.evaluate.held_out import HeldOut, hold_out
from tacit.evaluate.measures.annotation import AtK, SetScores, annotation_at_k, annotation_sets
from tacit.evaluate.measures.calibration import calibration_error
from tacit.evaluate.measures.clusters import ari, clustering_f, clustering_report, nmi
from tacit.evaluate.measures.hierarchy import (
    HierarchicalF1,
    Level,
    LevelReport,
    TreeDistance,
    hierarchical_f1,
    level_report,
    tree_distance,
)
from tacit.evaluate.measures.labels import AUCScores, F1Scores, auc, f1, label_report
from tacit.evaluate.measures.ranking import ndcg_at_k, overlap_ndcg, precision_at_k
from tacit.evaluate.measures.recommendation import (
    HalfLifeUtility,
    TopK,
    coverage,
    half_life_utility,
    precision_recall_ndcg,
    ranking_scores,
)
from tacit.evaluate.weight_search import WeightChoice, WeightTrial, choose_weights

__all__ = [
    "AUCScores", "AtK", "F1Scores", "HalfLifeUtility", "HeldOut", "HierarchicalF1", "Level", "LevelReport",
    "ModelComparison", "SetScores", "TopK", "TreeDistance", "WeightChoice", "WeightTrial", "annotation_at_k",
    "annotation_sets", "ari", "auc", "calibration_error", "choose_weights", "clustering_f", "clustering_report",
    "compare_models", "coverage", "f1", "half_life_utility", "hierarchical_f1", "hold_out", "label_report",
    "level_report", "ndcg_at_k", "nmi", "overlap_ndcg", "precision_at_k", "precision_recall_ndcg", "ranking_scores",
    "tree_distance",
]  # fmt: skip
