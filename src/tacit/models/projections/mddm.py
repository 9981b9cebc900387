"""Multi-label dimensionality reduction via dependence maximisation [Zhang2010].

    XᵀC L C X p = λ (μ XᵀCX + (1 − μ) I) p,   L = Y Yᵀ or any label kernel,  C = I − 11ᵀ/N

The criterion is the Hilbert-Schmidt independence criterion of the positions X P and the labels, up to a constant.

| symbol | word                              | shape |
|--------|-----------------------------------|-------|
| L      | `label_kernel`, F Fᵀ              | N x N, formed only if precomputed |
| μ      | `mu`                              |       |
| C      | centring, H in the paper          | N x N, never formed |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.checks import check_number
from tacit.models.common.kernels import check_kernel, label_features, precomputed_label_features
from tacit.models.common.labels import known_records
from tacit.models.projections.base import LabelProjection, embedded_directions, label_root
from tacit.operators import Centred, Kernel
from tacit.relations.labels.matrix import as_labels
from tacit.types import Array

__all__ = ["MDDM"]


class MDDM(LabelProjection):
    """Dependence maximisation: the directions of largest dependence between terms and labels.

        max tr(PᵀXᵀC L C X P)

    Parameters
    ----------
    n_components : int, default 100 — dimensions; at most the rank of the label kernel; fewer are kept, with a
        warning
    constraint : {"projections", "embeddings"}, default "projections" — what is orthonormal. "projections": PᵀP = I, the
        paper's MDDMp; "embeddings": Pᵀ(μ XᵀCX + (1 − μ) I)P = I, its MDDMf
    mu : float in [0, 1], default 0.5 — μ, for "embeddings" only. 1 makes the positions uncorrelated, 0 is "projections"
        up to the lengths
    label_kernel, label_kernel_params : label kernel: "linear" (Y Yᵀ), "rbf", "poly", "cosine", …, a callable on two
        matrices, or "precomputed", with which y is the N x N matrix
    tol : float, default 1e-3 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Pᵀ; `transform` is X @ components_.T − offset_
    eigenvalues_ : (n_components_,) λ, largest first: the dependence of each direction
    mean_ : (n_terms,) the mean record
    offset_ : (n_components_,) the image of the mean record, subtracted from every position
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason
    n_iter_ : int, largest number of iterations of any of these solvers

    Notes
    -----
    There are two differences from the paper. The identity beside XᵀCX is in units of the mean squared length of a
    centred record, so that `mu` does not depend on the lengths of the vectors. And the records in the constraint are
    centred like those in the criterion, where the paper writes XᵀX: for centred records this is the same.

    "projections" is one thin singular value decomposition of XᵀCY, the same as `PLS` with that constraint; "embeddings"
    adds a block solve with one column per label. X stays sparse. Records with unknown labels are left out.

    References
    ----------
    [Zhang2010]; [Mu2010] sec. 4 for the constraints

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> MDDM(n_components=2).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]).transform(X).shape
    (5, 2)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        constraint: str = "projections",
        mu: float = 0.5,
        label_kernel: Kernel = "linear",
        label_kernel_params: Mapping[str, Any] | None = None,
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.mu = mu
        self.label_kernel = label_kernel
        self.label_kernel_params = label_kernel_params
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("mu", self.mu, high=1.0)
        check_kernel("label_kernel", self.label_kernel)

    def _known(self, X: Any, y: Any) -> tuple[Any, Any]:
        if self.label_kernel == "precomputed":
            return X, precomputed_label_features(y, X.shape[0], X.dtype)
        X, labels = known_records(X, as_labels(y, n_records=X.shape[0]))
        return X, label_features(labels, self.label_kernel, self.label_kernel_params, X.dtype)

    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        if self.constraint == "projections":
            return self._projected(cross)
        unit, mu = records.squared_norm() / records.shape[0], float(self.mu)
        if mu == 0:
            values, weights = self._projected(cross)
            return values / unit, weights / np.sqrt(unit).astype(weights.dtype)
        root = label_root(F, whiten=False)
        regression = self._regressed(records, F, cross, (1 - mu) / mu) / mu
        return embedded_directions(cross @ root, regression @ root, self.n_components)
