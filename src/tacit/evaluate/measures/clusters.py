"""Measures of clusters against known categories, one cluster and one category per record."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

from tacit.checks import check_rows
from tacit.errors import InputError

__all__ = ["ari", "clustering_f", "clustering_report", "nmi"]


def clustering_f(categories: Any, clusters: Any) -> float:
    """Measure clusters by the F1 of the best one for each category, weighted by the sizes of the categories.

        F = sum_i n_i / n max_j F(i, j),    F(i, j) = 2 n_ij / (n_i + n_j)

    F(i, j) combines recall n_ij / n_i and precision n_ij / n_j of cluster j for category i. (Sec. 5.2.1 of [Wang2006]
    prints n_i under both; its text has n_j, and with n_i both would be the same number.) One cluster may be the best
    for several categories, so F is not 0 for bad clusterings: with c equal categories, all records in one cluster reach
    more than 1 / c. `nmi` and `ari` correct for that.

    Parameters
    ----------
    categories, clusters : sequence of n_records
        The category and the cluster of each record: numbers or names.

    Returns
    -------
    float
        1 if and only if both groupings are the same.

    Examples
    --------
    >>> clustering_f(["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """
    given, found = _read(categories, clusters)
    # sparse: many categories in many clusters share few records
    shared = contingency_matrix(given, found, sparse=True).tocoo()
    n_given, n_found = np.bincount(given), np.bincount(found)
    best = np.zeros(len(n_given))
    np.maximum.at(best, shared.row, 2.0 * shared.data / (n_given[shared.row] + n_found[shared.col]))
    return float(n_given @ best / len(given))


def nmi(categories: Any, clusters: Any) -> float:
    """Normalised mutual information: 0 if the groupings are unrelated, 1 if they are the same."""
    return float(normalized_mutual_info_score(*_read(categories, clusters)))


def ari(categories: Any, clusters: Any) -> float:
    """Adjusted Rand index, the pairs of records on which both agree: about 0 if random, 1 if the same."""
    return float(adjusted_rand_score(*_read(categories, clusters)))


def clustering_report(categories: Any, clusters: Any) -> dict[str, float | int]:
    """Return the three measures and the counts in one flat dict, ready for a table or a JSON line."""
    given, found = _read(categories, clusters)
    return {
        "n_records": len(given),
        "n_categories": int(given.max()) + 1,
        "n_clusters": int(found.max()) + 1,
        "f": clustering_f(given, found),
        "nmi": nmi(given, found),
        "ari": ari(given, found),
    }


def _read(categories: Any, clusters: Any) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Number the groups of both sides from 0."""
    given, found = _numbered("categories", categories), _numbered("clusters", clusters)
    check_rows("clusters", len(found), len(given), of="categories")
    return given, found


def _numbered(name: str, groups: Any) -> npt.NDArray[np.intp]:
    values = np.asarray(groups)
    if values.ndim != 1 or not len(values):
        raise InputError(f"{name} is not a list of groups: got shape {values.shape}, expected one group per record.")
    if any(value is None or value != value for value in values.tolist()):
        raise InputError(f"{name} has gaps: got None or NaN, expected one group per record. Leave such records out.")
    return np.unique(values, return_inverse=True)[1]
