"""Records seen before, compressed to a few rows, and the leading singular triplets of these rows with new ones below.

    A = [X_old; X_new],  X_old ≈ U H,  UᵀU = I   ⟹   A ≈ diag(U, I) [H; X_new],  H = S Vᵀ, q x M

diag(U, I) has orthonormal columns, so [H; X_new] = U' S' V'ᵀ gives the singular values and right vectors of the whole
and, with U diag-multiplied onto U', its left vectors: no old record is needed [Zha1999]. Nothing is lost but what H
leaves out of X_old; with q at least the rank of X_old the update is exact. The same algebra serves labels: rows that
are rotated by Uᵀ carry their labels along, so UᵀY goes beside UᵀX.

[Zha1999] and [Brand2006] find the triplets in a basis of V and of what the new rows have outside of it, a QR
decomposition of M x n numbers. [Vecharynski2014] save it by keeping a few directions of that rest. Here the rows are
few, so their inner products are a small matrix: no rest is formed and none of it is dropped; where the rows are many,
they go to the solver that `fit` uses, started from H.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.checks import is_sparse
from tacit.models.common.kernel_forms import DualForm, Leading, dense_block
from tacit.operators import Centred, Operator, Stacked, as_operator
from tacit.operators.base import Array
from tacit.solve import SingularTriplets, leading_eigenpairs, leading_singular_triplets, without_vectors
from tacit.solve.signs import signs_of

__all__ = [
    "SMALL",
    "History",
    "RowForm",
    "is_matrix",
    "leading_of_rows",
    "row_products",
    "stacked_rows",
    "weakened",
    "wider",
]

SMALL = 2_000  # rows up to which their inner products are held as a dense matrix: 32 MB

_UNEVEN = 1e-8  # ratio of squared singular values below which vectors made by a division need to be straightened


@dataclass(frozen=True)
class History:
    """What stands for the records seen.

    Attributes
    ----------
    terms : UᵀX, q x n_terms; the first rows are those of the space itself
    labels : UᵀY, q x n_labels, Y the 0/1 labels; None without labels
    weight : how many records these are, older ones counting less if they are being forgotten
    squared_length : ‖X‖², of all records and not of `terms` alone
    label_counts : weight of the records that have each label: the diagonal of YᵀY
    n_known : weight of the records whose labels are known
    novelty : weight of records times drift, summed over all updates since the fit
    """

    terms: Array
    weight: float
    squared_length: float
    labels: Array | None = None
    label_counts: Array | None = None
    n_known: float = 0.0
    novelty: float = 0.0


class RowForm(DualForm):
    """K of few rows, as `DualForm` holds it, without its whole spectrum: an update asks for no leverages.

    Parameters
    ----------
    K : inner products of the rows
    ridge : absolute ridge, above 0
    tol, max_iter, rng : for the leading eigenvectors
    """

    def __init__(
        self, K: Array, *, ridge: float, tol: float, max_iter: int | None = None, rng: np.random.Generator
    ) -> None:
        self.K, self.n_records, self.dtype, self.ridge = K, len(K), K.dtype, ridge
        self.floor = len(K) * float(np.finfo(K.dtype).eps)
        self.trace = float(np.trace(K))
        self.tol, self.max_iter, self.rng = tol, max_iter, rng
        self._factor = la.cho_factor(K + ridge * np.eye(len(K)))
        self.reports: list[Any] = []

    def regress(self, T: Any) -> Array:
        """Solve with the Cholesky factor."""
        return np.asarray(la.cho_solve(self._factor, dense_block(T, self.dtype)))

    def leading(self, extra: Any, n_components: int, *, root: Array | None = None) -> Leading:
        """Give the leading eigenvectors, as exact as the records' own would be."""
        C = self.K
        if extra is not None:
            block = dense_block(extra, self.dtype)
            C = C + block @ block.T
        found = leading_eigenpairs(C, n_components, tol=self.tol, max_iter=self.max_iter, rng=self.rng)
        self.reports.append(without_vectors(found))
        return Leading(np.maximum(found.values, 0), found.vectors)


def weakened(history: History, keep: float) -> History:
    """The same records with this share of their weight."""
    if keep == 1:
        return history
    root = history.terms.dtype.type(np.sqrt(keep))
    return replace(
        history,
        terms=history.terms * root,
        weight=keep * history.weight,
        squared_length=keep * history.squared_length,
        labels=None if history.labels is None else history.labels * root,
        label_counts=None if history.label_counts is None else history.label_counts * keep,
        n_known=keep * history.n_known,
        novelty=keep * history.novelty,
    )


def leading_of_rows(
    top: Array,
    X: Any,
    n_components: int,
    *,
    centre: bool = False,
    solver: str = "auto",
    tol: float = 1e-2,
    max_iter: int | None = None,
    rng: np.random.Generator,
) -> SingularTriplets:
    """Give the leading singular triplets of [top; X], with left vectors; with `centre` X loses its mean row first."""
    few = solver == "auto" and len(top) + X.shape[0] <= SMALL and is_matrix(X)
    if few:
        return _through_products(top, X, n_components, centre, tol=tol, max_iter=max_iter, rng=rng)
    rows = Centred(as_operator(X)) if centre else as_operator(X)
    start = top.T if len(top) else None
    return leading_singular_triplets(
        stacked_rows([top, rows]), n_components, solver=solver, tol=tol, max_iter=max_iter, rng=rng, start=start
    )


def is_matrix(X: Any) -> bool:
    """Whether the rows themselves are at hand, and not only products with them."""
    return is_sparse(X) or isinstance(X, np.ndarray)


def stacked_rows(blocks: list[Any]) -> Operator:
    """Blocks below each other; those without rows are left out."""
    filled = [as_operator(block) for block in blocks if block.shape[0]]
    return filled[0] if len(filled) == 1 else as_operator(Stacked([as_operator(block.T) for block in filled]).T)


def row_products(top: Array, X: Any, *, centre: bool = False) -> Array:
    """Inner products of the rows of [top; X], in double precision; with `centre` X loses its mean row first."""
    top, X = top.astype(np.float64, copy=False), X.astype(np.float64, copy=False)
    corner = dense_block(X @ top.T, np.float64)
    inner = dense_block(X @ X.T, np.float64)
    if centre:
        corner = corner - corner.mean(axis=0)
        inner = inner - inner.mean(axis=0)
        inner = inner - inner.mean(axis=1)[:, None]
    return np.block([[top @ top.T, corner.T], [corner, inner]])


def wider(rows: Array, n_columns: int) -> Array:
    """Rows with zeros for columns that are new and come after the old ones."""
    missing = n_columns - rows.shape[1]
    return np.pad(rows, ((0, 0), (0, missing))) if missing else rows


def _through_products(
    top: Array,
    X: Any,
    n_components: int,
    centre: bool,
    *,
    tol: float,
    max_iter: int | None,
    rng: np.random.Generator,
) -> SingularTriplets:
    """The triplets from the matrix of inner products; exact as long as no singular value is tiny."""
    products = row_products(top, X, centre=centre)
    n, dtype = len(products), np.result_type(top.dtype, X.dtype)
    found = leading_eigenpairs(products, n_components, tol=tol, max_iter=max_iter, rng=rng)
    squares, left = found.values, found.vectors
    rounding = max(n * np.finfo(np.float64).eps, (max(n, X.shape[1]) * float(np.finfo(dtype).eps)) ** 2)
    rank = int(np.count_nonzero(squares > rounding * squares.max(initial=0)))
    values, left = np.sqrt(squares[:rank]), left[:, :rank]
    below = left[len(top) :]
    weights = (below - below.mean(axis=0) if centre else below) / values
    right = top.T @ (left[: len(top)] / values).astype(dtype) + dense_block(X.T @ weights.astype(dtype), dtype)
    if rank and squares[rank - 1] < _UNEVEN * squares[0]:
        left, values, right = _straightened(top, X, right, centre)
    signs = signs_of(right)
    reason = f"there are {n} rows, at most {SMALL}: their inner products are a small matrix"
    return SingularTriplets(
        (left * signs).astype(dtype),
        values.astype(dtype),
        right * signs,
        found.residuals[:rank].astype(dtype),
        found.iterations,
        found.solver,
        reason,
    )


def _straightened(top: Array, X: Any, right: Array, centre: bool) -> tuple[Array, Array, Array]:
    """Triplets in the span of `right`, to working precision: a QR step and a small decomposition."""
    basis = la.qr(right, mode="economic")[0]
    rows = dense_block(X @ basis, basis.dtype)
    left, values, turn = la.svd(
        np.vstack([top @ basis, rows - rows.mean(axis=0) if centre else rows]), full_matrices=False
    )
    return left, values, np.asarray(basis @ turn.T)
