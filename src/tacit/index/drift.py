"""Drift: how much less of the records that were added the space explains than of unseen records like those of its fit.

    drift = max(0, 1 − e / e₀),  e = Σ_i ‖x_i Q‖² / n

x_i are the words of an added record, Q are orthonormal directions that the rows of A = VᵀX span, by which the space
knows words, and e₀ is e for records of the same source that were not fitted. Their share is smaller than that of the
fitted ones, each of which pulls the directions towards itself. Without this pull (`tacit.models.common.updating`)

    e₀ = Σ_j (‖X q_j‖² − 2 m + m² / ‖a_j‖²) / n,  m = ‖X‖² / n

A record without a known word counts as one that is not explained at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.types import Array, Float64Array

__all__ = ["explained", "explained_when_new"]

_MEASURED = 20_000  # fitted records of which the share that is explained is measured
_BLOCK = 2_000


def explained_when_new(X: Any, loadings: Any) -> float:
    """Return e₀.

    Parameters
    ----------
    X : (n_records, n_terms) sparse, words of the fitted records
    loadings : (n_terms, k), Aᵀ
    """
    turns, lengths = _directions(loadings)
    rows = np.unique(np.linspace(0, X.shape[0] - 1, _MEASURED).astype(np.int64))
    seen = np.zeros(len(lengths), np.float64)
    for some in _blocks(X[rows]):
        seen += np.square(np.asarray(some @ loadings) @ turns, dtype=np.float64).sum(axis=0)
    seen *= X.shape[0] / len(rows)
    mean = float(np.square(X.data, dtype=np.float64).sum()) / X.shape[0]
    unseen = np.where(lengths**2 > mean, seen - 2 * mean + mean**2 / lengths**2, 0)
    return float(np.maximum(unseen, 0).sum() / X.shape[0])


def explained(X: Any, loadings: Any) -> float:
    """Return e, of new records; parameters are as for `explained_when_new`."""
    turns, _ = _directions(loadings)
    total = sum(float(np.square(np.asarray(some @ loadings) @ turns).sum()) for some in _blocks(X))
    return total / X.shape[0]


def _directions(loadings: Any) -> tuple[Array, Float64Array]:
    """Return B with Q = Aᵀ B, and the lengths of the rows of BᵀA before they were scaled to 1."""
    k = loadings.shape[1]
    gram = np.zeros((k, k), np.float64)
    for start in range(0, len(loadings), _BLOCK):
        some = np.asarray(loadings[start : start + _BLOCK], np.float64)
        gram += some.T @ some
    squares, turns = np.linalg.eigh(gram)
    real = squares > squares.max(initial=0) * k * np.finfo(np.float32).eps
    lengths = np.sqrt(squares[real])
    return (turns[:, real] / lengths).astype(np.float32), lengths


def _blocks(X: Any) -> Iterator[Any]:
    return (X[start : start + _BLOCK] for start in range(0, X.shape[0], _BLOCK))
