"""A site answers in the browser as its index does in Python: search by meaning, filters, colours, suggestions."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from small_index import small_records, small_settings, small_taxonomy

import tacit
from tacit.index import Filters
from tacit.serve.site.write_site import write_site
from tacit.tasks.collection import Collection


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder = tmp_path_factory.mktemp("site") / "library.tacit"
    tacit.build(small_records(120, links=True), folder, small_settings(), taxonomy=small_taxonomy())
    return tacit.open(folder)


@pytest.fixture(scope="module")
def page(chromium: Any, library: Collection, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    site = tmp_path_factory.mktemp("written") / "site"
    write_site(library, site)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    opened = chromium.new_page()
    opened.problems = []
    opened.on("console", lambda message: message.type == "error" and opened.problems.append(message.text))
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    opened.goto(f"http://127.0.0.1:{server.server_port}/")
    opened.wait_for_selector("canvas")
    yield opened
    opened.close()
    server.shutdown()


def ask(page: Any, call: str, *arguments: Any) -> Any:
    """Return what the source of data of the site answers."""
    code = f"async (given) => (await import('/page/data/site.js')).createSiteSource('data').{call}(...given)"
    return page.evaluate(code, list(arguments))


def test_search_by_meaning_finds_the_same_records(page: Any, library: Collection) -> None:
    query = "Whale SHIP kitchen_2 harbour"
    expected = library.search(query, by="meaning", limit=40)
    found = ask(page, "search", {"q": query, "limit": 40})
    scores = {hit.id: hit.score for hit in expected}
    near = [hit["id"] for hit in found["items"]]
    assert len(set(near[:20]) & {hit.id for hit in expected[:24]}) >= 19
    assert max(abs(hit["score"] - max(0, scores[hit["id"]])) for hit in found["items"] if hit["id"] in scores) < 0.02
    assert found["items"][0]["snippet"]["marks"]
    assert found["pin"]["x"] is not None


def test_filters_pass_the_same_records(page: Any, library: Collection) -> None:
    filters = {"label": [], "under": ["sea"], "where": ["author=Bo"], "range": ["year=1991..1993"]}
    found = ask(page, "search", {"filters": filters, "limit": 200})
    wanted = Filters(labels=[library.below("sea")], links={"author": "Bo"}, ranges={"year": (1991, 1993)})
    assert [hit["number"] for hit in found["items"]] == library.store.numbers(wanted).tolist()
    assert found["total"] == len(found["items"])


def test_colours_are_those_of_the_service(page: Any, library: Collection) -> None:
    from tacit.tasks.map.colouring import colour_groups

    expected = colour_groups(library, by="label")
    code = (
        "async () => { const found = await (await import('/page/data/site.js')).createSiteSource('data')"
        ".colours({by: 'label'}); return {codes: [...found.codes], groups: found.groups}; }"
    )
    found = page.evaluate(code)
    sizes = {group["name"]: group["records"] for group in found["groups"]}
    assert sizes == {group.name: group.records for group in expected.groups}
    assert np.count_nonzero(np.array(found["codes"]) == 0) == np.count_nonzero(expected.codes == 0)


def test_a_text_gets_the_subjects_of_its_nearest_records(page: Any) -> None:
    found = ask(page, "suggest", "the whale and the dolphin met a ship near the reef, said the sailor")
    best = found["suggestions"][0]
    assert best["label"] in ("animals", "vessels")
    assert best["path"][-1]["label"] == "sea"
    assert "nearest records" in best["why"]
    assert ask(page, "suggest", "zzz")["suggestions"] == []


def test_a_person_searches_the_site_and_reads_why(page: Any) -> None:
    page.fill("input[type=search], [role=searchbox], #box", "whale ship")
    page.wait_for_selector("mark")
    assert page.locator("mark").first.inner_text().lower() in ("whale", "ship")
    assert page.problems == []
