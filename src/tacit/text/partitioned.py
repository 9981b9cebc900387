"""Words of texts that are read in several places: each part is counted where it is, and the counts are joined.

What comes out is what `Words.fit` learns from all the texts together, whatever the parts.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from tacit.text.analysis import Analyser, stop_words_of
from tacit.text.settings import TextSettings
from tacit.text.streaming import Counted, _chosen
from tacit.text.words import Words

__all__ = ["PartCounts", "count_part", "join_counts", "words_of_counts"]


class PartCounts(NamedTuple):
    """The terms of some texts.

    Attributes
    ----------
    n_records : how many texts
    counted : of each term, in ascending order: in how many texts it is, and how often
    """

    n_records: int
    counted: list[Counted]


def count_part(texts: Iterable[str], settings: TextSettings) -> PartCounts:
    """Count the terms of texts.

    Examples
    --------
    >>> count_part(["A cat, a mat, a cat."], TextSettings())
    PartCounts(n_records=1, counted=[('cat', 1, 2), ('mat', 1, 1)])
    """
    analyse = Analyser(settings, stop_words_of(settings))
    in_records: Counter[str] = Counter()
    in_all: Counter[str] = Counter()
    n_records = 0
    for text in texts:
        terms = analyse(text)
        in_all.update(terms)
        in_records.update(set(terms))
        n_records += 1
    return PartCounts(n_records, [(term, in_records[term], in_all[term]) for term in sorted(in_all)])


def join_counts(parts: Sequence[PartCounts]) -> PartCounts:
    """Join the counts of several parts; the order of the parts does not matter."""
    return PartCounts(sum(part.n_records for part in parts), list(_joined([part.counted for part in parts])))


def words_of_counts(counts: PartCounts, settings: TextSettings) -> Words:
    """Make the words that the settings keep, with the weights that `Words.fit` would learn."""
    terms, in_records = _chosen(counts.counted, counts.n_records, settings)
    return Words.from_counts(settings, stop_words_of(settings), terms, in_records, counts.n_records)


def _joined(runs: list[list[Counted]]) -> Iterator[Counted]:
    for term, same in groupby(heapq.merge(*runs, key=itemgetter(0)), key=itemgetter(0)):
        counts = list(same)
        yield term, sum(each[1] for each in counts), sum(each[2] for each in counts)
