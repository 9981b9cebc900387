"""Searches whose parts can be told apart: for each record the cosine, the share of the best by words, and both as one.

`search` returns the same records in the same order. Here a list goes on page by page without a record twice, and
scores are between 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.index import Filters
from tacit.index.fusion import fused_by_score, shares_of, weights_for
from tacit.index.nearest.exact import cosines, lengths_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.search import WAYS, by_words, in_order, query_position
from tacit.tasks.search.typed import Typed, first_of, understand
from tacit.types import Float32Array, IntArray

__all__ = ["DEEPEST", "RankedRecords", "rank_records"]

DEEPEST = 1_000  # records that can be reached page by page
_FIRST = 100  # of which so many are found at once


@dataclass(frozen=True, eq=False)
class RankedRecords:
    """Records for a query, best first.

    Attributes
    ----------
    numbers : of the records
    scores : from 0 to 1, in the order of the list
    cosines : of the positions of record and query; NaN if the search did not compare them
    shares : BM25 as a share of the best; NaN for records that were not found by words
    position : of the query; None if it has none
    text : words that were searched for
    meant : the query with known words in place of misspelt ones; None if nothing is misspelt
    near : numbers and cosines of the nearest of all records; None if filters left some out, or none were sought
    """

    numbers: IntArray
    scores: Float32Array
    cosines: Float32Array
    shares: Float32Array
    position: Float32Array | None
    text: str = ""
    meant: str | None = None
    near: tuple[IntArray, Float32Array] | None = None

    def page(self, first: int, n: int) -> RankedRecords:
        """Return a part of the list."""
        part = slice(first, first + n)
        return self.taken(np.arange(len(self.numbers))[part])

    def taken(self, places: IntArray) -> RankedRecords:
        """Return records of the list by their places."""
        parts = (self.numbers[places], self.scores[places], self.cosines[places], self.shares[places])
        return RankedRecords(*parts, self.position, self.text, self.meant, self.near)


def rank_records(
    collection: OpenedIndex, query: str, *, by: str = "hybrid", limit: int = 10, filters: Filters | None = None
) -> RankedRecords:
    """Find at most `limit` records for a query; see `tacit.tasks.search.search.search` for `by`.

    The first 100 are those of a search for 100 records, whatever the limit, and others follow, so that a longer list
    begins with the shorter one. No list is longer than `DEEPEST`.
    """
    limit = min(check_count("limit", limit), DEEPEST)
    by = check_choice("by", by, WAYS)
    typed = understand(collection, query, filters, titles=by != "meaning")
    if not typed.text:
        numbers, scores = in_order(collection, typed.filters, limit)
        unknown = np.full(len(numbers), np.nan, np.float32)
        return RankedRecords(numbers, scores.astype(np.float32), unknown, unknown, None)
    position = None
    if by != "words":
        has_words = collection.space.words is not None  # without them a search by meaning is an error
        position = query_position(collection, typed.in_space(collection), "hybrid" if has_words else by, None)
    found = _ranked(collection, typed.words, position, by, _FIRST, typed.filters)
    if limit > len(found.numbers) >= _FIRST:
        found = _joined(found, _ranked(collection, typed.words, position, by, DEEPEST, typed.filters))
    found = replace(found, text=typed.words, meant=typed.meant)
    return _with_called(collection, found, typed).page(0, limit)


def _joined(found: RankedRecords, more: RankedRecords) -> RankedRecords:
    """Return a list and those of a longer one that it lacks."""
    rest = more.taken(np.flatnonzero(~np.isin(more.numbers, found.numbers)))
    return RankedRecords(
        np.concatenate([found.numbers, rest.numbers]),
        # a deeper search may rank a record higher than the first did; what is shown never rises
        np.minimum.accumulate(np.concatenate([found.scores, rest.scores])),
        np.concatenate([found.cosines, rest.cosines]),
        np.concatenate([found.shares, rest.shares]),
        found.position,
        near=found.near,
    )


def _with_called(collection: OpenedIndex, found: RankedRecords, typed: Typed) -> RankedRecords:
    """Put records first whose id or title was typed, with the score 1."""
    if not len(typed.called):
        return found
    new = typed.called[~np.isin(typed.called, found.numbers)]
    unknown = np.full(len(new), np.nan, np.float32)
    near = unknown
    if found.position is not None and len(new):
        places = collection.positions.of(new)
        near = cosines(found.position, places, lengths_of(places))
    every = RankedRecords(
        np.concatenate([new, found.numbers]),
        np.concatenate([np.ones(len(new), np.float32), found.scores]),
        np.concatenate([near, found.cosines]),
        np.concatenate([unknown, found.shares]),
        found.position,
        found.text,
        found.meant,
        found.near,
    )
    moved = every.taken(first_of(every.numbers, typed.called))
    moved.scores[: len(typed.called)] = 1.0
    return moved


def _ranked(
    collection: OpenedIndex, query: str, position: Any, by: str, depth: int, filters: Filters | None
) -> RankedRecords:
    if by == "meaning" and position is None:  # no known word
        nothing = np.empty(0, np.float32)
        return RankedRecords(np.empty(0, np.int64), nothing, nothing, nothing, None)
    if by == "meaning":
        numbers, cosine = collection.positions.nearest(position, depth, filters=filters)
        no_words = np.full(len(cosine), np.nan, np.float32)
        of_all = (numbers, cosine) if collection.store.matching(filters) is None else None
        return RankedRecords(numbers, np.clip(cosine, 0, 1), cosine, no_words, position, near=of_all)
    find = collection.store.words if position is not None else partial(by_words, collection)
    words = find(query, depth, filters)
    shares = np.asarray(np.clip(shares_of(words[1]), 0, 1), np.float32)
    if position is None:
        return RankedRecords(words[0], shares, np.full(len(shares), np.nan, np.float32), shares, None)
    near = collection.positions.nearest(position, depth, filters=filters)
    places = collection.positions.of(words[0])
    of_words = cosines(position, places, lengths_of(places))
    weights = weights_for(query, collection.space.words)
    numbers, sums = fused_by_score(near, words, of_words, depth, weights)
    near_to = dict(zip(near[0].tolist(), near[1].tolist(), strict=True))
    near_to |= dict(zip(words[0].tolist(), of_words.tolist(), strict=True))
    share = dict(zip(words[0].tolist(), shares.tolist(), strict=True))
    return RankedRecords(
        numbers,
        np.clip(np.asarray(sums, np.float32) / weights.most, 0, 1),
        np.array([near_to[number] for number in numbers.tolist()], np.float32),
        np.array([share.get(number, np.nan) for number in numbers.tolist()], np.float32),
        position,
        near=near if collection.store.matching(filters) is None else None,
    )
