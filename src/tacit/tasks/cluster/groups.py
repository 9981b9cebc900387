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
_BLOCK = 8_192  # records that are assigned to centres at a time
_ROUNDS = 30  # of k-means of a part of the records, at most
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
    numbers = collection.store.numbers(filters)
    if most is not None and len(numbers) > check_count("most", most):
        placed, clustering, cosines = _from_some(collection, numbers, groups, most, random_state)
    else:
        placed, clustering, cosines = _from_all(collection, numbers, groups, random_state)
    of_records = np.zeros(len(placed), np.int64)
    of_records[placed] = clustering.labels + 1
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


class _Found(NamedTuple):
    """Which records have a position, the clusters of these, and their cosines with the centres."""

    placed: BoolArray
    clustering: Clustering
    cosines: Any


def _from_all(collection: OpenedIndex, numbers: IntArray, groups: int | None, random_state: int) -> _Found:
    from tacit.tasks.cluster.clustering import cluster

    positions = collection.positions.of(numbers)
    placed = np.asarray(positions.any(axis=1))
    n_groups, positions = _checked(groups, int(placed.sum()), len(numbers)), _unit(positions[placed])
    if len(positions) > _LARGE:
        clustering = _from_samples(positions, n_groups, random_state)
    else:
        n_init = next(starts for most, starts in _STARTS if len(positions) <= most)
        clustering = cluster(positions, n_groups, n_init=n_init, random_state=random_state, normalise=False)
    return _Found(placed, clustering, np.einsum("ij,ij->i", positions, _unit(clustering.centres)[clustering.labels]))


def _checked(groups: int | None, n_placed: int, n_records: int) -> int:
    """Return the number of groups of so many records with a position."""
    if not n_placed:
        got = "no record with a known word" if n_records else "no matching record"
        raise InputError(f"there is nothing to group: got {got}, expected at least one. Try other filters.")
    n_groups = default_groups(n_placed) if groups is None else check_count("groups", groups)
    if n_groups > n_placed:
        raise InputError(
            f"groups is out of range: got {groups}, expected at most the {n_placed:,} records with a position."
        )
    return n_groups


def _unit(rows: Any) -> Any:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def _from_some(collection: OpenedIndex, numbers: IntArray, groups: int | None, most: int, random_state: int) -> _Found:
    """Find centres by a random part of the records, and assign all of them, a block at a time."""
    from tacit.tasks.cluster.clustering import Clustering

    rng = np.random.default_rng(random_state)
    sample = collection.positions.of(np.sort(rng.choice(numbers, most, replace=False)))
    sample = _unit(sample[sample.any(axis=1)])
    centres = _centres(sample, _checked(groups, len(sample), len(numbers)), rng)
    squares = (centres**2).sum(axis=1)
    labels, cosines = np.full(len(numbers), -1, np.int64), np.zeros(len(numbers), np.float32)
    for start in range(0, len(numbers), _BLOCK):
        positions = collection.positions.of(numbers[start : start + _BLOCK])
        lengths = np.linalg.norm(positions, axis=1)
        products = positions @ centres.T / np.maximum(lengths, 1e-30)[:, None]
        nearest = np.argmin(squares - 2 * products, axis=1)
        labels[start : start + _BLOCK] = np.where(lengths > 0, nearest, -1)
        cosines[start : start + _BLOCK] = products[np.arange(len(nearest)), nearest] / np.sqrt(squares[nearest])
    placed = labels >= 0
    sizes = np.bincount(labels[placed], minlength=len(centres))
    order = np.argsort(-sizes, kind="stable")
    order = order[sizes[order] > 0]
    number = np.zeros(len(centres), np.int64)
    number[order] = np.arange(len(order))
    clustering = Clustering(number[labels[placed]], centres[order], sizes[order], float("nan"))
    return _Found(placed, clustering, cosines[placed])


def _centres(rows: Any, n_groups: int, rng: np.random.Generator) -> Any:
    """Return centres by one run of k-means; scikit-learn's would be as quick, but takes two seconds to import."""
    chosen = [int(rng.integers(len(rows)))]
    far = np.full(len(rows), np.inf)
    while len(chosen) < n_groups:  # each far from those before, as k-means++ chooses them
        far = np.minimum(far, np.maximum(0, 2 - 2 * (rows @ rows[chosen[-1]])))
        if not far.sum():
            break  # fewer different records than groups
        chosen.append(int(rng.choice(len(rows), p=far / far.sum())))
    centres, labels = rows[chosen], None
    for _ in range(_ROUNDS):
        nearest = np.argmin((centres**2).sum(axis=1) - 2 * (rows @ centres.T), axis=1)
        if labels is not None and np.array_equal(nearest, labels):
            break
        labels = nearest
        member = labels == np.arange(len(centres))[:, None]
        counts = member.sum(axis=1, keepdims=True)
        centres = np.where(counts > 0, member.astype(rows.dtype) @ rows / np.maximum(counts, 1), centres)
    return np.asarray(centres, rows.dtype)


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
