"""Updates as the algebra says them, with dense matrices and nothing clever: what `partial_fit` answers to.

A history is made by a full decomposition and cut; the new rows are put below it, and the problem of all these rows is
solved by LAPACK. MLSI is eq. (12) of [Yu2005], with the ridge and the balance that all records ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg as la
from mlsi_twin import pseudo_inverse


@dataclass
class LSITwin:
    """LSI by rows S Vᵀ, `n_kept` of them."""

    n_kept: int
    rows: np.ndarray | None = None
    left: np.ndarray | None = None

    def update(self, X: np.ndarray, keep: float = 1.0) -> None:
        old = np.zeros((0, X.shape[1])) if self.rows is None else self.rows
        old = np.hstack([old, np.zeros((len(old), X.shape[1] - old.shape[1]))])
        left, values, right = la.svd(np.vstack([np.sqrt(keep) * old, X]), full_matrices=False)
        self.left = left[:, : self.n_kept]
        self.rows = values[: self.n_kept, None] * right[: self.n_kept]


@dataclass
class MLSITwin:
    """MLSI by rows UᵀX and UᵀY, `n_kept` of them, with a row a label for what they leave out of it."""

    n_kept: int
    beta: float
    gamma: float
    ridge: float
    terms: np.ndarray | None = None
    labels: np.ndarray | None = None
    n_records: int = 0
    squared_length: float = 0.0
    counts: np.ndarray | float = 0.0

    def update(self, X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take in records; give λ and W, in unit scaling, largest first."""
        terms = np.zeros((0, X.shape[1])) if self.terms is None else self.terms
        labels = np.zeros((0, Y.shape[1])) if self.labels is None else self.labels
        rest = np.diag(np.sqrt(np.maximum(self.counts - np.sum(labels**2, axis=0), 0)))
        all_terms = np.vstack([terms, X, np.zeros((len(rest), X.shape[1]))])
        all_labels = np.vstack([labels, Y, rest])
        self.n_records += len(X)
        self.squared_length += float(np.sum(X**2))
        self.counts = self.counts + Y.sum(axis=0)
        mean = self.squared_length / self.n_records
        scale = mean / (np.sum(self.counts) / self.n_records)
        K = all_terms @ all_terms.T + self.ridge * mean * np.eye(len(all_terms))
        C = (1 - self.beta) * K + self.beta * scale * all_labels @ all_labels.T
        gamma = (
            self.gamma * self.ridge * len(labels.T) / self.n_records
        )  # of eq. (12): words and labels have equal traces
        values, alpha = la.eigh(K @ K, K @ pseudo_inverse(C) @ K + gamma * K)
        order = np.argsort(values)[::-1][: self.n_kept]
        values, alpha = values[order], alpha[:, order]
        alpha /= np.linalg.norm(K @ alpha, axis=0)
        U = K @ alpha
        self.terms, self.labels = U.T @ all_terms, U.T @ all_labels
        return values, all_terms.T @ alpha
