"""What Gaussians between label sets must know of all records: the directions in which labels vary, and a width.

D     u x L, the distinct label sets                 m     records with each set, n in all
Y     n x L, the labels of the records: row s of D comes m_s times in it, so that sums over records are sums over D
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh

__all__ = ["hamming_sum", "label_directions", "mean_over_different_sets", "projected_sum"]

Floats = npt.NDArray[np.float64]

# a dense eigenproblem of this size takes a second or two
_MOST_DENSE = 2_000

_MOST_AUTOMATIC = 100
_SHARE = 0.9

# eigenvalues closer than this, relative to the largest, are the same: equally large classes have equal ones
_TIED = 1e-9


def label_directions(sets: sp.csr_array, sizes: Floats, n_dimensions: int | None) -> Floats:
    """Give the k_c orthonormal directions P (L x k_c) in which the labels of the records vary most.

        max Σ_i ‖Pᵀ(y_i − ȳ)‖²,  PᵀP = I                                                         [Mu2010] eq. (15)

    Fewer where the labels vary in fewer. `n_dimensions` None takes as many as hold nine tenths of the variance, and
    those that hold as much as the last of them, as any choice among equals would be arbitrary; but at most 100.
    """
    n_sets, n_labels = sets.shape
    if n_sets == 1:
        return np.zeros((n_labels, 0))
    mean = (sizes @ sets) / sizes.sum()
    total = float(sizes @ sets.sum(axis=1) - sizes.sum() * mean @ mean)
    n_leading = min(n_labels, _MOST_AUTOMATIC + 1 if n_dimensions is None else n_dimensions)
    if n_labels <= _MOST_DENSE or n_leading > n_labels // 4:
        values, vectors = _dense_pairs(sets, sizes, mean)
    else:
        values, vectors = _leading_pairs(sets, sizes, mean, n_leading)
    varying = int(np.count_nonzero(values > _TIED * max(values[0], 0.0)))
    n_kept = _enough(values, total) if n_dimensions is None else n_dimensions
    return np.ascontiguousarray(vectors[:, : min(n_kept, varying)])


def _dense_pairs(sets: sp.csr_array, sizes: Floats, mean: Floats) -> tuple[Floats, Floats]:
    """Give all eigenpairs of the scatter of the labels, largest first."""
    scatter = (sets.T @ (sp.diags_array(sizes) @ sets)).toarray() - sizes.sum() * np.outer(mean, mean)
    values, vectors = np.linalg.eigh(scatter)
    return values[::-1], vectors[:, ::-1]


def _leading_pairs(sets: sp.csr_array, sizes: Floats, mean: Floats, n_leading: int) -> tuple[Floats, Floats]:
    """Give the largest eigenpairs by products only: with many labels their scatter would not fit."""
    n_records, n_labels = sizes.sum(), sets.shape[1]

    def scatter_times(v: Any) -> Floats:
        v = np.ravel(v)
        return np.asarray(sets.T @ (sizes * (sets @ v)) - n_records * mean * (mean @ v))

    scatter = LinearOperator((n_labels, n_labels), matvec=scatter_times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(n_labels)  # the same on every run
    values, vectors = eigsh(scatter, n_leading, which="LA", v0=start)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def _enough(values: Floats, total: float) -> int:
    """Count the leading directions that hold enough of the variance."""
    held = np.cumsum(values) >= _SHARE * total
    n_kept = int(np.argmax(held)) + 1 if held.any() else len(values)
    while n_kept < len(values) and values[n_kept - 1] - values[n_kept] <= _TIED * values[0]:
        n_kept += 1
    return min(n_kept, _MOST_AUTOMATIC)


def hamming_sum(sets: sp.csr_array, sizes: Floats) -> float:
    """Add up h² over all pairs of records, h their Hamming distance, without looking at any pair.

    h_ij = a_i + a_j − 2 s_ij, with a = Y 1 the numbers of labels and s = Y Yᵀ those shared, and Σ s² = ‖Yᵀ Y‖².
    """
    n, a = sizes.sum(), np.asarray(sets.sum(axis=1), dtype=np.float64)
    alone = 2 * n * (sizes @ a**2) + 2 * (sizes @ a) ** 2
    mixed = 2 * ((sizes * a) @ sets) @ (sizes @ sets)
    shared = (sets.T @ (sp.diags_array(sizes) @ sets)).data
    return float(alone - 4 * mixed + 4 * shared @ shared)


def projected_sum(sets: sp.csr_array, sizes: Floats, directions: Floats) -> float:
    """Add up ‖Pᵀ(y_i − y_j)‖² over all pairs of records: 2n times the sum of the squares around the mean."""
    places = sets @ directions
    n = sizes.sum()
    centred = places - (sizes @ places) / n
    return float(2 * n * (sizes @ (centred**2).sum(axis=1)))


def mean_over_different_sets(total: float, sizes: Floats) -> float:
    """Divide a sum over all pairs of records, 0 for those with the same labels, by the number of the others.

    1 where all labels are the same: all distances are 0 then, and any width gives weights of 1.
    """
    n_pairs = float(sizes.sum() ** 2 - sizes @ sizes)
    return total / n_pairs if n_pairs > 0 and total > 0 else 1.0
