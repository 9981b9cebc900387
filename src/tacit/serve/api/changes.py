"""Changes to an index, for callers with the token: add, replace and remove records, learn from corrections."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable

from fastapi import APIRouter, Depends, Request

from tacit.corpus.record import Record
from tacit.serve.models import Changed, Learned, NewCorrections, NewRecord, NewRecords
from tacit.serve.problems import PROBLEMS, Problem, problems
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.collection import Collection
from tacit.tasks.suggest.learn import learn

__all__ = ["router"]


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    responses = {**PROBLEMS, **problems(401, 403)}

    def allowed(request: Request) -> None:
        """Compare the token in constant time."""
        if state.token is None:
            raise Problem(403, "This service does not change indexes: it was started without a token.")
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(given.strip().encode(), state.token.encode())
        if scheme.lower() != "bearer" or not same:
            raise Problem(401, "The token is missing or wrong.", {"WWW-Authenticate": "Bearer"})

    router = APIRouter(prefix="/api/v1/{index}", responses=responses, tags=["changes"], dependencies=[Depends(allowed)])
    turns: dict[str, threading.Lock] = {name: threading.Lock() for name in state.indexes}
    wait = state.limits.write_wait

    async def changed(index: str, change: Callable[[Collection], int]) -> Changed:
        def work(snapshot: Snapshot) -> int:
            with _turn(turns[snapshot.name], wait):
                return change(snapshot.collection)

        count = await state.run(index, work, writes=True)
        return Changed(changed=count, generation=await state.run(index, lambda snapshot: snapshot.generation))

    @router.post("/records", response_model=Changed)
    async def add(index: str, given: NewRecords) -> Changed:
        """Add records, all of them or none; an id that is in use is an error."""
        records = _records(given.records)
        return await changed(index, lambda collection: collection.add(records, wait=wait))

    @router.put("/records", response_model=Changed)
    async def upsert(index: str, given: NewRecords) -> Changed:
        """Add records, replacing those that have the same ids, all of them or none."""
        records = _records(given.records)
        return await changed(index, lambda collection: collection.upsert(records, wait=wait))

    @router.delete("/records/{id:path}", response_model=Changed)
    async def remove(index: str, id: str) -> Changed:
        """Remove a record."""
        return await changed(index, lambda collection: collection.remove([id], wait=wait))

    @router.post("/learn", response_model=Learned)
    async def learn_from(index: str, given: NewCorrections) -> Learned:
        """Learn from labels that people accepted and rejected; the suggestions use it at once."""
        records = [
            Record(f"correction {n}", one.text, labels=tuple(one.accepted)) for n, one in enumerate(given.records)
        ]
        rejected = [one.rejected for one in given.records]

        def work(snapshot: Snapshot) -> int:
            with _turn(turns[snapshot.name], wait):
                return learn(snapshot.collection.path, records, rejected=rejected, wait=wait)

        count = await state.run(index, work, writes=True)
        await state.in_thread(state.find(index).reload)
        return Learned(learned=count, generation=await state.run(index, lambda snapshot: snapshot.generation))

    return router


class _turn:  # noqa: N801 - used as `with _turn(...)`
    """One writer at a time, which waits a little."""

    def __init__(self, lock: threading.Lock, wait: float) -> None:
        self._lock, self._wait = lock, wait

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=self._wait):
            raise Problem(503, "Another change is being written. Try again in a moment.", {"Retry-After": "2"})

    def __exit__(self, *error: object) -> None:
        self._lock.release()


def _records(given: list[NewRecord]) -> list[Record]:
    return [
        Record(one.id, one.text, tuple(one.labels), one.title, {k: tuple(v) for k, v in one.links.items()}, one.fields)
        for one in given
    ]
