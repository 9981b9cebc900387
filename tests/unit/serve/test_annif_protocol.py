"""Annif's REST API: the same shapes, and everything that its own clients send."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import annif_client
import pytest
import requests
from served_books import TOKEN, build_books, running
from starlette.testclient import TestClient
from thesaurus import iri

import tacit
from tacit.corpus.record import Record
from tacit.serve.app import create_app
from tacit.serve.state import Limits
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

WHALES = "blubber of a whale, its song, and how it can dive"


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_books(tmp_path_factory.mktemp("annif"))


@pytest.fixture(scope="module")
def client(books: Path) -> Iterator[TestClient]:
    with TestClient(create_app([books]), base_url="http://localhost") as client:
        yield client


def test_a_project_has_what_annif_gives(client: TestClient) -> None:
    (project,) = client.get("/v1/projects").json()["projects"]
    assert project == client.get("/v1/projects/books").json()
    modified = datetime.fromisoformat(project.pop("modification_time"))
    assert modified.utcoffset() == timedelta(0)
    vocabulary = {"vocab_id": "books", "languages": ["de", "en"], "size": 10, "loaded": True}
    assert project == {
        "project_id": "books",
        "name": "books",
        "language": "en",
        "backend": {"backend_id": "tacit"},
        "vocab": vocabulary,
        "vocab_language": "en",
        "is_trained": True,
    }
    assert client.get("/v1/vocabs").json() == {"vocabs": [vocabulary]}
    assert set(client.get("/v1/").json()) == {"title", "version"}


def test_suggestions_have_uri_label_notation_and_score(client: TestClient) -> None:
    answer = client.post("/v1/projects/books/suggest", data={"text": WHALES, "limit": 2}).json()
    assert list(answer) == ["results"]
    best = answer["results"][0]
    assert len(answer["results"]) == 2
    assert {key: best[key] for key in ("uri", "label", "notation")} == {
        "uri": iri("whales"), "label": "Whales", "notation": "599.5",
    }  # fmt: skip
    assert 0.5 < best["score"] <= 1
    assert list(best) == ["uri", "label", "notation", "score"]


def test_labels_are_in_the_language_asked_for(client: TestClient) -> None:
    asked = {"text": WHALES, "limit": "1", "language": "de"}
    assert client.post("/v1/projects/books/suggest", data=asked).json()["results"][0]["label"] == "Wale"
    refused = client.post("/v1/projects/books/suggest", data=asked | {"language": "fi"})
    assert refused.status_code == 400
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["detail"] == 'language "fi" not supported by vocabulary'


def test_limit_and_threshold_are_kept(client: TestClient) -> None:
    def scores(**asked: Any) -> list[float]:
        answer = client.post("/v1/projects/books/suggest", data={"text": WHALES, **asked})
        assert answer.status_code == 200, answer.text
        return [one["score"] for one in answer.json()["results"]]

    everything = scores(limit=100)
    assert everything == sorted(everything, reverse=True)
    assert all(score > 0 for score in everything)
    assert scores(limit=100, threshold=0.5) == [score for score in everything if score >= 0.5]
    assert scores(limit=0) == []
    assert scores(text="zzz qqq") == []
    assert scores(text="") == []


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({}, "text is wrong: Field required"),
        ({"text": "x", "limit": "-1"}, "limit is wrong"),
        ({"text": "x", "limit": "many"}, "limit is wrong"),
        ({"text": "x", "threshold": "1.5"}, "threshold is wrong"),
        ({"text": "x", "threshold": "nan"}, "threshold is wrong"),
    ],
)
def test_a_wrong_form_is_refused(client: TestClient, form: dict[str, str], said: str) -> None:
    answer = client.post("/v1/projects/books/suggest", data=form)
    assert answer.status_code in (400, 415)
    assert answer.status_code == 415 if not form else said in answer.json()["detail"]


def test_other_bodies_are_refused(client: TestClient) -> None:
    address, form = "/v1/projects/books/suggest", {"content-type": "application/x-www-form-urlencoded"}
    assert client.post(address, json={"text": "x"}).status_code == 415
    assert client.post(address, content=b"text=\xff\xfe", headers=form).status_code == 400
    assert client.post(address, content="&".join(["a=b"] * 200), headers=form).status_code == 400
    many = {"documents": [{"text": "whale"}] * 33}
    assert "expected at most 32" in client.post(f"{address}-batch", json=many).json()["detail"]
    assert client.post(f"{address}-batch", content=b"{").status_code == 400
    assert client.post(f"{address}-batch", json={"documents": [{}]}).status_code == 400
    assert client.post(f"{address}-batch?limit=-3", json={"documents": []}).status_code == 400


def test_an_unknown_project_is_not_found_as_annif_says_it(client: TestClient) -> None:
    for answer in (client.get("/v1/projects/none"), client.post("/v1/projects/none/suggest", data={"text": "x"})):
        assert answer.status_code == 404
        assert answer.json()["detail"] == "Project 'none' not found"


def test_a_text_that_is_too_long_is_refused(books: Path) -> None:
    app = create_app([books], limits=Limits(text=20))
    with TestClient(app, base_url="http://localhost") as client:
        answer = client.post("/v1/projects/books/suggest", data={"text": "whale " * 5})
        assert answer.status_code == 413
        assert "expected at most 20" in answer.json()["detail"]


def test_an_index_without_a_suggester_is_not_trained(tmp_path: Path) -> None:
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1))
    path = tacit.build([Record(f"r{n}", f"word{n} other") for n in range(5)], tmp_path / "plain.tacit", settings)
    with TestClient(create_app([path]), base_url="http://localhost") as client:
        assert client.get("/v1/projects/plain").json()["is_trained"] is False
        answer = client.post("/v1/projects/plain/suggest", data={"text": "word1"})
        assert answer.status_code == 503
        assert "has no suggester" in answer.json()["detail"]


def test_what_the_http_backend_asks_is_answered_also_if_it_cuts_the_name(books: Path, tmp_path: Path) -> None:
    """Annif's backend reads the state of a project at the address with every "/suggest" cut out."""
    copied = tmp_path / "suggested.tacit"
    shutil.copytree(books, copied)
    with TestClient(create_app([books, copied]), base_url="http://localhost") as client:
        for name in ("books", "suggested"):
            endpoint = f"/v1/projects/{name}/suggest"
            answer = client.post(
                endpoint, data={"text": WHALES, "limit": "100", "metadata_title": "Moby", "project": "x"}
            )
            assert answer.json()["results"][0]["uri"] == iri("whales")
            state = client.get(endpoint.replace("/suggest", "")).json()
            assert state["is_trained"] is True
            assert datetime.fromisoformat(state["modification_time"]).tzinfo is not None
            assert state["project_id"] == name


def test_nobody_teaches_without_the_token(books: Path, tmp_path: Path) -> None:
    copied = tmp_path / "books.tacit"
    shutil.copytree(books, copied)
    texts = [f"chess whale chess whale {word}" for word in ("coin", "mast", "song", "deck", "loan")]
    documents = [{"text": text, "subjects": [{"uri": iri("animals"), "label": "Animals"}]} for text in texts]
    with TestClient(create_app([copied]), base_url="http://localhost") as client:
        assert client.post("/v1/projects/books/learn", json=documents).status_code == 403
    with TestClient(create_app([copied], token=TOKEN), base_url="http://localhost") as client:
        before = client.get("/v1/projects/books").json()["modification_time"]
        for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            assert client.post("/v1/projects/books/learn", json=documents, headers=header).status_code == 401
        assert len(tacit.open(copied).corrections()) == 0
        right = {"Authorization": f"Bearer {TOKEN}"}
        answer = client.post("/v1/projects/books/learn", json=documents, headers=right)
        assert (answer.status_code, answer.content) == (204, b"")
        assert {one.accepted for one in tacit.open(copied).corrections()} == {(iri("animals"),)}
        assert client.get("/v1/projects/books").json()["modification_time"] >= before
        found = client.post("/v1/projects/books/suggest", data={"text": texts[0]}).json()["results"]
        assert iri("animals") in [one["uri"] for one in found]  # served without a restart


def test_annif_client_uses_the_service(books: Path) -> None:
    with running(create_app([books])) as address:
        client = annif_client.AnnifClient(api_base=f"{address}/v1/")
        assert client.api_info["version"] == tacit.__version__
        assert [project["project_id"] for project in client.projects] == ["books"]
        assert client.get_project("books")["is_trained"] is True
        assert client.suggest("books", WHALES, limit=1)[0]["uri"] == iri("whales")
        documents = [{"document_id": "a", "text": WHALES}, {"text": "the mast and the hull, a sail and an anchor"}]
        found = client.suggest_batch("books", documents, limit=1, threshold=0.1)
        assert [(one["document_id"], one["results"][0]["label"]) for one in found] == [("a", "Whales"), (None, "Ships")]
        with pytest.raises(ValueError, match="Project 'none' not found"):
            client.suggest("none", WHALES)
        with pytest.raises(requests.HTTPError, match="403"):
            client.learn("books", [])


def test_a_changed_index_is_newer(books: Path, tmp_path: Path) -> None:
    copied = tmp_path / "books.tacit"
    shutil.copytree(books, copied)
    with TestClient(create_app([copied]), base_url="http://localhost") as client:
        before = datetime.fromisoformat(client.get("/v1/projects/books").json()["modification_time"])
        with tacit.open(copied) as index:
            first = index["b0"]
            index.add([dataclasses.replace(first, id="more")])
        assert datetime.fromisoformat(client.get("/v1/projects/books").json()["modification_time"]) >= before
