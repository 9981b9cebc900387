"""What the tests in a browser share: the browser, the page with the map alone, and that nothing went wrong in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from headless import CHROMIUM, headless
from map_page import served


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The one browser of these tests: a process can have no second."""
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'tacit[test]'")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: install Debian's package chromium, or set TACIT_CHROMIUM to the path of one")
    with headless() as browser:
        yield browser


@pytest.fixture(scope="session")
def map_address() -> Iterator[str]:
    with served() as address:
        yield address


@pytest.fixture(scope="session")
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
