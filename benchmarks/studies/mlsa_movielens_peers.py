"""What others reach on MovieLens: popularity, the library `implicit`, and EASE; chosen and tested as the spaces are.

EASE (Steck, Embarrassingly shallow autoencoders for sparse data, 2019) is a ridge regression of each film on all
others: four lines of NumPy. `implicit` is asked for by itself: without it its rows are left out.
"""

from __future__ import annotations

import importlib.util
import time
import warnings
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from mlsa_movielens_choice import Validation
from mlsa_movielens_paper import measures
from mlsa_movielens_trial import FOLDS, VALUES, Films, Floats, progress

__all__ = ["PEERS", "Peer", "has_implicit", "peers", "scores_of"]


class Peer(NamedTuple):
    """A method of others, what stands for a rating, and its settings by name."""

    method: str
    values: str = "ratings"
    settings: tuple[tuple[str, float], ...] = ()


def _grid(method: str, values: tuple[str, ...], **settings: tuple[float, ...]) -> list[Peer]:
    return [
        Peer(method, value, tuple(zip(settings, each, strict=True)))
        for value in values
        for each in product(*settings.values())
    ]


_STRENGTHS = ("ratings", "liked", "above two")
PEERS = {
    "popularity": _grid("popularity", ("0/1", "ratings", "liked")),
    "ALS (implicit)": _grid("als", _STRENGTHS[1:], factors=(10, 16, 24), regularization=(10.0, 30.0, 60.0)),
    "item-item cosine (implicit)": _grid("cosine", _STRENGTHS, K=(100, 2_000)),
    "item-item BM25 (implicit)": _grid("bm25", _STRENGTHS, K=(100, 2_000)),
    "EASE": _grid("ease", _STRENGTHS, ridge=(1_000.0, 2_000.0, 4_000.0)),
}


def has_implicit() -> bool:
    """Whether the library is there."""
    return importlib.util.find_spec("implicit") is not None


def peers(films: Films, *, quick: bool = False) -> list[list[Any]]:
    """Choose for each method and fold, and test: method, fold, choice, measures, seconds to fit, and validation."""
    validation = Validation(films, lambda films, known, peer, where: scores_of(known, peer)[0])
    found: list[list[Any]] = []
    for name, grid in PEERS.items():
        if name.endswith("(implicit)") and not has_implicit():
            progress(f"{name}: left out, implicit is not installed")
            continue
        for fold in FOLDS[:2] if quick else FOLDS:
            split = films.split(fold)
            own = max(grid[:2] if quick else grid, key=validation.of(fold))
            scored, seconds = scores_of(split.known, own)
            found.append([name, fold, own, measures(scored, split), seconds, validation(own, fold)])
            progress(f"{name}, fold {fold}: {found[-1][3][0]:.2f} with {own}")
    return found


def scores_of(known: sp.csr_array, peer: Peer) -> tuple[Floats, float]:
    """Score all films for all users; also give the seconds that the fit took."""
    table = VALUES[peer.values](known)
    start = time.process_time()  # of one thread, and not of whoever else uses the machine
    left, right = _fitted(peer.method, table, dict(peer.settings))
    seconds = time.process_time() - start
    scored: Any = left @ right
    return np.asarray(scored.toarray() if peer.method in ("cosine", "bm25") else scored), seconds


def _fitted(method: str, table: sp.csr_array, settings: dict[str, float]) -> tuple[Any, Any]:
    """Give two matrices, users x something and something x films, whose product are the scores."""
    if method == "popularity":
        return np.ones((table.shape[0], 1)), table.sum(axis=0)[None, :]
    if method == "ease":
        return table, _ease(table, settings["ridge"])
    model = _implicit(method, table, settings)
    if method == "als":
        return model.user_factors, model.item_factors.T
    return table, sp.csr_array(model.similarity)


def _ease(table: sp.csr_array, ridge: float) -> Floats:
    gram = (table.T @ table).toarray()
    gram[np.diag_indices_from(gram)] += ridge
    inverse = np.linalg.inv(gram)
    weights = inverse / -np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(weights)


def _implicit(method: str, table: sp.csr_array, settings: dict[str, float]) -> Any:
    """Fit a model of `implicit`, as its users would."""
    from implicit.als import AlternatingLeastSquares  # type: ignore[import-untyped]
    from implicit.nearest_neighbours import BM25Recommender, CosineRecommender  # type: ignore[import-untyped]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about threads and formats
        if method == "als":
            factors, regularization = int(settings["factors"]), settings["regularization"]
            model: Any = AlternatingLeastSquares(factors, regularization, random_state=0, num_threads=1)
        else:
            kind = CosineRecommender if method == "cosine" else BM25Recommender
            model = kind(K=int(settings["K"]), num_threads=1)
        model.fit(sp.csr_matrix(table), show_progress=False)
    return model
