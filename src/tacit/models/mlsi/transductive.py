"""The transductive problem of MLSI [Yu2005] sec. 2.2: one space for given records, from words and labels.

    min (1 − β)‖X − V A‖² + β‖Y − V B‖²,  VᵀV = I                                 eq. (2)

Theorem 1: V holds the leading eigenvectors of C = (1−β) X Xᵀ + β Y Yᵀ, A = VᵀX, B = VᵀY, and the value reached is the
sum of the eigenvalues left out. There is no map for new records: `MLSI` adds it. Without shrinkage
`MLSI.embedding_` is this V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from tacit.checks import as_rng, check_count, check_finite, check_number
from tacit.models.base import check_terms, warn_if_fewer
from tacit.models.common.labels import balance_labels, read_labels
from tacit.operators import Scaled, Stacked, as_operator
from tacit.relations.labels.matrix import LabelMatrix
from tacit.solve import leading_singular_triplets
from tacit.solve.result import signs_of
from tacit.types import Array

__all__ = ["TransductiveSpace", "transductive_space"]


@dataclass(frozen=True)
class TransductiveSpace:
    """The optimum of eq. (2).

    Attributes
    ----------
    positions : V, (n_records, n_components), orthonormal columns
    eigenvalues : of C, largest first
    term_loadings, label_loadings : A = VᵀX and B = VᵀY, Y as balanced
    objective : the value of eq. (2), equal to the sum of the eigenvalues left out
    label_scale : factor of Y
    labels : the labels as read
    """

    positions: Array
    eigenvalues: Array
    term_loadings: Array
    label_loadings: Array
    objective: float
    label_scale: float
    labels: LabelMatrix


def transductive_space(
    X: Any,
    y: Any,
    n_components: int = 100,
    *,
    label_weight: float = 0.5,
    balance: bool = True,
    solver: str = "auto",
    tol: float = 1e-2,
    max_iter: int | None = None,
    random_state: Any = 0,
) -> TransductiveSpace:
    """Return the space of eq. (2) for records whose labels are known.

    Parameters
    ----------
    X : (n_records, n_terms) dense or sparse
    y : labels, in any form that `as_labels` reads; records with unknown labels count by their words
    n_components : dimensions
    label_weight : β in [0, 1]; 0 is LSI, 1 uses the labels only
    balance : scale the labels so that a labelled record weighs as much in Y as in X
    solver, tol, max_iter, random_state : as for `LSI`

    Examples
    --------
    >>> import numpy as np
    >>> space = transductive_space(np.eye(4), [{"a"}, {"a"}, {"b"}, {"b"}], 2)
    >>> space.positions.shape
    (4, 2)
    """
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
    check_finite("X", X)
    check_terms(X)
    beta = check_number("label_weight", label_weight, high=1.0)
    labels = read_labels(y, X.shape[0], needed=beta > 0)
    words = as_operator(X)
    scale = balance_labels(words.squared_norm(), labels.indicator, labels.known) if balance else 1.0
    Y = labels.indicator.astype(X.dtype) * X.dtype.type(scale)
    both = Stacked([Scaled(words, columns=np.sqrt(1 - beta)), Scaled(Y, columns=np.sqrt(beta))])
    found = leading_singular_triplets(
        both,
        check_count("n_components", n_components),
        solver=solver,
        tol=tol,
        max_iter=max_iter,
        rng=as_rng(random_state),
    )
    warn_if_fewer(n_components, found.values.size, "the rank of the words and labels together")
    eigenvalues = found.values**2
    V = np.asarray(found.left)
    V = V * signs_of(V)  # as `MLSI` has them
    total = (1 - beta) * words.squared_norm() + beta * as_operator(Y).squared_norm()
    return TransductiveSpace(
        positions=V,
        eigenvalues=eigenvalues,
        term_loadings=np.asarray(words.T @ V).T,
        label_loadings=np.asarray(Y.T @ V).T,
        objective=total - float(eigenvalues.sum(dtype=np.float64)),
        label_scale=scale,
        labels=labels,
    )
