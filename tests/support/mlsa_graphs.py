"""What the tests of M-LSA share: graphs of users, films and words, and a chain of types with its products."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit import MLSA, Relations

NORMALISATIONS = ["none", "tfidf", "frobenius", "spectral"]

USERS = ["Ann", "Bob", "Cy", "Dee", "Eve", "Fay"]
FILMS = ["Alien", "Brazil", "Casablanca", "Dune"]
WORDS = ["space", "desert", "love", "war", "office"]


def numbers(seed: int, n: int, m: int) -> np.ndarray:
    return np.random.default_rng(seed).random((n, m)) + 0.1


RATINGS, TITLES, QUERIES, FRIENDS = numbers(0, 6, 4), numbers(1, 4, 5), numbers(2, 6, 5), numbers(3, 6, 6)
FRIENDS = FRIENDS + FRIENDS.T


def small(dtype: Any = np.float64) -> Relations:
    """Users, films and words with a relation within a type, two of one pair, and a product, each scaled in its way."""
    graph = Relations().add("user", "film", RATINGS.astype(dtype), rows=USERS, columns=FILMS, weight=0.6)
    graph = graph.add("film", "word", TITLES.astype(dtype), columns=WORDS, weight=0.3, normalise="spectral")
    graph = graph.add("user", "word", QUERIES.astype(dtype), name="asked", weight=0.2)
    graph = graph.add("user", "user", FRIENDS.astype(dtype), weight=0.1, normalise="frobenius")
    return graph.add_product("user-film", "film-word", name="liked", weight=0.4, normalise="frobenius")


def large(rng: np.random.Generator) -> tuple[Relations, dict[str, np.ndarray]]:
    """A graph on which a loose tolerance stops the solver well before the end."""
    made = {"a-b": rng.random((90, 70)), "b-c": rng.random((70, 60))}
    graph = Relations().add("a", "b", made["a-b"], weight=0.5).add("b", "c", made["b-c"])
    made["a-c"] = made["a-b"] @ made["b-c"]
    return graph.add_product("a-b", "b-c", weight=0.2, normalise="frobenius"), made


def counts(seed: int, n: int, m: int) -> np.ndarray:
    """Small numbers with gaps, so that columns differ in rarity; no row and no column is empty."""
    found = np.random.default_rng(seed).poisson(0.8, (n, m)).astype(float)
    found[np.arange(max(n, m)) % n, np.arange(max(n, m)) % m] += 1
    return found


A, B, C = counts(0, 9, 7), counts(1, 7, 8), counts(2, 8, 6)


def chain(normalise: str, *, n_types: int = 4) -> Relations:
    """a-b, b-c and c-d, and the products a-c and a-d, all of them brought to one scale."""
    graph = Relations()
    for name, matrix in list({"a-b": A, "b-c": B, "c-d": C}.items())[: n_types - 1]:
        graph = graph.add(*name.split("-"), matrix, normalise=normalise, weight=0.5)
    graph = graph.add_product("a-b", "b-c", normalise=normalise, weight=0.3)
    return graph if n_types == 3 else graph.add_product("a-c", "c-d", normalise=normalise, weight=0.2)


def assert_own_rows(model: MLSA, kind: str, rows: dict[Any, Any]) -> None:
    assert np.abs(model.positions_[kind]).max() > 1e-2
    np.testing.assert_allclose(model.fold_in(kind, rows), model.positions_[kind], atol=1e-8)
