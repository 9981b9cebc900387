"""Data sets by name: which there are, the terms of their use, and how their records and taxonomies are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tacit.checks import check_choice
from tacit.corpus.record import Record
from tacit.datasets import arxiv, enzyme, movielens, mulan, newsgroups, rcv1, reuters21578
from tacit.datasets.data_files import Home, TaxonomyTable
from tacit.datasets.standard_library import standard_library_records
from tacit.errors import InputError

__all__ = ["Dataset", "dataset_names", "load_taxonomy", "read_dataset"]


@dataclass(frozen=True)
class Dataset:
    """A data set that is known by name.

    Attributes
    ----------
    description : str
    licence : str
        The terms of its use, in a sentence or two.
    loader : str
        Name of the function of `tacit.datasets` that reads it.
    n_records : int or None
        None if it depends on the machine.
    home : Home or None
        Where it is published; None if it is on every machine.
    read : callable or None
        Returns its records, given the data folder; None if it has vectors and no texts.
    taxonomy : callable or None
        Returns its taxonomy, given the data folder; None if it has none.
    """

    description: str
    licence: str
    loader: str
    n_records: int | None
    home: Home | None = None
    read: Callable[[str | Path | None], list[Record]] | None = None
    taxonomy: Callable[[str | Path | None], TaxonomyTable] | None = None

    @property
    def has_records(self) -> bool:
        """Whether it has texts, so that `read_dataset` and `tacit build` can read it."""
        return self.read is not None


def dataset_names() -> dict[str, Dataset]:
    """Return the data sets that are known by name, those that have texts first."""
    return dict(_DATASETS)


def read_dataset(name: str, data_dir: str | Path | None = None) -> list[Record]:
    """Read the records of a data set by its name.

    Parameters
    ----------
    name : str
        A key of `dataset_names()` whose data set has texts.
    data_dir : path, optional
        Folder of the data sets; the environment variable TACIT_DATA if not given. The standard library needs none.

    Raises
    ------
    InputError
        If the name is unknown, the data set has no texts, or its file is not in the folder.
    """
    known = _DATASETS[check_choice("name", name, tuple(_DATASETS))]
    if known.read is None:
        with_texts = ", ".join(repr(other) for other, about in _DATASETS.items() if about.has_records)
        raise InputError(
            f"name is of a data set without texts: got {name!r}, expected one of {with_texts}. "
            f"Read it with tacit.datasets.{known.loader}."
        )
    return known.read(data_dir)


def load_taxonomy(name: str, data_dir: str | Path | None = None) -> TaxonomyTable:
    """Read the taxonomy of a data set; use `Taxonomy.from_parents(table.parents, titles=table.titles)`.

    Parameters
    ----------
    name : {"arxiv", "enzyme", "rcv1", "reuters21578"}
        Which data set. The categories of arXiv lie below archives, which may lie below the group of physics; of the
        categories with two names, the one that `load_arxiv` keeps is kept. The topics of RCV1 are those of the original
        hierarchy, without the inner nodes that were added later. The classes of ENZYME are the first three numbers of
        its EC numbers. The topics of Reuters-21578 lie below six groups.
    data_dir : path, optional
        Folder of the data sets; the environment variable TACIT_DATA if not given.
    """
    known = {name: about.taxonomy for name, about in _DATASETS.items() if about.taxonomy is not None}
    return known[check_choice("name", name, tuple(known))](data_dir)


_MULAN = "Public benchmark for research; no licence is stated."
_DATASETS: dict[str, Dataset] = {
    "reuters21578": Dataset(
        "21,578 stories of the Reuters newswire of 1987 with topics.",
        "Copyright Reuters Ltd.; for research only. Name it Reuters-21578, Distribution 1.0.",
        "load_reuters21578",
        21_578,
        home=reuters21578.HOME,
        read=reuters21578.load_reuters21578,
        taxonomy=reuters21578.reuters21578_taxonomy,
    ),
    "20newsgroups": Dataset(
        "19,997 postings of 1993 from 20 newsgroups, with authors and cross-postings.",
        "Free for educational use with attribution (K. Lang, T. Mitchell). Holds names and addresses of people.",
        "load_newsgroups",
        19_997,
        home=newsgroups.HOME,
        read=newsgroups.load_newsgroups,
    ),
    "arxiv": Dataset(
        "40,799 titles and abstracts of arXiv, 1990 to 2019, with categories.",
        "CC0 1.0: arXiv puts its metadata in the public domain.",
        "load_arxiv",
        40_799,
        home=arxiv.HOME,
        read=arxiv.load_arxiv,
        taxonomy=arxiv.arxiv_taxonomy,
    ),
    "enzyme": Dataset(
        "Names, reactions and comments of the enzymes of ENZYME 27.0, with EC numbers.",
        "Copyright Swiss Institute of Bioinformatics; free to use as long as the content is not modified.",
        "load_enzyme",
        3_541,
        home=enzyme.HOME,
        read=enzyme.load_enzyme,
        taxonomy=enzyme.enzyme_taxonomy,
    ),
    "standard_library": Dataset(
        "The docstrings of the Python standard library on this machine, with chapters and modules.",
        "PSF licence, the licence of Python.",
        "standard_library_records",
        None,
        read=lambda data_dir: standard_library_records(),
    ),
    "movielens100k": Dataset(
        "1,682 films with titles, genres, and links to those of 943 people who liked them (100,000 ratings).",
        "GroupLens: for research, not for passing on, not for commercial use. Cite F. M. Harper and J. A. Konstan.",
        "load_movielens",
        1_682,
        home=movielens.HOME,
        read=movielens.film_records,
    ),
    "rcv1": Dataset(
        "30,000 stories of Reuters Corpus Volume 1 with topics: vectors, no texts.",
        "The vectors may be used for research; cite D. D. Lewis and others, JMLR 5. The texts need an agreement.",
        "load_rcv1",
        30_000,
        home=rcv1.HOME,
        taxonomy=rcv1.rcv1_taxonomy,
    ),
    **{
        name: Dataset(description, _MULAN, "load_mulan", n_records, home=mulan.HOMES[name])
        for name, n_records, description in (
            ("bibtex", 7_395, "7,395 BibTeX entries with 159 tags: vectors."),
            ("delicious", 16_105, "16,105 web pages with 983 tags: vectors."),
            ("enron", 1_702, "1,702 e-mails with 53 categories: vectors."),
            ("medical", 978, "978 clinical notes with 45 codes: vectors."),
        )
    },
}
