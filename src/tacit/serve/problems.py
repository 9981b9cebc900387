"""Errors as `application/problem+json` (RFC 9457): one sentence, without traces and without paths of the server."""

from __future__ import annotations

import errno
import json
import re
import sqlite3
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from tacit.errors import BusyError, InputError, MissingExtraError, UnknownNameError

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request

__all__ = ["PROBLEMS", "PROBLEM_SCHEMA", "Problem", "add_handlers", "in_api_terms", "problem_response", "problems"]

MEDIA_TYPE = "application/problem+json"
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}
_LONGEST = 1_000  # characters of a sentence: it may quote what was sent


class Problem(Exception):  # noqa: N818 - named as in RFC 9457
    """An answer with a status of 400 or more.

    Parameters
    ----------
    status : int
    detail : str
        One sentence for people.
    headers : mapping, optional
    """

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})

    def response(self) -> Response:
        """Return it as an answer."""
        return problem_response(self.status, self.detail, self.headers)


def problem_response(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as an answer."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail[:_LONGEST]}
    # as ASCII: a sentence may quote half a surrogate pair, which UTF-8 cannot hold
    return Response(json.dumps(body).encode(), status, dict(headers or {}), MEDIA_TYPE)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of errors for OpenAPI."""
    content = {MEDIA_TYPE: {"schema": PROBLEM_SCHEMA}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


PROBLEMS = problems(400, 404, 413, 422, 500, 503)

_NAMES = {  # arguments in Python whose parameter is called differently
    "query": "q",
    "liked": "like",
    "disliked": "dislike",
    "labels": "label",
    "ranges": "range",
    "links": "where",
    "fields": "where",
    "ids": "id",
    "keys": "id",
}
_FIRST = re.compile(r"[a-z_]+(?= )")


def in_api_terms(sentence: str, path: str = "", name: str = "") -> str:
    """Return a sentence with the names of parameters, and with the name of the index in place of its folder."""
    if path:
        sentence = re.sub(re.escape(path) + r"(?:[\\/][^\s:,']*)?", f"index {name!r}", sentence)
    return _FIRST.sub(lambda found: _NAMES.get(found[0], found[0]), sentence, count=1)


def as_problem(error: Exception, path: str = "", name: str = "") -> Problem | None:
    """Return what an error of Tacit is for the caller; None for one that is not theirs."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, BusyError):
        return Problem(503, in_api_terms(str(error), path, name), {"Retry-After": "2"})
    if _is_full(error):
        return Problem(507, "The disk of the service is full. Free some space there, and try again.")
    if isinstance(error, (UnknownNameError, InputError)):
        status = 404 if isinstance(error, UnknownNameError) else 400
        return Problem(status, in_api_terms(str(error), path, name))
    return Problem(503, str(error)) if isinstance(error, MissingExtraError) else None


def _is_full(error: BaseException | None) -> bool:
    """Whether an error comes from a full disk, of which the caller need not know more."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
            return True
        error = error.__cause__
    return False


def add_handlers(app: FastAPI) -> None:
    """Answer every error of an app as a problem."""

    async def on_problem(request: Request, error: Exception) -> Response:
        found = as_problem(error)
        assert found is not None
        return found.response()

    async def on_status(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        told = {404: "There is nothing at this address.", 405: "This address does not know the method."}
        detail, headers = told.get(error.status_code, str(error.detail)), dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _methods_of(app, request)
        return problem_response(error.status_code, detail, headers)

    async def on_invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return problem_response(422, _invalid(error))

    app.add_exception_handler(Problem, on_problem)
    app.add_exception_handler(InputError, on_problem)
    app.add_exception_handler(MissingExtraError, on_problem)
    app.add_exception_handler(HTTPException, on_status)
    app.add_exception_handler(RequestValidationError, on_invalid)


def _methods_of(app: FastAPI, request: Request) -> str:
    """Return all methods of an address, which may be those of several routes; the first of them wins a request."""
    found = []
    for method in ("DELETE", "GET", "POST", "PUT"):
        scope = {**request.scope, "method": method, "path_params": {}}
        if any(route.matches(scope)[0] is Match.FULL for route in app.router.routes):
            found.append(method)
    return ", ".join(found)


def _invalid(error: RequestValidationError) -> str:
    """Return what is wrong with the first parameter that is."""
    found = error.errors()
    if not found:
        return "The request cannot be read."
    first = found[0]
    place = [str(part) for part in first.get("loc", ()) if part not in ("query", "path", "body")]
    name = ".".join(place) or "the body"
    said = str(first.get("msg", "is not valid")).removeprefix("Value error, ")
    return f"{name} is not valid: {said}."
