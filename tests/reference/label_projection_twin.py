"""CCA, LDA, MDDM, PLS and MORP as their papers print them, with dense matrices: what the models answer to.

Ridges are in the units that the models document. Where a matrix has no inverse, the problem is solved on its range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from mlsi_twin import pseudo_inverse

_ZERO = 1e-10  # spectra of the tests are planted: nothing lies near it


@dataclass(frozen=True)
class Twin:
    """Eigenvalues, largest first, directions as columns, the metric in which these are orthonormal, and the criterion.

    The criterion is the matrix that is largest along them; SIMPLS, which is no single eigenproblem, has none.
    """

    eigenvalues: np.ndarray
    directions: np.ndarray
    metric: np.ndarray
    criterion: np.ndarray | None = None


def centring(n: int) -> np.ndarray:
    return np.eye(n) - 1 / n


def unit(A: np.ndarray) -> float:
    """The mean squared length of a row less the mean row."""
    return float(np.trace(A.T @ centring(len(A)) @ A)) / len(A)


def cca(X: np.ndarray, Y: np.ndarray, k: int, *, constraint: str, ridge: float = 0, label_ridge: float = 0) -> Twin:
    """XᵀCY (YᵀCY + r_y I)⁻¹ YᵀCX, in the metric XᵀCX + r I or in none."""
    C, M = centring(len(X)), X.shape[1]
    labels = pseudo_inverse(Y.T @ C @ Y + label_ridge * unit(Y) * np.eye(Y.shape[1]))
    criterion = X.T @ C @ Y @ labels @ Y.T @ C @ X
    metric = X.T @ C @ X + ridge * unit(X) * np.eye(M) if constraint == "embeddings" else np.eye(M)
    return largest(criterion, metric, k)


def kernel_cca(K: np.ndarray, Y: np.ndarray, k: int, *, constraint: str, ridge: float, label_ridge: float = 0) -> Twin:
    """K_c Y (YᵀCY + r_y I)⁻¹ Yᵀ K_c, in the metric K_c² + r K_c or K_c: the same with w = Φᵀ C a in place of w."""
    C = centring(len(K))
    K_c = C @ K @ C
    labels = pseudo_inverse(Y.T @ C @ Y + label_ridge * unit(Y) * np.eye(Y.shape[1]))
    metric = K_c @ K_c + ridge * np.trace(K_c) / len(K) * K_c if constraint == "embeddings" else K_c
    return largest(K_c @ Y @ labels @ Y.T @ K_c, metric, k)


def lda(X: np.ndarray, classes: np.ndarray, k: int, *, ridge: float) -> Twin:
    """S_b w = μ (S_w + r I) w, both scatters summed class by class."""
    M, mean = X.shape[1], X.mean(axis=0)
    between, within = np.zeros((M, M)), np.zeros((M, M))
    for name in np.unique(classes):
        members = X[classes == name]
        centre = members.mean(axis=0)
        between += len(members) * np.outer(centre - mean, centre - mean)
        within += (members - centre).T @ (members - centre)
    return largest(between, within + ridge * unit(X) * np.eye(M), k)


def mddm(X: np.ndarray, K_y: np.ndarray, k: int, *, constraint: str, mu: float = 0.5) -> Twin:
    """XᵀC L C X, in the metric μ XᵀCX + (1 − μ) I or in none."""
    C, M = centring(len(X)), X.shape[1]
    mixed = mu * X.T @ C @ X + (1 - mu) * unit(X) * np.eye(M)
    return largest(X.T @ C @ K_y @ C @ X, mixed if constraint == "embeddings" else np.eye(M), k)


def pls_svd(X: np.ndarray, Y: np.ndarray, k: int) -> Twin:
    """XᵀCY = P S Qᵀ."""
    cross = X.T @ centring(len(X)) @ Y
    left, values, _ = la.svd(cross, full_matrices=False)
    return Twin(values[:k] ** 2, left[:, :k], np.eye(X.shape[1]), cross @ cross.T)


def simpls(X: np.ndarray, Y: np.ndarray, k: int) -> Twin:
    """Each step by its definition: the largest wᵀXᵀCYq of unit w and q, t = CXw orthogonal to all before."""
    Xc = centring(len(X)) @ X
    values, weights, positions = [], np.empty((X.shape[1], 0)), np.empty((len(X), 0))
    for _ in range(k):
        free = np.eye(X.shape[1])
        if positions.size:
            free = la.null_space(positions.T @ Xc)  # the w whose t is orthogonal to all before
        left, found, _ = la.svd(free.T @ Xc.T @ Y, full_matrices=False)
        w = free @ left[:, 0]
        t = Xc @ w
        values.append(found[0] ** 2)
        weights = np.column_stack([weights, w / la.norm(t)])
        positions = np.column_stack([positions, t / la.norm(t)])
    return Twin(np.array(values), weights, Xc.T @ Xc)


def morp(X: np.ndarray, Y: np.ndarray, k: int, *, constraint: str, label_weight: float, ridge: float = 0) -> Twin:
    """XᵀCX, in the metric XᵀX or in none; a ridge is one more term for each record, that no other record has."""
    M = X.shape[1]
    K_y = Y @ Y.T * np.trace(X @ X.T) / np.trace(Y @ Y.T)
    if constraint == "projections":
        return largest(X.T @ ((1 - label_weight) * X @ X.T + label_weight * K_y) @ X, np.eye(M), k)
    absolute = ridge * np.trace(X @ X.T) / len(X)
    X_r = np.hstack([X, np.sqrt(absolute) * np.eye(len(X))]) if ridge else X
    C = (1 - label_weight) * X_r @ X_r.T + label_weight * K_y
    found = largest(X_r.T @ C @ X_r, X_r.T @ X_r, k)
    return Twin(found.eigenvalues, found.directions[:M], X.T @ X)


def largest(A: np.ndarray, B: np.ndarray, k: int) -> Twin:
    """The k largest of A w = λ B w, on the range of B."""
    values, vectors = la.eigh((B + B.T) / 2)
    real = values > values.max() * _ZERO
    root = vectors[:, real] / np.sqrt(values[real])
    found, z = la.eigh(root.T @ A @ root)
    return Twin(found[::-1][:k], (root @ z)[:, ::-1][:, :k], B, A)
