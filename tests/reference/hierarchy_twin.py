"""Hierarchies as [Huang2005] prints them, edge by edge and with dense matrices: what the models answer to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Set

import numpy as np
import scipy.optimize

Parents = Mapping[Hashable, Sequence[Hashable]]


def with_ancestors(labels: Set[Hashable], parents: Parents) -> set[Hashable]:
    """h(x) without the root: the labels and all that is above them."""
    found: set[Hashable] = set()
    waiting = list(labels)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(parents.get(node, ()))
    return found


def edge_laplacian(sets: Sequence[Set[Hashable] | None], parents: Parents) -> np.ndarray:
    """Eqs. (1)-(3) and (8), one edge [i, k, j] after another; a class that holds every record is the root."""
    n = len(sets)
    classes = [with_ancestors(labels or set(), parents) for labels in sets]
    members: dict[Hashable, list[int]] = {}
    for i, names in enumerate(classes):
        for name in names:
            members.setdefault(name, []).append(i)
    bridges = [records for records in members.values() if len(records) < n] + [list(range(n))]
    weights = np.zeros((n, n))
    for records in bridges:
        for i in records:
            for j in records:
                if i != j:
                    weights[i, j] += 1 / len(records)  # eqs. (1) and (2)
    return np.diag(weights.sum(axis=1)) - weights  # eqs. (3) and (8)


def squared_loss_twin(
    X: np.ndarray, T: np.ndarray, laplacian: np.ndarray, known: np.ndarray, *, xi: float, beta: float, intercept: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Eq. (13) with a column of ones where there is an intercept; T is ±1, and its unknown rows are not looked at."""
    features = X.shape[1]
    with_ones = np.column_stack([X, np.ones(len(X))]) if intercept else X
    penalty = beta * np.eye(with_ones.shape[1])
    if intercept:
        penalty[-1, -1] = 0
    A = with_ones[known].T @ with_ones[known] + xi * with_ones.T @ laplacian @ with_ones + penalty
    solution = np.linalg.solve(A, with_ones[known].T @ T[known])
    return solution[:features].T, solution[features] if intercept else np.zeros(T.shape[1])


def objective(
    w: np.ndarray, b: float, X: np.ndarray, t: np.ndarray, laplacian: np.ndarray, *, loss: str, xi: float, beta: float
) -> float:
    """Eq. (12) for one class; records whose t is 0 are unknown."""
    scores = X @ w + b
    margins = (t * scores)[t != 0]
    losses = {
        "squared": np.square(scores - t)[t != 0],
        "logistic": np.logaddexp(0, -margins),
        "squared_hinge": np.square(np.maximum(0, 1 - margins)),
    }[loss]
    return float(losses.sum() + xi * (X @ w) @ laplacian @ (X @ w) + beta * w @ w)


def minimised(
    X: np.ndarray, t: np.ndarray, laplacian: np.ndarray, *, loss: str, xi: float, beta: float, intercept: bool
) -> np.ndarray:
    """The best w, followed by b, by a general-purpose minimiser."""

    def value(wb: np.ndarray) -> float:
        return objective(wb[:-1], wb[-1] if intercept else 0.0, X, t, laplacian, loss=loss, xi=xi, beta=beta)

    best = scipy.optimize.minimize(value, np.zeros(X.shape[1] + 1), method="BFGS", options={"gtol": 1e-7})
    return np.append(best.x[:-1], best.x[-1] if intercept else 0.0)
