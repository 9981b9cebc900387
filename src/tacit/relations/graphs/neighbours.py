"""The graph of nearest neighbours: which records are close by their own features, and how close.

[Mu2010] section 2.3: two records are joined if they are among the K nearest of each other, or if they are closer
than some range; the weight is constant, a Gaussian of the distance, a similarity, or comes from LLE.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import as_rng, check_choice, check_count, check_finite, check_number, is_sparse
from tacit.errors import InputError, TacitWarning
from tacit.relations.graphs.graph import Edges, Graph
from tacit.relations.graphs.neighbour_search import Arcs, nearest, nearly_nearest, within_range
from tacit.relations.graphs.vectors import Vectors, read_matrix, read_vectors
from tacit.types import Float64Array, IntArray

__all__ = [
    "NeighbourGraph",
    "arcs_of_pairs",
    "automatic_width",
    "gaussian",
    "given_similarities",
    "joined_pairs",
    "lle_weights",
    "neighbour_graph",
    "symmetric",
]

Similarity = Callable[[Any, Any], Any]
JOINS = ("union", "mutual")
METRICS = ("cosine", "euclidean")
WEIGHTS = ("constant", "gaussian", "similarity", "lle")
SEARCHES = ("auto", "exact", "approximate")


@dataclass(frozen=True, eq=False)
class NeighbourGraph(Graph):
    """A graph of neighbours, and how it was found.

    Attributes
    ----------
    parts : the weights, one `Edges`
    search : "exact" or "approximate"
    recall : the part of the nearest neighbours that was found, measured on a sample of 500 records; 1 for "exact"
    width : τ of the Gaussian, None for other weights
    n_isolated : how many records are joined to no other
    """

    search: str = "exact"
    recall: float = 1.0
    width: float | None = None
    n_isolated: int = 0


def neighbour_graph(
    X: Any,
    n_neighbours: int | None = 10,
    *,
    join: str = "union",
    within: float | None = None,
    metric: str = "cosine",
    weights: str | Similarity = "constant",
    width: float | str = "auto",
    search: str = "auto",
    random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    n_jobs: int | None = None,
) -> NeighbourGraph:
    """Join each record with its nearest neighbours.

    Parameters
    ----------
    X : array or sparse matrix, n_records x n_features — float32 gives weights in float32
    n_neighbours : int or None, default 10 — K of [Mu2010]: how many of the nearest are neighbours; None with `within`
    join : {"union", "mutual"}, default "union" — join two records if either has the other among its nearest, or only
        if both have ("K-nearest neighbours of each other", as the paper says), which leaves more records alone
    within : float, optional — instead of a number: join all up to this distance, or with at least this cosine
    metric : {"cosine", "euclidean"}, default "cosine" — what is near. Only a cosine above 0 makes neighbours: records
        that have nothing in common are not near, even if none is nearer, and an empty record has no neighbours
    weights : {"constant", "gaussian", "similarity", "lle"} or callable, default "constant" — weight of two neighbours:
        1; exp(−d²/τ), where d² = 2 − 2 cos for the cosine; the cosine; that of locally linear embedding (see Notes); or
        what `weights(X_block, X)` gives, similarities n_block x n_records, of which those of neighbours are used, the
        mean of both directions. Negative ones count as 0, with a warning
    width : float or "auto", default "auto" — τ of the Gaussian; "auto" is the mean over the records of the squared
        distance to the farthest of their neighbours
    search : {"auto", "exact", "approximate"}, default "auto" — compare every record with every other, or fewer (see
        Notes); "auto" is exact up to 30,000 records, and up to 100,000 where approximate search proves to miss too many
    random_state : int, generator or None, default 0 — for the cells of approximate search, and to sample its recall
    n_jobs : int, optional — threads that compare blocks of records; the products of dense blocks have their own

    Returns
    -------
    NeighbourGraph
        Symmetric weights, 0 between a record and itself except for "lle".

    Raises
    ------
    InputError
        For a number of neighbours that is not below the number of records, both or neither of `n_neighbours` and
        `within`, NaN, and names that are unknown.

    Notes
    -----
    Neighbours at the same distance, up to rounding, are taken in the order of their rows, and copies of a record are
    neighbours like any others. Exact search takes time with the square of n_records and memory for blocks of 16 MiB.

    Approximate search of dense X puts the records into 1.5 √n_records cells by k-means and looks into the 12 nearest;
    of sparse X it compares the 25 heaviest entries of each record and measures the best 6 K in full. Its `recall` is
    measured, with a warning below 0.9. On one core, 30,000 stories of 77 words take 38 seconds by exact search and 13
    by approximate; 27,613 dense ones of 128 dimensions in single precision 8 and 3 seconds, and 110,000 some 13.

    "lle" makes each record of its own neighbours (with "mutual", of those that are mutual) by least squares, with a
    ridge of a thousandth of the trace; M holds the parts, and W = M + Mᵀ − MᵀM. Then W 1 = 1 and D(W) − W =
    (I − M)ᵀ(I − M), so that Laplacian eigenmaps of this graph are LLE. Some of these weights are negative, and those of
    a record with itself are not 0.

    References
    ----------
    [Mu2010] sections 2.1 to 2.3.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [2, 0], [3, 1], [0, 1], [0, 2]])
    >>> neighbour_graph(X, 1, metric="euclidean").to_dense().nonzero()
    (array([0, 1, 1, 2, 3, 4]), array([1, 0, 2, 1, 4, 3]))
    """
    rule = _check_rule(n_neighbours, within, metric)
    check_choice("join", join, JOINS)
    weights = _check_weights(weights, metric)
    tau = None if isinstance(width, str) and width == "auto" else check_number("width", width, open_low=True)
    given = read_matrix(X)
    chosen = _check_search(search, rule, given.shape[0])
    vectors = read_vectors(given, metric)
    arcs, recall = _neighbours(vectors, rule, chosen, random_state, n_jobs)
    if recall < _LEAST_RECALL and search == "auto" and vectors.n_records <= _EXACT_AFTER_ALL:
        chosen = "exact"
        arcs, recall = _neighbours(vectors, rule, chosen, random_state, n_jobs)
    _warn_of_recall(recall)
    if weights == "gaussian" and tau is None:
        tau = automatic_width(arcs, vectors.n_records)
    W = _weighted(vectors, given, arcs, join, weights, tau)
    return NeighbourGraph(
        (Edges(W),),
        search=chosen,
        recall=recall,
        width=tau if weights == "gaussian" else None,
        n_isolated=_count_isolated(W, vectors),
    )


_EXACT_UPTO = 30_000
_EXACT_AFTER_ALL = 100_000  # some minutes of exact search are worth it for a graph that is right
_LEAST_RECALL = 0.9


@dataclass(frozen=True)
class _Rule:
    """Who is a neighbour: the nearest of a number, or all in a range."""

    number: int | None
    within: float | None


def _check_rule(n_neighbours: int | None, within: float | None, metric: str) -> _Rule:
    check_choice("metric", metric, METRICS)
    if n_neighbours is None and within is None:
        raise InputError(
            "n_neighbours is missing: got None and no within, expected one of the two. Give n_neighbours=10."
        )
    if within is None:
        return _Rule(check_count("n_neighbours", n_neighbours), None)
    if n_neighbours is not None:
        raise InputError(
            f"within does not go with n_neighbours: got {within!r} and {n_neighbours!r}, expected one of the two. "
            "Give n_neighbours=None to join by closeness."
        )
    return _Rule(None, check_number("within", within, high=1.0 if metric == "cosine" else np.inf))


def _check_weights(weights: str | Similarity, metric: str) -> str | Similarity:
    if callable(weights):
        return weights
    check_choice("weights", weights, WEIGHTS)
    if weights == "similarity" and metric != "cosine":
        raise InputError(
            f"weights does not go with metric: got 'similarity' and {metric!r}, expected 'cosine', which is one. "
            "Give a function of (X_block, X), or weights='gaussian'."
        )
    return weights


def _check_search(search: str, rule: _Rule, n_records: int) -> str:
    """Choose how to search, and check that there are enough records."""
    check_choice("search", search, SEARCHES)
    if rule.number is None:
        if search == "approximate":
            raise InputError(
                "search does not go with within: got 'approximate', expected 'exact' or 'auto', since a range has no "
                "number of neighbours to look for. Give n_neighbours instead of within."
            )
        return "exact"
    if rule.number >= n_records:
        raise InputError(
            f"n_neighbours is too large: got {rule.number} for {n_records} records, expected at most {n_records - 1}."
        )
    return search if search != "auto" else "exact" if n_records <= _EXACT_UPTO else "approximate"


def _neighbours(
    vectors: Vectors, rule: _Rule, search: str, random_state: Any, n_jobs: int | None
) -> tuple[Arcs, float]:
    """Find who is whose neighbour, and how much of it is found."""
    if rule.within is not None:
        return within_range(vectors, rule.within, n_jobs), 1.0
    assert rule.number is not None
    if search == "exact":
        return nearest(vectors, rule.number, n_jobs=n_jobs), 1.0
    return nearly_nearest(vectors, rule.number, as_rng(random_state), n_jobs)


def _warn_of_recall(recall: float) -> None:
    if recall < _LEAST_RECALL:
        warnings.warn(
            f"search misses neighbours: got {recall:.0%} of the nearest for a sample of records, expected at least "
            f"{_LEAST_RECALL:.0%}. Use search='exact' if that is too little.",
            TacitWarning,
            stacklevel=3,
        )


def _weighted(vectors: Vectors, X: Any, arcs: Arcs, join: str, weights: str | Similarity, tau: float | None) -> Any:
    """W, records x records."""
    n_records, dtype = vectors.n_records, vectors.dtype
    pairs = joined_pairs(arcs, n_records, join)
    if weights == "lle":
        return lle_weights(vectors, arcs_of_pairs(arcs, pairs, n_records) if join == "mutual" else arcs)
    if callable(weights):
        values = given_similarities(weights, X, pairs)
    elif weights == "gaussian":
        values = gaussian(pairs.squared, tau or 0.0)
    elif weights == "similarity":
        values = vectors.cosines(pairs.row, pairs.column, pairs.squared)
    else:
        values = np.ones(len(pairs.row))
    return symmetric(pairs, values, n_records, dtype)


def _count_isolated(W: Any, vectors: Vectors) -> int:
    """Count the records that are joined to no other, and say so if there are any."""
    entries = W.tocoo()
    joined = np.zeros(vectors.n_records, dtype=bool)
    joined[entries.row[entries.row != entries.col]] = True
    n_isolated = int(np.count_nonzero(~joined))
    if n_isolated:
        n_empty = int(np.count_nonzero(vectors.empty)) if vectors.by_direction else 0
        reason = f", {n_empty} of them because they are empty" if n_empty else ""
        warnings.warn(
            f"X has records without neighbours: got {n_isolated} of {vectors.n_records}{reason}, expected none. They "
            "are isolated in the graph. Drop them, or join more by join='union', n_neighbours or within.",
            TacitWarning,
            stacklevel=3,
        )
    return n_isolated


def joined_pairs(arcs: Arcs, n_records: int, join: str) -> Arcs:
    """Give each pair that is joined once, the lower row number first."""
    found, first, counts = np.unique(_codes(arcs, n_records), return_index=True, return_counts=True)
    wanted = counts == 2 if join == "mutual" else counts > 0
    row, column = np.divmod(found[wanted], n_records)
    return Arcs(row, column, arcs.squared[first[wanted]])


def arcs_of_pairs(arcs: Arcs, pairs: Arcs, n_records: int) -> Arcs:
    """Keep the arcs between records that are joined."""
    return arcs.taken(np.isin(_codes(arcs, n_records), _codes(pairs, n_records)))


def symmetric(pairs: Arcs, weights: Float64Array, n_records: int, dtype: Any) -> sp.csr_array:
    """W, with the weight of each pair in both places."""
    rows, columns = np.concatenate([pairs.row, pairs.column]), np.concatenate([pairs.column, pairs.row])
    both = np.concatenate([weights, weights]).astype(dtype)
    W = sp.csr_array((both, (rows, columns)), shape=(n_records, n_records))
    W.eliminate_zeros()
    return W


def automatic_width(arcs: Arcs, n_records: int) -> float:
    """τ: the mean over the records of the squared distance to the farthest of their neighbours.

    The mean and not the median, which is 0 as soon as half of the records have enough copies.
    """
    farthest = np.full(n_records, -1.0)
    np.maximum.at(farthest, arcs.row, arcs.squared)
    known = farthest[farthest >= 0]
    return float(known.mean()) if len(known) else 0.0


def gaussian(squared: Float64Array, width: float) -> Float64Array:
    """exp(−d²/τ); if τ is 0, all neighbours are copies and have the weight 1."""
    return np.exp(-squared / width) if width > 0 else np.ones_like(squared)


def given_similarities(similarity: Callable[[Any, Any], Any], X: Any, pairs: Arcs) -> Float64Array:
    """Ask a function for the similarities of blocks of records with all of them, and take those of the pairs."""
    ahead = _asked(similarity, X, pairs.row, pairs.column)
    values = (ahead + _asked(similarity, X, pairs.column, pairs.row)) / 2
    n_negative = int(np.count_nonzero(values < 0))
    if n_negative:
        warnings.warn(
            f"weights gives negative similarities: got {n_negative} of {len(values)} pairs below 0, the least "
            f"{values.min():.3g}, expected at least 0. These pairs are not joined.",
            TacitWarning,
            stacklevel=4,
        )
    return np.maximum(values, 0)


def lle_weights(vectors: Vectors, arcs: Arcs) -> sp.csr_array:
    """W = M + Mᵀ − MᵀM, with the part m_ij that neighbour j has in record i.

    The parts minimise ‖x_i − Σ_j m_ij x_j‖² with Σ_j m_ij = 1. As W 1 = 1, D(W) − W = (I − M)ᵀ (I − M): minimising the
    distances that W weighs is minimising how badly the same parts make up each record again. Records without
    neighbours stay out of it.
    """
    n_records = vectors.n_records
    M = sp.csr_array((_parts(vectors, arcs), (arcs.row, arcs.column)), shape=(n_records, n_records))
    known = sp.diags_array((np.bincount(arcs.row, minlength=n_records) > 0).astype(np.float64))
    misfit = known - M
    W: Any = known - misfit.T @ misfit
    W = sp.csr_array((W + W.T) / 2)
    W.eliminate_zeros()
    return W.astype(vectors.dtype)


def _codes(arcs: Arcs, n_records: int) -> IntArray:
    """Give every pair a number, the same in both directions."""
    return np.asarray(np.minimum(arcs.row, arcs.column) * n_records + np.maximum(arcs.row, arcs.column))


def _asked(similarity: Callable[[Any, Any], Any], X: Any, rows: Any, columns: Any) -> Float64Array:
    n_records = X.shape[0]
    step = max(1, _BLOCK_BYTES // (8 * n_records))
    order = np.argsort(rows, kind="stable")
    values = np.empty(len(rows))
    for start in range(0, n_records, step):
        stop = min(start + step, n_records)
        inside = order[slice(*np.searchsorted(rows[order], [start, stop]))]
        if not len(inside):
            continue
        block = similarity(X[start:stop], X)
        block = block.tocsr() if is_sparse(block) else np.asarray(block)
        if block.shape != (stop - start, n_records):
            raise InputError(
                f"weights gives similarities of the wrong shape: got {block.shape} for a block of {stop - start} "
                f"records and all {n_records}, expected {(stop - start, n_records)}."
            )
        check_finite("what weights gives", block)
        values[inside] = np.asarray(block[rows[inside] - start, columns[inside]]).ravel()
    return values


_BLOCK_BYTES = 2**24


def _parts(vectors: Vectors, arcs: Arcs) -> Float64Array:
    """m_ij, in the order of the arcs."""
    starts = np.searchsorted(arcs.row, np.arange(vectors.n_records + 1))
    parts = np.empty(len(arcs.row))
    for row in np.flatnonzero(np.diff(starts)):
        own = slice(starts[row], starts[row + 1])
        steps = _steps(vectors.points, row, arcs.column[own])
        gram = steps @ steps.T
        # more neighbours than dimensions, or copies of one: some of the parts are then free, and become equal
        gram.flat[:: len(gram) + 1] += _RIDGE * (np.trace(gram) or 1.0)
        solved = np.linalg.solve(gram, np.ones(len(gram)))
        parts[own] = solved / solved.sum()
    return parts


_RIDGE = 1e-3


def _steps(points: Any, row: Any, neighbours: Any) -> Float64Array:
    """The way from a record to each neighbour, k x the columns in which they have anything."""
    if not is_sparse(points):
        return np.asarray(points[neighbours] - points[row].astype(np.float64))
    near = points[np.append(neighbours, row)]
    used, places = np.unique(near.indices, return_inverse=True)
    dense = sp.csr_array((near.data, places, near.indptr), shape=(near.shape[0], len(used))).toarray()
    return np.asarray(dense[:-1] - dense[-1].astype(np.float64))
