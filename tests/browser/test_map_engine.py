"""The explorer's map in a real browser: what hands and keys do to it, and that what it reports is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Open = Callable[..., Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]


def positions(page: Any) -> Floats:
    """Where the page says that every record is, in pixels; far outside for those that are not live."""
    gone = "{ clientX: -99, clientY: -99 }"
    places = f"[...data.codes].map((_, i) => map.positionOf(i) ?? {gone}).map((p) => [p.clientX, p.clientY])"
    return np.array(page.evaluate(places))


def inside(polygon: list[tuple[float, float]], points: Floats) -> Floats:
    """The even-odd rule, side by side, as a literal reading of it."""
    odd = np.zeros(len(points), dtype=bool)
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        spans = (y1 > points[:, 1]) != (y2 > points[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = (x2 - x1) * (points[:, 1] - y1) / (y2 - y1) + x1
        odd ^= spans & (points[:, 0] < crossing)
    return odd


def frames(page: Any, count: int = 3) -> None:
    page.evaluate(f"async () => {{ for (let i = 0; i < {count}; i++) await new Promise(requestAnimationFrame) }}")


def draw_lasso(page: Any, corners: list[tuple[float, float]]) -> None:
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner)
    page.mouse.up()


STAR = [
    (500, 90),
    (580, 280),
    (780, 300),
    (630, 420),
    (700, 620),
    (500, 500),
    (310, 640),
    (370, 420),
    (210, 300),
    (420, 290),
]


def test_positions_keep_the_aspect_and_y_points_up(open_map: Open) -> None:
    page = open_map()
    screen = positions(page)
    points = np.array(page.evaluate("[...data.points]")).reshape(-1, 2)
    across = np.polyfit(points[:, 0], screen[:, 0], 1)[0]
    down = np.polyfit(points[:, 1], screen[:, 1], 1)[0]
    assert across == pytest.approx(-down, rel=1e-6)
    assert across > 0
    assert (screen > 0).all()
    assert (screen < [1000, 700]).all()


def test_a_click_picks_the_nearest_record_and_a_drag_picks_none(open_map: Open) -> None:
    page = open_map("n=300&still")
    page.evaluate("map.setNames([])")
    screen = positions(page)
    gaps = np.hypot(*(screen[:, None] - screen[None]).transpose(2, 0, 1)) + 1e9 * np.eye(len(screen))
    for number in np.argsort(-gaps.min(axis=1))[:5]:
        page.mouse.click(*screen[number] + 1)
        assert page.evaluate("reports.picks.pop()") == number
    x, y = screen[0]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 25, steps=4)
    page.mouse.up()
    assert page.evaluate("reports.picks") == []
    assert positions(page)[0] == pytest.approx([x + 40, y + 25], abs=0.01)


def test_hover_tells_the_nearest_record_and_then_none(open_map: Open) -> None:
    page = open_map("n=300&still")
    page.evaluate("map.setNames([])")
    screen = positions(page)
    lone = int(np.argmax(np.hypot(*(screen - screen.mean(axis=0)).T)))
    page.mouse.move(*screen[lone])
    assert page.evaluate("reports.hovers.at(-1)") == lone
    page.mouse.move(4, 4)
    assert page.evaluate("reports.hovers.at(-1)") is None
    expected = page.evaluate("([x, y]) => map.nearestTo(x, y)", [float(screen[lone, 0]), float(screen[lone, 1])])
    assert expected == lone


def test_nearest_is_the_same_as_comparing_with_all(open_map: Open) -> None:
    page = open_map("n=6000&still")
    screen = positions(page)
    asked = np.random.default_rng(0).uniform([200, 50], [800, 650], size=(200, 2))
    found = page.evaluate("places => places.map(([x, y]) => map.nearestTo(x, y))", asked.tolist())
    distances = np.hypot(*(asked[:, None] - screen[None]).transpose(2, 0, 1))
    for number, row in zip(found, distances, strict=True):
        if number is None:
            assert row.min() > 9
        else:
            assert row[number] == pytest.approx(row.min(), abs=1e-3)


@pytest.mark.parametrize("mix", [1, 0.3, 0])
def test_a_lasso_gives_the_records_inside_it(open_map: Open, mix: float) -> None:
    page = open_map("n=8000&still")
    page.evaluate(f"map.setMix({mix}); map.setLasso(true)")
    draw_lasso(page, STAR)
    (found,) = page.evaluate("reports.lassos")
    expected = np.flatnonzero(inside(STAR, positions(page)))
    assert found == expected.tolist()
    assert 1000 < len(found) < 7500
    assert page.evaluate("reports.picks.length + reports.nothing") == 0


def test_a_lasso_with_shift_leaves_the_view_and_counts_only_what_passes(open_map: Open) -> None:
    page = open_map("n=4000&still")
    bits = np.packbits(np.arange(4000) % 3 == 0, bitorder="little")
    live = np.packbits(np.arange(4000) < 3500, bitorder="little")
    page.evaluate(
        "([f, l]) => { map.setFilter(Uint8Array.from(f)); map.setLive(Uint8Array.from(l)) }",
        [bits.tolist(), live.tolist()],
    )
    before = page.evaluate("map.view()")
    screen = positions(page)
    page.keyboard.down("Shift")
    draw_lasso(page, STAR)
    page.keyboard.up("Shift")
    expected = np.flatnonzero(inside(STAR, screen))
    assert page.evaluate("reports.lassos[0]") == expected[expected % 3 == 0].tolist()
    assert page.evaluate("map.view()") == before


def test_the_wheel_zooms_at_the_pointer(open_map: Open) -> None:
    page = open_map()
    before = positions(page)
    pointer = np.array([420, 310])
    page.mouse.move(420, 310)
    page.mouse.wheel(0, -400)
    page.wait_for_function("() => map.view().k > 1.5")
    assert positions(page) == pytest.approx(pointer + (before - pointer) * page.evaluate("map.view().k"), abs=0.01)


def test_a_double_click_zooms_in_where_it_is(open_map: Open) -> None:
    page = open_map()
    page.evaluate("map.setNames([])")
    before = positions(page)
    page.mouse.dblclick(420, 310)
    assert page.evaluate("map.view().k") == pytest.approx(2.2)
    assert positions(page) == pytest.approx((before - [420, 310]) * 2.2 + [420, 310], abs=0.01)


def test_two_fingers_zoom_and_a_tap_picks(open_map: Open) -> None:
    page = open_map("n=300&still", width=390, height=700, has_touch=True, is_mobile=True)
    page.evaluate("map.setNames([])")
    screen = positions(page)
    lone = int(np.argmax(np.hypot(*(screen - screen.mean(axis=0)).T)))
    page.touchscreen.tap(*screen[lone])
    page.wait_for_function("() => reports.picks.length === 1")
    assert page.evaluate("reports.picks") == [lone]
    client = page.context.new_cdp_session(page)
    for gap, kind in [(40, "touchStart"), (60, "touchMove"), (120, "touchMove")]:
        points = [{"x": 195 - gap, "y": 350, "id": 0}, {"x": 195 + gap, "y": 350, "id": 1}]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("() => map.view().k > 2.5")


def test_keys_pan_and_zoom_about_the_middle(open_map: Open) -> None:
    page = open_map()
    before = positions(page)
    page.evaluate("map.panBy(30, -20)")
    assert positions(page) == pytest.approx(before - [30, -20], abs=0.01)
    place = page.evaluate("map.view()")
    page.evaluate("map.zoomBy(2)")
    assert page.evaluate("map.view()") == pytest.approx({**place, "k": 2 * place["k"]})


def test_a_drag_that_is_let_go_glides_on_unless_motion_is_reduced(open_map: Open) -> None:
    # made within the page: the moves of a pointer from outside come late on a busy machine, and late moves are a stop
    drag = """async () => {
      const send = (type, target, clientX) =>
        target.dispatchEvent(new MouseEvent(type, { clientX, clientY: 350, view: window, bubbles: true }));
      send("mousedown", map.canvas, 500);
      for (let i = 1; i < 12; i++) {
        const until = performance.now() + 6;
        while (performance.now() < until);
        send("mousemove", window, 500 + 12 * i);
      }
      send("mouseup", window, 632);
      const first = map.view().x;
      while (map.motion.active) await new Promise(requestAnimationFrame);
      return first - map.view().x;
    }"""
    page = open_map("n=300")
    assert page.evaluate(drag) > 1000
    page.evaluate("map.setReducedMotion(true)")
    assert page.evaluate(drag) == 0


def test_flights_end_where_they_should(open_map: Open) -> None:
    page = open_map("n=2000")
    page.evaluate("map.flyTo({ numbers: [3] })")
    page.wait_for_function("() => !map.motion.active")
    assert positions(page)[3] == pytest.approx([500, 350], abs=0.5)
    assert page.evaluate("map.view().k") > 4
    page.evaluate("map.setReducedMotion(true); map.setInsets({ left: 300 }); map.flyTo({ numbers: [4] })")
    assert positions(page)[4] == pytest.approx([650, 350], abs=0.5)
    page.evaluate("map.setInsets({}); map.flyTo('all')")
    assert page.evaluate("map.view().k") == pytest.approx(1)
    page.evaluate("map.flyTo({ x: 1200, y: -900, k: 5 })")
    assert page.evaluate("map.view()") == pytest.approx({"x": 1200, "y": -900, "k": 5})


def test_a_glide_ends_at_the_other_layout(open_map: Open) -> None:
    page = open_map("n=3000")
    informed = positions(page)
    page.evaluate("map.glideTo(0, 300)")
    seen = page.evaluate(
        "async () => { const seen = [];"
        " while (map.mix > 0) { seen.push(map.mix); await new Promise(requestAnimationFrame) } return seen }"
    )
    assert seen == sorted(seen, reverse=True)
    plain = np.array(page.evaluate("[...data.plain]")).reshape(-1, 2)
    points = np.array(page.evaluate("[...data.points]")).reshape(-1, 2)
    scale, shift = np.polyfit(points[:, 0], informed[:, 0], 1)
    assert positions(page)[:, 0] == pytest.approx(plain[:, 0] * scale + shift, abs=0.01)
    page.evaluate("map.setMix(0.5)")
    assert positions(page)[:, 0] == pytest.approx((plain[:, 0] + points[:, 0]) / 2 * scale + shift, abs=0.01)
