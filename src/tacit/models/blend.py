"""Identity A: MLSI's eigenproblem as the leading eigenvectors of K plus a low-rank label term, in any form of K.

    K_x² α = λ [K_x C⁻¹ K_x + γ K_x] α,  C = (1−β) K_x + β K_y                [Yu2005] eq. (12)

With K_y = F Fᵀ, J = Fᵀ K⁻¹ F, c = 1/(1 + γ(1−β)) and G = c [(1−β)/β I + (1−c) J]⁻¹, v = K_x α solves

    (K + F G Fᵀ) v = μ v,  μ = λ (1/(1−β) + γ),  α = (v + K⁻¹F G Fᵀv) / μ.

γ shrinks exactly the labels that the records cannot express (large J). A ridge replaces K by K + ridge I everywhere.

Where K is singular and there is no ridge, the paper's footnote 4 takes the pseudo-inverse. That lets only those combinations of
labels count that the records express without error: F is replaced by F N, N the null space of the regressions' misfit. On tall data
nothing is left of F and MLSI is LSI (Fact B of the methods), which is why the ridge is a real parameter.

β = 1 is the limit: only the labels count, (F (I + γJ)⁻¹ Fᵀ) v = λ v, and there are at most as many dimensions as labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp

from tacit.models.record_forms import AugmentedForm, RecordForm
from tacit.operators import Product
from tacit.operators.base import Array
from tacit.solve import leading_singular_triplets

__all__ = ["Blend", "blend"]


@dataclass(frozen=True)
class Blend:
    """A space: V (N x k, orthonormal), eigenvalues λ of eq. (12), and the coefficients that place records by their terms."""

    positions: Array
    eigenvalues: Array
    coefficients: Array


def blend(form: RecordForm, F: Any, n_components: int, *, label_weight: float, shrinkage: float) -> Blend:
    """Solve MLSI for the label features F, N x p (None or no columns: LSI)."""
    if F is None or F.shape[1] == 0 or label_weight == 0:
        return _without_labels(form, n_components, label_weight, shrinkage)
    B = None
    if form.ridge == 0:
        B = form.regress(F)
        F, B = _expressible(form, F, B)
        if F.shape[1] == 0:
            return _without_labels(form, n_components, label_weight, shrinkage)
    if B is None and (shrinkage > 0 or _labels_are_fewer(form, F, n_components)):
        B = form.regress(F)
    root = _label_root(form, F, B, label_weight, shrinkage)
    mu, V = _leading(form, _times(F, root), n_components, label_weight)
    if label_weight == 1:
        return _labels_only(F, B if B is not None else form.regress(F), root, mu, V)
    eigenvalues = (mu + form.ridge) / (1 / (1 - label_weight) + shrinkage)
    if B is None:
        return Blend(V, eigenvalues, form.regress(V))
    bent = B @ (root @ (root.T @ (F.T @ V))).astype(form.dtype)
    bent += form.adjoint(V)
    bent /= (mu + form.ridge).astype(form.dtype)
    return Blend(V, eigenvalues, bent)


def _without_labels(form: RecordForm, n_components: int, label_weight: float, shrinkage: float) -> Blend:
    """LSI: G = 0."""
    mu, V = _nonzero(*form.leading(None, n_components), form.dtype)
    weight = 1 / (1 - label_weight) if label_weight < 1 else 1.0
    return Blend(V, (mu + form.ridge) / (weight + shrinkage), form.adjoint(V) / (mu + form.ridge))


def _labels_only(F: Any, B: Array, root: Array, mu: Array, V: Array) -> Blend:
    return Blend(V, mu, B @ (root @ (root.T @ (F.T @ V)) / mu).astype(B.dtype))


def _labels_are_fewer(form: RecordForm, F: Any, n_components: int) -> bool:
    """Whether regressing the labels is cheaper than regressing the positions; only worth asking of an iterative form."""
    return isinstance(form, AugmentedForm) and F.shape[1] <= n_components


def _label_root(form: RecordForm, F: Any, B: Array | None, label_weight: float, shrinkage: float) -> Array:
    """R with R Rᵀ = G, p x p."""
    share = (1 - label_weight) / label_weight
    if shrinkage == 0:
        return np.eye(F.shape[1]) / np.sqrt(share if share > 0 else 1)
    assert B is not None
    values, vectors = la.eigh(form.cross(F, B))
    values = np.maximum(values, 0)
    if share == 0:
        return np.asarray(vectors / np.sqrt(1 + shrinkage * values))
    c = 1 / (1 + shrinkage * (1 - label_weight))
    return np.asarray(vectors * np.sqrt(c / (share + (1 - c) * values)))


def _leading(form: RecordForm, extra: Any, n_components: int, label_weight: float) -> tuple[Array, Array]:
    if label_weight < 1:
        return _nonzero(*form.leading(extra, n_components), form.dtype)
    found = leading_singular_triplets(extra, n_components, tol=1e-8)
    return found.values**2, np.asarray(found.left)


def _nonzero(mu: Array, V: Array, dtype: np.dtype) -> tuple[Array, Array]:
    """Leave out directions that are zero to working precision: dividing by them would make noise of them."""
    real = mu > mu.max(initial=0) * len(V) * np.finfo(dtype).eps
    return mu[real], V[:, real]


def _expressible(form: RecordForm, F: Any, B: Array) -> tuple[Any, Array]:
    """Keep the label combinations that the records express without error: F N and B N."""
    misfit = _dense(F) - form.fitted(B)
    values, vectors = la.eigh(np.asarray(misfit.T @ misfit, dtype=np.float64))
    sizes = np.linalg.norm(np.asarray(F @ vectors), axis=0)
    expressed = np.sqrt(np.maximum(values, 0)) <= _MISFIT * np.maximum(sizes, np.finfo(float).tiny)
    if expressed.all():
        return F, B
    N = vectors[:, expressed].astype(B.dtype)
    return np.asarray(F @ N), B @ N


_MISFIT = 1e-5  # relative misfit below which a label combination counts as expressed


def _times(F: Any, root: Array) -> Any:
    """F R, factored where F is sparse so that no dense N x p matrix is made."""
    root = root.astype(F.dtype)
    return Product(F, root) if sp.issparse(F) else np.asarray(F @ root)


def _dense(F: Any) -> Array:
    return np.asarray(F.toarray() if sp.issparse(F) else F)
