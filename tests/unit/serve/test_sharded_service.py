"""A service of an index in shards answers as one of the same records, also while these are changed and refitted."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from served import PARENTS, served_records
from served_books import running

from tacit.corpus.record import Record
from tacit.errors import TacitWarning
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.serve import state as serve_state
from tacit.serve.app import create_app
from tacit.serve.state import ServedIndex, Snapshot
from tacit.tasks.build.build import build, refit
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.text import TextSettings

ADDRESSES = [
    "search?q=whale+anchor",
    "search?q=whale&by=words&limit=50",
    "search?q=ocean&label=whales&range=year=1991..1994",
    "search?q=whale&field=place=Rome",
    "search?q=wale",
    "labels",
    "label?label=whales",
    "recommend?like=r5&like=r9",
    "records?ids=r5&ids=r99",
    "similar?id=r5",
    "records/r7",
    "concepts",
    "explain?label=whales",
    "map/points.npy",
    "map/plain.npy",
    "map/names",
    "map/colours",
    "map/rows?label=whales",
    "info",
]
PLAIN = {"suggester": "none", "map": False, "model": "lsi"}


def built(path: Path, shards: int | None = None, **changed: Any) -> Path:
    settings = BuildSettings(**{"n_components": 8, "text": TextSettings(min_records=1), **changed})
    return build(served_records(), path, settings, taxonomy=Taxonomy.from_parents(PARENTS), shards=shards)


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[TestClient]]:
    folder = tmp_path_factory.mktemp("served")
    paths = [built(folder / "one" / "shelf.tacit"), built(folder / "many" / "shelf.tacit", 4)]
    clients = [TestClient(create_app([path]), base_url="http://localhost") for path in paths]
    yield clients
    for client in clients:
        client.close()


@pytest.mark.parametrize("address", ADDRESSES)
def test_answers_are_the_same(address: str, clients: list[TestClient]) -> None:
    one, many = (client.get(f"/api/v1/shelf/{address}") for client in clients)
    assert one.status_code == many.status_code == 200
    assert many.content == one.content


def test_suggestions_are_the_same(clients: list[TestClient]) -> None:
    asked = {"texts": ["a whale beside a mast", "the judge and her cat"]}
    one, many = (client.post("/api/v1/shelf/suggest", json=asked) for client in clients)
    assert many.json() == one.json()


def test_changes_and_refits_under_load_lose_no_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_state, "_CHECK", 0.05)
    path = built(tmp_path / "shelf.tacit", 3, **PLAIN)
    app = create_app([path])
    stop, answers, failures = threading.Event(), [], []

    def ask(base: str) -> None:
        with httpx.Client(base_url=base, timeout=30) as client:
            while not stop.is_set():
                for address in ("search?q=whale+anchor", "info", "labels", "similar?id=r5", "records/r7"):
                    answer = client.get(f"/api/v1/shelf/{address}")
                    (answers if answer.status_code == 200 else failures).append((answer.status_code, answer.text))

    with running(app) as base:
        threads = [threading.Thread(target=ask, args=(base,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for turn in range(6):
            with open_index(path) as index:
                index.upsert([Record(f"n{n}", f"a whale and an anchor {turn}") for n in range(4)])
                index.remove([f"n{turn % 4}"])
            if turn in (2, 4):  # each also deletes the shards before the last
                refit(path)
        time.sleep(0.3)
        stop.set()
        for thread in threads:
            thread.join()
        assert httpx.get(f"{base}/api/v1/shelf/search", params={"q": "whale anchor"}).json()["items"]
    assert failures == []
    assert len(answers) >= 20


def test_a_service_of_an_index_without_one_shard_answers(tmp_path: Path) -> None:
    path = built(tmp_path / "shelf.tacit", 3, **PLAIN)
    shutil.rmtree(path / "shards-000001/0002")
    with pytest.warns(TacitWarning, match=r"0002 of .* cannot be used"):
        app = create_app([path])
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/api/v1/shelf/info").json()["records"] == 80
        assert client.get("/api/v1/shelf/search", params={"q": "whale"}).json()["items"]


def test_what_fails_because_a_shard_changed_is_asked_again(tmp_path: Path) -> None:
    path = built(tmp_path / "shelf.tacit", 3, **PLAIN)
    with ThreadPoolExecutor(1) as reloads:
        served = ServedIndex("shelf", path, reloads, None)
        served.reload()
        gone: list[str] = []

        def titles(snapshot: Snapshot) -> list[str]:
            """Read the records that were there when the question began; the first time, one is removed meanwhile."""
            store = snapshot.collection.store
            numbers = store.numbers()
            if not gone:
                gone.append("r5")
                with open_index(path) as index:
                    index.remove(gone)
            return [record.id for record in store.get(numbers)]

        found = served.answer(titles)
        served.close()
    assert gone == ["r5"]
    assert len(found) == len(served_records()) - 1
    assert "r5" not in found
