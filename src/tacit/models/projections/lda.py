"""Linear discriminant analysis for one class per record, regularised and sparse [Fisher1936].

    S_b w = μ (S_w + r I) w,   S_b + S_w = XᵀCX

S_b is the scatter between the means of the classes, S_w the scatter within them. With Y the 0/1 matrix of the classes
S_b = XᵀCY (YᵀCY)⁺ YᵀCX, so that this is CCA with λ = μ / (1 + μ) [Hastie1995].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.checks import check_number
from tacit.errors import InputError
from tacit.models.common.labels import known_records, name_array
from tacit.models.projections.base import LabelProjection, embedded_directions, label_root
from tacit.operators import Centred
from tacit.relations.labels.matrix import as_labels
from tacit.types import Array

__all__ = ["LDA"]


class LDA(LabelProjection):
    """Linear discriminant analysis: the directions that separate the classes best relative to their width.

        max tr[(Wᵀ(S_w + r I)W)⁻¹ WᵀS_b W]

    Parameters
    ----------
    n_components : int, default 100 — dimensions; at most one less than classes; fewer are kept, with a warning
    ridge : float >= 0, default 1.0 — r, in units of the mean squared length of a centred record. 0 is plain LDA, which
        needs fewer terms than records
    tol : float, default 1e-3 — relative residual at which the iterative solver stops
    max_iter : int or None, default None — maximum number of iterations

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ with Wᵀ(S_w + r I)W = I; `transform` is X @ components_.T − offset_
    eigenvalues_ : (n_components_,) μ, scatter between over scatter within, largest first
    classes_ : (n_classes,) the classes that have records
    mean_ : (n_terms,) the mean record
    offset_ : (n_components_,) the image of the mean record, subtracted from every position
    solution_ : tuple with the solver's report: residuals, iterations, solver, reason
    n_iter_ : int, its iterations

    Notes
    -----
    X stays sparse: one block solve with one column per class, then a dense problem of the size of the classes.
    scikit-learn's LinearDiscriminantAnalysis, which classifies too, makes X dense. Records with an unknown class are
    left out. For several labels per record, use `HLSI` or `CCA`.

    References
    ----------
    [Fisher1936]; [Hastie1995] for the ridge and for the equality with CCA

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1], [0, 1, 1, 0]])
    >>> LDA(n_components=2).fit(X, ["a", "a", "b", "b", "c", "c"]).transform(X).shape
    (6, 2)
    """

    _takes_label_sets = False

    def __init__(
        self, n_components: int = 100, *, ridge: float = 1.0, tol: float = 1e-3, max_iter: int | None = None
    ) -> None:
        self.n_components = n_components
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("ridge", self.ridge)

    def _known(self, X: Any, y: Any) -> tuple[Any, Any]:
        labels = as_labels(y, n_records=X.shape[0])
        n_classes = np.diff(labels.indicator.indptr)
        several, none = np.flatnonzero(n_classes > 1), np.flatnonzero((n_classes == 0) & labels.known)
        if several.size:
            row = int(several[0])
            raise InputError(
                f"y has several labels per record: got {n_classes[row]} in row {row}, expected one class per record. "
                "Use HLSI or CCA for several."
            )
        if none.size:
            raise InputError(
                f"y has a record without a class: got none in row {int(none[0])}, expected one class per record. "
                "Use None for an unknown class."
            )
        X, labels = known_records(X, labels)
        labels = labels.without_empty()
        self.classes_ = name_array(labels.names)
        return X, labels.indicator.astype(X.dtype)

    def _directions(self, records: Centred, F: Any, cross: Array) -> tuple[Array, Array]:
        root = label_root(F, whiten=True)
        regression = self._regressed(records, F, cross, float(self.ridge))
        shares, weights = embedded_directions(cross @ root, regression @ root, self.n_components)
        within = 1 - shares  # wᵀ(S_w + r I)w, as the total is 1
        if within.min(initial=1) <= np.sqrt(np.finfo(cross.dtype).eps):
            raise InputError(
                f"ridge is too small: got {self.ridge!r}, with which the {cross.shape[0]} terms place all records of a "
                "class at one point, expected scatter within the classes. Set ridge > 0."
            )
        return shares / within, weights / np.sqrt(within).astype(weights.dtype)

    def _limit(self) -> str:
        return "the classes can span"
