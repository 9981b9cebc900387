"""MovieLens 100K: users' ratings of films, and what is known about both.

GroupLens collected the ratings and offers them for research; they may not be passed on. Cite F. M. Harper and J. A.
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

from tacit.corpus.record import Record
from tacit.datasets.data_files import Home, RemoteFile, find_file, refuse_outside
from tacit.errors import InputError
from tacit.types import IntArray

__all__ = ["HOME", "Items", "MovieLens", "Ratings", "Users", "film_records", "load_movielens"]


@dataclass(frozen=True, eq=False)
class Users:
    """The users, in the order of their ids: one entry per user in each field."""

    ids: IntArray
    age: IntArray
    gender: tuple[str, ...]
    occupation: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Items:
    """The films, in the order of their ids: one entry per film in each field.

    `titles` are without the year; `year` is that of the title, or 0 if there is none; `genres` has the names of the
    genres of each film.
    """

    ids: IntArray
    titles: tuple[str, ...]
    year: IntArray
    genres: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings: one entry per rating in each field.

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

    Some films are in it twice, under two ids and one title; they are kept separate, as they were rated separately.

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
    archive = find_file(data_dir, "movielens100k", "ml-100k.zip")
    ratings = find_file(data_dir, "movielens100k", "ratings.tsv.gz")
    genres = tuple(line[0] for line in _table(archive, "u.genre", 2))
    people = _table(archive, "u.user", 5)
    ids, ages = (np.asarray([int(row[place]) for row in people]) for place in (0, 1))
    users = Users(ids, ages, gender=tuple(row[2] for row in people), occupation=tuple(row[3] for row in people))
    items = _items(_table(archive, "u.item", 5 + len(genres)), genres)
    return MovieLens(users, items, _ratings(ratings))


def film_records(
    data_dir: str | Path | None = None, *, least: int = 4, without_fold: int | None = None
) -> list[Record]:
    """Return the films as records: the title is the text, genres are labels, users who liked the film are links.

    Parameters
    ----------
    data_dir : path, optional
        As for `read_dataset`.
    least : int, default 4
        The lowest rating, from 1 to 5, that counts as liking a film.
    without_fold : 1 to 5, optional
        Leave out the ratings of that part of the published five-fold split: what recommendations are measured on.

    Returns
    -------
    list of Record
        `links` has `user`: those who liked the film; `fields` has `year` (None if unknown) and `ratings`, the number
        of all its ratings.
    """
    films = load_movielens(data_dir)
    ratings = films.ratings
    seen = ratings.fold != (0 if without_fold is None else without_fold)
    raters: dict[int, list[str]] = {}
    counts: dict[int, int] = {}
    for user, film, rating in zip(ratings.user[seen], ratings.item[seen], ratings.rating[seen], strict=True):
        counts[film] = counts.get(film, 0) + 1
        if rating >= least:
            raters.setdefault(film, []).append(str(user))
    items = films.items
    return [
        Record(
            id=str(film),
            text=title,
            labels=genres,
            title=f"{title} ({year})" if year else title,
            links={"user": tuple(raters.get(film, ()))},
            fields={"year": int(year) or None, "ratings": counts.get(film, 0)},
        )
        for film, title, year, genres in zip(items.ids, items.titles, items.year, items.genres, strict=True)
    ]


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


def _items(rows: list[list[str]], genres: tuple[str, ...]) -> Items:
    named = [_title_and_year(row[1]) for row in rows]
    return Items(
        ids=np.asarray([int(row[0]) for row in rows]),
        titles=tuple(title for title, _ in named),
        year=np.asarray([year for _, year in named]),
        genres=tuple(tuple(genre for genre, flag in zip(genres, row[5:], strict=True) if flag == "1") for row in rows),
    )


def _title_and_year(text: str) -> tuple[str, int]:
    """Split 'Toy Story (1995)'; a mark after the year, such as '(V)' for a video, is dropped."""
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


def _convert(downloads: Path, made: Path) -> None:
    """Keep the archive as it is, and put the ratings with the published folds into one table."""
    archive = downloads / "ml-100k.zip"
    try:
        with zipfile.ZipFile(archive) as files:
            for name in files.namelist():
                refuse_outside(archive, name)
            ratings = files.read("ml-100k/u.data").decode("ascii").splitlines()
            names = ("u1", "u2", "u3", "u4", "u5", "ua", "ub")
            tests = {name: _pairs(files.read(f"ml-100k/{name}.test")) for name in names}
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{archive.name} is damaged: got {error}, expected MovieLens 100K. Try again.") from error
    lines = ["user\titem\trating\ttimestamp\tfold\tua_test\tub_test"]
    for line in ratings:
        pair = tuple(line.split("\t")[:2])
        fold = next((number for number in range(1, 6) if pair in tests[f"u{number}"]), 0)
        lines.append(f"{line}\t{fold}\t{int(pair in tests['ua'])}\t{int(pair in tests['ub'])}")
    (made / "ratings.tsv.gz").write_bytes(gzip.compress("\n".join([*lines, ""]).encode("ascii"), mtime=0))
    (made / archive.name).write_bytes(archive.read_bytes())


def _pairs(content: bytes) -> set[tuple[str, ...]]:
    """Return user and item of each rating of a part."""
    return {tuple(line.split("\t")[:2]) for line in content.decode("ascii").splitlines()}


_PAGE = "https://grouplens.org/datasets/movielens/100k/"
_URL = "https://files.grouplens.org/datasets/movielens/ml-100k.zip"
_SOURCES = (RemoteFile(_URL, "ml-100k.zip", md5="0e33842e24a9c977be4e0107933c0723"),)
HOME = Home(_PAGE, "movielens100k", ("ml-100k.zip", "ratings.tsv.gz"), _SOURCES, 5, _convert)
