"""The classifiers of [Huang2005] section 2.5 against its equations, written out with dense matrices."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hierarchy_twin import edge_laplacian, minimised, objective, squared_loss_twin, with_ancestors
from pairwise import pairwise
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from tacit.models.classifiers import hierarchy as hierarchy_fit
from tacit.models.classifiers.hierarchy import HierarchyClassifier
from tacit.relations.taxonomy.taxonomy import Taxonomy

PARENTS: dict[Hashable, tuple[Hashable, ...]] = {
    "a": (),
    "b": (),
    "a1": ("a",),
    "a2": ("a",),
    "both": ("a2", "b"),
    "b1": ("b",),
}
TAXONOMY = Taxonomy.from_parents(PARENTS)
CLASSES = list(TAXONOMY.names)


def collection(n: int = 40, n_features: int = 6, seed: int = 0) -> tuple[np.ndarray, list[Any]]:
    """Features that know something of the classes; several labels, labels on inner nodes, none and unknown ones."""
    rng = np.random.default_rng(seed)
    sets: list[Any] = [
        {CLASSES[j] for j in rng.choice(len(CLASSES), rng.integers(0, 3), replace=False)} for _ in range(n)
    ]
    directions = rng.normal(size=(len(CLASSES), n_features))
    X = rng.normal(size=(n, n_features)) + 0.7
    for row, labels in zip(X, sets, strict=True):
        row += sum((directions[CLASSES.index(name)] for name in labels), np.zeros(n_features))
    for i in range(3, n, 9):
        sets[i] = None
    return X, sets


def targets(sets: list[Any]) -> np.ndarray:
    """±1 for each class of the taxonomy, 0 where nothing is known."""
    classes = [None if labels is None else with_ancestors(labels, PARENTS) for labels in sets]
    return np.array([[0 if names is None else 2 * (name in names) - 1 for name in CLASSES] for names in classes])


def absolute(ridge: float, X: np.ndarray) -> float:
    return ridge * float(np.square(X).sum(axis=1).mean())


@pairwise(
    solver=["primal", "dual", "block-cg"],
    container=[np.asarray, sp.csr_array],
    xi=[0.0, 0.3, 10.0],
    intercept=[True, False],
)
def test_squared_loss_is_the_closed_form(
    solver: str, container: Any, xi: float, intercept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if solver != "primal":
        monkeypatch.setattr(hierarchy_fit, "_PRIMAL_SIDE", 0)
    if solver == "block-cg":
        monkeypatch.setattr(hierarchy_fit, "_DUAL_SIDE", 0)
    X, sets = collection()
    T = targets(sets)
    model = HierarchyClassifier(
        taxonomy=TAXONOMY, hierarchy_weight=xi, ridge=0.02, fit_intercept=intercept, tol=1e-12
    ).fit(container(X), sets)
    coef, constant = squared_loss_twin(
        X, T, edge_laplacian(sets, PARENTS), T[:, 0] != 0, xi=xi, beta=absolute(0.02, X), intercept=intercept
    )
    assert model.solver_ == solver
    assert model.classes_.tolist() == CLASSES
    np.testing.assert_allclose(model.coef_, coef, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, constant, atol=1e-8)
    np.testing.assert_allclose(model.decision_function(container(X)), X @ coef.T + constant, atol=1e-8)


@pairwise(loss=["squared", "logistic", "squared_hinge"], xi=[0.0, 0.3], intercept=[True, False])
def test_every_loss_minimises_its_objective(loss: str, xi: float, intercept: bool) -> None:
    X, sets = collection()
    T, laplacian, beta = targets(sets), edge_laplacian(sets, PARENTS), absolute(0.05, X)
    model = HierarchyClassifier(
        loss, taxonomy=TAXONOMY, hierarchy_weight=xi, ridge=0.05, fit_intercept=intercept, tol=1e-8
    ).fit(X, sets)
    for k in range(len(CLASSES)):
        best = minimised(X, T[:, k], laplacian, loss=loss, xi=xi, beta=beta, intercept=intercept)
        np.testing.assert_allclose(np.append(model.coef_[k], model.intercept_[k]), best, atol=1e-5)
        values = [
            objective(w, b, X, T[:, k], laplacian, loss=loss, xi=xi, beta=beta)
            for w, b in ((model.coef_[k], model.intercept_[k]), (best[:-1], best[-1]))
        ]
        assert values[0] <= values[1] + 1e-8


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_without_hierarchy_it_is_scikit_learns_own(container: Any) -> None:
    """β‖w‖² is scikit-learn's alpha, and ‖w‖²/2C for C = 1/2β."""
    X, sets = collection()
    known = np.array([labels is not None for labels in sets])
    X, sets = X[known], [labels for labels in sets if labels is not None]
    T, beta = targets(sets), absolute(0.1, X)
    twins: dict[str, Any] = {
        "squared": Ridge(alpha=beta),
        "logistic": LogisticRegression(C=1 / (2 * beta), solver="newton-cholesky", tol=1e-10),
        "squared_hinge": LinearSVC(C=1 / (2 * beta), dual=False, tol=1e-10, intercept_scaling=1e4, max_iter=10_000),
    }
    for loss, twin in twins.items():
        model = HierarchyClassifier(loss, taxonomy=TAXONOMY, hierarchy_weight=0, ridge=0.1, tol=1e-6)
        scores = model.fit(container(X), sets).decision_function(container(X))
        for k in range(len(CLASSES)):
            fitted = twin.fit(X, T[:, k])
            expected = fitted.predict(X) if loss == "squared" else fitted.decision_function(X)
            np.testing.assert_allclose(scores[:, k], expected, atol=1e-4)


def test_the_weight_draws_the_scores_of_a_class_together() -> None:
    """Γ(w) of eq. (9) falls as its weight grows."""
    X, sets = collection()
    laplacian = edge_laplacian(sets, PARENTS)
    costs = []
    for weight in (0.0, 0.1, 1.0, 10.0):
        model = HierarchyClassifier(taxonomy=TAXONOMY, hierarchy_weight=weight, ridge=1e-3).fit(X, sets)
        W = model.coef_.T
        costs.append(float(np.trace(W.T @ X.T @ laplacian @ X @ W)))
    assert np.all(np.diff(costs) < 0)
