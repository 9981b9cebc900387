"""Honest positions of training records: those they would have without the influence of their own labels.

A training record's labels shaped its position; a new record has none. A classifier for new records must therefore be
trained on positions that do not depend on the records' own labels.

    v_i − [K_r⁻¹ V]_i / [K_r⁻¹]_ii          (V held fixed)                  Identity G

is the position of record i by the regression fitted to all the others. It needs only the leverages h_i = [K K_r⁻¹]_ii,
since the correction is (V − X W)_i / (1 − h_i): exact if K is small. For large collections the leverages are estimated
with random probes, in one block solve [Drineas2012]. On request, and without a ridge, the regression is cross-fitted in
folds instead, with V fixed, so that the folds share one coordinate system (docs/decisions/0004 and 0027).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.linalg as la
from scipy.special import expit, logit

from tacit.models.common.class_hierarchy import squared_lengths
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.product_forms import AugmentedForm, solve_shifted
from tacit.operators import Operator
from tacit.operators.rows.blocks import take_rows
from tacit.solve import least_squares
from tacit.solve.tall_arrays import factored, inner
from tacit.types import Array

__all__ = [
    "cross_fitted",
    "estimated_leverages",
    "honest_positions",
    "leave_one_out",
]


def honest_positions(
    form: RecordForm, V: Array, coefficients: Array, *, n_folds: int | None, rng: np.random.Generator, tol: float
) -> Array:
    """Return honest positions, N x k in unit scaling: in closed form for dense forms, else estimated or in folds.

    Parameters
    ----------
    form : K, with its ridge
    V : positions that the regression is fitted to, N x k
    coefficients : `form.regress(V)`
    n_folds, rng, tol : for an `AugmentedForm`; with n_folds None leverages are estimated, unless the ridge is 0
    """
    if isinstance(form, (DualForm, PrimalForm)):
        return leave_one_out(form, V, coefficients)
    assert isinstance(form, AugmentedForm)
    if n_folds is None and form.ridge > 0:
        squares = squared_lengths(form.matrix)
        leverages = estimated_leverages(form.X, form.ridge, squares=squares, rng=rng, tol=tol)
        return np.asarray(V - form.misfit(V, coefficients) / (1 - leverages).astype(V.dtype)[:, None])
    return cross_fitted(form.matrix, V, form.ridge, n_folds=n_folds or _DEFAULT_FOLDS, rng=rng, tol=tol)


_DEFAULT_FOLDS = 5


def leave_one_out(form: DualForm | PrimalForm, V: Array, coefficients: Array) -> Array:
    """Return honest positions by Identity G in closed form; without a ridge, its limit."""
    slack, inverse_diagonal, inverse_V = _row_facts(form, V)
    misfit = form.misfit(V, coefficients)
    honest = np.array(V, copy=True)
    # without a ridge the leverage of a record that the others cannot express is 1, but for rounding
    loose = slack > (np.sqrt(np.finfo(form.dtype).eps) if form.ridge == 0 else 0)
    honest[loose] -= misfit[loose] / slack[loose, None]
    # for such a record the limit of the formula is taken, with the pseudo-inverse of K
    tight = ~loose & (inverse_diagonal > 0)
    honest[tight] -= inverse_V[tight] / inverse_diagonal[tight, None]
    return honest


def _row_facts(form: DualForm | PrimalForm, V: Array) -> tuple[Array, Array, Array]:
    """Return 1 − diag(K K_r⁻¹), diag(K⁺) and K⁺V, from the eigenvectors of K."""
    values = form.left_values()
    left = form.ridge / (values + form.ridge)
    slack, inverse_diagonal = np.empty(form.n_records), np.empty(form.n_records)
    inverse_V = np.zeros_like(V)
    inner = np.zeros((values.size, V.shape[1]))
    if form.ridge == 0:
        for rows, U in form.left_blocks():
            inner += U.T @ V[rows]
    for rows, U in form.left_blocks():
        squares = np.square(U, dtype=np.float64)
        # the part outside the span of the records plus the part left by the ridge; 1 − h would cancel digits
        slack[rows] = np.maximum(1 - squares.sum(axis=1), 0) + squares @ left
        inverse_diagonal[rows] = squares @ (1 / values)
        if form.ridge == 0:
            inverse_V[rows] = U @ (inner / values[:, None])
    return slack, inverse_diagonal, inverse_V


def estimated_leverages(
    X: Operator, ridge: float, *, squares: Array, rng: np.random.Generator, tol: float, n_probes: int = 100
) -> Array:
    """Estimate h_i = x_iᵀ S⁻¹ x_i, S = XᵀX + ridge I, from random probes and from what the records have in common.

    For random signs z and s, g = X S⁻¹(Xᵀz + √ridge s) has E g_i² = h_i and E (z_i − g_i)² = 1 − h_i, and the two are
    uncorrelated. So the probes measure both, and the estimate of largest likelihood is right to some sqrt(2/n_probes)
    of h_i if that is small, and of 1 − h_i if that is small. The measured log-odds are then combined with their
    regression on the length of the record and on its part in the leading directions of X.

    Parameters
    ----------
    X : N x M
    ridge : above 0
    squares : squared length of each record
    rng, tol : of the probes, and for their solution
    n_probes : number of probes
    """
    n, m = X.shape
    signs = (2 * rng.integers(0, 2, (n, n_probes), dtype=np.int8) - 1).astype(np.int8)
    rhs = X.dtype.type(np.sqrt(ridge)) * (2 * rng.integers(0, 2, (m, n_probes), dtype=np.int8) - 1).astype(X.dtype)
    for part in _parts(n_probes):
        rhs[:, part] += X.T @ signs[:, part].astype(X.dtype)
    # a residual of .1, though below the probes' own error, makes search worse: pairs of words of 32,723 papers have an
    # nDCG@10 of .427 in honest positions with it, and .439 with .01 (2026-11-16)
    sketch = solve_shifted(X, ridge, rhs, tol=tol).solution
    del rhs
    hit, missed = np.zeros(n), np.zeros(n)
    for part in _parts(n_probes):
        reached = X @ sketch[:, part]
        hit += squared_lengths(reached)
        reached -= signs[:, part]
        missed += squared_lengths(reached)
    del sketch, signs
    odds, variances = _likeliest_odds(hit / n_probes, missed / n_probes, n_probes)
    if n >= _ENOUGH:
        odds = _shrunk(odds, variances, _profiles(X, ridge, squares, rng))
    return np.where(squares > 0, expit(odds), 0.0)


_COLUMNS = 32  # probes whose products are in memory at the same time
_ENOUGH = 300  # records from which log-odds are regressed on the ten columns of `_profiles`
_DIRECTIONS = 64
_ROWS = 2**12  # whose triangular solutions are in memory at the same time
_FAR = 1.5  # standard deviations of a measured value, by which it may be drawn at most


def _parts(n_columns: int) -> Iterator[slice]:
    for first in range(0, n_columns, _COLUMNS):
        yield slice(first, min(n_columns, first + _COLUMNS))


def _likeliest_odds(hit: Array, missed: Array, n_probes: int) -> tuple[Array, Array]:
    """Return log(h / (1 − h)) for which mean squares h and 1 − h are likeliest to be measured so, and its variance.

    The likelihood of two independent normal samples is largest where (hit − h)/h² + (1 − missed − h)/(1 − h)² = 0.
    """
    tiny = 1e-9
    h = np.clip(hit / np.maximum(hit + missed, tiny), tiny, 1 - tiny)
    for _ in range(20):
        near, far = h**2, (1 - h) ** 2
        h = np.clip((hit * far + (1 - missed) * near) / (near + far), tiny, 1 - tiny)
    return np.asarray(logit(h)), 1 / (n_probes * (0.5 - h * (1 - h)))


def _profiles(X: Operator, ridge: float, squares: Array, rng: np.random.Generator) -> Array:
    """Return what tells most about a leverage, N x 10: logarithms, their squares and products.

    They are the squared length of the record, its leverage in some of the leading directions of X, and its squared
    length outside of them.
    """
    n, m = X.shape
    start = rng.standard_normal((m, min(_DIRECTIONS, n, m)), dtype=np.float32)
    directions, _ = factored(X.gram(start.astype(X.dtype, copy=False)))
    del start
    inside = np.asarray(X @ directions)
    triangle = la.cholesky(inner(inside, inside).astype(np.float64) + ridge * np.eye(inside.shape[1]), lower=True)
    outside = squares - squared_lengths(inside)
    there = np.empty(n)
    for first in range(0, n, _ROWS):
        rows = slice(first, first + _ROWS)
        there[rows] = np.square(la.solve_triangular(triangle, inside[rows].T.astype(np.float64), lower=True)).sum(
            axis=0
        )
    del inside
    columns = []
    for each in (squares, there, outside):
        column = np.log(np.maximum(each, 1e-6 * max(float(each.mean()), np.finfo(np.float64).tiny)))
        columns.append((column - column.mean()) / max(float(column.std()), 1e-9))
    products = [columns[i] * columns[j] for i in range(3) for j in range(i, 3)]
    return np.stack([np.ones(n), *columns, *products], axis=1)


def _shrunk(odds: Array, variances: Array, profiles: Array) -> Array:
    """Draw measured values towards their regression on the profiles, as far as their variances say.

    None is drawn further than its own error may reach, as some records are exceptions to the regression [Efron1972].
    """
    spread = float(variances.mean())
    for _ in range(5):
        roots = 1 / np.sqrt(variances + spread)
        guess = profiles @ la.lstsq(profiles * roots[:, None], odds * roots)[0]
        excess = np.square(odds - guess) - variances
        spread = max(float(np.average(excess, weights=roots**2)), 1e-6)
    shift = (guess - odds) * variances / (variances + spread)
    most = _FAR * np.sqrt(variances)
    return np.asarray(odds + np.clip(shift, -most, most))


def cross_fitted(X: Any, V: Array, ridge: float, *, n_folds: int, rng: np.random.Generator, tol: float) -> Array:
    """Return honest positions by folds: each record is placed by the regression of V on the other folds.

    No fold starts from the regression on all records, which would save a few steps: an iteration that stops early would
    keep some influence of the records left out.
    """
    n = X.shape[0]
    fold_of = rng.permutation(np.arange(n) % n_folds)
    honest = np.empty_like(V)
    for fold in range(n_folds):
        held, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        found = least_squares(take_rows(X, others), V[others], ridge=ridge, tol=tol)
        honest[held] = take_rows(X, held) @ found.solution
    return honest
