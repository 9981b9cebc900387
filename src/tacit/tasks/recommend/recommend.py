"""Recommends records of an index, and whatever is linked to them: by liked records, or by a linked thing.

In a space of M-LSA records and linked things stand together: what is near a user may please, what is near an author may
be cited. How near is told in two ways. `near` compares directions (cosine) of where the records of things are, so that
rare and frequent things are alike; `recommend_for` multiplies positions, so that of two films in one direction the one
that more people liked comes first: of ten films so recommended 2.2 are held-out ones that the user liked, by the cosine
1.3, and of the most popular ones 1.3 (MovieLens 100K, folds 2 to 5, 2026-11-16; benchmarks/studies/index_relations.py).
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
from tacit.tasks.label_names import find_number
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.recommend.linked_things import ThingHit, directions_of, link_kinds, linked_records, near, placed
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.search import hits_of
from tacit.types import Float32Array, IntArray

if TYPE_CHECKING:
    from tacit.corpus.record import Record

__all__ = ["ThingHit", "link_kinds", "near", "recommend", "recommend_for"]


_DISLIKED = 0.5  # part of the disliked that is taken away from the liked: they say less, since they may be near too
_BLOCK = 65_536


def recommend(
    collection: OpenedIndex,
    liked: Sequence[str],
    *,
    disliked: Sequence[str] = (),
    limit: int = 10,
    filters: Filters | None = None,
) -> list[RecordHit]:
    """Recommend records to who liked others.

    Parameters
    ----------
    collection : an open index
    liked : ids of records
        Their directions are averaged; the records nearest to that are recommended, these themselves left out.
    disliked : ids of records, default ()
        Half of their mean direction is taken away.
    limit : int, default 10
    filters : Filters, optional
        Only records that pass.

    Returns
    -------
    list of RecordHit
        `score` is a cosine. `why` names the liked record that each is nearest to, and the labels and words they share.
    """
    limit = check_count("limit", limit)
    likes, dislikes = _numbers_of(collection, "liked", liked), _numbers_of(collection, "disliked", disliked)
    if not len(likes):
        raise InputError("liked is empty: got no record, expected one at least. Name records by their ids.")
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
            f"liked has no place in the space: got {_shown_ids(liked)}, expected a record with words that the space "
            "knows. Like another one, or refit the index."
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
    """Recommend to a linked thing what it has nothing to do with yet: films to a user, journals to an author.

    Parameters
    ----------
    collection : an open index
    kind, name : str
        Which thing: the name of the link, and its target.
    what : str, default "records"
        What to recommend: "records", "labels", or things of a type of links; of its own type all others.
    limit : int, default 10
    filters : Filters, optional
        Only records that pass.

    Returns
    -------
    list of RecordHit, or of ThingHit
        `score` is the product of the positions for records, by which the well-known ones come first, or a cosine where
        the space has no place for the thing itself, and for things.
    """
    limit = check_count("limit", limit)
    own = linked_records(collection, kind, name)
    if what != "records":
        check_choice("what", what, ("labels", *link_kinds(collection)))
        known = set() if what == kind else _things_of(collection, own, what)
        found = near(collection, kind, name, to=what, limit=limit + len(known), filters=filters)
        return [hit for hit in found if isinstance(hit, ThingHit) and hit.id not in known][:limit]
    position = placed(collection, kind, name)
    likes = directions_of(collection, own)
    if position is None and not len(own):  # its records are gone
        return []
    if position is None:
        numbers, scores = _nearest(collection, likes.mean(axis=0), limit, filters, own)
    else:
        numbers, scores = _strongest(collection, position, limit, filters, own)
    return _explained(collection, numbers, scores, own, likes)


def _shown_ids(ids: Sequence[str]) -> str:
    """Ids as in a sentence."""
    return listed([repr(id) for id in ids], 3)


def _things_of(collection: OpenedIndex, numbers: IntArray, kind: str) -> set[str]:
    """The labels, or the things of a type, that records have already."""
    records = collection.store.get(numbers)
    return {name for record in records for name in (record.labels if kind == "labels" else record.links.get(kind, ()))}


def _numbers_of(collection: OpenedIndex, argument: str, ids: Sequence[str]) -> IntArray:
    if isinstance(ids, str):
        raise InputError(f"{argument} is a single string: got {ids!r}, expected several ids. Write [{ids!r}].")
    return np.array([find_number(collection, str(id)) for id in dict.fromkeys(ids)], np.int64)


def _nearest(
    collection: OpenedIndex, position: Float32Array, limit: int, filters: Filters | None, without: IntArray
) -> tuple[IntArray, Float32Array]:
    """The nearest records by cosine but for some."""
    numbers, scores = collection.positions.nearest(position, limit + len(without), filters=filters)
    kept = ~np.isin(numbers, without)
    return numbers[kept][:limit], scores[kept][:limit]


def _strongest(
    collection: OpenedIndex, position: Float32Array, limit: int, filters: Filters | None, without: IntArray
) -> tuple[IntArray, Float32Array]:
    """The records with the largest products but for some: all are compared, a block at a time."""
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
    """Hits with their reasons: the liked record each is nearest to, and what the two share."""
    if not len(liked):
        return hits_of(collection, numbers, scores)
    closest = np.argmax(directions_of(collection, numbers) @ directions.T, axis=1)
    likes = {int(number): record for number, record in zip(liked, collection.store.get(liked), strict=True)}
    hits = []
    for record, score, place in zip(collection.store.get(numbers), scores, closest, strict=True):
        why = _reasons(collection, record, likes[int(liked[place])])
        hits.append(RecordHit(record.id, float(score), why, record=record))
    return hits


def _reasons(collection: OpenedIndex, record: Record, liked: Record) -> tuple[str, ...]:
    title = RecordHit(liked.id, 0.0, record=liked).title
    reasons = [f"near {title!r}" if title else f"near {liked.id}"]
    labels = [label for label in record.labels if label in liked.labels]
    if labels:
        reasons.append(f"labels {listed(labels)}")
    words = shared_words(collection, record.text, liked.text)
    if words:
        reasons.append(f"words {listed(words)}")
    return tuple(reasons)
