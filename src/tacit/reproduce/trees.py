"""Collections with a taxonomy, as experiments on hierarchies need them, and ways to split them.

Classes with few records can neither be learned nor measured: a class is kept if enough records are in it or below it,
and a record of a removed class keeps the nearest class above. Copies are dropped: no test record is in training.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from tacit.corpus.record import Record
from tacit.datasets import load_arxiv, load_enzyme, load_newsgroups, load_rcv1, load_reuters21578, load_taxonomy
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy
from tacit.text import vectoriser

__all__ = ["COLLECTIONS", "Collection", "arxiv", "enzyme", "leaf_split", "newsgroups", "rcv1", "reuters", "vectors"]

Rows = npt.NDArray[np.int64]

_MIN_DF = 3  # training texts that a word must be in; the sets here are small


class Collection(NamedTuple):
    """Records with labels that are nodes of a taxonomy.

    Attributes
    ----------
    X : CSR array of float32, or tuple of texts, which `vectors` weighs by the training records of a split
    Y : labels as given, not completed by the classes above them
    taxonomy : the nodes with enough records, and no others
    name : what to call it on a page
    published : rows of the published test part, None if splits are drawn from all records
    """

    X: Any
    Y: LabelMatrix
    taxonomy: Taxonomy
    name: str
    published: Rows | None = None


@cache
def rcv1(data_dir: str | None = None, *, n_records: int = 10_000, least: int = 20, seed: int = 0) -> Collection:
    """Draw stories of RCV1, with the words in at least five of them and the topics with at least `least` of them."""
    stories = load_rcv1(data_dir, drop_copies=True)
    rows = np.sort(np.random.default_rng(seed).choice(stories.X.shape[0], n_records, replace=False))
    labels = LabelMatrix.from_matrix(stories.Y[rows], names=stories.label_names)
    X = stories.X[rows]
    common = np.flatnonzero(np.bincount(X.indices, minlength=X.shape[1]) >= 5)
    return _pruned(sp.csr_array(X[:, common]), labels, _taxonomy("rcv1", data_dir), "RCV1", least)


@cache
def arxiv(data_dir: str | None = None, *, least: int = 40) -> Collection:
    """Read papers of arXiv under categories, archives and the group of physics."""
    papers = _without_copies(load_arxiv(data_dir))
    new = np.flatnonzero([paper.fields["split"] == "test" for paper in papers])
    return _of_records(papers, _taxonomy("arxiv", data_dir), "arXiv", least, new)


@cache
def enzyme(data_dir: str | None = None, *, oxidoreductases: bool = False, least: int = 20) -> Collection:
    """Read enzymes under the first three numbers of their EC numbers, all or the oxidoreductases."""
    records = _without_copies(load_enzyme(data_dir, oxidoreductases=oxidoreductases))
    taxonomy = _taxonomy("enzyme", data_dir)
    if oxidoreductases:
        # "1" holds all of them, so that it tells nothing, and what lies below it is the top
        taxonomy = Taxonomy.from_parents(
            {node: [up for up in taxonomy.parents(node) if up != "1"] for node in taxonomy.descendants("1")}
        )
        records = [record for record in records if record.labels != ("1",)]
    return _of_records(records, taxonomy, "Oxidoreductases" if oxidoreductases else "ENZYME", least)


@cache
def reuters(data_dir: str | None = None, *, least: int = 20) -> Collection:
    """Read stories of Reuters-21578 with a topic, under the groups of topics."""
    stories = _without_copies([story for story in load_reuters21578(data_dir) if story.labels])
    return _of_records(stories, _taxonomy("reuters21578", data_dir), "Reuters-21578", least)


@cache
def newsgroups(data_dir: str | None = None, *, least: int = 20) -> Collection:
    """Read postings of 20 Newsgroups under the hierarchies of their groups: comp, rec, sci and so on."""
    postings = _without_copies(load_newsgroups(data_dir, split="bydate"))
    groups = sorted({label for posting in postings for label in posting.labels})
    taxonomy = Taxonomy.from_parents({group: [group.split(".")[0]] for group in groups})
    return _of_records(postings, taxonomy, "20 Newsgroups", least)


COLLECTIONS: dict[str, Callable[..., Collection]] = {
    "arxiv": arxiv,
    "rcv1": rcv1,
    "enzyme": enzyme,
    "reuters": reuters,
    "newsgroups": newsgroups,
}


def leaf_split(
    Y: LabelMatrix, taxonomy: Taxonomy, *, n_train: int = 2_000, least: int = 5, seed: int = 0
) -> tuple[Rows, Rows]:
    """Draw records for training, the rest being new: at random, but with some of every leaf class.

    Parameters
    ----------
    Y, taxonomy : labels, and the classes above them
    n_train : int, default 2,000
        How many records train; more, if the leaves need more.
    least : int, default 5
        Training records that each leaf has, or all its records if there are fewer. The smallest leaves choose first,
        since those of the large ones often help the small ones, and not the other way round.
    seed : int, default 0

    Returns
    -------
    (training rows, new rows), both sorted
    """
    rng = np.random.default_rng(seed)
    leaves = Y.select([leaf for leaf in taxonomy.leaves if leaf in set(Y.names)])
    members = sp.csc_array(leaves.indicator)
    chosen = np.zeros(Y.n_records, dtype=bool)
    for leaf in np.argsort(leaves.counts, kind="stable"):
        rows = members.indices[members.indptr[leaf] : members.indptr[leaf + 1]]
        free = rng.permutation(rows[~chosen[rows]])
        chosen[free[: max(0, least - int(chosen[rows].sum()))]] = True
    rest = rng.permutation(np.flatnonzero(~chosen))
    chosen[rest[: max(0, n_train - int(chosen.sum()))]] = True
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


def vectors(collection: Collection, train: Rows, new: Rows) -> tuple[Any, Any]:
    """Return the vectors of the training and of the new records; texts are weighed by the training ones alone."""
    if not isinstance(collection.X, tuple):
        return collection.X[train], collection.X[new]
    words = vectoriser(min_df=_MIN_DF)
    X = words.fit_transform([collection.X[row] for row in train])
    return sp.csr_array(X), sp.csr_array(words.transform([collection.X[row] for row in new]))


def _taxonomy(name: str, data_dir: str | None) -> Taxonomy:
    table = load_taxonomy(name, data_dir)
    return Taxonomy.from_parents(table.parents, titles=table.titles)


def _without_copies(records: Sequence[Record]) -> list[Record]:
    """Keep the first of several records with the same text."""
    first: dict[str, Record] = {}
    for record in records:
        first.setdefault(record.text, record)
    return list(first.values())


def _of_records(
    records: Sequence[Record], taxonomy: Taxonomy, name: str, least: int, new: Rows | None = None
) -> Collection:
    sets = [tuple(label for label in record.labels if label in taxonomy) for record in records]
    texts = tuple(record.text for record in records)
    return _pruned(texts, LabelMatrix.from_sets(sets), taxonomy, name, least, new)


def _pruned(
    X: Any, labels: LabelMatrix, taxonomy: Taxonomy, name: str, least: int, new: Rows | None = None
) -> Collection:
    """Keep the nodes with at least `least` records, and the records that are in one of them."""
    counts = taxonomy.expand(labels).counts
    # a node with enough records is below nodes with enough, so that restricting adds none
    kept = taxonomy.restrict([node for node, count in zip(taxonomy.names, counts, strict=True) if count >= least])
    nearest = _nearest_kept(taxonomy, kept)
    sets = [{node for label in given or () for node in nearest[label]} for given in labels.to_sets()]
    rows = np.flatnonzero([len(each) > 0 for each in sets])
    Y = LabelMatrix.from_sets([sets[row] for row in rows], names=kept.names)
    new = None if new is None else np.flatnonzero(np.isin(rows, new))
    return Collection(tuple(X[row] for row in rows) if isinstance(X, tuple) else X[rows], Y, kept, name, new)


def _nearest_kept(taxonomy: Taxonomy, kept: Taxonomy) -> dict[Hashable, set[Hashable]]:
    """Map each node to itself if it is kept, else to what its parents become; the nodes come parents first."""
    nearest: dict[Hashable, set[Hashable]] = {}
    for node in taxonomy:
        above = {other for parent in taxonomy.parents(node) for other in nearest[parent]}
        nearest[node] = {node} if node in kept else above
    return nearest
