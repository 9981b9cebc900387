"""Updates against dense twins that put the new rows below the history and let LAPACK do the rest."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from planted import Planted
from updating_twin import LSITwin, MLSITwin

from tacit import LSI, MLSI
from tacit.models.common.updating import ROWS_PER_DIMENSION

K = 6
EDGES = (0, 50, 90, 100, 200)


def batches(planted: Planted) -> list[tuple[np.ndarray, np.ndarray]]:
    X, Y = planted.X.toarray(), planted.Y.toarray()
    return [(X[a:b], Y[a:b]) for a, b in itertools.pairwise(EDGES)]


@pytest.mark.parametrize("keep", [1.0, 0.6])
@pytest.mark.parametrize("solver", ["auto", "dense", "krylov"])
def test_lsi_is_the_truncated_decomposition_of_history_and_new_rows(planted: Planted, solver: str, keep: float) -> None:
    model, twin = LSI(K, scaling="unit", solver=solver, tol=1e-10), LSITwin(ROWS_PER_DIMENSION * K)
    for X, _ in batches(planted):
        model.partial_fit(sp.csr_array(X), forget=1 - keep)
        twin.update(X, keep)
    assert twin.rows is not None
    assert twin.left is not None
    values = np.linalg.norm(twin.rows[:K], axis=1)
    np.testing.assert_allclose(model.singular_values_, values, rtol=1e-9)
    np.testing.assert_allclose(np.abs(model.term_loadings_), np.abs(twin.rows[:K]), atol=1e-6 * values[0])
    np.testing.assert_allclose(np.abs(model.position_map_), np.abs(twin.left[:K, :K]) / np.sqrt(keep), atol=1e-5)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("solver", ["auto", "dual", "primal", "augmented"])
@pytest.mark.parametrize(("beta", "gamma", "ridge"), [(0.5, 0.03, 1.0), (0.8, 0.5, 0.3), (0.3, 0.0, 2.0)])
def test_mlsi_is_eq_12_of_history_and_new_rows(
    planted: Planted, form: Any, solver: str, beta: float, gamma: float, ridge: float
) -> None:
    twin = MLSITwin(ROWS_PER_DIMENSION * K, beta, gamma, ridge)
    model = MLSI(
        K, label_weight=beta, shrinkage=gamma, ridge=ridge, scaling="unit", solver=solver, tol=1e-10, max_iter=2_000
    )
    for X, Y in batches(planted):
        model.partial_fit(form(X), Y)
        values, weights = twin.update(X, Y)
    np.testing.assert_allclose(model.eigenvalues_, values[:K], rtol=1e-6)
    assert la.subspace_angles(model.components_.T, weights[:, :K]).max() < 1e-4
    np.testing.assert_allclose(
        np.linalg.norm(model.components_, axis=1), np.linalg.norm(weights[:, :K], axis=0), rtol=1e-4
    )
