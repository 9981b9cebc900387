"""An index that is refitted, replaced, changed or missing while it is served: no request is lost."""

from __future__ import annotations

import contextlib
import shutil
import socket
import threading
import time

import httpx
import pytest
import uvicorn
from fastapi.testclient import TestClient
from served import build_served, served_records

from tacit.corpus.record import Record
from tacit.serve import state as serve_state
from tacit.serve.app import create_app
from tacit.tasks.build.build import build, refit
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index

PLAIN = {"suggester": "none", "map": False, "model": "lsi"}


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch):
    monkeypatch.setattr(serve_state, "_CHECK", 0.05)


@pytest.fixture
def path(tmp_path):
    return build_served(tmp_path / "shelf.tacit", **PLAIN)


@contextlib.contextmanager
def _running(app):
    """A real server on this machine."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def test_refits_under_load_lose_no_request(path):
    app = create_app([path])
    stop, answers, failures = threading.Event(), [], []

    def ask(base: str, number: int) -> None:
        with httpx.Client(base_url=base, timeout=30) as client:
            while not stop.is_set():
                for address in ("search?q=whale+anchor", "info", "labels", "similar?id=r5", "records/r7"):
                    answer = client.get(f"/api/v1/shelf/{address}")
                    (answers if answer.status_code == 200 else failures).append((answer.status_code, answer.text))

    with _running(app) as base:
        threads = [threading.Thread(target=ask, args=(base, number)) for number in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(3):  # each also deletes the generation before the last
            refit(path)
            time.sleep(0.2)
        time.sleep(0.3)
        stop.set()
        for thread in threads:
            thread.join()
        current = httpx.get(f"{base}/api/v1/shelf/info").json()["generation"]
    assert failures == []
    assert len(answers) >= 20
    assert current == "generation-000004"


def test_a_service_says_when_it_is_warm_and_answers_before(path, monkeypatch):
    ready, warm = threading.Event(), serve_state.Snapshot.warm
    monkeypatch.setattr(serve_state.Snapshot, "warm", lambda *given: ready.wait(10) and warm(*given))
    with TestClient(create_app([path], warm=True), base_url="http://localhost") as client:
        early = client.get("/healthz")
        assert (early.status_code, early.json()) == (503, {"status": "warming"})
        assert client.get("/api/v1/shelf/search", params={"q": "whale"}).json()["items"]
        ready.set()
        for _ in range(200):
            if client.get("/healthz").status_code == 200:
                break
            time.sleep(0.02)
        assert client.get("/healthz").json() == {"status": "ok"}


def test_a_new_generation_is_warm_before_it_is_asked(path):
    app = create_app([path], warm=True)
    served = app.state.service.indexes["shelf"]
    refit(path)
    served.reload()
    with served.lease() as snapshot:
        assert (snapshot.generation, snapshot.is_warm) == ("generation-000002", True)
    app.state.service.close()


@pytest.mark.parametrize("is_bare", [False, True])
def test_what_is_asked_first_is_read_ahead(path, caplog, is_bare):
    if is_bare:
        records = [Record(f"b{n}", ("a whale and a ship", "the cat on a lamp")[n % 2]) for n in range(8)]
        path = build(records, path.with_name("bare.tacit"), BuildSettings(map=False))
    else:
        path = build_served(path.with_name("full.tacit"))
    with caplog.at_level("DEBUG", logger="tacit.serve"):
        app = create_app([path], warm=True)
        (served,) = app.state.service.indexes.values()
        for _ in range(500):
            if not served.is_warming:
                break
            time.sleep(0.02)
    with served.lease() as snapshot:
        assert snapshot.is_warm
        kept = {key if isinstance(key, str) else key[0] for key in snapshot._kept}
        assert {"labels", "fields", "examples"} <= kept
        assert ("colours" in kept) != is_bare
    app.state.service.close()
    assert not [line for line in caplog.messages if "could not be warmed" in line]


def test_old_generations_are_closed_when_their_last_request_has_ended(path):
    app = create_app([path])
    served = app.state.service.indexes["shelf"]
    with served.lease() as old:
        refit(path)
        served.reload()
        with served.lease() as new:
            assert (old.generation, new.generation) == ("generation-000001", "generation-000002")
        assert old.collection["r5"].id == "r5"  # still open
    from tacit.errors import InputError

    with pytest.raises(InputError, match="is closed"):
        old.collection["r5"]
    app.state.service.close()


def test_records_that_another_process_adds_are_found(path):
    with TestClient(create_app([path]), base_url="http://localhost") as client:
        tag = client.get("/api/v1/shelf/info").headers["etag"]
        with open_index(path) as other:
            other.add([Record("new", "a narwhal beside a whale", labels=["whales"])])
        found = client.get("/api/v1/shelf/search", params={"q": "narwhal"}).json()["items"]
        assert found[0]["id"] == "new"
        info = client.get("/api/v1/shelf/info", headers={"If-None-Match": tag})
        assert (info.status_code, info.json()["records"]) == (200, 121)


def test_an_index_that_is_gone_comes_back_by_itself(path):
    aside = path.with_name("aside")
    with TestClient(create_app([path]), base_url="http://localhost") as client:
        path.rename(aside)
        time.sleep(0.1)
        answer = client.get("/api/v1/shelf/info")
        assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
        assert answer.headers["retry-after"]
        assert str(path) not in answer.text
        assert client.get("/api/v1").json()["items"] == []
        assert client.get("/healthz").status_code == 200
        aside.rename(path)
        time.sleep(0.1)
        assert client.get("/api/v1/shelf/info").status_code == 200


def test_another_index_in_its_place_is_noticed_whatever_its_generation_is_called(path, tmp_path):
    other = build_served(tmp_path / "other.tacit", served_records(60), **PLAIN)
    with TestClient(create_app([path]), base_url="http://localhost") as client:
        assert client.get("/api/v1/shelf/info").json()["records"] == 120
        path.rename(tmp_path / "old")
        shutil.move(other, path)
        time.sleep(0.1)
        for _ in range(100):
            if client.get("/api/v1/shelf/info").json().get("records") == 60:
                break
            time.sleep(0.05)
        assert client.get("/api/v1/shelf/info").json()["records"] == 60
