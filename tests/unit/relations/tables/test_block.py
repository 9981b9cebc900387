"""A relation keeps what brought it to its scale, so that new rows and columns come to the same one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from tacit.relations import Relations
from tacit.relations.tables.block import Block

NORMALISATIONS = ["none", "tfidf", "frobenius", "spectral"]
LEFT = np.array([[2.0, 0, 1, 0], [0, 3, 0, 0], [1, 1, 0, 2], [0, 0, 0, 0], [0, 0, 4, 1]])
RIGHT = np.array([[1.0, 0, 2], [0, 1, 0], [0, 0, 3], [1, 0, 1]])


def relation(normalise: str, *, product: bool) -> tuple[Block, np.ndarray]:
    graph = Relations().add("a", "b", LEFT, normalise=normalise)
    if not product:
        return graph.block("a-b"), LEFT
    graph = graph.add("b", "c", RIGHT).add_product("a-b", "b-c", normalise=normalise)
    return graph.block("a-c"), LEFT @ RIGHT


def multiplied(block: Block) -> np.ndarray:
    scale, factors = block.normalised
    product = scale * factors[0].toarray()
    for factor in factors[1:]:
        product = product @ factor.toarray()
    return product


@pytest.mark.parametrize("product", [False, True])
@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_old_rows_and_columns_come_to_the_scale_that_they_have(normalise: str, product: bool) -> None:
    block, matrix = relation(normalise, product=product)
    expected = multiplied(block)
    assert (np.abs(expected - matrix).max() > 0.01) == (normalise != "none")
    np.testing.assert_allclose(block.scaling.of_new_rows(sp.csr_array(matrix)).toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(block.scaling.of_new_columns(sp.csr_array(matrix.T)).toarray(), expected.T, atol=1e-12)


@pytest.mark.parametrize("product", [False, True])
def test_a_new_tfidf_row_is_that_of_scikit_learn(product: bool) -> None:
    block, matrix = relation("tfidf", product=product)
    new = np.arange(2 * matrix.shape[1], dtype=float).reshape(2, -1)
    expected = TfidfTransformer().fit(matrix).transform(new).toarray()
    np.testing.assert_allclose(block.scaling.of_new_rows(sp.csr_array(new)).toarray(), expected, atol=1e-12)


def test_a_zero_that_is_stored_is_no_occurrence() -> None:
    block, _ = relation("tfidf", product=False)
    stored = sp.csr_array((np.array([1.0, 0.0]), np.array([0, 1]), np.array([0, 2])), shape=(1, 5))
    plain = sp.csr_array(np.array([[1.0, 0, 0, 0, 0]]))
    found, expected = (block.scaling.of_new_columns(one).toarray() for one in (stored, plain))
    np.testing.assert_array_equal(found, expected)
    assert expected[0, 0] == pytest.approx((np.log(6 / 2) + 1) * block.scaling.inverse_lengths[0])


def test_what_is_empty_stays_empty() -> None:
    block, _ = relation("tfidf", product=False)
    assert not block.scaling.of_new_rows(sp.csr_array((1, 4))).toarray().any()
    assert not block.scaling.of_new_columns(sp.csr_array((1, 5))).toarray().any()
    everywhere = block.scaling.of_new_columns(sp.csr_array(np.ones((1, 5)))).toarray()
    assert everywhere[0].tolist().index(0) == 3  # that row has no length


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_single_precision_stays(normalise: str) -> None:
    block = Relations().add("a", "b", LEFT.astype(np.float32), normalise=normalise).block(0)
    assert block.scaling.of_new_rows(sp.csr_array(LEFT.astype(np.float32))).dtype == np.float32
    assert block.scaling.of_new_columns(sp.csr_array(LEFT.T.astype(np.float32))).dtype == np.float32


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_another_weight_needs_no_other_scaling(normalise: str) -> None:
    block, _ = relation(normalise, product=True)
    known, factors = block.scaling, block.normalised
    lighter = block.weighted(0.25)
    assert lighter.weight == 0.25
    assert lighter.scaling is known
    assert lighter.normalised is factors
