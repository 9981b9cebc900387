"""MLSI with views solves its objective wherever the records are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import scipy.sparse as sp
from views_twin import BETA, RIDGE, SHAPES, K, assert_same, collection, fit, masked


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_the_same_where_the_records_are_outside_memory(held: Callable[[Any], Any], missing: float) -> None:
    X, views = collection(SHAPES["tall"], missing=missing)
    model = fit(held(sp.csr_array(X)), views, tol=1e-11)
    assert_same(model, X, masked(X, list(views.values()), K, BETA, RIDGE), 1e-7)
