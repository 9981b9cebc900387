"""Annif's REST API, so that Annif and its clients use an index as if it were one of Annif's projects.

Every index is a project. What Annif's own backend `http` sends is understood as well: it asks for the project at the
address for suggestions with every "/suggest" cut out. See docs/decisions/0036-protocols.md.
"""

from __future__ import annotations

import hmac
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from starlette.responses import Response

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.languages import is_in_language, language_tag
from tacit.serve.problems import Problem, problems
from tacit.serve.state import ServiceState, Snapshot
from tacit.tasks.collection import Collection
from tacit.tasks.suggest.learn import learn

__all__ = ["router"]

T = TypeVar("T")

_MOST = 1_000  # subjects per text
_FIELDS = 100  # of a form: text, limit, threshold, language and metadata
_UNKNOWN = "und"  # the tag of texts without a known language, RFC 5646


class _Asked(BaseModel):
    """How many subjects to suggest, with what least score, and in which language they are called."""

    limit: Annotated[int, Field(ge=0)] = 10
    threshold: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    language: str | None = None


class _Form(_Asked):
    text: str


class _Document(BaseModel):
    text: str
    document_id: str | None = None
    metadata: dict[str, str] = {}


class _Batch(BaseModel):
    documents: list[_Document]


class _Subject(BaseModel):
    uri: str
    label: str | None = None


class _IndexedDocument(BaseModel):
    text: str = ""
    subjects: list[_Subject] = []
    metadata: dict[str, str] = {}


def router(state: ServiceState) -> APIRouter:
    """Return the routes."""
    router = APIRouter(prefix="/v1", tags=["annif"], responses=problems(400, 404, 413, 503))

    @router.get("/", summary="Version of the service")
    async def show_info() -> dict[str, str]:
        return {"title": "Annif REST API of Tacit", "version": tacit.__version__}

    @router.get("/vocabs", summary="Vocabularies: one per index")
    async def list_vocabs() -> dict[str, Any]:
        return {"vocabs": [await state.run(name, lambda one: _vocabulary(one)) for name in state.indexes]}

    @router.get("/projects", summary="Projects: one per index")
    async def list_projects() -> dict[str, Any]:
        return {"projects": [await state.run(name, _project) for name in state.indexes]}

    @router.get("/projects/{project_id}", summary="One project")
    async def show_project(project_id: str) -> dict[str, Any]:
        return await state.run(_known(state, project_id), _project)

    @router.get("/projects{rest}", include_in_schema=False)
    async def show_cut_project(rest: str) -> dict[str, Any]:
        # Annif asks here for an index whose name begins with "suggest", which it cuts out of the address
        return await state.run(_known(state, f"suggest{rest}"), _project)

    form = {"content": {"application/x-www-form-urlencoded": {"schema": _schema(_Form)}}, "required": True}

    @router.post("/projects/{project_id}/suggest", openapi_extra={"requestBody": form}, summary="Subjects of a text")
    async def suggest(project_id: str, request: Request) -> dict[str, Any]:
        name = _known(state, project_id)
        asked = _checked(_Form, await _form_of(request))
        return (await state.run(name, lambda one: _suggested(one, state, [asked.text], asked)))[0]

    @router.post(
        "/projects/{project_id}/suggest-batch", openapi_extra=_json_body(_Batch), summary="Subjects of several texts"
    )
    async def suggest_batch(project_id: str, request: Request) -> list[dict[str, Any]]:
        name = _known(state, project_id)
        asked = _checked(_Asked, dict(request.query_params))
        documents = (await _json_of(_Batch, request)).documents
        if len(documents) > state.limits.batch:
            most = state.limits.batch
            raise Problem(400, f"documents has too many: got {len(documents)}, expected at most {most}. Send several.")
        texts = [document.text for document in documents]
        found = await state.run(name, lambda one: _suggested(one, state, texts, asked))
        return [one | {"document_id": of.document_id} for one, of in zip(found, documents, strict=True)]

    learned = {"responses": problems(401, 403), **_json_body(list[_IndexedDocument])}

    @router.post(
        "/projects/{project_id}/learn", status_code=204, openapi_extra=learned, summary="Learn the subjects of texts"
    )
    async def learn_documents(project_id: str, request: Request) -> Response:
        name = _known(state, project_id)
        _check_token(state, request)
        documents = await _json_of(list[_IndexedDocument], request)
        await state.in_thread(lambda: _learn(state, name, documents))
        return Response(status_code=204)

    return router


def _known(state: ServiceState, project_id: str) -> str:
    if project_id not in state.indexes:
        raise Problem(404, f"Project '{project_id}' not found")
    return project_id


def _project(snapshot: Snapshot) -> dict[str, Any]:
    """Return an index as `annif.project.AnnifProject.dump` describes a project."""
    collection = snapshot.collection
    return {
        "project_id": snapshot.name,
        "name": snapshot.name,
        "language": _text_language(collection),
        "backend": {"backend_id": "tacit"},
        "vocab": _vocabulary(snapshot),
        "vocab_language": _label_language(collection),
        "is_trained": _is_trained(collection),
        "modification_time": _modified(collection).isoformat(),
    }


def _vocabulary(snapshot: Snapshot) -> dict[str, Any]:
    collection, vocabulary = snapshot.collection, snapshot.collection.vocabulary
    size = len(collection.label_names) if vocabulary is None else vocabulary.n_nodes
    return {"vocab_id": snapshot.name, "languages": _languages(collection), "size": size, "loaded": True}


def _text_language(collection: Collection) -> str:
    settings = collection.settings.get("build", {}).get("text", {})
    return language_tag(settings.get("language") or "") or _UNKNOWN


def _label_language(collection: Collection) -> str:
    vocabulary = collection.vocabulary
    return (vocabulary.language if vocabulary is not None else "") or _text_language(collection)


def _languages(collection: Collection) -> list[str]:
    found = () if collection.vocabulary is None else collection.vocabulary.languages
    return sorted(found) or [_label_language(collection)]


def _is_trained(collection: Collection) -> bool:
    if collection.space.words is None:  # made of vectors, and Annif sends texts
        return False
    used = collection.settings.get("fitted", {}).get("suggester", "none")
    return used != "none" or collection.suggester is not None


def _modified(collection: Collection) -> datetime:
    """Return when the index was made, learned or changed, with the offset from UTC that Annif compares by."""
    times = [datetime.fromisoformat(collection.generation.manifest.created).astimezone(UTC)]
    if collection.store.changes:
        times.append(datetime.fromtimestamp(collection.store.modified, UTC))
    return max(times)


def _suggested(snapshot: Snapshot, state: ServiceState, texts: list[str], asked: _Asked) -> list[dict[str, Any]]:
    collection = snapshot.collection
    language = asked.language or _label_language(collection)
    if not any(is_in_language(tag, language) for tag in _languages(collection)):
        raise Problem(400, f'language "{language}" not supported by vocabulary')
    longest = max(map(len, texts), default=0)
    if longest > state.limits.text:
        most = f"{state.limits.text:,}"
        raise Problem(413, f"text is too long: got {longest:,} characters, expected at most {most}. Send a part of it.")
    if not _is_trained(collection):
        raise Problem(503, f"Project '{snapshot.name}' cannot suggest subjects: its index has no suggester for texts.")
    if not texts or not asked.limit:
        return [{"results": []} for _ in texts]
    found = collection.suggest(texts, limit=min(asked.limit, _MOST), threshold=asked.threshold)
    return [
        {"results": [_result(collection, one.label, one.probability, language) for one in ranked if one.probability]}
        for ranked in found
    ]


def _result(collection: Collection, label: str, score: float, language: str) -> dict[str, Any]:
    """Return a subject as Annif names it: by its own name in a language, without what tells it from namesakes."""
    vocabulary = collection.vocabulary
    if vocabulary is None or label not in vocabulary:
        title, notation = collection.label_titles.get(label, label), None
    else:
        title, notation = vocabulary.title(label, language), next(iter(vocabulary.notations.get(label, ())), None)
    return {"uri": label, "label": title, "notation": notation, "score": round(score, 6)}


def _check_token(state: ServiceState, request: Request) -> None:
    if state.token is None:
        raise Problem(403, "Learning is not allowed: the service was started without a token.")
    given = request.headers.get("authorization", "")
    if not hmac.compare_digest(given.encode(), f"Bearer {state.token}".encode()):
        raise Problem(401, "The token is missing or wrong.", {"WWW-Authenticate": "Bearer"})


def _learn(state: ServiceState, name: str, documents: list[_IndexedDocument]) -> None:
    served = state.find(name)
    records = [
        Record(f"document {number}", document.text, tuple(subject.uri for subject in document.subjects))
        for number, document in enumerate(documents, start=1)
        if document.text.strip() and document.subjects
    ]
    if records:
        learn(served.path, records, wait=state.limits.write_wait)
        served.reload()


async def _form_of(request: Request) -> dict[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Problem(415, f"The body is of the wrong type: got {kind!r}, expected application/x-www-form-urlencoded.")
    try:
        return dict(parse_qsl((await request.body()).decode(), keep_blank_values=True, max_num_fields=_FIELDS))
    except ValueError as error:  # also what is not UTF-8
        raise Problem(400, f"The form cannot be read: expected up to {_FIELDS} fields in UTF-8.") from error


def _checked(kind: type[T], given: Any) -> T:
    try:
        return TypeAdapter(kind).validate_python(given)
    except ValidationError as error:
        raise _wrong(error) from error


async def _json_of(kind: type[T], request: Request) -> T:
    try:
        return TypeAdapter(kind).validate_json(await request.body())
    except ValidationError as error:
        raise _wrong(error) from error


def _wrong(error: ValidationError) -> Problem:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or "The body"
    return Problem(400, f"{where} is wrong: {first['msg']}.")


def _schema(kind: Any) -> dict[str, Any]:
    """Return the schema of a body in one piece: references would be looked for in the whole description."""
    schema = TypeAdapter(kind).json_schema()
    parts = schema.pop("$defs", {})

    def whole(node: Any) -> Any:
        if isinstance(node, list):
            return [whole(one) for one in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        return whole(parts[reference.rpartition("/")[2]]) if reference else {key: whole(of) for key, of in node.items()}

    return dict(whole(schema))


def _json_body(kind: Any) -> dict[str, Any]:
    return {"requestBody": {"content": {"application/json": {"schema": _schema(kind)}}, "required": True}}
