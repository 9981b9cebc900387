"""The real client of the Model Context Protocol uses the tools: in the process, over HTTP, and by the command."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from served_books import build_books, running
from starlette.testclient import TestClient
from thesaurus import iri

import tacit
from tacit.corpus.record import Record
from tacit.serve.app import create_app
from tacit.serve.mcp import mcp_server
from tacit.serve.state import ServiceState
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

TOOLS = ["search", "record", "suggest", "explain", "labels"]


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_books(tmp_path_factory.mktemp("mcp"))


@pytest.fixture(scope="module")
def state(books: Path) -> Iterator[ServiceState]:
    state = ServiceState([books])
    yield state
    state.close()


def call(server: Any, tool: str, **arguments: Any) -> Any:
    """Call a tool by the real client; return what it found, or the sentence of its error."""

    async def ask() -> Any:
        async with Client(server) as client:
            result = await client.call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text  # type: ignore[union-attr]
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return result.structured_content

    return asyncio.run(ask())


def test_agents_see_what_there_is_and_how_to_ask(state: ServiceState) -> None:
    async def ask() -> Any:
        async with Client(mcp_server(state)) as client:
            return client.instructions, (await client.list_tools()).tools

    instructions, tools = asyncio.run(ask())
    assert "- books: 80 records; 4 labels; a taxonomy of the labels" in instructions
    assert [tool.name for tool in tools] == TOOLS
    for tool in tools:
        assert len(tool.description) > 60
        assert tool.annotations.read_only_hint is True
        assert tool.output_schema["type"] == "object"
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_search_finds_records_with_snippet_labels_and_reason(state: ServiceState) -> None:
    found = call(mcp_server(state), "search", query="whale song", limit=3)
    assert found["index"] == "books"
    assert len(found["hits"]) == 3
    best = found["hits"][0]
    assert "whale" in best["snippet"]
    assert best["labels"] == [{"label": iri("whales"), "title": "Whales", "path": "Nature > Animals"}]
    assert best["why"].endswith(".")
    assert 0 < best["score"] <= 1


def test_search_filters_by_names_of_labels(state: ServiceState) -> None:
    server = mcp_server(state)
    found = call(server, "search", query="whale", limit=50, under=["Nature"], labels=["Wale"])
    assert {label["title"] for hit in found["hits"] for label in hit["labels"]} == {"Whales"}
    assert "label is unknown: got 'Whaless'" in call(server, "search", query="whale", labels=["Whaless"])
    assert "Did you mean" in call(server, "search", query="whale", labels=["Whaless"])


def test_a_record_is_read_in_parts(state: ServiceState) -> None:
    server = mcp_server(state)
    whole = call(server, "record", id="b0")
    assert whole["more"] is False
    first = call(server, "record", id="b0", characters=5)
    rest = call(server, "record", id="b0", start=first["end"])
    assert first["more"] is True
    assert first["text"] + rest["text"] == whole["text"]
    assert "id is unknown: got 'nope'" in call(server, "record", id="nope")


def test_suggest_and_explain_give_reasons(state: ServiceState) -> None:
    server = mcp_server(state)
    best = call(server, "suggest", text="blubber of a whale and its song")["suggestions"][0]
    assert (best["title"], best["chosen"]) == ("Whales", True)
    assert best["why"]
    for asked in (
        {"query": "whale", "id": "b0"},
        {"id": "b0", "other": "b4"},
        {"text": "a whale can dive", "label": "Whales"},
        {"id": "b0", "label": "Whales"},
        {"label": "Cetaceans"},
    ):
        found = call(server, "explain", **asked)
        assert len(found["explanation"]) > 20, asked
        assert found["words"], asked
    assert "expected query and id, id and other" in call(server, "explain", query="whale")


def test_labels_are_looked_up_and_walked(state: ServiceState) -> None:
    server = mcp_server(state)
    (whales, *_) = call(server, "labels", name="cetac")["labels"]
    counts = {"records": 20, "total": 20, "narrower": 0}
    assert whales == {"label": iri("whales"), "title": "Whales", "path": "Nature > Animals", **counts}
    tops = [one["title"] for one in call(server, "labels")["labels"]]
    assert "Nature" in tops
    assert [one["title"] for one in call(server, "labels", below="Nature")["labels"]] == ["Animals", "Sea"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {}),
        ("search", {"query": ""}),
        ("search", {"query": "x", "limit": 1_000}),
        ("search", {"query": "x", "by": "magic"}),
        ("search", {"query": "x", "where": ["year"]}),
        ("search", {"query": "x", "index": "none"}),
        ("record", {"id": "b0", "characters": 10**9}),
        ("suggest", {"text": "x" * 100_001}),
        ("labels", {"below": "none at all"}),
        ("nothing", {}),
    ],
)
def test_wrong_questions_get_a_sentence(state: ServiceState, tool: str, arguments: dict[str, Any]) -> None:
    said = call(mcp_server(state), tool, **arguments)
    assert isinstance(said, str)
    assert "Traceback" not in said
    assert 0 < len(said) < 1_000


def test_answers_are_bounded(tmp_path: Path) -> None:
    long = {"abstract": "x" * 5_000, **{f"field{n}": n for n in range(100)}}
    records = [Record(f"r{n}", "whale " * 50_000, tuple(f"l{m}" for m in range(60)), fields=long) for n in range(3)]
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1), suggester="none")
    state = ServiceState([tacit.build(records, tmp_path / "long.tacit", settings)])
    server = mcp_server(state)
    found = call(server, "search", query="whale", limit=50)
    assert len(json.dumps(found)) < 3 * 5_000
    assert len(json.dumps(call(server, "record", id="r0"))) < 10_000
    assert "has no suggester" in call(server, "suggest", text="whale")
    state.close()


def test_several_indexes_are_told_apart(books: Path, tmp_path: Path) -> None:
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1), suggester="none")
    other = tacit.build([Record("f1", "a film of whales"), Record("f2", "snow")], tmp_path / "films.tacit", settings)
    state = ServiceState([books, other])
    server = mcp_server(state)
    assert "index is missing: expected one of books, films." in call(server, "search", query="whales")
    assert call(server, "search", query="film", index="films")["hits"][0]["id"] == "f1"
    state.close()


def test_the_service_speaks_it_over_http_to_programs_and_not_to_strange_pages(books: Path) -> None:
    with running(create_app([books])) as address:
        found = call(f"{address}/mcp", "search", query="whale song", limit=1)
        assert len(found["hits"]) == 1
        assert len(call(f"{address}/mcp", "labels", name="whales")["labels"]) >= 1
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream"}
    with TestClient(create_app([books]), base_url="http://localhost:8080") as client:
        for wrong in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            answer = client.post("/mcp", json=message, headers={**headers, **wrong})
            assert answer.status_code in (400, 403, 421)
        assert client.post("/mcp", json=message, headers=headers).status_code == 200
        assert client.get("/").status_code == 200


def test_agents_are_answered_again_once_an_index_is_back(books: Path, tmp_path: Path) -> None:
    path, away = tmp_path / "mine.tacit", tmp_path / "away"
    shutil.copytree(books, path)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream"}
    with TestClient(create_app([path]), base_url="http://localhost:8080") as client:
        path.rename(away)
        client.app.state.service.indexes["mine"].reload()  # type: ignore[attr-defined]
        assert client.post("/mcp", json=message, headers=headers).status_code == 503
        away.rename(path)
        client.app.state.service.indexes["mine"].reload()  # type: ignore[attr-defined]
        assert client.post("/mcp", json=message, headers=headers).status_code == 200


def test_the_command_speaks_it_over_standard_input_and_output(books: Path) -> None:
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ.get("PATH", "")}
    command = StdioServerParameters(command=sys.executable, args=["-m", "tacit", "mcp", str(books)], env=environment)
    found = call(stdio_client(command), "suggest", text="blubber of a whale and its song", limit=1)
    assert [one["title"] for one in found["suggestions"]] == ["Whales"]


def test_the_service_does_not_load_the_library_before_an_agent_calls(books: Path) -> None:
    code = (
        "import sys; from tacit.serve.app import create_app; "
        f"create_app([{str(books)!r}]); print([name for name in sys.modules if name.split('.')[0] == 'mcp'])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
