"""The choice: which of the ranked subjects of a text should be assigned to it.

A set C of a text whose labels Y are not known has the expected F1

    E[2 |C ∩ Y| / (|C| + |Y|)],  labels independent, with the probabilities of the ranker

which is largest for the k most probable subjects, for some k. With λ the expected number of labels that no witness
names, and G(t) = E[t^|Y|] = e^(−λ(1 − t)) Π_j (1 − p_j + p_j t),

    expected F1 of the first k = 2 ∫_0^1 t^k G(t) Σ_{i ≤ k} p_i / (1 − p_i + p_i t) dt

as 1 / n = ∫_0^1 t^(n − 1) dt. A text's own limit is about half of the largest expected F1: it parts the subjects of the
best set from the others. A subject s is chosen from the probability

    scale · usual^(1 − own) · limit of the text^own · (threshold of s / usual)^label

on, so that every mixture of thresholds per subject and the best set of each text is one rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from tacit.types import Array, Float64Array, IntArray

__all__ = ["ChoiceRule", "expected_f1", "text_limits"]

_POINTS = 32  # of the integral, which is then exact for polynomials up to degree 63
_COMPARED = 64  # subjects of a text among which the best set is sought
_TEXTS = 200  # at a time, 3 MB


@dataclass(frozen=True)
class ChoiceRule:
    """How sets are chosen.

    Attributes
    ----------
    own : float from 0 to 1, how much the text's own limit counts instead of the usual threshold
    label : float from 0 to 1, how much the thresholds of single subjects count
    scale : float, what all limits are multiplied with
    unnamed : float, expected number of labels of a text that no witness names
    """

    own: float = 0.0
    label: float = 1.0
    scale: float = 1.0
    unnamed: float = 0.0

    def limits(self, usual: Array | float, of_subject: Array, of_text: Array) -> Float64Array:
        """Return the probability from which pairs are chosen, by the thresholds of subjects and the limits of texts."""
        usual = np.maximum(usual, 1e-12)
        by_text = np.maximum(of_text, 1e-12) ** self.own * usual ** (1 - self.own)
        return np.asarray(self.scale * by_text * (np.maximum(of_subject, 1e-12) / usual) ** self.label)

    def to_facts(self) -> dict[str, float]:
        """Return the rule as plain data."""
        return asdict(self)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any] | None) -> ChoiceRule:
        """Read what `to_facts` returned; an index without a rule chooses by thresholds."""
        given = facts or {}
        return cls(**{entry.name: given[entry.name] for entry in fields(cls) if entry.name in given})


def expected_f1(probability: Array, unnamed: Array | float = 0.0) -> Float64Array:
    """Return the expected F1 of the first 1, 2, … of the subjects of each text.

    Parameters
    ----------
    probability : (n_texts, n_subjects), each row in descending order, padded with zeros
    unnamed : (n_texts,) or float, expected number of labels that are not among the subjects
    """
    p = np.asarray(probability, np.float64)
    t, shares = _rule_of_integral()
    lacking = 1 - p[:, :, None] * (1 - t)
    others = np.broadcast_to(np.asarray(unnamed, np.float64), len(p))[:, None] * (1 - t)
    counted = shares * np.exp(np.log(lacking).sum(axis=1) - others)
    found = np.cumsum(p[:, :, None] / lacking, axis=1) * t ** np.arange(1, p.shape[1] + 1)[:, None]
    return np.asarray(2 * np.matmul(found, counted[:, :, None])[:, :, 0])


@cache
def _rule_of_integral() -> tuple[Float64Array, Float64Array]:
    """Return points between 0 and 1 and their weights: once, since finding them takes as long as a text of its own."""
    nodes, shares = np.polynomial.legendre.leggauss(_POINTS)
    return np.asarray((nodes + 1) / 2), np.asarray(shares / 2)


def text_limits(text: IntArray, probability: Float64Array, n_texts: int, unnamed: float) -> Float64Array:
    """Return the probability that parts the best set of each text from its other subjects; 1 for a text without any.

    Parameters
    ----------
    text, probability : pairs ordered by text, the most probable first
    n_texts : number of texts
    unnamed : expected number of labels of a text that are not among its pairs
    """
    limits = np.ones(n_texts)
    starts = np.searchsorted(text, np.arange(n_texts + 1))
    rank = np.arange(len(text)) - starts[text]
    for first in range(0, n_texts, _TEXTS):
        last = min(n_texts, first + _TEXTS)
        part = slice(starts[first], starts[last])
        compared = rank[part] < _COMPARED
        rows, chances = text[part] - first, probability[part]
        width = int(min(_COMPARED, rank[part].max(initial=-1) + 1))
        if not width:
            continue
        table = np.zeros((last - first, width + 1))
        table[rows[compared], rank[part][compared]] = chances[compared]
        rest = np.bincount(rows[~compared], chances[~compared], minlength=last - first)
        expected = expected_f1(table[:, :-1], unnamed + rest)
        best = np.argmax(expected, axis=1)
        each = np.arange(last - first)
        half, inner, outer = expected[each, best] / 2, table[each, best], table[each, best + 1]
        parts = (outer < half) & (half <= inner)
        found = np.where(parts, half, (inner + outer) / 2)
        limits[first:last] = np.where(table[:, 0] > 0, found, 1.0)
    return limits
