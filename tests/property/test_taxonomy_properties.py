"""Whatever the taxonomy, it agrees with NetworkX and with plain sets."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.relations import Taxonomy


@st.composite
def parents_of_nodes(draw: st.DrawFn, most: int = 2) -> dict[str, list[str]]:
    """A hierarchy in mixed order: node i may have parents among the nodes before it."""
    n_nodes = draw(st.integers(1, 12))
    parents = {
        f"n{i}": [f"n{j}" for j in draw(st.lists(st.integers(0, i - 1), max_size=most, unique=True))] if i else []
        for i in range(n_nodes)
    }
    return {name: parents[name] for name in draw(st.permutations(sorted(parents)))}


def graph_of(parents: dict[str, list[str]]) -> nx.DiGraph:
    """The same by NetworkX, edges from parent to child."""
    graph = nx.DiGraph()
    graph.add_nodes_from(parents)
    graph.add_edges_from((parent, child) for child, above in parents.items() for parent in above)
    return graph


@given(parents_of_nodes(most=3))
def test_relatives_agree_with_networkx(parents: dict) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    place = {name: i for i, name in enumerate(taxonomy.names)}
    assert set(taxonomy) == set(parents)
    for name in taxonomy:
        assert set(taxonomy.parents(name)) == set(graph.predecessors(name))
        assert set(taxonomy.children(name)) == set(graph.successors(name))
        assert set(taxonomy.ancestors(name)) == nx.ancestors(graph, name)
        assert set(taxonomy.descendants(name)) == nx.descendants(graph, name)
        assert all(place[parent] < place[name] for parent in taxonomy.parents(name))
        for found in (taxonomy.ancestors(name), taxonomy.descendants(name), taxonomy.children(name)):
            assert list(found) == sorted(found, key=place.__getitem__)


@given(parents_of_nodes(most=3))
def test_the_order_is_the_first_that_puts_parents_before_children(parents: dict) -> None:
    graph, first = graph_of(parents), {}
    for name, above in parents.items():
        for one in (name, *above):
            first.setdefault(one, len(first))
    wanted = nx.lexicographical_topological_sort(graph, key=first.__getitem__)
    assert Taxonomy.from_parents(parents).names == tuple(wanted)


@given(parents_of_nodes(most=3))
def test_closure_is_the_transitive_one(parents: dict) -> None:
    taxonomy = Taxonomy.from_parents(parents)
    above = nx.transitive_closure(graph_of(parents), reflexive=True).reverse()
    assert taxonomy.closure.dtype == np.float64
    np.testing.assert_array_equal(taxonomy.closure.toarray(), nx.to_numpy_array(above, nodelist=taxonomy.names))


@given(parents_of_nodes(most=3))
def test_depth_is_the_longest_way_from_a_root(parents: dict) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    for name in taxonomy:
        above = graph.subgraph(nx.ancestors(graph, name) | {name})
        assert taxonomy.depth(name) == nx.dag_longest_path_length(above)


@given(parents_of_nodes(most=3))
def test_distances_are_the_shortest_by_a_common_ancestor(parents: dict) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    up = dict(nx.all_pairs_shortest_path_length(graph.reverse()))
    top = {name: 1 + min(up[name][root] for root in taxonomy.roots if root in up[name]) for name in taxonomy}
    wanted = [
        [min((up[a][c] + up[b][c] for c in up[a].keys() & up[b].keys()), default=top[a] + top[b]) for b in taxonomy]
        for a in taxonomy
    ]
    found = taxonomy.distances(taxonomy.names, taxonomy.names)
    np.testing.assert_array_equal(found, wanted)
    a, b = taxonomy.names[0], taxonomy.names[-1]
    assert taxonomy.distance(a, b) == found[0, -1]


@given(parents_of_nodes(most=3), st.data())
def test_lowest_common_ancestors_are_common_and_lowest(parents: dict, data: st.DataObject) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    a, b = (data.draw(st.sampled_from(taxonomy.names)) for _ in range(2))
    common = (nx.ancestors(graph, a) | {a}) & (nx.ancestors(graph, b) | {b})
    wanted = {node for node in common if not nx.descendants(graph, node) & common}
    assert set(taxonomy.lowest_common_ancestors(a, b)) == wanted


@given(parents_of_nodes(), st.data())
def test_expanding_is_the_union_of_ancestors_and_a_second_time_changes_nothing(
    parents: dict, data: st.DataObject
) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    names = st.frozensets(st.sampled_from(taxonomy.names), max_size=4)
    sets = data.draw(st.lists(st.none() | names, max_size=8))
    expanded = taxonomy.expand(sets)
    wanted = [None if one is None else one.union(*(nx.ancestors(graph, name) for name in one)) for one in sets]
    assert [None if one is None else set(one) for one in expanded.to_sets()] == wanted
    again = taxonomy.expand(expanded)
    np.testing.assert_array_equal(again.indicator.toarray(), expanded.indicator.toarray())
    counts = [sum(one is not None and name in one for one in wanted) for name in taxonomy]
    np.testing.assert_array_equal(taxonomy.specificity(sets), [1 / count if count else 0 for count in counts])


@given(parents_of_nodes(most=3), st.data())
def test_parts_keep_the_edges_between_their_nodes(parents: dict, data: st.DataObject) -> None:
    taxonomy, graph = Taxonomy.from_parents(parents), graph_of(parents)
    name = data.draw(st.sampled_from(taxonomy.names))
    below, above = taxonomy.subtree(name), taxonomy.restrict([name])
    assert set(below) == nx.descendants(graph, name) | {name}
    assert set(above) == nx.ancestors(graph, name) | {name}
    assert below.roots == (name,)
    assert above.leaves == (name,)
    for part in (below, above):
        assert list(part) == [one for one in taxonomy if one in part]
        edges = {(parent, child) for child in part for parent in part.parents(child)}
        assert edges == set(graph.subgraph(part.names).edges)


@given(parents_of_nodes(most=3))
def test_a_graph_reads_back_in_either_direction(parents: dict) -> None:
    graph = graph_of(parents)
    down = Taxonomy.from_networkx(graph)
    up = Taxonomy.from_networkx(graph.reverse(), edges="child-to-parent")
    for other in (down, up):
        assert {(p, c) for c in other for p in other.parents(c)} == set(graph.edges)
    assert down.is_tree == all(degree <= 1 for _, degree in graph.in_degree())


@given(parents_of_nodes(most=1))
def test_siblings_in_a_tree_share_the_parent(parents: dict) -> None:
    taxonomy = Taxonomy.from_parents(parents)
    for name in taxonomy:
        wanted = {other for other in taxonomy if parents[other] == parents[name]} - {name}
        assert set(taxonomy.siblings(name)) == wanted
