"""The equations of the papers, written out densely, hold wherever the records are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import hlsi_twin
import mlsa_twin
import mlsi_twin
import numpy as np
import pytest
import scipy.linalg as la
import scipy.sparse as sp
from mlsi_twin import largest_angle, spectrum_matrix
from pairwise import pairwise
from spaces import up_to_sign

from tacit import HLSI, LSI, MLSA, MLSI, LabelHead, Taxonomy

Held = Callable[[Any], Any]

K = 6
SHAPES = {"tall": (150, 60, 60), "wide": (90, 150, 90), "deficient": (160, 100, 40)}  # the last number is the rank
PARENTS: dict[Hashable, tuple[Hashable, ...]] = {"a": (), "b": (), "a1": ("a",), "both": ("a", "b"), "b1": ("b",)}

PLACES = ("memory", "disk", "cluster")


def labels_of(n: int) -> np.ndarray:
    return (np.random.default_rng(n).random((n, 5)) < 0.3).astype(float)


@pairwise(indirect=["held"], held=PLACES, shape=SHAPES, center=[False, True])
def test_lsi_is_the_singular_value_decomposition(held: Held, shape: str, center: bool) -> None:
    X = spectrum_matrix(*SHAPES[shape], seed=1)
    model = LSI(K, solver="krylov", tol=1e-10, center=center, scaling="unit").fit(held(sp.csr_array(X)))
    _, s, Vt = la.svd(X - X.mean(axis=0) if center else X, full_matrices=False)
    np.testing.assert_allclose(model.singular_values_, s[:K], rtol=1e-8)
    assert largest_angle(model.components_.T, Vt[:K].T) < 1e-6


@pairwise(indirect=["held"], held=PLACES, shape=SHAPES, weights=[(0.0, 0.0), (0.3, 0.0), (0.3, 1.0), (0.9, 0.1)])
def test_mlsi_solves_equations_8_and_12(held: Held, shape: str, weights: tuple[float, float]) -> None:
    X, ridge, (beta, gamma) = spectrum_matrix(*SHAPES[shape], seed=1), 0.1, weights
    Y = labels_of(len(X))
    settings = dict(label_weight=beta, shrinkage=gamma, ridge=ridge, solver="augmented", scaling="unit", tol=1e-11)
    model = MLSI(K, **settings).fit(held(sp.csr_array(X)), Y)
    absolute = model.shrinkage_
    primal = mlsi_twin.primal(X, Y, K, beta=beta, gamma=absolute, ridge=ridge)
    dual = mlsi_twin.dual(X @ X.T, Y @ Y.T, K, beta=beta, gamma=absolute, ridge=ridge)
    for twin, directions in ((primal, primal.directions), (dual, X.T @ dual.directions)):
        np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
        assert largest_angle(model.components_.T, directions) < 1e-6
    new = np.random.default_rng(3).standard_normal((7, X.shape[1]))
    expected = new @ primal.directions
    np.testing.assert_allclose(up_to_sign(model.transform(new), expected), expected, atol=1e-6)


@pairwise(indirect=["held"], held=PLACES, name=["tall", "wide"], center=[False, True], gamma=[0.3, 3.0])
def test_hlsi_solves_both_eigenproblems_of_the_paper(held: Held, name: str, center: bool, gamma: float) -> None:
    X, rng = spectrum_matrix(*SHAPES[name], seed=2), np.random.default_rng(1)
    names = list(PARENTS)
    sets = [{names[j] for j in rng.choice(len(names), rng.integers(1, 3), replace=False)} for _ in X]
    settings = dict(taxonomy=Taxonomy.from_parents(PARENTS), gamma=gamma, center=center, membership="whole")
    model = HLSI(K - 1, solver="products", scaling="unit", tol=1e-8, **settings).fit(held(sp.csr_array(X)), sets)
    X = X - X.mean(axis=0) if center else X
    delta = hlsi_twin.laplacian(sets, PARENTS, "whole")
    absolute = gamma * float(np.trace(X.T @ delta @ X)) / len(X)
    primal = hlsi_twin.primal(X, delta, K - 1, gamma=absolute)
    dual = hlsi_twin.dual(X @ X.T, delta, K - 1, gamma=absolute)
    for twin, directions in ((primal, primal.directions), (dual, X.T @ dual.directions)):
        np.testing.assert_allclose(model.costs_, twin.costs, rtol=1e-7)
        assert largest_angle(model.components_.T, directions) < 1e-5


@pytest.mark.parametrize(("held", "alpha"), [("memory", 0.5), ("disk", 0.5), ("cluster", 2.0)], indirect=["held"])
def test_mlsa_solves_equation_9(held: Held, alpha: float) -> None:
    rng = np.random.default_rng(4)
    X, Y = rng.random((100, 35)) * (rng.random((100, 35)) < 0.66), labels_of(100)
    model = MLSA(K, solver="krylov", tol=1e-9, label_weight=alpha).fit(held(sp.csr_array(X)), Y)
    twin = mlsa_twin.concepts_of(mlsa_twin.categorisation_matrix(X, Y, alpha), K)
    np.testing.assert_allclose(model.eigenvalues_, twin.eigenvalues, rtol=1e-8)
    new = rng.random((7, 35))
    expected = new @ twin.concepts[100:135]
    np.testing.assert_allclose(up_to_sign(model.transform(new), expected), expected, atol=1e-5)


@pytest.mark.parametrize("held", ["memory", "disk"], indirect=True)
def test_two_types_are_lsa(held: Held) -> None:
    """[Wang2006] sec. 4.3."""
    X = spectrum_matrix(*SHAPES["tall"], seed=5)
    model = MLSA(K, solver="krylov", tol=1e-9).fit(held(sp.csr_array(X)))
    np.testing.assert_allclose(model.eigenvalues_, la.svdvals(X)[:K], rtol=1e-8)


@pairwise(indirect=["held"], held=PLACES, shape=SHAPES)
def test_the_closed_form_classifier_solves_its_normal_equations(held: Held, shape: str) -> None:
    X, ridge = spectrum_matrix(*SHAPES[shape], seed=6), 0.5
    Y = labels_of(len(X))
    head = LabelHead("ridge", ridge=ridge, normalise=False, thresholds="zero", calibrate=False)
    found = head.fit(held(sp.csr_array(X)), Y).decision_function(X)
    mean, T = X.mean(axis=0), 2 * Y - 1
    C = X - mean
    coefficients = la.solve(C.T @ C + ridge * np.eye(X.shape[1]), C.T @ (T - T.mean(axis=0)))
    np.testing.assert_allclose(found, C @ coefficients + T.mean(axis=0), atol=1e-6)
