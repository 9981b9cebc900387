"""Measures of predicted labels that form a taxonomy: a prediction near the truth is better than one far from it.

A flat measure counts a story about "bonds" with the label "equities" as wrong as one with the label "sports". The
measures here use the distances between labels. Labels are names of nodes of a `Taxonomy`, with one or several parents.
Records whose true labels are unknown are left out; an unknown prediction counts as no label.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_rows, shown
from tacit.errors import InputError, TacitWarning, did_you_mean
from tacit.evaluate.measures.alignment import aligned_labels, has_no_names, move_columns
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.types import BoolArray, Float64Array, IntArray

__all__ = ["HierarchicalF1", "Level", "LevelReport", "TreeDistance", "hierarchical_f1", "level_report", "tree_distance"]


@dataclass(frozen=True)
class HierarchicalF1:
    """Precision, recall and F1 of label sets with their ancestors.

    Attributes
    ----------
    precision, recall, f1 : float
        Over all decisions together: records with many labels, and deep ones, weigh more.
    mean_precision, mean_recall, mean_f1 : float
        Means over records: precision over the records with a prediction, recall over those with a true
        label, F1 over those with either.
    per_record : array of shape (n_records,)
        F1 of each record; NaN if its labels are unknown, or it has neither a label nor a prediction.
    n_records : int
        Number of records that have an F1.
    """

    precision: float
    recall: float
    f1: float
    mean_precision: float
    mean_recall: float
    mean_f1: float
    per_record: Float64Array
    n_records: int


@dataclass(frozen=True)
class TreeDistance:
    """Distances of mistakes from the truth, in edges of the taxonomy.

    Attributes
    ----------
    mean : float
        Over all mistakes; 0 if there are none.
    mean_wrong, mean_missed : float
        Over the wrongly predicted labels, and over the missed ones; 0 if there are none.
    histogram : int array
        `histogram[d]` is the number of mistakes that are d edges away.
    n_wrong, n_missed, n_right : int
        Numbers of labels predicted wrongly, not predicted, and predicted rightly.
    """

    mean: float
    mean_wrong: float
    mean_missed: float
    histogram: IntArray
    n_wrong: int
    n_missed: int
    n_right: int


@dataclass(frozen=True)
class Level:
    """Quality of predictions among the nodes of one depth.

    Attributes
    ----------
    depth : int
        Edges on the longest path from a root.
    n_nodes, n_judged : int
        Nodes of this depth, and those of them that occur or are predicted.
    n_records : int
        Records with a true label at one of the nodes, or below.
    precision, recall, micro_f1 : float
        Over all decisions about these nodes together.
    macro_f1 : float
        Mean over the judged nodes; NaN if there are none.
    """

    depth: int
    n_nodes: int
    n_judged: int
    n_records: int
    precision: float
    recall: float
    micro_f1: float
    macro_f1: float


@dataclass(frozen=True)
class LevelReport:
    """One `Level` for each depth of a taxonomy, from the roots down."""

    levels: tuple[Level, ...]

    def text(self) -> str:
        """Return the levels as a text table."""
        lines = ["depth  nodes  judged  records  precision  recall  micro F1  macro F1"]
        lines += [
            f"{row.depth:5d}  {row.n_nodes:5d}  {row.n_judged:6d}  {row.n_records:7d}  {row.precision:9.3f}  "
            f"{row.recall:6.3f}  {row.micro_f1:8.3f}  {row.macro_f1:8.3f}"
            for row in self.levels
        ]
        return "\n".join(lines)


def hierarchical_f1(y_true: Any, y_pred: Any, taxonomy: Taxonomy, *, roots: bool | None = None) -> HierarchicalF1:
    """Measure predicted labels by F1 after adding the ancestors of each label.

    With T and P a record's true and predicted labels and all nodes above them, summed over the records:
        hP = Σ|P ∩ T| / Σ|P|,  hR = Σ|P ∩ T| / Σ|T|,  hF = 2 hP hR / (hP + hR)

    Parameters
    ----------
    y_true, y_pred : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        Names are nodes of the taxonomy. A matrix without names has one column for each node, in the taxonomy's order,
        or the columns of the other argument, if that one has names.
    taxonomy : Taxonomy
    roots : bool, optional
        Whether roots count. By default they do unless there is only one: a single root is always predicted rightly,
        which raises every score; several roots are classes like others.

    Returns
    -------
    HierarchicalF1
        Precision is 0 without predictions, recall 0 without true labels; all are NaN without either.

    References
    ----------
    Kiritchenko, Matwin, Nock and Famili (2006), Learning and evaluation in the presence of class hierarchies.
    Silla and Freitas (2011), A survey of hierarchical classification across different application domains.
    """
    pair = _read_nodes(y_true, y_pred, taxonomy)
    counted = np.ones(len(taxonomy.names))
    if not (len(taxonomy.roots) > 1 if roots is None else roots):
        counted[taxonomy.columns(taxonomy.roots)] = 0.0
    truth, predicted = _expanded(pair.truth, taxonomy), _expanded(pair.predicted, taxonomy)
    n_hit, n_true, n_predicted = truth.multiply(predicted) @ counted, truth @ counted, predicted @ counted
    judged = n_true + n_predicted > 0
    if not judged.any():
        warnings.warn(
            f"Nothing can be measured: none of {pair.known.size} records has a known label or a prediction that "
            "counts, so the hierarchical F1 is NaN.",
            TacitWarning,
            stacklevel=2,
        )
    per_record = np.full(pair.known.size, np.nan)
    per_record[np.flatnonzero(pair.known)[judged]] = 2 * n_hit[judged] / (n_true + n_predicted)[judged]
    precision, recall, f1 = _rates(n_hit.sum(), n_predicted.sum(), n_true.sum())
    return HierarchicalF1(
        precision,
        recall,
        f1,
        mean_precision=_mean_rate(n_hit, n_predicted, judged),
        mean_recall=_mean_rate(n_hit, n_true, judged),
        mean_f1=_mean_rate(2 * n_hit, n_predicted + n_true, judged),
        per_record=per_record,
        n_records=int(np.count_nonzero(judged)),
    )


def tree_distance(y_true: Any, y_pred: Any, taxonomy: Taxonomy) -> TreeDistance:
    """Measure how far mistakes are from the truth, in edges of the taxonomy.

    The distance of a wrongly predicted label is that to the nearest true label of its record; the distance of a missed
    label is that to the nearest predicted one. If there is none, it is the distance to a virtual root one edge above
    all roots. So no prediction is nearer than a prediction in another tree.

    Parameters
    ----------
    y_true, y_pred : LabelMatrix, 0/1 matrix (dense or sparse), or label sets
        As for `hierarchical_f1`. Ancestors are not added: expand both with `Taxonomy.expand`, or neither, since the
        ancestors of a true label count as wrong if only the prediction has them.
    taxonomy : Taxonomy
    """
    pair = _read_nodes(y_true, y_pred, taxonomy)
    right = sp.csr_array(pair.truth.multiply(pair.predicted))
    wrong = _nearest(sp.csr_array(pair.predicted - right), pair.truth, taxonomy)
    missed = _nearest(sp.csr_array(pair.truth - right), pair.predicted, taxonomy)
    both = np.concatenate([wrong, missed])
    mean, mean_wrong, mean_missed = (float(part.mean()) if part.size else 0.0 for part in (both, wrong, missed))
    histogram = np.bincount(both, minlength=1).astype(np.int64)
    return TreeDistance(mean, mean_wrong, mean_missed, histogram, wrong.size, missed.size, int(right.sum()))


def level_report(y_true: Any, y_pred: Any, taxonomy: Taxonomy) -> LevelReport:
    """Measure each depth of the taxonomy separately, after adding the ancestors of each label.

    Shows where a method fails: near the roots, or only in the fine distinctions below. Parameters as for
    `hierarchical_f1`.

    Returns
    -------
    LevelReport
        Nodes that neither occur nor are predicted are not in the macro F1: a large taxonomy has many of them.
    """
    pair = _read_nodes(y_true, y_pred, taxonomy)
    truth, predicted = _expanded(pair.truth, taxonomy), _expanded(pair.predicted, taxonomy)
    hits, true, predicted_counts = (
        np.asarray(part.sum(axis=0), np.float64).ravel() for part in (truth.multiply(predicted), truth, predicted)
    )
    depths = np.asarray(taxonomy.depths)
    levels = []
    for depth in range(int(depths.max(initial=-1)) + 1):
        here = depths == depth
        judged = here & (true + predicted_counts > 0)
        rates = _rates(hits[here].sum(), predicted_counts[here].sum(), true[here].sum())
        macro = float((2 * hits[judged] / (true + predicted_counts)[judged]).mean()) if judged.any() else float("nan")
        n_records = int(np.count_nonzero(truth @ here.astype(float)))
        levels.append(
            Level(depth, int(np.count_nonzero(here)), int(np.count_nonzero(judged)), n_records, *rates, macro)
        )
    return LevelReport(tuple(levels))


def _expanded(placed: sp.csr_array, taxonomy: Taxonomy) -> sp.csr_array:
    expanded = sp.csr_array(placed @ taxonomy.closure)
    expanded.data[:] = 1.0  # two labels below one ancestor add it twice
    return expanded


def _rates(hits: float, predicted: float, true: float) -> tuple[float, float, float]:
    """Precision, recall and F1 from three counts."""
    if predicted + true == 0:
        return float("nan"), float("nan"), float("nan")
    return float(hits / max(predicted, 1.0)), float(hits / max(true, 1.0)), float(2 * hits / (predicted + true))


def _mean_rate(hits: Float64Array, sizes: Float64Array, judged: BoolArray) -> float:
    """Mean of hits / size over the records with a size; if none has one, 0, or NaN if no record can be judged."""
    sized = sizes > 0
    if not sized.any():
        return 0.0 if judged.any() else float("nan")
    return float((hits[sized] / sizes[sized]).mean())


_BLOCK = 2_000_000  # distances held at a time


def _nearest(mistakes: sp.csr_array, others: sp.csr_array, taxonomy: Taxonomy) -> IntArray:
    """Distance of each mistake to the nearest label that `others` has in the same record."""
    mistakes.eliminate_zeros()
    nodes = mistakes.indices.astype(np.int64)
    rows = np.repeat(np.arange(mistakes.shape[0]), np.diff(mistakes.indptr))
    nearest = _rise(taxonomy)[nodes]
    n_other = np.diff(others.indptr)[rows]
    targets = np.unique(others.indices)
    step = max(1, _BLOCK // max(1, targets.size))
    sources = np.unique(nodes[n_other > 0])
    for start in range(0, sources.size, step):
        block = sources[start : start + step]
        distance = np.asarray(
            taxonomy.distances([taxonomy.names[node] for node in block], [taxonomy.names[node] for node in targets])
        )
        chosen = np.flatnonzero((n_other > 0) & (nodes >= block[0]) & (nodes <= block[-1]))
        first = np.concatenate([[0], np.cumsum(n_other[chosen])])[:-1]
        # the place of each pair (mistake, other label of its record) within the stored labels of `others`
        pair = np.arange(n_other[chosen].sum()) + np.repeat(others.indptr[rows[chosen]] - first, n_other[chosen])
        source = np.repeat(np.searchsorted(block, nodes[chosen]), n_other[chosen])
        target = np.searchsorted(targets, others.indices[pair])
        nearest[chosen] = np.minimum.reduceat(distance[source, target], first)
    return nearest


def _rise(taxonomy: Taxonomy) -> IntArray:
    """Edges of the shortest path from each node up to the virtual root above all roots."""
    parents = taxonomy.parent_matrix
    start, above = parents.indptr.tolist(), parents.indices.tolist()
    rise: list[int] = []
    # parents come before children in a taxonomy, so theirs are known already
    for node in range(len(taxonomy.names)):
        rise.append(1 + min((rise[parent] for parent in above[start[node] : start[node + 1]]), default=0))
    return np.asarray(rise, dtype=np.int64)


class _NodePair(NamedTuple):
    """True and predicted labels of the records that can be judged, one column for each node of the taxonomy."""

    truth: sp.csr_array
    predicted: sp.csr_array
    known: BoolArray


def _read_nodes(y_true: Any, y_pred: Any, taxonomy: Taxonomy) -> _NodePair:
    """Read two sets of labels as nodes of a taxonomy.

    A matrix without names takes those of the other argument. If neither has names, the numbers of the columns are used
    if they are nodes; else the columns are the nodes in order, if there are as many.
    """
    if not isinstance(taxonomy, Taxonomy):
        raise InputError(
            f"taxonomy is not a Taxonomy: got {type(taxonomy).__name__}, expected one. "
            "Make it with Taxonomy.from_parents or another of its readers."
        )
    truth, predicted = aligned_labels(y_true, y_pred, ("y_true", "y_pred"))
    check_rows("y_pred", predicted.n_records, truth.n_records, of="y_true")
    rows = np.flatnonzero(truth.known)
    true_names = predicted.names if has_no_names(truth) else truth.names
    predicted_names = truth.names if has_no_names(predicted) else predicted.names
    return _NodePair(
        _placed(truth, true_names, taxonomy, "y_true")[rows],
        _placed(predicted, predicted_names, taxonomy, "y_pred")[rows],
        truth.known,
    )


def _placed(labels: LabelMatrix, names: tuple[Hashable, ...], taxonomy: Taxonomy, argument: str) -> sp.csr_array:
    """Move each label to the column of its node; labels that no record has need no node."""
    used = np.flatnonzero(labels.counts)
    strangers = [names[column] for column in used if names[column] not in taxonomy]
    place = np.zeros(labels.n_labels, dtype=np.int64)
    if not strangers:
        place[used] = np.asarray(taxonomy.columns([names[column] for column in used]), dtype=np.int64)
    elif has_no_names(labels) and labels.n_labels == len(taxonomy.names):
        place = np.arange(labels.n_labels)
    else:
        advice = did_you_mean(strangers[0], taxonomy.names, "Add them to the taxonomy or leave them out.")
        raise InputError(
            f"{argument} has labels outside the taxonomy: got {shown(strangers)}, "
            f"expected names of its {len(taxonomy.names):,} nodes.{advice}"
        )
    return move_columns(labels.indicator, place, len(taxonomy.names)).astype(np.float64)
