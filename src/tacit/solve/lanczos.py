"""ARPACK's implicitly restarted Lanczos method on an operator, one vector at a time."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from tacit.errors import SolverError
from tacit.operators.base import Operator
from tacit.solve.result import Eigenpairs
from tacit.solve.signs import descending

__all__ = ["lanczos"]


def lanczos(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    tol: float = 0.0,
    max_iter: int | None = None,
    metric: Operator | None = None,
    metric_inverse: LinearOperator | None = None,
) -> Eigenpairs:
    """Give the algebraically largest eigenpairs of a symmetric operator; with a metric B, of A x = λ B x.

    Parameters
    ----------
    operator : symmetric Operator, n x n, with n > n_components
    n_components : how many eigenpairs
    rng : where the start vector comes from
    tol : relative accuracy of the eigenvalues; 0 is machine precision
    max_iter : most restarts, default ARPACK's (10 n)
    metric, metric_inverse : symmetric positive definite B and the operator that applies its inverse

    Raises
    ------
    SolverError : if ARPACK gives up
    """
    v0 = rng.standard_normal(operator.shape[0]).astype(operator.dtype)
    try:
        values, vectors = eigsh(
            operator, n_components, M=metric, Minv=metric_inverse, which="LA", v0=v0, tol=tol, maxiter=max_iter
        )
    except ArpackNoConvergence as failure:
        raise SolverError(
            f"the Lanczos solver did not converge: got {len(failure.eigenvalues)} of {n_components} eigenpairs. "
            "Raise max_iter or tol, or use solver='krylov'."
        ) from failure
    values, vectors = descending(values, vectors)
    weighted = vectors if metric is None else metric @ vectors
    errors = np.linalg.norm(operator @ vectors - weighted * values, axis=0)
    scale = np.maximum(np.abs(values), np.finfo(operator.dtype).tiny)
    return Eigenpairs(values, vectors, errors / scale, 1, "lanczos")
