"""Canonical correlation analysis of terms and labels, regularised [Hotelling1936, Hardoon2004].

    XᵀCY (YᵀCY + r_y I)⁻¹ YᵀCX w = λ (XᵀCX + r I) w,   C = I − 11ᵀ/N

| symbol | word                                       | shape |
|--------|--------------------------------------------|-------|
| r, r_y | `ridge`, `label_ridge`, in units           |       |
| √λ     | canonical correlations, of `eigenvalues_`  | k     |
| K      | kernel matrix of the records               | N x N |

With a kernel w = Σ a_i φ(x_i), and with K_c = C K C the problem is

    K_c Y (YᵀCY + r_y I)⁻¹ Yᵀ K_c a = λ (K_c + r I) K_c a                                [Hardoon2004] sec. 3

so the regression of the labels is (K_c + r I)⁻¹ C Y, weights of the records, and the rest as with terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import scipy.linalg as la
from sklearn.utils.validation import check_is_fitted

from tacit.checks import as_rng, check_number
from tacit.models.base import read_records, warn_if_fewer
from tacit.models.common.centring import centred_kernel, check_records_differ, mean_row
from tacit.models.common.kernels import (
    check_dense_memory,
    check_kernel,
    kernel_rows,
    landmark_features,
    training_kernel,
    uses_landmarks,
)
from tacit.models.common.labels import known_records
from tacit.models.common.record_kernel import make_form
from tacit.models.projections.base import (
    LabelProjection,
    check_related,
    embedded_directions,
    label_root,
    label_scatter,
)
from tacit.operators import Centred, Kernel
from tacit.relations.labels.matrix import as_labels
from tacit.solve.result import descending, signs_of
from tacit.types import Array

__all__ = ["CCA"]


class CCA(LabelProjection):
    """Canonical correlation analysis: the directions of largest correlation of terms and labels.

        max corr(X w, Y u)

    Parameters
    ----------
    n_components : int, default 100 — dimensions; at most as many as labels; fewer are kept, with a warning
    constraint : {"embeddings", "projections"}, default "embeddings" — what is orthonormal. "embeddings" is CCA proper,
        Wᵀ(XᵀCX + r I)W = I; "projections" maximises tr(PᵀXᵀCY (YᵀCY + r_y I)⁻¹ YᵀCX P) with PᵀP = I instead
        [Mu2010], so that no term is divided by its scatter
    ridge : float >= 0, default 1.0 — r, in units of the mean squared length of a centred record, for "embeddings" only.
        0 is plain CCA, which overfits if there are more terms than records: every label is then correlated perfectly
    label_ridge : float >= 0, default 0.0 — r_y, in units of the mean squared length of a centred row of Y. 0 gives
        rare labels the same weight as frequent ones; large values weight labels by their records, as PLS does
    kernel : "linear", a name known to scikit-learn ("rbf", "poly", "cosine" …), callable on two matrices, or
        "precomputed", default "linear" — k(x, x') of the records
    kernel_params : dict or None, default None — gamma, degree, coef0 …
    n_landmarks : "auto", None or int, default "auto" — Nyström landmarks for a kernel: None is the exact kernel matrix;
        "auto" is exact up to 5,000 records and takes 1,000 landmarks (with a warning) above
    tol : float, default 1e-3 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ or Pᵀ; `transform` is X @ components_.T − offset_; with the linear kernel
    dual_components_ : (n_components_, n_records or n_landmarks) aᵀ with another kernel; `transform` is
        k(x, reference_records_) @ dual_components_.T − offset_
    reference_records_ : the records with known labels, or the landmarks; None if the kernel is linear or precomputed
    eigenvalues_ : (n_components_,) λ, largest first: with "embeddings" the squared correlations, reduced by the
        ridges
    mean_ : (n_terms,) the mean record; None with another kernel
    offset_ : (n_components_,) the image of the mean record, subtracted from every position
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason
    n_iter_ : int, largest number of iterations of any of these solvers

    Notes
    -----
    The labels are whitened, regressed on the terms in one block solve, and the rest is a dense problem of L x L, L the
    number of labels. X stays sparse; memory is two M x L arrays. Records with unknown labels are left out. If YᵀCY
    has no inverse, as with mutually exclusive classes, its pseudo-inverse is used.

    With a kernel all of this is done with the dense matrix of the records' kernel, or with features from landmarks.
    Kernel CCA needs a ridge: without one, a kernel of full rank correlates every label perfectly.

    With one class per record and no `label_ridge` this is linear discriminant analysis, see `LDA`.

    References
    ----------
    [Hotelling1936], [Hardoon2004] for the regularised form, [Mu2010] sec. 4 for the constraints

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> CCA(n_components=2).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]).transform(X).shape
    (5, 2)
    """

    dual_components_: Array
    reference_records_: Any

    def __init__(
        self,
        n_components: int = 100,
        *,
        constraint: str = "embeddings",
        ridge: float = 1.0,
        label_ridge: float = 0.0,
        kernel: Kernel = "linear",
        kernel_params: Mapping[str, Any] | None = None,
        n_landmarks: Any = "auto",
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.ridge = ridge
        self.label_ridge = label_ridge
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse; the kernel matrix if kernel="precomputed"
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`; records with
            unknown labels are left out
        """
        for name in ("components_", "dual_components_"):
            self.__dict__.pop(name, None)  # of an earlier fit with another kernel
        self.reference_records_ = None
        if self.kernel == "linear":
            return super().fit(X, y)
        self._check_parameters()
        X = self._read_training(X)
        rows, labels = known_records(np.arange(X.shape[0]), as_labels(y, n_records=X.shape[0]))
        F = labels.indicator.astype(X.dtype)
        if uses_landmarks(len(rows), self.kernel, self.n_landmarks):
            self._fit_landmarks(X[rows], F)
        else:
            self._fit_kernel(X, rows, F)
        warn_if_fewer(self.n_components, self.eigenvalues_.size, self._limit())
        self.mean_ = None
        return self

    def _place(self, X: Any) -> Array:
        """Place records by their terms alone, with the mean record at the origin, (n_records, n_components_)."""
        check_is_fitted(self, "eigenvalues_")
        if hasattr(self, "components_"):
            return super()._place(X)
        X = read_records(self, X, reset=False)
        # centring may leave little of a kernel: of unit rows of many words, as little as float32 rounds away
        rows = kernel_rows(_double(X), _double(self.reference_records_), self.kernel, self.kernel_params)
        return np.asarray(rows @ self.dual_components_.T - self.offset_, dtype=X.dtype)

    def _fit_landmarks(self, X: Any, F: Any) -> None:
        """Fit the linear model to features from landmarks."""
        self.reference_records_, lift, features = landmark_features(
            X, self.kernel, self.kernel_params, self.n_landmarks, self.n_components, as_rng(self.random_state)
        )
        self._fit_records(features, F)
        self.dual_components_ = self.__dict__.pop("components_") @ lift.T

    def _fit_kernel(self, X: Any, rows: Array, F: Any) -> None:
        """Solve with the kernel matrix of the records with known labels, in double precision."""
        check_dense_memory(len(rows), np.float64, "n_landmarks")
        if self.kernel == "precomputed":
            K = training_kernel(X, self.kernel, None)[np.ix_(rows, rows)]
        else:
            self.reference_records_ = X[rows]
            K = training_kernel(_double(self.reference_records_), self.kernel, self.kernel_params)
        mean = mean_row(K)
        check_records_differ(K, mean, is_kernel=True)
        centred = centred_kernel(K.astype(np.float64))
        spread, root = label_scatter(F), label_root(F.astype(np.float64), ridge=float(self.label_ridge), whiten=True)
        Y = F.toarray().astype(np.float64)
        Y -= Y.mean(axis=0)
        cross = centred @ Y
        most, what = float(np.trace(centred)) * spread, f"the directions of a kernel of {len(rows)} records"
        check_related(float(np.sum(Y * cross)), most, X.dtype, what=what)
        if self.constraint == "projections":
            values, weights = _projected_records(cross.T @ Y, Y, root, self.n_components)
        else:
            regression = make_form(self, centred, "dual", is_kernel=True).regress(Y)
            values, weights = embedded_directions(cross @ root, regression @ root, self.n_components)
        self.solution_, self.n_iter_ = (), 1
        self.eigenvalues_ = values.astype(X.dtype)
        self.offset_ = (mean @ weights).astype(X.dtype)
        self.dual_components_ = np.zeros(
            (values.size, X.shape[0] if self.kernel == "precomputed" else len(rows)), X.dtype
        )
        self.dual_components_[:, rows if self.kernel == "precomputed" else slice(None)] = weights.T

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("ridge", self.ridge)
        check_number("label_ridge", self.label_ridge)
        check_kernel("kernel", self.kernel)

    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        root = label_root(F, ridge=float(self.label_ridge), whiten=True)
        if self.constraint == "projections":
            return self._projected(cross @ root)
        regression = self._regressed(records, F, cross, float(self.ridge))
        return embedded_directions(cross @ root, regression @ root, self.n_components)


def _double(X: Any) -> Any:
    """Return records in double precision; None for the reference records of a precomputed kernel."""
    return None if X is None else X.astype(np.float64, copy=False)


def _projected_records(gram: Array, Y: Array, root: Array, n_components: int) -> tuple[Array, Array]:
    """Return λ and the weights of the records of P = XᵀCY R v / √λ, from the Gram matrix YᵀC K C Y."""
    inner = root.T @ gram @ root
    values, vectors = la.eigh((inner + inner.T) / 2)
    values, vectors = descending(values, vectors, n_components)
    real = values > values.max(initial=0) * len(gram) * float(np.finfo(np.float64).eps)
    weights = Y @ (root @ (vectors[:, real] / np.sqrt(values[real])))
    return values[real], weights * signs_of(weights)
