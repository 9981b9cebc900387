"""The graph of nearest neighbours by features.

[Mu2010] section 2.3: two records are joined if they are among the K nearest of each other, or if their distance is
within a range; the weight is constant, a Gaussian of the distance, a similarity, or that of LLE.
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
from tacit.relations.graphs.graph import EdgeWeights, Graph
from tacit.relations.graphs.neighbour_search import Arcs, nearest, nearly_nearest, within_range
from tacit.relations.graphs.vectors import Vectors, read_matrix, read_vectors
from tacit.types import Float64Array, IntArray

__all__ = ["NeighbourGraph", "neighbour_graph"]

Similarity = Callable[[Any, Any], Any]
JOINS = ("union", "mutual")
METRICS = ("cosine", "euclidean")
WEIGHTS = ("constant", "gaussian", "similarity", "lle")
SEARCHES = ("auto", "exact", "approximate")


@dataclass(frozen=True, eq=False)
class NeighbourGraph(Graph):
    """A graph of nearest neighbours, and how it was found.

    Attributes
    ----------
    parts : one `EdgeWeights`
    search : "exact" or "approximate"
    recall : share of the nearest neighbours that was found, measured on a sample of 500 records; 1 for "exact"
    width : τ of the Gaussian, None for other weights
    n_isolated : number of records that are not joined to another
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
    among: Any = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0,
    n_jobs: int | None = None,
) -> NeighbourGraph:
    """Join each record with its nearest neighbours.

    Parameters
    ----------
    X : array or sparse matrix, n_records x n_features — for float32 the weights are float32
    n_neighbours : int or None, default 10 — K of [Mu2010]: number of nearest neighbours; None with `within`
    join : {"union", "mutual"}, default "union" — join two records if either is among the nearest of the other, or only
        if both are ("K-nearest neighbours of each other" in the paper), which leaves more records isolated
    within : float, optional — instead of a number: join all up to this distance, or with at least this cosine
    metric : {"cosine", "euclidean"}, default "cosine" — with the cosine, only records with a cosine above 0 are
        neighbours, and an empty record has none
    weights : {"constant", "gaussian", "similarity", "lle"} or callable, default "constant" — weight of two neighbours:
        1; exp(−d²/τ), where d² = 2 − 2 cos for the cosine; the cosine; that of locally linear embedding (see Notes); or
        the similarities n_block x n_records that `weights(X_block, X)` returns, averaged over both directions. Negative
        ones count as 0, with a warning
    width : float or "auto", default "auto" — τ of the Gaussian; "auto" is the mean over the records of the squared
        distance to their farthest neighbour
    search : {"auto", "exact", "approximate"}, default "auto" — compare every record with every other, or with fewer
        (see Notes); "auto" is exact up to 30,000 records, and up to 100,000 if approximate search misses too many
    among : boolean of each record, optional — which records may be neighbours, default all. The others are joined with
        these whatever `join` is, and not with each other, and do not change the weights of the rest
    random_state : int, generator or None, default 0 — for the cells of approximate search and the sample of its recall
    n_jobs : int, optional — threads that compare blocks of records; products of dense blocks use their own

    Returns
    -------
    NeighbourGraph
        Symmetric weights, 0 between a record and itself except for "lle".

    Raises
    ------
    InputError
        If the number of neighbours is not below the number of records, for both or neither of `n_neighbours` and
        `within`, for NaN, and for unknown names.

    Notes
    -----
    Neighbours at the same distance, up to rounding, are taken in the order of their rows, and copies of a record are
    neighbours like any others. Exact search takes time in proportion to the square of n_records, and memory for blocks
    of 16 MiB.

    Approximate search of dense X divides the records into 1.5 √n_records cells by k-means and searches the 12 nearest;
    of sparse X it compares the 25 largest entries of each record, and the best 6 K in full. Its `recall` is measured,
    with a warning below 0.9. On one core, 30,000 stories of 77 words take 38 seconds by exact search and 13 by
    approximate; 27,613 dense ones of 128 dimensions in single precision 8 and 3 seconds, and 110,000 about 13.

    "lle" expresses each record by its neighbours (with "mutual", by the mutual ones) by least squares, with a ridge of
    a thousandth of the trace; M holds the coefficients, and W = M + Mᵀ − MᵀM. Then W 1 = 1 and D(W) − W =
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
    n_neighbours, within = _check_rule(n_neighbours, within, metric)
    check_choice("join", join, JOINS)
    if not callable(weights):
        check_choice("weights", weights, WEIGHTS)
    if weights == "similarity" and metric != "cosine":
        raise InputError(
            f"weights does not suit the metric: got 'similarity' and {metric!r}, expected metric='cosine'. "
            "Pass a function of (X_block, X), or weights='gaussian'."
        )
    tau = None if isinstance(width, str) and width == "auto" else check_number("width", width, open_low=True)
    given = read_matrix(X)
    some = _check_among(among, given.shape[0])
    chosen = _check_search(search, n_neighbours, given.shape[0] if some is None else len(some), given.shape[0])
    vectors = read_vectors(given, metric)
    arcs, recall = _neighbours(vectors, n_neighbours, within, chosen, some, random_state, n_jobs)
    if recall < _LEAST_RECALL and search == "auto" and vectors.n_records <= _EXACT_AFTER_ALL:
        chosen = "exact"
        arcs, recall = _neighbours(vectors, n_neighbours, within, chosen, some, random_state, n_jobs)
    if recall < _LEAST_RECALL:
        warnings.warn(
            f"search misses neighbours: got {recall:.0%} of the nearest for a sample of records, expected at least "
            f"{_LEAST_RECALL:.0%}. Use search='exact' for all of them.",
            TacitWarning,
            stacklevel=2,
        )
    if weights == "gaussian" and tau is None:
        tau = _automatic_width(arcs, vectors.n_records, some)
    W = _weighted(vectors, given, arcs, join, weights, tau, some)
    return NeighbourGraph(
        (EdgeWeights(W),),
        search=chosen,
        recall=recall,
        width=tau if weights == "gaussian" else None,
        n_isolated=_count_isolated(W, vectors),
    )


_EXACT_UPTO = 30_000
_EXACT_AFTER_ALL = 100_000  # a correct graph is worth some minutes of exact search
_LEAST_RECALL = 0.9


def _check_rule(n_neighbours: int | None, within: float | None, metric: str) -> tuple[int | None, float | None]:
    """Return the number of neighbours, or the range that they are in."""
    check_choice("metric", metric, METRICS)
    if n_neighbours is None and within is None:
        raise InputError(
            "n_neighbours is missing: got None and no within, expected one of the two. Pass n_neighbours=10."
        )
    if within is None:
        return check_count("n_neighbours", n_neighbours), None
    if n_neighbours is not None:
        raise InputError(
            f"within cannot be combined with n_neighbours: got {within!r} and {n_neighbours!r}, expected one. "
            "Pass n_neighbours=None to join by distance."
        )
    return None, check_number("within", within, high=1.0 if metric == "cosine" else np.inf)


def _check_among(among: Any, n_records: int) -> IntArray | None:
    """Return the rows of the records that may be neighbours, None for all."""
    if among is None:
        return None
    mask = np.asarray(among)
    if mask.dtype != bool or mask.shape != (n_records,) or not mask.any():
        raise InputError(
            f"among does not match X: got {mask.dtype} of shape {mask.shape} with {np.count_nonzero(mask)} records, "
            f"expected a boolean for each of {n_records} records, and at least one of them."
        )
    return None if mask.all() else np.flatnonzero(mask)


def _check_search(search: str, n_neighbours: int | None, n_possible: int, n_records: int) -> str:
    """Choose how to search, and check that there are enough records."""
    check_choice("search", search, SEARCHES)
    if n_neighbours is None:
        if search == "approximate":
            raise InputError(
                "search does not suit within: got 'approximate', expected 'exact' or 'auto'. "
                "Pass n_neighbours instead of within."
            )
        return "exact"
    if n_neighbours >= n_possible:
        raise InputError(
            f"n_neighbours is too large: got {n_neighbours} for {n_possible} records, expected at most "
            f"{n_possible - 1}."
        )
    return search if search != "auto" else "exact" if n_records <= _EXACT_UPTO else "approximate"


def _neighbours(
    vectors: Vectors,
    number: int | None,
    within: float | None,
    search: str,
    among: IntArray | None,
    random_state: Any,
    n_jobs: int | None,
) -> tuple[Arcs, float]:
    """Find the neighbours of each record; return them and their recall."""
    if within is not None:
        arcs = within_range(vectors, within, n_jobs)
        return arcs if among is None else arcs.taken(np.isin(arcs.column, among)), 1.0
    assert number is not None
    if search == "exact":
        return nearest(vectors, number, among=among, n_jobs=n_jobs), 1.0
    return nearly_nearest(vectors, number, as_rng(random_state), n_jobs, among=among)


def _weighted(
    vectors: Vectors,
    X: Any,
    arcs: Arcs,
    join: str,
    weights: str | Similarity,
    tau: float | None,
    among: IntArray | None,
) -> Any:
    """Return W, records x records."""
    n_records = vectors.n_records
    pairs = _joined_pairs(arcs, n_records, join, among)
    if weights == "lle":
        if among is not None:
            raise InputError("weights='lle' cannot be combined with among: expected among=None, or other weights.")
        if join == "mutual":
            arcs = arcs.taken(np.isin(_codes(arcs, n_records), _codes(pairs, n_records)))
        return _lle_weights(vectors, arcs)
    if callable(weights):
        values = _given_similarities(weights, X, pairs)
    elif weights == "gaussian":
        # if τ is 0, all neighbours are copies and have the weight 1
        values = np.exp(-pairs.squared / tau) if tau else np.ones(len(pairs.row))
    elif weights == "similarity":
        values = vectors.cosines(pairs.row, pairs.column, pairs.squared)
    else:
        values = np.ones(len(pairs.row))
    rows, columns = np.concatenate([pairs.row, pairs.column]), np.concatenate([pairs.column, pairs.row])
    both = np.concatenate([values, values]).astype(vectors.dtype)
    W = sp.csr_array((both, (rows, columns)), shape=(n_records, n_records))
    W.eliminate_zeros()
    return W


def _count_isolated(W: Any, vectors: Vectors) -> int:
    """Count the records that are not joined to another, and warn if there are any."""
    entries = W.tocoo()
    joined = np.zeros(vectors.n_records, dtype=bool)
    joined[entries.row[entries.row != entries.col]] = True
    n_isolated = int(np.count_nonzero(~joined))
    if n_isolated:
        n_empty = int(np.count_nonzero(vectors.empty)) if vectors.by_direction else 0
        reason = f", {n_empty} of them because they are empty" if n_empty else ""
        warnings.warn(
            f"X has records without neighbours: got {n_isolated} of {vectors.n_records}{reason}, expected none. They "
            "are isolated in the graph. Drop them, or join more with join='union', n_neighbours or within.",
            TacitWarning,
            stacklevel=3,
        )
    return n_isolated


def _joined_pairs(arcs: Arcs, n_records: int, join: str, among: IntArray | None) -> Arcs:
    """Return each joined pair once, the lower row number first."""
    found, first, counts = np.unique(_codes(arcs, n_records), return_index=True, return_counts=True)
    wanted = counts == 2 if join == "mutual" else counts > 0
    if among is not None:  # the others cannot be chosen, only choose
        wanted |= ~np.isin(arcs.row[first], among)
    row, column = np.divmod(found[wanted], n_records)
    return Arcs(row, column, arcs.squared[first[wanted]])


def _automatic_width(arcs: Arcs, n_records: int, among: IntArray | None) -> float:
    """Return τ: the mean over the records (the median may be 0) of the squared distance to their farthest neighbour."""
    farthest = np.full(n_records, -1.0)
    np.maximum.at(farthest, arcs.row, arcs.squared)
    farthest = farthest if among is None else farthest[among]
    known = farthest[farthest >= 0]
    return float(known.mean()) if len(known) else 0.0


def _given_similarities(similarity: Callable[[Any, Any], Any], X: Any, pairs: Arcs) -> Float64Array:
    """Call a function for the similarities of blocks of records with all records, and take those of the pairs."""
    ahead = _asked(similarity, X, pairs.row, pairs.column)
    values = (ahead + _asked(similarity, X, pairs.column, pairs.row)) / 2
    n_negative = int(np.count_nonzero(values < 0))
    if n_negative:
        warnings.warn(
            f"weights returns negative similarities: got {n_negative} of {len(values)} pairs below 0, the smallest "
            f"{values.min():.3g}, expected at least 0. These pairs are not joined.",
            TacitWarning,
            stacklevel=4,
        )
    return np.maximum(values, 0)


def _lle_weights(vectors: Vectors, arcs: Arcs) -> sp.csr_array:
    """Return W = M + Mᵀ − MᵀM with the coefficients m_ij of neighbours j of record i.

    The coefficients minimise ‖x_i − Σ_j m_ij x_j‖² with Σ_j m_ij = 1. As W 1 = 1, D(W) − W = (I − M)ᵀ (I − M), so
    minimising the distances weighted by W minimises the error of the same coefficients in the new space. Records
    without neighbours are left out.
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
    """Return a number for every pair, the same in both directions."""
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
                f"weights returns similarities of the wrong shape: got {block.shape} for a block of {stop - start} "
                f"records and all {n_records}, expected {(stop - start, n_records)}."
            )
        check_finite("the result of weights", block)
        values[inside] = np.asarray(block[rows[inside] - start, columns[inside]]).ravel()
    return values


_BLOCK_BYTES = 2**24


def _parts(vectors: Vectors, arcs: Arcs) -> Float64Array:
    """Return m_ij, in the order of the arcs."""
    starts = np.searchsorted(arcs.row, np.arange(vectors.n_records + 1))
    parts = np.empty(len(arcs.row))
    for row in np.flatnonzero(np.diff(starts)):
        own = slice(starts[row], starts[row + 1])
        steps = _steps(vectors.points, row, arcs.column[own])
        gram = steps @ steps.T
        # with more neighbours than dimensions, or copies, some coefficients are free, and become equal
        gram.flat[:: len(gram) + 1] += _RIDGE * (np.trace(gram) or 1.0)
        solved = np.linalg.solve(gram, np.ones(len(gram)))
        parts[own] = solved / solved.sum()
    return parts


_RIDGE = 1e-3


def _steps(points: Any, row: Any, neighbours: Any) -> Float64Array:
    """Return the differences of the neighbours from a record, k x the columns with entries."""
    if not is_sparse(points):
        return np.asarray(points[neighbours] - points[row].astype(np.float64))
    near = points[np.append(neighbours, row)]
    used, places = np.unique(near.indices, return_inverse=True)
    dense = sp.csr_array((near.data, places, near.indptr), shape=(near.shape[0], len(used))).toarray()
    return np.asarray(dense[:-1] - dense[-1].astype(np.float64))
