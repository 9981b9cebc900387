"""Suggestions that a browser can compute: labels of the nearest records, with a probability that can be believed.

    share_l = Σ_{r near} max(cos_r, 0)² [r has l] / Σ_{r near} max(cos_r, 0)²
    probability = 1 / (1 + exp(−(a + b · log share_l + c · cos_l)))

cos_l is the cosine between the text and the mean position of the label. The constants are fitted to records of the
collection that are asked about without themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.serve.site.small_space import SmallSpace
from tacit.types import Array, IntArray

__all__ = ["NEIGHBOURS", "Calibration", "calibrate", "neighbour_candidates"]

NEIGHBOURS = 50


class Calibration(NamedTuple):
    """The constants of the probability, and the one from which a label is chosen."""

    constant: float
    share: float
    cosine: float
    threshold: float


def calibrate(space: SmallSpace, rows: sp.csr_array, asked: IntArray, labels: sp.csr_array) -> Calibration:
    """Fit the probability of suggestions to records of the collection.

    Parameters
    ----------
    space : the small space, with words
    rows : weights of the terms of the records asked about
    asked : their places among the records of the space, which do not count as their own neighbours
    labels : records x labels, 0 or 1
    """
    from sklearn.linear_model import LogisticRegression

    texts, found, shares, cosines = neighbour_candidates(space, space.place(rows), labels, without=asked)
    right = np.asarray(labels[asked[texts], found]).ravel() > 0
    if not right.any() or right.all():
        return Calibration(0.0, 1.0, 0.0, 0.5)
    features = np.column_stack([np.log(shares), cosines])
    model = LogisticRegression(C=1e3).fit(features, right)
    probabilities = model.predict_proba(features)[:, 1]
    by_share, by_cosine = map(float, model.coef_[0])
    threshold = _best_threshold(probabilities, right, labels[asked])
    return Calibration(float(model.intercept_[0]), by_share, by_cosine, threshold)


def neighbour_candidates(
    space: SmallSpace, positions: Array, labels: sp.csr_array, without: IntArray | None = None
) -> tuple[Array, Array, Array, Array]:
    """Return pairs of a text and a label of its nearest records: text, label, share and cosine, one entry per pair."""
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    directions = positions / np.where(lengths > 0, lengths, 1)
    cosines = directions @ space.records.restored().T
    if without is not None:
        cosines[np.arange(len(cosines)), without] = -1
    depth = min(NEIGHBOURS, cosines.shape[1])
    nearest = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
    weights = np.maximum(np.take_along_axis(cosines, nearest, 1), 0).astype(np.float64) ** 2
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    texts = np.repeat(np.arange(len(positions)), depth)
    picked = sp.csr_array((weights.ravel(), (texts, nearest.ravel())), shape=cosines.shape)
    shares = sp.coo_array(picked @ labels)
    kept = shares.data > 0
    row, column, share = shares.row[kept], shares.col[kept], shares.data[kept]
    means = space.labels.restored()
    return row, column, share, np.einsum("ij,ij->i", directions[row], means[column])


def _best_threshold(probabilities: Array, right: Array, truth: sp.csr_array) -> float:
    """Return the probability from which labels are chosen, for the best F1 over all of them."""
    order = np.argsort(-probabilities, kind="stable")
    hits = np.cumsum(right[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + truth.nnz)
    return float(probabilities[order][int(np.argmax(f1))])
