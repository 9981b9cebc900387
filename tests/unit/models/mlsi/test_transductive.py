"""The transductive space: balance, unknown labels, limits, bad input. Theorem 1 is in tests/reference."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from planted import Planted

from tacit import LSI, InputError, TacitWarning, transductive_space
from tacit.models.common.labels import balance_labels

K = 5


@pytest.mark.parametrize("solver", ["dense", "lanczos", "krylov"])
def test_solvers_agree(planted: Planted, solver: str) -> None:
    X, Y = planted.training
    exact = transductive_space(X, Y, K, solver="dense")
    found = transductive_space(X, Y, K, solver=solver, tol=1e-9)
    np.testing.assert_allclose(found.positions, exact.positions, atol=1e-6)
    np.testing.assert_allclose(found.objective, exact.objective, rtol=1e-9)


def test_the_ends_of_the_label_weight(planted: Planted) -> None:
    X, Y = planted.training
    words = transductive_space(X, Y, K, label_weight=0).positions
    assert la.subspace_angles(words, LSI(K, scaling="unit").fit_transform(X)).max() < 1e-6
    labels = transductive_space(X, Y, K, label_weight=1).positions
    assert la.subspace_angles(labels, LSI(K, scaling="unit").fit_transform(Y)).max() < 1e-6


def test_labels_that_are_unknown_weigh_nothing_and_the_others_no_more(planted: Planted) -> None:
    X, Y = planted.training
    dense = Y.toarray()
    dense[60:] = np.nan
    space = transductive_space(X, dense, K)
    half = Y.toarray() * (np.arange(120) < 60)[:, None]
    words = np.sum(X.toarray() ** 2) / 120
    np.testing.assert_allclose(space.label_scale**2 * half.sum() / 60, words, rtol=1e-12)
    C = 0.5 * (X @ X.T).toarray() + 0.5 * space.label_scale**2 * half @ half.T
    np.testing.assert_allclose(space.eigenvalues, la.eigvalsh(C)[::-1][:K], rtol=1e-9)


def test_balance_is_equal_traces_where_all_is_known(planted: Planted) -> None:
    X, Y = planted.training
    scale = balance_labels(float(np.sum(X.data**2)), Y, None)
    np.testing.assert_allclose(scale**2 * Y.sum(), np.sum(X.data**2), rtol=1e-12)
    assert balance_labels(5.0, sp.csr_array((3, 2)), None) == 1
    assert transductive_space(X, Y, K, balance=False).label_scale == 1


def test_precision_is_kept(planted: Planted) -> None:
    X, Y = planted.training
    single, double = (transductive_space(X.astype(dtype), Y, K) for dtype in (np.float32, np.float64))
    assert single.positions.dtype == single.term_loadings.dtype == single.label_loadings.dtype == np.float32
    np.testing.assert_allclose(single.positions, double.positions, atol=1e-4)


def test_bad_input_is_refused(planted: Planted) -> None:
    X, Y = planted.training
    with pytest.raises(
        InputError, match=r"label_weight is out of range: got 1\.5, expected a number of at least 0 and at"
    ):
        transductive_space(X, Y, K, label_weight=1.5)
    with pytest.raises(InputError, match="y has no labels: got 120 records, 120 of them with unknown labels"):
        transductive_space(X, [None] * 120, K)
    with pytest.raises(InputError, match="X has no entries: got 120 records"):
        transductive_space(sp.csr_array((120, 3)), Y, K)
    with pytest.raises(InputError, match="X contains NaN: the first one is in row 1"):
        transductive_space(np.array([[1.0, 2.0], [np.nan, 1.0]]), [{"a"}, {"b"}], 1)
    with pytest.raises(InputError, match=r"solver is unknown: got 'kyrlov'.*Did you mean 'krylov'"):
        transductive_space(X, Y, K, solver="kyrlov")


def test_fewer_dimensions_than_asked_for_are_announced() -> None:
    with pytest.warns(
        TacitWarning, match="n_components=9 is more than the rank of the words and labels together: kept 3"
    ):
        space = transductive_space(np.eye(3), [{"a"}, {"b"}, {"a"}], 9)
    assert space.positions.shape == (3, 3)
