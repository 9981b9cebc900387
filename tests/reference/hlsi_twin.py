"""HLSI as the paper prints it, with dense matrices and nothing clever: what the model answers to.

The graph is drawn edge by edge, in `hierarchy_twin` for memberships that are whole, here for those that are shared out.
The two eigenproblems of sec. 2.4 are solved on the range of X or K, where both of their sides are what they say.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from hierarchy_twin import Parents, edge_laplacian, with_ancestors

Sets = Sequence[Set[Hashable] | None]
_ZERO = 1e-10  # spectra of the tests are planted: nothing lies near it


@dataclass(frozen=True)
class Twin:
    """Costs λ, smallest first, directions (w, or α of the dual) with unit positions, and these positions."""

    costs: np.ndarray
    directions: np.ndarray
    positions: np.ndarray


def laplacian(sets: Sets, parents: Parents, membership: str) -> np.ndarray:
    """Δ; with shared memberships the edge [i, k, j] weighs s_ik s_jk / Σ_i s_ik, s_ik = 1 / classes of record i."""
    if membership == "whole":
        return edge_laplacian(sets, parents)
    n = len(sets)
    classes = [with_ancestors(labels or set(), parents) for labels in sets]
    everywhere = {name for name in set().union(*classes) if all(name in names for names in classes)}
    shares: list[dict[Hashable, float]] = []
    for names in classes:
        held = [*(names - everywhere), "the root"]
        shares.append(dict.fromkeys(held, 1 / len(held)))
    sizes = {name: sum(each.get(name, 0) for each in shares) for name in set().union(*shares)}
    weights = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                weights[i, j] = sum(shares[i][name] * shares[j].get(name, 0) / sizes[name] for name in shares[i])
    return np.diag(weights.sum(axis=1)) - weights


def degrees(sets: Sets, parents: Parents, membership: str) -> np.ndarray:
    """Number of classes of each record, the root included; 1 if they are shared."""
    classes = [with_ancestors(labels or set(), parents) for labels in sets]
    everywhere = set.intersection(*classes)
    return np.array([1.0 if membership == "shared" else len(names - everywhere) + 1 for names in classes])


@dataclass(frozen=True)
class Completed:
    """The eigenproblem with expected memberships: Δ, weights of the records, degrees, and its solution."""

    delta: np.ndarray
    weights: np.ndarray
    degrees: np.ndarray
    gamma: float
    twin: Twin
    expected: np.ndarray


def completed(
    X: np.ndarray, sets: Sets, parents: Parents, k: int, *, gamma: float, membership: str, center: bool, weight: float
) -> Completed:
    """HLSI with unknown labels, step by step: a space of the others, their classes, what these say, and the space."""
    known = np.array([labels is not None for labels in sets])
    told = [labels for labels in sets if labels is not None]
    middle = X[known].mean(axis=0) * center
    rows, d = X[known] - middle, degrees(told, parents, membership)
    first_delta = laplacian(told, parents, membership)
    first_gamma = gamma * float(np.trace(rows.T @ first_delta @ rows)) / len(rows)
    first = primal(rows, first_delta, k, gamma=first_gamma)
    targets = (d[:, None] * first.positions - first_delta @ first.positions + first.positions * first.costs) / d[
        :, None
    ]
    scales = first.costs**-0.5
    honest = without_each(rows @ rows.T, targets, d, first_gamma) * scales
    placed = (X[~known] - middle) @ first.directions * scales

    classes = [with_ancestors(labels, parents) for labels in told]
    names = sorted(set().union(*classes) - set.intersection(*classes), key=str)
    Y = np.array([[float(name in held) for name in names] for held in classes])
    expected = np.clip((_best_ridge(honest, Y, placed) - 0.2) / 0.4, 0, 1)
    H = np.zeros((len(X), len(names) + 1))
    H[known, :-1], H[~known, :-1], H[:, -1] = Y, expected, 1
    weights = np.where(known, 1.0, weight)
    if membership == "shared":
        H /= H.sum(axis=1, keepdims=True)
    edges = np.zeros((len(X), len(X)))
    for column in (weights[:, None] * H).T:
        edges += np.outer(column, column) / column.sum()
    delta = np.diag(edges.sum(axis=1)) - edges
    rows = X - np.average(X, axis=0, weights=weights) * center
    absolute = gamma * float(np.trace(rows.T @ delta @ rows)) / weights.sum()
    costs, w = _smallest(absolute * np.eye(X.shape[1]) + rows.T @ delta @ rows, rows.T @ (weights[:, None] * rows), k)
    w = w / np.sqrt(weights @ np.square(rows @ w))
    return Completed(delta, weights, H.sum(axis=1), absolute, Twin(costs, w, rows @ w), expected)


def _best_ridge(P: np.ndarray, Y: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Ridge regressions with an intercept, of which the one that predicts each record from the others best is used."""
    unit = float(np.square(P - P.mean(axis=0)).sum()) / P.shape[1]

    def regression(rows: np.ndarray, targets: np.ndarray, at: np.ndarray, penalty: float) -> np.ndarray:
        middle, mean = rows.mean(axis=0), targets.mean(axis=0)
        inner = (rows - middle).T @ (rows - middle) + penalty * unit * np.eye(rows.shape[1])
        return np.asarray((at - middle) @ la.solve(inner, (rows - middle).T @ (targets - mean)) + mean)

    def error(penalty: float) -> float:
        others = [np.delete(np.arange(len(P)), i) for i in range(len(P))]
        left_out = [regression(P[rest], Y[rest], P[[i]], penalty)[0] for i, rest in enumerate(others)]
        return float(np.square(Y - left_out).sum())

    return regression(P, Y, new, min((0.01, 0.03, 0.1, 0.3, 1.0, 3.0), key=error))


def primal(X: np.ndarray, delta: np.ndarray, k: int, *, gamma: float) -> Twin:
    """Sec. 2.4: (γI + XᵀΔX) w = λ XᵀX w."""
    costs, w = _smallest(gamma * np.eye(X.shape[1]) + X.T @ delta @ X, X.T @ X, k)
    w = w / np.linalg.norm(X @ w, axis=0)
    return Twin(costs, w, X @ w)


def dual(K: np.ndarray, delta: np.ndarray, k: int, *, gamma: float) -> Twin:
    """Sec. 2.4: (γK + KΔK) α = λ KK α."""
    costs, alpha = _smallest(gamma * K + K @ delta @ K, K @ K, k)
    alpha = alpha / np.linalg.norm(K @ alpha, axis=0)
    return Twin(costs, alpha, K @ alpha)


def centred(K: np.ndarray) -> np.ndarray:
    """The kernel matrix of the records less their mean."""
    J = np.eye(len(K)) - 1 / len(K)
    return J @ K @ J


def without_each(K: np.ndarray, T: np.ndarray, weights: np.ndarray, gamma: float) -> np.ndarray:
    """Where the ridge regression of T on all records but i, weighted, puts record i, for every i: N regressions."""
    placed = np.empty_like(T)
    for i in range(len(K)):
        placed[i] = _placed(K, T, weights, gamma, np.arange(len(K)) == i)
    return placed


def _placed(K: np.ndarray, T: np.ndarray, weights: np.ndarray, gamma: float, held: np.ndarray) -> np.ndarray:
    """min Σ d_j |x_jᵀw − t_j|² + γ|w|² over the others, by its normal equations in the dual."""
    others = ~held
    inner = K[np.ix_(others, others)] + gamma * np.diag(1 / weights[others])
    return np.asarray(K[np.ix_(held, others)] @ np.linalg.solve(inner, T[others]))


def _smallest(A: np.ndarray, B: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k smallest of A w = λ B w, on the range of B."""
    values, vectors = la.eigh((B + B.T) / 2)
    root = (vectors / np.sqrt(np.maximum(values, 1e-300)))[:, values > values.max() * _ZERO]
    costs, z = la.eigh(root.T @ A @ root)
    return costs[:k], (root @ z)[:, :k]
