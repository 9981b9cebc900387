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
