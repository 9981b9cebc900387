"""Multi-output regularised feature projection [Yu2006]: words and labels reconstructed together.

    C = (1 − β) X Xᵀ + β Y Yᵀ, the two scaled to equal traces

    embeddings    max tr(ZᵀCZ),      ZᵀZ = I,  Z = X W
    projections   max tr(PᵀXᵀCX P),  PᵀP = I                                          [Mu2010] sec. 4

| symbol | word                           | shape |
|--------|--------------------------------|-------|
| β      | `label_weight`                 |       |
| λ      | `eigenvalues_`                 | k     |
| Wᵀ, Pᵀ | `components_`                  | k x M |

MORP is by the authors of MLSI and its criterion is the same. "embeddings" is therefore solved by `informed_space`.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from tacit.checks import as_rng, check_choice, check_number
from tacit.errors import InputError
from tacit.models.base import SpaceModel, warn_if_fewer
from tacit.models.common.informed_kernel import informed_space
from tacit.models.common.labels import balance_labels, read_labels
from tacit.models.common.record_kernel import choose_form, make_form
from tacit.models.projections.base import CONSTRAINTS
from tacit.operators import Product, Scaled, Stacked, as_operator
from tacit.solve import leading_singular_triplets, without_vectors
from tacit.types import Array

__all__ = ["MORP"]


class MORP(SpaceModel):
    """Multi-output regularised feature projection: words and labels are reconstructed together.

        max tr(Zᵀ[(1 − β) X Xᵀ + β Y Yᵀ]Z),  Z = X W

    Parameters
    ----------
    n_components : int, default 100 — dimensions; fewer are kept, with a warning, if there are fewer
    label_weight : float in [0, 1], default 0.5 — β. 0 ignores the labels; with 1 they alone shape the space, which then
        has at most as many dimensions as there are labels
    constraint : {"embeddings", "projections"}, default "embeddings" — what is orthonormal. "embeddings": ZᵀZ = I, the
        paper's; "projections": PᵀP = I, which [Mu2010] found far better than the former without a ridge
    ridge : float >= 0, default 1.0 — added to the diagonal of X Xᵀ, in units of the mean squared length of a record,
        for "embeddings" only. Large values smooth the map from words to positions
    balance : bool, default True — scale the labels so that a labelled record weighs as much in Y as in X (equal traces)
    tol : float, default 1e-2 — relative residual at which the iterative solvers stop
    max_iter : int or None, default None — maximum number of iterations
    random_state : int, generator or None, default 0 — the same seed gives the same space

    Attributes
    ----------
    components_ : (n_components_, n_terms) Wᵀ or Pᵀ; `transform` is X @ components_.T
    eigenvalues_ : (n_components_,) λ, largest first: of C, with the ridge in it, or of XᵀCX
    label_scale_ : float, factor of the labels
    solution_ : tuple of the iterative solvers' reports: residuals, iterations, solver, reason; empty for a dense
        form
    n_iter_ : int, largest number of iterations of any of these solvers; 1 if there was none

    Notes
    -----
    With a ridge, "embeddings" takes the leading eigenvectors Z of C and their ridge regression on the records, which is
    `MLSI` without shrinkage, in unit scaling. Without one, Z = X W holds exactly: only the part of the labels that
    the terms express counts, and the positions are orthonormal to working precision. Unlike MLSI without a ridge, which
    ignores the labels if there are more records than terms, this uses the labels for any shape of X.

    Records are not centred. Those with unknown labels shape the space through their words; their label rows are
    zero. Cost: one truncated SVD of [X, Y] and a block least-squares solve for "embeddings"; the leading eigenvectors
    of XᵀCX by products with X and Y for "projections".

    References
    ----------
    [Yu2006]; [Mu2010] sec. 4 for "projections"

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2., 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
    >>> MORP(n_components=2).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]).transform(X).shape
    (5, 2)
    """

    scaling = "unit"  # the constraint sets the lengths, which leaves nothing to choose
    _takes_label_sets = True
    _needs_labels = True

    def __init__(
        self,
        n_components: int = 100,
        *,
        label_weight: float = 0.5,
        constraint: str = "embeddings",
        ridge: float = 1.0,
        balance: bool = True,
        tol: float = 1e-2,
        max_iter: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.label_weight = label_weight
        self.constraint = constraint
        self.ridge = ridge
        self.balance = balance
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find the space.

        Parameters
        ----------
        X : (n_records, n_terms) dense or sparse
        y : binary matrix (dense or sparse), list of label sets, one class per record, or `LabelMatrix`
        """
        self._check_parameters()
        X = self._read_training(X)
        labels = read_labels(y, X.shape[0], needed=self.label_weight > 0)
        Y = labels.indicator.astype(X.dtype)
        self.label_scale_ = 1.0
        if self.balance:
            self.label_scale_ = balance_labels(as_operator(X).squared_norm(), Y, labels.known)
        Y = Y * X.dtype.type(self.label_scale_)
        self.solution_: tuple[Any, ...] = tuple()
        values, weights = (self._embedded if self.constraint == "embeddings" else self._projected)(X, Y)
        if not values.size:
            raise InputError(
                f"no dimension is left: got label_weight={self.label_weight:g} and labels in records without terms "
                "only, expected labels in records with terms. Set label_weight < 1."
            )
        limit = "the labels can span" if self.label_weight == 1 else "the rank of X"
        warn_if_fewer(self.n_components, values.size, limit)
        self.eigenvalues_ = values.astype(X.dtype)
        self.components_ = np.asarray(weights, dtype=X.dtype).T
        self.n_iter_ = max((report.iterations for report in self.solution_), default=1)
        return self

    def _check_parameters(self) -> None:
        check_number("label_weight", self.label_weight, high=1.0)
        check_choice("constraint", self.constraint, CONSTRAINTS)
        check_number("ridge", self.ridge)
        check_number("tol", self.tol, open_low=True)

    def _embedded(self, X: Any, Y: Any) -> tuple[Array, Array]:
        """Return λ and W: the leading eigenvectors of C and their regression on the records."""
        form = make_form(self, X, choose_form(X.shape, n_beside=Y.shape[1])[0])
        if self.ridge == 0 and self.label_weight > 0:
            Y = form.fitted(form.regress(Y))  # the part of the labels in the range of X
        space = informed_space(form, Y, self.n_components, label_weight=float(self.label_weight), shrinkage=0.0)
        self.solution_ = tuple(form.reports)
        weights = space.coefficients
        if form.by_records:
            weights = np.asarray(as_operator(X).T @ weights)
        return space.eigenvalues, weights

    def _projected(self, X: Any, Y: Any) -> tuple[Array, Array]:
        """Return λ and P: eigenvectors of XᵀCX = XᵀE EᵀX, E = [(1−β)^½ X, β^½ Y], as singular vectors of EᵀX."""
        beta = float(self.label_weight)
        # the eigenvalues are fourth powers of the singular values of X: single precision would leave few digits
        X, Y = X.astype(np.float64), Y.astype(np.float64)
        parts = [Scaled(part, columns=np.sqrt(share)) for part, share in ((X, 1 - beta), (Y, beta)) if share > 0]
        found = leading_singular_triplets(
            Product(Stacked(parts).T, X),
            min(self.n_components, *X.shape),
            tol=self.tol,
            max_iter=self.max_iter,
            rng=as_rng(self.random_state),
            left=False,
        )
        self.solution_ = (without_vectors(found),)
        return found.values**2, found.right
