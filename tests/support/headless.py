"""A headless Chromium for tests and measurements: the machine's own, never one that Playwright would download."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("TACIT_CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
# no network of its own, no graphics card: the page must do without, and so must the machines that run the tests
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
]


@contextmanager
def headless() -> Iterator[Any]:
    """Start the browser, and end it. At most one at a time in a process: Playwright allows no more."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
