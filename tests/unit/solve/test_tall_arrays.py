"""Products with tall arrays, some rows at a time: they are those of NumPy, however the arrays lie."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

from tacit.solve.tall_arrays import divide, factored, inner, lengths, orthogonalise, subtract, times, triangle
from tacit.types import Array

N = 3_000  # rows of several blocks, the last one short

pytestmark = pytest.mark.parametrize(
    ("order", "dtype"), [("C", np.float64), ("F", np.float64), ("C", np.float32), ("F", np.float32)]
)


def tall(width: int, order: Literal["C", "F"], dtype: Any, seed: int = 0) -> Array:
    return np.asarray(np.random.default_rng(seed).standard_normal((N, width)), dtype, order=order)


def close(found: Array, expected: Array) -> None:
    eps = float(np.finfo(found.dtype).eps)
    np.testing.assert_allclose(found, expected, atol=1e3 * eps * max(1.0, float(np.abs(expected).max())))


def test_products_and_lengths_are_those_of_numpy(order: Literal["C", "F"], dtype: Any) -> None:
    A, B, C = tall(5, order, dtype), tall(7, order, dtype, 1), np.random.default_rng(2).random((5, 7)).astype(dtype)
    close(times(A, C), A @ C)
    close(inner(A, B), A.T @ B)
    np.testing.assert_allclose(lengths(A), np.linalg.norm(A.astype(np.float64), axis=0), rtol=1e-5)
    assert times(A, C).dtype == dtype
    assert times(A, C).flags[f"{order}_CONTIGUOUS"]


@pytest.mark.parametrize("other", ["C", "F"])
def test_subtracting_works_in_place_whichever_way_both_lie(order: Any, dtype: Any, other: Any) -> None:
    Q, W = tall(6, order, dtype), tall(4, other, dtype, 1)
    C = np.random.default_rng(2).random((6, 4)).astype(dtype)
    expected = W - Q @ C
    subtract(W, Q, C)
    close(W, expected)


def test_what_is_left_is_at_right_angles(order: Literal["C", "F"], dtype: Any) -> None:
    Q = np.asarray(np.linalg.qr(tall(9, order, dtype))[0], order=order)
    for near in (None, 4, 20):
        W = tall(3, order, dtype, 1) + Q[:, :3]
        expected = Q.T @ W
        close(orthogonalise(W, Q, near=near), expected)
        assert np.abs(Q.T @ W).max() < 100 * np.finfo(dtype).eps * np.linalg.norm(W)


def test_a_triangle_divides_into_any_place(order: Literal["C", "F"], dtype: Any) -> None:
    R = tall(6, order, dtype)
    S, spread = triangle(R)
    assert 0.1 < spread <= 1
    np.testing.assert_allclose(S.T @ S, R.T.astype(np.float64) @ R, rtol=1e-4, atol=1e-2)
    part = np.zeros((N, 4), dtype, order="F" if order == "C" else "C")
    divide(R, S, part)
    close(part.T @ part, np.eye(4))
    divide(R, S, R)
    close(R[:, :4], part)


def test_factors_are_found_of_any_block(order: Literal["C", "F"], dtype: Any) -> None:
    well = tall(6, order, dtype)
    skew = well @ np.diag([1, 1, 1, 1, 1, 1e-3]).astype(dtype)
    close_columns = well.copy(order)
    close_columns[:, 5] = close_columns[:, 4] + 1e-3 * close_columns[:, 5]
    dependent = well.copy(order)
    dependent[:, 5] = dependent[:, 4]
    for block in (well, skew, close_columns, dependent):
        before = block.copy()
        Q, S = factored(block)
        close(Q.T @ Q, np.eye(6))
        close((Q @ S).astype(dtype), before)
        assert (np.tril(S, -1) == 0).all()


def test_a_dependent_block_has_no_triangle(order: Literal["C", "F"], dtype: Any) -> None:
    R = tall(3, order, dtype)
    R[:, 2] = 0
    assert triangle(R)[1] == 0
