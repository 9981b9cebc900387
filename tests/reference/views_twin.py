"""MLSI with views, written out densely: every matrix is formed, every row of a mask is handled on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from mlsi_twin import largest_angle, spectrum_matrix
from spaces import up_to_sign

from tacit import MLSI, View

FILLED_LENGTH = 1.5
K, BETA, RIDGE = 6, 0.4, 0.5
SHAPES = {"tall": (150, 60, 60), "wide": (70, 130, 70)}


@dataclass
class DenseView:
    """A view as given: rows, the records it knows, its weight, and whether each column counts the same."""

    rows: np.ndarray
    known: np.ndarray
    weight: float = 1.0
    even: bool = False


@dataclass
class Space:
    """V, the eigenvalues of K + c Σ F Fᵀ, W and the F of each view."""

    V: np.ndarray
    mu: np.ndarray
    W: np.ndarray
    F: list[np.ndarray]


def scaled(X: np.ndarray, views: list[DenseView]) -> list[np.ndarray]:
    """Give every view the trace of K per known record, times the root of its share."""
    total = sum(view.weight for view in views)
    found = []
    for view in views:
        F = np.where(view.known[:, None], view.rows, 0.0)
        if view.even:
            squares = np.sum(F**2, axis=0)
            useful = (squares > 0) & (squares < view.known.sum())
            F = F * np.where(useful, 1 / np.sqrt(np.where(useful, squares, 1)), 0)
        per_record, per_row = np.sum(X**2) / len(X), np.sum(F**2) / view.known.sum()
        found.append(F * np.sqrt(per_record / per_row) * np.sqrt(view.weight / total))
    return found


def solve(X: np.ndarray, F: list[np.ndarray], k: int, beta: float, ridge: float) -> Space:
    """Return the leading eigenvectors of K + β/(1−β) Σ F Fᵀ and the ridge regression of them on X."""
    K = X @ X.T
    C = K + beta / (1 - beta) * sum(block @ block.T for block in F)
    values, vectors = np.linalg.eigh(C)
    V, mu = vectors[:, ::-1][:, :k], values[::-1][:k]
    absolute = ridge * np.sum(X**2) / len(X)
    return Space(V, mu, X.T @ np.linalg.solve(K + absolute * np.eye(len(X)), V), F)


def masked(X: np.ndarray, views: list[DenseView], k: int, beta: float, ridge: float) -> Space:
    """Fill unknown rows from the space of the records that are known, and solve again."""
    F = scaled(X, views)
    some = np.any([view.known for view in views], axis=0)
    first = solve(X[some], [block[some] for block in F], k, beta, ridge)
    places = X @ first.W
    for view, block in zip(views, F, strict=True):
        B = first.V.T @ block[some]
        length = FILLED_LENGTH * np.sqrt(np.sum(block**2) / view.known.sum())
        for i in np.flatnonzero(~view.known):
            row = places[i] @ B
            block[i] = length * row / np.linalg.norm(row)
    return solve(X, F, k, beta, ridge)


def fold_in(
    space: Space, X: np.ndarray, x: np.ndarray, f: list[np.ndarray | None], lengths: list[float], beta: float
) -> np.ndarray:
    """Place one record: x are its words, f its scaled row of each view, None if that is unknown."""
    if all(row is None for row in f):
        return np.asarray(x @ space.W)
    total = x @ X.T @ space.V
    for block, row, length in zip(space.F, f, lengths, strict=True):
        if row is None:
            row = x @ space.W @ (space.V.T @ block)
            row = length * row / np.linalg.norm(row)
        total = total + beta / (1 - beta) * row @ block.T @ space.V
    return np.asarray(total / space.mu)


def collection(shape: Any, *, missing: float = 0.0) -> tuple[np.ndarray, dict[str, DenseView]]:
    """Records with labels, links and numbers; of some, a view knows nothing."""
    rng = np.random.default_rng(shape[0])
    X, n = spectrum_matrix(*shape, seed=1), shape[0]
    known = [rng.random(n) >= missing for _ in range(3)]
    return X, {
        "labels": DenseView((rng.random((n, 5)) < 0.3).astype(float), known[0], weight=2.0),
        "links": DenseView((rng.random((n, 40)) < 0.05).astype(float), known[1], weight=1.0, even=True),
        "numbers": DenseView(rng.standard_normal((n, 3)), known[2], weight=0.5),
    }


def given(views: dict[str, DenseView]) -> dict[str, View]:
    """The same views as they are passed to `fit`; numbers with rows of NaN, links sparse with a mask."""
    links, numbers = views["links"], views["numbers"]
    return {
        "links": View(sp.csr_array(links.rows), weight=links.weight, known=links.known, even=True),
        "numbers": View(np.where(numbers.known[:, None], numbers.rows, np.nan), weight=numbers.weight),
    }


def labels(views: dict[str, DenseView]) -> list[Any]:
    view = views["labels"]
    return [
        set(np.flatnonzero(row).tolist()) if known else None for row, known in zip(view.rows, view.known, strict=True)
    ]


def fit(X: Any, views: dict[str, DenseView], **params: Any) -> MLSI:
    settings = {"label_weight": BETA, "ridge": RIDGE, "scaling": "unit", "tol": 1e-12, "view_weights": {"labels": 2.0}}
    return MLSI(**{"n_components": K, **settings, **params}).fit(X, labels(views), views=given(views))


def assert_same(model: MLSI, X: np.ndarray, twin: Any, tolerance: float = 1e-8) -> None:
    expected = twin.mu + RIDGE * np.sum(X**2) / len(X)
    np.testing.assert_allclose(model.eigenvalues_ / (1 - BETA), expected, rtol=tolerance)
    np.testing.assert_allclose(up_to_sign(model.embedding_, twin.V), twin.V, atol=100 * tolerance)
    assert largest_angle(model.components_.T, twin.W) < 100 * tolerance
