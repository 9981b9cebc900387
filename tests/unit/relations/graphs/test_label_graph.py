"""Label graphs: all pairs through distinct sets, or the nearest by labels with ties broken by features, then by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from label_loops import all_pairs, nearest_neighbours, pair_similarity, random_sets

from tacit.errors import InputError
from tacit.relations import Taxonomy
from tacit.relations.graphs import label_graph as label_graph_module
from tacit.relations.graphs.graph import EdgeWeights, GroupWeights
from tacit.relations.graphs.label_graph import label_graph
from tacit.relations.graphs.label_similarity import label_similarity

PLAIN = ["hamming", "and", "scaled and", "sorensen", "jaccard", "projected"]


def settings(kind: str) -> dict[str, Any]:
    return {"n_dimensions": 3} if kind == "projected" else {}


def features(seed: int, n_records: int = 40) -> np.ndarray:
    """Features with duplicates and an empty row, so that cosines have ties of their own."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_records, 5)) * (rng.random((n_records, 5)) < 0.6)
    X[10:20] = X[20:30]
    X[31] = 0
    return X


@pytest.mark.parametrize("n_neighbours", [1, 4, 25])
@pytest.mark.parametrize("kind", PLAIN)
def test_neighbours_are_those_that_a_full_sort_finds(kind: str, n_neighbours: int) -> None:
    for seed in range(3):
        sets, X = random_sets(seed), features(seed)
        W = all_pairs(sets, sets, pair_similarity(kind, sets))
        for given in (None, X, sp.csr_matrix(X), X.astype(np.float32)):
            graph = label_graph(sets, kind, n_neighbours=n_neighbours, X=given, **settings(kind))
            expected = nearest_neighbours(W, n_neighbours, None if given is None else X)
            np.testing.assert_allclose(graph.to_dense(), expected, atol=1e-12)


def test_neighbours_through_a_taxonomy_and_by_a_function() -> None:
    tree = Taxonomy.from_nested({"p": [0, 1, 2], "q": [3, 4, 5]})
    sets, X = random_sets(3), features(3)
    W = label_similarity(sets, kind="hierarchical", taxonomy=tree)
    graph = label_graph(sets, "hierarchical", n_neighbours=5, taxonomy=tree, X=X)
    np.testing.assert_allclose(graph.to_dense(), nearest_neighbours(W, 5, X), atol=1e-12)
    shared = label_graph(sets, lambda one, other: (one @ other.T).toarray(), n_neighbours=5, X=X)
    np.testing.assert_array_equal(shared.to_dense(), label_graph(sets, "and", n_neighbours=5, X=X).to_dense())


def test_a_function_may_find_other_sets_closer_than_the_own() -> None:
    sets = random_sets(4, unknown=False)

    def unlike(one: sp.csr_array, other: sp.csr_array) -> np.ndarray:
        return np.asarray(one.sum(axis=1)[:, None] + other.sum(axis=1) - 2 * (one @ other.T).toarray())

    W = np.array([[float(len(a ^ b)) for b in sets] for a in sets])
    graph = label_graph(sets, unlike, n_neighbours=6)
    np.testing.assert_array_equal(graph.to_dense(), nearest_neighbours(W, 6))


@pytest.mark.parametrize("kind", PLAIN)
def test_blocks_change_nothing(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sets, X = random_sets(5), features(5)
    whole = [label_graph(sets, kind, n_neighbours=k, X=X, **settings(kind)).to_dense() for k in (None, 4)]
    for n_entries in (1, 70):
        monkeypatch.setattr(label_graph_module, "_BLOCK", n_entries)
        for k, expected in zip((None, 4), whole, strict=True):
            found = label_graph(sets, kind, n_neighbours=k, X=X, **settings(kind)).to_dense()
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_equal_records_are_taken_by_row_number() -> None:
    graph = label_graph(["a"] * 5, n_neighbours=1, X=np.ones((5, 3)))
    expected = np.zeros((5, 5))
    expected[0, 1:] = expected[1:, 0] = 1  # all choose row 0, which chooses row 1
    np.testing.assert_array_equal(graph.to_dense(), expected)


def test_similarities_that_differ_by_rounding_only_are_ties() -> None:
    one_way, other_way = (0.1 + 0.2) + 0.3, 0.1 + (0.2 + 0.3)
    assert one_way > other_way

    def sums(one: sp.csr_array, other: sp.csr_array) -> np.ndarray:
        sizes = one.sum(axis=1)[:, None] + other.sum(axis=1)
        return np.where(sizes % 2 == 0, one_way, other_way)

    y = [{"a"}, {"b"}, {"a", "b"}, {"c"}]
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.5], [0.1, 1.0]])  # the nearest to the first has the smaller sum
    weights = label_graph(y, sums, n_neighbours=1, X=X).to_dense()
    assert np.flatnonzero(weights[0]).tolist() == [2]


@pytest.mark.parametrize("n_neighbours", [None, 5])
@pytest.mark.parametrize("kind", PLAIN)
def test_the_order_of_the_records_does_not_matter(kind: str, n_neighbours: int | None) -> None:
    rng = np.random.default_rng(7)
    sets, X = random_sets(7), rng.random((40, 5))
    order = rng.permutation(40)
    one = label_graph(sets, kind, n_neighbours=n_neighbours, X=X, **settings(kind)).to_dense()
    other = label_graph([sets[i] for i in order], kind, n_neighbours=n_neighbours, X=X[order], **settings(kind))
    np.testing.assert_allclose(other.to_dense(), one[np.ix_(order, order)], atol=1e-12)


@pytest.mark.parametrize("n_neighbours", [None, 3])
@pytest.mark.parametrize("kind", PLAIN)
def test_unknown_records_are_joined_to_nobody_and_change_nothing(kind: str, n_neighbours: int | None) -> None:
    sets = random_sets(8)
    known = np.array([labels is not None for labels in sets])
    assert not known.all()
    W = label_graph(sets, kind, n_neighbours=n_neighbours).to_dense()
    assert not W[~known].any()
    assert not W[:, ~known].any()
    alone = label_graph([labels for labels in sets if labels is not None], kind, n_neighbours=n_neighbours)
    np.testing.assert_allclose(W[np.ix_(known, known)], alone.to_dense(), atol=1e-12)


def test_records_known_to_have_no_label_are_isolated_unless_distances_count() -> None:
    y = [set(), set(), {"a"}, {"a", "b"}, {"b"}]
    for kind in ("and", "scaled and", "sorensen", "jaccard"):
        for n_neighbours in (None, 2):
            graph = label_graph(y, kind, n_neighbours=n_neighbours)
            assert graph.isolated().tolist() == [True, True, False, False, False]
            assert not graph.degrees[:2].any()
    for kind in ("hamming", "projected"):
        assert label_graph(y, kind, n_neighbours=1).to_dense()[0, 1] == pytest.approx(1)


def test_a_record_is_its_own_neighbour_in_the_full_graph_only() -> None:
    y = [{"a"}, {"a"}, {"b"}]
    assert np.diag(label_graph(y).to_dense()).tolist() == [1, 1, 1]
    assert np.diag(label_graph(y, n_neighbours=1).to_dense()).tolist() == [0, 0, 0]


def test_one_label_a_record_gives_the_class_graph_of_equations_6_and_7() -> None:
    classes = np.random.default_rng(9).choice(["x", "y", "z"], 30)
    same = (classes[:, None] == classes).astype(float)
    for kind in ("and", "sorensen", "jaccard"):
        np.testing.assert_array_equal(label_graph(classes, kind).to_dense(), same)
    np.testing.assert_allclose(label_graph(classes, "scaled and").to_dense(), same / same.sum(axis=0), rtol=1e-14)


def test_closeness_is_sparse_where_most_sets_share_nothing() -> None:
    for kind, expected in (("sorensen", True), ("hamming", False)):
        closeness = label_graph(np.arange(50), kind).parts[0].closeness
        assert sp.issparse(closeness) == expected
    assert not sp.issparse(label_graph(random_sets(10), "sorensen").parts[0].closeness)
    mostly_zero = label_graph(np.arange(50), lambda one, other: (one @ other.T).toarray())
    assert sp.issparse(mostly_zero.parts[0].closeness)


def test_the_graph_of_many_sets_that_share_little_needs_no_square_of_their_number() -> None:
    graph = label_graph(np.arange(20_000), "jaccard")
    assert graph.parts[0].closeness.nnz == 20_000
    np.testing.assert_array_equal(graph.degrees, np.ones(20_000))


@pytest.mark.parametrize("kind", ["sorensen", "hamming"])
def test_too_many_sets_for_all_pairs_are_refused_with_their_size(kind: str) -> None:
    numbers = np.arange(12_000)
    Y = (numbers[:, None] >> np.arange(14)) & 1  # as many different sets
    with pytest.raises(InputError, match=r"similarities of 12,000 sets would take up to 1\.1 GiB\. Pass n_neighbours"):
        label_graph(Y, kind)


@pytest.mark.parametrize("kind", PLAIN)
def test_weights_come_in_the_type_asked_for(kind: str) -> None:
    sets = random_sets(11)
    full, near = (label_graph(sets, kind, n_neighbours=k, dtype=np.float32) for k in (None, 4))
    assert isinstance(full.parts[0], GroupWeights)
    assert isinstance(near.parts[0], EdgeWeights)
    assert full.parts[0].closeness.dtype == near.parts[0].weights.dtype == np.float32
    np.testing.assert_allclose(full.to_dense(), label_graph(sets, kind).to_dense(), rtol=1e-6)


def test_what_was_chosen_can_be_read() -> None:
    sets = random_sets(12)
    assert label_graph(sets).width is None
    assert label_graph(sets).n_dimensions is None
    assert label_graph(sets, "hamming").n_dimensions is None
    projected = label_graph(sets, "projected", n_dimensions=2, width=3)
    assert (projected.width, projected.n_dimensions) == (3.0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_neighbours": 3}, "n_neighbours is too large: got 3, expected fewer than the 3 records with known labels"),
        ({"n_neighbours": 0}, "n_neighbours is out of range: got 0, expected a whole number of at least 1"),
        ({"n_neighbours": 1.5}, "n_neighbours is out of range: got 1.5, expected a whole number"),
        ({"n_neighbours": 1, "X": np.ones((3, 2))}, "X does not match y: got 3 rows for 4 records"),
        ({"n_neighbours": 1, "X": np.ones(4)}, "X is not a table of numbers: got float64 in 1 dimensions"),
        ({"n_neighbours": 1, "X": [["a"]] * 4}, "X is not a table of numbers: got <U1 in 2 dimensions"),
        ({"n_neighbours": 1, "X": np.full((4, 2), np.nan)}, "X contains NaN: the first one is in row 0"),
        ({"dtype": int}, "dtype is not supported: got int64, expected float32 or float64"),
    ],
)
def test_bad_arguments_get_one_clear_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_graph([{"a"}, {"b"}, {"a", "b"}, None], **arguments)


@pytest.mark.parametrize("n_neighbours", [None, 1])
def test_a_function_that_depends_on_the_direction_is_refused(n_neighbours: int | None) -> None:
    def first_only(one: sp.csr_array, other: sp.csr_array) -> np.ndarray:
        return np.outer(np.asarray(one.sum(axis=1)), np.ones(other.shape[0]))

    with pytest.raises(InputError, match="kind is not symmetric: got similarities that differ by up to 1 between"):
        label_graph([{"a"}, {"a", "b"}], first_only, n_neighbours=n_neighbours)


def test_a_graph_without_any_known_record_is_refused() -> None:
    with pytest.raises(InputError, match="y has no known labels: got 2 records, all unknown"):
        label_graph([None, None])
