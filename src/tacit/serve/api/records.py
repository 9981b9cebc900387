"""Records by their numbers or ids."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from tacit.errors import InputError
from tacit.serve.answers import Shown, as_json, labels_of, path_of, place_of
from tacit.serve.models import NUMBERS, Members, Name, PlacedLabel, RecordFacts
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.label_names import find_number
from tacit.tasks.search.hits import RecordHit

__all__ = ["router"]

_Number = Annotated[int, Query(ge=0, le=2**53)]


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}", responses=PROBLEMS, tags=["records"])

    @router.get("/records", response_model=Members)
    async def records(
        index: str,
        number: Annotated[list[_Number], Query(max_length=NUMBERS, description="Number of a record.")] = [],  # noqa: B006
        id: Annotated[list[Name], Query(max_length=NUMBERS, description="Id of a record.")] = [],  # noqa: B006
    ) -> Any:
        """Return several records for lists, by their numbers or ids, in that order."""
        return await state.run(index, lambda snapshot: as_json(_members(snapshot, number, id)))

    @router.get("/records/{id:path}", response_model=RecordFacts)
    async def record(index: str, id: str) -> Any:
        """Return everything that is stored of a record."""
        return await state.run(index, lambda snapshot: as_json(_facts(snapshot, id)))

    return router


def _members(snapshot: Snapshot, numbers: list[int], ids: list[str]) -> dict[str, Any]:
    collection = snapshot.collection
    wanted = [*numbers, *(find_number(collection, id) for id in ids)]
    try:
        found = collection.store.get(wanted)
    except InputError as error:
        raise Problem(404, "number is unknown: expected numbers of records of this index.") from error
    shown = Shown(snapshot)
    return {"items": [shown.member(n, record) for n, record in zip(wanted, found, strict=True)], "next": None}


def _facts(snapshot: Snapshot, id: str) -> RecordFacts:
    number = find_number(snapshot.collection, id)
    (record,) = snapshot.collection.store.get([number])
    return RecordFacts(
        id=record.id,
        number=number,
        title=RecordHit(record.id, 0.0, record=record).title,
        text=record.text,
        labels=[
            PlacedLabel(label=one.label, title=one.title, path=path_of(snapshot, one.label))
            for one in labels_of(snapshot, record.labels)
        ],
        links={name: list(targets) for name, targets in record.links.items()},
        fields=dict(record.fields),
        map=place_of(snapshot, number),
    )
