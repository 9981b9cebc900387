"""Graphs that join records of the same class, for one class per record.  [Mu2010] sec. 2.4

    n_s     records of class s                  w'_ij   weights of a graph of features, l_ij in eq. (8)

For several labels per record see `label_graph`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_rows
from tacit.errors import InputError
from tacit.relations.graphs.graph import EdgeWeights, Graph, GroupWeights, as_graph
from tacit.relations.graphs.label_graph import checked_type, set_closeness, set_numbers
from tacit.relations.graphs.label_similarity import check_some_known, fit_measure
from tacit.relations.labels.matrix import LabelMatrix, as_labels
from tacit.types import Array, Float64Array, IntArray

__all__ = ["class_graph", "local_class_graph", "semi_supervised_graph"]


def class_graph(y: Any, *, sizes: bool = False, dtype: npt.DTypeLike = np.float64) -> Graph:
    """Join all records of the same class.

        w_ij = 1 if i and j are of the same class, else 0                                            [Mu2010] eq. (6)
        w_ij = 1/n_s if i and j are both of class s, else 0                            with `sizes`, [Mu2010] eq. (7)

    Parameters
    ----------
    y : any form that `as_labels` reads, with at most one label per record — records without a class or of unknown class
        are not joined
    sizes : bool, default False — divide by the sizes of the classes: the graph then penalises the scatter within
        classes of Fisher's criterion, and a large class counts by its records, not by their pairs
    dtype : float64 or float32, default float64 — of the weights

    Returns
    -------
    Graph
        One `GroupWeights` part. A record is of its own class: w_ii is included.

    Notes
    -----
    `label_graph` with "and", "sorensen" or "jaccard" is eq. (6), and with "scaled and" eq. (7).
    """
    labels = _one_class(y)
    weights = _inverse(labels.counts) if sizes else np.ones(labels.n_labels)
    return Graph((GroupWeights(_classes(labels), sp.csr_array(sp.diags_array(weights.astype(checked_type(dtype))))),))


def local_class_graph(y: Any, feature_graph: Any) -> Graph:
    """Join records of the same class that a graph of features also joins, as in local Fisher analysis.

        w_ij = l_ij / n_s if i and j are both of class s, else 0                                     [Mu2010] eq. (8)

    Parameters
    ----------
    y : any form that `as_labels` reads, with at most one label per record — records without a class or of unknown class
        are not joined
    feature_graph : Graph of edges, or symmetric matrix — l_ij, such as a graph of nearest neighbours

    Returns
    -------
    Graph
        One `EdgeWeights` part, in the dtype of the weights.
    """
    labels = _one_class(y)
    weights = _sparse_weights(feature_graph, labels.n_records)
    cls = _classes(labels)
    same = (cls[weights.row] == cls[weights.col]) & (cls[weights.row] >= 0)
    inverse = _inverse(labels.counts).astype(weights.dtype)
    row, column = weights.row[same], weights.col[same]
    return Graph((EdgeWeights(_matrix(weights.data[same] * inverse[cls[row]], row, column, labels.n_records)),))


def semi_supervised_graph(y: Any, feature_graph: Any) -> Graph:
    """Join records by their labels if both are labelled, and by their features otherwise.

        w_ij = 1      if i and j are of the same class                                               [Mu2010] eq. (9)
               0      if they are of different classes
               w'_ij  if the labels of i or of j are unknown

    Parameters
    ----------
    y : any form that `as_labels` reads, with unknown rows — if records have several labels, "of the same class" means
        that they share at least one label
    feature_graph : Graph of edges, or symmetric matrix — w'_ij, such as a graph of nearest neighbours

    Returns
    -------
    Graph
        A `GroupWeights` part of the labelled records, including w_ii, and an `EdgeWeights` part of the other pairs; no
        pair is in both. The dtype is that of the weights.

    Notes
    -----
    A record that is known to have no label counts as labelled: it shares no class with others, and only its unlabelled
    neighbours are joined to it.
    """
    labels = as_labels(y)
    weights = _sparse_weights(feature_graph, labels.n_records)
    number, sets = set_numbers(labels)
    shares = set_closeness(fit_measure("and", labels), sets, instead="Use label_graph with n_neighbours.")
    same = GroupWeights(number, (shares > 0).astype(weights.dtype))
    open_ = ~(labels.known[weights.row] & labels.known[weights.col])
    rest = _matrix(weights.data[open_], weights.row[open_], weights.col[open_], labels.n_records)
    return Graph((same, EdgeWeights(rest)))


def _one_class(y: Any) -> LabelMatrix:
    labels = as_labels(y)
    check_some_known(labels)
    n_labels = np.diff(labels.indicator.indptr)
    if n_labels.max(initial=0) > 1:
        first = int(np.argmax(n_labels > 1))
        raise InputError(
            f"y has several labels in a record: got {n_labels[first]} in row {first}, expected one class per record. "
            "Use label_graph, which supports several."
        )
    return labels


def _classes(labels: LabelMatrix) -> IntArray:
    """Return the class of each record, -1 if it has none or it is unknown."""
    number = np.full(labels.n_records, -1, dtype=np.int64)
    number[np.diff(labels.indicator.indptr) == 1] = labels.indicator.indices
    return number


def _inverse(counts: IntArray) -> Float64Array:
    return np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)


def _sparse_weights(feature_graph: Any, n_records: int) -> sp.coo_array:
    """Return the weights of a graph that consists of edges only."""
    graph = as_graph(feature_graph, "feature_graph")
    check_rows("feature_graph", graph.n_records, n_records, of="y")
    edges = [part.weights for part in graph.parts if isinstance(part, EdgeWeights)]
    if len(edges) < len(graph.parts):
        raise InputError(
            "feature_graph joins groups of records: got a GroupWeights part, expected edges only. "
            "Pass a graph of nearest neighbours."
        )
    return sp.coo_array(sum(edges[1:], edges[0]))


def _matrix(data: Array, row: Array, column: Array, n_records: int) -> sp.csr_array:
    return sp.csr_array((data, (row, column)), shape=(n_records, n_records))
