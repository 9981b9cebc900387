"""Takes the pictures of the explorer in docs/images: `python docs/extensions/pictures.py ADDRESS`.

The address is that of the demo's index: `tacit serve python-library.tacit` prints it. Needs Debian's Chromium, and the
packages playwright and pillow.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[1] / "images"
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
TEXT = (
    "Fetch a web page, follow its redirects and keep the cookies for the next request. The function sends a request "
    "with headers, reads the answer, and raises an error when the server does not reply in time."
)
_MOVE = """(field, value) => {
  field.value = value;
  for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, {bubbles: true}));
}"""
STILLS = {
    "explorer": (1280, 800, "light", "#q=read+a+csv+file"),
    "explorer-dark": (1280, 800, "dark", "#under=Internet+Protocols"),
    "explorer-phone": (390, 844, "light", "#q=deliver+mail"),
    "explorer-phone-dark": (390, 844, "dark", "#q=deliver+mail"),
}


def main(address: str) -> None:
    """Take the stills, then the frames of the animation."""
    IMAGES.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for name, (width, height, scheme, hash) in STILLS.items():
            page = opened(browser, address + hash, width, height, scheme)
            Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(IMAGES / f"{name}.png", optimize=True)
            page.context.close()
        frames = animation(opened(browser, address, 1120, 700, "light"))
        browser.close()
    pictures = [few_colours(frame) for frame, _ in frames]
    times = [time for _, time in frames]
    path = IMAGES / "explorer.gif"
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=times, loop=0, optimize=True)


def opened(browser: Any, address: str, width: int, height: int, scheme: str) -> Any:
    """Return the page at an address, loaded and still."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_timeout(4000)
    return page


def animation(page: Any) -> list[tuple[bytes, int]]:
    """Move the slider to the words and back, then paste a text; frames with their times in milliseconds."""
    frames = [(page.screenshot(), 1200)]
    slider = page.locator("input[type=range]").first
    for value in [*range(90, -1, -10), *range(10, 101, 10)]:
        slider.evaluate(_MOVE, value)
        page.wait_for_timeout(350)
        frames.append((page.screenshot(), 1000 if value in (0, 100) else 90))
    page.fill("#box", TEXT)
    page.keyboard.press("Enter")
    for time in (250, 250, 4000):
        page.wait_for_timeout(900)
        frames.append((page.screenshot(), time))
    return frames


def few_colours(png: bytes) -> Image.Image:
    """Return a frame with the colours that a GIF may have, chosen so that rare ones stay apart."""
    frame = Image.open(io.BytesIO(png)).convert("RGB")
    return frame.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


if __name__ == "__main__":
    main(sys.argv[1])
