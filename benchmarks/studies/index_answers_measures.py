"""How good answers are: labels that are suggested, and records that are found, from lists of the best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit import LabelMatrix
from tacit.evaluate import f1, ndcg_at_k, overlap_ndcg

__all__ = [
    "Ranked",
    "best_of",
    "fused",
    "fused_cosines",
    "fused_scores",
    "item_figures",
    "label_figures",
    "overlap_figure",
]

_KS = (1, 3, 5)


class Ranked(NamedTuple):
    """The best records for each query, the best first; a list that is too short ends in -1."""

    numbers: Any  # (n_queries, depth)
    scores: Any


def label_figures(truth: LabelMatrix, scores: Any, chosen: Any = None) -> dict[str, float]:
    """Measure suggested labels.

    F1@k is Annif's: of each record's k best, averaged over records; micro and macro F1@k count all decisions together
    and label by label. Micro and macro F1 are those of sets of any size, where a method says which labels it chooses.
    """
    figures = {}
    best = np.argsort(-scores, axis=1, kind="stable")
    sizes = np.diff(truth.indicator.indptr)
    for k in _KS:
        said = np.zeros(scores.shape, bool)
        np.put_along_axis(said, best[:, :k], True, axis=1)
        hits = np.asarray(truth.indicator.multiply(said).sum(axis=1)).ravel()
        found = f1(truth, _as_labels(said, truth))
        figures |= {f"F1@{k}": float(np.mean(2 * hits / (k + sizes)))}
        figures |= {f"micro F1@{k}": found.micro, f"macro F1@{k}": found.macro}
    figures["nDCG@5"] = ndcg_at_k(truth, scores, 5)
    if chosen is not None:
        found = f1(truth, _as_labels(chosen, truth))
        figures |= {"micro F1": found.micro, "macro F1": found.macro}
    return figures


def overlap_figure(found: Ranked, asked: LabelMatrix, known: LabelMatrix) -> float:
    """Measure lists by nDCG@10, where a record gains the overlap of its labels with those of the query."""
    n_records, depth = known.n_records, min(10, found.numbers.shape[1])
    rows, places = np.nonzero(found.numbers[:, :depth] >= 0)
    columns = found.numbers[rows, places]
    # `overlap_ndcg` ranks by products with the collection: with the identity they are what is put here
    ranks = sp.csr_array((1.0 / (1 + places), (rows, columns)), shape=(len(found.numbers), n_records))
    return overlap_ndcg(ranks, sp.eye_array(n_records, format="csr"), asked, known, k=10)


def item_figures(found: Ranked, answers: Any) -> dict[str, float]:
    """Measure lists by where the one record is that was looked for."""
    right = found.numbers[:, :10] == np.asarray(answers)[:, None]
    places = np.where(right.any(axis=1), right.argmax(axis=1) + 1, np.inf)
    return {"MRR@10": float(np.mean(1 / places)), "recall@10": float(np.mean(np.isfinite(places)))}


def best_of(scores: Any, depth: int) -> Ranked:
    """Take the best of rows of scores, ties in order of the numbers."""
    depth = min(depth, scores.shape[1])
    threshold = np.partition(scores, -depth, axis=1)[:, -depth]
    numbers = np.empty((len(scores), depth), np.int64)
    for row, line in enumerate(scores):
        good = np.flatnonzero(line >= threshold[row])
        numbers[row] = good[np.argsort(-line[good], kind="stable")][:depth]
    return Ranked(numbers, np.take_along_axis(scores, numbers, axis=1))


def fused(meaning: Ranked, words: Ranked, *, calm: float = 60, weight: float = 1.0) -> Ranked:
    """Fuse two lists by ranks, as `search` does: 1 / (calm + rank) each, `weight` times that by meaning."""
    ranks = [np.broadcast_to(1.0 + np.arange(each.numbers.shape[1]), each.numbers.shape) for each in (meaning, words)]
    return _summed(meaning, words, [weight / (calm + ranks[0]), 1 / (calm + ranks[1])])


def fused_cosines(meaning: Ranked, words: Ranked, cosines: Any, *, weight: float = 1.0, lead: float = 0.0) -> Ranked:
    """Fuse by scores as they are: `weight` times the cosine, and BM25 as a share of the best one.

    The first by words has `lead` times its lead over the second, as a share, on top.
    `cosines` are those of the records in the list by words; so every record that is looked at has its cosine, and only
    those that are not among the first by words lack the other part.
    """
    best = np.where(words.scores[:, :1] > 0, words.scores[:, :1], 1)
    share = np.where(words.numbers >= 0, words.scores / best, 0)
    share[:, 0] += lead * (share[:, 0] - share[:, 1])
    by_words = Ranked(words.numbers, share + weight * cosines)
    # what both lists have is summed already, so the larger of the two counts
    return _summed(meaning, by_words, [weight * meaning.scores, by_words.scores], add=False)


def fused_scores(meaning: Ranked, words: Ranked, *, weight: float = 1.0) -> Ranked:
    """Fuse two lists by scores: each between 0, for what is not in the list, and 1, for its first."""
    return _summed(meaning, words, [weight * _spread(meaning), _spread(words)])


def _spread(found: Ranked) -> Any:
    """Scale scores so that the last of a list has a little and the first has 1."""
    there, high = found.numbers >= 0, found.scores[:, :1]
    low = np.where(there, found.scores, high).min(axis=1, keepdims=True)
    width = np.where(high > low, high - low, 1)
    return np.where(there, (found.scores - low) / width, 0)


def _summed(one: Ranked, other: Ranked, given: list[Any], *, add: bool = True, depth: int = 10) -> Ranked:
    """Take the records with the largest sums of what the lists give; with `add=False` the largest of it."""
    numbers, scores = (np.full((len(one.numbers), depth), fill) for fill in (-1, 0.0))
    for row in range(len(numbers)):
        sums: dict[int, float] = {}
        for found, values in zip((one, other), given, strict=True):
            for number, value in zip(found.numbers[row].tolist(), values[row].tolist(), strict=True):
                if number >= 0:
                    sums[number] = sums.get(number, 0.0) + value if add else max(sums.get(number, value), value)
        best = sorted(sums, key=lambda number: -sums[number])[:depth]
        numbers[row, : len(best)], scores[row, : len(best)] = best, [sums[number] for number in best]
    return Ranked(numbers, scores)


def _as_labels(said: Any, like: LabelMatrix) -> LabelMatrix:
    return LabelMatrix.from_matrix(sp.csr_array(said.astype(np.int8)), like.names)
