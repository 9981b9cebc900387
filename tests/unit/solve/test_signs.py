"""Order and sign: values descend, the entry largest in magnitude is positive, the first of equals decides."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.operators import as_operator
from tacit.solve.dense import dense_eigenpairs, dense_singular_triplets
from tacit.solve.result import Eigenpairs, LeastSquares, SingularTriplets, descending, signs_of, without_vectors


def test_the_largest_entry_decides_and_the_first_of_equals() -> None:
    vectors = np.array([[1.0, -3.0, -2.0, 0.0], [-4.0, 1.0, 2.0, 0.0]])
    np.testing.assert_array_equal(signs_of(vectors), [-1, -1, -1, 1])
    assert signs_of(vectors.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_does_not_decide(dtype: type) -> None:
    up, down = np.nextafter(dtype(0.2), dtype(1)), np.nextafter(dtype(0.2), dtype(0))
    for first in (up, down):
        vector = np.array([0.1, -first, 0.2, -0.2], dtype)[:, None]
        assert signs_of(vector).tolist() == [-1]
        assert signs_of(-vector).tolist() == [1]


def test_nothing_has_no_sign() -> None:
    assert signs_of(np.empty((0, 3))).tolist() == [1, 1, 1]
    assert signs_of(np.empty((3, 0))).shape == (0,)


def test_values_descend_with_their_vectors() -> None:
    values, vectors = descending(np.array([1.0, 3.0, -5.0, 2.0]), -np.eye(4), 3)
    assert values.tolist() == [3, 2, 1]
    np.testing.assert_array_equal(vectors, np.eye(4)[:, [1, 3, 0]])


def test_flipping_the_matrix_does_not_flip_the_vectors() -> None:
    A = np.random.default_rng(0).standard_normal((6, 4))
    one, two = dense_singular_triplets(as_operator(A), 3), dense_singular_triplets(as_operator(-A), 3)
    np.testing.assert_allclose(one.right, two.right)
    np.testing.assert_allclose(one.left, -two.left)
    pairs = dense_eigenpairs(as_operator(A.T @ A), 3)
    np.testing.assert_allclose(pairs.vectors, one.right, atol=1e-12)


def test_reports_go_without_their_vectors() -> None:
    values, vectors = np.ones(2), np.ones((5, 2), np.float32)
    pairs = without_vectors(Eigenpairs(values, vectors, values, 3, "dense", "because"))
    assert (pairs.vectors.shape, pairs.reason, pairs.iterations) == ((0, 2), "because", 3)
    assert pairs.values is values
    triplets = without_vectors(SingularTriplets(None, values, vectors, values, 3, "dense"))
    assert (triplets.left, triplets.right.shape, triplets.right.dtype) == (None, (0, 2), np.float32)
    assert without_vectors(LeastSquares(vectors, values, 3, "cg")).solution.shape == (0, 2)
