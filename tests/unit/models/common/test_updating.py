"""LSI takes in new records: exact where nothing is cut, terms that are new, forgetting, drift, and bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from planted import Planted, plant
from sklearn.base import clone

from tacit import LSI, MLSI, InputError, TacitWarning
from tacit.models.common.updating import drift_from
from tacit.operators.rows.disk_writer import write_rows

SCALINGS = ["unit", "damped", "weighted"]


def low_rank(rng: np.random.Generator, n: int = 70, m: int = 40, rank: int = 6) -> np.ndarray:
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, m)) + (1.0 if rank > 6 else 0.0)


def taken_in(model: Any, X: Any, *edges: int) -> Any:
    for a, b in zip((0, *edges), (*edges, X.shape[0]), strict=True):
        model.partial_fit(X[a:b])
    return model


@pairwise(edges=[(), (30,), (10, 20, 21, 50)], scaling=SCALINGS, center=[False, True])
def test_what_is_cut_nowhere_is_what_a_fit_on_all_gives(
    rng: np.random.Generator, scaling: str, center: bool, edges: tuple[int, ...]
) -> None:
    X = low_rank(rng)
    model = taken_in(LSI(6, scaling=scaling, center=center), X, *edges)
    fitted = LSI(6, scaling=scaling, center=center).fit(X)
    for name in ("components_", "term_loadings_", "singular_values_", "explained_ratio_"):
        np.testing.assert_allclose(getattr(model, name), getattr(fitted, name), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(model.transform(X), fitted.transform(X), rtol=1e-8, atol=1e-10)
    assert model.n_records_seen_ == fitted.n_records_seen_ == len(X)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_stored_positions_are_moved_without_their_records(rng: np.random.Generator, scaling: str, center: bool) -> None:
    X = low_rank(rng)
    model, stored = LSI(6, scaling=scaling, center=center), np.zeros((0, 0))
    for start in range(0, 70, 14):
        new = X[start : start + 14]
        model.partial_fit(new)
        stored = np.vstack([model.move_positions(stored), model.transform(new)]) if start else model.transform(new)
    np.testing.assert_allclose(stored, model.transform(X), atol=1e-8)


def test_batches_in_another_order_lead_to_the_same_space(rng: np.random.Generator) -> None:
    X = low_rank(rng)
    forwards, backwards = taken_in(LSI(6), X, 20, 50), taken_in(LSI(6), X[::-1], 20, 50)
    np.testing.assert_allclose(forwards.components_, backwards.components_, atol=1e-8)


def test_a_cut_history_keeps_nearly_all_that_a_refit_explains(planted: Planted) -> None:
    X = planted.X
    model, fitted = taken_in(LSI(8), X, 50, 100, 150), LSI(8).fit(X)
    ratio = model.explained_ratio_.sum() / fitted.explained_ratio_.sum()
    assert 0.97 < ratio <= 1 + 1e-9
    explained = np.sum(np.asarray(X @ (model.term_loadings_ / model.singular_values_[:, None]).T) ** 2)
    assert explained / np.sum(X.data**2) > 0.98 * fitted.explained_ratio_.sum()


def test_a_fit_can_be_updated_and_an_update_can_be_fitted_again(rng: np.random.Generator) -> None:
    X = low_rank(rng)
    model = LSI(6).fit(X[:30]).partial_fit(X[30:])
    np.testing.assert_allclose(model.components_, LSI(6).fit(X).components_, atol=1e-8)
    model.fit(X[:30])
    assert model.n_records_seen_ == 30
    assert not any(hasattr(model, name) for name in ("drift_", "refit_due_", "position_map_"))


@pytest.mark.parametrize("center", [False, True])
def test_terms_that_are_new_are_zero_in_earlier_records(rng: np.random.Generator, center: bool) -> None:
    X = low_rank(rng)
    X[:30, 25:] = 0
    X[:50, 32:] = 0
    model = LSI(40, center=center)
    with pytest.warns(TacitWarning, match="n_components=40 is more than the rank of X"):
        model.partial_fit(sp.csr_array(X[:30, :25]))
    model.partial_fit(sp.csr_array(X[30:50, :32])).partial_fit(sp.csr_array(X[50:]))
    assert model.n_features_in_ == 40
    fitted = LSI(40, center=center).fit(X)
    np.testing.assert_allclose(model.singular_values_, fitted.singular_values_, rtol=1e-7)
    np.testing.assert_allclose(model.components_, fitted.components_, atol=1e-7)


def test_forgetting_weighs_earlier_records_less(rng: np.random.Generator) -> None:
    X = low_rank(rng)
    model = LSI(6).partial_fit(X[:40]).partial_fit(X[40:], forget=0.75)
    weighed = np.vstack([X[:40] / 2, X[40:]])
    np.testing.assert_allclose(model.components_, LSI(6).fit(weighed).components_, atol=1e-9)
    stored = LSI(6).fit(X[:40]).transform(X[:40])
    np.testing.assert_allclose(model.move_positions(stored), model.transform(X[:40]), atol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("solver", ["auto", "krylov"])
def test_precision_and_form_of_the_data_stay(planted: Planted, dtype: Any, form: Any, solver: str) -> None:
    X = planted.X.toarray().astype(dtype)
    model = taken_in(LSI(5, solver=solver, tol=1e-5), form(X), 80, 140)
    for name in ("components_", "term_loadings_", "singular_values_", "explained_ratio_", "position_map_"):
        assert getattr(model, name).dtype == dtype, name
    double = taken_in(LSI(5), X.astype(np.float64), 80, 140)
    np.testing.assert_allclose(model.singular_values_, double.singular_values_, rtol=1e-4)


def test_tiny_singular_values_leave_the_directions_orthogonal(rng: np.random.Generator) -> None:
    U, V = (np.linalg.qr(rng.standard_normal((n, 8)))[0] for n in (60, 30))
    X = (U * np.logspace(0, -6, 8)) @ V.T
    model = taken_in(LSI(8, scaling="weighted"), X, 20, 40)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(8), atol=1e-12)
    np.testing.assert_allclose(model.singular_values_, np.logspace(0, -6, 8), rtol=1e-6)


def test_the_same_seed_gives_the_same_space(planted: Planted) -> None:
    for model in (LSI(5), LSI(5, solver="krylov")):
        first, second = (taken_in(clone(model), planted.X, 100, 150) for _ in range(2))
        np.testing.assert_array_equal(first.components_, second.components_)


def test_more_dimensions_come_with_more_records(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 20))
    with pytest.warns(TacitWarning, match="kept 3 dimensions"):
        model = LSI(10).partial_fit(X[:3])
    model.partial_fit(X[3:])
    assert model.position_map_.shape == (3, 10)
    assert model.transform(X).shape == (30, 10)


@pytest.mark.parametrize("model", [LSI(5, tol=1e-9), LSI(5, center=True, tol=1e-9), MLSI(5, tol=1e-9)], ids=repr)
def test_new_records_may_be_rows_on_disk(planted: Planted, tmp_path: Path, model: Any) -> None:
    X, Y = planted.X, planted.Y
    here, there = clone(model), clone(model)
    for a, b in ((0, 120), (120, 200)):
        here.partial_fit(X[a:b], Y[a:b])
        there.partial_fit(write_rows(tmp_path / f"{a}", X[a:b]), Y[a:b])
    np.testing.assert_allclose(there.eigenvalues_, here.eigenvalues_, rtol=1e-6)
    np.testing.assert_allclose(there.transform(X), here.transform(X), atol=1e-6 * np.abs(here.transform(X)).max())
    assert there.drift_ == pytest.approx(here.drift_, abs=1e-6)


# drift


@pytest.fixture(scope="module")
def large() -> Planted:
    return plant(1200, 0, n_topics=8)


def by_topics(large: Planted) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose topics are all among the first four, and all among the last four."""
    Y = large.Y.toarray()
    return np.flatnonzero(Y[:, 4:].sum(axis=1) == 0), np.flatnonzero(Y[:, :4].sum(axis=1) == 0)


@pytest.mark.parametrize("model", [LSI(8), LSI(8, center=True), MLSI(8), MLSI(8, label_weight=0)], ids=repr)
def test_drift_is_near_0_for_the_same_source_and_grows_with_what_is_new(large: Planted, model: Any) -> None:
    old, new = by_topics(large)
    figures = []
    for n_new in (0, 30, 60):
        rows = np.concatenate([old[200 : 260 - n_new], new[:n_new]])
        updated = clone(model).partial_fit(large.X[old[:200]], large.Y[old[:200]])
        assert (updated.drift_, updated.refit_due_) == (0, False)
        figures.append(updated.partial_fit(large.X[rows], large.Y[rows]).drift_)
    assert figures[0] < 0.1
    assert figures[0] + 0.08 < figures[1] < figures[2] - 0.08
    assert figures[2] <= 1


@pytest.mark.parametrize("model", [LSI(8), MLSI(8)], ids=repr)
def test_a_refit_is_due_when_much_came_in_unexplained(large: Planted, model: Any) -> None:
    old, new = by_topics(large)
    steady, turned = (clone(model).partial_fit(large.X[old[:150]], large.Y[old[:150]]) for _ in range(2))
    steady.partial_fit(large.X[old[150:]], large.Y[old[150:]])
    assert not steady.refit_due_
    turned.partial_fit(large.X[new[:5]], large.Y[new[:5]])
    assert turned.drift_ > 0.2
    assert not turned.refit_due_, "five records among 150 are no reason yet"
    turned.partial_fit(large.X[new[5:200]], large.Y[new[5:200]])
    assert turned.refit_due_
    assert not hasattr(turned.fit(large.X, large.Y), "refit_due_")


def test_records_of_new_terms_alone_are_not_explained_at_all(rng: np.random.Generator) -> None:
    X = low_rank(rng)
    model = LSI(4).partial_fit(X)
    strange = np.hstack([np.zeros((9, 40)), rng.standard_normal((9, 5))])
    assert model.partial_fit(strange).drift_ == 1


def test_where_nothing_was_expected_nothing_is_missing() -> None:
    assert drift_from(0.0, 0.0) == 0
    assert drift_from(0.3, 0.4) == pytest.approx(0.25)
    assert drift_from(0.5, 0.4) == 0


# bad input


def test_fewer_columns_than_before_are_refused() -> None:
    with pytest.raises(ValueError, match="X has 3 features, but LSI is expecting 4 features as input"):
        LSI(2).fit(np.eye(4)).partial_fit(np.eye(4)[:, :3])


def test_what_is_no_number_is_refused_and_changes_nothing() -> None:
    model = LSI(2).fit(np.eye(4))
    before = model.components_.copy()
    bad = np.ones((2, 6))
    bad[1, 5] = np.nan
    with pytest.raises(InputError, match="X contains NaN: the first one is in row 1"):
        model.partial_fit(bad)
    assert (model.n_features_in_, model.n_records_seen_) == (4, 4)
    np.testing.assert_array_equal(model.components_, before)


@pytest.mark.parametrize("forget", [-0.1, 1, 1.5, np.nan, "half"])
def test_a_share_to_forget_is_below_1(forget: Any) -> None:
    with pytest.raises(InputError, match=r"forget is out of range: got .*, expected .* at least 0 and below 1"):
        LSI(2).partial_fit(np.eye(4), forget=forget)


def test_records_without_terms_are_refused_or_announced() -> None:
    model = LSI(2).fit(np.eye(4))
    with pytest.raises(InputError, match="X has no entries: got 3 records"):
        model.partial_fit(np.zeros((3, 4)))
    with pytest.warns(TacitWarning, match="1 of 2 records have no terms"):
        model.partial_fit(np.eye(4)[:2] * [[1], [0]])


def test_positions_are_moved_only_from_the_space_before() -> None:
    model = LSI(2).fit(np.eye(4))
    with pytest.raises(InputError, match="there is nothing to move: got a space without a partial_fit since"):
        model.move_positions(np.ones((1, 2)))
    model.partial_fit(np.eye(4))
    with pytest.raises(InputError, match=r"got shape \(1, 3\), expected \(n_records, 2\)"):
        model.move_positions(np.ones((1, 3)))


def test_columns_that_change_places_are_refused() -> None:
    pd = pytest.importorskip("pandas", reason="named columns come with data frames")
    model = LSI(2).fit(pd.DataFrame(np.eye(3), columns=["a", "b", "c"]))
    with pytest.raises(InputError, match="X has its columns in another order: got 'd' as column 1, expected 'b'"):
        model.partial_fit(pd.DataFrame(np.eye(4), columns=["a", "d", "b", "c"]))
    model.partial_fit(pd.DataFrame(np.eye(4), columns=["a", "b", "c", "d"]))
    assert list(model.feature_names_in_) == ["a", "b", "c", "d"]
