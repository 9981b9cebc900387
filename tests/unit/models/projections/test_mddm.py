"""MDDM: the dependence it reaches, its two constraints and their limits, label kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from planted import Planted, plant
from sklearn.metrics.pairwise import rbf_kernel

from tacit import InputError
from tacit.models.projections.cca import CCA
from tacit.models.projections.mddm import MDDM
from tacit.models.projections.pls import PLS

K = 5


def refused(match: str) -> Any:
    return pytest.raises(InputError, match=match)


@pytest.mark.parametrize("constraint", ["embeddings", "projections"])
def test_eigenvalues_are_the_dependence_of_positions_and_labels(planted: Planted, constraint: str) -> None:
    """tr(K_z C L C) of [Zhang2010], with all matrices of records x records."""
    X, Y = planted.training
    model = MDDM(K, constraint=constraint, tol=1e-12).fit(X, Y)
    Z, C = model.transform(X), np.eye(120) - 1 / 120
    dependence = np.trace(Z @ Z.T @ C @ (Y @ Y.T).toarray() @ C)
    assert dependence == pytest.approx(model.eigenvalues_.sum(), rel=1e-8)


def test_no_other_projection_depends_more(planted: Planted, rng: np.random.Generator) -> None:
    X, Y = planted.training
    cross = X.T @ (Y.toarray() - Y.toarray().mean(axis=0))
    best = MDDM(K).fit(X, Y).eigenvalues_.sum()
    others = [MDDM(K).fit(X, Y).components_.T + 0.1 * rng.standard_normal((300, K)) for _ in range(5)]
    for other in others:
        P = la.qr(other, mode="economic")[0]
        assert np.sum((P.T @ cross) ** 2) < best


def test_orthonormal_projections_are_those_of_pls(planted: Planted) -> None:
    X, Y = planted.training
    found, other = MDDM(K).fit(X, Y), PLS(K, constraint="projections").fit(X, Y)
    np.testing.assert_array_equal(found.components_, other.components_)
    np.testing.assert_array_equal(found.eigenvalues_, other.eigenvalues_)


def test_mu_leads_from_projections_to_uncorrelated_positions() -> None:
    collection = plant(400, 0, n_terms=60)
    X, Y = collection.X, collection.Y
    plain, none = MDDM(K).fit(X, Y), MDDM(K, constraint="embeddings", mu=0).fit(X, Y)
    lengths = np.linalg.norm(none.components_, axis=1)
    np.testing.assert_allclose(lengths, lengths[0], rtol=1e-12)
    np.testing.assert_allclose(none.components_ / lengths[:, None], plain.components_, atol=1e-12)
    near = MDDM(K, constraint="embeddings", mu=1e-9, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(near.eigenvalues_, none.eigenvalues_, rtol=1e-5)
    Z = MDDM(K, constraint="embeddings", mu=1).fit(X, Y).transform(X)
    np.testing.assert_allclose(Z.T @ Z, np.eye(K), atol=1e-8)


def test_with_all_dimensions_the_embeddings_span_what_those_of_cca_do(planted: Planted) -> None:
    """Both spaces are then the regressions of all labels; a half is a ridge of one."""
    X, Y = planted.training
    found = MDDM(6, constraint="embeddings", mu=0.5, tol=1e-12).fit(X, Y)
    other = CCA(6, ridge=1, tol=1e-12).fit(X, Y)
    assert la.subspace_angles(found.components_.T, other.components_.T).max() < 1e-7


def test_a_label_kernel_is_what_it_says(planted: Planted) -> None:
    X, Y = planted.training
    named = MDDM(K, label_kernel="rbf", label_kernel_params={"gamma": 0.3}).fit(X, Y)
    given = MDDM(K, label_kernel="precomputed").fit(X, rbf_kernel(Y, gamma=0.3))
    called = MDDM(K, label_kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3)).fit(X, Y)
    for other in (given, called):
        np.testing.assert_allclose(other.eigenvalues_, named.eigenvalues_, rtol=1e-9)
        np.testing.assert_allclose(other.components_, named.components_, atol=1e-8)


def test_a_label_kernel_sees_more_than_there_are_labels(planted: Planted) -> None:
    X, Y = planted.training
    assert len(MDDM(12, label_kernel="rbf").fit(X, Y).eigenvalues_) == 12


def test_a_matrix_that_is_no_label_kernel() -> None:
    X = np.random.default_rng(0).random((4, 3))
    with refused("y is not a label kernel: got shape \\(4, 2\\), expected a square matrix"):
        MDDM(2, label_kernel="precomputed").fit(X, np.ones((4, 2)))
    with refused("label_kernel is not positive semi-definite: got an eigenvalue of -1"):
        MDDM(2, label_kernel="precomputed").fit(X, -np.eye(4))
    with refused("y is missing: got None, expected the label kernel matrix for label_kernel='precomputed'"):
        MDDM(2, label_kernel="precomputed").fit(X, None)
