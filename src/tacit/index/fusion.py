"""The fusion of a list by meaning and one by words into one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tacit.text.words import Words

__all__ = ["USUAL", "FusionWeights", "best_sums", "fused_by_score", "shares_of", "weights_for"]

_SHORT = 12  # different words: hardly a title has more
_READ = 20_000  # characters of a query whose words are counted


class FusionWeights(NamedTuple):
    """How much the parts of a score count beside BM25 as a share of the best, which counts 1.

    Attributes
    ----------
    cosine : weight of the cosine
    lead : weight of the lead of the first by words over the second, for the first
    """

    cosine: float
    lead: float

    @property
    def most(self) -> float:
        """The sum of a record with cosine 1 that is the best by words, without any lead."""
        return self.cosine + 1.0


USUAL = FusionWeights(3.0, 4.0)  # docs/decisions/0014


def weights_for(query: str, words: Words | None) -> FusionWeights:
    """Return the weights for a query: of many words, any record has some, and the cosine tells more.

    It counts in proportion to the number of different words, stop words left out, above a dozen (docs/decisions/0043).
    """
    text = query[:_READ]
    different = set(text.lower().split() if words is None else words.analyse.plain_words(text))
    return USUAL._replace(cosine=USUAL.cosine * max(1.0, len(different) / _SHORT))


def fused_by_score(
    near: tuple[Any, Any], words: tuple[Any, Any], word_cosines: Any, limit: int, weights: FusionWeights
) -> tuple[Any, Any]:
    """Combine a list by meaning and one by words: cosine and BM25 as a share of the best, and the lead, weighted.

    The cosine is computed for the records of both lists. The lead is the difference between the first and the second
    by words, as a share, and is added to the first only: a query that is a title or a name is meant for one record.
    Ranks lose this information, and find such records half as often (docs/studies/index_answers.md, 2026-11-16).

    `near` has the numbers and cosines of the nearest records, `words` the numbers and BM25 of those found by words,
    best first, and `word_cosines` the cosines of these. Ties are in the order of the lists, the one by meaning first.
    """
    sums = dict(zip(near[0].tolist(), (weights.cosine * np.asarray(near[1], np.float64)).tolist(), strict=True))
    shares = shares_of(words[1])
    fused = weights.cosine * np.asarray(word_cosines, np.float64) + shares
    fused[:1] += weights.lead * (shares[:1] - (shares[1] if len(shares) > 1 else 0))
    sums |= dict(zip(words[0].tolist(), fused.tolist(), strict=True))
    return best_sums(sums, limit)


def shares_of(scores: Any) -> Any:
    """Return BM25 as a share of the best, since its scale depends on the query."""
    return scores / scores[0] if len(scores) and scores[0] > 0 else scores


def best_sums(sums: dict[int, float], limit: int) -> tuple[Any, Any]:
    """Return the numbers with the largest sums, and these."""
    best = sorted(sums, key=lambda number: -sums[number])[:limit]
    return np.array(best, np.int64), [sums[number] for number in best]
