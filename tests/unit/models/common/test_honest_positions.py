"""Honest coordinates against the loop they stand for: leave a record out, regress, place it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from pairwise import pairwise
from planted import Planted, plant
from scipy.special import logit
from spaces import up_to_sign

from tacit import MLSI, TacitWarning
from tacit.models.common.honest_positions import cross_fitted, estimated_leverages, honest_positions, leave_one_out
from tacit.models.common.kernel_forms import DualForm, PrimalForm, RecordForm
from tacit.models.common.product_forms import AugmentedForm, WideForm
from tacit.models.common.record_kernel import honest_among
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


def test_among_some_records_the_others_have_no_part_in_the_maps() -> None:
    X, _ = records("wide")
    model = MLSI(3, random_state=0).fit(X, [("a",) if row % 2 else ("b",) for row in range(16)] + [None] * 4)
    V, rows = model.training_coordinates(X), np.arange(16)
    ridge = model.ridge * np.square(X[rows]).sum() / 16
    honest = honest_among(model, X, rows, V)
    np.testing.assert_allclose(honest, literal_leave_one_out(X[rows], V[rows], ridge), atol=1e-8)


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


def estimated(X: np.ndarray, ridge: float, seed: int = 0, n_probes: int = 100) -> np.ndarray:
    squares, rng = np.square(X).sum(axis=1), np.random.default_rng(seed)
    return estimated_leverages(as_operator(X), ridge, squares=squares, rng=rng, tol=1e-10, n_probes=n_probes)


@pairwise(shape=["wide", "tall"], n_probes=[50, 400], ridge=[0.02, 2.0])
def test_estimated_leverages_err_as_much_as_they_say(shape: str, n_probes: int, ridge: float) -> None:
    """In log-odds, so that large leverages are as exact in 1 − h as small ones are in h."""
    X, _ = records(shape)
    exact = leverages(X, ridge)
    found = np.stack([estimated(X, ridge, seed, n_probes) for seed in range(40)])
    stated = 1 / np.sqrt(n_probes * (0.5 - exact * (1 - exact)))
    errors = (logit(found) - logit(exact)) / stated
    assert 0.6 < np.sqrt(np.square(errors).mean()) < 1.15
    np.testing.assert_allclose(errors.mean(axis=0), 0, atol=5 / np.sqrt(40) + 2 * stated.max())  # hardly a bias


@pytest.mark.parametrize("ridge", [0.05, 0.5, 5.0])
def test_many_records_are_estimated_better_than_by_probes_alone(ridge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of all lengths; some are copies of others, and exceptions to what the lengths say."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 250)) * np.linspace(3, 0.1, 250) / np.sqrt(250)
    X *= np.exp(0.7 * rng.standard_normal(600))[:, None]
    X[:20] = X[20:40]
    X[40] = 0
    exact = leverages(X, ridge)
    found = estimated(X, ridge)
    assert found[40] == 0
    monkeypatch.setattr("tacit.models.common.honest_positions._ENOUGH", 601)
    by_probes = estimated(X, ridge)
    rest = np.arange(600) != 40
    errors, alone = (np.square(logit(each[rest]) - logit(exact[rest])) for each in (found, by_probes))
    assert np.sqrt(errors.mean()) < 0.8 * np.sqrt(alone.mean())
    assert np.sqrt(errors[:40].mean()) < 2 * np.sqrt(alone.mean())


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


def test_records_that_hardly_lean_on_each_other_are_placed_as_exactly() -> None:
    """Leverages near 1, where folds would leave out more than one record, and an estimate of h says little of 1 − h."""
    X, Y = plant(600, 0, n_terms=700).training
    settings: dict[str, Any] = {"ridge": 0.05, "scaling": "unit", "tol": 1e-4}
    exact = MLSI(5, solver="dual", **settings).fit_transform(X, Y)
    found = MLSI(5, solver="augmented", **settings).fit_transform(X, Y)
    assert np.linalg.norm(up_to_sign(found, exact) - exact) < 0.08 * np.linalg.norm(exact)


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
