"""Identity A: MLSI's eigenproblem as the leading eigenvectors of K plus a low-rank label term, in any form of K.

    K_x² α = λ [K_x C⁻¹ K_x + γ K_x] α,  C = (1−β) K_x + β K_y                [Yu2005] eq. (12)

With K_y = F Fᵀ, J = Fᵀ K⁻¹ F, c = 1/(1 + γ(1−β)) and G = c [(1−β)/β I + (1−c) J]⁻¹, v = K_x α solves

    (K + F G Fᵀ) v = μ v,  μ = λ (1/(1−β) + γ),  α = (v + K⁻¹F G Fᵀv) / μ.

γ shrinks the labels that the records cannot express (large J). A ridge replaces K by K + ridge I everywhere. With
γ = 0, G is β/(1−β) I: no J, and with more labels than dimensions no regression of the labels, only one of V itself, so
the cost does not grow with their number.

If K is singular and there is no ridge, the paper's footnote 4 takes the pseudo-inverse. Then only those combinations
of labels count that the records express without error: F is replaced by F N, N the null space of the regressions'
misfit. With more records than terms nothing is left of F, and MLSI is LSI (Fact B), which is why the ridge is a
parameter.

β = 1 is the limit: only the labels count, (F (I + γJ)⁻¹ Fᵀ) v = λ v, with at most as many dimensions as labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la

from tacit.checks import is_sparse
from tacit.machine import release_memory
from tacit.models.common.kernel_forms import LeadingVectors, RecordForm
from tacit.models.common.product_forms import CROSS_TOL, AugmentedForm
from tacit.operators import Operator, Product, Scaled
from tacit.solve import leading_singular_triplets
from tacit.solve.result import signs_of
from tacit.solve.tall_arrays import in_rows
from tacit.types import Array

__all__ = ["InformedSpace", "informed_space"]


@dataclass(frozen=True)
class InformedSpace:
    """The solution of MLSI.

    Attributes
    ----------
    positions : V, N x k, orthonormal columns, in each the entry largest in magnitude positive
    eigenvalues : λ of eq. (12), largest first
    coefficients : the map from terms to positions, in unit scaling
    adjoint : XᵀV, or V itself if K is held as a matrix
    informed : whether any label counted; without a ridge, labels that the records do not express are left out
    """

    positions: Array
    eigenvalues: Array
    coefficients: Array
    adjoint: Array
    informed: bool


def informed_space(
    form: RecordForm, F: Any, n_components: int, *, label_weight: float, shrinkage: float
) -> InformedSpace:
    """Solve MLSI for the label features F, N x p (None or no columns: LSI).

    F is dense, sparse, or an `Operator`, which is made dense if the labels themselves are regressed. The signs do not
    depend on the form of K.
    """
    B = None
    if isinstance(F, Operator) and (shrinkage > 0 or form.ridge == 0 or F.shape[1] <= n_components):
        F = F.to_dense()
    if F is not None and label_weight > 0 and form.ridge == 0:
        F, B = _expressible(form, F, form.regress(F))
    if F is None or F.shape[1] == 0 or label_weight == 0:
        found = _without_labels(form, n_components, label_weight, shrinkage)
    else:
        found = _with_labels(form, F, B, n_components, label_weight, shrinkage)
    signs = signs_of(found.positions)
    for array in {id(each): each for each in (found.positions, found.coefficients, found.adjoint)}.values():
        array *= signs  # in place: these arrays are large; the dual form's adjoint is V itself
    return found


def _without_labels(form: RecordForm, n_components: int, label_weight: float, shrinkage: float) -> InformedSpace:
    """Solve LSI: G = 0. At β = 1 all λ are 0 and no dimension is left."""
    if label_weight == 1:
        V = np.empty((form.n_records, 0), form.dtype)
        return InformedSpace(V, np.empty(0, form.dtype), form.adjoint(V), form.adjoint(V), informed=False)
    mu, V, A = _nonzero(form, form.leading(None, n_components))
    shifted = mu + form.ridge
    A = form.adjoint(V) if A is None else A
    return InformedSpace(V, shifted / (1 / (1 - label_weight) + shrinkage), A / shifted, A, informed=False)


def _with_labels(
    form: RecordForm, F: Any, B: Array | None, n_components: int, label_weight: float, shrinkage: float
) -> InformedSpace:
    """Solve with K + F G Fᵀ; B is regress(F) if it is already known."""
    fewer = isinstance(form, AugmentedForm) and F.shape[1] <= n_components  # regressing these is cheaper than positions
    if B is None and (shrinkage > 0 or fewer):
        if isinstance(form, AugmentedForm) and shrinkage > 0:
            form.regression_tol = CROSS_TOL
        B = form.regress(F)
    share = (1 - label_weight) / label_weight
    root: Array | float
    if shrinkage == 0:  # G is a number
        root = 1 / np.sqrt(share if share > 0 else 1)
        extra = Scaled(F, columns=root) if isinstance(F, Operator) else F * F.dtype.type(root)
    else:
        root = _label_root(form, F, B, share, label_weight, shrinkage)
        narrow = root.astype(F.dtype)
        extra = Product(F, narrow) if is_sparse(F) else np.asarray(F @ narrow)  # no dense N x p matrix of a sparse F
    release_memory(form.n_records * n_components * form.dtype.itemsize)  # memory that the labels took
    if label_weight == 1:
        found = leading_singular_triplets(extra, n_components, tol=_LABELS_TOL)
        V, mu, shifted, A = np.asarray(found.left), found.values**2, found.values**2, None
        eigenvalues = mu
    else:
        mu, V, A = _nonzero(form, form.leading(extra, n_components, root=None if B is None else root))
        shifted = mu + form.ridge
        eigenvalues = shifted / (1 / (1 - label_weight) + shrinkage)
    A = form.adjoint(V) if A is None else A
    if B is None:
        return InformedSpace(V, eigenvalues, form.regress(V, crossed=A), A, informed=True)
    release_memory(V.nbytes)
    pulled = np.asarray(F.T @ V)
    turned = root * (root * pulled) if isinstance(root, float) else root @ (root.T @ pulled)
    bent, mix = B, np.asarray(turned, form.dtype)
    if mix.shape[0] == mix.shape[1]:  # in place: B is large and not needed again

        def turn(rows: slice) -> None:
            bent[rows] = bent[rows] @ mix

        in_rows(turn, len(B), 2.0 * B.size * len(mix))
    else:
        bent = np.asarray(B @ mix)
    del B  # as large as what follows
    if label_weight < 1:
        bent += A
    bent /= shifted.astype(form.dtype)
    return InformedSpace(V, eigenvalues, bent, A, informed=True)


_LABELS_TOL = 1e-8  # label features are few and narrow: tight costs little


def _label_root(
    form: RecordForm, F: Any, B: Array | None, share: float, label_weight: float, shrinkage: float
) -> Array:
    """Return R with R Rᵀ = G, p x p; at β = 1 with the limit of (1−β) G."""
    assert B is not None
    values, vectors = la.eigh(form.cross(F, B))
    values = np.maximum(values, 0)  # rounding leaves J a little below zero
    if share == 0:
        return np.asarray(vectors / np.sqrt(1 + shrinkage * values))
    c = 1 / (1 + shrinkage * (1 - label_weight))
    return np.asarray(vectors * np.sqrt(c / (share + (1 - c) * values)))


def _nonzero(form: RecordForm, found: LeadingVectors) -> LeadingVectors:
    """Leave out directions that are zero to working precision: dividing by them would amplify noise."""
    mu, V, A = found
    n_real = int(np.count_nonzero(mu > mu.max(initial=0) * form.floor))  # they come largest first
    return LeadingVectors(mu[:n_real], V[:, :n_real], None if A is None else A[:, :n_real])


def _expressible(form: RecordForm, F: Any, B: Array) -> tuple[Any, Array]:
    """Return F N and B N: the label combinations that the records express without error."""
    misfit = form.misfit(F, B)
    values, vectors = la.eigh(np.asarray(misfit.T @ misfit, dtype=np.float64))
    sizes = np.linalg.norm(np.asarray(F @ vectors), axis=0)
    limit = max(_MISFIT, 10 * float(np.sqrt(np.finfo(form.dtype).eps)))
    expressed = np.sqrt(np.maximum(values, 0)) <= limit * np.maximum(sizes, np.finfo(float).tiny)
    if expressed.all():
        return F, B
    N = vectors[:, expressed].astype(B.dtype)
    return np.asarray(F @ N), B @ N


_MISFIT = 1e-5  # relative misfit below which a label combination counts as expressed
