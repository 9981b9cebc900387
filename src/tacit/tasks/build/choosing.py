"""Finds how the suggester chooses sets: thresholds per subject, and the rule that weighs them against the best set of
each text.

Thresholds are set for the F1 over all decisions about a subject, which is what an editor of a vocabulary sees. A person
who indexes one text sees the F1 of its set. With few labels per text the two agree. With many, thresholds may be worse
for a text than its first twenty suggestions, and the best sets of texts lose a tenth of the mean F1 per subject. So the
own limits of texts count only where thresholds are not clearly better than a fixed number of suggestions.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from tacit.index.witnesses.choice import ChoiceRule, text_limits
from tacit.index.witnesses.examples import Examples
from tacit.index.witnesses.panel import favoured
from tacit.types import Array, Float32Array, Float64Array, IntArray

__all__ = ["best_favour", "best_rule", "rule_scores", "subject_thresholds"]

_OWN_THRESHOLD = 10  # records of a subject, among those asked about, that allow it a threshold of its own
_GRID = np.geomspace(0.25, 4.0, 17)
_RULES = [ChoiceRule(*given) for given in product((0.0, 0.5, 1.0), (0.0, 0.5, 0.75, 1.0), (0.7, 0.8, 0.9, 1.0, 1.15))]
_LOST = (0.003, 0.006, 0.012)  # of the F1 over all pairs and over subjects that a rule may lose; see `best_rule`
_AHEAD = 0.01  # what sets should be better per text than a fixed number of suggestions
_NUMBERS = (*range(1, 11), *range(12, 31, 3))
_FOLDS = 5
_LEAST_TEXTS = 200  # below which the difference of two rules is noise
_FAVOURS = (3.0, 2.0, 1.5)  # times the odds
_LIST, _LOST_BY_FAVOUR = 5, 0.001  # how many suggestions are judged, and the share of their nDCG that may be lost


def subject_thresholds(examples: Examples, probability: Float64Array, n_subjects: int) -> tuple[Float32Array, float]:
    """Return the probability from which each subject is chosen, for the best F1, and the usual one.

    Subjects of few records have the usual one; those of more, one of their own, the less of it the fewer there are.
    """
    subject, truth, weights = examples.subject, examples.right, examples.weights.astype(np.float64)
    order = np.argsort(-probability, kind="stable")
    right = np.cumsum(truth[order])
    f1 = 2 * right / (np.cumsum(weights[order]) + examples.n_true.sum())
    last = int(np.argmax(f1))  # halfway to the next pair, since a new text may be a little less sure than those here
    usual = float(probability[order[last : last + 2]].mean()) if truth.any() else 0.5
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


def best_favour(examples: Examples, probability: Float64Array, new: IntArray, raw: Float64Array) -> float:
    """Return how far subjects that no record has are favoured: most of what the first five suggestions can bear.

    Parameters
    ----------
    examples : pairs that the ranker learned from
    probability : of each by the ranker
    new : the pairs whose subject no other record has
    raw : their log odds by name alone
    """
    if not len(new):
        return 0.0
    known = np.delete(np.arange(len(examples)), new)
    texts = np.unique(examples.text[new])  # the others have the same lists in any case
    known = known[np.isin(examples.text[known], texts)]
    pairs = np.concatenate([known, new])

    def judged(more: float) -> float:
        chance = np.concatenate([probability[known], 1 / (1 + np.exp(-favoured(raw, more)))])
        return _ndcg(np.searchsorted(texts, examples.text[pairs]), chance, examples.right[pairs])

    usual = judged(0.0)
    found = (more for more in np.log(_FAVOURS).tolist() if judged(more) >= usual - _LOST_BY_FAVOUR * usual)
    return float(next(found, 0.0))


def _ndcg(text: IntArray, probability: Float64Array, right: Array) -> float:
    """Return the sum of the nDCG of the first five over texts, with all pairs that are right as the ideal."""
    order = np.lexsort((-probability, text))
    place = np.arange(len(order)) - np.searchsorted(text[order], text[order])
    gains = np.where(place < _LIST, right[order] / np.log2(place + 2), 0.0)
    n_right = np.bincount(text, right).astype(np.int64)
    ideal = np.concatenate([[1.0], np.cumsum(1 / np.log2(np.arange(_LIST) + 2))])[np.minimum(n_right, _LIST)]
    return float((np.bincount(text[order], gains) / ideal).sum())


def best_rule(examples: Examples, probability: Float64Array, own: Any, seed: int) -> ChoiceRule:
    """Return thresholds alone if they are clearly better per text than a fixed number of suggestions, or the best rule.

    A rule may lose a little of the F1 over all pairs and over subjects, and a little more if it is not ahead of a fixed
    number yet. Each fifth of the texts is judged with thresholds that the others have set.

    Parameters
    ----------
    examples : all candidates of texts
    probability : of each pair, by models that have not seen its text
    own : (n_texts, n_subjects) sparse, the labels of the texts
    seed : of the folds
    """
    unnamed = float(max(0, own.nnz - np.count_nonzero(examples.right))) / max(1, own.shape[0])
    if own.shape[0] < _LEAST_TEXTS or not examples.right.any():
        return ChoiceRule(unnamed=unnamed)
    scores, by_number = rule_scores(examples, probability, own, unnamed, seed)
    best = _RULES.index(ChoiceRule())
    lost = (scores[best] - scores)[:, 1:].max(axis=1)
    for allowed in _LOST:
        if scores[best, 0] >= by_number + _AHEAD:
            break
        best = int(np.argmax(np.where(lost <= allowed, scores[:, 0], -1.0)))
    return replace(_RULES[best], unnamed=unnamed)


def rule_scores(
    examples: Examples, probability: Float64Array, own: Any, unnamed: float, seed: int
) -> tuple[Float64Array, float]:
    """Return the mean F1 per text, the F1 over all pairs and the mean F1 per subject of each rule.

    Beside them, the mean F1 per text of the best fixed number of suggestions.
    """
    order = np.lexsort((examples.subject, -probability, examples.text))
    examples, chance = examples.of(order), probability[order]
    text, subject, right = examples.text, examples.subject, examples.right
    n_labels, n_true = np.diff(own.indptr), _counts(own)
    fold_of = np.random.default_rng(seed).integers(_FOLDS, size=own.shape[0])
    usual, of_subject = np.empty(len(text)), np.empty(len(text))
    for fold in range(_FOLDS):
        inside = fold_of[text] == fold
        others = replace(examples.of(~inside), n_true=_counts(own[fold_of != fold]))
        thresholds, common = subject_thresholds(others, chance[~inside], own.shape[1])
        usual[inside], of_subject[inside] = common, thresholds[subject[inside]]
    of_text = text_limits(text, chance, own.shape[0], unnamed)[text]
    first = np.concatenate([[True], text[1:] != text[:-1]])

    def scored(chosen: Array) -> tuple[float, float, float]:
        by_text, by_subject = _f1(text, chosen, right, n_labels), _f1(subject, chosen, right, n_true)
        n_right, n_chosen = (int(np.count_nonzero(some)) for some in (chosen & right, chosen))
        together = 2 * n_right / max(1, n_chosen + own.nnz)
        return float(by_text.mean()), together, float(by_subject[n_true > 0].mean())

    reached = first & (chance >= usual / 2)
    rules = [scored((chance >= rule.limits(usual, of_subject, of_text)) | reached) for rule in _RULES]
    rank = np.arange(len(text)) - np.searchsorted(text, np.arange(own.shape[0]))[text]
    by_number = max(_f1(text, rank < number, right, n_labels).mean() for number in _NUMBERS)
    return np.array(rules), float(by_number)


def _f1(group: IntArray, chosen: Array, right: Array, n_true: IntArray) -> Float64Array:
    """Return the F1 of each group of pairs."""
    n_chosen = np.bincount(group[chosen], minlength=len(n_true))
    n_right = np.bincount(group[chosen & right], minlength=len(n_true))
    return np.asarray(2 * n_right / np.maximum(1, n_chosen + n_true))


def _counts(own: Any) -> IntArray:
    return np.bincount(own.indices, minlength=own.shape[1])
