"""The reconciliation API 0.2: its answers have the shapes of the specification, and its candidates are right."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from served_books import build_books
from starlette.testclient import TestClient
from thesaurus import iri

import tacit
from tacit.corpus.record import Record
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.serve.app import create_app
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.label_lookup import LabelLookup
from tacit.text import TextSettings

# Written from the prose of the specification, section by section.
NAME = {"type": "string", "minLength": 1}
TYPE = {"type": "object", "required": ["id", "name"], "properties": {"id": NAME, "name": NAME}}
ADDRESS = {"type": "string", "pattern": "^https?://"}
TEMPLATE = {"type": "string", "pattern": r"^https?://.*\{\{id\}\}"}
SERVICE = {
    "type": "object",
    "required": ["service_url", "service_path"],
    "properties": {"service_url": ADDRESS, "service_path": {"type": "string", "pattern": "^/"}},
    "additionalProperties": False,
}
MANIFEST = {
    "type": "object",
    "required": ["versions", "name", "identifierSpace", "schemaSpace"],
    "properties": {
        "versions": {"type": "array", "contains": {"const": "0.2"}},
        "name": NAME,
        "identifierSpace": ADDRESS,
        "schemaSpace": ADDRESS,
        "serviceVersion": {"type": "string"},
        "defaultTypes": {"type": "array", "items": TYPE, "uniqueItems": True},
        "view": {"type": "object", "required": ["url"], "properties": {"url": TEMPLATE}},
        "preview": {
            "type": "object",
            "required": ["url", "width", "height"],
            "properties": {"url": TEMPLATE, "width": {"type": "integer"}, "height": {"type": "integer"}},
        },
        "suggest": {
            "type": "object",
            "properties": {"entity": SERVICE, "type": SERVICE, "property": SERVICE},
            "additionalProperties": False,
        },
        "batchSize": {"type": "integer", "minimum": 1},
    },
    "additionalProperties": False,
}
CANDIDATE = {
    "type": "object",
    "required": ["id", "name", "type", "score", "match"],
    "properties": {
        "id": NAME,
        "name": NAME,
        "description": {"type": "string"},
        "type": {"type": "array", "items": TYPE},
        "score": {"type": "number", "minimum": 0, "maximum": 100},
        "match": {"type": "boolean"},
        "features": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "value"],
                "properties": {"id": NAME, "value": {"type": ["number", "boolean"]}},
            },
        },
    },
    "additionalProperties": False,
}
RESULTS = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["result"],
        "properties": {"result": {"type": "array", "items": CANDIDATE}},
    },
}
SUGGESTIONS = {
    "type": "object",
    "required": ["result"],
    "properties": {
        "result": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": NAME,
                    "name": NAME,
                    "description": {"type": "string"},
                    "notable": {"type": "array", "items": TYPE},
                },
                "additionalProperties": False,
            },
        }
    },
}
EVIL = '<script>alert("x")</script>'


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path = build_books(tmp_path_factory.mktemp("reconcile"), n=16)
    with TestClient(create_app([path]), base_url="http://localhost:8080") as client:
        yield client


def asked(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    """Ask one query as OpenRefine does, and see that the answer has the right shape."""
    answer = client.post("/reconcile/books", data={"queries": json.dumps({"q0": query})})
    assert answer.status_code == 200, answer.text
    jsonschema.validate(answer.json(), RESULTS)
    found = answer.json()["q0"]["result"]
    assert [one["score"] for one in found] == sorted((one["score"] for one in found), reverse=True)
    return list(found)


def suggested(client: TestClient, kind: str, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/reconcile/books/suggest/{kind}", params=parameters).json()
    jsonschema.validate(answer, SUGGESTIONS)
    return list(answer["result"])


def test_the_manifest_follows_the_specification(client: TestClient) -> None:
    manifest = client.get("/reconcile/books").json()
    jsonschema.validate(manifest, MANIFEST)
    assert manifest["identifierSpace"] == "http://example.org/t/"
    assert manifest["view"]["url"] == "http://localhost:8080/books#about={{id}}"
    assert [one["name"] for one in manifest["defaultTypes"]] == ["Subject", "Furniture", "Money", "Nature"]
    for kind, service in manifest["suggest"].items():
        assert (
            service["service_url"] + service["service_path"] == f"http://localhost:8080/reconcile/books/suggest/{kind}"
        )


def test_a_name_of_one_subject_matches(client: TestClient) -> None:
    for name in ("Whales", "whales ", "Cetaceans", "Wale", "599.5", iri("whales")):
        best, *others = asked(client, query=name)
        assert (best["id"], best["match"]) == (iri("whales"), True)
        assert best["score"] > 97
        assert not any(one["match"] for one in others)
    (best, *_) = asked(client, query="Whales")
    assert best["name"] == "Whales"
    assert best["description"] == "below Nature > Animals; also: Wale, Walfische, Cetaceans, 599.5"
    assert [one["name"] for one in best["type"]] == ["Subject", "Nature"]


def test_a_similar_or_ambiguous_name_does_not_match(client: TestClient) -> None:
    near = asked(client, query="Whaels")
    assert near[0]["id"] == iri("whales")
    assert near[0]["score"] < 90
    both = asked(client, query="Bank")
    assert {one["id"] for one in both[:2]} == {iri("bank1"), iri("bank2")}
    assert not any(one["match"] for one in [*near, *both])
    assert asked(client, query="zzzzz") == []


def test_types_and_properties_tell_namesakes_apart(client: TestClient) -> None:
    for kind in (iri("furniture"), [iri("furniture")], [{"id": iri("furniture"), "name": "Furniture"}]):
        (only,) = asked(client, query="Bank", type=kind)
        assert (only["id"], only["match"]) == (iri("bank2"), True)
    assert len(asked(client, query="Bank", type="unknown")) == len(asked(client, query="Bank")) > 1
    for value in ("Furniture", "möbel", {"id": iri("furniture"), "name": "x"}, ["nothing", "Furniture"]):
        best, other = asked(client, query="Bank", properties=[{"pid": "broader", "v": value}])[:2]
        assert (best["id"], best["match"]) == (iri("bank2"), True)
        assert other["score"] < 60
    assert asked(client, query="Whales", properties=[{"pid": "notation", "v": "1"}])[0]["match"] is False
    assert asked(client, query="Whales", properties=[{"pid": "colour", "v": "blue"}])[0]["match"] is True


def test_values_are_looked_up_once_and_not_for_every_candidate(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[str] = []
    find = LabelLookup.find

    def noted(self: LabelLookup, name: str, **given: Any) -> Any:
        asked_for.append(name)
        return find(self, name, **given)

    monkeypatch.setattr(LabelLookup, "find", noted)
    assert len(asked(client, query="Bank", limit=100, properties=[{"pid": "broader", "v": ["sea", "money"]}] * 10)) > 1
    assert len(asked_for) <= 1 + 2 * 10


def test_a_query_may_have_properties_only(client: TestClient) -> None:
    (whales,) = asked(client, properties=[{"pid": "notation", "v": 599.5}])
    assert (whales["id"], whales["match"]) == (iri("whales"), True)
    below = asked(client, properties=[{"pid": "broader", "v": "Nature"}])
    assert {one["id"] for one in below} == {iri("sea"), iri("animals")}
    assert asked(client, properties=[{"pid": "colour", "v": "blue"}]) == []


def test_queries_come_as_a_form_in_the_address_or_as_json(client: TestClient) -> None:
    queries = {"a": {"query": "Ships", "limit": 1}, "b": {"query": "Money", "limit": 1, "type_strict": "should"}}
    by_form = client.post("/reconcile/books", data={"queries": json.dumps(queries)}).json()
    assert {key: [one["id"] for one in of["result"]] for key, of in by_form.items()} == {
        "a": [iri("ships")],
        "b": [iri("money")],
    }
    assert client.get("/reconcile/books", params={"queries": json.dumps(queries)}).json() == by_form
    assert client.post("/reconcile/books", json=queries).json() == by_form
    assert client.post("/reconcile/books", json={"queries": queries}).json() == by_form


@pytest.mark.parametrize(
    ("queries", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ('{"q": {}}', 400),
        ('{"q": {"query": " "}}', 400),
        ('{"q": {"query": "x", "limit": 0}}', 400),
        ('{"q": {"query": "x", "limit": "many"}}', 400),
        ('{"q": {"query": 7}}', 400),
        (json.dumps({"q": {"query": "x" * 2_000}}), 400),
        (json.dumps({f"q{n}": {"query": "x"} for n in range(51)}), 413),
        (json.dumps({"q": {"query": "x", "properties": [{"pid": "broader", "v": "sea"}] * 11}}), 400),
        ("[" * 100_000, 400),
    ],
)
def test_wrong_queries_are_refused(client: TestClient, queries: str, status: int) -> None:
    answer = client.post("/reconcile/books", data={"queries": queries})
    assert answer.status_code == status
    assert answer.json()["detail"].startswith("queries")
    assert len(answer.json()["detail"]) < 300


def test_other_bodies_and_unknown_indexes_are_refused(client: TestClient) -> None:
    assert client.post("/reconcile/books", data={"other": "1"}).status_code == 400
    assert client.post("/reconcile/books", content=b"\xff").status_code == 400
    deep = client.post("/reconcile/books", content="[" * 100_000, headers={"content-type": "application/json"})
    assert deep.status_code == 400
    assert client.get("/reconcile/none").status_code == 404
    assert client.post("/reconcile/none", data={"queries": "{}"}).status_code == 404
    assert client.get("/reconcile/books/suggest/entity?prefix=w&cursor=-1").status_code == 422


def test_suggest_services_complete_what_is_typed(client: TestClient) -> None:
    first = suggested(client, "entity", prefix="wha")[0]
    assert (first["id"], first["name"]) == (iri("whales"), "Whales")
    assert [one["name"] for one in first["notable"]] == ["Subject", "Nature"]
    assert suggested(client, "entity", prefix=iri("whales"))[0]["id"] == iri("whales")
    everything = [one["id"] for one in suggested(client, "entity", prefix="b")]
    assert [one["id"] for one in suggested(client, "entity", prefix="b", cursor=1)] == everything[1:]
    assert suggested(client, "entity") == []
    assert [one["name"] for one in suggested(client, "type", prefix="nat")] == ["Nature"]
    assert suggested(client, "type", prefix="whales") == []  # nothing is below it
    assert suggested(client, "type", prefix="sub")[0]["name"] == "Subject"
    assert [one["id"] for one in suggested(client, "property", prefix="br")] == ["broader"]
    assert [one["id"] for one in suggested(client, "property")] == ["broader", "notation"]


def test_a_preview_is_framed_by_programs_of_this_machine_only(client: TestClient) -> None:
    answer = client.get("/reconcile/books/preview", params={"id": iri("whales")})
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers.get_list("content-security-policy")
    assert len(policy) == 1
    assert "default-src 'none'" in policy[0]
    assert "frame-ancestors http://localhost:* http://127.0.0.1:*" in policy[0]
    for text in ("<h1>Whales</h1>", "Nature &gt; Animals", "Cetaceans", "4 records", "http://example.org/t/whales"):
        assert text in answer.text
    (address,) = re.findall(r'href="([^"]+)"', answer.text)
    assert address == "http://localhost:8080/books#about=http%3A%2F%2Fexample.org%2Ft%2Fwhales"
    assert client.get("/reconcile/books/preview", params={"id": EVIL}).status_code == 404
    assert client.get("/books").headers["content-security-policy"].endswith("frame-ancestors 'none'")


def test_only_pages_of_this_machine_may_read_a_private_service(client: TestClient) -> None:
    allowed = "access-control-allow-origin"
    for origin in ("http://127.0.0.1:3333", "http://localhost:3333", "http://[::1]:3333"):
        for address in ("/reconcile/books", "/reconcile/none", "/reconcile/books/suggest/entity?prefix=w"):
            answer = client.get(address, headers={"Origin": origin})
            assert answer.headers[allowed] == origin
            assert "Origin" in answer.headers["vary"]
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", "http://[", ""):
        assert allowed not in client.get("/reconcile/books", headers={"Origin": origin}).headers
    assert allowed not in client.get("/v1/projects", headers={"Origin": "http://localhost:3333"}).headers


def test_pages_of_all_servers_may_read_a_public_service(tmp_path: Path) -> None:
    """A vocabulary without IRIs and hierarchy, whose names are markup."""
    taxonomy = Taxonomy.from_parents({"evil": None, "good": None}, {"evil": EVIL, "good": "Good & <b>bold</b>"})
    records = [Record(f"r{n}", f"word{n % 2} more", (["evil", "good"][n % 2],)) for n in range(6)]
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1), suggester="none")
    path = tacit.build(records, tmp_path / "my books.tacit", settings, taxonomy=taxonomy)
    app = create_app([path], allowed_hosts=["subjects.example.org"])
    with TestClient(app, base_url="https://subjects.example.org") as client:
        answer = client.get("/reconcile/my%20books", headers={"Origin": "https://elsewhere.example"})
        assert answer.headers["access-control-allow-origin"] == "*"
        jsonschema.validate(answer.json(), MANIFEST)
        assert answer.json()["identifierSpace"] == "https://subjects.example.org/my%20books/"
        preview = client.get("/reconcile/my%20books/preview", params={"id": "evil"})
        assert "<script>" not in preview.text
        assert "&lt;script&gt;" in preview.text
        assert "frame-ancestors *" in preview.headers["content-security-policy"]
        queries = json.dumps({"q": {"query": "good & <b>BOLD</b>"}})
        found = client.post("/reconcile/my%20books", data={"queries": queries}).json()
        jsonschema.validate(found, RESULTS)
        assert (found["q"]["result"][0]["id"], found["q"]["result"][0]["match"]) == ("good", True)
        assert [one["name"] for one in found["q"]["result"][0]["type"]] == ["Subject"]
