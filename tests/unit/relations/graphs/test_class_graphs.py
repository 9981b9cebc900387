"""Graphs of one class a record, half-labelled graphs, and the mix of features with labels, by loops over pairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from tacit.errors import InputError
from tacit.relations.graphs.class_graphs import class_graph, local_class_graph, semi_supervised_graph
from tacit.relations.graphs.graph import EdgeWeights, Graph, GroupWeights, as_graph, combined_graph
from tacit.relations.graphs.label_graph import label_graph

CLASSES: list[Any] = ["x", "y", None, "x", "z", "y", "x", None, "z", "x", "lonely", "y"]
N = len(CLASSES)


@pytest.fixture
def neighbours(rng: np.random.Generator) -> np.ndarray:
    """Weights of a sparse graph of features."""
    W = np.triu(rng.random((N, N)) * (rng.random((N, N)) < 0.5), 1)
    return W + W.T


def same_class(i: int, j: int) -> bool:
    return CLASSES[i] is not None and CLASSES[i] == CLASSES[j]


def pairs(weight: Any) -> np.ndarray:
    return np.array([[float(weight(i, j)) for j in range(N)] for i in range(N)])


def test_records_of_one_class_are_joined() -> None:
    np.testing.assert_array_equal(class_graph(CLASSES).to_dense(), pairs(same_class))


def test_weights_may_be_divided_by_the_sizes_of_the_classes() -> None:
    size = Counter(CLASSES)
    expected = pairs(lambda i, j: same_class(i, j) / size[CLASSES[i]])
    np.testing.assert_allclose(class_graph(CLASSES, sizes=True).to_dense(), expected, rtol=1e-15)


def test_what_the_scaled_graph_penalises_is_the_scatter_within_classes(rng: np.random.Generator) -> None:
    graph = class_graph(CLASSES, sizes=True)
    Z = rng.random((N, 2))
    penalty = np.trace(Z.T @ (graph.degrees[:, None] * Z - graph @ Z))
    rows = {name: [i for i in range(N) if CLASSES[i] == name] for name in set(CLASSES) - {None}}
    scatter = sum(((Z[places] - Z[places].mean(axis=0)) ** 2).sum() for places in rows.values())
    assert penalty == pytest.approx(scatter, rel=1e-12)


def test_class_graphs_are_label_graphs_of_single_labels() -> None:
    for sizes, kind in ((False, "and"), (False, "sorensen"), (False, "jaccard"), (True, "scaled and")):
        expected = label_graph(CLASSES, kind).to_dense()
        np.testing.assert_allclose(class_graph(CLASSES, sizes=sizes).to_dense(), expected, rtol=1e-15)


def test_the_local_graph_keeps_neighbours_of_the_same_class(neighbours: np.ndarray) -> None:
    size = Counter(CLASSES)
    expected = pairs(lambda i, j: neighbours[i, j] / size[CLASSES[i]] if same_class(i, j) else 0)
    graph = local_class_graph(CLASSES, neighbours)
    np.testing.assert_allclose(graph.to_dense(), expected, rtol=1e-14)
    assert expected.any()
    assert graph.parts[0].weights.nnz == np.count_nonzero(expected)


def test_half_labelled_records_are_joined_by_labels_where_both_have_them(neighbours: np.ndarray) -> None:
    expected = pairs(
        lambda i, j: neighbours[i, j] if None in (CLASSES[i], CLASSES[j]) else float(CLASSES[i] == CLASSES[j])
    )
    graph = semi_supervised_graph(CLASSES, neighbours)
    np.testing.assert_array_equal(graph.to_dense(), expected)
    # no pair is in two parts, so that the mean weight is that of the graph
    assert graph.mean_weight == pytest.approx(expected[expected > 0].mean(), rel=1e-12)


def test_half_labelled_records_with_several_labels_are_of_one_class_if_they_share_a_label(
    rng: np.random.Generator, neighbours: np.ndarray
) -> None:
    sets: list[Any] = [set(np.flatnonzero(rng.random(4) < 0.4).tolist()) for _ in range(N)]
    sets[2] = sets[7] = None
    sets[5] = set()
    expected = pairs(lambda i, j: neighbours[i, j] if None in (sets[i], sets[j]) else bool(sets[i] & sets[j]))
    np.testing.assert_array_equal(semi_supervised_graph(sets, neighbours).to_dense(), expected)
    joined = np.flatnonzero(semi_supervised_graph(sets, neighbours).to_dense()[5])
    assert set(joined) <= {2, 7}


def test_feature_graphs_of_several_edge_parts_count_in_sum(neighbours: np.ndarray) -> None:
    halves = as_graph(neighbours / 2) + as_graph(neighbours / 2)
    for build in (local_class_graph, semi_supervised_graph):
        np.testing.assert_allclose(build(CLASSES, halves).to_dense(), build(CLASSES, neighbours).to_dense())


def test_the_order_of_records_does_not_matter_to_class_graphs(rng: np.random.Generator, neighbours: np.ndarray) -> None:
    order = rng.permutation(N)
    both = np.ix_(order, order)
    shuffled = [CLASSES[i] for i in order]
    np.testing.assert_array_equal(class_graph(shuffled).to_dense(), class_graph(CLASSES).to_dense()[both])
    for build in (local_class_graph, semi_supervised_graph):
        found = build(shuffled, sp.csr_matrix(neighbours[both])).to_dense()
        np.testing.assert_allclose(found, build(CLASSES, neighbours).to_dense()[both], rtol=1e-14)


def test_single_precision_is_kept(neighbours: np.ndarray) -> None:
    single = neighbours.astype(np.float32)
    assert local_class_graph(CLASSES, single).parts[0].weights.dtype == np.float32
    same, rest = semi_supervised_graph(CLASSES, single).parts
    assert same.closeness.dtype == rest.weights.dtype == np.float32
    assert class_graph(CLASSES, sizes=True, dtype=np.float32).parts[0].closeness.dtype == np.float32


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.0])
def test_the_mix_weighs_both_in_units_of_their_mean_weight(theta: float, neighbours: np.ndarray) -> None:
    labels = label_graph(CLASSES, "hamming")
    W_Y = labels.to_dense()
    expected = (1 - theta) * neighbours / neighbours[neighbours > 0].mean() + theta * W_Y / W_Y[W_Y > 0].mean()
    mix = combined_graph(neighbours, labels, theta)
    np.testing.assert_allclose(mix.to_dense(), expected, rtol=1e-12)
    assert len(mix.parts) == (1 if theta in (0, 1) else 2)


def test_the_scale_of_either_graph_does_not_matter_to_the_mix(neighbours: np.ndarray) -> None:
    labels = label_graph(CLASSES, "jaccard", n_neighbours=2)
    one = combined_graph(neighbours, labels, 0.4).to_dense()
    np.testing.assert_allclose(combined_graph(7 * neighbours, labels.scaled(0.01), 0.4).to_dense(), one, rtol=1e-12)


def test_negative_weights_count_by_their_size_in_the_mix(neighbours: np.ndarray) -> None:
    signed = Graph((EdgeWeights(sp.csr_array(-neighbours)),))
    np.testing.assert_allclose(
        combined_graph(signed, class_graph(CLASSES), 0.0).to_dense(), -neighbours / neighbours[neighbours > 0].mean()
    )


@pytest.mark.parametrize("theta", [-0.1, 1.1, float("nan"), "half"])
def test_theta_outside_its_range_is_refused(theta: Any, neighbours: np.ndarray) -> None:
    with pytest.raises(
        InputError, match=r"theta is out of range: got .*, expected a number of at least 0 and at most 1"
    ):
        combined_graph(neighbours, class_graph(CLASSES), theta)


def test_a_graph_without_weights_cannot_be_mixed_but_left_out(neighbours: np.ndarray) -> None:
    nothing = np.zeros((N, N))
    with pytest.raises(InputError, match="feature_graph has no weights: got 12 records, none joined"):
        combined_graph(nothing, class_graph(CLASSES))
    with pytest.raises(InputError, match="label_graph has no weights: got 12 records, none joined"):
        combined_graph(neighbours, nothing, 1.0)
    np.testing.assert_allclose(
        combined_graph(neighbours, nothing, 0.0).to_dense(), neighbours / neighbours[neighbours > 0].mean()
    )


def test_graphs_of_other_records_are_refused(neighbours: np.ndarray) -> None:
    with pytest.raises(InputError, match="label_graph does not match feature_graph: got 2 rows for 12 records"):
        combined_graph(neighbours, class_graph(["a", "b"]))
    for build in (local_class_graph, semi_supervised_graph):
        with pytest.raises(InputError, match="feature_graph does not match y: got 12 rows for 2 records"):
            build(["a", "b"], neighbours)


def test_several_labels_a_record_are_no_class() -> None:
    y = [{"a"}, {"a", "b"}]
    with pytest.raises(
        InputError, match="y has several labels in a record: got 2 in row 1, expected one class per record"
    ):
        class_graph(y)
    with pytest.raises(InputError, match=r"Use label_graph, which supports several\."):
        local_class_graph(y, np.eye(2))


def test_a_feature_graph_of_kinds_is_refused() -> None:
    kinds = Graph((GroupWeights(np.zeros(2, dtype=np.int64), np.eye(1)),))
    for build in (local_class_graph, semi_supervised_graph):
        with pytest.raises(InputError, match="feature_graph joins groups of records: got a GroupWeights part"):
            build(["a", "b"], kinds)


def test_classes_that_are_all_unknown_are_refused(neighbours: np.ndarray) -> None:
    unknown = np.full(N, np.nan)
    for build in (class_graph, lambda y: semi_supervised_graph(y, neighbours)):
        with pytest.raises(InputError, match="y has no known labels: got 12 records, all unknown"):
            build(unknown)


def test_a_record_known_to_have_no_class_is_joined_to_nobody() -> None:
    graph = class_graph([{"a"}, set(), {"a"}, set()])
    np.testing.assert_array_equal(graph.to_dense(), [[1, 0, 1, 0], [0] * 4, [1, 0, 1, 0], [0] * 4])


def test_a_type_that_is_none_of_weights_is_refused() -> None:
    with pytest.raises(InputError, match="dtype is not supported: got int64, expected float32 or float64"):
        class_graph(CLASSES, dtype=int)
