"""The similarities of label sets written out as loops over Python sets, for the tests of label graphs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Sets = Sequence[frozenset[Any] | None]


def random_sets(seed: int, n_records: int = 40, *, n_labels: int = 6, unknown: bool = True) -> list[Any]:
    """Label sets of which some come often, some are empty and, if wished, some unknown."""
    rng = np.random.default_rng(seed)
    drawn = [frozenset(np.flatnonzero(rng.random(n_labels) < 0.3).tolist()) for _ in range(n_records)]
    drawn[:3] = [frozenset(), frozenset(range(n_labels)), frozenset({0})]
    return [None if unknown and rng.random() < 0.15 and i > 3 else labels for i, labels in enumerate(drawn)]


def as_matrix(sets: Sets, n_labels: int = 6) -> np.ndarray:
    """The 0/1 matrix of the known records."""
    return np.array([[float(label in labels) for label in range(n_labels)] for labels in sets if labels is not None])


def squared_hamming(a: frozenset[Any], b: frozenset[Any]) -> float:
    return float(len(a ^ b) ** 2)


def mean_square(sets: Sets, square: Callable[[Any, Any], float]) -> float:
    """Mean over the pairs of known records whose label sets differ."""
    known = [labels for labels in sets if labels is not None]
    return float(np.mean([square(a, b) for a in known for b in known if a != b]))


def projection(sets: Sets, n_dimensions: int, n_labels: int = 6) -> np.ndarray:
    """P of eq. (15): right singular vectors of the centred labels."""
    Y = as_matrix(sets, n_labels)
    return np.linalg.svd(Y - Y.mean(axis=0))[2][:n_dimensions].T


def pair_similarity(
    kind: str, sets: Sets, width: float | None = None, n_dimensions: int = 3
) -> Callable[[Any, Any], float]:
    """The formula of a kind as a function of two sets; class sizes, directions and the width come from all `sets`."""
    counts = Counter(label for labels in sets if labels is not None for label in labels)
    if kind == "and":
        return lambda a, b: float(len(a & b))
    if kind == "scaled and":
        return lambda a, b: sum(1 / counts[label] for label in sorted(a & b))
    if kind == "sorensen":
        return lambda a, b: 2 * len(a & b) / (len(a) + len(b)) if a & b else 0.0
    if kind == "jaccard":
        return lambda a, b: len(a & b) / len(a | b) if a & b else 0.0
    square = squared_hamming
    if kind == "projected":
        P = projection(sets, n_dimensions)

        def square(a: frozenset[Any], b: frozenset[Any]) -> float:
            apart = as_matrix([a], len(P)) - as_matrix([b], len(P))
            return float(((apart @ P) ** 2).sum())

    tau = mean_square(sets, square) if width is None else width
    return lambda a, b: math.exp(-square(a, b) / tau)


def all_pairs(rows: Sets, columns: Sets, similarity: Callable[[Any, Any], float]) -> np.ndarray:
    """A similarity for all pairs of records, 0 where labels are unknown."""
    return np.array([[0.0 if None in (a, b) else similarity(a, b) for b in columns] for a in rows])


def nearest_neighbours(W: np.ndarray, n_neighbours: int, X: np.ndarray | None = None) -> np.ndarray:
    """Keep the K largest weights of each row, then of both directions: ties by cosine, then by row number."""
    n = len(W)
    cosine = np.zeros((n, n))
    if X is not None:
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        units = X / np.where(lengths > 0, lengths, 1.0)
        cosine = (units @ units.T).round(11)
    kept = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i and W[i, j] > 0]
        others.sort(key=lambda j, i=i: (-float(f"{W[i, j]:.11g}"), -cosine[i, j], j))
        kept[i, others[:n_neighbours]] = W[i, others[:n_neighbours]]
    return np.maximum(kept, kept.T)
