"""Graphs that say only whether two records are of the same class, for one class a record.  [Mu2010] sec. 2.4

    n_s     records of class s                  w'_ij   weights of a graph of features, l_ij in eq. (8)

For several labels a record see `label_graph`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.checks import check_rows
from tacit.errors import InputError
from tacit.relations.graphs.graph import Edges, Graph, Kinds, as_graph
from tacit.relations.graphs.label_sets import checked_type, set_closeness, set_numbers
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
    y : any form that `as_labels` reads, with at most one label a record — records of no or of unknown class are joined
        to nobody
    sizes : bool, default False — divide by the sizes of the classes: what the graph then penalises is the scatter
        within classes of Fisher's criterion, and a large class counts by its records, not by their pairs
    dtype : float64 or float32, default float64 — of the weights

    Returns
    -------
    Graph
        One `Kinds` part. A record is of its own class: w_ii counts.

    Notes
    -----
    `label_graph` with "and", "sorensen" or "jaccard" draws eq. (6), and with "scaled and" eq. (7).
    """
    labels = _one_class(y)
    weights = _inverse(labels.counts) if sizes else np.ones(labels.n_labels)
    return Graph((Kinds(_classes(labels), sp.csr_array(sp.diags_array(weights.astype(checked_type(dtype))))),))


def local_class_graph(y: Any, feature_graph: Any) -> Graph:
    """Join those records of the same class that a graph of features joins, too, as local Fisher analysis does.

        w_ij = l_ij / n_s if i and j are both of class s, else 0                                     [Mu2010] eq. (8)

    Parameters
    ----------
    y : any form that `as_labels` reads, with at most one label a record — records of no or of unknown class are joined
        to nobody
    feature_graph : Graph of edges, or symmetric matrix — l_ij, such as a graph of nearest neighbours

    Returns
    -------
    Graph
        One `Edges` part, in the type of the weights given.
    """
    labels = _one_class(y)
    weights = _sparse_weights(feature_graph, labels.n_records)
    cls = _classes(labels)
    same = (cls[weights.row] == cls[weights.col]) & (cls[weights.row] >= 0)
    inverse = _inverse(labels.counts).astype(weights.dtype)
    row, column = weights.row[same], weights.col[same]
    return Graph((Edges(_matrix(weights.data[same] * inverse[cls[row]], row, column, labels.n_records)),))


def semi_supervised_graph(y: Any, feature_graph: Any) -> Graph:
    """Join records by their labels where both are labelled, and by their features where one is not.

        w_ij = 1      if i and j are of the same class                                               [Mu2010] eq. (9)
               0      if they are of different classes
               w'_ij  if the labels of i or of j are unknown

    Parameters
    ----------
    y : any form that `as_labels` reads, with unknown rows — where records have several labels, "of the same class" is
        read as sharing at least one label
    feature_graph : Graph of edges, or symmetric matrix — w'_ij, such as a graph of nearest neighbours

    Returns
    -------
    Graph
        A `Kinds` part of the labelled records, in which w_ii counts, and an `Edges` part of the other pairs; no pair
        is in both. The type is that of the weights given.

    Notes
    -----
    A record that is known to have no label is labelled: it is of no class that another has, and only its unlabelled
    neighbours are joined to it.
    """
    labels = as_labels(y)
    weights = _sparse_weights(feature_graph, labels.n_records)
    number, sets = set_numbers(labels)
    shares = set_closeness(fit_measure("and", labels), sets, instead="Use label_graph with n_neighbours.")
    same = Kinds(number, (shares > 0).astype(weights.dtype))
    open_ = ~(labels.known[weights.row] & labels.known[weights.col])
    rest = _matrix(weights.data[open_], weights.row[open_], weights.col[open_], labels.n_records)
    return Graph((same, Edges(rest)))


def _one_class(y: Any) -> LabelMatrix:
    labels = as_labels(y)
    check_some_known(labels)
    n_labels = np.diff(labels.indicator.indptr)
    if n_labels.max(initial=0) > 1:
        first = int(np.argmax(n_labels > 1))
        raise InputError(
            f"y has several labels in a record: got {n_labels[first]} in row {first}, expected one class a record. "
            "Use label_graph, which is made for several."
        )
    return labels


def _classes(labels: LabelMatrix) -> IntArray:
    """Give the class of each record, -1 where it has none or an unknown one."""
    number = np.full(labels.n_records, -1, dtype=np.int64)
    number[np.diff(labels.indicator.indptr) == 1] = labels.indicator.indices
    return number


def _inverse(counts: IntArray) -> Float64Array:
    return np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)


def _sparse_weights(feature_graph: Any, n_records: int) -> sp.coo_array:
    """Give the weights of a graph that consists of edges only."""
    graph = as_graph(feature_graph, "feature_graph")
    check_rows("feature_graph", graph.n_records, n_records, of="y")
    edges = [part.weights for part in graph.parts if isinstance(part, Edges)]
    if len(edges) < len(graph.parts):
        raise InputError(
            "feature_graph joins whole kinds of records: got a Kinds part, expected edges only. "
            "Give a graph of nearest neighbours."
        )
    return sp.coo_array(sum(edges[1:], edges[0]))


def _matrix(data: Array, row: Array, column: Array, n_records: int) -> sp.csr_array:
    return sp.csr_array((data, (row, column)), shape=(n_records, n_records))
