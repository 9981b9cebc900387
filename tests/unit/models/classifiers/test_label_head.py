"""The classification head against dense twins, literal leave-one-out loops and scikit-learn's contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from tacit.errors import InputError, TacitWarning
from tacit.models.classifiers import linear
from tacit.models.classifiers.base import best_f1_thresholds
from tacit.models.classifiers.calibration import apply_sigmoids, fit_sigmoids
from tacit.models.classifiers.label_head import LabelHead
from tacit.models.classifiers.linear import cross_fitted_scores, fit_ridge, fit_svm, ridge_and_left_out_scores
from tacit.relations.labels.matrix import LabelMatrix

METHODS = ["logistic", "svm", "ridge"]


def planted(
    n_records: int = 120, n_labels: int = 5, n_features: int = 8, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Records in a space where every label is a noisy half-space, the later ones rarer."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_records, n_features)) + 0.5
    directions = rng.normal(size=(n_features, n_labels))
    scores = X @ directions + 0.5 * rng.normal(size=(n_records, n_labels))
    shares = np.linspace(0.5, 0.15, n_labels)
    return X, (scores > np.quantile(scores, 1 - shares, axis=0).diagonal()).astype(int)


def ridge_twin(X: np.ndarray, Y: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """Normal equations with a column of ones that is not penalised."""
    with_ones = np.column_stack([X, np.ones(len(X))])
    penalty = ridge * np.eye(X.shape[1] + 1)
    penalty[-1, -1] = 0
    solution = np.linalg.solve(with_ones.T @ with_ones + penalty, with_ones.T @ (2.0 * Y - 1))
    return solution[:-1].T, solution[-1]


# ---------------------------------------------------------------- the classifiers


@pytest.mark.parametrize(("n_records", "n_features"), [(60, 7), (20, 50)])
def test_ridge_equals_the_normal_equations(n_records: int, n_features: int) -> None:
    X, Y = planted(n_records, n_features=n_features)
    head = LabelHead("ridge", ridge=0.3, normalise=False).fit(X, Y)
    coef, intercept = ridge_twin(X, Y, 0.3)
    np.testing.assert_allclose(head.coef_, coef, atol=1e-10)
    np.testing.assert_allclose(head.intercept_, intercept, atol=1e-10)
    np.testing.assert_allclose(head.decision_function(X), X @ coef.T + intercept, atol=1e-10)


def test_ridge_zero_is_the_smallest_least_squares_solution() -> None:
    X, Y = planted(40, n_features=6)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])  # a column too many
    head = LabelHead("ridge", ridge=0, normalise=False).fit(X, Y)
    centred, targets = X - X.mean(axis=0), 2.0 * Y - 1
    np.testing.assert_allclose(head.coef_, np.linalg.lstsq(centred, targets - targets.mean(axis=0))[0].T, atol=1e-8)


@pytest.mark.parametrize("ridge", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize(("n_records", "n_features"), [(40, 6), (15, 30)])
def test_left_out_scores_equal_the_literal_loop(n_records: int, n_features: int, ridge: float) -> None:
    X, Y = planted(n_records, n_labels=3, n_features=n_features)
    _, scores = ridge_and_left_out_scores(X, sp.csr_array(Y), ridge=ridge)
    for record in range(n_records):
        others = np.arange(n_records) != record
        coef, intercept = ridge_twin(X[others], Y[others], ridge)
        np.testing.assert_allclose(scores[record], coef @ X[record] + intercept, atol=1e-8)


def test_sparse_ridge_equals_dense_ridge() -> None:
    rng = np.random.default_rng(1)
    X = sp.random_array((80, 40), density=0.2, rng=rng, format="csr")
    Y = (X.toarray() @ rng.normal(size=(40, 4)) > 0.3).astype(int)
    sparse, dense = (LabelHead("ridge", random_state=0).fit(M, Y) for M in (X, X.toarray()))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-6)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, atol=1e-6)
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X.toarray()), atol=1e-6)


def test_large_sparse_ridge_equals_dense_ridge_for_rare_and_dependent_labels() -> None:
    rng = np.random.default_rng(0)
    X = sp.random_array((600, 500), density=0.05, rng=rng, format="csr")  # large enough for the iterative solver
    Y = (X.toarray() @ rng.normal(size=(500, 5)) > 0.5).astype(int)
    Y[:, 1] = np.arange(600) == 3
    Y[:, 2] = Y[:, 0]
    Y[:, 4] = 1 - Y[:, 3]
    sparse, dense = (fit_ridge(M, sp.csr_array(Y), ridge=0.5) for M in (X, X.toarray()))
    np.testing.assert_allclose(sparse.scores(X), dense.scores(X), atol=1e-6)
    thresholds = LabelHead("ridge", random_state=0).fit(X, Y).thresholds_
    assert np.isfinite(thresholds).all()
    assert thresholds[0] == pytest.approx(thresholds[2], abs=1e-6)


def test_ridge_that_does_not_converge_says_so() -> None:
    # features from 1e-6 to 1e6 and hardly any ridge: conjugate gradients cannot reach the smallest in time
    X = sp.csr_array(sp.random_array((700, 600), density=0.05, rng=np.random.default_rng(0)) * np.logspace(-6, 6, 600))
    Y = (np.arange(700)[:, None] % [2, 3] == 0).astype(int)
    with pytest.warns(TacitWarning, match="least squares stopped after .* iterations with a relative residual of"):
        LabelHead("ridge", ridge=1e-12, thresholds="zero", calibrate=False).fit(X, Y)


def test_large_dense_ridge_equals_direct_ridge(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = planted()
    direct = LabelHead("ridge", random_state=0).fit(X, Y)
    monkeypatch.setattr(linear, "_DIRECT_SIDE", 4)
    np.testing.assert_allclose(LabelHead("ridge", random_state=0).fit(X, Y).coef_, direct.coef_, atol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_svm_is_one_linear_svc_a_label(container: Any) -> None:
    X, Y = planted()
    head = LabelHead("svm", C=0.1, normalise=False, random_state=0).fit(container(X), Y)
    for label in range(Y.shape[1]):
        twin = LinearSVC(C=0.1, tol=1e-8, max_iter=100_000, dual=False).fit(X, Y[:, label])
        np.testing.assert_allclose(head.coef_[label], twin.coef_[0], atol=1e-3)
        np.testing.assert_allclose(head.intercept_[label], twin.intercept_[0], atol=1e-3)


def test_processes_change_nothing() -> None:
    X, Y = planted()
    X = sp.csr_array(np.hstack([X] * 20))  # wide, so that liblinear takes its dual method, the one with random numbers
    alone, shared = (LabelHead("svm", n_jobs=n_jobs, cv=2, random_state=0).fit(X, Y) for n_jobs in (1, 2))
    np.testing.assert_array_equal(alone.coef_, shared.coef_)
    np.testing.assert_array_equal(alone.thresholds_, shared.thresholds_)


def test_svm_that_does_not_converge_says_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = planted()
    monkeypatch.setattr(linear, "_SVM_STEPS", 1)
    with pytest.warns(TacitWarning, match="support vector machines of . of 5 labels did not conv") as caught:
        LabelHead("svm", C=100, random_state=0).fit(X, Y)
    assert len(caught) == 1


def test_cross_fitted_scores_never_use_the_record_itself() -> None:
    X, Y = planted(30, n_labels=2)
    scores = cross_fitted_scores(lambda A, B: fit_ridge(A, B, ridge=1.0), X, sp.csr_array(Y), n_folds=30, seed=0)
    _, left_out = ridge_and_left_out_scores(X, sp.csr_array(Y), ridge=1.0)
    np.testing.assert_allclose(scores, left_out, atol=1e-8)


def test_folds_without_a_positive_answer_no() -> None:
    X, Y = planted(20, n_labels=1)
    Y[:] = 0
    Y[3] = 1
    scores = cross_fitted_scores(
        lambda A, B: fit_svm(A, B, C=1.0, n_jobs=None, seed=0), X, sp.csr_array(Y), n_folds=5, seed=0
    )
    assert scores[3, 0] == -1.0


def test_normalise_is_unit_length_rows() -> None:
    X, Y = planted()
    inside = LabelHead("ridge", normalise=True).fit(X, Y)
    outside = LabelHead("ridge", normalise=False).fit(normalize(X), Y)
    np.testing.assert_allclose(inside.decision_function(3 * X), outside.decision_function(normalize(X)))
    np.testing.assert_array_equal(inside.predict(X), inside.predict(0.01 * X))


# ---------------------------------------------------------------- thresholds and probabilities


def test_tuned_thresholds_and_calibration_come_from_left_out_scores() -> None:
    X, Y = planted()
    head = LabelHead("ridge", min_f1=0.0, normalise=False).fit(X, Y)
    _, left_out = ridge_and_left_out_scores(X, sp.csr_array(Y), ridge=1.0)
    np.testing.assert_allclose(head.thresholds_, best_f1_thresholds(Y, left_out))
    sigmoids = fit_sigmoids(left_out, Y)
    np.testing.assert_allclose(head.calibration_, sigmoids)
    np.testing.assert_allclose(head.predict_proba(X), apply_sigmoids(head.decision_function(X), *sigmoids))


def test_thresholds_by_rule_and_by_number() -> None:
    X, Y = planted()
    scores = LabelHead("ridge").fit(X, Y).decision_function(X)
    for thresholds, cut in (("zero", 0.0), (-0.4, -0.4), (1, 1.0)):
        head = LabelHead("ridge", thresholds=thresholds).fit(X, Y)
        np.testing.assert_array_equal(head.predict(X), scores > cut)


def test_a_score_must_exceed_its_threshold() -> None:
    X, Y = planted()
    head = LabelHead("ridge", calibrate=False).fit(X, Y)
    scores = head.decision_function(X)
    head.thresholds_ = scores[0]
    np.testing.assert_array_equal(head.predict(X), scores > scores[0])
    head.thresholds_ = head.decision_function(X[:1])[0]  # one row may differ from a row of many in the last digit
    assert not head.predict(X[:1]).any()


def test_tuned_thresholds_serve_rare_labels_better_than_zero() -> None:
    X, Y = planted(3000, n_labels=8, n_features=4, seed=2)
    rng = np.random.default_rng(0)
    Y &= rng.random(Y.shape) < 0.3  # labels that are often forgotten: scores above zero become rare
    train, test = np.arange(1500), np.arange(1500, 3000)
    tuned, zero = (LabelHead("ridge", thresholds=rule).fit(X[train], Y[train]) for rule in ("tuned", "zero"))
    f1 = [f1_score(Y[test], head.predict(X[test]), average="macro", zero_division=0) for head in (tuned, zero)]
    assert f1[0] > f1[1] + 0.1


def test_probabilities_mean_what_they_say_on_new_records() -> None:
    X, Y = planted(4000, n_labels=4, n_features=4, seed=5)
    head = LabelHead("ridge").fit(X[:2000], Y[:2000])
    probabilities = head.predict_proba(X[2000:])
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (probabilities > low) & (probabilities <= low + 0.2)
        assert Y[2000:][inside].mean() == pytest.approx(probabilities[inside].mean(), abs=0.1)


@pytest.mark.parametrize("method", METHODS)
def test_suggestions_are_the_most_probable_labels_in_order(method: str) -> None:
    X, Y = planted()
    head = LabelHead(method, random_state=0).fit(X, Y)
    probabilities = head.predict_proba(X)
    for row, suggested in zip(probabilities, head.suggest(X, limit=3), strict=True):
        assert [name for name, _ in suggested] == sorted(range(5), key=lambda label: (-row[label], label))[:3]
        assert [probability for _, probability in suggested] == pytest.approx(sorted(row, reverse=True)[:3])
    assert all(len(suggested) == 5 for suggested in head.suggest(X, limit=50))


# ---------------------------------------------------------------- forms of y


def test_sets_matrix_and_label_matrix_give_the_same() -> None:
    X, Y = planted()
    names = ["ant", "bee", "cat", "dog", "elk"]
    sets = [{names[j] for j in np.flatnonzero(row)} for row in Y]
    by_sets, by_matrix = LabelHead("ridge").fit(X, sets), LabelHead("ridge").fit(X, Y)
    by_sparse = LabelHead("ridge").fit(X, sp.csc_array(Y))
    by_object = LabelHead("ridge").fit(X, LabelMatrix.from_matrix(Y, names))
    assert by_sets.classes_.tolist() == by_object.classes_.tolist() == names
    assert by_matrix.classes_.tolist() == list(range(5))
    for head in (by_sets, by_sparse, by_object):
        predicted = head.predict(X)
        assert isinstance(predicted, np.ndarray)
        np.testing.assert_array_equal(predicted, by_matrix.predict(X))
    expected = [tuple(names[j] for j in np.flatnonzero(row)) for row in by_matrix.predict(X)]
    assert by_sets.predict_labels(X) == expected


@pytest.mark.parametrize("unknown", ["sets", "matrix"])
def test_records_with_unknown_labels_are_left_out(unknown: str) -> None:
    X, Y = planted()
    hidden = np.arange(len(Y)) % 3 == 0
    if unknown == "sets":
        y: Any = [None if hide else set(np.flatnonzero(row).tolist()) for row, hide in zip(Y, hidden, strict=True)]
    else:
        y = np.where(hidden[:, None], np.nan, Y)
    partly = LabelHead("ridge").fit(X, y)
    only_known = LabelHead("ridge").fit(X[~hidden], Y[~hidden])
    np.testing.assert_array_equal(partly.coef_, only_known.coef_)
    np.testing.assert_array_equal(partly.thresholds_, only_known.thresholds_)
    np.testing.assert_array_equal(partly.label_counts_, Y[~hidden].sum(axis=0))


@pytest.mark.parametrize("method", METHODS)
def test_two_classes_follow_scikit_learn(method: str) -> None:
    X, Y = planted()
    y = np.where(Y[:, 0] == 1, "yes", "no")
    head = LabelHead(method, random_state=0).fit(X, y)
    scores, probabilities = head.decision_function(X), head.predict_proba(X)
    assert scores.shape == (len(X),)
    assert head.coef_.shape == (1, X.shape[1])
    assert head.thresholds_ is None
    np.testing.assert_array_equal(head.predict(X), np.where(scores > 0, "yes", "no"))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert head.classes_.tolist() == ["no", "yes"]
    order = np.argsort(scores)
    assert (np.diff(probabilities[order, 1]) >= 0).all()


@pytest.mark.parametrize("method", METHODS)
def test_several_classes_go_to_the_highest_score(method: str) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 160) * 10
    X = np.eye(4)[y // 10] + 0.4 * rng.normal(size=(160, 4))
    head = LabelHead(method, random_state=0).fit(X, y)
    scores, probabilities = head.decision_function(X), head.predict_proba(X)
    assert scores.shape == probabilities.shape == (160, 4)
    np.testing.assert_array_equal(head.predict(X), head.classes_[scores.argmax(axis=1)])
    np.testing.assert_array_equal(probabilities.argmax(axis=1), scores.argmax(axis=1))
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert head.predict_labels(X)[:5] == [(int(name),) for name in head.predict(X)[:5]]
    # the probability of the winner is about the share of right answers
    assert probabilities.max(axis=1).mean() == pytest.approx((head.predict(X) == y).mean(), abs=0.08)


def test_names_of_any_kind_are_kept() -> None:
    X, Y = planted(n_labels=2)
    names = [("a", 1), ("b", 2)]
    head = LabelHead("ridge").fit(X, LabelMatrix.from_matrix(Y, names))
    assert head.classes_.tolist() == names
    assert {name for suggested in head.suggest(X) for name, _ in suggested} == set(names)


# ---------------------------------------------------------------- labels that cannot be learned


@pytest.mark.parametrize("method", METHODS)
def test_label_that_nobody_has_is_never_predicted(method: str) -> None:
    X, Y = planted()
    labels = LabelMatrix.from_matrix(np.insert(Y, 2, 0, axis=1), ["a", "b", "ghost", "c", "d", "e"])
    with pytest.warns(TacitWarning, match="no training record has 'ghost', which will never be predicted") as caught:
        head = LabelHead(method, random_state=0).fit(X, labels)
    assert len(caught) == 1
    assert head.untrained_ == ("ghost",)
    assert not head.predict(X)[:, 2].any()
    assert not head.predict_proba(X)[:, 2].any()
    assert (head.decision_function(X).argmin(axis=1) == 2).all()
    assert np.isfinite(head.decision_function(X)).all()
    assert all("ghost" not in dict(suggested) for suggested in head.suggest(X, limit=6))
    without = LabelHead(method, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(np.delete(head.predict(X), 2, axis=1), without.predict(X))


@pytest.mark.parametrize("thresholds", ["tuned", "zero", 5.0])
@pytest.mark.parametrize("method", METHODS)
def test_label_that_all_have_is_always_predicted(method: str, thresholds: str | float) -> None:
    X, Y = planted()
    Y[:, 1] = 1
    with pytest.warns(TacitWarning, match="every training record has '1', which will always be predicted"):
        head = LabelHead(method, thresholds=thresholds, random_state=0).fit(X, Y)
    assert head.untrained_ == (1,)
    assert head.predict(X)[:, 1].all()
    assert (head.predict_proba(X)[:, 1] == 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_class_that_nobody_has_is_never_predicted(method: str) -> None:
    X, Y = planted(n_labels=3)
    labels = LabelMatrix.from_classes(Y.sum(axis=1) % 3, names=[0, 1, 7, 2])
    with pytest.warns(TacitWarning, match="no training record has '7'"):
        head = LabelHead(method, random_state=0).fit(X, labels)
    assert set(head.predict(X)) <= {0, 1, 2}
    assert not head.predict_proba(X)[:, 2].any()
    np.testing.assert_allclose(head.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("method", METHODS)
def test_fewer_positives_than_folds(method: str) -> None:
    X, Y = planted(n_labels=3)
    Y[:, 1] = 0
    Y[7, 1] = 1
    Y[:, 2] = 0
    Y[[3, 50], 2] = 1
    head = LabelHead(method, random_state=0).fit(sp.csr_array(X) if method == "svm" else X, Y)
    assert np.isfinite(head.thresholds_).all()
    assert np.isfinite(head.calibration_).all()
    # a label with a single record must not be given to half the collection
    assert head.predict(X)[:, 1].mean() < 0.1


# ---------------------------------------------------------------- invariances


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", METHODS)
def test_permuted_labels_permute_the_answers(method: str, container: Any) -> None:
    X, Y = planted()
    order = np.array([3, 0, 4, 2, 1])
    straight = LabelHead(method, random_state=3).fit(container(X), Y)
    permuted = LabelHead(method, random_state=3).fit(container(X), Y[:, order])
    np.testing.assert_allclose(permuted.decision_function(X), straight.decision_function(X)[:, order], atol=1e-7)
    np.testing.assert_allclose(permuted.thresholds_, straight.thresholds_[order], atol=1e-7)
    np.testing.assert_allclose(permuted.predict_proba(X), straight.predict_proba(X)[:, order], atol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", METHODS)
def test_same_seed_same_head(method: str, container: Any) -> None:
    X, Y = planted()
    first = LabelHead(method, random_state=5).fit(container(X), Y)
    second = clone(first).fit(container(X), Y)
    for name in ("coef_", "intercept_", "thresholds_", "calibration_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("method", METHODS)
def test_float32_stays_float32(method: str, container: Any) -> None:
    X, Y = planted()
    single = container(X.astype(np.float32))
    head = LabelHead(method, random_state=0).fit(single, Y)
    assert head.coef_.dtype == head.intercept_.dtype == np.float32
    assert head.decision_function(single).dtype == np.float32
    assert head.predict_proba(single).dtype == np.float32
    double = LabelHead(method, random_state=0).fit(container(X), Y)
    np.testing.assert_allclose(head.decision_function(single), double.decision_function(X), atol=1e-3)


# ---------------------------------------------------------------- messages


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"method": "svn"},
            "method is unknown: got 'svn', expected one of 'logistic', 'svm', 'ridge'. Did you mean 'svm'?",
        ),
        ({"C": 0}, "C is out of range: got 0, expected a number above 0"),
        ({"ridge": -1}, "ridge is out of range: got -1"),
        ({"cv": 1}, "cv is out of range: got 1, expected a whole number of at least 2"),
        ({"min_f1": 1.5}, "min_f1 is out of range: got 1.5"),
        ({"thresholds": "tund"}, "thresholds is unknown: got 'tund'.* Did you mean 'tuned'?"),
        ({"thresholds": None}, "thresholds is unknown: got None, expected 'tuned', 'zero' or a number"),
        ({"thresholds": np.nan}, "thresholds is unknown: got nan"),
        ({"thresholds": True}, "thresholds is unknown: got True"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    X, Y = planted()
    with pytest.raises(InputError, match=message):
        LabelHead(**parameters).fit(X, Y)


def test_bad_labels_are_named() -> None:
    X, Y = planted()
    with pytest.raises(InputError, match="y does not match X: got 119 rows for 120 records"):
        LabelHead().fit(X, Y[1:])
    with pytest.raises(InputError, match="y is missing"):
        LabelHead().fit(X, None)
    with pytest.raises(InputError, match="y has nothing to learn from: got 5 labels and 0 records with known labels"):
        LabelHead().fit(X, np.full(Y.shape, np.nan))
    with pytest.raises(InputError, match="y has nothing to learn from: got 0 labels and 120 records"):
        LabelHead().fit(X, [()] * 120)


def test_without_calibration_there_are_no_probabilities() -> None:
    X, Y = planted()
    head = LabelHead("ridge", calibrate=False).fit(X, Y)
    assert head.calibration_ is None
    assert not hasattr(head, "predict_proba")
    np.testing.assert_array_equal(head.predict(X), LabelHead("ridge").fit(X, Y).predict(X))
    with pytest.raises(InputError, match="calibrate is off: got False, expected True for probabilities"):
        head.suggest(X)
    with pytest.raises(InputError, match="calibrate is off"):
        head.set_params(calibrate=True).predict_proba(X)


def test_limit_must_be_a_count() -> None:
    X, Y = planted()
    with pytest.raises(InputError, match="limit is out of range: got 0"):
        LabelHead("ridge").fit(X, Y).suggest(X, limit=0)


def test_unfitted_head_says_so() -> None:
    for method in ("predict", "predict_labels", "decision_function", "predict_proba", "suggest"):
        with pytest.raises(NotFittedError):
            getattr(LabelHead(), method)([[1.0, 2.0]])
