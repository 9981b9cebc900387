"""Whatever the relations, the graph is the one that dense matrices give, in any order of objects and of adding."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tacit.relations import Relations

NORMALISATIONS = ("none", "tfidf", "frobenius", "spectral")


def matrices(n_rows: int, n_columns: int) -> st.SearchStrategy[np.ndarray]:
    entries = st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0, 5.0])
    return arrays(np.float64, (n_rows, n_columns), elements=entries).filter(np.any)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Ratings of items by users, and words of items, which meet."""
    n_users, n_items, n_words = (draw(st.integers(1, 6)) for _ in range(3))
    ratings, words = draw(matrices(n_users, n_items)), draw(matrices(n_items, n_words))
    assume((ratings @ words).any())
    return ratings, words


def built(ratings: np.ndarray, words: np.ndarray, normalise: str = "none", **names: Any) -> Relations:
    graph = Relations().add(
        "user", "item", ratings, normalise=normalise, rows=names.get("users"), columns=names.get("items")
    )
    graph = graph.add("item", "word", words, normalise=normalise, rows=names.get("items"), weight=0.5)
    return graph.add_product("user-item", "item-word", normalise=normalise, weight=0.25)


def unified(graph: Relations) -> np.ndarray:
    """R of the whole graph, dense."""
    R = np.zeros((graph.n_objects, graph.n_objects))
    for number, block in enumerate(graph.blocks):
        scale, factors = graph.factors(number)
        M = scale * factors[0].toarray()
        for factor in factors[1:]:
            M = M @ factor.toarray()
        rows, columns = graph.type_slice(block.row_type), graph.type_slice(block.column_type)
        R[rows, columns] += M
        if block.row_type != block.column_type:
            R[columns, rows] += M.T
    return R


@given(tables(), st.sampled_from(NORMALISATIONS))
def test_a_factored_product_is_the_product(pair: tuple[np.ndarray, np.ndarray], normalise: str) -> None:
    ratings, words = pair
    plain = Relations().add("user", "word", ratings @ words, normalise=normalise, weight=0.25)
    both = unified(built(ratings, words, normalise).without("item"))
    np.testing.assert_allclose(both, unified(plain), atol=1e-12)


@given(tables(), st.sampled_from(NORMALISATIONS), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(pair: tuple[np.ndarray, np.ndarray], normalise: str, random: Any) -> None:
    ratings, words = pair
    users, items = (random.sample(range(size), size) for size in ratings.shape)
    graph = built(ratings, words, normalise)
    mixed = built(ratings[np.ix_(users, items)], words[items], normalise, users=users, items=items)
    sorted_again = mixed.restrict({"user": range(len(users)), "item": range(len(items))})
    assert sorted_again.types == graph.types
    np.testing.assert_allclose(unified(sorted_again), unified(graph), atol=1e-12)


@given(tables(), st.sampled_from(NORMALISATIONS), st.data())
def test_objects_that_come_piece_by_piece_give_the_same_graph(
    pair: tuple[np.ndarray, np.ndarray], normalise: str, data: st.DataObject
) -> None:
    """Items that only words know come with the words; added in the other order they come first."""
    ratings, words = pair
    rated = np.flatnonzero(ratings.any(axis=0)).tolist()
    described = sorted(data.draw(st.sets(st.integers(0, len(words) - 1)).filter(lambda rows: words[list(rows)].any())))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rated and described items may have none in common
        first = Relations().add("user", "item", ratings[:, rated], columns=rated, normalise=normalise)
        first = first.add("item", "word", words[described], rows=described, normalise=normalise)
        second = Relations().add("item", "word", words[described], rows=described, normalise=normalise)
        second = second.add("user", "item", ratings[:, rated], columns=rated, normalise=normalise)
    assert set(first.types["item"]) == set(second.types["item"]) == {*rated, *described}
    for relation in ("user-item", "item-word"):
        one, other = first.restrict({"item": second.types["item"]}), second
        scale, (left,) = one.factors(relation)
        other_scale, (right,) = other.factors(relation)
        np.testing.assert_allclose(scale * left.toarray(), other_scale * right.toarray(), atol=1e-12)


@given(tables(), st.sampled_from(NORMALISATIONS), st.data())
def test_restricting_is_building_from_restricted_tables(
    pair: tuple[np.ndarray, np.ndarray], normalise: str, data: st.DataObject
) -> None:
    ratings, words = pair
    users, items = (data.draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True)) for size in ratings.shape)
    ratings_left, words_left = ratings[np.ix_(users, items)], words[items]
    assume(ratings_left.any() and words_left.any() and (ratings_left @ words_left).any())
    graph = built(ratings, words, normalise).restrict({"user": users, "item": items})
    expected = built(ratings_left, words_left, normalise, users=users, items=items)
    assert graph.types == expected.types
    np.testing.assert_allclose(unified(graph), unified(expected), atol=1e-12)


@given(tables(), st.lists(st.floats(0, 10), min_size=3, max_size=3))
def test_weights_scale_the_relations_one_by_one(pair: tuple[np.ndarray, np.ndarray], weights: list[float]) -> None:
    ratings, words = pair
    graph = built(ratings, words).with_weights(dict(enumerate(weights)))
    n, m, k = *ratings.shape, words.shape[1]
    alpha, gamma, beta = weights
    blocks = [
        [np.zeros((n, n)), alpha * ratings, beta * ratings @ words],
        [alpha * ratings.T, np.zeros((m, m)), gamma * words],
        [beta * (ratings @ words).T, gamma * words.T, np.zeros((k, k))],
    ]
    np.testing.assert_allclose(unified(graph), np.block(blocks), atol=1e-12)  # eq. (8) of the paper


@given(st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from("abc"), st.integers(1, 5)), min_size=1))
@settings(max_examples=50)
def test_a_table_is_the_sum_of_its_lines(lines: list[tuple[str, str, int]]) -> None:
    columns = dict(zip(("user", "item", "stars"), map(list, zip(*lines, strict=True)), strict=True))
    graph = Relations().add_table(columns, "user", "item", value="stars")
    expected = np.zeros((3, 3))
    for user, item, stars in lines:
        expected["uvw".index(user), "abc".index(item)] += stars
    matrix = graph.block(0).matrix
    for user in graph.types["user"]:
        for item in graph.types["item"]:
            found = matrix[graph.index("user", user), graph.index("item", item)]
            assert found == expected["uvw".index(str(user)), "abc".index(str(item))]
    assert matrix.sum() == sum(stars for *_, stars in lines)
