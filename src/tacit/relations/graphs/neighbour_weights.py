"""How strongly neighbours are joined: constant, Gaussian, by a similarity, or by the weights of LLE."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from tacit.checks import check_finite, is_sparse
from tacit.errors import InputError, TacitWarning
from tacit.relations.graphs.neighbour_search import Arcs
from tacit.relations.graphs.vectors import Floats, Rows, Vectors

__all__ = [
    "arcs_of_pairs",
    "automatic_width",
    "gaussian",
    "given_similarities",
    "joined_pairs",
    "lle_weights",
    "symmetric",
]


def joined_pairs(arcs: Arcs, n_records: int, join: str) -> Arcs:
    """Give each pair that is joined once, the lower row number first."""
    found, first, counts = np.unique(_codes(arcs, n_records), return_index=True, return_counts=True)
    wanted = counts == 2 if join == "mutual" else counts > 0
    row, column = np.divmod(found[wanted], n_records)
    return Arcs(row, column, arcs.squared[first[wanted]])


def arcs_of_pairs(arcs: Arcs, pairs: Arcs, n_records: int) -> Arcs:
    """Keep the arcs between records that are joined."""
    return arcs.taken(np.isin(_codes(arcs, n_records), _codes(pairs, n_records)))


def symmetric(pairs: Arcs, weights: Floats, n_records: int, dtype: Any) -> sp.csr_array:
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


def gaussian(squared: Floats, width: float) -> Floats:
    """exp(−d²/τ); if τ is 0, all neighbours are copies and have the weight 1."""
    return np.exp(-squared / width) if width > 0 else np.ones_like(squared)


def given_similarities(similarity: Callable[[Any, Any], Any], X: Any, pairs: Arcs) -> Floats:
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


def _codes(arcs: Arcs, n_records: int) -> Rows:
    """Give every pair a number, the same in both directions."""
    return np.asarray(np.minimum(arcs.row, arcs.column) * n_records + np.maximum(arcs.row, arcs.column))


def _asked(similarity: Callable[[Any, Any], Any], X: Any, rows: Any, columns: Any) -> Floats:
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


def _parts(vectors: Vectors, arcs: Arcs) -> Floats:
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


def _steps(points: Any, row: Any, neighbours: Any) -> Floats:
    """The way from a record to each neighbour, k x the columns in which they have anything."""
    if not is_sparse(points):
        return np.asarray(points[neighbours] - points[row].astype(np.float64))
    near = points[np.append(neighbours, row)]
    used, places = np.unique(near.indices, return_inverse=True)
    dense = sp.csr_array((near.data, places, near.indptr), shape=(near.shape[0], len(used))).toarray()
    return np.asarray(dense[:-1] - dense[-1].astype(np.float64))
