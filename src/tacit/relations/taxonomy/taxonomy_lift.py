"""Lifts labels to the nodes above them: whoever is about cats is about animals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy_lookup import numbers_of
from tacit.relations.taxonomy.walks import ways_up

__all__ = ["closure_rows", "lifted_indicator"]


def closure_rows(parent_matrix: sp.csr_array, nodes: npt.NDArray[np.int64]) -> sp.csr_array:
    """Give a row for each of some nodes, 1 at the node itself and at all above it."""
    ways = ways_up(parent_matrix, nodes)
    shape = (len(nodes), parent_matrix.shape[0])
    return sp.csr_array((np.ones(len(ways.nodes)), (ways.starts, ways.nodes)), shape=shape)


def lifted_indicator(labels: LabelMatrix, parent_matrix: sp.csr_array, places: Mapping[Hashable, int]) -> sp.csr_array:
    """Give records x nodes, 1 where a record has the node or one below it; `places` has the number of each name."""
    used = np.flatnonzero(labels.counts)
    if labels.kind == "matrix" and labels.names == tuple(range(labels.n_labels)) and 0 not in places:
        raise InputError(
            f"y has columns without names: got a matrix of {labels.n_labels} columns, expected names of nodes. "
            "Name the columns: LabelMatrix.from_matrix(y, names)."
        )
    nodes = numbers_of([labels.names[column] for column in used], places, "y")
    indicator = sp.csr_array(labels.indicator[:, used] @ closure_rows(parent_matrix, nodes))
    indicator.sort_indices()
    indicator.data[:] = 1.0
    return indicator
