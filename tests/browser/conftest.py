"""What the tests in a browser share: the browser, the page with the map alone, and the explorer of a small library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from explored_index import build_explored
from headless import CHROMIUM, headless
from map_page import served
from served_index import Served


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The one browser of a file of tests: a process can have no second.

    It ends with the file, since Playwright keeps an event loop running, in which other tests cannot start their own.
    """
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'tacit[test]'")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: install Debian's package chromium, or set TACIT_CHROMIUM to the path of one")
    with headless() as browser:
        yield browser


@pytest.fixture(scope="session")
def map_address() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(scope="module")
def window(chromium: Any) -> Iterator[Any]:
    """One window for most tests: opening one takes longer than the tests."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def open_map(chromium: Any, window: Any, map_address: str) -> Iterator[Callable[..., Any]]:
    """Open the map's own page with `n=...` and other settings; errors in the page fail the test."""
    contexts: list[Any] = []
    problems: list[str] = []

    def note(message: Any) -> None:
        if message.type == "error":
            problems.append(message.text)

    def opened(query: str = "n=5000&still", *, width: int = 1000, height: int = 700, **settings: Any) -> Any:
        page = window
        if settings:
            contexts.append(chromium.new_context(**settings))
            page = contexts[-1].new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", note)
        page.goto(f"{map_address}?{query}")
        page.wait_for_function("() => window.map && window.reports")
        return page

    yield opened
    window.mouse.move(0, 0)
    for context in contexts:
        context.close()
    assert problems == []


@pytest.fixture(scope="session")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A small library, and one whose records have no labels."""
    folder = tmp_path_factory.mktemp("explored")
    return [build_explored(folder / "books.tacit"), build_explored(folder / "bare.tacit", 96, labels=False)]


@pytest.fixture(scope="session")
def address(indexes: list[Path]) -> Iterator[str]:
    """Return where the explorer of the library is, with a real `tacit serve` behind it."""
    serving = Served(indexes)
    yield f"{serving.start()}/books"
    serving.stop()


@pytest.fixture
def look(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens an address in a window; whatever goes wrong there fails the test."""
    wrong: list[str] = []
    contexts = []

    def opened(url: str, *, width: int = 1280, height: int = 800, expected: str = "", **options: Any) -> Any:
        phone = width < 500
        options = {"has_touch": phone, "is_mobile": phone, "reduced_motion": "reduce", **options}
        contexts.append(chromium.new_context(viewport={"width": width, "height": height}, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)  # a busy machine takes its time

        def tell(text: str) -> None:
            if not (expected and re.search(expected, text)):
                wrong.append(text)

        page.on("console", lambda message: tell(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: tell(str(error)))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
