"""Limits, hostile requests, the token, and errors: always a problem in JSON, never a trace, never a change."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from served import TOKEN, build_served

from tacit.errors import InputError
from tacit.index import open_generation
from tacit.serve.app import create_app
from tacit.serve.guard import CONTENT_POLICY
from tacit.serve.problems import as_problem
from tacit.serve.state import Limits

LIMITS = Limits(body=20_000, seconds=20, write_wait=0.2)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return build_served(tmp_path_factory.mktemp("guarded") / "shelf.tacit", suggester="none", map=False)


@pytest.fixture(scope="module")
def client(path):
    app = create_app([path], allowed_hosts=["library.example.org"], limits=LIMITS)
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def writer(path):
    with TestClient(create_app([path], token=TOKEN, limits=LIMITS), base_url="http://localhost") as opened:
        yield opened


def _problem(answer, status: int) -> str:
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    body = answer.json()
    assert set(body) == {"type", "title", "status", "detail"}
    assert body["status"] == status
    assert "Traceback" not in body["detail"]
    assert not re.search(r"/tmp|/home|\.sqlite|site-packages", body["detail"]), body["detail"]
    return body["detail"]


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/api/v1/nope/info", 404),
        ("/api/v1/shelf/nothing", 404),
        ("/api/v1/shelf/records/nobody", 404),
        ("/api/v1/shelf/records/..%2F..%2Fshelf.tacit%2FCURRENT", 404),
        ("/api/v1/shelf/records/%2e%2e/%2e%2e/CURRENT", 404),
        ("/api/v1/..%2Fshelf/info", 404),
        ("/page/..%2fapp.py", 404),
        ("/page/%2e%2e/%2e%2e/state.py", 404),
        ("/page//etc/passwd", 404),
        ("/page/.hidden.js", 404),
        ("/page/a%00.js", 404),
        ("/api/v1/shelf/search?limit=0", 422),
        ("/api/v1/shelf/search?limit=99999999999999999999999", 422),
        ("/api/v1/shelf/search?limit=ten", 422),
        ("/api/v1/shelf/search?cursor=o-1", 422),
        ("/api/v1/shelf/search?cursor=%00", 422),
        ("/api/v1/shelf/search?by=magic&q=a", 422),
        ("/api/v1/shelf/search?q=" + "a" * 10_001, 422),
        ("/api/v1/shelf/search?where=year", 400),
        ("/api/v1/shelf/search?where=nothing%3D1", 400),
        ("/api/v1/shelf/search?range=year%3D..", 400),
        ("/api/v1/shelf/search?label=unheard", 404),
        ("/api/v1/shelf/search?under=unheard", 404),
        ("/api/v1/shelf/records?number=-1", 422),
        ("/api/v1/shelf/map/points.npy", 404),
        ("/api/v1/shelf/explain", 400),
    ],
)
def test_what_cannot_be_answered_is_a_problem(client, address, status):
    _problem(client.get(address), status)


@pytest.mark.parametrize(
    "query",
    [
        'whale" OR 1=1 --', "whale AND (", "title:whale", "whale*", "NEAR(whale ship, 5)", "'; DROP TABLE records; --",
        "^whale", "-whale", '"', "{whale}", "a\0b", "\ud7ff\ufffe", "%00", "<script>alert(1)</script>", "🐋" * 200, " ",
    ],
)  # fmt: skip
def test_operators_in_queries_are_words(client, query):
    for by in ("hybrid", "words", "meaning"):
        answer = client.get("/api/v1/shelf/search", params={"q": query, "by": by})
        assert answer.status_code == 200, answer.text
    assert len(client.get("/api/v1/shelf/search", params={"q": "whale"}).json()["items"]) == 20


def test_bytes_that_are_no_text_are_harmless(client):
    assert client.get("/api/v1/shelf/search?q=%ff%fe%c3%28").status_code == 200
    _problem(client.get("/api/v1/shelf/records/%ff%fe"), 404)
    headers = {"Content-Type": "application/json"}
    _problem(client.post("/api/v1/shelf/suggest", content=b'{"texts": ["\xff\xfe"]}', headers=headers), 400)
    _problem(client.post("/api/v1/shelf/suggest", content=b'{"texts": ["\\ud800"]}', headers=headers), 422)
    _problem(client.post("/api/v1/shelf/suggest", content=b"{" * 15_000, headers=headers), 422)


def test_methods_that_an_address_does_not_know_are_refused(client):
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        _problem(client.request(method, "/api/v1/shelf/info"), 405)


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil", "", "localhost:80:80"])
def test_a_foreign_host_is_refused(client, host):
    _problem(client.get("/api/v1", headers={"Host": host}), 400)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9000", "127.0.0.1:8080", "[::1]:8080", "library.example.org"])
def test_our_own_names_are_allowed(client, host):
    assert client.get("/api/v1", headers={"Host": host}).status_code == 200


def test_every_answer_protects_the_reader(client):
    for address in ("/", "/healthz", "/api/v1", "/docs", "/openapi.json", "/nothing/at/all", "/shelf/opensearch.xml"):
        headers = client.get(address, follow_redirects=False).headers
        assert headers["content-security-policy"] == CONTENT_POLICY
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


def test_large_bodies_are_refused_with_and_without_a_length(client):
    headers = {"Content-Type": "application/json"}
    text = json.dumps({"texts": ["word " * 10_000]}).encode()
    _problem(client.post("/api/v1/shelf/suggest", content=text, headers=headers), 413)
    parts = (text[start : start + 4_096] for start in range(0, len(text), 4_096))
    _problem(client.post("/api/v1/shelf/suggest", content=parts, headers=headers), 413)
    _problem(client.post("/api/v1/shelf/suggest", json={"texts": ["a"] * 33}), 422)
    _problem(client.post("/api/v1/shelf/suggest", json={"texts": []}), 422)


def test_an_index_without_labels_to_suggest_says_so(client):
    assert "has no suggester" in _problem(client.post("/api/v1/shelf/suggest", json={"texts": ["a whale"]}), 400)


CHANGES = [
    ("POST", "/records", {"records": [{"id": "new", "text": "a whale"}]}),
    ("PUT", "/records", {"records": [{"id": "r5", "text": "a whale"}]}),
    ("DELETE", "/records/r5", None),
    ("POST", "/learn", {"records": [{"text": "a whale", "accepted": ["whales"]}]}),
]


@pytest.mark.parametrize(("method", "address", "body"), CHANGES)
def test_without_the_token_nothing_changes(client, writer, path, method, address, body):
    _problem(client.request(method, f"/api/v1/shelf{address}", json=body, headers=_bearer(TOKEN)), 403)
    for headers in ({}, _bearer("wrong"), _bearer(""), {"Authorization": f"Basic {TOKEN}"}, _bearer(f"{TOKEN}x")):
        answer = writer.request(method, f"/api/v1/shelf{address}", json=body, headers=headers)
        _problem(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
    with open_generation(path) as generation:
        assert (generation.store.changes, generation.folder.name) == (0, "generation-000001")


def test_with_the_token_records_are_added_replaced_and_removed(writer, path):
    headers = _bearer(TOKEN)
    assert writer.get("/api/v1/shelf/info").json()["can"]["write"]
    tag = writer.get("/api/v1/shelf/labels").headers["etag"]
    new = {
        "id": "x/1",
        "text": "a whale and an anchor",
        "labels": ["whales"],
        "links": {"author": ["Di"]},
        "fields": {"year": 2024},
    }
    added = writer.post("/api/v1/shelf/records", json={"records": [new]}, headers=headers)
    assert added.json() == {"changed": 1, "generation": "generation-000001"}
    assert writer.get("/api/v1/shelf/records/x%2F1").json()["text"] == new["text"]
    assert writer.get("/api/v1/shelf/labels", headers={"If-None-Match": tag}).status_code == 200
    assert "in use" in _problem(writer.post("/api/v1/shelf/records", json={"records": [new]}, headers=headers), 400)
    replaced = writer.put("/api/v1/shelf/records", json={"records": [{**new, "text": "a rose"}]}, headers=headers)
    assert replaced.json()["changed"] == 1
    assert writer.get("/api/v1/shelf/records/x%2F1").json()["text"] == "a rose"
    assert writer.delete("/api/v1/shelf/records/x%2F1", headers=headers).json()["changed"] == 1
    _problem(writer.get("/api/v1/shelf/records/x%2F1"), 404)
    _problem(writer.delete("/api/v1/shelf/records/x%2F1", headers=headers), 404)
    for wrong in ({**new, "id": ""}, {**new, "text": None}, {**new, "labels": "whales"}, {"id": "only"}):
        _problem(writer.post("/api/v1/shelf/records", json={"records": [wrong]}, headers=headers), 422)


def test_another_writer_is_waited_for_only_a_moment(writer, path):
    from tacit.index.folder.lock import hold_lock

    with hold_lock(path):
        answer = writer.delete("/api/v1/shelf/records/r7", headers=_bearer(TOKEN))
    assert "being changed" in _problem(answer, 503)
    assert answer.headers["retry-after"]
    assert writer.get("/api/v1/shelf/records/r7").status_code == 200


def test_names_of_indexes_must_differ_and_leave_ours_alone(tmp_path, path):
    other = tmp_path / "shelf.tacit"
    other.symlink_to(path)
    with pytest.raises(InputError, match="share a name"):
        create_app([path, other])
    reserved = tmp_path / "docs.tacit"
    reserved.symlink_to(path)
    with pytest.raises(InputError, match="a name that the service needs: got 'docs'"):
        create_app([reserved])
    with pytest.raises(InputError, match="does not exist"):
        create_app([tmp_path / "missing.tacit"])


def test_several_indexes_have_a_page_that_lists_them(tmp_path, path):
    second = tmp_path / "sh<b>elf.tacit"
    second.symlink_to(path)
    with TestClient(create_app([path, second]), base_url="http://localhost") as client:
        page = client.get("/").text
        assert 'href="/shelf"' in page
        assert "sh&lt;b&gt;elf" in page
        assert "<b>" not in page
        names = [item["name"] for item in client.get("/api/v1").json()["items"]]
        assert names == ["shelf", "sh<b>elf"]
        assert client.get("/api/v1/sh%3Cb%3Eelf/info").status_code == 200


def test_pages_of_one_index(client):
    assert client.get("/", follow_redirects=False).headers["location"] == "/shelf"
    assert client.get("/healthz").json() == {"status": "ok"}
    assert 'tacit_requests_total{method="GET",route="/healthz",status="200"}' in client.get("/metrics").text
    assert "{searchTerms}" in client.get("/shelf/opensearch.xml").text
    for name in ("docs.js", "docs.css"):
        first = client.get(f"/page/{name}")
        assert first.status_code == 200
        again = client.get(f"/page/{name}", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert client.get("/docs").headers["content-type"].startswith("text/html")


def test_too_many_requests_and_slow_ones_are_told(path):
    import asyncio
    import threading

    from tacit.serve.problems import Problem
    from tacit.serve.state import ServiceState

    state = ServiceState([path], limits=Limits(threads=1, waiting=2, seconds=0.3))
    release = threading.Event()

    async def ask():
        waiting = [asyncio.create_task(state.run("shelf", lambda _: release.wait(5))) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(Problem, match="busy") as busy:
            await state.run("shelf", lambda _: None)
        assert (busy.value.status, busy.value.headers) == (503, {"Retry-After": "1"})
        for task in waiting:
            with pytest.raises(Problem, match=r"more than 0\.3 seconds"):
                await task
        release.set()
        await asyncio.sleep(0.1)
        assert await state.run("shelf", lambda snapshot: snapshot.name) == "shelf"

    asyncio.run(ask())
    state.close()


def test_clients_that_vanish_leave_the_queue_to_others(path):
    import asyncio
    import threading

    from tacit.serve.guard import Guard, Metrics
    from tacit.serve.state import ServiceState

    state = ServiceState([path], limits=Limits(threads=1, waiting=3, seconds=30))
    release, metrics = threading.Event(), Metrics()
    statuses: list[int] = []

    async def app(scope, receive, send):
        await state.run("shelf", lambda _: release.wait(20))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})

    async def sent(message):
        statuses.extend([message["status"]] if "status" in message else [])

    def client(*, stays):
        messages = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive():
            if messages:
                return messages.pop()
            await asyncio.sleep(60 if stays else 0.01)
            return {"type": "http.disconnect"}

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
        return Guard(app, limits=state.limits, metrics=metrics)(scope, receive, sent)

    async def ask():
        first = asyncio.create_task(client(stays=True))
        await asyncio.sleep(0.05)  # it has the only thread now
        for _ in range(20):  # ten times as many as there is room for
            await asyncio.gather(client(stays=False), client(stays=False))
        last = asyncio.create_task(client(stays=True))
        await asyncio.sleep(0.05)
        release.set()
        await asyncio.gather(first, last)

    asyncio.run(ask())
    state.close()
    assert statuses == [200, 200]
    gone = {"method": "GET", "route": "other", "status": "499"}
    assert metrics.registry.get_sample_value("tacit_requests_total", gone) == 40


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_full_disk_is_not_the_callers_fault():
    with pytest.raises(OSError, match="No space left") as full:
        Path("/dev/full").write_text("x" * 100_000, encoding="utf-8")
    found = as_problem(full.value)
    assert found is not None
    assert found.status == 507
    assert "disk of the service is full" in found.detail


def test_a_full_disk_that_sqlite_meets_is_told_too():
    database = sqlite3.connect(":memory:", isolation_level=None)
    database.execute("PRAGMA max_page_count = 1")
    try:
        database.execute("CREATE TABLE x (y)")
    except sqlite3.OperationalError as error:
        told = InputError("records.sqlite cannot be used")
        told.__cause__ = error
        found = as_problem(told)
        assert found is not None
        assert found.status == 507
    else:
        raise AssertionError("a database of one page has room for a table")
