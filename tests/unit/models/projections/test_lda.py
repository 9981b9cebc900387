"""LDA: one class a record, what the constraint means, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from planted import Planted, plant

from tacit import InputError
from tacit.models.projections.lda import LDA

X = np.array([[2.0, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2], [1, 0, 0, 1], [2, 0, 0, 1]])


def refused(match: str) -> Any:
    return pytest.raises(InputError, match=match)


def first_topics(collection: Planted) -> np.ndarray:
    return np.array([f"topic {j}" for j in np.asarray(collection.Y.argmax(axis=1)).ravel()])


def test_positions_have_unit_scatter_within_classes_and_eigenvalues_between() -> None:
    collection = plant(400, 0, n_terms=60)
    y = first_topics(collection)
    model = LDA(5, ridge=0).fit(collection.X, y)
    Z = model.transform(collection.X)
    means = {name: Z[y == name].mean(axis=0) for name in np.unique(y)}
    within = sum((Z[y == name] - mean).T @ (Z[y == name] - mean) for name, mean in means.items())
    between = sum((y == name).sum() * np.outer(mean, mean) for name, mean in means.items())
    np.testing.assert_allclose(within, np.eye(5), atol=1e-8)
    np.testing.assert_allclose(between, np.diag(model.eigenvalues_), atol=1e-8)


def test_classes_are_named_and_those_without_records_left_out() -> None:
    model = LDA(2).fit(X, ["b", "b", "a", "a", "c", "c"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    table = np.eye(4)[[0, 0, 1, 1, 3, 3]]
    assert LDA(2).fit(X, table).classes_.tolist() == [0, 1, 3]
    np.testing.assert_allclose(LDA(2).fit(X, table).components_, model.components_, atol=1e-9)


def test_a_class_may_come_as_a_set_of_one() -> None:
    y = ["b", "b", "a", "a", "c", "c"]
    np.testing.assert_array_equal(LDA(2).fit(X, [{name} for name in y]).components_, LDA(2).fit(X, y).components_)


def test_several_labels_a_record_are_refused() -> None:
    expected = (
        r"^y has several labels per record: got 2 in row 4, expected one class per record\. "
        r"Use HLSI or CCA for several\.$"
    )
    with refused(expected):
        LDA(2).fit(X, [{"a"}, {"a"}, {"b"}, {"b"}, {"a", "b"}, {"a"}])
    with refused(expected):
        LDA(2).fit(X, np.array([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 0]]))


def test_a_record_without_a_class_is_refused() -> None:
    with refused(r"^y has a record without a class: got none in row 1, expected one class per record\. Use None"):
        LDA(2).fit(X, [{"a"}, set(), {"b"}, {"b"}, {"c"}, None])


def test_more_terms_than_records_need_a_ridge(planted: Planted) -> None:
    records = planted.training[0]
    y = first_topics(planted)[:120]
    with refused(
        "^ridge is too small: got 0, with which the 300 terms place all records of a class at one point, expected "
        "scatter within the classes. Set ridge > 0.$"
    ):
        LDA(5, ridge=0).fit(records, y)
    assert np.isfinite(LDA(5, ridge=1e-3).fit(records, y).components_).all()
