"""Labels of the nearest records: for vocabularies that are too large for a classifier per label, and for new labels.

A cataloguer looks at similar records. The probability of a label is its share in the nearest records, each counting by
the square of its cosine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.relations.labels.matrix import LabelMatrix
from tacit.tasks.opened_index import OpenedIndex
from tacit.types import Float32Array, IntArray

__all__ = ["NEIGHBOURS", "best_share", "neighbour_shares", "shares_in"]

NEIGHBOURS = 30
_ASKED = 500  # records with which the threshold is found


def neighbour_shares(
    collection: OpenedIndex, position: Float32Array, wanted: Callable[[str], bool], *, n_neighbours: int = NEIGHBOURS
) -> dict[str, float]:
    """Return the share of each wanted label in the records nearest to a position, the largest first."""
    if not position.any():
        return {}
    numbers, cosines = collection.positions.nearest(position, n_neighbours)
    weights = np.maximum(cosines, 0) ** 2
    total, shares = max(float(weights.sum()), np.finfo(np.float32).tiny), dict[str, float]()
    for record, weight in zip(collection.store.get(numbers), weights.tolist(), strict=True):
        for label in record.labels:
            if wanted(label):
                shares[label] = shares.get(label, 0.0) + weight / total
    return dict(sorted(shares.items(), key=lambda pair: -pair[1]))


def shares_in(positions: Any, stored: Any, labels: LabelMatrix, without: IntArray | None = None) -> Any:
    """Return the shares of all labels for positions, sparse, from stored positions in memory.

    `without` is the number of the record that each position belongs to, which does not count.
    """
    import scipy.sparse as sp

    cosines = _unit(positions) @ _unit(stored).T
    if without is not None:
        cosines[np.arange(len(cosines)), without] = -1
    depth = min(NEIGHBOURS, cosines.shape[1])
    nearest = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
    weights = np.maximum(np.take_along_axis(cosines, nearest, 1), 0) ** 2
    weights = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    rows = np.repeat(np.arange(len(cosines)), depth)
    picked = sp.csr_array((weights.ravel(), (rows, nearest.ravel())), shape=cosines.shape)
    return sp.csr_array(picked @ labels.indicator)


def best_share(honest: Any, stored: Any, labels: LabelMatrix, *, seed: int) -> float:
    """Return the share from which labels are accepted, for the best F1 of records that do not know their own labels."""
    known = np.flatnonzero(labels.known)
    asked = np.sort(np.random.default_rng(seed).permutation(known)[:_ASKED])
    shares = shares_in(honest[asked], stored, labels, asked).tocoo()
    truth = labels.indicator[asked]
    right = np.asarray(truth[shares.row, shares.col]).ravel() > 0
    order = np.argsort(-shares.data, kind="stable")
    hits = np.cumsum(right[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + truth.nnz)
    return float(shares.data[order][int(np.argmax(f1))]) if len(order) else 1.0


def _unit(positions: Any) -> Any:
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return positions / np.where(lengths > 0, lengths, 1)
