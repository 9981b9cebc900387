"""Which indexes there are, and what one of them holds."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from tacit.serve.problems import PROBLEMS
from tacit.serve.state import ServiceState

__all__ = ["router"]


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/api/v1", responses=PROBLEMS, tags=["info"])

    @router.get("")
    async def indexes() -> dict[str, Any]:
        items = []
        for name in state.indexes:
            items.append(
                await state.run(
                    name,
                    lambda snapshot: {
                        "name": snapshot.name,
                        "title": snapshot.name,
                        "records": len(snapshot.collection),
                        "generation": snapshot.generation,
                    },
                )
            )
        return {"items": items, "next": None}

    @router.get("/{index}/info")
    async def info(index: str) -> dict[str, Any]:
        return await state.run(index, lambda snapshot: {"name": snapshot.name, "records": len(snapshot.collection)})

    return router
