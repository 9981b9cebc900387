"""Similarities of labels are the formulas of the paper, pair by pair, and a taxonomy makes relatives closer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from label_loops import all_pairs, as_matrix, mean_square, pair_similarity, projection, random_sets, squared_hamming

from tacit.errors import InputError
from tacit.relations import LabelMatrix, Taxonomy
from tacit.relations.graphs import label_similarity as label_directions
from tacit.relations.graphs.label_graph import label_graph
from tacit.relations.graphs.label_similarity import label_similarity

PLAIN = ["hamming", "and", "scaled and", "sorensen", "jaccard", "projected"]
TREE = Taxonomy.from_nested({"all": {"animals": {"cats": ["lions", "tigers"], "dogs": {}}, "law": ["courts", "crime"]}})
NODES = [name for name in TREE.names if name != "all"]


def settings(kind: str) -> dict[str, Any]:
    return {"n_dimensions": 3} if kind == "projected" else {}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", PLAIN)
def test_every_pair_has_the_similarity_of_the_formula(kind: str, seed: int) -> None:
    sets = random_sets(seed)
    expected = all_pairs(sets, sets, pair_similarity(kind, sets))
    np.testing.assert_allclose(label_similarity(sets, kind=kind, **settings(kind)), expected, atol=1e-12)
    by_sets = label_graph(sets, kind, **settings(kind))
    np.testing.assert_allclose(by_sets.to_dense(), expected, atol=1e-12)
    assert by_sets.parts[0].closeness.shape[0] == len(set(sets) - {None}) < len(sets)


@pytest.mark.parametrize("kind", ["hamming", "projected"])
def test_a_given_width_is_the_one_of_the_formula(kind: str) -> None:
    sets = random_sets(4)
    expected = all_pairs(sets, sets, pair_similarity(kind, sets, width=0.7))
    np.testing.assert_allclose(label_similarity(sets, kind=kind, width=0.7, **settings(kind)), expected, atol=1e-12)
    assert label_graph(sets, kind, width=0.7).width == 0.7


@pytest.mark.parametrize("kind", PLAIN)
def test_two_collections_are_compared_by_what_the_first_says(kind: str) -> None:
    sets, others = random_sets(1), random_sets(2, 15)
    expected = all_pairs(sets, others, pair_similarity(kind, sets))
    np.testing.assert_allclose(label_similarity(sets, others, kind, **settings(kind)), expected, atol=1e-12)


def test_labels_are_matched_by_name_and_may_be_new_on_either_side() -> None:
    found = label_similarity([{"b", "c"}, {"a"}, None], [{"d", "b"}, {"a"}], "jaccard")
    np.testing.assert_allclose(found, [[1 / 3, 0], [0, 1], [0, 0]])
    np.testing.assert_allclose(label_similarity(["b", "a"], ["a", "z", "b"], "scaled and"), [[0, 0, 1], [1, 0, 0]])


def test_matrix_and_sets_say_the_same() -> None:
    sets = random_sets(5, unknown=False)
    for kind in PLAIN:
        np.testing.assert_array_equal(
            label_similarity(sp.csr_matrix(as_matrix(sets)), kind=kind), label_similarity(sets, kind=kind)
        )


def test_sorensen_exceeds_jaccard_exactly_where_some_but_not_all_labels_are_shared() -> None:
    sets = random_sets(6, 60, unknown=False)
    sorensen, jaccard = label_similarity(sets, kind="sorensen"), label_similarity(sets, kind="jaccard")
    for i, a in enumerate(sets):
        for j, b in enumerate(sets):
            if a & b and a != b:
                assert sorensen[i, j] > jaccard[i, j] > 0
            else:
                assert sorensen[i, j] == jaccard[i, j] == float(a == b and bool(a))


def test_empty_sets_share_nothing_yet_have_distances() -> None:
    sets = [set(), set(), {"a"}]
    for kind in ("and", "scaled and", "sorensen", "jaccard"):
        assert label_similarity(sets, kind=kind)[:2].tolist() == [[0, 0, 0], [0, 0, 0]]
    np.testing.assert_allclose(label_similarity(sets, kind="hamming", width=2)[0], [1, 1, np.exp(-1 / 2)])
    np.testing.assert_allclose(label_similarity(sets, kind="projected", width=2)[0], [1, 1, np.exp(-1 / 2)])


def test_the_projection_onto_all_dimensions_keeps_the_hamming_distance() -> None:
    sets = random_sets(7, unknown=False)
    found = label_similarity(sets, kind="projected", n_dimensions=6, width=1.7)
    np.testing.assert_allclose(found, [[np.exp(-len(a ^ b) / 1.7) for b in sets] for a in sets], atol=1e-12)


def test_the_automatic_width_is_the_mean_square_over_pairs_with_different_labels() -> None:
    sets = random_sets(8)
    assert label_graph(sets, "hamming").width == pytest.approx(mean_square(sets, squared_hamming), rel=1e-12)
    P = projection(sets, 2)
    apart = mean_square(sets, lambda a, b: float(((as_matrix([a]) @ P - as_matrix([b]) @ P) ** 2).sum()))
    assert label_graph(sets, "projected", n_dimensions=2).width == pytest.approx(apart, rel=1e-12)


@pytest.mark.parametrize("kind", ["hamming", "projected"])
def test_records_that_all_have_the_same_labels_are_all_as_close_as_can_be(kind: str) -> None:
    graph = label_graph([{"a", "b"}] * 3, kind)
    assert graph.width == 1.0
    np.testing.assert_array_equal(graph.to_dense(), np.ones((3, 3)))
    np.testing.assert_array_equal(label_similarity([set(), set()], kind=kind), np.ones((2, 2)))


def test_the_automatic_dimensions_hold_nine_tenths_of_the_variance() -> None:
    sets = random_sets(9, 200, n_labels=12)
    Y = as_matrix(sets, 12)
    values = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) ** 2
    share = np.cumsum(values) / values.sum()
    n_dimensions = label_graph(sets, "projected").n_dimensions
    assert n_dimensions is not None
    assert share[n_dimensions - 1] >= 0.9 > share[n_dimensions - 2]


def test_no_automatic_choice_is_made_among_directions_that_hold_equally_much() -> None:
    classes = np.repeat(np.arange(20), 3)
    assert label_graph(classes, "projected").n_dimensions == 19
    weights = label_similarity(classes, kind="projected")
    assert np.ptp(weights[classes[:, None] != classes]) < 1e-12


def test_many_labels_are_projected_by_products_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = random_sets(10, 300, n_labels=60)
    dense = {k: label_similarity(sets, kind="projected", n_dimensions=k) for k in (1, 7, None)}
    monkeypatch.setattr(label_directions, "_MOST_DENSE", 10)
    monkeypatch.setattr(label_directions, "_dense_pairs", None)  # whoever still comes here fails
    for n_dimensions in (1, 7):
        found = label_similarity(sets, kind="projected", n_dimensions=n_dimensions)
        np.testing.assert_allclose(found, dense[n_dimensions], atol=1e-9)
    monkeypatch.setattr(label_directions, "_MOST_AUTOMATIC", 7)
    np.testing.assert_allclose(label_similarity(sets, kind="projected"), dense[7], atol=1e-9)


def test_hierarchical_is_sorensen_over_labels_and_all_above_them() -> None:
    above = {name: {name, *TREE.ancestors(name)} - {"all"} for name in TREE.names}
    rng = np.random.default_rng(11)
    sets = [frozenset(rng.choice(NODES, rng.integers(0, 4), replace=False).tolist()) for _ in range(30)]
    lifted = [frozenset().union(*(above[label] for label in labels)) for labels in sets]
    expected = all_pairs(lifted, lifted, pair_similarity("sorensen", lifted))
    np.testing.assert_allclose(label_similarity(sets, kind="hierarchical", taxonomy=TREE), expected, atol=1e-12)
    graph = label_graph(sets, "hierarchical", taxonomy=TREE)
    np.testing.assert_allclose(graph.to_dense(), expected, atol=1e-12)
    assert graph.parts[0].closeness.shape[0] == len(set(lifted))


@pytest.mark.parametrize("kind", ["hierarchical", "hamming", "jaccard", "and"])
def test_siblings_are_closer_than_cousins_and_cousins_than_strangers(kind: str) -> None:
    lions = label_similarity([{"lions"}], [{"tigers"}, {"dogs"}, {"courts"}], kind, taxonomy=TREE, width=9)[0]
    assert lions[0] > lions[1] > lions[2]
    flat = label_similarity([{"lions"}], [{"tigers"}, {"dogs"}, {"courts"}], "hamming", width=9)[0]
    assert np.ptp(flat) == 0


def test_a_single_root_joins_nobody_and_several_roots_are_classes_like_others() -> None:
    assert label_similarity([{"lions"}, {"courts"}, {"all"}], kind="hierarchical", taxonomy=TREE)[0].tolist() == [
        1,
        0,
        0,
    ]
    forest = Taxonomy.from_nested({"animals": ["cats", "dogs"], "law": ["courts"]})
    assert label_similarity([{"cats"}], [{"dogs"}, {"courts"}], "hierarchical", taxonomy=forest).tolist() == [[0.5, 0]]


def test_hamming_in_a_tree_is_the_gaussian_of_the_way_between_two_labels() -> None:
    found = label_similarity([{name} for name in NODES], kind="hamming", taxonomy=TREE, width=5)
    np.testing.assert_allclose(found, np.exp(-(TREE.distances(NODES, NODES) ** 2) / 5), atol=1e-12)


def test_a_function_compares_label_sets() -> None:
    def cosine(one: sp.csr_array, other: sp.csr_array) -> sp.csr_array:
        lengths = [np.maximum(np.sqrt(np.asarray(sets.sum(axis=1))), 1) for sets in (one, other)]
        return sp.csr_array((one @ other.T).toarray() / np.outer(*lengths))

    sets = random_sets(12)
    expected = all_pairs(sets, sets, lambda a, b: len(a & b) / max(1, len(a) * len(b)) ** 0.5)
    np.testing.assert_allclose(label_similarity(sets, kind=cosine), expected, atol=1e-12)
    np.testing.assert_allclose(label_graph(sets, cosine).to_dense(), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0, 0.0]], r"kind returns the wrong shape: got \(1, 2\), expected \(2, 2\)"),
        ([[1.0, -0.5], [-0.5, 1.0]], "kind returns negative similarities: got -0.5, expected at least 0"),
        ([[1.0, np.nan], [0.0, 1.0]], "kind contains NaN: the first one is in row 0"),
    ],
)
def test_a_function_that_gives_no_similarities_is_refused(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_similarity([{"a"}, {"b"}], kind=lambda one, other: np.array(values))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "jacard"}, "kind is unknown: got 'jacard', expected one of .*Did you mean 'jaccard'\\?"),
        ({"kind": 3}, "kind is unknown: got 3, expected one of 'hamming', 'and', 'scaled and'"),
        ({"kind": "hierarchical"}, "taxonomy is missing: got None, expected a Taxonomy .*or use 'sorensen'"),
        ({"taxonomy": {"a": None}}, "taxonomy is not a Taxonomy: got dict, expected a Taxonomy or None"),
        (
            {"taxonomy": Taxonomy.from_parents({"a": None})},
            "taxonomy has no nodes below its root: got the single node 'a'",
        ),
        ({"kind": "hamming", "width": -1}, "width is out of range: got -1, expected a number above 0"),
        ({"kind": "projected", "width": 0}, "width is out of range: got 0, expected a number above 0"),
        ({"width": "wide"}, "width is unknown: got 'wide', expected one of 'auto'"),
        ({"n_dimensions": 0}, "n_dimensions is out of range: got 0, expected a whole number of at least 1"),
        ({"n_dimensions": 3}, "n_dimensions is too large: got 3, expected at most the 2 labels"),
    ],
)
def test_bad_settings_get_one_clear_sentence(arguments: dict[str, Any], message: str) -> None:
    y = [{"a"}, {"a"}] if isinstance(arguments.get("taxonomy"), Taxonomy) else [{"a"}, {"b"}]
    with pytest.raises(InputError, match=message):
        label_similarity(y, **arguments)
    with pytest.raises(InputError, match=message):
        label_graph(y, **arguments)


def test_a_label_outside_the_taxonomy_is_named() -> None:
    with pytest.raises(InputError, match=r"y has labels that are not nodes: got 'lion'.*Did you mean 'lions'\?"):
        label_similarity([{"lion"}], kind="hierarchical", taxonomy=TREE)


def test_matrices_with_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match="z does not match y: got 3 columns of labels, expected the 2 of y"):
        label_similarity(np.eye(2), np.eye(3))


def test_labels_that_are_all_unknown_are_refused() -> None:
    unknown = LabelMatrix.from_sets([None, None], names=["a"])
    with pytest.raises(InputError, match="y has no known labels: got 2 records, all unknown"):
        label_similarity(unknown)
    assert label_similarity([{"a"}], unknown).tolist() == [[0, 0]]
