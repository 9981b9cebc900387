"""Canonical correlation analysis of terms and labels, regularised [Hotelling1936, Hardoon2004].

    XᵀCY (YᵀCY + r_y I)⁻¹ YᵀCX w = λ (XᵀCX + r I) w,   C = I − 11ᵀ/N

| symbol | word                                       | shape |
|--------|--------------------------------------------|-------|
| r, r_y | `ridge`, `label_ridge`, in units           |       |
| √λ     | canonical correlations, of `eigenvalues_`  | k     |
"""

from __future__ import annotations

from typing import Any

from tacit.checks import check_number
from tacit.models.projections.base import LabelProjection, embedded_directions, label_root
from tacit.operators import Centred
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
    tol : float, default 1e-3 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ or Pᵀ; `transform` is X @ components_.T − offset_
    eigenvalues_ : (n_components_,) λ, largest first: with "embeddings" the squared correlations, reduced by the
        ridges
    mean_ : (n_terms,) the mean record
    offset_ : (n_components_,) the image of the mean record, subtracted from every position
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason
    n_iter_ : int, largest number of iterations of any of these solvers

    Notes
    -----
    The labels are whitened, regressed on the terms in one block solve, and the rest is a dense problem of L x L, L the
    number of labels. X stays sparse; memory is two M x L arrays. Records with unknown labels are left out. If YᵀCY
    has no inverse, as with mutually exclusive classes, its pseudo-inverse is used.

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

    def __init__(
        self,
        n_components: int = 100,
        *,
        constraint: str = "embeddings",
        ridge: float = 1.0,
        label_ridge: float = 0.0,
        tol: float = 1e-3,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.constraint = constraint
        self.ridge = ridge
        self.label_ridge = label_ridge
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("ridge", self.ridge)
        check_number("label_ridge", self.label_ridge)

    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        root = label_root(F, ridge=float(self.label_ridge), whiten=True)
        if self.constraint == "projections":
            return self._projected(cross @ root)
        regression = self._regressed(records, F, cross, float(self.ridge))
        return embedded_directions(cross @ root, regression @ root, self.n_components)
