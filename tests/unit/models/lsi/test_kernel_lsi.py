"""KernelLSI: scalings, kernels of one's own, landmarks, precomputed matrices."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from planted import Planted
from sklearn.metrics.pairwise import rbf_kernel

from tacit import InputError, KernelLSI, TacitWarning
from tacit.models.common import kernels

K = 6
RBF = {"kernel": "rbf", "kernel_params": {"gamma": 0.01}}


def test_training_positions_are_the_eigenvectors(planted: Planted) -> None:
    X = planted.training[0]
    unit = KernelLSI(K, scaling="unit", **RBF).fit_transform(X)
    weighted, damped = (KernelLSI(K, scaling=scaling, **RBF).fit_transform(X) for scaling in ("weighted", "damped"))
    np.testing.assert_allclose(unit.T @ unit, np.eye(K), atol=1e-9)
    values, vectors = np.linalg.eigh(rbf_kernel(X, gamma=0.01))
    top, leading = values[::-1][:K], vectors[:, ::-1][:, :K]
    np.testing.assert_allclose(np.abs(np.sum(unit * leading, axis=0)), 1, rtol=1e-9)
    np.testing.assert_allclose(weighted, unit * np.sqrt(top), atol=1e-9)
    np.testing.assert_allclose(damped, unit * top**0.25, atol=1e-9)


def test_a_kernel_of_ones_own_is_a_function_of_two_matrices(planted: Planted) -> None:
    X, new = planted.training[0].toarray(), planted.new[0].toarray()
    named = KernelLSI(K, **RBF).fit(X)
    own = KernelLSI(K, kernel=lambda A, B, width: rbf_kernel(A, B, gamma=1 / width), kernel_params={"width": 100}).fit(
        X
    )
    np.testing.assert_allclose(own.transform(new), named.transform(new), atol=1e-9)


def test_a_precomputed_kernel_places_new_records_by_their_rows(planted: Planted) -> None:
    X, new = planted.training[0], planted.new[0]
    named = KernelLSI(K, **RBF).fit(X)
    given = KernelLSI(K, kernel="precomputed").fit(rbf_kernel(X, gamma=0.01))
    assert given.reference_records_ is None
    np.testing.assert_allclose(given.transform(rbf_kernel(new, X, gamma=0.01)), named.transform(new), atol=1e-9)


def test_as_many_new_records_as_training_records_need_not_be_symmetric(planted: Planted) -> None:
    X = planted.training[0]
    other = X[np.random.default_rng(0).permutation(X.shape[0])]
    given = KernelLSI(K, kernel="precomputed").fit(rbf_kernel(X, gamma=0.01))
    named = KernelLSI(K, **RBF).fit(X)
    np.testing.assert_allclose(given.transform(rbf_kernel(other, X, gamma=0.01)), named.transform(other), atol=1e-9)


def test_more_landmarks_come_nearer_to_the_kernel(planted: Planted) -> None:
    X = planted.training[0]
    exact = KernelLSI(K, **RBF).fit(X).eigenvalues_
    gaps = [np.abs(KernelLSI(K, n_landmarks=m, **RBF).fit(X).eigenvalues_ / exact - 1).max() for m in (20, 60, 119)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-2


def test_too_few_landmarks_leave_fewer_dimensions(planted: Planted) -> None:
    with pytest.warns(
        TacitWarning, match="n_components=6 is more than the rank of the kernel matrix: kept 4 dimensions"
    ):
        model = KernelLSI(K, n_landmarks=4, **RBF).fit(planted.training[0])
    assert model.transform(planted.new[0]).shape == (80, 4)


def test_large_collections_take_landmarks_and_say_so(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "EXACT_LIMIT", 100)
    monkeypatch.setattr(kernels, "DEFAULT_LANDMARKS", 50)
    expected = r"the exact kernel matrix of 120 records would take 112\.5 KiB: used 50 Nyström landmarks"
    with pytest.warns(TacitWarning, match=expected):
        model = KernelLSI(K, **RBF).fit(planted.training[0])
    assert model.dual_components_.shape == (K, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        assert KernelLSI(K, n_landmarks=None, **RBF).fit(planted.training[0]).dual_components_.shape == (K, 120)


def test_a_record_without_terms_has_a_place_if_the_kernel_gives_it_one() -> None:
    X = np.vstack([np.eye(4), np.zeros((1, 4))])
    with warnings.catch_warnings():
        warnings.simplefilter("error", TacitWarning)
        positions = KernelLSI(2, kernel="rbf").fit_transform(X)
    assert np.linalg.norm(positions[-1]) > 0.1
    with pytest.warns(TacitWarning, match="1 of 5 records have no terms: they are at the origin"):
        positions = KernelLSI(2, kernel="cosine").fit_transform(X)
    np.testing.assert_allclose(positions[-1], 0, atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_matrices_that_are_no_kernel_are_refused(form: Any) -> None:
    with pytest.raises(InputError, match=r"X is not a kernel matrix: got shape \(3, 4\), expected k\(x_i, x_j\)"):
        KernelLSI(2, kernel="precomputed").fit(form(np.ones((3, 4))))
    with pytest.raises(InputError, match="X is not symmetric: got k"):
        KernelLSI(2, kernel="precomputed").fit(form(np.triu(np.ones((3, 3)))))
    with pytest.raises(InputError, match="the kernel matrix has no positive eigenvalue: got kernel='precomputed'"):
        KernelLSI(2, kernel="precomputed").fit(form(-np.eye(3)))


def test_a_function_that_is_no_kernel_is_refused(planted: Planted) -> None:
    X = planted.training[0].toarray()
    with pytest.raises(InputError, match="kernel is not symmetric: got k"):
        KernelLSI(2, kernel=lambda A, B: A[:, :1] + 2 * B[:, :1].T).fit(X)
    with pytest.raises(InputError, match=r"kernel returns a matrix of the wrong shape: got \(1, 1\)"):
        KernelLSI(2, kernel=lambda A, B: np.ones((1, 1))).fit(X)
