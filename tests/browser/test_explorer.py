"""The explorer as a person uses it: every test opens the page of a real service and looks at what it shows."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from explored_index import HOSTILE, TEXT, build_explored
from served_index import Served

Look = Callable[..., Any]

READY = "() => Boolean(document.querySelector('#map')?.map?.positionOf(5))"


def _ready(page: Any) -> None:
    """Wait until the map is drawn."""
    page.wait_for_function(READY)


def _search(page: Any, words: str) -> None:
    page.fill("#box", words)
    page.wait_for_selector("[data-result]")


def _serious(page: Any, within: str = "html") -> list[str]:
    """Return the serious and critical faults that axe-core finds in a part of the page, as sentences."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    assert page.locator(within).count()
    found = page.evaluate("within => axe.run(within, {resultTypes: ['violations']})", within)
    return [
        f"{fault['id']}: {node['html'][:200]} {json.dumps(node['any'][:1])[:300]}"
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


def _colours(page: Any) -> dict[str, int]:
    """Return how many pixels of the map's middle have which colour."""
    return page.evaluate(
        """() => {
          const canvas = document.querySelector('#map canvas');
          const copy = new OffscreenCanvas(480, 680).getContext('2d', { willReadFrequently: true });
          copy.drawImage(canvas, 430, 20, 480, 680, 0, 0, 480, 680);
          const { data } = copy.getImageData(0, 0, 480, 680);
          const counts = {};
          for (let i = 0; i < data.length; i += 4) {
            const colour = `${data[i]},${data[i + 1]},${data[i + 2]}`;
            counts[colour] = (counts[colour] ?? 0) + 1;
          }
          return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 60));
        }"""
    )


def _place_of(page: Any, number: int) -> tuple[float, float]:
    place = page.evaluate("number => document.querySelector('#map').map.positionOf(number)", number)
    return place["clientX"], place["clientY"]


def test_start_says_what_the_collection_is_and_offers_examples(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    assert "240 records" in page.inner_text(".start")
    assert page.locator(".examples button").count() == 3
    page.click(".examples button >> nth=0")
    page.wait_for_selector("[data-result]")
    assert "#q=" in page.url


def test_search_shows_results_highlights_and_a_pin(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    before = _colours(page)
    _search(page, "whale song")
    assert {text.lower() for text in page.locator(".hits mark").all_inner_texts()} == {"whale", "song"}
    assert page.locator(".hit").count() == 20
    page.wait_for_function("() => document.querySelector('[role=status]').textContent.includes('record')")
    assert "words" in page.inner_text(".hit .score >> nth=0")
    page.click(".more button")
    page.wait_for_function("() => document.querySelectorAll('.hit').length > 20")
    assert _colours(page) != before, "neither a pin nor rings came onto the map"
    page.hover(".hit >> nth=2")
    assert page.locator(".hit.lit").count() == 1


def test_why_shows_words_with_bars_and_a_sentence(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale+song")
    page.wait_for_selector("[data-result]")
    page.click(".hit >> nth=0 >> text=Why")
    page.wait_for_selector(".hit-why .words li")
    words = page.inner_text(".hit-why .words")
    assert "whale" in words
    assert "song" in words
    assert page.inner_text(".hit-why .why-sentence >> nth=0").strip()
    assert page.evaluate("() => document.querySelector('.hit-why .signed span').getBoundingClientRect().width") > 5


def test_a_point_of_the_map_opens_its_record(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    for number in range(17, 60):  # some points lie below a name
        page.mouse.move(*_place_of(page, number))
        page.wait_for_timeout(150)
        if page.locator(".tip b").count():
            break
    assert page.locator(".tip b").inner_text()
    page.mouse.click(*_place_of(page, number))
    page.wait_for_selector("#panel-title")
    assert "volume" in page.inner_text("#panel-title")
    assert "id=shelf/" in page.url
    page.wait_for_selector("[aria-label=Neighbours] .hit")
    page.click("[aria-label=Neighbours] .hit >> nth=0 >> text=Why")
    page.wait_for_selector(".hit-why .why-sentence")


def test_a_subtree_filters_and_colours_by_its_children(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.wait_for_selector("[role=treeitem]")
    before = _colours(page)
    page.click("[role=treeitem]:has-text('Sea')")
    page.wait_for_selector("[role=treeitem][aria-level='2']:has-text('Whales') .swatch")
    assert page.get_attribute("[role=treeitem]:has-text('Sea') >> nth=0", "aria-expanded") == "true"
    assert page.locator("[role=treeitem][aria-level='1'] .swatch").count() == 0, "only the children have colours"
    page.wait_for_selector(".filter-chip:has-text('Sea')")
    assert "under=Sea" in page.url
    page.wait_for_timeout(300)
    assert _colours(page) != before
    page.click("text=All subjects")
    page.wait_for_function("() => document.querySelectorAll('.filter-chip').length === 0")
    assert "under" not in page.url


def test_a_pasted_text_gets_subjects_with_reasons_and_a_pin(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.fill("#box", TEXT)
    page.wait_for_selector(".suggestion")
    assert "Whales" in page.inner_text(".suggestion >> nth=0")
    assert page.inner_text(".suggestion >> nth=0 >> .path").strip() == "Sea"
    assert page.inner_text(".suggestion .why-sentence >> nth=0").strip()
    assert page.is_checked(".suggestion input >> nth=0")
    page.click(".suggestion >> nth=0 >> text=Details")
    page.wait_for_selector(".suggestion .hit-why .why-sentence")
    page.click("text=Copy names")
    page.wait_for_selector(".told:has-text('copied')")
    assert _pins(page) == 1


def _pins(page: Any) -> int:
    return page.evaluate("() => document.querySelector('#map').pins.length")


def test_a_lasso_lists_what_is_inside_and_its_labels(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.click("[aria-label^=Lasso]")
    x, y = _place_of(page, 17)
    page.mouse.move(x - 40, y - 40)
    page.mouse.down()
    for dx, dy in ((40, -40), (40, 40), (-40, 40), (-40, -38)):
        page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()
    page.wait_for_selector(".inside-label")
    assert "inside" in page.inner_text(".summary h2")
    assert page.locator(".hit").count() >= 1
    page.keyboard.press("Escape")
    page.wait_for_selector(".start")


def test_the_slider_moves_the_points_and_says_what_they_use(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    assert "own labels" in page.inner_text("#slider-note")
    informed = _place_of(page, 17)
    page.click("text=words only")
    page.wait_for_function("() => document.querySelector('#slider-note').textContent.includes('words')")
    assert _place_of(page, 17) != informed
    assert "mix=0" in page.url
    page.focus("#mix")
    page.keyboard.press("End")
    page.wait_for_function("() => !location.hash.includes('mix')")
    assert _place_of(page, 17) == pytest.approx(informed)


def test_a_deep_link_opens_everything_and_back_works(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale&under=Sea&where=language%3Den&range=year%3D1995..2005")
    page.wait_for_selector("[data-result]")
    assert page.input_value("#box") == "whale"
    chips = page.inner_text(".filter-chips")
    assert "Sea" in chips
    assert "language: en" in chips
    assert "1995" in chips
    page.click("[data-result] >> nth=0")
    page.wait_for_selector("#panel-title")
    page.go_back()
    page.wait_for_selector(".results")
    assert page.url.endswith("#q=whale&under=Sea&where=language%3Den&range=year%3D1995..2005")
    page.go_forward()
    page.wait_for_selector("#panel-title")


def test_a_query_in_the_address_moves_behind_the_hash(look: Look, address: str) -> None:
    page = look(f"{address}?q=whale+song")
    page.wait_for_selector("[data-result]")
    assert page.url == f"{address}#q=whale+song"


def test_nothing_passes_names_the_filter_to_remove(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale&range=year%3D2100..2200")
    page.wait_for_selector(".notice:has-text('No record passes')")
    page.click("button:has-text('Remove') >> nth=-1")
    page.wait_for_selector("[data-result]")


def test_labels_and_fields_filter_and_have_pages(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale")
    page.wait_for_selector("[data-result]")
    page.click("text=Filter by field")
    page.click(".facet .check:has-text('de')")
    page.wait_for_selector(".filter-chip:has-text('language: de')")
    page.click(".hit .chip >> nth=0")
    page.wait_for_function("() => location.hash.includes('label=')")
    page.click(".filter-chip .plain >> nth=0")
    page.wait_for_selector(".label-page .words li")
    assert page.locator(".label-page .hit").count() > 0
    page.click(".label-page >> text=Filter by this")
    page.wait_for_function("() => location.hash.includes('under=')")


def test_liked_records_bring_recommendations(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale")
    page.wait_for_selector("[data-result]")
    page.click(".hit >> nth=0 >> [aria-label^='More like']")
    page.click(".basket >> text=Recommend")
    page.wait_for_selector("[aria-label='Recommended records'] .hit")
    assert "like=shelf/" in page.url


def test_everything_with_the_keyboard(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.keyboard.press("/")
    page.keyboard.type("whale song")
    page.wait_for_selector("[data-result]")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => [...document.querySelectorAll('[data-result]')].indexOf(document.activeElement)") == 1
    page.keyboard.press("w")
    page.wait_for_selector(".hit >> nth=1 >> .words li")
    page.keyboard.press("Enter")
    page.wait_for_selector("#panel-title")
    page.keyboard.press("Escape")
    page.wait_for_selector(".results")
    page.keyboard.press("m")
    zoomed = "() => document.querySelector('#map').map.view().k"
    before = page.evaluate(zoomed)
    page.keyboard.press("+")
    page.wait_for_function(f"{zoomed} > {before}")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("l")
    page.wait_for_function("() => document.activeElement.getAttribute('role') === 'treeitem'")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("s")
    page.wait_for_function("() => document.activeElement.textContent.startsWith('S')")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("[role=treeitem][aria-level='2']")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.activeElement.getAttribute('aria-level') === '2'")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('under=')")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog[open]", state="detached")


@pytest.mark.parametrize("colour_scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_serious_fault_for_assistive_technology(look: Look, address: str, width: int, colour_scheme: str) -> None:
    page = look(address, width=width, height=844, color_scheme=colour_scheme)
    _ready(page)
    assert page.get_attribute("html", "data-theme") == colour_scheme
    assert _serious(page) == []
    page.goto(f"{address}#q=whale+song&under=Sea")
    page.wait_for_selector("[data-result]")
    page.click(".hit >> nth=0 >> text=Why")
    page.wait_for_selector(".hit-why .words li")
    assert _serious(page) == []
    page.click("[data-result] >> nth=0")
    page.wait_for_selector("[aria-label=Neighbours] .hit")
    assert _serious(page) == []
    page.fill("#box", TEXT)
    page.wait_for_selector(".suggestion")
    assert _serious(page) == []
    _scan_what_opens(page)


def _scan_what_opens(page: Any) -> None:
    """Scan what opens on a page that was scanned: the help, a label, what a lasso holds, colours by cluster."""
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    assert _serious(page, "dialog[open]") == []
    page.keyboard.press("Escape")
    page.evaluate("() => { location.hash = 'colour=cluster&label=Sea' }")
    page.wait_for_selector(".filter-chip .plain")
    page.click(".filter-chip .plain >> nth=0")
    page.wait_for_selector(".label-page .words li")
    assert _serious(page, ".label-page") == []
    page.keyboard.press("l")
    assert _serious(page, "#map") == []


def test_the_phone_has_a_sheet_of_three_heights(look: Look, address: str) -> None:
    page = look(address, width=390, height=844)
    _ready(page)
    size = "() => document.querySelector('.sheet').offsetHeight"
    half = page.evaluate(size)
    assert 150 < half < 500
    page.click("[aria-label='Lower the sheet']")
    page.wait_for_function(f"{size} < 150")
    page.click("[aria-label='Raise the sheet']")
    page.wait_for_function(f"{size} === {half}")
    page.click("[aria-label='Raise the sheet']")
    page.wait_for_function(f"{size} > 500")
    handle = page.locator(".sheet-handle").bounding_box()
    page.mouse.move(handle["x"] + 5, handle["y"] + 2)
    page.mouse.down()
    page.mouse.move(handle["x"] + 5, handle["y"] + 360, steps=5)
    page.mouse.up()
    page.wait_for_function(f"{size} === {half}")
    page.click("[role=tab]:has-text('Legend')")
    page.click("[role=treeitem]:has-text('Sea')")
    page.wait_for_selector("[role=treeitem][aria-level='2']:has-text('Whales') .swatch")
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    small = page.evaluate(
        """() => [...document.querySelectorAll('.tools button, .sheet-steps button, [role=tab], [role=treeitem]')]
          .filter((one) => one.getBoundingClientRect().height < 43.5).map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert small == []


def test_the_theme_is_kept(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.click("[aria-label='Dark colours']")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.reload()
    assert page.get_attribute("html", "data-theme") == "dark"


def test_markup_in_records_is_text(look: Look, address: str) -> None:
    page = look(f"{address}#id=shelf/0")
    page.wait_for_selector("#panel-title")
    assert page.inner_text("#panel-title") == HOSTILE
    assert page.locator("#panel img, #panel-title b").count() == 0


def test_colours_by_clusters_and_fields(look: Look, address: str) -> None:
    page = look(address)
    _ready(page)
    page.select_option("#colour", "cluster")
    page.wait_for_selector(".groups .swatch")
    page.select_option("#colour", "language")
    page.wait_for_selector(".groups button:has-text('en')")
    page.click(".groups button:has-text('en')")
    assert page.get_attribute(".groups button:has-text('en')", "aria-pressed") == "true"
    assert "colour=language" in page.url


def test_without_labels_colours_are_clusters(look: Look, address: str) -> None:
    page = look(address.replace("/books", "/bare"))
    _ready(page)
    page.wait_for_selector(".groups .swatch")
    _search(page, "whale song")
    assert "no labels" not in page.inner_text(".results")


def test_the_page_waits_for_a_server_that_is_gone_and_tells_of_another_index(
    look: Look, indexes: list[Path], tmp_path: Path
) -> None:
    own = tmp_path / "bare.tacit"
    shutil.copytree(indexes[1], own)
    served = Served([own])
    page = look(f"{served.start()}/bare", expected="ERR_CONNECTION_REFUSED|Failed to load resource")
    try:
        _ready(page)
        served.stop()
        page.fill("#box", "whale song")
        page.wait_for_selector(".banner:has-text('does not answer')")
        build_explored(own, 48, labels=False, map_too=False)
        served.start()
        page.wait_for_selector("[data-result]")
        page.wait_for_selector(".banner:has-text('The index was updated')")
        page.click("text=Reload the map")
        page.wait_for_selector(".stage-note:has-text('built without a map')")
        page.wait_for_selector("[data-result]")
    finally:
        page.close()
        served.stop()


def test_an_unknown_record_is_told_in_a_sentence(look: Look, address: str) -> None:
    page = look(f"{address}#q=whale&id=nothing", expected="404")
    page.wait_for_selector(".notice:has-text('nothing')")
    page.click(".head button")
    page.wait_for_selector("[data-result]")
