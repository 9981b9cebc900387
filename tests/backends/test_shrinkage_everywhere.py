"""Shrinkage at the default tolerance gives the same eigenvalues wherever the records are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from planted import Planted, plant

from tacit import MLSI


@pytest.fixture(scope="module")
def collection() -> Planted:
    return plant(1200, 0, n_terms=800)


@pytest.fixture(scope="module")
def exact(collection: Planted) -> np.ndarray:
    X = collection.X.astype(np.float32).astype(np.float64)
    return MLSI(10, shrinkage=30, ridge=0.1, solver="primal").fit(X, collection.Y).eigenvalues_


def test_eigenvalues_do_not_depend_on_where_the_records_are(
    held: Callable[[Any], Any], collection: Planted, exact: np.ndarray
) -> None:
    X = collection.X.astype(np.float32)
    model = MLSI(10, shrinkage=30, ridge=0.1, solver="augmented").fit(held(X), collection.Y)
    np.testing.assert_allclose(model.eigenvalues_, exact, rtol=2e-3)
