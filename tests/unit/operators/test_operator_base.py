"""The operator that all others are: products in every form, wrapping, norms, and what it says of wrong shapes."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from tacit.errors import InputError
from tacit.operators import Gram, MatrixOperator, Operator, as_operator

RNG = np.random.default_rng(0)
DENSE = RNG.standard_normal((5, 3)) * (RNG.random((5, 3)) < 0.7)
FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


@pytest.mark.parametrize("form", ["dense", *FORMATS])
def test_every_matrix_is_wrapped(form: str) -> None:
    matrix = DENSE if form == "dense" else sp.coo_array(DENSE).asformat(form)
    operator = as_operator(matrix)
    np.testing.assert_allclose(operator.to_dense(), DENSE)
    assert operator.squared_norm() == pytest.approx(np.linalg.norm(DENSE) ** 2)
    assert operator.T.squared_norm() == operator.squared_norm()


@pytest.mark.parametrize("dtype", [bool, np.int32, np.uint8, np.float16, np.float64, np.longdouble])
def test_other_numbers_become_double_precision(dtype: type) -> None:
    for matrix in (DENSE.astype(dtype), sp.csr_array(np.eye(3)).astype(dtype if dtype != np.float16 else np.float64)):
        assert as_operator(matrix).dtype == np.float64


def test_single_precision_stays() -> None:
    for matrix in (DENSE.astype(np.float32), sp.csr_array(DENSE.astype(np.float32))):
        operator = as_operator(matrix)
        assert operator.dtype == np.float32
        assert (operator @ np.ones(3, np.float32)).dtype == np.float32
        assert (operator.T @ np.ones((5, 2), np.float32)).dtype == np.float32


def test_an_operator_passes_through_and_its_transpose_comes_back() -> None:
    operator = as_operator(DENSE)
    assert as_operator(operator) is operator
    assert operator.T.T is operator
    assert operator.T.H is operator
    np.testing.assert_allclose(operator.T.to_dense(), DENSE.T)
    np.testing.assert_allclose(operator.T.T @ np.eye(3), DENSE)


def test_the_squared_norm_counts_duplicate_entries_once_and_leaves_the_matrix_alone() -> None:
    twice = sp.csr_array((np.array([1.0, 2.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    assert as_operator(twice).squared_norm() == 9
    assert twice.nnz == 2


def test_the_squared_norm_is_summed_in_double_precision() -> None:
    # in single precision the square of 1e30 is infinite
    assert as_operator(np.full((2, 2), 1e30, np.float32)).squared_norm() == pytest.approx(4e60)


def test_a_sparse_block_is_multiplied_too() -> None:
    block = sp.random_array((3, 4), density=0.5, rng=np.random.default_rng(1))
    for operator in (as_operator(DENSE), as_operator(sp.csr_array(DENSE)), Gram(DENSE)):
        product = operator @ block
        assert isinstance(product, np.ndarray)
        np.testing.assert_allclose(product, operator.to_dense() @ block.toarray())


def test_products_with_numbers_and_operators_are_scipys() -> None:
    operator = as_operator(DENSE)
    for made in (2 * operator, operator * 2, operator.T @ operator, operator + operator):
        assert isinstance(made, LinearOperator)
    np.testing.assert_allclose((operator.T @ operator) @ np.eye(3), DENSE.T @ DENSE)
    np.testing.assert_allclose((2 * operator) @ np.eye(3), 2 * DENSE)


@pytest.mark.parametrize("shape", [(5,), (5, 2), (2, 3), (0,), (3, 1, 1)])
def test_wrong_shapes_are_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        InputError,
        match=r"operator of shape \(5, 3\) cannot be multiplied with this array: got .*, expected a vector of length 3",
    ):
        as_operator(DENSE) @ np.ones(shape)


def test_wrong_shapes_of_the_transpose_are_named() -> None:
    with pytest.raises(InputError, match=r"operator of shape \(3, 5\) cannot be multiplied"):
        as_operator(DENSE).T @ np.ones(3)


def test_a_block_without_columns_gives_none() -> None:
    assert (as_operator(DENSE) @ np.ones((3, 0))).shape == (5, 0)


@pytest.mark.parametrize("given", [np.ones(3), np.ones((2, 2, 2)), 3.0])
def test_what_is_no_matrix_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=r"the operator is not a matrix: got . dimensions, expected 2"):
        as_operator(given)


@pytest.mark.parametrize("given", [np.ones((2, 2), complex), np.array([["a"]]), LinearOperator((2, 2), matvec=abs)])
def test_what_has_no_real_numbers_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=r"the operator is not a matrix of real numbers: got .*, expected floats"):
        as_operator(given)


def test_a_subclass_without_block_products_says_which_are_missing() -> None:
    class Half(Operator):
        def _matmat(self, V: np.ndarray) -> np.ndarray:
            return V / 2

    half = Half((3, 3), np.float64)
    np.testing.assert_allclose(half @ np.eye(3), np.eye(3) / 2)
    with pytest.raises(NotImplementedError, match="Half must define the block product _rmatmat"):
        half.T @ np.eye(3)
    with pytest.raises(NotImplementedError, match="Half does not know its Frobenius norm"):
        half.squared_norm()
    with pytest.raises(NotImplementedError, match="Operator must define the block product _matmat"):
        Operator((3, 3), np.float64) @ np.eye(3)


def test_a_row_vector_stays_a_row_vector_of_its_own_dtype() -> None:
    operator = MatrixOperator(np.arange(6.0).reshape(2, 3))
    assert (operator @ np.ones((3, 1))).shape == (2, 1)
    assert (operator @ [1, 1, 1]).tolist() == [3.0, 12.0]
