"""The app: the API, the pages and the protocols of other programs, over the same open indexes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

import tacit
from tacit.errors import TacitError
from tacit.serve.guard import Guard, Metrics
from tacit.serve.pages import pages
from tacit.serve.problems import Problem, add_handlers
from tacit.serve.state import Limits, ServiceState, Snapshot

__all__ = ["create_app"]

_PARTS = ("info", "search", "records", "suggest", "explain", "labels", "map", "changes")
_PROTOCOLS = ("annif", "reconcile", "mcp")
_COMPRESSED = 1_000  # bytes from which an answer is compressed


def create_app(
    paths: Sequence[str | Path],
    *,
    token: str | None = None,
    allowed_hosts: Sequence[str] = (),
    limits: Limits | None = None,
    warm: bool = False,
) -> FastAPI:
    """Return the service of one index or several as an ASGI app.

    Parameters
    ----------
    paths : folders of indexes; the name of an index in addresses is that of its folder without `.tacit`
    token : str, optional
        What callers must show to change an index; without it nobody can.
    allowed_hosts : names besides localhost that the header Host may have, with any port; "*" is any
    limits : Limits, optional
    warm : bool, default False
        Whether to ask each index in the background what people ask first. Requests are answered meanwhile.
    """
    parts = [
        import_module(name)
        for name in (*(f"tacit.serve.api.{part}" for part in _PARTS), *(f"tacit.serve.{part}" for part in _PROTOCOLS))
        if find_spec(name) is not None
    ]
    asks = [part.ask_first for part in parts if hasattr(part, "ask_first")]

    def ask_first(snapshot: Snapshot) -> None:
        for ask in asks:
            with contextlib.suppress(TacitError, Problem):  # what an index cannot answer
                ask(snapshot)

    state = ServiceState(paths, limits=limits, token=token, hosts=allowed_hosts, warm=ask_first if warm else None)
    metrics = Metrics()

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        state.close()

    app = FastAPI(
        title="Tacit",
        version=tacit.__version__,
        description="Search, suggestions, reasons and maps of collections.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = state
    add_handlers(app)
    for part in parts:
        app.include_router(part.router(state))
    app.include_router(pages(state, metrics))
    _name_indexes(app, list(state.indexes))
    app.add_middleware(GZipMiddleware, minimum_size=_COMPRESSED, compresslevel=4)
    app.add_middleware(Guard, limits=state.limits, metrics=metrics, hosts=allowed_hosts)
    return app


def _name_indexes(app: FastAPI, names: list[str]) -> None:
    """Let the description of the API name the indexes, so that programs that read it can ask at once."""
    describe = app.openapi

    def described() -> dict[str, Any]:
        api = describe()
        for operations in api["paths"].values():
            for operation in operations.values():
                for parameter in operation.get("parameters", ()):
                    if (parameter["in"], parameter["name"]) == ("path", "index"):
                        parameter["schema"] = {"type": "string", "enum": names}
        return api

    app.openapi = described  # type: ignore[method-assign]
