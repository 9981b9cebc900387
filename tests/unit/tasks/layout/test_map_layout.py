"""Layouts: neighbours stay neighbours, small groups stay visible, every record has a place."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from tacit.errors import InputError, MissingExtraError
from tacit.tasks.layout.plane import _sample, lay_out
from tacit.tasks.map.picture import check_map_path


@pytest.fixture(scope="module")
def planted():
    """Three tight bundles of directions, of 200, 50 and 8 records."""
    rng = np.random.default_rng(0)
    groups = ["big"] * 200 + ["middle"] * 50 + ["small"] * 8
    centres = {"big": [1, 0, 0, 0], "middle": [0, 1, 0, 0], "small": [0, 0, 1, 0]}
    return np.array([centres[name] for name in groups]) + 0.05 * rng.normal(size=(258, 4)), groups


@pytest.fixture(scope="module")
def points(planted):
    return lay_out(*planted, most=60)


def test_a_sample_takes_the_square_root_of_each_group(planted):
    rows = _sample(planted[1], 60, np.random.default_rng(0))
    counts = Counter(planted[1][row] for row in rows)
    assert len(set(rows.tolist())) == len(rows) == 60
    # of 200, 50 and 8 the roots are as 14.1 : 7.1 : 2.8; of 60 that is 35.3 : 17.7 : 7.1
    assert counts == {"big": 35, "middle": 18, "small": 7}
    assert np.array_equal(_sample(planted[1], 1000, np.random.default_rng(0)), np.arange(258))


def test_neighbours_in_the_space_are_neighbours_on_the_map(points, planted):
    groups = np.array(planted[1])
    assert points.shape == (258, 2)
    assert np.isfinite(points).all()
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag(np.full(258, np.inf))
    assert np.mean(groups[distances.argmin(axis=1)] == groups) > 0.97


def test_every_record_lies_beside_its_nearest_ones_in_the_space(points, planted):
    unit = planted[0] / np.linalg.norm(planted[0], axis=1, keepdims=True)
    cosines = unit @ unit.T - 3 * np.eye(258)
    away = np.linalg.norm(points - points[cosines.argmax(axis=1)], axis=1)
    assert np.quantile(away, 0.95) < 0.2 * np.ptp(points, axis=0).max()


def test_no_record_covers_another(points):
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + np.diag(np.full(258, np.inf))
    room = np.ptp(points, axis=0).max() * np.sqrt(0.3 / 258)
    assert np.quantile(distances.min(axis=1), 0.02) > 0.4 * room


def test_records_without_words_are_in_a_corner(planted):
    positions = np.vstack([planted[0], np.zeros((10, 4))])
    points = lay_out(positions, ["a"] * len(positions))
    others = points[:258]
    low, width = others.min(axis=0), np.ptp(others, axis=0)
    assert ((points[258:] - low) / width < 0.3).all()


def test_a_layout_that_starts_from_another_is_like_it():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(10), 20)
    centres = rng.normal(size=(10, 6))
    first, second = (centres[groups] + 0.1 * rng.normal(size=(200, 6)) for _ in range(2))
    before = lay_out(first, groups)
    after = lay_out(second, groups, start=before)
    means = [np.array([points[groups == group].mean(axis=0) for group in range(10)]) for points in (before, after)]
    assert min(np.corrcoef(means[0][:, axis], means[1][:, axis])[0, 1] for axis in range(2)) > 0.8


def test_same_seed_same_places_other_seed_others(points, planted):
    assert np.array_equal(lay_out(*planted, most=60), points)
    assert not np.allclose(lay_out(*planted, most=60, random_state=1), points)


@pytest.mark.parametrize("n_records", [1, 2, 3, 4, 5, 8])
def test_a_handful_of_records_has_places_too(n_records):
    points = lay_out(np.eye(8)[:n_records], ["a"] * n_records)
    assert points.shape == (n_records, 2)
    assert np.isfinite(points).all()
    assert n_records in (1, 2) or len(np.unique(points.round(3), axis=0)) > 2


@pytest.mark.parametrize("positions", [np.zeros((40, 3)), np.ones((40, 3)), np.vstack([np.zeros((20, 2)), np.eye(2)])])
def test_records_without_words_or_all_alike_do_not_break_it(positions):
    points = lay_out(positions, ["a"] * len(positions), most=30)
    assert np.isfinite(points).all()


def test_what_cannot_be_laid_out_is_refused(planted):
    with pytest.raises(InputError, match="groups does not match positions: got 2 rows for 258 records"):
        lay_out(planted[0], ["a", "b"])
    with pytest.raises(InputError, match="positions is empty: got no records, expected at least one"):
        lay_out(np.empty((0, 3)), [])
    with pytest.raises(InputError, match="most is out of range: got 0"):
        lay_out(*planted, most=0)


def test_bad_places_for_pictures_are_refused_before_the_work(tmp_path):
    with pytest.raises(InputError, match=r"map is not a picture file: got .*, expected a name that ends in \.png"):
        check_map_path(tmp_path / "map.txt")
    with pytest.raises(InputError, match=r"map cannot be written: got .*, expected a file in a folder that exists"):
        check_map_path(tmp_path / "nowhere" / "map.png")


@pytest.mark.parametrize(("library", "ending"), [("matplotlib", ".png"), ("plotly", ".html")])
def test_a_missing_library_is_named(library, ending):
    # a process of its own, in which the library cannot be found
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from tacit.tasks.map.map import check_output\n"
        f"try: check_output('map{ending}')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.startswith(MissingExtraError.__name__)
    assert f"A map in a {ending} file needs {library}" in printed
    assert "pip install 'tacit[plot]'" in printed
