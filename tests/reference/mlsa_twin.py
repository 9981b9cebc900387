"""M-LSA as the paper prints it [Wang2006]: the unified matrix written out, and LAPACK."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg as la


class Edge(NamedTuple):
    """One relation between two types: α M between rows of the first and columns of the second."""

    row_type: str
    column_type: str
    matrix: np.ndarray
    weight: float = 1.0


class Twin(NamedTuple):
    """Eigenvalues λ, concepts c, and the positions λ c; a row an object, all types below each other."""

    eigenvalues: np.ndarray
    concepts: np.ndarray
    positions: np.ndarray


def unified_matrix(sizes: dict[str, int], edges: Sequence[Edge]) -> np.ndarray:
    """Eq. (5) with α M for M, sec. 4.2; a relation within one type stands on the diagonal."""
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    R = np.zeros((sum(sizes.values()),) * 2)
    for edge in edges:
        rows = starts[edge.row_type] + np.arange(sizes[edge.row_type])
        columns = starts[edge.column_type] + np.arange(sizes[edge.column_type])
        R[np.ix_(rows, columns)] += edge.weight * edge.matrix
        if edge.row_type != edge.column_type:
            R[np.ix_(columns, rows)] += edge.weight * edge.matrix.T
    return R


def categorisation_matrix(X: np.ndarray, Y: np.ndarray, alpha: float, centroid_weight: float = 1.0) -> np.ndarray:
    """Eq. (9), with records, terms, labels in this order; M_23 is the mean record of each category."""
    means = np.array([X[members].mean(axis=0) for members in Y.T.astype(bool)])
    sizes = {"record": X.shape[0], "term": X.shape[1], "label": Y.shape[1]}
    edges = [
        Edge("record", "label", Y, alpha),
        Edge("record", "term", X),
        Edge("label", "term", means, centroid_weight),
    ]
    return unified_matrix(sizes, edges)


def concepts_of(R: np.ndarray, k: int) -> Twin:
    """The k algebraically largest eigenpairs, sec. 4.2."""
    values, vectors = la.eigh(R)
    values, vectors = values[::-1][:k], vectors[:, ::-1][:, :k]
    return Twin(values, vectors, vectors * values)
