"""Neighbours by their definition: every pair in double precision, pair by pair."""

from __future__ import annotations

import numpy as np


def prepared(X: np.ndarray, metric: str) -> np.ndarray:
    """The rows, of length 1 for the cosine."""
    X = np.asarray(X, dtype=np.float64)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1) if metric == "cosine" else X


def squared_distances(X: np.ndarray, metric: str) -> np.ndarray:
    rows = prepared(X, metric)
    return ((rows[:, None] - rows[None]) ** 2).sum(axis=-1)


def neighbours(X: np.ndarray, n_neighbours: int, metric: str, digits: int = 10) -> np.ndarray:
    """True where the column is among the nearest of the row; ties, to so many digits, by row number."""
    squared, rows = squared_distances(X, metric), prepared(X, metric)
    near = np.zeros(squared.shape, dtype=bool)
    for i in range(len(rows)):
        others = [j for j in range(len(rows)) if j != i and (metric != "cosine" or rows[i] @ rows[j] > 1e-9)]
        near[i, sorted(others, key=lambda j: (float(f"{squared[i, j]:.{digits}g}"), j))[:n_neighbours]] = True
    return near


def joined(near: np.ndarray, join: str) -> np.ndarray:
    return near | near.T if join == "union" else near & near.T


def parts_of_records(X: np.ndarray, near: np.ndarray, metric: str) -> np.ndarray:
    """M of locally linear embedding, a row at a time."""
    rows = prepared(X, metric)
    M = np.zeros(near.shape)
    for i, own in enumerate(near):
        if own.any():
            steps = rows[own] - rows[i]
            gram = steps @ steps.T
            gram += 1e-3 * (np.trace(gram) or 1.0) * np.eye(len(gram))
            parts = np.linalg.inv(gram).sum(axis=1)
            M[i, own] = parts / parts.sum()
    return M
