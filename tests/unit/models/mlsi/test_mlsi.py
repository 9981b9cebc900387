"""MLSI: forms and their reasons, positions of training records, labels in the space, landmarks, pipelines."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from pairwise import pairwise
from planted import Planted
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from tacit import LSI, MLSI, InputError, LabelHead, TacitWarning
from tacit.evaluate import f1
from tacit.models.common import kernels, record_kernel
from tacit.relations import as_labels

K = 6
SOLVERS = ["primal", "dual", "augmented"]
POWERS = {"unit": 0, "damped": 1 / 4, "weighted": 1 / 2}  # of λ
STRONG: dict[str, Any] = {"label_weight": 0.7, "shrinkage": 0.5, "ridge": 1.0, "scaling": "weighted"}


def test_labels_bend_the_space_towards_the_topics(planted: Planted) -> None:
    """Two records that share their topics lie nearer to each other than in a space of words."""
    X, Y = planted.training
    new, topics = planted.new
    share = np.asarray((topics @ topics.T).todense()) > 0

    def contrast(weight: float) -> float:
        positions = MLSI(K, label_weight=weight, scaling="unit").fit(X, Y).transform(new)
        positions /= np.linalg.norm(positions, axis=1, keepdims=True)
        similarity = positions @ positions.T
        return float(similarity[share].mean() - similarity[~share].mean())

    assert contrast(0.7) > contrast(0) + 0.05


@pytest.mark.parametrize(
    ("shape", "n_labels", "form", "reason"),
    [
        ((20, 50), 3, "dual", r"the smaller side of (20, 50) is at most 30"),
        ((50, 20), 3, "primal", r"the smaller side of (50, 20) is at most 30"),
        ((50, 20), 31, "augmented", r"the 31 labels are more than 30"),
        ((50, 40), 3, "augmented", r"both sides of (50, 40) are above 30"),
    ],
)
def test_auto_takes_the_form_that_fits_the_size(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, int], n_labels: int, form: str, reason: str
) -> None:
    monkeypatch.setattr(record_kernel, "DENSE_LIMIT", 30)
    rng = np.random.default_rng(0)
    X, Y = rng.random(shape), np.eye(n_labels)[rng.integers(0, n_labels, shape[0])]
    Y[:n_labels] = np.eye(n_labels)[: shape[0]]
    model = MLSI(3).fit(X, Y)
    assert (model.solver_, model.solver_reason_) == (form, reason)
    assert bool(model.solution_) == (form == "augmented")
    np.testing.assert_allclose(model.eigenvalues_, MLSI(3, solver="dual").fit(X, Y).eigenvalues_, rtol=1e-3)


def test_a_kernel_is_held_as_a_matrix(planted: Planted) -> None:
    model = MLSI(K, kernel="rbf").fit(*planted.training)
    assert (model.solver_, model.solver_reason_) == ("dual", "kernel='rbf' is held as a matrix")
    assert not hasattr(model, "components_")


@pairwise(scaling=POWERS, kind=["honest", "in-sample", "transductive"], solver=SOLVERS)
def test_fit_transform_gives_the_positions_that_were_asked_for(
    planted: Planted, solver: str, kind: str, scaling: str
) -> None:
    X, Y = planted.training
    model = MLSI(K, coordinates=kind, solver=solver, scaling=scaling, tol=1e-8)
    positions = model.fit_transform(X, Y)
    np.testing.assert_allclose(positions, model.training_coordinates(X, kind), atol=1e-6)
    scale = model.eigenvalues_ ** POWERS[scaling]
    if kind == "in-sample":
        np.testing.assert_allclose(positions, model.transform(X), atol=1e-9)
    if kind == "transductive":
        np.testing.assert_allclose(positions, model.embedding_ * scale, atol=1e-12)
        np.testing.assert_allclose(model.embedding_.T @ model.embedding_, np.eye(K), atol=1e-9)


def test_honest_is_the_default_and_not_what_transform_gives(planted: Planted) -> None:
    X, Y = planted.training
    model = MLSI(K)
    honest = model.fit_transform(X, Y)
    in_sample = model.transform(X)
    np.testing.assert_array_equal(honest, MLSI(K, coordinates="honest").fit_transform(X, Y))
    assert np.linalg.norm(honest - in_sample) > 0.1 * np.linalg.norm(in_sample)


def test_honest_positions_are_spread_like_those_of_new_records(planted: Planted) -> None:
    X, Y = planted.training
    model = MLSI(K, **STRONG)
    honest = model.fit_transform(X, Y)
    size_of_new = np.mean(model.transform(planted.new[0]) ** 2)
    assert np.mean(honest**2) / size_of_new < 1.1
    assert np.mean(model.transform(X) ** 2) / size_of_new > 1.2


def test_a_label_stands_where_its_records_do(planted: Planted) -> None:
    X, Y = planted.training
    model = MLSI(K).fit(X, Y)
    positions = model.training_coordinates(X, "transductive")
    expected = np.stack([positions[column > 0].mean(axis=0) for column in Y.toarray().T])
    np.testing.assert_allclose(model.label_coordinates(), expected, atol=1e-12)
    np.testing.assert_allclose(model.label_loadings_, model.embedding_.T @ Y.toarray(), atol=1e-12)


def test_a_label_that_nobody_has_stands_at_the_origin(planted: Planted) -> None:
    X, Y = planted.training
    wider = sp.hstack([Y, sp.csr_array((120, 1))], format="csr")
    with pytest.warns(TacitWarning, match=r"1 label has no record \('6'\): it is left at the origin"):
        model = MLSI(K).fit(X, wider)
    np.testing.assert_array_equal(model.label_coordinates()[-1], 0)
    np.testing.assert_allclose(model.components_, MLSI(K).fit(X, Y).components_, atol=1e-9)


def test_loadings_lead_back_to_the_terms(planted: Planted) -> None:
    X, Y = planted.training
    for scaling in POWERS:
        model = MLSI(120, scaling=scaling).fit(X, Y)
        positions = model.training_coordinates(X, "transductive")
        np.testing.assert_allclose(model.inverse_transform(positions), X.toarray(), atol=1e-8)


def test_a_kernel_without_a_clear_rank_asks_for_a_ridge() -> None:
    """Its eigenvalues go on down to rounding, and the space would depend on where a pseudo-inverse stops."""
    X = np.random.default_rng(0).random((80, 3))
    y = X > 0.6
    with pytest.warns(TacitWarning, match=r"singular, without a clear rank: with ridge=0 .* Set a ridge"):
        MLSI(4, kernel="rbf", ridge=0).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MLSI(4, kernel="rbf", ridge=0.001).fit(X, y)
        copies = np.vstack([np.eye(8), np.eye(8)])  # singular too, but the rank is clear
        MLSI(4, kernel="rbf", ridge=0).fit(copies, np.arange(16) % 4)


def test_a_kernel_has_no_way_back(planted: Planted) -> None:
    model = MLSI(K, kernel="rbf").fit(*planted.training)
    with pytest.raises(InputError, match="kernel='rbf' has no inverse: only with kernel='linear'"):
        model.inverse_transform(np.ones((1, K)))


def test_a_precomputed_label_kernel_has_no_named_labels(planted: Planted) -> None:
    X, Y = planted.training
    model = MLSI(K, label_kernel="precomputed").fit(X, (Y @ Y.T).toarray())
    np.testing.assert_allclose(model.components_, MLSI(K).fit(X, Y).components_, atol=1e-8)
    with pytest.raises(InputError, match="the model has no named labels"):
        model.label_coordinates()


def test_a_second_fit_with_another_kernel_forgets_the_first(planted: Planted) -> None:
    X, Y = planted.training
    for first, second in (("linear", "rbf"), ("rbf", "linear")):
        fresh = MLSI(K, kernel=second).fit(X, Y)
        again = MLSI(K, kernel=first).fit(X, Y).set_params(kernel=second).fit(X, Y)
        assert vars(again).keys() == vars(fresh).keys()
        np.testing.assert_array_equal(again.transform(X), fresh.transform(X))


def test_more_landmarks_come_nearer_to_the_kernel(planted: Planted) -> None:
    X, Y = planted.training
    settings: dict[str, Any] = {"kernel": "rbf", "kernel_params": {"gamma": 0.01}}
    exact = MLSI(K, **settings).fit(X, Y)
    gaps = []
    for n_landmarks in (20, 80, 119):
        model = MLSI(K, n_landmarks=n_landmarks, **settings)
        honest = model.fit_transform(X, Y)
        assert model.reference_records_.shape == (n_landmarks, 300)
        assert model.dual_components_.shape == (K, n_landmarks)
        np.testing.assert_allclose(honest, model.training_coordinates(X, "honest"), atol=1e-9)
        gaps.append(np.abs(model.eigenvalues_ / exact.eigenvalues_ - 1).max())
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 0.02


def test_landmarks_do_not_depend_on_how_the_features_are_held(planted: Planted) -> None:
    X, Y = planted.training
    settings: dict[str, Any] = {"kernel": "rbf", "kernel_params": {"gamma": 0.01}, "n_landmarks": 50}
    automatic, dual = MLSI(K, **settings).fit(X, Y), MLSI(K, solver="dual", **settings).fit(X, Y)
    assert (automatic.solver_, dual.solver_) == ("primal", "dual")
    np.testing.assert_allclose(automatic.transform(planted.new[0]), dual.transform(planted.new[0]), atol=1e-8)


def test_large_collections_take_landmarks_and_say_so(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "EXACT_LIMIT", 100)
    monkeypatch.setattr(kernels, "DEFAULT_LANDMARKS", 50)
    with pytest.warns(TacitWarning, match="used 50 Nyström landmarks"):
        MLSI(K, kernel="rbf").fit(*planted.training)


@pytest.mark.parametrize("form", ["matrix", "sparse", "sets", "classes", "LabelMatrix"])
@pytest.mark.parametrize("records", ["sparse", "dense"])
def test_a_pipeline_learns_to_label_new_records(planted: Planted, form: str, records: str) -> None:
    X, Y = planted.training
    new, topics = planted.new
    if records == "dense":
        X, new = X.toarray(), new.toarray()
    y = {
        "matrix": Y.toarray(),
        "sparse": Y,
        "sets": planted.sets,
        "classes": Y.toarray().argmax(axis=1),
        "LabelMatrix": as_labels(planted.sets),
    }[form]

    def score(space: Any) -> float:
        """Share of right classes, or F1 of label sets."""
        predicted = make_pipeline(space, LabelHead("ridge", normalise=False, random_state=0)).fit(X, y).predict(new)
        if form == "classes":
            return float((topics.toarray()[np.arange(80), predicted] == 1).mean())
        return f1(topics, predicted).micro

    assert score(MLSI(K, **STRONG)) > max(0.75, score(LSI(K)) + 0.1)


def test_a_head_trained_on_honest_positions_is_as_good_as_it_looks(planted: Planted) -> None:
    """What a head reaches on the positions it was trained with, less what it reaches on new records."""
    X, Y = planted.training
    new, topics = planted.new

    def flattery(kind: str) -> float:
        space = MLSI(K, coordinates=kind, **STRONG)
        positions = space.fit_transform(X, Y)
        head = LabelHead("ridge", thresholds="zero", calibrate=False, normalise=False).fit(positions, Y)
        return f1(Y, head.predict(positions)).micro - f1(topics, head.predict(space.transform(new))).micro

    assert flattery("honest") < 0.1
    assert flattery("in-sample") > 0.2


def test_unknown_labels_leave_the_others_their_weight(planted: Planted) -> None:
    X, _ = planted.training
    some: list[set[str] | None] = [*planted.sets[:60], *[None] * 60]
    model = MLSI(K).fit(X, some)
    np.testing.assert_array_equal(model.labels_.indicator[60:].toarray(), 0)
    weight = model.label_scale_**2 * model.labels_.indicator.sum() / 60
    np.testing.assert_allclose(weight, np.mean(X.power(2).sum(axis=1)), rtol=1e-12)


def test_reports_of_the_iterative_solvers_are_kept(planted: Planted) -> None:
    model = MLSI(K, solver="augmented", tol=1e-4).fit(*planted.training)
    assert len(model.solution_) == 2  # labels on words, and the space
    assert all(report.converged for report in model.solution_)
    assert model.solution_[0].residuals.shape == (6,)


def test_a_clone_learns_the_same(planted: Planted) -> None:
    model = MLSI(K, label_weight=0.4, kernel="rbf", kernel_params={"gamma": 0.02}, random_state=3)
    assert clone(model).get_params() == model.get_params()
    first, second = model.fit(*planted.training), clone(model).fit(*planted.training)
    np.testing.assert_array_equal(first.dual_components_, second.dual_components_)


def test_dimensions_have_names(planted: Planted) -> None:
    assert list(MLSI(3).fit(*planted.training).get_feature_names_out()) == ["mlsi0", "mlsi1", "mlsi2"]
    kernel = MLSI(2, kernel="rbf").fit(*planted.training)
    assert list(kernel.get_feature_names_out()) == ["mlsi0", "mlsi1"]


def test_a_good_fit_is_silent(planted: Planted) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in SOLVERS:
            MLSI(K, solver=solver).fit_transform(*planted.training)
