"""Leading eigenpairs from one product with the matrix, for matrices that are slow to read.

    Y = A Ω,  A ≈ Y (ΩᵀY)⁻¹ Yᵀ,  Ω random, orthonormal columns                             [Tropp2017]

It is exact if the rank of A is at most the number of columns of Ω; otherwise the error depends on the size of the
spectrum beyond those columns. As there is no second product with A, the residuals are unknown (NaN).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg as la

from tacit.errors import InputError
from tacit.operators.base import Operator
from tacit.solve.eigen.starting_block import starting_block
from tacit.solve.result import Eigenpairs, descending
from tacit.types import Array

__all__ = ["ONE_PASS", "single_pass"]

ONE_PASS = "asked for; one pass: not checked"


def single_pass(
    operator: Operator,
    n_components: int,
    *,
    rng: np.random.Generator,
    width: int | None = None,
    start: Array | Callable[[], Array] | None = None,
) -> Eigenpairs:
    """Return approximate leading eigenpairs of a positive semi-definite operator from one product with a block.

    Parameters
    ----------
    operator : symmetric positive semi-definite Operator, n x n
    n_components : number of eigenpairs
    rng : generator of Ω; the same state gives the same result
    width : columns of Ω, default 3 n_components + 10; the more, the more exact
    start : n x p vectors to include in Ω, e.g. those of an earlier fit

    Returns
    -------
    Eigenpairs : `residuals` are NaN and `converged` is False, as they are not measured

    Raises
    ------
    InputError : if a vector x with xᵀAx < 0 is found; not every one is found

    Notes
    -----
    Memory: three arrays of n x width. To keep the factorisation stable, the eigenvalues are lowered by √n times the
    machine precision of the largest, and those below that become zero.
    """
    n, wanted = operator.shape[0], min(operator.shape[0], n_components)
    columns = min(n, max(wanted, 3 * wanted + 10 if width is None else width))
    test = starting_block(n, columns, operator.dtype, rng, start)
    Y = np.array(operator @ test)
    unknown = np.full(wanted, np.nan)
    shift = float(np.sqrt(n) * np.finfo(operator.dtype).eps * np.linalg.norm(Y))
    if shift == 0:  # a zero operator: any vectors are right
        values, vectors = descending(np.zeros(columns, operator.dtype), test, wanted)
        return Eigenpairs(values, vectors, unknown, 1, "single_pass", ONE_PASS, converged=False)
    Y += operator.dtype.type(shift) * test
    core = np.asarray(test.T @ Y, np.float64)
    del test
    try:
        factor = la.cholesky((core + core.T) / 2, check_finite=False)
    except la.LinAlgError:
        raise InputError(
            "operator is not positive semi-definite: got a direction in which it is negative, expected none for "
            "solver='single_pass'. Use solver='krylov'."
        ) from None
    half = la.solve_triangular(factor.astype(Y.dtype), Y.T, trans="T", overwrite_b=True, check_finite=False).T
    left, sizes, _ = la.svd(half, full_matrices=False, overwrite_a=True, check_finite=False)
    values, vectors = descending(np.maximum(sizes**2 - shift, 0).astype(operator.dtype), left, wanted)
    return Eigenpairs(values, vectors, unknown, 1, "single_pass", ONE_PASS, converged=False)
