"""Finds how the suggester chooses sets: thresholds per subject, and the rule that weighs them against the best set of
each text.

Thresholds are set for the F1 over all decisions about a subject, which is what an editor of a vocabulary sees. A person
who indexes one text sees the F1 of its set. Neither alone is right: on texts with many labels thresholds lose a
fortieth of the mean F1 per text, and the best sets of texts lose a tenth of the mean F1 per subject. So the rule is the
one with the best mean F1 per text among those that lose next to nothing of the other two.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from tacit.index.witnesses.choice import ChoiceRule, text_limits
from tacit.index.witnesses.examples import Examples
from tacit.types import Array, Float32Array, Float64Array, IntArray

__all__ = ["best_rule", "subject_thresholds"]

_OWN_THRESHOLD = 10  # records of a subject, among those asked about, that allow it a threshold of its own
_GRID = np.geomspace(0.25, 4.0, 17)
_RULES = [ChoiceRule(*given) for given in product((0.0, 0.5, 1.0), (0.0, 0.5, 0.75, 1.0), (0.7, 0.8, 0.9, 1.0, 1.15))]
_LOST = 0.004  # of the F1 over all pairs and over subjects that a rule may lose
_LEAST_TEXTS = 200  # below which the difference of two rules is noise
_RARE = 1 / 8  # part of the usual threshold below which no rule chooses


def subject_thresholds(examples: Examples, probability: Float64Array, n_subjects: int) -> tuple[Float32Array, float]:
    """Return the probability from which each subject is chosen, for the best F1, and the usual one.

    Subjects of few records have the usual one; those of more, one of their own, the less of it the fewer there are.
    """
    subject, truth, weights = examples.subject, examples.right, examples.weights.astype(np.float64)
    order = np.argsort(-probability, kind="stable")
    right = np.cumsum(truth[order])
    f1 = 2 * right / (np.cumsum(weights[order]) + examples.n_true.sum())
    usual = float(probability[order[int(np.argmax(f1))]]) if truth.any() else 0.5
    thresholds = np.full(n_subjects, usual, np.float32)
    n_true = np.zeros(n_subjects, np.int64)
    n_true[: len(examples.n_true)] = examples.n_true
    by_subject = np.argsort(subject, kind="stable")
    starts = np.searchsorted(subject[by_subject], np.arange(n_subjects + 1))
    for number in np.flatnonzero(n_true >= _OWN_THRESHOLD):
        pairs = by_subject[starts[number] : starts[number + 1]]
        chance, is_right = probability[pairs], truth[pairs]
        reached = chance[None, :] >= (usual * _GRID)[:, None]
        scores = 2 * (reached & is_right).sum(axis=1) / np.maximum(reached @ weights[pairs] + n_true[number], 1)
        best = int(np.argmax(scores))
        if scores[best] > 1.02 * scores[len(_GRID) // 2]:
            trust = n_true[number] / (n_true[number] + _OWN_THRESHOLD)
            thresholds[number] = min(0.95, usual * _GRID[best] ** trust)
    return thresholds, usual


def best_rule(examples: Examples, probability: Float64Array, own: Any, seed: int) -> ChoiceRule:
    """Return the rule with the best mean F1 per text that loses next to nothing of the F1 over pairs and subjects.

    One half of the texts sets the thresholds, the other half judges the rules.

    Parameters
    ----------
    examples : all candidates of texts
    probability : of each pair, by models that have not seen its text
    own : (n_texts, n_subjects) sparse, the labels of the texts
    seed : of the halves
    """
    unnamed = float(max(0, own.nnz - np.count_nonzero(examples.right))) / max(1, own.shape[0])
    plain = ChoiceRule(unnamed=unnamed)
    if own.shape[0] < _LEAST_TEXTS or not examples.right.any():
        return plain
    judges = np.random.default_rng(seed).random(own.shape[0]) < 0.5
    of_judge = judges[examples.text]
    others = replace(examples.of(~of_judge), n_true=_counts(own[~judges]))
    thresholds, usual = subject_thresholds(others, probability[~of_judge], own.shape[1])
    scores = _scores(examples.of(of_judge), probability[of_judge], own, judges, thresholds, usual, unnamed)
    enough = np.all(scores[:, 1:] >= scores[_RULES.index(ChoiceRule())][1:] - _LOST, axis=1)
    best = int(np.argmax(np.where(enough, scores[:, 0], -1.0)))
    return replace(_RULES[best], unnamed=unnamed)


def _scores(
    examples: Examples,
    probability: Float64Array,
    own: Any,
    judges: Array,
    thresholds: Float32Array,
    usual: float,
    unnamed: float,
) -> Float64Array:
    """Return the mean F1 per text, the F1 over all pairs and the mean F1 per subject of each rule."""
    place = np.cumsum(judges) - 1
    order = np.lexsort((examples.subject, -probability, examples.text))
    text, subject = place[examples.text[order]], examples.subject[order]
    chance, right = probability[order], examples.right[order]
    n_labels, n_true = np.diff(own.indptr)[judges], _counts(own[judges])
    of_text = text_limits(text, chance, len(n_labels), unnamed)
    first = np.concatenate([[True], text[1:] != text[:-1]])
    likely = np.flatnonzero(first | (chance >= _RARE * usual))
    text, subject, chance = text[likely], subject[likely], chance[likely]
    right, first = right[likely], first[likely]
    found = []
    for rule in _RULES:
        limits = rule.limits(usual, thresholds[subject].astype(np.float64), of_text[text])
        chosen = (chance >= limits) | (first & (chance >= usual / 2))
        by_text = _f1(text, chosen, right, n_labels)
        by_subject = _f1(subject, chosen, right, n_true)
        together = 2 * np.count_nonzero(chosen & right) / max(1, int(np.count_nonzero(chosen)) + int(n_labels.sum()))
        found.append((by_text.mean(), together, by_subject[n_true > 0].mean()))
    return np.array(found)


def _f1(group: IntArray, chosen: Array, right: Array, n_true: IntArray) -> Float64Array:
    """Return the F1 of each group of pairs."""
    n_chosen = np.bincount(group[chosen], minlength=len(n_true))
    n_right = np.bincount(group[chosen & right], minlength=len(n_true))
    return np.asarray(2 * n_right / np.maximum(1, n_chosen + n_true))


def _counts(own: Any) -> IntArray:
    return np.bincount(own.indices, minlength=own.shape[1])
