"""The graph of a hierarchy by its products, against the same graph drawn edge by edge."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.hierarchy_twin import edge_laplacian, with_ancestors
from tacit.errors import InputError
from tacit.models.common.class_hierarchy import ROOT, hierarchy_graph
from tacit.relations.taxonomy.taxonomy import Taxonomy

Sets = list[set[Hashable] | None]
PARENTS = {"a": (), "b": (), "a1": ("a",), "a2": ("a",), "both": ("a2", "b"), "empty": ("b",)}
SETS: Sets = [{"a1"}, {"a1", "both"}, {"a2"}, {"both"}, {"a"}, {"b"}, set(), None, {"a1", "b"}]


@st.composite
def hierarchies(draw: st.DrawFn) -> tuple[dict[int, tuple[int, ...]], Sets]:
    """Several roots, several parents, labels on inner nodes, several labels, none, or unknown ones."""
    n_nodes = draw(st.integers(1, 8))
    parents = {
        node: tuple(draw(st.sets(st.integers(0, node - 1), max_size=2))) if node else () for node in range(n_nodes)
    }
    labels = st.none() | st.sets(st.integers(0, n_nodes - 1), max_size=3)
    return parents, [{0}, *draw(st.lists(labels, min_size=1, max_size=9))]


@settings(deadline=None, max_examples=60)
@given(hierarchies())
def test_laplacian_is_that_of_the_graph_drawn_edge_by_edge(case: Any) -> None:
    parents, sets = case
    graph = hierarchy_graph(sets, Taxonomy.from_parents(parents), len(sets))
    np.testing.assert_allclose(graph.laplacian().to_dense(), masked_laplacian(sets, parents), atol=1e-12)
    assert graph.degrees[graph.known].min() >= 1
    assert not graph.degrees[~graph.known].any()
    np.testing.assert_allclose(
        graph.known_part().laplacian().to_dense(), graph.laplacian().to_dense()[np.ix_(graph.known, graph.known)]
    )


def masked_laplacian(sets: Sets, parents: Any) -> np.ndarray:
    """Edges between records of known labels only."""
    known = [i for i, labels in enumerate(sets) if labels is not None]
    laplacian = np.zeros((len(sets), len(sets)))
    laplacian[np.ix_(known, known)] = edge_laplacian([sets[i] for i in known], parents)
    return laplacian


@pytest.mark.parametrize("shared", [False, True])
def test_expected_memberships_weigh_less(rng: np.random.Generator, shared: bool) -> None:
    """The same graph edge by edge: ω_i h_ik ω_j h_jk / Σ ω_i h_ik."""
    graph = hierarchy_graph(SETS, Taxonomy.from_parents(PARENTS), len(SETS))
    expected = rng.random((1, 5)) * (rng.random((1, 5)) < 0.7)
    whole = graph.with_expected(sp.csr_array(expected), 0.25)
    H = np.column_stack([graph.H[:, :-1].toarray(), np.ones(len(SETS))])
    H[7, :-1], weights = expected, np.where(np.arange(len(SETS)) == 7, 0.25, 1.0)
    H = H / H.sum(axis=1, keepdims=True) if shared else H
    edges = sum(np.outer(weights * h, weights * h) / (weights @ h) for h in H.T)
    completed = whole.shared() if shared else whole
    expected_laplacian = np.diag(edges.sum(axis=1)) - edges
    np.testing.assert_allclose(completed.laplacian().to_dense(), expected_laplacian, atol=1e-12)
    np.testing.assert_allclose(completed.degrees, H.sum(axis=1))
    X = rng.normal(size=(len(SETS), 4))
    for container in (np.asarray, sp.csr_array):
        trace = completed.scatter_trace(container(X))
        assert trace == pytest.approx(np.trace(X.T @ expected_laplacian @ X), rel=1e-12)
    assert graph.degrees[7] == graph.weights[7] == 0


def test_flat_labels_are_children_of_one_root() -> None:
    sets: Sets = [{"x"}, {"x", "y"}, {"y"}, None]
    graph = hierarchy_graph(sets, None, 4)
    assert graph.names == ("x", "y", ROOT)
    np.testing.assert_allclose(graph.laplacian().to_dense(), masked_laplacian(sets, {}), atol=1e-12)


def test_parts() -> None:
    graph = hierarchy_graph(SETS, Taxonomy.from_parents(PARENTS), len(SETS))
    assert set(graph.names) == {"a", "b", "a1", "a2", "both", ROOT}
    assert graph.names[-1] is ROOT
    assert dict(zip(graph.names, graph.sizes, strict=True)) == {"a": 6, "b": 4, "a1": 3, "a2": 3, "both": 2, ROOT: 8}
    degrees = [0 if labels is None else 1 + len(with_ancestors(labels, PARENTS)) for labels in SETS]
    assert graph.degrees.tolist() == degrees
    np.testing.assert_array_equal(np.asarray(graph.H.sum(axis=0)).ravel(), graph.sizes)
    assert graph.H.has_sorted_indices


def test_a_class_of_all_records_is_the_root() -> None:
    taxonomy = Taxonomy.from_parents({"top": None, "x": "top", "y": "top"})
    graph = hierarchy_graph([{"x"}, {"y"}, {"x"}], taxonomy, 3)
    assert graph.names == ("x", "y", ROOT)
    assert hierarchy_graph([{"x"}, {"y"}, set()], taxonomy, 3).names == ("top", "x", "y", ROOT)
    assert hierarchy_graph([{"x"}, {"y"}, None], taxonomy, 3).names == ("x", "y", ROOT)


def test_quadratic_form_is_the_pooled_scatter_within_classes(rng: np.random.Generator) -> None:
    X = rng.normal(size=(len(SETS), 4))
    graph = hierarchy_graph(SETS, Taxonomy.from_parents(PARENTS), len(SETS))
    scatter = np.zeros((4, 4))
    for column in graph.H.toarray().T:
        members = X[column > 0]
        scatter += (members - members.mean(axis=0)).T @ (members - members.mean(axis=0))
    np.testing.assert_allclose(X.T @ (graph.laplacian() @ X), scatter, atol=1e-12)
    for container in (np.asarray, sp.csr_array, sp.csc_array):
        assert graph.scatter_trace(container(X)) == pytest.approx(np.trace(scatter), rel=1e-12)


@pytest.mark.parametrize("dense_columns", [0, 10**6])
def test_scatter_trace_is_the_same_by_dense_columns_and_by_sparse_rows(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, dense_columns: int
) -> None:
    """Which of them is taken depends on how many classes there are beside those that a record has."""
    monkeypatch.setattr("tacit.models.common.class_hierarchy._CLASSES_PER_RECORD", dense_columns)
    X = rng.normal(size=(300, 7)) * (rng.random((300, 7)) < 0.5)
    graph = hierarchy_graph([{f"c{i % 41}", f"d{i % 7}"} for i in range(300)], None, 300).shared()
    expected = np.trace(X.T @ (graph.laplacian() @ X))
    for container in (np.asarray, sp.csr_array, sp.csc_array):
        assert graph.scatter_trace(container(X)) == pytest.approx(expected, rel=1e-12)
        assert graph.scatter_trace(container(X.astype(np.float32))) == pytest.approx(expected, rel=1e-5)


def test_scatter_trace_sums_what_is_stored_twice_and_is_never_negative() -> None:
    graph = hierarchy_graph([{"x"}, {"x"}, {"y"}], None, 3)
    twice = sp.csr_array((np.ones(4), np.zeros(4, int), np.array([0, 2, 3, 4])), shape=(3, 1))
    assert graph.scatter_trace(twice) == pytest.approx(graph.scatter_trace(twice.toarray()))
    assert twice.nnz == 4
    assert graph.scatter_trace(np.full((3, 5), 1 / 3)) >= 0
    assert graph.scatter_trace(np.full((3, 5), 1 / 3)) == pytest.approx(0, abs=1e-12)


def test_constants_cost_nothing_and_precision_is_kept() -> None:
    graph = hierarchy_graph(SETS, Taxonomy.from_parents(PARENTS), len(SETS))
    np.testing.assert_allclose(graph.laplacian() @ np.ones(len(SETS)), 0, atol=1e-12)
    single = graph.laplacian(np.float32)
    assert (single @ np.ones((len(SETS), 2), np.float32)).dtype == np.float32


def test_root_survives_copies() -> None:
    assert copy.deepcopy(ROOT) is ROOT
    assert repr(ROOT) == "ROOT"


def test_bad_input() -> None:
    taxonomy = Taxonomy.from_parents(PARENTS)
    with pytest.raises(InputError, match="y has no labels: got 2 records and none of them labelled"):
        hierarchy_graph([None, set()], taxonomy, 2)
    with pytest.raises(InputError, match=r"not nodes: got 'a3'.*nodes of the taxonomy"):
        hierarchy_graph([{"a3"}, {"a1"}], taxonomy, 2)
    with pytest.raises(InputError, match="y does not match X: got 2 rows for 3 records"):
        hierarchy_graph([{"a1"}, {"a2"}], taxonomy, 3)
    with pytest.raises(InputError, match=r"taxonomy is not a Taxonomy: got dict.*Taxonomy.from_parents"):
        hierarchy_graph([{"a1"}, {"a2"}], {"a1": "a"}, 2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="X does not match the hierarchy graph: got 3 rows for 2 records"):
        hierarchy_graph([{"a1"}, {"a2"}], taxonomy, 2).scatter_trace(np.ones((3, 1)))
