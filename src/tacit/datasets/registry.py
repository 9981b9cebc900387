"""Data sets by name: what there is, under which terms, and the records of those that have texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.datasets.enzyme import load_enzyme
from tacit.datasets.movielens import load_movielens
from tacit.datasets.newsgroups import load_newsgroups
from tacit.datasets.published import load_arxiv, load_reuters21578
from tacit.datasets.standard_library import standard_library_records
from tacit.errors import InputError

__all__ = ["Dataset", "dataset_names", "read_dataset"]


@dataclass(frozen=True)
class Dataset:
    """What is known of a data set: a line of description, the terms of its use, and the function that reads it.

    `n_records` is None where it depends on the machine. `has_records` is False for the sets that come as vectors, which
    `loader` reads and `read_dataset` does not.
    """

    description: str
    licence: str
    loader: str
    n_records: int | None
    has_records: bool = True


def dataset_names() -> dict[str, Dataset]:
    """Give the data sets that are known by name, those that have texts first."""
    return dict(_DATASETS)


def read_dataset(name: str, data_dir: str | Path | None = None) -> list[Record]:
    """Read the records of a data set by its name.

    Parameters
    ----------
    name : str
        A key of `dataset_names()` whose set has records.
    data_dir : path, optional
        Folder that holds the data sets; the environment variable TACIT_DATA if not given. The standard library is
        that of the Python that runs, and needs no folder.

    Raises
    ------
    InputError
        If the name is unknown, the set has no texts, or its file is not in the folder.
    """
    known = _DATASETS[check_choice("name", name, tuple(_DATASETS))]
    if not known.has_records:
        raise InputError(
            f"name is of a data set without texts: got {name!r}, expected one of {', '.join(map(repr, _LOADERS))}. "
            f"Read it with tacit.corpus.{known.loader}."
        )
    return _LOADERS[name](data_dir)


def film_records(
    data_dir: str | Path | None = None, *, least: int = 4, without_fold: int | None = None
) -> list[Record]:
    """Give the films of MovieLens 100K as records: titles, genres as labels, and who liked them as links.

    Parameters
    ----------
    data_dir : path, optional
        As for `read_dataset`.
    least : int, default 4
        The rating, from 1 to 5, from which on somebody liked a film.
    without_fold : 1 to 5, optional
        Leave out the ratings of that part of the published five-fold split: what recommendations are measured on.

    Returns
    -------
    list of Record
        `links` has `user`: who rated the film so well; `fields` has `year` (None where nobody knows) and `ratings`, how
        many there are of any height.
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


def _standard_library(data_dir: str | Path | None) -> list[Record]:
    return list(standard_library_records())


_LOADERS: dict[str, Callable[[str | Path | None], list[Record]]] = {
    "reuters21578": load_reuters21578,
    "20newsgroups": load_newsgroups,
    "arxiv": load_arxiv,
    "enzyme": load_enzyme,
    "movielens100k": film_records,
    "standard_library": _standard_library,
}
_MULAN = "Public benchmark for research; no licence is stated."
_DATASETS: dict[str, Dataset] = {
    "reuters21578": Dataset(
        "21,578 stories of the Reuters newswire of 1987 with topics.",
        "Copyright Reuters Ltd.; for research only. Name it Reuters-21578, Distribution 1.0.",
        "load_reuters21578",
        21_578,
    ),
    "20newsgroups": Dataset(
        "19,997 postings of 1993 from 20 newsgroups, with authors and cross-postings.",
        "Free for educational use with attribution (K. Lang, T. Mitchell). Holds names and addresses of people.",
        "load_newsgroups",
        19_997,
    ),
    "arxiv": Dataset(
        "40,799 titles and abstracts of arXiv, 1990 to 2019, with categories.",
        "CC0 1.0: arXiv puts its metadata in the public domain.",
        "load_arxiv",
        40_799,
    ),
    "enzyme": Dataset(
        "Names, reactions and comments of the enzymes of ENZYME 27.0, with EC numbers.",
        "Copyright Swiss Institute of Bioinformatics; free to use as long as the content is not modified.",
        "load_enzyme",
        3_541,
    ),
    "standard_library": Dataset(
        "The documentation strings of the Python standard library on this machine, with chapters and modules.",
        "PSF licence, that of Python.",
        "standard_library_records",
        None,
    ),
    "movielens100k": Dataset(
        "1,682 films with titles, genres and 100,000 ratings by 943 people, who are linked to what they liked.",
        "GroupLens: for research, not for passing on, not for commercial use. Cite F. M. Harper and J. A. Konstan.",
        "load_movielens",
        1_682,
    ),
    "rcv1": Dataset(
        "30,000 stories of Reuters Corpus Volume 1 with topics: vectors, no texts.",
        "The vectors may be used for research; cite D. D. Lewis and others, JMLR 5. The texts need an agreement.",
        "load_rcv1",
        30_000,
        has_records=False,
    ),
    "bibtex": Dataset("7,395 BibTeX entries with 159 tags: vectors.", _MULAN, "load_mulan", 7_395, has_records=False),
    "delicious": Dataset("16,105 web pages with 983 tags: vectors.", _MULAN, "load_mulan", 16_105, has_records=False),
    "enron": Dataset("1,702 e-mails with 53 categories: vectors.", _MULAN, "load_mulan", 1_702, has_records=False),
    "medical": Dataset("978 clinical notes with 45 codes: vectors.", _MULAN, "load_mulan", 978, has_records=False),
}
