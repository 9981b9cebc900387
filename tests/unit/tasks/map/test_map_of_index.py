"""Maps of an index: every live record is on them, in the right colour, and its text is nothing but text."""

from __future__ import annotations

import html.parser
import itertools
import json
import shutil
from collections import Counter

import numpy as np
import pytest

from tacit.corpus.record import Record
from tacit.errors import InputError
from tacit.index import Filters
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.build.build import build
from tacit.tasks.build.settings import BuildSettings
from tacit.tasks.collection import open_index
from tacit.tasks.map.grouping import Grouping
from tacit.tasks.map.looks import _GREY, _LOOKS, coloured
from tacit.tasks.map.map import check_output, draw_map, map_of, write_map
from tacit.tasks.map.page import page
from tacit.tasks.map.picture import _figure

TOPICS = {
    "whales": "whale sea ocean fin dive pod krill deep",
    "cats": "cat kitten fur purr whisker paw milk basket",
    "courts": "judge court trial law jury appeal verdict robe",
}
TREE = {"animals": None, "whales": "animals", "cats": "animals", "society": None, "courts": "society"}
NASTY = 'A </script><script>alert("1")</script> @DATA@ & <b>$x$</b> \u2028'


def records() -> list[Record]:
    rng = np.random.default_rng(1)
    found = []
    for topic, words in TOPICS.items():
        for number in range(20):
            text = " ".join(rng.choice(words.split(), 6))
            fields = {"year": 1990 + number, "kind": "odd" if number % 2 else "even", "tags": ["x", topic]}
            found.append(Record(f"{topic}{number}", text, (topic,), f"About {topic} {number}", fields=fields))
    found.append(Record("nasty", "whale sea ocean", (), NASTY))
    return found


SETTINGS = BuildSettings(n_components=6, suggester="ridge")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build(
        records(), tmp_path_factory.mktemp("map") / "zoo.tacit", SETTINGS, taxonomy=Taxonomy.from_parents(TREE)
    )


@pytest.fixture(scope="module")
def collection(folder):
    with open_index(folder) as found:
        yield found


@pytest.fixture(scope="module")
def drawn(collection):
    return map_of(collection)


def groups_of(found) -> dict[str, set[str]]:
    return {group.name: {found.ids[row] for row in group.rows} for group in found.groups}


def test_every_record_is_in_exactly_one_group(drawn):
    rows = np.concatenate([group.rows for group in drawn.groups])
    assert sorted(rows.tolist()) == list(range(61))
    assert drawn.title == "zoo"
    assert drawn.points.shape == (61, 2)


def test_the_widest_label_is_the_top_of_the_taxonomy(drawn):
    groups = groups_of(drawn)
    assert {name: len(ids) for name, ids in groups.items()} == {"animals": 40, "society": 20, "no label": 1}
    assert groups["no label"] == {"nasty"}
    assert groups["society"] == {f"courts{number}" for number in range(20)}


def test_below_a_single_root_its_children_are_the_widest(tmp_path):
    tree = Taxonomy.from_parents({**TREE, "animals": "all", "society": "all", "all": None})
    with open_index(build(records(), tmp_path / "zoo", SETTINGS, taxonomy=tree)) as collection:
        assert set(groups_of(map_of(collection))) == {"animals", "society", "no label"}


def test_without_a_taxonomy_the_most_frequent_label_is_the_widest(tmp_path):
    several = [
        Record(f"{n}", "cat fur" if n % 2 else "sea fin", ("rare", "common") if n < 3 else ("common",))
        for n in range(9)
    ]
    several.append(Record("only", "cat sea", ("rare",)))
    with open_index(build(several, tmp_path / "few", BuildSettings(n_components=2, suggester="none"))) as collection:
        assert groups_of(map_of(collection)) == {"common": {str(n) for n in range(9)}, "rare": {"only"}}


def test_neighbours_on_the_map_have_the_same_topic(drawn):
    topics = np.array([name.rstrip("0123456789") for name in drawn.ids[:60]])
    distances = np.linalg.norm(drawn.points[:60, None] - drawn.points[None, :60], axis=2) + np.diag(np.full(60, np.inf))
    assert np.mean(topics[distances.argmin(axis=1)] == topics) > 0.9


def test_names_stand_on_a_record_of_theirs(drawn):
    places = {(float(x), float(y)): row for row, (x, y) in enumerate(drawn.points)}
    labels = {"animals": ("whales", "cats"), "society": ("courts",)}
    assert [name.text for name in drawn.names[:2]] == ["animals", "society"]
    assert {name.text for name in drawn.names} == {"animals", "society", "whales", "cats", "courts"}
    for name in drawn.names:
        own = drawn.labels[places[(name.x, name.y)]]
        assert set(own) <= set(labels.get(name.text, (name.text,)))


@pytest.mark.parametrize(
    ("colour_by", "expected"),
    [
        ("kind", {"even": 30, "odd": 30, "no kind": 1}),
        ("tags", {"x": 60, "no tags": 1}),
        (
            "year",
            {
                "1990 to 1992": 9,
                "1993 to 1995": 9,
                "1996 to 1999": 12,
                "2000 to 2002": 9,
                "2003 to 2005": 9,
                "2006 to 2009": 12,
                "no year": 1,
            },
        ),
    ],
)
def test_colours_by_a_field(collection, colour_by, expected):
    found = map_of(collection, colour_by=colour_by)
    sizes = {group.name: len(group.rows) for group in found.groups}
    assert sizes == expected
    assert sum(sizes.values()) == 61


def test_numbers_go_from_dark_to_light_in_their_order(collection):
    groups = map_of(collection, colour_by="year").groups[:-1]
    lightness = [sum(int(group.colour[place : place + 2], 16) for place in (1, 3, 5)) for group in groups]
    assert [group.name for group in groups] == sorted(group.name for group in groups)
    assert lightness == sorted(lightness)


def test_clusters_are_the_planted_topics(collection):
    found = map_of(collection, colour_by="cluster")
    assert found.colour_by == "cluster"
    for group in found.groups:
        topics = Counter(found.ids[row].rstrip("0123456789").replace("nasty", "whales") for row in group.rows)
        assert topics.most_common(1)[0][1] == len(group.rows)
        assert set(group.name.replace(",", "").replace(" and", "").split()) <= set(
            TOPICS[topics.most_common(1)[0][0]].split()
        )


def test_colours_change_no_place(collection, drawn):
    assert np.array_equal(map_of(collection, colour_by="kind").points, drawn.points)


def test_filters_leave_only_what_passes(collection):
    found = map_of(collection, filters=Filters(labels=["cats"], ranges={"year": (2000, None)}))
    assert set(found.ids) == {f"cats{number}" for number in range(10, 20)}


def test_removed_records_are_gone_and_added_ones_are_there(folder, tmp_path):
    copy = tmp_path / "zoo.tacit"
    shutil.copytree(folder, copy)
    with open_index(copy) as collection:
        collection.remove(["cats0", "nasty"])
        collection.add([Record("new", "cat kitten purr", ("cats",), "A new cat")])
        found = map_of(collection)
    assert len(found.ids) == 60
    assert not {"cats0", "nasty"} & set(found.ids)
    row = found.ids.index("new")
    nearest = np.linalg.norm(found.points - found.points[row], axis=1).argsort()[1:6]
    assert Counter(found.ids[other].rstrip("0123456789") for other in nearest).most_common(1)[0][0] == "cats"


def test_at_most_twelve_colours_and_the_rest_is_grey():
    codes = np.array([number for number in range(20) for _ in range(30 - number)] + [-1])
    groups = coloured(Grouping(codes, [f"label {number}" for number in range(20)], [None] * 20), "no label")
    assert [group.name for group in groups] == [*(f"label {number}" for number in range(12)), "8 others", "no label"]
    assert len({group.colour for group in groups}) == 14
    assert [group.is_rest for group in groups] == [False] * 12 + [True, True]


# How dichromats see linear RGB, by the model of Machado, Oliveira and Fernandes (2009) at full severity
DICHROMATS = {
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def lab(colour: str, matrix) -> np.ndarray:
    rgb = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(matrix) @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ seen
    f = np.cbrt(np.maximum(xyz / [0.9505, 1, 1.089], 1e-9))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", DICHROMATS)
def test_colour_blind_people_can_tell_colours_of_one_shape_apart(kind):
    for one, other in itertools.combinations([*_LOOKS, (_GREY, "circle")], 2):
        if one[1] == other[1]:
            assert np.linalg.norm(lab(one[0], DICHROMATS[kind]) - lab(other[0], DICHROMATS[kind])) > 15


class _Scripts(html.parser.HTMLParser):
    """Collects elements and what stands in scripts and headings, as a browser would part them."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.tags, self.texts, self.links = "", [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag
        self.links += [value for name, value in attributes if name in ("src", "href")]
        if tag in ("script", "h1", "title"):
            self.texts.append((tag, ""))

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside in ("script", "h1", "title"):
            tag, text = self.texts.pop()
            self.texts.append((tag, text + data))


@pytest.fixture(scope="module")
def parsed(collection):
    parser = _Scripts()
    parser.feed(page(map_of(collection, title=NASTY)))
    return parser


def test_texts_in_the_page_are_data_and_never_markup(parsed):
    assert Counter(parsed.tags)["script"] == 3
    assert "b" not in parsed.tags
    data = json.loads(next(text for tag, text in parsed.texts if tag == "script"))
    assert data["titles"][data["ids"].index("nasty")] == " ".join(NASTY.split())
    assert [" ".join(text.split()) for tag, text in parsed.texts if tag != "script"] == [" ".join(NASTY.split())] * 2


def test_the_page_needs_nothing_from_elsewhere(parsed):
    assert parsed.links == []
    scripts = [text for tag, text in parsed.texts if tag == "script"]
    assert "plotly.js v" in scripts[1][:500]
    assert "http" not in scripts[2]


def test_the_page_holds_the_map(parsed, drawn):
    data = json.loads(next(text for tag, text in parsed.texts if tag == "script"))
    assert data["ids"] == drawn.ids
    assert [[data["label_names"][label] for label in labels] for labels in data["labels"]] == [
        list(labels) for labels in drawn.labels
    ]
    assert {group["name"]: {data["ids"][row] for row in group["rows"]} for group in data["groups"]} == groups_of(drawn)
    places = np.column_stack([data["x"], data["y"]])
    # the same map but for its origin and its unit
    assert np.allclose(np.corrcoef(places[:, 0], drawn.points[:, 0])[0, 1], 1, atol=1e-4)
    assert np.ptp(places, axis=0).max() == pytest.approx(1000, abs=0.5)
    for name, own in zip(data["names"], drawn.names, strict=True):
        row = np.flatnonzero((drawn.points == [np.float32(own.x), np.float32(own.y)]).all(axis=1))[0]
        assert (name["text"], name["x"], name["y"]) == (own.text, data["x"][row], data["y"][row])


@pytest.mark.parametrize(
    ("name", "start"),
    [("map.png", b"\x89PNG"), ("map.svg", b"<?xml"), ("MAP.PDF", b"%PDF"), ("map.HTML", b"<!DOCTYPE html>")],
)
def test_the_ending_says_the_kind(drawn, tmp_path, name, start):
    assert write_map(drawn, tmp_path / name).read_bytes().startswith(start)


def test_the_picture_shows_every_record_and_no_name_covers_another(collection):
    found = map_of(collection, title="Dollars $x_ and $")
    (axes,) = _figure(found).axes
    axes.figure.draw_without_rendering()
    assert axes.get_title(loc="left") == r"Dollars \$x_ and \$ (61 records)"
    assert {"animals", "society"} <= {text.get_text() for text in axes.texts}
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert sum(len(points.get_offsets()) for points in axes.collections) == 61


def test_what_cannot_be_drawn_is_refused(collection, tmp_path):
    with pytest.raises(InputError, match="there is nothing to draw: got no matching record, expected at least one"):
        map_of(collection, filters=Filters(labels=["dogs"]))
    with pytest.raises(InputError, match=r"colour_by is unknown: got 'yaer', .* Did you mean 'year'\?"):
        map_of(collection, colour_by="yaer")
    with pytest.raises(InputError, match=r"colour_by is unknown: got 'price', .* Fields here: kind, tags, year."):
        map_of(collection, colour_by="price")
    with pytest.raises(InputError, match="random_state is out of range: got -1"):
        map_of(collection, random_state=-1)
    with pytest.raises(
        InputError, match=r"output is not a map file: got .*map.doc', expected a name that ends in .html"
    ):
        draw_map(collection, tmp_path / "map.doc")
    with pytest.raises(InputError, match=r"output cannot be written: got .*, expected a file in a folder that exists"):
        check_output(tmp_path / "nowhere" / "map.html")
    (tmp_path / "full.html").mkdir()
    with pytest.raises(InputError, match="output cannot be written: got "):
        check_output(tmp_path / "full.html")
