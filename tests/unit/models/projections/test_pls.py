"""PLS: orthonormal positions, covariances, more dimensions than labels, and where it ends."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted, plant

from tacit import TacitWarning
from tacit.models.projections.pls import PLS


def test_positions_of_simpls_are_orthonormal_with_many_dimensions(planted: Planted) -> None:
    X, Y = planted.training
    Z = PLS(60).fit_transform(X, Y)
    np.testing.assert_allclose(Z.T @ Z, np.eye(60), atol=1e-8)


@pytest.mark.parametrize("constraint", ["embeddings", "projections"])
def test_eigenvalues_are_squared_covariances_with_the_labels(planted: Planted, constraint: str) -> None:
    X, Y = planted.training
    model = PLS(6, constraint=constraint).fit(X, Y)
    directions = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    positions = X @ directions.T
    covariances = (positions - positions.mean(axis=0)).T @ Y
    np.testing.assert_allclose(model.eigenvalues_, np.sum(covariances**2, axis=1), rtol=1e-8)
    assert (np.diff(model.eigenvalues_) <= 0).all()


def test_all_dimensions_together_express_the_labels_as_least_squares_does() -> None:
    collection = plant(300, 0, n_terms=40)
    X, Y = collection.X.toarray(), collection.Y.toarray()
    Z = PLS(39).fit_transform(X, Y)  # every record has 40 words, so that one term follows from the others
    centred = X - X.mean(axis=0)
    expected = centred @ np.linalg.lstsq(centred, Y, rcond=None)[0]
    np.testing.assert_allclose(Z @ (Z.T @ Y), expected, atol=1e-7)


def test_each_dimension_expresses_the_labels_better(planted: Planted) -> None:
    """And as no later one changes those before, a shorter fit is the beginning of a longer one."""
    X, Y = planted.training
    model = PLS(20).fit(X, Y)
    explained = np.cumsum(np.sum((model.transform(X).T @ Y) ** 2, axis=1))
    assert (np.diff(explained) > 0).all()
    np.testing.assert_allclose(PLS(7).fit(X, Y).components_, model.components_[:7], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_simpls_ends_where_the_records_do(dtype: type, rng: np.random.Generator) -> None:
    X = (rng.standard_normal((50, 4)) @ rng.standard_normal((4, 30))).astype(dtype)
    Y = sp.csr_array((rng.random((50, 8)) < 0.4).astype(float))
    with pytest.warns(
        TacitWarning,
        match="^n_components=9 is more than the dimensions common to the records and the labels: kept 4 dimensions",
    ):
        Z = PLS(9).fit_transform(X, Y)
    np.testing.assert_allclose(Z.T @ Z, np.eye(4), atol=1e-4 if dtype == np.float32 else 1e-9)
