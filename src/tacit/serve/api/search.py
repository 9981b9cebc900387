"""Search, similar records and recommendations."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query

from tacit.corpus.record import Record
from tacit.errors import TacitError
from tacit.serve.answers import Conditions, Given, Shown, as_json, finite, next_cursor, pin_of
from tacit.serve.models import Cursor, Hits, Limit, Name, SearchAnswer, Way, offset_of
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.explain.found import why_found, why_similar
from tacit.tasks.label_lookup import label_lookup
from tacit.tasks.label_names import find_number
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.ranking import DEEPEST, RankedRecords, rank_records
from tacit.tasks.search.search import WAYS
from tacit.tasks.search.snippets import QueryWords

__all__ = ["ask_first", "router"]

_LONGEST = 10_000  # characters of a query
_ALIKE = 70.0  # least score of a name that a query may have meant
_IN_ORDER = "In the order of the collection."


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}", responses=PROBLEMS, tags=["search"])

    @router.get("/search", response_model=SearchAnswer)
    async def search(
        index: str,
        given: Conditions,
        q: Annotated[str, Query(max_length=_LONGEST, description="Some words; without any, records in order.")] = "",
        by: Way = "hybrid",
        limit: Limit = 20,
        cursor: Cursor = None,
    ) -> Any:
        """Find records by words, by meaning, or by both."""
        first = offset_of(cursor)
        if not q.strip():
            return await state.run(index, lambda snapshot: as_json(_in_order(snapshot, given, first, limit)))
        return await state.run(index, lambda snapshot: as_json(_found(snapshot, q, by, given, first, limit)))

    @router.get("/similar", response_model=Hits)
    async def similar(index: str, given: Conditions, id: Name, limit: Limit = 10, cursor: Cursor = None) -> Any:
        """Find the records nearest to a record."""
        first = offset_of(cursor)
        return await state.run(index, lambda snapshot: as_json(_similar(snapshot, id, given, first, limit)))

    @router.get("/recommend", response_model=Hits)
    async def recommend(
        index: str,
        given: Conditions,
        like: Annotated[list[Name], Query(max_length=100, description="Id of a record.")] = [],  # noqa: B006
        dislike: Annotated[list[Name], Query(max_length=100, description="Id of a record.")] = [],  # noqa: B006
        kind: Annotated[Name | None, Query(description="Name of a link, such as author.")] = None,
        name: Annotated[Name | None, Query(description="A target of that link.")] = None,
        limit: Limit = 10,
    ) -> Any:
        """Recommend records: to someone who likes some, or to a linked thing."""
        if bool(like) == bool(kind):
            raise Problem(400, "This combination is not supported: expected like, or kind and name.")
        if (kind is None) != (name is None):
            raise Problem(400, "kind and name go together: expected both, such as kind=author&name=Knuth.")
        asked = (given, like, dislike, kind, name, limit)
        return await state.run(index, lambda snapshot: as_json(_recommended(snapshot, *asked)))

    return router


def ask_first(snapshot: Snapshot) -> None:
    """Search in each way, for words of a record."""
    store, nothing = snapshot.collection.store, Given((), (), (), ())
    for record in store.get(store.numbers()[:1]):
        for by in WAYS:
            with contextlib.suppress(TacitError):  # without words there is no search by meaning
                _found(snapshot, " ".join(f"{record.title} {record.text}".split()[:8]), by, nothing, 0, 20)
        _similar(snapshot, record.id, nothing, 0, 10)


def _in_order(snapshot: Snapshot, given: Given, first: int, limit: int) -> dict[str, Any]:
    store = snapshot.collection.store
    numbers = store.numbers(given.filters(snapshot))
    page = numbers[first : first + limit].tolist()
    shown = Shown(snapshot)
    items = [
        shown.hit(number, record, score=0.0, why=_IN_ORDER)
        for number, record in zip(page, store.get(page), strict=True)
    ]
    more = first + len(page) < len(numbers)
    following = next_cursor(first, len(page), limit, more=more)
    return {"items": items, "next": following, "pin": None, "total": len(numbers), "meant": None}


def _found(snapshot: Snapshot, query: str, by: str, given: Given, first: int, limit: int) -> dict[str, Any]:
    collection, filters = snapshot.collection, given.filters(snapshot)
    ranked = rank_records(collection, query, by=by, limit=first + limit + 1, filters=filters)
    meant = ranked.meant
    if meant is None and not first and not _has_words(ranked, by):
        meant = _meant(snapshot, query)
    if meant is not None and not len(ranked.numbers):
        ranked = rank_records(collection, meant, by=by, limit=limit + 1, filters=filters)
    page = ranked.page(first, limit)
    more = len(ranked.numbers) > first + limit and first + limit < DEEPEST
    return {
        "items": _hits(snapshot, page, page.text),
        "next": next_cursor(first, len(page.numbers), limit, more=more),
        "pin": None if first else pin_of(snapshot, ranked.position, ranked.near),
        "total": None,
        "meant": None if first else meant,
    }


def _hits(snapshot: Snapshot, page: RankedRecords, query: str) -> list[dict[str, Any]]:
    shown, items = Shown(snapshot, QueryWords(snapshot.collection, query, page.position)), []
    cosines, shares = page.cosines.tolist(), page.shares.tolist()
    for place, (number, record) in enumerate(zip(page.numbers.tolist(), _records(snapshot, page), strict=True)):
        cosine, share = finite(cosines[place]), finite(shares[place])
        score, why = float(page.scores[place]), partial(why_found, cosine=cosine)
        items.append(shown.hit(number, record, score=score, meaning=cosine, words=share, why=why))
    return items


def _records(snapshot: Snapshot, page: RankedRecords) -> list[Record]:
    return snapshot.collection.store.get(page.numbers)


def _has_words(ranked: RankedRecords, by: str) -> bool:
    """Whether the query has a word that records have."""
    found = ranked.cosines if by == "meaning" else ranked.shares
    return bool(len(found)) and bool(np.isfinite(found).any())


def _meant(snapshot: Snapshot, query: str) -> str | None:
    """Return the name of a label that is spelt much like a query of which no record has a word."""
    if len(query) > 200:
        return None
    found = label_lookup(snapshot.collection).find(query, limit=1)
    return found[0].name if found and found[0].score >= _ALIKE and found[0].name != query.strip() else None


def _similar(snapshot: Snapshot, id: str, given: Given, first: int, limit: int) -> dict[str, Any]:
    collection, wanted = snapshot.collection, min(first + limit + 1, DEEPEST)
    number = find_number(collection, id)
    (own,) = collection.store.get([number])
    position = collection.positions.of(np.array([number]))[0]
    found = collection.positions.nearest(position, wanted, filters=given.filters(snapshot), without=number)
    numbers, cosines = (array[first : first + limit].tolist() for array in found)
    shown, items = Shown(snapshot, QueryWords(collection, "", position)), []
    for other, cosine, record in zip(numbers, cosines, collection.store.get(numbers), strict=True):
        why = why_similar(collection, record, own, cosine)
        items.append(shown.hit(other, record, score=cosine, meaning=finite(cosine), why=why))
    more = len(found[0]) > first + limit
    return {"items": items, "next": next_cursor(first, len(items), limit, more=more)}


def _recommended(
    snapshot: Snapshot,
    given: Given,
    like: list[str],
    dislike: list[str],
    kind: str | None,
    name: str | None,
    limit: int,
) -> dict[str, Any]:
    collection, filters = snapshot.collection, given.filters(snapshot)
    found: list[Any]
    if kind is not None and name is not None:
        found = collection.recommend_for(kind, name, limit=limit, filters=filters)
    else:
        found = collection.recommend(like, disliked=dislike, limit=limit, filters=filters)
    hits = [hit for hit in found if isinstance(hit, RecordHit)]
    best = max((hit.score for hit in hits), default=0.0)
    scale = max(1.0, best)  # products of positions have no upper end
    shown, items = Shown(snapshot), []
    for hit in hits:
        why = f"{'; '.join(hit.why) or 'close to what is linked'}."
        meaning = finite(hit.score) if scale == 1.0 else None
        why, number = why[0].upper() + why[1:], collection.store.number_of(hit.id)
        items.append(shown.hit(number, hit.record, score=hit.score / scale, meaning=meaning, why=why))
    return {"items": items, "next": None}
