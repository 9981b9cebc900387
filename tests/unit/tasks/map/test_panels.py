"""Panels: who is drawn as what, numbers that agree with a slow count, and a picture that is a picture."""

from __future__ import annotations

import itertools
import subprocess
import sys
import warnings

import numpy as np
import pytest

from tacit.errors import InputError, TacitWarning
from tacit.relations import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.tasks.map.panel_facts import NEITHER, SEVERAL, PanelFacts, facts_of, frame, show_classes
from tacit.tasks.map.panels import (
    _HUES,
    _caption,
    _choose_rows,
    _figure,
    _legend_names,
    _looks,
    draw_panels,
    panel_facts,
)

TREE = Taxonomy.from_parents(
    {"C": None, "E": None, "G": None, "C1": "C", "C2": "C", "C11": "C1", "E1": "E"},
    titles={"C": "Companies", "C1": "Results"},
)
SHOWN = ["C", "E", "C1", "C2", "C11"]


def drawn_as(y, classes=SHOWN, taxonomy=TREE) -> list:
    shown = show_classes(y, classes, taxonomy, n_records=len(y))
    return [{SEVERAL: "several", NEITHER: None}.get(one, shown.names[one]) for one in shown.drawn.tolist()]


@pytest.fixture(scope="module")
def scattered():
    """400 records at random, with labels at random: 1 or 2 labels of a tree each, some none, one unknown."""
    rng = np.random.default_rng(3)
    y = [set(rng.choice(list(TREE), size=rng.integers(0, 3), replace=False)) for _ in range(400)]
    y[5] = None
    return rng.normal(size=(400, 2)) * [1, 50], y


@pytest.fixture(scope="module")
def clustered():
    """C left, E right, and C1 a narrow heap in the middle of C."""
    rng = np.random.default_rng(1)
    y = ["C"] * 80 + ["C1"] * 40 + ["E"] * 60
    centre, width = {"C": (0, 0), "C1": (0, 0), "E": (30, 0)}, {"C": 1.0, "C1": 0.2, "E": 1.0}
    return np.array([np.array(centre[one]) + width[one] * rng.normal(size=2) for one in y]), y


class TestDrawnAs:
    def test_the_most_specific_class_wins(self) -> None:
        assert drawn_as([{"C"}, {"C1"}, {"C", "C1"}, {"C11"}, {"C11", "C"}]) == ["C", "C1", "C1", "C11", "C11"]

    def test_two_inside_one_are_drawn_as_that_one(self) -> None:
        assert drawn_as([{"C1", "C2"}, {"C11", "C2"}]) == ["C", "C"]

    def test_unrelated_classes_are_several(self) -> None:
        assert drawn_as([{"C", "E"}, {"C1", "E"}, {"C11", "C2", "E1"}]) == ["several"] * 3

    def test_a_hidden_subclass_counts_as_its_shown_ancestor(self) -> None:
        assert drawn_as([{"E1"}, {"C11"}], ["C", "E"]) == ["E", "C"]

    def test_others_and_unknown_are_not_drawn(self) -> None:
        assert drawn_as([{"G"}, set(), None, {"G", "C"}]) == [None, None, None, "C"]

    def test_without_a_taxonomy_no_class_lies_in_another(self) -> None:
        assert drawn_as([{"C", "C1"}, {"C1"}], ["C", "C1"], None) == ["several", "C1"]

    def test_a_class_with_two_shown_parents_is_itself(self) -> None:
        bats = Taxonomy.from_parents({"mammals": None, "flyers": None, "bats": ["mammals", "flyers"]})
        y = [{"bats"}, {"mammals"}, {"mammals", "flyers"}]
        assert drawn_as(y, ["mammals", "flyers", "bats"], bats) == ["bats", "mammals", "several"]

    def test_the_order_of_the_classes_changes_nothing(self, scattered) -> None:
        first = drawn_as(scattered[1])
        assert {"several", None, *SHOWN} == set(first)
        for order in itertools.islice(itertools.permutations(SHOWN), 0, 120, 17):
            assert drawn_as(scattered[1], list(order)) == first

    def test_top_classes_by_default_the_most_frequent_first(self) -> None:
        y = [{"E1"}, {"E"}, {"C11"}]
        assert show_classes(y, None, TREE, n_records=3).names == ("E", "C")
        one_root = Taxonomy.from_parents({"all": None, "a": "all", "b": "all", "a1": "a"})
        assert show_classes([{"b"}, {"b"}, {"a1"}], None, one_root, n_records=3).names == ("b", "a")
        assert show_classes(["x", "y", "y"], None, None, n_records=3).names == ("y", "x")
        many = [str(number) for number in range(9) for _ in range(number + 1)]
        assert show_classes(many, None, None, n_records=len(many)).names == ("8", "7", "6", "5", "4", "3")


class TestFacts:
    def test_clusters_are_found(self, clustered) -> None:
        facts = panel_facts(*clustered, ["C", "E", "C1"], TREE)
        (nesting,) = facts.nestings
        assert facts.neighbours == 1.0
        assert facts.chance == pytest.approx((120 * 119 + 60 * 59) / (180 * 179))
        assert (nesting.child, nesting.parent) == ("C1", "C")
        assert nesting.inside == 1.0
        assert nesting.chance == pytest.approx(80 / 140)
        assert nesting.width < 0.6

    def test_a_subclass_elsewhere_is_not_inside(self, clustered) -> None:
        points, y = clustered
        moved = points + np.where(np.array(y) == "C1", 30, 0)[:, None] * [1, 0]
        assert panel_facts(moved, y, ["C", "E", "C1"], TREE).nestings[0].inside == 0.0

    def test_equals_a_count_over_all_pairs(self, scattered) -> None:
        points, y = scattered
        names = drawn_as(y)
        low, high = frame(points)
        kept = [row for row, name in enumerate(names) if name not in (None, "several")]
        places, names = ((points - low) / (high - low))[kept], [names[row] for row in kept]
        far = np.linalg.norm(places[:, None] - places[None, :], axis=2) + np.diag([np.inf] * len(kept))
        facts = panel_facts(points, y, SHOWN, TREE)
        assert facts.n_records == len(kept)
        assert facts.neighbours == pytest.approx(
            np.mean([names[far[row].argmin()][0] == names[row][0] for row in range(len(kept))])
        )
        assert [(one.child, one.parent) for one in facts.nestings] == [("C1", "C"), ("C2", "C"), ("C11", "C1")]
        for one in facts.nestings:
            inner = np.array([name.startswith(one.child) for name in names])
            outer = np.array([name.startswith(one.parent) for name in names])
            nearest = np.flatnonzero(~inner)[far[inner][:, ~inner].argmin(axis=1)]
            assert one.inside == pytest.approx(outer[nearest].mean())
            assert one.chance == pytest.approx(outer[~inner].mean())

    def test_the_scale_of_an_axis_changes_nothing(self, scattered) -> None:
        points, y = scattered
        one, other = (panel_facts(points * scale, y, SHOWN, TREE) for scale in ([1, 1], [1000, 0.01]))
        assert other.neighbours == one.neighbours
        assert [nesting.width for nesting in other.nestings] == pytest.approx(
            [nesting.width for nesting in one.nestings]
        )

    def test_records_at_one_place_do_not_find_themselves(self) -> None:
        facts = panel_facts(np.zeros((4, 2)), ["a", "b", "c", "d"])
        assert facts.neighbours == 0.0

    def test_too_few_records_say_nothing(self) -> None:
        facts = panel_facts([[0.0, 0.0]], [{"C1"}], ["C", "C1"], TREE)
        assert facts.n_records == 1
        assert np.isnan([facts.neighbours, facts.chance, facts.nestings[0].inside, facts.nestings[0].width]).all()
        assert facts.text().splitlines() == [
            "nearest neighbour of the same class: – (by chance –)",
            "C1 inside C: – (by chance –), – times as wide",
        ]

    def test_text(self, clustered) -> None:
        first, second = panel_facts(*clustered, ["C", "E", "C1"], TREE).text().splitlines()
        assert first == "nearest neighbour of the same class: 100% (by chance 55%)"
        assert second.startswith("C1 inside C: 100% (by chance 57%), 0.")


class TestFrame:
    def test_outliers_do_not_stretch_it(self) -> None:
        rng = np.random.default_rng(0)
        points = rng.uniform(size=(1000, 2))
        points[:3] = [[1e6, 0.5], [0.5, -1e6], [-1e6, 1e6]]
        low, high = frame(points)
        assert (low > -0.5).all()
        assert (high < 1.5).all()
        assert _caption(points, PanelFacts(1.0, 0.5, (), 1000)).endswith("\n3 of 1,000 points lie outside the frame")

    def test_a_cloud_without_outliers_is_shown_whole(self) -> None:
        points = np.random.default_rng(0).uniform(size=(500, 2))
        low, high = frame(points)
        assert ((points > low) & (points < high)).all()
        assert "outside" not in _caption(points, PanelFacts(1.0, 0.5, (), 500))

    @pytest.mark.parametrize("points", [np.zeros((3, 2)), np.array([[2.0, 5.0]]), np.zeros((0, 2))])
    def test_it_always_has_a_size(self, points) -> None:
        low, high = frame(points)
        assert (high > low).all()

    def test_a_line_with_one_point_beside_it_is_shown_whole(self) -> None:
        points = np.zeros((300, 2))
        points[:, 0] = np.arange(300)
        points[7, 1] = 4.0
        low, high = frame(points)
        assert low[1] < 0 < 4 < high[1]


class TestPicture:
    @pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.pdf", b"%PDF"), ("a.svg", b"<?xml")])
    def test_writes_each_format(self, tmp_path, clustered, name, start) -> None:
        path = draw_panels({"one": clustered[0], "two": -clustered[0]}, clustered[1], path=tmp_path / name)
        assert path == tmp_path / name
        assert path.read_bytes().startswith(start)

    def test_the_same_seed_draws_the_same_picture(self, tmp_path, scattered) -> None:
        points, y = scattered
        pictures = [
            draw_panels(
                {"a": points}, y, SHOWN, path=tmp_path / f"{number}.png", taxonomy=TREE, most=90, random_state=seed
            ).read_bytes()
            for number, seed in enumerate([0, 0, 1])
        ]
        assert pictures[0] == pictures[1]
        assert pictures[0] != pictures[2]

    def test_panels_show_the_same_records_and_captions_below_them(self, scattered) -> None:
        points, y = scattered
        shown = show_classes(y, SHOWN, TREE, n_records=400)
        figure = _figure({"left": points, "right": points[:, ::-1]}, shown, list("abcde"), "the title")
        left, right = figure.axes
        assert (left.get_title(), right.get_title(), figure.get_suptitle()) == ("left", "right", "the title")
        assert left.get_xlabel().startswith(facts_of(points, shown).text())
        spots = [np.vstack([part.get_offsets() for part in axes.collections]) for axes in (left, right)]
        np.testing.assert_array_equal(spots[0], spots[1][:, ::-1])
        assert len(spots[0]) == np.count_nonzero(shown.drawn != NEITHER)

    def test_a_subclass_is_smaller_darker_and_on_top(self, clustered) -> None:
        shown = show_classes(clustered[1], ["C", "E", "C1"], TREE, n_records=180)
        parent, _, child = _looks(shown)
        assert child.size < parent.size
        assert (child.colour < parent.colour).all()
        figure = _figure({"one": clustered[0]}, shown, ["C", "E", "C1"], None)
        order = {}
        for part in figure.axes[0].collections:
            order.setdefault(tuple(part.get_facecolor()[0][:3]), []).append(part.get_zorder())
        assert min(order[tuple(child.colour)]) > max(order[tuple(parent.colour)])

    def test_unrelated_classes_differ_in_colour_and_in_marker(self) -> None:
        y = list("abcdef")
        looks = _looks(show_classes(y, None, None, n_records=6))
        assert len({tuple(look.colour) for look in looks}) == len({look.marker for look in looks}) == len(_HUES) == 6

    def test_the_legend_has_titles_counts_and_subclasses_after_their_parents(self, scattered) -> None:
        points, y = scattered
        shown = show_classes(y, ["C11", "E", "C1", "C"], TREE, n_records=400)
        names = _legend_names(shown, TREE)
        drawn = drawn_as(y, ["C11", "E", "C1", "C"])
        n_c, n_c1, n_c11 = (sum((one or "")[: len(name)] == name for one in drawn) for name in ("C", "C1", "C11"))
        assert names[0] == f"C11 ({n_c11})"
        assert names[2:] == [f"C1 Results ({n_c1})", f"C Companies ({n_c})"]
        (legend,) = _figure({"one": points}, shown, names, None).legends
        texts = [text.get_text() for text in legend.get_texts()]
        assert texts == [names[1], names[3], names[2], names[0], f"in several of these ({drawn.count('several')})"]

    def test_nothing_overlaps(self, tmp_path, scattered) -> None:
        points, y = scattered
        shown = show_classes(y, SHOWN, TREE, n_records=400)
        figure = _figure(dict.fromkeys("abcde", points), shown, _legend_names(shown, TREE), "five")
        figure.savefig(tmp_path / "a.png")
        boxes = [axes.get_tightbbox() for axes in figure.axes] + [figure.legends[0].get_window_extent()]
        assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
        width, height = figure.axes[0].bbox.size
        assert 0.8 < width / height < 1.25

    def test_at_most_so_many_records_are_drawn_and_all_of_them_belong(self, scattered) -> None:
        shown = show_classes(scattered[1], ["C", "C1"], TREE, n_records=400)
        rng = np.random.default_rng(0)
        belong = [row for row, name in enumerate(drawn_as(scattered[1], ["C", "C1"])) if name]
        some, all_of_them = _choose_rows(shown, 25, rng).tolist(), _choose_rows(shown, 1000, rng).tolist()
        assert len(set(some)) == len(some) == 25
        assert set(some) < set(belong)
        assert sorted(all_of_them) == belong


class TestBadInput:
    def draw(self, tmp_path, spaces=None, y=("a", "b"), classes=None, name="a.png", **settings):
        spaces = {"one": [[0, 0], [1, 1]]} if spaces is None else spaces
        return draw_panels(spaces, list(y), classes, path=tmp_path / name, **settings)

    @pytest.mark.parametrize("spaces", [{}, [[0, 1], [1, 0]]])
    def test_no_mapping(self, tmp_path, spaces) -> None:
        with pytest.raises(
            InputError, match=r"spaces is not a mapping with entries: got (dict|list), expected names and"
        ):
            self.draw(tmp_path, spaces)

    def test_not_a_plane(self, tmp_path) -> None:
        with pytest.raises(InputError, match=r"spaces\['LSI'\] is not two-dimensional: got float64 values of shape"):
            self.draw(tmp_path, {"LSI": np.zeros((2, 3))})
        with pytest.raises(InputError, match="positions is not two-dimensional: got <U1 values"):
            panel_facts([["a", "b"]], ["a"])
        with pytest.raises(InputError, match=r"spaces\['LSI'\] contains NaN: the first one is in row 1"):
            self.draw(tmp_path, {"LSI": [[0, 0], [np.nan, 1]]})

    def test_spaces_of_other_records(self, tmp_path) -> None:
        with pytest.raises(
            InputError, match=r"spaces\['two'\] does not match spaces\['one'\]: got 3 rows for 2 records"
        ):
            self.draw(tmp_path, {"one": np.zeros((2, 2)), "two": np.zeros((3, 2))})
        with pytest.raises(InputError, match="y does not match X: got 3 rows for 2 records"):
            self.draw(tmp_path, y="abc")

    def test_unknown_and_missing_classes(self, tmp_path) -> None:
        with pytest.raises(InputError, match="classes has unknown names: got 'c', expected some of 'a', 'b'"):
            self.draw(tmp_path, classes=["a", "c"])
        with pytest.raises(InputError, match="classes has unknown names: got none, expected some of"):
            self.draw(tmp_path, classes=[])
        with pytest.raises(InputError, match="y has no classes to show: got no record with a label"):
            self.draw(tmp_path, y=[set(), set()])
        with pytest.raises(InputError, match="classes has no records: got no record in any of them"):
            self.draw(tmp_path, y=[{"C"}, set()], classes=["E"], taxonomy=TREE)

    def test_one_class_may_be_a_text(self, tmp_path) -> None:
        assert self.draw(tmp_path, y=["cats", "dogs"], classes="cats").exists()

    def test_more_classes_than_colours(self, tmp_path) -> None:
        names = list("abcdefg")
        with pytest.raises(
            InputError, match="classes has too many unrelated classes: got 7, expected at most 6, since more"
        ):
            self.draw(tmp_path, {"one": np.zeros((7, 2))}, y=names, classes=names)

    def test_more_subclasses_than_shades(self, tmp_path) -> None:
        tree = Taxonomy.from_parents({"top": None} | dict.fromkeys("abcde", "top"))
        with pytest.raises(InputError, match="classes has too many inside 'top': got more than 4, expected no more"):
            self.draw(tmp_path, classes=["top", *"abcde"], taxonomy=tree)

    def test_most(self, tmp_path) -> None:
        with pytest.raises(InputError, match="most is out of range: got 0, expected a whole number of at least 1"):
            self.draw(tmp_path, most=0)

    def test_paths(self, tmp_path) -> None:
        with pytest.raises(
            InputError, match=r"path is not a picture file: got '.*a.doc', expected a name that ends in .png"
        ):
            self.draw(tmp_path, name="a.doc")
        with pytest.raises(
            InputError, match=r"path cannot be written: got .*, expected a file in a folder that exists"
        ):
            self.draw(tmp_path, name="nowhere/a.png")

    def test_a_class_that_cannot_be_seen(self, tmp_path) -> None:
        y = LabelMatrix.from_sets([{"a", "b"}, {"a"}])
        with pytest.warns(
            TacitWarning, match="Some classes cannot be seen: all records of 'b' are in other shown classes"
        ):
            draw_panels({"one": np.eye(2)}, y, path=tmp_path / "a.png")
        nested = Taxonomy.from_parents({"a": None, "b": "a"})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            draw_panels({"one": np.eye(2)}, y, ["a", "b"], path=tmp_path / "a.png", taxonomy=nested)

    def test_a_missing_matplotlib_is_named(self) -> None:
        program = (
            "import sys; sys.modules['matplotlib'] = None\n"
            "from tacit.tasks.map.panels import draw_panels\n"
            "try: draw_panels({}, [], path='a.png')\n"
            "except ImportError as error: print(error)\n"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert "needs matplotlib" in done.stdout
        assert "pip install 'tacit[plot]'" in done.stdout
