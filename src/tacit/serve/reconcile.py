"""The reconciliation API 0.2, by which OpenRefine and other programs match a column of names with the subjects.

An entity is a subject of the index. Its types are "Subject" and the widest subjects above it, so that a column can be
matched within one branch. A name matches if exactly one subject has it. See docs/decisions/0036-protocols.md.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Callable, Collection, Coroutine, Iterable, Sequence
from itertools import takewhile
from typing import Annotated, Any
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import APIRouter, Query, Request
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator
from starlette.responses import HTMLResponse, Response

import tacit
from tacit.relations.taxonomy.matching import folded_loosely
from tacit.relations.taxonomy.names import is_iri, names_of
from tacit.serve.guard import LOCAL_HOSTS
from tacit.serve.problems import Problem, problems
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.label_lookup import LabelMatch, label_lookup
from tacit.tasks.label_names import ancestors_of, title_of
from tacit.tasks.opened_index import OpenedIndex

__all__ = ["router"]

_CONCEPT = "http://www.w3.org/2004/02/skos/core#Concept"
_SUBJECT = {"id": _CONCEPT, "name": "Subject"}
_PROPERTIES = (
    {"id": "broader", "name": "Broader subject", "description": "a name of a subject above it"},
    {"id": "notation", "name": "Notation", "description": "its code, such as a class number"},
)
_BATCH = 50  # queries of a request
_PROPERTIES_OF_QUERY = 10  # and of each query, since every value of them is looked up
_CANDIDATES, _MOST = 10, 100  # per query: unless told otherwise, and at most
_SUGGESTED, _FARTHEST = 10, 10_000  # per page of a suggest service; how far pages go
_LONGEST = 1_000  # characters of a name that is looked up
_WITHOUT = 0.5  # part of the score that is left if a property of the query does not fit
_BY_PROPERTIES = 50.0  # score of candidates for a query without a name
_OTHER_NAMES = 5  # shown of each subject
_SIZE = {"width": 400, "height": 220}  # of a preview, in pixels
_STYLE = "body{font:14px/1.4 system-ui,sans-serif;margin:8px}h1{font-size:16px;margin:0 0 4px}p{margin:0 0 4px}"
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

Prefix = Annotated[str, Query(max_length=_LONGEST, description="What was typed so far")]
Cursor = Annotated[int, Query(ge=0, le=_FARTHEST, description="Number of suggestions to skip")]


class _Property(BaseModel):
    pid: str
    v: Any = None


class _Query(BaseModel):
    """One name to match."""

    query: str | None = Field(None, max_length=_LONGEST)
    type: Any = None
    limit: int | None = Field(None, ge=1)
    properties: list[_Property] = Field([], max_length=_PROPERTIES_OF_QUERY)
    type_strict: str | None = None

    @model_validator(mode="after")
    def _has_something(self) -> _Query:
        if not (self.query or "").strip() and not self.properties:
            raise ValueError("expected query or properties")
        return self


_QUERIES = TypeAdapter(dict[str, _Query])
_FORM = {"type": "object", "properties": {"queries": {"type": "string"}}, "required": ["queries"]}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/x-www-form-urlencoded": {"schema": _FORM},
            "application/json": {"schema": {"type": "object"}},
        },
    }
}


def router(state: ServiceState) -> APIRouter:
    """Return the routes; pages of other servers may use them, as the protocol demands."""
    router = APIRouter(
        prefix="/reconcile/{index}",
        tags=["reconcile"],
        responses=problems(400, 404, 413, 503),
        route_class=_shared_route(state),
    )

    @router.get("", summary="What the service offers, or candidates for queries")
    async def manifest(request: Request, index: str, queries: str | None = None) -> dict[str, Any]:
        if queries is not None:
            return await _answers(state, index, queries)
        return await state.run(index, lambda snapshot: _manifest(snapshot, _base(request)))

    @router.post("", summary="Candidates for queries", openapi_extra=_BODY)
    async def reconcile(request: Request, index: str) -> dict[str, Any]:
        return await _answers(state, index, await _queries_of(request))

    @router.get("/suggest/entity", summary="Subjects by the beginning of a name")
    async def suggest_entity(index: str, prefix: Prefix = "", cursor: Cursor = 0) -> dict[str, Any]:
        return await state.run(index, lambda snapshot: {"result": _entities(snapshot.collection, prefix, cursor)})

    @router.get("/suggest/type", summary="Types by the beginning of a name")
    async def suggest_type(index: str, prefix: Prefix = "", cursor: Cursor = 0) -> dict[str, Any]:
        return await state.run(index, lambda snapshot: {"result": _types(snapshot.collection, prefix, cursor)})

    @router.get("/suggest/property", summary="Properties by the beginning of a name")
    async def suggest_property(index: str, prefix: Prefix = "", cursor: Cursor = 0) -> dict[str, Any]:
        state.find(index)
        found = [one for one in _PROPERTIES if _begins(prefix, one["id"], one["name"])]
        return {"result": found[cursor : cursor + _SUGGESTED]}

    @router.get("/preview", response_class=HTMLResponse, summary="A few facts about a subject, to be framed")
    async def preview(request: Request, index: str, id: str) -> Response:
        address = _view(_base(request), index).replace("{{id}}", quote(id, safe=""))
        page = await state.run(index, lambda snapshot: _preview(snapshot.collection, id, address))
        framed = "*" if _is_public(state) else " ".join(f"http://{host}:*" for host in LOCAL_HOSTS if host[0] != "[")
        policy = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'"
        return HTMLResponse(page, headers={"Content-Security-Policy": f"{policy}; frame-ancestors {framed}"})

    return router


def _shared_route(state: ServiceState) -> type[APIRoute]:
    """Return the kind of routes whose answers, also errors, pages of other servers may read.

    A service for this machine only lets in pages of this machine: OpenRefine is one. Other pages that someone visits
    must not read a private collection.
    """

    class SharedRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def shared(request: Request) -> Response:
                try:
                    response = await answer(request)
                except Problem as problem:
                    response = problem.response()
                origin = request.headers.get("origin", "")
                if _is_public(state):
                    response.headers["Access-Control-Allow-Origin"] = "*"
                elif _is_local(origin):
                    response.headers["Access-Control-Allow-Origin"] = origin
                response.headers.add_vary_header("Origin")
                return response

            return shared

    return SharedRoute


def _is_public(state: ServiceState) -> bool:
    return any(host not in LOCAL_HOSTS for host in state.hosts)


def _is_local(origin: str) -> bool:
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return False
    return (f"[{host}]" if ":" in host else host) in LOCAL_HOSTS


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers.get('host', 'localhost')}"


def _view(base: str, index: str) -> str:
    return f"{base}/{quote(index)}#about={{{{id}}}}"


def _manifest(snapshot: Snapshot, base: str) -> dict[str, Any]:
    collection, root = snapshot.collection, f"/reconcile/{quote(snapshot.name)}"
    return {
        "versions": ["0.2"],
        "name": f"Subjects of {snapshot.name}",
        "identifierSpace": snapshot.kept("identifier space", _common_beginning) or f"{base}/{quote(snapshot.name)}/",
        "schemaSpace": _CONCEPT,
        "serviceVersion": tacit.__version__,
        "defaultTypes": [_SUBJECT, *_named(collection, _tops(collection)[:_SUGGESTED])],
        "view": {"url": _view(base, snapshot.name)},
        "preview": {"url": f"{base}{root}/preview?id={{{{id}}}}", **_SIZE},
        "suggest": {
            kind: {"service_url": base, "service_path": f"{root}/suggest/{kind}"}
            for kind in ("entity", "type", "property")
        },
        "batchSize": _BATCH,
    }


def _common_beginning(collection: OpenedIndex) -> str:
    """Return what the IRIs of all subjects begin with, up to a slash or #; "" if they are not IRIs of one place."""
    names = collection.label_names if collection.vocabulary is None else [*map(str, collection.vocabulary.names)]
    ends = zip(min(names, default=""), max(names, default=""), strict=False)
    common = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    space = common[: max(common.rfind("/"), common.rfind("#")) + 1]
    return space if is_iri(space) and urlsplit(space).netloc else ""


async def _queries_of(request: Request) -> Any:
    """Return the queries of a body: a form, as OpenRefine sends it, or JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        text = (await request.body()).decode()
        if kind == "application/json":
            given = json.loads(text)
            return given["queries"] if isinstance(given, dict) and isinstance(given.get("queries"), dict) else given
        return parse_qs(text, max_num_fields=10)["queries"][0]
    except (ValueError, RecursionError, KeyError) as error:
        raise Problem(400, "The body has no queries: expected a form with the field queries, or JSON.") from error


async def _answers(state: ServiceState, index: str, given: Any) -> dict[str, Any]:
    state.find(index)
    try:
        queries = _QUERIES.validate_json(given) if isinstance(given, str) else _QUERIES.validate_python(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, ("queries", *first["loc"])))
        raise Problem(400, f"{where} is wrong: {first['msg']}.") from error
    if len(queries) > _BATCH:
        raise Problem(413, f"queries has too many: got {len(queries)}, expected at most {_BATCH}. Send several times.")

    def work(snapshot: Snapshot) -> dict[str, Any]:
        return {name: {"result": _candidates(snapshot.collection, query)} for name, query in queries.items()}

    return await state.run(index, work)


def _candidates(collection: OpenedIndex, asked: _Query) -> list[dict[str, Any]]:
    """Return the subjects that a query may mean, the best first."""
    limit = min(asked.limit or _CANDIDATES, _MOST)
    among = _within(collection, asked.type)
    look_up = label_lookup(collection)
    if (asked.query or "").strip():
        found = look_up.find(str(asked.query), limit=max(limit, _CANDIDATES), among=among)
    else:
        found = _by_properties(collection, asked.properties, among)
    tests = [_test_of(collection, wanted) for wanted in asked.properties]
    fits = [all(has(one.label) for has in tests) for one in found]
    called_so = [one for one, fit in zip(found, fits, strict=True) if one.exact and fit]
    candidates = [
        {
            **_entity(collection, one.label),
            "score": round(one.score * (1.0 if fit else _WITHOUT), 2),
            "match": len(called_so) == 1 and one is called_so[0],
            "features": [
                {"id": "name", "value": round(one.score, 2)},
                {"id": "exact", "value": one.exact},
                {"id": "records", "value": one.records},
            ],
        }
        for one, fit in zip(found, fits, strict=True)
    ]
    return sorted(candidates, key=lambda one: -one["score"])[:limit]


def _within(collection: OpenedIndex, types: Any) -> Collection[str] | None:
    """Return the labels of some types: those below them in the taxonomy; None for all. Unknown types are ignored."""
    listed = types if isinstance(types, list) else [] if types is None else [types]
    names = [one.get("id") if isinstance(one, dict) else one for one in listed]
    taxonomy = collection.taxonomy
    different = dict.fromkeys(name for name in names if isinstance(name, str))
    known = [name for name in different if taxonomy is not None and name in taxonomy]
    if taxonomy is None or not known or _CONCEPT in different:
        return None
    return {str(node) for name in known for node in (name, *taxonomy.descendants(name))}


def _by_properties(
    collection: OpenedIndex, properties: Sequence[_Property], among: Collection[str] | None
) -> list[LabelMatch]:
    """Return the subjects with a notation or below a subject, for a query without a name."""
    look_up, taxonomy = label_lookup(collection), collection.taxonomy
    for wanted in properties:
        if wanted.pid == "notation":
            called = [one for text in _texts(wanted.v) for one in look_up.find(text, among=among)]
            return [one for one in called if one.kind == "notation" and one.exact]
    found: dict[str, LabelMatch] = {}
    for wanted in properties:
        if wanted.pid == "broader" and taxonomy is not None:
            for above in _called(collection, wanted.v):
                for node in taxonomy.children(above) if above in taxonomy else ():
                    if among is None or node in among:
                        title = title_of(collection, str(node))
                        found[str(node)] = LabelMatch(str(node), title, title, "preferred", _BY_PROPERTIES, False, 0)
    return list(found.values())[:_MOST]


def _test_of(collection: OpenedIndex, wanted: _Property) -> Callable[[str], bool]:
    """Return what tells whether a subject has a property; one that is not known here is not held against it.

    Its values are looked up here, once for all candidates.
    """
    if wanted.pid == "broader":
        above = _called(collection, wanted.v)
        return lambda label: not above.isdisjoint(ancestors_of(collection, label))
    if wanted.pid == "notation":
        vocabulary, texts = collection.vocabulary, {folded_loosely(text) for text in _texts(wanted.v)}

        def has(label: str) -> bool:
            known = () if vocabulary is None or label not in vocabulary else vocabulary.notations.get(label, ())
            return not texts.isdisjoint(map(folded_loosely, known))

        return has
    return lambda label: True


def _called(collection: OpenedIndex, value: Any) -> set[str]:
    look_up = label_lookup(collection)
    return {one.label for text in _texts(value) for one in look_up.find(text) if one.exact}


def _texts(value: Any) -> list[str]:
    """Return the values of a property as texts; one that was matched before is given by its id."""
    values = value if isinstance(value, list) else [value]
    plain = (one.get("id") or one.get("name") if isinstance(one, dict) else one for one in values)
    return [str(one)[:_LONGEST] for one in plain if isinstance(one, (str, int, float))][:_CANDIDATES]


def _entities(collection: OpenedIndex, prefix: str, skip: int) -> list[dict[str, Any]]:
    found = label_lookup(collection).complete(prefix, limit=_SUGGESTED, skip=skip)
    entities = [_entity(collection, one.label) for one in found]
    return [{"notable": one.pop("type"), **one} for one in entities]


def _types(collection: OpenedIndex, prefix: str, skip: int) -> list[dict[str, Any]]:
    """Return the types that are called so: everything, and subjects with others below them."""
    taxonomy = collection.taxonomy
    found: list[dict[str, Any]] = [_SUBJECT] if _begins(prefix, _CONCEPT, _SUBJECT["name"]) else []
    if taxonomy is not None:
        called = label_lookup(collection).complete(prefix, limit=_FARTHEST)
        wide = [one.label for one in called if one.label in taxonomy and taxonomy.children(one.label)]
        found += _named(collection, wide)
    page = found[skip : skip + _SUGGESTED]
    return [one if one is _SUBJECT else {**one, "description": _description(collection, one["id"])} for one in page]


def _begins(prefix: str, *names: str) -> bool:
    wanted = folded_loosely(prefix)
    return any(folded_loosely(name).startswith(wanted) for name in names)


def _entity(collection: OpenedIndex, label: str) -> dict[str, Any]:
    above = set(ancestors_of(collection, label))
    tops = [top for top in _tops(collection) if top == label or top in above]
    return {
        "id": label,
        "name": title_of(collection, label) or label,
        "description": _description(collection, label),
        "type": [_SUBJECT, *_named(collection, tops)],
    }


def _named(collection: OpenedIndex, labels: Iterable[str]) -> list[dict[str, str]]:
    return [{"id": label, "name": title_of(collection, label)} for label in labels]


def _tops(collection: OpenedIndex) -> list[str]:
    """Return the widest subjects that have others below them; a single root is everything, so those below it."""
    taxonomy = collection.taxonomy
    if taxonomy is None:
        return []
    roots = taxonomy.roots if len(taxonomy.roots) > 1 else taxonomy.children(taxonomy.roots[0])
    return [str(node) for node in roots if taxonomy.children(node)]


def _description(collection: OpenedIndex, label: str) -> str:
    """Return what tells a subject from its namesakes: what is above it, and what else it is called."""
    above = " > ".join(title_of(collection, one) for one in _path(collection, label))
    others = ", ".join(_other_names(collection, label)[:_OTHER_NAMES])
    return "; ".join(part for part in (f"below {above}" if above else "", f"also: {others}" if others else "") if part)


def _path(collection: OpenedIndex, label: str) -> list[str]:
    """Return the subjects above a subject, the widest first; of several broader ones always the first."""
    taxonomy, path = collection.taxonomy, []
    node: Any = label
    while taxonomy is not None and node in taxonomy and (parents := taxonomy.parents(node)):
        node = parents[0]
        path.append(str(node))
    return path[::-1]


def _other_names(collection: OpenedIndex, label: str) -> list[str]:
    vocabulary = collection.vocabulary
    if vocabulary is None or label not in vocabulary:
        return []
    names = (name.text for name in names_of(vocabulary, label) if name.kind in ("preferred", "other", "notation"))
    return list(dict.fromkeys(name for name in names if name != vocabulary.title(label)))


def _preview(collection: OpenedIndex, label: str, address: str) -> str:
    """Return a page about a subject; whatever a vocabulary holds is text here, never markup."""
    vocabulary = collection.vocabulary
    if not (vocabulary is not None and label in vocabulary) and not collection.store.has_label(label):
        raise Problem(404, f"There is no subject {label!r}.")
    title = html.escape(title_of(collection, label))
    above = " &gt; ".join(html.escape(title_of(collection, one)) for one in _path(collection, label))
    others = html.escape(", ".join(_other_names(collection, label)))
    counts = dict(zip(collection.label_names, collection.label_counts.tolist(), strict=True))
    paragraphs = [
        above and f"Below {above}",
        others and f"Also: {others}",
        f"{counts.get(label, 0):,} records",
        html.escape(label) if label != title_of(collection, label) else "",
        f'<a href="{html.escape(address)}" target="_blank" rel="noopener">Open</a>',
    ]
    body = "".join(f"<p>{text}</p>" for text in paragraphs if text)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>"
    )
