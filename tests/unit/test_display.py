"""Results as text, HTML and data frames: narrow enough, escaped, and without what controls a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pandas as pd
import polars as pl
import pytest

from tacit.display import Displayed, ResultList, Table, frame_of, one_line
from tacit.errors import MissingExtraError

HOSTILE = "<script>alert('x')</script>\x1b[31m red"


class Shown(Displayed):
    def __init__(self, *parts: str | Table) -> None:
        self.parts = parts

    def _parts(self) -> Iterator[str | Table]:
        yield from self.parts


class Pair(dict[str, Any]):
    def to_row(self) -> dict[str, Any]:
        return dict(self)


class Pairs(ResultList[Pair]):
    _noun = "pair"
    _columns = ("score", "name", "chosen")


class Reader(HTMLParser):
    """Reads tags and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_text_fits_on_eighty_columns() -> None:
    table = Table(("score", "title", "labels"), [(0.5, "word " * 40, ["one", "two"] * 20), (-0.0001, "short", [])])
    lines = repr(Shown("sentence " * 30, table)).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[-1].split() == ["0.000", "short"]  # numbers at the right, and no minus before a zero
    assert "…" in lines[-2]


def test_html_is_escaped_and_sets_no_colours() -> None:
    page = Shown(HOSTILE, Table((HOSTILE,), [(HOSTILE,)], HOSTILE))._repr_html_()
    found = Reader(page)
    assert set(found.tags) == {"div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"}
    assert sum("<script>alert('x')</script>" in text for text in found.texts) == 4
    assert "color" not in page
    assert "\x1b" not in page


def test_text_does_not_control_the_terminal() -> None:
    assert "\x1b" not in repr(Shown(HOSTILE, Table(("a",), [(HOSTILE,)])))
    assert one_line("two\nlines\ttab\u202e") == "two lines tab\N{REPLACEMENT CHARACTER}"


def test_a_list_shows_the_columns_that_say_something() -> None:
    pairs = Pairs([Pair(score=0.25, name="a", chosen=False, more=1), Pair(score=1.0, name="b", chosen=False, more=2)])
    assert repr(pairs) == "2 pairs\nscore  name\n0.250  a\n1.000  b"
    assert repr(Pairs()) == "0 pairs"
    assert "... and more" in repr(Pairs([Pair(score=1.0)] * 21))
    assert "... and more" in Pairs([Pair(score=1.0)] * 21)._repr_html_()
    assert "... and more" not in repr(Pairs([Pair(score=1.0)] * 20))
    assert pairs == list(pairs)


def test_data_frames_have_all_columns() -> None:
    pairs = Pairs([Pair(score=0.25, name="a"), Pair(score=1.0, more=[1, 2])])
    frame = pairs.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["score", "name", "more"]
    assert frame["more"].tolist() == [None, [1, 2]]
    assert isinstance(pairs.to_frame("polars"), pl.DataFrame)
    assert Shown("x", Table(("a", "b"), [(1, "x"), (2, "y")])).to_frame().to_dict("list") == {
        "a": [1, 2],
        "b": ["x", "y"],
    }
    assert len(frame_of([])) == 0


def test_a_library_that_is_not_there() -> None:
    with pytest.raises(MissingExtraError, match="modin"):
        frame_of([{"a": 1}], "modin")
