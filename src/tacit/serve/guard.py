"""What every request passes: the check of its host and size, headers that protect the reader, log and metrics."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacit.serve.problems import Problem, problem_response
from tacit.serve.state import Limits

__all__ = ["CONTENT_POLICY", "LOCAL_HOSTS", "Guard", "Metrics"]

LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]")
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
]
_LOG = logging.getLogger("tacit.serve")
_ACCESS = logging.getLogger("tacit.serve.access")
_GONE = 499  # in log and metrics, as other servers count clients that did not wait; it is never sent
_CONTROL = re.compile(r"[^\x20-\x7e]")


class Metrics:
    """Counts of requests for Prometheus, of one app."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route")
        self.requests = Counter("tacit_requests", "Requests", (*labels, "status"), registry=self.registry)
        self.seconds = Histogram(
            "tacit_request_seconds",
            "Time to answer",
            labels,
            registry=self.registry,
            buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
        )
        self.active = Gauge("tacit_requests_active", "Requests that are being answered", registry=self.registry)

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request; unknown addresses share one name, or anyone could make the list endless."""
        route = getattr(scope.get("route"), "path", None) or "other"
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(method, route).observe(seconds)


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE"})


class Guard:
    """Wraps an app.

    Parameters
    ----------
    app : the app
    limits : Limits
    metrics : Metrics
    hosts : names that the header Host may have, with any port; those of this machine are always allowed, "*" is any
    """

    def __init__(self, app: ASGIApp, *, limits: Limits, metrics: Metrics, hosts: Sequence[str] = ()) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._hosts = frozenset(host.lower().rstrip(".") for host in (*LOCAL_HOSTS, *hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started, sent = time.perf_counter(), _Sent(send)
        with self._metrics.active.track_inprogress():
            try:
                self._check_host(scope)
                body = await self._body(scope, receive)
                await _while_wanted(self._app(scope, body, sent), receive, sent)
            except Problem as problem:
                await problem.response()(scope, receive, sent)
            except Exception:
                _LOG.exception("an error inside Tacit; please report it")
                if sent.status is None:
                    detail = "An error inside the service, which its log describes."
                    await problem_response(500, detail)(scope, receive, sent)
        seconds = time.perf_counter() - started
        self._metrics.count(scope, sent.status or 500, seconds)
        _write_access(scope, sent, seconds)

    def _check_host(self, scope: Scope) -> None:
        """Refuse names that are not ours: a page elsewhere could otherwise point its own name here and read us."""
        if "*" in self._hosts:
            return
        given = [value for name, value in scope["headers"] if name == b"host"]
        host = given[0].decode("latin-1").strip().lower() if len(given) == 1 else ""
        name = re.sub(r":\d{0,5}$", "", host).rstrip(".")
        if name not in self._hosts:
            raise Problem(
                400, "The header Host is not a name of this service. Start it with --allow-host NAME to add one."
            )

    async def _body(self, scope: Scope, receive: Receive) -> Receive:
        """Read the body, up to the limit, also without a length; return what gives it to the app."""
        length = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if length.isdigit() and int(length) > self._limits.body:
            raise self._too_large()
        chunked = any(name == b"transfer-encoding" for name, _ in scope["headers"])
        waiting: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]
        if chunked or length != b"0":
            try:
                waiting = [await asyncio.wait_for(self._parts(receive), self._limits.seconds)]
            except TimeoutError as error:
                raise Problem(408, "The body of the request took too long.") from error

        async def replay() -> Message:
            return waiting.pop() if waiting else await receive()

        return replay

    async def _parts(self, receive: Receive) -> Message:
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return message
            body += message.get("body", b"")
            if len(body) > self._limits.body:
                raise self._too_large()
            if not message.get("more_body", False):
                return {"type": "http.request", "body": bytes(body), "more_body": False}

    def _too_large(self) -> Problem:
        most = f"{self._limits.body:,}"
        return Problem(
            413, f"The body is too large: expected at most {most} bytes. Send less.", {"Connection": "close"}
        )


async def _while_wanted(answer: Awaitable[None], receive: Receive, sent: _Sent) -> None:
    """Answer, and give up when the client has gone: what still waits for its turn then leaves the queue to others."""
    answering, gone = asyncio.ensure_future(answer), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({answering, gone}, return_when=asyncio.FIRST_COMPLETED)
        if answering.done() or sent.status is not None:  # who streams an answer learns of it by itself
            await answering
        else:
            sent.status = _GONE
    finally:
        for task in (answering, gone):
            task.cancel()
        await asyncio.gather(answering, gone, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _Sent:
    """Sends an answer, adds headers, and remembers its status and size."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status: int | None = None
        self.bytes = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = int(message["status"])
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}  # an answer that is to be framed has a policy of its own
            message = {**message, "headers": [*given, *(one for one in _HEADERS if one[0] not in names)]}
        elif message["type"] == "http.response.body":
            self.bytes += len(message.get("body", b""))
        await self._send(message)


def _write_access(scope: Scope, sent: _Sent, seconds: float) -> None:
    """Write a line per request, without the query, which may hold what people read and write.

    The files of the page are some fifty requests per visit, so those that are found appear at the level "debug" only.
    """
    is_own = scope["path"].startswith("/page/") and sent.status is not None and sent.status < 400
    level = logging.DEBUG if is_own else logging.INFO
    if not _ACCESS.isEnabledFor(level):
        return
    client: Any = scope.get("client") or ("-", 0)
    path = _CONTROL.sub("?", scope["path"])[:200]
    line = (client[0], scope["method"], path, sent.status, 1000 * seconds, sent.bytes)
    _ACCESS.log(level, "%s %s %s %s %.1f ms %d bytes", *line)
