"""MovieLens 100K, read from a folder on this machine: who rated which film how, and what is known of both.

GroupLens collected the ratings and gives them away for research; they may not be passed on. Cite F. M. Harper and J. A.
Konstan, The MovieLens datasets: history and context.
"""

from __future__ import annotations

import gzip
import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tacit.datasets.published import _find
from tacit.errors import InputError
from tacit.types import IntArray

__all__ = ["Items", "MovieLens", "Ratings", "Users", "load_movielens"]


@dataclass(frozen=True, eq=False)
class Users:
    """Who rated: one entry a user in each, in the order of their ids."""

    ids: IntArray
    age: IntArray
    gender: tuple[str, ...]
    occupation: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Items:
    """What was rated: one entry a film in each, in the order of their ids.

    `titles` come without the year; `year` is that of the title, or 0 where there is none; `genres` has the names of the
    genres of each film.
    """

    ids: IntArray
    titles: tuple[str, ...]
    year: IntArray
    genres: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings: one entry a rating in each.

    `user` and `item` are ids, `rating` is 1 to 5, `timestamp` is in seconds since 1970, `fold` is 1 to 5: the part of
    the published five-fold split whose test set has the rating.
    """

    user: IntArray
    item: IntArray
    rating: IntArray
    timestamp: IntArray
    fold: IntArray

    def __len__(self) -> int:
        return len(self.rating)


@dataclass(frozen=True, eq=False)
class MovieLens:
    """The data set: `users`, `items`, and `ratings` that refer to both by id."""

    users: Users
    items: Items
    ratings: Ratings


def load_movielens(data_dir: str | Path | None = None) -> MovieLens:
    """Read MovieLens 100K: 100,000 ratings of 1,682 films by 943 users.

    Some films are in it twice, under two ids and one title; they are kept apart, as they were rated apart.

    Parameters
    ----------
    data_dir : path, optional
        Folder with a subfolder `movielens100k`; the environment variable TACIT_DATA if not given.

    Examples
    --------
    >>> films = load_movielens().items                                                          # doctest: +SKIP
    >>> films.titles[0], films.year[0], films.genres[0]                                         # doctest: +SKIP
    ('Toy Story', 1995, ('Animation', "Children's", 'Comedy'))
    """
    archive = _find(data_dir, "movielens100k", "ml-100k.zip")
    ratings = _find(data_dir, "movielens100k", "ratings.tsv.gz")
    genres = tuple(line[0] for line in _table(archive, "u.genre", 2))
    return MovieLens(
        users=_users(_table(archive, "u.user", 5)),
        items=_items(_table(archive, "u.item", 5 + len(genres)), genres),
        ratings=_ratings(ratings),
    )


def _table(archive: Path, file: str, n_cells: int) -> list[list[str]]:
    """Read a file of the archive, whose cells are separated by '|'."""
    try:
        with zipfile.ZipFile(archive) as files:
            text = files.read(f"ml-100k/{file}").decode("latin-1")
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(
            f"{archive} is damaged: got {error}, expected a zip file with ml-100k/{file}. Copy the file again."
        ) from error
    rows = [line.split("|") for line in text.split("\n") if line.strip()]
    short = next((row for row in rows if len(row) != n_cells), None)
    if short is not None:
        raise InputError(
            f"{archive} is damaged: got {len(short)} cells in a line of {file}, expected {n_cells}. "
            "Copy the file again."
        )
    return rows


def _users(rows: list[list[str]]) -> Users:
    return Users(
        ids=np.asarray([int(row[0]) for row in rows]),
        age=np.asarray([int(row[1]) for row in rows]),
        gender=tuple(row[2] for row in rows),
        occupation=tuple(row[3] for row in rows),
    )


def _items(rows: list[list[str]], genres: tuple[str, ...]) -> Items:
    named = [_title_and_year(row[1]) for row in rows]
    return Items(
        ids=np.asarray([int(row[0]) for row in rows]),
        titles=tuple(title for title, _ in named),
        year=np.asarray([year for _, year in named]),
        genres=tuple(tuple(genre for genre, flag in zip(genres, row[5:], strict=True) if flag == "1") for row in rows),
    )


def _title_and_year(text: str) -> tuple[str, int]:
    """Part 'Toy Story (1995)'; what follows the year, as '(V)' for a video, belongs to it."""
    found = re.fullmatch(r"(.*?)\s*\((\d{4})\)(?:\s*\([A-Z]+\))?", text.strip())
    return (found[1], int(found[2])) if found else (text.strip(), 0)


def _ratings(path: Path) -> Ratings:
    """Read the columns of the table by their names."""
    wanted = ("user", "item", "rating", "timestamp", "fold")
    try:
        with gzip.open(path, "rt", encoding="ascii") as lines:
            header = next(lines, "").split()
            columns = np.loadtxt(lines, dtype=np.int64, delimiter="\t", ndmin=2)
        return Ratings(**{name: columns[:, header.index(name)] for name in wanted})
    except (OSError, EOFError, ValueError, IndexError, zlib.error) as error:
        raise InputError(
            f"{path} is damaged: got {error}, expected a gzipped table with {', '.join(wanted)}. Copy the file again."
        ) from error
