"""How many frames a second the explorer's map draws, in headless Chromium without a graphics card.

    python benchmarks/page_frames.py [--points 100000 1000000] [--seconds 3] [--scale 1]
    python benchmarks/page_frames.py --index INDEX [--visits 5]

Made points, a dozen groups with a plain and an informed layout, on a canvas of 1280 by 800. Each motion is asked for in
every frame, as a hand would: panning in loops, zooming in and out again, gliding between the layouts. The time of a
frame is the processor time of the page's main thread, which other programs on the machine change little; the frames a
second are as they came, at most 60. If drawing takes longer than a frame allows, the map draws a fair sample of the
points until it rests: the share is of points drawn.

With an index, how long its page takes until it can be used, from the request until the map is drawn and a search has
been answered, with an empty cache and again: at most 3 seconds for 100,000 records.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

__all__ = ["main", "measure", "visits"]

_READY = "() => Boolean(document.querySelector('#map')?.map?.positionOf(5))"
_MOTIONS = ("pan", "zoom", "glide")
_RUN = """async ([motion, seconds]) => {
  const frame = () => new Promise(requestAnimationFrame);
  map.setReducedMotion(true);
  const step = {
    pan: (at) => map.panBy(6 * Math.cos(2 * at), 4 * Math.sin(3 * at)),
    zoom: (at) => map.zoomBy(at < seconds / 2 ? 1.02 : 1 / 1.02),
    glide: (at) => map.setMix(Math.abs(1 - (2 * at) / seconds)),
  }[motion];
  let frames = 0, share = 0, longest = 0, last = performance.now();
  const start = last;
  while (performance.now() - start < 1000 * seconds) {
    step((performance.now() - start) / 1000);
    await frame();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    frames++;
    share += map.share;
  }
  map.setMix(1);
  map.flyTo("all");
  return { frames, seconds: (last - start) / 1000, share: share / frames, longest };
}"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one line per number of points and motion."""
    parser = argparse.ArgumentParser(description="Measure the frames of the explorer's map.")
    parser.add_argument("--points", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--scale", type=float, default=1, help="device pixels per pixel, 2 for fine screens")
    parser.add_argument("--index", type=Path, help="measure how soon the page of this index can be used instead")
    parser.add_argument("--visits", type=int, default=5)
    given = parser.parse_args(arguments)
    if given.index:
        for visit in visits(given.index, given.visits):
            print(json.dumps(visit), flush=True)
        return
    print(f"{'points':>9}  {'motion':<6} {'frames/s':>9} {'ms a frame':>11} {'longest, ms':>12} {'drawn':>6}")
    for found in measure(given.points, given.seconds, given.scale):
        print(
            f"{found['points']:>9,}  {found['motion']:<6} {found['rate']:>9.1f} {found['cpu']:>11.1f} "
            f"{found['longest']:>12.0f} {found['share']:>6.0%}"
        )


def measure(points: Sequence[int], seconds: float, scale: float = 1) -> list[dict[str, Any]]:
    """Return frames a second and processor milliseconds a frame, for each number of points and motion."""
    from headless import headless
    from map_page import served

    found = []
    with served() as address, headless() as browser:
        for n in points:
            context = browser.new_context(viewport={"width": 1280, "height": 800}, device_scale_factor=scale)
            page = context.new_page()
            page.goto(f"{address}?n={n}&still")
            page.wait_for_function("() => window.map && window.reports")
            client = context.new_cdp_session(page)
            client.send("Performance.enable", {"timeDomain": "threadTicks"})
            page.evaluate(_RUN, ["glide", 0.5])  # both layouts are sorted, all code is compiled
            found += [{"points": n, **_one(page, client, motion, seconds)} for motion in _MOTIONS]
            context.close()
    return found


def visits(index: Path, n: int) -> list[dict[str, Any]]:
    """Return seconds until the map is drawn, and until a search is answered, for new visitors who come back once."""
    from headless import headless
    from served_index import Served

    found, serving = [], Served([index])
    address = f"{serving.start()}/{index.name.removesuffix('.tacit')}"
    try:
        with headless() as browser:
            for number in range(n):
                context = browser.new_context(viewport={"width": 1280, "height": 800})
                for cache in ("empty", "filled"):
                    page = context.new_page()
                    client = context.new_cdp_session(page)
                    client.send("Performance.enable", {"timeDomain": "threadTicks"})
                    start = time.perf_counter()
                    page.goto(address, wait_until="commit")
                    page.wait_for_function(_READY)
                    drawn = time.perf_counter() - start
                    page.fill("#box", "history of music")
                    page.wait_for_selector("[data-result]")
                    seconds = {"drawn": round(drawn, 2), "searched": round(time.perf_counter() - start, 2)}
                    found.append({"visit": number + 1, "cache": cache, **seconds, "page_cpu": round(_busy(client), 2)})
                    page.close()
                context.close()
    finally:
        serving.stop()
    return found


def _one(page: Any, client: Any, motion: str, seconds: float) -> dict[str, Any]:
    before = _busy(client)
    ran = page.evaluate(_RUN, [motion, seconds])
    cpu = 1000 * (_busy(client) - before) / ran["frames"]
    rate = ran["frames"] / ran["seconds"]
    return {"motion": motion, "rate": rate, "cpu": cpu, "longest": ran["longest"], "share": ran["share"]}


def _busy(client: Any) -> float:
    """Seconds that the main thread of the page has worked."""
    metrics = {entry["name"]: entry["value"] for entry in client.send("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


if __name__ == "__main__":
    main()
