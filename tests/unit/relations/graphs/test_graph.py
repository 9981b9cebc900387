"""A graph is its dense matrix of weights: every product, sum and count against that, for each kind of part."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from tacit.errors import InputError
from tacit.relations.graphs.graph import BorrowedWeights, EdgeWeights, Graph, GroupWeights, as_graph

N_RECORDS = 9
KIND = np.array([0, 2, -1, 0, 1, 1, -1, 2, 4])  # nobody has kind 3, two have none
CLOSENESS = np.array([
    [0.5, 0, 0, 2, 0],
    [0, 0, 0, 0, 0],  # two records have a kind that is close to nothing, not even to itself
    [0, 0, 0, 1, 3],
    [2, 0, 1, 7, 0],
    [0, 0, 3, 0, 0],
])  # fmt: skip


def edges() -> np.ndarray:
    weights = np.zeros((N_RECORDS, N_RECORDS))
    for i, j, weight in [(0, 1, 2.0), (1, 4, -0.5), (3, 3, 1.5), (5, 8, 0.25), (0, 8, 1.0)]:
        weights[i, j] = weights[j, i] = weight
    return weights


def by_kinds(kind: np.ndarray, closeness: np.ndarray) -> np.ndarray:
    weights = np.zeros((len(kind), len(kind)))
    for i, one in enumerate(kind):
        for j, other in enumerate(kind):
            if one >= 0 and other >= 0:
                weights[i, j] = closeness[one, other]
    return weights


def parts() -> dict[str, tuple[Any, np.ndarray]]:
    kinds = by_kinds(KIND, CLOSENESS)
    return {
        "edges": (EdgeWeights(sp.csr_array(edges())), edges()),
        "no edges": (EdgeWeights(sp.csr_array((N_RECORDS, N_RECORDS))), np.zeros((N_RECORDS, N_RECORDS))),
        "kinds": (GroupWeights(KIND, CLOSENESS), kinds),
        "sparse kinds": (GroupWeights(KIND, sp.csr_array(CLOSENESS)), kinds),
        "nobody has a kind": (GroupWeights(np.full(N_RECORDS, -1), CLOSENESS), np.zeros((N_RECORDS, N_RECORDS))),
    }


SUMS = [(name,) for name in parts()] + [("edges", "kinds"), ("sparse kinds", "kinds", "edges")]


@pytest.fixture(params=SUMS, ids="+".join)
def graph(request: pytest.FixtureRequest) -> tuple[Graph, np.ndarray, list[np.ndarray]]:
    """A graph, its dense weights, and those of its parts."""
    made = [parts()[name] for name in request.param]
    dense = [weights for _, weights in made]
    return Graph(tuple(part for part, _ in made)), np.sum(dense, axis=0), dense


def groups(component: np.ndarray) -> list[list[int]]:
    return sorted(np.flatnonzero(component == one).tolist() for one in set(component.tolist()))


def test_products_degrees_and_the_dense_form_are_those_of_the_weights(graph, rng) -> None:
    found, W, _ = graph
    V = rng.normal(size=(N_RECORDS, 3))
    assert found.shape == W.shape
    np.testing.assert_allclose(found @ V, W @ V, atol=1e-12)
    np.testing.assert_allclose(found @ V[:, 0], W @ V[:, 0], atol=1e-12)
    np.testing.assert_allclose(found.degrees, W.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(found.to_dense(), W, atol=1e-12)


def test_the_mean_weight_is_that_of_the_weights_that_are_not_zero(graph) -> None:
    found, _, dense = graph
    values = np.concatenate([np.abs(W[W != 0]) for W in dense])
    assert found.mean_weight == pytest.approx(values.mean() if len(values) else 0.0)


def test_scaling_multiplies_and_adding_adds(graph) -> None:
    found, W, _ = graph
    np.testing.assert_allclose(found.scaled(-0.25).to_dense(), -0.25 * W, atol=1e-12)
    np.testing.assert_allclose((found + found.scaled(2)).to_dense(), 3 * W, atol=1e-12)


def test_components_are_those_of_the_dense_weights(graph) -> None:
    found, _, dense = graph
    joined = np.any([W != 0 for W in dense], axis=0)  # parts that cancel each other still join
    expected = connected_components(sp.csr_array(joined), directed=False)[1]
    assert groups(found.components()) == groups(expected)
    alone = ~(joined & ~np.eye(N_RECORDS, dtype=bool)).any(axis=1)
    np.testing.assert_array_equal(found.isolated(), alone)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_components_of_any_kinds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_kinds = int(rng.integers(1, 6))
    kind = rng.integers(-1, n_kinds, size=int(rng.integers(1, 12)))
    closeness = rng.random((n_kinds, n_kinds)) * (rng.random((n_kinds, n_kinds)) < 0.25)
    closeness = closeness + closeness.T
    expected = connected_components(sp.csr_array(by_kinds(kind, closeness)), directed=False)[1]
    for form in (closeness, sp.csr_array(closeness)):
        assert groups(Graph((GroupWeights(kind, form),)).components()) == groups(expected)


def test_a_zero_that_is_stored_joins_nothing_and_counts_for_nothing() -> None:
    weights = sp.csr_array((np.array([0.0, 0.0, 2.0, 2.0]), ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    for graph in (Graph((EdgeWeights(weights),)), Graph((GroupWeights(np.arange(3), weights),))):
        assert groups(graph.components()) == [[0], [1, 2]]
        assert graph.mean_weight == 2.0


@pytest.mark.parametrize("part", ["edges", "kinds", "sparse kinds"])
def test_single_precision_stays(part: str) -> None:
    made = parts()[part][0]
    single = (
        EdgeWeights(made.weights.astype(np.float32))
        if isinstance(made, EdgeWeights)
        else GroupWeights(KIND, made.closeness.astype(np.float32))
    )
    V = np.ones((N_RECORDS, 2), dtype=np.float32)
    assert (Graph((single,)) @ V).dtype == np.float32
    assert (Graph((single,)).scaled(0.5) @ V).dtype == np.float32


@pytest.mark.parametrize("dtype", [int, bool])
def test_whole_numbers_can_be_scaled_to_fractions(dtype: type) -> None:
    closeness = np.eye(2, dtype=dtype)
    kinds = Graph((GroupWeights(np.array([0, 1, 1]), closeness),)).scaled(0.5)
    np.testing.assert_array_equal(kinds.to_dense(), [[0.5, 0, 0], [0, 0.5, 0.5], [0, 0.5, 0.5]])
    np.testing.assert_array_equal(Graph((EdgeWeights(sp.csr_array(closeness)),)).scaled(0.5).to_dense(), np.eye(2) / 2)


def test_graphs_of_different_records_are_not_added() -> None:
    with pytest.raises(InputError, match=r"have different records: got 2 and 3, expected the same number in both\."):
        as_graph(np.eye(2)) + as_graph(np.eye(3))


def test_a_large_graph_is_not_written_out() -> None:
    large = as_graph(sp.csr_array((20_000, 20_000)))
    with pytest.raises(InputError, match=r"too large for a dense array: 20000 records would take 3\.0 GiB\."):
        large.to_dense()


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix, sp.coo_array, np.ndarray.tolist])
def test_a_graph_is_read_from_any_matrix(form: Any) -> None:
    W = np.abs(edges())
    np.testing.assert_array_equal(as_graph(form(W)).to_dense(), W)


@pytest.mark.parametrize(
    ("given_dtype", "dtype"),
    [(np.float32, np.float32), (np.float64, np.float64), (int, np.float64), (bool, np.float64)],
)
def test_weights_become_real_numbers_and_single_precision_stays(given_dtype: Any, dtype: Any) -> None:
    part = as_graph(np.array([[0, 1], [1, 0]], dtype=given_dtype)).parts[0]
    assert isinstance(part, EdgeWeights)
    assert part.weights.dtype == dtype


def test_a_graph_comes_back_itself() -> None:
    graph = as_graph(np.eye(2))
    assert as_graph(graph) is graph


def test_reading_adds_repetitions_up_and_leaves_the_matrix_of_the_caller_alone() -> None:
    weights = sp.csr_array((np.array([1.0, 2.0, 3.0, 0.0]), np.array([1, 1, 0, 1]), np.array([0, 2, 4])), shape=(2, 2))
    graph = as_graph(weights)
    np.testing.assert_array_equal(graph.to_dense(), [[0, 3], [3, 0]])
    assert weights.nnz == 4
    weights.data[:] = 9
    np.testing.assert_array_equal(graph.to_dense(), [[0, 3], [3, 0]])


def test_a_difference_of_rounding_is_symmetric_enough() -> None:
    as_graph(np.array([[0, 1.0], [1.0 + 1e-9, 0]]))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((2, 3)), r"affinity is not square: got shape \(2, 3\), expected records x records\."),
        (np.ones(3), r"affinity is not square: got shape \(3,\)"),
        (np.array([["a", "b"], ["c", "d"]]), r"affinity has no numbers: got <U1, expected weights\."),
        (np.eye(2) * 1j, "affinity has no numbers: got complex128"),
        (np.array([[0, np.nan], [np.nan, 0]]), "affinity contains NaN: the first one is in row 0"),
        (-np.eye(2), "affinity has negative weights: got -1, expected weights of at least 0"),
        (np.array([[0, 1.0], [0.5, 0]]), r"affinity is not symmetric: .* up to 0\.5 .* Use \(W \+ W\.T\) / 2\."),
    ],
)
def test_what_is_no_graph_is_refused_in_one_sentence(weights: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_graph(weights, "affinity")


@pytest.mark.parametrize("name", ["edges", "kinds", "sparse kinds"])
def test_borrowed_weights_are_means_of_those_of_others(name: str, rng: np.random.Generator) -> None:
    part, W = parts()[name]
    R = np.zeros((N_RECORDS, N_RECORDS))
    R[2, [0, 4]], R[6, [1, 3, 8]] = (0.25, 0.75), (0.2, 0.3, 0.5)
    lent = BorrowedWeights(part, sp.csr_array(R))
    dense = (np.eye(N_RECORDS) + R) @ W @ (np.eye(N_RECORDS) + R).T
    graph = Graph((lent,))
    np.testing.assert_allclose(graph.to_dense(), dense)
    np.testing.assert_allclose(graph.scaled(3.0).to_dense(), 3 * dense)
    V = rng.standard_normal((N_RECORDS, 2))
    np.testing.assert_allclose(graph @ V, dense @ V)
    assert graph.mean_weight == Graph((part,)).mean_weight
    component = graph.components()
    for i, j in zip(*np.nonzero(dense), strict=True):
        assert component[i] == component[j]


def test_the_graph_of_some_records() -> None:
    chosen = np.arange(N_RECORDS) % 2 == 0
    graph = Graph((parts()["edges"][0], parts()["kinds"][0]))
    np.testing.assert_allclose(graph.among(chosen).to_dense(), graph.to_dense()[np.ix_(chosen, chosen)])
