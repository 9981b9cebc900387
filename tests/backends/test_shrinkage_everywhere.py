"""Shrinkage at the default tolerance gives the same eigenvalues wherever the records are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from planted import plant

from tacit import MLSI


def test_eigenvalues_do_not_depend_on_where_the_records_are(held: Callable[[Any], Any]) -> None:
    planted = plant(1200, 0, n_terms=800)
    X = planted.X.astype(np.float32)
    exact = MLSI(10, shrinkage=30, ridge=0.1, solver="primal").fit(X.astype(np.float64), planted.Y)
    model = MLSI(10, shrinkage=30, ridge=0.1, solver="augmented").fit(held(X), planted.Y)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=2e-3)
