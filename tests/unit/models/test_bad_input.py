"""Bad input to the spaces: one clear sentence, what was got and what to do; a warning where the result still holds."""

from __future__ import annotations

import re
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted
from sklearn.exceptions import NotFittedError

from tacit import LSI, MLSI, InputError, KernelLSI, TacitWarning

X = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1]])
Y = [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}]
SPACES = [LSI(2), LSI(2, center=True), KernelLSI(2), MLSI(2), MLSI(2, kernel="rbf")]
each_space = pytest.mark.parametrize("space", SPACES, ids=repr)


def with_entry(value: float, row: int) -> np.ndarray:
    bad = X.copy()
    bad[row, 2] = value
    return bad


def refused(match: str) -> Any:
    return pytest.raises(InputError, match=match)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_array], ids=["dense", "csr", "csc"])
@pytest.mark.parametrize(("value", "kind"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@each_space
def test_values_that_are_no_numbers(space: Any, value: float, kind: str, form: Any) -> None:
    expected = f"X contains {kind}: the first one is in row 3. Replace or drop such values."
    with refused(re.escape(expected)):
        space.fit(form(with_entry(value, 3)), Y)
    space.fit(X, Y)
    with refused(re.escape(expected)):
        space.transform(form(with_entry(value, 3)))


@each_space
def test_transform_before_fit(space: Any) -> None:
    with pytest.raises(NotFittedError, match=f"This {type(space).__name__} instance is not fitted yet"):
        type(space)().transform(X)


@pytest.mark.parametrize("call", ["training_coordinates", "label_coordinates", "inverse_transform"])
def test_other_questions_before_fit(call: str) -> None:
    with pytest.raises(NotFittedError, match="This MLSI instance is not fitted yet"):
        getattr(MLSI(), call)(*([] if call == "label_coordinates" else [X]))


def test_a_fit_that_failed_is_no_fit() -> None:
    model = MLSI(2)
    with refused("y has no labels"):
        model.fit(X, [None] * 5)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.transform(X)


@each_space
def test_another_number_of_terms(space: Any) -> None:
    name = type(space).__name__
    with pytest.raises(ValueError, match=f"X has 3 features, but {name} is expecting 4 features as input"):
        space.fit(X, Y).transform(X[:, :3])


def test_another_number_of_label_rows() -> None:
    expected = "y does not match X: got 4 rows for 5 records, expected one row per record in the same order."
    with refused(re.escape(expected)):
        MLSI(2).fit(X, Y[:4])


def test_other_records_than_those_of_the_fit() -> None:
    with refused("X is not what fit was given: got 4 records, expected the 5 records passed to fit"):
        MLSI(2).fit(X, Y).training_coordinates(X[:4], "honest")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, r"y is missing: .* Pass a 0/1 matrix, a list of label sets, or one class per record\."),
        (
            [None] * 5,
            "y has no labels: got 5 records, 5 of them with unknown labels. Use LSI, or label_weight=0",
        ),
        (
            [set()] * 5,
            "y has no labels: got 5 records, 0 of them with unknown labels. Use LSI, or label_weight=0",
        ),
        (np.zeros((5, 2)), "y has no labels: got 5 records, 0 of them with unknown labels"),
        (np.full((5, 2), np.nan), "y has no labels: got 5 records, 5 of them with unknown labels"),
        (np.full((5, 2), 2), "y is not binary: got 2 in row 0, expected 0 or 1"),
    ],
)
def test_no_labels(y: Any, message: str) -> None:
    with refused(message):
        MLSI(2).fit(X, y)


def test_no_labels_are_needed_where_they_weigh_nothing() -> None:
    plain = MLSI(2, label_weight=0).fit(X)
    for y in ([None] * 5, [set()] * 5):
        np.testing.assert_array_equal(MLSI(2, label_weight=0).fit(X, y).components_, plain.components_)
    with refused("the model has no named labels"):
        plain.label_coordinates()


def test_labels_that_nobody_has() -> None:
    table = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]])
    with pytest.warns(TacitWarning, match=r"^2 labels have no record \('2', '3'\): they are left at the origin\.$"):
        model = MLSI(2).fit(X, table)
    np.testing.assert_allclose(model.components_, MLSI(2).fit(X, table[:, :2]).components_, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("space", [LSI(2), MLSI(2), KernelLSI(2, kernel="cosine")], ids=repr)
def test_records_without_words(space: Any, form: Any) -> None:
    empty = np.vstack([X, np.zeros((2, 4))])
    expected = r"^2 of 7 records have no terms: they are at the origin of the space and match nothing\.$"
    with pytest.warns(TacitWarning, match=expected):
        space.fit(form(empty), [*Y, {"a"}, None])
    np.testing.assert_allclose(space.transform(form(empty))[5:], 0, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("space", [LSI(2), LSI(2, center=True), MLSI(2)], ids=repr)
def test_no_words_at_all(space: Any, form: Any) -> None:
    expected = "X has no entries: got 5 records without any term. Check the vectoriser."
    with refused(re.escape(expected)):
        space.fit(form(np.zeros((5, 4))), Y)


@pytest.mark.parametrize(
    ("space", "limit", "n_kept"),
    [
        (LSI(9), "the rank of X", 4),
        (LSI(9, center=True), "the rank of X", 4),
        (KernelLSI(9), "the rank of the kernel matrix", 5),
        (MLSI(9), "the rank of the record kernel", 5),
        (MLSI(9, label_weight=0), "the rank of the record kernel", 4),
        (MLSI(9, label_weight=1), "the labels can span", 2),
    ],
    ids=repr,
)
def test_more_dimensions_than_there_are(space: Any, limit: str, n_kept: int) -> None:
    expected = f"^n_components=9 is more than {limit}: kept {n_kept} dimensions.$"
    with pytest.warns(TacitWarning, match=expected):
        space.fit(X, Y)
    assert space.transform(X).shape == (5, n_kept)
    assert len(space.get_feature_names_out()) == n_kept


COMMON = [
    ({"n_components": 0}, "n_components is out of range: got 0, expected a whole number of at least 1"),
    ({"n_components": 2.5}, "n_components is out of range: got 2.5, expected a whole number"),
    ({"n_components": True}, "n_components is out of range: got True, expected a whole number"),
    (
        {"scaling": "unti"},
        r"scaling is unknown: got 'unti', expected one of .* Did you mean 'unit'\?",
    ),
    ({"tol": -1}, "tol is out of range: got -1, expected a number"),
    ({"tol": "small"}, "tol is out of range: got 'small', expected a number"),
    ({"max_iter": 0}, "max_iter is out of range: got 0, expected a whole number of at least 1"),
    ({"random_state": "seed"}, "random_state is not a seed: got 'seed', expected None, a whole number or a generator"),
]
OF_LSI = [({"solver": "dence"}, r"solver is unknown: got 'dence', expected one of .* Did you mean 'dense'\?")]
OF_KERNELS = [
    ({"kernel": "rfb"}, r"^kernel is unknown: got 'rfb', expected one of .* Did you mean 'rbf'\?"),
    ({"kernel": "rbf", "n_landmarks": 0}, "n_landmarks is out of range: got 0, expected a whole number of at least 1"),
    ({"kernel": "rbf", "n_landmarks": "all"}, "n_landmarks is out of range: got 'all', expected a whole number"),
]
OF_MLSI = [
    ({"label_weight": -0.1}, "label_weight is out of range: got -0.1, expected a number of at least 0 and at most 1"),
    ({"label_weight": 1.1}, "label_weight is out of range: got 1.1, expected a number of at least 0 and at most 1"),
    ({"label_weight": np.nan}, "label_weight is out of range: got nan, expected a number of at least 0"),
    ({"shrinkage": -1}, "shrinkage is out of range: got -1, expected a number of at least 0"),
    ({"ridge": -1}, "ridge is out of range: got -1, expected a number of at least 0"),
    ({"ridge": np.inf}, "ridge is out of range: got inf, expected a number of at least 0"),
    ({"tol": 0}, "tol is out of range: got 0, expected a number above 0"),
    ({"n_folds": 1}, "n_folds is out of range: got 1, expected a whole number of at least 2"),
    ({"solver": "primary"}, r"solver is unknown: got 'primary', expected one of .* Did you mean 'primal'\?"),
    ({"coordinates": "onest"}, r"coordinates is unknown: got 'onest', expected one of .* Did you mean 'honest'\?"),
    ({"label_kernel": "cosin"}, r"label_kernel is unknown: got 'cosin', expected one of .* Did you mean 'cosine'\?"),
    (
        {"kernel": "rbf", "solver": "primal"},
        r"solver='primal' needs the linear kernel: got kernel='rbf'\. Use solver='auto'\.",
    ),
]
CASES = [
    *((LSI, *case) for case in [*COMMON, *OF_LSI]),
    *((KernelLSI, *case) for case in [*COMMON, *OF_LSI, *OF_KERNELS]),
    *((MLSI, *case) for case in [*COMMON, *OF_KERNELS, *OF_MLSI]),
]


@pytest.mark.parametrize(("kind", "params", "message"), CASES)
def test_parameters_out_of_range(kind: Any, params: dict[str, Any], message: str) -> None:
    with refused(message) as caught:
        kind(**{"n_components": 2, **params}).fit(X, Y)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)


def test_unknown_kinds_of_positions() -> None:
    with refused(r"kind is unknown: got 'transductiv', expected one of .* Did you mean 'transductive'\?"):
        MLSI(2).fit(X, Y).training_coordinates(X, "transductiv")


def test_kernel_matrices_that_are_none() -> None:
    given = MLSI(2, kernel="precomputed")
    with refused(r"X is not a kernel matrix: got shape \(5, 4\), expected k\(x_i, x_j\) for all pairs of records"):
        given.fit(X, Y)
    with refused("X is not symmetric: got k"):
        given.fit(np.triu(np.ones((5, 5))), Y)
    with refused("the record kernel is not positive semi-definite: got an eigenvalue of -1, expected none below 0"):
        given.fit(np.diag([1.0, 1, 1, 1, -1]), Y)
    with refused("the record kernel is not positive semi-definite"):
        given.fit(-np.eye(5), Y)
    with refused("X has no entries"):
        given.fit(np.zeros((5, 5)), Y)
    with refused("the record kernel is zero everywhere: got no record that is similar to any"):
        MLSI(2, kernel=lambda A, B: np.zeros((len(A), len(B)))).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.ones((5, 4)), r"y is not a label kernel: got shape \(5, 4\), expected a square matrix"),
        (np.eye(4), "y does not match X: got 4 rows for 5 records"),
        (np.triu(np.ones((5, 5))), "y is not a label kernel: got a matrix that is not symmetric"),
        (np.diag([1.0, 1, 1, 1, -1]), "label_kernel is not positive semi-definite: got an eigenvalue of -1"),
        (None, "y is missing: got None, expected the label kernel matrix"),
    ],
)
def test_label_kernels_that_are_none(y: Any, message: str) -> None:
    with refused(message):
        MLSI(2, label_kernel="precomputed").fit(X, y)


def test_a_label_kernel_of_ones_own_that_is_none() -> None:
    with refused("label_kernel is not positive semi-definite"):
        MLSI(2, label_kernel=lambda A, B: -A @ B.T).fit(X, Y)


def test_labels_alone_that_the_words_do_not_express(rng: np.random.Generator) -> None:
    tall = rng.standard_normal((30, 3))
    labels = np.eye(2)[rng.integers(0, 2, 30)]
    expected = (
        "no dimension is left: got label_weight=1 and ridge=0, for which the words must express at least one label"
    )
    with refused(expected):
        MLSI(2, label_weight=1, ridge=0).fit(tall, labels)


HUGE = [
    (KernelLSI(2, n_landmarks=None), "records", 3_000_000, r"196\.5 TiB", "Set n_landmarks"),
    (MLSI(2, kernel="rbf", n_landmarks=None), "records", 3_000_000, r"196\.5 TiB", "Set n_landmarks"),
    (MLSI(2, solver="dual"), "records", 3_000_000, r"196\.5 TiB", "Use solver='auto'"),
    (MLSI(2, solver="primal"), "terms", 3_000_000, r"196\.5 TiB", "Use solver='auto'"),
]


@pytest.mark.parametrize(("space", "what", "n", "needs", "advice"), HUGE, ids=lambda value: repr(value)[:60])
def test_matrices_that_would_not_fit(space: Any, what: str, n: int, needs: str, advice: str) -> None:
    """The sentence comes before the memory is asked for."""
    shape = (n, 10) if what == "records" else (10, n)
    huge = sp.csr_array((np.ones(10), (np.arange(10), np.arange(10))), shape=shape)
    labels = sp.csr_array((np.ones(10), (np.arange(10), np.arange(10) % 2)), shape=(shape[0], 2))
    tracemalloc.start()
    try:
        expected = f"there are too many {what} for a dense matrix of all their pairs: got {n}, which needs {needs}"
        with warnings.catch_warnings(), refused(f"{expected}, expected at most .*{re.escape(advice)}"):
            warnings.simplefilter("ignore", TacitWarning)  # nearly all of these records are empty
            space.fit(huge, labels)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 500e6


def test_too_many_label_sets_for_a_label_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.models.common.kernels.available_memory", lambda: 100)
    with refused(r"too many distinct label sets .* got 3, which needs 216 bytes, .* Use label_kernel='linear'\."):
        MLSI(2, label_kernel="rbf").fit(X, Y)


def test_solvers_that_stop_early_say_so(planted: Planted) -> None:
    words, labels = planted.training
    with pytest.warns(TacitWarning, match="the krylov solver stopped after 1 iteration"):
        LSI(3, solver="krylov", tol=1e-9, max_iter=1).fit(words)
    expected = "the regression on the records stopped after 1 iterations with a relative residual of .* Raise max_iter"
    with pytest.warns(TacitWarning, match=expected):
        MLSI(3, solver="augmented", tol=1e-9, max_iter=1).fit(words, labels)


@pytest.mark.parametrize("ridge", [0, 1])
@pytest.mark.parametrize("solver", ["primal", "dual", "augmented"])
def test_records_that_are_all_the_same_have_one_dimension(solver: str, ridge: float) -> None:
    same = np.tile([1.0, 2, 0], (6, 1))
    with pytest.warns(TacitWarning, match="n_components=3 is more than"):
        model = MLSI(3, solver=solver, ridge=ridge, label_weight=0).fit(same)
    positions = model.transform(same)
    assert positions.shape == (6, 1)
    np.testing.assert_allclose(positions, positions[0] * np.ones((6, 1)), atol=1e-12)
