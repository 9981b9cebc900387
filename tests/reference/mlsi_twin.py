"""MLSI as the paper prints it, with dense matrices and nothing clever: what the models answer to.

[Yu2005] is the revised text. Where a matrix has no inverse its pseudo-inverse is taken (footnote 4), and a ridge is a
number on the diagonal of the record kernel (the same footnote). For eq. (8), which has no kernel, the same ridge comes
from records with one more term each, that no other record has: X_r = [X, √ridge I].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la

_ZERO = 1e-10  # spectra of the tests are planted: nothing lies near it


@dataclass(frozen=True)
class Twin:
    """Eigenvalues λ, directions (W of eq. 8, or α of eq. 12) with unit positions, and these positions V."""

    eigenvalues: np.ndarray
    directions: np.ndarray
    positions: np.ndarray


def primal(X: np.ndarray, Y: np.ndarray, k: int, *, beta: float, gamma: float, ridge: float) -> Twin:
    """Eq. (8): XᵀX w = λ [XᵀC⁻¹X + γI] w."""
    K, K_y = X @ X.T, Y @ Y.T
    K_y = K_y * np.trace(K) / np.trace(K_y)
    absolute = ridge * np.trace(K) / len(K)
    X_r = np.hstack([X, np.sqrt(absolute) * np.eye(len(X))]) if ridge else X
    C = (1 - beta) * X_r @ X_r.T + beta * K_y
    values, w = _generalised(X_r.T @ X_r, X_r.T @ pseudo_inverse(C) @ X_r + gamma * np.eye(X_r.shape[1]), k)
    w = w / np.linalg.norm(X_r @ w, axis=0)
    return Twin(values, w[: X.shape[1]], X_r @ w)


def dual(K: np.ndarray, K_y: np.ndarray, k: int, *, beta: float, gamma: float, ridge: float) -> Twin:
    """Eq. (12): K²α = λ [K C⁻¹ K + γK] α."""
    K_y = K_y * np.trace(K) / np.trace(K_y)
    K = K + ridge * np.trace(K) / len(K) * np.eye(len(K))
    C = (1 - beta) * K + beta * K_y
    values, alpha = _generalised(K @ K, K @ pseudo_inverse(C) @ K + gamma * K, k)
    alpha = alpha / np.linalg.norm(K @ alpha, axis=0)
    return Twin(values, alpha, K @ alpha)


def pseudo_inverse(S: np.ndarray) -> np.ndarray:
    values, vectors = la.eigh((S + S.T) / 2)
    real = values > values.max() * _ZERO
    return (vectors[:, real] / values[real]) @ vectors[:, real].T


def spectrum_matrix(n: int, m: int, rank: int, seed: int) -> np.ndarray:
    """A matrix whose singular values run from 3 down to 1: nothing in it is nearly singular, or nearly equal."""
    rng = np.random.default_rng(seed)
    U, V = (la.qr(rng.standard_normal((size, rank)), mode="economic")[0] for size in (n, m))
    return (U * np.linspace(3, 1, rank)) @ V.T


def largest_angle(A: np.ndarray, B: np.ndarray) -> float:
    return float(la.subspace_angles(A, B).max())


def _generalised(A: np.ndarray, B: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest of A w = λ B w, on the range of B."""
    values, vectors = la.eigh((B + B.T) / 2)
    real = values > values.max() * _ZERO
    root = vectors[:, real] / np.sqrt(values[real])
    found, z = la.eigh(root.T @ A @ root)
    return found[::-1][:k], (root @ z)[:, ::-1][:, :k]
