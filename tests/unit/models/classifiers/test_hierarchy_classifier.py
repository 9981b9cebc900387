"""Hierarchy-regularised classifiers: what scores do under scaling and permutation, closed predictions, bad input."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from tacit.errors import InputError, SolverError, TacitWarning
from tacit.models.classifiers.base import best_f1_thresholds
from tacit.models.classifiers.hierarchy import HierarchyClassifier, close_predictions
from tacit.models.common.class_hierarchy import hierarchy_graph
from tacit.relations.labels.matrix import LabelMatrix
from tacit.relations.taxonomy.taxonomy import Taxonomy

LOSSES = ["squared", "logistic", "squared_hinge"]
PARENTS: dict[Hashable, Any] = {"top": None, "a": "top", "b": "top", "a1": "a", "a2": "a", "both": ["a2", "b"]}
TAXONOMY = Taxonomy.from_parents(PARENTS)
LABELS = ["a", "b", "a1", "a2", "both"]


def collection(n: int = 60, n_features: int = 8, seed: int = 3) -> tuple[np.ndarray, list[set[str]]]:
    """One or two labels a record, inner nodes among them; each label has its direction, loud enough to be learned."""
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(LABELS, rng.integers(1, 3), replace=False).tolist()) for _ in range(n)]
    directions = 2 * rng.normal(size=(len(LABELS), n_features))
    X = rng.normal(size=(n, n_features))
    for row, labels in zip(X, sets, strict=True):
        row += sum((directions[LABELS.index(name)] for name in labels), np.zeros(n_features))
    return X, sets


# ---------------------------------------------------------------- laws of the scores


@pytest.mark.parametrize("loss", LOSSES)
def test_scale_of_the_features_does_not_matter(loss: str) -> None:
    X, sets = collection()
    model = HierarchyClassifier(loss, taxonomy=TAXONOMY, tol=1e-10)
    plain, scaled = (clone(model).fit(factor * X, sets).decision_function(factor * X) for factor in (1.0, 37.0))
    np.testing.assert_allclose(scaled, plain, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_order_of_the_records_does_not_matter(loss: str) -> None:
    X, sets = collection()
    order = np.random.default_rng(0).permutation(len(X))
    model = HierarchyClassifier(loss, taxonomy=TAXONOMY, tol=1e-8)
    plain = clone(model).fit(X, sets)
    shuffled = clone(model).fit(X[order], [sets[i] for i in order])
    np.testing.assert_allclose(shuffled.decision_function(X), plain.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_repeated_records_weigh_as_much_more(loss: str) -> None:
    """Twice every record is twice the loss and twice the scatter, so half the ridge."""
    X, sets = collection()
    once = HierarchyClassifier(loss, taxonomy=TAXONOMY, ridge=0.5, tol=1e-8).fit(X, sets)
    twice = HierarchyClassifier(loss, taxonomy=TAXONOMY, ridge=1.0, tol=1e-8).fit(np.vstack([X, X]), sets + sets)
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_shift_of_the_features_goes_into_the_intercept(loss: str) -> None:
    X, sets = collection()
    shift = np.full(X.shape[1], 5.0)
    length = np.square(X).sum(axis=1).mean(), np.square(X + shift).sum(axis=1).mean()
    plain = HierarchyClassifier(loss, taxonomy=TAXONOMY, ridge=0.1, tol=1e-8).fit(X, sets)
    moved = HierarchyClassifier(loss, taxonomy=TAXONOMY, ridge=0.1 * length[0] / length[1], tol=1e-8, max_iter=200)
    moved.fit(X + shift, sets)
    np.testing.assert_allclose(moved.decision_function(X + shift), plain.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_is_dense_and_single_precision_stays(loss: str) -> None:
    X, sets = collection()
    X[np.abs(X) < 1] = 0
    model = HierarchyClassifier(loss, taxonomy=TAXONOMY, tol=1e-8)
    dense, sparse = (clone(model).fit(M, sets).decision_function(M) for M in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse, dense, atol=1e-6)
    single = clone(model).fit(X.astype(np.float32), sets)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.decision_function(X.astype(np.float32))[:, 1:], dense[:, 1:], atol=1e-4)


def test_unknown_records_pull_at_the_root_only() -> None:
    """They change the answer where there is a hierarchy, and not without one, but for the unit of the ridge."""
    X, sets = collection()
    mixed = [labels if i % 4 else None for i, labels in enumerate(sets)]
    known = [i for i in range(len(X)) if i % 4]
    ratio = np.square(X[known]).sum(axis=1).mean() / np.square(X).sum(axis=1).mean()
    for weight, same in ((0.0, True), (1.0, False)):
        with_unknown = HierarchyClassifier(taxonomy=TAXONOMY, hierarchy_weight=weight, ridge=0.1 * ratio).fit(X, mixed)
        without = HierarchyClassifier(taxonomy=TAXONOMY, hierarchy_weight=weight, ridge=0.1)
        without.fit(X[known], [sets[i] for i in known])
        assert np.allclose(with_unknown.coef_, without.coef_, atol=1e-10) == same


# ---------------------------------------------------------------- predictions


def test_learns_planted_classes_and_names_them() -> None:
    X, sets = collection(300)
    model = HierarchyClassifier(taxonomy=TAXONOMY, ridge=0.01, hierarchy_weight=0.01).fit(X[:200], sets[:200])
    truth = TAXONOMY.expand(sets[200:])
    predicted = model.predict(X[200:])
    assert model.classes_.tolist() == list(TAXONOMY.names)
    assert (predicted == truth.indicator.toarray()).mean() > 0.85
    names = model.predict_labels(X[200:])
    assert names == [tuple(model.classes_[row > 0]) for row in predicted]


def test_top_of_all_records_is_always_predicted_without_a_warning() -> None:
    X, sets = collection()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = HierarchyClassifier(taxonomy=TAXONOMY).fit(X, sets)
    assert model.untrained_ == ("top",)
    assert model.predict(-100 * X)[:, 0].all()
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.parametrize("closed", ["add", "drop", None])
def test_predictions_agree_with_the_taxonomy(closed: str | None) -> None:
    X, sets = collection()
    rng = np.random.default_rng(0)
    model = HierarchyClassifier(taxonomy=TAXONOMY, closed=closed).fit(X, sets)
    new = 3 * rng.normal(size=(50, X.shape[1]))
    yes = model.decision_function(new) > model.thresholds_
    for row, predicted in zip(yes, model.predict_labels(new), strict=True):
        said = {str(name) for name in model.classes_[row]}
        above = {name: set(TAXONOMY.ancestors(name)) for name in said}
        if closed == "add":
            expected = said.union(*above.values())
        elif closed == "drop":
            expected = {name for name in said if above[name] <= said}
        else:
            expected = said
        assert set(predicted) == expected
    closures = close_predictions(yes, model.closure_, "add"), close_predictions(yes, model.closure_, "drop")
    assert (closures[0] != yes).any()
    assert (closures[1] != yes).any()


def test_tuned_thresholds_are_the_best_on_left_out_scores() -> None:
    """The folds are made again here, each with a model fitted from scratch on the labels of the others."""
    from sklearn.model_selection import KFold

    X, sets = collection(80)
    model = HierarchyClassifier(taxonomy=TAXONOMY, thresholds="tuned", cv=4, random_state=5).fit(X, sets)
    seed = int(np.random.default_rng(5).integers(2**31 - 1))
    scores = np.zeros((80, TAXONOMY.n_nodes))
    for train, test in KFold(4, shuffle=True, random_state=seed).split(X):
        # the unit of the ridge and the classes are those of the fold
        scores[test] = (
            HierarchyClassifier(taxonomy=TAXONOMY).fit(X[train], [sets[i] for i in train]).decision_function(X[test])
        )
    truth = TAXONOMY.expand(sets).indicator
    expected = best_f1_thresholds(truth[:, 1:], scores[:, 1:], min_f1=0.1)
    assert model.thresholds_ is not None
    np.testing.assert_allclose(model.thresholds_[1:], expected, atol=1e-8)
    assert model.thresholds_[0] == -np.inf
    again = clone(model).fit(X, sets)
    np.testing.assert_array_equal(again.thresholds_, model.thresholds_)


def test_a_number_is_the_threshold_of_all() -> None:
    X, sets = collection()
    model = HierarchyClassifier(taxonomy=TAXONOMY, thresholds=0.4, closed=None).fit(X, sets)
    np.testing.assert_array_equal(model.predict(X)[:, 1:], model.decision_function(X)[:, 1:] > 0.4)


def test_one_class_a_record_keeps_its_classes_and_is_drawn_together_by_those_above() -> None:
    X, _ = collection()
    y = np.where(X[:, 0] > 1, "a1", np.where(X[:, 1] > 0, "both", "b"))
    model = HierarchyClassifier(taxonomy=TAXONOMY, hierarchy_weight=0.5, ridge=0.1).fit(X, y)
    assert not model.multilabel_
    assert model.classes_.tolist() == ["a1", "b", "both"]
    scores = model.decision_function(X)
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])
    assert model.predict_labels(X[:1]) == [(model.predict(X[:1])[0],)]
    assert model.score(X, y) > 0.8
    laplacian = hierarchy_graph(y, TAXONOMY, len(y)).laplacian().to_dense()
    T = 2.0 * (y[:, None] == model.classes_) - 1
    centred, beta = X - X.mean(axis=0), 0.1 * np.square(X).sum(axis=1).mean()
    twin = np.linalg.solve(centred.T @ centred + 0.5 * X.T @ laplacian @ X + beta * np.eye(8), centred.T @ T)
    np.testing.assert_allclose(model.coef_, twin.T, atol=1e-10)


def test_flat_labels_keep_their_columns_and_warn_of_those_that_cannot_be_learned() -> None:
    X, sets = collection()
    labels = LabelMatrix.from_sets(sets, names=[*LABELS, "never"])
    with pytest.warns(TacitWarning, match="no training record has 'never', which will never be predicted"):
        model = HierarchyClassifier().fit(X, labels)
    assert model.classes_.tolist() == [*LABELS, "never"]
    assert not model.predict(X)[:, -1].any()
    assert model.closure_ is None


def test_two_classes_have_one_score_for_the_second() -> None:
    X, _ = collection()
    y = (X[:, 0] > 0).astype(int)
    model = HierarchyClassifier().fit(X, y)
    assert model.coef_.shape == (1, X.shape[1])
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))
    three = HierarchyClassifier().fit(X, LabelMatrix.from_matrix(np.column_stack([1 - y, y])))
    np.testing.assert_allclose(three.decision_function(X)[:, 1], model.decision_function(X), atol=1e-10)


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "square_hinge"}, "loss is unknown: got 'square_hinge'.*Did you mean 'squared_hinge'"),
        ({"hierarchy_weight": -1}, "hierarchy_weight is out of range: got -1, expected a number of at least 0"),
        ({"ridge": 0}, "ridge is out of range: got 0, expected a number above 0"),
        ({"thresholds": "best"}, "thresholds is unknown: got 'best', expected one of 'tuned', 'zero'"),
        ({"thresholds": None}, "thresholds is unknown: got None, expected 'tuned', 'zero' or a number"),
        ({"min_f1": 2}, "min_f1 is out of range: got 2"),
        ({"closed": "up"}, "closed is unknown: got 'up', expected one of 'add', 'drop'"),
        ({"cv": 1}, "cv is out of range: got 1"),
        ({"tol": 0}, "tol is out of range: got 0"),
        ({"max_iter": 0}, "max_iter is out of range: got 0"),
        ({"taxonomy": {"a": "top"}}, "taxonomy is not a Taxonomy: got dict"),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], message: str) -> None:
    X, sets = collection(10)
    with pytest.raises(InputError, match=message):
        HierarchyClassifier(**parameters).fit(X, sets)


def test_bad_labels() -> None:
    X, sets = collection(4)
    with pytest.raises(InputError, match="y has nothing to learn from: got 0 labels"):
        HierarchyClassifier(taxonomy=TAXONOMY).fit(X, [None] * 4)
    with pytest.raises(InputError, match="not nodes: got 'a3'"):
        HierarchyClassifier(taxonomy=TAXONOMY).fit(X, [{"a3"}, *sets[1:]])
    with pytest.raises(NotFittedError):
        HierarchyClassifier().predict(X)


def test_says_so_when_it_stops_early_or_cannot_solve() -> None:
    X, sets = collection()
    with pytest.warns(TacitWarning, match="newton-cg solver of the classifiers did not reach tol in 1 steps"):
        HierarchyClassifier("logistic", taxonomy=TAXONOMY, max_iter=1, tol=1e-10).fit(X, sets)
    with pytest.raises(SolverError, match=r"not determined to working precision. Raise ridge"):
        HierarchyClassifier(taxonomy=TAXONOMY, ridge=1e-300).fit(np.column_stack([X, np.zeros(len(X))]), sets)


def test_features_of_nothing_but_zeros_give_the_shares() -> None:
    _, sets = collection()
    model = HierarchyClassifier(taxonomy=TAXONOMY).fit(np.zeros((len(sets), 2)), sets)
    assert not model.coef_.any()
    shares = TAXONOMY.expand(sets).counts / len(sets)
    np.testing.assert_allclose(model.intercept_[1:], 2 * shares[1:] - 1)
