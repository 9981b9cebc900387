"""The unified matrix by its products against the same matrix written out."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit import InputError
from tacit.operators import Product, SymmetricBlocks


@pytest.fixture
def parts(rng: np.random.Generator) -> tuple[SymmetricBlocks, np.ndarray]:
    """Types of 4, 3 and 5 objects; two relations of one pair, one relation within a type, one type the wrong way."""
    A, B, C = rng.standard_normal((4, 3)), rng.standard_normal((5, 4)), rng.standard_normal((4, 3))
    D = rng.standard_normal((3, 3))
    D = D + D.T
    R = np.zeros((12, 12))
    R[:4, 4:7], R[4:7, :4] = A + C, (A + C).T
    R[7:, :4], R[:4, 7:] = B, B.T
    R[4:7, 4:7] = D
    return SymmetricBlocks([4, 3, 5], [(0, 1, A), (2, 0, sp.csr_array(B)), (0, 1, C), (1, 1, D)]), R


def test_products_are_those_of_the_whole_matrix(
    parts: tuple[SymmetricBlocks, np.ndarray], rng: np.random.Generator
) -> None:
    blocks, R = parts
    V = rng.standard_normal((12, 4))
    assert blocks.shape == (12, 12)
    np.testing.assert_allclose(blocks @ V, R @ V, atol=1e-12)
    np.testing.assert_allclose(blocks @ V[:, 0], R @ V[:, 0], atol=1e-12)
    np.testing.assert_allclose(blocks.T @ V, R @ V, atol=1e-12)
    np.testing.assert_allclose(blocks.rmatvec(V[:, 0]), R @ V[:, 0], atol=1e-12)


def test_it_is_symmetric(parts: tuple[SymmetricBlocks, np.ndarray], rng: np.random.Generator) -> None:
    blocks, _ = parts
    u, v = rng.standard_normal((2, 12))
    assert u @ (blocks @ v) == pytest.approx((blocks @ u) @ v, rel=1e-12)


def test_a_block_may_be_a_product(rng: np.random.Generator) -> None:
    first, second, V = rng.random((4, 2)), rng.random((2, 5)), rng.random((9, 3))
    factored = SymmetricBlocks([4, 5], [(0, 1, Product(first, second))])
    whole = SymmetricBlocks([4, 5], [(0, 1, first @ second)])
    np.testing.assert_allclose(factored @ V, whole @ V, atol=1e-12)


def test_a_type_without_relations_has_zeros(rng: np.random.Generator) -> None:
    product = SymmetricBlocks([2, 3, 2], [(0, 2, rng.random((2, 2)))]) @ rng.random((7, 2))
    assert np.all(product[2:5] == 0)
    assert np.all(product[[0, 1, 5, 6]] != 0)


def test_precision_is_that_of_the_blocks(rng: np.random.Generator) -> None:
    single, double = rng.random((3, 2)).astype(np.float32), rng.random((3, 4))
    assert SymmetricBlocks([3, 2], [(0, 1, single)]).dtype == np.float32
    assert (SymmetricBlocks([3, 2], [(0, 1, single)]) @ np.ones((5, 1), np.float32)).dtype == np.float32
    assert SymmetricBlocks([3, 2, 4], [(0, 1, single), (0, 2, double)]).dtype == np.float64
    assert SymmetricBlocks([3, 4], [(0, 1, double)], dtype=np.float32).dtype == np.float32


def test_bad_blocks_are_refused() -> None:
    with pytest.raises(InputError, match=r"blocks is empty: got no relation, expected at least one\."):
        SymmetricBlocks([2, 3], [])
    with pytest.raises(InputError, match=r"block \(0, 1\) does not match the sizes: got \(3, 2\), expected \(2, 3\)\."):
        SymmetricBlocks([2, 3], [(0, 1, np.ones((3, 2)))])


def test_a_block_for_all_types_is_the_blocks_of_each(rng):
    first, second = rng.standard_normal((3, 4)), rng.standard_normal((2, 4))
    whole = SymmetricBlocks([3, 2, 4], [(None, 2, np.vstack([first, second, np.zeros((4, 4))]))])
    apart = SymmetricBlocks([3, 2, 4], [(0, 2, first), (1, 2, second)])
    np.testing.assert_allclose(whole.to_dense(), apart.to_dense())
    with pytest.raises(
        InputError, match=r"block \(None, 2\) does not match the sizes: got \(3, 4\), expected \(9, 4\)"
    ):
        SymmetricBlocks([3, 2, 4], [(None, 2, first)])
