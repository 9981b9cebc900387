"""Pages and their files, health, metrics, and the description for OpenSearch."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from tacit.serve.answers import is_known
from tacit.serve.guard import Metrics
from tacit.serve.problems import Problem
from tacit.serve.state import ServiceState

__all__ = ["PAGE", "pages"]

PAGE = Path(__file__).with_name("page")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
_REVALIDATE = "no-cache"  # keep it, but ask whether it has changed


def pages(state: ServiceState, metrics: Metrics) -> APIRouter:
    """Return the routes of everything that is not the API; added last, since `/{index}` matches most addresses."""
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    async def health() -> JSONResponse:
        if any(served.is_warming for served in state.indexes.values()):
            return JSONResponse({"status": "warming"}, 503, headers={"Retry-After": "1"})
        return JSONResponse({"status": "ok"})

    @router.get("/metrics")
    async def show_metrics() -> Response:
        return Response(generate_latest(metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @router.get("/page/{name:path}")
    async def page_file(request: Request, name: str) -> Response:
        return file_response(request, name)

    @router.get("/docs")
    async def docs(request: Request) -> Response:
        return file_response(request, "docs.html")

    @router.get("/favicon.ico")
    async def icon() -> Response:
        return Response(status_code=204)

    @router.get("/")
    async def start() -> Response:
        if len(state.indexes) == 1:
            return RedirectResponse(f"/{quote(next(iter(state.indexes)))}", 307)
        return HTMLResponse(_list_page(list(state.indexes)), headers={"Cache-Control": _REVALIDATE})

    @router.get("/{index}/opensearch.xml")
    async def opensearch(request: Request, index: str) -> Response:
        state.find(index)
        base = f"{request.url.scheme}://{request.headers.get('host', 'localhost')}"
        return Response(_opensearch(index, base), media_type="application/opensearchdescription+xml")

    @router.get("/{index}")
    async def explorer(request: Request, index: str) -> Response:
        state.find(index)
        return file_response(request, "index.html")

    return router


def file_response(request: Request, name: str) -> Response:
    """Return a file of the page, or 304 if the reader has it; nothing outside the folder and nothing hidden."""
    parts = name.split("/")
    path = PAGE.joinpath(*parts)
    plain = all(part and not part.startswith(".") and "\\" not in part and "\0" not in part for part in parts)
    if (
        not plain
        or path.suffix not in _TYPES
        or not path.is_file()
        or not path.resolve().is_relative_to(PAGE.resolve())
    ):
        raise Problem(404, "There is no such file.")
    facts = path.stat()
    etag = f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'
    headers = {"ETag": etag, "Cache-Control": _REVALIDATE}
    if is_known(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(path.read_bytes(), headers=headers, media_type=_TYPES[path.suffix])


def _list_page(names: list[str]) -> str:
    items = "".join(f'<li><a href="/{quote(name)}">{html.escape(name)}</a></li>' for name in names)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tacit</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/page/docs.css"></head>'
        f"<body><main><h1>Collections</h1><ul>{items}</ul></main></body></html>"
    )


def _opensearch(name: str, base: str) -> str:
    address = html.escape(f"{base}/{quote(name)}?q={{searchTerms}}")  # some programs cut off what follows #
    answers = html.escape(f"{base}/api/v1/{quote(name)}/search?q={{searchTerms}}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        f"<ShortName>{html.escape(name[:16])}</ShortName>"
        f"<Description>Search in {html.escape(name)}</Description>"
        f'<Url type="text/html" template="{address}"/>'
        f'<Url type="application/json" template="{answers}"/>'
        "<InputEncoding>UTF-8</InputEncoding></OpenSearchDescription>\n"
    )
