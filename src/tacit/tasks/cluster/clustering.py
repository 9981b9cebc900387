"""Clusters records by k-means, and describes the clusters by words."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from tacit.checks import as_rng, as_table, check_count, check_rows, is_sparse
from tacit.errors import InputError, TacitWarning
from tacit.types import Array, IntArray

if TYPE_CHECKING:
    from sklearn.cluster import KMeans

__all__ = ["Clustering", "cluster", "describe", "numbered"]


@dataclass(frozen=True, eq=False)
class Clustering:
    """Clusters of records, largest first.

    Attributes
    ----------
    labels : array of int, n_records: the cluster of each record, from 0
    centres : array, n_clusters x n_dimensions
    sizes : array of int, n_clusters: number of records, at least one
    inertia : float: sum of the squared distances of the records to their centres
    """

    labels: IntArray
    centres: Array
    sizes: IntArray
    inertia: float

    @property
    def n_clusters(self) -> int:
        """Number of clusters; fewer than requested if there are fewer distinct records."""
        return len(self.sizes)


class ClusterTerm(NamedTuple):
    """A term, and its mean weight in the records of a cluster and in all others."""

    term: str
    inside: float
    outside: float


def cluster(
    positions: Any,
    n_clusters: int,
    *,
    n_init: int = 10,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    normalise: bool = True,
) -> Clustering:
    """Cluster records by k-means, the best of several starts.

    Parameters
    ----------
    positions : array or sparse, n_records x n_dimensions
    n_clusters : int
        At most the number of records.
    n_init : int, default 10
        Number of starts; the one with the smallest inertia is kept.
    random_state : int, generator or None, default 0
        Seed of the starts. The same seed gives the same clusters, on any number of cores.
    normalise : bool, default True
        Whether to scale all records to length 1 first, so that they are clustered by direction: the length of a
        position depends on the length of the text.

    Returns
    -------
    Clustering
        Numbered by size, equal sizes by their first record.
    """
    # here, since the explorer's colours use the rest of this file only, and importing these takes two seconds
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.preprocessing import normalize
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    places = as_table("positions", positions)
    n_records = places.shape[0]
    if check_count("n_clusters", n_clusters) > n_records:
        raise InputError(f"n_clusters is out of range: got {n_clusters}, expected at most the {n_records} records.")
    check_count("n_init", n_init)
    seed = random_state if random_state is None else int(as_rng(random_state).integers(2**31 - 1))
    means = KMeans(n_clusters, n_init=n_init, random_state=seed)
    # one thread: with several, centres are summed in the order in which the threads happen to finish
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # replaced by the warning below
        means.fit(normalize(places) if normalise else places)
    found = numbered(means)
    if found.n_clusters < n_clusters:
        warnings.warn(
            f"n_clusters is more than there are different records: asked for {n_clusters}, made {found.n_clusters}.",
            TacitWarning,
            stacklevel=2,
        )
    return found


def describe(clustering: Clustering, X: Any, terms: Sequence[str], n: int = 10) -> list[list[ClusterTerm]]:
    """Return for each cluster the n terms whose mean weight inside exceeds that outside most.

    Parameters
    ----------
    clustering : Clustering
    X : array or sparse, n_records x n_terms
        Weights of the terms in the records, for instance TF-IDF.
    terms : sequence of str, n_terms
        Names of the columns, for instance `vectoriser.get_feature_names_out()`.
    n : int, default 10
        Most terms per cluster.
    """
    check_count("n", n)
    weights = as_table("X", X)
    check_rows("X", weights.shape[0], len(clustering.labels), of="clustering")
    if len(terms) != weights.shape[1]:
        raise InputError(f"terms does not match X: got {len(terms)} terms for {weights.shape[1]} columns.")
    inside, outside = _mean_weights(clustering, weights)
    described = []
    for own, others in zip(inside, outside, strict=True):
        lead = own - others
        best = [column for column in np.argsort(-lead, kind="stable")[:n] if lead[column] > 0]
        described.append([ClusterTerm(str(terms[i]), float(own[i]), float(others[i])) for i in best])
    return described


def numbered(means: KMeans) -> Clustering:
    """Return the clusters of a fitted k-means ordered by size, without empty ones."""
    found, first, sizes = np.unique(means.labels_, return_index=True, return_counts=True)
    order = np.lexsort((first, -sizes))
    number = np.empty(int(found.max()) + 1, dtype=np.int64)
    number[found[order]] = np.arange(len(order))
    centres = means.cluster_centers_[found[order]]
    return Clustering(number[means.labels_], centres, sizes[order].astype(np.int64), float(means.inertia_))


def _mean_weights(clustering: Clustering, weights: Any) -> tuple[Array, Array]:
    """Return the mean weight of each term inside and outside each cluster; 0 if nothing is outside."""
    n_records = len(clustering.labels)
    member = sp.csr_array(
        (np.ones(n_records), (clustering.labels, np.arange(n_records))), shape=(clustering.n_clusters, n_records)
    )
    sums = member @ weights
    sums = np.asarray(sums.toarray() if is_sparse(sums) else sums)
    sizes = clustering.sizes[:, None]
    others = sums.sum(axis=0) - sums
    return sums / sizes, np.divide(others, n_records - sizes, out=np.zeros_like(others), where=sizes < n_records)
