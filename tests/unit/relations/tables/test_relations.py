"""A graph of relations keeps its objects by name, whatever order they come in, and refuses what does not fit."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from tacit.errors import InputError, TacitWarning
from tacit.relations import Block, LabelMatrix, Relations

RATINGS = np.array([[5, 0, 1], [0, 3, 4]])
TITLES = np.array([[1, 0], [1, 1], [0, 2]])


@pytest.fixture
def graph() -> Relations:
    """Two users, three items, two words; user-word leads through the items."""
    users = Relations().add("user", "item", RATINGS, rows=["u", "v"], columns=["a", "b", "c"], weight=0.3)
    return users.add("item", "word", TITLES, columns=["x", "y"], weight=0.2).add_product("user-item", "item-word")


def dense(graph: Relations, relation: Any) -> np.ndarray:
    """A relation multiplied out, normalised and weighted."""
    scale, factors = graph.factors(relation)
    product = factors[0].toarray()
    for factor in factors[1:]:
        product = product @ factor.toarray()
    return scale * product


def test_the_order_of_all_objects_goes_type_by_type(graph: Relations) -> None:
    assert graph.types == {"user": ("u", "v"), "item": ("a", "b", "c"), "word": ("x", "y")}
    assert graph.sizes == {"user": 2, "item": 3, "word": 2}
    assert graph.offsets == {"user": 0, "item": 2, "word": 5}
    assert graph.n_objects == 7
    assert np.arange(7)[graph.type_slice("item")].tolist() == [2, 3, 4]
    assert [graph.index("item", name) for name in ("c", "a")] == [2, 0]
    assert (Relations().sizes, Relations().n_objects, Relations().offsets) == ({}, 0, {})


def test_relations_are_found_by_name_pair_and_number(graph: Relations) -> None:
    assert {graph.block(key).name for key in ("item-word", ("item", "word"), ("word", "item"), 1)} == {"item-word"}
    assert graph.block(graph.blocks[2]) is graph.blocks[2]
    np.testing.assert_allclose(dense(graph, 0), 0.3 * RATINGS)
    np.testing.assert_allclose(dense(graph, ("word", "item")), 0.2 * TITLES)


def test_adding_leaves_the_graph_as_it_was(graph: Relations) -> None:
    before = graph.types, graph.blocks
    grown = graph.add("item", "year", [[1.0], [1.0]], rows=["d", "a"], columns=[1995])
    assert (graph.types, graph.blocks) == before
    assert graph.sizes["item"] == 3
    assert grown.sizes["item"] == 4


def test_what_the_caller_does_to_his_matrix_later_does_not_count() -> None:
    matrix = sp.csr_array(np.eye(2))
    graph = Relations().add("a", "b", matrix)
    matrix.data[:] = 7
    np.testing.assert_array_equal(graph.block(0).matrix.toarray(), np.eye(2))


def test_objects_are_found_by_name_and_new_ones_follow(graph: Relations) -> None:
    tags = [[1, 2], [3, 0], [0, 4]]
    grown = graph.add("item", "tag", tags, rows=["c", "d", "a"], columns=["p", "q"])
    assert grown.types["item"] == ("a", "b", "c", "d")
    np.testing.assert_array_equal(dense(grown, "item-tag"), [[0, 4], [0, 0], [1, 2], [3, 0]])
    np.testing.assert_allclose(dense(grown, "user-item"), 0.3 * np.column_stack([RATINGS, [0, 0]]))
    np.testing.assert_allclose(dense(grown, "user-word"), RATINGS @ TITLES)
    grown.check()


def test_places_take_no_more_memory_than_the_matrix_gave_them() -> None:
    ratings = sp.csr_array(RATINGS)
    assert ratings.indices.dtype == np.int32
    first = Relations().add("user", "item", ratings, rows=["u", "v"], columns=["a", "b", "c"])
    moved = first.add("user", "item", ratings, rows=["v", "w"], columns=["c", "b", "a"], name="again")
    for name, expected in (("user-item", [[5, 0, 1], [0, 3, 4]]), ("again", [[0, 0, 0], [1, 0, 5], [4, 3, 0]])):
        placed = (first if name == "user-item" else moved).block(name).factors[0]
        assert placed.indices.dtype == placed.indptr.dtype == np.int32
        np.testing.assert_array_equal(placed.toarray(), expected)


def test_names_are_numbers_unless_given() -> None:
    graph = Relations().add("user", "item", RATINGS)
    assert graph.types == {"user": (0, 1), "item": (0, 1, 2)}
    assert graph.add("item", "word", TITLES, rows=np.arange(3)).types["item"] == (0, 1, 2)


def test_frames_and_labels_bring_their_names() -> None:
    frame = pd.DataFrame(RATINGS, index=["u", "v"], columns=["a", "b", "c"])
    labels = LabelMatrix.from_sets([{"old", "new"}, set(), {"old"}])
    graph = Relations().add("user", "item", frame).add("item", "label", labels)
    assert graph.types == {"user": ("u", "v"), "item": ("a", "b", "c"), "label": ("new", "old")}
    np.testing.assert_array_equal(dense(graph, "item-label"), [[1, 1], [0, 0], [0, 1]])


@pytest.mark.parametrize(("given", "kept"), [(np.float32, np.float32), (np.int64, np.float64), (bool, np.float64)])
def test_single_precision_stays(given: Any, kept: Any) -> None:
    graph = Relations().add("a", "b", RATINGS.astype(given), normalise="tfidf").add("b", "c", TITLES.astype(given))
    for block in graph.add_product("a-b", "b-c", normalise="tfidf").blocks:
        assert {factor.dtype for factor in block.normalised[1]} == {np.dtype(kept)}


def test_relations_within_a_type_are_symmetric() -> None:
    links = [[0, 2], [2, 1]]
    graph = Relations().add("page", "page", links, rows=["p", "q"])
    assert graph.types == {"page": ("p", "q")}
    np.testing.assert_array_equal(dense(graph, "page-page"), links)
    with pytest.raises(InputError, match=r"relation 'page-page' within one type is not symmetric: .*symmetrise=True"):
        Relations().add("page", "page", [[0, 1], [0, 0]])
    half = Relations().add("page", "page", [[0, 1], [0, 0]], symmetrise=True)
    np.testing.assert_array_equal(dense(half, 0), [[0, 0.5], [0.5, 0]])


@pytest.mark.filterwarnings("error::tacit.errors.TacitWarning")
def test_a_relation_within_a_type_may_name_other_rows_than_columns() -> None:
    cites = Relations().add("page", "page", [[1.0, 1.0]], rows=["p"], columns=["q", "r"], symmetrise=True)
    assert cites.types["page"] == ("p", "q", "r")
    np.testing.assert_array_equal(dense(cites, 0), [[0, 0.5, 0.5], [0.5, 0, 0], [0.5, 0, 0]])


def test_a_product_leads_through_the_common_type_and_is_not_multiplied_out(graph: Relations) -> None:
    block = graph.block("user-word")
    assert (block.path, block.is_product, block.shape) == (("user", "item", "word"), True, (2, 2))
    assert len(graph.factors("user-word")[1]) == 2
    np.testing.assert_array_equal(block.matrix.toarray(), RATINGS @ TITLES)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (("user", "item"), ("item", "user"), RATINGS @ RATINGS.T),
        ("user-item", "user-item", RATINGS @ RATINGS.T),
        (("item", "user"), ("user", "item"), RATINGS.T @ RATINGS),
        (("word", "item"), ("item", "user"), (RATINGS @ TITLES).T),
        ("item-word", "user-item", (RATINGS @ TITLES).T),
        ("user-word", ("word", "item"), RATINGS @ TITLES @ TITLES.T),
    ],
)
def test_a_pair_says_which_way_round_and_a_name_leaves_it_open(
    graph: Relations, first: Any, second: Any, expected: np.ndarray
) -> None:
    np.testing.assert_allclose(dense(graph.add_product(first, second, name="new"), "new"), expected)


def test_weights_change_by_name_or_pair(graph: Relations) -> None:
    other = graph.with_weights({("item", "user"): 2, "user-word": 0})
    assert [block.weight for block in other.blocks] == [2.0, 0.2, 0.0]
    assert [block.weight for block in graph.blocks] == [0.3, 0.2, 1.0]
    np.testing.assert_allclose(dense(other, "user-item"), 2 * RATINGS)


def test_new_weights_do_not_normalise_again() -> None:
    graph = Relations().add("a", "b", RATINGS, normalise="spectral")
    first = graph.block(0).normalised
    assert graph.with_weights({"a-b": 3.0}).block(0).normalised is first


def test_restricting_keeps_the_chosen_objects_in_the_chosen_order(graph: Relations) -> None:
    part = graph.restrict({"item": ["c", "a"], "user": ["v"]})
    assert part.types == {"user": ("v",), "item": ("c", "a"), "word": ("x", "y")}
    ratings, titles = RATINGS[1:, [2, 0]], TITLES[[2, 0]]
    np.testing.assert_allclose(dense(part, "user-item"), 0.3 * ratings)
    np.testing.assert_allclose(dense(part, "item-word"), 0.2 * titles)
    np.testing.assert_allclose(dense(part, "user-word"), ratings @ titles)


def test_a_product_outlives_the_type_it_leads_through(graph: Relations) -> None:
    left = graph.without("item")
    assert list(left.types) == ["user", "word"]
    assert [block.name for block in left.blocks] == ["user-word"]
    np.testing.assert_array_equal(dense(left, 0), RATINGS @ TITLES)
    again = left.add("word", "item", [[1.0], [1.0]], rows=["x", "y"], columns=["z"])  # another type of the same name
    np.testing.assert_array_equal(dense(again, "user-word"), RATINGS @ TITLES)
    assert "product through a type that was left out" in left.summary()


def test_the_summary_says_what_there_is(graph: Relations) -> None:
    assert graph.summary().split("\n") == [
        "3 types, 7 objects, 3 relations",
        "type user: 2 objects",
        "type item: 3 objects",
        "type word: 2 objects",
        "relation user-item: 2 x 3, 4 entries, weight 0.3, normalise none",
        "relation item-word: 3 x 2, 4 entries, weight 0.2, normalise none",
        "relation user-word: 2 x 2, product through 'item', weight 1, normalise none",
    ]
    assert repr(graph) == "Relations(2 user, 3 item, 2 word; user-item, item-word, user-word)"
    assert repr(graph.blocks[2]) == "Block('user-word': user x item x word, weight 1, normalise 'none')"
    assert repr(Relations()) == "Relations()"


def test_the_summary_counts_objects_that_nothing_is_related_to() -> None:
    graph = Relations().add("a", "b", [[1, 0], [0, 0]]).add("b", "c", [[1], [1]])
    assert "type a: 2 objects, 1 of them without relations" in graph.summary()
    assert "type c: 1 object, without relations" in graph.without("b").add("a", "d", [[1], [1]]).summary()


def test_check_refuses_a_graph_that_nothing_can_be_learned_from(graph: Relations) -> None:
    graph.check()
    with pytest.raises(InputError, match=r"relations is empty: got no relation"):
        Relations().check()
    with pytest.raises(InputError, match=r"a type without relations: got 'user', .*Relations.without"):
        graph.without("word").without("item").add("x", "y", [[1.0]]).check()
    with pytest.raises(InputError, match=r"has an empty relation: got no entry in 'item-word', .*Relations.restrict"):
        graph.restrict({"item": ["a"], "word": ["y"]}).with_weights({}).check()
    with pytest.raises(InputError, match=r"relations has no weight: got 0 for every relation"):
        graph.with_weights({0: 0, 1: 0, 2: 0}).check()


def test_copies_are_equal(graph: Relations) -> None:
    twin = copy.deepcopy(graph)
    assert twin.types == graph.types
    np.testing.assert_array_equal(dense(twin, "user-word"), dense(graph, "user-word"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rows": ["u"]}, r"rows does not match matrix: got 1 names for 2 rows, expected one each"),
        ({"columns": ["a", "a", "b"]}, r"columns has a name twice: got 'a' more than once"),
        ({"columns": ["a", None, "b"]}, r"columns lacks a name: got None at position 1"),
        ({"columns": [["a"], "c", "b"]}, r"columns has an invalid name: got \['a'\], expected strings or numbers"),
        ({"rows": "uv"}, r"rows is not a list of names: got 'uv'"),
        ({"matrix": [[1.0, np.nan, 0], [0, 0, 0]]}, r"matrix contains NaN: the first one is in row 0"),
        ({"matrix": [[1.0, 1.0, 0], [0, np.inf, 0]]}, r"matrix contains infinity: the first one is in row 1"),
        ({"matrix": [1.0, 2.0]}, r"matrix has the wrong shape: got 1 dimensions, expected rows x columns"),
        ({"matrix": [["a"]]}, r"matrix does not hold numbers: got <U1, expected real numbers"),
        ({"matrix": np.zeros((2, 3))}, r"relation 'user-item' is empty: got no entry other than 0"),
        ({"weight": -1}, r"weight is out of range: got -1, expected a number of at least 0"),
        ({"weight": np.nan}, r"weight is out of range: got nan"),
        ({"normalise": "tf-idf"}, r"normalise is unknown: got 'tf-idf', .*Did you mean 'tfidf'\?"),
        ({"row_type": ""}, r"row_type is not a name: got ''"),
        ({"column_type": 3}, r"column_type is not a name: got 3"),
        (
            {"symmetrise": True},
            r"symmetrise does not apply: got 'user' and 'item', expected a relation within one type",
        ),
        ({"column_type": "user"}, r"matrix is not square: got 2 x 3 within type 'user', expected the same objects"),
    ],
)
def test_a_bad_relation_gets_one_clear_sentence(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Relations().add(**{"row_type": "user", "column_type": "item", "matrix": RATINGS, **settings})


def test_tfidf_does_not_suit_a_relation_within_a_type() -> None:
    with pytest.raises(InputError, match=r"normalise does not suit a relation within type 'a': got 'tfidf'"):
        Relations().add("a", "a", np.eye(2), normalise="tfidf")


def test_relations_that_do_not_fit_the_graph_are_refused(graph: Relations) -> None:
    with pytest.raises(InputError, match=r"matrix does not match type 'item': got 2 rows for 3 objects, .*Pass rows"):
        graph.add("item", "tag", np.eye(2))
    with pytest.raises(InputError, match=r"relation exists already: got a second one of 'item' and 'user' besides"):
        graph.add("item", "user", RATINGS.T)
    with pytest.raises(InputError, match=r"name is taken: got 'user-word', expected a name that no other relation has"):
        graph.add("user", "item", RATINGS, name="user-word")
    with pytest.raises(InputError, match=r"second does not match first: got \('item', 'user'\) and \('item', 'word'\)"):
        graph.add_product(("item", "user"), ("item", "word"), name="new")
    with pytest.raises(InputError, match=r"relation 'new' is empty: got no entry other than 0"):
        Relations().add("a", "b", [[1, 0]]).add("b", "c", [[0], [1]]).add_product("a-b", "b-c", name="new")
    two = graph.add("user", "item", RATINGS > 0, name="seen")
    np.testing.assert_array_equal(dense(two, "seen"), RATINGS > 0)
    with pytest.raises(
        InputError, match=r"relation is ambiguous: got \('user', 'item'\), which are 'user-item', 'seen'"
    ):
        two.with_weights({("user", "item"): 1})


def test_unknown_relations_types_and_objects_are_refused(graph: Relations) -> None:
    with pytest.raises(InputError, match=r"relation is unknown: got 'user-itm', .*Did you mean 'user-item'\?"):
        graph.block("user-itm")
    with pytest.raises(
        InputError, match=r"relation is unknown: got \('user', 'tag'\), expected one of \('user', 'item'\)"
    ):
        graph.with_weights({("user", "tag"): 1})
    with pytest.raises(InputError, match=r"weights\['user-item'\] is out of range: got -2"):
        graph.with_weights({"user-item": -2})
    with pytest.raises(InputError, match=r"type is unknown: got 'users', .*Did you mean 'user'\?"):
        graph.without("users")
    with pytest.raises(InputError, match=r"type is unknown: got 'items'"):
        graph.restrict({"items": ["a"]})
    with pytest.raises(InputError, match=r"type 'item' lacks an object: got 'd', expected one of 3 names such as 'a'"):
        graph.restrict({"item": ["a", "d"]})
    with pytest.raises(InputError, match=r"objects\['item'\] is empty: got no name, .*Relations.without"):
        graph.restrict({"item": []})
    with pytest.raises(InputError, match=r"objects\['item'\] has a name twice: got 'a'"):
        graph.restrict({"item": ["a", "a"]})
    with pytest.raises(InputError, match=r"got '0', .*Names differ in type: '0' and 0"):
        Relations().add("a", "b", RATINGS).index("a", "0")


def test_blocks_must_fit_the_types_they_are_given_with(graph: Relations) -> None:
    with pytest.raises(InputError, match=r"blocks does not match types: got 3 objects of type 'item' in 'user-item'"):
        Relations({**graph.types, "item": ("a",)}, graph.blocks)
    loose = Block(("a", "b"), (sp.csr_array(np.eye(2)),), "a-b")
    with pytest.raises(
        InputError, match=r"blocks does not match types: got 2 objects of type 'a' in 'a-b', expected 0"
    ):
        Relations({}, (loose,))


def test_objects_that_are_all_new_to_a_known_type_are_doubtful(graph: Relations) -> None:
    with pytest.warns(
        TacitWarning, match=r"rows shares no name with type 'item': got '0', '1'.*All 2 are added.*differ"
    ):
        grown = graph.add("item", "tag", np.eye(2), rows=[0, 1])
    assert grown.types["item"] == ("a", "b", "c", 0, 1)


@pytest.mark.filterwarnings("error::tacit.errors.TacitWarning")
def test_a_new_object_that_is_related_to_a_known_one_of_its_type_is_not_doubtful() -> None:
    graph = Relations().add("page", "page", [[1.0]], rows=["p"])
    graph = graph.add("page", "page", [[1.0]], rows=["q"], columns=["p"], symmetrise=True, name="cites")
    assert graph.types["page"] == ("p", "q")
