"""Search: finds records for a query, by meaning, by words, or by both."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.fusion import USUAL, best_sums, fused_by_score, shares_of, weights_for
from tacit.index.nearest.exact import cosines, lengths_of
from tacit.tasks.label_names import find_number, title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import FoundRecords, RecordHit
from tacit.tasks.search.typed import Typed, first_of, understand

__all__ = ["FUSIONS", "WAYS", "by_words", "hit_of", "hits_of", "in_order", "query_position", "search", "similar"]

WAYS = ("hybrid", "meaning", "words")
FUSIONS = ("scores", "ranks")
_FUSED = 100  # results of each list that are fused
_TELLING, _READ = 40, 20_000  # words of a record that others are found by, and characters among which they are sought
_WORD = re.compile(r"[^\W\d_]{2,}")
_PART, _LETTERS = re.compile(r'"[^"]*"|\S+'), re.compile(r"[^\W_]+")
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
) -> FoundRecords:
    """Find records for a query, best first.

    Parameters
    ----------
    collection : an open index
    query : str, optional
        A few words, a sentence, or a whole text. In a query of at most 300 characters a record must have "a phrase",
        must not have -a word, must have title:words in its title and label:names or narrower ones as labels. Without
        words, all records that the filters match are found, in the order of the collection.
    by : {"hybrid", "meaning", "words"}, default "hybrid"
        "meaning" compares positions in the space, by cosine; "words" searches for the words (BM25); "hybrid" combines
        both, so that it finds exact names as well as related texts in other words. By "words" and "hybrid" a record
        whose id or title is the query comes first.
    limit : int, default 10
        Most records.
    filters : Filters, optional
        Only matching records.
    vector : optional
        Vector of the query, for an index that was built with vectors; with a query, both count.
    fusion : {"scores", "ranks"}, default "scores"
        How "hybrid" combines: "scores" is 3 · cosine + BM25 as a share of the best, plus 4 times the lead of the first
        by words over the second; for a query of more than 12 words the cosine counts more, in proportion. "ranks" is
        reciprocal-rank fusion.

    Returns
    -------
    FoundRecords
        A list of `RecordHit`. `score` is a cosine for "meaning", BM25 for "words", and for "hybrid" between 0 and 1:
        1 for a record where the query is and that is the best by words; or a sum of 1 / (60 + rank) with
        fusion="ranks". Its `meant` is the query with known words in place of misspelt ones, which are searched for if
        no other word of the query is known.
    """
    limit = check_count("limit", limit)
    by = check_choice("by", by, WAYS)
    fusion = check_choice("fusion", fusion, FUSIONS)
    if vector is not None:
        return FoundRecords(_by_vector(collection, query, by, limit, filters, vector, fusion))
    if not isinstance(query, str) and (query is not None or filters is None):
        raise InputError(f"query is empty: got {query!r}, expected some words.")
    typed = understand(collection, query or "", filters, titles=by != "meaning")
    if not typed.text:
        return FoundRecords(hits_of(collection, *in_order(collection, typed.filters, limit)))
    numbers, scores = _found(collection, typed, by, limit, fusion)
    order = first_of(numbers, typed.called)[:limit]
    best = 1.0 if by == "hybrid" and fusion == "scores" else max(scores, default=1.0)
    first = [best] * len(typed.called)
    numbers = np.array([*typed.called[: len(order)], *numbers[order[len(typed.called) :]]], np.int64)
    scores = [*first[: len(order)], *(scores[place] for place in order[len(typed.called) :].tolist())]
    return FoundRecords(
        hits_of(collection, numbers, scores), meant=typed.meant, used_meant=typed.used, words=typed.words
    )


def in_order(collection: OpenedIndex, filters: Filters | None, limit: int) -> tuple[Any, Any]:
    """Return the first records that filters match, for a query without words; there is nothing to score."""
    numbers = collection.store.numbers(filters)[:limit]
    return numbers, np.zeros(len(numbers))


def _found(collection: OpenedIndex, typed: Typed, by: str, limit: int, fusion: str) -> tuple[Any, Any]:
    if by == "words":
        return by_words(collection, typed.words, limit, typed.filters)
    position = query_position(collection, typed.in_space(collection), by, None)
    if by == "meaning":
        return collection.positions.nearest(position, limit, filters=typed.filters)
    return _hybrid(collection, typed.words, position, limit, typed.filters, fusion)


def by_words(collection: OpenedIndex, query: str, limit: int, filters: Filters | None) -> tuple[Any, Any]:
    """Return the best records by words alone; those that have only stop words of the query say nothing.

    Stop words count in BM25, since titles have them in common; a query of stop words alone finds what has them.
    """
    depth = max(_FUSED, limit)
    numbers, scores = collection.store.words(query, depth, filters)
    stop = frozenset() if collection.space.words is None else collection.space.words.analyse.stop_words
    parts = _PART.findall(query)
    telling = [part for part in parts if not stop.issuperset(_LETTERS.findall(part.lower())) or part.startswith('"')]
    if len(numbers) and 0 < len(telling) < len(parts):
        found = collection.store.words(" ".join(telling), depth, filters)[0]
        if len(found) < depth:  # else there are enough that have other words, and these are the best
            kept = np.isin(numbers, found)
            numbers, scores = numbers[kept], scores[kept]
    return numbers[:limit], scores[:limit]


def _by_vector(
    collection: OpenedIndex, query: str | None, by: str, limit: int, filters: Filters | None, vector: Any, fusion: str
) -> list[RecordHit]:
    if by == "words":
        raise InputError("query is missing: got a vector only, expected words for by='words'.")
    position = query_position(collection, query, by, vector)
    if by == "meaning" or query is None:
        return hits_of(collection, *collection.positions.nearest(position, limit, filters=filters))
    return hits_of(collection, *_hybrid(collection, query, position, limit, filters, fusion))


def similar(
    collection: OpenedIndex, id: str, *, by: str = "meaning", limit: int = 10, filters: Filters | None = None
) -> list[RecordHit]:
    """Find the records most similar to a record, without the record itself.

    `by` is "meaning", with the cosine as `score`; "words", with BM25 for its most telling words; or "hybrid", which
    combines both into a score from 0 to 1.
    """
    limit = check_count("limit", limit)
    by = check_choice("by", by, WAYS)
    number = find_number(collection, id)
    position = collection.positions.of(np.array([number]))[0]
    if by == "meaning":
        return hits_of(collection, *collection.positions.nearest(position, limit, filters=filters, without=number))
    depth = max(_FUSED, limit)
    numbers, scores = collection.store.words(_telling(collection, id), depth + 1, filters)
    words = numbers[numbers != number], scores[numbers != number]
    if by == "words":
        return hits_of(collection, words[0][:limit], words[1][:limit])
    near = collection.positions.nearest(position, depth, filters=filters, without=number)
    places, weights = collection.positions.of(words[0]), USUAL._replace(lead=0.0)  # no record is meant
    fused, sums = fused_by_score(near, words, cosines(position, places, lengths_of(places)), limit, weights)
    return hits_of(collection, fused, np.clip(np.asarray(sums) / weights.most, 0, 1))


def _telling(collection: OpenedIndex, id: str) -> str:
    """Return the words of a record that tell most about it."""
    (record,) = collection.store.get([collection.store.number_of(id)])
    words, text = collection.space.words, f"{record.title} {record.text}"[:_READ]
    different = dict.fromkeys(word.lower() for word in _WORD.findall(text))
    if words is None:
        return " ".join(list(different)[:_TELLING])
    weight = {
        word: words.weights[words.columns[key]] for word in different if (key := words.key(word)) in words.columns
    }
    return " ".join(sorted(weight or different, key=lambda word: -weight.get(word, 0.0))[:_TELLING])


def hits_of(collection: OpenedIndex, numbers: Any, scores: Any) -> list[RecordHit]:
    """Return the records of these numbers as hits."""
    records = collection.store.get(numbers)
    return [hit_of(collection, record, float(score)) for record, score in zip(records, scores, strict=True)]


def hit_of(collection: OpenedIndex, record: Record, score: float, why: tuple[str, ...] = ()) -> RecordHit:
    """Return a record as a hit, with the titles of its labels."""
    titles = {label: title for label in record.labels if (title := title_of(collection, label)) != label}
    return RecordHit(record.id, score, why, record, titles)


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
    if position is None:
        numbers, scores = by_words(collection, query, limit, filters)
        return numbers, shares_of(scores)
    words = collection.store.words(query, depth, filters)
    near = collection.positions.nearest(position, depth, filters=filters)
    if fusion == "ranks":
        # reciprocal-rank fusion [Cormack2009]: each list gives 1 / (60 + rank); ties in the order of the first list
        sums: dict[int, float] = {}
        for numbers in (near[0], words[0]):
            for rank, number in enumerate(numbers.tolist(), start=1):
                sums[number] = sums.get(number, 0.0) + 1 / (_RANK_OFFSET + rank)
        return best_sums(sums, limit)
    places, weights = collection.positions.of(words[0]), weights_for(query, collection.space.words)
    near_words = cosines(position, places, lengths_of(places))
    numbers, found = fused_by_score(near, words, near_words, limit, weights)
    return numbers, np.clip(np.asarray(found) / weights.most, 0, 1)
