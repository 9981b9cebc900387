"""Operators made of others: limits, norms, and what they say of parts that do not fit. Products: see tests/property."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.operators import Centred, DiagonalPlusLowRank, Gram, Product, Scaled, Stacked, Sum, as_operator

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((5, 3)), RNG.standard_normal((5, 4))


def test_squared_norms_are_those_of_the_dense_twins() -> None:
    for operator in (
        Stacked([A, sp.csr_array(B)]),
        Stacked([A, Stacked([B, A])]),
        Centred(A),
        Centred(sp.csr_array(A)),
        Centred(A, mean=np.array([1.0, -2.0, 3.0])),
        Stacked([Centred(A), B]).T,
    ):
        assert operator.squared_norm() == pytest.approx(np.linalg.norm(operator.to_dense()) ** 2)


def test_the_squared_norm_of_constant_rows_is_zero_after_centring() -> None:
    constant = Centred(np.full((7, 2), 0.1))
    assert 0 <= constant.squared_norm() < 1e-15


def test_centring_takes_the_mean_row_away_and_keeps_it() -> None:
    centred = Centred(sp.csr_array(A))
    np.testing.assert_allclose(centred.mean, A.mean(axis=0))
    np.testing.assert_allclose(centred.to_dense(), A - A.mean(axis=0))
    np.testing.assert_allclose(Centred(A, mean=A.mean(axis=0, keepdims=True)).to_dense(), centred.to_dense())


def test_one_number_scales_all_and_none_scales_nothing() -> None:
    np.testing.assert_allclose(Scaled(A, rows=2.0).to_dense(), 2 * A)
    np.testing.assert_allclose(Scaled(A).to_dense(), A)


def test_a_gram_matrix_is_symmetric_positive_semidefinite_and_shifted() -> None:
    for given in (A, A.T, sp.csr_array(A)):
        gram, shifted = Gram(given).to_dense(), Gram(given, shift=0.5).to_dense()
        np.testing.assert_allclose(gram, gram.T)
        assert np.linalg.eigvalsh(gram).min() > -1e-12
        np.testing.assert_allclose(shifted - gram, 0.5 * np.eye(len(gram)), atol=1e-12)


def test_a_gram_matrix_leaves_its_argument_alone() -> None:
    V = np.ones((3, 2))
    Gram(A, shift=1.0) @ V
    assert (V == 1).all()


def test_single_precision_stays_with_double_precision_scales() -> None:
    single = A.astype(np.float32)
    scale = np.linspace(1, 2, 5)
    for operator in (
        Scaled(single, rows=scale),
        Centred(single, mean=np.zeros(3)),
        DiagonalPlusLowRank(scale, single, core=np.ones(3)),
        Gram(single, shift=0.1),
        Sum([single, single]),
        Product(single.T, single),
        Stacked([single, single]),
    ):
        assert operator.dtype == np.float32
        assert (operator @ np.ones((operator.shape[1], 2), np.float32)).dtype == np.float32
        assert (operator.T @ np.ones(operator.shape[0], np.float32)).dtype == np.float32


def test_single_and_double_precision_together_are_double() -> None:
    assert Stacked([A, A.astype(np.float32)]).dtype == np.float64
    assert Sum([A, A.astype(np.float32)]).dtype == np.float64


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Stacked([A, B[:4]]), r"blocks\[1\] does not match blocks\[0\]: got 4 rows for 5 records"),
        (lambda: Stacked([]), "blocks is empty: got no matrix, expected at least one"),
        (lambda: Sum([]), "terms is empty: got no matrix, expected at least one"),
        (lambda: Sum([A, B]), r"terms of a sum differ in shape: got \[\(5, 3\), \(5, 4\)\], expected one shape"),
        (lambda: Product(A, B), "right does not match the columns of left: got 5 rows for 3 records"),
        (lambda: Scaled(A, rows=np.ones(3)), "rows has the wrong length: got 3, expected 5, one value per row"),
        (
            lambda: Scaled(A, columns=np.ones(5)),
            "columns has the wrong length: got 5, expected 3, one value per",
        ),
        (lambda: Centred(A, mean=np.ones(5)), "mean has the wrong length: got 5, expected 3, one value per column"),
        (lambda: DiagonalPlusLowRank(np.ones(3), A), "diagonal has the wrong length: got 3, expected 5"),
        (lambda: DiagonalPlusLowRank(1.0, A, core=np.ones(5)), "core has the wrong length: got 5, expected 3"),
        (lambda: DiagonalPlusLowRank(1.0, A, core=np.ones((3, 2))), r"core is not square: got \(3, 2\)"),
    ],
)
def test_parts_that_do_not_fit_are_named(make: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()  # type: ignore[operator]


def test_operators_nest() -> None:
    nested = Gram(Scaled(Stacked([Centred(sp.csr_array(A)), B]), rows=np.arange(5.0)), shift=0.1)
    twin = np.arange(5.0)[:, None] * np.hstack([A - A.mean(axis=0), B])
    np.testing.assert_allclose(nested.to_dense(), twin.T @ twin + 0.1 * np.eye(7), atol=1e-12)
    assert as_operator(nested) is nested


@pytest.mark.parametrize("most", [2, 512])
def test_a_square_is_the_gram_matrix_itself(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """That of a product comes from the square of its left part, unless that has many columns."""
    monkeypatch.setattr("tacit.operators.algebra._FEW", most)
    wide = RNG.standard_normal((6, 70))
    for operator in (
        as_operator(A),
        as_operator(sp.csr_array(A)),
        as_operator(sp.csc_array(A)),
        as_operator(wide).T,
        Product(sp.csr_array(A), RNG.standard_normal((3, 2))),
        Scaled(Product(A, RNG.standard_normal((3, 40))), rows=np.arange(5.0)),
    ):
        dense = operator.to_dense()
        np.testing.assert_allclose(operator.square(), dense.T @ dense, atol=1e-12)
        columns = list(operator.some_columns())
        np.testing.assert_allclose(np.hstack([part for _, part in columns]), dense, atol=1e-12)
        assert columns[-1][0].stop == operator.shape[1]


@pytest.mark.parametrize("known", [False, True])
def test_the_gram_of_many_columns_beside_few_keeps_their_corner(known: bool) -> None:
    """A is large beside AᵀB here; whoever knows AᵀB is asked for it once, and A is not multiplied with B at all."""
    rng = np.random.default_rng(0)
    A, B, V = rng.standard_normal((900, 20)), rng.standard_normal((900, 3)), rng.standard_normal((23, 4))
    asked = []

    def across() -> np.ndarray:
        asked.append(1)
        return A.T @ B

    stacked = Stacked([sp.csr_array(A), B], across=across if known else None)
    both = np.c_[A, B]
    for _ in range(2):
        np.testing.assert_allclose(stacked.gram(V), both.T @ (both @ V), atol=1e-9)
    corner = stacked.corner()
    assert corner is not None
    np.testing.assert_allclose(np.concatenate(corner), both.T @ B, atol=1e-9)
    assert len(asked) == known


def test_a_corner_as_large_as_the_blocks_is_not_kept() -> None:
    stacked = Stacked([np.ones((4, 30)), np.ones((4, 30))], across=lambda: np.full((30, 30), np.nan))
    assert stacked.corner() is None
    np.testing.assert_array_equal(stacked.gram(np.ones((60, 1))), np.full((60, 1), 240.0))
