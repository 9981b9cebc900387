"""MORP: its limits, what it shares with LSI and MLSI, and where it differs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
from planted import Planted, plant

from tacit import LSI, MLSI, InputError, TacitWarning, transductive_space
from tacit.models.common import record_kernel
from tacit.models.projections.morp import MORP

K = 6
each_constraint = pytest.mark.parametrize("constraint", ["embeddings", "projections"])


@pytest.fixture(scope="module")
def tall() -> Planted:
    return plant(400, 0, n_terms=60)


@pytest.mark.parametrize("ridge", [0, 1])
def test_without_labels_the_embeddings_are_those_of_lsi(planted: Planted, ridge: float) -> None:
    X, Y = planted.training
    found = MORP(K, label_weight=0, ridge=ridge).fit(X, Y).components_.T
    assert la.subspace_angles(found, LSI(K).fit(X).components_.T).max() < 1e-6


def test_without_labels_the_projections_are_those_of_lsi(planted: Planted) -> None:
    X, Y = planted.training
    model, plain = MORP(K, label_weight=0, constraint="projections").fit(X, Y), LSI(K).fit(X)
    np.testing.assert_allclose(model.eigenvalues_, plain.eigenvalues_**2, rtol=1e-9)
    np.testing.assert_allclose(model.transform(X), plain.transform(X), atol=1e-8)


def test_where_records_are_independent_the_embeddings_are_the_transductive_positions(planted: Planted) -> None:
    """Eq. (2) of [Yu2005]: any positions are then linear in the terms, those of words and labels together too."""
    X, Y = planted.training
    model, space = MORP(K, ridge=0).fit(X, Y), transductive_space(X, Y, K)
    np.testing.assert_allclose(model.eigenvalues_, space.eigenvalues, rtol=1e-9)
    np.testing.assert_allclose(model.transform(X), space.positions, atol=1e-8)
    assert model.label_scale_ == pytest.approx(space.label_scale)


def test_tall_data_keep_the_labels_where_mlsi_without_a_ridge_loses_them(tall: Planted) -> None:
    plain = LSI(K, scaling="unit").fit(tall.X).components_.T
    with pytest.warns(TacitWarning, match="the labels have no effect with ridge=0"):
        literal = MLSI(K, ridge=0, shrinkage=0, scaling="unit").fit(tall.X, tall.Y)
    assert la.subspace_angles(literal.components_.T, plain).max() < 1e-6
    model = MORP(K, ridge=0).fit(tall.X, tall.Y)
    assert la.subspace_angles(model.components_.T, plain).max() > 0.1
    Z = model.transform(tall.X)
    np.testing.assert_allclose(Z.T @ Z, np.eye(K), atol=1e-9)


@each_constraint
def test_equal_traces_unless_told_otherwise(planted: Planted, constraint: str) -> None:
    X, Y = planted.training
    model = MORP(K, constraint=constraint).fit(X, Y)
    assert model.label_scale_**2 * Y.sum() == pytest.approx(np.square(X.data).sum())
    loose = MORP(K, constraint=constraint, balance=False).fit(X, Y)
    assert loose.label_scale_ == 1
    scale = model.label_scale_
    weight = 1 / (1 + scale**2)  # with which the same labels, unscaled, weigh as much beside the words
    same = MORP(K, constraint=constraint, label_weight=weight).fit(X, Y)
    assert la.subspace_angles(same.components_.T, loose.components_.T).max() < 1e-6


@each_constraint
def test_records_with_unknown_labels_count_by_their_words(planted: Planted, constraint: str) -> None:
    X, Y = planted.training
    unknown: list[Any] = [None if row >= 100 else labels for row, labels in enumerate(planted.sets)]
    model = MORP(K, constraint=constraint).fit(X, unknown)
    table = Y.toarray()
    table[100:] = 0
    ratio = np.sqrt(100 / 120)  # a labelled record weighs as much in Y as in X; they are fewer now
    words, labels = np.square(X.data).sum(), table.sum()
    assert model.label_scale_ == pytest.approx(np.sqrt(words / labels) * ratio)
    fewer = MORP(K, constraint=constraint).fit(X[:100], Y[:100])
    assert la.subspace_angles(model.components_.T, fewer.components_.T).max() > 0.05


def test_dense_forms_and_products_give_the_same(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = planted.training
    dense = MORP(K).fit(X, Y)
    monkeypatch.setattr(record_kernel, "DENSE_LIMIT", 0)
    by_products = MORP(K, tol=1e-10).fit(X, Y)
    assert (len(dense.solution_), len(by_products.solution_)) == (0, 2)
    np.testing.assert_allclose(by_products.transform(X), dense.transform(X), atol=1e-7)


@each_constraint
def test_labels_in_records_without_terms_only(constraint: str) -> None:
    X = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 0]])
    y = [set(), set(), {"a"}]
    model = MORP(2, label_weight=1, ridge=0, constraint=constraint)
    with (
        pytest.warns(TacitWarning, match="1 of 3 records have no terms"),
        pytest.raises(
            InputError,
            match=r"^no dimension is left: got label_weight=1 and labels in records without terms only, expected "
            r"labels in records with terms\. Set label_weight < 1\.$",
        ),
    ):
        model.fit(X, y)


def test_no_label_at_all() -> None:
    with pytest.raises(InputError, match="y has no labels: got 3 records, 3 of them with unknown labels"):
        MORP(2).fit(np.eye(3), [None] * 3)
