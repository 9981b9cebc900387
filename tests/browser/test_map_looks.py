"""What the explorer's map shows: names by width, pixels of the right colour, and something sensible for any points."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

Open = Callable[..., Any]


def boxes(page: Any) -> list[dict[str, Any]]:
    """The names that are shown: their level, how many records, and the place they take."""
    shown = "[...map.names.visible].filter((state) => state.shown)"
    return page.evaluate(f"{shown}.map(({{ name, box }}) => ({{ text: name.text, level: name.level, ...box }}))")


def settle(page: Any) -> None:
    page.evaluate("async () => { for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame) }")


def pixels(page: Any) -> np.ndarray[Any, Any]:
    """The canvas as it was drawn: red, green, blue by row and column."""
    settle(page)
    read = """() => {
      const { width, height } = map.canvas;
      const { data } = map.context.getImageData(0, 0, width, height);
      let text = "";
      for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
      return [width, height, btoa(text)];
    }"""
    width, height, text = page.evaluate(read)
    data = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
    return data.reshape(height, width, 4)[:, :, :3].astype(int)


def overlapping(shown: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [
        (one["text"], two["text"])
        for i, one in enumerate(shown)
        for two in shown[:i]
        if one["left"] < two["right"]
        and two["left"] < one["right"]
        and one["top"] < two["bottom"]
        and two["top"] < one["bottom"]
    ]


def test_wide_names_come_before_narrow_ones_and_none_is_over_another(open_map: Open) -> None:
    page = open_map("n=20000&still")
    settle(page)
    shown = boxes(page)
    assert sum(box["level"] == 0 for box in shown) == 12
    assert overlapping(shown) == []
    page.evaluate("map.zoomBy(4)")
    settle(page)
    closer = boxes(page)
    assert sum(box["level"] == 1 for box in closer) > sum(box["level"] == 1 for box in shown) / 2
    assert overlapping(closer) == []


def test_a_name_stays_while_zooming_in_as_long_as_it_is_in_view(open_map: Open) -> None:
    page = open_map("n=20000&still")
    settle(page)
    before = {box["text"] for box in boxes(page)}
    for _ in range(20):
        page.evaluate("map.zoomBy(1.12)")
        settle(page)
        anchors = page.evaluate(
            "data.names.filter((n) => { const v = map.sight; const x = v.toScreenX(n.x), y = v.toScreenY(n.y);"
            " return x >= 0 && y >= 0 && x <= v.width && y <= v.height }).map((n) => n.text)"
        )
        now = {box["text"] for box in boxes(page)}
        assert before & set(anchors) <= now
        before = now
    assert len(before) >= 3


def test_a_phone_has_fewer_names_and_none_is_cut_off(open_map: Open) -> None:
    page = open_map("n=20000&still", width=360, height=640)
    settle(page)
    shown = boxes(page)
    assert 3 <= len(shown) <= 10
    assert all(box["left"] >= 0 and box["right"] <= 360 and box["top"] >= 0 and box["bottom"] <= 640 for box in shown)


def test_names_keep_clear_of_pins_and_can_be_clicked(open_map: Open) -> None:
    page = open_map("n=5000&still")
    settle(page)
    (target,) = [box for box in boxes(page) if box["text"] == "Networks"]
    page.mouse.click((target["left"] + target["right"]) / 2, (target["top"] + target["bottom"]) / 2)
    assert page.evaluate("[reports.names, reports.picks]") == [["Networks"], []]
    page.evaluate("const one = data.names.find((n) => n.text === 'Networks'); map.setPins([{ ...one, kind: 'pin' }])")
    settle(page)
    (tip,) = page.evaluate("map.marks.tips(map.sight, 1)")
    pin = {"text": "pin", "left": tip[0] - 9, "right": tip[0] + 9, "top": tip[1] - 27, "bottom": tip[1]}
    assert overlapping([*boxes(page), pin]) == []


def test_names_keep_clear_of_panels_and_buttons(open_map: Open) -> None:
    page = open_map("n=5000&still")
    page.evaluate(
        "map.setInsets({ left: 380 }); map.setCovered([{ left: 600, top: 200, right: 660, bottom: 500 }]);"
        "map.flyTo('all')"
    )
    settle(page)
    shown = boxes(page)
    assert len(shown) >= 6
    assert min(box["left"] for box in shown) >= 380
    button = {"text": "button", "left": 600, "top": 200, "right": 660, "bottom": 500}
    assert overlapping([*shown, button]) == []


def test_a_point_has_its_colour_and_what_does_not_pass_is_small_and_grey(open_map: Open) -> None:
    page = open_map("n=1&still")
    page.evaluate(
        "map.setPoints(new Int16Array([0, 0]), null); map.setNames([]);"
        "map.setColours(new Uint8Array([2]), ['#808080', '#ff0000', '#0000ff'])"
    )
    image = pixels(page)
    red, _, blue = image[350, 500]
    assert blue > 200
    assert red < 60
    area = (np.abs(image - image[0, 0]).sum(axis=2) > 60).sum()
    page.evaluate("map.setFilter(new Uint8Array([0]))")
    image = pixels(page)
    r, g, b = image[350, 500]
    assert max(r, g, b) - min(r, g, b) < 5
    assert 0 < (np.abs(image - image[0, 0]).sum(axis=2) > 60).sum() < area / 2
    page.evaluate("map.setLive(new Uint8Array([0]))")
    image = pixels(page)
    assert (image == image[0, 0]).all()


def test_groups_are_above_what_has_none(open_map: Open) -> None:
    page = open_map("n=1&still")
    page.evaluate(
        "map.setPoints(new Int16Array(400), null); const codes = new Uint8Array(200); codes[0] = 1;"
        "map.setColours(codes, ['#808080', '#ff0000']); map.setNames([])"
    )
    red, green, _ = pixels(page)[350, 500]
    assert red > 200
    assert green < 90


@pytest.mark.parametrize(
    "points",
    ["[]", "[5, -7]", "[9, 9, 9, 9, 9, 9]", "[-32767, -32767, 32767, 32767]"],
    ids=["none", "one", "same", "far"],
)
def test_any_points_have_a_finite_view_that_shows_them(open_map: Open, points: str) -> None:
    page = open_map("n=10&still")
    page.evaluate(
        f"map.setPoints(new Int16Array({points}), new Int16Array({points}));"
        "map.setColours(new Uint8Array(9), []); map.setNames([])"
    )
    for action in (
        "map.flyTo('all')",
        "map.zoomBy(3)",
        "map.panBy(9, 9)",
        "map.setMix(0.5)",
        "map.flyTo({ numbers: [0, 1] })",
    ):
        page.evaluate(action)
        view = page.evaluate("map.view()")
        assert all(np.isfinite(value) for value in view.values())
    page.evaluate("map.setMix(1); map.flyTo('all')")
    image = pixels(page)
    drawn = (np.abs(image - image[0, 0]).sum(axis=2) > 30).any()
    assert drawn == (points != "[]")


def test_the_theme_and_the_size_can_change(open_map: Open) -> None:
    page = open_map("n=500&still")
    light = pixels(page)
    assert light[0, 0].min() > 230
    page.evaluate("map.setTheme('dark')")
    assert pixels(page)[0, 0].max() < 40
    middle = page.evaluate("map.view()")
    page.set_viewport_size({"width": 600, "height": 500})
    page.wait_for_function("() => map.canvas.width === 600")
    assert pixels(page).shape == (500, 600, 3)
    assert page.evaluate("map.view()") == pytest.approx(middle)


def test_a_map_that_is_gone_leaves_nothing(open_map: Open) -> None:
    page = open_map("n=500")
    page.evaluate("map.flyTo({ numbers: [1] }); map.destroy()")
    settle(page)
    assert page.evaluate("document.querySelector('#map').childElementCount") == 0
