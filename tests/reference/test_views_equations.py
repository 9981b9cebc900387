"""MLSI with views, masks and fold-in against dense twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from spaces import up_to_sign
from views_twin import (
    BETA,
    RIDGE,
    SHAPES,
    DenseView,
    K,
    assert_same,
    collection,
    fit,
    fold_in,
    given,
    labels,
    masked,
    scaled,
    solve,
)

from tacit import MLSI, InputError, Taxonomy, View

TREE = Taxonomy.from_nested({"low": [0, 1], "high": [2, 3, 4]})

each_solver = pytest.mark.parametrize("solver", ["primal", "dual", "augmented"])
each_shape = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)


@each_solver
@each_shape
@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_views_with_missing_rows_solve_the_objective(solver: str, shape: Any, missing: float) -> None:
    X, views = collection(shape, missing=missing)
    assert_same(fit(X, views, solver=solver), X, masked(X, list(views.values()), K, BETA, RIDGE))


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_a_kernel_has_views_too(missing: float) -> None:
    X, views = collection(SHAPES["wide"], missing=missing)
    linear, kernel = fit(X, views), fit(X, views, kernel="poly", kernel_params={"degree": 1, "gamma": 1, "coef0": 0})
    np.testing.assert_allclose(kernel.eigenvalues_, linear.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(kernel.embedding_, linear.embedding_, atol=1e-7)


def test_one_view_of_labels_is_mlsi() -> None:
    X, views = collection(SHAPES["tall"])
    settings: dict[str, Any] = {"label_weight": BETA, "ridge": RIDGE}
    plain = MLSI(K, **settings).fit(X, labels(views))
    named = MLSI(K, **settings).fit(X, views={"anything": views["labels"].rows})
    np.testing.assert_array_equal(named.components_, plain.components_)
    np.testing.assert_allclose(named.view_coordinates("anything"), plain.label_coordinates(), rtol=1e-14)


def test_a_view_of_weight_0_is_placed_and_does_not_count() -> None:
    X, views = collection(SHAPES["tall"])
    plain = MLSI(K, label_weight=BETA).fit(X, labels(views))
    model = MLSI(K, label_weight=BETA, view_weights={"links": 0, "numbers": 0}).fit(
        X, labels(views), views=given(views)
    )
    np.testing.assert_array_equal(model.components_, plain.components_)
    rows = views["links"].rows
    expected = rows.T @ model.embedding_ / np.maximum(rows.sum(axis=0), 1)[:, None]
    np.testing.assert_allclose(model.view_coordinates("links"), expected * model.eigenvalues_**0.25, atol=1e-12)


def test_the_order_and_the_size_of_views_do_not_matter() -> None:
    X, views = collection(SHAPES["tall"], missing=0.3)
    model = fit(X, views)
    turned = {"numbers": given(views)["numbers"], "links": given(views)["links"]}
    turned["numbers"] = View(turned["numbers"].data * 1000, weight=0.5)
    settings: dict[str, Any] = {"label_weight": BETA, "ridge": RIDGE, "scaling": "unit", "tol": 1e-12}
    other = MLSI(K, **settings, view_weights={"labels": 2.0}).fit(X, labels(views), views=turned)
    np.testing.assert_allclose(other.embedding_, model.embedding_, atol=1e-9)
    assert sum(view.weight for view in model.views_.values()) == pytest.approx(1)


def test_the_taxonomy_is_a_view_beside_the_labels_and_goes_with_a_label_kernel() -> None:
    X, views = collection(SHAPES["tall"])
    sets = labels(views)
    classes = TREE.expand(sets, n_records=len(X)).without_empty().indicator.toarray()
    everyone = np.ones(len(X), dtype=bool)
    twin_views = [DenseView(views["labels"].rows, everyone), DenseView(classes, everyone, weight=0.5, even=True)]
    settings: dict[str, Any] = {"label_weight": BETA, "ridge": RIDGE, "scaling": "unit", "tol": 1e-12}
    weights = {"labels": 1.0, "taxonomy": 0.5}
    model = MLSI(K, taxonomy=TREE, view_weights=weights, **settings).fit(X, sets)
    assert_same(model, X, solve(X, scaled(X, twin_views), K, BETA, RIDGE))
    linear = {"degree": 1, "gamma": 1, "coef0": 0}
    kernel = MLSI(
        K, taxonomy=TREE, view_weights=weights, label_kernel="poly", label_kernel_params=linear, **settings
    ).fit(X, sets)
    np.testing.assert_allclose(kernel.embedding_, model.embedding_, atol=1e-8)
    np.testing.assert_allclose(kernel.label_coordinates(), model.label_coordinates(), atol=1e-8)


def test_a_record_of_the_fit_is_folded_in_at_its_own_place() -> None:
    X, views = collection(SHAPES["tall"])
    model = fit(X, views)
    found = model.fold_in(X, labels(views), views=given(views))
    np.testing.assert_allclose(found, model.embedding_, atol=1e-9)
    np.testing.assert_array_equal(model.fold_in(X), model.transform(X))


def test_fold_in_with_some_views_is_the_stationary_condition() -> None:
    X, views = collection(SHAPES["tall"], missing=0.3)
    model, space = fit(X, views), masked(X, list(views.values()), K, BETA, RIDGE)
    rng = np.random.default_rng(5)
    new, rows = rng.standard_normal((4, X.shape[1])), (rng.random((4, 5)) < 0.4).astype(float)
    fitted = list(model.views_.values())
    lengths = [view.length for view in fitted]
    expected = [
        fold_in(space, X, x, [row * fitted[0].factors, None, None], lengths, BETA)
        for x, row in zip(new, rows, strict=True)
    ]
    sets = [set(np.flatnonzero(row).tolist()) for row in rows]
    turn = np.where(np.sum(model.embedding_ * space.V, axis=0) < 0, -1, 1)
    np.testing.assert_allclose(model.fold_in(new, sets) * turn, expected, atol=1e-7)
    np.testing.assert_allclose(model.fold_in(new, [{"never seen"}] * 4), model.transform(new), atol=1e-12)


def test_records_of_which_nothing_is_known_are_where_their_words_are() -> None:
    X, views = collection(SHAPES["tall"], missing=0.6)
    model = fit(X, views)
    nothing = ~np.any([view.known for view in views.values()], axis=0)
    assert nothing.any()
    placed = model.training_coordinates(X, "transductive")
    np.testing.assert_allclose(placed[nothing], model.transform(X)[nothing], atol=1e-12)
    np.testing.assert_array_equal(placed[~nothing], model.embedding_[~nothing])


def test_an_update_with_views_is_a_fit_on_all_of_them() -> None:
    X, views = collection(SHAPES["tall"])
    everything = fit(X, views, n_components=80)
    settings: dict[str, Any] = {"label_weight": BETA, "ridge": RIDGE, "scaling": "unit", "tol": 1e-12}
    model = MLSI(80, view_weights={"labels": 2.0}, **settings)
    for rows in (slice(0, 90), slice(90, 150)):
        some = {name: DenseView(v.rows[rows], v.known[rows], v.weight, v.even) for name, v in views.items()}
        model.partial_fit(X[rows], labels(some), views=given(some))
    np.testing.assert_allclose(model.eigenvalues_, everything.eigenvalues_, rtol=1e-7)
    ours, theirs = (each.transform(X) @ each.transform(X).T for each in (model, everything))
    np.testing.assert_allclose(ours, theirs, atol=1e-7 * np.abs(theirs).max())
    for name, view in everything.views_.items():
        assert model.views_[name].names == view.names
        np.testing.assert_allclose(
            np.abs(model.view_coordinates(name)), np.abs(everything.view_coordinates(name)), atol=1e-7
        )


def test_emphasis_changes_distances_and_not_the_space() -> None:
    X, views = collection(SHAPES["tall"], missing=0.3)
    plain = fit(X, views, scaling=0.3)
    emphasis = {"words": 0.1, "labels": 1.0, "links": 0.5}
    model = fit(X, views, scaling=0.3, emphasis=emphasis)
    space = masked(X, list(views.values()), K, BETA, RIDGE)
    M = 0.1 * (X.T @ space.V).T @ (X.T @ space.V)
    for name, block in zip(views, space.F, strict=True):
        pull = block.T @ space.V
        M += emphasis.get(name, 0) * pull.T @ pull / model.views_[name].weight
    values, axes = np.linalg.eigh(M)
    expected = space.V @ axes @ np.diag(np.maximum(values, 0) ** 0.6) @ axes.T @ space.V.T
    own = model._scaled(model.embedding_)
    np.testing.assert_allclose(own @ own.T, expected, atol=1e-6 * np.abs(expected).max())
    turn = model.embedding_.T @ plain.embedding_
    np.testing.assert_allclose(turn @ turn.T, np.eye(K), atol=1e-9)
    unit = model.transform(X) / model.eigenvalues_**0.3
    np.testing.assert_allclose(unit @ turn, plain.transform(X) / plain.eigenvalues_**0.3, atol=1e-7)
    full = fit(X, collection(SHAPES["tall"])[1], scaling=0.3, emphasis=emphasis)
    again = full.fold_in(X, labels(collection(SHAPES["tall"])[1]), views=given(collection(SHAPES["tall"])[1]))
    np.testing.assert_allclose(again, full._scaled(full.embedding_), atol=1e-9)


def test_emphasis_as_in_the_objective_is_the_space_itself() -> None:
    X, views = collection(SHAPES["tall"])
    plain = fit(X, views)
    share = BETA / (1 - BETA)
    emphasis = {"words": 1.0} | {name: share * view.weight for name, view in plain.views_.items()}
    model = fit(X, views, emphasis=emphasis)
    np.testing.assert_allclose(up_to_sign(model.embedding_, plain.embedding_), plain.embedding_, atol=1e-7)


@pytest.mark.parametrize(
    ("views", "weights", "message"),
    [
        ([1, 2], None, "views is not a mapping: got list"),
        ({"labels": [{"a"}] * 150}, None, "views has a name that the model uses itself: got 'labels'"),
        ({"links": [{"a"}] * 3}, None, "view 'links' does not match X: got 3 rows for 150 records"),
        ({"links": View([{"a"}] * 150, weight=-1)}, None, "weight of the view 'links' is out of range: got -1"),
        ({"links": [{"a"}] * 150}, {"link": 1}, "view_weights has an unknown name: got 'link'"),
        ({"numbers": np.full((150, 2), np.inf)}, None, "view 'numbers'"),
    ],
)
def test_bad_views(views: Any, weights: Any, message: str) -> None:
    X, known = collection(SHAPES["tall"])
    with pytest.raises(InputError, match=message):
        MLSI(K, view_weights=weights).fit(X, labels(known), views=views)
