"""Graph embeddings straight from the equations of [Mu2010], with dense matrices and LAPACK."""

from __future__ import annotations

import numpy as np
import scipy.linalg as la


def pieces(W: np.ndarray) -> np.ndarray:
    """Which connected component each record is in, by walking along the edges."""
    found = np.full(len(W), -1)
    for start in range(len(W)):
        if found[start] >= 0:
            continue
        found[start], waiting = found.max() + 1, [start]
        while waiting:
            for near in np.flatnonzero(W[waiting.pop()]):
                if found[near] < 0:
                    found[near] = found[start]
                    waiting.append(near)
    return found


def embedding(W: np.ndarray, k: int, constraint: str, same: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Eq. (2): the smallest eigenpairs of (D − W) Z = B Z S with 1ᵀ B Z = 0; an isolated record stays at the origin.

    With `same`, the group of each record, only vectors that are constant on each group.
    """
    piece = pieces(W)
    alone = np.bincount(piece)[piece] == 1
    joined = np.flatnonzero(~alone)
    inside = np.ix_(joined, joined)
    D = np.diag(W.sum(axis=1))
    B = (D if constraint == "degrees" else np.eye(len(W)))[inside]
    basis = np.eye(len(joined))
    if same is not None:
        basis = (same[joined, None] == np.unique(same[joined])).astype(float)
    basis = basis @ la.null_space(np.ones((1, len(joined))) @ B @ basis)
    values, vectors = la.eigh(basis.T @ (D - W)[inside] @ basis, basis.T @ B @ basis)
    Z = np.zeros((len(W), min(k, len(values))))
    Z[joined] = (basis @ vectors)[:, :k]
    return values[:k], Z


def regression(X: np.ndarray, Z: np.ndarray, ridge: float, weights: np.ndarray | None = None) -> np.ndarray:
    """Eq. (5); the ridge in units of the mean squared length of a record; records may count by weights."""
    weights = np.ones(len(X)) if weights is None else weights
    R = np.diag(weights)
    alpha = ridge * np.trace(X.T @ R @ X) / weights.sum()
    return la.solve(X.T @ R @ X + alpha * np.eye(X.shape[1]), X.T @ R @ Z, assume_a="pos")


def projection(X: np.ndarray, W: np.ndarray, k: int, constraint: str, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """Eq. (3), rows being records, for X of full column rank; PᵀP = I in place of the right side for OLPP."""
    D = np.diag(W.sum(axis=1))
    left = X.T @ (D - W) @ X
    left = left + ridge * np.trace(left) / len(X) * np.eye(len(left))
    right = {"degrees": X.T @ D @ X, "identity": X.T @ X, "projections": np.eye(X.shape[1])}[constraint]
    values, vectors = la.eigh((left + left.T) / 2, (right + right.T) / 2)
    return values[:k], vectors[:, :k]


def combined(W_X: np.ndarray, W_Y: np.ndarray, theta: float) -> np.ndarray:
    """Eq. (17)."""
    scales = [np.abs(W)[W != 0].mean() for W in (W_X, W_Y)]
    return (1 - theta) * W_X / scales[0] + theta * W_Y / scales[1]


def combined_with_unknown(
    W_X: np.ndarray, W_Y: np.ndarray, theta: float, known: np.ndarray, unknown: float
) -> np.ndarray:
    """Eq. (17) with missing rows of W_Y, pair by pair: each is the mean of those of the known neighbours."""
    n, rows = len(known), np.flatnonzero(known)
    feature_scale, label_scale = (np.abs(W)[np.ix_(rows, rows)] for W in (W_X, W_Y))
    feature_scale, label_scale = (each[each != 0].mean() for each in (feature_scale, label_scale))
    shares = np.zeros((n, n))
    for i in range(n):
        near = W_X[i] * known
        if known[i]:
            shares[i, i] = 1
        elif near.sum() > 0:
            shares[i] = near / near.sum()
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            counts = (1 if known[i] else unknown) * (1 if known[j] else unknown)
            labels = shares[i] @ W_Y @ shares[j]
            features = W_X[i, j] if known[i] or known[j] else 0
            W[i, j] = counts * ((1 - theta) * features / feature_scale + theta * labels / label_scale)
    return W
