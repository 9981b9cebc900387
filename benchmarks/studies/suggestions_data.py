"""The collections on which suggesters of labels are compared: which records are learnt from, which test.

| collection | records to learn from and to test with                        | a record is           | labels |
|------------|---------------------------------------------------------------|-----------------------|--------|
| arxiv      | 12,000 and 4,000, drawn by the seed from the parts of its split | title and abstract  | 169    |
| arxiv-all  | all of its split: 32,723 and 8,076                            | title and abstract    | 170    |
| reuters    | the ModApte split, stories with topics: 7,775 and 3,019       | title and body        | 115    |
| rcv1       | 10,000 and 4,000 distinct stories, drawn by the seed          | TF-IDF of words       | 100    |
| delicious  | its own split: 12,910 and 3,185                               | which of 500 words    | 983    |
| bibtex     | its own split: 4,880 and 2,515                                | which of 1,836 words  | 159    |
| finna      | 100,000 and 10,000: the first of either file                  | title, or some more   | 21,353 |

Labels are those of the training records, with the first seed. Test records keep labels that no training record has: a
suggester that cannot find them loses by it. Training records without labels are left out.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from snowballstemmer import stemmer

from tacit.corpus.record import Record
from tacit.datasets import load_arxiv, load_mulan, load_rcv1, load_reuters21578
from tacit.datasets.vectors import VectorSet

__all__ = ["COLLECTIONS", "DRAWN", "LARGE", "Split", "finna_lines", "finna_names", "load", "stems"]

_WORD = re.compile(r"\w+(?:-\w+)*")
_STEMMER = stemmer("english")
_ARXIV, _RCV1, _FINNA = (12_000, 4_000), (10_000, 4_000), (100_000, 10_000)
DRAWN = ("arxiv", "rcv1")  # collections whose records depend on the seed
LARGE = ("arxiv-all", "finna")  # measured only if asked for


@dataclass(frozen=True, eq=False)
class Split:
    """Records to learn from and to test with.

    Attributes
    ----------
    train, test : records; their texts are empty if the collection comes as rows
    rows, test_rows : records as rows of numbers, if the collection comes without texts
    weighted : whether these rows are TF-IDF already
    """

    name: str
    train: list[Record]
    test: list[Record]
    rows: Any = None
    test_rows: Any = None
    weighted: bool = False

    @cached_property
    def counts(self) -> tuple[Any, Any]:
        """Words of the records to learn from and of those to test with, counted as Annif's backends do."""
        if self.rows is not None:
            return self.rows, self.test_rows
        counter = CountVectorizer(analyzer=stems, dtype=np.float32)
        X = counter.fit_transform(record.text for record in self.train)
        return sp.csr_array(X), sp.csr_array(counter.transform(record.text for record in self.test))

    @cached_property
    def tfidf(self) -> tuple[Any, Any]:
        """The same as rows of TF-IDF of length 1."""
        X, X_test = self.counts
        if self.weighted:
            return X, X_test
        weights = TfidfTransformer().fit(X)
        return sp.csr_array(weights.transform(X)), sp.csr_array(weights.transform(X_test))


def stems(text: str) -> list[str]:
    """Cut a text into stems as Annif's Snowball analyzer does: three characters or more, with a letter."""
    return [_stem(word) for word in _WORD.findall(text.lower()) if len(word) > 2 and re.search(r"[^\W\d_]", word)]


@lru_cache(500_000)
def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


def arxiv(data: Path, seed: int, sizes: tuple[int, int] = _ARXIV) -> Split:
    """Read papers with their categories."""
    found, rng, drawn = load_arxiv(data), np.random.default_rng(seed), []
    for part, size in zip(("train", "test"), sizes, strict=True):
        own = [record for record in found if record.fields["split"] == part]
        drawn.append([own[row] for row in rng.permutation(len(own))[:size]])
    return Split("arxiv", drawn[0], drawn[1])


def reuters(data: Path, seed: int) -> Split:
    """Read stories with their topics."""
    found = [record for record in load_reuters21578(data) if record.labels]
    train, test = ([one for one in found if one.fields["split"] == part] for part in ("train", "test"))
    return Split("reuters", train, test)


def rcv1(data: Path, seed: int) -> Split:
    """Read stories as rows of words, with their topics; words of a single story are left out."""
    found = load_rcv1(data, drop_copies=True)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(np.diff(found.Y.indptr)))
    n_train, n_test = _RCV1
    X = found.X[:, np.flatnonzero(np.bincount(found.X.indices, minlength=found.X.shape[1]) > 1)]
    return _of_rows("rcv1", found, X, order[:n_train], order[n_train : n_train + n_test], weighted=True)


def mulan(data: Path, seed: int, name: str) -> Split:
    """Read texts as rows of words, with their tags."""
    found = load_mulan(name, data)
    train = np.flatnonzero((found.split == "train") & (np.diff(found.Y.indptr) > 0))
    return _of_rows(name, found, found.X, train, np.flatnonzero(found.split == "test"))


def _of_rows(name: str, found: VectorSet, X: Any, train: Any, test: Any, *, weighted: bool = False) -> Split:
    labels = [tuple(found.label_names[j] for j in found.Y.indices[a:b]) for a, b in pairwise(found.Y.indptr)]
    old, new = ([Record(str(row), "", labels[row]) for row in part] for part in (train, test))
    return Split(name, old, new, sp.csr_array(X[train]), sp.csr_array(X[test]), weighted)


def finna(data: Path, seed: int, sizes: tuple[int, int] = _FINNA) -> Split:
    """Read records of libraries with their subjects, named by their addresses."""
    parts = []
    for part, size in zip(("train", "test"), sizes, strict=True):
        lines = (line.rstrip("\n").split("\t", 1) for line in islice(finna_lines(data, part), size))
        records = [
            Record(f"{part} {row}", text, tuple(uri.strip("<>") for uri in uris.split()))
            for row, (text, uris) in enumerate(lines)
        ]
        parts.append(records)
    return Split("finna", parts[0], parts[1])


def finna_lines(data: Path, part: str) -> Iterator[str]:
    """Read the lines of a file of library records: text, tab, subjects."""
    with gzip.open(data / f"finna/finna-{part}.tsv.gz", "rt", encoding="utf-8", newline="\n") as file:
        yield from file


def finna_names(data: Path) -> dict[str, str]:
    """Read the names of all subjects of the library records, by their addresses."""
    with gzip.open(data / "finna/yso-en.tsv.gz", "rt", encoding="utf-8") as file:
        pairs = (line.rstrip("\n").split("\t") for line in file)
        return {pair[0].strip("<>"): pair[1] for pair in pairs}


COLLECTIONS: dict[str, Callable[[Path, int], Split]] = {
    "reuters": reuters,
    "bibtex": partial(mulan, name="bibtex"),
    "delicious": partial(mulan, name="delicious"),
    "rcv1": rcv1,
    "arxiv": arxiv,
    "arxiv-all": partial(arxiv, sizes=(40_000, 10_000)),
    "finna": finna,
}


def load(name: str, data: Path, seed: int = 0) -> Split:
    """Read a collection; the seed matters where records are drawn."""
    return COLLECTIONS[name](data, seed)
