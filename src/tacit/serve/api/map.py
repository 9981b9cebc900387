"""The map: points, names, colours, and which records pass a filter, in the smallest form."""

from __future__ import annotations

import io
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from tacit.serve.answers import Conditions, Given, colouring_of, map_layers, stored_map, tagged, tree_of
from tacit.serve.models import ColourGroup, Colours, MapNames, Name
from tacit.serve.problems import PROBLEMS, Problem
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.map.stored import n_numbers
from tacit.tasks.search.ranking import DEEPEST, rank_records

__all__ = ["ask_first", "router"]

_By = Annotated[Name, Query(description="label, cluster, concept, or the name of a field or link.")]
_Under = Annotated[Name | None, Query(description="A label: only its records have colours.")]
_NPY = "application/octet-stream"
_BINARY: dict[int | str, dict[str, Any]] = {
    200: {"description": "Bytes", "content": {_NPY: {"schema": {"type": "string", "format": "binary"}}}}
}


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1/{index}/map", responses=PROBLEMS, tags=["map"])

    @router.get("/points.npy", responses=_BINARY, response_class=Response)
    async def points(request: Request, index: str) -> Any:
        """Return the place of each record number: NumPy's format, int16, n x 2."""
        return await tagged(state, request, index, lambda snapshot: _layer(snapshot, 0))

    @router.get("/plain.npy", responses=_BINARY, response_class=Response)
    async def plain(request: Request, index: str) -> Any:
        """Return the same by the words alone."""
        return await tagged(state, request, index, lambda snapshot: _layer(snapshot, 1))

    @router.get("/names", response_model=MapNames)
    async def names(request: Request, index: str) -> Any:
        """Return the names on the map, the widest first."""
        return await tagged(state, request, index, _names)

    @router.get("/colours", response_model=Colours)
    async def colours(request: Request, index: str, by: _By = "label", under: _Under = None) -> Any:
        """Return a dozen groups of records, most frequent first, with their codes in colours.npy."""

        def groups(snapshot: Snapshot) -> Colours:
            found = colouring_of(snapshot, by, under).groups
            shown = [ColourGroup(name=one.name, label=one.label, records=one.records, code=one.code) for one in found]
            return Colours(groups=shown, by=by, under=under)

        return await tagged(state, request, index, groups)

    @router.get("/colours.npy", responses=_BINARY, response_class=Response)
    async def codes(request: Request, index: str, by: _By = "label", under: _Under = None) -> Any:
        """Return the code of each record number: NumPy's format, uint8, n; 0 is in no group, 13 in another."""
        return await tagged(state, request, index, lambda snapshot: _npy(colouring_of(snapshot, by, under).codes))

    @router.get("/rows", responses=_BINARY, response_class=Response)
    async def rows(
        request: Request,
        index: str,
        given: Conditions,
        q: Annotated[str, Query(max_length=10_000, description="Only the first records for a query.")] = "",
    ) -> Any:
        """Return one bit per record number, the lowest first: whether it passes the conditions."""
        return await tagged(state, request, index, lambda snapshot: _rows(snapshot, given, q))

    return router


def ask_first(snapshot: Snapshot) -> None:
    """Lay out the points with their names and colours."""
    if map_layers(snapshot) is not None:
        _names(snapshot)
        colouring_of(snapshot, "label" if len(tree_of(snapshot)) else "cluster", None)


def _layer(snapshot: Snapshot, layer: int) -> Response:
    layers = map_layers(snapshot)
    if layers is None or layers[layer] is None:
        which = "layout by words alone" if layers is not None else "map"
        raise Problem(404, f"The index {snapshot.name!r} has no {which}.")
    return _npy(layers[layer])


def _npy(array: Any) -> Response:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return Response(file.getvalue(), media_type=_NPY)


def _names(snapshot: Snapshot) -> MapNames:
    found = stored_map(snapshot)
    if found is None:
        raise Problem(404, f"The index {snapshot.name!r} has no map.")
    return MapNames.model_validate({"items": found.names, "next": None, "levels": found.levels})


def _rows(snapshot: Snapshot, given: Given, query: str) -> Response:
    collection, filters = snapshot.collection, given.filters(snapshot)
    if query.strip():
        numbers = rank_records(collection, query, limit=DEEPEST, filters=filters).numbers
    else:
        numbers = collection.store.numbers(filters)
    passing = np.zeros(n_numbers(collection), bool)
    passing[numbers] = True
    return Response(np.packbits(passing, bitorder="little").tobytes(), media_type=_NPY)
