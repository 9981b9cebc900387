"""Search: finds records for a query, by meaning, by words, or by both."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.nearest.exact import cosines, lengths_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit

__all__ = ["FUSIONS", "WAYS", "fused_by_score", "hits_of", "query_position", "search", "shares_of", "similar"]

WAYS = ("hybrid", "meaning", "words")
FUSIONS = ("scores", "ranks")
_FUSED = 100  # results of each list that are fused
_COSINE, _LEAD = 3.0, 4.0  # weights of the cosine and of the lead of the first by words: docs/decisions/0014
_RANK_OFFSET = 60  # k of reciprocal-rank fusion [Cormack2009]: larger values make the first ranks count less


def search(
    collection: OpenedIndex,
    query: str | None = None,
    *,
    by: str = "hybrid",
    limit: int = 10,
    filters: Filters | None = None,
    vector: Any = None,
    fusion: str = "scores",
) -> list[RecordHit]:
    """Find records for a query, best first.

    Parameters
    ----------
    collection : an open index
    query : str
        A few words, a sentence, or a whole text.
    by : {"hybrid", "meaning", "words"}, default "hybrid"
        "meaning" compares positions in the space, by cosine; "words" searches for the words (BM25; words in quotation
        marks are a phrase); "hybrid" combines both, so that it finds exact names as well as related texts in other
        words.
    limit : int, default 10
        Most records.
    filters : Filters, optional
        Only matching records.
    vector : optional
        Vector of the query, for an index that was built with vectors; with a query, both count.
    fusion : {"scores", "ranks"}, default "scores"
        How "hybrid" combines: "scores" is 3 · cosine + BM25 as a share of the best, plus 4 times the lead of the first
        by words over the second; "ranks" is reciprocal-rank fusion.

    Returns
    -------
    list of RecordHit
        `score` is a cosine for "meaning", BM25 for "words", and for "hybrid" a sum of at most 8, or of
        1 / (60 + rank) with fusion="ranks".
    """
    limit = check_count("limit", limit)
    by = check_choice("by", by, WAYS)
    fusion = check_choice("fusion", fusion, FUSIONS)
    if vector is None and (not isinstance(query, str) or not query.strip()):
        raise InputError(f"query is empty: got {query!r}, expected some words.")
    if by == "words":
        if query is None:
            raise InputError("query is missing: got a vector only, expected words for by='words'.")
        return hits_of(collection, *collection.store.words(query, limit, filters))
    position = query_position(collection, query, by, vector)
    if by == "meaning" or query is None:
        return hits_of(collection, *collection.positions.nearest(position, limit, filters=filters))
    return hits_of(collection, *_hybrid(collection, query, position, limit, filters, fusion))


def similar(collection: OpenedIndex, id: str, *, limit: int = 10, filters: Filters | None = None) -> list[RecordHit]:
    """Find the records nearest to a record, without the record itself; `score` is the cosine."""
    limit = check_count("limit", limit)
    number = collection.store.number_of(id)
    position = collection.positions.of(np.array([number]))[0]
    return hits_of(collection, *collection.positions.nearest(position, limit, filters=filters, without=number))


def hits_of(collection: OpenedIndex, numbers: Any, scores: Any) -> list[RecordHit]:
    """Return the records of these numbers as hits."""
    records = collection.store.get(numbers)
    return [RecordHit(record.id, float(score), record=record) for record, score in zip(records, scores, strict=True)]


def query_position(collection: OpenedIndex, query: str | None, by: str, vector: Any) -> Any:
    """Return the position of the query; None if only a search by words is possible."""
    if vector is not None:
        texts = None if query is None else [query]
        return collection.space.place_vectors(np.atleast_2d(np.asarray(vector)), texts, "vector")[0]
    if collection.space.words is None and by == "hybrid":
        return None
    position = collection.space.place([str(query)], "query")[0]
    if not position.any():
        if by == "hybrid":
            return None
        raise InputError(
            f"query has no known word: got {query!r}, expected at least one word of the collection. Try other words, "
            "or search by words."
        )
    return position


def _hybrid(
    collection: OpenedIndex, query: str, position: Any, limit: int, filters: Filters | None, fusion: str
) -> tuple[Any, Any]:
    depth = max(_FUSED, limit)
    words = collection.store.words(query, depth, filters)
    if position is None:
        return words[0][:limit], shares_of(words[1])[:limit]
    near = collection.positions.nearest(position, depth, filters=filters)
    if fusion == "ranks":
        # reciprocal-rank fusion [Cormack2009]: each list gives 1 / (60 + rank); ties in the order of the first list
        sums: dict[int, float] = {}
        for numbers in (near[0], words[0]):
            for rank, number in enumerate(numbers.tolist(), start=1):
                sums[number] = sums.get(number, 0.0) + 1 / (_RANK_OFFSET + rank)
        return _best(sums, limit)
    places = collection.positions.of(words[0])
    return fused_by_score(near, words, cosines(position, places, lengths_of(places)), limit)


def fused_by_score(near: tuple[Any, Any], words: tuple[Any, Any], word_cosines: Any, limit: int) -> tuple[Any, Any]:
    """Combine a list by meaning and one by words: 3 · cosine + BM25 as a share of the best, and 4 times the lead.

    The cosine is computed for the records of both lists. The lead is the difference between the first and the second
    by words, as a share, and is added to the first only: a query that is a title or a name is meant for one record.
    Ranks lose this information, and find such records half as often (docs/studies/index_answers.md, 2026-11-16).

    `near` has the numbers and cosines of the nearest records, `words` the numbers and BM25 of those found by words,
    best first, and `word_cosines` the cosines of these. Ties are in the order of the lists, the one by meaning first.
    """
    sums = dict(zip(near[0].tolist(), (_COSINE * np.asarray(near[1], np.float64)).tolist(), strict=True))
    shares = shares_of(words[1])
    fused = _COSINE * np.asarray(word_cosines, np.float64) + shares
    fused[:1] += _LEAD * (shares[:1] - (shares[1] if len(shares) > 1 else 0))
    sums |= dict(zip(words[0].tolist(), fused.tolist(), strict=True))
    return _best(sums, limit)


def shares_of(scores: Any) -> Any:
    """Return BM25 as a share of the best, since its scale depends on the query."""
    return scores / scores[0] if len(scores) and scores[0] > 0 else scores


def _best(sums: dict[int, float], limit: int) -> tuple[Any, Any]:
    best = sorted(sums, key=lambda number: -sums[number])[:limit]
    return np.array(best, np.int64), [sums[number] for number in best]
