"""MLSI takes in new records: exact where nothing is cut, close where it is, new labels and terms, and bad input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted, plant

from tacit import MLSI, InputError, TacitWarning, Taxonomy

FULL = 45  # dimensions with which a history of twice as many rows cuts nothing of 80 terms and 6 labels
SETTINGS: list[dict[str, Any]] = [
    {},
    {"label_weight": 0.8, "shrinkage": 0.5, "ridge": 0.3},
    {"label_weight": 0.2, "shrinkage": 0.0, "balance": False, "scaling": "weighted"},
    {"label_weight": 0.0, "scaling": "unit"},
]


@pytest.fixture(scope="module")
def narrow() -> Planted:
    return plant(100, 60, n_terms=80)


def names(Y: Any) -> list[set[str]]:
    return [{f"topic {j}" for j in np.flatnonzero(row)} for row in np.asarray(Y.toarray() if sp.issparse(Y) else Y)]


def taken_in(model: Any, X: Any, y: Any, *edges: int) -> Any:
    for a, b in zip((0, *edges), (*edges, X.shape[0]), strict=True):
        model.partial_fit(X[a:b], y[a:b])
    return model


def same_space(model: Any, fitted: Any, X: Any, *, rtol: float = 1e-7) -> None:
    """Compare what does not depend on signs, which follow the positions of earlier records as they were moved."""
    np.testing.assert_allclose(model.eigenvalues_, fitted.eigenvalues_, rtol=rtol)
    for name in ("components_", "term_loadings_", "label_loadings_"):
        ours, theirs = np.abs(getattr(model, name)), np.abs(getattr(fitted, name))
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=rtol * theirs.max())
    np.testing.assert_allclose(model.objective_, fitted.objective_, rtol=rtol)
    np.testing.assert_allclose(model.label_scale_, fitted.label_scale_, rtol=rtol)
    ours, theirs = (each.transform(X) @ each.transform(X).T for each in (model, fitted))
    np.testing.assert_allclose(ours, theirs, atol=10 * rtol * np.abs(theirs).max())


@pytest.mark.parametrize("settings", SETTINGS, ids=repr)
@pytest.mark.parametrize("edges", [(), (90,), (30, 60, 61, 120)])
def test_what_is_cut_nowhere_is_what_a_fit_on_all_gives(
    narrow: Planted, settings: dict[str, Any], edges: tuple[int, ...]
) -> None:
    X, Y = narrow.X, narrow.Y
    model = taken_in(MLSI(FULL, **settings), X, Y, *edges)
    same_space(model, MLSI(FULL, **settings).fit(X, Y), X)
    assert model.n_records_seen_ == len(model.embedding_) == len(model.labels_) == 160


def test_batches_in_another_order_lead_to_the_same_space(narrow: Planted) -> None:
    X, Y = narrow.X, narrow.Y
    order = np.arange(160)[::-1]
    same_space(taken_in(MLSI(FULL), X[order], Y[order], 70), taken_in(MLSI(FULL), X, Y, 50, 130), X)


def test_labels_and_terms_that_are_new_are_those_of_a_fit_on_all(narrow: Planted) -> None:
    Y = narrow.Y.toarray()
    first = np.flatnonzero(Y[:, 4:].sum(axis=1) == 0)
    order = np.concatenate([first, np.setdiff1d(np.arange(160), first)])
    X, Y = narrow.X.toarray()[order], Y[order]
    X[: first.size, 70:] = 0
    sets = names(Y)
    model = MLSI(FULL).partial_fit(X[: first.size, :70], sets[: first.size])
    assert "topic 5" not in model.labels_.names
    model.partial_fit(X[first.size :], sets[first.size :])
    fitted = MLSI(FULL).fit(X, sets)
    assert sorted(model.labels_.names) == sorted(fitted.labels_.names)
    columns = [model.labels_.names.index(name) for name in fitted.labels_.names]
    model.label_loadings_ = model.label_loadings_[:, columns]
    same_space(model, fitted, X)
    assert (model.labels_.indicator.toarray()[:, columns] == fitted.labels_.indicator.toarray()).all()
    assert model.n_features_in_ == 80


def test_records_with_unknown_labels_count_by_their_words(narrow: Planted) -> None:
    X, sets = narrow.X, names(narrow.Y)
    some: list[Any] = [None if i % 3 == 0 or i >= 120 else each for i, each in enumerate(sets)]
    model, fitted = taken_in(MLSI(10), X, some, 60, 120), MLSI(10).fit(X, some)
    ours, theirs = (each.transform(X) @ each.transform(X).T for each in (model, fitted))
    assert np.corrcoef(ours.ravel(), theirs.ravel())[0, 1] > 0.9  # each batch is filled by the space at its time
    known = np.array([each is not None for each in some])
    np.testing.assert_array_equal(model.nothing_known_, ~known)
    assert model.views_["labels"].n_known == known.sum()


def test_labels_may_come_late_to_a_space_of_words(narrow: Planted) -> None:
    X, sets = narrow.X, names(narrow.Y)
    model = MLSI(FULL, label_weight=0).partial_fit(X[:80])
    assert model.labels_ is None
    assert model.label_loadings_ is None
    model.partial_fit(X[80:], sets[80:])
    same_space(model, MLSI(FULL, label_weight=0).fit(X, [None] * 80 + sets[80:]), X)


def test_a_taxonomy_counts_over_all_records(narrow: Planted) -> None:
    X, sets = narrow.X, names(narrow.Y)
    tree = Taxonomy.from_nested({"low": ["topic 0", "topic 1", "topic 2"], "high": ["topic 3", "topic 4", "topic 5"]})
    model, fitted = taken_in(MLSI(FULL, taxonomy=tree), X, sets, 80), MLSI(FULL, taxonomy=tree).fit(X, sets)
    np.testing.assert_allclose(model.eigenvalues_, fitted.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(np.abs(model.components_[:20]), np.abs(fitted.components_[:20]), atol=1e-6)


def test_forgetting_weighs_earlier_records_less(narrow: Planted) -> None:
    X, Y = narrow.X, narrow.Y
    model = MLSI(FULL).partial_fit(X[:100], Y[:100]).partial_fit(X[100:], Y[100:], forget=0.5)
    twice = sp.vstack([X[:100], X[100:], X[100:]], format="csr"), sp.vstack([Y[:100], Y[100:], Y[100:]], format="csr")
    # counting half beside others is counting once beside others that count twice; the ridge is one to the half then
    fitted = MLSI(FULL, ridge=2).fit(*twice)
    np.testing.assert_allclose(model.eigenvalues_ * 2, fitted.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(model.label_scale_, fitted.label_scale_)


def test_earlier_positions_are_moved_to_where_a_refit_puts_them(narrow: Planted) -> None:
    X, Y = narrow.X, narrow.Y
    model = MLSI(12).partial_fit(X[:100], Y[:100])
    stored = model.training_coordinates(X[:100])
    model.partial_fit(X[100:], Y[100:])
    moved = model.training_coordinates(X)
    np.testing.assert_allclose(moved[:100], model.move_positions(stored), atol=1e-12)
    refit = MLSI(12).fit(X, Y).training_coordinates(X)
    products = moved @ moved.T, refit @ refit.T
    assert np.corrcoef(*(each.ravel() for each in products))[0, 1] > 0.95
    signs = np.sign(model.embedding_[np.abs(model.embedding_).argmax(axis=0), np.arange(12)])
    assert (signs == 1).all()


def test_a_fit_can_be_updated(planted: Planted) -> None:
    X, Y = planted.X, planted.Y
    model = MLSI(6).fit(X[:120], Y[:120]).partial_fit(X[120:], Y[120:])
    fitted = MLSI(6).fit(X, Y)
    assert model.label_coordinates().shape == (6, 6)
    explained = np.sum(model.label_loadings_**2) / np.sum(fitted.label_loadings_**2)
    assert 0.95 < explained < 1.02


def test_a_cut_history_finds_the_topics_that_a_refit_finds() -> None:
    sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks"))
    try:
        from synthetic import planted_topics
    finally:
        sys.path.pop(0)
    X, Y = planted_topics(1_500, n_terms=2_000, n_topics=12, dtype=np.float64, seed=3)
    new, kept = (X[1_200:], Y[1_200:]), (X[:1_200], Y[:1_200])
    model, fitted = taken_in(MLSI(15), *kept, 300, 600, 900), MLSI(15).fit(*kept)
    first = MLSI(15).fit(kept[0][:300], kept[1][:300])
    shared = {}
    for name, each in (("updated", model), ("refitted", fitted), ("folded in", first)):
        collection, queries = (_unit(each.transform(part)) for part in (kept[0], new[0]))
        nearest = np.argsort(-(queries @ collection.T), axis=1)[:, :10]
        relevant = (new[1] @ kept[1].T).toarray() > 0
        shared[name] = float(np.mean(np.take_along_axis(relevant, nearest, axis=1)))
    assert shared["updated"] > shared["refitted"] - 0.01
    assert shared["updated"] > shared["folded in"] + 0.005
    words = np.sum(model.term_loadings_**2) / np.sum(fitted.term_loadings_**2)
    labels = np.sum(model.label_loadings_**2) / np.sum(fitted.label_loadings_**2)
    assert 0.95 < words < 1.01
    assert 0.99 < labels < 1.01


@pytest.mark.parametrize("solver", ["dual", "primal", "augmented"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_precision_form_and_solver_agree(planted: Planted, solver: str, dtype: Any, form: Any) -> None:
    X, Y = form(planted.X.toarray().astype(dtype)), planted.Y
    model = taken_in(MLSI(5, solver=solver, tol=1e-5), X, Y, 80, 140)
    for name in ("components_", "term_loadings_", "label_loadings_", "embedding_", "eigenvalues_", "position_map_"):
        assert getattr(model, name).dtype == dtype, name
    double = taken_in(MLSI(5), planted.X, Y, 80, 140)
    np.testing.assert_allclose(model.eigenvalues_, double.eigenvalues_, rtol=1e-3)
    assert (model.solver_, bool(model.solution_)) == (solver, solver == "augmented")


def test_the_form_that_is_reported_is_that_of_all_records(planted: Planted) -> None:
    X, Y = planted.X, planted.Y
    model = MLSI(5, solver="auto").partial_fit(X, Y).partial_fit(X[:50], Y[:50])
    assert model.solver_ == "dual"
    for _ in range(2):
        model.partial_fit(X[:80], Y[:80])
    assert (model.n_records_seen_, model.solver_) == (410, "primal")
    assert "the last update was held as dual" in model.solver_reason_
    everything = sp.vstack([X, X[:50], X[:80], X[:80]], format="csr")
    assert model.training_coordinates(everything, "honest").shape == (410, 5)


def test_the_same_seed_gives_the_same_space(planted: Planted) -> None:
    first, second = (taken_in(MLSI(5, solver="augmented"), planted.X, planted.Y, 100) for _ in range(2))
    np.testing.assert_array_equal(first.components_, second.components_)


def _unit(positions: np.ndarray) -> np.ndarray:
    return np.asarray(positions / np.maximum(np.linalg.norm(positions, axis=1, keepdims=True), 1e-12))


# bad input

X = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
Y = [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel": "rbf"}, "kernel cannot be updated: got 'rbf', expected 'linear' for partial_fit"),
        ({"label_kernel": "rbf"}, "label_kernel cannot be updated: got 'rbf', expected 'linear' for partial_fit"),
        ({"ridge": 0}, "ridge is too small for partial_fit: got 0, expected a number above 0"),
        ({"label_weight": 1}, "label_weight is too large for partial_fit: got 1, expected a number below 1"),
    ],
)
def test_settings_that_need_all_records_have_no_update(settings: dict[str, Any], message: str) -> None:
    model = MLSI(2, **settings)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as refused:
        model.partial_fit(X, Y)
    assert message in str(refused.value.__cause__)


def test_a_space_of_another_kernel_cannot_be_updated() -> None:
    model = MLSI(2, kernel="rbf").fit(X, Y).set_params(kernel="linear")
    with pytest.raises(InputError, match="the space cannot be updated: it was fitted with another kernel"):
        model.partial_fit(X, Y)


def test_labels_that_are_missing_are_refused_and_nothing_changes() -> None:
    model = MLSI(2).fit(X, Y)
    before = model.components_.copy()
    with pytest.raises(InputError, match="y is missing"):
        model.partial_fit(np.hstack([X, X]))
    with pytest.raises(InputError, match="y does not match X: got 4 rows for 5 records"):
        model.partial_fit(X, Y[:4])
    assert (model.n_features_in_, model.n_records_seen_) == (4, 5)
    np.testing.assert_array_equal(model.components_, before)
    with pytest.raises(InputError, match="y has no labels"):
        MLSI(2).partial_fit(X, [None] * 5)


def test_fewer_columns_than_before_are_refused() -> None:
    with pytest.raises(ValueError, match="X has 3 features, but MLSI is expecting 4 features as input"):
        MLSI(2).fit(X, Y).partial_fit(X[:, :3], Y)


def test_fewer_dimensions_than_asked_for_are_announced() -> None:
    with pytest.warns(TacitWarning, match="n_components=9 is more than the rank of the record kernel"):
        MLSI(9, label_weight=0.5).partial_fit(X, Y)
