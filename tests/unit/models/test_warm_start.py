"""Warm starts: the same space from where the last fit ended, in fewer iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp

from tacit import LSI, MLSI
from tacit.models.base import directions_before

N_TOPICS, TOL = 12, 1e-4


def collection(n_records: int = 700, n_terms: int = 500) -> tuple[sp.csr_array, np.ndarray]:
    """Topics that are not alike in size, and words of no topic, so that an iteration has something to do."""
    rng = np.random.default_rng(0)
    topics = rng.random((N_TOPICS, n_terms)) ** 6 * np.linspace(3, 1, N_TOPICS)[:, None]
    of = rng.integers(0, N_TOPICS, n_records)
    X = rng.poisson(topics[of] + 0.05).astype(np.float64)
    return sp.csr_array(X), np.eye(2)[of % 2]


X, Y = collection()
MODELS = [
    LSI(solver="krylov", tol=TOL),
    LSI(solver="krylov", tol=TOL, scaling="unit", center=True),
    MLSI(solver="augmented", tol=TOL, label_weight=0.1),
    MLSI(solver="augmented", tol=TOL, label_weight=0),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model!r}")


def n_iterations(model: Any) -> int:
    reports = model.solution_ if isinstance(model.solution_, tuple) else (model.solution_,)
    return int(next(report.iterations for report in reports if report.solver == "krylov"))


def fitted_again(model: Any, *, warm: bool, before: int, after: int) -> Any:
    """Fit to most of the records, and again to all of them."""
    changing = type(model)(**{**model.get_params(), "n_components": before, "warm_start": warm})
    changing.fit(X[:690], Y[:690])
    return changing.set_params(n_components=after).fit(X, Y)


@each_model
@pytest.mark.parametrize(("before", "after"), [(10, 10), (10, 11)], ids=["changed records", "more dimensions"])
def test_the_space_is_the_cold_one_and_comes_sooner(model: Any, before: int, after: int) -> None:
    cold, warm = (fitted_again(model, warm=warm, before=before, after=after) for warm in (False, True))
    np.testing.assert_allclose(warm.eigenvalues_, cold.eigenvalues_, rtol=1e-6)
    assert la.subspace_angles(warm.components_.T, cold.components_.T).max() < 1e-2
    assert n_iterations(warm) < n_iterations(cold)


@each_model
def test_other_terms_start_afresh_without_a_word(model: Any, recwarn: pytest.WarningsRecorder) -> None:
    changing = type(model)(**{**model.get_params(), "n_components": 5, "warm_start": True})
    changing.fit(X[:, :400], Y)
    changing.fit(X, Y)
    fresh = type(model)(**{**model.get_params(), "n_components": 5}).fit(X, Y)
    np.testing.assert_array_equal(changing.components_, fresh.components_)
    assert not recwarn.list


@each_model
def test_a_first_fit_and_one_that_is_not_asked_to_be_warm_are_cold(model: Any) -> None:
    options = {**model.get_params(), "n_components": 5}
    fresh = type(model)(**options).fit(X, Y)
    np.testing.assert_array_equal(
        type(model)(**{**options, "warm_start": True}).fit(X, Y).components_, fresh.components_
    )
    np.testing.assert_array_equal(
        fresh.fit(X[:300], Y[:300]).fit(X, Y).components_, type(model)(**options).fit(X, Y).components_
    )


def test_directions_have_length_one_and_come_from_nowhere_if_there_was_no_fit() -> None:
    model = LSI(5, warm_start=True)
    assert directions_before(model, 500) is None
    model.fit(X)
    directions = directions_before(model, 500)
    assert directions is not None
    np.testing.assert_allclose(np.linalg.norm(directions, axis=0), np.ones(5))
    np.testing.assert_allclose(directions.T @ directions, np.eye(5), atol=1e-6)
    assert directions_before(model, 499) is None
    assert directions_before(model.set_params(warm_start=False), 500) is None


def test_where_labels_are_more_than_dimensions_they_are_the_start() -> None:
    many = np.eye(N_TOPICS)[np.arange(X.shape[0]) % N_TOPICS]
    cold, warm = (
        MLSI(5, solver="augmented", warm_start=warm).fit(X[:690], many[:690]).fit(X, many) for warm in (False, True)
    )
    np.testing.assert_array_equal(warm.components_, cold.components_)


def test_single_precision_stays() -> None:
    model = LSI(5, solver="krylov", warm_start=True).fit(X)
    assert model.fit(X.astype(np.float32)).components_.dtype == np.float32
