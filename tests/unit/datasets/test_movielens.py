"""MovieLens is read from its archive and its table, titles without their years."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tacit.datasets import load_movielens
from tacit.errors import InputError

FILES = {
    "u.genre": "unknown|0\nAction|1\nDrama|2\n\n",
    "u.user": "1|24|M|technician|85711\n2|53|F|other|94043\n",
    "u.item": (
        "1|Misérables, Les (1995)|01-Jan-1995||http://x|0|0|1\n"
        "2|Time of Giving: 2001 (1995) (V)|01-Jan-1995|||0|1|1\n"
        "3|Two Friends (1986) |01-Jan-1986|||0|0|0\n"
        "4|unknown||||1|0|0\n"
        "5|Seven (Se7en) (1995)|01-Jan-1995|||0|1|0\n"
    ),
}
RATINGS = "user\titem\trating\ttimestamp\tfold\tua_test\n2\t5\t3\t881250949\t1\t0\n1\t1\t5\t891717742\t4\t1\n"


def write_folder(root: Path, files: dict[str, str] = FILES, ratings: str = RATINGS) -> Path:
    folder = root / "movielens100k"
    folder.mkdir()
    with zipfile.ZipFile(folder / "ml-100k.zip", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"ml-100k/{name}", text.encode("latin-1"))
    (folder / "ratings.tsv.gz").write_bytes(gzip.compress(ratings.encode()))
    return root


def test_films_have_titles_without_years_and_genres_by_name(tmp_path: Path) -> None:
    items = load_movielens(write_folder(tmp_path)).items
    assert items.ids.tolist() == [1, 2, 3, 4, 5]
    assert items.titles == ("Misérables, Les", "Time of Giving: 2001", "Two Friends", "unknown", "Seven (Se7en)")
    assert items.year.tolist() == [1995, 1995, 1986, 0, 1995]
    assert items.genres == (("Drama",), ("Action", "Drama"), (), ("unknown",), ("Action",))


def test_users_and_ratings_keep_the_order_of_the_files(tmp_path: Path) -> None:
    data = load_movielens(write_folder(tmp_path))
    assert data.users.ids.tolist() == [1, 2]
    assert data.users.age.tolist() == [24, 53]
    assert (data.users.gender, data.users.occupation) == (("M", "F"), ("technician", "other"))
    ratings = data.ratings
    assert len(ratings) == 2
    assert np.column_stack([ratings.user, ratings.item, ratings.rating, ratings.timestamp, ratings.fold]).tolist() == [
        [2, 5, 3, 881250949, 1],
        [1, 1, 5, 891717742, 4],
    ]


def test_columns_of_the_ratings_are_found_by_name(tmp_path: Path) -> None:
    swapped = "fold\trating\titem\tuser\ttimestamp\n3\t5\t1\t2\t7\n"
    ratings = load_movielens(write_folder(tmp_path, ratings=swapped)).ratings
    assert [int(values[0]) for values in (ratings.user, ratings.item, ratings.rating, ratings.fold)] == [2, 1, 5, 3]


@pytest.mark.parametrize(
    ("files", "ratings", "message"),
    [
        (
            {"u.genre": FILES["u.genre"]},
            RATINGS,
            r"ml-100k.zip is damaged: got .*expected a zip file with ml-100k/u.user",
        ),
        ({**FILES, "u.user": "1|24\n"}, RATINGS, r"is damaged: got 2 cells in a line of u.user, expected 5"),
        (FILES, "user\titem\n1\t2\n", r"ratings.tsv.gz is damaged: got .*expected a gzipped table with user, item"),
        (FILES, RATINGS + "1\tx\t3\t4\t5\t6\n", r"ratings.tsv.gz is damaged: got .*expected a gzipped table"),
    ],
)
def test_damaged_files_say_so(tmp_path: Path, files: dict[str, str], ratings: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_movielens(write_folder(tmp_path, files, ratings))


def test_an_archive_that_is_none_says_so(tmp_path: Path) -> None:
    (write_folder(tmp_path) / "movielens100k" / "ml-100k.zip").write_bytes(b"no zip")
    with pytest.raises(InputError, match=r"ml-100k.zip is damaged: got File is not a zip file"):
        load_movielens(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"data_dir lacks a file: .*expected movielens100k/ml-100k.zip"):
        load_movielens(tmp_path)


@pytest.mark.realdata
def test_the_real_data(data_dir: Path) -> None:
    data = load_movielens(data_dir)
    assert (len(data.ratings), len(data.users.ids), len(data.items.ids)) == (100_000, 943, 1682)
    assert np.bincount(data.ratings.fold).tolist() == [0, *[20_000] * 5]
    assert set(data.ratings.rating.tolist()) == {1, 2, 3, 4, 5}
    assert len(set(zip(data.ratings.user.tolist(), data.ratings.item.tolist(), strict=True))) == 100_000
    assert sum(map(len, data.items.genres)) / 1682 == pytest.approx(1.720, abs=1e-3)
    assert [title for title, year in zip(data.items.titles, data.items.year, strict=True) if not year] == ["unknown"]
    assert set(data.ratings.user.tolist()) == set(data.users.ids.tolist())
    assert set(data.ratings.item.tolist()) == set(data.items.ids.tolist())
