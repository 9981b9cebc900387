"""The description for OpenSearch is one that browsers read, also for an index with an odd name."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

import tacit
from tacit.corpus.record import Record
from tacit.serve.app import create_app
from tacit.tasks.build.settings import BuildSettings
from tacit.text import TextSettings

SPACE = "{http://a9.com/-/spec/opensearch/1.1/}"


@pytest.mark.parametrize("name", ["books", 'Tom & "Jerry" <films> of all years'])
def test_a_browser_can_search_by_the_description(name: str, tmp_path: Path) -> None:
    settings = BuildSettings(n_components=2, text=TextSettings(min_records=1))
    path = tacit.build([Record("a", "whale ship"), Record("b", "harbour")], tmp_path / f"{name}.tacit", settings)
    with TestClient(create_app([path]), base_url="http://localhost:8080") as client:
        (shown,) = client.get("/api/v1").json()["items"]
        answer = client.get(f"/{shown['name']}/opensearch.xml")
        assert answer.headers["content-type"].startswith("application/opensearchdescription+xml")
        root = ElementTree.fromstring(answer.text)
        assert root.tag == f"{SPACE}OpenSearchDescription"
        assert 1 <= len(root.findtext(f"{SPACE}ShortName") or "") <= 16
        assert name in (root.findtext(f"{SPACE}Description") or "")
        templates = {url.attrib["type"]: url.attrib["template"] for url in root.iter(f"{SPACE}Url")}
        assert set(templates) == {"text/html", "application/json"}
        for template in templates.values():
            assert urlsplit(template).query == "q={searchTerms}"
            assert client.get(template.replace("{searchTerms}", "whale%20%26")).status_code == 200
        found = client.get(templates["application/json"].replace("{searchTerms}", "whale")).json()
        assert [one["id"] for one in found["items"]][:1] == ["a"]
