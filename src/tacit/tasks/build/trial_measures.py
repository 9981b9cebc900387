"""What a trial measures, question by question, and when one choice is better than another.

A view that few records have asks few questions, so that chance moves its measure more than the others. A measure counts
as risen by as much as it rose beyond its standard error, and the fewer the questions, the more it may seem to fall.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.types import Array, Float64Array, IntArray

__all__ = ["WORTH", "Measures", "Relevance", "nearest_of", "noise_of", "own_ranks", "rises", "unit"]

Measures = Mapping[str, Float64Array]  # what each question found, by the name of the measure

_FALL = 0.004  # by which a measure may seem to fall
WORTH = 0.002  # gain below which more emphasis is not worth it
_NOISE = 0.3  # over the root of the number of questions: gain below which a view may have been found useful by chance
_DEPTH = 10


def rises(measures: Measures, base: Measures, *, fall: float = _FALL, errors: float = 0.0) -> float:
    """Return the sum of the rises beyond their standard errors; minus infinity if a measure falls.

    A measure with the most questions may seem to fall by `fall`, one with a hundredth of them by ten times that; each
    may fall by so many `errors`, standard errors of its change.
    """
    most = max((len(found) for found in base.values()), default=0)
    total = 0.0
    for name, before in base.items():
        if not len(before):
            continue
        changes = measures[name] - before
        change, error = float(changes.mean()), float(changes.std() / np.sqrt(len(changes)))
        if change < -max(fall * np.sqrt(most / len(changes)), errors * error):
            return -np.inf
        total += max(0.0, change - error) if change > 0 else change
    return total


def noise_of(n_asked: int) -> float:
    """Return a gain that something without any use may seem to have, by the number of questions."""
    return max(WORTH, _NOISE / float(np.sqrt(max(1, n_asked))))


def unit(positions: Array) -> Array:
    """Return positions at length 1; those at the origin stay there."""
    lengths = np.linalg.norm(positions, axis=1, keepdims=True)
    return np.asarray(positions / np.where(lengths > 0, lengths, 1))


def nearest_of(asked: Array, stored: Array) -> IntArray:
    """Return the numbers of the ten stored positions nearest to each asked one, both at length 1."""
    cosines = asked @ stored.T
    depth = min(_DEPTH, cosines.shape[1])
    some = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
    order = np.argsort(-np.take_along_axis(cosines, some, 1), axis=1, kind="stable")
    return np.take_along_axis(some, order, 1)


class Relevance:
    """Which records are relevant to which: the Jaccard overlap of what they have; who has nothing does not ask."""

    def __init__(self, things: Any, asked: IntArray, answers: IntArray) -> None:
        ours, theirs = things[asked].astype(np.float64), things[answers].astype(np.float64)
        shared = np.asarray((ours @ theirs.T).toarray())
        own, other = np.asarray(ours.sum(axis=1)).ravel(), np.asarray(theirs.sum(axis=1)).ravel()
        either = own[:, None] + other[None, :] - shared
        self.gains = shared / np.where(either > 0, either, 1)
        depth = min(_DEPTH, self.gains.shape[1])
        self.discount = 1 / np.log2(np.arange(2, depth + 2))
        best = -np.partition(-self.gains, depth - 1, axis=1)[:, :depth]
        self.ideal = -np.sort(-best, axis=1) @ self.discount

    def each(self, order: IntArray) -> Float64Array:
        """Return the nDCG@10 of the answers to each record that asks, the nearest first."""
        asks = self.ideal > 0
        reached = np.take_along_axis(self.gains, order, 1) @ self.discount
        return np.asarray(reached[asks] / self.ideal[asks], np.float64)

    def ndcg(self, order: IntArray) -> float:
        """Return the mean of these."""
        found = self.each(order)
        return float(found.mean()) if len(found) else 0.0


def own_ranks(titles: Array, stored: Array) -> Float64Array:
    """Return the reciprocal rank of each record by its own title, 0 beyond the tenth."""
    cosines = titles @ stored.T
    own = cosines[np.arange(len(titles)), np.arange(len(titles))]
    rank = 1 + np.count_nonzero(cosines > own[:, None], axis=1)
    return np.where(rank <= _DEPTH, 1 / rank, 0.0)
