"""Recommends records of an index, and things that are linked to them, by liked records or by a linked thing.

M-LSA places records and linked things in one space, so that a user is near films they may like. `near` compares
directions (cosine), which treats rare and frequent things alike. `recommend_for` multiplies positions, so that of two
films in one direction the more popular one comes first: of ten films that it recommends, 2.2 are held-out ones that the
user liked; by the cosine 1.3, and of the most popular films 1.3 (MovieLens 100K, folds 2 to 5, 2026-11-16;
benchmarks/studies/index_relations.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tacit.checks import check_choice, check_count
from tacit.errors import InputError
from tacit.index import Filters
from tacit.index.nearest.exact import top
from tacit.tasks.explain.words import listed, shared_words
from tacit.tasks.label_names import find_number, title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.recommend.linked_things import (
    ThingHit,
    as_linked,
    directions_of,
    link_kinds,
    linked_records,
    near,
    placed,
)
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.search import hit_of, hits_of
from tacit.types import Float32Array, IntArray

if TYPE_CHECKING:
    from tacit.corpus.record import Record

__all__ = ["ThingHit", "link_kinds", "near", "recommend", "recommend_for"]


_DISLIKED = 0.5  # weight of the disliked records: they say less, since they may be near the liked ones
_BLOCK = 65_536


def recommend(
    collection: OpenedIndex,
    liked: Sequence[str],
    *,
    disliked: Sequence[str] = (),
    limit: int = 10,
    filters: Filters | None = None,
) -> list[RecordHit]:
    """Recommend records similar to ones that someone liked.

    Parameters
    ----------
    collection : an open index
    liked : ids of records
        The records nearest to their mean direction are recommended, without these themselves.
    disliked : ids of records, default ()
        Half of their mean direction is subtracted.
    limit : int, default 10
    filters : Filters, optional
        Only matching records.

    Returns
    -------
    list of RecordHit
        `score` is a cosine. `why` names the nearest liked record, and shared labels and words.
    """
    limit = check_count("limit", limit)
    likes, dislikes = _numbers_of(collection, "liked", liked), _numbers_of(collection, "disliked", disliked)
    if not len(likes):
        raise InputError("liked is empty: got none, expected at least one id.")
    both = np.intersect1d(likes, dislikes)
    if len(both):
        name = collection.store.get(both[:1])[0].id
        raise InputError(f"liked and disliked share a record: got {name!r} in both, expected it in one of them.")
    near_to = directions_of(collection, likes)
    wanted = near_to.mean(axis=0)
    if len(dislikes):
        wanted = wanted - _DISLIKED * directions_of(collection, dislikes).mean(axis=0)
    if not wanted.any():
        raise InputError(
            f"liked has no position: got {listed(map(repr, liked))}, expected a record with words that the space "
            "knows. Choose another, or refit the index."
        )
    numbers, scores = _nearest(collection, wanted, limit, filters, np.concatenate([likes, dislikes]))
    return _explained(collection, numbers, scores, likes, near_to)


def recommend_for(
    collection: OpenedIndex,
    kind: str,
    name: str,
    *,
    what: str = "records",
    limit: int = 10,
    filters: Filters | None = None,
) -> list[RecordHit] | list[ThingHit]:
    """Recommend to a linked thing what it is not linked to yet: films to a user, journals to an author.

    Parameters
    ----------
    collection : an open index
    kind, name : str
        The name of the link, and its target.
    what : str, default "records"
        "records", "labels", or the name of a link; for its own link all other things.
    limit : int, default 10
    filters : Filters, optional
        Only matching records.

    Returns
    -------
    list of RecordHit, or of ThingHit
        `score` is the product of the positions for records, which prefers well-known ones, as a share of the largest
        among the records that are linked to the thing; a cosine for things, or if the thing has no position.
    """
    limit = check_count("limit", limit)
    kind, name = as_linked(collection, kind, name)
    own = linked_records(collection, kind, name)
    if what != "records":
        check_choice("what", what, ("labels", *link_kinds(collection)))
        linked = [] if what == kind else collection.store.get(own)
        known = {name for one in linked for name in (one.labels if what == "labels" else one.links.get(what, ()))}
        found = near(collection, kind, name, to=what, limit=limit + len(known), filters=filters)
        return [hit for hit in found if isinstance(hit, ThingHit) and hit.id not in known][:limit]
    position = placed(collection, kind, name)
    likes = directions_of(collection, own)
    if position is None and not len(own):  # its records were removed
        return []
    if position is None:
        numbers, scores = _nearest(collection, likes.mean(axis=0), limit, filters, own)
    else:
        numbers, scores = _strongest(collection, position, limit, filters, own)
        most = float((collection.positions.of(own) @ position).max(initial=0))
        scores = scores / most if most > 0 else scores
    return _explained(collection, numbers, scores, own, likes)


def _numbers_of(collection: OpenedIndex, argument: str, ids: Sequence[str]) -> IntArray:
    if isinstance(ids, str):
        raise InputError(f"{argument} is a single string: got {ids!r}, expected several ids. Write [{ids!r}].")
    return np.array([find_number(collection, str(id)) for id in dict.fromkeys(ids)], np.int64)


def _nearest(
    collection: OpenedIndex, position: Float32Array, limit: int, filters: Filters | None, without: IntArray
) -> tuple[IntArray, Float32Array]:
    """Return the nearest records by cosine, except some."""
    numbers, scores = collection.positions.nearest(position, limit + len(without), filters=filters)
    kept = ~np.isin(numbers, without)
    return numbers[kept][:limit], scores[kept][:limit]


def _strongest(
    collection: OpenedIndex, position: Float32Array, limit: int, filters: Filters | None, without: IntArray
) -> tuple[IntArray, Float32Array]:
    """Return the records with the largest products, except some; all are compared, one block at a time."""
    numbers = np.setdiff1d(collection.store.numbers(filters), without)
    scores = np.empty(len(numbers), np.float32)
    for start in range(0, len(numbers), _BLOCK):
        part = slice(start, start + _BLOCK)
        scores[part] = collection.positions.of(numbers[part]) @ position
    best = top(scores, limit)
    return numbers[best], scores[best]


def _explained(
    collection: OpenedIndex, numbers: IntArray, scores: Float32Array, liked: IntArray, directions: Float32Array
) -> list[RecordHit]:
    """Return hits with reasons: the nearest liked record, and what the two share."""
    if not len(liked):
        return hits_of(collection, numbers, scores)
    closest = np.argmax(directions_of(collection, numbers) @ directions.T, axis=1)
    likes = {int(number): record for number, record in zip(liked, collection.store.get(liked), strict=True)}
    hits = []
    for record, score, place in zip(collection.store.get(numbers), scores, closest, strict=True):
        why = _reasons(collection, record, likes[int(liked[place])])
        hits.append(hit_of(collection, record, float(score), why))
    return hits


def _reasons(collection: OpenedIndex, record: Record, liked: Record) -> tuple[str, ...]:
    title = RecordHit(liked.id, 0.0, record=liked).title
    reasons = [f"near {title!r}" if title else f"near {liked.id}"]
    labels = [label for label in record.labels if label in liked.labels]
    if labels:
        reasons.append(f"labels {listed(title_of(collection, label) for label in labels)}")
    words = shared_words(collection, record.text, liked.text)
    if words:
        reasons.append(f"words {listed(words)}")
    return tuple(reasons)
