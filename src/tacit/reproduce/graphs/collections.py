"""The collections of [Mu2010] or what stands for them, in thirds, as relations to prototypes."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit.datasets import load_arxiv, load_mulan, load_reuters21578
from tacit.models.graphs.prototypes import RelationFeatures
from tacit.text import vectoriser
from tacit.text.analysis import stemmer

__all__ = ["COLLECTIONS", "TEN", "Collection", "Part", "largest", "relations", "thirds"]

TEN = ("corn", "grain", "wheat", "acq", "earn", "ship", "interest", "money-fx", "crude", "trade")
_MANY = 4_500  # records of the two sets that stand for the paper's second one
_LEAST_SHARE = 0.01  # of these records that must have a category

Part = tuple[Any, np.ndarray]  # features and 0/1 labels


class Collection(NamedTuple):
    """Texts, or features of records, with 0/1 labels.

    Attributes
    ----------
    texts : tuple of str, or None
    X : CSR array, or None
    Y : array
    names : tuple of str, of the labels
    measure : str, of a record and a prototype: that of the paper for the set, or for the set that this one stands for
    """

    texts: tuple[str, ...] | None
    X: Any
    Y: np.ndarray
    names: tuple[str, ...]
    measure: str


@cache
def reuters(data_dir: Path | None) -> Collection:
    """Return the stories of ten categories, as Porter stems."""
    stories = [story for story in load_reuters21578(data_dir) if set(story.labels) & set(TEN)]
    stem = stemmer("porter")
    assert stem is not None
    stems = cache(stem)
    texts = tuple(" ".join(map(stems, re.findall(r"\b[a-z]{2,}\b", story.text.lower()))) for story in stories)
    Y = np.array([[name in story.labels for name in TEN] for story in stories], dtype=np.float32)
    return Collection(texts, None, Y, TEN, "euclidean")


@cache
def arxiv(data_dir: Path | None) -> Collection:
    """Draw papers, with the categories that one in a hundred has."""
    every = load_arxiv(data_dir)
    drawn = [every[row] for row in np.random.default_rng(0).choice(len(every), _MANY, replace=False)]
    counts = Counter(name for paper in drawn for name in set(paper.labels))
    names = tuple(sorted(name for name, count in counts.items() if count >= _LEAST_SHARE * _MANY))
    kept = [paper for paper in drawn if set(paper.labels) & set(names)]
    Y = np.array([[name in paper.labels for name in names] for paper in kept], dtype=np.float32)
    return Collection(tuple(paper.text for paper in kept), None, Y, names, "dot")


@cache
def delicious(data_dir: Path | None) -> Collection:
    """Draw web pages, with the hundred tags that are the most frequent."""
    pages = load_mulan("delicious", data_dir)
    rows = np.sort(np.random.default_rng(0).choice(pages.X.shape[0], _MANY, replace=False))
    Y: np.ndarray = sp.csr_array(pages.Y)[rows].toarray()
    frequent = np.sort(np.argsort(-Y.sum(axis=0), kind="stable")[:100])
    Y, X = Y[:, frequent], sp.csr_array(pages.X)[rows]
    kept = Y.any(axis=1) & (np.diff(X.indptr) > 0)
    return Collection(None, X[kept], Y[kept], tuple(pages.label_names[tag] for tag in frequent), "dot")


COLLECTIONS = {"Reuters": reuters, "arXiv": arxiv, "delicious": delicious}


def thirds(data: Collection, fold: int, *, n_records: int | None = None) -> tuple[Part, Part, Part]:
    """Return training, validation and test records: thirds in random order, which change their parts fold by fold."""
    order = np.random.default_rng(0).permutation(len(data.Y))[:n_records]
    rows = np.array_split(order, 3)
    rows = [rows[(fold + place) % 3] for place in range(3)]
    if data.texts is None:
        found = [data.X[part].astype(np.float32) for part in rows]
    else:
        words: TfidfVectorizer = vectoriser(min_df=2)
        words.fit([data.texts[row] for row in rows[0]])
        found = [sp.csr_array(words.transform([data.texts[row] for row in part])) for part in rows]
    found = [_unit(X) for X in found]
    first, second, third = ((X, data.Y[part]) for X, part in zip(found, rows, strict=True))
    return first, second, third


def largest(data: Collection) -> set[str]:
    """Return the names of the five largest categories, or of all if there are ten or fewer."""
    order = np.argsort(-data.Y.sum(axis=0), kind="stable")
    return {data.names[place] for place in (order if len(order) <= 10 else order[:5])}


def relations(measure: str, *, ratio: float = 0.25, selection: str = "auto", center: bool = True) -> Pipeline:
    """Return what describes records by prototypes, centred by the training records.

    Distances between unit rows are all near √2. What tells records apart is what is left without that constant, which
    else is most of the length that a ridge is measured by.
    """
    features = RelationFeatures(ratio=ratio, measure=measure, selection=selection)
    return make_pipeline(features, *([StandardScaler(with_std=False)] if center else []))


def _unit(X: sp.csr_array) -> sp.csr_array:
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.where(lengths, lengths, 1)) @ X).astype(np.float32)
