"""What CCA, LDA, MDDM and PLS share: centred records, label features, and directions common to both.

All four look for directions along which G = XᵀCF is large, C = I − 11ᵀ/N. F holds the labels or something made of them,
so that G has as many columns as there are labels:

    projections   max tr(PᵀG GᵀP),  PᵀP = I        the leading left singular vectors of G
    embeddings    G Gᵀ w = λ S w,   WᵀSW = I       λ from the small GᵀB, B = S⁻¹G, and w = B e / √λ

S = XᵀCX + ridge I, and B is the ridge regression of the labels on the terms, by products with X alone. The two
constraints are those of [Mu2010] sec. 4, orthogonal projections and orthogonal embeddings.

| symbol | word                                | shape |
|--------|-------------------------------------|-------|
| X      | records x terms, known labels only  | N x M |
| F      | label features                      | N x p |
| Wᵀ, Pᵀ | `components_`                       | k x M |
| λ      | `eigenvalues_`                      | k     |
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import scipy.linalg as la

from tacit.checks import as_rng, check_choice, check_number, is_sparse
from tacit.errors import InputError
from tacit.models.base import SpaceModel, warn_if_fewer
from tacit.models.common.centring import centred_kernel, check_records_differ, mean_row
from tacit.models.common.class_hierarchy import class_bridges
from tacit.models.common.kernel_forms import dense_block
from tacit.models.common.labels import known_records
from tacit.models.common.product_forms import AugmentedForm, WideForm
from tacit.models.common.record_kernel import DENSE_LIMIT, record_products
from tacit.operators import Centred, MatrixOperator, as_operator
from tacit.relations.labels.matrix import as_labels
from tacit.solve import leading_singular_triplets, without_vectors
from tacit.solve.result import descending, signs_of
from tacit.types import Array

__all__ = [
    "CONSTRAINTS",
    "LabelProjection",
    "check_related",
    "embedded_directions",
    "label_root",
    "label_scatter",
    "regressed_labels",
]

CONSTRAINTS = ("embeddings", "projections")
_SAME = 1e-12  # share of the squared lengths below which a scatter is rounding


class LabelProjection(SpaceModel, ABC):
    """A space of directions common to the terms and the labels.

    A subclass defines the label features and the directions. Records with unknown labels are left out of the fit.
    """

    scaling = "unit"  # the constraint sets the lengths, which leaves nothing to choose
    _takes_label_sets = True
    _needs_labels = True
    _empty_at_origin = False  # the mean record is there
    constraint: str = "embeddings"
    tol: float
    random_state: Any = 0
    mean_: Array | None
    offset_: Array
    solution_: tuple[Any, ...]
    n_iter_: int

    def fit(self, X: Any, y: Any) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; records with
            unknown labels are left out
        """
        self._check_parameters()
        self._fit_records(*self._known(self._read_training(X), y))
        warn_if_fewer(self.n_components, self.eigenvalues_.size, self._limit())
        return self

    def _fit_records(self, X: Any, F: Any) -> None:
        """Find the directions of the records with known labels; F are their label features."""
        mean = mean_row(X)
        check_records_differ(X, mean, is_kernel=False)
        records, label_spread = Centred(X, mean), label_scatter(F)
        cross = class_bridges(records, F) if is_sparse(F) else np.asarray(records.T @ F)  # G, M x p
        most = records.squared_norm() * label_spread
        check_related(as_operator(cross).squared_norm(), most, cross.dtype, what=f"{cross.shape[0]} terms")
        self.solution_ = tuple()
        values, weights = self._directions(records, F, cross)
        self.mean_ = records.mean
        self.eigenvalues_ = values.astype(X.dtype)
        self.components_ = np.asarray(weights, dtype=X.dtype).T
        self.offset_ = self.components_ @ self.mean_
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)

    def _place(self, X: Any) -> Array:
        """Place records by their terms alone, with the mean record at the origin, (n_records, n_components_)."""
        positions = super()._place(X)
        positions -= self.offset_.astype(positions.dtype)
        return positions

    def _check_parameters(self) -> None:
        check_number("tol", self.tol, open_low=True)
        check_choice("constraint", self.constraint, CONSTRAINTS)

    def _known(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the records with known labels, and their label features."""
        X, labels = known_records(X, as_labels(y, n_records=X.shape[0]))
        return X, labels.indicator.astype(X.dtype)

    @abstractmethod
    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        """Return λ, largest first, and W as columns; `cross` is G."""

    def _limit(self) -> str:
        """Return the end of the warning about too many dimensions."""
        return "the labels can span"

    def _projected(self, cross: Array) -> tuple[Array, Array]:
        """Maximise tr(PᵀG GᵀP), PᵀP = I."""
        found = leading_singular_triplets(
            # transposed, so that the signs are fixed on the directions; in double precision, so that a rare label is
            # not taken for rounding
            cross.T.astype(np.float64),
            self.n_components,
            tol=self.tol,
            max_iter=self.max_iter,
            rng=as_rng(self.random_state),
            left=False,
        )
        self.solution_ += (without_vectors(found),)
        real = found.values > 100 * float(np.finfo(cross.dtype).eps) * found.values.max(initial=0)
        return found.values[real] ** 2, found.right[:, real]

    def _regressed(self, records: Centred, F: Any, cross: Array, ridge: float) -> Array:
        """Return B = S⁻¹G; `ridge` is in units of the mean squared length of a centred record."""
        rng = as_rng(self.random_state)
        regression, reports = regressed_labels(
            records, F, cross, ridge=ridge, tol=self.tol, max_iter=self.max_iter, rng=rng
        )
        self.solution_ += reports
        return regression


def embedded_directions(cross: Array, regression: Array, n_components: int) -> tuple[Array, Array]:
    """Solve G Gᵀ w = λ S w, WᵀSW = I, from G and B = S⁻¹G."""
    inner = cross.T.astype(np.float64) @ regression.astype(np.float64)
    values, vectors = descending(*la.eigh((inner + inner.T) / 2), n_components)
    # dividing by rounding errors would amplify noise
    floor = 10 * max(float(np.finfo(cross.dtype).eps), len(inner) * float(np.finfo(np.float64).eps))
    real = values > floor * values.max(initial=0)
    weights = regression @ (vectors[:, real] / np.sqrt(values[real])).astype(regression.dtype)
    return values[real], weights * signs_of(weights)


def label_root(F: Any, *, ridge: float = 0.0, whiten: bool) -> Array:
    """Return R, p x q, with R Rᵀ = (FᵀCF + ridge I)⁻¹, or without `whiten` the projector on the range of FᵀCF.

    The ridge is in units of the mean squared length of a row of CF.

    Combinations of labels that are equal for all records are left out: in an iterative regression, a repeated label or
    classes that together hold all records would give directions of pure error.
    """
    double = F.astype(np.float64)
    total = np.asarray(double.sum(axis=0)).ravel()
    values, vectors = la.eigh(dense_block(double.T @ double, np.float64) - np.outer(total, total / F.shape[0]))
    real = values > values.max(initial=0) * len(values) * 10 * float(np.finfo(F.dtype).eps)
    root = vectors[:, real] / np.sqrt(values[real] + ridge * values.sum() / F.shape[0]) if whiten else vectors[:, real]
    return np.asarray(root, dtype=F.dtype)


def check_related(covariance: float, most: float, dtype: Any, *, what: str) -> None:
    """Raise if the squared covariance of X and y is rounding, compared with the most that it could be."""
    if covariance <= (100 * float(np.finfo(dtype).eps)) ** 2 * most:
        raise InputError(
            f"X is unrelated to y: got {what}, none correlated with a label, expected some. "
            "Use LSI for a space without labels."
        )


def label_scatter(F: Any) -> float:
    """Return tr(FᵀCF); raise if all records have the same labels."""
    n, total = F.shape[0], as_operator(F).squared_norm()
    mean = np.asarray(F.sum(axis=0, dtype=np.float64)).ravel() / n
    spread = total - n * float(mean @ mean)
    if spread <= _SAME * total:
        raise InputError(
            f"y does not distinguish records: got {n} records that all have the same labels, expected some difference. "
            "Use LSI for a space without labels."
        )
    return spread


def regressed_labels(
    records: Centred, F: Any, cross: Array, *, ridge: float, tol: float, max_iter: int | None, rng: np.random.Generator
) -> tuple[Array, tuple[Any, ...]]:
    """Return B, M x p, of minimum norm without a ridge, and the reports of the iterative solver if one was used.

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
        F = F - F.mean(axis=0)  # otherwise the residual would be relative to the part that centring removes
    if ridge > 0 and min(records.shape) <= DENSE_LIMIT:
        inner = _inverse_times(_short_gram(records), absolute, F if through_records else cross)
        return np.asarray(records.T @ inner if through_records else inner, dtype=cross.dtype), ()
    form = (WideForm if through_records else AugmentedForm)(
        records, ridge=absolute, tol=tol, max_iter=max_iter, rng=rng
    )
    found = form.regress(F)
    return np.asarray(records.T @ found) if through_records else found, tuple(form.reports)


def _short_gram(records: Centred) -> Array:
    """Return C X XᵀC or XᵀCX, the smaller of the two, in double precision."""
    assert isinstance(records.operator, MatrixOperator)
    X = records.operator.matrix
    n, m = X.shape
    if n < m:
        return centred_kernel(record_products(X))
    total, step = np.zeros((m, m)), max(1, 2**22 // m)
    for first in range(0, n, step):  # so that no dense or float64 copy of all records is made
        block = dense_block(X[first : first + step], np.float64) - records.mean
        total += block.T @ block
    return total


def _inverse_times(S: Array, ridge: float, rhs: Array) -> Array:
    """Return (S + ridge I)⁻¹ rhs, by the eigenvectors of S: safe with a small ridge too."""
    values, vectors = la.eigh((S + S.T) / 2)
    return np.asarray(vectors @ ((vectors.T @ rhs) / (np.maximum(values, 0) + ridge)[:, None]))
