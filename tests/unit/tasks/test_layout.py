"""Maps: neighbours stay neighbours, small groups stay visible, and the picture is a picture."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from tacit.errors import InputError, MissingExtraError
from tacit.tasks.layout import lay_out
from tacit.tasks.plot import _figure, check_map_path, draw_map


@pytest.fixture(scope="module")
def planted():
    """Three tight bundles of directions, of 100, 40 and 6 records."""
    rng = np.random.default_rng(0)
    groups = ["big"] * 100 + ["middle"] * 40 + ["small"] * 6
    centres = {"big": [1, 0, 0, 0], "middle": [0, 1, 0, 0], "small": [0, 0, 1, 0]}
    return np.array([centres[name] for name in groups]) + 0.05 * rng.normal(size=(146, 4)), groups


@pytest.fixture(scope="module")
def layout(planted):
    return lay_out(*planted, most=60)


def test_large_groups_are_sampled_to_one_size_and_small_ones_kept(layout, planted):
    assert Counter(layout.groups) == {"big": 27, "middle": 27, "small": 6}
    assert layout.n_records == 146
    assert [planted[1][row] for row in layout.rows] == layout.groups
    assert len(set(layout.rows.tolist())) == len(layout.rows)


def test_neighbours_in_the_space_are_neighbours_on_the_map(layout):
    distances = np.linalg.norm(layout.points[:, None] - layout.points[None], axis=2) + np.diag(np.full(60, np.inf))
    nearest_group = [layout.groups[row] for row in distances.argmin(axis=1)]
    assert np.mean([one == other for one, other in zip(nearest_group, layout.groups, strict=True)]) > 0.95


def test_same_seed_same_map(layout, planted):
    again = lay_out(*planted, most=60)
    assert np.array_equal(again.rows, layout.rows)
    assert np.array_equal(again.points, layout.points)


def test_what_cannot_be_laid_out_is_refused(planted):
    with pytest.raises(InputError, match="groups does not match positions: got 2 rows for 146 records"):
        lay_out(planted[0], ["a", "b"])
    with pytest.raises(InputError, match=r"positions has too few rows: got 3 records to show, expected at least 5"):
        lay_out(np.eye(3), ["a", "b", "c"])


@pytest.mark.parametrize(("name", "start"), [("map.png", b"\x89PNG"), ("map.svg", b"<?xml"), ("MAP.PDF", b"%PDF")])
def test_the_ending_says_the_format(layout, tmp_path, name, start):
    path = draw_map(layout, tmp_path / name, title="Three bundles")
    assert path.read_bytes().startswith(start)


def test_the_map_names_every_group_and_no_name_covers_another(layout):
    # all groups on one spot: the worst case for their names
    (axes,) = _figure(dataclasses.replace(layout, points=0.01 * layout.points), "Three bundles").axes
    axes.figure.draw_without_rendering()
    assert axes.get_title() == "Three bundles (60 of 146 records)"
    assert sorted(text.get_text() for text in axes.texts) == ["big", "middle", "small"]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    assert sum(len(points.get_offsets()) for points in axes.collections) == 60


def test_bad_places_are_refused_before_the_work(tmp_path):
    with pytest.raises(InputError, match=r"map is no picture file: got .*, expected a name that ends in \.png"):
        check_map_path(tmp_path / "map.txt")
    with pytest.raises(InputError, match=r"map cannot be written: got .*, expected a file in a folder that exists"):
        check_map_path(tmp_path / "nowhere" / "map.png")


def test_a_missing_matplotlib_is_named():
    # a process of its own, in which the library cannot be found
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from tacit.tasks.plot import check_map_path\n"
        "try: check_map_path('map.png')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.startswith(MissingExtraError.__name__)
    assert "Drawing a map needs matplotlib" in printed
    assert "pip install 'tacit[plot]'" in printed
