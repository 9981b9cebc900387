"""Ridge regressions of all labels on the terms at once, on the shorter side of X.

    B = (XᵀCX + ridge I)⁻¹ XᵀCF = XᵀC (C X XᵀC + ridge I)⁻¹ CF,   C = I − 11ᵀ/N

A dense matrix of the shorter side where that is small, block conjugate gradients with products only where it is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.models.common.kernel_forms import dense_block
from tacit.models.common.product_forms import AugmentedForm
from tacit.models.common.record_kernel import record_products
from tacit.models.common.spread import centred_kernel
from tacit.models.common.wide_form import WideForm
from tacit.operators import Centred, MatrixOperator
from tacit.operators.base import Array

__all__ = ["regressed_labels"]

_DENSE_LIMIT = 1_000  # smaller side of X up to which a regression is solved densely, as for `MLSI`


def regressed_labels(
    records: Centred,
    F: Any,
    cross: Array,
    *,
    ridge: float,
    tol: float,
    max_iter: int | None,
    rng: np.random.Generator,
) -> tuple[Array, tuple[Any, ...]]:
    """B, M x p, the shortest one without a ridge, and the reports of the iterative solver if there was one.

    Parameters
    ----------
    records : CX
    F : label features, N x p, dense or sparse
    cross : XᵀCF
    ridge : in units of the mean squared length of a record less the mean
    tol, max_iter, rng : for the iterative solver
    """
    absolute = ridge * records.squared_norm() / records.shape[0]
    through_records = ridge > 0 and records.shape[0] < records.shape[1]
    if through_records:
        F = dense_block(F, records.dtype)
        F = F - F.mean(axis=0)  # else the residual would be judged by what centring takes away
    if ridge > 0 and min(records.shape) <= _DENSE_LIMIT:
        inner = _inverse_times(_short_gram(records), absolute, F if through_records else cross)
        return np.asarray(records.T @ inner if through_records else inner, dtype=cross.dtype), ()
    form = (WideForm if through_records else AugmentedForm)(
        records, ridge=absolute, tol=tol, max_iter=max_iter, rng=rng
    )
    found = form.regress(F)
    return np.asarray(records.T @ found) if through_records else found, tuple(form.reports)


def _short_gram(records: Centred) -> Array:
    """C X XᵀC or XᵀCX, the smaller of the two, in double precision."""
    assert isinstance(records.operator, MatrixOperator)
    X = records.operator.matrix
    n, m = X.shape
    if n < m:
        return centred_kernel(record_products(X))
    total, step = np.zeros((m, m)), max(1, 2**22 // m)
    for first in range(0, n, step):  # so that no dense or double copy of all records is made
        block = dense_block(X[first : first + step], np.float64) - records.mean
        total += block.T @ block
    return total


def _inverse_times(S: Array, ridge: float, rhs: Array) -> Array:
    """(S + ridge I)⁻¹ rhs, by the eigenvectors of S: safe with a ridge far below its largest eigenvalue too."""
    values, vectors = la.eigh((S + S.T) / 2)
    return np.asarray(vectors @ ((vectors.T @ rhs) / (np.maximum(values, 0) + ridge)[:, None]))
