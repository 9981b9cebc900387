"""Honest coordinates against the loop they stand for: leave a record out, regress, place it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise
from planted import Planted

from tacit import MLSI, TacitWarning
from tacit.models.common.honest_positions import cross_fitted, estimated_leverages, honest_positions, leave_one_out
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.product_forms import AugmentedForm, WideForm
from tacit.operators import as_operator

SHAPES = {
    "wide": (20, 40, 20),
    "square": (25, 25, 25),
    "tall": (40, 12, 12),
    "wide-deficient": (30, 40, 10),
    "tall-deficient": (40, 15, 6),
}
RIDGES = [0.0, 1e-6, 0.3, 50.0]


def records(shape: str) -> tuple[np.ndarray, np.ndarray]:
    """Records of a given rank, and positions that they express partly."""
    n, m, rank = SHAPES[shape]
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, m)) / np.sqrt(rank)
    return X, la.qr(rng.standard_normal((n, 3)) + X[:, :3], mode="economic")[0]


def dense_form(form: str, X: np.ndarray, ridge: float) -> DualForm | PrimalForm:
    return DualForm(X @ X.T, ridge=ridge) if form == "dual" else PrimalForm(X, ridge=ridge)


def regression(X: np.ndarray, V: np.ndarray, ridge: float) -> np.ndarray:
    """The ridge regression of V on X; the shortest least-squares solution without a ridge."""
    if ridge == 0:
        return np.linalg.pinv(X, rcond=1e-10) @ V
    return np.asarray(la.solve(X.T @ X + ridge * np.eye(X.shape[1]), X.T @ V, assume_a="pos"))


def literal_leave_one_out(X: np.ndarray, V: np.ndarray, ridge: float) -> np.ndarray:
    others = [np.delete(np.arange(len(X)), i) for i in range(len(X))]
    return np.stack([X[i] @ regression(X[rest], V[rest], ridge) for i, rest in enumerate(others)])


@pairwise(form=["dual", "primal"], shape=SHAPES, ridge=RIDGES)
def test_closed_form_is_the_literal_loop(form: str, shape: str, ridge: float) -> None:
    X, V = records(shape)
    held = dense_form(form, X, ridge)
    honest = leave_one_out(held, V, held.regress(V))
    np.testing.assert_allclose(honest, literal_leave_one_out(X, V, ridge), atol=1e-8)


@pytest.mark.parametrize("form", ["dual", "primal"])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_duplicates_and_loners_are_left_out_rightly(form: str, ridge: float) -> None:
    """A record that the others express, one that nobody else does, and one without terms."""
    X, V = records("tall-deficient")
    X = np.vstack([X[:20], X[:5], np.zeros((1, 15))])
    loner = la.null_space(X)[:, :1].T
    X, V = np.vstack([X, loner]), V[:27]
    held = dense_form(form, X, ridge)
    honest = leave_one_out(held, V, held.regress(V))
    np.testing.assert_allclose(honest, literal_leave_one_out(X, V, ridge), atol=1e-8)
    np.testing.assert_allclose(honest[-2:], 0, atol=1e-8)  # nothing is known about these two


@pairwise(ridge=[0.0, 0.3], shape=["wide", "tall"], form=["dual", "primal"])
def test_single_precision_comes_near(form: str, shape: str, ridge: float) -> None:
    X, V = records(shape)
    single = X.astype(np.float32)
    held = dense_form(form, single, ridge)
    honest = leave_one_out(held, V.astype(np.float32), held.regress(V.astype(np.float32)))
    assert honest.dtype == np.float32
    np.testing.assert_allclose(honest, literal_leave_one_out(X, V, ridge), atol=5e-3)


def test_the_model_gives_the_literal_loop(planted: Planted) -> None:
    X, Y = planted.training[0][:50].toarray(), planted.training[1][:50].toarray()
    for columns, form in ((300, "dual"), (30, "primal")):
        part = X[:, :columns] + 0.1
        model = MLSI(4, scaling="unit", ridge=0.2)
        honest = model.fit_transform(part, Y)
        assert model.solver_ == form
        ridge = 0.2 * np.sum(part**2) / len(part)
        np.testing.assert_allclose(honest, literal_leave_one_out(part, model.embedding_, ridge), atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("shape", ["wide", "tall"])
def test_folds_are_the_literal_loop(form: object, shape: str, ridge: float) -> None:
    X, V = records(shape)
    honest = cross_fitted(form(X), V, ridge, n_folds=4, rng=np.random.default_rng(5), tol=1e-12)  # type: ignore[operator]
    fold_of = np.random.default_rng(5).permutation(np.arange(len(X)) % 4)
    assert np.bincount(fold_of).max() - np.bincount(fold_of).min() <= 1
    for fold in range(4):
        held, rest = fold_of == fold, fold_of != fold
        np.testing.assert_allclose(honest[held], X[held] @ regression(X[rest], V[rest], ridge), atol=1e-8)


def test_folds_keep_nothing_of_the_records_they_hold_out(planted: Planted) -> None:
    """However early the solver may stop: other positions for the held out records change nothing for these."""
    X = planted.training[0].toarray()
    V = np.random.default_rng(0).standard_normal((120, 3))
    fold_of = np.random.default_rng(5).permutation(np.arange(120) % 5)
    first = fold_of == 0
    changed = V + 10 * first[:, None]
    held = [
        honest_positions(form, positions, form.regress(positions), n_folds=5, rng=np.random.default_rng(5), tol=0.5)[
            first
        ]
        for positions in (V, changed)
        for form in [AugmentedForm(X, ridge=1.0, tol=0.5, rng=np.random.default_rng(0))]
    ]
    np.testing.assert_array_equal(held[0], held[1])


def leverages(X: np.ndarray, ridge: float) -> np.ndarray:
    inverse = la.inv(X.T @ X + ridge * np.eye(X.shape[1]))
    return np.einsum("ij,jk,ik->i", X, inverse, X)


@pytest.mark.parametrize("shape", ["wide", "tall"])
@pytest.mark.parametrize("n_probes", [50, 400])
def test_estimated_leverages_err_as_much_as_they_say(shape: str, n_probes: int) -> None:
    X, _ = records(shape)
    exact = leverages(X, 2.0)
    found = np.stack(
        [
            estimated_leverages(as_operator(X), 2.0, rng=np.random.default_rng(seed), tol=1e-10, n_probes=n_probes)
            for seed in range(40)
        ]
    )
    stated = np.sqrt(2 / n_probes)
    spread = np.sqrt(((found / exact - 1) ** 2).mean())
    assert 0.6 * stated < spread < 1.15 * stated
    np.testing.assert_allclose(found.mean(axis=0), exact, rtol=5 * stated / np.sqrt(40))  # no bias


def test_estimated_positions_come_near_to_the_closed_form(planted: Planted) -> None:
    X, Y = planted.training
    exact, estimated, folded = (
        MLSI(4, solver=solver, n_folds=folds, ridge=4.0, tol=1e-6).fit_transform(X, Y)
        for solver, folds in (("dual", None), ("augmented", None), ("augmented", 5))
    )
    in_sample = MLSI(4, coordinates="in-sample", ridge=4.0).fit_transform(X, Y)
    correction = np.linalg.norm(exact - in_sample)
    assert np.linalg.norm(estimated - exact) < 0.15 * correction
    assert np.linalg.norm(folded - exact) < np.linalg.norm(in_sample - exact)
    assert np.linalg.norm(folded - exact) > 0


def test_records_that_hardly_lean_on_each_other_are_folded(planted: Planted) -> None:
    """An estimate of 1 − h is worth nothing where h is nearly 1."""
    X = planted.training[0]
    V = np.random.default_rng(0).standard_normal((120, 3))
    form = AugmentedForm(X, ridge=1.0, tol=1e-8, rng=np.random.default_rng(0))
    assert leverages(X.toarray(), 1.0).mean() > 0.5
    found = honest_positions(form, V, form.regress(V), n_folds=None, rng=np.random.default_rng(3), tol=1e-8)
    rng = np.random.default_rng(3)
    estimated_leverages(form.X, 1.0, rng=rng, tol=1e-8)
    np.testing.assert_allclose(found, cross_fitted(X, V, 1.0, n_folds=5, rng=rng, tol=1e-8), atol=1e-9)


def test_without_a_ridge_the_augmented_form_folds(planted: Planted) -> None:
    X, Y = planted.training
    found, by_five = (MLSI(4, solver="augmented", ridge=0, n_folds=folds).fit_transform(X, Y) for folds in (None, 5))
    np.testing.assert_array_equal(found, by_five)


def test_a_dense_form_has_the_closed_form_whatever_the_folds(planted: Planted) -> None:
    X, Y = planted.training
    np.testing.assert_array_equal(MLSI(4, n_folds=3).fit_transform(X, Y), MLSI(4).fit_transform(X, Y))


def test_leverages_that_did_not_converge_say_so(planted: Planted) -> None:
    X = planted.training[0]
    form: RecordForm = WideForm(X, ridge=1e-6, tol=1e-14, max_iter=2, rng=np.random.default_rng(0))
    with pytest.warns(TacitWarning, match=r"the regression on the records stopped after 2 iterations with a relative"):
        form.regress(np.eye(120)[:, :3])
