"""Rows of products follow from the row of the relation that they start with, whichever end the new object is at."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from mlsa_graphs import FRIENDS, NORMALISATIONS, RATINGS, A, B, C, assert_own_rows, chain, counts
from planted import Planted

from tacit import MLSA, Relations
from tacit.relations.tables import scaling as block_weights


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_users_are_placed_by_their_ratings_and_words_by_their_items(normalise: str) -> None:
    model = MLSA(4).fit(chain(normalise))
    assert_own_rows(model, "a", {"b": A})
    assert_own_rows(model, "c", {"b": B.T, "d": C})
    assert_own_rows(model, "d", {"c": C.T})


def test_relations_are_recognised_in_either_direction() -> None:
    graph = Relations().add("item", "user", A.T).add("word", "item", B.T, normalise="tfidf")
    graph = graph.add_product(("user", "item"), ("item", "word"), normalise="tfidf")
    assert graph.block(2).path == ("user", "item", "word")
    model = MLSA(4).fit(graph)
    assert_own_rows(model, "user", {"item": A})
    assert_own_rows(model, "word", {"item": B.T})


@pytest.mark.parametrize("normalise", ["none", "frobenius", "spectral"])
def test_products_within_a_type_follow_too(normalise: str) -> None:
    graph = Relations().add("user", "film", RATINGS).add("user", "user", FRIENDS)
    graph = graph.add_product("user-film", ("film", "user"), name="alike", normalise=normalise)
    graph = graph.add_product("user-user", "user-film", name="of friends", normalise=normalise)
    model = MLSA(3).fit(graph)
    assert_own_rows(model, "user", {"user-film": RATINGS, "user-user": FRIENDS})
    assert_own_rows(model, "film", {"user-film": RATINGS.T})


def test_a_row_that_is_given_wins() -> None:
    model = MLSA(3).fit(chain("tfidf", n_types=3))
    own = counts(4, 9, 8)
    found = model.fold_in("a", {"b": A, "c": own})
    expected = model.fold_in("a", {"c": own}) + model.fold_in("a", {"b": A, "c": np.zeros((9, 8))})
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert np.abs(found - model.fold_in("a", {"b": A})).max() > 1e-3


def test_the_longest_part_of_the_way_that_is_given_leads() -> None:
    """a-d goes over a-c, so that a row of a-c says more of it than one of a-b."""
    model = MLSA(3).fit(chain("none"))
    own = counts(5, 9, 8)
    found = model.fold_in("a", {"b": A, "c": own})
    spelled_out = model.fold_in("a", {"b": A, "c": own, "d": own @ C})
    np.testing.assert_allclose(found, spelled_out, atol=1e-10)
    np.testing.assert_allclose(model.fold_in("a", {"c": own}), model.fold_in("a", {"c": own, "d": own @ C}), atol=1e-10)


@pytest.mark.parametrize(
    "seen", [A > 1, A > 0, A[::-1], np.minimum(A, A.max() - 1)], ids=["fewer", "marks", "turned", "lower"]
)
def test_only_the_very_relation_of_the_product_leads(seen: np.ndarray) -> None:
    graph = Relations().add("a", "b", A, name="rated").add("a", "b", seen, name="seen").add("b", "c", B)
    model = MLSA(3).fit(graph.add_product("rated", "b-c", name="read"))
    np.testing.assert_allclose(model.fold_in("a", {"seen": seen}), seen @ model.concepts_["b"], atol=1e-12)
    assert_own_rows(model, "a", {"seen": seen, "rated": A})


def test_the_same_numbers_of_another_type_do_not_lead() -> None:
    graph = Relations().add("a", "tag", A).add("a", "b", A).add("b", "c", B)
    model = MLSA(3).fit(graph.add_product("a-b", "b-c"))
    np.testing.assert_allclose(model.fold_in("a", {"tag": A}), A @ model.concepts_["tag"], atol=1e-12)
    assert_own_rows(model, "a", {"tag": A, "b": A})


def test_the_end_of_a_product_does_not_lead_from_its_start() -> None:
    """A new item knows its words, but the products of users and words have no row for it."""
    model = MLSA(3).fit(chain("none", n_types=3))
    np.testing.assert_allclose(model.fold_in("b", {"c": B}), 0.5 * B @ model.concepts_["c"], atol=1e-12)


def test_graphs_that_grew_or_shrank_are_recognised() -> None:
    graph = chain("tfidf", n_types=3).add("b", "e", np.eye(2), rows=[0, 99], columns=["x", "y"])
    graph = graph.restrict({"a": [4, 2, 0, 8, 6], "b": [99, 5, 1, 0, 3, 2]})
    rated = graph.block("a-b").matrix.toarray()
    assert rated.shape == (5, 6)
    assert_own_rows(MLSA(3).fit(graph), "a", {"b": rated})


def test_products_over_a_type_that_was_left_out_still_follow() -> None:
    graph = chain("none").without("b")
    assert graph.block("a-d").path == ("a", None, "c", "d")
    model = MLSA(3).fit(graph)
    assert_own_rows(model, "a", {"c": A @ B})
    assert_own_rows(model, "d", {"c": C.T})


def test_another_fit_looks_anew() -> None:
    model = MLSA(3).fit(chain("none", n_types=3))
    model.fold_in("a", {"b": A})
    other = Relations().add("a", "b", A).add("b", "c", B).add_product("a-b", "b-c", normalise="tfidf", weight=5)
    assert_own_rows(model.fit(other), "a", {"b": A})


def test_a_product_without_weight_stays_out() -> None:
    model = MLSA(3, weights={"a-c": 0}).fit(chain("none", n_types=3))
    np.testing.assert_allclose(model.fold_in("a", {"b": A}), 0.5 * A @ model.concepts_["b"], atol=1e-12)


def test_terms_are_placed_by_records_and_their_labels(planted: Planted) -> None:
    """Eq. (9): label-term is a product that ends with record-term."""
    X, Y = planted.training
    model = MLSA(4).fit(X, Y)
    assert_own_rows(model, "term", {"record": X.T})


def test_many_rows_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_weights, "_ENTRIES_AT_ONCE", 20)
    assert_own_rows(MLSA(4).fit(chain("tfidf")), "a", {"b": A})


def test_rows_of_products_are_not_kept_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_weights, "_ENTRIES_AT_ONCE", 100_000)
    n = 3000
    graph = Relations().add("a", "b", np.ones((n, 1))).add("b", "c", np.ones((1, n)))
    model = MLSA(1).fit(graph.add_product("a-b", "b-c", normalise="tfidf"))
    tracemalloc.start()
    try:
        found = model.fold_in("a", {"b": np.ones((n, 1))})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < n * n  # all rows together have as many entries, of 12 bytes each
    np.testing.assert_allclose(found, model.positions_["a"], atol=1e-8)
