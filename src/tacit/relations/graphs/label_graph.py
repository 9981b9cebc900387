"""Graphs that labels draw between records.  [Mu2010] sec. 3.1

A similarity of labels depends on the two label *sets* only. With u distinct sets and E (N x u) saying which record has
which, the graph that joins everybody is E S Eᵀ, with S (u x u) the similarities of the sets: no N x N matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.checks import check_count, check_finite, check_rows, is_sparse
from tacit.errors import InputError
from tacit.relations.graphs.graph import Edges, Graph, Kinds, Part
from tacit.relations.graphs.label_measures import Similarity, fit_measure
from tacit.relations.graphs.label_neighbours import label_neighbours
from tacit.relations.graphs.label_sets import checked_type, set_closeness, set_numbers
from tacit.relations.graphs.label_similarity import compared_labels
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy

__all__ = ["LabelGraph", "label_graph"]


@dataclass(frozen=True, eq=False)
class LabelGraph(Graph):
    """A graph drawn by labels, with what was chosen for it.

    Attributes
    ----------
    parts : tuple — its weights, see `Graph`
    width : τ of eqs. (10) and (16), None for similarities without one
    n_dimensions : k_c of eq. (15), None for similarities without one
    """

    width: float | None = None
    n_dimensions: int | None = None


def label_graph(
    y: Any,
    kind: str | Similarity = "sorensen",
    *,
    n_neighbours: int | None = None,
    width: float | str = "auto",
    n_dimensions: int | None = None,
    taxonomy: Taxonomy | None = None,
    X: Any = None,
    dtype: npt.DTypeLike = np.float64,
) -> LabelGraph:
    """Join records by their labels: W_Y, the similarity of the labels of two records.

    Parameters
    ----------
    y : any form that `as_labels` reads — records whose labels are unknown are joined to nobody
    kind : name or callable, default "sorensen" — the similarity, see `label_similarity`
    n_neighbours : int, optional — K: each record is joined to the K records whose labels are most similar to its own;
        an edge is there if one of the two has chosen it. None joins all pairs whose similarity is not 0
    width, n_dimensions, taxonomy : see `label_similarity`
    X : array or sparse matrix, records x features, optional — breaks ties between neighbours; not used otherwise
    dtype : float64 or float32, default float64 — of the weights

    Returns
    -------
    LabelGraph
        All pairs: one `Kinds` part, which counts w_ii, too, as eqs. (6) and (7) do: it adds to the degree of a record
        and nothing to D − W. K neighbours: one `Edges` part, in which no record is joined to itself.

    Raises
    ------
    InputError
        If a parameter is out of its range, if no record has known labels, if there are too many distinct label sets for
        S, or if a callable gives something else than similarities.

    Notes
    -----
    *Ties* are the rule among neighbours by labels: all records with the same labels are equally near. Those whose
    similarity is the same to 12 digits are taken in the order of the cosine of their rows of `X`, to 12 digits, and
    then of their row numbers; without `X` by row numbers alone. Neighbours with similarity 0 are no neighbours, so a
    record may have fewer than K.

    *Records without labels*, where that is known, are joined to nobody by similarities that count shared labels, and
    are a set like others to "hamming" and "projected".

    *Cost* for u distinct sets: S takes 8 u² bytes, or 12 for each pair that shares a label where that is less. K
    neighbours take time for u² similarities, but only N K numbers of memory, and cosines only for the last of the
    tied groups that a record reaches.

    References
    ----------
    [Mu2010] sec. 3.1, eqs. (10) to (16).

    Examples
    --------
    >>> graph = label_graph([{"law"}, {"law", "cats"}, {"cats"}, None], "jaccard")
    >>> graph.to_dense().tolist()
    [[1.0, 0.5, 0.0, 0.0], [0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
    """
    labels = compared_labels(y, kind, taxonomy)
    weight_type = checked_type(dtype)
    measure = fit_measure(kind, labels, width=width, n_dimensions=n_dimensions)
    number, sets = set_numbers(labels)
    part: Part
    if n_neighbours is None:
        closeness = set_closeness(measure, sets, instead="Give n_neighbours.")
        part = Kinds(number, closeness.astype(weight_type, copy=False))
    else:
        n_neighbours = _checked_neighbours(n_neighbours, labels)
        features = None if X is None else _checked_features(X, labels.n_records)
        part = Edges(label_neighbours(measure, sets, number, n_neighbours, features).astype(weight_type))
    return LabelGraph((part,), width=measure.width, n_dimensions=measure.n_dimensions)


def _checked_neighbours(n_neighbours: int, labels: LabelMatrix) -> int:
    n_known = labels.n_records - labels.n_unknown
    if check_count("n_neighbours", n_neighbours) >= n_known:
        raise InputError(
            f"n_neighbours is too large: got {n_neighbours}, expected fewer than the {n_known} records with known "
            "labels. Leave it out to join all of them."
        )
    return int(n_neighbours)


def _checked_features(X: Any, n_records: int) -> Any:
    features = X if is_sparse(X) else np.asarray(X)
    if features.ndim != 2 or features.dtype.kind not in "biuf":
        raise InputError(
            f"X is no table of numbers: got {features.dtype} in {features.ndim} dimensions, "
            "expected records x features."
        )
    check_rows("X", features.shape[0], n_records, of="y")
    check_finite("X", features)
    return features
