"""Cluster: groups of nearby records, named by the words and labels that distinguish them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_count
from tacit.corpus.record import Record
from tacit.display import Displayed, Table
from tacit.errors import InputError
from tacit.index import Filters
from tacit.tasks.explain.words import listed
from tacit.tasks.label_names import title_of
from tacit.tasks.opened_index import OpenedIndex
from tacit.tasks.search.hits import RecordHit
from tacit.tasks.search.search import hits_of
from tacit.types import BoolArray, IntArray

if TYPE_CHECKING:
    from tacit.tasks.cluster.clustering import Clustering

__all__ = ["Group", "Groups", "cluster_index", "default_groups"]

_MOST_GROUPS = 20  # by default
_LARGE = 50_000  # records above which mini-batch k-means finds the centres
_STARTS = ((5_000, 10), (_LARGE, 3))  # most records, and starts of k-means
_READ = 200  # records of each group whose words and labels are read


class GroupLabel(NamedTuple):
    """A label, its title, and the share of the group that has it."""

    label: str
    title: str
    share: float


@dataclass(frozen=True)
class Group:
    """A group of nearby records.

    Attributes
    ----------
    number : int
        The largest group is 1.
    size : int
        Number of records.
    cohesion : float
        Mean cosine of its records and its centre.
    words : tuple of str
        Words whose mean weight inside exceeds that outside most.
    labels : tuple of GroupLabel
        Labels whose share inside exceeds that outside most.
    examples : tuple of RecordHit
        The records nearest to the centre, with cosines.
    """

    number: int
    size: int
    cohesion: float
    words: tuple[str, ...]
    labels: tuple[GroupLabel, ...]
    examples: tuple[RecordHit, ...]

    @property
    def name(self) -> str:
        """Up to three words or labels of the group."""
        return listed(self.words) or listed(label.title for label in self.labels) or f"group {self.number}"

    def to_facts(self) -> dict[str, Any]:
        """Return it as plain data, as `--json` prints it."""
        return {
            "number": self.number,
            "size": self.size,
            "cohesion": self.cohesion,
            "name": self.name,
            "words": list(self.words),
            "labels": [label._asdict() for label in self.labels],
            "examples": [{"id": hit.id, "title": hit.title, "score": hit.score} for hit in self.examples],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Groups(Displayed):
    """All groups, largest first, and the group of each record.

    Attributes
    ----------
    groups : tuple of Group
    numbers : numbers of the records in the index, ascending
    of_records : the group of each of them, from 1; 0 for a record without any known word, which has no position
    """

    groups: tuple[Group, ...]
    numbers: IntArray
    of_records: IntArray

    def _parts(self) -> Iterator[str | Table]:
        yield f"{len(self.groups)} groups of {int(np.count_nonzero(self.of_records)):,} records"
        rows = [
            (one.number, one.size, one.cohesion, list(one.words), [label.title for label in one.labels])
            for one in self.groups
        ]
        yield Table(("group", "size", "cohesion", "words", "labels"), rows)

    @property
    def n_nowhere(self) -> int:
        """Number of records in no group."""
        return int(np.count_nonzero(self.of_records == 0))

    def members(self, collection: OpenedIndex, *, batch: int = 1000) -> Iterator[tuple[str, int]]:
        """Yield id and group of each record."""
        for start in range(0, len(self.numbers), batch):
            records = collection.store.get(self.numbers[start : start + batch])
            for record, group in zip(records, self.of_records[start : start + batch].tolist(), strict=True):
                yield record.id, group


def default_groups(n_records: int) -> int:
    """Return the default number of groups: the root of half the records, from 2 to 20."""
    return max(1, min(n_records, max(2, min(_MOST_GROUPS, round((n_records / 2) ** 0.5)))))


def cluster_index(
    collection: OpenedIndex,
    groups: int | None = None,
    *,
    words: int = 8,
    examples: int = 3,
    filters: Filters | None = None,
    random_state: int = 0,
    most: int | None = None,
) -> Groups:
    """Group the records by k-means of their positions, at length 1, and name the groups.

    Parameters
    ----------
    collection : an open index
    groups : int, optional
        Default: `default_groups` of the number of records.
    words : int, default 8
        Most words per group.
    examples : int, default 3
        Most example records per group.
    filters : Filters, optional
        Only matching records.
    random_state : int, default 0
        The same seed gives the same groups.
    most : int, optional
        Records from which the centres are found, if time matters more than the best groups; all are then assigned to
        their nearest centre.

    Notes
    -----
    Above 50,000 records mini-batch k-means finds the centres, and ten rounds of k-means refine them. Words and labels
    come from 200 random records of each group, so that naming the groups costs the same for every collection.
    """
    numbers, positions, placed = _placed(collection, filters)
    n_groups = default_groups(len(positions)) if groups is None else check_count("groups", groups)
    if n_groups > len(positions):
        raise InputError(
            f"groups is out of range: got {groups}, expected at most the {len(positions):,} records with a position."
        )
    from tacit.tasks.cluster.clustering import cluster

    if most is not None and len(positions) > check_count("most", most):
        clustering = _from_some(positions, n_groups, most, random_state)
    elif len(positions) > _LARGE:
        clustering = _from_samples(positions, n_groups, random_state)
    else:
        n_init = next(starts for most, starts in _STARTS if len(positions) <= most)
        clustering = cluster(positions, n_groups, n_init=n_init, random_state=random_state, normalise=False)
    of_records = np.zeros(len(placed), np.int64)
    of_records[placed] = clustering.labels + 1
    cosines = np.einsum("ij,ij->i", positions, _unit(clustering.centres)[clustering.labels])
    rng, rows = np.random.default_rng(random_state), []
    for group in range(clustering.n_clusters):
        members = np.flatnonzero(clustering.labels == group)
        rows.append(members if len(members) <= _READ else np.sort(rng.choice(members, _READ, replace=False)))
    sample = np.concatenate(rows)
    read = collection.store.get(numbers[placed][sample])
    named = _named(collection, read, clustering.labels[sample], clustering, check_count("words", words))
    found = []
    for group, (group_words, labels) in enumerate(named):
        members = np.flatnonzero(clustering.labels == group)
        nearest = members[np.argsort(-cosines[members], kind="stable")[:examples]]
        shown = hits_of(collection, numbers[placed][nearest], cosines[nearest])
        cohesion = float(cosines[members].mean())
        found.append(Group(group + 1, len(members), cohesion, group_words, labels, tuple(shown)))
    return Groups(tuple(found), numbers, of_records)


def _placed(collection: OpenedIndex, filters: Filters | None) -> tuple[IntArray, Any, BoolArray]:
    """Return the numbers of the records, the positions at length 1 of those that have one, and a mask of these."""
    numbers = collection.store.numbers(filters)
    positions = collection.positions.of(numbers)
    placed = np.asarray(positions.any(axis=1))
    if not placed.any():
        got = "no matching record" if filters is not None and not len(numbers) else "no record with a known word"
        raise InputError(f"there is nothing to group: got {got}, expected at least one. Try other filters.")
    return numbers, _unit(positions[placed]), placed


def _unit(rows: Any) -> Any:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def _from_some(positions: Any, n_groups: int, most: int, random_state: int) -> Clustering:
    """Find centres by a random part of the records, and assign all of them."""
    from tacit.tasks.cluster.clustering import Clustering, cluster

    rng = np.random.default_rng(random_state)
    rows = np.sort(rng.choice(len(positions), most, replace=False))
    found = cluster(positions[rows], n_groups, n_init=1, random_state=random_state, normalise=False)
    squares = (found.centres**2).sum(axis=1)
    labels = np.argmin(squares - 2 * (positions @ found.centres.T), axis=1)
    sizes = np.bincount(labels, minlength=found.n_clusters)
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    number = np.zeros(found.n_clusters, np.int64)
    number[order] = np.arange(len(order))
    return Clustering(number[labels], found.centres[order], sizes[order], found.inertia)


def _from_samples(positions: Any, n_groups: int, random_state: int) -> Clustering:
    """Run mini-batch k-means, and a few rounds of k-means over all records, which cost little."""
    import warnings

    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    from tacit.tasks.cluster.clustering import numbered

    start = MiniBatchKMeans(n_groups, batch_size=4096, n_init=10, random_state=random_state)
    # one thread sums in a fixed order: the same seed gives the same groups on any number of cores
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct records than groups
        means = KMeans(n_groups, init=start.fit(positions).cluster_centers_, n_init=1, max_iter=10).fit(positions)
    return numbered(means)


def _named(
    collection: OpenedIndex, records: Sequence[Record], of_records: IntArray, clustering: Clustering, n_words: int
) -> list[tuple[tuple[str, ...], tuple[GroupLabel, ...]]]:
    """Return words and labels that distinguish each group from the other records that were read."""
    from tacit.tasks.cluster.clustering import Clustering, describe

    read = Clustering(of_records, clustering.centres, np.bincount(of_records), 0.0)
    terms, X = _words(collection, [record.text for record in records])
    labels, Y = _labels(records)
    words = describe(read, X, terms, n_words) if terms else [[] for _ in read.sizes]
    shares = describe(read, Y, labels, 4) if labels else [[] for _ in read.sizes]
    named = []
    for group_words, group_shares in zip(words, shares, strict=True):
        frequent = [share for share in group_shares if share.inside >= 0.05]
        found = [GroupLabel(share.term, title_of(collection, share.term), share.inside) for share in frequent]
        named.append((tuple(term.term for term in group_words), tuple(found)))
    return named


def _words(collection: OpenedIndex, texts: list[str]) -> tuple[Sequence[str], Any]:
    """Return the words of texts; an index of vectors stores texts, but no words, which are counted here."""
    if collection.space.words is not None:
        X = collection.space.words.transform(texts)
        used = np.unique(X.indices)  # few words of a large vocabulary are in these texts
        return [collection.space.words.terms[column] for column in used], X[:, used]
    from tacit.text.words import Words

    try:
        words, X = Words.fit(texts)
    except InputError:
        return (), None
    return words.terms, X


def _labels(records: Sequence[Record]) -> tuple[list[str], Any]:
    names = sorted({label for record in records for label in record.labels})
    columns = {name: column for column, name in enumerate(names)}
    places = [(row, columns[label]) for row, record in enumerate(records) for label in record.labels]
    rows, cols = np.array(places, np.int64).reshape(-1, 2).T
    return names, sp.csr_array((np.ones(len(places)), (rows, cols)), shape=(len(records), len(names)))
